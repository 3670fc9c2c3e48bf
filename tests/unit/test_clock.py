"""The first call compiles kernels: that is said once, and is no part of the time of an answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from solver import clock

ROOT = Path(__file__).parents[2]


class FakeTime:
    def __init__(self):
        self.s = 100.0

    def perf_counter(self):
        return self.s


@pytest.fixture
def fake(monkeypatch):
    fake = FakeTime()
    monkeypatch.setattr(clock, "time", fake)
    monkeypatch.setattr(clock, "_pauses", clock._Pauses())
    return fake


def test_the_clock_stands_still_from_the_first_pause_to_the_last_end(fake):
    began = clock.now()
    fake.s += 1
    clock.pause()
    fake.s += 10
    assert clock.now() - began == 1
    clock.pause()  # another thread, or a kernel within a kernel
    fake.s += 10
    clock.resume()
    fake.s += 10
    assert clock.now() - began == 1
    clock.resume()
    assert clock.now() - began == 1
    fake.s += 2
    assert clock.now() - began == 3


TWO_KERNELS = """
import logging, time
logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
import numpy as np
from solver import clock
from solver.kernels import pack
counts, words = np.zeros((1, 66), np.uint8), np.zeros((1, 1), np.uint64)
ours, all = clock.now(), time.perf_counter()
pack.counts_to_words(counts, 1, 0, words)
pack.words_to_counts(words, 0, counts)
print(clock.now() - ours, time.perf_counter() - all)
"""


def run_cold(cache, *arguments, stdin=""):
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "MELD_SOLVER_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_compiling_is_said_once_and_not_counted(tmp_path):
    done = run_cold(tmp_path, "-c", TWO_KERNELS)
    counted, passed = map(float, done.stdout.split())
    assert passed > 0.2, "expected kernels that compile"
    assert counted < passed / 4
    assert done.stderr.count("solver.kernels compiling kernels, once") == 1
    done = run_cold(tmp_path, "-c", TWO_KERNELS)  # loaded from the cache: nothing to say
    counted, passed = map(float, done.stdout.split())
    assert counted < passed / 2
    assert done.stderr == ""


OVER_HTTP = """
from service.app import create_app
from service.config import ServiceConfig
client = create_app(ServiceConfig(warm_up="off")).test_client()
answer = client.post("/v1/solve", json={"rules": "gin", "hand": "5S 5H 5D KC"})
print(answer.get_data(as_text=True))
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    [
        ("-m", "solver.cli", "solve", "5S 5H 5D KC", "-r", "gin", "--json"),
        ("-c", OVER_HTTP),
    ],
)
def test_a_cold_start_is_no_part_of_the_time_of_the_answer(tmp_path, arguments):
    done = run_cold(tmp_path, *arguments)
    answer = json.loads(done.stdout)
    assert answer["penalty"] == 10
    assert 0 < answer["elapsed_us"] < 2_000_000  # compiling takes twenty seconds and more
    notes = [line for line in done.stderr.splitlines() if line.startswith("note: compiling")]
    assert len(notes) == (1 if "-m" in arguments else 0)
