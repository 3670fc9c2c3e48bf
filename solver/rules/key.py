"""One option of the rules: the record it fills, its kind, unit and meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from solver.rules.kinds import BadValue, Bool, Int, Kind, is_none, read_json

Part: TypeAlias = Literal["meld", "deck", "flow", "round"]

MAX_CARDS: Final = 120
"""No hand is larger; limits of melds need not be either."""


@dataclass(frozen=True, slots=True)
class Key:
    """One option.

    Attributes:
        name: the key.
        part: record that the key fills; ``round`` for what selects a round.
        kind: reader of its values.
        meaning: one line for people.
        unit: unit of numbers, "" when it has none.
        nullable: whether it may be none (off, or no limit).
        shorthand: whether it only sets other keys.
    """

    name: str
    part: Part
    kind: Kind
    meaning: str
    unit: str = ""
    nullable: bool = False
    shorthand: bool = False

    def parse(self, value: object) -> Any:  # noqa: ANN401 - canonical values differ by kind
        """Return the canonical value; raise BadValue."""
        if self.nullable and is_none(value):
            return None
        try:
            return self.kind.parse(read_json(value))
        except BadValue as bad:
            expected = f"{bad.expected} or none" if self.nullable else bad.expected
            raise BadValue(expected, code=bad.code) from None

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values with the meaning."""
        schema = self.kind.schema()
        if self.nullable:
            schema = {"anyOf": [schema, {"type": "null"}]}
        unit = f" ({self.unit})" if self.unit else ""
        return {"description": self.meaning + unit, **schema}


CARDS: Final = Int(0, MAX_CARDS)
LENGTH: Final = Int(1, MAX_CARDS)
POINTS: Final = Int(0, 1000)
SIGNED: Final = Int(-1000, 1000)
COUNT: Final = Int(0, 1000)
BOOL: Final = Bool()
