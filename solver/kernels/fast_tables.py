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
LONE = 8
"""The fewest wilds that make a lone natural a run; NO_SET when none do."""
SET_K = 48
LEAST = 80
"""``least[n]``: the fewest wilds that make n naturals of a rank a set; NO_SET when none do."""
KEY_OF = LEAST + 32
POINTS_OF = KEY_OF + 8192
REACH = POINTS_OF + 8192
"""Then ``reach[support]``: ranks some run of two naturals or more can use, 13 bits for each of
0, 1, 2, and 3 or more wilds. (One word for all: a vector for each left the second cache.)"""
TABLES_SIZE = REACH + 8192
MAX_SLOTS = 8
NO_SET = 99

# ``work``, an int64 vector of one thread.
PLANES = 0
OUT = 10
FREE = 15
FIRST = 20
REACHED = 34
"""By suit, the ranks that runs of two naturals or more can use."""
CALM_RANKS = 39
"""Ranks with a set that no run competes for."""
CALM_LEAST = 40
"""The fewest wilds of their sets, NO_SET without one."""
EVERY_LEAST = 41
THREES = 42
"""Ranks held three times or more."""
NO_SETS = 48
"""The most points saved without sets, with exactly w wilds."""
WORTH = NO_SETS + 8
"""What the w dearest wilds cost."""
CALM = WORTH + 8
"""The most points within w wilds that sets of the calm ranks save."""
EVERY = CALM + 8
"""The same over all ranks, as if no run competed."""
BOUND = EVERY + 8
STACK = BOUND + 8 * 14
CHOICES = STACK + 16 * 15
COPIES = CHOICES + 8 * MAX_CHOICES
MOST_NODES = COPIES + 8
"""Most nodes of the search of one hand, some 50 ns each; the caller sets it."""
WORK_SIZE = MOST_NODES + 1
# Columns of a row of the stack (16 wide); the first five are the suits' keys.
K_GAIN = 5
K_WILDS = 6
"""Wilds that are left."""
K_NEXT = 7
K_SAVED = 8
"""Then points that the runs of the keys save with exactly w wilds."""
# Columns of a choice (8 wide); the first five are the suits' key deltas.
C_GAIN = 5
C_WILDS = 6
C_AFTER = 7
"""Index of the next rank."""


@kernel
def fill_reach(run_k: U32, params: I64, tables: I64) -> None:
    """Fill ``reach``: ranks of a support in runs with two naturals, at most w wilds."""
    ace_high = params[2] == 1
    ace_low = params[1] == 1
    for support in range(8192):
        held = i64(support)
        if held & 1:
            held = (held & ~1) | (1 if ace_low else 0) | (8192 if ace_high else 0)
        for w in range(4):
            word = (i64(2) << (w if w < 3 else MAX_SLOTS)) - 1
            found = i64(0)
            sub = held
            while sub > 0:
                if (sub & (sub - 1)) != 0 and sub & ~found and i64(run_k[sub]) & word:
                    found |= sub
                sub = (sub - 1) & held
            tables[REACH + support] |= ((found | (found >> 13)) & 8191) << (13 * w)


@kernel
def list_runs(prime: U32, ranks: I64, packs: int, points: I64, runs: I64, start: I64) -> int:
    """List runs by the highest of ``ranks`` they hold; return how many there are.

    A row of ``runs``: the naturals' 14-bit mask, key delta, points, wilds (a bit for each
    number). Rows of the i-th rank start at ``start[i]``. An ace counts as rank 0, high or low.
    """
    n = i64(0)
    for top in range(ranks.shape[0]):
        start[top] = n
        for mask in range(1, prime.shape[0]):
            both = (mask & 8193) == 8193
            if prime[mask] == 0 or (both and packs == 1):
                continue
            held = (i64(mask) | (i64(mask) >> 13)) & 8191
            delta, gain, weight, highest = i64(0), i64(0), i64(1), -1
            for i in range(ranks.shape[0]):
                if (held >> ranks[i]) & 1:
                    twice = 2 if both and ranks[i] == 0 else 1
                    delta += twice * weight
                    gain += twice * points[ranks[i]]
                    highest = i
                    held ^= i64(1) << ranks[i]
                weight *= packs + 1
            if highest != top or held:
                continue
            if n < runs.shape[0]:
                runs[n, 0], runs[n, 1], runs[n, 2], runs[n, 3] = mask, delta, gain, prime[mask]
            n += 1
    start[ranks.shape[0]] = n
    return n


@kernel
def fill_saved(ranks: I64, packs: int, aces: int, run_rows: I64, start: I64, saved: U16) -> None:
    """Fill ``saved[key, w]``: the most points runs of a suit save with exactly w wilds.

    Keys are walked upwards; each drops a card of its highest rank or lays a run that holds it.

    Args:
        ranks: ranks by digit of the key, lowest first.
        packs: most copies of a card.
        aces: bits of the places of an ace, 1 low, 8192 high.
        run_rows: rows of ``list_runs``. start: where the rows of a highest rank start.
        saved: uint16[(packs + 1) ** n_ranks, slots], filled here; NONE where impossible.
    """
    base = packs + 1
    n = ranks.shape[0]
    slots = saved.shape[1]
    digits = np.zeros(14, np.int64)
    weight = np.ones(14, np.int64)
    for i in range(1, n):
        weight[i] = weight[i - 1] * base
    for w in range(slots):
        saved[0, w] = NONE
    saved[0, 0] = 0
    line = i64(0)
    for key in range(1, saved.shape[0]):
        i = 0
        while digits[i] == packs:
            digits[i] = 0
            line &= ~(aces if ranks[i] == 0 else i64(1) << ranks[i])
            i += 1
        digits[i] += 1
        line |= aces if ranks[i] == 0 else i64(1) << ranks[i]
        top = n - 1
        while digits[top] == 0:
            top -= 1
        for w in range(slots):
            saved[key, w] = saved[key - weight[top], w]
        for row in range(start[top], start[top + 1]):
            mask = run_rows[row, 0]
            if mask & ~line or ((mask & 8193) == 8193 and digits[0] < 2):
                continue
            rest, gain, bits = key - run_rows[row, 1], run_rows[row, 2], run_rows[row, 3]
            k = 0
            while bits >> k:
                if (bits >> k) & 1:
                    for w in range(k, slots):
                        old = i64(saved[rest, w - k])
                        if old != NONE:
                            now = i64(saved[key, w])
                            if now == NONE or old + gain > now:
                                saved[key, w] = old + gain
                k += 1
