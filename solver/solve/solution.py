"""What solving a hand returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from solver.cards import format_card
from solver.deadline import Deadline
from solver.melds import Arrangement, cost_words
from solver.rules.model import GameRules
from solver.rules.question import contract_words, question_notes, round_words


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

    def __str__(self) -> str:
        bound = "proved" if self.proved else f"at least {self.lower_bound}"
        return "; ".join((f"{self.penalty} ({bound}): {self.arrangement}", *self._said))

    def __repr__(self) -> str:
        return f"<Solution {self}>"

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what must be said beside the answer.

        What the question left open or out, and why the penalty is not what the cards left over
        add up to, where it is not.
        """
        return (*self.asked_notes, *cost_words(self.arrangement, self.rules))

    @property
    def asked_notes(self) -> tuple[str, ...]:
        """Return what the question left open or out, whatever the melds."""
        laid = self.arrangement
        n_cards = sum(len(meld.cards) for meld in laid.melds) + len(laid.deadwood)
        return question_notes(self.rules, n_cards, ignore_contract=self.contract_met is None)

    @property
    def _said(self) -> tuple[str, ...]:
        """Return the notes, and what became of the contract if one was asked."""
        if self.contract_met is None:
            return self.notes
        laid = "is laid" if self.contract_met else "cannot be laid, so every card counts"
        return (*self.notes, f"the contract, {contract_words(self.rules)}, {laid}")

    @property
    def headline(self) -> str:
        """Return the answer in one line: what was asked, what was left out, whether it is proved.

        Example:
            >>> from solver import load_rules, solve
            >>> solve("3S 9D 9H", load_rules("three-thirteen")).headline
            'penalty 21  (no round chosen: nothing is wild; proved: nothing costs less)'
        """
        claims = {
            None: "nothing costs less",
            True: "nothing leaves less",
            False: "there is no way to lay it",
        }
        proof = f"not proved in the time allowed, at least {self.lower_bound}"
        if self.proved:
            proof = f"proved: {claims[self.contract_met]}"
        return f"penalty {self.penalty}  ({'; '.join((*self._said, proof))})"

    def check_proved(self) -> Self:
        """Return the solution itself, for what must be the least: a score, a file of penalties.

        Raises:
            LimitError: ``limit.work``, ``limit.time`` when it is not proved.
        """
        if not self.proved:
            raise Deadline.after(None).used_up()
        return self

    def to_json(self) -> dict[str, Any]:
        """Return the answer as plain JSON: cards as text, points of each card left over."""
        points = self.rules.meld.points
        return {
            "penalty": self.penalty,
            "contract_met": self.contract_met,
            "note": list(self.notes),
            "headline": self.headline,
            "melds": [meld.to_json() for meld in self.arrangement.melds],
            "deadwood": [
                {"card": format_card(c), "points": points[c]} for c in self.arrangement.deadwood
            ],
            "text": self.arrangement.text(),
            "proved": self.proved,
            "lower_bound": self.lower_bound,
            "engine": self.engine,
            "elapsed_us": self.elapsed_us,
            "rules": {
                "name": self.rules.name,
                "round": round_words(self.rules),
                "fingerprint": self.rules.fingerprint,
            },
        }
