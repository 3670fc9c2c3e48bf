"""Melds on the table as a seat may use them: plans of a turn, and what later draws add."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from solver.cards import JOKER, N_RANKS, RANKS, Card
from solver.engine.going_down import can_go_down
from solver.engine.moves import GoDown, LayOff, Swap
from solver.engine.tabling import set_rank, shown_cards
from solver.engine.view import View
from solver.melds import MeldKind
from solver.players.desk import state_of
from solver.players.neighbours import Ints
from solver.rules.model import GameRules
from solver.solve import best_contract
from solver.table import Lying, Plan, best_godown, best_layoff, may_swap_in, with_discard
from solver.table.lying import adds_distinct


def lying_of(seen: View) -> list[Lying]:
    """Return the melds on the table as the solver of the table takes them."""
    return [Lying(lying.meld, lying.n_wilds_added) for lying in seen.table]


def own_of(seen: View) -> list[int]:
    """Return the numbers of the seat's own melds."""
    return [i for i, lying in enumerate(seen.table) if lying.owner == seen.seat]


def keeps(seen: View) -> int:
    """Return how many cards must stay in hand for the discard.

    A player who began without a card, or who needs no discard to go out, keeps none.
    """
    rules = seen.rules
    if rules.meld.use_all or seen.is_floating or not rules.flow.must_discard_to_go_out:
        return 0
    return 1


def plan_down(seen: View) -> Plan | None:
    """Return the best way to go down now with swaps and lay-offs, None when there is none."""
    keep = keeps(seen)
    own = own_of(seen)
    plan = best_godown(list(seen.hand), lying_of(seen), seen.rules, own=own, keep=keep)
    if plan is not None and keep and set(plan.left) == {seen.barred}:
        # The card just taken may not be the discard: another one is kept too.
        plan = best_godown(list(seen.hand), lying_of(seen), seen.rules, own=own, keep=2)
    return None if plan is None else with_discard(plan, barred=seen.barred)


def plan_more(seen: View) -> Plan:
    """Return the best lay-offs (and new melds, without a contract) of a seat that is down."""
    rules, hand, table, own = seen.rules, list(seen.hand), lying_of(seen), own_of(seen)
    plan = best_layoff(hand, table, rules, own=own, keep=keeps(seen))
    if keeps(seen) and set(plan.left) == {seen.barred}:
        plan = _keeping_another(hand, table, own, seen)
    if rules.meld.contract is not None and not rules.meld.extra_melds:
        return plan
    free = replace(rules, meld=replace(rules.meld, contract=None))
    more = best_godown(hand, table, free, own=own, keep=keeps(seen), is_down=True)
    return plan if more is None or more.penalty >= plan.penalty else more


def _keeping_another(
    hand: list[Card], table: Sequence[Lying], own: Sequence[int], seen: View
) -> Plan:
    """Return the best lay-offs that keep a discard other than the card just taken.

    Where that card is all there is, it must be laid off, and the player floats.
    """
    plans = []
    for card in sorted(set(hand) - {seen.barred}):
        rest = list(hand)
        rest.remove(card)
        plan = best_layoff(rest, table, seen.rules, own=own)
        left = tuple(sorted((*plan.left, card)))
        cost = plan.penalty + seen.rules.meld.points[card]
        plans.append((plan.penalty, len(left), replace(plan, left=left, penalty=cost)))
    if not plans:
        return best_layoff(hand, table, seen.rules, own=own)
    return min(plans, key=lambda entry: entry[:2])[2]


def go_down_move(seen: View, plan: Plan) -> GoDown | None:
    """Return a plan as one move that the referee takes for no false meld.

    The referee may be stricter with cards added than the table solver; then the melds alone are
    laid, and the cards are added one by one where that is allowed.
    """
    seat, round_now = seen.seat, state_of(seen).round
    swaps = tuple(Swap(a.card or 0, a.meld, a.place) for a in plan.swaps)
    layoffs = tuple(LayOff(seat, a.card or 0, a.meld, a.end) for a in plan.layoffs)
    moves = [GoDown(seat, plan.melds, swaps, layoffs)]
    moves += [GoDown(seat, plan.melds)] if plan.melds else []
    for move in moves:
        if can_go_down(round_now, move):
            return move
    if seen.rules.meld.contract is None or not plan.melds:
        return None
    found = best_contract(list(seen.hand), seen.rules)
    if found is None:
        return None
    move = GoDown(seat, found.arrangement.melds)
    return move if can_go_down(round_now, move) else None


def layoff_moves(seen: View, plan: Plan) -> list[LayOff]:
    """Return the lay-offs of a plan in their order."""
    return [LayOff(seen.seat, a.card or 0, a.meld, a.end) for a in plan.layoffs]


def after_layoffs(  # noqa: PLR0913 - the parts of a position
    hand: Sequence[Card],
    cards: Ints,
    table: Sequence[Lying],
    own: Sequence[int],
    rules: GameRules,
    *,
    barred: bool = False,
) -> Ints:
    """Return the points a seat that is down keeps after each card, its lay-offs and a discard.

    Only cards that can touch the table, or let a card of the hand touch it, are searched one by
    one; any other stays in hand or is the discard.

    Args:
        hand: cards held before the draw.
        cards: int64[k], the cards that may come.
        table: the melds on the table.
        own: numbers of the seat's own melds.
        rules: the game.
        barred: whether the card that came may not be discarded.
    """
    # Who floats has no card to keep: the one that comes is laid off, or is the last discard.
    keep = 1 if rules.flow.must_discard_to_go_out and hand else 0
    points = rules.meld.points
    base = best_layoff(list(hand), table, rules, own=own).left
    touching = touching_cards(hand, table, rules)
    swallowed = _swallowed(hand, table, rules)
    found: dict[tuple[Card, int], tuple[Card, ...]] = {}
    out = np.empty(len(cards), np.int64)
    for i, card in enumerate(cards.tolist()):
        if card in swallowed:
            left = base or (card,) * keep
        elif card not in touching:
            left = (*base, card)
        else:
            # Wilds that are never natural do the same at the same price.
            alike = rules.meld.is_wild(card) and not rules.meld.wild_as_natural
            key = (-1 if alike else card, points[card])
            if key not in found:
                plan = best_layoff([*hand, card], table, rules, own=own, keep=keep)
                found[key] = plan.left
            left = found[key]
        thrown = [points[c] for c in left if not (barred and c == card and c not in hand)]
        out[i] = sum(points[c] for c in left) - max(thrown, default=0)
    return out


def _suits(cards: Iterable[Card]) -> set[int]:
    return {c // N_RANKS for c in cards if c != JOKER}


def _swallowed(hand: Sequence[Card], table: Sequence[Lying], rules: GameRules) -> set[Card]:
    """Return naturals that some set takes and that change nothing for the other cards."""
    meld = rules.meld
    if meld.set_max is not None or adds_distinct(rules) or rules.flow.layoff == "own":
        return set()
    if may_swap_in(rules, is_down=True):
        return set()
    runs = {shown_cards(x.meld)[0] // N_RANKS for x in table if x.meld.kind == MeldKind.RUN}
    mixed = any(meld.is_wild(c) for c in hand)
    tied = runs if mixed else runs & _suits(hand)
    ranks = {RANKS.index(set_rank(x.meld)) for x in table if x.meld.kind == MeldKind.SET}
    return {
        s * N_RANKS + r
        for s in range(meld.suits)
        for r in ranks
        if s not in tied and not meld.is_wild(s * N_RANKS + r)
    }


def touching_cards(hand: Sequence[Card], table: Sequence[Lying], rules: GameRules) -> set[Card]:
    """Return all cards that may touch the table, alone or with the hand, and perhaps others."""
    meld = rules.meld
    if may_swap_in(rules, is_down=True) and any(any(x.meld.stands_for) for x in table):
        return set(range(JOKER + 1))  # a wild gained may join any of them to the table
    wild_held = any(meld.is_wild(c) for c in hand)
    found = set(meld.wild_ids)
    for lying in table:
        if lying.meld.kind == MeldKind.WILD:
            return set(range(JOKER + 1))
        if lying.meld.kind == MeldKind.SET:
            rank = RANKS.index(set_rank(lying.meld))
            found |= {s * N_RANKS + rank for s in range(meld.suits)}
            continue
        shown = shown_cards(lying.meld)
        suit = shown[0] // N_RANKS
        if wild_held or suit in _suits(hand):
            found |= {suit * N_RANKS + r for r in range(N_RANKS)}
        else:
            ends = ((shown[0] % N_RANKS - 1) % N_RANKS, (shown[-1] % N_RANKS + 1) % N_RANKS)
            found |= {suit * N_RANKS + r for r in ends}
    return found
