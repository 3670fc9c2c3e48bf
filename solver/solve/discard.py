"""The best discard, solved exactly: the optimum of every hand that one discard leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solver.arguments import TRUTH, checked
from solver.cards import Card, HandLike, format_card
from solver.deadline import Deadline, TimeLimit
from solver.errors import HandError
from solver.rules.argument import RULES
from solver.rules.model import GameRules
from solver.solve.many import price_rows
from solver.solve.one import take_hand


@dataclass(frozen=True, slots=True)
class DiscardOption:
    """One card to discard and the least penalty of the rest.

    Attributes:
        card: id of the card.
        penalty: least penalty of the other cards, under the contract if one is asked; 0 means
            that one can go out with it.
        lower_bound: nothing less is possible; below the penalty when time or work ran out.
    """

    card: Card
    penalty: int
    lower_bound: int

    @property
    def proved(self) -> bool:
        """Return whether no arrangement of the other cards costs less."""
        return self.lower_bound == self.penalty

    def __repr__(self) -> str:
        return f"<DiscardOption {format_card(self.card)} leaves {self.penalty}>"

    def to_json(self) -> dict[str, Any]:
        """Return the option as plain JSON; a penalty that is not proved says so."""
        found: dict[str, Any] = {"card": format_card(self.card), "penalty": self.penalty}
        return found if self.proved else {**found, "proved": False, "lower_bound": self.lower_bound}


@checked(rules=RULES, ignore_contract=TRUTH)
def best_discard(
    hand: HandLike,
    rules: GameRules,
    *,
    ignore_contract: bool = False,
    time_limit_s: TimeLimit = None,
) -> list[DiscardOption]:
    """Return every different discard of a hand of n+1 cards, best first.

    Under a contract the others are laid as the contract asks; where they cannot be, all of them
    count. ``ignore_contract`` leaves it out, as if the player were down.

    Ties: the card that costs most in hand first, wilds last, then by id, so that advice never
    throws a wild or keeps a dear card without reason.

    ``time_limit_s`` is for all discards together. When it is used up, or the bound on the work
    that holds without one, penalties are the best found and not ``proved``.

    Raises:
        HandError: ``hand.empty`` when there is nothing to discard. Otherwise as ``solve``.
    """
    deadline = Deadline.after(time_limit_s)
    counts = take_hand(hand, rules)
    cards = [int(c) for c in np.flatnonzero(counts)]
    if not cards:
        raise HandError("expected at least one card to discard, got none", code="hand.empty")
    rest = np.repeat(counts[None, :], len(cards), axis=0)
    rest[np.arange(len(cards)), cards] -= 1
    found = price_rows(rest, rules, ignore_contract=ignore_contract, deadline=deadline)
    options = [
        DiscardOption(c, int(p), int(least)) for c, p, least in zip(cards, *found, strict=True)
    ]
    meld = rules.meld
    return sorted(
        options, key=lambda o: (o.penalty, meld.is_wild(o.card), -meld.points[o.card], o.card)
    )
