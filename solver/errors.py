"""Exception classes of the package, each with a stable code string."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from numbers import Integral, Real
from typing import Any, Final, Self

QUOTED: Final = 40
"""Characters of a value that a message quotes at most."""
MOST_CHARS: Final = 500
"""Characters of a message at most."""
MOST_JOINED: Final = 10
"""Faults whose messages stand in that of their error."""
_DIGITS: Final = 18
_DEPTH: Final = 2
_ITEMS: Final = 8


def quoted(value: object, limit: int = QUOTED) -> str:
    """Return a value as a message quotes it: short, and never in terms of Python.

    A text stands in single quotes; numbers, truth values, lists and objects as JSON writes them;
    None is ``nothing``. Of anything else only is said that it is of another kind.

    Example:
        >>> quoted("7X"), quoted(None), quoted(True), quoted(["7S", 2]), quoted(b"7S")
        ("'7X'", 'nothing', 'true', '["7S", 2]', 'bytes')
    """
    if isinstance(value, str):
        return repr(_cut(value, limit))
    return "nothing" if value is None else _cut(_as_json(value, limit, _DEPTH), limit)


def span(least: int, most: int) -> str:
    """Return a range of whole numbers in a message: ``"2..8"``, ``"2"`` where there is one."""
    return str(least) if least == most else f"{least}..{most}"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _as_json(value: object, limit: int, depth: int) -> str:
    """Return a value as JSON writes it; the middle of large and the bottom of deep ones is cut."""
    if isinstance(value, str):
        return json.dumps(_cut(value, limit), ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, Real):
        return _number(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return "bytes"
    if isinstance(value, Mapping | list | tuple):
        return _nested(value, limit, depth)
    return "a value of another kind"


def _number(value: Real) -> str:
    if not isinstance(value, Integral):
        return format(float(value), "g")
    number = int(value)
    return str(number) if abs(number) < 10**_DIGITS else "a number of too many digits"


def _nested(value: Mapping[Any, Any] | Sequence[Any], limit: int, depth: int) -> str:
    left, right = "{}" if isinstance(value, Mapping) else "[]"
    if depth == 0 and value:
        return f"{left}...{right}"
    first: list[Any] = list(islice(value, _ITEMS))
    texts = [_as_json(item, limit, depth - 1) for item in first]
    if isinstance(value, Mapping):
        values = [_as_json(value[key], limit, depth - 1) for key in first]
        texts = [f"{text}: {shown}" for text, shown in zip(texts, values, strict=True)]
    more = ["..."] if len(value) > _ITEMS else []
    return f"{left}{', '.join([*texts, *more])}{right}"


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

    def __post_init__(self) -> None:
        """Cut what is no message any more, such as one that lists thousands of cards."""
        if len(self.message) > MOST_CHARS:
            object.__setattr__(self, "message", f"{self.message[: MOST_CHARS - 3]}...")

    def to_json(self) -> dict[str, Any]:
        """Return the fault as a plain JSON object."""
        return {
            "code": self.code,
            "pointer": self.where,
            "detail": self.message,
            **({"data": dict(self.data)} if self.data else {}),
        }


def joined(faults: Sequence[Fault]) -> str:
    """Return the messages of faults in one line, of the first where there are many."""
    told = [fault.message for fault in faults[:MOST_JOINED]]
    more = len(faults) - len(told)
    return "; ".join([*told, *([f"{more} more"] if more else [])])


class MeldSolverError(Exception):
    """Base of all errors of this package; carries every fault that was found.

    Args:
        message: one line for people.
        code: stable code; taken from the first fault when faults are given.
        where: JSON pointer of the fault; taken from the first fault likewise.
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
        self.where = where or (faults[0].where if faults else "")
        self.faults = faults or (Fault(self.code, where, message, data or {}),)

    @classmethod
    def from_faults(cls, faults: Sequence[Fault]) -> Self:
        """Make one error of all faults; its message joins those of the first."""
        return cls(joined(faults), faults=tuple(faults))


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


class InternalError(MeldSolverError):
    """An answer of this program that its own judge refuses: our mistake, told with the input."""

    default_code = "internal.answer"


@contextmanager
def own_answer(question: Callable[[], str]) -> Iterator[None]:
    """Turn what the judge finds wrong with an answer of our own into an InternalError.

    Args:
        question: what was asked, in words: the hand, the rules, the table.

    Raises:
        InternalError: ``internal.answer``, never the fault of a hand.
    """
    try:
        yield
    except (HandError, AssertionError) as error:
        asked = question()
        message = f"expected an answer that the judge accepts, got one that it refuses: {error}"
        raise InternalError(f"{message} (asked: {asked})", data={"question": asked}) from error
