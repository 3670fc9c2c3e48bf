"""Going down: contract, swaps and lay-offs judged as one move; false melds."""

from __future__ import annotations

from collections import Counter

from solver.cards import Card, format_hand
from solver.engine.moves import GoDown
from solver.engine.playing import (
    after_play,
    check_can_finish,
    check_holds,
    laid_off,
    plays_on_table,
)
from solver.engine.state import Round
from solver.engine.tabling import TableMeld, take_wild
from solver.engine.zones import gain, holds, lose, put, without
from solver.errors import HandError, IllegalMoveError
from solver.melds import Arrangement, arrangement_value, check_arrangement, check_contract


def check_go_down(r: Round, move: GoDown) -> None:
    """Raise IllegalMoveError unless the player may go down so.

    A false meld is not refused where the rules fine it: then only the time, the cards of the
    hand and the shape of the move are checked. See ``judge_go_down``.
    """
    flow = r.rules.flow
    if not plays_on_table(r):
        raise IllegalMoveError("expected no melds on the table in this game", code="down.off")
    more = r.rules.meld.contract is None or r.rules.meld.extra_melds
    if move.seat in r.down and not more:
        raise IllegalMoveError("expected to go down once in a deal", code="down.twice")
    if not move.melds:
        raise IllegalMoveError("expected melds to lay, got none", code="down.empty")
    if any(layoff.seat != move.seat for layoff in move.layoffs):
        raise IllegalMoveError("expected lay-offs of the same seat", code="move.turn")
    _cards_after_swaps(r, move)
    if flow.false_meld_penalty is None or move.seat in r.down:
        judge_go_down(r, move)


def _cards_after_swaps(r: Round, move: GoDown) -> tuple[Card, ...]:
    """Return the hand after the swaps; raise where a card is not there to be given or laid."""
    hand = r.hands[move.seat]
    check_holds(r, move.seat, tuple(s.card for s in move.swaps))
    hand = without(hand, [s.card for s in move.swaps])
    for swap in move.swaps:
        if not (0 <= swap.meld < len(r.table)):
            raise IllegalMoveError(
                f"expected a meld 0..{len(r.table) - 1}, got {swap.meld}", code="swap.meld"
            )
        cards = r.table[swap.meld].meld.cards
        if not 0 <= swap.place < len(cards):
            raise IllegalMoveError(
                f"expected a place 0..{len(cards) - 1}, got {swap.place}", code="swap.place"
            )
        hand = (*hand, cards[swap.place])
    laid = [*(c for m in move.melds for c in m.cards), *(x.card for x in move.layoffs)]
    if not holds(hand, laid):
        missing = sorted((Counter(laid) - Counter(hand)).elements())
        raise IllegalMoveError(
            f"expected cards of the hand, got {format_hand(missing)}", code="move.card"
        )
    return tuple(sorted(hand))


def judge_go_down(r: Round, move: GoDown) -> tuple[tuple[Card, ...], tuple[TableMeld, ...]]:
    """Return hand and table after going down, or raise with what is wrong with it.

    Raises:
        IllegalMoveError: ``swap.*``, ``down.contract`` (with the reason), ``down.value``,
            ``layoff.*``, ``play.strands``.
    """
    hand = _cards_after_swaps(r, move)
    table, wilds = _swapped(r, move)
    _check_melds(r, move, hand, wilds)
    hand = without(hand, [c for m in move.melds for c in m.cards])
    table = (*table, *(TableMeld(move.seat, meld) for meld in move.melds))
    if move.layoffs and (r.rules.flow.layoff == "none" or not r.rules.flow.layoff_same_turn):
        raise IllegalMoveError(
            "expected no lay-off in the turn of going down", code="layoff.same_turn"
        )
    hand, table = laid_off(hand, table, move.layoffs, r.rules)
    if not r.rules.meld.use_all:
        check_can_finish(r, hand, table, move.seat)
    return hand, table


def _swapped(r: Round, move: GoDown) -> tuple[tuple[TableMeld, ...], list[Card]]:
    """Return the table after the swaps and the wilds gained; all of these must be played."""
    flow = r.rules.flow
    if move.swaps and (flow.swap_timing == "off" or move.seat in r.down):
        raise IllegalMoveError("expected no swap of a wild here", code="swap.off")
    table, wilds = r.table, []
    for swap in move.swaps:
        lying = table[swap.meld]
        if flow.swap_scope == "others" and lying.owner == move.seat:
            raise IllegalMoveError("expected a meld of another player", code="swap.owner")
        swapped, wild = take_wild(lying, swap.card, swap.place, r.rules)
        table = put(table, swap.meld, swapped)
        wilds.append(wild)
    played = [*(c for m in move.melds for c in m.cards), *(x.card for x in move.layoffs)]
    if not holds(played, wilds):
        raise IllegalMoveError("expected every wild gained to be played", code="swap.kept")
    return table, wilds


def _check_melds(r: Round, move: GoDown, hand: tuple[Card, ...], wilds: list[Card]) -> None:
    """Raise unless the melds meet the contract, or the least value where there is none."""
    rules = r.rules
    if rules.flow.swap_timing == "after_contract":
        # The contract must stand without the wilds gained.
        laid = [c for m in move.melds for c in m.cards]
        if not holds(without(hand, wilds), laid):
            raise IllegalMoveError(
                "expected a contract without the wilds gained", code="swap.timing"
            )
    first = move.seat not in r.down
    try:
        if rules.meld.contract is not None and first:
            check_contract(list(hand), move.melds, rules)
        else:
            check_arrangement(list(hand), move.melds, rules)
    except HandError as err:
        raise IllegalMoveError(
            f"expected melds that meet the contract: {err}", code="down.contract"
        ) from None
    least = rules.flow.initial_meld_min
    if first and least and arrangement_value(Arrangement(move.melds, ()), rules) < least:
        raise IllegalMoveError(f"expected melds worth {least}", code="down.value")


def is_false_meld(r: Round, move: GoDown) -> bool:
    """Return whether going down so is a false meld, which is fined and changes nothing else."""
    try:
        judge_go_down(r, move)
    except IllegalMoveError:
        return True
    return False


def do_go_down(r: Round, move: GoDown) -> Round:
    """Return the round after going down, or after the fine for a false meld."""
    try:
        _, table = judge_go_down(r, move)
    except IllegalMoveError:
        n_false = put(r.n_false_melds, move.seat, r.n_false_melds[move.seat] + 1)
        return r.to(n_false_melds=n_false)
    given = [s.card for s in move.swaps]
    wilds = [r.table[s.meld].meld.cards[s.place] for s in move.swaps]
    r = gain(lose(r, move.seat, given), move.seat, wilds, seen=True)
    laid = [*(c for m in move.melds for c in m.cards), *(x.card for x in move.layoffs)]
    first = move.seat not in r.down
    r = lose(r, move.seat, laid).to(
        table=table, down=r.down | {move.seat}, went_down=r.went_down or first
    )
    return after_play(r)
