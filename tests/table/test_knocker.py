"""The knocker's choice among equally cheap arrangements."""

from __future__ import annotations

import pytest

from solver.rules.loader import load_rules
from solver.table import joint_layoff, knocker_choice

GIN = load_rules("gin")
GRID = "4S 5S 6S 4H 5H 6H 4D 5D 6D KC"
"""Three runs or three sets, with a king left either way."""


def texts(options) -> list[str]:
    return [option.arrangement.text() for option in options]


def test_three_sets_are_open_to_less_than_three_runs():
    sets, runs = knocker_choice(GRID, GIN)
    assert texts([sets, runs]) == [
        "S[4S 4H 4D] S[5S 5H 5D] S[6S 6H 6D] / left KC",
        "R[4S 5S 6S] R[4H 5H 6H] R[4D 5D 6D] / left KC",
    ]
    # One more four, five and six fit the sets: 15 points. Three threes and sevens fit the runs:
    # 30; behind them 2, A and 8, 9, T, J, Q, K of three suits: 3 * (1+2+3+7+8+9+10*4), less
    # nothing, for the king held is of clubs.
    assert (sets.penalty, sets.fitting_points, sets.open_points) == (10, 15, 15)
    assert (runs.penalty, runs.fitting_points, runs.open_points) == (10, 30, 210)


@pytest.mark.parametrize(
    ("defender", "first", "left"),
    [
        # Sevens and a three of the suits held go on the runs.
        ("7S 7H 3D QS 9C JC KH 2C 8C AC", "S[4S", [67, 50]),
        # The clubs that fit the sets are worth ten; on the runs nothing fits.
        ("4C 6C QS 9H JC KH 2S 8D AC TC", "R[4S", [70, 60]),
    ],
)
def test_a_known_defender_decides(defender, first, left):
    options = knocker_choice(GRID, GIN, defender)
    assert texts(options)[0].startswith(first)
    found = [option.defender_left for option in options]
    assert found == sorted(found, reverse=True)
    for option in options:
        plan = joint_layoff(defender, option.arrangement.melds, GIN)
        assert plan.penalty == option.defender_left
    assert found == left


def test_against_gin_all_are_equal():
    gin = "4S 5S 6S 4H 5H 6H 4D 5D 6D 6C"
    options = knocker_choice(gin, GIN, "7S 7H 3D QS 9C JC KH 2C 8C AC")
    assert {option.defender_left for option in options} == {67}
    assert {(option.fitting_points, option.open_points) for option in options} == {(0, 0)}


def test_json():
    (option, _) = knocker_choice(GRID, GIN)
    told = option.to_json()
    assert (told["penalty"], told["defender_left"], told["fitting_points"]) == (10, None, 15)
