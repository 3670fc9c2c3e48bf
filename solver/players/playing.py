"""Advice for the play in games with melds on the table: go down or wait, lay off, discard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from solver.cards import Card, counts_of
from solver.engine.moves import Discard, Move
from solver.engine.playing import is_callable
from solver.engine.view import View
from solver.players.answer import Advice, Horizon, Mean, Option, card_order
from solver.players.closed import weigh_discards
from solver.players.contract import least_left, weigh_waits
from solver.players.desk import allowed, state_of
from solver.players.laying import (
    after_layoffs,
    go_down_move,
    keeps,
    layoff_moves,
    lying_of,
    own_of,
    plan_down,
    plan_more,
    touching_cards,
)
from solver.players.neighbours import NO_WAY, Pool, dearest, points_of, pool_of
from solver.players.tabled import has_contract, is_down, lacks_of
from solver.table import with_discard

END_RISK: Final = Fraction(1, 4)
"""Chance that the deal ends before the next turn with which waiting must still pay."""


def advise_play(seen: View) -> Advice:
    """Return what to lay, if anything, and what to discard."""
    if is_down(seen):
        return _play_down(seen)
    return _play_up(seen)


def _play_up(seen: View) -> Advice:
    """Return going down or waiting, for a seat that has laid nothing yet."""
    rules, pool = seen.rules, pool_of(seen)
    waits, ahead = _waits(seen, pool)
    waits.sort(key=_wait_order(seen))
    going = going_down(seen, pool if ahead else None)
    options = list(waits)
    if going is not None:
        options.insert(int(bool(waits) and pays_to_wait(going, waits[0])), going)
    reason = _why_up(options, going, ahead=ahead)
    horizon: Horizon = "next_turn" if ahead else "now"
    return Advice(rules, seen.seat, seen.phase, horizon, tuple(options), (), pool.total, reason)


def pays_to_wait(going: Option, waiting: Option) -> bool:
    """Return whether to wait although one can go down.

    What waiting gains on average by the end of the next turn is set against what it leaves in
    hand should the deal end before: it must pay even if that happens in a quarter of all cases.
    """
    gained = going.value.exact - waiting.value.exact
    risked = (waiting.leaves or 0) - (going.leaves or 0)
    return not going.ends and gained > 0 and gained * (1 - END_RISK) > risked * END_RISK


def going_down(seen: View, pool: Pool | None) -> Option | None:
    """Return going down with the best plan, valued after the next turn where there is a pool."""
    hand, rules = counts_of(seen.hand), seen.rules
    contract = rules.meld.contract is not None
    swaps = rules.flow.swap_timing != "off" and seen.table
    if contract and not swaps and least_left(hand[None, :], rules)[0] == NO_WAY:
        return None
    plan = plan_down(seen)
    move = None if plan is None else go_down_move(seen, plan)
    if plan is None or move is None:
        return None
    laid = [c for m in move.melds for c in m.cards] + [x.card for x in move.layoffs]
    gained = [seen.table[s.meld].meld.cards[s.place] for s in move.swaps]
    rest = counts_of([*seen.hand, *gained])
    for card in [*laid, *(s.card for s in move.swaps)]:
        rest[card] -= 1
    points = rules.meld.points
    left = [c for c in range(len(points)) for _ in range(int(rest[c]))]
    ends = len(left) <= keeps(seen)
    leaves = points_of(rest, points) - dearest(rest, points, seen.barred)
    value = Mean(leaves)
    if pool is not None and not ends and len(left) > 1:
        left.remove(max((c for c in left if c != seen.barred), key=lambda c: points[c]))
        n = len(seen.table)
        own = [*own_of(seen), *range(n, len(plan.table))]
        value = pool.mean(after_layoffs(left, pool.cards, plan.table, own, rules))
    return Option(move, value, leaves, ends=ends, missing=Mean(0) if contract else None, plan=plan)


def _waits(seen: View, pool: Pool) -> tuple[list[Option], bool]:
    """Return a discard of each card without going down, and whether they look a turn ahead."""
    rules, hand = seen.rules, counts_of(seen.hand)
    points = rules.meld.points
    legal = {m for m in allowed(seen, [Discard(seen.seat, c) for c in sorted(set(seen.hand))])}
    contract = has_contract(seen)
    ahead = pool.total > 0
    options: list[Option] = []
    if contract:
        found = weigh_waits(hand, pool, rules)
        kinds, after, met = found.kinds, found.after, found.met
        total = points_of(hand, points)
        leaves = [total - points[c] for c in kinds.tolist()]
        lacking: list[Mean | None] = [Mean(n) for n in found.missing.tolist()]
    else:
        plain = weigh_discards(hand, pool, rules, ahead=ahead)
        kinds, after, met = plain.kinds, plain.after, plain.after == 0
        leaves, lacking = plain.leaves.tolist(), [None] * len(kinds)
    for i, card in enumerate(kinds.tolist()):
        move = Discard(seen.seat, card)
        if move not in legal:
            continue
        chance = pool.chance(met[i]) if ahead else None
        value = pool.mean(after[i]) if ahead else Mean(leaves[i])
        called = would_be_called(seen, card)
        if called:
            value = _called_value(leaves[i] + points[card], pool, seen)
        options.append(
            Option(move, value, leaves[i], chance_out=chance, missing=lacking[i], called=called)
        )
    return options, ahead


def would_be_called(seen: View, card: Card) -> bool:
    """Return whether others may call rummy on a discard of the card."""
    if seen.rules.flow.rummy_mode == "off" or len(seen.hand) == 1:
        return False
    if card not in touching_cards((), lying_of(seen), seen.rules):
        return False
    return is_callable(state_of(seen).round, card)


def _called_value(held: int, pool: Pool, seen: View) -> Mean:
    """Return the points held after a call: the discard comes back, with cards of the stock."""
    worth = np.array(seen.rules.meld.points, np.int64)[pool.cards]
    drawn = pool.mean(worth) if pool.total else Mean(0)
    return Mean(held * drawn.of + seen.rules.flow.rummy_cards * drawn.total, drawn.of)


def _wait_order(seen: View) -> Callable[[Option], tuple[object, ...]]:
    by_card = card_order(seen.rules)

    def key(option: Option) -> tuple[object, ...]:
        assert isinstance(option.move, Discard), "who waits discards"
        return (option.called, lacks_of(option), option.value.exact, by_card(option.move.card))

    return key


def _why_up(options: list[Option], going: Option | None, *, ahead: bool) -> str:
    best = options[0]
    if going is not None:
        if best is going:
            if going.ends:
                return "going down now lays every card that must go and ends the deal"
            return f"going down now leaves {going.leaves} points after the discard"
        return (
            f"waiting leaves {best.value.text()} points on average after the next turn, going "
            f"down now {going.value.text()}"
        )
    after = f", {best.value.text()} on average after the next turn" if ahead else ""
    if best.missing is None:
        return f"leaves {best.leaves} points now{after}"
    chance = best.chance_out
    outs = "" if chance is None else f" ({chance.total} of {chance.of} cards complete it)"
    return f"{best.missing.text()} cards are then missing to the contract{outs}{after}"


def _play_down(seen: View) -> Advice:
    """Return the lay-offs first, then the discard, for a seat that is down."""
    rules, hand, pool = seen.rules, counts_of(seen.hand), pool_of(seen)
    points = rules.meld.points
    total = points_of(hand, points)
    options = _laying(seen)
    by_card = card_order(rules)
    discards: list[Option] = []
    for move in allowed(seen, [Discard(seen.seat, c) for c in sorted(set(seen.hand))]):
        assert isinstance(move, Discard), "only discards were asked"
        leaves, called = total - points[move.card], would_be_called(seen, move.card)
        value = _called_value(total, pool, seen) if called else Mean(leaves)
        ends = len(seen.hand) == 1
        discards.append(Option(move, value, leaves, ends=ends, called=called))
    discards.sort(key=lambda o: (o.called, o.value.exact, by_card(_card_of(o.move))))
    options = [*options, *discards]
    if options[0].plan is not None:
        n, left = len(options[0].plan.actions), options[0].leaves
        shown = "1 card fits" if n == 1 else f"{n} cards fit"
        reason = f"{shown} the table, {left} points are left then"
    elif options[0].ends:
        reason = "the last card ends the deal"
    else:
        reason = f"nothing more fits the table, and {options[0].leaves} points left is the least"
        if options[0].called:
            reason = "every card fits the table, so any discard may be called"
    return Advice(rules, seen.seat, seen.phase, "this_turn", tuple(options), (), pool.total, reason)


def _laying(seen: View) -> list[Option]:
    """Return the first step of the best lay-offs, nothing where none is allowed."""
    if not seen.table and seen.rules.meld.contract is not None:
        return []
    plan = with_discard(plan_more(seen), barred=seen.barred)
    points = seen.rules.meld.points
    steps: list[Move] = []
    whole = plan.melds or plan.swaps
    if whole and (move := go_down_move(seen, plan)) is not None:
        steps = [move]
    else:
        steps = list(layoff_moves(seen, plan))
    step = next(iter(allowed(seen, steps)), None)
    if step is None:
        return []
    thrown = [points[c] for c in plan.left if c != seen.barred]
    leaves = plan.penalty - max(thrown, default=0)
    ends = _is_out(plan.left, seen)
    return [Option(step, Mean(leaves), leaves, ends=ends, plan=plan)]


def _is_out(left: Sequence[Card], seen: View) -> bool:
    """Return whether a seat that keeps these cards ends the deal in this turn.

    One that may float goes on without a card; it is out when its last card is discarded.
    """
    rules = seen.rules
    if not left:
        return rules.meld.use_all or not rules.flow.floating
    return len(left) == keeps(seen) and left[0] != seen.barred


def _card_of(move: Move) -> Card:
    assert isinstance(move, Discard), "who plays no more discards"
    return move.card
