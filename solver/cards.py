"""Card ids, suits, ranks, the text notation, and hands as count vectors.

A card is the int ``suit * 13 + rank`` (suits S H D C * = 0..4, ranks A..K = 0..12); 65 is a
joker. Copies from several packs are the same card: a hand is a vector of 66 counts. Both are a
stable contract.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solver.arguments import whole
from solver.errors import Fault, HandError, NotationError, quoted

Card: TypeAlias = int
Counts: TypeAlias = NDArray[np.uint8]
HandLike: TypeAlias = "str | Sequence[str] | Sequence[int] | Counts"

N_CARDS: Final = 66
N_RANKS: Final = 13
N_SUITS: Final = 5
JOKER: Final = 65
RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC*"
SUIT_SIGNS: Final = "♠♥♦♣★"
SUIT_NAMES: Final = ("spades", "hearts", "diamonds", "clubs", "stars")
RANK_NAMES: Final = "ace two three four five six seven eight nine ten jack queen king".split()
MAX_COPIES: Final = 255
"""A count is a uint8, so no card may be held more often."""

# Tiles: colours black, blue, orange, red stand for the suits S H D C.
_TILE_COLOURS: Final = "KBOR"
_SUIT_OF: Final = {
    **{s: i for i, s in enumerate(SUITS)},
    **{s: i for i, s in enumerate(SUIT_SIGNS)},
    **{s: i for i, s in enumerate("♤♡♢♧☆")},
    "⭐": 4,
}
_RANK_OF: Final = {**{r: i for i, r in enumerate(RANKS)}, "10": 9, "1": 0}
_JOKERS: Final = frozenset({"JK", "JOKER", "*", "★", "🃏"})
_R = "10|[A1-9TJQK]"
_S = "[" + "".join(re.escape(s) for s in _SUIT_OF) + "]"
_CARD_RE = re.compile(f"(?:({_R})({_S})|({_S})({_R})|(JK))", re.IGNORECASE)
_RANK_FIRST_RE = re.compile(f"(?:(?:{_R}){_S}|JK)+", re.IGNORECASE)
_TILE_RE = re.compile(rf"([{_TILE_COLOURS}])(1[0-3]|[1-9])", re.IGNORECASE)
_QUICK: Final = {
    rank + suit: s * 13 + _RANK_OF[rank.upper()]
    for s, letter in enumerate(SUITS)
    for suit in {letter, letter.lower()}
    for rank in (*RANKS, *RANKS.lower(), "10")
} | {"JK": JOKER}
"""Plain tokens, looked up before the patterns are tried: 4 us less for a hand of 13."""
CARD: Final = whole(0, JOKER, "a card as its number 0..65", code="card.id")
"""The kind of arguments that are one card."""
SHOWN: Final = 40
"""Characters of a bad token that a message repeats."""
_A_CARD: Final = "a card such as 7H, TD, 5* or JK"
_SEPARATORS = re.compile(r"[\s,;|]+")
_PICTURES: Final = {
    first + place: f"{rank}{suit} "
    for suit, first in zip("SHDC", range(0x1F0A0, 0x1F0E0, 16), strict=True)
    for place, rank in zip((*range(1, 12), 13, 14), RANKS, strict=True)
}
"""The pictures of playing cards; behind the jack there is a knight, which no game here has."""
# A variation selector may follow a suit sign typed on a phone.
_REWRITTEN: Final = {
    **dict.fromkeys((0xFE0E, 0xFE0F, 0x200B, 0xFEFF)),
    **_PICTURES,
    **dict.fromkeys((0x1F0BF, 0x1F0DF), "JK "),
}


def rank_of(card: Card) -> int:
    """Return the rank 0..12 of a card; a joker has none (HandError ``card.joker``)."""
    if card == JOKER:
        raise HandError("a joker has no rank", code="card.joker")
    return card % N_RANKS


def suit_of(card: Card) -> int:
    """Return the suit 0..4 of a card; a joker has none (HandError ``card.joker``)."""
    if card == JOKER:
        raise HandError("a joker has no suit", code="card.joker")
    return card // N_RANKS


def format_card(card: Card) -> str:
    """Return the canonical text of a card, ``"TH"`` or ``"JK"``."""
    if card == JOKER:
        return "JK"
    if not 0 <= card < JOKER:
        raise HandError(f"expected a card id 0..65, got {quoted(card)}", code="card.id")
    return RANKS[card % N_RANKS] + SUITS[card // N_RANKS]


def format_hand(cards: Iterable[Card]) -> str:
    """Return the canonical texts of cards, joined by spaces, in the order given."""
    return " ".join(format_card(int(c)) for c in cards)


def format_tile(card: Card) -> str:
    """Return the tile notation of a card, ``"R12"`` or ``"JK"``."""
    if card == JOKER:
        return "JK"
    return f"{_TILE_COLOURS[suit_of(card)]}{rank_of(card) + 1}"


def parse_card(text: str, *, tiles: bool = False) -> Card:
    """Return the card of one token.

    Accepts rank then suit or suit then rank, any case, ``10`` or ``T``, ``1`` or ``A``, suit
    letters or signs, ``JK`` or a lone ``*`` for a joker; with ``tiles`` also colour and number.

    Raises:
        NotationError: ``card.unknown``, naming the token and a foreign character in it.

    Example:
        >>> [format_card(parse_card(t)) for t in ("10h", "♥10", "jk", "5*")]
        ['TH', 'TH', 'JK', '5*']
    """
    cards = _token_cards(text.translate(_REWRITTEN).strip(), tiles=tiles)
    if len(cards) != 1:
        raise NotationError(
            _unknown_message(text, tiles=tiles), code="card.unknown", data={"token": text[:40]}
        )
    return cards[0]


def are_tiles(text: str) -> bool:
    """Return whether a hand is written in tiles throughout, jokers aside: ``"R12 K1 JK"``."""
    tokens = [t for t in _SEPARATORS.split(text.translate(_REWRITTEN)) if t.upper() not in _JOKERS]
    return any(tokens) and all(_TILE_RE.fullmatch(token) for token in tokens if token)


def _token_cards(token: str, *, tiles: bool) -> list[Card]:
    """Return the cards of a token without separators, [] when it is not understood."""
    if token.upper() in _JOKERS:
        return [JOKER]
    if tiles and (tile := _TILE_RE.fullmatch(token)):
        return [_TILE_COLOURS.index(tile[1].upper()) * N_RANKS + int(tile[2]) - 1]
    if (one := _CARD_RE.fullmatch(token)) is None and not _RANK_FIRST_RE.fullmatch(token):
        return []
    found = [one] if one else list(_CARD_RE.finditer(token))
    return [_card_of_match(m) for m in found]


def _card_of_match(match: re.Match[str]) -> Card:
    if match[5]:
        return JOKER
    rank, suit = (match[1], match[2]) if match[1] else (match[4], match[3])
    return _SUIT_OF[suit.upper()] * N_RANKS + _RANK_OF[rank.upper()]


def _unknown_message(token: str, *, tiles: bool) -> str:
    hint = ""
    for char in token:
        if not char.isascii() and char not in _SUIT_OF and char != "🃏":
            name = unicodedata.name(char, "unnamed")
            hint = f"; the character {quoted(char)} is U+{ord(char):04X} {name}"
            break
    expected = "a tile such as R12, K1 or JK (or a card: 7H)" if tiles else _A_CARD
    return f"expected {expected}, got {quoted(token, SHOWN)}{hint}"


def parse_cards(
    hand: str | Sequence[str], *, tiles: bool = False, where: str = "/hand"
) -> list[Card]:
    """Return the cards of a text or of a list of tokens, in the order written.

    Args:
        hand: tokens apart by spaces, commas, semicolons or bars; rank-first tokens may touch
            (``"7H8H9H"``). A list holds one card a string.
        tiles: also read colour and number (K B O R, 1..13).
        where: JSON pointer put before the position in faults.

    Raises:
        NotationError: ``card.unknown`` with one fault per token that is not a card.
        HandError: ``hand.type`` for what is neither a text nor a list.

    Example:
        >>> format_hand(parse_cards("10h, ♠A jk 🂱🂾"))
        'TH AS JK AH KH'
    """
    in_list = not isinstance(hand, str)
    tokens: Iterable[object]
    if isinstance(hand, str):
        tokens = [t for t in _SEPARATORS.split(hand.translate(_REWRITTEN)) if t]
    else:
        tokens = _listed(hand, where)
    cards: list[Card] = []
    faults: list[Fault] = []
    for i, token in enumerate(tokens):
        quick = _QUICK.get(token) if isinstance(token, str) else None
        if quick is not None:
            cards.append(quick)
            continue
        if not isinstance(token, str):
            message = f"card {i + 1}: expected a text, got {quoted(token)}"
            faults.append(Fault("card.unknown", f"{where}/{i}", message))
            continue
        found = _token_cards(token.translate(_REWRITTEN).strip(), tiles=tiles)
        if not found or (in_list and len(found) != 1):
            message = f"card {i + 1}: {_unknown_message(token, tiles=tiles)}"
            fault_data = {"token": token[:40], "position": i}
            faults.append(Fault("card.unknown", f"{where}/{i}", message, fault_data))
        cards.extend(found)
    if faults:
        raise NotationError.from_faults(faults)
    return cards


def _listed(cards: object, where: str) -> list[Any]:
    """Return the items of a list of cards; HandError ``hand.type`` for what has none in order."""
    if isinstance(cards, Iterable) and not isinstance(cards, bytes | bytearray | Mapping):
        return list(cards)
    message = f"expected a text or a list of cards, got {quoted(cards)}"
    raise HandError(message, code="hand.type", where=where)


def counts_of(cards: Iterable[Card], *, where: str = "/hand") -> Counts:
    """Return the count vector uint8[66] of card ids.

    Args:
        cards: card ids.
        where: JSON pointer put before the position in faults.

    Raises:
        HandError: ``card.id`` outside 0..65, ``card.copies`` for more than 255 copies.
    """
    counts = [0] * N_CARDS
    for i, card in enumerate(cards):
        if not 0 <= card < N_CARDS:
            raise HandError(
                f"expected a card id 0..65, got {quoted(card)}",
                code="card.id",
                where=f"{where}/{i}",
            )
        counts[card] += 1
    if max(counts) > MAX_COPIES:
        message = f"expected at most {MAX_COPIES} copies of a card"
        raise HandError(message, code="card.copies", where=where)
    return np.array(counts, np.uint8)


def cards_of(counts: Counts) -> list[Card]:
    """Return the card ids of a count vector, ascending, copies repeated."""
    return [c for c in range(N_CARDS) for _ in range(int(counts[c]))]


def read_hand(hand: HandLike, *, tiles: bool = False, where: str = "/hand") -> Counts:
    """Return the count vector of a hand given as text, tokens, card ids or counts.

    Args:
        hand: a text, a list of tokens, a list of card ids (ints), or counts (a numpy array of
            shape (66,)).
        tiles: also read tile notation.
        where: JSON pointer put before positions in faults.

    Raises:
        NotationError: a token is not a card. HandError: a wrong id, shape or type.
    """
    if isinstance(hand, np.ndarray):
        if hand.shape != (N_CARDS,) or not np.issubdtype(hand.dtype, np.integer):
            raise HandError(
                f"expected counts of shape (66,), got {hand.dtype} {hand.shape}",
                code="hand.shape",
                where=where,
            )
        if hand.dtype != np.uint8 and (hand.min() < 0 or hand.max() > MAX_COPIES):
            raise HandError("expected counts 0..255", code="card.copies", where=where)
        return np.ascontiguousarray(hand, dtype=np.uint8)
    return counts_of(read_cards(hand, tiles=tiles, where=where), where=where)


def read_cards(hand: HandLike, *, tiles: bool = False, where: str = "/hand") -> list[Card]:
    """Return the cards of a hand as ``read_hand`` takes it, in the order given.

    Ids are returned as they came: ``counts_of`` judges them.

    Raises:
        As ``read_hand``.
    """
    if isinstance(hand, str):
        return parse_cards(hand, tiles=tiles, where=where)
    if isinstance(hand, np.ndarray):
        return cards_of(read_hand(hand, where=where))
    items = _listed(hand, where)
    if items and all(isinstance(c, int | np.integer) and not isinstance(c, bool) for c in items):
        return [int(c) for c in items]
    return parse_cards(items, tiles=tiles, where=where)
