"""The oracles against themselves and against known counts: nothing is trusted unchecked."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from solver.rules.model import MeldRules
from tests.oracles import brute, naive_melds
from tests.strategies import random_case

GIN = MeldRules(set_max=4, set_distinct_suits=True)


def test_both_meld_tests_agree():
    rng = random.Random(20_001)
    n_melds = 0
    for _ in range(300):
        game, hand = random_case(rng, 2, 8)
        for _ in range(3):
            cards = tuple(sorted(rng.sample(hand, min(len(hand), rng.randint(2, 4)))))
            is_meld = bool(naive_melds.readings(cards, game.meld))
            n_melds += is_meld
            assert is_meld == naive_melds.is_meld_by_placing(cards, game.meld), (cards, game.meld)
    assert n_melds > 150


def test_packing_agrees_with_listing_every_arrangement():
    rng = random.Random(20_002)
    n_laid = 0
    for _ in range(300):
        game, hand = random_case(rng, 0, 7)
        value = brute.brute_value(hand, game)
        found = brute.brute_all_optimal(hand, game)
        assert value is not None
        assert found
        for melds in found:
            melded = [card for meld in melds for card in meld]
            assert (len(hand) - len(melded), len(melds)) == value[1:]
            if game.meld.hand_require is None:
                left = sum(game.meld.points[card] for card in hand)
                assert left - sum(game.meld.points[card] for card in melded) == value.penalty
        n_laid += value.melds > 0
    assert n_laid > 100


@pytest.mark.parametrize(
    ("n_cards", "zeros", "penalties"),
    [(3, 96, 431_596), pytest.param(4, 53, 6_988_428, marks=pytest.mark.slow)],
)
def test_all_hands_of_one_pack(n_cards, zeros, penalties):
    # Known from two unrelated enumerations of one pack: ace low, sets 3-4, runs 3+, courts 10.
    n_zero = total = 0
    for hand in combinations(range(52), n_cards):
        ranks, suits = {c % 13 for c in hand}, {c // 13 for c in hand}
        if len(ranks) > 2 and len(suits) > 2:  # no three of a rank, no three of a suit
            total += sum(GIN.points[c] for c in hand)
            continue
        penalty = brute.brute_penalty(hand, GIN)
        n_zero += penalty == 0
        total += penalty
    assert (n_zero, total) == (zeros, penalties)


def test_number_of_melds_of_one_pack():
    sets = [
        tuple(suit * 13 + rank for suit in suits)
        for rank in range(13)
        for k in (3, 4)
        for suits in combinations(range(4), k)
    ]
    runs = [
        tuple(suit * 13 + rank for rank in range(first, last + 1))
        for suit in range(4)
        for first in range(13)
        for last in range(first + 2, 13)
    ]
    assert len(sets) + len(runs) == 329
    assert all(brute.is_meld(cards, GIN) for cards in sets + runs)
    assert not any(brute.is_meld(cards[:2], GIN) for cards in sets + runs)
