"""The time of a question holds for every question inside it."""

from __future__ import annotations

import threading

import pytest

from solver import load_rules, solve
from solver.deadline import Deadline
from solver.engine.scoring import score_round
from solver.errors import LimitError
from solver.players.advice import advise
from solver.players.facts import Facts, view_of

PAST = Deadline(0.0, 2.5)


def test_a_question_without_a_time_has_that_of_the_question_around_it():
    with PAST.around():
        assert Deadline.after(None) is PAST
        assert Deadline.after(7) is PAST  # a part has no more time than the whole
    with Deadline.after(60).around():
        own = Deadline.after(7)
        assert own.limit_s == 7
        with own.around():
            assert Deadline.after(None) is own
        assert Deadline.after(None).limit_s == 60
    assert Deadline.after(None).left() is None


def test_another_thread_has_a_time_of_its_own():
    seen = []
    with PAST.around():
        thread = threading.Thread(target=lambda: seen.append(Deadline.after(None).left()))
        thread.start()
        thread.join()
    assert seen == [None]


def test_an_error_inside_ends_it():
    with pytest.raises(ZeroDivisionError), PAST.around():
        _ = 1 / 0
    assert Deadline.after(None).left() is None


def test_no_score_and_no_advice_is_made_of_what_is_not_proved():
    rules = load_rules("three-thirteen", cards_dealt=9, players=2)
    hands = ["7S 8S 9S 2H 3H 4H TD JD QD", "KS KH 7D 8D 2C 3C 9H JS 4D"]
    with PAST.around():
        assert not solve(hands[1], rules).proved
        with pytest.raises(LimitError) as caught:
            score_round(hands, rules, out=0)
        assert caught.value.code == "limit.time"
        with pytest.raises(LimitError) as caught:
            advise(view_of(f"{hands[1]} 5H", rules, Facts()))
        assert caught.value.code == "limit.time"
    assert score_round(hands, rules, out=0).players[1].penalty == 34
