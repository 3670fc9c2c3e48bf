"""A deadline is made once and handed on; it also ends kernels, which cannot read a clock."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

from solver import clock
from solver.deadline import SHORT, Deadline
from solver.errors import LimitError

pytestmark = pytest.mark.usefixtures("no_old_garbage")

LONG = SHORT + 1


@pytest.fixture
def moment(monkeypatch):
    moment = [100.0]
    monkeypatch.setattr(clock, "now", lambda: moment[0])
    return moment


def test_what_is_left_falls_to_nothing_and_never_below(moment):
    deadline = Deadline.after(2.5)
    assert deadline.left() == 2.5
    moment[0] = 102.0
    assert deadline.left() == 0.5
    assert not deadline.expired
    deadline.check()
    for moment[0] in (102.5, 1e6):
        assert deadline.left() == 0
        assert deadline.expired
        with pytest.raises(LimitError) as caught:
            deadline.check()
        assert caught.value.code == "limit.time"
        assert "2.5 seconds" in str(caught.value)


def test_without_a_limit_nothing_ever_ends(moment):
    deadline = Deadline.after(None)
    moment[0] = 1e9
    assert deadline.left() is None
    assert not deadline.expired
    deadline.check()


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_limit_is_above_zero(seconds):
    with pytest.raises(LimitError) as caught:
        Deadline.after(seconds)
    assert (caught.value.code, caught.value.faults[0].where) == ("limit.time", "/time_limit_s")


def test_one_that_runs_is_passed_on(moment):
    deadline = Deadline.after(1)
    moment[0] = 500.0  # long over: asking for a new one would be an error, or begin anew
    assert Deadline.after(deadline) is deadline


def test_a_part_has_no_more_time_than_the_whole(moment):
    whole = Deadline.after(2)
    with whole.around():
        assert Deadline.after(None) is whole
        assert Deadline.after(5) is whole
        assert Deadline.after(0.5).left() == 0.5
        with Deadline.after(1).around():
            assert Deadline.after(None).left() == 1
        assert Deadline.after(None) is whole
    assert Deadline.after(None).left() is None
    assert Deadline.after(5).left() == 5


def wait_until(holds, within_s=5.0):
    ends = time.perf_counter() + within_s
    while not holds():
        assert time.perf_counter() < ends
        time.sleep(0.002)


def test_budgets_of_kernels_become_nothing_at_their_own_time():
    memory = np.array([LONG, LONG, LONG, LONG], np.int64)
    # A wait of more than some centuries is an error of the system.
    late, soon, none = Deadline.after(1e300), Deadline.after(0.05), Deadline.after(None)
    with late.stops(memory, 0), soon.stops(memory, 1), none.stops(memory, 2):
        assert memory.tolist() == [LONG, LONG, LONG, LONG]
        wait_until(lambda: memory[1] == 0)
        assert soon.expired
    with soon.stops(memory, 3):  # over before it begins
        wait_until(lambda: memory[3] == 0)
    assert memory.tolist() == [LONG, 0, LONG, 0]


def test_short_budgets_are_not_watched():
    memory = np.array([SHORT, LONG], np.int64)
    over = Deadline.after(0.01)
    with over.stops(memory, 0), over.stops(memory, 1):
        wait_until(lambda: memory[1] == 0)
    assert memory[0] == SHORT


def test_a_search_that_was_ended_says_whether_time_or_steps_were_short(moment):
    deadline = Deadline.after(1)
    assert deadline.used_up().code == Deadline.after(None).used_up().code == "limit.work"
    moment[0] = 102.0
    assert deadline.used_up().code == "limit.time"


def test_what_ended_in_time_is_left_alone():
    memory = np.array([LONG, LONG], np.int64)
    soon = Deadline.after(0.03)
    with soon.stops(memory, 0):
        pass
    with soon.stops(memory, 1):
        wait_until(lambda: memory[1] == 0)
    assert memory[0] == LONG


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_watches_for_itself():
    memory = np.array([LONG], np.int64)
    with Deadline.after(60).stops(memory, 0):  # the thread runs, in the parent alone
        child = os.fork()
        if child == 0:
            with Deadline.after(0.01).stops(memory, 0):
                ends = time.perf_counter() + 5
                while memory[0] and time.perf_counter() < ends:
                    time.sleep(0.002)
            os._exit(int(memory[0] != 0))
        assert os.waitpid(child, 0)[1] == 0
    assert memory[0] == LONG
