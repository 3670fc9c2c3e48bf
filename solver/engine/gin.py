"""Gin's defence: the defender's melds and lay-offs chosen together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from solver.cards import Card
from solver.engine.moves import LayOff
from solver.melds import Meld
from solver.rules.model import GameRules
from solver.table import joint_layoff
from solver.table.gin import knock_limit

__all__ = ["Defence", "defend", "knock_limit"]


class Defence(NamedTuple):
    """What a defender does after a knock: own melds, lay-offs in order, cards left."""

    melds: tuple[Meld, ...]
    layoffs: tuple[LayOff, ...]
    left: tuple[Card, ...]


def defend(
    hand: Sequence[Card], knocker_melds: Sequence[Meld], rules: GameRules, *, seat: int = 1
) -> Defence:
    """Return the defence that leaves fewest points, melds and lay-offs chosen together.

    Args:
        hand: the defender's cards.
        knocker_melds: melds the knocker laid.
        rules: rules of the round.
        seat: seat of the defender, written into the lay-offs.
    """
    plan = joint_layoff(list(hand), list(knocker_melds), rules)
    laid = tuple(LayOff(seat, a.card or 0, a.meld, a.end) for a in plan.layoffs)
    return Defence(plan.melds, laid, plan.left)
