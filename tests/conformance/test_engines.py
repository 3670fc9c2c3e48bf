"""Every engine against exhaustive search, over random rules as well as hands."""

from __future__ import annotations

import os
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from solver.cards import counts_of
from tests.oracles.brute import brute_contract, brute_value
from tests.oracles.compare import Disagreement, judge_contract, judge_solution
from tests.strategies import (
    SeededSource,
    as_game,
    contracts_and_hands,
    make_contract_hand,
    make_contract_rules,
    make_hand,
    make_valued_rules,
    random_hand,
    random_rules,
    rules_and_hands,
)

ENGINES = ("suit", "frontier", "cpsat")
PAIRS = int(os.environ.get("CONFORMANCE_PAIRS", "200000"))
SEED = int(os.environ.get("CONFORMANCE_SEED", "1"))
LARGEST = int(os.environ.get("CONFORMANCE_LARGEST", "9"))
HANDS_PER_RULES = 40


@pytest.mark.parametrize("engine", [*ENGINES, "auto"])
def test_partition(engine, solve_module):
    @given(rules_and_hands())
    def holds(case):
        rules, hand = case
        judge_solution(solve_module, hand, rules, engine, brute_value(hand, rules))

    holds()


@pytest.mark.parametrize("engine", [*ENGINES, "auto"])
def test_contract(engine, solve_module):
    @given(contracts_and_hands())
    def holds(case):
        rules, hand = case
        judge_contract(solve_module, hand, rules, engine, brute_contract(hand, rules))

    holds()


@pytest.mark.parametrize("engine", [*ENGINES, "auto"])
def test_random_rules_by_seed(engine, solve_module):
    verdicts: Counter[str] = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        rules = random_rules(rng)
        for _ in range(5):
            hand = random_hand(rng, rules)
            value = brute_value(hand, rules)
            verdicts[judge_solution(solve_module, hand, rules, engine, value)] += 1
    assert verdicts["agrees"] >= 200, verdicts


@pytest.mark.parametrize("engine", [*ENGINES, "auto"])
def test_least_value_of_melds_by_seed(engine, solve_module):
    verdicts: Counter[str] = Counter()
    for seed in range(40):
        source = SeededSource(random.Random(10_000 + seed))
        rules = as_game(make_valued_rules(source))
        for _ in range(5):
            hand = make_hand(source, rules.meld, 0, 9)
            value = brute_value(hand, rules)
            verdicts[judge_solution(solve_module, hand, rules, engine, value)] += 1
    assert engine != "auto" or verdicts["agrees"] == 200, verdicts


@pytest.mark.parametrize("engine", [*ENGINES, "auto"])
def test_random_contracts_by_seed(engine, solve_module):
    verdicts: Counter[str] = Counter()
    n_met = 0
    for seed in range(60):
        source = SeededSource(random.Random(20_000 + seed))
        rules = as_game(make_contract_rules(source))
        for _ in range(5):
            hand = make_contract_hand(source, rules.meld, 5, 10)
            left = brute_contract(hand, rules)
            n_met += left is not None
            verdicts[judge_contract(solve_module, hand, rules, engine, left)] += 1
    assert n_met > 60
    assert engine != "auto" or verdicts["agrees"] == 300, verdicts


@pytest.mark.long
@pytest.mark.parametrize("shard", [0, 1])
def test_many_pairs(shard, solve_module, capsys):
    """Half of CONFORMANCE_PAIRS pairs of rules and hands; run both shards side by side."""
    verdicts: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    for chunk in range(PAIRS // 2 // HANDS_PER_RULES):
        rng = random.Random((SEED * 2 + shard) * 1_000_000 + chunk)
        rules = random_rules(rng)
        hands = [random_hand(rng, rules) for _ in range(HANDS_PER_RULES)]
        values = [brute_value(hand, rules) for hand in hands]
        for hand, value in zip(hands, values, strict=True):
            verdicts["pairs", "melds" if value.melds else "no meld"] += 1
            for engine in ENGINES:
                try:
                    verdict = judge_solution(solve_module, hand, rules, engine, value)
                except Disagreement as err:
                    verdict = "wrong"
                    wrong.append(str(err))
                verdicts[engine, verdict] += 1
        counts = np.array([counts_of(hand) for hand in hands], np.uint8)
        batch = solve_module.solve_many(counts, rules).tolist()
        for hand, value, penalty in zip(hands, values, batch, strict=True):
            verdict = "agrees" if penalty == value.penalty else "wrong"
            verdicts["solve_many", verdict] += 1
            if verdict == "wrong":
                wrong.append(f"solve_many: {penalty} for {value}\n{hand}\n{rules.meld!r}")
    with capsys.disabled():
        print(f"\nshard {shard}:", *(f"{a}/{b} {n}" for (a, b), n in sorted(verdicts.items())))
    assert not wrong, "\n".join([f"{len(wrong)} wrong", *wrong[:5]])
