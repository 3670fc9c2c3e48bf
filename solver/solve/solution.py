"""What solving a hand returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from solver.cards import format_card
from solver.melds import Arrangement
from solver.rules.model import GameRules
from solver.rules.question import question_notes


@dataclass(frozen=True, slots=True)
class Solution:
    """The best arrangement found for a hand, with what is known about it.

    Attributes:
        penalty: points of the arrangement under the rules, 0 or more. Under a contract: points
            left in hand after it is laid, or of the whole hand when it cannot be.
        arrangement: melds and deadwood; judged by ``solver.melds`` before it left.
        proved: whether no arrangement costs less.
        lower_bound: no arrangement costs less than this; equals ``penalty`` when proved.
        engine: ``suit``, ``frontier`` or ``cpsat``.
        elapsed_us: time the answer took, microseconds.
        rules: the rules it holds for.
        contract_met: whether the contract can be laid; None when none was asked.
    """

    penalty: int
    arrangement: Arrangement
    proved: bool
    lower_bound: int
    engine: str
    elapsed_us: int
    rules: GameRules
    contract_met: bool | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what must be said beside the answer: what the question left open or out."""
        return question_notes(self.rules, ignore_contract=self.contract_met is None)

    def to_json(self) -> dict[str, Any]:
        """Return the answer as plain JSON: cards as text, points of each card left over."""
        points = self.rules.meld.points
        return {
            "penalty": self.penalty,
            "contract_met": self.contract_met,
            "note": list(self.notes),
            "melds": [meld.to_json() for meld in self.arrangement.melds],
            "deadwood": [
                {"card": format_card(c), "points": points[c]} for c in self.arrangement.deadwood
            ],
            "text": self.arrangement.text(),
            "proved": self.proved,
            "lower_bound": self.lower_bound,
            "engine": self.engine,
            "elapsed_us": self.elapsed_us,
            "rules": {"name": self.rules.name, "fingerprint": self.rules.fingerprint},
        }
