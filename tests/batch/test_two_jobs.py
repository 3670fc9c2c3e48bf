"""Two jobs on one output: one writes it, the other is refused, and no byte is mixed."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from solver.batch import BatchError, Job, Question, run_batch
from solver.cli import main
from solver.engine.archive import write_records
from solver.whole_files import BusyError, OutputLock, lock_of
from tests.batch.helpers import make_hands, write_rows
from tests.batch.killed_run import job_of
from tests.batch.paired_runs import RULES

ROOT = Path(__file__).parents[2]
HANDS = ["KD 9S AH", *make_hands("gin", 400), "7X"]


@pytest.fixture
def source(tmp_path):
    rows = [{"id": i, "hand": hand} for i, hand in enumerate(HANDS)]
    return write_rows(tmp_path / "in.csv", rows)


def pairs(tmp_path, source, outputs, n=20, rejects=(None, None), **asked):
    folder = tmp_path / "o"
    folder.mkdir()
    asked |= {
        "input": str(source),
        "outputs": [str(folder / name) for name in outputs],
        "rejects": [name and str(folder / name) for name in rejects],
        "pairs": n,
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.batch.paired_runs", json.dumps({"seed": 1, **asked})],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def alone(tmp_path, source):
    """The output of either job when nobody disturbs it."""
    texts = []
    for rules in RULES:
        job = Job(
            (str(source),), str(tmp_path / "alone.csv"), Question(rules, id="id", any_size=True)
        )
        run_batch(job)
        texts.append((tmp_path / "alone.csv").read_text())
    # King, nine and an ace of 1 or of 15.
    assert [text.splitlines()[1] for text in texts] == ["0,20,ok,", "0,34,ok,"]
    return texts


@pytest.mark.slow
@pytest.mark.parametrize("resume", [False, True])
def test_a_job_that_comes_second_is_refused(tmp_path, source, alone, resume):
    told = pairs(tmp_path, source, ["out.csv"] * 2, overlap=True, resume=resume)
    assert len(told) == 20
    for one in told:
        first, second = one["told"]
        assert (first["code"], second["code"]) == ("ok", "batch.busy")
        assert second["data"]["pid"] == first["pid"]
        who = f"process {first['pid']} on {socket.gethostname()}, since 20"
        assert who in second["said"]
        assert one["files"]["out.csv"] == alone[one["first"]]
        assert set(one["files"]) == {"out.csv", "out.csv.rejects.jsonl"}


@pytest.mark.slow
@pytest.mark.parametrize("resume", [False, True])
def test_jobs_that_start_together_never_mix(tmp_path, source, alone, resume):
    told = pairs(tmp_path, source, ["out.csv"] * 2, overlap=False, resume=resume)
    assert len(told) == 20
    for one in told:
        codes = [job["code"] for job in one["told"]]
        assert set(codes) <= {"ok", "batch.busy"}
        assert "ok" in codes
        order = [one["first"], 1 - one["first"]]
        done = [which for which, code in zip(order, codes, strict=True) if code == "ok"]
        assert one["files"]["out.csv"] in [alone[which] for which in done]
        assert set(one["files"]) == {"out.csv", "out.csv.rejects.jsonl"}


def test_a_reject_file_is_one_jobs_too(tmp_path, source, alone):
    outputs = ["a.csv", "b.csv"]
    told = pairs(tmp_path, source, outputs, 4, ["bad.csv"] * 2, overlap=True, resume=False)
    for one in told:
        assert [job["code"] for job in one["told"]] == ["ok", "batch.busy"]
        assert set(one["files"]) == {outputs[one["first"]], "bad.csv"}
        assert one["files"][outputs[one["first"]]] == alone[one["first"]]


def test_a_lock_file_without_its_process_holds_nobody(tmp_path, source):
    target = tmp_path / "out.csv"
    left = {"pid": os.getpid(), "host": socket.gethostname(), "started": "2026-01-01 00:00:00"}
    (tmp_path / "out.csv.lock").write_text(json.dumps(left))
    (tmp_path / "out.csv.part").write_text("half")
    assert run_batch(replace(job_of(source, target), resume=False)).n_rows == len(HANDS)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "in.csv", "out.csv", "out.csv.rejects.jsonl",
    ]  # fmt: skip


def test_a_file_that_is_no_lock_is_left_alone(tmp_path, source):
    (tmp_path / "out.csv.lock").write_text("my notes")
    with pytest.raises(BatchError) as caught:
        run_batch(job_of(source, tmp_path / "out.csv"))
    assert caught.value.code == "batch.lock"
    assert (tmp_path / "out.csv.lock").read_text() == "my notes"
    assert not (tmp_path / "out.csv").exists()


def test_the_command_names_the_process_that_writes(tmp_path, source, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["batch", "in.csv", "-o", "out.csv", "--rules", "gin"]
    with OutputLock("out.csv"):
        done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert f"got one of process {os.getpid()} on {socket.gethostname()}, since" in done.stderr
    assert "[batch.busy]" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["in.csv"]
    assert CliRunner().invoke(main, arguments).exit_code == 1  # one bad row


def test_records_have_one_writer_too(tmp_path):
    path = tmp_path / "games.jsonl"
    with OutputLock(path), pytest.raises(BusyError):
        write_records(path, [])
    assert write_records(path, []) == 0
    assert [p.name for p in tmp_path.iterdir()] == ["games.jsonl"]


def test_a_lock_taken_between_two_others_is_not_lost(tmp_path):
    """A job that opened the lock file of a holder who then removed it must look again."""
    path = tmp_path / "out.csv"
    first, second, third = OutputLock(path), OutputLock(path), OutputLock(path)
    first.take()
    handle = os.open(lock_of(path), os.O_RDWR)
    first.release()
    second.take()
    third._try(handle)  # the removed file: no lock of the output
    os.close(handle)
    assert third._handle is None
    with pytest.raises(BusyError):
        third.take()
    second.release()
