"""Models of requests and answers: what the API reads strictly and what it promises to write."""

from __future__ import annotations

import math
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator
from pydantic_core import PydanticCustomError, PydanticKnownError

from solver.errors import quoted

_OPTION_DEPTH: Final = 6
_OPTION_VALUES: Final = 1000
_OPTION_TEXT: Final = 200
_OPTION_NUMBER: Final = 10**9
_LONGEST_NAME: Final = 64


def integral(value: object) -> object:
    """Return an integral float as the int that JSON Schema says it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _named(value: object) -> object:
    """Return ``{"name": value}`` for the short form of rules, a text.

    Its length is judged here, so that a fault points to the text and not to a name in it.
    """
    if not isinstance(value, str):
        return value
    if not value:
        raise PydanticKnownError("string_too_short", {"min_length": 1})
    if len(value) > _LONGEST_NAME:
        raise PydanticKnownError("string_too_long", {"max_length": _LONGEST_NAME})
    return {"name": value}


def _text_or_list(value: object) -> str | list[Any]:
    if isinstance(value, str | list):
        return value
    raise PydanticCustomError(
        "cards_type",
        "expected a text or a list of card texts, got {got}",
        {"got": quoted(value)},
    )


def _plain_options(value: object) -> object:
    """Return option values with integral floats as ints; refuse what no option can be."""
    budget = _OPTION_VALUES

    def walk(node: object, depth: int) -> object:
        nonlocal budget
        budget -= 1
        if budget < 0 or depth > _OPTION_DEPTH:
            raise PydanticCustomError("options_size", "expected fewer or flatter options")
        if isinstance(node, float) and not math.isfinite(node):
            raise PydanticCustomError("options_number", "expected finite numbers in options")
        if isinstance(node, int | float) and abs(node) > _OPTION_NUMBER:
            raise PydanticCustomError("options_number", "expected numbers within +-10^9 in options")
        if isinstance(node, str) and len(node) > _OPTION_TEXT:
            raise PydanticCustomError("options_text", "expected texts of at most 200 characters")
        if isinstance(node, list):
            return [walk(item, depth + 1) for item in node]
        if isinstance(node, dict):
            return {walk(key, depth + 1): walk(item, depth + 1) for key, item in node.items()}
        return integral(node)

    return walk(value, 0)


# All bounds of a number stand in one Field before the validator: a Field around it would leave
# the bounds within as they are and reach the schema as `ge` and `le`, which are no JSON Schema.
PositiveInt: TypeAlias = Annotated[int, Field(ge=1), BeforeValidator(integral)]
Integer: TypeAlias = Annotated[int, Field(ge=-(10**9), le=10**9), BeforeValidator(integral)]
Seat: TypeAlias = Annotated[int, Field(ge=0, le=99), BeforeValidator(integral)]
SeatKey: TypeAlias = Annotated[str, Field(pattern="^[0-9]{1,2}$")]
"""A seat as the key of a JSON object."""
FalseMelds: TypeAlias = Annotated[int, Field(ge=1, le=100), BeforeValidator(integral)]
Seconds: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Engine: TypeAlias = Literal["auto", "suit", "frontier", "cpsat"]
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=_LONGEST_NAME)]
Cards: TypeAlias = Annotated[
    Any, PlainValidator(_text_or_list, json_schema_input_type=str | list[str])
]
"""Cards as one text (``"7H 8H 9H"``) or as a list of texts; read by ``solver.cards``."""


Contract: TypeAlias = Annotated[
    Any, PlainValidator(_text_or_list, json_schema_input_type=str | list[Any])
]
"""Melds that a contract asks for; read by ``solver.rules``."""


class Request(BaseModel):
    """Base of what is read: strict types, unknown fields refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class RulesRef(Request):
    """A game and the options that differ from its defaults."""

    name: Name
    options: Annotated[dict[str, Any], BeforeValidator(_plain_options)] = {}


Rules: TypeAlias = Annotated[
    RulesRef, BeforeValidator(_named, json_schema_input_type=Name | RulesRef)
]


class HandRequest(Request):
    """Base of questions about one hand under some rules."""

    rules: Rules
    hand: Cards


class SolveRequest(HandRequest):
    """A hand whose best melds are wanted.

    Attributes:
        engine: which engine answers; ``auto`` takes the fastest that covers the question.
        time_limit_s: seconds after which the best arrangement so far is answered, unproved.
        n_arrangements: ``all``: list up to so many optimal arrangements and their number.
        discard: also rank every discard, best first.
        ignore_contract: leave the contract of the rules out: any melds count, as if the player
            were already down.
    """

    engine: Engine = "auto"
    time_limit_s: Seconds | None = None
    n_arrangements: Annotated[PositiveInt | None, Field(alias="all")] = None
    discard: bool = False
    ignore_contract: bool = False


class Answer(BaseModel):
    """Base of what is written; tests hold every answer to these models."""

    model_config = ConfigDict(extra="forbid", strict=True)


class RulesName(Answer):
    """The rules that an answer was found under.

    ``round``: in words, "" where none was chosen. ``missing``: sentences on what the rules leave
    open although it decides what is wild or must be laid.
    """

    name: str
    title: str
    round: str
    missing: list[str]
    options: dict[str, Any]
    fingerprint: str


class MeldAnswer(Answer):
    """A meld; ``stands_for`` has one entry a card, null for a natural."""

    kind: Literal["set", "run", "wild"]
    cards: list[str]
    stands_for: list[str | None]
    text: str


class DeadCard(Answer):
    """A card left over and what it costs."""

    card: str
    points: int


class ArrangementAnswer(Answer):
    """Disjoint melds and the cards left over."""

    melds: list[MeldAnswer]
    deadwood: list[DeadCard]
    text: str


class ManyArrangements(Answer):
    """The optimal arrangements: how many, and the first of them in canonical order."""

    count: int
    complete: bool
    arrangements: list[ArrangementAnswer]


class DiscardAnswer(Answer):
    """A discard and the penalty of the best melds of the other cards.

    ``proved`` false only where the time ran out: the penalty is then the best found, and none
    below ``lower_bound`` can be.
    """

    card: str
    penalty: int
    proved: bool | None = None
    lower_bound: int | None = None


class PricedArrangement(ArrangementAnswer):
    """Melds, the cards left over, their points, and whether no melds leave fewer."""

    penalty: int
    proved: bool


class SolveAnswer(ArrangementAnswer):
    """The minimum penalty of a hand and melds that reach it.

    Under a contract ``penalty`` is what is left after laying it (``contract_met``), or what the
    whole hand costs; ``contract_met`` is null where none is asked. ``if_down``: of a hand that
    cannot lay its contract, the best melds as if it were already down. ``note``: sentences on
    what the answer leaves out. ``headline``: the answer in one line.
    """

    rules: RulesName
    hand: list[str]
    penalty: int
    contract_met: bool | None
    if_down: PricedArrangement | None
    note: list[str]
    headline: str
    proved: bool
    lower_bound: int
    engine: str
    elapsed_us: float
    permalink: str
    optimal: ManyArrangements | None = None
    discards: list[DiscardAnswer] | None = None


class FaultAnswer(Answer):
    """One thing that is wrong: stable code, place (JSON pointer), words."""

    code: str
    pointer: str
    detail: str
    data: dict[str, Any] | None = None


class CheckAnswer(Answer):
    """Whether a layout is legal, what it costs and what the best one would cost.

    ``penalty`` and ``above_best`` are null for a layout that is not legal. ``note``: sentences
    on what is not judged, such as the contract of the deal.
    """

    rules: RulesName
    note: list[str]
    legal: bool
    faults: list[FaultAnswer]
    penalty: int | None
    above_best: int | None
    layout: ArrangementAnswer | None
    best: SolveAnswer


class GameAnswer(Answer):
    """A game in the list of games; ``rounds`` is null for a game played to a score."""

    id: str
    title: str
    description: str
    players: Annotated[list[int], Field(min_length=2, max_length=2)]
    rounds: int | None
    href: str


class GamesAnswer(Answer):
    """All games."""

    games: list[GameAnswer]


class RuleLineAnswer(Answer):
    """One option: value in force, default of the game, meaning, source of the value."""

    key: str
    part: str
    value: Any
    default: Any
    unit: str
    meaning: str
    source: str


class RulesAnswer(Answer):
    """A game in full: resolved values, every option explained, JSON Schema of the options.

    The option schema is that of ``rules.options`` in a request.
    """

    rules: dict[str, Any]
    options: list[RuleLineAnswer]
    option_schema: dict[str, Any]


class LimitsAnswer(Answer):
    """The limits of this service."""

    body_bytes: int
    batch_body_bytes: int
    hand_cards: int
    round_hands: int
    batch_hands: int
    replay_games: int
    time_limit_s: float
    arrangements: int
    json_values: int
    body_time_s: float
    concurrent_solves: int
    waiting_solves: int
    rate_limit: str | None


class VersionAnswer(Answer):
    """What is running."""

    version: str
    python: str
    numpy: str
    numba: str
    ortools: str
    rules: dict[str, str]


class StatusAnswer(Answer):
    """``ok`` from a probe."""

    status: Literal["ok"]


class Problem(Answer):
    """An error (RFC 9457); ``code`` is that of the first of ``errors``."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    instance: str
    errors: list[FaultAnswer]
