"""Contracts seen from a hand: what they leave, and how many cards are missing to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.cards import JOKER, N_CARDS, Card, Counts
from solver.players.neighbours import (
    NO_WAY,
    Ints,
    Pairs,
    Pool,
    dearest,
    drawn,
    drawn_and_thrown,
    kinds_of,
    points_of,
    thrown,
)
from solver.rules.model import GameRules
from solver.solve import contract_left

_ONE_POINT: Final = (*((1,) * JOKER), 0)
"""Points that count cards; those added for the question are jokers and cost nothing."""
Rows = NDArray[np.uint8]


def least_left(rows: Rows, rules: GameRules) -> Ints:
    """Return the points each hand of uint8[n, 66] keeps after the contract, ``NO_WAY`` if none."""
    left = contract_left(rows, rules).astype(np.int64)
    left[left < 0] = NO_WAY
    return left


@lru_cache(maxsize=256)
def _freed(rules: GameRules) -> GameRules:
    """Return rules whose wilds have no limits but for one natural a meld, where that is asked."""
    meld = replace(
        rules.meld,
        set_min_naturals=min(1, rules.meld.set_min_naturals),
        run_min_naturals=min(1, rules.meld.run_min_naturals),
        run_core=None,
        set_max_wilds=None,
        run_max_wilds=None,
        wilds_adjacent=True,
        wild_ratio=None,
        jokers_wild=True,
        use_all=False,
        points=_ONE_POINT,
    )
    return replace(rules, meld=meld)


def _with_jokers(rows: Rows, k: int) -> Rows:
    more = rows.copy()
    more[:, JOKER] += k
    return more


def _most(rules: GameRules) -> int:
    return sum(least for _, least in rules.meld.contract or ())


def missing(rows: Rows, rules: GameRules) -> Ints:
    """Return how many cards each hand lacks to lay the contract, 0 when it can, int64[n].

    A card lacking is one that, as a wild without limits but for one natural a meld, would do;
    where all cards must go, a card that finds no place counts as lacking too.

    Args:
        rows: hands, uint8[n, 66].
        rules: rules with a contract.
    """
    lacks = np.where(least_left(rows, rules) < NO_WAY, 0, _most(rules)).astype(np.int64)
    if rules.meld.use_all:
        return np.where(lacks == 0, 0, _to_exchange(rows, rules))
    for k in range(1, _most(rules)):
        open_rows = np.flatnonzero(lacks == _most(rules))
        if not len(open_rows):
            break
        met = contract_left(_with_jokers(rows[open_rows], k), _freed(rules)) >= 0
        lacks[open_rows[met]] = k
    return lacks


def lacks_of_hand(hand: Counts, rules: GameRules) -> int:
    """Return how many cards one hand, uint8[66], lacks; see ``missing``."""
    return int(missing(np.ascontiguousarray(hand[None, :]), rules)[0])


def _to_exchange(rows: Rows, rules: GameRules) -> Ints:
    """Return how many cards must be exchanged so that all can be laid, 1 or more."""
    freed = _freed(rules)
    best = np.full(len(rows), NO_WAY, np.int64)
    for k in range(_most(rules)):
        left = least_left(_with_jokers(rows, k), freed)
        best = np.minimum(best, np.maximum(left, k))
        if (best <= k + 1).all():
            break
    return np.maximum(best, 1)


@dataclass(frozen=True)
class Prospects:
    """What a hand is worth after each card of the pool and the best play and discard.

    Attributes:
        after: int64[k], points left.
        met: bool[k], whether the contract can be laid then.
        missing: int64[k], cards missing then.
    """

    after: Ints
    met: NDArray[np.bool_]
    missing: Ints


def prospects(hand: Counts, cards: Ints, rules: GameRules, *, barred: bool = False) -> Prospects:
    """Return what a hand that is not down is worth after each card.

    The contract is laid when that leaves less than throwing the dearest card; what could be laid
    off besides is not counted.

    Args:
        hand: the hand before the draw.
        cards: int64[k], the cards that may come.
        rules: rules with a contract.
        barred: whether the card that came may not be discarded.
    """
    points = rules.meld.points
    kinds = kinds_of(hand)
    worth = np.array(points, np.int64)[cards]
    most = dearest(hand, points)
    stay = points_of(hand, points) + worth - (most if barred else np.maximum(worth, most))
    with_card = drawn(hand, cards)
    lacks = missing(with_card, rules)
    if lacks.all():
        go = np.full(len(cards), NO_WAY, np.int64)
    elif rules.meld.use_all:
        go = least_left(with_card, rules)
    else:
        block = drawn_and_thrown(hand, cards, kinds)
        left = least_left(block.reshape(-1, N_CARDS), rules).reshape(block.shape[:2])
        go = left.min(axis=1, initial=NO_WAY)
        if not barred:
            go = np.minimum(go, least_left(np.ascontiguousarray(hand[None, :]), rules)[0])
    return Prospects(np.minimum(go, stay), go < NO_WAY, lacks)


@dataclass(frozen=True)
class Waits:
    """What every discard of a hand that does not go down leaves.

    Attributes:
        kinds: int64[j], the different cards of the hand.
        missing: int64[j], cards that the rest lacks.
        after: int64[j, k], points left after each next draw, play and discard.
        met: bool[j, k], whether the contract can be laid then.
    """

    kinds: Ints
    missing: Ints
    after: Ints
    met: NDArray[np.bool_]


def weigh_waits(hand: Counts, pool: Pool, rules: GameRules) -> Waits:
    """Return what every discard leaves and what the next draw makes of it."""
    points = np.array(rules.meld.points, np.int64)
    kinds = kinds_of(hand)
    rest = thrown(hand, kinds)
    lacking = missing(rest, rules)
    most = np.array([dearest(row, rules.meld.points) for row in rest], np.int64)
    worth = points[pool.cards]
    stay = (rest.astype(np.int64) @ points)[:, None] + worth - np.maximum(most[:, None], worth)
    go = np.full(stay.shape, NO_WAY, np.int64)
    near = np.flatnonzero(lacking <= 1) if _is_lower_bound(rules) else np.arange(len(kinds))
    if len(near):
        go[near] = _next_contracts(hand, kinds, near, pool, rules)
    return Waits(kinds, lacking, np.minimum(stay, go), go < NO_WAY)


def _is_lower_bound(rules: GameRules) -> bool:
    """Return whether a hand that lacks two cards can never lay the contract with one.

    Not where a meld needs one natural: the card drawn may be that one, and a wild may not.
    """
    return 1 not in (rules.meld.set_min_naturals, rules.meld.run_min_naturals)


def _next_contracts(hand: Counts, kinds: Ints, near: Ints, pool: Pool, rules: GameRules) -> Ints:
    """Return int64[len(near), k] points after those discards, each draw, contract and discard."""
    if rules.meld.use_all:
        rows = np.concatenate([drawn(row, pool.cards) for row in thrown(hand, kinds[near])])
        return least_left(rows, rules).reshape(len(near), -1)
    pairs = Pairs.of(hand, kinds)
    wanted = np.isin(pairs.first, near) | np.isin(pairs.second, near)
    pairs = Pairs(pairs.first[wanted], pairs.second[wanted])
    rows = pairs.rows(hand, kinds, pool.cards)
    left = least_left(rows.reshape(-1, N_CARDS), rules).reshape(rows.shape[:2])
    # The card drawn may be thrown again: then the rest must lay the contract as it is.
    alone = least_left(thrown(hand, kinds[near]), rules)
    return np.minimum(pairs.best(left, len(kinds))[near], alone[:, None])


def after_buying(
    hand: Counts, card: Card, pool: Pool, price: int, rules: GameRules
) -> tuple[Ints, Ints]:
    """Return points held after a purchase for every draw of the price, and the ways to draw it.

    The contract counts as laid where it could be.

    Args:
        hand: the hand before it buys.
        card: the card bought.
        pool: what the stock may hold.
        price: cards of the stock that come with it.
        rules: rules with a contract.

    Returns:
        Two int64[m], one entry for each different draw of the price.
    """
    rows: list[Counts] = []
    ways: list[int] = []
    for chosen in combinations_with_replacement(range(len(pool.cards)), price):
        taken = Counter(chosen)
        n_ways = prod(comb(int(pool.weights[i]), n) for i, n in taken.items())
        if n_ways:
            row = hand.copy()
            row[card] += 1
            for i in chosen:
                row[pool.cards[i]] += 1
            rows.append(row)
            ways.append(n_ways)
    counts = np.stack(rows)
    points = np.array(rules.meld.points, np.int64)
    held = np.minimum(least_left(counts, rules), counts.astype(np.int64) @ points)
    return held, np.array(ways, np.int64)
