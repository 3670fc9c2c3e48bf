"""Ends of rounds and games at the edges: several final turns, ties by the sense of the scoring,
ten and eleven cards of gin, answers shared by threads."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from solver.cards import parse_cards
from solver.engine import zones
from solver.engine.ending import finish_round
from solver.engine.facts import RoundFacts, SeatFacts
from solver.engine.scoring import score_round
from solver.engine.state import new_game
from solver.engine.turns import end_round
from solver.engine.zones import least_penalties
from solver.errors import HandError
from solver.players.advice import advise
from solver.players.facts import Facts, view_of
from solver.rules.loader import load_rules
from solver.solve import solve
from tests.engine.helpers import deal_state, play

# --- several final turns (rule book 1.5.4, key final_turns) ------------------------------------


def out_at_once(final_turns):
    """Three players; seat 1 goes out with its first discard."""
    state = deal_state(
        "three-thirteen",
        ("7H 7D 7C", "9C KC QD", "2S 4S 8D"),
        upcard="2D",
        stock="KH",
        cards_dealt=3,
        final_turns=final_turns,
    )
    return play(state, "1 draw", "1 out KH")


@pytest.mark.parametrize("final_turns", [1, 2, 3])
def test_every_other_player_gets_so_many_final_turns(final_turns):
    state = out_at_once(final_turns)
    turns = []
    while not state.is_over and state.round_no == 1:
        seat = state.actor
        turns.append(seat)
        state = play(state, f"{seat} draw")
        card = "A23456789TJQK"[state.round.hands[seat][0] % 13]
        suit = "SHDC"[state.round.hands[seat][0] // 13]
        state = play(state, f"{seat} discard {card}{suit}")
    assert turns == [2, 0] * final_turns


@pytest.mark.parametrize(
    ("final_turns", "turns_left", "horizon"),
    [(1, None, "now"), (1, 1, "now"), (2, None, "next_turn"), (2, 2, "next_turn"), (2, 1, "now")],
)
def test_advice_knows_which_turn_is_the_last(final_turns, turns_left, horizon):
    rules = load_rules("three-thirteen", cards_dealt=3, players=3, final_turns=final_turns)
    facts = Facts(out=1, turns_left=turns_left, players=3)
    advice = advise(view_of("9C KC QD 2S", rules, facts))
    assert advice.horizon == horizon
    assert not any(option.ends for option in advice.options)
    if horizon == "now":
        assert advice.reason == "it is the last turn, and 21 points left is the least"
    else:
        assert "end the round" not in advice.reason
        assert {option.chance_out.total for option in advice.options} == {0}


def test_advice_of_the_last_but_one_turn_is_the_mean_over_the_last_draw():
    rules = load_rules("three-thirteen", cards_dealt=3, players=2, final_turns=2)
    hand = "9C KC QD 2S"
    advice = advise(view_of(hand, rules, Facts(out=1)))
    best = min(advice.options, key=lambda option: option.value.exact)
    cards = parse_cards(hand)
    unseen = [c for c in range(52) if c not in cards]
    kept = [c for c in cards if c != best.move.card]
    total = 0
    for card in unseen:
        four = [*kept, card]
        total += min(solve([c for c in four if c != gone], rules).penalty for gone in four)
    assert best.value.exact * len(unseen) == total


@pytest.mark.parametrize("turns_left", [0, 2, -1])
def test_turns_that_the_game_does_not_give_are_refused(turns_left):
    rules = load_rules("three-thirteen", cards_dealt=3, players=3)
    with pytest.raises(HandError) as caught:
        view_of("9C KC QD 2S", rules, Facts(out=1, turns_left=turns_left))
    assert (caught.value.code, caught.value.faults[0].where) == ("advice.turns", "/turns_left")


# --- ties (rule book 1.7) by the sense of the scoring --------------------------------------------


def last_round(game, tie_break, earlier, **options):
    """The winners of a game whose last round ends without score, after the rounds told."""
    n_seats = len(earlier[0])
    rules = load_rules(
        game, tie_break=tie_break, end_score=None, rounds=len(earlier) + 1, **options
    )
    state = new_game(rules, n_seats)
    facts = RoundFacts((SeatFacts(),) * n_seats, None, "dead")
    state = replace(
        state,
        round_no=len(earlier) + 1,
        totals=tuple(map(sum, zip(*earlier, strict=True))),
        points=tuple(earlier),
        history=((facts, state.round.rules),) * len(earlier),
        round=end_round(state.round, "dead"),
    )
    return finish_round(state).winners


@pytest.mark.parametrize(
    ("game", "tie_break", "earlier", "winners"),
    [
        # Many points are good: seat 1 wins two rounds of three, seat 0 one.
        ("gin", "most_rounds_won", [(45, 0), (0, 20), (0, 25)], (1,)),
        ("rum-500", "most_rounds_won", [(45, 5), (10, 20), (0, 30)], (1,)),
        # The last round without score decides nothing.
        ("gin", "fewest_points_last_round", [(45, 0), (0, 45)], (0, 1)),
        # Few are good.
        ("liverpool", "most_rounds_won", [(45, 0, 90), (0, 20, 90), (0, 25, 90)], (0,)),
        ("liverpool", "most_rounds_won", [(0, 45, 90), (20, 0, 90), (25, 0, 90)], (1,)),
    ],
)
def test_rounds_are_won_as_the_scoring_says(game, tie_break, earlier, winners):
    assert last_round(game, tie_break, earlier) == winners


@pytest.mark.parametrize(
    ("game", "last", "winners"),
    [
        ("gin", (25, 20), (0,)),  # the better last round is the one with more points
        ("rum-500", (-5, 10), (1,)),
        ("three-thirteen", (25, 20), (1,)),
    ],
)
def test_the_last_round_is_best_as_the_scoring_says(game, last, winners):
    from solver.engine.ending import _break_tie  # noqa: PLC0415 - the rule itself

    rules = load_rules(game, tie_break="fewest_points_last_round", rounds=2, end_score=None)
    state = replace(new_game(rules, 2), points=(last[::-1], last))
    assert _break_tie(state, (0, 1)).winners == winners


def test_the_last_round_is_compared_among_the_tied_alone():
    from solver.engine.ending import _break_tie  # noqa: PLC0415 - the rule itself

    rules = load_rules("three-thirteen", tie_break="fewest_points_last_round")
    state = replace(new_game(rules, 3), points=((30, 20, 0),))
    assert _break_tie(state, (0, 1)).winners == (1,)


# --- gin of ten cards, big gin of eleven ----------------------------------------------------------


def test_ten_cards_of_gin_are_no_big_gin():
    ten, other = "4S 5S 6S 7S 7H 7D 7C JH QH KH", "AS 3S 9S JS 2H 4H 6H 8D TD 2C"
    left = solve(other, load_rules("gin")).penalty
    for options in ({}, {"big_gin_bonus": 31}):
        score = score_round([ten, other], load_rules("gin", **options), out=0)
        assert score.points == (left + 25, 0)
        assert score.players[0].note == "gin"
    score = score_round([f"{ten} TH", other], load_rules("gin", big_gin_bonus=31), out=0)
    assert (score.points, score.players[0].note) == ((left + 31, 0), "big gin")


def test_eleven_cards_that_do_not_all_meld_are_no_knock():
    eleven, other = "4S 5S 6S 7S 7H 7D 7C JH QH KH AC", "AS 3S 9S JS 2H 4H 6H 8D TD 2C"
    with pytest.raises(HandError) as caught:
        score_round([eleven, other], load_rules("gin", big_gin_bonus=31), out=0)
    assert caught.value.code == "knock.limit"
    assert "big gin" in str(caught.value)


# --- answers kept by the referee ----------------------------------------------------------------


def test_threads_share_kept_answers_while_these_are_thrown_away(monkeypatch):
    monkeypatch.setattr(zones, "_MAX_KEPT", 20)
    rules = load_rules("gin")
    rng = random.Random(1)
    hands = [tuple(sorted(rng.sample(range(52), 10))) for _ in range(120)]
    wanted = {hand: solve(list(hand), rules).penalty for hand in hands}

    def ask(seed):
        order = random.Random(seed)
        for _ in range(150):
            some = order.sample(hands, 8)
            assert least_penalties(some, rules) == [wanted[hand] for hand in some]
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(4)))
