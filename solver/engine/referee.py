"""The referee: one machine that checks and applies the moves of every game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from solver.engine.beats import check_commit_discard, check_commit_draw, commit
from solver.engine.dealing import (
    check_call_order,
    check_cut,
    check_deal,
    check_shuffle,
    do_call_order,
    do_cut,
    do_deal,
    do_shuffle,
)
from solver.engine.drawing import check_draw, check_take, do_buy, do_draw, do_pass, do_take
from solver.engine.ending import finish_round
from solver.engine.facts import Fine
from solver.engine.going_down import check_go_down, do_go_down, false_meld
from solver.engine.knocking import check_defend, check_knock, do_defend, do_knock
from solver.engine.moves import (
    CHANCE,
    Buy,
    CallOrder,
    Cut,
    Deal,
    Defend,
    Discard,
    Draw,
    GoDown,
    GoOut,
    Knock,
    LayOff,
    Move,
    Pass,
    Rummy,
    Shuffle,
    Take,
)
from solver.engine.notation import format_move, move_word
from solver.engine.playing import (
    check_discard,
    check_go_out,
    check_layoff,
    do_discard,
    do_go_out,
    do_layoff,
    do_rummy,
    false_out,
)
from solver.engine.state import EVERYONE, Phase, Round, State
from solver.errors import IllegalMoveError, quoted
from solver.rules.model import GameRules


class _Rule(NamedTuple):
    """How one kind of move is judged and made in one phase."""

    check: Callable[[Round, Any], None]
    do: Callable[[Round, Any], Round]


def _always(_r: Round, _move: Move) -> None:
    """Nothing but the phase and the turn is asked of this move."""


_TAKE: Final = _Rule(check_take, do_take)
_PASS: Final = _Rule(_always, do_pass)
_RULES: Final[Mapping[Phase, Mapping[type[Any], _Rule]]] = {
    Phase.CUT: {Cut: _Rule(check_cut, do_cut)},
    Phase.DEAL: {Deal: _Rule(check_deal, do_deal)},
    Phase.SHUFFLE: {Shuffle: _Rule(check_shuffle, do_shuffle)},
    Phase.CALL_ORDER: {CallOrder: _Rule(check_call_order, do_call_order)},
    Phase.UPCARD: {Take: _TAKE, Pass: _PASS},
    Phase.WALL: {Take: _TAKE, Pass: _PASS},
    Phase.OFFER: {Take: _TAKE, Pass: _PASS},
    Phase.BUY: {Buy: _Rule(_always, do_buy), Pass: _PASS},
    Phase.RUMMY: {Rummy: _Rule(_always, do_rummy), Pass: _PASS},
    Phase.DRAW: {Draw: _Rule(check_draw, do_draw), Take: _TAKE},
    Phase.PLAY: {
        Discard: _Rule(check_discard, do_discard),
        GoOut: _Rule(check_go_out, do_go_out),
        LayOff: _Rule(check_layoff, do_layoff),
        GoDown: _Rule(check_go_down, do_go_down),
        Knock: _Rule(check_knock, do_knock),
    },
    Phase.DEFEND: {Defend: _Rule(check_defend, do_defend)},
    Phase.BEAT_DRAW: {
        Draw: _Rule(check_commit_draw, commit),
        Take: _Rule(check_commit_draw, commit),
    },
    Phase.BEAT_DISCARD: {Discard: _Rule(check_commit_discard, commit)},
    Phase.OVER: {},
}


def _is_played(kind: type[Any], rules: GameRules) -> bool:
    """Return whether a game has a kind of move at all."""
    flow = rules.flow
    on_table = flow.meld_timing == "on_table"
    has = {
        Draw: "stock" in flow.draw_sources,
        Take: flow.draw_sources != ("stock",),
        GoDown: on_table,
        LayOff: on_table and flow.layoff != "none",
        Knock: flow.knock_limit is not None,
        GoOut: not (on_table or flow.must_discard_to_go_out),
    }
    return has.get(kind, True)


def move_kinds(phase: Phase) -> tuple[type[Any], ...]:
    """Return the kinds of moves that a phase asks for."""
    return tuple(_RULES[phase])


def check_move(state: State, move: Move) -> None:
    """Raise unless a move is legal.

    Raises:
        IllegalMoveError: ``game.over``; ``move.phase``, another kind of move is asked for;
            ``move.turn``, another seat is; ``move.committed``, the seat has played in this
            beat; and the codes of each kind of move.
    """
    _rule(state, move).check(state.round, move)


def _rule(state: State, move: Move) -> _Rule:
    """Return how a move is judged here; raise when it is not even asked for."""
    r = state.round
    if state.is_over:
        raise IllegalMoveError("expected no move after the end of the game", code="game.over")
    rule = _RULES[r.phase].get(type(move))
    if rule is None:
        kinds = " or ".join(
            move_word(kind) for kind in move_kinds(r.phase) if _is_played(kind, r.rules)
        )
        raise IllegalMoveError(
            f"expected {kinds}, got {quoted(format_move(move), 80)}",
            code="move.phase",
        )
    if r.actor == EVERYONE:
        _check_commits(r, move)
    elif move.seat != r.actor:
        who = "chance" if r.actor == CHANCE else f"seat {r.actor}"
        raise IllegalMoveError(
            f"expected a move of {who}, got {quoted(format_move(move), 80)}", code="move.turn"
        )
    return rule


def _check_commits(r: Round, move: Move) -> None:
    assert r.beat is not None, "only beats ask everyone"
    if move.seat not in r.players or move.seat in r.beat.outs:
        raise IllegalMoveError(f"expected a seat still in play, got {move.seat}", code="move.turn")
    if r.beat.commits[move.seat] is not None:
        raise IllegalMoveError(
            f"expected one move of seat {move.seat} in this beat, got another",
            code="move.committed",
        )


def fine_for(state: State, move: Move) -> Fine | None:
    """Return what a legal move is fined for and changes nothing else, None when it is not."""
    if isinstance(move, GoDown):
        return false_meld(state.round, move)
    return false_out(state.round, move) if isinstance(move, Discard) else None


def can_move(state: State, move: Move) -> bool:
    """Return whether ``check_move`` accepts a move."""
    try:
        check_move(state, move)
    except IllegalMoveError:
        return False
    return True


def apply(state: State, move: Move) -> State:
    """Return the state after a move; the state given stays as it is.

    A move that is only fined adds to ``round.fines``, with its reason, and changes nothing else.

    Raises:
        IllegalMoveError: as ``check_move``.
    """
    rule = _rule(state, move)
    rule.check(state.round, move)
    after = replace(state, round=rule.do(state.round, move))
    return finish_round(after) if after.round.ending is not None else after
