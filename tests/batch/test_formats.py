"""Every form of input and output: the same penalties as solve_many, in order, row for row."""

from __future__ import annotations

import gzip
import io
import json
import sys

import pyarrow as pa
import pyarrow.parquet
import pytest

from solver.batch import BatchError, Job, Question, run_batch
from solver.rules.loader import load_rules, round_rules
from solver.solve import solve, solve_many
from tests.batch.helpers import (
    GAMES,
    codes_of,
    do,
    make_hands,
    penalties,
    read_rows,
    rules_of,
    write_rows,
)

SMALL = {"block_bytes": 1 << 11, "block_rows": 64, "part_blocks": 3}
FORMS = ("parquet", "csv", "jsonl", "csv.gz", "jsonl.gz")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("form", FORMS)
def test_the_penalties_of_solve_many_in_order(tmp_path, game, form):
    hands = make_hands(game, 500)
    source = write_rows(tmp_path / f"in.{form}", [{"hand": hand} for hand in hands])
    summary, rows, rejected = do(source, tmp_path / f"out.{form}", game, threads=2, **SMALL)
    assert penalties(rows) == solve_many(hands, rules_of(game)).tolist()
    assert {row["status"] for row in rows} == {"ok"}
    assert (summary.n_rows, summary.n_rejected, rejected) == (500, 0, [])
    assert not (tmp_path / f"out.{form}.rejects.jsonl").exists()


def test_what_the_games_cost_by_hand(tmp_path):
    rows = [{"hand": h} for h in ("7S 8S 9S KD", "7S 7H 7D 7C 8C 9C TC 8S 9S KD", "QS JD 2C AH")]
    source = write_rows(tmp_path / "in.csv", rows)
    assert penalties(do(source, tmp_path / "out.csv")[1]) == [10, 10, 23]


def test_output_bytes_do_not_depend_on_threads_or_parts(tmp_path):
    hands = make_hands("gin", 700)
    for form in FORMS:
        rows = [{"hand": "7X" if i % 97 == 5 else hand} for i, hand in enumerate(hands)]
        source = write_rows(tmp_path / f"in.{form}", rows)
        told = []
        for threads, resume in ((1, False), (3, False), (2, True)):
            do(source, tmp_path / f"out.{form}", threads=threads, resume=resume, **SMALL)
            rejects = tmp_path / f"out.{form}.rejects.jsonl"
            told.append(((tmp_path / f"out.{form}").read_bytes(), rejects.read_bytes()))
            assert not (tmp_path / f"out.{form}.parts").exists()
        assert told[0] == told[1] == told[2]
        assert list(tmp_path.glob("*.part")) == []


ARROW_TYPES = {
    "text": pa.string(),
    "large text": pa.large_string(),
    "bytes": pa.binary(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "codes": pa.list_(pa.int8()),
    "wide codes": pa.large_list(pa.int64()),
    "unsigned codes": pa.list_(pa.uint8()),
    "fixed codes": pa.list_(pa.int16(), 10),
    "tokens": pa.list_(pa.string()),
}


@pytest.mark.parametrize("name", ARROW_TYPES)
def test_columns_of_every_type(tmp_path, name):
    hands = make_hands("gin", 150)
    kind = ARROW_TYPES[name]
    if "codes" in name:
        cells = [codes_of(hand) for hand in hands]
    elif name == "tokens":
        cells = [hand.lower().replace("t", "10").split() for hand in hands]
    else:
        cells = list(hands)
    cells[40] = None
    path = tmp_path / "in.parquet"
    pa.parquet.write_table(pa.table({"hand": pa.array(cells, kind)}), path, row_group_size=60)
    _, rows, rejected = do(path, tmp_path / "out.parquet", block_rows=50)
    wanted = solve_many(hands, rules_of("gin")).tolist()
    wanted[40] = None
    assert penalties(rows) == wanted
    assert [(r["row"], r["line"], r["code"]) for r in rejected] == [(41, None, "hand.missing")]


@pytest.mark.parametrize("cells", ["codes", "tokens", "mixed"])
def test_json_lines_with_lists(tmp_path, cells):
    hands = make_hands("three-thirteen", 200)
    forms = {"codes": codes_of, "tokens": str.split}
    rows = []
    for i, hand in enumerate(hands):
        made = forms.get(cells) or (codes_of, str.split, str)[i % 3]
        rows.append({"hand": made(hand), "note": {"x": [i]}})
    source = write_rows(tmp_path / "in.jsonl", rows)
    _, out, _ = do(source, tmp_path / "out.jsonl", "three-thirteen", **SMALL)
    assert penalties(out) == solve_many(hands, rules_of("three-thirteen")).tolist()


def test_a_byte_order_mark_header_blanks_and_return_line_ends(tmp_path):
    # Case C142: the first column must not be called "\\ufeffhand".
    path = tmp_path / "in.csv"
    path.write_bytes(b'\xef\xbb\xbfhand , round\r\n"3S 3H 3D",3\r\n"7S, 8S, 9S, KD", 1\r\n')
    rules = load_rules("three-thirteen")
    columns = {"round": "round"}
    _, rows, rejected = do(path, tmp_path / "out.jsonl", rules=rules, columns=columns)
    # Round 3 deals five and makes fives wild: three threes are a set. Round 1: a run and a king.
    assert (penalties(rows), rejected) == ([0, 10], [])


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_other_separators(tmp_path, delimiter):
    path = tmp_path / "in.csv"
    lines = [["id", "HAND", "player"], ["a", "7S 8S 9S KD", "Ann"], ["b", "QS", "Ben"]]
    path.write_text("\n".join(delimiter.join(line) for line in lines), encoding="utf-8")
    _, rows, _ = do(path, tmp_path / "out.csv", columns={"id": "id"})
    assert [(row["id"], row["penalty"]) for row in rows] == [("a", "10"), ("b", "10")]


def test_a_file_of_one_column_may_write_hands_with_commas(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(b'\nhand\n7S,8S,9S,KD\n\n"7S;8S;9S"\n   \n QS \n')
    _, rows, rejected = do(path, tmp_path / "out.jsonl")
    assert (penalties(rows), rejected) == ([10, 0, 10], [])


def test_hands_written_loosely(tmp_path):
    texts = ["10h jh QH", "♥10 ♥J ♥Q", "TH|JH|QH", "th,jh;qh", "1S2S3S", "ASKD", "K♦\ufe0f"]
    source = write_rows(tmp_path / "in.jsonl", [{"hand": text} for text in texts])
    assert penalties(do(source, tmp_path / "out.jsonl")[1]) == [0, 0, 0, 0, 0, 11, 10]


def test_tiles_are_read_in_their_notation(tmp_path):
    source = write_rows(tmp_path / "in.jsonl", [{"hand": "R1 R2 R3 K13"}, {"hand": "R14"}])
    _, rows, rejected = do(source, tmp_path / "out.jsonl", rules=load_rules("rummikub"))
    assert (penalties(rows), rejected[0]["code"]) == ([13, None], "card.unknown")


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_the_round_of_each_row_chooses_its_rules(tmp_path, form):
    rules = load_rules("three-thirteen")
    hands = make_hands("three-thirteen", 330)
    rounds = [i % 11 + 1 for i in range(330)]
    both = zip(hands, rounds, strict=True)
    cells = [{"n": i, "hand": hand, "round": number} for i, (hand, number) in enumerate(both)]
    source = write_rows(tmp_path / f"in.{form}", cells)
    columns = {"round": "round", "id": "n"}
    out = tmp_path / f"out.{form}"
    _, rows, _ = do(source, out, rules=rules, columns=columns, **SMALL)
    wanted = [
        int(solve_many([hand], round_rules(rules, number))[0])
        for hand, number in zip(hands, rounds, strict=True)
    ]
    assert penalties(rows) == wanted
    assert [int(row["n"]) for row in rows] == list(range(330))


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_ids_come_back_as_they_were(tmp_path, form):
    ids = ["plain", 'say "hi", ok', "ünï", "a\\b", "line\ttab", ""]
    cells = [{"id": i, "hand": "7S 8S 9S"} for i in ids]
    source = write_rows(tmp_path / f"in.{form}", cells)
    _, rows, _ = do(source, tmp_path / f"out.{form}", columns={"id": "id"})
    assert [row["id"] for row in rows] == ids


def test_number_ids_stay_numbers(tmp_path):
    cells = [{"id": i * 10**15, "hand": "7S"} for i in range(3)]
    for form in ("parquet", "jsonl"):
        source = write_rows(tmp_path / f"in.{form}", cells)
        _, rows, _ = do(source, tmp_path / f"out.{form}", columns={"id": "id"})
        assert [row["id"] for row in rows] == [0, 10**15, 2 * 10**15]


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_melds_and_deadwood_on_request(tmp_path, form):
    hands = [*make_hands("three-thirteen", 30), "5S 5H 5D KC", "QS"]
    rules = rules_of("three-thirteen")
    source = write_rows(tmp_path / f"in.{form}", [{"hand": hand} for hand in hands])
    columns = {"melds": True}
    _, rows, _ = do(source, tmp_path / f"out.{form}", "three-thirteen", columns=columns)
    assert penalties(rows) == solve_many(hands, rules).tolist()
    for hand, row in zip(hands, rows, strict=True):
        arrangement = solve(hand, rules).arrangement
        assert (row["melds"] or "").replace("] ", "]|").split("|") == [
            meld.text() for meld in arrangement.sorted_melds()
        ] or not arrangement.melds
        assert (row["melds"] in {"", None}) == (not arrangement.melds)
        assert codes_of(row["deadwood"] or "") == list(arrangement.deadwood)


def test_several_inputs_and_patterns_in_order(tmp_path):
    for name, hand in (("b.csv", "QS"), ("a.csv", "2S 3H"), ("c.jsonl", "AS")):
        write_rows(tmp_path / name, [{"hand": hand}])
    inputs = [tmp_path / "c.jsonl", tmp_path / "*.csv"]
    assert penalties(do(inputs, tmp_path / "out.parquet")[1]) == [1, 5, 10]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("limit", [0, 1, 100, 10_000])
def test_a_limit_of_rows(tmp_path, form, limit):
    hands = make_hands("gin", 300)
    source = write_rows(tmp_path / f"in.{form}", [{"hand": hand} for hand in hands])
    wanted = solve_many(hands, rules_of("gin")).tolist()[:limit]
    _, rows, _ = do(source, tmp_path / f"out.{form}", limit=limit, **SMALL)
    assert penalties(rows) == wanted


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_standard_input_and_output(tmp_path, monkeypatch, form, packed):
    hands = make_hands("gin", 100)
    source = write_rows(tmp_path / f"in.{form}{'.gz' * packed}", [{"hand": h} for h in hands])
    into, out = io.BytesIO(source.read_bytes()), io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(into))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out))
    run_batch(Job(("-",), "-", Question(rules_of("gin")), **SMALL))
    told = [json.loads(line)["penalty"] for line in out.getvalue().splitlines()]
    assert told == solve_many(hands, rules_of("gin")).tolist()


def test_empty_files_give_empty_files(tmp_path):
    (tmp_path / "in.csv").write_bytes(b"hand\n")
    (tmp_path / "in.jsonl").write_bytes(b"")
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(b""))
    pa.parquet.write_table(pa.table({"hand": pa.array([], pa.string())}), tmp_path / "in.parquet")
    for form in ("csv", "jsonl", "jsonl.gz", "parquet"):
        summary, rows, _ = do(tmp_path / f"in.{form}", tmp_path / f"out.{form}")
        assert (summary.n_rows, rows) == (0, [])
    assert (tmp_path / "out.csv").read_bytes() == b"penalty,status,message\n"


BAD_JOBS = {
    "batch.input": ("missing.csv", "out.csv", {}),
    "batch.column": ("in.csv", "out.csv", {"columns": {"hand": "cards"}}),
    "batch.output": ("in.csv", "out.xls", {}),
    "batch.number": ("in.csv", "out.csv", {"threads": 0}),
    "batch.encoding": ("utf16.csv", "out.csv", {}),
    "batch.hand_type": ("floats.parquet", "out.csv", {}),
    "batch.kinds": ("*.both", "out.csv", {}),
}


@pytest.mark.parametrize("code", BAD_JOBS)
def test_a_job_that_cannot_begin_writes_nothing(tmp_path, code):
    write_rows(tmp_path / "in.csv", [{"hand": "7S"}])
    (tmp_path / "utf16.csv").write_bytes("hand\n7S\n".encode("utf-16"))
    pa.parquet.write_table(pa.table({"hand": [1.5]}), tmp_path / "floats.parquet")
    (tmp_path / "a.both").write_bytes(b"hand\n7S\n")
    (tmp_path / "b.both").write_bytes(b'{"format": "meld-record/1"}\n')
    before = sorted(tmp_path.iterdir())
    source, target, settings = BAD_JOBS[code]
    with pytest.raises(BatchError) as caught:
        do(tmp_path / source, tmp_path / target, **settings)
    assert caught.value.code == code
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("output", ["in.csv", ".", "no/such/folder/out.csv"])
def test_an_output_that_cannot_be(tmp_path, output):
    source = write_rows(tmp_path / "in.csv", [{"hand": "7S"}])
    with pytest.raises(BatchError) as caught:
        do(source, tmp_path / output)
    assert caught.value.code == "batch.output"
    assert read_rows(source) == [{"hand": "7S"}]


def test_a_broken_parquet_file_is_named(tmp_path):
    (tmp_path / "in.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(BatchError, match=r"in\.parquet: expected a Parquet file"):
        do(tmp_path / "in.parquet", tmp_path / "out.csv")
