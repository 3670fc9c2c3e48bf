"""The judge of legality against the naive meld tests, over random rules and cards."""

from __future__ import annotations

import random

import pytest

from solver.cards import parse_cards
from solver.errors import HandError
from solver.melds import (
    Arrangement,
    arrangement_value,
    check_arrangement,
    check_contract,
    is_meld,
    meld_readings,
)
from solver.melds import penalty as penalty_of
from solver.rules.model import MeldRules
from tests.oracles import brute, naive_melds
from tests.strategies import (
    SeededSource,
    as_game,
    make_contract_hand,
    make_contract_rules,
    make_hand,
    make_meld_rules,
    make_valued_rules,
)


def _cards(source, rules, most):
    return tuple(sorted(make_hand(source, rules, 2, most)))


@pytest.mark.parametrize("seed", range(4))
def test_legality_and_kinds(seed):
    source = SeededSource(random.Random(30_000 + seed))
    n_melds = 0
    for _ in range(250):
        rules = make_meld_rules(source)
        for _ in range(12):
            cards = _cards(source, rules, 5)
            naive = naive_melds.readings(cards, rules)
            n_melds += bool(naive)
            game = as_game(rules)
            assert is_meld(cards, game) == bool(naive), (cards, rules)
            for kind in ("run", "set"):
                wanted = any(read.kind == kind for read in naive)
                assert is_meld(cards, game, kind=kind) == wanted, (cards, kind, rules)
    assert n_melds > 300


def test_readings():
    source = SeededSource(random.Random(31_000))
    for _ in range(400):
        rules = make_meld_rules(source)
        cards = _cards(source, rules, 5)
        naive = naive_melds.readings(cards, rules)
        judged = meld_readings(cards, as_game(rules))
        assert any(meld.kind == "wild" for meld in judged) == any(
            read.naturals == 0 for read in naive
        )
        # The judge lists one reading of a set for each rank: that with most naturals.
        most = {}
        for read in naive:
            if read.kind == "set" and read.naturals:
                most[read.of] = max(most.get(read.of, 0), read.naturals)
        sets = [meld for meld in judged if meld.kind == "set"]
        assert sorted(meld.stands_for.count(None) for meld in sets) == sorted(most.values())
        runs = sorted(read.naturals for read in naive if read.kind == "run" and read.naturals)
        assert runs == sorted(m.stands_for.count(None) for m in judged if m.kind == "run")


def test_value_of_melds():
    source = SeededSource(random.Random(32_000))
    n_melds = 0
    for _ in range(1_500):
        rules = make_valued_rules(source)
        cards = _cards(source, rules, 4)
        naive = naive_melds.readings(cards, rules)
        if not naive:
            continue
        n_melds += 1
        game = as_game(rules)
        dearest = max(
            arrangement_value(Arrangement((meld,), ()), game) for meld in meld_readings(cards, game)
        )
        assert dearest == max(read.value for read in naive), (cards, rules)
    assert n_melds > 100


def test_value_of_an_ace_below_a_two_on_the_ring():
    rules = MeldRules(
        ace="cyclic", meld_points="ace_position", meld_values=(11, *range(2, 11), 10, 10, 10)
    )
    for text, value in (("AS 2S 3S", 6), ("QS KS AS", 31), ("KS AS 2S", 13), ("QS KS AS 2S", 23)):
        cards = tuple(sorted(parse_cards(text)))
        assert {read.value for read in naive_melds.readings(cards, rules)} == {value}
        melds = meld_readings(cards, as_game(rules))
        assert [arrangement_value(Arrangement((m,), ()), as_game(rules)) for m in melds] == [value]


def test_price_of_the_best_arrangements():
    source = SeededSource(random.Random(33_000))
    for _ in range(200):
        game = as_game(make_meld_rules(source))
        hand = make_hand(source, game.meld, 0, 8)
        value = brute.brute_value(hand, game)
        for melds in sorted(brute.brute_all_optimal(hand, game))[:5]:
            arrangement = check_arrangement(hand, [list(meld) for meld in melds], game)
            assert penalty_of(arrangement, game) == value.penalty, (hand, melds, game.meld)


def test_contracts():
    source = SeededSource(random.Random(34_000))
    n_met = 0
    for _ in range(500):
        game = as_game(make_contract_rules(source))
        hand = make_contract_hand(source, game.meld, 4, 8)
        melds = list(brute.all_melds(hand, game))
        chosen, used = [], 0
        for _ in range(len(game.meld.contract) + game.meld.extra_melds):
            free = [mask for mask in melds if not mask & used]
            if free:
                chosen.append(source.pick(free))
                used |= chosen[-1]
        if not chosen:
            continue
        laid = [[card for i, card in enumerate(hand) if mask >> i & 1] for mask in chosen]
        wanted = brute.meets_contract(hand, laid, game)
        n_met += wanted
        try:
            check_contract(hand, laid, game)
        except HandError:
            assert not wanted, (hand, laid, game.meld)
        else:
            assert wanted, (hand, laid, game.meld)
    assert n_met > 50
