"""Rummikub rows: racks and whole tables against rummikub-solver, racks against okey-solver-py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bench.contest import Against, Rival, contest, face_off
from bench.lanes import packed_lane
from bench.measure import Lane
from bench.peers import okey_lane, rummikub_rack_lane, rummikub_table_lane
from bench.plan import Plan
from bench.rows import Goal, Row
from bench.tiles import (
    RACK_TILES,
    WHOLE_TABLE,
    TableStates,
    make_okey_racks,
    make_racks,
    make_tables,
)
from bench.truth import NOT_MET, WrongAnswerError
from solver.cards import Counts
from solver.rules.model import GameRules
from solver.solve import find

RACKS = (2_000, 300)
OKEY_RACKS = (2_000, 300)
WHOLE_DECK = 106
FASTER_RACK = Goal("faster", 1_000)
FASTER_TABLE = Goal("faster", 20)


def rack_rows(plan: Plan) -> list[Row]:
    """Compare racks of 14 without a table: most tiles laid."""
    head = Row("rummikub-rack", "rummikub rack of 14, packed")
    rivals = [Rival(rummikub_rack_lane, FASTER_RACK)]
    return contest(head, make_racks(plan.size(*RACKS)), packed_lane, rivals, plan)


def okey_rows(plan: Plan) -> list[Row]:
    """Compare racks without jokers under okey's rules: least sum of numbers left."""
    head = Row("rummikub-okey", "okey rack of 14, no jokers, packed")
    racks = make_okey_racks(plan.size(*OKEY_RACKS))
    return contest(head, racks, packed_lane, [Rival(okey_lane)], plan)


def _left(question: tuple[Counts, GameRules], engine: str) -> int:
    counts, rules = question
    found = find(counts, rules, engine=engine)
    if not found.proved:
        raise WrongAnswerError(f"expected a proved answer of {engine}, got a bound")
    return NOT_MET if found.penalty is None else found.penalty


def table_lane(states: TableStates) -> Lane:
    """Answer positions one by one: tiles that stay on the rack, the table wholly used."""
    questions = [states.question(i) for i in range(len(states))]

    def run(lo: int, hi: int) -> NDArray[np.int32]:
        return np.array([_left(question, "auto") for question in questions[lo:hi]], np.int32)

    return Lane("table", run, len(states), 4)


def table_rows(n_tiles: int, plan: Plan) -> list[Row]:
    """Compare a rack of 14 beside a table of n_tiles (106: all tiles, 90 of them on the table)."""
    on_table = WHOLE_TABLE if n_tiles == WHOLE_DECK else n_tiles
    rack = WHOLE_DECK - WHOLE_TABLE if n_tiles == WHOLE_DECK else RACK_TILES
    states = make_tables(on_table, plan.size(20, 8))
    truth = np.array([_left(states.question(i), "cpsat") for i in range(len(states))], np.int32)
    head = Row(
        f"rummikub-table-{n_tiles}",
        f"rummikub rack of {rack}, table of {on_table}",
        hands=len(states),
        proof=f"cpsat on {len(states)} of {len(states)} hands",
    )
    rival = rummikub_table_lane(states)
    return face_off(head, table_lane(states), [Against(rival, FASTER_TABLE)], truth, plan)
