"""Rounds as JSON: the same document that ``POST /v1/score`` takes, checked field by field."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from solver.cards import HandLike, parse_card
from solver.engine.round_checks import seats_of
from solver.engine.scoring import RoundExtras, RoundScore, score_told_round
from solver.errors import Fault, NotationError, RulesError, quoted
from solver.json_words import what_is_wrong
from solver.rules.loader import load_rules
from solver.rules.model import GameRules

_SEAT_RE: Final = re.compile(r"[0-9]{1,2}")
_BAD_BYTE: Final = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class Round:
    """One round as read, not yet priced."""

    rules: GameRules
    hands: list[HandLike]
    out: int | None
    totals: list[int] | None
    extras: RoundExtras

    def score(self) -> RoundScore:
        """Return the priced round; its hands may name it. HandError where it is impossible."""
        return score_told_round(
            self.hands, self.rules, out=self.out, totals=self.totals, extras=self.extras
        )


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_ints(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_int, value))


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and _is_ints(value)  # noqa: PLR2004


def _is_cards(value: object) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(card, str) for card in value)
    )


def _is_melds(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_cards, value))


def _by_seat(value: object, is_right: Callable[[object], bool]) -> bool:
    return isinstance(value, dict) and all(
        _SEAT_RE.fullmatch(key) is not None and is_right(item) for key, item in value.items()
    )


_FIELDS: Final[dict[str, tuple[Callable[[object], bool], str]]] = {
    "rules": (lambda v: isinstance(v, str | dict), "a game or {name, options}"),
    "hands": (
        lambda v: isinstance(v, list) and bool(v) and all(map(_is_cards, v)),
        "a list of hands, each a text or a list of card texts",
    ),
    "out": (lambda v: v is None or _is_int(v), "a seat or null"),
    "totals": (lambda v: v is None or _is_ints(v), "a list of whole numbers"),
    "names": (
        lambda v: v is None or (isinstance(v, list) and all(isinstance(n, str) for n in v)),
        "a list of texts",
    ),
    "cut": (lambda v: v is None or _is_pair(v), "[seat, cards lifted]"),
    "false_melds": (lambda v: _by_seat(v, _is_int), "{seat: number}"),
    "drops": (
        lambda v: _by_seat(v, lambda drop: drop in ("first", "middle")),
        '{seat: "first" or "middle"}',
    ),
    "false_declarations": (_is_ints, "a list of seats"),
    "down_and_out": (_is_ints, "a list of seats"),
    "upcard": (lambda v: v is None or isinstance(v, str), "a card"),
    "laid": (
        lambda v: v is None or (isinstance(v, list) and all(map(_is_melds, v))),
        "for each seat a list of melds and cards laid",
    ),
}


def read_rounds(text: str, fallback: GameRules | None) -> Iterator[Callable[[], Round]]:
    """Return one reader for each round of a JSON document, or of JSON lines.

    Args:
        text: one object, a list of objects, or one object a line.
        fallback: rules of rounds that name none.

    A reader raises NotationError or RulesError with every fault of its round.
    """
    documents = _documents(text)
    return (partial(_read_round, document, fallback) for document in documents)


def _documents(text: str) -> list[object]:
    """Return the JSON documents of a text; a line that is not JSON becomes its own fault."""
    try:
        check_text(text)
        whole = json.loads(text)
    except (ValueError, RecursionError):
        lines = enumerate(text.split("\n"), start=1)
        return [_line(line, number) for number, line in lines if line.strip()]
    return whole if isinstance(whole, list) else [whole]


def check_text(text: str, first_line: int = 1) -> None:
    """Check that no byte of a text was other than UTF-8 (such bytes are read as surrogates).

    Args:
        text: what ``bytes.decode(errors="surrogateescape")`` returned.
        first_line: number of its first line, for the message.

    Raises:
        NotationError: ``file.read`` with the number of the line.
    """
    if (bad := _BAD_BYTE.search(text)) is not None:
        line = first_line + text.count("\n", 0, bad.start())
        message = f"line {line}: expected UTF-8 text, got byte 0x{ord(bad[0]) & 0xFF:02x}"
        raise NotationError(message, code="file.read", data={"line": line})


def _line(line: str, number: int) -> object:
    try:
        check_text(line, number)
        return json.loads(line)
    except NotationError as error:
        return error
    except (ValueError, RecursionError) as error:
        return NotationError(what_is_wrong(error), code="round.json")


def _read_round(document: object, fallback: GameRules | None) -> Round:
    """Return a checked round."""
    if isinstance(document, NotationError):
        raise document
    if not isinstance(document, dict):
        raise NotationError(f"expected a JSON object, got {quoted(document)}", code="round.json")
    if "moves" in document or "rounds" in document:
        raise NotationError(
            "expected a round, got a recorded game: 'meld-solver replay' plays it,"
            " 'meld-solver batch' prices it",
            code="round.kind",
        )
    faults = list(_schema_faults(document, needs_rules=fallback is None))
    if faults:
        raise NotationError.from_faults(faults)
    rules = _rules_of(document["rules"]) if "rules" in document else fallback
    assert rules is not None, "a round without rules is a fault"
    return Round(
        rules,
        document["hands"],
        document.get("out"),
        document.get("totals"),
        _extras_of(document, rules),
    )


def _schema_faults(document: Mapping[str, Any], *, needs_rules: bool) -> Iterator[Fault]:
    for name, value in document.items():
        if name not in _FIELDS:
            yield Fault("round.field", f"/{name:.60}", f"unknown field {quoted(name, 60)}")
        elif not _FIELDS[name][0](value):
            message = f"expected {name} to be {_FIELDS[name][1]}, got {quoted(value)}"
            yield Fault("round.type", f"/{name}", message)
    for name in ("rules", "hands") if needs_rules else ("hands",):
        if name not in document:
            yield Fault("round.field", f"/{name}", f"expected a field {quoted(name)}")


def _rules_of(value: str | Mapping[str, Any]) -> GameRules:
    """Return the rules that a round names; faults point into the round."""
    named: dict[str, Any] = {"name": value} if isinstance(value, str) else dict(value)
    options: object = named.pop("options", {})
    name = named.pop("name", None)
    if named or not isinstance(name, str) or not isinstance(options, dict):
        message = f"expected rules as a name or {{name, options}}, got {quoted(value, 60)}"
        raise RulesError(message, code="rules.type", where="/rules")
    try:
        return load_rules(name, **options)
    except RulesError as error:
        raise RulesError.from_faults(
            [Fault(f.code, f"/rules{f.where}", f.message, f.data) for f in error.faults]
        ) from error


def _extras_of(document: Mapping[str, Any], rules: GameRules) -> RoundExtras:
    cut, upcard = document.get("cut"), document.get("upcard")
    seats: dict[str, list[int]] = {
        name: document.get(name, []) for name in ("false_declarations", "down_and_out")
    }
    try:
        turned = None if upcard is None else parse_card(upcard, tiles=rules.deck.tiles)
    except NotationError as error:
        message = error.faults[0].message
        raise NotationError(message, code="card.unknown", where="/upcard") from error
    return RoundExtras(
        names=document.get("names") or (),
        cut=None if cut is None else (cut[0], cut[1]),
        false_melds=seats_of(document.get("false_melds", {}), "/false_melds"),
        drops=seats_of(document.get("drops", {}), "/drops"),
        upcard=turned,
        laid=document.get("laid"),
        **seats,
    )
