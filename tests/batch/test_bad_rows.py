"""Bad rows of every kind: each rejected with its row, line and code, and no good row lost."""

from __future__ import annotations

import gzip
import json
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from solver.batch import Question, score_batch
from solver.batch.streams import MAX_LINE
from solver.rules.loader import load_rules
from solver.solve import solve_many
from tests.batch.helpers import codes_of, do, make_hands, penalties, rules_of, write_rows

SMALL = {"block_bytes": 1 << 12, "block_rows": 128, "part_blocks": 2}

# What makes a cell of text bad -> the code it must get. Gin: one pack, no jokers.
BAD_TEXTS = {
    "": "hand.empty",
    "   ": "hand.empty",
    " , ;": "hand.empty",
    "7S 8S 9S 9S": "hand.copies",
    "7S JK": "hand.not_in_deck",
    "7* 8S": "hand.not_in_deck",
    "7S 8X": "card.unknown",
    "7S 8": "card.unknown",
    "7S S": "card.unknown",
    "11H": "card.unknown",
    "0H": "card.unknown",
    "7S 8S hello": "card.unknown",
    "NULL": "card.unknown",
    "7S\x008S": "card.unknown",
    "7S 8\u0455": "card.unknown",
    "7S 8S \U0001f0ac": "card.unknown",
    "AS " * 300: "card.copies",
    "12.5": "card.unknown",
    "7S_8S": "card.unknown",
    "R[7S 8S 9S]": "card.unknown",
}
CSV_LINES = {
    b"7S 8S": "row.cells",
    b"x,7S 8S,9S": "row.cells",
    b'x,"7S 8S': "row.quote",
    b'"x,7S': "row.quote",
    b"x,7S \xff": "row.encoding",
    b"\xc3\x28,7S": "row.encoding",
}
JSON_LINES = {
    b"7S 8S 9S": "row.json",
    b'{"hand": "7S"': "row.json",
    b'{"hand": "7S",}': "row.json",
    b'{"hand": "7S"}{"hand": "8S"}': "row.json",
    b'["7S"]': "row.json",
    b"null": "row.json",
    b'{"hand": "7S", "hand": "8S"}': "row.key",
    b'{"hand": 7}': "hand.type",
    b'{"hand": {"a": 1}}': "hand.type",
    b'{"hand": true}': "hand.type",
    b'{"hand": null}': "hand.missing",
    b'{"cards": "7S"}': "hand.missing",
    b'{"hand": ["7S", 8]}': "card.unknown",
    b'{"hand": ["7S 8S"]}': "card.unknown",
    b'{"hand": [66]}': "card.id",
    b'{"hand": [-1, 5]}': "card.id",
    b'{"hand": []}': "hand.empty",
    b'{"hand": "7S \xff"}': "row.encoding",
    b'{"hand": "7S \\ud800"}': "row.encoding",
    b"{" * 3000: "row.json",
}


def mix(good, bad, seed):
    """Return shuffled (line, code or None, place among the good) of good and bad lines."""
    rows = [(line, None) for line in good] + list(bad)
    random.Random(seed).shuffle(rows)
    return rows


def check(rows, codes, wanted, rejected, n_lines_before):
    """Check answers and rejects against the code of each row, None where it is good."""
    assert [row["status"] for row in rows] == [code or "ok" for code in codes]
    assert [p for p in penalties(rows) if p is not None] == wanted
    bad = [(i + 1, code) for i, code in enumerate(codes) if code]
    assert [(int(r["row"]), r["code"]) for r in rejected] == bad
    if n_lines_before is not None:
        assert [int(r["line"]) - int(r["row"]) for r in rejected] == [n_lines_before] * len(bad)
    assert all(r["reason"] for r in rejected)


def in_order(rows, hands):
    """Return the penalties of the good hands in the order of the mixed rows."""
    by_line = dict(zip(hands[0], hands[1], strict=True))
    return [by_line[line] for line, code in rows if code is None]


@pytest.mark.parametrize("form", ["parquet", "jsonl", "csv"])
def test_a_thousand_bad_texts_of_twenty_kinds(tmp_path, form):
    assert len(BAD_TEXTS) == 20
    hands = make_hands("gin", 3000)
    right = solve_many(hands, rules_of("gin")).tolist()
    rows = mix(hands, list(BAD_TEXTS.items()) * 50, seed=form)
    cells = [{"id": "x", "hand": text} for text, _ in rows]
    source = write_rows(tmp_path / f"in.{form}", cells)
    summary, out, rejected = do(source, tmp_path / f"out.{form}", threads=2, **SMALL)
    before = {"csv": 1, "jsonl": 0}.get(form)
    check(out, [code for _, code in rows], in_order(rows, (hands, right)), rejected, before)
    assert (summary.n_rows, summary.n_rejected) == (4000, 1000)
    assert sum(summary.codes.values()) == 1000


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_broken_lines_take_no_neighbour_with_them(tmp_path, kind, line_end):
    hands = make_hands("gin", 1500)
    right = solve_many(hands, rules_of("gin")).tolist()
    bad = CSV_LINES if kind == "csv" else JSON_LINES
    made = [
        f'x,"{hand}"'.encode() if kind == "csv" else json.dumps({"hand": hand}).encode()
        for hand in hands
    ]
    rows = mix(made, list(bad.items()) * (1000 // len(bad)), seed=kind)
    head = b"id,hand" + line_end if kind == "csv" else b""
    path = tmp_path / f"in.{kind}"
    path.write_bytes(head + b"".join(line + line_end for line, _ in rows))
    _, out, rejected = do(path, tmp_path / f"out.{kind}", threads=2, **SMALL)
    codes = [code for _, code in rows]
    check(out, codes, in_order(rows, (made, right)), rejected, len(head) and 1)


def test_line_numbers_count_blank_lines_and_rows_do_not(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'\n{"hand": "7S"}\n\n  \n{"hand": "7X"}\nbad\n')
    _, rows, rejected = do(path, tmp_path / "out.jsonl")
    assert penalties(rows) == [7, None, None]
    assert [(r["row"], r["line"], r["code"]) for r in rejected] == [
        (2, 5, "card.unknown"),
        (3, 6, "row.json"),
    ]


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        ([0, 66], "card.id"),
        ([0, -1], "card.id"),
        ([0, None], "card.unknown"),
        ([], "hand.empty"),
        (None, "hand.missing"),
        ([3, 3], "hand.copies"),
        ([65], "hand.not_in_deck"),
        ([7] * 256, "card.copies"),
    ],
)
def test_bad_lists_of_codes(cells, code):
    column = pa.array([[0, 1, 2], cells, [12]], pa.list_(pa.int16()))
    question = Question(load_rules("gin"), any_size=True)
    answers = score_batch(pa.record_batch({"hand": column}), question)
    assert answers.column("penalty").to_pylist() == [0, None, 10]
    assert answers.column("status").to_pylist() == ["ok", code, "ok"]


def test_the_pure_function_on_slices_and_missing_values():
    hands = ["KD", None, "7S 8S 9S", "7X", "QS JD", None, "AS"]
    whole = pa.record_batch({"hand": pa.array(hands)})
    question = Question(load_rules("gin"), any_size=True)
    answers = score_batch(whole, question)
    told = answers.column("penalty").to_pylist()
    assert told == [10, None, 0, None, 20, None, 1]
    for lo in range(7):
        for n in range(8 - lo):
            part = score_batch(whole.slice(lo, n), question)
            assert part.column("penalty").to_pylist() == told[lo : lo + n]
    codes = pa.array([None if h is None or "X" in h else codes_of(h) for h in hands])
    listed = pa.record_batch({"hand": codes})
    assert score_batch(listed.slice(2, 4), question).column("penalty").to_pylist() == [
        0, None, 20, None,
    ]  # fmt: skip


def test_cards_outside_the_deck_are_not_priced_by_the_fast_lane():
    # Five Crowns has no aces and twos, six jokers, two of each card.
    rules = load_rules("five-crowns", cards_dealt=13)
    hands = ["AS 3S 4S", "2D", "JK " * 6, "JK " * 7, "3S 3S", "3S 3S 3S", "5* 6* 7*", "K* KS"]
    answers = score_batch(pa.record_batch({"hand": hands}), Question(rules, any_size=True))
    assert answers.column("status").to_pylist() == [
        "hand.not_in_deck", "hand.not_in_deck", "ok", "hand.copies",
        "ok", "hand.copies", "ok", "ok",
    ]  # fmt: skip


def test_rows_of_a_round_that_is_none(tmp_path):
    rounds = ["1", "12", "0", "x", "", "1.0", "2.5", "-1", " 3 ", "99999999999999999999"]
    cells = [{"round": number, "hand": "3S 9H 9D"} for number in rounds]
    source = write_rows(tmp_path / "in.csv", cells)
    rules, columns = load_rules("three-thirteen"), {"round": "round"}
    _, rows, rejected = do(source, tmp_path / "out.csv", rules=rules, columns=columns)
    assert penalties(rows) == [0, None, None, None, None, 0, None, None, 21, None]
    assert [(r["row"], r["code"]) for r in rejected] == [
        (2, "rules.round"),
        (3, "rules.round"),
        (4, "round.type"),
        (5, "round.missing"),
        (7, "round.type"),
        (8, "rules.round"),
        (10, "rules.round"),
    ]
    told = {r["row"]: r["reason"] for r in rejected}
    assert (told[2], told[3]) == ("expected round 1..11, got 12", "expected round 1..11, got 0")
    assert told[8] == "expected round 1..11, got -1"


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_gzip_file_that_breaks_off(tmp_path, form):
    hands = make_hands("gin", 3000)
    source = write_rows(tmp_path / f"in.{form}.gz", [{"hand": hand} for hand in hands])
    source.write_bytes(source.read_bytes()[:-2000])
    _, rows, rejected = do(source, tmp_path / f"out.{form}", **SMALL)
    wanted = solve_many(hands, rules_of("gin")).tolist()
    n_good = len(rows) - 1
    assert 1000 < n_good < 3000
    assert penalties(rows) == [*wanted[:n_good], None]
    assert [(r["row"], r["code"]) for r in rejected] == [
        (n_good + 1, "file.truncated")
    ] or form == "csv"
    assert rejected[0]["code"] == "file.truncated"


def test_a_damaged_parquet_page(tmp_path):
    hands = make_hands("gin", 2000)
    path = tmp_path / "in.parquet"
    table = pa.table({"hand": hands})
    pa.parquet.write_table(
        table, path, row_group_size=500, use_dictionary=False, write_page_checksum=True
    )
    data = bytearray(path.read_bytes())
    at = pa.parquet.ParquetFile(path).metadata.row_group(2).column(0).data_page_offset
    data[at : at + 200] = np.zeros(200, np.uint8).tobytes()
    path.write_bytes(data)
    wanted = solve_many(hands, rules_of("gin")).tolist()
    wanted[1000:1500] = [None] * 500
    for block_rows in (250, 1000, 5000):
        for settings in ({}, {"resume": True}, {"limit": 1200}):
            _, rows, rejected = do(path, tmp_path / "out.csv", block_rows=block_rows, **settings)
            assert penalties(rows) == wanted[: settings.get("limit")]
            lost = min(len(rows), 1500) - 1000
            told = [(r["row"], r["line"], r["code"]) for r in rejected]
            assert told == [(1001 + i, None, "file.corrupt") for i in range(lost)]


def test_a_damaged_row_group_in_a_file_of_ids(tmp_path):
    hands = make_hands("gin", 4000)
    path = tmp_path / "in.parquet"
    table = pa.table({"hand": hands, "id": list(range(4000))})
    pa.parquet.write_table(table, path, row_group_size=1000, compression="none")
    data = bytearray(path.read_bytes())
    at = pa.parquet.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    data[at : at + 40] = b"\xff" * 40
    path.write_bytes(data)
    summary, rows, _ = do(path, tmp_path / "out.jsonl", columns={"id": "id"})
    wanted = solve_many(hands, rules_of("gin")).tolist()
    assert penalties(rows) == [*wanted[:1000], *[None] * 1000, *wanted[2000:]]
    assert [row["id"] for row in rows] == [*range(1000), *[None] * 1000, *range(2000, 4000)]
    assert (summary.n_rows, dict(summary.codes)) == (4000, {"file.corrupt": 1000})


def test_a_line_too_long_is_one_bad_row(tmp_path):
    path = tmp_path / "in.csv"
    long = b"7S " * (MAX_LINE // 3 + 10)
    path.write_bytes(b"hand\nKD\n" + long + b"\nQS JD\n")
    assert len(long) > MAX_LINE
    _, rows, rejected = do(path, tmp_path / "out.csv")
    assert penalties(rows) == [10, None, 20]
    assert [(r["row"], r["line"], r["code"]) for r in rejected] == [(2, 3, "row.line")]


def test_a_multi_member_gzip_file_is_read_to_its_end(tmp_path):
    path = tmp_path / "in.csv.gz"
    path.write_bytes(gzip.compress(b"hand\nKD\n") + gzip.compress(b"QS JD\n"))
    assert penalties(do(path, tmp_path / "out.csv")[1]) == [10, 20]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_the_reject_file_in_every_form(tmp_path, form):
    source = write_rows(tmp_path / "in.csv", [{"hand": h} for h in ("7S", "7X", "8S", "")])
    rejects = tmp_path / f"bad.{form}"
    summary, _, rejected = do(source, tmp_path / "out.csv", rejects=str(rejects))
    assert summary.rejects == str(rejects)
    assert [(int(r["row"]), r["code"]) for r in rejected] == [
        (2, "card.unknown"),
        (4, "hand.empty"),
    ]
    assert rejected[0]["file"] == str(source)


def test_rejects_of_an_earlier_run_do_not_stay(tmp_path):
    source = write_rows(tmp_path / "in.csv", [{"hand": "7X"}])
    do(source, tmp_path / "out.csv")
    assert (tmp_path / "out.csv.rejects.jsonl").exists()
    write_rows(source, [{"hand": "7S"}])
    summary, _, _ = do(source, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv.rejects.jsonl").exists()
    assert summary.rejects is None


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_an_open_quote_in_the_last_line_is_no_line_end_of_the_hand(tmp_path, end):
    # Found by test_lines: the line end went into the hand as a blank, and the row passed.
    path = tmp_path / "in.csv"
    path.write_bytes(f'id,hand\na,KD\nb,"7S 8S 9S{end}'.encode())
    _, rows, rejected = do(path, tmp_path / "out.csv")
    assert penalties(rows) == [10, None]
    assert [(r["row"], r["code"]) for r in rejected] == [(2, "row.quote")]


def test_half_a_surrogate_pair_written_out_is_no_text(tmp_path):
    # Found by test_lines: the parser lets these bytes through, and the id broke the answers.
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"id":"a","hand":"KD"}\n{"id":"\xed\xa0\x80","hand":"7S"}\n')
    _, rows, rejected = do(path, tmp_path / "out.jsonl", columns={"id": "id"})
    assert [(row["id"], row["penalty"]) for row in rows] == [("a", 10), (None, None)]
    assert rejected[0]["code"] == "row.encoding"
