"""What advice says: moves with exact values, best first, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from solver.cards import Card, format_card
from solver.engine.moves import Move
from solver.engine.notation import format_move
from solver.rules.model import GameRules
from solver.table import Plan

Horizon: TypeAlias = Literal["now", "this_turn", "next_turn"]
"""When the points of a value are counted: at once, or at the end of the seat's own turn."""


@dataclass(frozen=True, slots=True)
class Mean:
    """An exact mean over equally likely cards.

    Attributes:
        total: sum over all the cards.
        of: number of cards (or of ways to draw several), 1 when nothing is left to chance.
    """

    total: int
    of: int = 1

    @property
    def exact(self) -> Fraction:
        """Return the mean as a fraction."""
        return Fraction(self.total, self.of)

    @property
    def value(self) -> float:
        """Return the mean as a float, for show."""
        return self.total / self.of

    def text(self) -> str:
        """Return the mean for people: a whole number or two decimals."""
        return f"{self.total // self.of}" if self.total % self.of == 0 else f"{self.value:.2f}"

    def to_json(self) -> dict[str, Any]:
        """Return both integers and the float."""
        return {"value": self.value, "total": self.total, "of": self.of}


@dataclass(frozen=True, slots=True)
class Option:
    """One move and what it is worth.

    Attributes:
        move: the move.
        value: points expected to be left in the own hand at the horizon of the advice.
        leaves: points left right after the move; None while a card is still to be drawn.
        ends: whether the move goes out or knocks.
        chance_out: chance to go out (knock, go down) in the turn after the move.
        missing: cards still missing to the contract, wild limits aside; None without a contract.
        called: whether the discard fits the table, so that others may call rummy.
        plan: what is laid, in order, when the move begins such a plan.
    """

    move: Move
    value: Mean
    leaves: int | None = None
    ends: bool = False
    chance_out: Mean | None = None
    missing: Mean | None = None
    called: bool = False
    plan: Plan | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the option as plain JSON."""
        return {
            "move": format_move(self.move),
            "value": self.value.to_json(),
            "leaves": self.leaves,
            "ends": self.ends,
            "chance_out": _json(self.chance_out),
            "missing": _json(self.missing),
            "called": self.called,
            "plan": None if self.plan is None else self.plan.to_json(),
        }


def _json(mean: Mean | None) -> dict[str, Any] | None:
    return None if mean is None else mean.to_json()


@dataclass(frozen=True, slots=True)
class Out:
    """A card that would help.

    Attributes:
        card: the card.
        copies: how many of it are unseen.
        leaves: points left when it is drawn and the best discard made.
        gain: points that it saves against the hand as it is.
        ends: whether one can go out (knock, go down) with it.
    """

    card: Card
    copies: int
    leaves: int
    gain: int
    ends: bool

    def to_json(self) -> dict[str, Any]:
        """Return the out as plain JSON."""
        return {
            "card": format_card(self.card),
            "copies": self.copies,
            "leaves": self.leaves,
            "gain": self.gain,
            "ends": self.ends,
        }


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do now.

    Attributes:
        rules: rules of the round.
        seat: who is advised.
        phase: what is asked for.
        horizon: when the points of the values are counted.
        options: every move weighed, best first.
        outs: cards that help, most points saved first: those of the hand as it is before a draw,
            of the hand that the advised discard leaves after it.
        n_unseen: cards the seat cannot place.
        reason: why, in one sentence.
        exact: always True: values are sums over all cards, none is sampled.
    """

    rules: GameRules
    seat: int
    phase: str
    horizon: Horizon
    options: tuple[Option, ...]
    outs: tuple[Out, ...]
    n_unseen: int
    reason: str
    exact: bool = True

    def __str__(self) -> str:
        return f"{format_move(self.move)}: {self.reason}"

    def __repr__(self) -> str:
        return f"<Advice {self}>"

    @property
    def move(self) -> Move:
        """Return the move advised."""
        return self.options[0].move

    @property
    def value(self) -> Mean:
        """Return what the move advised is worth."""
        return self.options[0].value

    @property
    def alternatives(self) -> tuple[Option, ...]:
        """Return the other moves, best first."""
        return self.options[1:]

    def to_json(self) -> dict[str, Any]:
        """Return the advice as plain JSON."""
        best = self.options[0].to_json()
        return {
            "seat": self.seat,
            "phase": self.phase,
            "move": best["move"],
            "value": best["value"],
            "horizon": self.horizon,
            "best": best,
            "alternatives": [option.to_json() for option in self.alternatives],
            "outs": [out.to_json() for out in self.outs],
            "n_unseen": self.n_unseen,
            "reason": self.reason,
            "exact": self.exact,
        }


def card_order(rules: GameRules) -> Callable[[Card], tuple[bool, int, int]]:
    """Return the key that breaks ties between discards: wilds last, dear cards first."""
    meld = rules.meld
    return lambda card: (meld.is_wild(card), -meld.points[card], card)
