"""Prime runs: the ones left out are exactly sums of shorter ones, and the tables lose nothing."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from solver.compile.tables import compile_suit
from solver.kernels.prime_runs import prime_runs
from solver.kernels.suit_layout import MAX_W
from solver.rules.loader import load_rules

DESIGN = Path(__file__).parents[2] / "DESIGN.md"


def runs_of(length_min, wilds_max, positions=8):
    """Return run_k of a line: every window of the least length or more with few enough wilds."""
    run_k = np.zeros(1 << positions, np.uint32)
    for start, end in itertools.combinations(range(positions + 1), 2):
        if end - start < length_min:
            continue
        places = range(start, end)
        for k in range(min(wilds_max, end - start - 1) + 1):
            for gaps in itertools.combinations(places, k):
                mask = sum(1 << p for p in places if p not in gaps)
                run_k[mask] |= 1 << k
    return run_k


def covers(run_k, mask):
    """Return every number of wilds with which disjoint runs use exactly the mask, by recursion."""
    if mask == 0:
        return {0}
    found = set()
    low = mask & -mask
    part = mask
    while part:
        if part & low:
            ks = [k for k in range(32) if int(run_k[part]) >> k & 1]
            rest = covers(run_k, mask ^ part) if ks else set()
            found |= {a + b for a in ks for b in rest}
        part = (part - 1) & mask
    return found


@pytest.mark.parametrize(("length_min", "wilds_max"), [(3, 0), (3, 2), (4, 3), (3, 7), (1, 1)])
@pytest.mark.parametrize("plain", [False, True], ids=["compiled", "plain"])
def test_prime_runs_reach_the_same_and_are_no_sums(length_min, wilds_max, plain):
    run_k = runs_of(length_min, wilds_max)
    prime = np.zeros_like(run_k)
    function = getattr(prime_runs, "py_func", prime_runs) if plain else prime_runs
    function(run_k, (1 << 31) - 1, prime)
    assert not (prime & ~run_k).any()
    rng = np.random.default_rng(5)
    for mask in [*rng.integers(1, 256, 40).tolist(), 255]:
        assert covers(prime, mask) == covers(run_k, mask)
        alone = {k for k in range(32) if int(prime[mask]) >> k & 1}
        without = run_k.copy()
        without[mask] = 0
        assert not alone & covers(without, mask)
    if (length_min, wilds_max) == (3, 0):
        # Three, four and five in a row; six are two times three.
        lengths = {bin(m).count("1") for m in np.flatnonzero(prime).tolist()}
        assert lengths == {3, 4, 5}


@pytest.mark.parametrize(
    ("name", "options", "n_prime", "n_runs"),
    [("three-thirteen", {"round": 7}, 159, 8_191), ("continental", {"deal": 1}, 416, 3_524)],
)
def test_the_numbers_that_the_design_names(name, options, n_prime, n_runs):
    run_k = compile_suit(load_rules(name, **options).meld).run_k
    prime = np.zeros_like(run_k)
    prime_runs(run_k, (1 << MAX_W) - 1, prime)
    assert (np.count_nonzero(prime), np.count_nonzero(run_k)) == (n_prime, n_runs)
    assert f"{n_prime} of {n_runs:,} masks" in DESIGN.read_text(encoding="utf-8")
