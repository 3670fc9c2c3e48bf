"""The best discard, solved exactly: the optimum of every hand that one discard leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solver.arguments import TRUTH, checked
from solver.cards import Card, HandLike, format_card
from solver.errors import HandError
from solver.rules.argument import RULES
from solver.rules.model import GameRules
from solver.solve.many import solve_many
from solver.solve.one import take_hand


@dataclass(frozen=True, slots=True)
class DiscardOption:
    """One card to discard and the least penalty of the rest.

    Attributes:
        card: id of the card.
        penalty: least penalty of the other cards, under the contract if one is asked; 0 means
            that one can go out with it.
    """

    card: Card
    penalty: int

    def __repr__(self) -> str:
        return f"<DiscardOption {format_card(self.card)} leaves {self.penalty}>"

    def to_json(self) -> dict[str, Any]:
        """Return the option as plain JSON."""
        return {"card": format_card(self.card), "penalty": self.penalty}


@checked(rules=RULES, ignore_contract=TRUTH)
def best_discard(
    hand: HandLike, rules: GameRules, *, ignore_contract: bool = False
) -> list[DiscardOption]:
    """Return every different discard of a hand of n+1 cards, best first.

    Under a contract the others are laid as the contract asks; where they cannot be, all of them
    count. ``ignore_contract`` leaves it out, as if the player were down.

    Ties: the card that costs most in hand first, wilds last, then by id, so that advice never
    throws a wild or keeps a dear card without reason.

    Raises:
        HandError: ``hand.empty`` when there is nothing to discard. Otherwise as ``solve``.
    """
    counts = take_hand(hand, rules)
    cards = [int(c) for c in np.flatnonzero(counts)]
    if not cards:
        raise HandError("expected at least one card to discard, got none", code="hand.empty")
    rest = np.repeat(counts[None, :], len(cards), axis=0)
    rest[np.arange(len(cards)), cards] -= 1
    found = solve_many(rest, rules, ignore_contract=ignore_contract)
    options = [DiscardOption(c, int(p)) for c, p in zip(cards, found, strict=True)]
    meld = rules.meld
    return sorted(
        options, key=lambda o: (o.penalty, meld.is_wild(o.card), -meld.points[o.card], o.card)
    )
