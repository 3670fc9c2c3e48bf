"""Two threads against one, in rounds in which the machine proves to have two cores free."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from statistics import median

import numpy as np

from bench.corpus import GAMES, free_left, make_corpus
from bench.floor import spin
from bench.plan import Plan
from bench.rows import Goal, Row
from bench.truth import agree, prove
from solver.solve import pack_counts

GOAL = Goal("faster", 1.8)
FREE = 1.9
"""Speed-up of a load that needs nothing but cores, from which on two cores count as free."""
SPIN_STEPS = 20_000_000
TRIES = 4
HANDS = (10_000, 1_000)
REPEATS = (26, 130)
"""The hands are answered this often in one call, enough chunks for two threads."""


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def probe() -> float:
    """Return how much faster two threads do two loads than one thread does: 2.0 on free cores."""
    alone = _seconds(lambda: [spin(SPIN_STEPS), spin(SPIN_STEPS)])
    with ThreadPoolExecutor(2) as pool:
        together = _seconds(lambda: list(pool.map(spin, [SPIN_STEPS] * 2)))
    return alone / together


def two_threads(plan: Plan) -> list[Row]:
    """Return the row of two threads against one.

    Rounds whose probe, taken before and independent of them, finds no two free cores are left
    out; without any such round the row has no verdict.
    """
    corpus = make_corpus(GAMES["three-thirteen"], "random", plan.size(*HANDS))
    truth = prove(corpus)
    hands = np.tile(pack_counts(corpus.counts, corpus.rules), (plan.size(*REPEATS), 1))
    right = np.tile(truth.answers, plan.size(*REPEATS))
    for n in (1, 2):
        agree(free_left(hands, corpus.rules, threads=n), right, f"{n} threads")
    spin(1)
    probes: list[float] = []
    pairs: list[tuple[float, float]] = []
    for _ in range(plan.n_rounds * TRIES):
        probes.append(probe())
        if probes[-1] >= FREE:
            one = _seconds(lambda: free_left(hands, corpus.rules, threads=1))
            two = _seconds(lambda: free_left(hands, corpus.rules, threads=2))
            pairs.append((one, two))
        if len(pairs) == plan.n_rounds or (plan.quick and len(probes) == plan.n_rounds):
            break
    return [_row(len(hands), truth.proof, probes, pairs)]


def _row(n: int, proof: str, probes: list[float], pairs: list[tuple[float, float]]) -> Row:
    told = f"probe {median(probes):.2f} x, {len(pairs)} of {len(probes)} rounds with free cores"
    head = Row(
        "threads",
        "three-thirteen 13 cards, two threads",
        rival="one thread",
        goal=GOAL.text("ns"),
        hands=n,
        proof=proof,
        note=told if pairs else f"skipped: {told}",
    )
    if not pairs:
        return head
    ones, twos = zip(*pairs, strict=True)
    ratio = median(one / two for one, two in pairs)
    return replace(
        head,
        ours=median(twos) / n * 1e9,
        ours_worst=max(twos) / n * 1e9,
        rival_value=median(ones) / n * 1e9,
        rival_worst=max(ones) / n * 1e9,
        ratio=ratio,
        met=GOAL.is_met(ratio),
    )
