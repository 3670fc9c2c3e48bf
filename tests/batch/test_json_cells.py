"""Cells of JSON lines of any type: ids as they were given, rounds in any writing, long numbers."""

from __future__ import annotations

import pytest

from solver.rules.loader import load_rules
from solver.solve import solve_many
from tests.batch.helpers import do, make_hands, penalties, read_rows, rules_of

# What stands in a line -> the id as a text. No id costs a hand its answer.
IDS = {
    "1": "1",
    '"b"': "b",
    "1.50": "1.50",
    "1e400": "1e400",
    "true": "true",
    "false": "false",
    "null": None,
    '"1"': "1",
    '"say \\"hi\\""': 'say "hi"',
    '"\\ud800x"': "?x",
    "[1, 2.50]": "[1, 2.50]",
    '{"a": [null, "b"]}': '{"a": [null, "b"]}',
    "7" * 400: "7" * 400,
    '"last"': "last",
}
SMALL = {"block_bytes": 300, "part_blocks": 2}


def write_ids(path, ids, hand="KD"):
    path.write_text("".join(f'{{"id": {i}, "hand": "{hand}"}}\n' for i in ids), encoding="utf-8")
    return path


@pytest.mark.parametrize("first", [0, 1, 2, 5])
@pytest.mark.parametrize("resume", [False, True])
def test_ids_of_any_type_come_back_as_they_were_given(tmp_path, first, resume):
    given = [*list(IDS)[first:], *list(IDS)[:first]]
    source = write_ids(tmp_path / "in.jsonl", given * 20)
    output = tmp_path / "out.jsonl"
    columns = {"id": "id"}
    summary, _, _ = do(source, output, columns=columns, resume=resume, **SMALL)
    assert summary.n_rejected == 0
    lines = output.read_text(encoding="utf-8").splitlines()
    shown = [line.removeprefix('{"id":').removesuffix(TAIL) for line in lines]
    assert shown == given * 20


TAIL = ',"penalty":10,"status":"ok","message":null}'


@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize("first", [0, 1])
def test_ids_of_any_type_are_texts_where_a_column_has_one_type(tmp_path, form, first):
    given = [*list(IDS)[first:], *list(IDS)[:first]]
    source = write_ids(tmp_path / "in.jsonl", given)
    _, rows, _ = do(source, tmp_path / f"out.{form}", columns={"id": "id"}, **SMALL)
    assert penalties(rows) == [10] * len(IDS)
    texts = [IDS[i] for i in given]
    assert [row["id"] for row in rows] == [t or "" for t in texts] if form == "csv" else texts


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_ids_of_rejected_rows_are_kept(tmp_path, form):
    given = ["1", '"b"', "1.5", "null", '"\\ud800"']
    source = write_ids(tmp_path / "in.jsonl", given, hand="7X")
    source.write_text(source.read_text() + '{"id": 9, "hand": 5}\n{"id": "z", "hand": ["X"]}\n')
    _, _, rejected = do(source, tmp_path / f"out.{form}", columns={"id": "id"})
    assert [row["id"] for row in rejected] == ["1", "b", "1.5", None, "?", "9", "z"]
    assert [row["code"] for row in rejected[-2:]] == ["hand.type", "card.unknown"]


def test_inputs_whose_ids_differ(tmp_path):
    write_ids(tmp_path / "a.jsonl", ["1", "true"])
    (tmp_path / "b.csv").write_text("id,hand\n2,KD\n")
    inputs = [tmp_path / "a.jsonl", tmp_path / "b.csv"]
    for form, wanted in (("jsonl", [1, True, "2"]), ("parquet", ["1", "true", "2"])):
        _, rows, _ = do(inputs, tmp_path / f"out.{form}", columns={"id": "id"})
        assert [row["id"] for row in rows] == wanted


@pytest.mark.parametrize("first", ["1", '"1"', "1.0", "null"])
def test_rounds_in_any_writing(tmp_path, first):
    cells = [first, "1", '"1"', "1.0", '"1.0"', '" 1 "', "12", '"12"', "0", "-3", "1.5", "true"]
    cells += ["9" * 19, "9" * 20, "9" * 5000, "[1]", '"\\ud800"']
    path = tmp_path / "in.jsonl"
    path.write_text("".join(f'{{"hand": "3S 9H 9D", "round": {cell}}}\n' for cell in cells))
    rules, columns = load_rules("three-thirteen"), {"round": "round"}
    _, rows, _ = do(path, tmp_path / "out.jsonl", rules=rules, columns=columns)
    assert penalties(rows)[1:] == [0] * 5 + [None] * 11
    codes = ["rules.round"] * 4 + ["round.type"] * 2 + ["rules.round"] * 2 + ["round.type"] * 2
    assert [row["status"] for row in rows[6:]] == [*codes, "row.encoding"]


def test_a_number_of_any_length_is_no_matter_where_nobody_asks(tmp_path):
    hands = make_hands("gin", 60)
    path = tmp_path / "in.jsonl"
    long = ["9" * 5000, "-" + "9" * 5000 + ".5e9", "NaN", "[1e999]"]
    lines = [f'{{"hand": "{h}", "x": {long[i % 4]}}}\n' for i, h in enumerate(hands)]
    path.write_text("".join(lines))
    summary, rows, _ = do(path, tmp_path / "out.jsonl")
    assert (penalties(rows), summary.n_rejected) == (
        solve_many(hands, rules_of("gin")).tolist(),
        0,
    )
    path.write_text(f'{{"hand": {"9" * 5000}}}\n{{"hand": [1, {"9" * 5000}]}}\n')
    _, rows, _ = do(path, tmp_path / "out.jsonl")
    assert [row["status"] for row in rows] == ["hand.type", "card.unknown"]
    assert all(len(row["message"]) <= 300 for row in rows)


BROKEN = {
    '{"hand": "7S"': "expected a comma or a closing bracket, got the end of the text at column 14",
    '{"hand" "7S"}': "expected a colon behind a key, got '\"7S\"}' at column 9",
    "{hand: 7}": "expected a key in double quotes, got 'hand: 7}' at column 2",
    '{"hand": }': "expected a value, got '}' at column 10",
    "{} {}": "expected one JSON object on a line, got '{}' at column 4",
    '{"hand": "7S}': "expected a text with a closing quote, got '\"7S}' at column 10",
    '{"hand": "\t"}': "expected a text without control characters, got '\\t\"}' at column 11",
    '{"hand": "\\x"}': "expected a text with the escapes of JSON, got '\\\\x\"}' at column 11",
    "[" * 9000: "expected a JSON object, got one nested too deep",
    "5": "expected a JSON object, got 5",
}


@pytest.mark.parametrize("line", BROKEN, ids=range(len(BROKEN)))
def test_what_is_said_of_a_line_that_is_no_json(tmp_path, line):
    path = tmp_path / "in.jsonl"
    path.write_text(line + "\n")
    do(path, tmp_path / "out.jsonl")
    (row,) = read_rows(tmp_path / "out.jsonl")
    assert (row["status"], row["message"]) == ("row.json", BROKEN[line])


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_few_odd_lines_among_many_keep_their_places(tmp_path, form):
    """The others are read in ranges of many sizes around them."""
    hands = make_hands("gin", 3000)
    odd = set(range(5, 3000, 611))
    good = '{{"id": {}, "hand": "{}"}}' if form == "jsonl" else "{},{}"
    bad = '{"id": 1.5, "hand": "KD"' if form == "jsonl" else '1.5,"KD'
    lines = [bad if i in odd else good.format(i, hand) for i, hand in enumerate(hands)]
    head = ["id,hand"] * (form == "csv")
    path = tmp_path / f"in.{form}"
    path.write_text("\n".join([*head, *lines]))
    _, rows, rejected = do(path, tmp_path / "out.jsonl", columns={"id": "id"})
    wanted = solve_many(hands, rules_of("gin")).tolist()
    assert penalties(rows) == [None if i in odd else wanted[i] for i in range(3000)]
    # An object that does not close tells nothing; a cell in front of an open quote is whole.
    told = {"jsonl": None, "csv": "1.5"}[form]
    assert [None if row["id"] is None else str(row["id"]) for row in rows] == [
        told if i in odd else str(i) for i in range(3000)
    ]
    assert [r["line"] for r in rejected] == [i + 1 + len(head) for i in sorted(odd)]
