"""Hands under rules with a contract: the question is the contract, in every answer."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from solver.cards import counts_of, format_hand, parse_cards
from solver.engine.zones import least_penalty
from solver.players.neighbours import solved
from solver.rules.describe import list_rules
from solver.rules.loader import load_rules
from solver.solve import as_if_down, check_layout
from tests.oracles import brute
from tests.strategies import SeededSource, as_game, make_contract_hand, make_contract_rules


def _cases(seed, n, most):
    """Return games with a contract and a hand of each; most are quick to answer."""
    source = SeededSource(random.Random(seed))
    for _ in range(n):
        game = as_game(make_contract_rules(source))
        yield game, make_contract_hand(source, game.meld, 4, most)


def _wilds_alike(melds, rules):
    return tuple(sorted(tuple(sorted(-1 if rules.is_wild(c) else c for c in m)) for m in melds))


def test_solve_asks_for_the_contract(solve_module):
    n_met = n_unmet = 0
    for game, hand in _cases(70, 150, 9):
        laid = brute.brute_contract(hand, game)
        found = solve_module.solve(hand, game)
        assert found.penalty == brute.brute_question(hand, game), (hand, game.meld)
        assert found.contract_met is (laid is not None)
        assert found.proved
        assert found.lower_bound == found.penalty
        shuffled = random.Random(1).sample(hand, len(hand))
        assert solve_module.solve(shuffled, game).arrangement == found.arrangement
        if laid is None:
            n_unmet += 1
            assert found.arrangement.melds == ()
            free = as_if_down(found)
            assert free is not None
            assert free.penalty == brute.brute_penalty(hand, game)
        else:
            n_met += 1
            melds = [meld.cards for meld in found.arrangement.melds]
            assert brute.meets_contract(hand, melds, game)
            assert as_if_down(found) is None
        ignored = solve_module.solve(hand, game, ignore_contract=True)
        assert (ignored.penalty, ignored.contract_met) == (brute.brute_penalty(hand, game), None)
    assert min(n_met, n_unmet) > 30


def test_many_hands_and_discards_ask_for_the_contract(solve_module):
    for game, hand in _cases(71, 60, 8):
        rest = brute.brute_contract_discards(hand, game)
        options = solve_module.best_discard(hand, game)
        assert {o.card: o.penalty for o in options} == rest, (hand, game.meld)
        assert [o.penalty for o in options] == sorted(o.penalty for o in options)
        rows = np.array([counts_of(hand), counts_of(hand[1:])], np.uint8)
        wanted = [brute.brute_question(hand, game), brute.brute_question(hand[1:], game)]
        assert solve_module.solve_many(rows, game).tolist() == wanted
        free = [brute.brute_penalty(hand, game), brute.brute_penalty(hand[1:], game)]
        assert solve_module.solve_many(rows, game, ignore_contract=True).tolist() == free


def test_all_arrangements_of_a_contract(solve_module):
    n_ties = 0
    for rules, hand in _cases(72, 200, 8):
        # All cards cost one point, so that many arrangements are as good.
        game = replace(rules, meld=replace(rules.meld, points=(1,) * 66))
        wanted = {_wilds_alike(m, game.meld) for m in brute.brute_contract_optimal(hand, game)}
        found = solve_module.optimal_arrangements(hand, game, limit=5_000)
        got = {_wilds_alike([m.cards for m in a.melds], game.meld) for a in found.arrangements}
        assert found.complete
        assert got == wanted, (hand, game.meld)
        assert found.count == len(wanted)
        n_ties += len(wanted) > 1
    assert n_ties > 10


def _deals():
    """Return every deal of every game that has contracts."""
    for info in list_rules():
        plain = load_rules(info.id)
        if plain.contract_open:
            yield from (load_rules(info.id, deal=n + 1) for n in range(plain.n_rounds or 0))


@pytest.mark.slow
def test_every_deal_of_the_games_equals_exhaustive_search(solve_module):
    source = SeededSource(random.Random(73))
    n_met = n_unmet = 0
    for game in _deals():
        hands = []
        while len(hands) < 6:
            hand = [c for c in make_contract_hand(source, game.meld, 8, 11) if c % 13 >= 0]
            hands += [hand] if game.deck.has_jokers or 65 not in hand else []
        wanted = [brute.brute_question(hand, game) for hand in hands]
        assert solve_module.solve_many([format_hand(h) for h in hands], game).tolist() == wanted
        assert [solve_module.solve(h, game).penalty for h in hands] == wanted
        met = [solve_module.solve(h, game).contract_met for h in hands]
        n_met, n_unmet = n_met + sum(map(bool, met)), n_unmet + met.count(False)
    assert min(n_met, n_unmet) > 50


LIVERPOOL_2 = "5S 5H 5D 9D 9C 9S KS KD KC 3H"


@pytest.mark.parametrize(
    ("deal", "hand", "penalty"),
    [
        # T201: a set and a run are asked, and there is no run. 9 cards of 5 and 9 and K, a 3.
        (2, LIVERPOOL_2, 65),
        # T202: three sets are asked, there are at most two.
        (4, "TH 2H 8C 6H 6C 8S TH 7S AD QD", 75),
        # Two sets are laid, the dearest ones: four fives stay.
        (1, LIVERPOOL_2, 20),
    ],
)
def test_worked_hands(deal, hand, penalty, solve_module):
    rules = load_rules("liverpool", deal=deal)
    assert solve_module.solve(hand, rules).penalty == penalty
    assert solve_module.solve_many([hand], rules).tolist() == [penalty]


def test_the_last_deal_lays_all_cards_or_none(solve_module):
    rules = load_rules("liverpool", deal=7)
    runs = "3S 4S 5S 6S 7H 8H 9H TH 9C TC JC QC"
    whole = solve_module.solve(runs + " KC", rules)
    assert (whole.penalty, whole.contract_met, len(whole.arrangement.melds)) == (0, True, 3)
    # One card of nine points too many: 3 fours cost 5+5+5+5, 5+5+5+10, 5+10+10+10, and the ace 15.
    left = solve_module.solve(runs + " AD", rules)
    assert (left.penalty, left.contract_met, left.arrangement.melds) == (95, False, ())
    assert solve_module.solve_many([runs, runs + " AD"], rules).tolist() == [0, 95]


def test_no_points_left_is_not_no_cards_left(solve_module):
    # Where a card costs nothing, all cards laid is more than no points left.
    free = {"points": {"A": 0}}
    rules = load_rules("liverpool", contract="3", use_all=True, **free)
    for hand, wanted in (("5S 5H 5D", 0), ("5S 5H 5D AC", 15), ("5S 5H 5D AC KC", 25)):
        assert solve_module.solve(hand, rules).penalty == wanted
        assert solve_module.solve_many([hand], rules).tolist() == [wanted]


@pytest.mark.parametrize(
    ("melds", "codes", "penalty"),
    [
        ([], [], 65),  # who lays nothing keeps the hand
        (["5S 5H 5D"], ["contract.unmet"], None),
        (["5S 5H 5D", "9D 9C 9S"], ["contract.unmet"], None),
        (["5S 5H 5C"], ["arrangement.cards"], None),
    ],
)
def test_a_layout_is_judged_by_the_contract(melds, codes, penalty):
    rules = load_rules("liverpool", deal=2)
    counts = counts_of(parse_cards(LIVERPOOL_2))
    verdict = check_layout(counts, melds, rules)
    assert verdict.penalty == penalty
    assert bool(verdict.faults) == bool(codes)
    assert verdict.best.penalty == 65
    if codes and "5C" not in melds[0]:
        assert [fault.code for fault in verdict.faults] == codes
    down = check_layout(counts, melds, rules, ignore_contract=True)
    assert down.best.penalty == 5


def test_referee_and_players_leave_the_contract_out_on_the_table_only():
    # On the table the contract is laid by a move of its own; at the end it is part of the price.
    hand = parse_cards(LIVERPOOL_2)
    deal = load_rules("liverpool", deal=2)
    assert least_penalty(tuple(sorted(hand)), deal) == 5
    assert solved(counts_of(hand)[None, :], deal).tolist() == [5]
    closed = replace(deal, flow=replace(deal.flow, meld_timing="at_end"))
    assert least_penalty(tuple(sorted(hand)), closed) == 65
    assert solved(counts_of(hand)[None, :], closed).tolist() == [65]
