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
    WHOLE_TABLE,
    TableStates,
    make_okey_racks,
    make_racks,
    make_tables,
)
from bench.truth import NOT_MET, WrongAnswerError
from solver.melds import Meld
from solver.solve import find, solve
from solver.table import rearrange

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


def states_of(n_tiles: int, n: int) -> TableStates:
    """Return n positions with n_tiles on the table (106: all tiles, 90 of them on the table)."""
    return make_tables(WHOLE_TABLE if n_tiles == WHOLE_DECK else n_tiles, n)


def table_melds(states: TableStates) -> list[tuple[Meld, ...]]:
    """Return legal melds that hold exactly the tiles of each table.

    Raises:
        WrongAnswerError: a tile of a table finds no meld.
    """
    found: list[tuple[Meld, ...]] = []
    for i, tiles in enumerate(states.tables):
        _, rules = states.question(i)
        best = solve(tiles, rules).arrangement
        if best.deadwood:
            raise WrongAnswerError(f"{states.name} {i}: expected melds of all tiles, got deadwood")
        found.append(best.melds)
    return found


def left_on_racks(states: TableStates, engine: str) -> NDArray[np.int32]:
    """Return the fewest tiles that stay on each rack, int32[n], as one engine says."""
    left = np.empty(len(states), np.int32)
    for i in range(len(states)):
        found = find(*states.question(i), engine=engine)
        if not found.proved:
            raise WrongAnswerError(f"expected a proved answer of {engine}, got a bound")
        left[i] = NOT_MET if found.penalty is None else found.penalty
    return left


def table_lane(states: TableStates) -> Lane:
    """Answer positions one by one as a player asks: melds on the table, tiles that stay.

    Reading the table, naming the new melds and judging them are timed too; how few melds change
    is not asked, as the peers do not tell it.
    """
    tables = table_melds(states)

    def run(lo: int, hi: int) -> NDArray[np.int32]:
        plans = [
            rearrange(tables[i], states.racks[i], states.rules, second_aims=False)
            for i in range(lo, hi)
        ]
        return np.array([len(plan.left) for plan in plans], np.int32)

    return Lane("rearrange", run, len(states), 4)


def table_rows(n_tiles: int, plan: Plan) -> list[Row]:
    """Compare a rack of 14 beside a table of n_tiles (106: all tiles, 90 of them on the table)."""
    states = states_of(n_tiles, plan.size(20, 8))
    truth = left_on_racks(states, "cpsat")
    rack, on_table = len(states.racks[0]), len(states.tables[0])
    head = Row(
        f"rummikub-table-{n_tiles}",
        f"rummikub rack of {rack}, table of {on_table}",
        hands=len(states),
        proof=f"cpsat on {len(states)} of {len(states)} hands",
    )
    rival = rummikub_table_lane(states)
    return face_off(head, table_lane(states), [Against(rival, FASTER_TABLE)], truth, plan)
