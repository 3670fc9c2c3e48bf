"""Answers made of many optima against exhaustive search: ties, discards, batches, presets."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from solver.cards import counts_of, format_card, format_hand, parse_cards
from solver.errors import LimitError
from solver.rules.describe import list_rules
from solver.rules.loader import load_rules
from solver.rules.model import MeldRules
from tests.oracles import brute
from tests.oracles.compare import judge_solution
from tests.strategies import JOKER, SeededSource, as_game, make_hand, make_meld_rules

ENGINES = ("suit", "frontier", "cpsat")


def _wilds_alike(melds, rules):
    """Return melds with all wilds written alike: which wild lies where is no difference."""
    return tuple(sorted(tuple(sorted(-1 if rules.is_wild(c) else c for c in m)) for m in melds))


def test_all_optimal_arrangements(solve_module):
    source = SeededSource(random.Random(40_000))
    n_ties = 0
    for _ in range(120):
        game = as_game(make_meld_rules(source))
        for _ in range(3):
            hand = make_hand(source, game.meld, 0, 7)
            wanted = {
                _wilds_alike(melds, game.meld)
                for melds in brute.brute_all_optimal(hand, game, penalty_only=True)
            }
            try:
                found = solve_module.optimal_arrangements(hand, game, limit=5_000)
            except LimitError:
                assert game.meld.hand_require is not None
                continue
            got = {_wilds_alike([m.cards for m in a.melds], game.meld) for a in found.arrangements}
            assert found.complete
            assert got == wanted, (hand, game.meld)
            # Each combination of cards once, however its wilds are read.
            assert found.count == len(found.arrangements) == len(wanted), (hand, game.meld)
            n_ties += len(got) > 1
    assert n_ties > 30


def test_cards_that_may_be_wild_make_one_combination(solve_module):
    # T210: all four sevens in one set, whichever of them is read as the wild one.
    rules = load_rules("three-thirteen", cards_dealt=7, set_max_wilds=1, run_max_wilds=1)
    found = solve_module.optimal_arrangements("7D 7D 7C 7D", rules)
    assert (found.penalty, found.count, len(found.arrangements)) == (0, 1, 1)


@pytest.mark.parametrize("rank", ["3", "8", "K"])
def test_combinations_of_indian_rummy(rank, solve_module):
    # The pure run makes a wild rank count as itself too, so that one hand has several readings.
    rules = load_rules("indian-13", turned_card=f"{rank}S")
    source = SeededSource(random.Random(f"43 {rank}"))
    n_ties = 0
    for _ in range(40):
        hand = _deck_hand(source, rules, 8)
        wanted = {
            _wilds_alike(melds, rules.meld)
            for melds in brute.brute_all_optimal(hand, rules, penalty_only=True)
        }
        found = solve_module.optimal_arrangements(hand, rules, limit=5_000)
        assert (found.count, found.complete) == (len(wanted), True), hand
        n_ties += found.count > 1
    assert n_ties > 5


def test_all_discards(solve_module):
    source = SeededSource(random.Random(41_000))
    for _ in range(80):
        game = as_game(make_meld_rules(source))
        hand = make_hand(source, game.meld, 1, 8)
        options = solve_module.best_discard(hand, game)
        assert {o.card: o.penalty for o in options} == brute.brute_discards(hand, game)
        assert [o.penalty for o in options] == sorted(o.penalty for o in options)


@pytest.mark.parametrize(
    ("name", "options", "hand", "order"),
    [
        # Nothing is a tie here but the cards of 10: king and queen leave 12, the two leaves 20.
        ("gin", {}, "2C 7D QD 7H KS 7S", "KS QD 2C 7S 7H 7D"),
        # Either end of the run may go and leave 0, the one that costs more first.
        ("gin", {}, "3S 4S 5S 6S", "6S 3S 5S 4S"),
        # The wild three costs less than the fours, the joker more: both go last.
        ("three-thirteen", {"cards_dealt": 3}, "3S 4H 4S 4D", "4S 4H 4D 3S"),
        ("five-crowns", {"cards_dealt": 5}, "JK 8D 8H 8S", "8S 8H 8D JK"),
    ],
)
def test_ties_of_discards(solve_module, name, options, hand, order):
    found = solve_module.best_discard(hand, load_rules(name, **options))
    assert [format_card(option.card) for option in found] == order.split()


def _deck_hand(source, game, most):
    """Return a hand that the deck of a game allows."""
    cards = make_hand(source, game.meld, 3, most)
    in_deck = [c for c in cards if c == JOKER or c % 13 in game.deck.ranks]
    if not game.deck.has_jokers:
        in_deck = [c for c in in_deck if c != JOKER]
    packs, jokers = game.deck.packs, game.deck.jokers
    kept = []
    for card in in_deck:
        copies = jokers if card == JOKER else packs
        if copies is None or kept.count(card) < copies:
            kept.append(card)
    return kept


def _rounds(name):
    """Return the rules of a preset: no round chosen, its first, a middle one and its last.

    Contracts are left out: hands this small seldom meet one.
    """
    plain = load_rules(name)
    last = plain.n_rounds
    rounds = [] if last is None else sorted({1, (last + 1) // 2, last})
    games = [plain, *(load_rules(name, round=n) for n in rounds)]
    return [replace(g, meld=replace(g.meld, contract=None, use_all=False)) for g in games]


@pytest.mark.slow
@pytest.mark.parametrize("name", [info.id for info in list_rules()])
def test_presets(name, solve_module):
    source = SeededSource(random.Random(f"42 {name}"))
    for game in _rounds(name):
        hands = [_deck_hand(source, game, 10) for _ in range(30)]
        values = [brute.brute_value(hand, game) for hand in hands]
        penalties = [value.penalty for value in values]
        counts = np.array([counts_of(hand) for hand in hands], np.uint8)
        texts = [format_hand(hand) for hand in hands]
        assert solve_module.solve_many(counts, game).tolist() == penalties
        assert solve_module.solve_many(texts, game).tolist() == penalties
        for engine in ENGINES:
            for hand, value in zip(hands, values, strict=True):
                judge_solution(solve_module, hand, game, engine, value)


@pytest.mark.parametrize(
    "limits",
    [
        {"run_min": 4},
        {"set_min": 2},
        {"rank_lo": 3},
        {"rank_lo": 3, "ace": "high"},
        {"run_max": 3},
        {"run_min": 4, "set_min": 2},
        {"run_min": 5, "run_max": 5},
    ],
    ids=str,
)
def test_a_lone_natural_with_wilds_that_is_a_set_but_no_run(limits, solve_module):
    game = as_game(MeldRules(**limits))
    texts = ["9S JK JK", "AS JK JK", "2S JK JK KH", "9S JK", "9S 9H", "AS JK JK JK", "9S JK JK JK"]
    optima = [brute.brute_penalty(parse_cards(text), game) for text in texts]
    assert solve_module.solve_many(texts, game).tolist() == optima
