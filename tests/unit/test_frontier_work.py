"""The frontier engine counts its steps: work and time end a sweep, the next hand is whole again."""

from __future__ import annotations

import time

import numpy as np
import pytest

from solver.cards import read_hand
from solver.compile import frontier_call
from solver.deadline import Deadline
from solver.errors import LimitError
from solver.rules.loader import load_rules

pytestmark = pytest.mark.usefixtures("no_old_garbage")

RULES = load_rules("carioca", deal=6, packs="none")
# 40 cards whose runs overlap in every suit: some hundred thousand steps.
LARGE = read_hand(" ".join(f"{r}{s}" for s in "SHDC" for r in "3344567789"))


def test_a_hand_beyond_the_budget_is_refused_and_the_next_is_not(monkeypatch):
    whole = frontier_call.solve_frontier(LARGE, RULES.meld)
    monkeypatch.setattr(frontier_call, "STEP_BUDGET", 1_000)
    with pytest.raises(LimitError) as caught:
        frontier_call.solve_frontier(LARGE, RULES.meld)
    assert caught.value.code == "limit.work"
    monkeypatch.undo()
    assert frontier_call.solve_frontier(LARGE, RULES.meld) == whole


def test_every_sweep_of_a_hand_counts(monkeypatch):
    steps = []
    for _ in range(2):
        frontier_call.solve_frontier(LARGE, RULES.meld)
        steps.append(frontier_call._LOCAL.steps)
    assert steps[0] == steps[1] > 10_000
    # One step less than all of them together is not enough.
    monkeypatch.setattr(frontier_call, "STEP_BUDGET", steps[0] - 1)
    with pytest.raises(LimitError):
        frontier_call.solve_frontier(LARGE, RULES.meld)
    monkeypatch.setattr(frontier_call, "STEP_BUDGET", steps[0])
    frontier_call.solve_frontier(LARGE, RULES.meld)


def test_a_deadline_ends_a_sweep():
    rng = np.random.default_rng(7)
    cards = [s * 13 + r for s in range(4) for r in range(13)]
    jamaica = load_rules("kalooki-jamaica", deal=8, packs="none")
    hand = np.bincount(rng.choice(cards, 100), minlength=66).astype(np.uint8)
    hand[65] = 8
    frontier_call.solve_frontier(LARGE, RULES.meld)  # kernels are loaded
    began = time.perf_counter()
    with pytest.raises(LimitError) as caught:
        frontier_call.solve_frontier(
            hand, jamaica.meld, contract=True, deadline=Deadline.after(0.05)
        )
    assert caught.value.code == "limit.time"
    assert time.perf_counter() - began < 0.55


def test_many_hands_have_their_budget_each(monkeypatch):
    frontier_call.solve_frontier(LARGE, RULES.meld)
    one = frontier_call._LOCAL.steps
    monkeypatch.setattr(frontier_call, "STEP_BUDGET", 3 * one)
    found = frontier_call.solve_frontier_many(np.stack([LARGE] * 8), RULES.meld)
    assert len(set(found.tolist())) == 1
