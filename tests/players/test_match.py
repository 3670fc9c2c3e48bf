"""Matches: seeded, mirrored, and the right arithmetic of their intervals."""

from __future__ import annotations

import random

import pytest

from solver.engine.moves import Discard, Draw
from solver.errors import LimitError, RulesError
from solver.players.match import (
    POLICIES,
    Interval,
    play_match,
    play_out,
    seatings,
)
from solver.rules.loader import load_rules

RULES = load_rules("deuces-arent-wild", cards_dealt=9)
"""Six rounds of nine to fourteen cards: a game starts at the round that its rules choose."""


def match(first="greedy", second="greedy", **changes):
    settings = {"n_games": 2, "seed": 7, "n_seats": 2, **changes}
    return play_match(first, second, RULES, **settings)


def test_equal_seeds_give_equal_matches_and_others_do_not():
    one, again = match("expectation", "greedy"), match("expectation", "greedy")
    assert one == again
    assert match("expectation", "greedy", seed=8) != one


def test_a_match_of_a_policy_with_itself_is_even_on_mirrored_deals():
    # Both seatings of a deal are then the same game seen from either side.
    result = match()
    assert result.n_games == 2
    assert result.points[0] == result.points[1]
    assert (result.advantage.mean, result.win_share.mean) == (0, 0.5)


def test_the_better_player_is_told():
    result = match("expectation", "random", n_games=2)
    assert result.advantage.mean > 0
    assert result.points[0] < result.points[1]
    assert result.win_share.mean == 1
    other_way = match("random", "expectation", n_games=2)
    assert other_way.win_share.mean == 0


def test_games_are_rounded_up_to_whole_blocks():
    assert match(n_games=1).n_games == 2
    assert match(n_games=3).n_blocks == 2


def test_seatings_of_two_and_of_three():
    assert seatings(2) == [(0, 1), (1, 0)]
    of_three = seatings(3)
    assert len(of_three) == 6
    for seat in range(3):
        assert sum(row[seat] for row in of_three) == 3
    assert of_three[0] == (0, 1, 1)
    assert of_three[3] == (1, 0, 0)


def test_three_seats_of_liverpool():
    rules = load_rules("liverpool", deal=6)
    result = play_match("expectation", "greedy", rules, n_games=6, seed=1, n_seats=3)
    assert result.n_games == 6
    assert result.fair_share == 0.5
    assert 0 <= result.win_share.mean <= 1


def test_the_loop_asks_the_policies_and_nothing_else_is_random():
    class FirstMove:
        def __init__(self):
            self.asked = []

        def choose(self, seen, moves, rng):
            assert isinstance(rng, random.Random)
            self.asked.append(seen.seat)
            return next((m for m in moves if isinstance(m, Draw)), moves[0])

    players = [FirstMove(), FirstMove()]
    rules = load_rules("three-thirteen", cards_dealt=13, max_turns_per_round=3)
    state, n_moves = play_out(rules, players, 5)
    assert n_moves == len(players[0].asked) + len(players[1].asked) == 2 * 2 * 3
    assert set(players[0].asked) == {0}
    assert set(players[1].asked) == {1}
    assert state.is_over


def test_a_slice_of_the_legal_moves():
    class Slicer:
        def choose(self, seen, moves, rng):
            assert moves[:1] == (moves[0],)
            assert len(moves) == len(list(moves))
            return moves[-1] if not isinstance(moves[-1], Discard) else moves[0]

    rules = load_rules("three-thirteen", cards_dealt=13, max_turns_per_round=1)
    state, _ = play_out(rules, [Slicer(), Slicer()], 5)
    assert state.is_over


@pytest.mark.parametrize(
    ("freedom", "wanted"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (9, 2.262), (29, 2.045), (199, 1.972)],
)
def test_intervals_follow_the_printed_table_of_students_distribution(freedom, wanted):
    # Values 0 and 1 alternate as far as they can; half width = t * s / sqrt(n).
    n = freedom + 1
    values = [float(i % 2) for i in range(n)]
    m = sum(values) / n
    spread = (sum((v - m) ** 2 for v in values) / freedom) ** 0.5
    interval = Interval.of(values)
    assert interval.mean == pytest.approx(m)
    assert interval.half_width == pytest.approx(wanted * spread / n**0.5, rel=0.01)


def test_values_that_do_not_differ_have_no_interval():
    assert Interval.of([1.0] * 9) == Interval(1.0, None)
    assert Interval.of([3.0]) == Interval(3.0, None)
    assert Interval.of([3.0]).to_json() == {"mean": 3.0, "low": None, "high": None}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"first": "cheat"}, "match.player"),
        ({"second": "cheat"}, "match.player"),
        ({"n_games": 0}, "match.games"),
        ({"n_seats": 1}, "match.players"),
    ],
)
def test_what_is_no_match(changes, code):
    with pytest.raises(LimitError) as caught:
        match(**changes)
    assert caught.value.code == code


def test_too_many_seats_for_the_game():
    with pytest.raises(RulesError):
        match(n_seats=4)


def test_every_policy_plays_every_kind_of_game_by_the_rules():
    # The referee refuses an illegal move, so a game that ends was played by the rules.
    for game, options, n_seats in (
        ("gin", {"end_score": 20}, 2),
        ("speed-three-thirteen", {"cards_dealt": 13, "max_turns_per_round": 30}, 2),
        ("indian-13", {"max_turns_per_round": 30}, 2),
        ("rum-500", {"end_score": 5, "max_turns_per_round": 20}, 2),
        ("kalooki-51", {"max_turns_per_round": 12}, 2),
    ):
        rules = load_rules(game, **options)
        for name in ("greedy", "expectation"):
            seats = [POLICIES[name]() for _ in range(n_seats)]
            state, n_moves = play_out(rules, seats, 3)
            assert state.is_over
            assert n_moves > 0
