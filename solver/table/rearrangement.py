"""The answer of a rearrangement: the melds afterwards, whence their cards, what is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from solver.cards import Card, format_card, format_hand
from solver.melds import Meld
from solver.rules.model import GameRules
from solver.table.bound import Exchange

Objective: TypeAlias = Literal["tiles", "value", "penalty"]
OBJECTIVES: Final = ("tiles", "value", "penalty")


@dataclass(frozen=True, slots=True)
class NewMeld:
    """A meld on the table after a rearrangement.

    Attributes:
        meld: the meld.
        origins: for each of its cards the number of the table meld it came from, None: the rack.
        kept: number of the table meld that it is, as it lay; None for a changed or new one.
    """

    meld: Meld
    origins: tuple[int | None, ...]
    kept: int | None

    def text(self) -> str:
        """Return the meld and where its cards come from."""
        if self.kept is not None:
            return f"{self.meld.text()} stays"
        parts: dict[int | None, list[str]] = {}
        for card, origin in zip(self.meld.cards, self.origins, strict=True):
            parts.setdefault(origin, []).append(format_card(card))
        told = [
            f"{' '.join(cards)} from {'the rack' if i is None else f'meld {i + 1}'}"
            for i, cards in parts.items()
        ]
        return f"{self.meld.text()}: {', '.join(told)}"

    def to_json(self) -> dict[str, Any]:
        """Return the meld, its origins (null: the rack) and the meld it was as plain JSON."""
        return {**self.meld.to_json(), "origins": list(self.origins), "kept": self.kept}


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """The best that a rack can add to a table.

    Attributes:
        objective: what was maximised over the rack cards laid (``penalty``: what is left over,
            minimised).
        value: cards laid, their value, or the points left on the rack.
        n_laid: rack cards laid.
        melds: the melds afterwards, changed and new ones first.
        left: cards left on the rack, ascending.
        penalty: points of the cards left.
        changed: numbers of the table melds that do not stay as they lie.
        proved: whether the value is the best there is.
        fewest_changes: whether it is proved that no arrangement of this value keeps more melds.
        unique: whether no other melds have this value; None when not asked or not known.
        unique_cards: whether no other choice of rack cards has this value; None likewise.
        exchanges: bound wilds that leave their places, and the cards that take these.
        engine: which engine found the value.
        rules: the game.
    """

    objective: Objective
    value: int
    n_laid: int
    melds: tuple[NewMeld, ...]
    left: tuple[Card, ...]
    penalty: int
    changed: tuple[int, ...]
    proved: bool
    fewest_changes: bool
    unique: bool | None
    unique_cards: bool | None
    exchanges: tuple[Exchange, ...]
    engine: str
    rules: GameRules

    def __str__(self) -> str:
        bound = "proved" if self.proved else "not proved"
        melds = "; ".join(new.text() for new in self.melds) or "no melds"
        left = format_hand(self.left) or "-"
        return f"{self.objective} {self.value} ({bound}): {melds} / left {left}"

    def __repr__(self) -> str:
        return f"<Rearrangement {self}>"

    @property
    def moves(self) -> tuple[NewMeld, ...]:
        """Return the melds that are new or changed."""
        return tuple(new for new in self.melds if new.kept is None)

    def to_json(self) -> dict[str, Any]:
        """Return the rearrangement as plain JSON."""
        points = self.rules.meld.points
        return {
            "objective": self.objective,
            "value": self.value,
            "laid": self.n_laid,
            "penalty": self.penalty,
            "melds": [new.to_json() for new in self.melds],
            "moves": [new.text() for new in self.moves],
            "left": [{"card": format_card(c), "points": points[c]} for c in self.left],
            "changed": list(self.changed),
            "proved": self.proved,
            "fewest_changes": self.fewest_changes,
            "unique": self.unique,
            "unique_cards": self.unique_cards,
            "exchanges": [each.to_json() for each in self.exchanges],
            "engine": self.engine,
        }
