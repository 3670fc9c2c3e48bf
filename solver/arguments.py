"""Arguments of public functions, judged before anything is done with them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, fields
from functools import wraps
from numbers import Integral
from typing import Any, Final, ParamSpec, TypeVar

from solver.errors import Fault, HandError, MeldSolverError, quoted

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kind:
    """What an argument must be.

    Attributes:
        is_right: tells whether a value is of the kind.
        expected: the kind in words, for the fault.
        error: class of the error.
        code: code of the fault.
    """

    is_right: Callable[[Any], bool]
    expected: str
    error: type[MeldSolverError] = HandError
    code: str = "argument.type"

    def or_none(self) -> Kind:
        """Return the kind of which None is too: nothing was said."""
        right = self.is_right
        return Kind(lambda v: v is None or right(v), self.expected, self.error, self.code)

    def fault(self, name: str, value: object) -> Fault:
        """Return the fault of an argument that is not of the kind."""
        return Fault(self.code, f"/{name}", f"expected {self.expected}, got {quoted(value)}")


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number; true and false are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_listed(value: object) -> bool:
    """Return whether a value is a list, a tuple, a set or the like; texts are none."""
    return isinstance(value, Sequence | Set) and not isinstance(value, str | bytes | bytearray)


def whole(
    least: int, most: int, what: str, *, error: type[MeldSolverError] = HandError, code: str
) -> Kind:
    """Return the kind of whole numbers within bounds."""
    return Kind(lambda v: is_whole(v) and least <= v <= most, what, error, code)


def record(cls: type, what: str, *, error: type[MeldSolverError] = HandError, code: str) -> Kind:
    """Return the kind of the records of one class."""
    return Kind(lambda v: isinstance(v, cls), what, error, code)


def one_of(words: Sequence[str], what: str, *, code: str, error: type[MeldSolverError]) -> Kind:
    """Return the kind of a few words."""
    expected = f"{what} of {', '.join(words)}"
    return Kind(lambda v: isinstance(v, str) and v in words, expected, error, code)


TRUTH: Final = Kind(lambda v: isinstance(v, bool), "true or false")
NUMBER: Final = Kind(is_whole, "a whole number")
NUMBERS: Final = Kind(lambda v: is_listed(v) and all(map(is_whole, v)), "a list of whole numbers")
TEXTS: Final = Kind(
    lambda v: is_listed(v) and all(isinstance(t, str) for t in v), "a list of texts"
)


def checked(**kinds: Kind) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function judge arguments by their names before it runs; all faults at once.

    Example:
        >>> @checked(n=whole(1, 8, "1..8 players", code="game.players"))
        ... def deal(n): ...
        >>> deal(0)
        Traceback (most recent call last):
        ...
        solver.errors.HandError: expected 1..8 players, got 0
    """

    def wrap(function: Callable[P, T]) -> Callable[P, T]:
        by_place = [(name, kinds.get(name)) for name in inspect.signature(function).parameters]
        assert kinds.keys() <= {name for name, _ in by_place}, "kinds of arguments it lacks"

        @wraps(function)
        def judged(*args: P.args, **named: P.kwargs) -> T:
            given = [
                (name, kind, value)
                for (name, kind), value in zip(by_place, args, strict=False)
                if kind is not None
            ]
            given += [(name, kinds[name], named[name]) for name in named if name in kinds]
            wrong = [(name, k, value) for name, k, value in given if not k.is_right(value)]
            if wrong:
                faults = [kind.fault(name, value) for name, kind, value in wrong]
                raise wrong[0][1].error.from_faults(faults)
            return function(*args, **named)

        return judged

    return wrap


def check_fields(of: object, kinds: Mapping[str, Kind], where: str = "") -> None:
    """Raise HandError with all faults of the fields of a record, each at ``where/name``."""
    values = [(f.name, getattr(of, f.name)) for f in fields(of)]  # type: ignore[arg-type]
    faults = [
        kinds[name].fault(f"{where}{name}", value)
        for name, value in values
        if name in kinds and not kinds[name].is_right(value)
    ]
    if faults:
        raise HandError.from_faults(faults)
