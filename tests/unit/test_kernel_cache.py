"""The kernels' disk cache: none to write to, several processes at once, a changed source."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ONE_KERNEL = """
import logging, sys
logging.basicConfig(format="%(levelname)s %(message)s")
import numpy as np
from solver.kernels import pack
counts = np.zeros((1, 66), np.uint8)
counts[0, [0, 13, 51]] = 1
words = np.zeros((1, 1), np.uint64)
assert pack.counts_to_words(counts, 1, 0, words) == 0
print(int(words[0, 0]), sum(pack.counts_to_words.stats.cache_hits.values()))
"""
THREE_KERNELS = (
    ONE_KERNEL
    + """
pack.words_to_counts(words, 0, counts)
pack.counts_to_words(counts.copy(order="F"), 1, 0, words)
"""
)
WORD = 1 | 1 << 13 | 1 << 51


def start(cache, root=ROOT, program=ONE_KERNEL, **settings):
    env = {**os.environ, "MELD_SOLVER_CACHE_DIR": str(cache), "PYTHONPATH": str(root)}
    env.pop("NUMBA_DISABLE_JIT", None)
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env=env,
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **settings,
    )


def finish(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    word, hits = map(int, out.split())
    assert word == WORD
    return hits, err


def test_without_a_folder_to_write_to_it_compiles_and_says_so_once(tmp_path):
    (tmp_path / "file").write_text("no folder")
    hits, err = finish(start(tmp_path / "file" / "cache"))
    assert hits == 0
    assert err.startswith("WARNING kernels cannot be kept in the cache")
    assert err.count("\n") == 1


def without_override():
    """Let permission bits bind root too: gives up the right to pass over them."""
    if os.geteuid() == 0:
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            if prctl(24, right, 0, 0, 0):  # PR_CAPBSET_DROP
                raise OSError(ctypes.get_errno(), "prctl")


def make_read_only(folder):
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o500 if path.is_dir() else 0o400)


@pytest.fixture
def folder(tmp_path):
    yield tmp_path
    for path in [tmp_path, *tmp_path.rglob("*")]:
        path.chmod(0o700)


def test_a_complete_cache_that_cannot_be_written_is_used_as_it_is(folder):
    assert finish(start(folder)) == (0, "")
    make_read_only(folder)
    before = sorted(folder.rglob("*"))
    together = [start(folder, preexec_fn=without_override) for _ in range(3)]
    assert [finish(process) for process in together] == [(1, "")] * 3
    assert sorted(folder.rglob("*")) == before


def test_what_a_read_only_cache_lacks_is_compiled_and_said_once(folder):
    assert finish(start(folder)) == (0, "")
    make_read_only(folder)
    hits, err = finish(start(folder, program=THREE_KERNELS, preexec_fn=without_override))
    assert hits == 1
    assert err.startswith("WARNING kernels cannot be kept in the cache")
    assert err.count("\n") == 1


def test_an_empty_read_only_folder_compiles_and_says_so_once(folder):
    make_read_only(folder)
    hits, err = finish(start(folder, program=THREE_KERNELS, preexec_fn=without_override))
    assert hits == 0
    assert err.startswith("WARNING kernels cannot be kept in the cache")
    assert err.count("\n") == 1


def test_a_cache_that_cannot_be_read_either_is_passed_over(folder):
    assert finish(start(folder)) == (0, "")
    for path in folder.rglob("*.nb?"):
        path.chmod(0)
    hits, err = finish(start(folder, preexec_fn=without_override))
    assert hits == 0
    assert err.count("\n") <= 1


def test_several_processes_may_start_together(tmp_path):
    for hits, err in [finish(p) for p in [start(tmp_path) for _ in range(3)]]:
        assert hits in (0, 1)
        assert err == ""
    hits, err = finish(start(tmp_path))
    assert (hits, err) == (1, "")


def test_a_change_of_a_sibling_is_compiled_anew(tmp_path):
    tree, cache = tmp_path / "tree", tmp_path / "cache"
    shutil.copytree(ROOT / "solver", tree / "solver", ignore=shutil.ignore_patterns("__pycache__"))
    assert finish(start(cache))[0] == 0
    assert finish(start(cache, tree))[0] == 1  # the place of the installation does not matter
    # pack.py imports types.py; numba itself looks at pack.py only.
    types = tree / "solver" / "kernels" / "types.py"
    types.write_text(types.read_text() + "\n# another release\n")
    assert finish(start(cache, tree))[0] == 0


EVERYTHING = """
import numpy as np, pyarrow as pa, solver
from solver.batch import Question, score_batch
from solver.compile.frontier_call import solve_frontier_many
from solver.kernels.jit import KERNELS
from solver.solve import pack_counts
crowns, indian = ("five-crowns", {"cards_dealt": 9}), ("indian-13", {"packs": 2})
for name, options in (("gin", {}), crowns, indian):
    rules = solver.load_rules(name, **options)
    texts = ["3S 4S 5S 5H 5D 9S", "KS KH KD 3D 4D 5D"]
    for engine in ("suit", "frontier"):
        solver.solve(texts[0], rules, engine=engine)
    counts = solver.parse_hands(texts)
    solver.solve_many(counts, rules)
    solver.solve_many(texts, rules)
    listed = pa.array([text.split() for text in texts])
    for column in (pa.array(texts), pa.array(texts).slice(1), pa.array([], pa.string()), listed):
        solver.solve_many(column, rules) if column is not listed else None
        score_batch(pa.record_batch({"hand": column}), Question(rules))
    solver.solve_many(pack_counts(counts, rules), rules)
    solver.best_discard(texts[0], rules)
    solver.optimal_arrangements(texts[0], rules)
    solve_frontier_many(counts, rules.meld)
solver.best_contract("7S 7H 2C KD KC KS", solver.load_rules("liverpool", deal=1))
print([name for name, k in KERNELS.items() if k.stats.cache_misses])
"""


@pytest.mark.long
def test_after_warm_up_nothing_is_compiled(tmp_path):
    env = {**os.environ, "MELD_SOLVER_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    env.pop("NUMBA_DISABLE_JIT", None)
    for program in ("from solver.solve.warm import warm_up; warm_up(); print([])", EVERYTHING):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=env,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert (done.stdout, done.stderr) == ("[]\n", "")
