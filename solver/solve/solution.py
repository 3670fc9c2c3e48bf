"""What solving a hand returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from solver.cards import format_card
from solver.melds import Arrangement
from solver.rules.model import GameRules


@dataclass(frozen=True, slots=True)
class Solution:
    """The best arrangement found for a hand, with what is known about it.

    Attributes:
        penalty: points of the arrangement under the rules, 0 or more.
        arrangement: melds and deadwood; judged by ``solver.melds`` before it left.
        proved: whether no arrangement costs less.
        lower_bound: no arrangement costs less than this; equals ``penalty`` when proved.
        engine: ``suit``, ``frontier`` or ``cpsat``.
        elapsed_us: time the answer took, microseconds.
        rules: the rules it holds for.
    """

    penalty: int
    arrangement: Arrangement
    proved: bool
    lower_bound: int
    engine: str
    elapsed_us: int
    rules: GameRules

    def to_json(self) -> dict[str, Any]:
        """Return the answer as plain JSON: cards as text, points of each card left over."""
        points = self.rules.meld.points
        return {
            "penalty": self.penalty,
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
