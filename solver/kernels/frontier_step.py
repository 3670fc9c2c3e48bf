"""Steps of the frontier sweep: a suit's runs pass a position, sets finish a rank."""

from __future__ import annotations

import numpy as np

from solver.kernels import frontier_state as fs
from solver.kernels.frontier_state import I64, Int, drop_beaten, place
from solver.kernels.jit import kernel


@kernel
def open_windows(prog: I64, mem: I64) -> None:
    """Set, for each suit, the positions at which a new run may start or take a natural.

    Such a position lies in a stretch of ``run_min`` positions in which at most ``n_wilds`` lack
    a natural; a run that holds it has such a stretch.
    """
    length, first, last = prog[fs.P_RUN_MIN], prog[fs.P_FIRST], prog[fs.P_LAST]
    ones = (1 << length) - 1
    n_wilds = mem[fs.M_WILDS]
    for s in range(prog[fs.P_SUITS]):
        counts = fs.R_COUNT + s * fs.N_POS
        held = 0
        for p in range(first, last + 1):
            if mem[counts + p]:
                held |= 1 << p
        window = 0
        if held:
            n_lacking = 0
            for p in range(first, last + 1):
                n_lacking += 1 - (held >> p & 1)
                if p >= first + length:
                    n_lacking -= 1 - (held >> (p - length) & 1)
                if p >= first + length - 1 and n_lacking <= n_wilds:
                    window |= ones << (p - length + 1)
        mem[fs.R_WINDOW + s] = window


@kernel
def measure_far(prog: I64, mem: I64) -> None:
    """Fill the table ``far``: the wilds that one open run needs at least.

    Row ``suit * 15 + p + 1`` is for after position p, a column for each automaton state; made
    backwards over the positions. Runs of a suit that ask for the same natural are not told apart,
    so sums of these are lower bounds.
    """
    n_states = prog[fs.P_N_STATES]
    first, last = prog[fs.P_FIRST], prog[fs.P_LAST]
    accept, pad, step = prog[fs.P_ACCEPT], prog[fs.P_PAD], prog[fs.P_STEP]
    for s in range(prog[fs.P_SUITS]):
        if mem[fs.R_WINDOW + s] == 0:
            continue
        ahead = mem[fs.M_FAR] + (s * 15 + last + 1) * n_states
        for q in range(n_states):
            mem[ahead + q] = prog[pad + q]
        for p in range(last, first, -1):
            here = ahead - n_states
            has = mem[fs.R_COUNT + s * fs.N_POS + p]
            for q in range(n_states):
                best = np.int64(fs.FAR)
                if prog[accept + q]:
                    best = np.int64(0)
                else:
                    on_natural, on_wild = prog[step + 2 * q], prog[step + 2 * q + 1]
                    if has and on_natural >= 0:
                        best = mem[ahead + on_natural]
                    if on_wild >= 0:
                        best = min(best, 1 + mem[ahead + on_wild])
                mem[here + q] = best
            ahead = here


@kernel
def need_of(prog: I64, mem: I64, multiset: Int, row: Int) -> Int:
    """Return the wilds that the open runs of one suit need at least, by a row of ``far``."""
    total = np.int64(0)
    if multiset:
        cap = prog[fs.P_CAP]
        items = prog[fs.P_ITEMS] + multiset * cap
        for i in range(items, items + cap):
            state = prog[i]
            if state < 0:
                break
            total += mem[row + state]
    return total


@kernel
def counted(prog: I64, key: Int, started: Int, pure: Int) -> Int:
    """Return the key after runs were started and pure runs closed, -1 when that is too many."""
    mode = prog[fs.P_MODE]
    if mode != fs.MODE_PLAIN and started + pure > 0:
        n_pure = (key >> fs.A_AT & fs.COUNT_ONES) + pure
        n_runs = (key >> fs.B_AT & fs.COUNT_ONES) + started
        if mode == fs.MODE_CONTRACT:
            if n_runs > prog[fs.P_NEED_RUNS]:
                return np.int64(-1)
            key += started << fs.B_AT
        else:
            n_pure = min(n_pure, prog[fs.P_NEED_PURE])
            n_runs = min(n_runs, prog[fs.P_NEED_RUNS])
            key &= ~(fs.COUNT_ONES << fs.A_AT | fs.COUNT_ONES << fs.B_AT)
            key |= n_pure << fs.A_AT | n_runs << fs.B_AT
    if started and prog[fs.P_SINK] == fs.SINK_RUN:
        key |= 1 << fs.LAID_AT
    return key


@kernel
def step_suit(prog: I64, mem: I64, p: Int, s: Int, stride: Int, fixed: Int) -> bool:
    """Let one suit's runs pass a position: every move of every state; False when full.

    Args:
        prog: the rules.
        mem: holds the current layer; the next layer is made here.
        p: position.
        s: suit.
        stride: weight of this suit in the leftover code, 0 when no set is possible here and
            naturals not taken are deadwood at once.
        fixed: code of the suits before it that had no move here.
    """
    n_wilds = mem[fs.M_WILDS]
    width = n_wilds + 1
    shift = s * prog[fs.P_BITS]
    ones = (1 << prog[fs.P_BITS]) - 1
    before = mem[fs.M_FAR] + (s * 15 + p) * prog[fs.P_N_STATES]
    after = before + prog[fs.P_N_STATES]
    n_held = mem[fs.R_COUNT + s * fs.N_POS + p]
    least_taken = 0 if stride else n_held - mem[fs.R_LIMIT + s * fs.N_POS + p]
    value = prog[prog[fs.P_VALUE] + s * 13 + p % 13]
    moves_at, moves = prog[fs.P_MOVES_AT], prog[fs.P_MOVES]
    keys, needs, vals = mem[fs.M_KEYS], mem[fs.M_NEED], mem[fs.M_VALS]
    least = mem[fs.M_LEAST] - mem[fs.M_AHEAD]
    levels = mem[fs.R_LEVEL + s] if stride and mem[fs.M_LEAST] > fs.NEG else np.int64(0)
    steps = mem[fs.R_STEPS]
    for i in range(mem[fs.M_BASE], mem[fs.M_BASE] + mem[fs.M_SIZE]):
        steps += width
        if steps > mem[fs.R_BUDGET]:
            mem[fs.R_STEPS] = steps
            return False
        low = drop_beaten(prog, mem, i)
        if low > n_wilds:
            continue
        key = mem[keys + i]
        multiset = key >> shift & ones
        rest = mem[needs + i] - need_of(prog, mem, multiset, before)
        for j in range(prog[moves_at + multiset], prog[moves_at + multiset + 1]):
            move = prog[moves + j]
            steps += 4
            taken, wilds = move & 15, move >> fs.MOVE_WILDS & 31
            if low + wilds + rest > n_wilds:
                break
            if taken > n_held or taken < least_taken:
                continue
            target = move >> fs.MOVE_TARGET
            need = rest + need_of(prog, mem, target, after)
            if low + wilds + need > n_wilds:
                continue
            started = move >> fs.MOVE_STARTED & 7
            new = counted(prog, key, started, move >> fs.MOVE_PURE & 7)
            if new < 0:
                continue
            new += ((target - multiset) << shift) + ((n_held - taken) * stride << fs.LEFT_AT)
            gain = taken * value - started
            spare = n_wilds - wilds - need
            bonus = np.int64(fs.R_ZERO)
            if levels:
                bonus = levels + ((new >> fs.LEFT_AT & fs.LEFT_ONES) + fixed) * width
            sink = np.int64(0)
            steps += 4 * (spare + 4 - low)
            for w in range(low, spare + 1):
                had = mem[vals + i * width + w]
                if had == fs.NEG or had + gain + mem[bonus + spare - w] < least:
                    continue
                if sink == 0:
                    where = place(mem, new)
                    if where < 0:
                        return False
                    mem[needs + where] = need
                    sink = vals + where * width + wilds
                mem[sink + w] = max(mem[sink + w], had + gain)
    mem[fs.R_STEPS] = steps
    return True


@kernel
def fill_gain(prog: I64, mem: I64, p: Int) -> None:
    """Fill the table ``gain`` of a rank: the best value of sets out of what a code says.

    ``gain[(n * codes + code) * (n_wilds + 1) + k]`` for k wilds, NEG where impossible; n sets
    exactly under a contract, else n = 0. First the vectors used up to the last card, then, suit by
    suit, up to ``limit`` cards of it left over. With a sink, wilds beyond need are worth nothing.
    """
    width = mem[fs.M_WILDS] + 1
    n_suits, layers, vectors = prog[fs.P_SUITS], prog[fs.P_SET_LAYERS], prog[fs.P_VECTORS]
    gain, counts, limits = mem[fs.M_GAIN], fs.R_COUNT + p, fs.R_LIMIT + p
    codes = 1
    for s in range(n_suits):
        codes *= mem[counts + s * fs.N_POS] + 1
    mem[fs.R_STEPS] += codes * width * layers
    for code in range(codes):
        rest, value, vector, weight = code, 0, 0, 1
        for s in range(n_suits):
            base = mem[counts + s * fs.N_POS] + 1
            used = rest % base
            rest //= base
            value += used * prog[prog[fs.P_VALUE] + s * 13 + p % 13]
            vector += used * weight
            weight *= prog[fs.P_SET_BASE]
        for n in range(layers):
            row = gain + (n * codes + code) * width
            costs = prog[fs.P_SETS] + (n * vectors + vector) * prog[fs.P_WIDTH]
            for k in range(width):
                cost = prog[costs + k]
                mem[row + k] = fs.NEG if cost == fs.NO_SET else value - cost
    for n in range(layers):
        stride = 1
        for s in range(n_suits):
            held, limit = mem[counts + s * fs.N_POS], mem[limits + s * fs.N_POS]
            for code in range(codes - 1, -1, -1):
                row = gain + (n * codes + code) * width
                for left in range(1, min(code // stride % (held + 1), limit) + 1):
                    other = row - left * stride * width
                    for k in range(width):
                        mem[row + k] = max(mem[row + k], mem[other + k])
            stride *= held + 1
    if prog[fs.P_SINK] == fs.SINK_ANY:
        for row in range(gain, gain + layers * codes * width, width):
            for k in range(width - 1, 0, -1):
                for fewer in range(k):
                    if mem[row + fewer] >= mem[row + k]:
                        mem[row + k] = fs.NEG


@kernel
def fill_bonus(prog: I64, mem: I64, p: Int, moving: Int) -> None:
    """Fill the levels of ``bonus`` from ``gain``: what the sets of a rank can still be worth.

    The level of suit s has a row for each leftover code of the suits up to s, a column for the
    wilds that may be used: the most that sets can give, less the value of the cards of later suits
    that go to them. Only suits of the mask ``moving`` may give some of theirs to runs.
    """
    width = mem[fs.M_WILDS] + 1
    n_suits, layers = prog[fs.P_SUITS], prog[fs.P_SET_LAYERS]
    codes = np.int64(1)
    for s in range(n_suits):
        codes *= mem[fs.R_COUNT + s * fs.N_POS + p] + 1
    level = mem[fs.M_BONUS]
    for code in range(codes):
        best = np.int64(fs.NEG)
        for k in range(width):
            for n in range(layers):
                best = max(best, mem[mem[fs.M_GAIN] + (n * codes + code) * width + k])
            mem[level + code * width + k] = best
    for s in range(n_suits - 1, -1, -1):
        mem[fs.R_LEVEL + s] = level
        held = mem[fs.R_COUNT + s * fs.N_POS + p]
        value = prog[prog[fs.P_VALUE] + s * 13 + p % 13]
        stride = codes // (held + 1)
        below = level + codes * width
        for code in range(stride):
            for k in range(width):
                best = np.int64(fs.NEG)
                for left in range(0 if moving >> s & 1 else held, held + 1):
                    row = level + (code + left * stride) * width
                    best = max(best, mem[row + k] - left * value)
                mem[below + code * width + k] = best
        level, codes = below, stride


@kernel
def step_sets(prog: I64, mem: I64, codes: Int, fixed: Int) -> bool:
    """Finish a rank: sets out of what the runs left, the rest is deadwood; False when full.

    Args:
        prog: the rules.
        mem: holds the current layer and ``gain`` of the rank; the next layer is made here.
        codes: number of leftover codes of the rank.
        fixed: code of the suits that had no move here.
    """
    n_wilds = mem[fs.M_WILDS]
    width = n_wilds + 1
    counts_sets = prog[fs.P_MODE] == fs.MODE_CONTRACT
    least = mem[fs.M_LEAST] - mem[fs.M_AHEAD]
    keys, needs, vals = mem[fs.M_KEYS], mem[fs.M_NEED], mem[fs.M_VALS]
    n_layers = min(prog[fs.P_SET_LAYERS], prog[fs.P_NEED_SETS] + 1) if counts_sets else np.int64(1)
    steps = mem[fs.R_STEPS]
    for i in range(mem[fs.M_BASE], mem[fs.M_BASE] + mem[fs.M_SIZE]):
        steps += 8 + n_layers * width * (width + 1) // 2
        if steps > mem[fs.R_BUDGET]:
            mem[fs.R_STEPS] = steps
            return False
        low = drop_beaten(prog, mem, i)
        if low > n_wilds:
            continue
        key, need = mem[keys + i], mem[needs + i]
        code = (key >> fs.LEFT_AT & fs.LEFT_ONES) + fixed
        key &= ~(fs.LEFT_ONES << fs.LEFT_AT)
        n_laid = key >> fs.A_AT & fs.COUNT_ONES if counts_sets else np.int64(0)
        for n in range(min(prog[fs.P_SET_LAYERS], prog[fs.P_NEED_SETS] - n_laid + 1)):
            row = mem[fs.M_GAIN] + (n * codes + code) * width
            where = np.int64(-1)
            for k in range(width - low - need):
                gain = mem[row + k]
                if gain == fs.NEG:
                    continue
                for w in range(low, width - k - need):
                    had = mem[vals + i * width + w]
                    if had == fs.NEG or had + gain < least:
                        continue
                    if where < 0:
                        where = np.int64(place(mem, key + (n << fs.A_AT)))
                        if where < 0:
                            return False
                        mem[needs + where] = need
                    sink = vals + where * width + k + w
                    mem[sink] = max(mem[sink], had + gain)
    mem[fs.R_STEPS] = steps
    return True
