"""A hand and its rules -> an integer program over meld columns, with one row per card.

Wilds are interchangeable inside melds: one row says that wilds used are wild places. The melds:

* **Sets** are columns by numbers of naturals and wilds, their naturals drawn from the suits held;
  with ``set_distinct_suits`` columns by which suits.
* **Runs** are columns by suit and window; see ``runs`` for what lies in their places.
* **Wilds alone** are columns by length.

The number of columns grows with the line, the copies and the wilds, never with 2**cards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from solver.cards import N_RANKS, N_SUITS, Card
from solver.cpsat.columns import (
    Window,
    is_set_shape,
    runs_are_limited,
    set_shapes,
    sets_are_limited,
    wilds_make_run,
)
from solver.cpsat.program import Program, Terms, add_terms
from solver.deadline import Deadline
from solver.errors import LimitError
from solver.rules.model import MeldRules

MAX_COLUMNS: Final = 10_000
"""More columns than this would take seconds to write down; 60 cards with 10 wilds need 900."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Places of runs that hold least numbers of naturals, for all columns that share them.

    Attributes:
        positions: the places, in the order of the run.
        values: what a natural is worth on each place; () when values are not counted there.
        groups: (indexes into positions, naturals that these hold at least) per copy.
    """

    suit: int
    positions: tuple[int, ...]
    values: tuple[int, ...]
    groups: tuple[tuple[tuple[int, ...], int], ...]

    def is_full(self) -> bool:
        """Return whether every place holds its natural in every copy."""
        full = {i for group, needed in self.groups if len(group) == needed for i in group}
        return len(full) == len(self.positions)


@dataclass(frozen=True, slots=True)
class RunColumn:
    """Copies of one window in one suit; ``pure`` when it counts as a run without wilds."""

    suit: int
    window: Window
    variable: int
    pool: Pool
    pure: bool = False


@dataclass(frozen=True, slots=True)
class SetColumn:
    """Copies of one shape of set; ``suits`` are its naturals, () when drawn from all suits."""

    rank: int
    naturals: int
    wilds: int
    variable: int
    suits: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class WildColumn:
    """Copies of a meld of ``wilds`` cards, all read as wild."""

    wilds: int
    variable: int
    as_set: bool
    as_run: bool


@dataclass(slots=True)
class HandModel:
    """The program of a hand, with what its variables mean.

    Attributes:
        counts: copies of each card id.
        meld: the rules of melds.
        contract: whether the contract is to be laid.
        require: whether the runs of ``hand_require`` are asked for.
        scale: (earned per point, earned per card, paid per meld), the composite objective.
        deadline: when it must be built.
        program: the integer program.
        runs, sets, wild_melds: the columns.
        cells: per pool the variables that count its naturals place by place; none when full.
        covers: (suit, position) -> naturals lying there in any run, outside of pools.
        draws: card -> its copies in sets, when sets draw from all suits.
        wild_uses: (variable, cards it stands for), the cards used as wilds.
        card_uses: card -> what uses it.
        wild_places: places that wilds fill, less the wilds that lie there as naturals.
    """

    counts: list[int]
    meld: MeldRules
    contract: bool
    require: bool
    scale: tuple[int, int, int]
    deadline: Deadline = Deadline.NEVER
    program: Program = field(default_factory=Program)
    runs: list[RunColumn] = field(default_factory=list)
    sets: list[SetColumn] = field(default_factory=list)
    wild_melds: list[WildColumn] = field(default_factory=list)
    cells: dict[Pool, list[int]] = field(default_factory=dict)
    covers: dict[tuple[int, int], int] = field(default_factory=dict)
    draws: dict[Card, int] = field(default_factory=dict)
    wild_uses: list[tuple[int, tuple[Card, ...]]] = field(default_factory=list)
    card_uses: dict[Card, Terms] = field(default_factory=dict)
    wild_places: Terms = field(default_factory=dict)
    n_wilds: int = field(init=False)
    valued: bool = field(init=False)
    runs_by_role: bool = field(init=False)
    sets_by_role: bool = field(init=False)

    def __post_init__(self) -> None:
        """Note what the hand and the rules make worth looking at."""
        meld = self.meld
        self.n_wilds = sum(n for card, n in enumerate(self.counts) if n and meld.is_wild(card))
        self.valued = meld.min_meld_value > 0
        roles_valued = self.valued and meld.wild_value_zero
        self.runs_by_role = runs_are_limited(meld) or roles_valued
        self.sets_by_role = sets_are_limited(meld) or roles_valued

    def naturals(self, card: Card, *, by_role: bool) -> int:
        """Return how many copies of a card, no joker, may be read as themselves.

        Where roles do not matter a card of a wild rank is never better than a wild.
        """
        if self.meld.is_wild(card) and not (by_role and self.meld.wild_as_natural):
            return 0
        return self.counts[card]

    def column(self, copies: int) -> int:
        """Add a variable for copies of a meld and return it.

        Raises:
            LimitError: ``limit.columns``, ``limit.time``.
        """
        self.deadline.check()
        if len(self.runs) + len(self.sets) + len(self.wild_melds) >= MAX_COLUMNS:
            raise LimitError(
                f"expected at most {MAX_COLUMNS} kinds of melds in a hand, got more",
                code="limit.columns",
            )
        return self.program.variable(copies, -self.scale[2])

    def use(self, card: Card, variable: int) -> None:
        """Let each unit of a variable use a copy of a card as a natural."""
        add_terms(self.card_uses.setdefault(card, {}), {variable: 1})
        self.program.weights[variable] += self.weight(card)

    def weight(self, card: Card) -> int:
        """Return what a melded card earns."""
        per_point, per_card, _ = self.scale
        return self.meld.points[card] * per_point + per_card


# --- sets and wilds -----------------------------------------------------------------------------


def add_sets(model: HandModel) -> None:
    """Add every set that the hand can hold."""
    for rank in range(N_RANKS):
        held = [
            (card, n)
            for card in range(rank, N_SUITS * N_RANKS, N_RANKS)
            if (n := model.naturals(card, by_role=model.sets_by_role))
        ]
        if model.meld.set_distinct_suits:
            _add_distinct_sets(model, rank, held)
        elif held:
            _add_drawn_sets(model, rank, held)


def _add_distinct_sets(model: HandModel, rank: int, held: list[tuple[Card, int]]) -> None:
    for size in range(1, len(held) + 1):
        shapes = [k for k in range(model.n_wilds + 1) if is_set_shape(size, k, model.meld)]
        for chosen in combinations(held, size) if shapes else ():
            suits = tuple(card // N_RANKS for card, _ in chosen)
            for wilds in shapes:
                copies = min(n for _, n in chosen)
                copies = min(copies, model.n_wilds // wilds) if wilds else copies
                variable = model.column(copies)
                model.sets.append(SetColumn(rank, size, wilds, variable, suits))
                add_terms(model.wild_places, {variable: wilds})
                for card, _ in chosen:
                    model.use(card, variable)


def _add_drawn_sets(model: HandModel, rank: int, held: list[tuple[Card, int]]) -> None:
    """Add the shapes of a rank; their naturals together are drawn from the suits held."""
    total = sum(n for _, n in held)
    drawn: Terms = {}
    for naturals, wilds in set_shapes(total, model.n_wilds, model.meld):
        copies = total // naturals
        copies = min(copies, model.n_wilds // wilds) if wilds else copies
        variable = model.column(copies)
        model.sets.append(SetColumn(rank, naturals, wilds, variable))
        add_terms(model.wild_places, {variable: wilds})
        drawn[variable] = naturals
    if not drawn:
        return
    for card, n in held:
        lying = model.program.variable(n)
        model.draws[card] = lying
        model.use(card, lying)
        drawn[lying] = -1
    model.program.equal(drawn, 0)


def add_wild_melds(model: HandModel) -> None:
    """Add melds of wilds alone; a contract must know which are laid as sets, which as runs."""
    for n in range(1, model.n_wilds + 1):
        as_set = is_set_shape(0, n, model.meld)
        as_run = wilds_make_run(n, model.meld)
        readings = [(as_set, as_run)] if as_set or as_run else []
        if model.contract and as_set and as_run:
            readings = [(True, False), (False, True)]
        for reading in readings:
            variable = model.column(model.n_wilds // n)
            model.wild_melds.append(WildColumn(n, variable, *reading))
            add_terms(model.wild_places, {variable: n})


# --- cards --------------------------------------------------------------------------------------


def add_cards(model: HandModel) -> None:
    """Add wild uses, and rows that no card is used more often than it is held.

    Wilds that cost the same, are never natural and need not be used are one variable.
    """
    alike: dict[tuple[int, int], list[Card]] = {}
    asked = {card for card, _ in model.meld.must_use}
    for card, n in enumerate(model.counts):
        if n and model.meld.is_wild(card):
            alone = card in model.card_uses or card in asked
            key = (model.meld.points[card], card if alone else -1)
            alike.setdefault(key, []).append(card)
    supply: Terms = {}
    for cards in alike.values():
        copies = sum(model.counts[card] for card in cards)
        variable = model.program.variable(copies, model.weight(cards[0]))
        model.wild_uses.append((variable, tuple(cards)))
        supply[variable] = 1
        if len(cards) == 1:
            add_terms(model.card_uses.setdefault(cards[0], {}), {variable: 1})
    if supply:
        add_terms(supply, model.wild_places, -1)
        model.program.equal(supply, 0)
    for card, terms in model.card_uses.items():
        model.program.at_most(terms, model.counts[card])
