"""Runs that are killed and resumed: the bytes of an undisturbed run, finished parts reused."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from solver.batch import BatchError, Job, Question, run_batch
from solver.batch.parts import PartsFolder
from solver.rules.loader import load_rules
from tests.batch.helpers import make_hands, write_rows
from tests.batch.killed_run import digest, job_of

ROOT = Path(__file__).parents[2]
FORMS = ("parquet", "csv", "jsonl.gz")
N_ROWS = 600


def make_input(folder, form, n=N_ROWS):
    hands = make_hands("gin", n)
    rows = [{"id": i, "hand": "7X" if i % 83 == 7 else hand} for i, hand in enumerate(hands)]
    return write_rows(folder / f"in.{form}", rows)


def undisturbed(tmp_path, inputs, form):
    target = tmp_path / "whole" / f"out.{form}"
    target.parent.mkdir()
    run_batch(job_of(inputs, target))
    return digest(target)


def target_in(tmp_path, form):
    (tmp_path / "o").mkdir()
    return tmp_path / "o" / f"out.{form}"


def start(inputs, target, steps, *, resume):
    inputs = [inputs] if isinstance(inputs, Path) else inputs
    asked = {"inputs": list(map(str, inputs)), "output": str(target), "steps": steps}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.batch.killed_run", json.dumps({**asked, "resume": resume})],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def deaths(inputs, target, steps, *, resume=True):
    """Let a run die at each step, in a process of its own; return what came of every death."""
    with start(inputs, target, list(steps), resume=resume) as process:
        told = process.communicate()[0]
    assert process.returncode == 0
    return [json.loads(line) for line in told.splitlines()[1:]]


def check_deaths(told, right):
    """Check that every death left nothing half done behind and spoiled no resumed run."""
    for death in told:
        assert (death["again"], death["end"]) == (0, right), death
        assert (death["parts"], death["left"]) == (False, []), death
        # What has its final name is whole, whenever the end came.
        assert death["died"][0] in {None, right[0]}, death
    assert max(death["reused"] for death in told) == N_ROWS
    assert len({death["reused"] for death in told}) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_deaths_on_the_way_and_at_the_end(tmp_path, form):
    source = make_input(tmp_path, form)
    right = undisturbed(tmp_path, source, form)
    # The last 8 release the locks, the 22 or so before them remove the parts, the 16 before those
    # write the whole files.
    steps = [2, 25, 50, -48, -44, -38, -33, -20, -6, -1]
    told = deaths(source, target_in(tmp_path, form), steps)
    assert {death["code"] for death in told} == {-signal.SIGKILL}
    check_deaths(told, right)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_death_at_every_step(tmp_path, form):
    source = make_input(tmp_path, form)
    right = undisturbed(tmp_path, source, form)
    told = deaths(source, target_in(tmp_path, form), range(1, 500))
    assert {death["code"] for death in told[:-1]} == {-signal.SIGKILL}
    assert (told[-1]["code"], told[-1]["step"] > 80) == (0, True)
    check_deaths(told, right)


@pytest.mark.long
@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl", "jsonl.gz"])
def test_kills_at_random_moments(tmp_path, form):
    source = make_input(tmp_path, form, 100_000)
    right = undisturbed(tmp_path, source, form)
    target = target_in(tmp_path, form)
    rng = random.Random(form)
    kills = 0
    while kills < 20:
        with start(source, target, [0], resume=False) as process:
            assert process.stdout.readline() == "ready\n"
            time.sleep(rng.uniform(0, 3))
            os.killpg(process.pid, signal.SIGKILL)  # the child does the work
            process.communicate(timeout=60)
        kills += 1
        assert digest(target)[0] in {None, right[0]}
        if digest(target)[0] is not None:
            target.unlink()
    run_batch(job_of(source, target))
    assert digest(target) == right


def stop_half_way(source, target):
    """Leave some finished parts; return how many rows they hold."""
    (death,) = deaths(source, target, [50], resume=False)
    assert (death["code"], death["died"]) == (-signal.SIGKILL, [None, None])
    told = json.loads(Path(f"{target}.parts/manifest.json").read_text())
    n_rows = sum(part["n_rows"] for part in told["parts"])
    assert 100 < n_rows < N_ROWS
    return n_rows


def test_finished_parts_are_reused(tmp_path):
    source = make_input(tmp_path, "jsonl")
    right = undisturbed(tmp_path, source, "jsonl")
    target = target_in(tmp_path, "jsonl")
    n_rows = stop_half_way(source, target)
    summary = run_batch(job_of(source, target))
    assert (summary.n_reused, summary.n_rows) == (n_rows, N_ROWS)
    assert summary.codes == {"card.unknown": 8}  # rows 7, 90, ... 588
    assert digest(target) == right


@pytest.mark.parametrize("change", ["answers", "rejects", "missing"])
def test_a_part_that_is_not_whole_is_done_again(tmp_path, change):
    source = make_input(tmp_path, "jsonl")
    right = undisturbed(tmp_path, source, "jsonl")
    target = target_in(tmp_path, "jsonl")
    n_rows = stop_half_way(source, target)
    parts = Path(f"{target}.parts")
    if change == "answers":
        data = (parts / "part-000001.jsonl").read_bytes()
        (parts / "part-000001.jsonl").write_bytes(data.replace(b"1", b"2"))
    elif change == "rejects":
        (parts / "part-000001.rejects.jsonl").write_bytes(b"x")
    else:
        (parts / "part-000001.jsonl").unlink()
    summary = run_batch(job_of(source, target))
    assert digest(target) == right
    # The first part holds two blocks of 3,000 bytes, of lines of about 54.
    assert 80 < summary.n_reused < 130
    assert summary.n_reused + summary.n_discarded == n_rows
    assert f"{summary.n_discarded} of discarded parts done again" in summary.text()


def test_an_error_on_the_way_keeps_finished_parts(tmp_path, monkeypatch):
    source = make_input(tmp_path, "jsonl")
    right = undisturbed(tmp_path, source, "jsonl")
    target = target_in(tmp_path, "jsonl")
    real = PartsFolder.finish_part

    def full(self):
        if len(self.finished) == 4:
            raise OSError(28, "no space left on device")
        real(self)

    with monkeypatch.context() as patch:
        patch.setattr(PartsFolder, "finish_part", full)
        with pytest.raises(OSError, match="no space"):
            run_batch(job_of(source, target))
    assert not target.exists()
    assert list(Path(f"{target}.parts").glob("*.part")) == []
    assert run_batch(job_of(source, target)).n_reused > 300
    assert digest(target) == right


def test_a_file_that_breaks_off_resumes_behind_its_fault(tmp_path):
    first = make_input(tmp_path, "csv.gz")
    first.write_bytes(first.read_bytes()[:-900])
    second = write_rows(tmp_path / "in2.csv", [{"id": 1, "hand": "KD"}])
    right = undisturbed(tmp_path, [first, second], "csv")
    rows = (tmp_path / "whole" / "out.csv").read_text().splitlines()
    assert [row.split(",")[2] for row in rows[-2:]] == ["file.truncated", "ok"]
    target = target_in(tmp_path, "csv")
    told = deaths([first, second], target, [20, 60, 95, -3])
    assert [death["end"] for death in told] == [right] * len(told)


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("part_s", [0.0, 1.0])
def test_the_usual_sizes_lose_a_second_at_most(tmp_path, monkeypatch, form, part_s):
    """Two blocks of the usual size and a bit: one part a block when blocks take a second."""
    hands = [f"KD {rank}S" for rank in "A23456789TJQ" * 7500]
    rows = [{"hand": hand + " " * 15 if form == "csv" else hand} for hand in hands]
    source = write_rows(tmp_path / f"in.{form}", rows)
    target = target_in(tmp_path, form)
    job = Job((str(source),), str(target), Question(load_rules("gin")), resume=True, part_s=part_s)
    real, seen = PartsFolder.join, []

    def join(self, answers, rejected):
        seen.extend(part.n_rows for part in self.finished)
        real(self, answers, rejected)

    monkeypatch.setattr(PartsFolder, "join", join)
    assert run_batch(job).n_rows == sum(seen) == 90_000
    most = 1 << 15 if form == "parquet" else (1 << 20) // 21
    assert max(seen) <= most or part_s == 1
    assert len(seen) >= 2 or part_s == 1
    digests = [target.read_bytes()]
    run_batch(replace(job, resume=False))
    assert digests == [target.read_bytes()]


def test_blocks_are_smaller_where_melds_are_asked_for():
    rules = load_rules("gin")
    plain, melds = (Job((), "", Question(rules, melds=melds)) for melds in (False, True))
    assert (plain.text_block, plain.parquet_block) == (1 << 20, 1 << 15)
    assert (melds.text_block, melds.parquet_block) == (1 << 17, 1 << 12)


def test_standard_input_cannot_be_resumed(tmp_path):
    with pytest.raises(BatchError) as caught:
        run_batch(job_of("-", tmp_path / "out.jsonl"))
    assert caught.value.code == "batch.resume"
