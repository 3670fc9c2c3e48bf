"""The fast lane: hands as bit planes, whole-suit tables shared by all hands of a rule set.

For each suit a key (mixed radix of the natural ranks) leads to the most points its runs can save
with exactly w wilds. A hand is then: read the planes, look up each suit, add the sets of ranks that
no run competes for, and search the sets of the few ranks that do compete. Same argument as
suit_build/suit_search, values in points.
"""

from __future__ import annotations

from solver.kernels.fast_search import join_suits, search
from solver.kernels.fast_sets import best_pair, list_choices, rank_sets
from solver.kernels.fast_tables import (
    CALM,
    CALM_LEAST,
    CALM_RANKS,
    EVERY,
    EVERY_LEAST,
    JOKER_POINTS,
    JOKERS_WILD,
    K_SAVED,
    KEY_OF,
    LONE,
    N_SLOTS,
    N_SUITS,
    NO_SETS,
    PLANES,
    POINTS_OF,
    REACHED,
    STACK,
    THREES,
    TOO_LARGE,
    WILD_BITS,
    WILD_MASK,
    WILD_POINTS,
    WORTH,
)
from solver.kernels.jit import inlined, kernel
from solver.kernels.types import I64, U16, i64


@inlined
def _best_without_sets(n_wilds: int, tables: I64, work: I64) -> int:
    """Return the best of runs of the suits and melds of wilds only; every wild laid counts."""
    wild_bits = tables[WILD_BITS]
    best = i64(0)
    for w in range(n_wilds + 1):
        value = work[STACK + K_SAVED + w]
        for k in range(1, w + 1):
            if (wild_bits >> k) & 1:
                value = max(value, work[NO_SETS + w - k])
        work[NO_SETS + w] = value
        best = max(best, value + work[WORTH + w])
    return best


@inlined
def _bit_count(mask: int) -> int:
    """Return the number of set bits of a small mask."""
    n = i64(0)
    while mask:
        mask &= mask - 1
        n += 1
    return n


@inlined
def _wilds_worth(n_ranked: int, n_wilds: int, tables: I64, work: I64) -> int:
    """Fill ``WORTH``; return what all wilds cost."""
    joker, ranked = tables[JOKER_POINTS], tables[WILD_POINTS]
    n_dear = n_ranked if ranked >= joker else n_wilds - n_ranked
    worth = i64(0)
    work[WORTH] = 0
    for w in range(1, n_wilds + 1):
        worth += max(joker, ranked) if w <= n_dear else min(joker, ranked)
        work[WORTH + w] = worth
    return worth


@kernel
def solve_planes(jokers: int, saved: U16, tables: I64, work: I64) -> int:
    """Return the least penalty of the hand in the planes, TOO_LARGE when out of reach."""
    wild_mask, n_suits = tables[WILD_MASK], tables[N_SUITS]
    total = jokers * tables[JOKER_POINTS]
    n_ranked = i64(0)
    for s in range(n_suits):
        a, b = work[PLANES + s], work[PLANES + 5 + s]
        total += tables[POINTS_OF + a] + tables[POINTS_OF + b]
        if (a | b) & wild_mask:
            n_ranked += _bit_count(a & wild_mask) + _bit_count(b & wild_mask)
            work[PLANES + s] = a & ~wild_mask
            work[PLANES + 5 + s] = b & ~wild_mask
    n_wilds = n_ranked + jokers * tables[JOKERS_WILD]
    if n_wilds >= tables[N_SLOTS]:
        return i64(TOO_LARGE)
    ranks = rank_sets(n_wilds, tables, work)
    # Few cards are left in the keys: their rows of the tables stay in the cache.
    calm, lone = work[CALM_RANKS], 8191 if n_wilds >= tables[LONE] else 0
    runs = i64(0)
    for s in range(n_suits):
        keep = (work[REACHED + s] | lone) & ~calm
        key = tables[KEY_OF + (work[PLANES + s] & keep)]
        key += tables[KEY_OF + (work[PLANES + 5 + s] & keep)]
        work[STACK + s] = key
        runs += i64(saved[key, 0])
    worth = i64(0)
    if n_wilds == 0:
        best = runs + work[CALM]
        if ranks == 0:
            return total - best
        work[STACK + K_SAVED] = runs
    else:
        worth = _wilds_worth(n_ranked, n_wilds, tables, work)
        join_suits(i64(STACK), n_wilds, saved, tables, work)
        best = _best_without_sets(n_wilds, tables, work)
        for w in range(n_wilds - work[CALM_LEAST] + 1):
            best = max(best, worth + work[STACK + K_SAVED + w] + work[CALM + n_wilds - w])
        limit = i64(0)
        for w in range(n_wilds - work[EVERY_LEAST] + 1):
            limit = max(limit, worth + work[STACK + K_SAVED + w] + work[EVERY + n_wilds - w])
        if ranks == 0 or best == total or limit <= best:
            return total - best
        if n_wilds == 1 and ranks & work[THREES] == 0 and tables[LONE] > 1:
            pair = worth + runs + work[CALM] + best_pair(ranks, saved, tables, work)
            return total - max(best, pair)
    depth = list_choices(ranks, n_wilds, tables, work)
    if depth < 0:
        return i64(TOO_LARGE)
    found = search(depth, n_wilds, worth, best, total, saved, tables, work)
    return i64(TOO_LARGE) if found == TOO_LARGE else total - found
