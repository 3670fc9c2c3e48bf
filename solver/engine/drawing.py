"""The draw: stock, top discard, the first upcard of gin, and buying out of turn."""

from __future__ import annotations

from solver.cards import Card, format_card
from solver.engine.gin import knock_limit
from solver.engine.moves import CHANCE, Buy, Draw, Pass, Take
from solver.engine.playing import placements_of
from solver.engine.state import Phase, Round
from solver.engine.turns import begin_turn, end_round, end_turn
from solver.engine.zones import (
    draw_cards,
    gain,
    least_penalty,
    n_drawable,
    n_rebuildable,
    put,
    wait_for_stock,
    without,
)
from solver.errors import IllegalMoveError


def check_draw(r: Round, _move: Draw) -> None:
    """Raise IllegalMoveError ``draw.source`` where the stock is no source."""
    if "stock" not in r.rules.flow.draw_sources:
        raise IllegalMoveError("expected a take, got a draw from the stock", code="draw.source")


def do_draw(r: Round, move: Draw) -> Round:
    """Return the round after a draw from the stock, rebuilt first when it is empty."""
    if not n_drawable(r):
        return wait_for_stock(r, move) if n_rebuildable(r) else end_round(r, "exhausted")
    r = draw_cards(r, move.seat, 1)
    return r.to(phase=Phase.PLAY, actor=move.seat, taken_from="stock", askers=())


def check_take(r: Round, move: Take) -> None:
    """Raise IllegalMoveError unless the top discard is the player's to take.

    Codes: ``draw.source``, ``draw.passed``, ``draw.no_discard``; ``draw.floating`` a player
    without cards may take a discard only to lay it off; ``draw.wall`` at the wall it may be
    taken only to knock.
    """
    if r.phase == Phase.DRAW and not r.may_take:
        raise IllegalMoveError("expected a draw from the stock after passing", code="draw.passed")
    if not {"top_discard", "any_discard"} & set(r.rules.flow.draw_sources):
        raise IllegalMoveError("expected a draw from the stock, got a take", code="draw.source")
    if not r.discards:
        raise IllegalMoveError("expected a discard to take, got none", code="draw.no_discard")
    card = r.discards[-1]
    if r.is_floating and not placements_of(r, card, r.table, move.seat):
        raise IllegalMoveError(
            f"expected a discard that can be laid off, got {format_card(card)}",
            code="draw.floating",
        )
    if r.phase == Phase.WALL and not can_knock((*r.hands[move.seat], card), card, r):
        raise IllegalMoveError(
            f"expected a discard to knock with, got {format_card(card)}", code="draw.wall"
        )


def can_knock(cards: tuple[Card, ...], taken: Card, r: Round) -> bool:
    """Return whether a hand of one card too many can knock after some discard."""
    limit = knock_limit(r.rules, r.upcard)
    hand = tuple(sorted(cards))
    if r.rules.flow.big_gin_bonus is not None and least_penalty(hand, r.rules) == 0:
        return True
    barred = taken if r.rules.flow.forbid_return_discard and cards.count(taken) == 1 else None
    return any(
        least_penalty(without(hand, [card]), r.rules) <= limit
        for card in dict.fromkeys(hand)
        if card != barred
    )


def do_take(r: Round, move: Take) -> Round:
    """Return the round with the top discard in the hand of the taker."""
    card = r.discards[-1]
    twin = card in r.hands[move.seat]
    barred = card if r.rules.flow.forbid_return_discard and not twin else None
    r = gain(r, move.seat, [card], seen=True)
    return r.to(
        discards=r.discards[:-1],
        discarder=None,
        turn=move.seat,
        phase=Phase.PLAY,
        taken_from="discard",
        barred=barred,
    )


def do_pass(r: Round, move: Pass) -> Round:
    """Return the round after somebody declined what was offered."""
    if r.phase == Phase.UPCARD:
        return _refuse_upcard(r)
    if r.phase == Phase.WALL:
        return end_round(r, "dead")
    if r.phase == Phase.OFFER:
        return _open_buying(r.to(may_take=False))
    askers = r.askers[1:]
    if askers:
        return r.to(askers=askers, actor=askers[0])
    if r.phase == Phase.RUMMY:
        return end_turn(r)
    return _close_buying(r)


def _refuse_upcard(r: Round) -> Round:
    refusals = r.refusals + 1
    if refusals < len(r.players):
        seat = r.players[refusals]
        return r.to(refusals=refusals, actor=seat, turn=seat)
    # All have refused: the first player must draw from the stock.
    return begin_turn(r.to(refusals=refusals), r.players[0]).to(may_take=False)


def _open_buying(r: Round) -> Round:
    """Return the round with the other players asked to buy the top discard, nearest first."""
    at = r.players.index(r.turn)
    nearest = (*r.players[at + 1 :], *r.players[:at])
    askers = tuple(seat for seat in nearest if may_buy(r, seat))
    if not askers:
        return _close_buying(r)
    r = r.to(askers=askers)
    if r.rules.flow.buy_priority == "first_call" and len(askers) > 1:
        return r.to(phase=Phase.CALL_ORDER, actor=CHANCE)
    return r.to(phase=Phase.BUY, actor=askers[0])


def may_buy(r: Round, seat: int) -> bool:
    """Return whether a seat may buy the top discard when the player in turn has passed."""
    flow = r.rules.flow
    if seat in (r.turn, r.discarder) or (seat in r.down and not flow.buy_after_down):
        return False
    if flow.max_buys is not None and r.n_buys[seat] >= flow.max_buys:
        return False
    return bool(r.discards) and _price_is_there(r)


def _price_is_there(r: Round) -> bool:
    """Return whether the stock can supply the price and then the draw of the player in turn."""
    price, n_stock, n_more = r.rules.flow.buy_price, n_drawable(r), n_rebuildable(r)
    if n_stock >= price + 1:
        return True
    if n_stock >= price:
        return n_more > 1  # the draw will come from what is shuffled below the next top card
    return n_stock + n_more >= price + 1


def do_buy(r: Round, move: Buy) -> Round:
    """Return the round after a purchase: the discard and its price go to the buyer's hand."""
    flow = r.rules.flow
    if n_drawable(r) < flow.buy_price:
        return wait_for_stock(r, move)
    r = gain(r, move.seat, [r.discards[-1]], seen=True)
    r = draw_cards(r, move.seat, flow.buy_price)
    n_buys = put(r.n_buys, move.seat, r.n_buys[move.seat] + 1)
    r = r.to(discards=r.discards[:-1], discarder=None, n_buys=n_buys)
    askers = tuple(seat for seat in r.askers if seat != move.seat and may_buy(r, seat))
    if flow.multi_buy and askers:
        return r.to(phase=Phase.BUY, askers=askers, actor=askers[0])
    return _close_buying(r)


def _close_buying(r: Round) -> Round:
    return r.to(phase=Phase.DRAW, actor=r.turn, may_take=False, askers=())
