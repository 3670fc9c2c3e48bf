"""Simultaneous play: beats of a common draw and a common discard, paced by the caller."""

from __future__ import annotations

from dataclasses import replace

from solver.cards import Card, format_card
from solver.engine.moves import CHANCE, Discard, Draw, Move, Take
from solver.engine.playing import check_melds_out, false_out
from solver.engine.state import EVERYONE, Beat, Phase, Round
from solver.engine.turns import end_round
from solver.engine.zones import draw_cards, gain, lose, put
from solver.errors import IllegalMoveError


def _beat(r: Round) -> Beat:
    assert r.beat is not None, "simultaneous play has a beat"
    return r.beat


def playing(r: Round) -> tuple[int, ...]:
    """Return the seats that are not out, from the caller's left."""
    return tuple(seat for seat in r.players if seat not in _beat(r).outs)


def right_of(r: Round, seat: int) -> int:
    """Return the right-hand neighbour, whose pile the seat may take from."""
    return r.players[r.players.index(seat) - 1]


def begin_beat(r: Round) -> Round:
    """Return the round at the start of a beat, the pool rebuilt first when it is short."""
    flow, beat = r.rules.flow, _beat(r)
    if r.n_turns >= flow.max_turns_per_round:
        return end_round(r, "turn_limit")
    active = playing(r)
    short = len(r.stock) < len(r.players)
    spare = any(len(pile) > 1 for pile in beat.piles)
    allowed = flow.stock_empty == "reshuffle" and (
        flow.max_reshuffles is None or r.n_shuffles < flow.max_reshuffles
    )
    if short and spare and allowed:
        return r.to(phase=Phase.SHUFFLE, actor=CHANCE)
    if len(r.stock) < len(active) and not all(beat.piles[right_of(r, s)] for s in active):
        return end_round(r, "exhausted")
    none = (None,) * len(r.hands)
    beat = replace(beat, commits=none, barred=none)
    return r.to(phase=Phase.BEAT_DRAW, actor=EVERYONE, beat=beat)


def check_commit_draw(r: Round, move: Draw | Take) -> None:
    """Raise IllegalMoveError ``draw.no_discard`` for a take from an empty pile."""
    if isinstance(move, Take) and not _beat(r).piles[right_of(r, move.seat)]:
        raise IllegalMoveError("expected a card on the right-hand pile", code="draw.no_discard")


def check_commit_discard(r: Round, move: Discard) -> None:
    """Raise IllegalMoveError unless the card may be passed on, and so declared if it is.

    Codes: ``move.card``, ``discard.returned``, ``out.declared``, ``out.not_melded``.
    """
    hand = r.hands[move.seat]
    if move.card not in hand:
        raise IllegalMoveError(
            f"expected a card of the hand, got {format_card(move.card)}", code="move.card"
        )
    if move.card == _beat(r).barred[move.seat]:
        raise IllegalMoveError(
            f"expected another card than the one just taken, got {format_card(move.card)}",
            code="discard.returned",
        )
    if not move.out:
        return
    if _beat(r).beats_left is not None:
        raise IllegalMoveError("expected a plain discard in a final beat", code="out.declared")
    check_melds_out(r, move)


def commit(r: Round, move: Draw | Take | Discard) -> Round:
    """Return the round with a move committed; the last of a beat's phase uncovers them all.

    A false declaration that is fined commits nothing: the seat has to discard all the same.
    """
    fine = false_out(r, move) if isinstance(move, Discard) else None
    if fine is not None:
        return r.to(fines=(*r.fines, fine))
    beat = _beat(r)
    beat = replace(beat, commits=put(beat.commits, move.seat, move))
    r = r.to(beat=beat)
    if any(beat.commits[seat] is None for seat in playing(r)):
        return r
    return _all_draw(r) if r.phase == Phase.BEAT_DRAW else _all_discard(r)


def _all_draw(r: Round) -> Round:
    """Return the round after the common draw.

    The pool serves from the caller's left; who finds it empty takes the right-hand pile.
    """
    beat = _beat(r)
    for seat in playing(r):
        if isinstance(beat.commits[seat], Draw) and r.stock:
            r = draw_cards(r, seat, 1)
        else:
            r = _take_right(r, seat)
    none: tuple[Move | None, ...] = (None,) * len(r.hands)
    return r.to(phase=Phase.BEAT_DISCARD, beat=replace(_beat(r), commits=none))


def _take_right(r: Round, seat: int) -> Round:
    beat, right = _beat(r), right_of(r, seat)
    card: Card = beat.piles[right][-1]
    forbidden = r.rules.flow.forbid_return_discard and card not in r.hands[seat]
    beat = replace(
        beat,
        piles=put(beat.piles, right, beat.piles[right][:-1]),
        barred=put(beat.barred, seat, card if forbidden else None),
    )
    return gain(r, seat, [card], seen=True).to(beat=beat)


def _all_discard(r: Round) -> Round:
    """Return the round after the common discard: the next beat, or the end."""
    beat, outs = _beat(r), list(_beat(r).outs)
    piles = beat.piles
    for seat in playing(r):
        move = beat.commits[seat]
        assert isinstance(move, Discard), "all have committed a discard"
        r = lose(r, seat, [move.card])
        piles = put(piles, seat, (*piles[seat], move.card))
        if move.out:
            outs.append(seat)
    left = beat.beats_left
    if left is not None:
        left -= 1
    elif outs:
        left = r.rules.flow.speed_final_beats
    r = r.to(
        beat=replace(beat, piles=piles, outs=tuple(outs), beats_left=left),
        n_turns=r.n_turns + 1,
        out=outs[0] if outs else None,
    )
    if left == 0 or not playing(r):
        return end_round(r, "out")
    return begin_beat(r)
