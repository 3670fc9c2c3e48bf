"""Form of the suit engine's kernels: vectors, one signature each, the same in plain Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from solver.cards import counts_of, read_hand
from solver.compile.tables import PARAM_NAMES, compile_suit
from solver.kernels import suit_layout as lay
from solver.kernels.jit import KERNELS
from solver.rules.loader import load_rules
from solver.solve.suit import penalties_suit, solve_suit
from solver.solve.ties import optimal_arrangements

ROOT = Path(__file__).parents[2]
MODULES = ("suit_build", "suit_sets", "suit_search", "suit_hand", "witness")
# Preset, options, hand, contract: the ways through the kernels on hands of a few cards.
CASES = (
    ("gin", {}, "4S 5S 6S 6H 6D 6C KS", False),
    ("three-thirteen", {"cards_dealt": 5}, "8S 9S 5H KD KC 5D 9H", False),
    ("kalooki-51", {"initial_meld_min": 0}, "AS KS QS JK 3D 3H 3S 3C JK 3D", False),
    ("indian-13", {"wild_ranks": ["7"]}, "6H 7H 8H 2S 3S JK 9C 9D", False),
    ("liverpool", {"deal": 2}, "7S 7H 7C 7D 8D 9D TD KS JK", True),
    ("continental", {"deal": 2}, "KS AS 2S 3S 9H 9D JK", True),
)
# Derived by hand. Gin: king left. Three Thirteen: 8S 9S 5H, KD KC 5D, 9H left or better: 9S 9H
# and a wild leaves the eight, 8. Kalooki: A K Q, four threes with wilds, nothing left. Indian:
# 6H 7H 8H pure, 2S 3S JK, nines left 9 + 9. Liverpool deal 2, a set and a run: 7S 7H 7C,
# 7D 8D 9D TD, with a joker; the king left. Continental: K A 2 3 round the corner, 9 9 JK.
LEFT = (10, 8, 0, 18, 10, 0)


def rules_of(case):
    name, options, _, _ = case
    return load_rules(name, **options)


def test_parameters_are_in_the_order_of_the_layout():
    by_place = {
        value: name.removeprefix("P_").lower()
        for name, value in vars(lay).items()
        if name.startswith("P_")
    }
    renamed = {
        "suits": "n_suits",
        "distinct": "distinct_suits",
        "merge": "mergeable",
        "split": "split_roles",
    }
    assert [renamed.get(by_place[i], by_place[i]) for i in range(len(PARAM_NAMES))] == list(
        PARAM_NAMES
    )


def test_parts_of_the_vectors_do_not_overlap():
    rules = [
        (0, len(PARAM_NAMES)),
        (lay.SET_K, 32),
        (lay.AFTER, 2 * lay.MAX_CLASSES),
        (lay.SUM, lay.MAX_CLASSES**2),
        (lay.ENOUGH, lay.MAX_CLASSES),
        (lay.WILD_IDS, 66),
        (lay.IS_WILD, 66),
        (lay.RUN_K, 1 << 14),
        (lay.PATTERN, (1 << 15) // 32),
        (lay.PRIME_K, 1 << 14),
        (lay.RULES_SIZE, 0),
    ]
    table = lay.MAX_W + 1
    work = [
        (lay.NATURALS, 66),
        (lay.LAID, 4),
        (lay.STATE, 8),
        (lay.INFO, 5 * lay.INFO_WIDTH),
        (lay.FIRST, 14),
        (lay.ROLES, 4 * 66),
        (lay.WILD_GAIN, table),
        (lay.SMALL, 96),
        (lay.STACK, 14 * lay.STACK_WIDTH),
        (lay.FREE, 8 * table),
        (lay.LATER, 14 * 8 * table),
        (lay.BOUND, 14 * 8 * table),
        (lay.JOINED, 2 * 8 * table),
        (lay.TOPS, table),
        (lay.SEEN, 1 << 14),
        (lay.SET_BITS, (lay.MAX_SETS + 1) * lay.MAX_SUBS),
        (lay.OPTIONS, 8 * lay.MAX_OPTIONS),
        (lay.MASKS, 8 * (1 << 14)),
        (lay.TABLE, lay.TABLE_SIZE),
        (lay.WORK_SIZE, 0),
    ]
    for parts in (rules, work):
        for (start, size), (after, _) in pairwise(parts):
            assert start + size <= after
    assert lay.I_STRIDE + 13 <= lay.INFO_WIDTH


def test_the_flat_vector_says_what_the_arrays_say():
    rules = compile_suit(load_rules("kalooki-51", initial_meld_min=0).meld)
    assert (rules.flat[: len(PARAM_NAMES)] == rules.params).all()
    assert (rules.flat[lay.RUN_K : lay.RUN_K + (1 << 14)] == rules.run_k).all()
    words = rules.flat[lay.PATTERN : lay.PRIME_K]
    assert ((words[:, None] >> np.arange(32) & 1).ravel() == rules.pattern_ok).all()
    # Of the runs of three or more, those of six or more are several.
    prime = rules.flat[lay.PRIME_K : lay.RULES_SIZE]
    assert not (prime & ~rules.flat[lay.RUN_K : lay.RUN_K + (1 << 14)]).any()
    assert prime[0b111] & prime[0b11111] & 1
    assert not prime[0b111111] & 1
    # Three naturals with a gap and one wild: A _ 3 4 is a run of four, A _ _ _ 5 6 is none.
    assert rules.flat[lay.RUN_K + 0b1101] >> 1 & 1
    assert not rules.flat[lay.RUN_K + 0b110001] >> 1 & 1
    assert rules.flat[lay.RUN_K + 0b110001] >> 3 & 1


@pytest.mark.parametrize(("case", "left"), list(zip(CASES, LEFT, strict=True)))
def test_small_hands(case, left):
    found = solve_suit(read_hand(case[2]), rules_of(case), contract=case[3])
    assert found is not None
    assert found[0] == left


def test_each_kernel_has_one_signature_without_floats():
    check_signatures(CASES, 3)


def check_signatures(cases, least):
    """Solve the cases, then look at every kernel that was compiled in this process.

    Kernels from the disk cache do not show those they call, so ``least`` of them is small then.
    """
    for case in cases:
        hand = read_hand(case[2])
        solve_suit(hand, rules_of(case), contract=case[3])
        penalties_suit(np.stack([hand, counts_of([])]), rules_of(case), contract=case[3])
    optimal_arrangements(cases[0][2], rules_of(cases[0]))
    seen = 0
    for name, compiled in KERNELS.items():
        if name.rsplit(".", 2)[-2] in MODULES and compiled.signatures:
            seen += 1
            assert len(compiled.signatures) == 1, (name, compiled.signatures)
            # Nothing in a kernel is a float: a mixed uint64 and int64 sum would be one.
            assert "float" not in str(compiled.signatures), name
            assert "float" not in str(compiled.nopython_signatures[0].return_type), name
    assert seen >= least


FRESH = """
import runpy, sys
tests = runpy.run_path(sys.argv[1])
tests["check_signatures"](tests["CASES"], 30)
"""


@pytest.mark.long
def test_each_kernel_has_one_signature_when_all_compile(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FRESH, __file__],
        env={**os.environ, "MELD_SOLVER_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


PLAIN = """
import json, sys
from solver.cards import read_hand
from solver.kernels import suit_hand
from solver.rules.loader import load_rules
from solver.solve.suit import penalties_suit, solve_suit
assert not hasattr(suit_hand.best_value, "signatures")
found = []
for name, options, hand, contract in json.load(sys.stdin):
    counts, rules = read_hand(hand), load_rules(name, **options)
    left, rows = solve_suit(counts, rules, contract=contract)
    found.append([left, rows, int(penalties_suit(counts[None], rules, contract=contract)[0])])
print(json.dumps(found))
"""


@pytest.mark.slow
def test_plain_python_gives_the_same():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAIN],
        input=json.dumps(CASES),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for case, (left, rows, again) in zip(CASES, json.loads(done.stdout), strict=True):
        compiled = solve_suit(read_hand(case[2]), rules_of(case), contract=case[3])
        assert compiled == (left, [tuple(row) for row in rows])
        assert again == left
