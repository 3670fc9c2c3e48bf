"""The suit engine against exhaustive search and hand-derived answers."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from solver.cards import counts_of, format_hand, read_hand
from solver.compile.decode import decode
from solver.compile.tables import compile_suit
from solver.kernels.suit_layout import P_SPLIT, SPLIT_ALL, SPLIT_PURE, TOO_LARGE
from solver.melds import check_arrangement, check_contract, penalty
from solver.rules.loader import load_rules
from solver.solve.suit import covers_suit, penalties_suit, solve_suit
from tests.oracles.brute import brute_contract, brute_value
from tests.strategies import SeededSource, as_game, make_contract_rules, make_hand, random_case


def least(hand, rules, *, contract=False):
    """Return what the many-hands kernel says of one hand."""
    return int(penalties_suit(read_hand(hand)[None, :], rules, contract=contract)[0])


def laid(hand, rules):
    """Return the text of the canonical arrangement, judged."""
    counts = read_hand(hand)
    found = solve_suit(counts, rules)
    assert found is not None
    arrangement = check_arrangement(counts, decode(counts, found[1], rules.meld).melds, rules)
    assert penalty(arrangement, rules) == found[0] == least(hand, rules)
    return arrangement.text()


# --- against exhaustive search ------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_random_hands_under_random_rules(seed):
    rng = random.Random(500 + seed)
    n_judged = 0
    for _ in range(60):
        rules, hand = random_case(rng, 0, 8)
        counts = counts_of(hand)
        if covers_suit(rules, counts) is not None:
            continue
        n_judged += 1
        told = (format_hand(hand), rules.meld)
        found = solve_suit(counts, rules)
        assert found is not None, told
        arrangement = decode(counts, found[1], rules.meld)
        arrangement = check_arrangement(counts, arrangement.melds, rules)
        got = (penalty(arrangement, rules), len(arrangement.deadwood), len(arrangement.melds))
        best = brute_value(hand, rules)
        assert got == best, told
        assert found[0] == least(counts, rules) == best.penalty, told
    assert n_judged >= 40


@pytest.mark.parametrize("seed", range(4))
def test_random_contracts(seed):
    rng = random.Random(900 + seed)
    source = SeededSource(rng)
    n_judged = n_met = 0
    while n_judged < 30:
        # Whether all cards must go is judged above the engine; extra melds are not its business.
        meld = replace(make_contract_rules(source), use_all=False, extra_melds=False)
        meld = replace(meld, set_min_naturals=1, run_min_naturals=1, forbid_adjacent_runs=False)
        rules = as_game(meld)
        for _ in range(3):
            hand = make_hand(source, meld, 5, 9)
            counts = counts_of(hand)
            if covers_suit(rules, counts, contract=True) is not None:
                continue
            n_judged += 1
            left = brute_contract(hand, rules)
            found = solve_suit(counts, rules, contract=True)
            assert found is not None
            assert found[0] == left, (format_hand(hand), meld)
            assert least(counts, rules, contract=True) == (-1 if left is None else left)
            if left is not None:
                n_met += 1
                judged = check_contract(counts, decode(counts, found[1], meld).melds, rules)
                assert sum(meld.points[c] for c in judged.deadwood) == left
    assert n_met >= 2


# --- hand-derived -------------------------------------------------------------------------------


def test_a_card_wanted_twice_goes_where_it_saves_more():
    #     4 5 6       The 6S can complete either meld; both together leave only the king.
    #  S  4 5 6 K
    #  HDC    6
    assert laid("4S 5S 6S 6H 6D 6C KS", load_rules("gin")) == ("R[4S 5S 6S] S[6H 6D 6C] / left KS")
    # With one six fewer the run (15) and the set (18) exclude each other: left 4 + 5 + 10.
    assert least("4S 5S 6S 6H 6D KS", load_rules("gin")) == 19


@pytest.mark.parametrize(
    ("hand", "left"),
    [
        ("", 0),
        ("KS", 10),
        ("5S 5H", 10),
        ("AS 2S 3S 3H 3D", 3),  # the set saves 9, the run 6
        ("QS KS AS", 21),  # the ace is low
        ("2S 3S 4S 5S 5H 5D", 0),
    ],
)
def test_gin(hand, left):
    assert least(hand, load_rules("gin")) == left


def test_a_lone_natural_takes_two_wilds():
    rules = load_rules("three-thirteen", cards_dealt=5)
    # Fives are wild. 9S with both leaves the two; 9S 9H with one leaves the two as well and a
    # wild, which then makes nothing: so all three nines and wilds go together.
    assert least("9S 5H 5D 2C", rules) == 2
    assert least("9S 9H 5H 2C", rules) == 2
    # A run of 8S 9S with one wild and the lone K with none: K 10 stays.
    assert least("8S 9S 5H KD", rules) == 10
    # One wild each: 8S 9S + 5H, KD KC + 5D.
    assert least("8S 9S 5H KD KC 5D", rules) == 0
    # Only wilds.
    assert least("5S 5H 5D", rules) == 0


def test_a_wild_card_is_read_as_itself_for_a_pure_run():
    rules = load_rules("indian-13", wild_ranks=["7"])
    hand = "6H 7H 8H 2S 3S JK"
    total = sum(rules.meld.points[c] for c in np.flatnonzero(read_hand(hand)))
    assert total > 0
    # 6H 7H 8H is the pure run; 2S 3S JK the second one.
    assert least(hand, rules) == 0
    # A seven that is only wild leaves no pure run, so every card counts.
    strict = replace(rules, meld=replace(rules.meld, wild_as_natural=False))
    assert least(hand, strict) == total
    # Two sevens of different suits as naturals help no more than one: the same hand, one more run.
    assert least(hand + " 6D 7D 8D", rules) == 0


def test_which_splits_of_roles_are_tried():
    rules = load_rules("indian-13", wild_ranks=["7"])
    assert compile_suit(rules.meld).params[P_SPLIT] == SPLIT_PURE
    assert compile_suit(replace(rules.meld, run_max_wilds=1)).params[P_SPLIT] == SPLIT_ALL
    assert compile_suit(replace(rules.meld, wild_as_natural=False)).params[P_SPLIT] == 0


def test_contract_of_two_sets():
    rules = load_rules("liverpool", deal=1)
    points = rules.meld.points
    hand = "7S 7H 7C KD KC KS QS 3D"
    left = sum(points[int(c)] for c in np.flatnonzero(read_hand("QS 3D")))
    assert least(hand, rules, contract=True) == left
    # With a set and a half it cannot be met; a joker completes it.
    assert least("7S 7H 7C KD KC QS 3D", rules, contract=True) == -1
    assert least("7S 7H 7C KD KC JK QS 3D", rules, contract=True) == left


def test_a_fourth_card_joins_a_contract_set():
    rules = load_rules("liverpool", deal=1)
    assert least("7S 7H 7C 7D KD KC KS", rules, contract=True) == 0


# --- reach --------------------------------------------------------------------------------------


def test_hands_out_of_reach_are_told():
    rules = as_game(load_rules("three-thirteen", cards_dealt=5).meld)
    # More of one card than a set row can say.
    assert least([0] * 16, rules) == TOO_LARGE
    # More naturals of a rank than a set word has.
    assert least([0, 13, 26, 39] * 8, rules) == TOO_LARGE
    # Two whole suits doubled: 3 ** 12 keys.
    assert least([c for c in range(13) if c != 4] * 2, rules) == TOO_LARGE
    assert solve_suit(counts_of([c for c in range(13) if c != 4] * 2), rules) is None


def test_contracts_beyond_the_classes_are_not_covered():
    meld = load_rules("liverpool", deal=1).meld
    many = as_game(replace(meld, contract=(("set", 3),) * 8))
    assert "more than 7" in str(covers_suit(many, counts_of([]), contract=True))
    few = as_game(replace(meld, contract=(("set", 3),) * 7))
    assert covers_suit(few, counts_of([]), contract=True) is None
