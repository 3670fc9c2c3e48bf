"""A move for a hand that is too large to plan: lay what lies ready, throw what is dear."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final

from solver.engine.legal import MOST_PLANNED
from solver.engine.moves import Buy, Discard, Draw, GoDown, LayOff, Move, Pass, Rummy, Take
from solver.engine.view import View
from solver.errors import LimitError
from solver.players.answer import card_order

Choose = Callable[[Any, View, Sequence[Move], random.Random], Move]

_ORDER: Final = (Rummy, GoDown, LayOff, Discard, Draw, Pass, Take, Buy)


def plain_move(seen: View, moves: Sequence[Move]) -> Move:
    """Return a sensible legal move without any search.

    Calls and melds come first, then lay-offs, then the dearest discard, naturals before wilds.
    """
    points, by_card = seen.rules.meld.points, card_order(seen.rules)

    def key(move: Move) -> tuple[object, ...]:
        kind = next((i for i, k in enumerate(_ORDER) if isinstance(move, k)), len(_ORDER))
        if isinstance(move, Discard):
            wild = seen.rules.meld.is_wild(move.card)
            return (kind, wild, -points[move.card], by_card(move.card))
        if isinstance(move, GoDown):
            return (kind, -sum(points[c] for meld in move.melds for c in meld.cards))
        return (kind,)

    return min(moves, key=key)


def with_plain_moves(choose: Choose) -> Choose:
    """Let a player make a plain move where the hand can lie on the table in too many ways.

    After many purchases a hand holds thirty cards and more; a player must move all the same, and
    soon.
    """

    @wraps(choose)
    def safe(self: object, seen: View, moves: Sequence[Move], rng: random.Random) -> Move:
        on_table = seen.rules.flow.meld_timing == "on_table"
        if on_table and len(seen.hand) > MOST_PLANNED:
            return plain_move(seen, moves)
        try:
            return choose(self, seen, moves, rng)
        except LimitError as error:
            if error.code != "table.ways":
                raise
            return plain_move(seen, moves)

    return safe
