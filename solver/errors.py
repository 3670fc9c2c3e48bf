"""Exception classes of the package, each with a stable code string."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with an input.

    Attributes:
        code: stable identifier such as ``"card.unknown"``; clients may switch on it.
        where: place of the fault as a JSON pointer into the input (``"/hand/3"``), may be "".
        message: one line, lower case, what was expected and what came.
        data: further facts (JSON values only).
    """

    code: str
    where: str
    message: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the fault as a plain JSON object."""
        return {
            "code": self.code,
            "pointer": self.where,
            "detail": self.message,
            **({"data": dict(self.data)} if self.data else {}),
        }


class MeldSolverError(Exception):
    """Base of all errors of this package; carries every fault that was found.

    Args:
        message: one line for people.
        code: stable code; taken from the first fault when faults are given.
        where: JSON pointer of the fault.
        faults: all faults, when several were found at once.
        data: further facts (JSON values only).
    """

    default_code = "error"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        where: str = "",
        faults: tuple[Fault, ...] = (),
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep the message and its facts."""
        super().__init__(message)
        self.code = code or (faults[0].code if faults else self.default_code)
        self.where = where
        self.faults = faults or (Fault(self.code, where, message, data or {}),)

    @classmethod
    def from_faults(cls, faults: Sequence[Fault]) -> Self:
        """Make one error of all faults; its message joins theirs."""
        return cls("; ".join(f.message for f in faults), faults=tuple(faults))


class NotationError(MeldSolverError, ValueError):
    """A text is not in the notation of cards, moves or records."""

    default_code = "notation"


class RulesError(MeldSolverError, ValueError):
    """Rules that are unknown, incomplete or contradict themselves."""

    default_code = "rules"


class HandError(MeldSolverError, ValueError):
    """A hand or an arrangement that the rules or the deck do not allow."""

    default_code = "hand"


class IllegalMoveError(MeldSolverError, ValueError):
    """A move that the referee refuses."""

    default_code = "move.illegal"


class LimitError(MeldSolverError):
    """A request beyond a published limit, or a question no engine covers."""

    default_code = "limit"
