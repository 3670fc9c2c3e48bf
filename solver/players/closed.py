"""Advice for games whose melds are shown at the end: Three Thirteen and its kin, and Gin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from solver.cards import N_CARDS, Card, Counts, counts_of, format_card
from solver.engine.gin import defend, knock_limit
from solver.engine.moves import Defend, Discard, Draw, GoOut, Knock, Move, Pass, Take
from solver.engine.points import hand_price
from solver.engine.state import Phase
from solver.engine.view import View
from solver.players.answer import Advice, Mean, Option, Out, card_order
from solver.players.desk import allowed
from solver.players.neighbours import (
    NO_WAY,
    Ints,
    Pool,
    drawn_and_thrown,
    kinds_of,
    least_ahead,
    pool_of,
    solved,
    thrown,
)
from solver.rules.model import GameRules
from solver.solve import solve


def limit_of(seen: View) -> int:
    """Return the most points with which the seat may end the round: 0, or Gin's knock limit."""
    if seen.rules.flow.knock_limit is None:
        return 0
    return knock_limit(seen.rules, seen.upcard)


def is_last_turn(seen: View) -> bool:
    """Return whether the seat has no turn after this one in the round."""
    if seen.turns_left is None:
        return False
    return seen.turns_left <= (1 if seen.piles else len(seen.players) - 1)


def top_discard(seen: View) -> Card | None:
    """Return the discard that the seat may take, None where there is none."""
    pile = seen.discards
    if seen.piles:
        pile = seen.piles[seen.players[seen.players.index(seen.seat) - 1]]
    return pile[-1] if pile else None


# --- take or draw -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Draws:
    """What a hand is worth now, after each draw, and after taking the top discard.

    Attributes:
        now: least penalty of the hand.
        after: int64[k], least penalty after each card of the pool and the best discard.
        taken: the same after taking the top discard, ``NO_WAY`` where there is none.
    """

    now: int
    after: Ints
    taken: int


def weigh_draws(hand: Counts, pool: Pool, top: Card | None, rules: GameRules) -> Draws:
    """Return what a hand is worth after every draw, all hands solved in one call."""
    kinds = kinds_of(hand)
    cards = pool.cards if top is None else np.append(pool.cards, top)
    block = drawn_and_thrown(hand, cards, kinds)
    rows = np.concatenate([hand[None, :], block.reshape(-1, N_CARDS)])
    found = solved(rows, rules)
    now, after = int(found[0]), found[1:].reshape(len(cards), len(kinds))
    best = after.min(axis=1, initial=NO_WAY)
    # A card drawn may be thrown at once, and so may one taken, unless the rules forbid it.
    n_drawn = len(pool.cards)
    taken = NO_WAY if top is None else int(best[n_drawn])
    if top is not None and not rules.flow.forbid_return_discard:
        taken = min(taken, now)
    return Draws(now, np.minimum(best[:n_drawn], now), taken)


def advise_draw(seen: View) -> Advice:
    """Return whether to take the top discard or to draw (or pass, where the stock comes next)."""
    hand, pool, top = counts_of(seen.hand), pool_of(seen), top_discard(seen)
    limit = limit_of(seen)
    found = weigh_draws(hand, pool, top, seen.rules)
    ends = limit if seen.out is None else -1
    options: list[Option] = []
    moves = (Take(seen.seat), Draw(seen.seat), Pass(seen.seat))
    for move in allowed(seen, moves):
        if isinstance(move, Take):
            chance = Mean(int(found.taken <= ends))
            options.append(Option(move, Mean(found.taken), chance_out=chance))
        elif not pool.total or seen.phase == Phase.WALL:
            options.append(Option(move, Mean(found.now), chance_out=Mean(0)))
        else:
            chance = pool.chance(found.after <= ends)
            options.append(Option(move, pool.mean(found.after), chance_out=chance))
    # Among equals the unknown card: a take shows the others what is collected.
    options.sort(key=lambda o: (o.value.exact, isinstance(o.move, Take)))
    draws = bool(pool.total) and seen.phase != Phase.WALL
    outs = list_outs(pool, found.after, found.now, ends) if draws else ()
    reason = _why_draw(options, top, outs, pool) if draws else _why_no_draw(options, top, seen)
    return Advice(
        seen.rules, seen.seat, seen.phase, "this_turn", tuple(options), outs, pool.total, reason
    )


def list_outs(pool: Pool, after: Ints, now: int, limit: int) -> tuple[Out, ...]:
    """Return the cards that save points or let the hand end the round, best first."""
    rows = zip(pool.cards.tolist(), pool.weights.tolist(), after.tolist(), strict=True)
    outs = [
        Out(card, copies, left, now - left, left <= limit)
        for card, copies, left in rows
        if left < now or left <= limit
    ]
    return tuple(sorted(outs, key=lambda o: (not o.ends, -o.gain, o.card)))


def _why_draw(options: list[Option], top: Card | None, outs: tuple[Out, ...], pool: Pool) -> str:
    best = options[0]
    if isinstance(best.move, Take):
        card = format_card(top or 0)
        if best.chance_out is not None and best.chance_out.total:
            return f"with {card} the round can be ended, {best.value.text()} points left"
        shown = f"taking {card} leaves {best.value.text()} points"
        if len(options) > 1:
            shown += f", the unknown card {options[1].value.text()} on average"
        return shown
    n_good = sum(out.copies for out in outs)
    shown = (
        f"the unknown card leaves {best.value.text()} points on average "
        f"({n_good} of {pool.total} cards help)"
    )
    if len(options) > 1:
        shown += f", taking {format_card(top or 0)} leaves {options[1].value.text()}"
    return shown


def _why_no_draw(options: list[Option], top: Card | None, seen: View) -> str:
    """Return the reason where no card can be drawn: the round ends unless the discard is taken."""
    score = "without a score" if seen.phase == Phase.WALL else "with the hand as it is"
    shown = f"the stock is at its end, not to take the discard ends the round {score}"
    for option in options:
        if isinstance(option.move, Take):
            shown += f"; taking {format_card(top or 0)} leaves {option.value.text()}"
    return shown


# --- discard, go out, knock ---------------------------------------------------------------------


@dataclass(frozen=True)
class Discards:
    """What every discard leaves.

    Attributes:
        kinds: int64[j], the different cards of the hand.
        leaves: int64[j], least penalty of the rest.
        after: int64[j, k], least penalty of the rest after each card of the pool and the best
            next discard; no columns where that was not asked.
    """

    kinds: Ints
    leaves: Ints
    after: Ints


def weigh_discards(hand: Counts, pool: Pool, rules: GameRules, *, ahead: bool) -> Discards:
    """Return what every discard leaves, now and after each next draw.

    Args:
        hand: a hand of one card too many, uint8[66].
        pool: what the next draw may bring.
        rules: the game.
        ahead: whether to look one draw ahead.
    """
    kinds = kinds_of(hand)
    if ahead:
        return Discards(kinds, *least_ahead(hand, kinds, pool.cards, rules))
    leaves = solved(thrown(hand, kinds), rules)
    return Discards(kinds, leaves, np.zeros((len(kinds), 0), np.int64))


def advise_discard(seen: View) -> Advice:
    """Return what to discard, and whether to go out or knock with it."""
    hand, pool, rules = counts_of(seen.hand), pool_of(seen), seen.rules
    last = is_last_turn(seen) or not pool.total
    found = weigh_discards(hand, pool, rules, ahead=not last)
    can_end = seen.out is None
    limit = limit_of(seen) if can_end else -1
    options: list[Option] = []
    means = [] if last else pool.means(found.after)
    chances = [] if last else pool.means(found.after <= limit)
    both = zip(found.kinds.tolist(), found.leaves.tolist(), strict=True)
    for i, (card, leaves) in enumerate(both):
        value, chance = (Mean(leaves), None) if last else (means[i], chances[i])
        options.append(Option(Discard(seen.seat, card), value, leaves, chance_out=chance))
        if can_end and leaves <= limit:
            options.append(_ending(seen, card, leaves))
    if can_end and rules.flow.big_gin_bonus is not None:
        options += _big_gin(seen, hand)
    if can_end and not (rules.flow.must_discard_to_go_out or solve(hand, rules).penalty):
        options.append(Option(GoOut(seen.seat), Mean(0), 0, ends=True))
    legal = set(allowed(seen, [o.move for o in options]))
    order = _best_first(card_order(rules), max(1, pool.total))
    options = sorted((o for o in options if o.move in legal), key=order)
    outs = _outs_after(options[0], found, pool, limit)
    return Advice(
        rules,
        seen.seat,
        seen.phase,
        "now" if last else "next_turn",
        tuple(options),
        outs,
        pool.total,
        _why_discard(options, limit, last=last),
    )


def _ending(seen: View, card: Card, leaves: int) -> Option:
    """Return the option to end the round with a discard."""
    move: Move = Discard(seen.seat, card, out=True)
    if seen.rules.flow.knock_limit is not None:
        rest = list(seen.hand)
        rest.remove(card)
        move = Knock(seen.seat, card, solve(rest, seen.rules).arrangement.melds)
    return Option(move, Mean(leaves), leaves, ends=True)


def _big_gin(seen: View, hand: Counts) -> list[Option]:
    best = solve(hand, seen.rules)
    if best.penalty:
        return []
    return [Option(Knock(seen.seat, None, best.arrangement.melds), Mean(0), 0, ends=True)]


def _best_first(
    by_card: Callable[[Card], tuple[bool, int, int]], n_unseen: int
) -> Callable[[Option], tuple[object, ...]]:
    """Return the order: ends first (big gin, then the rest), then what is left.

    Among equal discards wilds are kept and dear cards go. Means are over one or ``n_unseen``
    cards, so that their sums over as many order them.
    """

    def key(option: Option) -> tuple[object, ...]:
        card = option.move.card if isinstance(option.move, Discard | Knock) else None
        keeps_all = card is None
        last = (False, 0, -1) if card is None else by_card(card)
        total = option.value.total * (n_unseen // option.value.of)
        return (not option.ends, total, option.leaves, not keeps_all, last)

    return key


def _outs_after(best: Option, found: Discards, pool: Pool, limit: int) -> tuple[Out, ...]:
    """Return the outs of the hand that the advised discard leaves; none when it ends the round."""
    if best.ends or not found.after.shape[1] or not isinstance(best.move, Discard):
        return ()
    i = found.kinds.tolist().index(best.move.card)
    return list_outs(pool, found.after[i], int(found.leaves[i]), limit)


def _why_discard(options: list[Option], limit: int, *, last: bool) -> str:
    best = options[0]
    waiting = next((o for o in options if not o.ends), None)
    if best.ends:
        if not limit:
            other = "" if isinstance(best.move, GoOut) else "other "
            return f"every {other}card is melded, so the round can be ended"
        shown = "gin" if not best.leaves else f"{best.leaves} points left, {limit} allowed"
        later = "" if waiting is None else f"; waiting leaves {waiting.value.text()} on average"
        return f"{shown}, so the round can be ended by a knock{later}"
    if last:
        return f"it is the last turn, and {best.leaves} points left is the least"
    assert best.chance_out is not None, "a turn follows"
    ends = f" ({best.chance_out.total} of {best.chance_out.of} cards end the round)"
    after = f"{best.value.text()} on average after the next turn{ends if limit >= 0 else ''}"
    return f"leaves {best.leaves} points now, {after}"


# --- the answer to a knock ----------------------------------------------------------------------


def advise_defence(seen: View) -> Advice:
    """Return the melds and lay-offs that leave a defender fewest points."""
    assert seen.knock is not None, "a defence answers a knock"
    rules = seen.rules
    gin = hand_price(seen.knock.left, rules) == 0
    melds = solve(list(seen.hand), rules).arrangement if seen.hand else None
    alone = Defend(seen.seat, () if melds is None else melds.melds)
    left = 0 if melds is None else hand_price(melds.deadwood, rules)
    options = [Option(alone, Mean(left), left)]
    if not gin and rules.flow.layoff != "none":
        joint = defend(seen.hand, seen.knock.melds, rules, seat=seen.seat)
        price = hand_price(joint.left, rules)
        if price < left:
            options.insert(0, Option(Defend(seen.seat, *joint[:2]), Mean(price), price))
    shown = "own melds and lay-offs together leave" if len(options) > 1 else "the own melds leave"
    reason = f"{shown} {options[0].leaves} points, the least there is"
    return Advice(rules, seen.seat, seen.phase, "now", tuple(options), (), 0, reason)
