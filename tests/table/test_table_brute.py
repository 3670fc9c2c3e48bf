"""Lay-offs, going down and the Gin defence against play of every move on small tables."""

from __future__ import annotations

import os
import random
from dataclasses import replace

import pytest

from solver.table import best_godown, best_layoff, joint_layoff
from tests.oracles.brute_turn import Turn, best_turn
from tests.table.positions import Position, grows_by, make_position

N_QUICK = {"layoff": 250, "godown": 150, "joint": 50}
"""The play of every move is slowest for the defence, whose own melds are free."""
N_LONG = int(os.environ.get("TABLE_POSITIONS", "20000"))


def check_layoff(position: Position, keep: int = 0) -> None:
    rules = position.rules
    flow = rules.flow
    turn = Turn(
        rules.meld,
        **grows_by(rules),
        swaps="any_turn" if flow.swap_timing == "any_turn" else "off",
        swap_sets=not flow.swap_runs_only,
        keep=keep,
        wilds_kept=flow.wilds_after_down == "kept",
    )
    rows = position.rows
    addable = frozenset(position.own if flow.layoff == "own" else range(len(rows)))
    if flow.swap_scope == "all":
        rows = tuple(replace(row, mine=False) for row in rows)
    wanted = best_turn(position.hand, rows, turn, addable)
    plan = best_layoff(list(position.hand), position.table, rules, own=position.own, keep=keep)
    if len(position.hand) >= keep:
        assert (plan.penalty, len(plan.left)) == wanted, position.text()


def check_godown(position: Position) -> None:
    rules = position.rules
    flow = rules.flow
    turn = Turn(
        rules.meld,
        contract=rules.meld.contract,
        free_melds=rules.meld.extra_melds,
        adds=flow.layoff_same_turn,
        **grows_by(rules),
        swaps=flow.swap_timing,
        swap_sets=not flow.swap_runs_only,
    )
    rows = position.rows
    addable = frozenset(position.own if flow.layoff == "own" else range(len(rows)))
    if flow.swap_scope == "all":
        rows = tuple(replace(row, mine=False) for row in rows)
    wanted = best_turn(position.hand, rows, turn, addable)
    plan = best_godown(list(position.hand), position.table, rules, own=position.own)
    found = None if plan is None else (plan.penalty, len(plan.left))
    assert found == wanted, position.text()


def check_joint(position: Position) -> None:
    rules = position.rules
    turn = Turn(rules.meld, free_melds=True, **grows_by(rules))
    wanted = best_turn(position.hand, position.rows, turn, frozenset(range(len(position.rows))))
    plan = joint_layoff(list(position.hand), position.table, rules)
    assert (plan.penalty, len(plan.left)) == wanted, position.text()


def run(kind: str, seed: int, n: int) -> None:
    rng = random.Random(f"{kind}-{seed}")
    for i in range(n):
        if kind == "layoff":
            check_layoff(make_position(rng, contract=False, high=6), keep=i % 5 == 0)
        elif kind == "godown":
            check_godown(make_position(rng, contract=True, high=7))
        else:
            check_joint(make_position(rng, contract=False, high=6))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["layoff", "godown", "joint"])
def test_small_positions_move_by_move(kind):
    run(kind, 1, N_QUICK[kind])


@pytest.mark.long
@pytest.mark.parametrize("kind", ["layoff", "godown", "joint"])
def test_many_small_positions_move_by_move(kind):
    run(kind, 2, N_LONG)
