"""Gin's end of play: the knock, and the defence against it."""

from __future__ import annotations

from solver.cards import Card, format_card
from solver.engine.as_written import readings_of, several_readings
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
    points, limit = hand_price(left, r.rules), knock_limit(r.rules, r.upcard)
    _placed(move.melds, r, is_open=_may_lay_off(r, points))
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


def _may_lay_off(r: Round, knocker_points: int) -> bool:
    """Return whether a defender may add cards to the knocker's melds: not against gin."""
    return bool(knocker_points) and r.rules.flow.layoff != "none"


def _placed(melds: tuple[Meld, ...], r: Round, *, is_open: bool) -> tuple[Meld, ...]:
    """Return melds with every wild on its place.

    Args:
        melds: the melds as written.
        r: the round.
        is_open: whether cards may be added to them, so that the places matter.

    Raises:
        IllegalMoveError: ``knock.meld``, no legal meld; ``meld.readings``, several places for a
            wild.
    """
    placed: list[Meld] = []
    for meld in melds:
        ways = readings_of(meld, r.rules)
        if len(ways) > 1 and is_open:
            raise several_readings([way.text() for way in ways])
        try:
            placed.append(ways[0] if ways else check_meld(meld, r.rules))
        except HandError as err:
            raise IllegalMoveError(f"expected a legal meld: {err}", code="knock.meld") from None
    return tuple(placed)


def do_knock(r: Round, move: Knock) -> Round:
    """Return the round with the knocker's melds on the table and the opponent to defend."""
    left = _left(r, move)
    thrown = () if move.card is None else (move.card,)
    laid = (*thrown, *(c for m in move.melds for c in m.cards))
    melds = _placed(move.melds, r, is_open=_may_lay_off(r, hand_price(left, r.rules)))
    return lose(r, move.seat, laid).to(
        discards=(*r.discards, *thrown),
        table=tuple(TableMeld(move.seat, meld) for meld in melds),
        knock=KnockFacts(move.seat, melds, left),
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
    _placed(move.melds, r, is_open=False)
    assert r.knock is not None, "a defence answers a knock"
    if move.layoffs and not _may_lay_off(r, hand_price(r.knock.left, r.rules)):
        card = format_card(move.layoffs[0].card)
        raise IllegalMoveError(f"expected no lay-off against gin, got {card}", code="defend.gin")
    laid_off(r.hands[move.seat], r.table, move.layoffs, r)


def do_defend(r: Round, move: Defend) -> Round:
    """Return the round ended by a knock, with everything laid on the table."""
    layoffs: tuple[LayOff, ...] = move.layoffs
    _, table = laid_off(r.hands[move.seat], r.table, layoffs, r)
    laid = (*(c for m in move.melds for c in m.cards), *(x.card for x in layoffs))
    melds = _placed(move.melds, r, is_open=False)
    table = (*table, *(TableMeld(move.seat, meld) for meld in melds))
    r = lose(r, move.seat, laid)
    return end_round(r.to(table=table, laid_off=tuple(x.card for x in layoffs)), "knock")
