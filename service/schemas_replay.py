"""Models of replays: recorded games in, what happened and what disagrees out."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import PlainValidator, model_validator
from pydantic_core import PydanticCustomError

from service.schemas import Answer, FaultAnswer, Request, Rules, RulesName


class RecordRules(Request):
    """The rules of a record: game, options, and the fingerprint that a program gave them."""

    name: str
    options: dict[str, Any]
    fingerprint: str | None = None


class RecordFine(Request):
    """A move that was fined: a false meld or a false going out."""

    seat: int
    what: Literal["false meld", "false going out"]
    move: str
    code: str
    reason: str
    points: int


class RecordRoundResult(Request):
    """How a round ended: cards still held, points and running totals by seat, fines if any."""

    ending: Literal["out", "knock", "dead", "exhausted", "turn_limit"]
    out: int | None
    hands: list[list[str]]
    points: list[int]
    totals: list[int]
    fines: list[RecordFine] | None = None


class RecordRound(Request):
    """The moves of a round as lines of text, and its result; null while it is in play."""

    round: int
    dealer: int
    moves: list[str]
    result: RecordRoundResult | None


class RecordResult(Request):
    """Totals and winners of a finished game."""

    totals: list[int]
    winners: list[int]


class Record(Request):
    """A recorded game, ``meld-record/1``.

    Moves of chance are written out, or left to ``seed``. ``sha256`` (of everything else, keys
    sorted, no blanks) may be left out.
    """

    format: Literal["meld-record/1"]
    id: str
    rules: RecordRules
    seats: list[str]
    first_dealer: int
    seed: int | str | None = None
    rounds: list[RecordRound]
    result: RecordResult | None
    sha256: str | None = None


def _any_value(value: object) -> object:
    """Return a record as it came: it is read one by one, so that a bad one spoils no other."""
    return value


_AnyRecord: TypeAlias = Annotated[Any, PlainValidator(_any_value, json_schema_input_type=Record)]


class ReplayQuery(Request):
    """What holds for all games.

    Attributes:
        rules: other rules, by which what happened is priced as well.
    """

    rules: Rules | None = None


class ReplayRequest(ReplayQuery):
    """One recorded game, or several; a game that is wrong is answered with its faults."""

    record: _AnyRecord | None = None
    records: list[_AnyRecord] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        given = self.model_fields_set & {"record", "records"}
        if len(given) != 1 or (self.record is None and self.records is None):
            raise PydanticCustomError(
                "records", "expected either a field 'record' or a field 'records'"
            )
        return self


class Disagreement(Answer):
    """One thing about which record and rules differ; the pointer leads into what was sent.

    ``round`` and ``move`` count from 1, chance's written moves included.
    """

    code: str
    pointer: str
    detail: str
    round: int | None = None
    move: int | None = None
    expected: Any = None
    got: Any = None


class FineAnswer(Answer):
    """A move that was fined, with its round and its reason; it changed nothing else."""

    round: int
    seat: int
    what: str
    move: str
    code: str
    reason: str
    points: int


class PlayedRound(Answer):
    """A round that came to an end in the replay."""

    round: int
    ending: str
    out: int | None
    points: list[int]
    totals: list[int]


class PricedGame(Answer):
    """What happened, priced by the rules of the request; ``errors`` where those cannot."""

    points: list[list[int]]
    totals: list[int]
    leaders: list[int]
    errors: list[FaultAnswer] | None = None


class ReplayRow(Answer):
    """What came of one game.

    ``status`` is ``ok`` or the code of the first disagreement. Scores are those that the rules
    give, whatever the record says. ``final_totals`` add the bonuses of the game's end.
    """

    id: str | None = None
    status: str
    moves: int
    rounds: list[PlayedRound]
    totals: list[int] | None
    final_totals: list[int] | None
    winners: list[int] | None
    fines: list[FineAnswer]
    disagreements: list[Disagreement]
    priced: PricedGame | None = None


class ReplayAnswer(Answer):
    """The answers to all games in the order in which they were sent."""

    rules: RulesName | None
    results: list[ReplayRow]
    rejected: int
