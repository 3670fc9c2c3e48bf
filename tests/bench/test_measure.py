"""Rounds, medians, paired ratios, the count of wrong answers, and the floor kernel."""

from __future__ import annotations

import gc
from itertools import combinations

import numpy as np
import pytest

from bench.corpus import GAMES, make_corpus
from bench.floor import left_table, pack_bits, read_hands
from bench.measure import Lane, Timing, count_wrong, interleave, paired_ratio
from solver.solve import solve_many

PIPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)


def recording_lane(name, n_hands, per_round, calls):
    def run(lo, hi):
        calls.append((name, lo, hi, gc.isenabled()))
        return np.arange(lo, hi, dtype=np.int32)

    return Lane(name, run, n_hands, per_round)


def test_rounds_alternate_and_walk_through_the_corpus():
    calls = []
    lanes = [recording_lane("a", 10, 10, calls), recording_lane("b", 10, 4, calls)]
    interleave(lanes, 3)
    warm, timed = calls[:2], calls[2:]
    assert [c[:3] for c in warm] == [("a", 0, 1), ("b", 0, 1)]
    assert [c[:3] for c in timed] == [
        *(("a", 0, 10), ("b", 0, 4)),
        *(("b", 4, 8), ("a", 0, 10)),
        *(("a", 0, 10), ("b", 0, 4)),
    ]
    assert not any(c[3] for c in timed)
    assert gc.isenabled()


def test_a_lane_that_fails_leaves_the_collector_on():
    def fail(lo, hi):
        if hi - lo > 1:
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        interleave([Lane("x", fail, 10, 10)], 1)
    assert gc.isenabled()


def test_median_worst_and_paired_ratio():
    # A slow spell in round 3 hits both lanes; the ratio of the round does not move.
    ours = Timing("ours", [10.0, 12.0, 90.0])
    rival = Timing("rival", [100.0, 120.0, 1800.0])
    assert ours.median_ns == 12.0
    assert ours.worst_ns == 90.0
    assert paired_ratio(rival, ours) == 10.0


def test_wrong_answers_are_counted_once_a_hand():
    truth = np.array([5, 6, 7, 8], np.int32)
    timing = Timing("rival")
    told = np.array([5, 0], np.int32)
    timing.answered += [(0, 2, told), (0, 2, told), (2, 4, np.array([7, 9], np.int32))]
    assert count_wrong(timing, truth) == (2, 4)


def runs_left(mask, points):
    """Return the least points left of one suit: try every choice of disjoint runs."""
    held = [r for r in range(13) if mask >> r & 1]
    runs = [
        set(range(a, b + 1))
        for a in range(13)
        for b in range(a + 2, 13)
        if all(r in held for r in range(a, b + 1))
    ]
    total = sum(points[r] for r in held)
    best = total
    for k in range(1, 5):
        for chosen in combinations(runs, k):
            if sum(map(len, chosen)) == len(set().union(*chosen)):
                best = min(best, total - sum(points[r] for run in chosen for r in run))
    return best


def test_the_floor_looks_up_what_runs_leave():
    table = left_table(PIPS)
    rng = np.random.default_rng(7)
    masks = [0, 0b111, 0b1011, 0b1111000, *rng.integers(0, 8192, 40).tolist()]
    few = [m for m in masks if m.bit_count() <= 8]
    assert len(few) > 15
    assert [int(table[m]) for m in few] == [runs_left(m, PIPS) for m in few]


def test_the_floor_is_no_better_than_the_optimum():
    corpus = make_corpus(GAMES["gin"], "dense", 300)
    out = np.zeros(len(corpus), np.int32)
    table = left_table(PIPS)
    read_hands(pack_bits(corpus.counts), table, out)
    expected = [
        sum(int(table[sum(1 << r for r in range(13) if h[s * 13 + r])]) for s in range(4))
        for h in corpus.counts
    ]
    assert out.tolist() == expected
    best = solve_many(corpus.counts, corpus.rules)
    assert (out >= best).all()
    assert (out > best).any()  # sets help somewhere: the floor answers an easier question


def test_the_floor_refuses_what_one_pack_cannot_hold():
    hand = np.zeros((1, 66), np.uint8)
    hand[0, 5] = 2
    with pytest.raises(ValueError, match="one pack"):
        pack_bits(hand)
