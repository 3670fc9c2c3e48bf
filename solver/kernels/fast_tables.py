"""Tables of the fast lane: the best runs of every suit key, and the layout of its two vectors."""

from __future__ import annotations

import numpy as np

from solver.kernels.jit import kernel
from solver.kernels.types import I64, U16, U32, i64

NONE = 65535
TOO_LARGE = -2
NEG = -(1 << 40)
MAX_CHOICES = 1024

# ``tables``, an int64 vector: numbers, then vectors by rank, then vectors by 13-bit plane.
# (One flat vector instead of a tuple of arrays: numba counts references at each access to a
# member array, which cost a hand 1 us and more.)
N_SUITS = 0
WILD_MASK = 1
JOKER_POINTS = 2
JOKERS_WILD = 3
N_PACKS = 4
N_SLOTS = 5
WILD_BITS = 6
WILD_POINTS = 7
RANK_POINTS = 16
RANK_RADIX = 32
SET_K = 48
KEY_OF = 80
POINTS_OF = KEY_OF + 8192
REACH = POINTS_OF + 8192
"""Then ``reach[slot, support]``: ranks some run of two naturals or more can use."""

# ``work``, an int64 vector of one thread.
PLANES = 0
OUT = 10
FREE = 15
FIRST = 20
VECTOR = 36
BOUND = 64
STACK = 192
CHOICES = 320
COPIES = CHOICES + 8 * MAX_CHOICES
WORK_SIZE = COPIES + 8
# Columns of a row of the stack (8 wide); the first five are the suits' keys.
K_GAIN = 5
K_WILDS = 6
K_NEXT = 7
# Columns of a choice (8 wide); the first five are the suits' key deltas.
C_GAIN = 5
C_WILDS = 6


@kernel
def fill_reach(run_k: U32, params: I64, reach: U16) -> None:
    """Fill ``reach[w, support]``: ranks of the support in runs with two naturals, <= w wilds."""
    ace_high = params[2] == 1
    ace_low = params[1] == 1
    for w in range(reach.shape[0]):
        word = (i64(2) << w) - 1
        for support in range(8192):
            held = i64(support)
            if held & 1:
                held = (held & ~1) | (1 if ace_low else 0) | (8192 if ace_high else 0)
            found = i64(0)
            sub = held
            while sub > 0:
                if (sub & (sub - 1)) != 0 and i64(run_k[sub]) & word:
                    found |= sub
                sub = (sub - 1) & held
            reach[w, support] = (found | (found >> 13)) & 8191


@kernel
def fill_saved(ranks: I64, packs: int, points: I64, run_k: U32, params: I64, saved: U16) -> None:
    """Fill ``saved[key, w]``: the most points runs of a suit save with exactly w wilds.

    Keys are walked upwards; each drops a card of its highest rank or lays a run that holds it.
    Cost: sum over keys of 2 ** ranks held.
    """
    base = packs + 1
    n = ranks.shape[0]
    slots = saved.shape[1]
    digits = np.zeros(14, np.int64)
    place = np.zeros(14, np.int64)
    weight = np.zeros(14, np.int64)
    position = np.ones(14, np.int64)
    for i in range(1, n + 1):
        place[i] = ranks[i - 1]
        weight[i] = position[i - 1] if i > 1 else 1
        position[i] = weight[i] * base
    word = (i64(1) << slots) - 1
    for w in range(slots):
        saved[0, w] = NONE
    saved[0, 0] = 0
    for key in range(1, saved.shape[0]):
        i = 1
        while digits[i] == packs:
            digits[i] = 0
            i += 1
        digits[i] += 1
        top = n
        while digits[top] == 0:
            top -= 1
        held = i64(0)
        for d in range(1, top + 1):
            if digits[d] > 0:
                held |= i64(1) << place[d]
        for w in range(slots):
            saved[key, w] = saved[key - weight[top], w]
        _best_runs(key, top, held, digits, place, weight, points, word, run_k, params, saved)


@kernel
def _best_runs(
    key: int,
    top: int,
    held: int,
    digits: I64,
    place: I64,
    weight: I64,
    points: I64,
    word: int,
    run_k: U32,
    params: I64,
    saved: U16,
) -> None:
    """Improve one key with every run that holds its highest rank."""
    ace = held & 1
    line = held & ~i64(1)
    if ace:
        line |= (1 if params[1] == 1 else 0) | (8192 if params[2] == 1 else 0)
    lead = i64(1) << place[top]
    if place[top] == 0:
        lead = line
    sub = line
    while sub > 0:
        bits = i64(run_k[sub]) & word
        both = (sub & 8193) == 8193
        if bits and sub & lead and not (both and digits[1] < 2):
            rest = i64(key)
            gain = i64(0)
            for d in range(1, top + 1):
                if (sub >> place[d]) & 1:
                    rest -= weight[d]
                    gain += points[place[d]]
            if sub >> 13:
                rest -= weight[1]
                gain += points[0]
            k = 0
            while bits >> k:
                if (bits >> k) & 1:
                    for w in range(k, saved.shape[1]):
                        old = i64(saved[rest, w - k])
                        if old != NONE:
                            now = i64(saved[key, w])
                            if now == NONE or old + gain > now:
                                saved[key, w] = old + gain
                k += 1
        sub = (sub - 1) & line
