"""Rearranging a small table by trying every choice of melds from table and rack together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tests.oracles.brute_turn import Cards, Row, layable, without, worth
from tests.oracles.naive_melds import MeldRulesLike

Allowed = Callable[[list[Row], Counter[int]], bool]


@dataclass(frozen=True)
class Found:
    """What every choice of melds together comes to.

    Attributes:
        value: the most that the rack cards laid can earn; None when the table cannot be melded.
        kept: most table melds whose cards stay together in an arrangement of that value.
        n_melds: number of different arrangements of that value, counted up to two.
        n_cards: number of different choices of rack cards of that value.
    """

    value: int | None
    kept: int
    n_melds: int
    n_cards: int


class TooManyWaysError(Exception):
    """A position has more choices of melds than were to be looked at."""


def best_rearrangement(
    table: list[Cards],
    rack: Cards,
    rules: MeldRulesLike,
    points: tuple[int, ...],
    most_ways: int | None = None,
    *,
    allowed: Allowed | None = None,
) -> Found:
    """Return the best over all ways to meld all table cards and any rack cards.

    Only arrangements count that ``allowed`` lets pass, given their melds and the cards laid.

    Raises:
        TooManyWaysError: there are more than ``most_ways`` choices of melds.
    """
    together = tuple(sorted([*rack, *(c for meld in table for c in meld)]))
    must = Counter(c for meld in table for c in meld)
    rows = sorted({replace(row, mine=False) for row in layable(together, rules)})
    best: int | None = None
    ways: set[tuple[Row, ...]] = set()
    lying = Counter(tuple(sorted(meld)) for meld in table)
    for n, (laid, left) in enumerate(_arrangements(rows, together)):
        if most_ways is not None and n >= most_ways:
            raise TooManyWaysError
        used = Counter(together)
        used.subtract(left)
        if any(used[c] < n for c, n in must.items()):
            continue
        value = sum(points[c] * n for c, n in (used - must).items())
        if best is not None and value < best:
            continue
        if allowed is not None and not allowed(laid, used - must):
            continue
        if best is None or value > best:
            best, ways = value, set()
        ways.add(tuple(sorted(laid)))
    kept = max((_kept(way, lying) for way in ways), default=0)
    choices = {tuple(sorted(c for row in way for c, _ in row.cells)) for way in ways}
    return Found(best, kept, min(len(ways), 2), len(choices))


def _arrangements(rows: list[Row], cards: Cards) -> Iterator[tuple[list[Row], Cards]]:
    def choose(first: int, laid: list[Row], left: Cards) -> Iterator[tuple[list[Row], Cards]]:
        yield laid, left
        for i in range(first, len(rows)):
            wanted = tuple(c for c, _ in rows[i].cells)
            if all(left.count(c) >= wanted.count(c) for c in wanted):
                yield from choose(i, [*laid, rows[i]], without(left, wanted))

    yield from choose(0, [], cards)


def _kept(way: tuple[Row, ...], lying: Counter[Cards]) -> int:
    laid = Counter(tuple(sorted(c for c, _ in row.cells)) for row in way)
    return (laid & lying).total()


def best_opening(rack: Cards, rules: MeldRulesLike, points: tuple[int, ...], least: int) -> int:
    """Return the most points of rack cards in melds worth at least so much; 0 when none are."""
    rows = sorted(layable(tuple(sorted(rack)), rules))
    best = 0
    for laid, left in _arrangements(rows, tuple(sorted(rack))):
        if laid and sum(worth(row, rules) for row in laid) >= least:
            best = max(best, sum(points[c] for c in rack) - sum(points[c] for c in left))
    return best
