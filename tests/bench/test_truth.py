"""Nothing is timed before its answers are proved; committed optima are of the hands they name."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bench import certify, truth
from bench.contest import Against, face_off
from bench.corpus import GAMES, Corpus, make_corpus
from bench.liverpool import make_deals
from bench.measure import Lane, Skip
from bench.plan import Plan
from bench.rows import Goal, Row
from bench.truth import WrongAnswerError, compare_engines, digest, key_of, prove, read_optima
from solver.cards import parse_cards

TINY = Plan(quick=True, n_rounds=2)


def small(n=30):
    return make_corpus(GAMES["three-thirteen"], "random", n)


def hand_corpus(*texts):
    cards = np.array([parse_cards(text) for text in texts], np.uint8)
    return Corpus("by hand", GAMES["gin"].rules(), cards)


def test_known_hands_are_proved():
    # Left over by inspection: K Q 3 2 = 25; nothing; every card.
    corpus = hand_corpus(
        "7S 7H 7D 8S 9S TS KC QD 2C 3D",
        "AS 2S 3S 4S 5H 5D 5C JH QH KH",
        "AS 3S 5S 7S 9S JS 2H 4H 6H 8H",
    )
    found = prove(corpus)
    assert found.answers.tolist() == [25, 0, 55]
    assert found.proof == "frontier on 3 of 3 hands"


def test_the_second_engine_refutes_a_wrong_answer(monkeypatch):
    corpus = small()
    right = truth.free_left

    def wrong(counts, rules):
        answers = right(counts, rules)
        answers[7] += 1
        return answers

    monkeypatch.setattr(truth, "free_left", wrong)
    with pytest.raises(WrongAnswerError, match=r"three-thirteen/random hand 7, "):
        prove(corpus, check_s=60)


def test_committed_optima_refute_a_wrong_answer(monkeypatch):
    corpus = small()
    answers, proved_by = certify.certify(corpus, contract=False)
    assert proved_by == "frontier 30, cpsat 30"
    entry = certify.entry_of(corpus, answers, proved_by)
    monkeypatch.setattr(truth, "read_optima", lambda: {key_of(corpus): entry})
    assert prove(corpus).proof == "committed optima (frontier 30, cpsat 30)"
    monkeypatch.setattr(truth, "free_left", lambda counts, rules: answers + 1)
    with pytest.raises(WrongAnswerError, match="hand 0"):
        prove(corpus)


def test_optima_of_other_rules_are_not_used(monkeypatch):
    corpus = small(5)
    entry = {"rules": "0" * 16, "hands": digest(corpus.counts), "answers": "0" * 16}
    monkeypatch.setattr(truth, "read_optima", lambda: {key_of(corpus): entry})
    assert prove(corpus).proof == "frontier on 5 of 5 hands"


def test_contracts_are_proved_too():
    deal = make_deals(25)[0]
    found = prove(deal, contract=True, check_s=60)
    assert found.proof == "frontier on 25 of 25 hands"
    assert (found.answers >= -1).all()
    engine, n = compare_engines(
        deal.head(5), found.answers, contract=True, budget_s=60, engine="cpsat"
    )
    assert (engine, n) == ("cpsat", 5)


def test_committed_optima_name_the_hands_of_today():
    optima = read_optima()
    assert len(optima) > 30
    key = "gin/random/5000x10"
    corpus = make_corpus(GAMES["gin"], "random", 5_000)
    assert key_of(corpus) == key
    assert optima[key]["hands"] == digest(corpus.counts)
    assert optima[key]["rules"] == corpus.rules.fingerprint
    assert prove(corpus).proof.startswith("committed optima (frontier 100,000")


def test_digests_do_not_depend_on_layout():
    values = np.arange(12, dtype=np.int32).reshape(3, 4)
    assert digest(values) == digest(np.asfortranarray(values)) == digest(values.astype(">i4"))
    assert digest(values) != digest(values + 1)


def test_the_file_of_optima_is_sorted_json(tmp_path):
    path = tmp_path / "optima.json"
    certify.write_optima({"b": {"sum": 2}, "a": {"sum": 1}}, path)
    assert list(json.loads(path.read_text())) == ["a", "b"]


def lane_of(name, answers):
    answers = np.array(answers, np.int32)
    return Lane(name, lambda lo, hi: answers[lo:hi], len(answers), len(answers))


def test_a_wrong_lane_of_ours_is_refused_and_a_wrong_rival_counted():
    right = np.array([3, 4, 5], np.int32)
    head = Row("case", "work")
    with pytest.raises(WrongAnswerError, match="work, ours: 1 of 3 answers are wrong"):
        face_off(head, lane_of("ours", [3, 4, 6]), [], right, TINY)
    rivals = [
        Against(lane_of("bad", [3, 9, 9]), Goal("faster", 1e-9)),
        Against(Skip("gone", "it is not installed"), Goal("faster", 5)),
        Against(lane_of("near", [3, 4, 5]), Goal("slower", 0.0), slower=True),
    ]
    bad, gone, near = face_off(head, lane_of("ours", right), rivals, right, TINY)
    assert (bad.wrong, bad.answered, bad.met, bad.goal) == (2, 3, True, ">= 1e-09 x faster")
    assert bad.ratio > 0
    assert (gone.note, gone.met, gone.rival_value) == ("skipped: it is not installed", None, None)
    assert gone.ours is not None
    assert (near.wrong, near.met, near.slower) == (0, False, True)


def test_an_answer_that_changes_while_timed_is_refused():
    right = np.array([1, 2], np.int32)
    calls = []

    def run(lo, hi):
        calls.append(1)
        return right[lo:hi] + (len(calls) > 2)

    with pytest.raises(WrongAnswerError, match="while timed"):
        face_off(Row("case", "work"), Lane("ours", run, 2, 2), [], right, TINY)
