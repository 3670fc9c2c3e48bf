"""Hands one draw and one discard away, few calls for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.cards import N_CARDS, Card, Counts, counts_of
from solver.engine.view import View
from solver.players.answer import Mean
from solver.rules.model import GameRules
from solver.solve import solve_many

Ints = NDArray[np.int64]
NO_WAY: Final = 1 << 40
"""More points than any hand holds: what cannot be laid."""


@dataclass(frozen=True)
class Pool:
    """The cards of which the next one comes, all equally likely.

    Attributes:
        cards: int64[k], the different cards.
        weights: int64[k], copies of each.
        total: number of cards.
    """

    cards: Ints
    weights: Ints
    total: int

    @classmethod
    def of(cls, counts: Counts) -> Pool:
        """Return the pool of the cards that counts, uint8[66], holds."""
        cards = np.flatnonzero(counts)
        weights = counts[cards].astype(np.int64)
        return cls(cards, weights, int(weights.sum()))

    def mean(self, values: Ints) -> Mean:
        """Return the exact mean of one value a card, int64[k]."""
        return Mean(int(self.weights @ values), self.total)

    def means(self, values: Ints | NDArray[np.bool_]) -> list[Mean]:
        """Return the exact mean of each row of values, or of truths, a card: [j, k]."""
        return [Mean(total, self.total) for total in (values @ self.weights).tolist()]

    def chance(self, is_true: NDArray[np.bool_]) -> Mean:
        """Return the exact share of cards for which something is true, bool[k]."""
        return Mean(int(self.weights[is_true].sum()), self.total)


def pool_of(seen: View) -> Pool:
    """Return what a draw from the stock may bring: every unseen card alike.

    An empty stock is rebuilt of the discards below the top, which all have seen; where it is not,
    nothing can be drawn.
    """
    flow = seen.rules.flow
    if seen.n_stock <= flow.stock_wall and not seen.piles:
        below = seen.discards[:-1] if flow.stock_empty == "reshuffle" else ()
        return Pool.of(counts_of(below))
    return Pool.of(counts_of(seen.unseen()))


def kinds_of(hand: Counts) -> Ints:
    """Return the different cards of a hand, int64[k]."""
    return np.flatnonzero(hand)


def drawn(hand: Counts, cards: Ints) -> NDArray[np.uint8]:
    """Return uint8[k, 66]: the hand with each card added."""
    rows = np.repeat(hand[None, :], len(cards), axis=0)
    rows[np.arange(len(cards)), cards] += 1
    return rows


def thrown(hand: Counts, kinds: Ints) -> NDArray[np.uint8]:
    """Return uint8[k, 66]: the hand less each card, which it holds."""
    rows = np.repeat(hand[None, :], len(kinds), axis=0)
    rows[np.arange(len(kinds)), kinds] -= 1
    return rows


def drawn_and_thrown(hand: Counts, cards: Ints, kinds: Ints) -> NDArray[np.uint8]:
    """Return uint8[k, j, 66]: each card added, each card of the hand thrown."""
    rows = np.empty((len(cards), len(kinds), N_CARDS), np.uint8)
    rows[:] = hand
    rows[np.arange(len(cards))[:, None], np.arange(len(kinds)), cards[:, None]] += 1
    rows[:, np.arange(len(kinds)), kinds] -= 1
    return rows


@lru_cache(maxsize=64)
def _triangle(n: int) -> tuple[Ints, Ints]:
    """Return the pairs of n indices, each with itself too; not to be changed."""
    return np.triu_indices(n)


@dataclass(frozen=True)
class Pairs:
    """The pairs of cards that a hand can lose, and who is in which.

    Attributes:
        first: int64[p], index of one card among the kinds of the hand.
        second: int64[p], index of the other, not before the first.
    """

    first: Ints
    second: Ints

    @classmethod
    def of(cls, hand: Counts, kinds: Ints) -> Pairs:
        """Return all pairs, two copies of a card among them where the hand holds two."""
        first, second = _triangle(len(kinds))
        held = (first != second) | (hand[kinds[first]] > 1)
        return cls(first[held], second[held])

    def short(self, hand: Counts, kinds: Ints) -> NDArray[np.uint8]:
        """Return uint8[p, 66]: each pair thrown."""
        n = len(self.first)
        short = np.repeat(hand[None, :], n, axis=0)
        short[np.arange(n), kinds[self.first]] -= 1
        short[np.arange(n), kinds[self.second]] -= 1
        return short

    def rows(self, hand: Counts, kinds: Ints, cards: Ints) -> NDArray[np.uint8]:
        """Return uint8[p, k, 66]: each pair thrown, each card added."""
        rows = np.repeat(self.short(hand, kinds)[:, None, :], len(cards), axis=1)
        rows[:, np.arange(len(cards)), cards] += 1
        return rows

    def best(self, values: Ints, n_kinds: int) -> Ints:
        """Return int64[n_kinds, k]: of values int64[p, k], the least for each card of a pair."""
        out = np.full((n_kinds, values.shape[1]), NO_WAY, np.int64)
        np.minimum.at(out, self.first, values)
        np.minimum.at(out, self.second, values)
        return out


def least_ahead(hand: Counts, kinds: Ints, cards: Ints, rules: GameRules) -> tuple[Ints, Ints]:
    """Return the least penalty after each discard, now and after each draw and next discard.

    Of the pairs of discards most need not be solved. A card added costs its points at most, for
    it can stay deadwood; so a hand leaves at least what it leaves with a card more, less the
    points of that card, and what bounds from above and from below agree on is known.

    Args:
        hand: a hand of one card too many, uint8[66].
        kinds: int64[j], its different cards.
        cards: int64[k], the cards that may come.
        rules: the game.

    Returns:
        int64[j]; int64[j, k], where the card drawn may be thrown too.
    """
    n = len(kinds)
    every_point = np.array(rules.meld.points, np.int64)
    points, worth = every_point[kinds], every_point[cards]
    pairs, rest = Pairs.of(hand, kinds), thrown(hand, kinds)
    first, second, short = pairs.first, pairs.second, pairs.short(hand, kinds)
    known = solved(np.concatenate([rest, short, drawn(hand, cards)]), rules)
    leaves, leaves_short, with_card = np.split(known, [n, n + len(short)])

    one_gone = np.maximum(with_card - points[:, None], 0)
    kind, draw = np.nonzero(one_gone < leaves[:, None] + worth)
    one_gone[kind, draw] = solved(_with(rest[kind], cards[draw]), rules)

    best = np.minimum(pairs.best(leaves_short[:, None], n) + worth, leaves[:, None])
    bound = np.maximum(one_gone[first] - points[second, None], 0)
    np.maximum(bound, one_gone[second] - points[first, None], out=bound)
    pair, draw = np.nonzero(bound < np.maximum(best[first], best[second]))
    bound = bound[pair, draw]
    # A card that is missed least is in the best pair of most draws; that leaves few to be solved.
    order = np.lexsort((-points, leaves))
    for one in (*order[:2].tolist(), None):
        a, b = first[pair], second[pair]
        is_open = bound < np.maximum(best[a, draw], best[b, draw])
        asked = is_open if one is None else is_open & ((a == one) | (b == one))
        found = solved(_with(short[pair[asked]], cards[draw[asked]]), rules)
        np.minimum.at(best, (a[asked], draw[asked]), found)
        np.minimum.at(best, (b[asked], draw[asked]), found)
        later = is_open & ~asked
        pair, draw, bound = pair[later], draw[later], bound[later]
    return leaves, best


def _with(rows: NDArray[np.uint8], cards: Ints) -> NDArray[np.uint8]:
    """Add one card to each row, in place."""
    rows[np.arange(len(rows)), cards] += 1
    return rows


def solved(rows: NDArray[np.uint8], rules: GameRules) -> Ints:
    """Return the least penalty of each hand; of games on the table without the contract.

    There the contract is laid by a move of its own, and who asks for these is down.
    """
    free = rules.flow.meld_timing == "on_table"
    return solve_many(rows, rules, ignore_contract=free).astype(np.int64)


def points_of(hand: Counts, points: tuple[int, ...]) -> int:
    """Return what all cards of a hand cost."""
    return int(hand.astype(np.int64) @ np.array(points, np.int64))


def dearest(hand: Counts, points: tuple[int, ...], barred: Card | None = None) -> int:
    """Return the most points of a card that may be thrown; 0 for none."""
    return max((points[c] for c in kinds_of(hand).tolist() if c != barred), default=0)
