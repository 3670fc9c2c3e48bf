"""How a card looks and is read aloud on the page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from solver.cards import (
    JOKER,
    N_RANKS,
    RANK_NAMES,
    RANKS,
    SUIT_NAMES,
    SUIT_SIGNS,
    SUITS,
    Card,
    format_card,
    format_tile,
)
from solver.melds import Meld
from solver.rules.deck import max_copies
from solver.rules.model import DeckRules

_TILE_NAMES: Final = ("black", "blue", "orange", "red")


@dataclass(frozen=True, slots=True)
class Face:
    """One card as the page shows it; what is drawn can be typed.

    Attributes:
        card: the text that is typed for it, ``"TH"`` or, for tiles, ``"R12"``.
        rank: what is drawn first: ``"10"``, ``"JK"``, the letter of a tile's colour.
        sign: what is drawn behind it: ``"♥"``, the number of a tile, "" for a joker.
        suit: name of the style, ``"hearts"``, ``"joker"`` or, for tiles, ``"tile-red"``.
        name: as read aloud, ``"ten of hearts"``.
        stands_for: as a wild is read, ``"9♥"`` or ``"9"``; "" otherwise.
        stands_for_name: the same read aloud.
        points: what the card costs when left over; None where that is of no interest.
        most: copies in the deck; None where any number may be held.
    """

    card: str
    rank: str
    sign: str
    suit: str
    name: str
    stands_for: str = ""
    stands_for_name: str = ""
    points: int | None = None
    most: int | None = None


def card_text(card: Card, deck: DeckRules) -> str:
    """Return a card as the page writes it: a tile where the game is played with tiles."""
    return format_tile(card) if deck.tiles else format_card(card)


def face_of(card: Card, deck: DeckRules, *, points: int | None = None) -> Face:
    """Return the face of a card of a deck; tiles show their colour and number."""
    text, most = card_text(card, deck), max_copies(card, deck)
    if card == JOKER:
        return Face(text, text, "", "joker", "joker", points=points, most=most)
    suit, rank = divmod(card, N_RANKS)
    if deck.tiles:
        colour = _TILE_NAMES[suit]
        name, style = f"{colour} {rank + 1}", f"tile-{colour}"
        return Face(text, text[0], text[1:], style, name, points=points, most=most)
    name, style = f"{RANK_NAMES[rank]} of {SUIT_NAMES[suit]}", SUIT_NAMES[suit]
    sign = SUIT_SIGNS[suit]
    return Face(text, _rank_sign(rank), sign, style, name, points=points, most=most)


def _rank_sign(rank: int) -> str:
    return "10" if RANKS[rank] == "T" else RANKS[rank]


def meld_faces(meld: Meld, deck: DeckRules) -> list[Face]:
    """Return the faces of a meld, each wild with what it stands for."""
    faces = []
    for card, text in zip(meld.cards, meld.shown_as(), strict=True):
        face = face_of(card, deck)
        if text is not None:
            shown, name = _reading(text, deck)
            face = replace(face, stands_for=shown, stands_for_name=name)
        faces.append(face)
    return faces


def _reading(text: str, deck: DeckRules) -> tuple[str, str]:
    """Return a card (``"6H"``) or a rank (``"K"``) as shown and as read aloud."""
    rank = RANKS.index(text[0])
    if len(text) == 1:
        sign = str(rank + 1) if deck.tiles else _rank_sign(rank)
        return sign, sign if deck.tiles else RANK_NAMES[rank]
    face = face_of(SUITS.index(text[1]) * N_RANKS + rank, deck)
    return face.rank + face.sign, face.name


def palette(deck: DeckRules) -> list[list[Face]]:
    """Return the cards that exist, a row per suit; the joker in a row of its own."""
    rows = [
        [face_of(suit * N_RANKS + rank, deck) for rank in deck.ranks] for suit in range(deck.suits)
    ]
    return [*rows, [face_of(JOKER, deck)]] if deck.has_jokers else rows
