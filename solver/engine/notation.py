"""Moves as one line of text each, read and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from solver.cards import Card, format_card, format_hand, parse_card, parse_cards
from solver.engine.moves import (
    Buy,
    CallOrder,
    Cut,
    Deal,
    Defend,
    Discard,
    Draw,
    End,
    GoDown,
    GoOut,
    Knock,
    LayOff,
    Move,
    Pass,
    Rummy,
    Shuffle,
    Swap,
    Take,
)
from solver.errors import NotationError, quoted
from solver.melds import Meld, MeldKind

_PLAIN: Final[Mapping[str, Callable[[int], Move]]] = {
    "draw": Draw,
    "take": Take,
    "pass": Pass,
    "buy": Buy,
    "rummy": Rummy,
}
_WORDS: Final[Mapping[str, type[Move]]] = {
    **{"draw": Draw, "take": Take, "pass": Pass, "buy": Buy, "rummy": Rummy, "cut": Cut},
    **{
        "discard": Discard,
        "out": GoOut,
        "lay": LayOff,
        "down": GoDown,
        "knock": Knock,
        "defend": Defend,
    },
    **{"deal": Deal, "shuffle": Shuffle, "callers": CallOrder},
}
_KINDS: Final = {"R": MeldKind.RUN, "S": MeldKind.SET, "W": MeldKind.WILD}
_SEAT_RE: Final = re.compile(r"[0-9]{1,2}")
_COUNT_RE: Final = re.compile(r"[0-9]{1,4}")
_MELD_RE: Final = re.compile(r"([RSW])\[([^\[\]]*)\]")
_LAYOFF_RE: Final = re.compile(r"([^\s>]{2,3})>([0-9]{1,3})([+-]?)")
_SWAP_RE: Final = re.compile(r"([^\s<]{2,3})<([0-9]{1,3})\.([0-9]{1,2})")


def format_move(move: Move) -> str:  # noqa: PLR0911 - one way out for each kind of move
    """Return the one-line text of a move.

    A player's move starts with the seat: ``0 draw``, ``1 take``, ``2 discard 7H``, ``0 out 7H``,
    ``0 out`` (no discard),
    ``1 lay 8S>3+`` (card, number of the meld on the table, ``+`` or ``-`` for the end of a run),
    ``2 down S[7S 7H 2C=7] R[...] swap 6H<1.2 lay KH>0``, ``0 knock 9D R[...]``,
    ``1 defend S[...] lay 4H>0``, ``0 cut 41``. Chance has no seat: ``deal 3H 4D ...``,
    ``shuffle 5C ...``, ``callers 2 0 1``.
    """
    match move:
        case Deal(cards):
            return " ".join(["deal", format_hand(cards)]).rstrip()
        case Shuffle(cards):
            return " ".join(["shuffle", format_hand(cards)]).rstrip()
        case CallOrder(seats):
            return " ".join(["callers", *map(str, seats)])
        case Cut(seat, n_cards):
            return f"{seat} cut {n_cards}"
        case Discard(seat, card, out):
            return f"{seat} {'out' if out else 'discard'} {format_card(card)}"
        case GoOut(seat):
            return f"{seat} out"
        case LayOff(seat):
            return f"{seat} lay {_layoff_text(move)}"
        case GoDown(seat, melds, swaps, layoffs):
            given = [f"{format_card(s.card)}<{s.meld}.{s.place}" for s in swaps]
            words = [*(m.text() for m in melds), *(["swap", *given] if given else [])]
            return " ".join([str(seat), "down", *words, *_layoff_words(layoffs)])
        case Knock(seat, card, melds):
            shown = "-" if card is None else format_card(card)
            return " ".join([str(seat), "knock", shown, *(m.text() for m in melds)])
        case Defend(seat, melds, layoffs):
            laid = [m.text() for m in melds]
            return " ".join([str(seat), "defend", *laid, *_layoff_words(layoffs)])
        case _:
            return f"{move.seat} {move_word(type(move))}"


def move_word(kind: type[Move]) -> str:
    """Return the word that a kind of move has in its text: ``"lay"``."""
    return next(word for word, named in _WORDS.items() if named is kind)


def _layoff_text(layoff: LayOff) -> str:
    return f"{format_card(layoff.card)}>{layoff.meld}{layoff.end}"


def _layoff_words(layoffs: tuple[LayOff, ...]) -> list[str]:
    return ["lay", *map(_layoff_text, layoffs)] if layoffs else []


def parse_move(text: str) -> Move:
    """Return the move of a text written by ``format_move``.

    Raises:
        NotationError: ``move.notation``, naming what was expected.

    Example:
        >>> format_move(parse_move("2 lay 8S>3+"))
        '2 lay 8S>3+'
    """
    words = text.split(maxsplit=2)
    if not words:
        raise _bad("a move", text)
    if words[0] in {"deal", "shuffle", "callers"}:
        rest = text.split(maxsplit=1)[1] if len(words) > 1 else ""
        if words[0] == "callers":
            return CallOrder(tuple(_number(w, _SEAT_RE, text) for w in rest.split()))
        cards = tuple(_cards(rest, text))
        return Deal(cards) if words[0] == "deal" else Shuffle(cards)
    if len(words) == 1:
        raise _bad("a seat and a word such as '0 draw'", text)
    seat = _number(words[0], _SEAT_RE, text)
    verb, rest = words[1], words[2] if len(words) > 2 else ""  # noqa: PLR2004 - the third part
    if verb in _PLAIN and not rest:
        return _PLAIN[verb](seat)
    if verb in _PARSERS:
        return _PARSERS[verb](seat, rest, text)
    raise _bad(f"one of {', '.join([*_PLAIN, *_PARSERS])}", text)


def _bad(expected: str, text: str) -> NotationError:
    return NotationError(
        f"expected {expected}, got {quoted(text, 60)}",
        code="move.notation",
        data={"text": text[:200]},
    )


def _number(word: str, pattern: re.Pattern[str], text: str) -> int:
    if not pattern.fullmatch(word):
        raise _bad("a number", text)
    return int(word)


def _card(word: str, text: str) -> Card:
    try:
        return parse_card(word)
    except NotationError:
        raise _bad("a card", text) from None


def _cards(words: str, text: str) -> list[Card]:
    try:
        return parse_cards(words.split())
    except NotationError:
        raise _bad("cards", text) from None


def _parse_melds(words: str, text: str) -> tuple[tuple[Meld, ...], str]:
    """Return the melds at the front of a text, and what follows them."""
    melds = []
    rest = words.lstrip()
    while match := _MELD_RE.match(rest):
        melds.append(_parse_meld(match[1], match[2], text))
        rest = rest[match.end() :].lstrip()
    return tuple(melds), rest


def _parse_meld(letter: str, inside: str, text: str) -> Meld:
    cards: list[Card] = []
    stands_for: list[str | None] = []
    for token in inside.split():
        card, sign, name = token.partition("=")
        cards.append(_card(card, text))
        if sign and not (2 if letter == "R" else 1) == len(name):
            raise _bad("what a wild stands for, such as 2C=6H in a run or 2C=6 in a set", text)
        stands_for.append(name.upper() if sign else None)
    return Meld(_KINDS[letter], tuple(cards), tuple(stands_for))


def parse_melds(text: str) -> tuple[Meld, ...]:
    """Return the melds of a text such as ``R[4H 5H 2C=6H] S[9S 9H JK=9]``.

    Raises:
        NotationError: ``move.notation``.
    """
    melds, rest = _parse_melds(text, text)
    if rest:
        raise _bad("melds such as S[9S 9H 9D]", text)
    return melds


def _parse_layoffs(seat: int, words: str, text: str) -> tuple[LayOff, ...]:
    """Return the lay-offs of ``lay A>0 B>1+``; nothing when the text is empty."""
    if not words:
        return ()
    head, *tokens = words.split()
    if head != "lay" or not tokens:
        raise _bad("lay-offs such as 'lay 8S>3+'", text)
    return tuple(_parse_layoff(seat, token, text) for token in tokens)


def _parse_layoff(seat: int, token: str, text: str) -> LayOff:
    match = _LAYOFF_RE.fullmatch(token)
    if not match:
        raise _bad("a lay-off such as 8S>3+", text)
    end: End = "+" if match[3] == "+" else "-" if match[3] == "-" else ""
    return LayOff(seat, _card(match[1], text), int(match[2]), end)


def _parse_discard(seat: int, rest: str, text: str) -> Move:
    return Discard(seat, _card(rest, text))


def _parse_out(seat: int, rest: str, text: str) -> Move:
    if not rest:
        return GoOut(seat)
    return Discard(seat, _card(rest, text), out=True)


def _parse_cut(seat: int, rest: str, text: str) -> Move:
    return Cut(seat, _number(rest, _COUNT_RE, text))


def _parse_lay(seat: int, rest: str, text: str) -> Move:
    return _parse_layoff(seat, rest, text)


def _parse_down(seat: int, rest: str, text: str) -> Move:
    melds, rest = _parse_melds(rest, text)
    swaps: list[Swap] = []
    if rest.split(maxsplit=1)[:1] == ["swap"]:
        tokens = rest.split()[1:]
        n = tokens.index("lay") if "lay" in tokens else len(tokens)
        for token in tokens[:n]:
            match = _SWAP_RE.fullmatch(token)
            if not match:
                raise _bad("a swap such as 6H<1.2", text)
            swaps.append(Swap(_card(match[1], text), int(match[2]), int(match[3])))
        if not swaps:
            raise _bad("a swap such as 6H<1.2", text)
        rest = " ".join(tokens[n:])
    return GoDown(seat, melds, tuple(swaps), _parse_layoffs(seat, rest, text))


def _parse_knock(seat: int, rest: str, text: str) -> Move:
    shown, _, after = rest.partition(" ")
    melds, left = _parse_melds(after, text)
    if left or not shown:
        raise _bad("a discard and melds such as '0 knock 9D S[7S 7H 7D]'", text)
    return Knock(seat, None if shown == "-" else _card(shown, text), melds)


def _parse_defend(seat: int, rest: str, text: str) -> Move:
    melds, after = _parse_melds(rest, text)
    return Defend(seat, melds, _parse_layoffs(seat, after, text))


_PARSERS: Final[Mapping[str, Callable[[int, str, str], Move]]] = {
    "discard": _parse_discard,
    "out": _parse_out,
    "cut": _parse_cut,
    "lay": _parse_lay,
    "down": _parse_down,
    "knock": _parse_knock,
    "defend": _parse_defend,
}
