"""Advice for games with melds on the table, before the play: the draw, purchases, calls."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from solver.cards import Card, counts_of, format_card
from solver.engine.moves import Buy, Draw, Pass, Rummy, Take
from solver.engine.tabling import placements
from solver.engine.view import View
from solver.errors import LimitError
from solver.players.answer import Advice, Mean, Option, Out
from solver.players.closed import top_discard, weigh_draws
from solver.players.contract import (
    after_buying,
    lacks_of_hand,
    least_left,
    prospects,
)
from solver.players.desk import allowed
from solver.players.laying import after_layoffs, lying_of, own_of
from solver.players.neighbours import NO_WAY, Ints, Pool, drawn, points_of, pool_of
from solver.table import best_layoff

_NONE: Final = np.zeros(0, np.int64)
MOST_PRICE: Final = 2
"""Cards of a price whose draws are all weighed: 1,500 ways for two of a whole deck."""


# --- take or draw, buy or pass ------------------------------------------------------------------


@dataclass(frozen=True)
class _Draws:
    """Points and missing cards now, after each card of the pool, and after the top discard."""

    now: int
    after: Ints
    taken: int
    met: Ints
    lacks: int | None = None
    lacks_after: Ints | None = None
    lacks_taken: int | None = None


def is_down(seen: View) -> bool:
    """Return whether the seat may lay off: it is down, or the game asks for no going down."""
    return seen.seat in seen.down


def has_contract(seen: View) -> bool:
    """Return whether the seat still has to lay a contract."""
    return seen.rules.meld.contract is not None and not is_down(seen)


def _weigh(seen: View, pool: Pool, top: Card | None) -> _Draws:
    """Return what draws are worth: by contract, by lay-offs, or by melds in hand."""
    rules, hand = seen.rules, counts_of(seen.hand)
    bars = rules.flow.forbid_return_discard
    tops = _NONE if top is None else np.array([top], np.int64)
    barred = bars and top is not None and not hand[top]
    if has_contract(seen):
        lacks = lacks_of_hand(hand, rules)
        found = prospects(hand, pool.cards, rules)
        taken = prospects(hand, tops, rules, barred=barred)
        now = min(points_of(hand, rules.meld.points), int(least_left(hand[None, :], rules)[0]))
        return _Draws(
            now,
            found.after,
            int(taken.after[0]) if len(tops) else NO_WAY,
            found.met.astype(np.int64),
            lacks,
            found.missing,
            int(taken.missing[0]) if len(tops) else None,
        )
    if is_down(seen):
        table, own = lying_of(seen), own_of(seen)
        left = best_layoff(list(seen.hand), table, rules, own=own)
        after = after_layoffs(seen.hand, pool.cards, table, own, rules)
        taken_at = after_layoffs(seen.hand, tops, table, own, rules, barred=barred)
        value = int(taken_at[0]) if len(tops) else NO_WAY
        met = after == 0
        if not seen.hand:  # one that floats ends the deal with a card that fits nowhere
            as_wild = rules.flow.wilds_after_down == "played"
            fits = [
                bool(placements(c, seen.table, rules, seen.seat, as_wild=as_wild))
                for c in pool.cards.tolist()
            ]
            met = ~np.array(fits, bool)
        return _Draws(left.penalty, after, value, met.astype(np.int64))
    plain = weigh_draws(hand, pool, top, rules)
    return _Draws(plain.now, plain.after, plain.taken, (plain.after == 0).astype(np.int64))


def advise_take(seen: View) -> Advice:
    """Return whether to take the top discard or to pass and draw."""
    pool, top = pool_of(seen), top_discard(seen)
    found = _weigh(seen, pool, top)
    options: list[Option] = []
    for move in allowed(seen, (Take(seen.seat), Draw(seen.seat), Pass(seen.seat))):
        if isinstance(move, Take):
            lacks = None if found.lacks_taken is None else Mean(found.lacks_taken)
            met = Mean(int(found.lacks_taken == 0 if lacks else found.taken == 0))
            options.append(Option(move, Mean(found.taken), chance_out=met, missing=lacks))
        elif not pool.total:
            # Nothing can be drawn: the round ends, and cards in hand count, melds or not.
            held = points_of(counts_of(seen.hand), seen.rules.meld.points)
            lacks = None if found.lacks is None else Mean(found.lacks)
            options.append(Option(move, Mean(held), chance_out=Mean(0), missing=lacks))
        else:
            lacks = None if found.lacks_after is None else pool.mean(found.lacks_after)
            chance = pool.chance(found.met == 1)
            options.append(Option(move, pool.mean(found.after), chance_out=chance, missing=lacks))
    options.sort(key=lambda o: (lacks_of(o), o.value.exact, isinstance(o.move, Take)))
    outs = _outs(found, pool)
    reason = _why_take(options, top, found, draws=bool(pool.total))
    return Advice(
        seen.rules, seen.seat, seen.phase, "this_turn", tuple(options), outs, pool.total, reason
    )


def lacks_of(option: Option) -> Fraction | int:
    """Return the cards missing to the contract after an option, 0 without a contract."""
    return 0 if option.missing is None else option.missing.exact


def _outs(found: _Draws, pool: Pool) -> tuple[Out, ...]:
    """Return the cards that bring the contract nearer or let points go, best first."""
    rows = zip(
        pool.cards.tolist(),
        pool.weights.tolist(),
        found.after.tolist(),
        found.met.tolist(),
        (found.after if found.lacks_after is None else found.lacks_after).tolist(),
        strict=True,
    )
    lacking = found.lacks or 0
    outs = [
        (lacks, Out(card, copies, left, found.now - left, bool(met)))
        for card, copies, left, met, lacks in rows
        if left < found.now or (found.lacks_after is not None and lacks < lacking)
    ]
    ordered = sorted(outs, key=lambda o: (not o[1].ends, o[0], -o[1].gain, o[1].card))
    return tuple(out for _, out in ordered)


def _why_take(options: list[Option], top: Card | None, found: _Draws, *, draws: bool) -> str:
    best = options[0]
    card = "" if top is None else format_card(top)
    if not draws and not isinstance(best.move, Take):
        return f"nothing can be drawn, so the round ends with {best.value.text()} points in hand"
    if not found.lacks:
        if isinstance(best.move, Take):
            return f"taking {card} leaves {best.value.text()} points"
        return f"the unknown card leaves {best.value.text()} points on average"
    if isinstance(best.move, Take):
        if found.lacks_taken == 0:
            return f"with {card} the contract can be laid"
        return f"{card} brings the contract nearer: {found.lacks_taken} missing, not {found.lacks}"
    lacks = best.missing.text() if best.missing is not None else ""
    return (
        f"the unknown card leaves {lacks} cards missing to the contract and "
        f"{best.value.text()} points on average"
    )


def advise_buy(seen: View) -> Advice:
    """Return whether to buy the top discard: for what it brings against what it costs to hold.

    Raises:
        LimitError: ``advice.price`` for a price of more cards than can be weighed.
    """
    rules, hand, pool, top = seen.rules, counts_of(seen.hand), pool_of(seen), top_discard(seen)
    points, price = rules.meld.points, rules.flow.buy_price
    moves = allowed(seen, (Buy(seen.seat), Pass(seen.seat)))
    assert top is not None, "a discard is offered"
    if price > MOST_PRICE:
        raise LimitError(
            f"expected a price of at most {MOST_PRICE} cards, got {price}", code="advice.price"
        )
    if has_contract(seen):
        held = min(points_of(hand, points), int(least_left(hand[None, :], rules)[0]))
        after, ways = after_buying(hand, top, pool, price, rules)
        bought = Mean(int(after @ ways), int(ways.sum()))
        with_card = drawn(hand, np.array([top]))[0]
        lacks, then = lacks_of_hand(hand, rules), lacks_of_hand(with_card, rules)
        options = [Option(Buy(seen.seat), bought, missing=Mean(then))]
        passing = Option(Pass(seen.seat), Mean(held), held, missing=Mean(lacks))
    else:
        held, bought = _bought_down(seen, pool, top, price)
        options, then, lacks = [Option(Buy(seen.seat), bought)], 0, 0
        passing = Option(Pass(seen.seat), Mean(held), held)
    options = [o for o in (*options, passing) if o.move in moves]
    options.sort(key=lambda o: (lacks_of(o), o.value.exact, isinstance(o.move, Buy)))
    if then < lacks:
        reason = f"{format_card(top)} brings the contract nearer: {then} missing, not {lacks}"
    else:
        reason = f"buying would hold {bought.text()} points on average, passing {held}"
    return Advice(rules, seen.seat, seen.phase, "now", tuple(options), (), pool.total, reason)


def _bought_down(seen: View, pool: Pool, top: Card, price: int) -> tuple[int, Mean]:
    """Return points kept of a seat without a contract to lay: as it is, and after a purchase.

    What fits the table now counts as laid off; a card of the price counts as kept.
    """
    rules = seen.rules
    table, own = lying_of(seen), own_of(seen)
    held = best_layoff(list(seen.hand), table, rules, own=own).penalty
    more = best_layoff([*seen.hand, top], table, rules, own=own).penalty
    worth = np.array(rules.meld.points, np.int64)[pool.cards]
    cost = pool.mean(worth) if pool.total else Mean(0)
    return held, Mean(more * cost.of + price * cost.total, cost.of)


def advise_call(seen: View) -> Advice:
    """Return to call rummy: the offender takes the card back and draws, the caller pays nothing."""
    hand = counts_of(seen.hand)
    held = points_of(hand, seen.rules.meld.points)
    moves = allowed(seen, (Rummy(seen.seat), Pass(seen.seat)))
    options = tuple(Option(move, Mean(held), held) for move in moves)
    card = format_card(top_discard(seen) or 0)
    reason = f"{card} fits the table, and a call costs only the player who discarded it"
    return Advice(seen.rules, seen.seat, seen.phase, "now", options, (), 0, reason)
