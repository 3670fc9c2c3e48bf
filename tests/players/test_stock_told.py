"""The number of cards in the stock is a fact: what it cannot bring is not promised."""

from __future__ import annotations

import numpy as np
import pytest

from solver.cards import counts_of, format_card, parse_card, parse_cards
from solver.engine.moves import Draw, Pass, Take
from solver.errors import HandError
from solver.players.advice import advise
from solver.players.facts import Facts, view_of
from solver.rules.loader import load_rules
from solver.solve import solve

GIN_HAND = "7S 7H 7D 8S 9S TS 2C 3C 4C 5D"
LIVERPOOL_HAND = "5S 5H 5D 7H 8H 9H TH KS KD 3C"


def told(hand, rules, discard, **facts):
    return advise(view_of(hand, rules, Facts(discard=parse_card(discard), **facts)))


def values(advice):
    return {type(option.move): option.value.exact for option in advice.options}


@pytest.mark.parametrize("n_stock", [0, 1, 2])
def test_gin_at_the_wall_draws_nothing(n_stock):
    advice = told(GIN_HAND, load_rules("gin"), "KD", n_stock=n_stock)
    assert values(advice) == {Pass: 5, Take: 10}
    assert not advice.outs
    assert "ends the round without a score" in advice.reason
    above = told(GIN_HAND, load_rules("gin"), "KD", n_stock=3)
    assert set(values(above)) == {Draw, Take}


def test_an_empty_stock_that_is_not_rebuilt_ends_the_round():
    rules = load_rules("three-thirteen", cards_dealt=3, stock_empty="end_round")
    for seen in ("", "5C 7D"):
        advice = told("5S 5H 9D", rules, "6S", n_stock=0, seen=seen)
        assert values(advice) == {Take: 16, Draw: 19}
        assert not advice.outs
    rules = load_rules("liverpool", deal=2, stock_empty="end_round")
    # Without a draw nobody goes down: every card of the hand counts, the contract too.
    assert values(told(LIVERPOOL_HAND, rules, "4C", n_stock=0)) == {Take: 20, Pass: 65}


def test_an_empty_stock_is_rebuilt_of_the_discards_that_are_told():
    rules = load_rules("three-thirteen", cards_dealt=3)
    with pytest.raises(HandError, match="below the top") as caught:
        told("5S 5H 9D", rules, "6S", n_stock=0)
    assert (caught.value.code, caught.value.where) == ("advice.stock", "/seen")
    advice = told("5S 5H 9D", rules, "6S", n_stock=0, seen="5C 7D")
    hand, best = counts_of(parse_cards("5S 5H 9D")), []
    for card in parse_cards("5C 7D"):
        more = hand.copy()
        more[card] += 1
        rest = [more - np.eye(len(more), dtype=more.dtype)[k] for k in np.flatnonzero(more)]
        best.append(min(solve(row, rules).penalty for row in rest))
    assert values(advice)[Draw] == sum(best) / 2
    assert {format_card(out.card) for out in advice.outs} <= {"5C", "7D"}


@pytest.mark.parametrize(
    ("ask", "options", "n_stock", "where"),
    [
        ("buy", {"stock_empty": "end_round"}, 0, "/stock"),
        ("buy", {"stock_empty": "end_round", "buy_price": 2}, 1, "/stock"),
        ("buy", {}, 0, "/seen"),
        ("draw", {}, 0, "/seen"),
        ("draw", {}, 500, "/stock"),
        ("play", {}, 98, "/stock"),
    ],
)
def test_a_stock_that_cannot_be(ask, options, n_stock, where):
    rules = load_rules("liverpool", deal=2, players=3, **options)
    hand = LIVERPOOL_HAND + (" KC" if ask == "play" else "")
    with pytest.raises(HandError) as caught:
        told(hand, rules, "JH", ask=ask, n_stock=n_stock)
    assert (caught.value.code, caught.value.where) == ("advice.stock", where)
