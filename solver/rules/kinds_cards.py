"""Kinds of option values about cards: ranks, cards, points, schedules, contracts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from solver.cards import JOKER, RANKS, format_card, parse_card, parse_cards
from solver.errors import NotationError
from solver.rules.kinds import MAX_ITEMS, BadValue, Int, is_none, read_int, read_items, read_pairs

MAX_POINTS: Final = 1000
MAX_MELDS: Final = 20
"""Most melds of a contract: 20 threes are the 60 cards that may be dealt."""
PACK_FOR_TWO: Final = "players/2"
"""One pack for every two players, and for an odd one too."""
_MELD_SIZES: Final = Int(2, 14)
"""Least lengths that a contract may ask for; an ace at both ends makes runs of 14."""
_SIZES_RE = re.compile(r"([0-9]{1,3})(?:x([0-9]{1,3})|\.\.([0-9]{1,3}))?")
_MELD_RE = re.compile(r"(sets?|s|runs?|r|)([0-9]{1,2}|)", re.IGNORECASE)
_COUNT_RE = re.compile(r"\b([0-9]{1,2})(?:\s*x\s*|\s+(?=set|run))", re.IGNORECASE)
_GAP_RE = re.compile(r"^\s*[,.+]|[,.+]\s*[,.+]|[,.+]\s*$")
_TIMES_RE = re.compile(r"([0-9]{1,2})x(.*)", re.IGNORECASE)
_NUMBER_RE = re.compile("[1-9]|1[0-3]")
_MELD_KINDS: Final = {
    **dict.fromkeys(("set", "sets", "s", ""), "set"),
    **dict.fromkeys(("run", "runs", "r"), "run"),
}
_MAX_DEALT: Final = 60


def read_rank(value: object) -> str:
    """Return the letter of a rank given as letter or number 1..13; raise BadValue."""
    expected = "a rank A 2 3 4 5 6 7 8 9 T J Q K"
    text = str(value).strip().upper() if isinstance(value, str | int) else ""
    if isinstance(value, bool):
        raise BadValue(expected)
    if _NUMBER_RE.fullmatch(text):
        return RANKS[int(text) - 1]
    if len(text) == 1 and text in RANKS:
        return text
    raise BadValue(expected)


@dataclass(frozen=True, slots=True)
class Ranks:
    """A set of ranks as letters, in the order A..K; ``"none"`` is the empty set."""

    def parse(self, value: object) -> tuple[str, ...]:
        """Return the letters of the ranks, each once."""
        if isinstance(value, int) and not isinstance(value, bool):
            return (read_rank(value),)
        if is_none(value):
            return ()
        given = {read_rank(item) for item in read_items(value, "a list of ranks")}
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
        if not self.one and (is_none(value)):
            return ()
        expected = "a card such as 7H" if self.one else "cards such as 7H TD"
        try:
            if not self.one:
                texts = read_items(value, expected)
                if not all(isinstance(text, str) for text in texts):
                    raise BadValue(expected)
                return tuple(format_card(c) for c in sorted(parse_cards(" ".join(map(str, texts)))))
            if isinstance(value, str):
                return format_card(parse_card(value))
        except NotationError as error:
            raise BadValue(f"{expected} ({error.faults[0].message})") from None
        raise BadValue(expected)

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
        for key, points in read_pairs(value, expected):
            name, place = self._name(key, expected)
            number = read_int(points, expected)
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
            Int(1, _MAX_DEALT).parse(cards): Ranks().parse(ranks)
            for cards, ranks in read_pairs(value, expected)
        }
        return tuple(sorted(table.items()))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        ranks = {"anyOf": [{"type": "string"}, Ranks().schema()]}
        return {"type": "object", "additionalProperties": ranks}


@dataclass(frozen=True, slots=True)
class Steps:
    """Pairs (up to so many players, packs), ascending, or the word ``players/2``, rounded up."""

    def parse(self, value: object) -> tuple[tuple[int, int], ...] | str:
        """Return the pairs, fewest players first, or the word."""
        expected = f"players with packs, such as 4=2, 8=3, or {PACK_FOR_TWO}"
        if isinstance(value, str) and value.replace(" ", "").lower() == PACK_FOR_TWO:
            return PACK_FOR_TWO
        table = {
            Int(1, _MAX_DEALT).parse(players): Int(1, 20).parse(packs)
            for players, packs in read_pairs(value, expected)
        }
        return tuple(sorted(table.items()))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        table = {"type": "object", "additionalProperties": Int(1, 20).schema()}
        return {"anyOf": [table, {"enum": [PACK_FOR_TWO]}]}


@dataclass(frozen=True, slots=True)
class Sizes:
    """Cards dealt in each deal: ``3..13``, ``10x4+12x3``, a list, or ``contract+1``."""

    def parse(self, value: object) -> tuple[int, ...] | str:
        """Return one size per deal, or the word ``contract+1``."""
        expected = "sizes 1..60 such as 3..13, 10x4+12x3, [10, 12] or contract+1"
        if isinstance(value, str) and value.replace(" ", "").lower() == "contract+1":
            return "contract+1"
        sizes: list[int] = []
        for item in read_items([value] if isinstance(value, int) else value, expected):
            match = _SIZES_RE.fullmatch(item) if isinstance(item, str) else None
            if match is None:
                sizes.append(read_int(item, expected))
            elif match[2]:
                sizes.extend([int(match[1])] * int(match[2]))
            else:
                sizes.extend(range(int(match[1]), int(match[3] or match[1]) + 1))
        if not 1 <= len(sizes) <= MAX_ITEMS or not all(1 <= n <= _MAX_DEALT for n in sizes):
            raise BadValue(expected, code="rules.range")
        return tuple(sizes)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {
            "anyOf": [{"type": "string"}, {"type": "array", "items": Int(1, _MAX_DEALT).schema()}]
        }


@dataclass(frozen=True, slots=True)
class Contract:
    """Melds to lay: pairs (kind, least length); length 0 stands for the game's minimum.

    In a text several equal melds may be counted: ``2 sets + 1 run``, ``2x3 + r4``.
    """

    def parse(self, value: object) -> tuple[tuple[str, int], ...]:
        """Return the pairs, sets first, then by length."""
        expected = "melds such as 3+r4, [set, run4] or [[set, 3], [run, 4]]"
        items = self._items(value, expected) if isinstance(value, str) else value
        melds = [self._meld(item, expected) for item in read_items(items, expected)]
        if not 1 <= len(melds) <= MAX_MELDS:
            raise BadValue(expected, code="rules.range")
        return tuple(sorted(melds, key=lambda m: (m[0] == "run", m[1])))

    def _items(self, text: str, expected: str) -> list[str]:
        """Return the melds of a text, counted ones repeated."""
        items: list[str] = []
        if _GAP_RE.search(text):  # a meld was forgotten
            raise BadValue(expected)
        for part in re.split(r"[\s,.+]+", _COUNT_RE.sub(r"\1x", text.strip())):
            times = _TIMES_RE.fullmatch(part)
            if times is None:
                items += [part] if part else []
                continue
            if not 1 <= int(times[1]) <= MAX_MELDS:
                raise BadValue(f"1..{MAX_MELDS} melds", code="rules.range")
            items += [times[2] or "set"] * int(times[1])
        if not items:
            raise BadValue(expected)
        return items

    def _meld(self, item: object, expected: str) -> tuple[str, int]:
        if isinstance(item, str | int) and not isinstance(item, bool):
            match = _MELD_RE.fullmatch(str(item).strip())
            if match is None or not str(item).strip():
                raise BadValue(expected)
            kind, length = match[1], match[2] or None
        elif isinstance(item, list | tuple) and len(item) == 2:  # noqa: PLR2004 - a pair
            kind, length = str(item[0]), item[1]
        else:
            raise BadValue(expected)
        if kind.lower() not in _MELD_KINDS:
            raise BadValue(expected)
        if length is None or (length == 0 and isinstance(item, list | tuple)):
            return _MELD_KINDS[kind.lower()], 0  # the canonical form of "the game's minimum"
        return _MELD_KINDS[kind.lower()], _MELD_SIZES.parse(length)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        pair = {"type": "array", "prefixItems": [{"enum": ["set", "run"]}, {"type": "integer"}]}
        item = {"anyOf": [{"type": "string"}, pair]}
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": item}]}


@dataclass(frozen=True, slots=True)
class Contracts:
    """The contract of each deal; in a text apart by semicolons."""

    def parse(self, value: object) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Return one contract per deal."""
        expected = "contracts such as 3.3; 3+r4; r4.r4"
        items = [t for t in value.split(";") if t.strip()] if isinstance(value, str) else value
        contracts = tuple(Contract().parse(item) for item in read_items(items, expected))
        if not contracts:
            raise BadValue(expected, code="rules.range")
        return contracts

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": Contract().schema()}]}
