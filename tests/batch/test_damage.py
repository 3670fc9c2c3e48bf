"""Inputs damaged, packed otherwise, or meant for another command: named, and nothing made up."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import subprocess
import sys
import tracemalloc
import zipfile
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from solver.batch import BatchError, run_batch
from solver.batch.gzip_check import damage_of
from solver.cli import main
from solver.cli.lazy import load
from solver.solve import solve_many
from tests.batch.helpers import do, make_hands, penalties, rules_of, write_rows
from tests.batch.killed_run import job_of

for command in ("replay", "score", "solve"):  # some library draws at random when it is loaded
    load(f"solver.cli.{command}:{command}_command")

HANDS = make_hands("gin", 600)
SMALL = {"block_bytes": 2000, "block_rows": 50, "columns": {"id": "id"}}


@pytest.fixture(scope="module")
def right():
    return dict(enumerate(solve_many(HANDS, rules_of("gin")).tolist()))


def rows_of_hands(n=600, first=0):
    return [{"id": i, "hand": HANDS[i]} for i in range(first, first + n)]


def ok_rows(rows):
    return {int(row["id"]): int(row["penalty"]) for row in rows if row["status"] == "ok"}


def members(form, n_members):
    """Return the gzip members of a file of all hands, lines cut anywhere."""
    if form == "csv":
        text = "id,hand\n" + "".join(f"{i},{hand}\n" for i, hand in enumerate(HANDS))
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows_of_hands())
    data = text.encode()
    size = -(-len(data) // n_members)
    return [gzip.compress(data[at : at + size]) for at in range(0, len(data), size)], data, size


# --- gzip ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_no_flipped_byte_of_a_gzip_file_makes_a_wrong_row(tmp_path, right, form):
    (whole,), _, _ = members(form, 1)
    path = tmp_path / f"in.{form}.gz"
    rng = random.Random(form)
    n_damaged = 0
    for _ in range(60):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        try:
            _, rows, rejected = do(path, tmp_path / "out.jsonl", **SMALL)
        except BatchError:  # no gzip any more, or nothing in front of the damage
            n_damaged += 1
            continue
        told = ok_rows(rows)
        assert told.items() <= right.items()
        assert len(told) in {0, 600}
        assert [row["code"] for row in rejected] == ["file.corrupt"] * (not told)
        n_damaged += not told
    assert n_damaged > 50


def test_members_in_front_of_the_damage_are_used(tmp_path, right):
    parts, data, size = members("csv", 6)
    parts[3] = parts[3][:60] + bytes([parts[3][60] ^ 4]) + parts[3][61:]
    path = tmp_path / "in.csv.gz"
    path.write_bytes(b"".join(parts))
    n_whole = data[: 3 * size].count(b"\n") - 1  # the line that the third member cuts is lost
    for settings in ({}, {"resume": True}):
        _, rows, rejected = do(path, tmp_path / "out.csv", **SMALL, **settings)
        assert ok_rows(rows) == {i: right[i] for i in range(n_whole)}
        assert [row["status"] for row in rows] == ["ok"] * n_whole + ["file.corrupt"]
        assert f"from byte {sum(map(len, parts[:3]))} on" in rejected[0]["reason"]


@pytest.mark.parametrize("tail", [b"", bytes(700)])
def test_whole_members_pass_filled_up_with_zeros_or_not(tmp_path, right, tail):
    path = tmp_path / "in.csv.gz"
    path.write_bytes(b"".join(members("csv", 6)[0]) + tail)
    with path.open("rb") as file:
        assert damage_of(file) is None
    assert ok_rows(do(path, tmp_path / "out.csv", **SMALL)[1]) == right


def test_a_member_that_ends_early_gives_its_whole_lines(tmp_path, right):
    parts, _, _ = members("csv", 2)
    path = tmp_path / "in.csv.gz"
    path.write_bytes(parts[0] + parts[1][:-900])
    _, rows, _ = do(path, tmp_path / "out.csv", **SMALL)
    told = ok_rows(rows)
    assert told.items() <= right.items()
    assert 300 <= len(told) < 600
    assert rows[-1]["status"] == "file.truncated"


def test_a_damaged_gzip_from_standard_input(tmp_path):
    (whole,), _, _ = members("csv", 1)
    for data, n_ok in ((whole, 600), (whole[:-6] + bytes(6), 0)):
        arguments = ["batch", "-", "-o", "-", "--rules", "gin"]
        done = subprocess.run(
            [sys.executable, "-m", "solver.cli", *arguments],
            input=data,
            capture_output=True,
            timeout=300,
            check=False,
        )
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        assert [row["status"] for row in rows] == (["ok"] * n_ok or ["file.corrupt"])
        assert done.returncode == (n_ok == 0)


def test_a_damaged_header_costs_its_file_only(tmp_path, right):
    (whole,), _, _ = members("csv", 1)
    text = gzip.decompress(whole).replace(b"id,hand", b"id,hanf")
    other = gzip.compress(text)
    damaged = tmp_path / "a.csv.gz"
    damaged.write_bytes(other[:-8] + whole[-8:])  # the checksum of what it was
    good = write_rows(tmp_path / "b.csv", rows_of_hands())
    _, rows, rejected = do([damaged, good], tmp_path / "out.csv", **SMALL)
    assert ok_rows(rows) == right
    assert [(r["file"], r["code"]) for r in rejected] == [(str(damaged), "file.unreadable")]


def test_the_check_holds_little(tmp_path):
    path = tmp_path / "big.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(200):
            file.write(bytes(1 << 20))
    tracemalloc.start()
    with path.open("rb") as file:
        assert damage_of(file) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


# --- Parquet ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_pages_with_a_checksum_are_held_to_it(tmp_path, right):
    path = tmp_path / "in.parquet"
    table = pa.Table.from_pylist(rows_of_hands())
    options = {"compression": "none", "use_dictionary": False, "row_group_size": 100}
    pa.parquet.write_table(table, path, write_page_checksum=True, **options)
    whole = path.read_bytes()
    rng = random.Random(7)
    n_lost = 0
    for _ in range(40):
        data = bytearray(whole)
        data[rng.randrange(4, len(data) - 3000)] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        _, rows, _ = do(path, tmp_path / "out.csv", **SMALL)
        assert ok_rows(rows).items() <= right.items()
        n_lost += 600 - len(ok_rows(rows))
    assert n_lost >= 30 * 100


def broken_files(folder):
    """Yield a name and bytes of files that hold nothing readable, and what is said of each."""
    plain = b"id,hand\n0,KD\n"
    parquet = write_rows(folder / "whole.parquet", rows_of_hands(50)).read_bytes()
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as file:
        file.writestr("in.csv", plain)
    zstd = pa.compress(plain, "zstd", asbytes=True)
    yield "b.parquet", parquet[:-20], "expected a Parquet file"
    yield "b.parquet", parquet[: len(parquet) // 2], "expected a Parquet file"
    yield "b.parquet", b"", "expected a Parquet file"
    yield "b.parquet", b"PAR1" + bytes(60) + b"PAR1", "expected a Parquet file"
    yield "b.csv.zst", zstd, "expected plain text or gzip, got zstd"
    yield "b.csv", zstd, "expected plain text or gzip, got zstd"
    yield "b.jsonl.bz2", bz2.compress(plain), "expected plain text or gzip, got bzip2"
    yield "b.csv.xz", lzma.compress(plain), "expected plain text or gzip, got xz"
    yield "b.csv.lz4", b"\x04\x22\x4d\x18" + plain, "expected plain text or gzip, got lz4"
    yield "b.zip", zipped.getvalue(), "expected plain text or gzip, got zip"
    yield "b.csv", b"", "got an empty file"
    yield "b.csv", "id,hand\n0,KD\n".encode("utf-16"), "expected UTF-8, got UTF-16"
    yield "b.csv.gz", gzip.compress(plain)[:12], "breaks off"


BROKEN = 13


@pytest.mark.parametrize("number", range(BROKEN))
def test_a_file_that_cannot_be_read_costs_itself_only(tmp_path, right, number):
    told = list(broken_files(tmp_path))
    assert len(told) == BROKEN
    name, data, said = told[number]
    first = write_rows(tmp_path / "a.parquet", rows_of_hands(200))
    broken = tmp_path / name
    broken.write_bytes(data)
    last = write_rows(tmp_path / "c.csv", rows_of_hands(400, 200))
    inputs = [first, broken, last]
    wholes = []
    for settings in ({}, {"resume": True}):
        summary, rows, rejected = do(inputs, tmp_path / "out.csv", **SMALL, **settings)
        assert ok_rows(rows) == right
        assert [row["status"] for row in rows[200:201]] == ["file.unreadable"]
        assert (summary.n_rows, summary.n_rejected) == (601, 1)
        ((file, code, reason),) = [(r["file"], r["code"], r["reason"]) for r in rejected]
        assert (file, code) == (str(broken), "file.unreadable")
        assert said in reason
        wholes.append((tmp_path / "out.csv").read_bytes())
    assert wholes[0] == wholes[1]
    with pytest.raises(BatchError, match=said):
        run_batch(replace(job_of(broken, tmp_path / "alone.csv"), resume=False))


def test_files_of_which_none_can_be_read_are_all_named(tmp_path):
    for name in ("a.parquet", "b.csv.zst"):
        (tmp_path / name).write_bytes(b"\x28\xb5\x2f\xfd")
    arguments = [str(tmp_path / "a.parquet"), str(tmp_path / "b.csv.zst"), "--rules", "gin"]
    done = CliRunner().invoke(main, ["batch", *arguments, "-o", str(tmp_path / "out.csv")])
    assert done.exit_code == 2
    assert "a.parquet: expected a Parquet file" in done.stderr
    assert "b.csv.zst: expected plain text or gzip, got zstd: unpack it first" in done.stderr


@pytest.mark.parametrize(
    "command", [["replay"], ["score"], ["solve", "--rules", "gin", "--file"]], ids=lambda c: c[0]
)
def test_other_commands_name_the_packing_too(tmp_path, command):
    path = tmp_path / "in.txt.zst"
    path.write_bytes(pa.compress(b"KD 7S\n", "zstd", asbytes=True))
    done = CliRunner().invoke(main, [*command, str(path)])
    assert done.exit_code == 1
    assert "got zstd: unpack it first" in done.output
    assert "[file.packed]" in done.output


# --- meant for another command ------------------------------------------------------------------

SAVE = """Round: 2

Computer:
   Score: 6
   Hand: 9C 5C 9D 9H

Human:
   Score: 0
   Hand: 5T 8D 7T 8T
"""


@pytest.mark.parametrize("text", [SAVE, "\n" + SAVE, SAVE.replace("Round:", "Round Number:")])
@pytest.mark.parametrize("name", ["Case1.txt", "Case1", "Case1.csv", "Case1.txt.gz"])
def test_a_save_is_sent_to_score(tmp_path, text, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    arguments = ["batch", str(path), "-o", str(tmp_path / "out.csv"), "--rules", "five-crowns"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert "got a Five Crowns save: 'meld-solver score' prices it" in done.stderr


# --- ids of rejected rows -----------------------------------------------------------------------

ID_LINES = {
    "csv": [
        ("a,7S,8S", "row.cells", "a"),
        ("b", "row.cells", "b"),
        ("c,7S\xff", "row.encoding", "c"),
        ('d,"7S 8S', "row.quote", "d"),
        ("e\xff,7S", "row.encoding", None),
        ('"f,7S', "row.quote", None),
        ("g,7X", "card.unknown", "g"),
    ],
    "jsonl": [
        ('{"id":"a","hand":"7S","hand":"8S"}', "row.key", "a"),
        ('{"id":"b","hand":"7S \xff"}', "row.encoding", "b"),
        ('{"id":"c\xff","hand":"7S"}', "row.encoding", None),
        ('{"id":"d","id":"e","hand":"7S"}', "row.key", None),
        ('{"id":"f","hand":"7S"', "row.json", None),
        ('{"id":7,"hand":"7S","hand":"8S"}', "row.key", "7"),
        ('{"id":"g","hand":9}', "hand.type", "g"),
        ('["id"]', "row.json", None),
    ],
}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_rejected_row_has_its_id_where_that_can_be_told(tmp_path, form):
    lines = ["id,hand"] * (form == "csv") + [line for line, _, _ in ID_LINES[form]]
    path = tmp_path / f"in.{form}"
    path.write_bytes("\n".join(lines).encode("latin-1"))
    for out in ("out.csv", "out.jsonl"):
        _, rows, rejected = do(path, tmp_path / out, columns={"id": "id"})
        assert [(r["code"], r["id"]) for r in rejected] == [told[1:] for told in ID_LINES[form]]
        assert [row["id"] and str(row["id"]) for row in rows] == [
            (name or ("" if out == "out.csv" else None)) for _, _, name in ID_LINES[form]
        ]


def test_an_id_behind_the_hand_is_not_guessed(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("hand,id,note\nKD,1,x\nKD,9S,2,x\nKD,3\n")
    _, rows, rejected = do(path, tmp_path / "out.csv", columns={"id": "id"})
    assert penalties(rows) == [10, None, None]
    assert [r["id"] for r in rejected] == [None, None]
