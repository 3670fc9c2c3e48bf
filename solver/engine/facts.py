"""What happened in a round, apart from what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

from solver.arguments import NUMBERS, TEXTS, Kind, is_whole, record
from solver.cards import CARD, Card, HandLike
from solver.melds import Meld

Ending: TypeAlias = Literal["out", "knock", "dead", "exhausted", "turn_limit"]
"""How a round ended: a player went out, a knock, a hand without score, no card left to draw, or
the guard on the number of turns."""
FineKind: TypeAlias = Literal["false meld", "false going out"]
Drop: TypeAlias = Literal["first", "middle"]


@dataclass(frozen=True, slots=True)
class Fine:
    """A move that the rules fine; it changes nothing else.

    Attributes:
        seat: who made it.
        what: ``"false meld"`` or ``"false going out"``.
        move: the move in the notation of records.
        code: stable code of what was wrong, such as ``down.contract``.
        reason: what was wrong, in one line.
        points: what it costs by the rules it was made under.
    """

    seat: int
    what: FineKind
    move: str
    code: str
    reason: str
    points: int

    def text(self, name: str) -> str:
        """Return one line that names the player, the points, the move and the reason."""
        return f"{name}: fined {self.points} for a {self.what}: {self.move}: {self.reason}"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "seat": self.seat,
            "what": self.what,
            "move": self.move,
            "code": self.code,
            "reason": self.reason,
            "points": self.points,
        }


@dataclass(frozen=True, slots=True)
class LaidCards:
    """Cards that one seat laid, in a meld as it lies at the end.

    Attributes:
        meld: the meld, cards of others in it included.
        places: indices of the seat's own cards.
    """

    meld: Meld
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """What one seat did in a round.

    Attributes:
        hand: cards held at the end, ascending; not those melded or laid off.
        melds: melds laid by this seat; None when nothing is laid and the best melds of the
            hand count by themselves (Three Thirteen and its kin).
        laid: cards laid by this seat, on whatever meld; None when nobody tells.
        laid_off: cards laid off on the knocker's melds.
        n_false_melds: attempts to go down that did not hold.
        n_false_outs: declarations of going out that did not hold.
        cut: cards lifted when this seat cut the deck, None when it did not.
        drop: when the seat left the round, None when it played on.
        false_declaration: whether the seat declared a hand that was none.
        down_and_out: whether it went down and out in one turn.
        fines: what is known of the moves that were fined.
    """

    hand: tuple[Card, ...] = ()
    melds: tuple[Meld, ...] | None = None
    laid_off: tuple[Card, ...] = ()
    n_false_melds: int = 0
    n_false_outs: int = 0
    cut: int | None = None
    drop: Drop | None = None
    false_declaration: bool = False
    down_and_out: bool = False
    fines: tuple[Fine, ...] = ()
    laid: tuple[LaidCards, ...] | None = None


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """What happened in one round.

    Attributes:
        seats: facts of every seat of the game, by seat.
        out: seat that went out or knocked, None when nobody did.
        ending: how the round ended.
        upcard: the first card turned up, None when unknown or none was turned.
        absent: seats that took no part (a bonus round among tied players).
    """

    seats: tuple[SeatFacts, ...]
    out: int | None = None
    ending: Ending = "out"
    upcard: Card | None = None
    absent: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class RoundExtras:
    """Facts of a round besides the hands, for ``score_round``; all optional.

    Attributes:
        names: names by seat.
        cut: (seat, cards lifted) of the player who cut.
        false_melds: false melds by seat.
        drops: seat -> ``"first"`` or ``"middle"``.
        false_declarations: seats that declared a hand that was none, or went out falsely
            where that is fined.
        down_and_out: seats that went down and out in one turn.
        upcard: the first card turned up (Oklahoma's limit and doubling).
        laid: for each seat the melds it laid and the cards it laid off, where the game scores
            them; see ``solver.engine.laid``.
    """

    names: Sequence[str] = ()
    cut: tuple[int, int] | None = None
    false_melds: Mapping[int, int] = field(default_factory=dict)
    drops: Mapping[int, Drop] = field(default_factory=dict)
    false_declarations: Sequence[int] = ()
    down_and_out: Sequence[int] = ()
    upcard: Card | None = None
    laid: Sequence[Sequence[HandLike]] | None = None


def _is_cut(told: Any) -> bool:  # noqa: ANN401 - any value is judged
    seat_and_cards = 2
    return isinstance(told, Sequence) and NUMBERS.is_right(told) and len(told) == seat_and_cards


def _by_seat(is_right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda told: (
        isinstance(told, Mapping) and all(map(is_whole, told)) and all(map(is_right, told.values()))
    )


EXTRAS: Final = record(RoundExtras, "the facts of a round", code="round.extras")
EXTRAS_FIELDS: Final[Mapping[str, Kind]] = {
    "names": TEXTS,
    "cut": Kind(_is_cut, "a seat and a number of cards").or_none(),
    "false_melds": Kind(_by_seat(is_whole), "numbers by seat"),
    "drops": Kind(_by_seat(lambda drop: drop in get_args(Drop)), "first or middle by seat"),
    "false_declarations": NUMBERS,
    "down_and_out": NUMBERS,
    "upcard": CARD.or_none(),
}
"""Kinds of the fields of ``RoundExtras``; what was laid is judged when it is read."""
