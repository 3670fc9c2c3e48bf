"""A search for the slowest accepted question of every public function: none is over its limit."""

from __future__ import annotations

import pytest

from solver.rules.loader import load_rules
from solver.solve import solve, warm_up
from tests.limits.slowest import QUESTIONS, search

pytestmark = pytest.mark.usefixtures("no_old_garbage")

GRACE_S = 0.5
MOST_S = 90.0
"""What a question without a time limit may take: all efforts of all engines together."""


@pytest.fixture(scope="module", autouse=True)
def _ready():
    """Load kernels and CP-SAT, which no limit counts."""
    warm_up()
    solve("5S 5H 5D KC", load_rules("gin"), engine="cpsat")


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)
def test_no_question_is_over_its_time(question):
    seconds, worst = search(question, seed=11, n_starts=8, n_steps=2, limit_s=0.1)
    assert seconds < 0.1 + GRACE_S, worst


@pytest.mark.long
@pytest.mark.parametrize("limit_s", [0.001, 0.3, 2.0])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)
def test_no_question_is_over_its_time_however_long_one_looks(question, limit_s):
    n_starts = 150 if limit_s < 1 else 30
    seconds, worst = search(question, seed=313, n_starts=n_starts, n_steps=8, limit_s=limit_s)
    assert seconds < limit_s + GRACE_S, worst


@pytest.mark.long
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)
def test_without_a_time_limit_the_work_is_bounded(question):
    seconds, worst = search(question, seed=5, n_starts=15, n_steps=3, limit_s=None)
    assert seconds < MOST_S, worst
