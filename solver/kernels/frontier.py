"""Rank-by-rank dynamic programme over open runs: the second exact engine.

One sweep visits the positions of the line in order. A state of the sweep says, for each suit, which
runs are still open (a multiset of automaton states, numbered by the compiler), together with the
counted conditions; to a state belongs a vector over w, the wilds used so far, of the best value
reached. The key of a state is one int64, low bits first::

    suit 0 | suit 1 | ...    43 bits: the multiset of each suit
    leftover code            13 bits
    count a, count b         3 bits each: sets and runs of a contract; pure runs and runs required
    run laid                 1 bit: some run is there to take any number of wilds

Inside a position the suits come one after another: open runs take the natural, take a wild, or
close, and new runs start. What naturals are not taken is the leftover code, mixed radix over the
suits; a table of the best sets for every leftover vector then finishes the position, and the rest
is deadwood. Values are composite (``points << 16`` + ``1 << 8`` a card, minus 1 a meld;
bounded in DESIGN.md); the wilds are priced at the end, the w most expensive ones.

States go when they cannot matter: open runs that need more wilds than are left (``need``); as much
value with fewer wilds (``drop_beaten``); open runs that can do all that others can
(``drop_dominated``); and, where a value is known or guessed, all that cannot reach it even when
every card to come is melded (``M_LEAST``; ``bonus`` sharpens this within a rank).

Where a meld takes any number of wilds (the sinks), the compiler's runs and sets take only what
they need, and every wild that is left earns its value at the end.

Cost: states times moves for each suit and position; no allocation, all arrays come from the caller.
Source: own argument. A run is a path through one suit and a set lies in one rank, so the future of
a sweep depends on the past only through the open runs, the wilds used and what is counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.kernels import frontier_state as fs
from solver.kernels.frontier_state import I64, Int, begin_layer, drop_dominated, end_layer
from solver.kernels.frontier_step import (
    fill_bonus,
    fill_gain,
    measure_far,
    open_windows,
    step_sets,
    step_suit,
)
from solver.kernels.jit import kernel

Counts = NDArray[np.uint8]
MANY_STATES = 32


@kernel
def finish(prog: I64, mem: I64) -> None:
    """Close all runs, lay wilds alone, price the wilds: the best value goes to ``M_BEST``.

    With it go the final state, the wilds used before, the wilds laid alone and what these must
    make. Without any end that meets the demands the value stays NEG.
    """
    n_wilds = mem[fs.M_WILDS]
    bits, mode, sink = prog[fs.P_BITS], prog[fs.P_MODE], prog[fs.P_SINK]
    ones = (1 << bits) - 1
    best = np.int64(fs.NEG)
    for i in range(mem[fs.M_BASE], mem[fs.M_BASE] + mem[fs.M_SIZE]):
        key = mem[mem[fs.M_KEYS] + i]
        pad = n_pure = n_sets = n_runs = np.int64(0)
        for s in range(prog[fs.P_SUITS]):
            items = prog[fs.P_ITEMS] + (key >> s * bits & ones) * prog[fs.P_CAP]
            for j in range(items, items + prog[fs.P_CAP]):
                state = prog[j]
                if state < 0:
                    break
                pad += prog[prog[fs.P_PAD] + state]
                n_pure += prog[prog[fs.P_PURE] + state]
        if mode != fs.MODE_PLAIN:
            n_runs = prog[fs.P_NEED_RUNS] - (key >> fs.B_AT & fs.COUNT_ONES)
        if mode == fs.MODE_CONTRACT:
            n_sets = prog[fs.P_NEED_SETS] - (key >> fs.A_AT & fs.COUNT_ONES)
        elif (key >> fs.A_AT & fs.COUNT_ONES) + n_pure < prog[fs.P_NEED_PURE]:
            continue
        alone = n_sets * (prog[fs.P_NEED_RUNS] + 1) + n_runs
        alone = prog[fs.P_ALONE] + alone * prog[fs.P_WIDTH]
        vals = mem[fs.M_VALS] + i * (n_wilds + 1)
        for w in range(n_wilds - pad + 1):
            value = mem[vals + w]
            if value == fs.NEG:
                continue
            laid = (sink == fs.SINK_ANY and value > 0) or (
                sink == fs.SINK_RUN and key >> fs.LAID_AT & 1 == 1
            )
            for k in range(n_wilds - pad - w + 1):
                cost = prog[alone + k]
                used = n_wilds if laid else w + pad + k
                if cost == fs.NO_SET or used < mem[fs.M_FORCED]:
                    continue
                total = value - cost + mem[fs.R_PRICE + used]
                if total > best:
                    best = total
                    mem[fs.M_STATE], mem[fs.M_USED], mem[fs.M_ALONE] = i, w, k
                    mem[fs.M_END_SETS], mem[fs.M_END_RUNS] = n_sets, n_runs
    mem[fs.M_BEST] = best


@kernel
def note(mem: I64, p: Int, s: Int, stride: Int, fixed: Int) -> None:
    """Write down the step that comes next, for the way back."""
    row = fs.R_STAGE + 8 * mem[fs.M_STAGES]
    mem[row + fs.S_POS], mem[row + fs.S_SUIT] = p, s
    mem[row + fs.S_BASE], mem[row + fs.S_SIZE] = mem[fs.M_BASE], mem[fs.M_SIZE]
    mem[row + fs.S_STRIDE], mem[row + fs.S_FIXED] = stride, fixed
    mem[fs.M_STAGES] += 1


@kernel
def first_layer(prog: I64, mem: I64) -> None:
    """Make the layer before the first position, and the tables that bound its future."""
    open_windows(prog, mem)
    measure_far(prog, mem)
    mem[fs.M_BASE], mem[fs.M_SIZE], mem[fs.M_OPEN] = 0, 1, 0
    mem[fs.M_STAGES], mem[fs.M_BEST] = 0, fs.NEG
    mem[fs.M_AHEAD] = mem[fs.M_ALL]
    mem[mem[fs.M_KEYS]] = mem[mem[fs.M_NEED]] = 0
    mem[mem[fs.M_VALS]] = 0
    for w in range(1, mem[fs.M_WILDS] + 1):
        mem[mem[fs.M_VALS] + w] = fs.NEG


@kernel
def moving_suits(prog: I64, mem: I64, p: Int) -> Int:
    """Return the suits whose runs have moves at a position, as bits."""
    bits = prog[fs.P_BITS]
    ones = (1 << bits) - 1
    moving = np.int64(0)
    for s in range(prog[fs.P_SUITS]):
        starts = mem[fs.R_COUNT + s * fs.N_POS + p] > 0 or prog[fs.P_START_WILD] >= 0
        inside = mem[fs.R_WINDOW + s] >> p & 1 == 1
        if (starts and inside) or mem[fs.M_OPEN] >> s * bits & ones:
            moving |= 1 << s
    return moving


@kernel
def may_set(prog: I64, mem: I64, p: Int) -> bool:
    """Return whether the naturals of a position may be part of a set; high aces may not."""
    if p == 13 and prog[fs.P_ACE] == fs.ACE_BOTH:
        return False
    total = np.int64(0)
    alike = prog[fs.P_SET_BASE] == 1
    for s in range(prog[fs.P_SUITS]):
        count = mem[fs.R_COUNT + s * fs.N_POS + p]
        total += count if alike else min(count, 1)
    return bool(total > 0 and total + mem[fs.M_WILDS] >= prog[fs.P_SET_MIN])


@kernel
def sweep(prog: I64, mem: I64) -> Int:
    """Run the sweep over all positions; return DONE, IMPOSSIBLE (best is NEG) or FULL.

    FULL with more ``R_STEPS`` than ``R_BUDGET`` means that the work is used up, not the memory.

    Args:
        prog: the rules.
        mem: naturals, limits, prices and wilds are set; ``M_KEEP`` is 1 to keep all layers and
            note the steps, for the way back; ``M_LEAST`` is the least value worth finding, NEG
            for any: whatever cannot reach it, all cards to come melded, is dropped.
    """
    first_layer(prog, mem)
    ace = prog[fs.P_ACE]
    for p in range(fs.N_POS):
        if (p == 0 and ace == fs.ACE_HIGH) or (p == 13 and ace == fs.ACE_LOW):
            continue
        moving = moving_suits(prog, mem, p)
        setable = may_set(prog, mem, p)
        if setable:
            fill_gain(prog, mem, p)
            if mem[fs.M_LEAST] > fs.NEG:
                fill_bonus(prog, mem, p, moving)
        fixed, stride = np.int64(0), np.int64(setable)
        for s in range(prog[fs.P_SUITS]):
            count = mem[fs.R_COUNT + s * fs.N_POS + p]
            mem[fs.M_AHEAD] -= count * prog[prog[fs.P_VALUE] + s * 13 + p % 13]
            if moving >> s & 1:
                begin_layer(mem)
                if mem[fs.M_KEEP]:
                    note(mem, p, s, stride, fixed)
                if not step_suit(prog, mem, p, s, stride, fixed):
                    return fs.FULL
                end_layer(mem)
            elif setable:
                fixed += count * stride
            elif count > mem[fs.R_LIMIT + s * fs.N_POS + p]:
                return fs.IMPOSSIBLE
            stride *= count + 1
        if setable:
            begin_layer(mem)
            if mem[fs.M_KEEP]:
                note(mem, p, prog[fs.P_SUITS], stride, fixed)
            if not step_sets(prog, mem, stride, fixed):
                return fs.FULL
            end_layer(mem)
        if mem[fs.M_SIZE] == 0:
            return fs.IMPOSSIBLE
        mem[fs.R_STEPS] += 32 * mem[fs.M_SIZE]
        if mem[fs.M_SIZE] > MANY_STATES:
            drop_dominated(prog, mem)
    finish(prog, mem)
    return fs.DONE if mem[fs.M_BEST] > max(fs.NEG, mem[fs.M_LEAST] - 1) else fs.IMPOSSIBLE


@kernel
def price_wilds(prog: I64, mem: I64, counts: Counts) -> None:
    """Set the number of wilds and their prices: those that must be used, then by value.

    Of a card of either role that must be used no copy is left over as a wild: it is left over as
    a natural, in another case.
    """
    n_wilds, n_forced = np.int64(0), np.int64(0)
    for forced in range(1, -1, -1):
        for card in range(fs.N_CARD):
            role, value = prog[prog[fs.P_ROLE] + card], prog[prog[fs.P_VALUE] + card]
            if role != fs.WILD and role != fs.EITHER:
                continue
            copies = np.int64(counts[card]) - mem[fs.R_NATURAL + card]
            bound = min(copies, mem[fs.R_MUST + card])
            if prog[fs.P_USE_ALL] or (role == fs.EITHER and bound):
                bound = copies
            for _ in range(bound if forced else copies - bound):
                at = fs.R_POOL + n_wilds
                while at > fs.R_POOL + n_forced and mem[at - 1] < value:
                    mem[at] = mem[at - 1]
                    at -= 1
                mem[at] = value
                n_wilds += 1
        if forced:
            n_forced = n_wilds
    mem[fs.M_WILDS], mem[fs.M_FORCED] = n_wilds, n_forced
    mem[fs.R_PRICE] = 0
    for w in range(n_wilds):
        mem[fs.R_PRICE + w + 1] = mem[fs.R_PRICE + w] + mem[fs.R_POOL + w]


@kernel
def deal_out(prog: I64, mem: I64, counts: Counts) -> None:
    """Put the naturals on their positions, the aces kept high at the top of the line.

    Aces kept for the top must be used there: else a case that keeps fewer is as good.
    """
    ace = prog[fs.P_ACE]
    for s in range(prog[fs.P_SUITS]):
        for r in range(13):
            n_held = mem[fs.R_NATURAL + s * 13 + r]
            spare = np.int64(counts[s * 13 + r]) - mem[fs.R_MUST + s * 13 + r]
            if prog[fs.P_USE_ALL]:
                spare = np.int64(0)
            at = s * fs.N_POS + r
            if r == 0:
                n_high = n_held if ace == fs.ACE_HIGH else mem[fs.R_HIGH + s]
                mem[fs.R_COUNT + at + 13] = n_high
                mem[fs.R_LIMIT + at + 13] = spare if ace == fs.ACE_HIGH else 0
                n_held -= n_high
            mem[fs.R_COUNT + at] = n_held
            mem[fs.R_LIMIT + at] = min(spare, n_held)


@kernel
def high_aces_fit(prog: I64, mem: I64) -> bool:
    """Return whether wilds may suffice for the runs that hold the aces kept high.

    Each of these has a card of its own on every position of the last ``run_min``.
    """
    n_lacking = np.int64(0)
    for s in range(prog[fs.P_SUITS]):
        for p in range(max(1, fs.N_POS - prog[fs.P_RUN_MIN]), 13):
            n_lacking += max(0, mem[fs.R_HIGH + s] - mem[fs.R_NATURAL + s * 13 + p])
    return bool(n_lacking <= mem[fs.M_WILDS])


@kernel
def next_high(prog: I64, mem: I64) -> bool:
    """Go on to the next choice of aces to keep high; False when all were had."""
    for s in range(prog[fs.P_SUITS]):
        if mem[fs.R_HIGH + s] < mem[fs.R_NATURAL + s * 13]:
            mem[fs.R_HIGH + s] += 1
            return True
        mem[fs.R_HIGH + s] = 0
    return False


@kernel
def next_case(prog: I64, mem: I64, counts: Counts) -> bool:
    """Go on to the next choice of high aces, then of roles; False when all were had."""
    while prog[fs.P_ACE] == fs.ACE_BOTH and next_high(prog, mem):
        if high_aces_fit(prog, mem):
            return True
    for card in range(fs.N_CARD):
        if prog[prog[fs.P_ROLE] + card] == fs.EITHER:
            if mem[fs.R_NATURAL + card] < np.int64(counts[card]):
                mem[fs.R_NATURAL + card] += 1
                price_wilds(prog, mem, counts)
                return True
            mem[fs.R_NATURAL + card] = 0
    return False


@kernel
def solve_hand(prog: I64, mem: I64, counts: Counts) -> Int:
    """Find the best value of a hand over roles of cards and aces; return DONE or FULL as sweep.

    The value goes to ``M_TOP``, NEG for none; the roles and aces it came of are kept. Values that
    fall short of melding all by more than ``M_LOSS`` are not looked for, unless that is negative.

    Args:
        prog: the rules, compiled for the class of this hand.
        mem: memory for as many wilds, states and leftover codes.
        counts: uint8[66].
    """
    mem[fs.M_TOP], mem[fs.M_KEEP], mem[fs.M_LEAST], mem[fs.M_ALL] = fs.NEG, 0, fs.NEG, 0
    if mem[fs.M_TAG] > 1 << 30:
        for i in range(mem[fs.M_TABLE], mem[fs.M_TABLE] + 4 * mem[fs.M_STATES]):
            mem[i] = 0
        mem[fs.M_TAG] = 0
    for s in range(5):
        mem[fs.R_HIGH + s] = 0
    for card in range(fs.N_CARD):
        n_held = np.int64(counts[card])
        role = prog[prog[fs.P_ROLE] + card]
        mem[fs.R_NATURAL + card] = n_held if role == fs.NATURAL else 0
        if role != fs.DEAD:
            mem[fs.M_ALL] += n_held * prog[prog[fs.P_VALUE] + card]
        usable = n_held
        if role == fs.DEAD:
            usable = np.int64(-1) if n_held and prog[fs.P_USE_ALL] else np.int64(0)
        if mem[fs.R_MUST + card] > usable:
            return fs.DONE
    price_wilds(prog, mem, counts)
    while True:
        deal_out(prog, mem, counts)
        mem[fs.R_STEPS] += 10_000
        if mem[fs.M_TOP] > fs.NEG:
            mem[fs.M_LEAST] = mem[fs.M_TOP] + 1
        elif mem[fs.M_LOSS] >= 0:
            mem[fs.M_LEAST] = mem[fs.M_ALL] - mem[fs.M_LOSS]
        status = sweep(prog, mem)
        if status == fs.FULL:
            return fs.FULL
        if status == fs.DONE and mem[fs.M_BEST] > mem[fs.M_TOP]:
            mem[fs.M_TOP] = mem[fs.M_BEST]
            for i in range(fs.N_CARD + 5):  # high aces lie behind the naturals
                mem[fs.R_BEST_NATURAL + i] = mem[fs.R_NATURAL + i]
        if not next_case(prog, mem, counts):
            return fs.DONE


@kernel
def solve_rows(
    prog: I64, mem: I64, hands: NDArray[np.uint8], rows: I64, values: I64, done: Int
) -> Int:
    """Solve rows of a batch until one does not fit; return how many are done.

    Args:
        prog: the rules, compiled for the class of these hands.
        mem: memory.
        hands: uint8[n, 66].
        rows: int64[m], the rows to solve.
        values: int64[n], the best composite values, written.
        done: how many of ``rows`` are done already.
    """
    while done < len(rows):
        row = rows[done]
        if solve_hand(prog, mem, hands[row]) == fs.FULL:
            return done
        values[row] = mem[fs.M_TOP]
        done += 1
    return done
