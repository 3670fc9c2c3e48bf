"""Bench of advice: values are counted out before the clock, and a wrong one ends the row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bench import advice, cases
from bench.corpus import GAMES, make_corpus
from bench.plan import Plan
from bench.truth import WrongAnswerError
from solver.cards import counts_of, parse_cards
from solver.players.advice import advise
from solver.players.answer import Mean
from solver.players.closed import weigh_discards
from solver.players.facts import Facts
from solver.players.neighbours import pool_of
from solver.rules.loader import load_rules

TINY = Plan(quick=True, n_rounds=1)


def question(text, rules, ask):
    return advice._question(parse_cards(text), rules, Facts(ask=ask))


def test_a_draw_is_counted_out():
    # K Q J and T cost 10, threes are wild: a king or a three completes the kings, the five goes.
    rules = load_rules("three-thirteen", cards_dealt=3, packs=1)
    asked = question("KS KH 5D", rules, "draw")
    after = advice.after_draws(asked, advice._closed(asked))[-1]
    drawn = {text: after[parse_cards(text)[0]] for text in ("KD", "3C", "5S", "4C", "QS")}
    # Otherwise no three cards meld, and the dearest of four goes.
    assert drawn == {"KD": 0, "3C": 0, "5S": 20, "4C": 19, "QS": 25}
    assert advice.prove_draw(asked, advise(asked.seen)) == advise(asked.seen).value.total


def test_hands_after_two_discards_are_complete():
    rules = load_rules("three-thirteen", cards_dealt=3, packs=1)
    asked = question("KS KH 5D 6D", rules, "play")
    rows, keys, cards = advice.next_hands(asked)
    assert len(cards) == 48
    assert len(rows) == len(keys) == 6 * 48
    assert (rows.sum(axis=1) == 3).all()
    hand = counts_of(parse_cards("KS KH 5D 6D")).astype(int)
    for row, (card, first, second) in zip(rows[:60], keys[:60], strict=True):
        change = row.astype(int) - hand
        assert change.sum() == -1
        wanted = np.zeros(66, int)
        for place, n in ((card, 1), (first, -1), (second, -1)):
            wanted[place] += n
        assert (change == wanted).all()


@pytest.mark.parametrize(
    ("game", "ask", "prove"),
    [
        ("three-thirteen", "draw", advice.prove_draw),
        ("five-crowns", "play", advice.prove_discard),
    ],
)
def test_a_wrong_value_is_found_out(game, ask, prove):
    (asked,) = advice.make_questions(game, ask, 1)
    told = advise(asked.seen)
    assert prove(asked, told) == told.value.total
    best = told.options[0]
    off = replace(best, value=Mean(best.value.total + 1, best.value.of))
    with pytest.raises(WrongAnswerError, match="as counted out"):
        prove(asked, replace(told, options=(off, *told.options[1:])))


def test_a_missing_discard_is_found_out():
    (asked,) = advice.make_questions("three-thirteen", "play", 1)
    told = advise(asked.seen)
    with pytest.raises(WrongAnswerError, match="discards"):
        advice.prove_discard(asked, replace(told, options=told.options[:-1]))


@pytest.mark.parametrize("style", ["dense", "wilds", "near_zero"])
@pytest.mark.parametrize(
    ("game", "size"),
    [("three-thirteen", 14), ("five-crowns", 14), ("indian-13", 14), ("deuces-arent-wild", 15)],
)
def test_what_is_not_solved_is_known(game, size, style):
    corpus = make_corpus(GAMES[game], style, 2, n_cards=size)
    for hand in corpus.cards.tolist():
        asked = advice._question(hand, corpus.rules, Facts(ask="play"))
        pool = pool_of(asked.seen)
        found = weigh_discards(asked.hand, pool, asked.rules, ahead=True)
        after = advice.after_draws(asked, advice._closed(asked))
        assert found.kinds.tolist() == list(after)
        assert [dict(zip(pool.cards.tolist(), row, strict=True)) for row in found.after] == list(
            after.values()
        )


def test_turns_of_liverpool_are_proved():
    asked = advice.make_turns(3)
    assert [int(q.hand.sum()) for q in asked] == [14] * 3
    assert all(len(q.seen.table) >= 4 for q in asked)
    told = [advise(q.seen) for q in asked]
    assert [advice.prove_turn(q, a) for q, a in zip(asked, told, strict=True)] == [
        a.value.total for a in told
    ]
    assert any(o.plan is not None for a in told for o in a.options)


def test_rows_have_their_goals(monkeypatch):
    monkeypatch.setattr(advice, "HANDS", (3, 3))
    monkeypatch.setattr(advice, "TURNS", (2, 2))
    chosen = [case for case in cases.CASES if case.name.startswith("advice-")]
    assert [case.name for case in chosen] == [
        "advice-draw-three-thirteen",
        "advice-draw-five-crowns",
        "advice-discard-three-thirteen",
        "advice-discard-five-crowns",
        "advice-liverpool",
    ]
    rows = [row for case in chosen for row in case.measure(TINY)]
    assert [row.goal for row in rows] == ["<= 2.00 ms", ""] * 4 + ["", ""]
    assert all(row.ours_worst >= row.ours > 0 and "counted out" in row.proof for row in rows)
