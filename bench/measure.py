"""Timing of lanes against each other: interleaved rounds, medians, worst, paired ratios."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Answers: TypeAlias = "NDArray[np.int32] | None"
Runner: TypeAlias = "Callable[[int, int], Answers]"


@dataclass(frozen=True, slots=True)
class Lane:
    """One way to answer the hands of a corpus.

    Attributes:
        name: who answers, as the table shows it.
        run: answers hands lo..hi of the corpus; int32[hi - lo], or None when it answers nothing.
        n_hands: hands of the corpus.
        per_round: hands timed in one round; successive rounds walk through the corpus.
    """

    name: str
    run: Runner
    n_hands: int
    per_round: int

    def span(self, round_no: int) -> tuple[int, int]:
        """Return the hands lo..hi of a round."""
        size = min(self.per_round, self.n_hands)
        n_spans = self.n_hands // size
        lo = round_no % n_spans * size
        return lo, lo + size


@dataclass(frozen=True, slots=True)
class Skip:
    """A lane that cannot run here, and why."""

    name: str
    why: str


@dataclass(slots=True)
class Timing:
    """What the rounds of one lane took.

    Attributes:
        name: of the lane.
        rounds: nanoseconds a hand, one entry a round.
        answered: (lo, hi, answers) of every round of a lane that answers.
    """

    name: str
    rounds: list[float] = field(default_factory=list)
    answered: list[tuple[int, int, NDArray[np.int32]]] = field(default_factory=list)

    @property
    def median_ns(self) -> float:
        """Return the median over rounds of nanoseconds a hand."""
        return median(self.rounds)

    @property
    def best_ns(self) -> float:
        """Return the fastest round: what a busy machine disturbs least."""
        return min(self.rounds)

    @property
    def worst_ns(self) -> float:
        """Return the slowest round, nanoseconds a hand."""
        return max(self.rounds)


def interleave(lanes: Sequence[Lane], n_rounds: int) -> list[Timing]:
    """Time lanes in turn, so that whatever else the machine does meets them alike.

    Each lane runs once before the clock starts. The order rotates by one every round, and the
    garbage collector is off while a lane runs.

    Args:
        lanes: what to time.
        n_rounds: rounds, 1 or more.

    Returns: one timing a lane, in the order given.
    """
    for lane in lanes:
        lo, hi = lane.span(0)
        lane.run(lo, min(hi, lo + max(1, (hi - lo) // 10)))
    timings = [Timing(lane.name) for lane in lanes]
    pairs = list(zip(lanes, timings, strict=True))
    for round_no in range(n_rounds):
        turn = round_no % len(pairs)
        for lane, timing in pairs[turn:] + pairs[:turn]:
            _time_round(lane, timing, round_no)
    return timings


def _time_round(lane: Lane, timing: Timing, round_no: int) -> None:
    lo, hi = lane.span(round_no)
    gc.collect(0)
    gc.disable()
    try:
        started = time.perf_counter_ns()
        answers = lane.run(lo, hi)
        elapsed = time.perf_counter_ns() - started
    finally:
        gc.enable()
    timing.rounds.append(elapsed / (hi - lo))
    if answers is not None:
        timing.answered.append((lo, hi, answers))


def paired_ratio(numerator: Timing, denominator: Timing) -> float:
    """Return the median over rounds of one lane's time divided by the other's.

    Both times of a pair are of the same round, so a slow spell of the machine cancels.
    """
    pairs = zip(numerator.rounds, denominator.rounds, strict=True)
    return median(a / b for a, b in pairs)


def count_wrong(timing: Timing, truth: NDArray[np.int32]) -> tuple[int, int]:
    """Return how many different hands a lane answered wrongly, and how many it answered."""
    seen: dict[int, bool] = {}
    for lo, hi, answers in timing.answered:
        right = answers == truth[lo:hi]
        seen.update(zip(range(lo, hi), right.tolist(), strict=True))
    return sum(not right for right in seen.values()), len(seen)
