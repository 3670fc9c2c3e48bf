"""Kinds of option values: each reads texts, JSON and Python values into one canonical form.

Canonical values are hashable: None, bool, int, str and tuples of these; a mapping is a tuple of
(key, value) pairs. Reading a canonical value again gives the same value, so options survive a
round trip through JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from solver.cards import JOKER, N_RANKS, RANKS, format_card, parse_card, parse_cards
from solver.errors import NotationError

MAX_POINTS: Final = 1000
_INT_RE = re.compile(r"[+-]?[0-9]{1,9}")
_SPLIT_RE = re.compile(r"[\s,;+|]+")
_SIZES_RE = re.compile(r"([0-9]{1,3})(?:x([0-9]{1,3})|\.\.([0-9]{1,3}))?")
_MELD_RE = re.compile(r"(set|s|run|r|)([0-9]{1,2}|)", re.IGNORECASE)
_MELD_KINDS: Final = {"set": "set", "s": "set", "": "set", "run": "run", "r": "run"}
_TRUE: Final = frozenset({"true", "yes", "on"})
_FALSE: Final = frozenset({"false", "no", "off"})
_NONE: Final = frozenset({"none", "null"})
_MAX_ITEMS: Final = 200
_MAX_MELDS: Final = 40


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


def _read_int(value: object, expected: str) -> int:
    if isinstance(value, str) and _INT_RE.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise BadValue(expected)
    return int(value.__index__())


def _items(value: object, expected: str) -> list[object]:
    """Return the items of a list or of a text split at separators."""
    if isinstance(value, str):
        return [t for t in _SPLIT_RE.split(value) if t]
    if isinstance(value, Iterable) and not isinstance(value, Mapping | bytes):
        items = list(value)
        if len(items) <= _MAX_ITEMS:
            return items
    raise BadValue(expected)


def _pairs(value: object, expected: str) -> list[tuple[object, object]]:
    """Return the pairs of a mapping, of a list of pairs or of a text ``"A=15, K=13"``."""
    if isinstance(value, Mapping):
        return list(value.items())
    pairs: list[tuple[object, object]] = []
    for item in _items(value, expected):
        parts = re.split("[=:]", item) if isinstance(item, str) else item
        if not isinstance(parts, list | tuple) or len(parts) != 2:  # noqa: PLR2004 - a pair
            raise BadValue(expected)
        pairs.append((parts[0], parts[1]))
    return pairs


def read_rank(value: object) -> str:
    """Return the letter of a rank given as letter or number 1..13; raise BadValue."""
    expected = "a rank A 2 3 4 5 6 7 8 9 T J Q K"
    text = str(value).strip().upper() if isinstance(value, str | int) else ""
    if isinstance(value, bool):
        raise BadValue(expected)
    if text.isascii() and text.isdigit() and 1 <= int(text[:3]) <= N_RANKS:
        return RANKS[int(text) - 1]
    if len(text) == 1 and text in RANKS:
        return text
    raise BadValue(expected)


@dataclass(frozen=True, slots=True)
class Int:
    """A whole number within bounds."""

    lo: int
    hi: int

    def parse(self, value: object) -> int:
        """Return the number."""
        number = _read_int(value, f"a whole number {self.lo}..{self.hi}")
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
    """One of some words; ``pattern`` admits further texts."""

    words: tuple[str, ...]
    pattern: str = ""

    def parse(self, value: object) -> str:
        """Return the word in lower case."""
        text = str(value).strip().lower() if isinstance(value, str | int) else ""
        if not isinstance(value, bool) and (
            text in self.words or (self.pattern and re.fullmatch(self.pattern, text))
        ):
            return text
        raise BadValue("one of " + ", ".join(self.words))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        if self.pattern:
            return {"anyOf": [{"enum": list(self.words)}, {"type": ["string", "integer"]}]}
        return {"type": "string", "enum": list(self.words)}


@dataclass(frozen=True, slots=True)
class Words:
    """Some of a few words, in the order of the list of words."""

    words: tuple[str, ...]

    def parse(self, value: object) -> tuple[str, ...]:
        """Return the words given, each once."""
        expected = "a list of some of " + ", ".join(self.words)
        given = [str(item).strip().lower() for item in _items(value, expected)]
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
        items = _items(text, expected)
        if len(items) != 2:  # noqa: PLR2004 - a pair
            raise BadValue(expected)
        first, second = (_read_int(item, expected) for item in items)
        if not (self.lo <= first <= self.hi and self.lo <= second <= self.hi):
            raise BadValue(expected, code="rules.range")
        return first, second

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        item = Int(self.lo, self.hi).schema()
        return {"type": "array", "items": item, "minItems": 2, "maxItems": 2}


@dataclass(frozen=True, slots=True)
class Ranks:
    """A set of ranks as letters, in the order A..K; ``"none"`` is the empty set."""

    def parse(self, value: object) -> tuple[str, ...]:
        """Return the letters of the ranks, each once."""
        if isinstance(value, int) and not isinstance(value, bool):
            return (read_rank(value),)
        if value is None or (isinstance(value, str) and value.strip().lower() in _NONE):
            return ()
        given = {read_rank(item) for item in _items(value, "a list of ranks")}
        return tuple(r for r in RANKS if r in given)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {"type": "array", "items": RankOf().schema(), "uniqueItems": True}


@dataclass(frozen=True, slots=True)
class RankOf:
    """One rank as a letter."""

    def parse(self, value: object) -> str:
        """Return the letter of the rank."""
        return read_rank(value)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {"enum": list(RANKS)}


@dataclass(frozen=True, slots=True)
class CardList:
    """Cards as canonical texts in the order of ids, copies repeated; ``one`` for a single card."""

    one: bool = False

    def parse(self, value: object) -> tuple[str, ...] | str:
        """Return the texts, or the one text."""
        if not self.one and (
            value is None or (isinstance(value, str) and value.strip().lower() in _NONE)
        ):
            return ()
        expected = "a card such as 7H" if self.one else "cards such as 7H TD"
        try:
            if isinstance(value, str):
                if self.one:
                    return format_card(parse_card(value))
                return tuple(format_card(c) for c in sorted(parse_cards(value)))
            texts = [str(item) for item in _items(value, expected)]
            cards = sorted(parse_cards(texts))
        except NotationError as error:
            raise BadValue(f"{expected} ({error.faults[0].message})") from None
        if self.one:
            raise BadValue(expected)
        return tuple(format_card(c) for c in cards)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        text = {"type": "string"}
        return text if self.one else {"anyOf": [text, {"type": "array", "items": text}]}


@dataclass(frozen=True, slots=True)
class PointTable:
    """Points by rank letter or by exact card, pairs in the order ranks, cards, joker."""

    cards: bool = True

    def parse(self, value: object) -> tuple[tuple[str, int], ...]:
        """Return the pairs (rank or card, points)."""
        expected = f"ranks{' or cards' if self.cards else ''} with points, such as A=15, K=13"
        table: dict[tuple[int, int], tuple[str, int]] = {}
        for key, points in _pairs(value, expected):
            name, place = self._name(key, expected)
            number = _read_int(points, expected)
            if not 0 <= number <= MAX_POINTS:
                raise BadValue(f"points 0..{MAX_POINTS} for {name}", code="rules.range")
            table[place] = (name, number)
        return tuple(table[place] for place in sorted(table))

    def _name(self, key: object, expected: str) -> tuple[str, tuple[int, int]]:
        """Return the canonical name of a key and its place in the order."""
        try:
            rank = read_rank(key)
            return rank, (0, RANKS.index(rank))
        except BadValue:
            if not self.cards or not isinstance(key, str):
                raise BadValue(expected) from None
        try:
            card = parse_card(key)
        except NotationError as error:
            raise BadValue(f"{expected} ({error.faults[0].message})") from None
        return format_card(card), (2 if card == JOKER else 1, card)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {"type": "object", "additionalProperties": Int(0, MAX_POINTS).schema()}


@dataclass(frozen=True, slots=True)
class Schedule:
    """Wild ranks by the number of cards dealt: pairs (cards, letters)."""

    def parse(self, value: object) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """Return the pairs, fewest cards first."""
        expected = "cards dealt with their wild ranks, such as 14=A"
        table = {
            Int(1, 60).parse(cards): Ranks().parse(ranks)
            for cards, ranks in _pairs(value, expected)
        }
        return tuple(sorted(table.items()))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        ranks = {"anyOf": [{"type": "string"}, Ranks().schema()]}
        return {"type": "object", "additionalProperties": ranks}


@dataclass(frozen=True, slots=True)
class Steps:
    """Pairs (up to so many players, packs), ascending."""

    def parse(self, value: object) -> tuple[tuple[int, int], ...]:
        """Return the pairs, fewest players first."""
        expected = "players with packs, such as 4=2, 8=3"
        table = {
            Int(1, 60).parse(players): Int(1, 20).parse(packs)
            for players, packs in _pairs(value, expected)
        }
        return tuple(sorted(table.items()))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {"type": "object", "additionalProperties": Int(1, 20).schema()}


@dataclass(frozen=True, slots=True)
class Sizes:
    """Cards dealt in each deal: ``3..13``, ``10x4+12x3``, a list, or ``contract+1``."""

    def parse(self, value: object) -> tuple[int, ...] | str:
        """Return one size per deal, or the word ``contract+1``."""
        expected = "sizes 1..60 such as 3..13, 10x4+12x3, [10, 12] or contract+1"
        if isinstance(value, str) and value.replace(" ", "").lower() == "contract+1":
            return "contract+1"
        sizes: list[int] = []
        for item in _items([value] if isinstance(value, int) else value, expected):
            match = _SIZES_RE.fullmatch(item) if isinstance(item, str) else None
            if match is None:
                sizes.append(_read_int(item, expected))
            elif match[2]:
                sizes.extend([int(match[1])] * int(match[2]))
            else:
                sizes.extend(range(int(match[1]), int(match[3] or match[1]) + 1))
        if not sizes or len(sizes) > _MAX_ITEMS or not all(1 <= n <= 60 for n in sizes):  # noqa: PLR2004
            raise BadValue(expected, code="rules.range")
        return tuple(sizes)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": Int(1, 60).schema()}]}


@dataclass(frozen=True, slots=True)
class Contract:
    """Melds to lay: pairs (kind, least length); length 0 stands for the game's minimum."""

    def parse(self, value: object) -> tuple[tuple[str, int], ...]:
        """Return the pairs, sets first, then by length."""
        expected = "melds such as 3+r4, [set, run4] or [[set, 3], [run, 4]]"
        items = re.split(r"[\s,.+]+", value.strip()) if isinstance(value, str) else value
        melds = [self._meld(item, expected) for item in _items(items, expected)]
        if not 1 <= len(melds) <= _MAX_MELDS:
            raise BadValue(expected, code="rules.range")
        return tuple(sorted(melds, key=lambda m: (m[0] == "run", m[1])))

    def _meld(self, item: object, expected: str) -> tuple[str, int]:
        if isinstance(item, str | int) and not isinstance(item, bool):
            match = _MELD_RE.fullmatch(str(item).strip())
            if match is None or not str(item).strip():
                raise BadValue(expected)
            kind, length = match[1], match[2] or "0"
        elif isinstance(item, list | tuple) and len(item) == 2:  # noqa: PLR2004 - a pair
            kind, length = str(item[0]), item[1]
        else:
            raise BadValue(expected)
        if kind.lower() not in _MELD_KINDS:
            raise BadValue(expected)
        return _MELD_KINDS[kind.lower()], Int(0, 40).parse(length)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        pair = {"type": "array", "prefixItems": [{"enum": ["set", "run"]}, Int(0, 40).schema()]}
        item = {"anyOf": [{"type": "string"}, pair]}
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": item}]}


@dataclass(frozen=True, slots=True)
class Contracts:
    """The contract of each deal; in a text apart by semicolons."""

    def parse(self, value: object) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Return one contract per deal."""
        expected = "contracts such as 3.3; 3+r4; r4.r4"
        items = [t for t in value.split(";") if t.strip()] if isinstance(value, str) else value
        contracts = tuple(Contract().parse(item) for item in _items(items, expected))
        if not contracts:
            raise BadValue(expected, code="rules.range")
        return contracts

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": Contract().schema()}]}


def is_none(value: object) -> bool:
    """Return whether a value stands for "none" in an option that may be off."""
    return value is None or (isinstance(value, str) and value.strip().lower() in _NONE)
