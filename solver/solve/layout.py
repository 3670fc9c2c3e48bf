"""A layout of a hand against the rules and against the best one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from solver.cards import Counts
from solver.errors import Fault, HandError
from solver.melds import (
    Arrangement,
    MeldLike,
    check_arrangement,
    check_contract,
    cost_words,
    penalty,
)
from solver.rules.model import GameRules
from solver.solve.one import asks_contract, solve
from solver.solve.solution import Solution


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a layout.

    Attributes:
        best: the best layout of the hand.
        layout: the layout with the cards left over; None when it is not legal.
        penalty: what it costs; None when it is not legal.
        faults: why it is not legal.
    """

    best: Solution
    layout: Arrangement | None = None
    penalty: int | None = None
    faults: tuple[Fault, ...] = ()

    @property
    def above_best(self) -> int | None:
        """Return how much more it costs than the best; None when it is not legal."""
        return None if self.penalty is None else self.penalty - self.best.penalty

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what must be said beside the layout: what was not asked, and why it costs so."""
        if self.layout is None:
            return self.best.asked_notes
        return (*self.best.asked_notes, *cost_words(self.layout, self.best.rules))


def check_layout(
    counts: Counts,
    melds: Sequence[MeldLike],
    rules: GameRules,
    *,
    time_limit_s: float | None = None,
    ignore_contract: bool = False,
) -> Verdict:
    """Return whether melds are a legal layout of a hand and what it costs against the best.

    Under a contract the melds must be those that it asks for. No melds at all are legal too: who
    lays nothing keeps the whole hand.

    Args:
        counts: the hand, uint8[66].
        melds: placed melds or loose cards.
        rules: the game, resolved for its round.
        time_limit_s: as for ``solve``.
        ignore_contract: judge the melds as if the player were already down.

    Raises:
        As ``solve``. A layout that is not legal is an answer.
    """
    best = solve(counts, rules, time_limit_s=time_limit_s, ignore_contract=ignore_contract)
    contract = bool(melds) and asks_contract(rules, ignore_contract=ignore_contract)
    try:
        layout = (check_contract if contract else check_arrangement)(counts, melds, rules)
    except HandError as error:
        return Verdict(best, faults=tuple(error.faults))
    return Verdict(best, layout, penalty(layout, rules))
