"""Gin's knock: the limit, and the defender's melds and lay-offs chosen together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from solver.cards import N_RANKS, Card
from solver.engine.moves import LayOff
from solver.engine.tabling import TableMeld, extend, placements
from solver.melds import Meld
from solver.rules.model import GameRules
from solver.solve import solve


class Defence(NamedTuple):
    """What a defender does after a knock: own melds, lay-offs in order, cards left."""

    melds: tuple[Meld, ...]
    layoffs: tuple[LayOff, ...]
    left: tuple[Card, ...]


def knock_limit(rules: GameRules, upcard: Card | None) -> int:
    """Return the most points a knocker may keep.

    In Oklahoma it is the value of the first upcard; an ace asks for gin or counts one, by rule.
    """
    flow = rules.flow
    if flow.oklahoma and upcard is not None:
        if upcard % N_RANKS == 0:
            return 0 if flow.oklahoma_ace == "gin" else 1
        return rules.meld.points[upcard]
    return flow.knock_limit or 0


def defend(
    hand: Sequence[Card], knocker_melds: Sequence[Meld], rules: GameRules, *, seat: int = 1
) -> Defence:
    """Return the defence that leaves fewest points: every set of lay-offs is tried.

    A defender has few cards that fit (a set takes one card, a run its neighbours in order), so
    the sets of lay-offs are few; each is completed by the best melds of what remains.

    Args:
        hand: the defender's cards.
        knocker_melds: melds the knocker laid.
        rules: rules of the round.
        seat: seat of the defender, written into the lay-offs.

    Returns:
        The best defence; among equals the one with fewest lay-offs.
    """
    table = tuple(TableMeld(1 - seat, meld) for meld in knocker_melds)
    best: tuple[int, int] | None = None
    answer = Defence((), (), tuple(sorted(hand)))
    seen: set[tuple[tuple[Card, ...], tuple[TableMeld, ...]]] = set()
    stack: list[tuple[tuple[Card, ...], tuple[TableMeld, ...], tuple[LayOff, ...]]]
    stack = [(tuple(sorted(hand)), table, ())]
    while stack:
        rest, lying, laid = stack.pop()
        if (rest, lying) in seen:
            continue
        seen.add((rest, lying))
        solution = solve(list(rest), rules) if rest else None
        value = (0 if solution is None else solution.penalty, len(laid))
        if best is None or value < best:
            best = value
            melds = () if solution is None else solution.arrangement.melds
            left = () if solution is None else tuple(solution.arrangement.deadwood)
            answer = Defence(melds, laid, left)
        for card in dict.fromkeys(rest):
            for i, end in placements(card, lying, rules, seat):
                others = list(rest)
                others.remove(card)
                longer = extend(lying[i], card, end, rules)
                after = (*lying[:i], longer, *lying[i + 1 :])
                stack.append((tuple(others), after, (*laid, LayOff(seat, card, i, end))))
    return answer
