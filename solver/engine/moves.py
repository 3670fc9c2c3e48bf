"""Moves of all games as frozen records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from solver.cards import Card
from solver.melds import Meld

CHANCE: Final = -1
"""Seat of the moves that chance makes."""
End: TypeAlias = Literal["", "-", "+"]
"""End of a run to which a card is added: low, high; "" on a set."""


@dataclass(frozen=True, slots=True)
class Deal:
    """Chance: the whole deck in the order in which it is dealt, first card first."""

    cards: tuple[Card, ...]
    seat: int = CHANCE


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Chance: cards that were discarded, in the order in which they go under the stock."""

    cards: tuple[Card, ...]
    seat: int = CHANCE


@dataclass(frozen=True, slots=True)
class CallOrder:
    """Chance: who speaks first for a discard, then who, and so on."""

    seats: tuple[int, ...]
    seat: int = CHANCE


@dataclass(frozen=True, slots=True)
class Cut:
    """A player lifts so many cards off the deck before the deal."""

    seat: int
    n_cards: int


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw the top card of the stock; in a beat, from the pool."""

    seat: int


@dataclass(frozen=True, slots=True)
class Take:
    """Take the top discard; in a beat, that of the right-hand pile."""

    seat: int


@dataclass(frozen=True, slots=True)
class Pass:
    """Decline what is offered."""

    seat: int


@dataclass(frozen=True, slots=True)
class Buy:
    """Buy the top discard out of turn, at the price in stock cards."""

    seat: int


@dataclass(frozen=True, slots=True)
class Rummy:
    """Call the discard just made: it fits a meld on the table."""

    seat: int


@dataclass(frozen=True, slots=True)
class Discard:
    """Discard a card; with ``out``, declare that all other cards are melded."""

    seat: int
    card: Card
    out: bool = False


@dataclass(frozen=True, slots=True)
class GoOut:
    """Go out with every card melded and without a discard, where the rules ask for none."""

    seat: int


@dataclass(frozen=True, slots=True)
class LayOff:
    """Add a card to a meld on the table.

    Attributes:
        seat: the player.
        card: the card.
        meld: index of the meld on the table.
        end: end of a run, "" for a set.
    """

    seat: int
    card: Card
    meld: int
    end: End = ""


@dataclass(frozen=True, slots=True)
class Swap:
    """Give the natural card for a wild on the table: part of going down.

    Attributes:
        card: the natural card given.
        meld: index of the meld on the table.
        place: index of the wild in the meld.
    """

    card: Card
    meld: int
    place: int


@dataclass(frozen=True, slots=True)
class GoDown:
    """Lay melds, with swaps before and lay-offs after them, as one move.

    A player already down lays none where the move is a swap with its lay-offs.

    Attributes:
        seat: the player.
        melds: the melds as they are placed.
        swaps: wilds taken from the table for natural cards.
        layoffs: cards then added; the new melds follow those on the table in number.
    """

    seat: int
    melds: tuple[Meld, ...]
    swaps: tuple[Swap, ...] = ()
    layoffs: tuple[LayOff, ...] = ()


@dataclass(frozen=True, slots=True)
class Knock:
    """Gin: end the play by laying melds and a discard (None: every card is melded)."""

    seat: int
    card: Card | None
    melds: tuple[Meld, ...]


@dataclass(frozen=True, slots=True)
class Defend:
    """Gin: the opponent's own melds, and cards laid off on those of the knocker."""

    seat: int
    melds: tuple[Meld, ...] = ()
    layoffs: tuple[LayOff, ...] = ()


Move: TypeAlias = (
    Deal
    | Shuffle
    | CallOrder
    | Cut
    | Draw
    | Take
    | Pass
    | Buy
    | Rummy
    | Discard
    | GoOut
    | LayOff
    | GoDown
    | Knock
    | Defend
)
