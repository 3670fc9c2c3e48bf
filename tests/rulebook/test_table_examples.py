"""The rule book's examples with cards on the table: exhaustive search and the solver agree."""

from __future__ import annotations

import pytest

from solver.table import best_godown, best_layoff, joint_layoff
from tests.fixtures.read import cards_of_row, name, rows, rules_of
from tests.oracles import brute, brute_table

LAYOFFS = rows("rulebook_layoffs")
JOINT = rows("rulebook_joint_layoffs")
SWAPS = rows("rulebook_swaps")


@pytest.mark.parametrize("row", LAYOFFS, ids=name)
def test_layoff_by_exhaustive_search(row):
    rules, hand = rules_of(row), cards_of_row(row)
    table = [brute_table.table_meld(meld, rules) for meld in row["table"]]
    assert sum(rules.meld.points[card] for card in hand) == row["points"]
    assert brute_table.least_left(hand, table, rules) == row["left"]


@pytest.mark.parametrize("row", LAYOFFS, ids=name)
def test_layoff_by_solver(row):
    plan = best_layoff(cards_of_row(row), row["table"], rules_of(row))
    assert plan.penalty == row["left"]


@pytest.mark.parametrize("row", JOINT, ids=name)
def test_joint_layoff_by_exhaustive_search(row):
    rules, hand = rules_of(row), cards_of_row(row)
    table = [brute_table.table_meld(meld, rules) for meld in row["table"]]
    assert brute.brute_penalty(hand, rules) == row["alone"]
    assert brute_table.alone_then_layoff(hand, table, rules) == row["alone_then_layoff"]
    assert brute_table.joint_layoff(hand, table, rules) == row["joint"]


@pytest.mark.parametrize("row", JOINT, ids=name)
def test_joint_layoff_by_solver(row):
    hand, rules = cards_of_row(row), rules_of(row)
    assert joint_layoff(hand, row["table"], rules).penalty == row["joint"]
    assert joint_layoff(hand, row["table"], rules, against_gin=True).penalty == row["alone"]


@pytest.mark.parametrize("row", SWAPS, ids=name)
def test_swap_by_exhaustive_search(row):
    rules, hand = rules_of(row), cards_of_row(row)
    table = [brute_table.table_meld(meld, rules) for meld in row["table"]]
    found = {
        swap: brute_table.least_left_going_down(hand, table, rules, swap=swap)
        for swap in (False, True)
    }
    assert found == {False: row["without_swap"], True: row["with_swap"]}


@pytest.mark.parametrize("row", SWAPS, ids=name)
def test_swap_by_solver(row):
    hand, rules = cards_of_row(row), rules_of(row)
    for swaps, left in ((False, row["without_swap"]), (True, row["with_swap"])):
        plan = best_godown(hand, row["table"], rules, swaps=swaps)
        assert (None if plan is None else plan.penalty) == left
