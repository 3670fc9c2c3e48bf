"""Models of batches: hands asked together, in one JSON document or in JSON lines."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, PlainValidator

from service.schemas import (
    Answer,
    ArrangementAnswer,
    Cards,
    FaultAnswer,
    Request,
    Rules,
    RulesName,
    integral,
)


def _any_row(value: object) -> object:
    return value


RoundNumber: TypeAlias = Annotated[int, Field(ge=1, le=1000), BeforeValidator(integral)]
Id: TypeAlias = int | Annotated[str, Field(max_length=200)]


class BatchHand(Request):
    """A hand of a batch, with an id of the caller's that comes back and the round it is from."""

    hand: Cards
    id: Id | None = None
    round: RoundNumber | None = None


class BatchQuery(Request):
    """What holds for all lines of a batch in NDJSON.

    Attributes:
        melds: also answer the melds and the cards left over.
    """

    rules: Rules
    melds: bool = False


class BatchRequest(BatchQuery):
    """Hands to be scored in one go; a hand that is wrong is answered with its faults."""

    hands: list[
        Annotated[Any, PlainValidator(_any_row, json_schema_input_type=str | list[str] | BatchHand)]
    ]


class BatchRow(Answer):
    """The answer to one hand, in the place where it was asked.

    ``status`` is ``ok`` or the code of the first of ``errors``; then ``penalty`` is null.
    ``proved`` is false only when the time ran out, ``arrangement`` there only on request.
    """

    id: int | str | None = None
    status: str
    penalty: int | None
    proved: bool | None = None
    arrangement: ArrangementAnswer | None = None
    errors: list[FaultAnswer] | None = None


class BatchAnswer(Answer):
    """The answers to all hands, in the order in which they were asked."""

    rules: RulesName
    results: list[BatchRow]
    rejected: int
