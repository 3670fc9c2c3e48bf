"""The knocker's choice: which of several equally cheap arrangements to lay before a defender."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from solver.cards import N_CARDS, Card, Counts, HandLike, counts_of
from solver.errors import HandError
from solver.melds import Arrangement, MeldKind
from solver.rules.deck import max_copies
from solver.rules.model import GameRules
from solver.solve import optimal_arrangements, take_hand
from solver.table.lying import End, Lying, add_card
from solver.table.turn import best_layoff, joint_layoff

MOST_ARRANGEMENTS: Final = 1000
"""Of one hand of 11 cards no more than some dozens are equally cheap."""


@dataclass(frozen=True, slots=True)
class KnockOption:
    """One of the knocker's cheapest arrangements and what it leaves a defender.

    Attributes:
        arrangement: melds and deadwood.
        penalty: points of the deadwood.
        defender_left: points that the known defender keeps at best; None for an unknown one.
        fitting_points: points of all unseen cards that fit the melds at once.
        open_points: points of all unseen cards that can be laid off one after the other.
    """

    arrangement: Arrangement
    penalty: int
    defender_left: int | None
    fitting_points: int
    open_points: int

    def to_json(self) -> dict[str, Any]:
        """Return the option as plain JSON."""
        return {
            **self.arrangement.to_json(),
            "penalty": self.penalty,
            "defender_left": self.defender_left,
            "fitting_points": self.fitting_points,
            "open_points": self.open_points,
        }


def knocker_choice(
    hand: HandLike, rules: GameRules, defender: HandLike | None = None
) -> list[KnockOption]:
    """Return the knocker's cheapest arrangements, the best to lay first.

    Against a known defender the best leaves that player most points (own melds and lay-offs
    chosen best). Against an unknown one it is open to the fewest points: of the cards nobody has
    seen that fit at once, then of all that could follow. Against gin nothing is laid off, so that
    all are equal.

    Args:
        hand: the knocker's cards, the discard taken off.
        rules: the game.
        defender: the defender's cards when they are known.

    Raises:
        As ``optimal_arrangements`` and ``best_layoff``.
    """
    counts = take_hand(hand, rules)
    found = optimal_arrangements(counts, rules, limit=MOST_ARRANGEMENTS)
    gin = found.penalty == 0
    options = []
    for arrangement in found.arrangements:
        left = None
        if defender is not None:
            plan = joint_layoff(defender, arrangement.melds, rules, against_gin=gin)
            left = plan.penalty
        fitting, open_points = (0, 0) if gin else _openness(counts, arrangement, rules)
        options.append(KnockOption(arrangement, found.penalty, left, fitting, open_points))
    return sorted(options, key=lambda o: (-(o.defender_left or 0), o.fitting_points, o.open_points))


def _openness(counts: Counts, arrangement: Arrangement, rules: GameRules) -> tuple[int, int]:
    """Return the points of unseen cards that fit at once, and of those that can follow."""
    points = rules.meld.points
    unseen = np.zeros(N_CARDS, np.uint8)
    for card in range(N_CARDS):
        most = max_copies(card, rules.deck)
        unseen[card] = max(0, (1 if most is None else most) - int(counts[card]))
    lying = [Lying(meld) for meld in arrangement.melds]
    fitting = sum(
        int(unseen[card]) * points[card]
        for card in range(N_CARDS)
        if unseen[card] and any(_fits(on, card, rules) for on in lying)
    )
    open_cards = np.zeros(N_CARDS, np.uint8)
    for on in lying:
        plan = best_layoff(unseen, [on], rules)
        open_cards = np.maximum(open_cards, unseen - counts_of(plan.left))
    return fitting, sum(int(n) * p for n, p in zip(open_cards, points, strict=True))


def _fits(lying: Lying, card: Card, rules: GameRules) -> bool:
    """Return whether a natural card may be added to a meld at once."""
    ends: tuple[End, ...] = ("-", "+") if lying.meld.kind == MeldKind.RUN else ("",)
    for end in ends:
        try:
            add_card(lying, card, end, None, rules)
        except HandError:
            continue
        return True
    return False
