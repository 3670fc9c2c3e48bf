"""The JSON of a record, checked value by value: what was expected, what came, and where."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from solver.errors import Fault, NotationError, quoted
from solver.json_words import what_is_wrong

MAX_NAME: Final = 200
MAX_REASON: Final = 10_000
"""Characters of a fined move and its reason, which list cards and melds."""
_OPTION_DEPTH: Final = 8
MOST: Final = 10**9
"""Greatest number of a record."""


class RecordError(NotationError):
    """A record that is not in the format; ``where`` is the first bad place in it."""

    default_code = "record"


def parse_line(line: str | bytes) -> Mapping[str, Any]:
    """Return the JSON object of a line.

    Raises:
        RecordError: ``record.json``, no JSON; ``record.type``, JSON but no object.
    """
    try:
        data = json.loads(line)
    except json.JSONDecodeError as err:
        column = err.pos + 1
        raise RecordError(what_is_wrong(err), code="record.json", data={"column": column}) from None
    except (ValueError, RecursionError) as err:  # not UTF-8, a number or a nest too big
        raise RecordError(what_is_wrong(err), code="record.json") from None
    return mapping_of(data, "")


def fault(code: str, where: str, expected: str, got: object, **data: Any) -> RecordError:  # noqa: ANN401 - JSON values
    """Return the error for a value of a record."""
    message = f"expected {expected}, got {quoted(got, 80)}"
    facts = {"expected": expected, "got": quoted(got, 200), **data}
    return RecordError.from_faults([Fault(code, where, message, facts)])


def check_keys(
    data: Mapping[str, Any], keys: Sequence[str], where: str, *, optional: Sequence[str] = ()
) -> None:
    """Raise RecordError ``record.key`` for a key that is unknown or missing."""
    for key in data:
        if key not in keys:
            raise fault("record.key", f"{where}/{key}", f"one of {', '.join(keys)}", key)
    for key in keys:
        if key not in data and key not in optional:
            raise fault("record.key", where, f"a key {quoted(key)}", sorted(data))


def mapping_of(value: object, where: str) -> Mapping[str, Any]:
    """Return a JSON object, or raise ``record.type``."""
    if not isinstance(value, Mapping):
        raise fault("record.type", where, "an object", value)
    return value


def flat_options(options: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """Return options as they are; refuse a nest that nothing behind this could walk through."""
    level: list[Any] = [options]
    for _ in range(_OPTION_DEPTH):
        level = [
            inner
            for node in level
            if isinstance(node, dict | list)
            for inner in (node.values() if isinstance(node, dict) else node)
        ]
    if level:
        raise fault("record.type", where, "options without a deep nest", options)
    return options


def list_of(value: object, where: str) -> list[Any]:
    """Return a JSON list, or raise ``record.type``."""
    if not isinstance(value, list):
        raise fault("record.type", where, "a list", value)
    return value


def text_of(value: object, where: str, most: int = MAX_NAME) -> str:
    """Return a short text, or raise ``record.type``."""
    if not isinstance(value, str) or len(value) > most:
        raise fault("record.type", where, f"a text of at most {most} characters", value)
    return value


def is_seed(value: object) -> bool:
    """Return whether the generator takes a seed: half a surrogate pair has no bytes."""
    if isinstance(value, str):
        return len(value) <= MAX_NAME and not any("\ud800" <= c <= "\udfff" for c in value)
    return isinstance(value, int) and not isinstance(value, bool)


def number_of(value: object, where: str, lo: int, hi: int) -> int:
    """Return a whole number within bounds, or raise ``record.range``."""
    if isinstance(value, bool) or not isinstance(value, int) or not lo <= value <= hi:
        raise fault("record.range", where, f"a number {lo}..{hi}", value)
    return value


def numbers_of(value: object, where: str, n: int, lo: int, hi: int) -> tuple[int, ...]:
    """Return a row of n whole numbers, or raise ``record.seats`` or ``record.range``."""
    row = list_of(value, where)
    if len(row) != n:
        raise fault("record.seats", where, f"{n} entries", len(row))
    return tuple(number_of(v, f"{where}/{i}", lo, hi) for i, v in enumerate(row))
