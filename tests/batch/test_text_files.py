"""Text files of every make: line ends, long cells, doubled columns, files without a header."""

from __future__ import annotations

import gzip
import io
import sys

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.batch import BatchError, Job, Question, run_batch
from solver.batch.csv_rows import split_cells
from solver.batch.returns import end_at_all, end_at_unquoted
from solver.rules.loader import load_rules
from solver.solve import solve_many
from tests.batch.helpers import do, make_hands, penalties, read_rows, rules_of, write_rows

IDS = {"columns": {"id": "id"}}
SMALL = {"block_bytes": 100, "part_blocks": 2}


def faults(rejected):
    return [(row["row"], row["line"], row["code"]) for row in rejected]


# --- returns as line ends -----------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "csv.gz", "jsonl", "unknown"])
@pytest.mark.parametrize("settings", [{}, SMALL, {**SMALL, "resume": True}, {"block_bytes": 1}])
def test_returns_alone_end_lines(tmp_path, form, settings):
    hands = make_hands("gin", 60)
    cells = [{"id": f"r{i}", "hand": "7X" if i == 40 else hand} for i, hand in enumerate(hands)]
    source = write_rows(tmp_path / f"in.{form}", cells)
    data = source.read_bytes()
    data = gzip.decompress(data) if form == "csv.gz" else data
    data = b"\r\r" + data.replace(b"\n", b"\r")
    source.write_bytes(gzip.compress(data) if form == "csv.gz" else data)
    _, rows, rejected = do(source, tmp_path / "out.jsonl", **IDS, **settings)
    wanted = solve_many(hands, rules_of("gin")).tolist()
    wanted[40] = None
    assert penalties(rows) == wanted
    assert [row["id"] for row in rows] == [cell["id"] for cell in cells]
    assert faults(rejected) == [(41, 43 + (form != "jsonl"), "card.unknown")]


def test_returns_on_standard_input_and_line_ends_of_three_kinds(monkeypatch, tmp_path):
    data = b"id,hand\ra,KD\r\nb,QS JD\rc,7S\nd,7X\r"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    job = Job(("-",), str(tmp_path / "out.jsonl"), Question(load_rules("gin"), any_size=True))
    assert run_batch(job).n_rejected == 1
    assert penalties(read_rows(tmp_path / "out.jsonl")) == [10, 20, 7, None]
    assert faults(read_rows(tmp_path / "out.jsonl.rejects.jsonl")) == [(4, 5, "card.unknown")]


def test_a_lone_return_ends_a_line_unless_it_is_quoted(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(b'id,hand\na,KD\rb,7S\n"x\ry",8S\n"c,9S\rd,9S\ne,7X\n')
    _, rows, rejected = do(path, tmp_path / "out.jsonl", **IDS)
    assert [(row["id"], row["penalty"]) for row in rows] == [
        ("a", 10), ("b", 7), ("x\ry", 8), (None, None), ("e", None),
    ]  # fmt: skip
    assert faults(rejected) == [(4, 5, "row.quote"), (5, 6, "card.unknown")]


def test_a_return_within_an_object_is_no_line_end(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"hand":\r"KD"}\n{"hand": "7S"}\n')
    assert penalties(do(path, tmp_path / "out.jsonl")[1]) == [10, 7]


@given(st.lists(st.sampled_from([b"\r", b"\n", b'"', b"a", b"bc"])).map(b"".join))
def test_line_ends_by_their_definition(data):
    wanted = bytearray(data)
    inside = False
    for i, char in enumerate(data):
        inside = False if char == 10 else inside ^ (char == 34)
        if char == 13 and data[i + 1 : i + 2] != b"\n" and not inside:
            wanted[i] = 10
    assert end_at_unquoted(data) == bytes(wanted)
    kept = b"\r" if data.endswith(b"\r") else b""
    plain = data.removesuffix(b"\r").replace(b"\r\n", b"@@").replace(b"\r", b"\n")
    if kept and data.endswith(b"\r\r"):
        assert end_at_all(data)[-2:] == b"\n\r"
    assert end_at_all(data) == plain.replace(b"@@", b"\r\n") + kept


# --- cells --------------------------------------------------------------------------------------

CELLS = [
    ("", [""]),
    (",", ["", ""]),
    ('"a,b",c', ["a,b", "c"]),
    ('"a""b"""', ['a"b"']),
    ('a"b,"c"d"e', ['a"b', 'cd"e']),
    ('"a\rb",\r', ["a\rb", "\r"]),
    ('"a', None),
    ('x,"a""', None),
    ('"', None),
]


@pytest.mark.parametrize(("text", "cells"), CELLS, ids=[repr(text) for text, _ in CELLS])
def test_cells_of_a_line(text, cells):
    assert split_cells(text, ",") == cells


def test_cells_of_any_length(tmp_path):
    long = "n" * 200_000
    path = tmp_path / "in.csv"
    path.write_text(f'{long},hand\n"{long}",KD\na,7S\n"{long},8S\n', encoding="utf-8")
    _, rows, rejected = do(path, tmp_path / "out.jsonl")
    assert penalties(rows) == [10, 7, None]
    assert faults(rejected) == [(3, 4, "row.quote")]


# --- files that cannot be read ------------------------------------------------------------------

BAD_FILES = {
    "long header": ("in.csv", b"n" * 200_000 + b"\nKD\n", "batch.column", "'hand', got 'nnn"),
    "hand twice": ("in.csv", b"hand,hand\nKD,7S\n", "batch.column", "one column 'hand', got 2"),
    "id twice": ("in.csv", b"id,hand,id\n1,KD,2\n", "batch.column", "one column 'id', got 2"),
    "two cases": ("in.csv", b"id,Hand,HAND\n1,KD,2\n", "batch.column", "'hand', got 'id', 'Hand'"),
    "empty": ("in.csv", b"", "batch.column", "got an empty file"),
    "blank": ("in.csv", b"\n \r\n", "batch.column", "got an empty file"),
    "mark only": ("in.csv", b"\xef\xbb\xbf", "batch.column", "got an empty file"),
    "unknown": ("in.txt", b"", "batch.column", "got an empty file"),
    "no names": ("in.csv", b",\n", "batch.column", "'hand', got '', ''"),
    "cut": ("in.csv.gz", gzip.compress(b"hand\nKD\n")[:12], "batch.input", "breaks off"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_file_that_cannot_be_read_says_why(tmp_path, kind):
    name, data, code, said = BAD_FILES[kind]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BatchError) as caught:
        do(tmp_path / name, tmp_path / "out.csv", **IDS)
    assert caught.value.code == code
    assert said in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


def test_a_header_longer_than_any_line(tmp_path):
    (tmp_path / "in.csv").write_bytes(b"hand," + b"n" * (1 << 24) + b"\nKD,1\n")
    with pytest.raises(BatchError, match="got a line over 16777216 bytes"):
        do(tmp_path / "in.csv", tmp_path / "out.csv")


def test_a_doubled_column_that_is_not_asked_for(tmp_path):
    (tmp_path / "in.csv").write_bytes(b"hand,x,x\nKD,1,2\n")
    assert penalties(do(tmp_path / "in.csv", tmp_path / "out.csv")[1]) == [10]


@pytest.mark.parametrize("doubled", ["hand", "id", "round"])
def test_a_doubled_column_of_a_parquet_file(tmp_path, doubled):
    names = ["hand", "id", "round", doubled]
    table = pa.Table.from_arrays([pa.array(["KD"])] * 4, names=names)
    pa.parquet.write_table(table, tmp_path / "in.parquet")
    columns = {"columns": {"id": "id", "round": "round"}}
    with pytest.raises(BatchError, match=f"expected one column '{doubled}', got 2") as caught:
        do(tmp_path / "in.parquet", tmp_path / "out.csv", **columns)
    assert caught.value.code == "batch.column"


@pytest.mark.parametrize("kind", [pa.list_(pa.int64()), pa.struct({"a": pa.int64()}), pa.uuid()])
def test_rounds_of_a_type_that_is_no_number(tmp_path, kind):
    table = pa.table({"hand": ["KD"], "round": pa.nulls(1, kind)})
    pa.parquet.write_table(table, tmp_path / "in.parquet")
    with pytest.raises(BatchError, match="rounds that are numbers or texts") as caught:
        do(tmp_path / "in.parquet", tmp_path / "out.csv", columns={"round": "round"})
    assert caught.value.code == "batch.column"


def test_a_gzip_file_damaged_in_the_middle_is_not_said_to_be_cut(tmp_path):
    source = write_rows(tmp_path / "in.csv.gz", [{"hand": h} for h in make_hands("gin", 3000)])
    data = bytearray(source.read_bytes())
    data[-8:-4] = bytes(4)  # the checksum
    source.write_bytes(data)
    _, rows, rejected = do(source, tmp_path / "out.csv")
    assert [row["code"] for row in rejected] == ["file.corrupt"]
    assert [row["status"] for row in rows] == ["file.corrupt"]  # no row is worth its checksum
