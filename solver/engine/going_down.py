"""Going down: contract, swaps and lay-offs judged as one move; false melds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Final, NamedTuple

from solver.cards import Card, format_hand
from solver.engine.as_written import readings_of, several_readings
from solver.engine.facts import Fine
from solver.engine.moves import GoDown
from solver.engine.notation import format_move
from solver.engine.playing import (
    after_play,
    check_can_finish,
    check_holds,
    ends_round_empty,
    is_later_turn,
    laid_off,
    plays_on_table,
    wilds_are_kept,
)
from solver.engine.state import Round
from solver.engine.tabling import TableMeld, numbers_of, take_wild
from solver.engine.zones import gain, holds, lose, put, without
from solver.errors import HandError, IllegalMoveError
from solver.melds import (
    Arrangement,
    Meld,
    MeldKind,
    MeldLike,
    arrangement_value,
    check_arrangement,
    check_contract,
    meld_readings,
)
from solver.rules.model import GameRules
from solver.table import may_swap_in

MOST_READINGS: Final = 256
"""Ways to read the melds of one move; beyond them the player says what wilds stand for."""


class WentDown(NamedTuple):
    """A move of going down with every wild on its place, and the hand and the table after it."""

    move: GoDown
    hand: tuple[Card, ...]
    table: tuple[TableMeld, ...]


def check_go_down(r: Round, move: GoDown) -> None:
    """Raise IllegalMoveError unless the player may go down so.

    A false meld is not refused where the rules fine it, see ``false_meld``; everything else that
    is wrong is: readings left open, slips of notation, swaps and lay-offs beside a contract.
    """
    if not plays_on_table(r):
        raise IllegalMoveError("expected no melds on the table in this game", code="down.off")
    more = r.rules.meld.contract is None or r.rules.meld.extra_melds
    if move.seat in r.down and move.melds and not more:
        raise IllegalMoveError("expected to go down once in a deal", code="down.twice")
    if not move.melds and not (move.swaps and move.seat in r.down):
        raise IllegalMoveError("expected melds to lay, got none", code="down.empty")
    if any(layoff.seat != move.seat for layoff in move.layoffs):
        raise IllegalMoveError("expected lay-offs of the same seat", code="move.turn")
    _cards_after_swaps(r, move)
    if false_meld(r, move) is None:
        judge_go_down(r, move)


def _cards_after_swaps(r: Round, move: GoDown) -> tuple[Card, ...]:
    """Return the hand after the swaps; raise where a card is not there to be given or laid."""
    hand = r.hands[move.seat]
    check_holds(r, move.seat, tuple(s.card for s in move.swaps))
    hand = without(hand, [s.card for s in move.swaps])
    for swap in move.swaps:
        if not (0 <= swap.meld < len(r.table)):
            raise IllegalMoveError(
                f"expected {numbers_of(r.table)}, got {swap.meld}", code="swap.meld"
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


def judge_go_down(r: Round, move: GoDown) -> WentDown:
    """Return hand and table after going down, or raise with what is wrong with it.

    Wilds whose places are clear need no ``=``: the one reading of the whole move that is legal is
    taken. Where there are several the player has to choose, unless the move ends the round, when
    nobody adds to the melds any more; then the reading worth most is taken.

    Raises:
        IllegalMoveError: ``swap.*``, ``down.contract`` (with the reason), ``down.value``,
            ``meld.readings`` (several places for a wild), ``layoff.*``, ``play.strands``.
    """
    ways = [readings_of(meld, r.rules) or (meld,) for meld in move.melds]
    if math.prod(len(way) for way in ways) > MOST_READINGS:
        raise several_readings([Arrangement(way, ()).text() for way in ways if len(way) > 1])
    legal: list[WentDown] = []
    first: IllegalMoveError | None = None
    for melds in product(*ways):
        try:
            legal.append(_judge_reading(r, replace(move, melds=melds)))
        except IllegalMoveError as error:
            first = first or error
    if not legal:
        assert first is not None, "a move has a reading"
        raise first
    if len(legal) > 1 and not (ends_round_empty(r) and not legal[0].hand):
        raise several_readings([" ".join(meld.text() for meld in one.move.melds) for one in legal])
    return max(legal, key=lambda one: arrangement_value(Arrangement(one.move.melds, ()), r.rules))


def _judge_reading(r: Round, move: GoDown) -> WentDown:
    """Judge a move whose melds lie as declared."""
    hand = _cards_after_swaps(r, move)
    table, wilds = _swapped(r, move)
    _check_melds(r, move, hand, wilds)
    hand = without(hand, [c for m in move.melds for c in m.cards])
    table = (*table, *(TableMeld(move.seat, meld) for meld in move.melds))
    later = is_later_turn(r, move.seat)
    flow = r.rules.flow
    if move.layoffs and (flow.layoff == "none" or not (later or flow.layoff_same_turn)):
        raise IllegalMoveError(
            "expected no lay-off in the turn of going down", code="layoff.same_turn"
        )
    if wilds_are_kept(r, move.seat) and any(map(_holds_wild, move.melds)):
        raise IllegalMoveError(
            "expected no wild laid after the turn of going down", code="down.wild_kept"
        )
    hand, table = laid_off(hand, table, move.layoffs, r)
    if not r.rules.meld.use_all:
        check_can_finish(r, hand, table, move.seat)
    return WentDown(move, hand, table)


def _holds_wild(meld: Meld) -> bool:
    return meld.kind == MeldKind.WILD or any(name is not None for name in meld.stands_for)


def _swapped(r: Round, move: GoDown) -> tuple[tuple[TableMeld, ...], list[Card]]:
    """Return the table after the swaps and the wilds gained; all of these must be played."""
    flow = r.rules.flow
    if move.swaps and not may_swap_in(r.rules, is_down=move.seat in r.down):
        raise IllegalMoveError("expected no swap of a wild here", code="swap.off")
    table, wilds = r.table, []
    for swap in move.swaps:
        lying = table[swap.meld]
        if flow.swap_scope == "others" and lying.owner == move.seat:
            raise IllegalMoveError("expected a meld of another player", code="swap.owner")
        swapped, wild = take_wild(lying, swap.card, swap.place, r.rules, seat=move.seat)
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
    _check_contract(r, move.seat, hand, move.melds)
    least = rules.flow.initial_meld_min if move.seat not in r.down else 0
    worth = arrangement_value(Arrangement(move.melds, ()), rules) if least else 0
    if worth < least:
        raise IllegalMoveError(f"expected melds worth {least}, got {worth}", code="down.value")


def _check_contract(r: Round, seat: int, hand: tuple[Card, ...], melds: Sequence[MeldLike]) -> None:
    """Raise ``down.contract`` unless these are the melds asked of a seat, worth aside."""
    try:
        if r.rules.meld.contract is not None and seat not in r.down:
            check_contract(list(hand), melds, r.rules)
        else:
            check_arrangement(list(hand), melds, r.rules)
    except HandError as err:
        raise IllegalMoveError(
            f"expected melds that meet the contract: {err}", code="down.contract"
        ) from None


def false_meld(r: Round, move: GoDown) -> Fine | None:
    """Return the fine for a false meld, None where going down so is none.

    A meld is false when no reading of the cards laid is what the player has to lay. Readings
    left open, slips of notation, bad swaps and lay-offs make none: the player can go down.
    """
    rules, cost = r.rules, r.rules.flow.false_meld_penalty
    if cost is None or move.seat in r.down:
        return None
    hand = without(_cards_after_swaps(r, move), [layoff.card for layoff in move.layoffs])
    loose = [meld.cards for meld in move.melds]
    try:
        _check_contract(r, move.seat, hand, loose)
        least = rules.flow.initial_meld_min
        worth = _most_worth(loose, rules) if least else 0
        if worth < least:
            raise IllegalMoveError(f"expected melds worth {least}, got {worth}", code="down.value")
    except IllegalMoveError as error:
        return Fine(move.seat, "false meld", format_move(move), error.code, str(error), cost)
    return None


def _most_worth(melds: Sequence[tuple[Card, ...]], rules: GameRules) -> int:
    """Return what melds are worth, each in its dearest reading."""
    return sum(
        max(arrangement_value(Arrangement((reading,), ()), rules) for reading in found)
        for found in (meld_readings(cards, rules) for cards in melds)
    )


def can_go_down(r: Round, move: GoDown) -> bool:
    """Return whether a move of going down is legal and not only fined."""
    try:
        judge_go_down(r, move)
    except IllegalMoveError:
        return False
    return True


def do_go_down(r: Round, move: GoDown) -> Round:
    """Return the round after going down, or after the fine for a false meld."""
    fine = false_meld(r, move)
    if fine is not None:
        return r.to(fines=(*r.fines, fine))
    move, _, table = judge_go_down(r, move)
    given = [s.card for s in move.swaps]
    wilds = [r.table[s.meld].meld.cards[s.place] for s in move.swaps]
    r = gain(lose(r, move.seat, given), move.seat, wilds, seen=True)
    laid = [*(c for m in move.melds for c in m.cards), *(x.card for x in move.layoffs)]
    first = move.seat not in r.down
    r = lose(r, move.seat, laid).to(
        table=table, down=r.down | {move.seat}, went_down=r.went_down or first
    )
    return after_play(r)
