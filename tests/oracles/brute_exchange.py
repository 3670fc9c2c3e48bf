"""May the wilds of a table have come to lie as they do? Every way to read, exchange and match.

A wild on the table counts as a card it stands for until a copy of that card, laid from the rack or
lying in another meld, takes its place. So each wild either lies at the end where it can still stand
for its card, or a card of that name of its own is on the table, outside of its old meld.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, product

from tests.oracles.brute_turn import Cards, Row, layable, wild_kinds
from tests.oracles.naive_melds import MeldRulesLike, lines, may_be_natural, rank_at

Standing = tuple[tuple[int, bool], ...]
"""The cards of a meld: which card each is or stands for, and whether a wild stands there."""


def standings(row: Row, rules: MeldRulesLike) -> Iterator[Standing]:
    """Every way to say for which card each wild of a placed meld stands.

    A wild beyond the suits of a set stands for no card, so that nothing is asked of it.
    """
    k = len(row.cells)
    if row.kind == "wild":
        yield from _of_wilds(k, rules)
    elif row.kind == "run":
        places = next(p for p in lines(rules, k) if p[0] == row.start)
        yield tuple(
            (row.of * 13 + rank_at(p), wild) for p, (_, wild) in zip(places, row.cells, strict=True)
        )
    else:
        naturals = [c for c, wild in row.cells if not wild]
        for cards in _in_set(row.of, naturals, k - len(naturals), rules):
            yield (*((c, False) for c in naturals), *((c, True) for c in cards))


def _in_set(rank: int, naturals: list[int], n: int, rules: MeldRulesLike) -> Iterator[Cards]:
    cards = range(rank, rules.suits * 13, 13)
    if not rules.set_distinct_suits:
        yield from product(cards, repeat=n)
        return
    missing = [c for c in cards if c not in naturals]
    yield from combinations(missing, min(n, len(missing)))


def _of_wilds(k: int, rules: MeldRulesLike) -> Iterator[Standing]:
    kinds = wild_kinds(k, rules)
    if "run" in kinds:
        for suit in range(rules.suits):
            for places in lines(rules, k):
                yield tuple((suit * 13 + rank_at(p), True) for p in places)
    if "set" in kinds:
        for rank in range(13):
            for cards in _in_set(rank, [], k, rules):
                yield tuple((c, True) for c in cards)


def table_readings(meld: Cards, rules: MeldRulesLike) -> list[Row]:
    """Every legal meld that all of some cards make."""
    return [row for row in layable(tuple(sorted(meld)), rules) if len(row.cells) == len(meld)]


def obeys(
    table: list[list[Row]], rows: Iterable[Row], laid: Counter[int], rules: MeldRulesLike
) -> bool:
    """Whether wilds of the table left their places only for their cards.

    Args:
        table: for each meld its readings.
        rows: the melds afterwards.
        laid: cards laid from the rack.
        rules: the rules of melds.
    """
    after = [_standings(row, rules) for row in rows]
    for wilds, cards in _before(tuple(map(tuple, table)), rules):
        supply = [*cards, *((-1, c) for c in laid.elements())]
        supply = [(i, c) for i, c in supply if may_be_natural(c, rules)]
        for chosen in product(*after):
            places = [c for s in chosen for c, wild in s if wild]
            if _matches(wilds, supply, places):
                return True
    return False


@cache
def _standings(row: Row, rules: MeldRulesLike) -> list[Standing]:
    return list(standings(row, rules))


@cache
def _before(
    table: tuple[tuple[Row, ...], ...], rules: MeldRulesLike
) -> list[tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
    """Every way to read a table: (meld, card) of its wilds, and of its naturals."""
    found = []
    for read in product(*table):
        for standing in product(*(_standings(row, rules) for row in read)):
            pairs = [(i, c, wild) for i, s in enumerate(standing) for c, wild in s]
            wilds = [(i, c) for i, c, wild in pairs if wild]
            found.append((wilds, [(i, c) for i, c, wild in pairs if not wild]))
    return found


def _matches(wilds: list[tuple[int, int]], cards: list[tuple[int, int]], places: list[int]) -> bool:
    """Whether each wild finds a place of its card, or such a card elsewhere, of its own."""
    n = len(places)
    fits = [
        [k for k, card in enumerate(places) if card == wanted]
        + [n + k for k, (i, card) in enumerate(cards) if card == wanted and i != meld]
        for meld, wanted in wilds
    ]
    return any(len(set(choice)) == len(choice) for choice in product(*fits))
