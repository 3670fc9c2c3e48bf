"""Gin's end of play: the knock, and the defence against it."""

from __future__ import annotations

from solver.cards import Card, format_card
from solver.engine.gin import knock_limit
from solver.engine.moves import Defend, Knock, LayOff
from solver.engine.playing import check_barred, check_holds, laid_off
from solver.engine.points import hand_price
from solver.engine.state import KnockFacts, Phase, Round
from solver.engine.tabling import TableMeld
from solver.engine.turns import end_round, next_seat
from solver.engine.zones import lose, without
from solver.errors import HandError, IllegalMoveError
from solver.melds import Meld, check_meld


def check_knock(r: Round, move: Knock) -> None:
    """Raise IllegalMoveError unless the player may knock so.

    Codes: ``knock.off``, ``knock.big_gin`` (no discard asked, but cards are left or big gin is
    not played), ``knock.meld``, ``knock.limit``, ``move.card``, ``discard.returned``.
    """
    flow = r.rules.flow
    if flow.knock_limit is None:
        raise IllegalMoveError("expected no knock in this game", code="knock.off")
    if move.card is not None:
        check_barred(r, move.card)
    left = _left(r, move)
    if move.card is None and (flow.big_gin_bonus is None or left):
        raise IllegalMoveError("expected a discard with the knock", code="knock.big_gin")
    check_own_melds(move.melds, r)
    points, limit = hand_price(left, r.rules), knock_limit(r.rules, r.upcard)
    if points > limit:
        raise IllegalMoveError(
            f"expected at most {limit} points left by the knocker, got {points}",
            code="knock.limit",
        )


def _left(r: Round, move: Knock) -> tuple[Card, ...]:
    thrown = () if move.card is None else (move.card,)
    laid = (*thrown, *(c for m in move.melds for c in m.cards))
    check_holds(r, move.seat, laid)
    return without(r.hands[move.seat], laid)


def check_own_melds(melds: tuple[Meld, ...], r: Round) -> None:
    """Raise IllegalMoveError ``knock.meld`` unless every meld is legal."""
    for meld in melds:
        try:
            check_meld(meld, r.rules)
        except HandError as err:
            raise IllegalMoveError(f"expected a legal meld: {err}", code="knock.meld") from None


def do_knock(r: Round, move: Knock) -> Round:
    """Return the round with the knocker's melds on the table and the opponent to defend."""
    left = _left(r, move)
    thrown = () if move.card is None else (move.card,)
    laid = (*thrown, *(c for m in move.melds for c in m.cards))
    table = tuple(TableMeld(move.seat, meld) for meld in move.melds)
    return lose(r, move.seat, laid).to(
        discards=(*r.discards, *thrown),
        table=table,
        knock=KnockFacts(move.seat, move.melds, left),
        out=move.seat,
        phase=Phase.DEFEND,
        actor=next_seat(r, move.seat),
    )


def check_defend(r: Round, move: Defend) -> None:
    """Raise IllegalMoveError unless melds and lay-offs are the defender's and fit.

    Codes: ``move.card``, ``move.turn``, ``knock.meld``, ``defend.gin`` (nothing is laid off
    against gin), ``layoff.*``.
    """
    laid = (*(c for m in move.melds for c in m.cards), *(x.card for x in move.layoffs))
    check_holds(r, move.seat, laid)
    if any(layoff.seat != move.seat for layoff in move.layoffs):
        raise IllegalMoveError("expected lay-offs of the same seat", code="move.turn")
    check_own_melds(move.melds, r)
    if move.layoffs and (_is_gin(r) or r.rules.flow.layoff == "none"):
        card = format_card(move.layoffs[0].card)
        raise IllegalMoveError(f"expected no lay-off against gin, got {card}", code="defend.gin")
    laid_off(r.hands[move.seat], r.table, move.layoffs, r.rules)


def _is_gin(r: Round) -> bool:
    return r.knock is not None and hand_price(r.knock.left, r.rules) == 0


def do_defend(r: Round, move: Defend) -> Round:
    """Return the round ended by a knock, with everything laid on the table."""
    layoffs: tuple[LayOff, ...] = move.layoffs
    _, table = laid_off(r.hands[move.seat], r.table, layoffs, r.rules)
    laid = (*(c for m in move.melds for c in m.cards), *(x.card for x in layoffs))
    table = (*table, *(TableMeld(move.seat, meld) for meld in move.melds))
    r = lose(r, move.seat, laid)
    return end_round(r.to(table=table, laid_off=tuple(x.card for x in layoffs)), "knock")
