"""JSON read as RFC 8259 has it: no NaN, and no object that names a key twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from solver.errors import Fault, joined

_SHOWN: Final = 60


class DuplicateKeysError(ValueError):
    """An object names a key twice; ``faults`` tell which, each ``json.duplicate``."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(joined(faults))
        self.faults = faults


class _Duplicate(Exception):
    """Some object names a key twice; where is looked for only then."""


class _Pairs(list[tuple[str, Any]]):
    """The members of an object in order, told apart from an array."""


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Duplicate
    return found


def _refuse(name: str) -> object:
    raise ValueError(f"expected a JSON number, got {name}")


_READ: Final = json.JSONDecoder(object_pairs_hook=_mapping, parse_constant=_refuse).decode
_READ_PAIRS: Final = json.JSONDecoder(object_pairs_hook=_Pairs, parse_constant=_refuse).decode


def read_strict(text: bytes | str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a JSON text.

    Raises:
        DuplicateKeysError: an object names a key twice. ValueError: no JSON, no UTF-8, or NaN
        or Infinity. RecursionError: nested too deep.

    Example:
        >>> read_strict('{"rules": "gin"}')
        {'rules': 'gin'}
    """
    document = text.decode() if isinstance(text, bytes) else text
    try:
        return _READ(document)
    except _Duplicate:
        raise DuplicateKeysError(list(_duplicates(_READ_PAIRS(document), ""))) from None


def _duplicates(node: object, pointer: str) -> Iterator[Fault]:
    """Yield a fault for each key that an object names again."""
    if isinstance(node, _Pairs):
        seen: set[str] = set()
        told: set[str] = set()
        for key, value in node:
            place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            if key in seen and key not in told:
                told.add(key)
                message = f"expected key '{key:.{_SHOWN}}' once in an object, got it repeatedly"
                yield Fault("json.duplicate", place, message)
            seen.add(key)
            yield from _duplicates(value, place)
    elif isinstance(node, list):
        for i, item in enumerate(node):
            yield from _duplicates(item, f"{pointer}/{i}")
