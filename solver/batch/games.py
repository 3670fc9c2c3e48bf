"""Lines of recorded games and gin result tables -> answers, one row a game or a round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solver.batch.hands import MAX_MESSAGE, Bad, Faults
from solver.batch.lines import Lines
from solver.batch.score import OK
from solver.engine.importers.gin_results import check_results
from solver.engine.record import RecordError, read_record
from solver.engine.replay import replay, reprice
from solver.engine.scoring import RoundScore
from solver.engine.state import State
from solver.errors import Fault, MeldSolverError
from solver.rules.model import GameRules

_POINTS = pa.list_(pa.int32())
GAME_SCHEMA = pa.schema(
    [
        ("game", pa.string()),
        ("rounds", pa.int32()),
        ("points", pa.list_(_POINTS)),
        ("totals", _POINTS),
        ("winners", _POINTS),
        ("status", pa.string()),
        ("message", pa.string()),
    ]
)
"""A game: its name, rounds played, points by round and seat, totals, seats that won."""
RESULT_SCHEMA = pa.schema(
    [
        ("game", pa.int32()),
        ("round", pa.int32()),
        ("winner", pa.int32()),
        ("points", _POINTS),
        ("status", pa.string()),
        ("message", pa.string()),
    ]
)
"""A row of a gin result table: the winner's seat, null for a dead hand, and the points."""


@dataclass(frozen=True)
class Told:
    """Answers to the rows of a block.

    Attributes:
        batch: record batch of the answers.
        faults: rows rejected.
        lines: the line of each row, None where rows have none.
        names: name of each rejected row, None where it has none.
    """

    batch: Any
    faults: Faults
    lines: Sequence[int] | NDArray[np.int64] | None
    names: Sequence[object]


def score_games(data: bytes, first_line: int, rules: GameRules | None) -> Told:
    """Return the prices of recorded games; blank lines are passed over.

    A game is played again by its own rules. Without ``rules`` its results are compared with
    what those rules give; with them, what happened is priced by ``rules`` instead, and results
    written under other prices are no fault.

    Args:
        data: lines of ``meld-record/1``.
        first_line: number of the first line.
        rules: other rules to price by, or None.
    """
    lines = Lines.of(data)
    rows: list[dict[str, Any]] = []
    faults: Faults = {}
    numbers: list[int] = []
    for i in range(len(lines)):
        line = lines.line(i)
        if not line.strip():
            continue
        row = _game_row(line, rules)
        if row["status"] != OK:
            faults[len(rows)] = Bad(row["status"], row["message"])
        rows.append(row)
        numbers.append(first_line + i)
    batch = pa.RecordBatch.from_pylist(rows, schema=GAME_SCHEMA)
    return Told(batch, faults, numbers, [rows[i]["game"] for i in sorted(faults)])


def _game_row(line: bytes, rules: GameRules | None) -> dict[str, Any]:
    """Return the row of a game; a failure of the program is the status of its row too."""
    try:
        return _replayed_row(line, rules)
    except Exception as error:
        message = f"the program failed ({type(error).__name__}: {error})"
        return _rejected(None, [Fault("internal.error", "", message)])


def _replayed_row(line: bytes, rules: GameRules | None) -> dict[str, Any]:
    try:
        record = read_record(line)
    except RecordError as error:
        return _rejected(None, error.faults)
    replayed = replay(record)
    faults = replayed.faults
    if rules is not None:
        faults = tuple(fault for fault in faults if fault.code not in _OF_PRICES)
    if faults or replayed.state is None:
        return _rejected(record.id, faults)
    try:
        priced = None if rules is None else reprice(replayed, rules)
    except MeldSolverError as error:
        return _rejected(record.id, error.faults)
    return {"game": record.id, **_prices(replayed.state, priced), "status": OK, "message": None}


_OF_PRICES = frozenset({"record.points", "record.totals", "record.result", "record.digest"})
"""Faults of what a record says of its prices, of no matter when others are wanted."""


def _prices(state: State, priced: list[RoundScore] | None) -> dict[str, Any]:
    """Return the prices the replay made, or those under other rules."""
    if priced is None:
        winners = None if state.winners is None else list(state.winners)
        points = [list(row) for row in state.points]
        return {
            "rounds": len(points),
            "points": points,
            "totals": list(state.totals),
            "winners": winners,
        }
    last = priced[-1] if priced else None
    return {
        "rounds": len(priced),
        "points": [list(score.points) for score in priced],
        "totals": list(last.totals) if last else [0] * state.n_players,
        "winners": list(last.leaders) if last and state.winners is not None else None,
    }


def _rejected(name: str | None, faults: Iterable[Fault]) -> dict[str, Any]:
    first = next(iter(faults))
    places = [f"{key} {first.data[key]}" for key in ("round", "move") if key in first.data]
    at = f" at {first.where}" if first.where else ""
    message = ", ".join([*places, f"{first.message}{at}"])[:MAX_MESSAGE]
    return {"game": name, "status": first.code, "message": message}


def score_results(data: bytes, first_line: int) -> Told:
    """Return the checked rows of a gin result table, header included in the lines.

    Args:
        data: the whole table: totals run through all its rows.
        first_line: number of the header's line.
    """
    rows: list[dict[str, Any]] = []
    faults: Faults = {}
    numbers: list[int] = []
    for checked in check_results(data.decode(errors="replace").splitlines(keepends=True)):
        row = checked.row
        told: dict[str, Any] = {"status": OK}
        if row is not None:
            told |= {
                "game": row.game,
                "round": row.round_no,
                "winner": row.winner,
                "points": list(row.points),
            }
        if checked.faults:
            bad = Bad(checked.faults[0].code, checked.faults[0].message)
            faults[len(rows)] = bad
            told |= {"status": bad.code, "message": bad.message}
        rows.append(told)
        numbers.append(checked.line_no + first_line - 1)
    batch = pa.RecordBatch.from_pylist(rows, schema=RESULT_SCHEMA)
    names = [f"game {rows[i]['game']}" if "game" in rows[i] else None for i in sorted(faults)]
    return Told(batch, faults, numbers, names)
