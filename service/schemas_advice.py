"""Models of ``/v1/advice``: what a player can tell of the round, and what is advised."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from service.schemas import (
    Answer,
    Cards,
    DeadCard,
    HandRequest,
    MeldAnswer,
    Request,
    RulesName,
    Seat,
    integral,
)

CardText: TypeAlias = Annotated[str, Field(min_length=1, max_length=16)]
"""One card."""
Players: TypeAlias = Annotated[int, Field(ge=1, le=20), BeforeValidator(integral)]
Stock: TypeAlias = Annotated[int, Field(ge=0, le=2000), BeforeValidator(integral)]
Ask: TypeAlias = Literal["draw", "play", "upcard", "wall", "buy", "rummy", "defend"]


class TableMeld(Request):
    """A meld on the table.

    Attributes:
        owner: seat that laid it; 0 is who asks.
        meld: its cards, best as ``"R[4H 5H JK=6H 7H]"``, so that every wild has its place.
    """

    owner: Seat = 1
    meld: Cards


class Knock(Request):
    """A knock to be answered.

    Attributes:
        melds: melds the knocker laid.
        left: cards the knocker kept; none is gin.
    """

    melds: list[Cards]
    left: Cards = ""


class AdviceRequest(HandRequest):
    """What a player sees; seat 0 is who asks, the others are 1, 2 ... in turn order.

    Attributes:
        ask: what is to be decided; without it told from the number of cards: as many as were
            dealt ask for the draw, one more for the play.
        players: number of players; by default the fewest of the game.
        discard: top of the discard pile.
        seen: other cards that lie open or are known to be held by others.
        table: melds on the table.
        down: further seats that have gone down.
        out: seat that went out, so that the last turns are played.
        turns_left: with ``out``: own turns left, this one included; by default all that the rules
            give.
        taken: the card just taken from the discards.
        upcard: the card first turned up (Oklahoma gin).
        knock: the knock to be answered (``ask`` is ``defend``).
        stock: cards left in the stock; where an empty one is rebuilt, ``seen`` tells of what.
        floating: whether the turn began without a card in hand.
    """

    ask: Ask | None = None
    players: Players | None = None
    discard: CardText | None = None
    seen: Cards = ""
    table: Annotated[list[TableMeld], Field(max_length=100, default_factory=list)]
    down: Annotated[list[Seat], Field(max_length=20, default_factory=list)]
    out: Seat | None = None
    turns_left: Annotated[int, Field(ge=1, le=99), BeforeValidator(integral)] | None = None
    taken: CardText | None = None
    upcard: CardText | None = None
    knock: Knock | None = None
    stock: Stock | None = None
    floating: bool = False


class MeanAnswer(Answer):
    """An exact mean: ``total`` over ``of`` equally likely cards; ``value`` is the quotient."""

    value: float
    total: int
    of: int


class ActionAnswer(Answer):
    """One step of a plan: a wild swapped, a meld laid, or a card laid off; melds from 0."""

    kind: Literal["swap", "meld", "layoff"]
    meld: int
    text: str
    card: str | None = None
    gained: str | None = None
    end: Literal["", "-", "+"] | None = None
    place: int | None = None
    stands_for: str | None = None
    laid: MeldAnswer | None = None


class PlanAnswer(Answer):
    """What to lay, in order, the cards then left, the discard of the turn and the table then."""

    penalty: int
    actions: list[ActionAnswer]
    left: list[DeadCard]
    discard: str | None
    ends: bool
    table: list[MeldAnswer]
    choices: list[dict[str, Any]]


class OptionAnswer(Answer):
    """A move and what it is worth.

    ``value``: points expected to be left in hand at the horizon; ``leaves``: points left right
    after the move; ``chance_out``: chance to go out (knock, go down) next; ``missing``: cards
    missing to the contract then; ``called``: others may call rummy on the discard.
    """

    move: str
    value: MeanAnswer
    leaves: int | None
    ends: bool
    chance_out: MeanAnswer | None
    missing: MeanAnswer | None
    called: bool
    plan: PlanAnswer | None


class OutAnswer(Answer):
    """A card that helps: copies unseen, points left with it, points saved, whether it ends it."""

    card: str
    copies: int
    leaves: int
    gain: int
    ends: bool


class AdviceAnswer(Answer):
    """What to do now; ``alternatives`` are the other moves, best first.

    ``horizon`` says when points are counted: ``now``, at the end of ``this_turn`` or of the
    ``next_turn``. ``exact`` is always true: values are sums over all unseen cards.
    """

    rules: RulesName
    hand: list[str]
    seat: int
    phase: str
    move: str
    value: MeanAnswer
    horizon: Literal["now", "this_turn", "next_turn"]
    best: OptionAnswer
    alternatives: list[OptionAnswer]
    outs: list[OutAnswer]
    n_unseen: int
    reason: str
    exact: bool
