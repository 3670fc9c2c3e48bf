"""The command under signals: it ends in order, says what stays, and goes on to the same bytes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.batch.helpers import make_hands, write_rows

ROOT = Path(__file__).parents[2]
ASKING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
# Blocks of 3,000 bytes, and a moment's pause in each: many parts, and time to be stopped in.
PROGRAM = """
import os, sys, time
from dataclasses import replace
import solver.batch
from solver.cli import main
real, pause = solver.batch.run_batch, float(os.environ["PAUSE"])
def slow(job, report):
    def told(tally, elapsed_s):
        print("block", flush=True)
        time.sleep(pause)
        report(tally, elapsed_s)
    return real(replace(job, block_bytes=3000, block_rows=70, part_blocks=2), told)
solver.batch.run_batch = slow
main(sys.argv[1:])
"""


def start(folder, *arguments, pause=0.01, **settings):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PAUSE": str(pause)}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "batch", *arguments],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **settings,
    )


def finish(process):
    err = process.communicate(timeout=120)[1]
    return process.returncode, err


def stop(process, number, n_blocks):
    """Let a process be stopped behind a number of blocks; return its exit code and its words."""
    for _ in range(n_blocks):
        assert process.stdout.readline() == "block\n"
    process.send_signal(number)
    return finish(process)


def make_input(folder, form="csv", n=600):
    hands = make_hands("gin", n)
    write_rows(folder / f"in.{form}", [{"id": i, "hand": hand} for i, hand in enumerate(hands)])
    return [f"in.{form}", "--rules", "gin", "--id-column", "id"]


@pytest.mark.slow
@pytest.mark.parametrize("number", ASKING)
def test_a_signal_ends_a_run_and_leaves_nothing_half_done(tmp_path, number):
    arguments = [*make_input(tmp_path), "-o", "out.csv"]
    code, err = stop(start(tmp_path, *arguments), number, 3)
    assert code == 128 + number
    assert err == f"stopped by {number.name}: out.csv was not written\n"
    assert [p.name for p in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("number", ASKING)
def test_a_run_with_resume_keeps_its_parts_and_goes_on(tmp_path, number):
    arguments = [*make_input(tmp_path), "--resume", "-o"]
    assert finish(start(tmp_path, *arguments, "whole.csv", pause=0))[0] == 0
    code, err = stop(start(tmp_path, *arguments, "out.csv"), number, 6)
    assert code == 128 + number
    assert err == (
        f"stopped by {number.name}: finished parts are in out.csv.parts;"
        " the same command with --resume goes on from there\n"
    )
    assert {p.name for p in tmp_path.iterdir()} == {"in.csv", "whole.csv", "out.csv.parts"}
    assert list((tmp_path / "out.csv.parts").glob("*.part")) == []
    code, err = finish(start(tmp_path, *arguments, "out.csv", pause=0))
    assert code == 0
    assert "of them from finished parts" in err
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert {p.name for p in tmp_path.iterdir()} == {"in.csv", "whole.csv", "out.csv"}


@pytest.mark.slow
def test_a_signal_while_standard_input_is_silent(tmp_path):
    process = start(tmp_path, "-", "-o", "out.csv", "--rules", "gin", stdin=subprocess.PIPE)
    process.stdin.write("hand\n" + "KD\n" * 10_000)
    process.stdin.flush()
    with process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "out.csv.part").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
        assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_signal_that_is_ignored_stays_so(tmp_path):
    """As under nohup: the terminal may hang up."""
    arguments = [*make_input(tmp_path, n=200), "-o", "out.csv"]
    process = start(
        tmp_path, *arguments, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    )
    code, err = stop(process, signal.SIGHUP, 1)
    assert code == 0, err
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 201


def check_stops(tmp_path, form, n_stops, seed):
    """Stop a run at random moments, by every signal, until it has been stopped often enough."""
    arguments = [*make_input(tmp_path, "csv" if form == "csv.gz" else form), "--resume", "-o"]
    assert finish(start(tmp_path, *arguments, f"whole.{form}", pause=0))[0] == 0
    whole = (tmp_path / f"whole.{form}").read_bytes()
    target = tmp_path / f"out.{form}"
    rng = random.Random(seed)
    for i in range(n_stops):
        number = [*ASKING, signal.SIGKILL][i % 4]
        process = start(tmp_path, *arguments, target.name)
        process.stdout.readline()
        time.sleep(rng.uniform(0, 0.25))
        process.send_signal(number)
        code, err = finish(process)
        assert code in {0, 128 + number, -number}, err
        # Behind the summary the run is over, and a signal ends Python as it ends any program.
        assert code >= 0 or number == signal.SIGKILL or target.exists(), err
        if number != signal.SIGKILL:
            halves = {".part", ".lock"} & {path.suffix for path in tmp_path.rglob("*")}
            assert halves == set()
        if code == 0 or target.exists():
            assert target.read_bytes() == whole
            target.unlink()
    assert finish(start(tmp_path, *arguments, target.name, pause=0))[0] == 0
    assert target.read_bytes() == whole
    assert {p.name for p in tmp_path.iterdir()} == {arguments[0], f"whole.{form}", target.name}


@pytest.mark.slow
def test_stops_at_random_moments(tmp_path):
    check_stops(tmp_path, "csv.gz", 4, 1)


@pytest.mark.long
@pytest.mark.parametrize("form", ["csv.gz", "csv", "jsonl", "parquet"])
def test_a_hundred_stops_at_random_moments(tmp_path, form):
    check_stops(tmp_path, form, 25, form)
