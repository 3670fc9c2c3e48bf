"""The way back through a frontier sweep: one best arrangement (cold path)."""

from __future__ import annotations

import numpy as np

from solver.kernels import frontier_state as fs
from solver.kernels.frontier import Counts, deal_out, price_wilds, sweep
from solver.kernels.frontier_state import I64, Int
from solver.kernels.frontier_step import counted, fill_gain
from solver.kernels.jit import kernel


@kernel
def move_into(prog: I64, mem: I64, step: Int, before: Int, after: Int) -> Int:
    """Return the move of a suit's step that leads from a state to the value of another, or -1.

    Args:
        prog: the rules.
        mem: memory of a kept sweep; ``M_USED`` wilds are used after the step.
        step: number of the step.
        before: state before it.
        after: state after it.
    """
    row = fs.R_STAGE + 8 * step
    p, s, stride = mem[row + fs.S_POS], mem[row + fs.S_SUIT], mem[row + fs.S_STRIDE]
    width, w = mem[fs.M_WILDS] + 1, mem[fs.M_USED]
    key, target = mem[mem[fs.M_KEYS] + before], mem[mem[fs.M_KEYS] + after]
    wanted = mem[mem[fs.M_VALS] + after * width + w]
    shift = s * prog[fs.P_BITS]
    multiset = key >> shift & ((1 << prog[fs.P_BITS]) - 1)
    n_held = mem[fs.R_COUNT + s * fs.N_POS + p]
    value = prog[prog[fs.P_VALUE] + s * 13 + p % 13]
    # As in the sweep: where no set may take the others, those that must be used are taken here.
    least_taken = 0 if stride else n_held - mem[fs.R_LIMIT + s * fs.N_POS + p]
    at = prog[fs.P_MOVES_AT] + multiset
    for j in range(prog[at], prog[at + 1]):
        move = prog[prog[fs.P_MOVES] + j]
        taken, wilds = move & 15, move >> fs.MOVE_WILDS & 31
        if taken > n_held or taken < least_taken or wilds > w:
            continue
        started = move >> fs.MOVE_STARTED & 7
        new = counted(prog, key, started, move >> fs.MOVE_PURE & 7)
        new += ((move >> fs.MOVE_TARGET) - multiset) << shift
        new += (n_held - taken) * stride << fs.LEFT_AT
        had = mem[mem[fs.M_VALS] + before * width + w - wilds]
        if new == target and had != fs.NEG and had + taken * value - started == wanted:
            mem[fs.M_USED] -= wilds
            return np.int64(move)
    return np.int64(-1)


@kernel
def sets_into(prog: I64, mem: I64, step: Int, before: Int, after: Int) -> Int:
    """Return ``sets laid << 24 | wilds << 16 | leftover code`` that lead to a value, or -1.

    The arguments are those of ``move_into``; sets are counted under a contract only. 0 stands for
    no set at all, whatever is left over.
    """
    row = fs.R_STAGE + 8 * step
    stride, fixed = mem[row + fs.S_STRIDE], mem[row + fs.S_FIXED]
    width, w = mem[fs.M_WILDS] + 1, mem[fs.M_USED]
    key, target = mem[mem[fs.M_KEYS] + before], mem[mem[fs.M_KEYS] + after]
    wanted = mem[mem[fs.M_VALS] + after * width + w]
    code = (key >> fs.LEFT_AT & fs.LEFT_ONES) + fixed
    n = (target >> fs.A_AT & fs.COUNT_ONES) - (key >> fs.A_AT & fs.COUNT_ONES)
    key &= ~(fs.LEFT_ONES << fs.LEFT_AT)
    if n < 0 or n >= prog[fs.P_SET_LAYERS] or key + (n << fs.A_AT) != target:
        return np.int64(-1)
    for k in range(w + 1):
        had = mem[mem[fs.M_VALS] + before * width + w - k]
        gain = mem[mem[fs.M_GAIN] + (n * stride + code) * width + k]
        if had != fs.NEG and gain != fs.NEG and had + gain == wanted:
            mem[fs.M_USED] -= k
            return np.int64(n << 24 | k << 16 | code if gain else 0)
    return np.int64(-1)


@kernel
def trace(prog: I64, mem: I64, path: I64) -> Int:
    """Walk back through a kept sweep and write one best way; return the number of steps.

    Rows of ``path`` int64[MAX_STAGES, 3], in the order of the sweep: position, suit (the number
    of suits for sets), what ``move_into`` or ``sets_into`` says. Any way to the same value serves,
    so each step takes the first state before it that explains the value. Cost: as the sweep.
    """
    state = mem[fs.M_STATE]
    for step in range(mem[fs.M_STAGES] - 1, -1, -1):
        row = fs.R_STAGE + 8 * step
        p, s = mem[row + fs.S_POS], mem[row + fs.S_SUIT]
        is_sets = s == prog[fs.P_SUITS]
        if is_sets:
            fill_gain(prog, mem, p)
        base = mem[row + fs.S_BASE]
        found = np.int64(-1)
        for i in range(base, base + mem[row + fs.S_SIZE]):
            if is_sets:
                found = np.int64(sets_into(prog, mem, step, i, state))
            else:
                found = np.int64(move_into(prog, mem, step, i, state))
            if found >= 0:
                state = i
                break
        path[step, 0], path[step, 1], path[step, 2] = p, s, found
    return np.int64(mem[fs.M_STAGES])


@kernel
def retrace(prog: I64, mem: I64, counts: Counts, path: I64) -> Int:
    """Sweep the best roles and aces again, keeping all, and trace; return steps, -1 when full.

    ``M_LEAST`` is the best value, so that the sweep keeps little but the ways to it.
    """
    for i in range(fs.N_CARD + 5):
        mem[fs.R_NATURAL + i] = mem[fs.R_BEST_NATURAL + i]
    price_wilds(prog, mem, counts)
    deal_out(prog, mem, counts)
    mem[fs.M_KEEP] = 1
    if sweep(prog, mem) == fs.FULL:
        return np.int64(-1)
    return trace(prog, mem, path)
