"""Lines read in ranges and lines read one by one must be the same rows."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.batch import Question, csv_rows, json_rows
from solver.batch.score import answer_rows
from solver.rules.loader import load_rules

QUESTION = Question(load_rules("three-thirteen"), id="id", round="round")
ODD_TEXT = st.text(st.sampled_from('7SH "\\,;\n\r\t\x00{}[]é★\ud800'), max_size=8)
TEXT = st.sampled_from(["7S", "7S 8H", "", "KD, QS", 'a"b', " x ", "é"]) | ODD_TEXT


def encoded(text):
    return text.encode("utf-8", "surrogatepass")


csv_cell = TEXT.map(lambda t: '"' + t.replace('"', '""') + '"') | TEXT
csv_line = st.lists(csv_cell, min_size=1, max_size=4).map(lambda cells: encoded(",".join(cells)))
json_value = (
    st.none() | st.integers(-5, 99) | TEXT | st.lists(TEXT | st.integers(0, 70), max_size=3)
)
json_object = st.dictionaries(st.sampled_from(["hand", "id", "round", "x"]), json_value)
json_line = (
    json_object.map(lambda row: json.dumps(row).encode())
    | json_object.map(lambda row: encoded(json.dumps(row, ensure_ascii=False)))
    | ODD_TEXT.map(encoded)
    | st.sampled_from([b'{"hand":"7S"}{"hand":"8S"}', b'{"hand":"7S","hand":"8S"}', b"{}", b"[]"])
)


def joined(lines, ends):
    """Return lines with their ends; what holds a line feed itself is several lines."""
    return b"".join(line + ends[i % len(ends)] for i, line in enumerate(lines))


def answered(rows):
    """Return what comes of rows: penalty or fault of each, its id and line."""
    answers = answer_rows(rows.batch, QUESTION, dict(rows.faults))
    told = [answers.faults.get(i, int(p)) for i, p in enumerate(answers.penalties)]
    ids = rows.batch.column("id").to_pylist()
    return list(zip(told, ids, rows.lines.tolist(), strict=True))


def same_with_and_without_ranges(monkeypatch, module, read):
    """Check that a reader gives the same rows when no range is ever read at once."""
    fast = read()
    with monkeypatch.context() as patch:
        patch.setattr(module, "_read_at_once", lambda *_: None)
        slow = read()
    assert answered(fast) == answered(slow)


@pytest.fixture(scope="module")
def patcher():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@given(
    lines=st.lists(csv_line, max_size=12),
    ends=st.lists(st.sampled_from([b"\n", b"\r\n"]), min_size=1, max_size=3),
)
def test_csv(patcher, lines, ends):
    data = joined(lines, ends)
    layout = csv_rows.csv_layout(b"hand,round,id\n", QUESTION, "in.csv")
    same_with_and_without_ranges(patcher, csv_rows, lambda: csv_rows.csv_rows(data, 2, layout))


@given(
    first=st.sampled_from([b'{"hand":"7S","id":"a"}', b'{"hand":["7S"],"id":1}', b'{"hand":[1]}']),
    lines=st.lists(json_line, max_size=12),
    ends=st.lists(st.sampled_from([b"\n", b"\r\n"]), min_size=1, max_size=3),
    as_given=st.booleans(),
)
def test_json_lines(patcher, first, lines, ends, as_given):
    data = joined([first, *lines], ends)
    layout = json_rows.json_layout(first, QUESTION, ids_as_given=as_given)
    same_with_and_without_ranges(patcher, json_rows, lambda: json_rows.json_rows(data, 1, layout))
