"""The run itself: order and bounded work in flight, bytes written, the command and its codes."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import threading
import time

import pyarrow as pa
import pytest
from click.testing import CliRunner

from solver.batch.encode import csv_lines, json_lines
from solver.batch.run import in_order
from solver.batch.streams import Position, Stream, cut_pieces
from solver.cli import main
from tests.batch.helpers import make_hands, read_rows, write_rows


def test_results_come_in_order_and_little_is_held():
    lock, state = threading.Lock(), {"taken": 0, "given": 0, "most": 0}

    def items():
        for i in range(60):
            with lock:
                state["taken"] += 1
                state["most"] = max(state["most"], state["taken"] - state["given"])
            yield i

    def work(i):
        time.sleep(0.002 * (i % 3 == 0))
        return i * i

    told = []
    for result in in_order(work, items(), 3):
        with lock:
            state["given"] += 1
        told.append(result)
    assert told == [i * i for i in range(60)]
    # Three threads, two waiting, and the one whose result was just handed out.
    assert state["most"] <= 3 + 2 + 1


def test_an_error_of_the_work_ends_the_run():
    def work(i):
        return 1 // (3 - i)

    with pytest.raises(ZeroDivisionError):
        list(in_order(work, range(100), 2))


@pytest.mark.parametrize("size", [1, 2, 7, 100, 10_000])
def test_pieces_hold_every_line_once_from_any_position(tmp_path, size):
    path = tmp_path / "lines"
    data = b"".join(b"x" * (i % 13) + b"\n" for i in range(200)) + b"the last has no end"
    path.write_bytes(data)

    def pieces(at):
        stream = Stream(str(path))
        stream.skip_to(at.offset)
        try:
            return list(cut_pieces(stream, at, size))
        finally:
            stream.close()

    whole = pieces(Position())
    assert b"".join(piece.data for piece in whole) == data
    for i, piece in enumerate(whole):
        assert piece.line == 1 + b"".join(p.data for p in whole[:i]).count(b"\n")
        assert len(piece.data) <= max(size, 20)
    for i in range(0, len(whole), 1 + len(whole) // 7):
        assert pieces(whole[i].after) == whole[i + 1 :]


CELLS = [
    "plain", None, "", 'say "hi"', "a,b", "two\nlines", " blank ", "ünï ★", "back\\slash", "\x01",
]  # fmt: skip


def test_lines_of_json_and_csv_are_read_back_by_others():
    batch = pa.record_batch(
        {
            "n": pa.array([1, None, -3, 4, 5, 6, 7, 8, 9, 10], pa.int32()),
            "all ok": pa.array(["ok"] * 10),
            "text": pa.array(CELLS),
            "none": pa.nulls(10, pa.string()),
        }
    )
    rows = batch.to_pylist()
    assert [json.loads(line) for line in json_lines(batch).decode().splitlines()] == rows
    # splitlines() knows more line ends than JSON lines do, so the text cells are tried apart.
    cells = list(csv.reader(io.StringIO(csv_lines(batch).decode(), newline="")))
    shown = [["" if v is None else str(v) for v in row.values()] for row in rows]
    assert cells == shown
    assert (json_lines(batch.slice(0, 0)), csv_lines(batch.slice(0, 0))) == (b"", b"")
    assert json_lines(batch.slice(3, 2)) == b"".join(
        line + b"\n" for line in json_lines(batch).split(b"\n")[3:5]
    )


# --- the command --------------------------------------------------------------------------------


def command(*arguments, stdin=None):
    return CliRunner().invoke(main, ["batch", *map(str, arguments)], input=stdin)


def test_the_command_and_its_exit_codes(tmp_path):
    source = write_rows(tmp_path / "in.csv", [{"hand": h} for h in ("7S 8S 9S KD", "QS")])
    done = command(source, "-o", tmp_path / "out.jsonl", "--rules", "gin", "--any-size")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "2 hands in" in done.stderr
    assert "\r" not in done.stderr  # progress is for terminals
    assert [row["penalty"] for row in read_rows(tmp_path / "out.jsonl")] == [10, 10]
    source = write_rows(tmp_path / "in.csv", [{"hand": h} for h in ("7S 8S 9S KD", "7X")])
    done = command(source, "-o", tmp_path / "out.jsonl", "--rules", "gin", "--json", "--any-size")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert (told["hands"], told["rejected"]) == (2, 1)
    assert told["codes"] == {"card.unknown": 1}
    assert read_rows(told["rejects"])[0]["code"] == "card.unknown"


def test_options_of_the_command(tmp_path):
    cells = [{"n": "a", "cards": "AS KS 9H 9D", "deal": 1}, {"n": "b", "cards": "QS", "deal": 11}]
    source = write_rows(tmp_path / "in.csv", cells)
    out = tmp_path / "out.csv"
    options = ["--rules", "three-thirteen", "--option", "points=A=15"]
    columns = ["--hand-column", "cards", "--round-column", "deal", "--id-column", "n"]
    rest = [
        "--any-size",
        "--threads",
        1,
        "--melds",
        "--limit",
        1,
        "--rejects",
        tmp_path / "bad.csv",
    ]
    done = command(source, "-o", out, *options, *columns, *rest)
    assert done.exit_code == 0, done.stderr
    # Round 1: threes are wild, nothing melds: 15 + 10 + 9 + 9 by the points asked for.
    (row,) = read_rows(out)
    assert (row["n"], row["penalty"], row["melds"]) == ("a", "43", "")
    assert sorted(row["deadwood"].split()) == ["9D", "9H", "AS", "KS"]
    assert read_rows(tmp_path / "bad.csv") == []


BAD_USAGE = [
    ((), "Missing argument"),
    (("in.csv",), "Missing option"),
    (("in.csv", "-o", "out.csv"), "batch.rules"),
    (("in.csv", "-o", "out.csv", "--rules", "chess"), "rules.unknown"),
    (("in.csv", "-o", "out.csv", "--rules", "gin", "--option", "nonsense"), "rules.option"),
    (("in.csv", "-o", "out.csv", "--option", "packs=1"), "expected --rules"),
    (("no.csv", "-o", "out.csv", "--rules", "gin"), "batch.input"),
    (("in.csv", "-o", "out.docx", "--rules", "gin"), "batch.output"),
    (("in.csv", "-o", "out.csv", "--rules", "gin", "--hand-column", "x"), "batch.column"),
    (("in.csv", "-o", "out.csv", "--rules", "gin", "--threads", "0"), "--threads"),
    (("in.csv", "-o", "out.csv", "--rules", "gin", "--limit", "-1"), "--limit"),
    (("-", "-o", "out.csv", "--rules", "gin", "--resume"), "batch.resume"),
    (("in.csv", "-o", "-", "--rules", "gin", "--json"), "--json"),
    (("in.csv", "-o", "out.csv", "--rules", "gin", "--rejects", "-"), "batch.output"),
    (("in.csv", "-o", "out.csv", "--rules", "gin", "--rejects", "out.csv"), "batch.output"),
    (("-", "-", "-o", "out.csv", "--rules", "gin"), "batch.input"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD_USAGE, ids=[str(i) for i in range(16)])
def test_wrong_usage_is_exit_code_two(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "in.csv", [{"hand": "7S"}])
    done = command(*arguments, stdin="hand\n7S\n")
    assert done.exit_code == 2, done.output
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize("resume", [False, True])
def test_a_file_is_durable_before_it_has_its_name(tmp_path, monkeypatch, resume):
    durable, named = set(), []
    fsync, replace = os.fsync, os.replace

    def noted_fsync(handle):
        fsync(handle)
        durable.add((os.fstat(handle).st_ino, os.fstat(handle).st_size))

    def noted_replace(part, name):
        about = os.stat(part)
        assert (about.st_ino, about.st_size) in durable, name
        named.append(os.path.basename(name))
        replace(part, name)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    source = write_rows(tmp_path / "in.csv", [{"hand": h} for h in ("7S 8S 9S KD", "7X")])
    for form in ("parquet", "csv.gz"):
        assert command(
            source, "-o", tmp_path / f"out.{form}", "--rules", "gin", *["--resume"] * resume
        )
        assert {f"out.{form}", f"out.{form}.rejects.jsonl"} <= set(named)
        assert ("manifest.json" in named) == resume


def test_from_pipe_to_pipe_in_a_process(tmp_path):
    hands = make_hands("gin", 50)
    text = "".join(json.dumps({"hand": hand}) + "\n" for hand in [*hands, "7X"])
    done = subprocess.run(
        [sys.executable, "-m", "solver.cli", "batch", "-", "-o", "-", "--rules", "gin"],
        input=text.encode(),
        capture_output=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONUTF8": "0"},
    )
    assert done.returncode == 1, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["status"] for row in rows] == ["ok"] * 50 + ["card.unknown"]
    assert b"51 hands in" in done.stderr


def test_without_pyarrow_the_command_says_what_is_missing(tmp_path):
    source = write_rows(tmp_path / "in.csv", [{"hand": "7S"}])
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from solver.cli import main\n"
        f"main(['batch', {str(source)!r}, '-o', {str(tmp_path / 'o.csv')!r}, '--rules', 'gin'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 2
    assert "pip install 'meld-solver[batch]' [batch.pyarrow]" in done.stderr
    assert "Traceback" not in done.stderr
