"""The best value of a rearrangement whose table wilds leave their places only for their cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from solver.cards import N_RANKS, RANKS, Card, Counts, format_card
from solver.compile.decode import decode
from solver.compile.tables import limits_wilds
from solver.cpsat.model import HandModel
from solver.cpsat.program import solve_program
from solver.deadline import Deadline
from solver.melds import Meld, MeldKind
from solver.rules.model import GameRules, MeldRules
from solver.solve import coverage
from solver.solve.choose import Found, find_among
from solver.table.bound import Bound, Case
from solver.table.disturb import add_columns, close_model, melds_of
from solver.table.notation import of_pairs

TABLE_ENGINES: Final = ("frontier", "cpsat")
"""The suit engine follows no cards that must be used; to ask it would compile the rules anew for
each table."""


class Laid(NamedTuple):
    """Melds of an arrangement, the points that it leaves, whether these are proved least."""

    melds: list[Meld]
    penalty: int
    proved: bool
    engine: str


def find_bound(
    counts: Counts, rules: GameRules, bound: Bound, free: Found, deadline: Deadline
) -> Laid | None:
    """Return the best arrangement in which bound wilds obey, None when there is none.

    Args:
        counts: cards of table and rack together.
        rules: the game; ``must_use`` holds the table, ``points`` are what is maximised.
        bound: the wilds of the table.
        free: the best arrangement in which they do as they like; it bounds the value.
        deadline: when the search ends.

    Raises:
        LimitError: ``limit.work``, ``limit.time`` when nothing was found by then.

    A wild that goes on standing for a card is as good as that card, where rules do not tell
    naturals from wilds: then each way to exchange the wilds is a question without any. Otherwise
    the integer program answers.
    """
    melds = list(decode(counts, free.rows, rules.meld).melds)
    if bound.exchanges(melds, laid_cards(melds, rules.meld)) is not None:
        return Laid(melds, free.penalty or 0, free.proved, free.engine)
    cases = _cases(counts, rules, bound)
    if cases is None:
        return _by_program(counts, rules, bound, deadline)
    best: Laid | None = None
    proved = True
    for case in cases:
        if best is not None and (deadline.expired or best.penalty == free.lower_bound):
            proved = best.penalty == free.lower_bound
            break
        held, asked = _question(case, counts, rules)
        if coverage("frontier", held, asked) is not None:
            return _by_program(counts, rules, bound, deadline)
        found = find_among(TABLE_ENGINES, held, asked, time_limit_s=deadline)
        proved = proved and found.proved
        if found.penalty is not None and (best is None or found.penalty < best.penalty):
            laid = decode(held, found.rows, asked.meld).melds
            best = Laid(_with_wilds(laid, case), found.penalty, True, found.engine)
    return None if best is None else best._replace(proved=proved)


def laid_cards(melds: Sequence[Meld], meld: MeldRules) -> Counter[Card]:
    """Return the cards of melds beside those that must be used."""
    laid = Counter(card for m in melds for card in m.cards)
    laid.subtract(dict(meld.must_use))
    return +laid


def _cases(counts: Counts, rules: GameRules, bound: Bound) -> list[Case] | None:
    """Return the ways to exchange wilds, None where wilds and naturals are told apart or many."""
    m = rules.meld
    if limits_wilds(m) or any(m.is_wild(card) for card in bound.cards()):
        return None
    on_table = dict(m.must_use)
    return bound.cases([int(n) - on_table.get(card, 0) for card, n in enumerate(counts)])


def _question(case: Case, counts: Counts, rules: GameRules) -> tuple[Counts, GameRules]:
    """Return the cards and rules with wilds that stay as the cards they stand for."""
    held, must = counts.copy(), Counter(dict(rules.meld.must_use))
    for card, wild in zip(case.staying, case.wilds, strict=True):
        held[wild] -= 1
        must[wild] -= 1
        held[card] += 1
        must[card] += 1
    must.update(case.laid)
    asked = tuple(sorted((+must).items()))
    return held, replace(rules, meld=replace(rules.meld, must_use=asked))


def _with_wilds(melds: Sequence[Meld], case: Case) -> list[Meld]:
    """Return melds with the wilds that stay in the places of the cards they stand for."""
    after = list(melds)
    for card, wild in zip(case.staying, case.wilds, strict=True):
        i, place = next(
            (i, place)
            for i, meld in enumerate(after)
            for place, lying in enumerate(meld.cards)
            if lying == card and (meld.kind == MeldKind.WILD or meld.stands_for[place] is None)
        )
        meld = after[i]
        name = format_card(card) if meld.kind == MeldKind.RUN else RANKS[card % N_RANKS]
        pairs = list(zip(meld.cards, meld.stands_for, strict=True))
        pairs[place] = (wild, name)
        kind = meld.kind
        if kind != MeldKind.RUN:
            pairs.sort(key=lambda pair: (pair[0], pair[1] or ""))
        if all(name is not None for _, name in pairs):
            kind, pairs = MeldKind.WILD, [(c, None) for c in sorted(c for c, _ in pairs)]
        after[i] = of_pairs(kind, pairs)
    return after


def _by_program(counts: Counts, rules: GameRules, bound: Bound, deadline: Deadline) -> Laid | None:
    model = HandModel(
        [int(n) for n in counts], rules.meld, False, False, (1, 0, 0), deadline=deadline
    )
    add_columns(model)
    close_model(model, bound)
    outcome = solve_program(model.program, deadline)
    if not outcome.found:
        if outcome.status == "infeasible":
            return None
        raise deadline.used_up()
    melds = melds_of(model, outcome.values)
    assert melds is not None, "no meld is kept that could need other wilds"
    laid = sum(rules.meld.points[card] for meld in melds for card in meld.cards)
    whole = sum(int(n) * p for n, p in zip(counts, rules.meld.points, strict=True))
    return Laid(melds, whole - laid, outcome.status == "optimal", "cpsat")
