"""A turn at the table played move by move: swaps, melds laid, cards added, every way and order.

Shares nothing with the product; the tests of single melds are those of ``naive_melds``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product
from typing import Any, TypeAlias

from tests.oracles.naive_melds import (
    MeldRulesLike,
    counts_allow,
    is_wild,
    lines,
    may_be_natural,
    pattern_allows,
    rank_at,
    run_value,
    set_value,
)

Cards: TypeAlias = tuple[int, ...]
Cell: TypeAlias = tuple[int, bool]
"""A card and whether it is read as a wild."""


@dataclass(frozen=True, order=True)
class Row:
    """A meld on the table.

    Attributes:
        kind: "run", "set", or "wild" for wilds whose places are open.
        of: suit of a run, rank of a set.
        start: position of the first cell of a run, 1..14.
        cells: the cards, of a run in order.
        n_added: wilds laid off on it.
        mine: whether the player who moves laid it.
    """

    kind: str
    of: int
    start: int
    cells: tuple[Cell, ...]
    n_added: int = 0
    mine: bool = False


@dataclass(frozen=True)
class Turn:
    """What the turn allows; ``rules`` are those of melds."""

    rules: MeldRulesLike
    contract: tuple[tuple[str, int], ...] | None = None
    free_melds: bool = False
    least_value: int = 0
    adds: bool = True
    wild_limit: int | None = None
    keeps_ratio: bool = True
    adds_distinct: bool = True
    wilds_kept: bool = False
    swaps: str = "off"
    swap_sets: bool = False
    keep: int = 0


def without(cards: Cards, gone: Cards) -> Cards:
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)


# --- melds from the hand ------------------------------------------------------------------------


def layable(hand: Cards, rules: MeldRulesLike) -> set[Row]:
    """Every legal meld of these cards, in every reading and placing."""
    found = set(_layable_sets(hand, rules))
    for k in range(1, len(hand) + 1):
        for suit in range(rules.suits):
            for places in lines(rules, k):
                wanted = [suit * 13 + rank_at(p) for p in places]
                for cells in _fillings(wanted, hand, rules):
                    natural = tuple(not wild for _, wild in cells)
                    n = sum(natural)
                    if counts_allow("run", n, k - n, rules) and pattern_allows(natural, rules):
                        found.add(Row("run", suit, places[0], cells, mine=True))
    return found


def _fillings(
    wanted: list[int], hand: Cards, rules: MeldRulesLike, least_wild: int = 0
) -> Iterator[tuple[Cell, ...]]:
    """Fill places; which of some wilds lies where is no difference, so they lie ascending."""
    if not wanted:
        yield ()
        return
    first, *rest = wanted
    for card in sorted(set(hand)):
        readings = [False] if card == first and may_be_natural(card, rules) else []
        readings += [True] if card >= least_wild and is_wild(card, rules) else []
        for wild in readings:
            least = card if wild else least_wild
            for others in _fillings(rest, without(hand, (card,)), rules, least):
                yield ((card, wild), *others)


def _layable_sets(hand: Cards, rules: MeldRulesLike) -> Iterator[Row]:
    for k in range(1, len(hand) + 1):
        for cards in set(combinations(sorted(hand), k)):
            if all(is_wild(c, rules) for c in cards) and wild_kinds(k, rules):
                yield Row("wild", 0, 0, tuple((c, True) for c in cards), mine=True)
            for rank in range(13):
                readings = [
                    ([False] if c % 13 == rank and may_be_natural(c, rules) and c != 65 else [])
                    + ([True] if is_wild(c, rules) else [])
                    for c in cards
                ]
                for chosen in product(*readings):
                    cells = tuple(sorted(zip(cards, chosen, strict=True)))
                    naturals = [c for c, wild in cells if not wild]
                    suits = [c // 13 for c in naturals]
                    if rules.set_distinct_suits and len(set(suits)) < len(suits):
                        continue
                    if naturals and counts_allow("set", len(naturals), k - len(naturals), rules):
                        yield Row("set", rank, 0, cells, mine=True)


def wild_kinds(k: int, rules: MeldRulesLike) -> list[str]:
    """As what k wilds with no declared places are legal."""
    kinds = ["set"] if counts_allow("set", 0, k, rules) else []
    as_run = counts_allow("run", 0, k, rules) and pattern_allows((False,) * k, rules)
    return kinds + (["run"] if as_run and lines(rules, k) else [])


def worth(row: Row, rules: MeldRulesLike) -> int:
    """What a laid meld counts towards a least value."""
    k = len(row.cells)
    wilds = sum(wild for _, wild in row.cells)
    if row.kind == "set":
        return set_value(row.of, k - wilds, wilds, rules)
    if row.kind == "wild":
        return 0 if rules.wild_value_zero else k * max(rules.meld_values)
    places = next(p for p in lines(rules, k) if p[0] == row.start)
    return run_value(places, tuple(not wild for _, wild in row.cells), rules)


def counts_as(row: Row, kind: str, least: int, rules: MeldRulesLike) -> bool:
    """Whether a laid meld meets one item of a contract."""
    k = len(row.cells)
    kinds = wild_kinds(k, rules) if row.kind == "wild" else [row.kind]
    return kind in kinds and k >= least


def clash(a: Row, b: Row, rules: MeldRulesLike) -> bool:
    """Whether two melds of one contract may not be laid together."""
    if a.kind != b.kind or a.of != b.of or a.kind == "wild":
        return False  # wilds without declared places have no rank, suit or place
    if a.kind == "set":
        return bool(rules.distinct_set_ranks)
    gaps = [b.start - a.start - len(a.cells), a.start - b.start - len(b.cells)]
    if rules.ace == "cyclic":
        gaps = [gap % 13 for gap in gaps]
    return bool(rules.distinct_run_suits or (rules.forbid_adjacent_runs and 0 in gaps))


def layings(hand: Cards, turn: Turn) -> Iterator[tuple[list[Row], Cards]]:
    """Every choice of melds to lay: those of the contract, then others where allowed."""
    rules = turn.rules
    rows = sorted(layable(hand, rules))

    def contract(items: tuple[Any, ...], laid: list[Row], left: Cards) -> Iterator[Any]:
        if not items:
            yield from free(0, laid, left)
            return
        (kind, least), *others = items
        for row in rows:
            cards = tuple(c for c, _ in row.cells)
            if counts_as(row, kind, least, rules) and _holds(left, cards):
                yield from contract(tuple(others), [*laid, row], without(left, cards))

    def free(first: int, laid: list[Row], left: Cards) -> Iterator[Any]:
        barred = bool(turn.contract) and any(clash(a, b, rules) for a, b in combinations(laid, 2))
        if not barred:
            yield laid, left
        if turn.free_melds:
            for i in range(first, len(rows)):
                cards = tuple(c for c, _ in rows[i].cells)
                if _holds(left, cards):
                    yield from free(i, [*laid, rows[i]], without(left, cards))

    for laid, left in contract(turn.contract or (), [], hand):
        if sum(worth(row, rules) for row in laid) >= turn.least_value:
            yield laid, left


def _holds(hand: Cards, cards: Cards) -> bool:
    return all(hand.count(c) >= cards.count(c) for c in cards)


# --- adding cards -------------------------------------------------------------------------------


def grown(row: Row, card: int, turn: Turn) -> Iterator[Row]:
    """Every way to add one card to a meld; wilds never outnumber naturals where that is a rule."""
    rules = turn.rules
    k = len(row.cells) + 1
    ways: list[Row] = []
    if turn.wilds_kept:
        pass
    elif is_wild(card, rules) and (turn.wild_limit is None or row.n_added < turn.wild_limit):
        ways += _grown_by(replace(row, n_added=row.n_added + 1), card, True, k, turn)
    if card != 65 and may_be_natural(card, rules):
        ways += _grown_by(row, card, False, k, turn)
    for longer in ways:
        wilds = sum(wild for _, wild in longer.cells)
        excess = wilds - (k - wilds)
        bound = rules.wild_ratio is not None and turn.keeps_ratio
        if not bound or excess < (0 if rules.wild_ratio == "lt" else 1):
            yield longer


def _grown_by(row: Row, card: int, wild: bool, k: int, turn: Turn) -> Iterator[Row]:
    rules = turn.rules
    set_room = rules.set_max is None or k <= rules.set_max
    if row.kind == "set":
        there = [c // 13 for c, other in row.cells if not other]
        fits = wild or card % 13 == row.of
        distinct = rules.set_distinct_suits and turn.adds_distinct
        twice = not wild and distinct and card // 13 in there
        if set_room and fits and not twice:
            yield replace(row, cells=tuple(sorted([*row.cells, (card, wild)])))
        return
    if row.kind == "wild":
        run_room = bool(lines(rules, k)) and (rules.run_max is None or k <= rules.run_max)
        as_run = run_room and k >= rules.run_min and (rules.wilds_adjacent or k == 1)
        if wild and ((set_room and k >= rules.set_min) or as_run):
            yield replace(row, cells=tuple(sorted([*row.cells, (card, True)])))
        if not wild and set_room and k >= rules.set_min and not is_wild(card, rules):
            cells = tuple(sorted([*row.cells, (card, False)]))
            yield replace(row, kind="set", of=card % 13, cells=cells)
        return
    if rules.run_max is not None and k > rules.run_max:
        return
    below = (row.start - 2) % 13 + 1 if rules.ace == "cyclic" else row.start - 1
    for start, at_low in ((below, True), (row.start, False)):
        places = next((p for p in lines(rules, k) if p[0] == start), None)
        if places is None:
            continue
        place = places[0 if at_low else -1]
        neighbour = row.cells[0 if at_low else -1]
        if not wild and card != row.of * 13 + rank_at(place):
            continue
        if wild and neighbour[1] and not rules.wilds_adjacent:
            continue
        cells = ((card, wild), *row.cells) if at_low else (*row.cells, (card, wild))
        yield replace(row, start=start, cells=cells)


def swapped(row: Row, card: int, turn: Turn) -> Iterator[tuple[Row, int]]:
    """Every way to take a wild of another player's meld for the card it stands for."""
    rules = turn.rules
    if row.mine or row.kind == "wild" or (row.kind == "set" and not turn.swap_sets):
        return
    if card == 65 or not may_be_natural(card, rules):
        return
    for i, (lying, wild) in enumerate(row.cells):
        if not wild or lying == card:
            continue
        cells = (*row.cells[:i], (card, False), *row.cells[i + 1 :])
        if row.kind == "set":
            twice = rules.set_distinct_suits and (card, False) in row.cells
            if card % 13 != row.of or twice:
                continue
            cells = tuple(sorted(cells))
        else:
            place = lines(rules, len(row.cells))
            places = next(p for p in place if p[0] == row.start)
            if card != row.of * 13 + rank_at(places[i]):
                continue
        yield replace(row, cells=cells), lying


def swap_ways(
    turn: Turn, hand: Cards, rows: tuple[Row, ...], must: Cards = ()
) -> Iterator[tuple[Cards, tuple[Row, ...], Cards]]:
    """Every hand, table and wilds to be played that swaps lead to, none first."""
    seen = {(hand, rows, must)}
    stack = [(hand, rows, must)]
    while stack:
        now = stack.pop()
        yield now
        hand, rows, must = now
        for card in (c for c in set(hand) if hand.count(c) > must.count(c)):
            for i, row in enumerate(rows):
                for after, wild in swapped(row, card, turn):
                    new = (
                        tuple(sorted([*without(hand, (card,)), wild])),
                        (*rows[:i], after, *rows[i + 1 :]),
                        tuple(sorted([*must, wild])),
                    )
                    if new not in seen:
                        seen.add(new)
                        stack.append(new)


# --- the turn -----------------------------------------------------------------------------------


def best_turn(
    hand: Cards, table: tuple[Row, ...], turn: Turn, addable: frozenset[int]
) -> tuple[int, int] | None:
    """Least (points, cards) left after a turn; None when the melds asked for cannot be laid.

    Cards may be added to the rows numbered in ``addable`` and to those laid in the turn.
    """
    rules = turn.rules
    points = rules.points

    @cache
    def add(hand: Cards, rows: tuple[tuple[bool, Row], ...], must: Cards) -> Any:
        best = None
        if not must and len(hand) >= turn.keep:
            best = (sum(points[c] for c in hand), len(hand))
        if turn.adds:
            for card in set(hand):
                rest = without(hand, (card,))
                for i, (open_, row) in enumerate(rows):
                    for longer in grown(row, card, turn) if open_ else ():
                        after = tuple(sorted([*rows[:i], (True, longer), *rows[i + 1 :]]))
                        # Of equal cards the one that must be played is played first.
                        less = without(must, (card,)) if card in must else must
                        best = least(best, add(rest, after, less))
        return best

    best = None
    swapping = turn.swaps != "off"
    early = swapping and turn.swaps != "after_contract"
    start: tuple[Cards, tuple[Row, ...], Cards] = (hand, table, ())
    for held, rows, must in swap_ways(turn, hand, table) if early else [start]:
        tried = set()
        for laid, left in layings(held, turn):
            key = (tuple(sorted(laid)), left)
            if key in tried:
                continue
            tried.add(key)
            still = list(must)
            for row in laid:
                for card, _ in row.cells:
                    if card in still:
                        still.remove(card)
            later = (left, rows, tuple(still))
            for held2, rows2, must2 in (
                swap_ways(turn, *later) if swapping and not early else [later]
            ):
                on_table = [(i in addable, row) for i, row in enumerate(rows2)]
                on_table += [(True, row) for row in laid]
                best = least(best, add(held2, tuple(sorted(on_table)), must2))
    return best


def least(a: Any, b: Any) -> Any:
    """The better of two outcomes; None is none."""
    return b if a is None else a if b is None else min(a, b)
