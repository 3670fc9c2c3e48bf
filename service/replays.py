"""Recorded games of a request played again one by one, each fault kept to its game."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from service.batches import Row
from service.clock import Clock
from solver.engine.record import RecordError, read_record
from solver.engine.replay import Replay, replay, reprice, running_totals
from solver.engine.state import State, with_players
from solver.errors import Fault, LimitError, MeldSolverError, RulesError, quoted
from solver.rules.model import GameRules


def rows_of_records(records: list[Any]) -> list[Row]:
    """Return the rows of a JSON array of records."""
    return [Row(value, f"/records/{i}") for i, value in enumerate(records)]


def answer_games(rows: list[Row], rules: GameRules | None, clock: Clock) -> list[dict[str, Any]]:
    """Return an answer for every game, in their order.

    The time of the request is that of all games together; the game in which it runs out and
    those behind it have the fault ``limit.time``.

    Args:
        rows: what was sent.
        rules: other rules to price by, None for no other price.
        clock: the time of the request.
    """
    return [_answer(row, rules, clock) for row in rows]


def _answer(row: Row, rules: GameRules | None, clock: Clock) -> dict[str, Any]:
    if row.fault is not None:
        return _told(None, Replay("", None, 0, (row.fault,)), row.pointer)
    try:
        clock.left_s()  # reading a record takes its time too
    except LimitError as error:
        return _told(None, Replay("", None, 0, error.faults), row.pointer)
    if not isinstance(row.value, Mapping):
        message = f"expected a record, a JSON object, got {quoted(row.value)}"
        fault = Fault("record.type", "", message)
        return _told(None, Replay("", None, 0, (fault,)), row.pointer)
    try:
        record = read_record(row.value)
    except RecordError as error:
        name = row.value.get("id")
        shown = name[:200] if isinstance(name, str) else None
        return _told(shown, Replay("", None, 0, error.faults), row.pointer)
    played = replay(record, ends_s=-math.inf if clock.gone.is_set() else clock.ends_s)
    answer = _told(record.id, played, row.pointer)
    if rules is not None and played.state is not None:
        answer["priced"] = _priced(played, played.state, rules, clock)
    return answer


def _told(name: str | None, played: Replay, pointer: str) -> dict[str, Any]:
    """Return what came of a game as JSON."""
    state = played.state
    shown = played.to_json()
    return {
        "id": name,
        "status": played.faults[0].code if played.faults else "ok",
        "moves": played.n_moves,
        "rounds": [] if state is None else _rounds(state),
        **{key: shown[key] for key in ("totals", "final_totals", "winners", "fines")},
        "disagreements": [_disagreement(fault, pointer) for fault in played.faults],
    }


def _rounds(state: State) -> list[dict[str, Any]]:
    rows = zip(state.history, state.points, running_totals(state), strict=True)
    return [
        {
            "round": number,
            "ending": facts.ending,
            "out": facts.out,
            "points": list(points),
            "totals": list(totals),
        }
        for number, ((facts, _), points, totals) in enumerate(rows, start=1)
    ]


def _disagreement(fault: Fault, pointer: str) -> dict[str, Any]:
    data = fault.data
    return {
        "code": fault.code,
        "pointer": pointer + fault.where,
        "detail": fault.message,
        **{key: data[key] for key in ("round", "move", "expected", "got") if key in data},
    }


def _priced(played: Replay, state: State, rules: GameRules, clock: Clock) -> dict[str, Any]:
    try:
        priced_by = with_players(rules, state.n_players)
        scores = reprice(played, priced_by, time_limit_s=clock.left_s())
    except MeldSolverError as error:
        at = "/rules" if isinstance(error, RulesError) else ""
        faults = [Fault(f.code, at + f.where, f.message, f.data).to_json() for f in error.faults]
        return {"points": [], "totals": [], "leaders": [], "errors": faults}
    return {
        "points": [list(score.points) for score in scores],
        "totals": list(scores[-1].totals) if scores else [0] * state.n_players,
        "leaders": list(scores[-1].leaders) if scores else [],
    }
