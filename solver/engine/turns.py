"""Whose turn it is: how a turn begins, passes on and ends the round."""

from __future__ import annotations

from solver.engine.facts import Ending
from solver.engine.state import NOBODY, Phase, Round


def next_seat(r: Round, seat: int) -> int:
    """Return the seat after one in turn order, leaving out one that went out."""
    at = r.players.index(seat)
    order = (*r.players[at + 1 :], *r.players[: at + 1])
    return next((s for s in order if s != r.out), seat)


def end_round(r: Round, ending: Ending) -> Round:
    """Return the round ended."""
    return r.to(phase=Phase.OVER, actor=NOBODY, ending=ending, pending=None, askers=())


def begin_turn(r: Round, seat: int, *, may_buy: bool = True) -> Round:
    """Return the round at the start of a seat's turn.

    Args:
        r: the round.
        seat: whose turn begins.
        may_buy: whether the top discard may be bought; not after a call of rummy.
    """
    flow = r.rules.flow
    if r.n_turns >= flow.max_turns_per_round * len(r.players):
        return end_round(r, "turn_limit")
    phase = Phase.DRAW
    if flow.knock_limit is not None and flow.stock_wall and len(r.stock) <= flow.stock_wall:
        phase = Phase.WALL
    elif flow.buy_priority != "off" and r.discards and may_buy:
        phase = Phase.OFFER
    return r.to(
        phase=phase,
        actor=seat,
        turn=seat,
        taken_from="",
        barred=None,
        is_floating=flow.meld_timing == "on_table" and not r.hands[seat],
        went_down=False,
        may_take=True,
        askers=(),
        pending=None,
    )


def go_out(r: Round, seat: int) -> Round:
    """Return the round after a seat went out: ended, or with final turns for the others."""
    n_turns = r.rules.flow.final_turns * (len(r.players) - 1)
    r = r.to(out=seat)
    return r.to(turns_left=n_turns + 1) if n_turns else end_round(r, "out")


def end_turn(r: Round, *, may_buy: bool = True) -> Round:
    """Return the round after the turn of ``r.turn``: the next turn, or the end."""
    r = r.to(n_turns=r.n_turns + 1)
    if r.turns_left is not None:
        r = r.to(turns_left=r.turns_left - 1)
        if r.turns_left == 0:
            return end_round(r, "out")
    return begin_turn(r, next_seat(r, r.turn), may_buy=may_buy)
