"""Questions about the table end in time, and without a time limit after so many steps."""

from __future__ import annotations

import time

import pytest

from solver.cards import counts_of, parse_cards
from solver.compile.frontier_call import solve_frontier
from solver.deadline import Deadline
from solver.errors import LimitError
from solver.rules.loader import load_rules
from solver.table import (
    best_godown,
    best_layoff,
    godown_turn,
    joint_layoff,
    knocker_choice,
    packing,
    rearrange,
)
from solver.table.packing import Work

pytestmark = pytest.mark.usefixtures("no_old_garbage")

RUMMIKUB = load_rules("rummikub")
# 21 tiles of three colours and both jokers: all can be laid, in very many ways.
RACK = "R4 R5 R6 R7 R8 R9 R10 B4 B5 B6 B7 B8 B9 B10 O4 O5 O6 O7 O8 O9 O10 JK JK"
LIVERPOOL = load_rules("liverpool", deal=1, packs="none")
WILDS = "2S 2H 2D 2C 2S 2H 2D 2C JK JK"
LARGE = f"{WILDS} 4S 5S 6S 7S 8S 9S TS 4H 5H 6H 7H 8H 9H TH 4D 5D 6D 7D 8D 9D KC KD KS"
TABLE = ["S[KS KD KC]", "R[4S 5S 6S 7S]", "R[6H 7H 8H 9H]"]
# Wilds do not go to sets without end here, so each choice of runs to lengthen is another one.
LIMITED = load_rules("liverpool", deal=1, packs="none", layoff_wild_limit=3)
RUNS = [f"R[6{s} 7{s} 8{s} 9{s}]" for s in "SHDC" for _ in range(2)]
GIN = load_rules("gin", packs="none")


@pytest.fixture(scope="module", autouse=True)
def _ready():
    """Load kernels and CP-SAT, which no limit counts but a clock on the wall does."""
    rearrange(["R3 R4 R5"], "R6", RUMMIKUB)


@pytest.mark.parametrize(
    ("objective", "value"),
    # Sevens to tens and fours to sixes of three colours: 3 * 49 points, jokers count nothing.
    [("tiles", 23), ("value", 147), ("penalty", 0)],
)
def test_first_melds_of_a_large_rack_are_proved(objective, value):
    best = rearrange([], RACK, RUMMIKUB, opening=True, objective=objective)
    assert (best.value, best.n_laid, best.proved) == (value, 23, True)


@pytest.mark.parametrize("opening", [True, False])
@pytest.mark.parametrize("limit_s", [1e-6, 0.01, 0.3])
def test_rearranging_ends_in_time(opening, limit_s):
    began = time.perf_counter()
    best = rearrange([], RACK, RUMMIKUB, opening=opening, time_limit_s=limit_s)
    assert time.perf_counter() - began < limit_s + 0.5
    assert best.proved or best.n_laid < 23


@pytest.mark.parametrize(("rack", "laid"), [("R6 R7 R8", 0), ("", 0)])
def test_without_time_the_table_stays_as_it_lies(rack, laid):
    best = rearrange(["R3 R4 R5", "B1 R1 O1"], rack, RUMMIKUB, time_limit_s=1e-9)
    assert (best.n_laid, best.changed) == (laid, ())
    assert best.proved is (not rack)
    assert best.unique is None
    assert best.unique_cards is None


def test_the_value_found_in_time_stands_when_the_second_aims_run_out(monkeypatch):
    """As when the limit is used up between the stages: what was proved stays proved."""

    def no_time(*_):
        raise LimitError("over", code="limit.time")

    monkeypatch.setattr("solver.table.rearranging.keep_most", no_time)
    monkeypatch.setattr("solver.table.rearranging.is_only", no_time)
    best = rearrange(["R3 R4 R5"], "R6 R7", RUMMIKUB)
    assert (best.n_laid, best.proved, best.fewest_changes, best.unique) == (2, True, False, None)


QUESTIONS = {
    "layoff": lambda limit_s: best_layoff(LARGE, RUNS, LIMITED, time_limit_s=limit_s),
    "godown": lambda limit_s: best_godown(LARGE, TABLE, LIVERPOOL, time_limit_s=limit_s),
    "turn": lambda limit_s: godown_turn(LARGE, TABLE, LIVERPOOL, time_limit_s=limit_s),
    "defence": lambda limit_s: joint_layoff(
        "4S 5S 6S 7S 8S 9S TS 4H 5H 6H 7H 8H 9H TH 4D 5D 6D 7D 8D 9D TD 4C 5C 6C 7C 8C 9C TC",
        ["S[KS KD KC]"],
        GIN,
        time_limit_s=limit_s,
    ),
    "knock": lambda limit_s: knocker_choice(
        "AS 2S 3S 4S 5S 6S AH 2H 3H 4H 5H 6H AD 2D 3D 4D 5D 6D AC 2C 3C 4C 5C 6C",
        GIN,
        "4S 5S 6S 7S 8S 9S TS 4H 5H 6H",
        time_limit_s=limit_s,
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_plans_without_time_are_refused(name):
    began = time.perf_counter()
    with pytest.raises(LimitError) as caught:
        QUESTIONS[name](1e-6)
    assert time.perf_counter() - began < 0.5
    assert caught.value.code == "limit.time"


@pytest.mark.parametrize("name", QUESTIONS)
def test_plans_end_in_time(name):
    """A quick machine may answer; whether it does or not, it is done by then."""
    began = time.perf_counter()
    code = code_of(QUESTIONS[name], 0.2)
    assert time.perf_counter() - began < 0.7
    assert code in (None, "limit.time")


def code_of(question, limit_s):
    """Return the code of the limit that a question met, None for an answer."""
    try:
        question(limit_s)
    except LimitError as error:
        return error.code
    return None


@pytest.mark.parametrize("name", QUESTIONS)
def test_plans_end_after_so_many_steps(name, monkeypatch):
    monkeypatch.setattr(packing.Work, "__init__", _few)
    began = time.perf_counter()
    with pytest.raises(LimitError) as caught:
        QUESTIONS[name](None)
    assert time.perf_counter() - began < 2
    assert caught.value.code == "table.ways"


def _few(self, deadline=Deadline.NEVER, left=0, watch=0):
    self.deadline, self.left, self.watch = deadline, 200_000, 200_000


def test_steps_are_spent_once():
    work = Work(left=50_000)
    for _ in range(5):
        work.spend(10_000)
    with pytest.raises(LimitError) as caught:
        work.spend(1)
    assert caught.value.code == "table.ways"


def test_the_clock_is_looked_at_within_a_bounded_number_of_steps(monkeypatch):
    looks = []
    monkeypatch.setattr(Deadline, "check", lambda _: looks.append(1))
    work = Work()
    for _ in range(1000):
        work.spend(1000)
    assert 40 <= len(looks) <= 60  # a million steps, a look every twenty thousand


def test_a_sweep_under_a_time_limit_says_that_time_ran_out():
    hand = counts_of(parse_cards(LARGE))
    with pytest.raises(LimitError) as caught:
        solve_frontier(hand, LIVERPOOL.meld, steps=10, deadline=Deadline.after(1e-9))
    assert caught.value.code == "limit.time"
