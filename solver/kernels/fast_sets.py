"""The sets of a fast-lane hand: which ranks runs compete for, and what sets these allow."""

from __future__ import annotations

from solver.kernels.fast_tables import (
    C_AFTER,
    C_GAIN,
    C_WILDS,
    CALM,
    CALM_LEAST,
    CALM_RANKS,
    CHOICES,
    COPIES,
    EVERY,
    EVERY_LEAST,
    FIRST,
    FREE,
    KEY_OF,
    LEAST,
    LONE,
    MAX_CHOICES,
    N_PACKS,
    N_SUITS,
    NEG,
    NO_SET,
    OUT,
    PLANES,
    POINTS_OF,
    REACH,
    REACHED,
    SET_K,
    STACK,
    THREES,
    TOO_LARGE,
)
from solver.kernels.jit import inlined
from solver.kernels.types import I64, U16, i64


@inlined
def rank_sets(n_wilds: int, tables: I64, work: I64) -> int:
    """Fill ``REACHED``, ``CALM`` and ``EVERY``; return the ranks that sets and runs compete for.

    A rank whose naturals no run with another can use is calm: it wants them all in one set with
    the fewest wilds, and a lone natural in a run with as many wilds or more never does better.
    """
    one, two, four, eight, reached = i64(0), i64(0), i64(0), i64(0), i64(0)
    n_suits = tables[N_SUITS]
    shift = 13 * min(n_wilds, 3)
    for s in range(n_suits):
        plane = work[PLANES + s]
        here = (tables[REACH + plane] >> shift) & 8191
        work[REACHED + s] = here
        reached |= here
        carry = one & plane
        one ^= plane
        more = two & carry
        two ^= carry
        four ^= more
    if tables[N_PACKS] > 1:
        for s in range(n_suits):
            plane = work[PLANES + 5 + s]
            carry = one & plane
            one ^= plane
            more = two & carry
            two ^= carry
            carry = four & more
            four ^= more
            eight |= carry
    for w in range(n_wilds + 1):
        work[CALM + w], work[EVERY + w] = 0, 0
    calm_least, every_least = i64(NO_SET), i64(NO_SET)
    ranks = two | four | eight
    contested, calm = i64(0), i64(0)
    while ranks:
        bit = ranks & -ranks
        ranks ^= bit
        n = i64(one & bit != 0) + 2 * i64(two & bit != 0)
        n += 4 * i64(four & bit != 0) + 8 * i64(eight & bit != 0)
        k = tables[LEAST + n]
        if k > n_wilds:
            # Fewer naturals never make a set that more do not.
            continue
        gain = n * tables[POINTS_OF + bit]
        every_least = min(every_least, k)
        for w in range(n_wilds, k - 1, -1):
            work[EVERY + w] = max(work[EVERY + w], work[EVERY + w - k] + gain)
        if reached & bit or k > tables[LONE]:
            contested |= bit
        else:
            calm |= bit
            calm_least = min(calm_least, k)
            for w in range(n_wilds, k - 1, -1):
                work[CALM + w] = max(work[CALM + w], work[CALM + w - k] + gain)
    work[CALM_RANKS], work[CALM_LEAST], work[EVERY_LEAST] = calm, calm_least, every_least
    work[THREES] = (two & one) | four | eight
    return contested


@inlined
def best_pair(ranks: int, saved: U16, tables: I64, work: I64) -> int:
    """Return the most points that a pair of a rank of the mask with the one wild leads to.

    Nothing else competes for the wild then: calm ranks and runs add what they save without it.
    (Through the general search these hands, one random hand in four, took three times as long.)
    """
    n_suits = tables[N_SUITS]
    best = i64(NEG)
    while ranks:
        bit = ranks & -ranks
        ranks ^= bit
        gain = 2 * tables[POINTS_OF + bit]
        radix = tables[KEY_OF + bit]
        for s in range(n_suits):
            here = work[REACHED + s] & bit
            n = i64(work[PLANES + s] & here != 0) + i64(work[PLANES + 5 + s] & here != 0)
            key = work[STACK + s]
            gain -= i64(saved[key, 0]) - i64(saved[key - n * radix, 0])
        best = max(best, gain)
    return best


@inlined
def list_choices(ranks: int, n_wilds: int, tables: I64, work: I64) -> int:
    """List the sets of the ranks of a mask, all naturals first; return how many ranks have any.

    A natural that no run with another natural can use is in every set of its rank: there it is
    worth its points and costs the suit nothing, and its key leaves it out unless the wilds make
    lone naturals runs. (These are in the tables, so sets hold two naturals or more.) Dear ranks
    come first: the first leaves then give good incumbents.
    """
    n_suits = tables[N_SUITS]
    word = (i64(2) << n_wilds) - 1
    keyed = n_wilds >= tables[LONE]
    depth, row = i64(0), i64(0)
    work[FIRST] = 0
    bit = i64(8192)
    while bit > 1:
        bit >>= 1
        if ranks & bit == 0:
            continue
        total, left, n_free = i64(0), i64(0), i64(0)
        radix, points = tables[KEY_OF + bit], tables[POINTS_OF + bit]
        for s in range(n_suits):
            copies = i64(work[PLANES + s] & bit != 0) + i64(work[PLANES + 5 + s] & bit != 0)
            total += copies
            work[COPIES + s] = copies if keyed else 0
            if copies and work[REACHED + s] & bit:
                work[COPIES + s] = copies
                work[FREE + n_free] = s
                work[OUT + n_free] = 0
                n_free += 1
        start = row
        while True:
            n = total - left
            bits = tables[SET_K + n] & word if n > 1 else i64(0)
            if bits:
                if row >= MAX_CHOICES:
                    return i64(TOO_LARGE)
                at = CHOICES + 8 * row
                for s in range(n_suits):
                    work[at + s] = work[COPIES + s] * radix
                for i in range(n_free):
                    work[at + work[FREE + i]] -= work[OUT + i] * radix
                work[at + C_GAIN] = n * points
                work[at + C_WILDS] = tables[LEAST + n]
                work[at + C_AFTER] = depth + 1
                row += 1
            if total == 2:
                break
            i = i64(0)
            while i < n_free and work[OUT + i] == work[COPIES + work[FREE + i]]:
                left -= work[OUT + i]
                work[OUT + i] = 0
                i += 1
            if i == n_free:
                break
            work[OUT + i] += 1
            left += 1
        if row > start:
            depth += 1
            work[FIRST + depth] = row
    return depth
