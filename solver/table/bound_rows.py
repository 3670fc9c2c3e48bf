"""Rows of the integer program that hold wilds of the table to their cards; see ``bound``.

The program counts the wilds at a place of a suit and those in the sets of a rank, so it knows how
many of them can stand for a card. Each bound wild either takes one of these, or a copy of its card
that lies in another meld or is laid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from solver.cards import N_RANKS, Card
from solver.cpsat.columns import ACE_HIGH
from solver.cpsat.model import HandModel
from solver.cpsat.program import Program, Terms, add_terms, ones
from solver.table.bound import Bound, Reading, wild_readings


@dataclass
class _Wilds:
    """How many wilds of an arrangement can stand for each card."""

    model: HandModel
    cards: list[Card]
    at: dict[Card, Terms] = field(default_factory=dict)

    def add(self) -> dict[Card, Terms]:
        """Add what the rows need and return card -> wilds that can stand for it."""
        self.at = {card: self._in_runs(card) for card in self.cards}
        if self.model.meld.set_distinct_suits:
            self._in_distinct_sets()
        else:
            self._in_drawn_sets()
        self._in_wild_melds()
        return self.at

    def _in_runs(self, card: Card) -> Terms:
        """Return the places of runs at a card less the naturals there."""
        suit, rank = divmod(card, N_RANKS)
        found: Terms = {}
        pools = set()
        for position in (rank, ACE_HIGH) if rank == 0 else (rank,):
            for run in self.model.runs:
                pool = run.pool
                if run.suit != suit or position not in run.window.positions:
                    continue
                if position in pool.positions and pool.is_full():
                    continue
                add_terms(found, {run.variable: 1})
                if position in pool.positions and (pool, position) not in pools:
                    pools.add((pool, position))
                    cell = self.model.cells[pool][pool.positions.index(position)]
                    add_terms(found, {cell: -1})
            lying = self.model.covers.get((suit, position))
            if lying is not None:
                add_terms(found, {lying: -1})
        return found

    def _share(self, cards: list[Card], supply: Terms, most: int, once: Terms | None) -> None:
        """Let some wilds stand for cards: all together ``supply``, each at most ``once``."""
        program = self.model.program
        shares = [program.variable(most) for _ in cards]
        for card, share in zip(cards, shares, strict=True):
            add_terms(self.at[card], {share: 1})
            if once is not None:
                row: Terms = {share: 1}
                add_terms(row, once, -1)
                program.at_most(row, 0)
        row = ones(shares)
        add_terms(row, supply, -1)
        program.at_most(row, 0)

    def _in_distinct_sets(self) -> None:
        for column in self.model.sets:
            cards = [
                c
                for c in self.cards
                if c % N_RANKS == column.rank and c // N_RANKS not in column.suits
            ]
            if column.wilds and cards:
                copies = self.model.program.upper[column.variable]
                supply = {column.variable: column.wilds}
                self._share(cards, supply, copies, {column.variable: 1})

    def _in_drawn_sets(self) -> None:
        for rank in range(N_RANKS):
            cards = [c for c in self.cards if c % N_RANKS == rank]
            supply = {c.variable: c.wilds for c in self.model.sets if c.rank == rank and c.wilds}
            if cards and supply:
                self._share(cards, supply, self.model.n_wilds, None)

    def _in_wild_melds(self) -> None:
        """Let each meld of wilds alone be read as a run or a set that holds a card asked for."""
        program = self.model.program
        known = set(self.cards)
        for column in self.model.wild_melds:
            copies = program.upper[column.variable]
            read: list[int] = []
            for reading in wild_readings(column.wilds, self.model.meld):
                if not known & {*reading.fixed, *reading.choice}:
                    continue
                chosen = program.variable(copies)
                read.append(chosen)
                for card in known.intersection(reading.fixed):
                    add_terms(self.at[card], {chosen: reading.fixed.count(card)})
                cards = [c for c in reading.choice if c in known]
                if cards:
                    supply = {chosen: reading.n_choose}
                    once = {chosen: 1} if reading.once else None
                    self._share(cards, supply, copies * reading.n_choose, once)
            if read:
                program.at_most({**ones(read), column.variable: -1}, 0)


def add_bound_rows(model: HandModel, bound: Bound, kept: Mapping[int, int]) -> None:
    """Add the rows that let wilds of the table leave their places only for their cards.

    Args:
        model: the program with all melds and cards; ``must_use`` holds the table.
        bound: the wilds.
        kept: number of a table meld -> variable that says whether it stays as it lies.
    """
    if not bound.melds:
        return
    program = model.program
    cards = bound.cards()
    standing = _Wilds(model, cards).add()
    supply = _Supply(model, bound)
    staying: dict[Card, Terms] = {card: {} for card in cards}
    freed: dict[Card, Terms] = {card: {} for card in cards}
    own: list[tuple[Card, Terms]] = []
    for i in bound.melds:
        read = {program.variable(1): reading for reading in bound.readings[i]}
        program.equal({**ones(read), **ones([kept[i]] if i in kept else [])}, 1)
        supply.add_meld(read)
        for chosen, reading in read.items():
            for card, stays, goes in _places(program, reading, chosen):
                add_terms(staying[card], {stays: 1})
                add_terms(freed[card], {goes: 1})
                # Copies in its own meld cannot take the place of a wild.
                own.append((card, {goes: 1, chosen: reading.naturals.count(card)}))
    for card in cards:
        add_terms(staying[card], standing[card], -1)
        program.at_most(staying[card], 0)
    for card, terms in (*freed.items(), *own):
        if bound.can_lie(card):
            supply.cover(card, terms)
        else:
            program.at_most({v: 1 for v in terms if v in freed[card]}, 0)


def _places(program: Program, reading: Reading, chosen: int) -> list[tuple[Card, int, int]]:
    """Add for each card the wilds that go on standing for it, and those that leave.

    Args:
        program: the program.
        reading: what the wilds of a meld stand for.
        chosen: variable that says whether the reading is taken.
    """
    found: list[tuple[Card, int, int]] = []
    for card, n in Counter(reading.fixed).items():
        stays, goes = program.variable(n), program.variable(n)
        program.equal({stays: 1, goes: 1, chosen: -n}, 0)
        found.append((card, stays, goes))
    if reading.n_choose:
        total: Terms = {chosen: -reading.n_choose}
        for card in reading.choice:
            stays, goes = program.variable(reading.n_choose), program.variable(reading.n_choose)
            add_terms(total, {stays: 1, goes: 1})
            if reading.once:
                program.at_most({stays: 1, goes: 1, chosen: -1}, 0)
            found.append((card, stays, goes))
        program.equal(total, 0)
    return found


class _Supply:
    """Copies of cards, on the table as themselves or laid, that may take the places of wilds."""

    def __init__(self, model: HandModel, bound: Bound) -> None:
        self.model = model
        self.lying = Counter(bound.naturals())
        self.read: dict[Card, Terms] = {}

    def add_meld(self, read: Mapping[int, Reading]) -> None:
        """Count the naturals of a meld with wilds: those of every reading, others by reading."""
        counts = {chosen: Counter(reading.naturals) for chosen, reading in read.items()}
        first, *others = counts.values()
        fewest = Counter(first)
        for naturals in others:
            fewest &= naturals
        self.lying += fewest
        for chosen, naturals in counts.items():
            for card, n in (naturals - fewest).items():
                add_terms(self.read.setdefault(card, {}), {chosen: n})

    def cover(self, card: Card, terms: Terms) -> None:
        """Ask that no more than the copies of a card are wanted."""
        row = dict(terms)
        add_terms(row, self.read.get(card, {}), -1)
        add_terms(row, self.model.card_uses.get(card, {}), -1)
        asked = dict(self.model.meld.must_use).get(card, 0)
        self.model.program.at_most(row, self.lying[card] - asked)
