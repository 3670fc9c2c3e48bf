"""Models of ``/v1/score``: a finished round in, what each player pays out."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from service.schemas import (
    Answer,
    ArrangementAnswer,
    Cards,
    FalseMelds,
    Integer,
    Name,
    Request,
    Rules,
    RulesName,
    Seat,
    SeatKey,
)


class ScoreRequest(Request):
    """A finished round: what each player held, who went out, totals so far.

    Attributes:
        hands: one hand a seat, after the last discard.
        out: seat (0..) that went out or knocked.
        totals: totals before this round.
        names: names by seat.
        cut: seat that cut the deck and the number of cards it lifted.
        false_melds: seat -> false melds it made.
        drops: seat -> when it left the round.
        false_declarations: seats that declared a hand that was none.
        down_and_out: seats that went down and out in one turn.
        upcard: the first card turned up.
        laid: for each seat the melds it laid and the cards it laid off, in games that score
            them: ``[["9S 9H 9D", "5C"], ["5S 5H 5D"]]``. Melds are numbered from 0 in this order;
            ``"AC>1-"`` says that the ace lies on meld 1, at the low end.
    """

    rules: Rules
    hands: Annotated[list[Cards], Field(min_length=1)]
    out: Seat | None = None
    totals: list[Integer] | None = None
    names: list[Name] | None = None
    cut: Annotated[list[Integer], Field(min_length=2, max_length=2)] | None = None
    false_melds: dict[SeatKey, FalseMelds] = Field(default_factory=dict)
    drops: dict[SeatKey, Literal["first", "middle"]] = Field(default_factory=dict)
    false_declarations: list[Seat] = Field(default_factory=list)
    down_and_out: list[Seat] = Field(default_factory=list)
    upcard: Annotated[str, Field(max_length=16)] | None = None
    laid: list[list[Cards]] | None = None


class PlayerAnswer(ArrangementAnswer):
    """What a round did to one player; ``points`` go to the ``total``."""

    seat: int
    name: str
    penalty: int
    points: int
    total: int
    note: str


class ScoreAnswer(Answer):
    """A priced round; ``winners`` of the round and ``leaders`` by totals are seats.

    ``note``: sentences on a round that was taken from the hands, or that none was chosen.
    """

    rules: RulesName
    note: list[str]
    players: list[PlayerAnswer]
    winners: list[int]
    leaders: list[int]
    lower_is_better: bool
