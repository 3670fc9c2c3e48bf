"""Records of games, ``meld-record/1``: one JSON object a line, read strictly.

A record names its rules (id and options; programs add the fingerprint), the seats, who dealt first,
and for every round its moves in the notation of ``solver.engine.notation`` and its result. Moves of
chance are written out, or left out when a seed is given that makes them again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from solver.cards import Card, format_card, parse_cards
from solver.engine.facts import Fine, FineKind
from solver.engine.moves import Move
from solver.engine.notation import format_move, parse_move
from solver.engine.record_values import (
    MAX_NAME,
    MAX_REASON,
    MOST,
    RecordError,
    check_keys,
    fault,
    flat_options,
    is_seed,
    list_of,
    mapping_of,
    number_of,
    numbers_of,
    parse_line,
    text_of,
)
from solver.errors import Fault, NotationError, quoted

__all__ = [
    "ENDINGS",
    "FORMAT",
    "MAX_NAME",
    "MAX_SEATS",
    "GameRecord",
    "GameResult",
    "RecordError",
    "RoundRecord",
    "RoundResult",
    "parse_line",
    "read_record",
]

FORMAT: Final = "meld-record/1"
MAX_SEATS: Final = 26
_KEYS: Final = ("format", "id", "rules", "seats", "first_dealer", "seed", "rounds", "result")
_ROUND_KEYS: Final = ("round", "dealer", "moves", "result")
_ROUND_RESULT_KEYS: Final = ("ending", "out", "hands", "points", "totals", "fines")
_FINE_KEYS: Final = ("seat", "what", "move", "code", "reason", "points")
_FINED: Final[tuple[FineKind, ...]] = ("false meld", "false going out")
_OWN_PLACE_RE: Final = re.compile(r"\b((.)[SHDC*])=(?:\1|\2)(?=[ \]])")
"""How older records write a wild on its own place: ``2D=2D`` in a run, ``2D=2`` in a set."""
ENDINGS: Final = ("out", "knock", "dead", "exhausted", "turn_limit")


@dataclass(frozen=True, slots=True)
class RoundResult:
    """How a round ended and what it cost, as written down.

    Attributes:
        ending: ``out``, ``knock``, ``dead``, ``exhausted`` or ``turn_limit``.
        out: seat that went out or knocked.
        hands: cards held at the end by seat, ascending.
        points: points of the round by seat.
        totals: totals after the round by seat.
        fines: the moves that were fined; left out when there are none, and in older records.
    """

    ending: str
    out: int | None
    hands: tuple[tuple[Card, ...], ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]
    fines: tuple[Fine, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "ending": self.ending,
            "out": self.out,
            "hands": [[format_card(card) for card in hand] for hand in self.hands],
            "points": list(self.points),
            "totals": list(self.totals),
            **({"fines": [fine.to_json() for fine in self.fines]} if self.fines else {}),
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
        fingerprint: fingerprint of the rules of all rounds for this number of players; None in a
            record written by hand, whose rules are then not compared with those of its writer.
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
    fingerprint: str | None
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
                **({} if self.fingerprint is None else {"fingerprint": self.fingerprint}),
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
    check_keys(data, (*_KEYS, "sha256"), "", optional=("sha256", "seed"))
    if data["format"] != FORMAT:
        raise fault("record.format", "/format", FORMAT, data["format"])
    rules = mapping_of(data["rules"], "/rules")
    check_keys(rules, ("name", "options", "fingerprint"), "/rules", optional=("fingerprint",))
    seats = list_of(data["seats"], "/seats")
    if not 1 <= len(seats) <= MAX_SEATS:
        raise fault("record.seats", "/seats", f"1..{MAX_SEATS} seats", len(seats))
    n_seats = len(seats)
    seed = data.get("seed")
    if seed is not None and not is_seed(seed):
        raise fault("record.type", "/seed", "a seed: a number or a text", seed)
    record = GameRecord(
        id=text_of(data["id"], "/id"),
        rules=text_of(rules["name"], "/rules/name"),
        options=flat_options(mapping_of(rules["options"], "/rules/options"), "/rules/options"),
        fingerprint=None
        if rules.get("fingerprint") is None
        else text_of(rules["fingerprint"], "/rules/fingerprint"),
        seats=tuple(text_of(name, f"/seats/{i}") for i, name in enumerate(seats)),
        first_dealer=number_of(data["first_dealer"], "/first_dealer", 0, n_seats - 1),
        seed=seed,
        rounds=tuple(
            _read_round(r, f"/rounds/{i}", n_seats)
            for i, r in enumerate(list_of(data["rounds"], "/rounds"))
        ),
        result=_read_result(data["result"], n_seats),
    )
    if data.get("sha256") is None:
        return record
    told = text_of(data["sha256"], "/sha256")
    if told == _digest({key: value for key, value in data.items() if key != "sha256"}):
        told = record.digest()  # older records spell some moves otherwise
    return replace(record, sha256=told)


def _read_round(value: object, where: str, n_seats: int) -> RoundRecord:
    data = mapping_of(value, where)
    check_keys(data, _ROUND_KEYS, where)
    number = number_of(data["round"], f"{where}/round", 1, MOST)
    moves = [
        _read_move(text, f"{where}/moves/{i}", number, i)
        for i, text in enumerate(list_of(data["moves"], f"{where}/moves"))
    ]
    return RoundRecord(
        round_no=number,
        dealer=number_of(data["dealer"], f"{where}/dealer", 0, n_seats - 1),
        moves=tuple(moves),
        result=_read_round_result(data["result"], f"{where}/result", n_seats),
    )


def _read_move(text: object, where: str, round_no: int, index: int) -> Move:
    place = {"round": round_no, "move": index + 1}
    if not isinstance(text, str):
        raise fault("move.notation", where, "a move", text, **place)
    try:
        move = parse_move(text)
    except NotationError as err:
        raise RecordError.from_faults(
            [Fault(err.code, where, str(err), {"got": text[:200], **place})]
        ) from None
    if format_move(move) != _OWN_PLACE_RE.sub(r"\1", text):
        raise fault("move.notation", where, quoted(format_move(move), 80), text, **place)
    return parse_move(format_move(move))


def _read_round_result(value: object, where: str, n_seats: int) -> RoundResult | None:
    if value is None:
        return None
    data = mapping_of(value, where)
    check_keys(data, _ROUND_RESULT_KEYS, where, optional=("fines",))
    if data["ending"] not in ENDINGS:
        raise fault("record.ending", f"{where}/ending", " or ".join(ENDINGS), data["ending"])
    hands = list_of(data["hands"], f"{where}/hands")
    if len(hands) != n_seats:
        raise fault("record.seats", f"{where}/hands", f"{n_seats} hands", len(hands))
    out = data["out"]
    return RoundResult(
        ending=data["ending"],
        out=None if out is None else number_of(out, f"{where}/out", 0, n_seats - 1),
        hands=tuple(_hand(hand, f"{where}/hands/{i}") for i, hand in enumerate(hands)),
        points=numbers_of(data["points"], f"{where}/points", n_seats, -MOST, MOST),
        totals=numbers_of(data["totals"], f"{where}/totals", n_seats, -MOST, MOST),
        fines=_read_fines(data.get("fines", []), f"{where}/fines", n_seats),
    )


def _read_fines(value: object, where: str, n_seats: int) -> tuple[Fine, ...]:
    fines = []
    for i, item in enumerate(list_of(value, where)):
        at, data = f"{where}/{i}", mapping_of(item, f"{where}/{i}")
        check_keys(data, _FINE_KEYS, at)
        what = next((kind for kind in _FINED if kind == data["what"]), None)
        if what is None:
            raise fault("record.fine", f"{at}/what", " or ".join(_FINED), data["what"])
        fines.append(
            Fine(
                seat=number_of(data["seat"], f"{at}/seat", 0, n_seats - 1),
                what=what,
                move=text_of(data["move"], f"{at}/move", MAX_REASON),
                code=text_of(data["code"], f"{at}/code"),
                reason=text_of(data["reason"], f"{at}/reason", MAX_REASON),
                points=number_of(data["points"], f"{at}/points", -MOST, MOST),
            )
        )
    return tuple(fines)


def _hand(value: object, where: str) -> tuple[Card, ...]:
    row = list_of(value, where)
    try:
        cards = parse_cards(row, where=where)
    except NotationError as err:
        raise RecordError.from_faults(err.faults[:1]) from None
    if [format_card(card) for card in cards] != row:
        raise fault("card.notation", where, "cards such as TH", row)
    return tuple(cards)


def _read_result(value: object, n_seats: int) -> GameResult | None:
    if value is None:
        return None
    data = mapping_of(value, "/result")
    check_keys(data, ("totals", "winners"), "/result")
    winners = list_of(data["winners"], "/result/winners")
    return GameResult(
        totals=numbers_of(data["totals"], "/result/totals", n_seats, -MOST, MOST),
        winners=tuple(
            number_of(seat, f"/result/winners/{i}", 0, n_seats - 1)
            for i, seat in enumerate(winners)
        ),
    )
