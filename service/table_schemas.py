"""Models of requests and answers about cards on the table."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, PlainValidator
from pydantic_core import PydanticCustomError

from service.schemas import (
    Answer,
    Cards,
    Contract,
    DeadCard,
    HandRequest,
    MeldAnswer,
    Request,
    Rules,
    RulesName,
    Seat,
    Seconds,
    SolveAnswer,
    integral,
)
from solver.errors import quoted


class LaidMeld(Request):
    """A meld on the table with every card and, for wilds, what it stands for.

    Attributes:
        cards: the cards; of a run in order.
        kind: ``run``, ``set`` or ``wild``; without it the places of wilds are open.
        stands_for: one entry a card, null for a natural.
    """

    cards: Cards
    kind: Literal["run", "set", "wild"] | None = None
    stands_for: list[str | None] | None = None


def _table_meld(value: object) -> object:
    if isinstance(value, str | list):
        return value
    if isinstance(value, dict):
        return LaidMeld.model_validate(value).model_dump()
    raise PydanticCustomError(
        "meld_type",
        "expected a text, a list of card texts or an object with cards, got {got}",
        {"got": quoted(value)},
    )


Table: TypeAlias = list[
    Annotated[Any, PlainValidator(_table_meld, json_schema_input_type=str | list[str] | LaidMeld)]
]
"""Melds on the table: ``"R[4H 5H JK=6H 7H]"``, loose cards, or objects."""
Keep: TypeAlias = Annotated[int, Field(ge=0, le=120), BeforeValidator(integral)]


class CheckRequest(HandRequest):
    """A layout of a hand: is it legal, and how far is it from the best?

    Attributes:
        melds: the melds, written as for the table; none is the layout of who lays nothing.
        ignore_contract: judge the melds as if the player were already down.
    """

    melds: Table
    ignore_contract: bool = False


class ContractRequest(HandRequest):
    """A hand that should lay down a contract.

    Attributes:
        contract: the melds to lay, as the option ``contract`` writes them (``"3+r4"``,
            ``["set", "run4"]``); without it the contract of the deal.
    """

    contract: Contract | None = None


class LayoffRequest(HandRequest):
    """A hand whose cards may be added to melds on the table.

    Attributes:
        table: the melds on the table.
        own: numbers (from 0) of the player's own melds, asked only where cards may be added to
            these alone, or wilds taken from others only.
        keep: cards to keep in hand for the discard.
        swaps: whether to swap wilds where the rules allow it after the turn of going down.
        own_melds: also lay melds of the hand, as Gin's defender does.
        against_gin: with ``own_melds``: the knocker has gin, so that nothing is laid off.
    """

    table: Table
    own: list[Seat] | None = None
    keep: Keep = 0
    swaps: bool = True
    own_melds: bool = False
    against_gin: bool = False


class GodownRequest(HandRequest):
    """A hand that should go down in this turn.

    Attributes:
        table: the melds on the table.
        contract: the melds to lay; without it the contract of the deal.
        own: numbers (from 0) of the player's own melds.
        swaps: whether to swap wilds where the rules allow it.
        keep: cards to keep in hand; without it one where its discard ends the deal, or where
            nobody may be without a card.
    """

    table: Table
    contract: Contract | None = None
    own: list[Seat] = Field(default_factory=list)
    swaps: bool = True
    keep: Keep | None = None


class RearrangeRequest(Request):
    """A table to be rearranged with cards of a rack.

    Attributes:
        table: the melds on the table.
        rack: the cards of the player.
        objective: ``tiles``: most cards laid; ``value``: most value; ``penalty``: least left.
        opening: the player's first melds, from the rack alone.
        second_aims: also change as few melds as can be and tell whether the answer is the only
            one.
        time_limit_s: seconds for each second aim.
    """

    rules: Rules
    table: Table
    rack: Cards
    objective: Literal["tiles", "value", "penalty"] = "tiles"
    opening: bool = False
    second_aims: bool = True
    time_limit_s: Seconds | None = None


class ActionAnswer(Answer):
    """One step: a meld laid, a card added or a wild swapped; ``meld`` numbers table melds.

    ``end`` is ``-`` below or ``+`` above a run; ``place`` the card's place in the meld after it.
    """

    kind: Literal["swap", "meld", "layoff"]
    meld: int
    text: str
    laid: MeldAnswer | None = None
    card: str | None = None
    gained: str | None = None
    end: Literal["", "-", "+"] | None = None
    place: int | None = None
    stands_for: str | None = None


class ChoiceAnswer(Answer):
    """A meld whose wilds could take several places, and the reading that was taken."""

    meld: int
    chosen: str
    readings: list[str]


class PlanAnswer(Answer):
    """The steps of a turn in order and what is then left in hand.

    ``discard`` is the card that ends the turn, not yet taken off ``left`` and ``penalty``;
    ``ends``: whether the deal ends with this turn.
    """

    penalty: int
    actions: list[ActionAnswer]
    left: list[DeadCard]
    discard: str | None
    ends: bool
    table: list[MeldAnswer]
    choices: list[ChoiceAnswer]


class LayoffAnswer(PlanAnswer):
    """The lay-offs that leave the fewest points."""

    rules: RulesName


class GodownAnswer(Answer):
    """Whether a hand can go down, and the best way to do it."""

    rules: RulesName
    can_go_down: bool
    plan: PlanAnswer | None


class NewMeldAnswer(MeldAnswer):
    """A meld afterwards; ``origins`` are numbers of table melds, null for the rack."""

    origins: list[int | None]
    kept: int | None


class ExchangeAnswer(Answer):
    """A wild of a table meld that leaves its place, and the card that takes it."""

    meld: int
    wild: str
    card: str


class RearrangeAnswer(Answer):
    """The table afterwards, changed and new melds first.

    ``unique`` and ``unique_cards``: whether no other melds, no other choice of rack cards, are as
    good; null when not known.
    """

    rules: RulesName
    objective: Literal["tiles", "value", "penalty"]
    value: int
    laid: int
    penalty: int
    melds: list[NewMeldAnswer]
    moves: list[str]
    left: list[DeadCard]
    changed: list[int]
    proved: bool
    fewest_changes: bool
    unique: bool | None
    unique_cards: bool | None
    exchanges: list[ExchangeAnswer]
    engine: str


class ContractAnswer(Answer):
    """Whether the contract can be laid, and if so the solution that leaves the least in hand."""

    rules: RulesName
    can_lay: bool
    solution: SolveAnswer | None
