"""The suite as it is called: table, JSON, exit codes, and the rows that goals are set for."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bench import adversarial, batch_files, cases, engines, peers, processes, run, threads, truth
from bench.corpus import GAMES, make_corpus
from bench.lanes import arrow_lane, counts_lane, cpsat_lane, engine_lane, packed_lane, texts_lane
from bench.measure import Skip
from bench.optional import optional
from bench.peers import (
    okey_lane,
    openspiel_lane,
    rlcard_lane,
    rummikub_rack_lane,
    rummikub_table_lane,
)
from bench.plan import Plan
from bench.rows import Row
from bench.rummikub import table_lane
from bench.service_load import body_of, check_body
from bench.tiles import make_okey_racks, make_racks, make_tables
from bench.truth import WrongAnswerError, prove
from solver.solve import solve

TINY = Plan(quick=True, n_rounds=2)


def test_every_row_of_the_goals_is_registered():
    names = [case.name for case in cases.CASES]
    assert len(set(names)) == len(names)
    assert set(names) >= {
        "gin-random",
        "gin-dense",
        "gin-input-counts",
        "gin-input-Arrow-text",
        "three-thirteen-random",
        "three-thirteen-dense",
        "five-crowns-random",
        "five-crowns-dense",
        "liverpool-contract",
        "worst-hand",
        "rummikub-rack",
        "rummikub-table-31",
        "rummikub-table-61",
        "rummikub-table-106",
        "threads",
        "start-up",
        "http",
        "batch",
        *(f"mean-{game}" for game in set(GAMES) - {"gin", "three-thirteen", "five-crowns"}),
    }


def test_a_run_writes_what_a_speed_claim_must_name(tmp_path, capsys):
    path = tmp_path / "result.json"
    assert run.main(["--quick", "--only", "mean-oklahoma", "--json", str(path)]) == 0
    out = capsys.readouterr()
    assert "oklahoma-gin 10 cards, random, packed" in out.out
    assert "goals: " in out.out
    assert "bench: mean-oklahoma-gin" in out.err
    written = json.loads(path.read_text())
    (row,) = written["rows"]
    assert row["goal"] == "<= 10.0 us"
    assert row["ours_worst"] >= row["ours"] > 0
    assert row["proof"]
    assert row["hands"] == 400
    assert written["quick"] is True
    assert set(written["versions"]["peers"]) == set(peers.PEERS)
    assert written["versions"]["numba"]
    assert written["machine"]["cores"] >= 1
    assert written["rules"]["gin"] == GAMES["gin"].rules().fingerprint
    assert {"commit", "modified", "started"} <= set(written)


def test_a_missed_goal_is_told_and_is_no_failure(monkeypatch, capsys):
    missed = Row("slow", "a slow thing", ours=9e9, goal="<= 1.00 s", met=False)
    monkeypatch.setattr(run, "CASES", (cases.Case("slow", lambda plan: [missed]),))
    assert run.main(["--quick"]) == 0
    assert "goals: 0 met, 1 missed, 0 not judged here" in capsys.readouterr().out


def test_a_wrong_answer_of_ours_ends_the_run(monkeypatch, capsys, tmp_path):
    right = truth.free_left
    monkeypatch.setattr(truth, "free_left", lambda counts, rules: right(counts, rules) + 1)
    path = tmp_path / "result.json"
    assert run.main(["--quick", "--only", "mean-oklahoma", "--json", str(path)]) == 1
    assert "wrong answer: oklahoma-gin/random" in capsys.readouterr().err
    assert not path.exists()


def test_an_unknown_case_is_usage(capsys):
    assert run.main(["--only", "chess"]) == 2
    assert "no case is named like" in capsys.readouterr().err


def test_cases_are_listed(capsys):
    assert run.main(["--list"]) == 0
    assert capsys.readouterr().out.split() == [case.name for case in cases.CASES]


def test_quick_leaves_out_only_what_is_marked():
    quick = run.chosen_cases([], TINY)
    assert [c.name for c in cases.CASES if c not in quick] == [
        f"style-{s}" for s in ("random", "dense", "wilds", "near_zero", "largest")
    ]


def test_a_busy_machine_is_told():
    assert "load 3.0" in run.load_warning({"machine": {"load_before": [3.0, 0, 0]}})
    assert run.load_warning({"machine": {"load_before": [0.1, 9, 9]}}) == ""


@pytest.mark.parametrize(
    "factory", [counts_lane, packed_lane, texts_lane, arrow_lane, cpsat_lane, openspiel_lane]
)
def test_lanes_answer_alike(factory):
    corpus = make_corpus(GAMES["gin"], "dense", 20)
    lane = factory(corpus)
    if isinstance(lane, Skip):
        pytest.skip(lane.why)
    assert lane.run(3, 20).tolist() == prove(corpus).answers[3:].tolist()


@pytest.mark.parametrize(
    ("factory", "make"),
    [
        (rlcard_lane, lambda n: make_corpus(GAMES["gin"], "random", n)),
        (rummikub_rack_lane, make_racks),
        (okey_lane, make_okey_racks),
    ],
)
def test_peers_are_asked_the_same_question(factory, make):
    corpus = make(8)
    lane = factory(corpus)
    if isinstance(lane, Skip):
        pytest.skip(lane.why)
    assert lane.run(0, 8).tolist() == prove(corpus).answers.tolist()


def test_tables_are_answered_alike():
    states = make_tables(12, 3)
    ours = table_lane(states).run(0, 3).tolist()
    questions = [states.question(i) for i in range(3)]
    assert ours == [truth.find(*q, engine="cpsat").penalty for q in questions]
    rival = rummikub_table_lane(states)
    if isinstance(rival, Skip):
        pytest.skip(rival.why)
    assert rival.run(0, 3).tolist() == ours


def test_a_missing_peer_is_named(monkeypatch):
    monkeypatch.setattr(peers, "optional", lambda name: None)
    skip = openspiel_lane(make_corpus(GAMES["gin"], "random", 1))
    assert skip == Skip("OpenSpiel", "open_spiel is not installed (extra 'peers')")


def test_optional_modules():
    assert optional("json") is json
    assert optional("no_such_module_here") is None
    assert optional("no_such_module_here.part") is None


def test_threads_have_no_verdict_without_free_cores(monkeypatch):
    monkeypatch.setattr(threads, "REPEATS", (2, 2))
    monkeypatch.setattr(threads, "probe", lambda: 1.2)
    (row,) = threads.two_threads(replace(TINY, n_rounds=1))
    assert (row.met, row.ours) == (None, None)
    assert row.note == "skipped: probe 1.20 x, 0 of 1 rounds with free cores"


def test_threads_are_timed_on_free_cores(monkeypatch):
    monkeypatch.setattr(threads, "REPEATS", (2, 2))
    monkeypatch.setattr(threads, "probe", lambda: 2.0)
    (row,) = threads.two_threads(replace(TINY, n_rounds=1))
    assert row.ratio == pytest.approx(row.rival_value / row.ours)
    assert row.met is (row.ratio >= 1.8)


def test_start_up_is_checked_before_it_is_timed():
    start = processes.STARTS[0]
    elapsed, told = processes.run_python(["-c", start.program])
    assert elapsed > 0
    processes._check(start, told)
    with pytest.raises(WrongAnswerError, match="import solver"):
        processes._check(start, "['numba'] True")
    with pytest.raises(RuntimeError, match="ended with 3"):
        processes.run_python(["-c", "raise SystemExit(3)"])


def test_answers_of_the_service_are_read_and_checked():
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n"
    body = b'{"penalty": 7, "proved": true}'
    assert body_of(head[:20]) is None
    assert body_of(head + body[:-1]) is None
    assert body_of(head + body) == body
    check_body(body, 7)
    with pytest.raises(WrongAnswerError, match="expected penalty 8"):
        check_body(body, 8)
    with pytest.raises(WrongAnswerError, match="expected status 200"):
        body_of(head.replace(b"200", b"503") + body)
    with pytest.raises(WrongAnswerError, match="length"):
        body_of(b"HTTP/1.1 200 OK\r\n\r\n")


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_batch_files_hold_the_hands(tmp_path, suffix):
    if optional("pyarrow") is None:
        pytest.skip("pyarrow is not installed (extra 'batch')")
    corpus = make_corpus(GAMES["gin"], "random", 3)
    path = tmp_path / f"hands.{suffix}"
    batch_files.write_hands(path, corpus, 7)
    if suffix == "jsonl":
        hands = [json.loads(line)["hand"] for line in path.read_text().splitlines()]
    else:
        hands = optional("pyarrow.parquet").read_table(path).column("hand").to_pylist()
    assert hands == [corpus.texts[i % 3] for i in range(7)]


def test_engines_are_measured_against_each_other():
    rows = engines.engine_rows(Plan(quick=True, n_rounds=1), ["oklahoma-gin"])
    assert [row.rival for row in rows] == ["suit", "frontier", "cpsat"]
    assert all(row.ours_worst >= row.ours > 0 for row in rows)
    assert engines.engine_table(rows).row_count == 1


def test_engines_that_differ_end_the_table(monkeypatch):
    right = engines.free_left
    monkeypatch.setattr(engines, "free_left", lambda counts, rules: right(counts, rules) + 1)
    with pytest.raises(WrongAnswerError, match="as solve_many says"):
        engines.engine_rows(Plan(quick=True, n_rounds=1), ["oklahoma-gin"])


def test_an_engine_answers_contracts_it_cannot_meet():
    corpus = make_corpus(GAMES["liverpool"], "random", 4)
    told = engine_lane(corpus, "cpsat", 4, contract=True).run(0, 4)
    assert told.tolist() == truth.contract_left(corpus.counts, corpus.rules).tolist()
    assert -1 in told.tolist()


def test_the_search_keeps_proved_hands_of_the_deck(tmp_path):
    path = tmp_path / "slow.jsonl"
    arguments = ["--budget", "0.6", "--only", "deuces-arent-wild", "--data", str(path)]
    assert adversarial.main(arguments) == 0
    found = adversarial.read_slow_hands(path)
    assert 1 <= len(found) <= adversarial.KEPT
    rules = GAMES["deuces-arent-wild"].rules()
    for slow in found:
        assert slow.penalty == solve(slow.hand, rules, engine="frontier").penalty
        assert len(slow.hand.split()) == adversarial.MAX_HAND
    assert adversarial.main(arguments) == 0  # starts from the kept hands


def test_the_kept_slow_hands_have_their_optima():
    known = adversarial.read_slow_hands()
    assert {hand.game for hand in known} == set(GAMES)
    rows = adversarial.worst_hands_row(replace(TINY, n_rounds=1))
    assert rows[0].goal == "<= 1.00 ms"
    assert rows[0].ours == max(row.ours for row in rows[1:])
