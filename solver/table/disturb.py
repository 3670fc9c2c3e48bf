"""Second aims of a rearrangement, by CP-SAT: fewest melds changed, and is the answer the only one.

The best value is known; it becomes a row of the program. Every meld on the table may also be kept
as it lies: a column of its own, and the number of such columns used is what is maximised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from solver.cards import N_CARDS, Card
from solver.compile.decode import decode, natural_cards
from solver.cpsat.decode import ClassMeld, decode_melds
from solver.cpsat.demands import add_demands
from solver.cpsat.model import HandModel, add_cards, add_sets, add_wild_melds
from solver.cpsat.program import Program, Terms, add_terms, load_ortools, solve_program
from solver.cpsat.runs import add_runs
from solver.deadline import Deadline
from solver.melds import Meld
from solver.rules.model import MeldRules
from solver.table.bound import Bound
from solver.table.bound_rows import add_bound_rows

RUN = 1
SECOND_AIM_WORK_S: Final = 5.0
"""Most work on each program of a second aim, in seconds as CP-SAT counts its steps."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The arrangement that keeps most melds.

    Attributes:
        kept: numbers of the table melds that stay as they lie, ascending.
        melds: all others.
        proved: whether no arrangement of this value keeps more.
    """

    kept: tuple[int, ...]
    melds: list[Meld]
    proved: bool


def keep_most(
    counts: Sequence[int],
    meld: MeldRules,
    bound: Bound,
    melded_points: int,
    deadline: Deadline,
) -> Kept | None:
    """Return an arrangement of the best value that keeps as many table melds as can be.

    Args:
        counts: copies of each card on table and rack together.
        meld: rules of melds; ``points`` are what is maximised, ``must_use`` holds the table.
        bound: the table and the wilds there that leave only for their cards.
        melded_points: points of all melded cards in an arrangement of the best value.
        deadline: when the search ends.

    Returns:
        None when time ran out before anything was found.
    """
    load_ortools()
    model = HandModel(list(counts), meld, False, False, (1, 0, 0), deadline=deadline)
    add_columns(model)
    groups: dict[tuple[int, tuple[Card, ...]], list[int]] = {}
    for i, lying in enumerate(bound.table):
        # A meld whose wilds are bound is a group of its own: which of two it is makes a difference.
        alone = i if i in bound.melds else -1
        groups.setdefault((alone, tuple(sorted(lying.cards))), []).append(i)
    stays: dict[tuple[int, tuple[Card, ...]], int] = {}
    for (alone, cards), numbers in groups.items():
        variable = stays[alone, cards] = model.program.variable(len(numbers))
        for card in cards:
            if meld.is_wild(card):
                add_terms(model.wild_places, {variable: 1})
            else:
                model.use(card, variable)
    kept_alone = {alone: variable for (alone, _), variable in stays.items() if alone >= 0}
    close_model(model, bound, kept_alone)
    _ask_value(model, melded_points)
    for variable in stays.values():
        model.program.weights[variable] = 1
    outcome = solve_program(model.program, deadline, SECOND_AIM_WORK_S)
    if not outcome.found:
        return None
    kept = [i for key, numbers in groups.items() for i in numbers[: outcome.values[stays[key]]]]
    melds = melds_of(model, outcome.values, [bound.table[i] for i in kept])
    if melds is None:
        return None
    return Kept(tuple(sorted(kept)), melds, outcome.status == "optimal")


def add_columns(model: HandModel) -> None:
    """Add every meld that the cards can make."""
    add_runs(model)
    add_sets(model)
    add_wild_melds(model)


def close_model(model: HandModel, bound: Bound, kept: Mapping[int, int] | None = None) -> int:
    """Add the rows of cards, of demands and of bound wilds.

    Args:
        model: a program with all its melds.
        bound: the wilds of the table.
        kept: number of a table meld -> variable that says whether it stays as it lies.

    Returns:
        The number of variables that say what is laid; those after them only explain it.
    """
    add_cards(model)
    add_demands(model)
    n_variables = len(model.program.upper)
    add_bound_rows(model, bound, kept or {})
    return n_variables


def _ask_value(model: HandModel, melded_points: int) -> None:
    """Make the value a row, and leave nothing that is maximised."""
    program = model.program
    earning = {v: weight for v, weight in enumerate(program.weights) if weight}
    program.at_least(earning, melded_points)
    program.weights[:] = [0] * len(program.weights)


def melds_of(model: HandModel, values: list[int], kept: Sequence[Meld] = ()) -> list[Meld] | None:
    """Return the melds of a solution but for the kept ones; None when these need other wilds."""
    wilds = _wilds_beside(model, values, kept)
    if wilds is None:
        return None
    rows = decode_melds(model, values)
    rest = counts_list(wilds)
    for row in rows:
        for card in natural_cards(row):
            rest[card] += 1
    return list(decode(np.array(rest, np.uint8), rows, model.meld).melds)


def _wilds_beside(
    model: HandModel, values: Sequence[int], kept: Sequence[Meld]
) -> tuple[Card, ...] | None:
    """Return the wild cards used outside of kept melds, None when these need other wilds."""
    m = model.meld
    in_kept = [c for meld in kept for c in meld.cards if m.is_wild(c)]
    asked = dict(m.must_use)
    found: list[Card] = []
    for variable, cards in model.wild_uses:
        copies = [
            (in_kept.count(c) <= i and asked.get(c, 0) <= i, c, i)
            for c in cards
            for i in range(model.counts[c])
        ]
        found += [c for _, c, _ in sorted(copies)[: values[variable]]]
    for card in in_kept:
        if card not in found:
            return None
        found.remove(card)
    return tuple(sorted(found))


# --- the only answer? ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Only:
    """Whether an answer is the only one: of its melds, of the cards it lays; None: not known."""

    melds: bool | None
    cards: bool | None


def is_only(
    counts: Sequence[int], meld: MeldRules, bound: Bound, melded_points: int, deadline: Deadline
) -> Only:
    """Return whether one arrangement alone, and one choice of cards alone, has the best value.

    Arrangements are the same when their melds hold the same cards in the same places.
    """
    load_ortools()
    model = HandModel(list(counts), meld, False, False, (1, 0, 0), deadline=deadline)
    add_columns(model)
    n_variables = close_model(model, bound)
    _ask_value(model, melded_points)
    first = solve_program(model.program, deadline, SECOND_AIM_WORK_S)
    if not first.found:
        return Only(None, None)
    values = first.values
    choices = _card_sums(model)
    cards_differ = _other(model.program, choices, values, deadline)
    if cards_differ is not False:
        return Only(None if cards_differ is None else False, _negated(cards_differ))
    if _wilds_may_change(model, values):
        return Only(False, False)
    rows = decode_melds(model, values)
    if _dealt_otherwise(rows):
        return Only(False, True)
    laid = model.program.upper[:n_variables]
    everything = [_Sum({v: 1}, 0, upper) for v, upper in enumerate(laid)]
    return Only(_negated(_other(model.program, everything, values, deadline)), True)


def _wilds_may_change(model: HandModel, values: Sequence[int]) -> bool:
    """Return whether some but not all wilds of one price are melded, and they differ.

    The model counts wilds of equal price together; which of them is laid is then a choice.
    """
    asked = dict(model.meld.must_use)
    for variable, cards in model.wild_uses:
        spare = {c: model.counts[c] - asked.get(c, 0) for c in cards}
        kinds = [c for c, n in spare.items() if n > 0]
        laid = values[variable] - sum(asked.get(c, 0) for c in cards)
        if len(kinds) > 1 and 0 < laid < sum(spare.values()):
            return True
    return False


def _card_sums(model: HandModel) -> list[_Sum]:
    """Return how many of each card are melded, as sums that may differ.

    Where a card earns something, fewer of it means more of another: asking for more is enough.
    """
    asked = dict(model.meld.must_use)
    sums = [
        _Sum(terms, _fewest(model, card, asked), model.counts[card])
        for card, terms in model.card_uses.items()
    ]
    for variable, cards in model.wild_uses:
        if len(cards) > 1 or cards[0] not in model.card_uses:
            fewest = sum(_fewest(model, card, asked) for card in cards)
            sums.append(_Sum({variable: 1}, fewest, model.program.upper[variable]))
    return sums


def _fewest(model: HandModel, card: Card, asked: Mapping[Card, int]) -> int:
    """Return a number of copies below which looking is in vain."""
    return model.counts[card] if model.meld.points[card] else asked.get(card, 0)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum of variables with the least and the most that are of interest."""

    terms: Terms
    least: int
    most: int


def _negated(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _other(
    program: Program, sums: Sequence[_Sum], values: Sequence[int], deadline: Deadline
) -> bool | None:
    """Return whether a solution differs in one of the sums; None when time runs out.

    A switch for each sum and direction asks for a difference there; one switch must be on.
    """
    asked = Program(list(program.upper), list(program.weights), [*program.rows])
    switches: Terms = {}
    for each in sums:
        now = sum(n * values[v] for v, n in each.terms.items())
        if now < each.most:
            more = asked.variable(1)
            asked.at_least({**each.terms, more: -(now + 1)}, 0)
            switches[more] = 1
        if now > each.least:
            most = sum(n * program.upper[v] for v, n in each.terms.items())
            fewer = asked.variable(1)
            asked.at_most({**each.terms, fewer: most - now + 1}, most)
            switches[fewer] = 1
    if not switches:
        return False
    asked.at_least(switches, 1)
    outcome = solve_program(asked, deadline, SECOND_AIM_WORK_S)
    if outcome.found:
        return True
    return False if outcome.status == "infeasible" else None


def _dealt_otherwise(rows: Sequence[ClassMeld]) -> bool:
    """Return whether naturals and wilds of runs could change places, making other melds.

    The program counts the naturals at a position of a suit, not which run holds them.
    """
    runs = [row for row in rows if row[0] == RUN]
    for i, a in enumerate(runs):
        for b in runs[i + 1 :]:
            if a[1] != b[1]:
                continue
            held_a, held_b = _held(a), _held(b)
            differ = sum(held_a[p] != held_b[p] for p in held_a.keys() & held_b.keys())
            # Two runs on the same places change into each other by one exchange.
            if differ > (held_a.keys() == held_b.keys()):
                return True
    return False


def _held(run: ClassMeld) -> dict[int, bool]:
    """Return position -> whether a natural lies there."""
    _, _, start, length, naturals = run
    return {(start + i): bool(naturals >> i & 1) for i in range(length)}


def counts_list(cards: Sequence[Card]) -> list[int]:
    """Return how often each card id turns up."""
    counts = [0] * N_CARDS
    for card in cards:
        counts[card] += 1
    return counts
