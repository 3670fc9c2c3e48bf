"""Recorded games and gin result tables through the batch."""

from __future__ import annotations

import json

import pytest

from solver.batch import Job, Question, run_batch
from solver.engine.archive import write_records
from solver.engine.importers.gin_results import COLUMNS
from solver.engine.selfplay import SimplePlayer, play_game
from solver.rules.loader import load_rules, round_rules
from solver.solve import solve
from tests.batch.helpers import read_rows


def run(tmp_path, source, form="jsonl", rules=None, **settings):
    job = Job((str(source),), str(tmp_path / f"out.{form}"), Question(rules), **settings)
    summary = run_batch(job)
    return summary, read_rows(job.output), read_rows(summary.rejects) if summary.rejects else []


@pytest.fixture(scope="module")
def records():
    rules = load_rules("three-thirteen", players=2)
    return [play_game(rules, [SimplePlayer(), SimplePlayer()], seed) for seed in (1, 2, 3)]


@pytest.fixture
def archive(tmp_path, records):
    path = tmp_path / "games.jsonl"
    write_records(path, records)
    return path


def test_games_are_replayed_and_come_out_one_a_row(tmp_path, records, archive):
    summary, rows, rejected = run(tmp_path, archive, block_bytes=1)
    assert (summary.what, summary.n_rows, rejected) == ("games", 3, [])
    for record, row in zip(records, rows, strict=True):
        assert row["status"] == "ok"
        assert row["rounds"] == 11
        assert row["points"] == [list(r.result.points) for r in record.rounds]
        assert row["totals"] == [sum(column) for column in zip(*row["points"], strict=True)]
        assert row["winners"] == [row["totals"].index(min(row["totals"]))]


def test_games_priced_by_other_rules(tmp_path, records, archive):
    rules = load_rules("three-thirteen", points={"A": 15})
    _, rows, rejected = run(tmp_path, archive, rules=rules)
    assert rejected == []
    changed = 0
    for record, row in zip(records, rows, strict=True):
        for played, points in zip(record.rounds, row["points"], strict=True):
            priced_by = round_rules(rules, played.round_no)
            left = [list(hand) for hand in played.result.hands]
            assert points == [solve(hand, priced_by).penalty for hand in left]
            changed += points != list(played.result.points)
    assert changed > 0


def test_a_broken_game_spoils_no_other(tmp_path, archive):
    good = archive.read_text(encoding="utf-8").splitlines()
    wrong_points = json.loads(good[1])
    wrong_points["rounds"][4]["result"]["points"][0] += 1
    bad_move = json.loads(good[2])
    bad_move["rounds"][2]["moves"][0] = "nonsense"
    lines = [good[0], json.dumps(wrong_points), "{", "", json.dumps(bad_move), good[1]]
    archive.write_text("\n".join(lines), encoding="utf-8")
    _, rows, rejected = run(tmp_path, archive)
    codes = ["ok", "record.points", "record.json", "move.notation", "ok"]
    assert [row["status"] for row in rows] == codes
    assert [(r["row"], r["line"]) for r in rejected] == [(2, 2), (3, 3), (4, 5)]
    assert "round 5" in rejected[0]["reason"]
    assert [row["points"] is None for row in rows] == [False, True, True, True, False]


def test_prices_written_otherwise_do_not_matter_to_other_rules(tmp_path, archive):
    good = archive.read_text(encoding="utf-8").splitlines()
    other = json.loads(good[0])
    other["rounds"][0]["result"]["points"][0] += 1
    archive.write_text(json.dumps(other) + "\n" + good[1], encoding="utf-8")
    rules = load_rules("three-thirteen", points={"A": 15})
    assert [row["status"] for row in run(tmp_path, archive, rules=rules)[1]] == ["ok", "ok"]
    statuses = [row["status"] for row in run(tmp_path, archive)[1]]
    assert statuses == ["record.points", "ok"]


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl.gz"])
def test_games_in_other_forms(tmp_path, archive, form):
    _, plain, _ = run(tmp_path, archive)
    _, rows, _ = run(tmp_path, archive, form)
    if form == "csv":
        assert rows[0]["totals"] == " ".join(map(str, plain[0]["totals"]))
        assert rows[0]["points"].split(";")[3] == " ".join(map(str, plain[0]["points"][3]))
    else:
        assert rows == plain


def table_of(*rows):
    return "\n".join([",".join(COLUMNS), *(",".join(map(str, row)) for row in rows)]) + "\n"


def test_a_tie_is_nobodys_win(tmp_path):
    # Case C091: an export wrote a win for player 0 on every tie.
    path = tmp_path / "ties.csv"
    rows = [
        (0, 0, 0, 6, 1, 10, 0, 6, 14, 8),
        (0, 1, 0, 6, "", 12, 0, 0, 9, 9),
        (0, 2, 0, 6, -1, 12, 0, 0, 9, 9),
        (0, 3, 0, 6, "null", 40, 0, 0, 31, 17),
        (0, 4, 0, 6, 0, 12, 0, 0, 9, 9),
    ]
    path.write_text(table_of(*rows), encoding="utf-8")
    summary, out, rejected = run(tmp_path, path)
    assert summary.what == "rounds"
    assert [row["winner"] for row in out] == [1, None, None, None, 0]
    # A win without points is what the fault looked like; equal deadwood gives exactly none.
    assert [row["status"] for row in out] == ["ok"] * 5
    assert (out[0]["points"], rejected) == ([0, 6], [])


def test_a_result_table_has_its_one_bad_row_found(tmp_path):
    # Case C167: 12 points for a knock of 10 against 22; a winner without points; ragged rows.
    path = tmp_path / "results.csv"
    rows = [
        (0, 0, 0, 6, 1, 10, 0, 6, 14, 8),
        (0, 1, 12, 6, 0, 4, 12, 0, 10, 22),
        (0, 2, 12, 6, 1, 12, 0, 0, 32, 16),
        (0, 3, 12, 6),
        (0, 4, 49, 6, 0, 9, 37, 0, 0, 12),
        (0, 5, 49, 6, 1, 9, 0, "x", 5, 3),
    ]
    path.write_text(table_of(*rows), encoding="utf-8")
    _, out, rejected = run(tmp_path, path, "csv")
    codes = ["ok", "ok", "gin.points", "gin.row", "ok", "gin.row"]
    assert [row["status"] for row in out] == codes
    assert [(r["row"], r["line"]) for r in rejected] == [(3, 4), (4, 5), (6, 7)]


def test_the_result_tables_at_hand(tmp_path, shared_dir):
    paths = sorted((shared_dir / "data" / "gin-results").rglob("*IntraGame*.csv"))
    if not paths:
        pytest.skip("no result tables in ../shared")
    job = Job(tuple(map(str, paths)), str(tmp_path / "out.jsonl"), Question(None))
    summary = run_batch(job)
    assert summary.n_rows == 622
    # The first table ends in the middle of its last row.
    rejected = read_rows(summary.rejects)
    assert [(r["row"], r["line"], r["code"]) for r in rejected] == [(174, 175, "gin.row")]
