"""Kinds of option values: each reads texts, JSON and Python values into one canonical form.

Canonical values are hashable: None, bool, int, str and tuples of these; a mapping is a tuple of
(key, value) pairs. Reading a canonical value again gives the same value, so options survive a
round trip through JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, Final, Protocol

_INT_RE = re.compile(r"[+-]?[0-9]{1,9}")
_SPLIT_RE = re.compile(r"[\s,;+|]+")
_TRUE: Final = frozenset({"true", "yes", "on"})
_FALSE: Final = frozenset({"false", "no", "off"})
_NONE: Final = frozenset({"none", "null"})
MAX_ITEMS: Final = 200
_MAX_JSON: Final = 10_000


class BadValue(Exception):
    """A value that does not fit its option.

    Attributes:
        code: ``rules.type`` or ``rules.range``.
        expected: what was expected, in words.
    """

    def __init__(self, expected: str, *, code: str = "rules.type") -> None:
        """Keep what was expected."""
        super().__init__(expected)
        self.code = code
        self.expected = expected


class Kind(Protocol):
    """How the values of one option are read and described."""

    def parse(self, value: object) -> Any:  # noqa: ANN401 - canonical values differ by kind
        """Return the canonical value; raise BadValue."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""


def read_int(value: object, expected: str) -> int:
    """Return a whole number given as such or as text; raise BadValue."""
    if isinstance(value, str) and _INT_RE.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, bool):
        raise BadValue(expected)
    try:
        return index(value)  # type: ignore[arg-type]  # what is no whole number is refused
    except TypeError:
        raise BadValue(expected) from None


def read_items(value: object, expected: str) -> list[object]:
    """Return the items of a list or of a text split at separators."""
    if isinstance(value, str):
        items: list[object] = [t for t in _SPLIT_RE.split(value) if t]
    elif isinstance(value, Collection) and not isinstance(value, Mapping | bytes):
        try:
            items = list(value)
        except TypeError:  # an array of no dimension has a length that cannot be asked
            raise BadValue(expected) from None
    else:
        raise BadValue(expected)
    if len(items) > MAX_ITEMS:
        raise BadValue(f"{expected}, at most {MAX_ITEMS} of them", code="rules.range")
    return items


def read_pairs(value: object, expected: str) -> list[tuple[object, object]]:
    """Return the pairs of a mapping, of a list of pairs or of a text ``"A=15, K=13"``."""
    if isinstance(value, Mapping):
        return list(value.items())
    pairs: list[tuple[object, object]] = []
    for item in read_items(value, expected):
        parts = re.split("[=:]", item) if isinstance(item, str) else item
        if not isinstance(parts, list | tuple) or len(parts) != 2:  # noqa: PLR2004 - a pair
            raise BadValue(expected)
        pairs.append((parts[0], parts[1]))
    return pairs


@dataclass(frozen=True, slots=True)
class Int:
    """A whole number within bounds."""

    lo: int
    hi: int

    def parse(self, value: object) -> int:
        """Return the number."""
        number = read_int(value, f"a whole number {self.lo}..{self.hi}")
        if not self.lo <= number <= self.hi:
            raise BadValue(f"{self.lo}..{self.hi}", code="rules.range")
        return number

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {"type": "integer", "minimum": self.lo, "maximum": self.hi}


@dataclass(frozen=True, slots=True)
class Bool:
    """True or false; texts true yes on, false no off."""

    def parse(self, value: object) -> bool:
        """Return the truth value."""
        if isinstance(value, bool):
            return value
        text = value.strip().lower() if isinstance(value, str) else ""
        if text in _TRUE or text in _FALSE:
            return text in _TRUE
        raise BadValue("true or false")

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words; ``pattern`` admits further texts, such as ``example``."""

    words: tuple[str, ...]
    pattern: str = ""
    example: str = ""

    def parse(self, value: object) -> str:
        """Return the word in lower case."""
        text = value.strip().lower() if isinstance(value, str) else ""
        if text in self.words or (self.pattern and re.fullmatch(self.pattern, text)):
            return text
        examples = [*self.words, *([self.example] if self.example else [])]
        raise BadValue("one of " + ", ".join(examples))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        words = {"type": "string", "enum": list(self.words)}
        if self.pattern:
            return {"anyOf": [words, {"type": "string", "pattern": f"^{self.pattern}$"}]}
        return words


@dataclass(frozen=True, slots=True)
class Ending:
    """When a game ends: ``7 rounds`` or ``100 points``."""

    def parse(self, value: object) -> str:
        """Return number and unit, one blank between them."""
        text = value.strip().lower() if isinstance(value, str) else ""
        match = re.fullmatch(r"0*([1-9][0-9]{0,4}) *(rounds|points)", text)
        if match is None:
            raise BadValue("an end such as 7 rounds or 100 points")
        return f"{match[1]} {match[2]}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {"type": "string", "pattern": "^[0-9]+ (rounds|points)$"}


@dataclass(frozen=True, slots=True)
class Words:
    """Some of a few words, in the order of the list of words."""

    words: tuple[str, ...]

    def parse(self, value: object) -> tuple[str, ...]:
        """Return the words given, each once."""
        expected = "a list of some of " + ", ".join(self.words)
        given = [str(item).strip().lower() for item in read_items(value, expected)]
        if not given or not set(given) <= set(self.words):
            raise BadValue(expected)
        return tuple(w for w in self.words if w in given)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {"type": "array", "items": {"enum": list(self.words)}, "minItems": 1}


@dataclass(frozen=True, slots=True)
class IntOr:
    """A whole number within bounds or one of some words."""

    lo: int
    hi: int
    words: tuple[str, ...]

    def parse(self, value: object) -> int | str:
        """Return the number or the word."""
        if isinstance(value, str) and value.replace(" ", "").lower() in self.words:
            return value.replace(" ", "").lower()
        try:
            return Int(self.lo, self.hi).parse(value)
        except BadValue as bad:
            words = " or ".join(self.words)
            raise BadValue(f"{bad.expected} or {words}", code=bad.code) from None

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {"anyOf": [Int(self.lo, self.hi).schema(), {"enum": list(self.words)}]}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two whole numbers within bounds, such as ``4,3``."""

    lo: int
    hi: int

    def parse(self, value: object) -> tuple[int, int]:
        """Return the pair."""
        expected = f"two whole numbers {self.lo}..{self.hi}"
        text = value.strip().strip("()[]") if isinstance(value, str) else value
        items = read_items(text, expected)
        if len(items) != 2:  # noqa: PLR2004 - a pair
            raise BadValue(expected)
        first, second = (read_int(item, expected) for item in items)
        if not (self.lo <= first <= self.hi and self.lo <= second <= self.hi):
            raise BadValue(expected, code="rules.range")
        return first, second

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        item = Int(self.lo, self.hi).schema()
        return {"type": "array", "items": item, "minItems": 2, "maxItems": 2}


def is_none(value: object) -> bool:
    """Return whether a value stands for "none" in an option that may be off."""
    return value is None or (isinstance(value, str) and value.strip().lower() in _NONE)


def read_json(value: object) -> object:
    """Return the list or mapping that a JSON text writes; any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return json.loads(value[:_MAX_JSON])
    except (ValueError, RecursionError):
        return value
