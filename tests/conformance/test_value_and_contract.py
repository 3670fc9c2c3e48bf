"""Limits on the melds together - contract, least value, cap - read alike by all that ask them."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest

from solver.cards import cards_of, read_hand
from solver.engine.moves import GoDown
from solver.engine.referee import can_move
from solver.engine.state import Phase, State, new_round
from solver.errors import LimitError
from solver.melds import Arrangement, arrangement_value
from solver.rules.loader import load_rules
from solver.rules.model import GameRules
from solver.table import best_godown
from tests.oracles.brute import all_melds
from tests.strategies import SeededSource, as_game, make_contract_hand, make_contract_rules

ENGINES = ("auto", "suit", "frontier", "cpsat")


def exhaustive(hand: list[int], rules: GameRules) -> int | None:
    """Least points left after laying exactly the contract, worth enough; None if it cannot be."""
    meld = rules.meld
    assert meld.contract is not None
    total = sum(meld.points[c] for c in hand)
    melds = all_melds(hand, meld)
    best = None
    for masks in combinations(melds, len(meld.contract)):
        if any(a & b for a, b in combinations(masks, 2)):
            continue
        kinds = [{r.kind for r in melds[mask]} for mask in masks]
        worth = sum(max(r.value for r in melds[mask]) for mask in masks)
        if worth < meld.min_meld_value or not _fills(meld.contract, masks, kinds):
            continue
        laid = [c for i, c in enumerate(hand) if any(mask >> i & 1 for mask in masks)]
        left = total - sum(meld.points[c] for c in laid)
        best = left if best is None else min(best, left)
    return best


def _fills(contract, masks, kinds):
    """Return whether some order of the melds is what the contract asks."""
    if not masks:
        return not contract
    (kind, least), *rest = contract
    return any(
        kind in kinds[i]
        and masks[i].bit_count() >= least
        and _fills(rest, [*masks[:i], *masks[i + 1 :]], [*kinds[:i], *kinds[i + 1 :]])
        for i in range(len(masks))
    )


def random_case(rng: random.Random) -> tuple[GameRules, list[int]]:
    source = SeededSource(rng)
    rules = make_contract_rules(source)
    rules = replace(
        rules,
        contract=rules.contract[:2],
        use_all=False,
        extra_melds=False,
        forbid_adjacent_runs=False,
        distinct_set_ranks=False,
        distinct_run_suits=False,
        set_max=None,
        run_max=None,
        min_meld_value=rng.choice((20, 40, 55, 70)),
        meld_points=rng.choice(("face", "ace_position")),
        wild_value_zero=rng.random() < 0.3,
        penalty_cap=rng.choice((None, None, 15)),
    )
    hand = make_contract_hand(source, rules, 6, 9)
    return as_game(rules), sorted(hand)


def test_value_and_contract_against_exhaustive_search(solve_module):
    rng = random.Random("value and contract")
    n_laid = n_missed = 0
    declined = set()
    for _ in range(120):
        rules, hand = random_case(rng)
        best = exhaustive(hand, rules)
        cap = rules.meld.penalty_cap
        if best is not None and cap is not None:
            best = min(best, cap)
        n_laid += best is not None
        free = replace(rules, meld=replace(rules.meld, min_meld_value=0))
        n_missed += best is None and exhaustive(hand, free) is not None
        found = solve_module.best_contract(hand, rules)
        assert (None if found is None else found.penalty) == best, (hand, rules.meld)
        on_table = replace(rules, flow=replace(rules.flow, meld_timing="on_table"))
        plan = best_godown(hand, [], on_table)
        assert (None if plan is None else plan.penalty) == best, (hand, rules.meld)
        for engine in ENGINES:
            try:
                solution = solve_module.solve(hand, rules, engine=engine)
            except LimitError as error:
                declined.add((engine, error.code))
                continue
            assert solution.contract_met == (best is not None), (engine, hand, rules.meld)
            if best is not None:
                assert solution.penalty == best
    assert declined == {("suit", "engine.not_covered"), ("frontier", "engine.not_covered")}
    assert n_laid > 20
    assert n_missed > 5


@pytest.mark.parametrize("engine", ["auto", "cpsat"])
def test_two_sets_worth_forty(solve_module, engine):  # T207
    # Two of the three sets: 5-5-5 and K-K-K are 45 worth of 40, and three aces cost 15 each.
    rules = load_rules("liverpool", deal=1, min_meld_value=40)
    hand = "AS AH AD KS KH KD 5S 5H 5D"
    assert solve_module.solve(hand, rules, engine=engine).penalty == 45
    assert solve_module.best_contract(hand, rules, engine=engine).penalty == 45
    plan = best_godown(hand, [], rules)
    assert plan.penalty == 45
    assert arrangement_value(Arrangement(plan.melds, ()), rules) >= 40


@pytest.mark.parametrize("key", ["min_meld_value", "initial_meld_min"])
def test_the_referee_asks_the_value_beside_the_contract(key):
    rules = load_rules("liverpool", deal=1, players=3, **{key: 40})
    hand = tuple(cards_of(read_hand("AS AH AD KS KH KD 5S 5H 5D")))
    r = new_round(rules, 0, range(3), 3).to(
        phase=Phase.PLAY, actor=0, turn=0, hands=(hand, (), ()), taken_from="stock"
    )
    state = State(rules, 3, r, 1, 0, (0, 0, 0))
    rich = best_godown(list(hand), [], rules)
    poor = best_godown(list(hand), [], load_rules("liverpool", deal=1))
    assert (rich.penalty, poor.penalty) == (45, 15)
    down = [GoDown(0, plan.melds) for plan in (rich, poor)]
    fineless = replace(rules, flow=replace(rules.flow, false_meld_penalty=None))
    state = replace(state, round=r.to(rules=fineless))
    assert [can_move(state, move) for move in down] == [True, False]


def test_minima_of_naturals_above_the_length_of_a_hand_without_wilds(solve_module):  # T211
    rules = load_rules("rum-500", run_min_naturals=4, min_meld_value=20)
    for engine in ("auto", "cpsat"):
        solution = solve_module.solve("7S 8S 9S KD", rules, engine=engine)
        assert (solution.penalty, len(solution.arrangement.deadwood)) == (34, 4)
        assert solve_module.solve("7S 8S 9S TS KD", rules, engine=engine).penalty == 10


def test_a_cap_holds_for_a_contract_wherever_it_is_asked(solve_module):
    rules = load_rules("liverpool", deal=1, penalty_cap=20)
    hand = "KS KH KD QS QH QD AS AH AD JC"  # three aces and a jack: 55
    assert solve_module.solve(hand, rules).penalty == 20
    assert solve_module.best_contract(hand, rules).penalty == 20
    assert best_godown(hand, [], rules).penalty == 20
