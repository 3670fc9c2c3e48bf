"""Program, memory, keys and layers of the frontier sweep; see ``frontier`` for the whole.

A kernel takes two arrays of int64. ``prog`` is what the compiler made of the rules: a header of
numbers and offsets (the P names), then tables. ``mem`` is scratch of the caller: a header (the M
names), small arrays at fixed offsets (the R names, r for room), then layers and tables whose
offsets stand in the header. Two flat arrays instead of twenty: numba passes seven words an array,
and records of arrays took twice as long to compile.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from solver.kernels.jit import kernel

I64: TypeAlias = NDArray[np.int64]
Int: TypeAlias = int | np.int64

N_POS = 14
N_CARD = 66
MAX_STAGES = 96
NEG = -(1 << 60)
FAR = 1 << 20
"""More wilds than any hand has: a run that can no longer become legal."""
NO_SET = 255

# The key of a state, see ``frontier``.
LEFT_AT, LEFT_BITS = 43, 13
A_AT, B_AT, LAID_AT = 56, 59, 62
LEFT_ONES = (1 << LEFT_BITS) - 1
COUNT_ONES = 7
# A move, packed: naturals and wilds taken, runs started, pure runs closed, multiset after.
MOVE_WILDS, MOVE_STARTED, MOVE_PURE, MOVE_TARGET = 4, 9, 12, 15

# Numbers in the header of the program.
P_SUITS, P_BITS, P_FIRST, P_LAST, P_ACE, P_SINK, P_MODE = range(7)
P_NEED_SETS, P_NEED_RUNS, P_NEED_PURE, P_RUN_MIN, P_SET_MIN, P_SET_BASE = range(7, 13)
P_USE_ALL, P_START_NATURAL, P_START_WILD, P_DONE = range(13, 17)
P_N_STATES, P_CAP, P_SET_LAYERS, P_VECTORS, P_WIDTH = range(17, 22)
# Offsets of its tables.
P_STEP, P_ACCEPT, P_PAD, P_PURE, P_MOVES_AT, P_MOVES, P_ITEMS = range(22, 29)
P_SETS, P_ALONE, P_VALUE, P_ROLE, P_BETTERS_AT, P_BETTERS, P_LENGTH = range(29, 36)
ACE_LOW, ACE_HIGH, ACE_BOTH = 0, 1, 2
SINK_NONE, SINK_ANY, SINK_RUN = 0, 1, 2
MODE_PLAIN, MODE_CONTRACT, MODE_REQUIRE = 0, 1, 2
# Role of a card.
NATURAL, WILD, DEAD, EITHER = 0, 1, 2, 3

# Numbers in the header of the memory: the hash, the layers, the hand, the result, offsets.
M_TAG, M_COUNT, M_MASK, M_OPEN, M_BASE, M_SIZE, M_NEXT, M_ROOM = range(8)
M_STATES, M_WILDS, M_FORCED, M_STAGES, M_BEST, M_STATE, M_USED, M_ALONE = range(8, 16)
M_END_SETS, M_END_RUNS, M_TOP, M_KEEP, M_ALL, M_LOSS, M_LEAST, M_AHEAD = range(16, 24)
M_KEYS, M_NEED, M_VALS, M_TABLE, M_FAR, M_GAIN, M_BONUS, M_LENGTH = range(24, 32)
# Small arrays of the memory: naturals of a suit at a position; how many of them may be left over;
# positions at which a run of a suit may hold a card; cards in the role of naturals; aces of a suit
# kept for the top of the line; wilds by value and the sums of the best; the best case; levels of
# the bonus; a row of zeros; copies of a card that must be melded; the stages; steps taken, of 3
# to 5 nanoseconds, and how many may be: a thread that watches the time may set that to 0.
R_COUNT = M_LENGTH
R_LIMIT = R_COUNT + 5 * N_POS
R_WINDOW = R_LIMIT + 5 * N_POS
R_NATURAL = R_WINDOW + 5
R_HIGH = R_NATURAL + N_CARD
R_POOL = R_HIGH + 5
R_PRICE = R_POOL + 32
R_BEST_NATURAL = R_PRICE + 33
R_BEST_HIGH = R_BEST_NATURAL + N_CARD
R_LEVEL = R_BEST_HIGH + 5
R_ZERO = R_LEVEL + 5
R_MUST = R_ZERO + 33
R_STAGE = R_MUST + N_CARD
R_STEPS = R_STAGE + 8 * MAX_STAGES
R_BUDGET = R_STEPS + 1
R_LENGTH = R_BUDGET + 1
# Columns of a step that is kept.
S_POS, S_SUIT, S_BASE, S_SIZE, S_STRIDE, S_FIXED = range(6)

# Results of a sweep.
DONE, IMPOSSIBLE, FULL = 0, 1, 2


@kernel
def slot_of(mem: I64, key: Int) -> Int:
    """Return the hash slot that holds a key of the layer being made, or where it would go.

    Products stay below 2**63, so plain Python computes the same.
    """
    mixed = ((key & 0x7FFFFFFF) * 0x9E3779B1) ^ ((key >> 31) * 0x5BD1E995)
    mixed ^= mixed >> 32
    keys, table, mask, tag = mem[M_KEYS] + mem[M_NEXT], mem[M_TABLE], mem[M_MASK], mem[M_TAG]
    slot = mixed & mask
    while True:
        entry = mem[table + slot]
        if entry >> 32 != tag or mem[keys + (entry & 0xFFFFFFFF)] == key:
            return np.int64(table + slot)
        slot = (slot + 1) & mask


@kernel
def place(mem: I64, key: Int) -> Int:
    """Return the place of a key in the layer being made, new with empty values; -1 when full.

    The hash grows with the layer: a small layer stays within the first-level cache. A new tag
    empties it at no cost.
    """
    slot = slot_of(mem, key)
    entry = mem[slot]
    if entry >> 32 == mem[M_TAG]:
        return np.int64(mem[M_NEXT] + (entry & 0xFFFFFFFF))
    n = mem[M_COUNT]
    if n >= mem[M_ROOM]:
        return np.int64(-1)
    mem[slot] = mem[M_TAG] << 32 | n
    where = mem[M_NEXT] + n
    mem[mem[M_KEYS] + where] = key
    width = mem[M_WILDS] + 1
    vals = mem[M_VALS] + where * width
    for i in range(vals, vals + width):
        mem[i] = NEG
    mem[M_COUNT] = n + 1
    mem[M_OPEN] |= key
    if 2 * (n + 1) > mem[M_MASK]:
        mem[M_MASK] = 2 * mem[M_MASK] + 1
        mem[M_TAG] += 1
        for i in range(n + 1):
            slot = slot_of(mem, mem[mem[M_KEYS] + mem[M_NEXT] + i])
            mem[slot] = mem[M_TAG] << 32 | i
    return np.int64(where)


@kernel
def begin_layer(mem: I64) -> None:
    """Make room for the next layer: the other half of the arrays, or what follows when kept."""
    if mem[M_KEEP]:
        mem[M_NEXT] = mem[M_BASE] + mem[M_SIZE]
        mem[M_ROOM] = mem[M_STATES] - mem[M_NEXT]
    else:
        half = mem[M_STATES] // 2
        mem[M_NEXT] = half if mem[M_BASE] == 0 else 0
        mem[M_ROOM] = half
    mask = 31
    while mask < 4 * mem[M_SIZE] and mask < 2 * mem[M_STATES]:
        mask = 2 * mask + 1
    mem[M_MASK] = mask
    mem[M_TAG] += 1
    mem[M_COUNT] = 0
    mem[M_OPEN] = 0


@kernel
def end_layer(mem: I64) -> None:
    """Make the new layer the current one."""
    mem[M_BASE] = mem[M_NEXT]
    mem[M_SIZE] = mem[M_COUNT]


@kernel
def drop_beaten(prog: I64, mem: I64, state: Int) -> Int:
    """Drop values of a state that another of fewer wilds matches; return the least wilds left.

    Once a meld is laid that takes any number of wilds, all wilds earn their value in the end, and
    only the value so far counts. Otherwise x more wilds earn no less after fewer: their values
    fall, so ``value + (the w best wilds)`` is what to compare; below the wilds that must be used
    this does not hold, and nothing is dropped. Returns n_wilds + 1 when no value is left.
    """
    n_wilds = mem[M_WILDS]
    row = mem[M_VALS] + state * (n_wilds + 1)
    sink = prog[P_SINK]
    laid = sink == SINK_ANY or (sink == SINK_RUN and mem[mem[M_KEYS] + state] >> LAID_AT & 1 == 1)
    least = n_wilds + 1
    best = np.int64(NEG)
    for w in range(n_wilds + 1):
        value = mem[row + w]
        if value == NEG:
            continue
        if not laid or value == 0:
            value += mem[R_PRICE + w]
            if w < mem[M_FORCED]:
                least = min(least, w)
                continue
        if value <= best:
            mem[row + w] = NEG
        else:
            best = value
            least = min(least, w)
    return np.int64(least)


@kernel
def drop_below(prog: I64, mem: I64, state: Int, better: Int) -> None:
    """Drop the values of a state that one with better open runs matches with no more wilds."""
    n_wilds = mem[M_WILDS]
    mine = mem[M_VALS] + state * (n_wilds + 1)
    other = mem[M_VALS] + better * (n_wilds + 1)
    sink = prog[P_SINK]
    laid = sink == SINK_ANY or (sink == SINK_RUN and mem[mem[M_KEYS] + state] >> LAID_AT & 1 == 1)
    best = np.int64(NEG)
    for w in range(n_wilds + 1):
        price = np.int64(0) if laid else mem[R_PRICE + w]
        if mem[other + w] != NEG and w >= mem[M_FORCED]:
            best = max(best, mem[other + w] + price)
        if mem[mine + w] != NEG and mem[mine + w] + price <= best:
            mem[mine + w] = NEG


@kernel
def drop_dominated(prog: I64, mem: I64) -> None:
    """Drop states of the current layer that one with better open runs in one suit makes useless.

    The hash still holds the layer. Only states that differ in one suit by one step are compared:
    a few look-ups a state, and most of what is dominated goes, step by step.
    """
    bits = prog[P_BITS]
    ones = (1 << bits) - 1
    at, betters = prog[P_BETTERS_AT], prog[P_BETTERS]
    for i in range(mem[M_SIZE]):
        key = mem[mem[M_KEYS] + mem[M_BASE] + i]
        for s in range(prog[P_SUITS]):
            multiset = key >> s * bits & ones
            for j in range(prog[at + multiset], prog[at + multiset + 1]):
                slot = slot_of(mem, key + ((prog[betters + j] - multiset) << s * bits))
                if mem[slot] >> 32 == mem[M_TAG]:
                    found = mem[M_BASE] + (mem[slot] & 0xFFFFFFFF)
                    drop_below(prog, mem, mem[M_BASE] + i, found)
