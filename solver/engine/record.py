"""Records of games, ``meld-record/1``: one JSON object a line, read strictly.

A record names its rules (id, options, fingerprint), the seats, who dealt first, and for every
round its moves in the notation of ``solver.engine.notation`` and its result. Moves of chance are
written out, or left out when a seed is given that makes them again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from reprlib import Repr
from typing import Any, Final

from solver.cards import Card, format_card, parse_cards
from solver.engine.moves import Move
from solver.engine.notation import format_move, parse_move
from solver.errors import Fault, NotationError

FORMAT: Final = "meld-record/1"
MAX_SEATS: Final = 26
MAX_NAME: Final = 200
_KEYS: Final = ("format", "id", "rules", "seats", "first_dealer", "seed", "rounds", "result")
_OPTION_DEPTH: Final = 8
_ROUND_KEYS: Final = ("round", "dealer", "moves", "result")
_ROUND_RESULT_KEYS: Final = ("ending", "out", "hands", "points", "totals")
ENDINGS: Final = ("out", "knock", "dead", "exhausted", "turn_limit")


class RecordError(NotationError):
    """A record that is not in the format; ``where`` is the first bad place in it."""

    default_code = "record"


@dataclass(frozen=True, slots=True)
class RoundResult:
    """How a round ended and what it cost, as written down.

    Attributes:
        ending: ``out``, ``knock``, ``dead``, ``exhausted`` or ``turn_limit``.
        out: seat that went out or knocked.
        hands: cards held at the end by seat, ascending.
        points: points of the round by seat.
        totals: totals after the round by seat.
    """

    ending: str
    out: int | None
    hands: tuple[tuple[Card, ...], ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "ending": self.ending,
            "out": self.out,
            "hands": [[format_card(card) for card in hand] for hand in self.hands],
            "points": list(self.points),
            "totals": list(self.totals),
        }


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """The moves of a round and its result, None while it was not finished."""

    round_no: int
    dealer: int
    moves: tuple[Move, ...]
    result: RoundResult | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "round": self.round_no,
            "dealer": self.dealer,
            "moves": [format_move(move) for move in self.moves],
            "result": None if self.result is None else self.result.to_json(),
        }


@dataclass(frozen=True, slots=True)
class GameResult:
    """Totals and winners of a finished game, as written down."""

    totals: tuple[int, ...]
    winners: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {"totals": list(self.totals), "winners": list(self.winners)}


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One recorded game.

    Attributes:
        id: name of the game.
        rules: id of the rules.
        options: options of the rules, plain JSON.
        fingerprint: fingerprint of the rules for this number of players.
        seats: names by seat.
        first_dealer: seat that dealt first.
        seed: seed of the chance moves that are not written out, or None.
        rounds: the rounds in order.
        result: None while the game was not finished.
        sha256: digest the record carried when it was read, None when it carried none.
    """

    id: str
    rules: str
    options: Mapping[str, Any]
    fingerprint: str
    seats: tuple[str, ...]
    first_dealer: int
    seed: int | str | None
    rounds: tuple[RoundRecord, ...]
    result: GameResult | None = None
    sha256: str | None = field(default=None, compare=False)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON, its digest last."""
        body = self._body()
        return {**body, "sha256": _digest(body)}

    def to_line(self) -> str:
        """Return the record as one line of JSON, without a newline."""
        return json.dumps(self.to_json(), ensure_ascii=False, separators=(",", ":"))

    def digest(self) -> str:
        """Return the SHA-256 of everything but the digest, as 64 hex digits."""
        return _digest(self._body())

    def _body(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "id": self.id,
            "rules": {
                "name": self.rules,
                "options": dict(self.options),
                "fingerprint": self.fingerprint,
            },
            "seats": list(self.seats),
            "first_dealer": self.first_dealer,
            "seed": self.seed,
            "rounds": [r.to_json() for r in self.rounds],
            "result": None if self.result is None else self.result.to_json(),
        }


def _digest(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_record(source: str | bytes | Mapping[str, Any]) -> GameRecord:
    """Return the record of a line or of parsed JSON.

    Only the form is checked here; ``solver.engine.replay`` plays it.

    Raises:
        RecordError: codes ``record.*`` or ``move.notation`` with a JSON pointer; for moves the
            data name round and move.
    """
    data = source if isinstance(source, Mapping) else parse_line(source)
    _check_keys(data, (*_KEYS, "sha256"), "", optional=("sha256", "seed"))
    if data["format"] != FORMAT:
        raise _fault("record.format", "/format", FORMAT, data["format"])
    rules = _mapping(data["rules"], "/rules")
    _check_keys(rules, ("name", "options", "fingerprint"), "/rules")
    seats = _list(data["seats"], "/seats")
    if not 1 <= len(seats) <= MAX_SEATS:
        raise _fault("record.seats", "/seats", f"1..{MAX_SEATS} seats", len(seats))
    n_seats = len(seats)
    seed = data.get("seed")
    if seed is not None and not _is_seed(seed):
        raise _fault("record.type", "/seed", "a seed: a number or a text", seed)
    return GameRecord(
        id=_text(data["id"], "/id"),
        rules=_text(rules["name"], "/rules/name"),
        options=_flat(_mapping(rules["options"], "/rules/options"), "/rules/options"),
        fingerprint=_text(rules["fingerprint"], "/rules/fingerprint"),
        seats=tuple(_text(name, f"/seats/{i}") for i, name in enumerate(seats)),
        first_dealer=_number(data["first_dealer"], "/first_dealer", 0, n_seats - 1),
        seed=seed,
        rounds=tuple(
            _read_round(r, f"/rounds/{i}", n_seats)
            for i, r in enumerate(_list(data["rounds"], "/rounds"))
        ),
        result=_read_result(data["result"], n_seats),
        sha256=None if data.get("sha256") is None else _text(data["sha256"], "/sha256"),
    )


def parse_line(line: str | bytes) -> Mapping[str, Any]:
    """Return the JSON object of a line.

    Raises:
        RecordError: ``record.json``, no JSON; ``record.type``, JSON but no object.
    """
    try:
        data = json.loads(line)
    except json.JSONDecodeError as err:
        raise RecordError(
            f"expected a JSON object, got {err.msg} at column {err.pos + 1}",
            code="record.json",
            data={"column": err.pos + 1},
        ) from None
    except (ValueError, RecursionError) as err:  # not UTF-8, a number or a nest too big
        raise RecordError(f"expected a JSON object, got {err}", code="record.json") from None
    return _mapping(data, "")


def shown(value: object) -> str:
    """Return a JSON value as text, cut short: the plain repr of a deep one would not end."""
    short = Repr()
    short.maxlevel = 3
    short.maxlist = short.maxdict = 12
    short.maxstring = short.maxother = 200
    return short.repr(value)


def _fault(code: str, where: str, expected: str, got: object, **data: Any) -> RecordError:  # noqa: ANN401 - JSON values
    told = shown(got)
    message = f"expected {expected}, got {told if len(told) <= 80 else told[:77] + '...'}"  # noqa: PLR2004 - one short line
    facts = {"expected": expected, "got": told[:200], **data}
    return RecordError.from_faults([Fault(code, where, message, facts)])


def _check_keys(
    data: Mapping[str, Any], keys: Sequence[str], where: str, *, optional: Sequence[str] = ()
) -> None:
    for key in data:
        if key not in keys:
            raise _fault("record.key", f"{where}/{key}", f"one of {', '.join(keys)}", key)
    for key in keys:
        if key not in data and key not in optional:
            raise _fault("record.key", where, f"a key {key!r}", sorted(data))


def _mapping(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _fault("record.type", where, "an object", value)
    return value


def _flat(options: Mapping[str, Any], where: str) -> Mapping[str, Any]:
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
        raise _fault("record.type", where, "options without a deep nest", options)
    return options


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _fault("record.type", where, "a list", value)
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or len(value) > MAX_NAME:
        raise _fault("record.type", where, f"a text of at most {MAX_NAME} characters", value)
    return value


def _is_seed(value: object) -> bool:
    """Return whether the generator takes a seed: half a surrogate pair has no bytes."""
    if isinstance(value, str):
        return len(value) <= MAX_NAME and not any("\ud800" <= c <= "\udfff" for c in value)
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: object, where: str, lo: int, hi: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not lo <= value <= hi:
        raise _fault("record.range", where, f"a number {lo}..{hi}", value)
    return value


_MOST: Final = 10**9


def _numbers(value: object, where: str, n: int, lo: int, hi: int) -> tuple[int, ...]:
    row = _list(value, where)
    if len(row) != n:
        raise _fault("record.seats", where, f"{n} entries", len(row))
    return tuple(_number(v, f"{where}/{i}", lo, hi) for i, v in enumerate(row))


def _read_round(value: object, where: str, n_seats: int) -> RoundRecord:
    data = _mapping(value, where)
    _check_keys(data, _ROUND_KEYS, where)
    number = _number(data["round"], f"{where}/round", 1, _MOST)
    moves = [
        _read_move(text, f"{where}/moves/{i}", number, i)
        for i, text in enumerate(_list(data["moves"], f"{where}/moves"))
    ]
    return RoundRecord(
        round_no=number,
        dealer=_number(data["dealer"], f"{where}/dealer", 0, n_seats - 1),
        moves=tuple(moves),
        result=_read_round_result(data["result"], f"{where}/result", n_seats),
    )


def _read_move(text: object, where: str, round_no: int, index: int) -> Move:
    place = {"round": round_no, "move": index + 1}
    if not isinstance(text, str):
        raise _fault("move.notation", where, "a move", text, **place)
    try:
        move = parse_move(text)
    except NotationError as err:
        raise RecordError.from_faults(
            [Fault(err.code, where, str(err), {"got": text[:200], **place})]
        ) from None
    if format_move(move) != text:
        raise _fault("move.notation", where, repr(format_move(move)), text, **place)
    return move


def _read_round_result(value: object, where: str, n_seats: int) -> RoundResult | None:
    if value is None:
        return None
    data = _mapping(value, where)
    _check_keys(data, _ROUND_RESULT_KEYS, where)
    if data["ending"] not in ENDINGS:
        raise _fault("record.ending", f"{where}/ending", " or ".join(ENDINGS), data["ending"])
    hands = _list(data["hands"], f"{where}/hands")
    if len(hands) != n_seats:
        raise _fault("record.seats", f"{where}/hands", f"{n_seats} hands", len(hands))
    out = data["out"]
    return RoundResult(
        ending=data["ending"],
        out=None if out is None else _number(out, f"{where}/out", 0, n_seats - 1),
        hands=tuple(_hand(hand, f"{where}/hands/{i}") for i, hand in enumerate(hands)),
        points=_numbers(data["points"], f"{where}/points", n_seats, -_MOST, _MOST),
        totals=_numbers(data["totals"], f"{where}/totals", n_seats, -_MOST, _MOST),
    )


def _hand(value: object, where: str) -> tuple[Card, ...]:
    row = _list(value, where)
    try:
        cards = parse_cards(row, where=where)
    except NotationError as err:
        raise RecordError.from_faults(err.faults[:1]) from None
    if [format_card(card) for card in cards] != row:
        raise _fault("card.notation", where, "cards such as TH", row)
    return tuple(cards)


def _read_result(value: object, n_seats: int) -> GameResult | None:
    if value is None:
        return None
    data = _mapping(value, "/result")
    _check_keys(data, ("totals", "winners"), "/result")
    winners = _list(data["winners"], "/result/winners")
    return GameResult(
        totals=_numbers(data["totals"], "/result/totals", n_seats, -_MOST, _MOST),
        winners=tuple(
            _number(seat, f"/result/winners/{i}", 0, n_seats - 1) for i, seat in enumerate(winners)
        ),
    )
