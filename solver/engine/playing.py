"""Playing cards: discard, going out, lay-offs, and the call of rummy."""

from __future__ import annotations

from collections import Counter

from solver.cards import Card, format_card, format_hand
from solver.engine.facts import Fine
from solver.engine.moves import CHANCE, Discard, End, GoOut, LayOff, Rummy
from solver.engine.notation import format_move
from solver.engine.state import Phase, Round
from solver.engine.tabling import (
    TableMeld,
    can_extend,
    ends_of,
    extend,
    is_wild_there,
    numbers_of,
    placements,
)
from solver.engine.turns import end_round, end_turn, go_out
from solver.engine.zones import (
    draw_cards,
    gain,
    holds,
    least_penalty,
    lose,
    n_drawable,
    n_rebuildable,
    put,
    wait_for_stock,
    without,
)
from solver.errors import IllegalMoveError
from solver.rules.model import GameRules


def plays_on_table(r: Round) -> bool:
    """Return whether melds are laid during play."""
    return r.rules.flow.meld_timing == "on_table"


def check_holds(r: Round, seat: int, cards: tuple[Card, ...]) -> None:
    """Raise IllegalMoveError ``move.card`` unless the hand holds all these cards."""
    if not holds(r.hands[seat], cards):
        missing = Counter(cards) - Counter(r.hands[seat])
        raise IllegalMoveError(
            f"expected cards of the hand, got {format_hand(sorted(missing.elements()))}",
            code="move.card",
        )


def check_barred(r: Round, card: Card) -> None:
    """Raise IllegalMoveError ``discard.returned`` for the card just taken from the discards."""
    if card == r.barred:
        raise IllegalMoveError(
            f"expected another card than the one just taken, got {format_card(card)}",
            code="discard.returned",
        )


def must_knock(r: Round) -> bool:
    """Return whether the player took a discard at the wall, where only a knock may follow."""
    flow = r.rules.flow
    at_wall = bool(flow.stock_wall) and len(r.stock) <= flow.stock_wall
    return flow.knock_limit is not None and at_wall and r.taken_from == "discard"


def check_discard(r: Round, move: Discard) -> None:
    """Raise IllegalMoveError unless the card may be discarded, and so declared if it is.

    Codes: ``move.card``, ``discard.returned``, ``discard.must_knock``, ``discard.closing`` (a
    last card that fits the table), ``out.declared``, ``out.not_melded``.
    """
    check_holds(r, move.seat, (move.card,))
    check_barred(r, move.card)
    if must_knock(r):
        raise IllegalMoveError("expected a knock at the wall", code="discard.must_knock")
    if move.out:
        _check_out(r, move)
    elif plays_on_table(r) and len(r.hands[move.seat]) == 1:
        _check_closing(r, move)


def may_declare_out(r: Round) -> bool:
    """Return whether the game and the moment allow going out with a discard."""
    return not plays_on_table(r) and r.rules.flow.knock_limit is None and r.out is None


def _check_out(r: Round, move: Discard) -> None:
    if not may_declare_out(r):
        raise IllegalMoveError("expected a plain discard, got going out", code="out.declared")
    check_melds_out(r, move)


def check_go_out(r: Round, move: GoOut) -> None:
    """Raise IllegalMoveError unless the player may go out without a discard, all cards melded.

    Codes: ``out.declared``, ``out.discard`` (the game asks for one), ``out.not_melded``.
    """
    if not may_declare_out(r):
        raise IllegalMoveError("expected another move, got going out", code="out.declared")
    if r.rules.flow.must_discard_to_go_out:
        raise IllegalMoveError("expected a discard with going out, got none", code="out.discard")
    if least_penalty(r.hands[move.seat], r.rules):
        raise IllegalMoveError(
            "expected a hand that melds, got cards left over", code="out.not_melded"
        )


def do_go_out(r: Round, move: GoOut) -> Round:
    """Return the round after going out without a discard."""
    r = go_out(r, move.seat)
    return r if r.ending else end_turn(r)


def check_melds_out(r: Round, move: Discard) -> None:
    """Raise ``out.not_melded`` where a hand that does not meld is refused and not fined."""
    fine = false_out(r, move)
    if fine is not None and r.rules.flow.false_out_penalty is None:
        raise IllegalMoveError(fine.reason, code=fine.code)


def false_out(r: Round, move: Discard) -> Fine | None:
    """Return the fine for a false declaration, None for a true one and for a plain discard."""
    if not move.out:
        return None
    left = least_penalty(without(r.hands[move.seat], [move.card]), r.rules)
    if not left:
        return None
    reason = f"expected the rest of the hand to meld, got {left} points left over"
    cost = r.rules.flow.false_out_penalty or 0
    return Fine(move.seat, "false going out", format_move(move), "out.not_melded", reason, cost)


def _check_closing(r: Round, move: Discard) -> None:
    flow = r.rules.flow
    allowed = flow.closing_discard_playable
    if allowed == "always" or not flow.floating:
        return
    if allowed == "non_floating" and not r.is_floating:
        return
    if placements_of(r, move.card, r.table, move.seat):
        raise IllegalMoveError(
            f"expected a lay-off of the last card, got a discard of {format_card(move.card)}",
            code="discard.closing",
        )


def do_discard(r: Round, move: Discard) -> Round:
    """Return the round after a discard: next turn, window for rummy, or the end."""
    seat = move.seat
    fine = false_out(r, move)
    if fine is not None:
        return r.to(fines=(*r.fines, fine))
    r = lose(r, seat, [move.card]).to(discards=(*r.discards, move.card), discarder=seat)
    if move.out:
        r = go_out(r, seat)
        return r if r.ending else end_turn(r)
    if plays_on_table(r) and not r.hands[seat]:
        return end_round(r.to(out=seat), "out")
    return _after_discard(r, move.card)


def _after_discard(r: Round, card: Card) -> Round:
    """Return the round with the others asked to call rummy, where the discard fits a meld."""
    flow = r.rules.flow
    if flow.rummy_mode == "off" or not is_callable(r, card):
        return end_turn(r)
    if flow.rummy_mode == "auto":
        return do_call(r)
    at = r.players.index(r.turn)
    askers = (*r.players[at + 1 :], *r.players[:at])
    return r.to(phase=Phase.RUMMY, actor=askers[0], askers=askers) if askers else end_turn(r)


def is_callable(r: Round, card: Card) -> bool:
    """Return whether a discard of the player in turn may be called: it fits a table meld."""
    flow = r.rules.flow
    if flow.rummy_scope == "down_only" and r.turn not in r.down:
        return False
    if r.rules.meld.is_wild(card) and not flow.rummy_includes_wilds:
        return False
    return fits_table(card, r.table, r.rules)


def fits_table(card: Card, table: tuple[TableMeld, ...], rules: GameRules) -> bool:
    """Return whether a card can be added to some meld on the table, whoever owns it.

    Where wilds are kept after the turn of going down none fits as a wild.
    """
    wilds = rules.flow.wilds_after_down == "played"
    return any(
        can_extend(lying, card, end, rules, as_wild=wilds)
        for lying in table
        for end in ends_of(lying.meld)
    )


def is_later_turn(r: Round, seat: int) -> bool:
    """Return whether a seat went down in an earlier turn than this one."""
    return seat in r.down and not (seat == r.turn and r.went_down)


def wilds_are_kept(r: Round, seat: int) -> bool:
    """Return whether a seat may play no wilds any more."""
    return r.rules.flow.wilds_after_down == "kept" and is_later_turn(r, seat)


def placements_of(
    r: Round, card: Card, table: tuple[TableMeld, ...], seat: int
) -> list[tuple[int, End]]:
    """Return where a seat may add a card now; see ``placements``."""
    return placements(card, table, r.rules, seat, as_wild=not wilds_are_kept(r, seat))


def do_rummy(r: Round, _move: Rummy) -> Round:
    """Return the round after a call of rummy."""
    return do_call(r)


def do_call(r: Round) -> Round:
    """Return the round after the offender took the discard back and drew the extra cards."""
    n_extra = r.rules.flow.rummy_cards
    if n_drawable(r) < n_extra and n_rebuildable(r):
        return wait_for_stock(r, Rummy(CHANCE))
    card = r.discards[-1]
    r = gain(r, r.turn, [card], seen=True).to(discards=r.discards[:-1], discarder=None)
    r = draw_cards(r, r.turn, min(n_extra, n_drawable(r)))
    return end_turn(r, may_buy=False)


def check_layoff(r: Round, move: LayOff) -> None:
    """Raise IllegalMoveError unless the card may be added to that meld now.

    Codes: ``layoff.off``, ``layoff.not_down``, ``layoff.same_turn``, ``layoff.meld``,
    ``layoff.owner``, ``layoff.*`` of ``extend``, ``move.card``, ``play.strands``.
    """
    flow = r.rules.flow
    if flow.layoff == "none" or not plays_on_table(r):
        raise IllegalMoveError("expected no lay-offs in this game", code="layoff.off")
    if move.seat not in r.down:
        raise IllegalMoveError("expected going down before laying off", code="layoff.not_down")
    if r.went_down and not flow.layoff_same_turn:
        raise IllegalMoveError(
            "expected no lay-off in the turn of going down", code="layoff.same_turn"
        )
    check_holds(r, move.seat, (move.card,))
    hand, table = laid_off(r.hands[move.seat], r.table, (move,), r)
    check_can_finish(r, hand, table, move.seat)


def laid_off(
    hand: tuple[Card, ...],
    table: tuple[TableMeld, ...],
    layoffs: tuple[LayOff, ...],
    r: Round,
) -> tuple[tuple[Card, ...], tuple[TableMeld, ...]]:
    """Return hand and table after lay-offs in order; the cards are known to be held."""
    rules = r.rules
    for move in layoffs:
        if not 0 <= move.meld < len(table):
            raise IllegalMoveError(
                f"expected {numbers_of(table)}, got {move.meld}", code="layoff.meld"
            )
        lying = table[move.meld]
        if rules.flow.layoff == "own" and lying.owner != move.seat:
            raise IllegalMoveError("expected a meld of one's own", code="layoff.owner")
        if wilds_are_kept(r, move.seat) and is_wild_there(lying.meld, move.card, move.end, rules):
            raise IllegalMoveError(
                f"expected no wild after the turn of going down, got {format_card(move.card)}",
                code="layoff.wild_kept",
            )
        table = put(table, move.meld, extend(lying, move.card, move.end, rules, seat=move.seat))
        hand = without(hand, [move.card])
    return hand, table


def check_can_finish(
    r: Round, hand: tuple[Card, ...], table: tuple[TableMeld, ...], seat: int
) -> None:
    """Raise IllegalMoveError ``play.strands`` when no legal end of the turn would be left.

    A player who may not float must keep a card to discard, and it may not be the one just
    taken; a player who may float may keep that one only where it can be laid off.
    """
    flow = r.rules.flow
    if not hand:
        if flow.must_discard_to_go_out and not flow.floating:
            raise IllegalMoveError("expected a card kept for the discard", code="play.strands")
        return
    if any(card != r.barred for card in hand):
        return
    if flow.floating and placements_of(r, hand[0], table, seat):
        return
    raise IllegalMoveError(
        f"expected a card for the discard besides {format_card(hand[0])}, which was just taken",
        code="play.strands",
    )


def do_layoff(r: Round, move: LayOff) -> Round:
    """Return the round after a lay-off."""
    _, table = laid_off(r.hands[move.seat], r.table, (move,), r)
    return after_play(lose(r, move.seat, [move.card]).to(table=table))


def after_play(r: Round) -> Round:
    """Return the round after cards were played: a player without a card floats, or is out."""
    if r.hands[r.turn]:
        return r
    return end_round(r.to(out=r.turn), "out") if ends_round_empty(r) else end_turn(r)


def ends_round_empty(r: Round) -> bool:
    """Return whether playing the last card ends the round; otherwise the player floats."""
    return r.rules.meld.use_all or not r.rules.flow.must_discard_to_go_out
