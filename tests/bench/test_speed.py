"""Speed held by ratios inside one run; absolute times are only recorded, by pytest-benchmark.

Bounds are twice to five times looser than what is measured, so that a busy machine does not fail.
"""

from __future__ import annotations

import pytest

from bench.corpus import GAMES, make_corpus
from bench.lanes import counts_lane, cpsat_lane, engine_lane, floor_lane, packed_lane
from bench.measure import Lane, interleave
from bench.peers import openspiel_lane
from solver.cards import format_card
from solver.solve import best_discard, pack_counts, solve, solve_many

ROUNDS = 9
MANY_ROUNDS = 50
"""Of lanes of some ten microseconds: a busy machine disturbs most of nine, never all of these."""


def ratio(rival, ours, rounds=ROUNDS):
    """Return how much longer the rival takes: best round against best round.

    Best, since other programs only add to a time, and to a long round more often than to a short.
    """
    mine, theirs = interleave([ours, rival], rounds)
    return theirs.best_ns / mine.best_ns


def few(lane, per_round):
    return Lane(lane.name, lane.run, lane.n_hands, per_round)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "least"), [("three-thirteen", 1_000), ("five-crowns", 800), ("indian-13", 80)]
)
def test_the_compiled_engine_is_far_ahead_of_cpsat(game, least):
    corpus = make_corpus(GAMES[game], "random", 200)
    assert ratio(few(cpsat_lane(corpus), 5), counts_lane(corpus)) >= least


@pytest.mark.slow
def test_one_question_is_far_quicker_than_by_cpsat():
    corpus = make_corpus(GAMES["three-thirteen"], "random", 200)
    ours = few(engine_lane(corpus, "suit", 40), 40)
    assert ratio(few(cpsat_lane(corpus), 5), ours) >= 5


def test_packed_hands_are_near_the_floor():
    # Enough hands that the 16 us of a call do not count.
    corpus = make_corpus(GAMES["gin"], "random", 20_000)
    assert ratio(packed_lane(corpus), floor_lane(corpus), MANY_ROUNDS) <= 12


def test_counts_cost_little_more_than_packed_hands():
    corpus = make_corpus(GAMES["gin"], "random", 2_000)
    assert ratio(counts_lane(corpus), packed_lane(corpus), MANY_ROUNDS) <= 8


def test_openspiel_is_left_behind():
    corpus = make_corpus(GAMES["gin"], "random", 2_000)
    rival = openspiel_lane(corpus)
    if not isinstance(rival, Lane):
        pytest.skip(rival.why)
    assert ratio(rival, packed_lane(corpus)) >= 60


@pytest.mark.parametrize("game", ["gin", "three-thirteen", "five-crowns"])
def test_time_of_many_packed_hands(benchmark, game):
    corpus = make_corpus(GAMES[game], "random", 2_000)
    words = pack_counts(corpus.counts, corpus.rules)
    right = solve_many(corpus.counts, corpus.rules)
    told = benchmark.pedantic(solve_many, args=(words, corpus.rules), rounds=5, warmup_rounds=1)
    assert (told == right).all()
    benchmark.extra_info["hands"] = len(corpus)


def test_time_of_one_question(benchmark):
    rules = GAMES["three-thirteen"].rules()
    hand = "7S 7H KC KD 3C 4C 5C 9H TH JH QD 2S 2H"
    found = benchmark.pedantic(solve, args=(hand, rules), rounds=20, warmup_rounds=2)
    # 3 4 5 and 9 T J are runs; one king each for 7 7 and 2 2; the queen is left.
    assert found.penalty == 10


def test_time_of_all_discards(benchmark):
    rules = GAMES["gin"].rules()
    hand = "7S 7H 7D 8S 9S TS KC QD 2C 3D AH"
    best = benchmark.pedantic(best_discard, args=(hand, rules), rounds=10, warmup_rounds=2)
    # K Q 3 2 A are left over, 26 points: without the king or the queen 16.
    assert [(format_card(o.card), o.penalty) for o in best[:3]] == [
        ("QD", 16),
        ("KC", 16),
        ("3D", 23),
    ]
