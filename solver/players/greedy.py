"""The player that looks at the points of this moment only."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

import numpy as np

from solver.cards import counts_of
from solver.engine.moves import Discard, Draw, GoOut, Knock, Move, Pass, Take
from solver.engine.state import Phase
from solver.engine.view import View
from solver.players.advice import advise
from solver.players.answer import card_order
from solver.players.closed import limit_of, top_discard, weigh_discards, weigh_draws
from solver.players.contract import lacks_of_hand, missing
from solver.players.desk import allowed
from solver.players.laying import lying_of, own_of
from solver.players.neighbours import Pool, drawn, kinds_of, points_of, thrown
from solver.players.plain import with_plain_moves
from solver.players.playing import going_down, would_be_called
from solver.players.tabled import has_contract, is_down
from solver.solve import solve
from solver.table import best_layoff

_NO_CARDS: Final = Pool(np.zeros(0, np.int64), np.zeros(0, np.int64), 0)
_DRAWS: Final = frozenset({Phase.DRAW, Phase.OFFER, Phase.UPCARD, Phase.WALL, Phase.BEAT_DRAW})
_PLAYS: Final = frozenset({Phase.PLAY, Phase.BEAT_DISCARD})


class GreedyPolicy:
    """Leaves the fewest points now: ends the round when it can, takes what helps at once.

    With a contract to lay, fewest missing cards come before fewest points. Nothing is bought, and
    nothing is expected of cards to come.
    """

    @with_plain_moves
    def choose(self, seen: View, moves: Sequence[Move], rng: random.Random) -> Move:
        """Return the move of least points now."""
        del moves, rng
        if seen.phase in _DRAWS:
            choices = allowed(seen, (Take(seen.seat), Draw(seen.seat), Pass(seen.seat)))
            wanted = [m for m in choices if isinstance(m, Take)]
            others = [m for m in choices if not isinstance(m, Take)]
            take = bool(wanted) and (not others or _helps(seen))
            return (wanted if take else others)[0]
        if seen.phase == Phase.BUY:
            return Pass(seen.seat)
        if seen.phase not in _PLAYS:
            return advise(seen).move
        if seen.rules.flow.meld_timing != "on_table":
            return _discard_closed(seen)
        return advise(seen).move if is_down(seen) else _play_up(seen)


def _helps(seen: View) -> bool:
    """Return whether the top discard leaves fewer points (or missing cards) than without it."""
    rules, hand, top = seen.rules, counts_of(seen.hand), top_discard(seen)
    if top is None:
        return False
    if has_contract(seen):
        more = drawn(hand, np.array([top]))[0]
        return lacks_of_hand(more, rules) < lacks_of_hand(hand, rules)
    if rules.flow.meld_timing == "on_table" and is_down(seen):
        table, own = lying_of(seen), own_of(seen)
        before = best_layoff(list(seen.hand), table, rules, own=own).penalty
        return best_layoff([*seen.hand, top], table, rules, own=own).penalty <= before
    found = weigh_draws(hand, _NO_CARDS, top, rules)
    return found.taken < found.now or seen.phase == Phase.WALL


def _discard_closed(seen: View) -> Move:
    """Return the discard that leaves least, going out or knocking where that is allowed."""
    hand, rules = counts_of(seen.hand), seen.rules
    found = weigh_discards(hand, _NO_CARDS, rules, ahead=False)
    by_card = card_order(rules)
    order = sorted(
        zip(found.leaves.tolist(), found.kinds.tolist(), strict=True),
        key=lambda p: (p[0], by_card(p[1])),
    )
    if going := allowed(seen, [GoOut(seen.seat)]):
        return going[0]
    for leaves, card in order:
        moves: list[Move] = [Discard(seen.seat, card)]
        if seen.out is None and leaves <= limit_of(seen):
            if rules.flow.knock_limit is None:
                moves.insert(0, Discard(seen.seat, card, out=True))
            else:
                rest = list(seen.hand)
                rest.remove(card)
                moves.insert(0, Knock(seen.seat, card, solve(rest, rules).arrangement.melds))
        legal = allowed(seen, moves)
        if legal:
            return legal[0]
    return advise(seen).move


def _play_up(seen: View) -> Move:
    """Return going down if that can be done, else the discard that leaves least."""
    going = going_down(seen, None)
    if going is not None:
        return going.move
    hand, rules = counts_of(seen.hand), seen.rules
    kinds = kinds_of(hand)
    if has_contract(seen):
        lacking = missing(thrown(hand, kinds), rules)
        total = points_of(hand, rules.meld.points)
        leaves = [total - rules.meld.points[c] for c in kinds.tolist()]
    else:
        lacking = np.zeros(len(kinds), np.int64)
        leaves = weigh_discards(hand, _NO_CARDS, rules, ahead=False).leaves.tolist()
    by_card = card_order(rules)
    rows = sorted(
        zip(kinds.tolist(), lacking.tolist(), leaves, strict=True),
        key=lambda p: (would_be_called(seen, p[0]), p[1], p[2], by_card(p[0])),
    )
    return allowed(seen, [Discard(seen.seat, card) for card, _, _ in rows])[0]
