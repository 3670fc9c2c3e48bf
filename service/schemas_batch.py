"""Models of batches: hands asked together, in one JSON document or in JSON lines."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema

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


MOST_ROUNDS: Final = 1000
"""Rounds of a game that is played to a score."""
# Which rounds there are depends on the rules, so all that are none get the same fault there.
RoundNumber: TypeAlias = Annotated[
    int,
    BeforeValidator(integral),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MOST_ROUNDS}),
]
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
        ignore_contract: leave contracts out: any melds count, as if the player were down.
        no_round: price hands without a round as they are, with nothing wild and no contract;
            else these have the status ``round.missing`` where rounds decide the answer.
        any_size: price hands of any size; else those that no player of the round can hold have
            the status ``hand.size``.
    """

    rules: Rules
    melds: bool = False
    ignore_contract: bool = False
    no_round: bool = False
    any_size: bool = False


class BatchRequest(BatchQuery):
    """Hands to be scored in one go; a hand that is wrong is answered with its faults."""

    hands: list[
        Annotated[Any, PlainValidator(_any_row, json_schema_input_type=str | list[str] | BatchHand)]
    ]


class BatchRow(Answer):
    """The answer to one hand, in the place where it was asked.

    ``status`` is ``ok`` or the code of the first of ``errors``; then ``penalty`` is null.
    ``proved`` is false only when the time ran out, ``arrangement`` there only on request.
    ``can_go_down``: whether the hand can lay its contract, in games that ask one; if not, all its
    cards count. ``note``: sentences on what was not asked, such as the contract where no deal was
    chosen.
    """

    id: int | str | None = None
    status: str
    penalty: int | None
    proved: bool | None = None
    can_go_down: bool | None = None
    arrangement: ArrangementAnswer | None = None
    note: list[str] | None = None
    errors: list[FaultAnswer] | None = None


class BatchAnswer(Answer):
    """The answers to all hands, in the order in which they were asked."""

    rules: RulesName
    results: list[BatchRow]
    rejected: int
