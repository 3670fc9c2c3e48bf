"""Cards, melds and tables on a terminal: signs and colours where it can, letters where not."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from solver.cards import JOKER, RANKS, SUIT_SIGNS, SUITS, Card, format_card, rank_of, suit_of
from solver.melds import Meld
from solver.solve import Solution

_SUIT_STYLES: Final = {
    "two": ("", "red", "red", "", "yellow"),
    "four": ("", "red", "blue", "green", "yellow"),
}
_JOKER_STYLE: Final = "magenta"


class Screen:
    """Writes cards to a stream in its encoding.

    Args:
        four_colour: whether diamonds are blue and clubs green.
        to_stderr: write to stderr instead of stdout.

    Colour is left out where the stream is not a terminal or ``NO_COLOR`` is set.
    """

    def __init__(self, *, four_colour: bool = False, to_stderr: bool = False) -> None:
        stream = sys.stderr if to_stderr else sys.stdout
        if isinstance(stream, io.TextIOWrapper):
            # A title or file name may hold what the console lacks: better escaped than a crash.
            stream.reconfigure(errors="backslashreplace")
        self.console = Console(file=stream, highlight=False, markup=False, soft_wrap=True)
        self.signs = _can_write(SUIT_SIGNS, getattr(stream, "encoding", None))
        self._styles = _SUIT_STYLES["four" if four_colour else "two"]

    def card(self, card: Card) -> Text:
        """Return a card as rank and suit sign, ``10♥``; letters ``TH`` without signs, ``JK``."""
        if card == JOKER:
            return Text(format_card(card), _JOKER_STYLE)  # the star is a suit of its own
        suit = suit_of(card)
        text = _rank_text(rank_of(card)) + SUIT_SIGNS[suit] if self.signs else format_card(card)
        return Text(text, self._styles[suit])

    def stands_for(self, text: str) -> Text:
        """Return what a wild stands for: a card (``"6H"``) or, in a set, a rank (``"K"``)."""
        rank, suit = RANKS.index(text[0]), SUITS.find(text[1:]) if text[1:] else -1
        if suit >= 0:
            return self.card(suit * len(RANKS) + rank)
        return Text(_rank_text(rank) if self.signs else text)

    def cards(self, cards: Iterable[Card]) -> Text:
        """Return cards with blanks between them."""
        return Text(" ").join(self.card(c) for c in cards)

    def meld(self, meld: Meld) -> Text:
        """Return a meld in brackets, each wild with the card it stands for: ``[9♥ JK=10♥ J♥]``."""
        shown = []
        for card, stands_for in zip(meld.cards, meld.shown_as(), strict=True):
            text = self.card(card)
            if stands_for is not None:
                text = Text.assemble(text, "=", self.stands_for(stands_for))
            shown.append(text)
        return Text.assemble("[", Text(" ").join(shown), "]")

    def melds(self, melds: Sequence[Meld]) -> Text:
        """Return melds side by side, a dash when there is none."""
        return Text(" ").join(map(self.meld, melds)) if melds else Text("-")

    def table(self, table: Table) -> None:
        """Write a table, wrapped to the console; its rules are ASCII where they must be."""
        if not self.signs:
            table.box = box.ASCII2
        self.console.print(table, soft_wrap=False)

    def line(self, *parts: str | Text) -> None:
        """Write one line."""
        self.console.print(Text.assemble(*parts))


def show_if_down(found: Solution | None, screen: Screen) -> None:
    """Write the melds of a hand that cannot lay its contract, marked as such; nothing of others."""
    if found is None:
        return
    left = found.arrangement.deadwood
    tail = (" / ", screen.cards(left)) if left else ()
    melds = screen.melds(found.arrangement.sorted_melds())
    screen.line(
        f"if it were already down: {number_of(found.penalty, 'point')} left: ", melds, *tail
    )


def if_down_json(found: Solution) -> dict[str, Any]:
    """Return the same as plain JSON."""
    return {"penalty": found.penalty, "proved": found.proved, **found.arrangement.to_json()}


def number_of(n: int, what: str) -> str:
    """Return a number of things in words, ``"1 meld"`` or ``"2 melds"``."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _rank_text(rank: int) -> str:
    """Return a rank as people read it: 10, not T."""
    return "10" if RANKS[rank] == "T" else RANKS[rank]


def _can_write(text: str, encoding: str | None) -> bool:
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
