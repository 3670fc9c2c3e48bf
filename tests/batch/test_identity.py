"""Finished parts belong to one job: any other is refused, is told why, and deletes nothing."""

from __future__ import annotations

import json
import os
from dataclasses import fields, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from solver.batch import BatchError, Job, Question, run_batch
from solver.batch import identity as identity_module
from solver.batch.parts import PartsFolder
from solver.cli import main
from solver.rules.loader import load_rules
from tests.batch.helpers import make_hands, write_rows

SMALL = {"block_bytes": 3000, "block_rows": 70, "part_blocks": 2}


class StopError(Exception):
    """What stops a run in the midst."""


def base(tmp_path):
    hands = make_hands("gin", 300)
    rows = [{"id": i, "no": i, "hand": hand, "cards": hand, "round": 1}
            for i, hand in enumerate(hands)]  # fmt: skip
    source = write_rows(tmp_path / "in.csv", rows)
    question = Question(load_rules("gin"), id="id")
    return Job((str(source),), str(tmp_path / "out.csv"), question, resume=True, **SMALL)


def stop_after(job, n_parts, monkeypatch):
    """Run a job that ends when some parts are finished; return the rows they hold."""
    real = PartsFolder.finish_part

    def finish(self):
        real(self)
        if len(self.finished) == n_parts:
            raise StopError

    with monkeypatch.context() as patch:
        patch.setattr(PartsFolder, "finish_part", finish)
        with pytest.raises(StopError):
            run_batch(job)
    told = json.loads(Path(f"{job.output}.parts/manifest.json").read_text())
    assert len(told["parts"]) == n_parts
    return sum(part["n_rows"] for part in told["parts"])


def files_of(job):
    return {p.name: p.read_bytes() for p in Path(f"{job.output}.parts").iterdir()}


def refused(job):
    """Return what a refused job is told: word -> (before, now)."""
    kept = files_of(job)
    with pytest.raises(BatchError) as caught:
        run_batch(job)
    assert caught.value.code == "batch.changed"
    assert files_of(job) == kept
    assert not Path(job.output).exists()
    head, *changes = caught.value.faults
    assert "--restart discards them" in head.message
    return {f.data["what"]: (f.data["before"], f.data["now"]) for f in changes}


QUESTIONS = {
    "hand": ("cards", {"hand column": ("hand", "cards")}),
    "round": ("round", {"round column": (None, "round")}),
    "id": ("no", {"id column": ("id", "no")}),
    "melds": (True, {"melds": (False, True)}),
    "ignore_contract": (True, {"ignore contract": (False, True)}),
    "no_round": (True, {"no round": (False, True)}),
    "any_size": (True, {"any size": (False, True)}),
}
JOBS = {
    "limit": (250, {"limit": (None, 250)}),
    "block_bytes": (3001, {"bytes of a block": (3000, 3001)}),
    "block_rows": (71, {"rows of a block": (70, 71)}),
    "part_blocks": (3, {"blocks of a part": (2, 3)}),
}
NO_MATTER = {"inputs", "output", "question", "rejects", "threads", "resume", "restart", "part_s"}


def test_every_setting_is_part_of_the_identity_or_known_to_be_none():
    assert {field.name for field in fields(Question)} == {*QUESTIONS, "rules"}
    assert {field.name for field in fields(Job)} == {*JOBS, *NO_MATTER}


def test_each_change_of_the_question_is_refused_and_told(tmp_path, monkeypatch):
    job = base(tmp_path)
    stop_after(job, 2, monkeypatch)
    for name, (value, told) in QUESTIONS.items():
        changed = replace(job, question=replace(job.question, **{name: value}))
        assert refused(changed) == told
    for name, (value, told) in JOBS.items():
        assert refused(replace(job, **{name: value})) == told
    assert refused(replace(job, rejects=str(tmp_path / "bad.parquet"))) == {
        "form of the rejects": (".jsonl", ".parquet")
    }


def test_changed_rules_are_refused_and_told(tmp_path, monkeypatch):
    job = base(tmp_path)
    stop_after(job, 2, monkeypatch)

    def by(name, **options):
        return refused(
            replace(job, question=replace(job.question, rules=load_rules(name, **options)))
        )

    told = by("gin", points={"A": 15})
    assert set(told) == {"fingerprint", "option points"}
    assert told["option points"][0] is None
    assert by("three-thirteen", cards_dealt=10)["game"] == ("gin", "three-thirteen")


def test_an_option_that_the_fingerprint_does_not_show_is_refused_too(tmp_path, monkeypatch):
    job = base(tmp_path)
    plain = load_rules("three-thirteen")
    job = replace(job, question=Question(plain, round="round", id="id"))
    stop_after(job, 2, monkeypatch)
    other = load_rules("three-thirteen", wild_schedule={"3": "4"})
    told = refused(replace(job, question=replace(job.question, rules=other)))
    assert set(told) - {"fingerprint"} == {"option wild_schedule"}
    assert told["option wild_schedule"][0] is None


def test_another_version_is_refused(tmp_path, monkeypatch):
    job = base(tmp_path)
    stop_after(job, 2, monkeypatch)
    version = identity_module.importlib.metadata.version("meld-solver")
    monkeypatch.setattr(identity_module.importlib.metadata, "version", lambda _: "99.0")
    assert refused(job) == {"version": (version, "99.0")}


def inputs_changed(path, how):
    data = path.read_bytes()
    about = path.stat()
    if how == "grown":
        path.write_bytes(data + data[-40:])
    elif how == "other content, same size and time":
        at = data.index(b"\n") + 1
        path.write_bytes(data[:at] + b"7" + data[at + 1 :])
    elif how == "later":
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns + 1))
        return
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("grown", {"input 1: size", "input 1: content"}),
        ("other content, same size and time", {"input 1: content"}),
        ("later", {"input 1: changed"}),
    ],
)
def test_a_changed_input_is_refused_and_told(tmp_path, monkeypatch, how, words):
    job = base(tmp_path)
    stop_after(job, 2, monkeypatch)
    inputs_changed(tmp_path / "in.csv", how)
    assert set(refused(job)) == words


def test_another_file_or_one_more_is_refused(tmp_path, monkeypatch):
    job = base(tmp_path)
    stop_after(job, 2, monkeypatch)
    source = tmp_path / "in.csv"
    (tmp_path / "in2.csv").write_bytes(source.read_bytes())
    os.utime(tmp_path / "in2.csv", ns=(0, source.stat().st_mtime_ns))
    other = str(tmp_path / "in2.csv")
    assert refused(replace(job, inputs=(other,))) == {"input 1": (str(source), other)}
    told = refused(replace(job, inputs=(str(source), other)))
    assert set(told) == {f"input 2{word}" for word in ("", ": size", ": changed", ": content")}


@pytest.mark.parametrize("damage", ["{", "[]", '{"identity": {}}', "\xff"])
def test_a_list_of_parts_that_cannot_be_read_is_not_thrown_away(tmp_path, monkeypatch, damage):
    job = base(tmp_path)
    stop_after(job, 2, monkeypatch)
    manifest = Path(f"{job.output}.parts/manifest.json")
    manifest.write_bytes(damage.encode("latin-1"))
    kept = files_of(job)
    with pytest.raises(BatchError) as caught:
        run_batch(job)
    assert caught.value.code == "batch.manifest"
    assert "--restart discards" in str(caught.value)
    assert files_of(job) == kept
    assert run_batch(replace(job, resume=False, restart=True)).n_rows == 300
    assert not manifest.parent.exists()


def test_restart_discards_and_says_how_much(tmp_path, monkeypatch):
    job = base(tmp_path)
    n_rows = stop_after(job, 2, monkeypatch)
    changed = replace(job, limit=200)
    refused(changed)
    summary = run_batch(replace(changed, resume=False, restart=True))
    assert (summary.n_rows, summary.n_reused, summary.n_discarded) == (200, 0, n_rows)
    assert f"{n_rows} of discarded parts done again" in summary.text()
    assert not Path(f"{job.output}.parts").exists()


def test_a_limit_counts_the_rows_of_finished_parts(tmp_path, monkeypatch):
    job = base(tmp_path)
    limited = replace(job, limit=211)
    n_rows = stop_after(limited, 2, monkeypatch)
    assert 0 < n_rows < 211
    summary = run_batch(limited)
    assert (summary.n_rows, summary.n_reused) == (211, n_rows)
    resumed = Path(job.output).read_bytes()
    assert resumed.count(b"\n") == 212
    run_batch(replace(limited, resume=False))
    assert Path(job.output).read_bytes() == resumed


def test_what_is_not_ours_stays_in_the_folder(tmp_path, monkeypatch):
    job = base(tmp_path)
    folder = Path(f"{job.output}.parts")
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    stop_after(job, 2, monkeypatch)
    run_batch(job)
    assert [p.name for p in folder.iterdir()] == ["notes.txt"]


def test_a_pipe_cannot_be_resumed_from(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(BatchError) as caught:
        run_batch(replace(base(tmp_path), inputs=(str(tmp_path / "pipe.csv"),)))
    assert caught.value.code == "batch.resume"


def test_the_command_tells_each_change_on_a_line(tmp_path, monkeypatch):
    job = base(tmp_path)
    stop_after(job, 2, monkeypatch)
    arguments = [
        "batch",
        job.inputs[0],
        "-o",
        job.output,
        "--rules",
        "gin",
        "--option",
        "points=A=15",
    ]
    done = CliRunner().invoke(main, [*arguments, "--resume"])
    assert done.exit_code == 2
    lines = done.stderr.splitlines()
    assert all(line.endswith("[batch.changed]") for line in lines)
    (told,) = [line for line in lines if "option points" in line]
    assert "expected none as in the finished parts, got" in told
    done = CliRunner().invoke(main, [*arguments, "--resume", "--restart"])
    assert done.exit_code == 2
    assert CliRunner().invoke(main, [*arguments, "--restart"]).exit_code == 0
