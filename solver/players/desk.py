"""The referee asked with what one seat sees: which of its moves are legal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from solver.engine.legal import legal_moves
from solver.engine.moves import Move
from solver.engine.referee import can_move
from solver.engine.state import EVERYONE, Beat, Round, State
from solver.engine.view import View


def _round_of(seen: View) -> Round:
    """Return a round in which all that the seat does not see is left empty."""
    n_seats = len(seen.hand_sizes)
    hands = tuple(seen.hand if seat == seen.seat else () for seat in range(n_seats))
    zeros = (0,) * n_seats
    beat = None
    if seen.piles:
        none = (None,) * n_seats
        barred = tuple(seen.barred if seat == seen.seat else None for seat in range(n_seats))
        outs = () if seen.out is None else (seen.out,)
        beat = Beat(seen.piles, none, barred, outs, seen.turns_left)
    return Round(
        rules=seen.rules,
        dealer=seen.dealer,
        players=seen.players,
        phase=seen.phase,
        actor=seen.seat if beat is None else EVERYONE,
        turn=seen.turn,
        hands=hands,
        stock=(0,) * seen.n_stock,
        discards=seen.discards,
        table=seen.table,
        down=seen.down,
        upcard=seen.upcard,
        taken_from=seen.taken_from,
        barred=None if beat is not None else seen.barred,
        is_floating=seen.is_floating,
        went_down=seen.went_down,
        may_take=seen.may_take,
        askers=(seen.seat,),
        out=seen.out,
        turns_left=None if beat is not None else seen.turns_left,
        n_buys=zeros,
        knock=seen.knock,
        beat=beat,
        known=seen.known,
    )


def state_of(seen: View) -> State:
    """Return a state in which the seat's own moves are judged as in the real one."""
    return State(
        rules=seen.rules,
        n_players=len(seen.hand_sizes),
        round=_round_of(seen),
        round_no=seen.round_no,
        n_bonus=0,
        totals=seen.totals,
    )


def allowed(seen: View, moves: Iterable[Move]) -> list[Move]:
    """Return those moves of the seat that the referee accepts."""
    state = state_of(seen)
    return [move for move in moves if can_move(state, move)]


def family(seen: View) -> Sequence[Move]:
    """Return the moves of ``legal_moves`` for the seat."""
    return [m for m in legal_moves(state_of(seen)) if m.seat == seen.seat]
