"""What must hold between answers, whatever the answers are: rules and hands made different."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solver.cards import counts_of
from solver.rules.loader import load_rules
from solver.rules.model import MeldRules
from tests.strategies import JOKER, as_game, hands, meld_rules, rules_and_hands

MAX_CARDS = 14


@pytest.fixture(scope="module")
def penalty(solve_module):
    """Return penalty(hand, rules) of the engine that the solver chooses."""
    return lambda hand, rules: solve_module.solve(hand, rules).penalty


def _without_requirements(rules: MeldRules) -> MeldRules:
    return replace(rules, hand_require=None, penalty_cap=None)


def _renamed(card: int, order: list[int]) -> int:
    return card if card == JOKER else order[card // 13] * 13 + card % 13


@given(case=rules_and_hands(high=MAX_CARDS), data=st.data())
def test_suits_may_be_renamed(penalty, case, data):
    game, hand = case
    rules = game.meld
    order = data.draw(st.permutations(range(rules.suits))) + list(range(rules.suits, 5))
    points = list(rules.points)
    for card in range(65):
        points[_renamed(card, order)] = rules.points[card]
    renamed = replace(
        rules,
        points=tuple(points),
        wild_cards=frozenset(_renamed(card, order) for card in rules.wild_cards),
    )
    hand_renamed = [_renamed(card, order) for card in hand]
    assert penalty(hand_renamed, as_game(renamed)) == penalty(hand, game)


@given(case=rules_and_hands(high=MAX_CARDS), data=st.data())
def test_the_order_of_cards_is_no_matter(penalty, case, data):
    game, hand = case
    assert penalty(data.draw(st.permutations(hand)), game) == penalty(hand, game)


@given(case=rules_and_hands(low=1, high=MAX_CARDS))
def test_a_card_more_costs_at_most_its_points(penalty, case):
    game, hand = case
    game = as_game(_without_requirements(game.meld))
    *fewer, card = hand
    assert penalty(hand, game) <= penalty(fewer, game) + game.meld.points[card]


@given(case=rules_and_hands(high=MAX_CARDS), data=st.data())
def test_two_hands_together_cost_no_more_than_apart(penalty, case, data):
    game, hand = case
    game = as_game(_without_requirements(game.meld))
    cut = data.draw(st.integers(0, len(hand)))
    assert penalty(hand, game) <= penalty(hand[:cut], game) + penalty(hand[cut:], game)


@given(case=rules_and_hands(high=10))
def test_a_wild_more_is_welcome_where_wilds_are_free(solve_module, case):
    game, hand = case
    rules = MeldRules(
        suits=game.meld.suits,
        ace=game.meld.ace,
        rank_lo=game.meld.rank_lo,
        wild_ranks=game.meld.wild_ranks,
        wild_cards=game.meld.wild_cards,
        points=game.meld.points,
    )
    solution = solve_module.solve(hand, as_game(rules))
    first = {"low": rules.rank_lo, "high": max(rules.rank_lo, 2)}.get(rules.ace, 1)
    last = 14 if rules.ace in ("high", "both") else 13
    has_room = any(
        meld.kind != "run" or len(meld.cards) < last - first + 1
        for meld in solution.arrangement.melds
    )
    assume(has_room)
    assert solve_module.solve([*hand, JOKER], as_game(rules)).penalty <= solution.penalty


@given(case=rules_and_hands(high=MAX_CARDS), factor=st.integers(2, 5))
def test_points_may_be_in_another_unit(penalty, case, factor):
    game, hand = case
    rules = replace(game.meld, points=tuple(min(p, 100) for p in game.meld.points))
    cap = rules.penalty_cap
    scaled = replace(
        rules,
        points=tuple(p * factor for p in rules.points),
        penalty_cap=None if cap is None else cap * factor,
    )
    assert penalty(hand, as_game(scaled)) == factor * penalty(hand, as_game(rules))


def _relaxations(rules: MeldRules) -> list[MeldRules]:
    """Return rules that allow every meld these allow, and more."""
    wider: list[MeldRules] = [
        replace(rules, run_min=max(rules.run_min - 1, 2), run_core=None),
        replace(rules, set_min=max(rules.set_min - 1, 2)),
        replace(rules, set_max=None),
        replace(rules, run_max=None),
        replace(rules, set_distinct_suits=False),
        replace(rules, set_min_naturals=0),
        replace(rules, run_min_naturals=0),
        replace(rules, run_core=None),
        replace(rules, set_max_wilds=None),
        replace(rules, run_max_wilds=None),
        replace(rules, wilds_adjacent=True),
        replace(rules, wild_ratio=None if rules.wild_ratio == "le" else "le")
        if rules.wild_ratio
        else rules,
        replace(rules, wild_as_natural=True),
        replace(rules, jokers_wild=True),
        replace(rules, hand_require=None),
    ]
    if rules.ace in ("low", "high"):
        wider.append(replace(rules, ace="both", rank_lo=1))
        wider.append(replace(rules, rank_lo=1))
    return wider


@given(case=rules_and_hands(high=MAX_CARDS), data=st.data())
def test_a_wider_rule_never_costs_more(penalty, case, data):
    game, hand = case
    wider = data.draw(st.sampled_from(_relaxations(game.meld)))
    assert penalty(hand, as_game(wider)) <= penalty(hand, game)


@given(hand=hands(as_game(MeldRules(wild_ranks=frozenset({12}))), high=13))
def test_packs_that_hold_the_hand_change_nothing(penalty, hand):
    hand = [card for card in hand if card != JOKER]
    packs = max((hand.count(card) for card in hand), default=1)
    answers = {
        penalty(hand, load_rules("three-thirteen", cards_dealt=13, packs=n))
        for n in range(packs, packs + 3)
    }
    assert len(answers) == 1


@given(case=rules_and_hands(high=9), data=st.data())
def test_one_by_one_as_in_a_batch(solve_module, case, data):
    game, first = case
    batch = [first, *data.draw(st.lists(hands(game, high=9), max_size=4))]
    counts = np.array([counts_of(hand) for hand in batch], np.uint8)
    together = solve_module.solve_many(counts, game)
    cut = data.draw(st.integers(0, len(batch)))
    apart = [*solve_module.solve_many(counts[:cut], game)]
    apart += [*solve_module.solve_many(counts[cut:], game)]
    alone = [solve_module.solve(hand, game).penalty for hand in batch]
    assert together.dtype == np.int32
    assert together.tolist() == apart == alone


@given(game=meld_rules())
def test_no_card_costs_nothing(penalty, game):
    assert penalty([], game) == 0
