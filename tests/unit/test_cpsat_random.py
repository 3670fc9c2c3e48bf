"""CP-SAT engine against the exhaustive oracle over random rules and hands."""

from __future__ import annotations

import random
from typing import Any

import pytest

from solver.cards import JOKER, cards_of, counts_of, format_hand
from solver.cpsat import CpsatAnswer, solve_cpsat
from solver.rules.model import GameRules, MeldRules
from tests.oracles.brute import brute_contract, brute_value, is_meld


def some(rng: random.Random, chance: float, keys: dict[str, Any], **choices: list[Any]) -> None:
    """With a chance, set each key to one of its choices."""
    if rng.random() < chance:
        keys.update({key: rng.choice(values) for key, values in choices.items()})


def random_keys(rng: random.Random) -> dict[str, Any]:
    keys: dict[str, Any] = {
        "ace": rng.choice(["low", "high", "both", "cyclic"]),
        "set_min": rng.choice([2, 3, 3, 3, 4]),
        "run_min": rng.choice([2, 3, 3, 3, 4, 5]),
        "wild_ranks": frozenset(rng.sample(range(13), rng.choice([0, 1, 1, 1, 2, 3]))),
    }
    if keys["ace"] in ("low", "high"):
        some(rng, 0.2, keys, rank_lo=[2, 3])
    some(rng, 0.2, keys, wild_cards=[frozenset(rng.sample(range(52), 2))])
    some(rng, 0.15, keys, jokers_wild=[False])
    some(rng, 0.4, keys, wild_as_natural=[False])
    some(rng, 0.3, keys, set_max=[4, 5])
    some(rng, 0.3, keys, set_distinct_suits=[True])
    some(rng, 0.2, keys, run_max=[keys["run_min"] + extra for extra in (0, 1, 2)])
    some(rng, 0.3, keys, set_min_naturals=[1, 2])
    some(rng, 0.3, keys, run_min_naturals=[1, 2, 3])
    some(rng, 0.2, keys, run_core=[(4, 3), (3, 2), (4, 2), (5, 3)])
    some(rng, 0.2, keys, set_max_wilds=[0, 1, 2])
    some(rng, 0.2, keys, run_max_wilds=[0, 1, 2])
    some(rng, 0.3, keys, wilds_adjacent=[False])
    some(rng, 0.25, keys, wild_ratio=["le", "lt"])
    if rng.random() < 0.3:
        keys["points"] = tuple(rng.choice([0, 1, 5, 10, 15, 20]) for _ in range(66))
    return keys


def partition_keys(rng: random.Random, hand: list[int]) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    some(rng, 0.2, keys, hand_require=[(1, 1), (2, 1), (1, 0), (0, 1), (2, 0)])
    some(rng, 0.2, keys, penalty_cap=[10, 30])
    some(rng, 0.15, keys, must_use=[((rng.choice(hand), 1),)])
    if rng.random() < 0.25:
        values = (rng.choice([1, 11, 15]), *(rng.choice([2, 5, 9, 10]) for _ in range(12)))
        keys["meld_values"] = values
        some(
            rng,
            1,
            keys,
            min_meld_value=[10, 20, 30, 40],
            meld_points=["face", "ace_position"],
            wild_value_zero=[True, False],
        )
    return keys


def contract_keys(rng: random.Random, hand: list[int]) -> dict[str, Any]:
    kinds = [(rng.choice(["set", "run"]), rng.choice([3, 3, 4, 5])) for _ in range(3)]
    keys: dict[str, Any] = {"contract": tuple(kinds[: rng.choice([1, 2, 2, 3])])}
    some(rng, 0.3, keys, extra_melds=[True])
    some(rng, 0.2, keys, use_all=[True])
    some(rng, 0.4, keys, forbid_adjacent_runs=[True])
    some(rng, 0.3, keys, distinct_set_ranks=[True])
    some(rng, 0.3, keys, distinct_run_suits=[True])
    some(rng, 0.1, keys, must_use=[((rng.choice(hand), 1),)])
    return keys


def random_hand(rng: random.Random, wild_ranks: list[int], n_cards: int) -> list[int]:
    """Cards close together, so that melds are many and overlap."""
    ranks = rng.sample(range(13), rng.choice([4, 5, 6, 13]))
    n_suits = rng.choice([1, 2, 3, 4])
    banded = rng.random() < 0.6
    hand = []
    for _ in range(n_cards):
        kind = rng.random()
        if kind < 0.1:
            hand.append(JOKER)
        elif kind < 0.3 and wild_ranks:
            hand.append(rng.randrange(4) * 13 + rng.choice(wild_ranks))
        else:
            rank = (ranks[0] + rng.randrange(6)) % 13 if banded else rng.choice(ranks)
            hand.append(rng.randrange(n_suits) * 13 + rank)
    return hand


def case(seed: int, n_max: int, *, contract: bool) -> tuple[list[int], GameRules]:
    rng = random.Random(seed)
    keys = random_keys(rng)
    hand = random_hand(rng, sorted(keys["wild_ranks"]), rng.randrange(3, n_max + 1))
    keys |= contract_keys(rng, hand) if contract else partition_keys(rng, hand)
    return hand, GameRules("random", "Random", meld=MeldRules(**keys))


def cards_of_melds(answer: CpsatAnswer) -> list[list[int]]:
    """Name the cards of class melds; the wilds given are handed out in order."""
    wilds = iter(answer.wilds)
    melds = []
    for kind, a, b, c, d in answer.class_melds:
        if kind == 2:
            melds.append([next(wilds) for _ in range(a)])
        elif kind == 1:
            naturals = [a * 13 + (b + i) % 13 if d >> i & 1 else None for i in range(c)]
            melds.append([next(wilds) if card is None else card for card in naturals])
        else:
            used = [suit * 13 + a for suit in range(5) for _ in range(c >> 4 * suit & 15)]
            melds.append(used + [next(wilds) for _ in range(b)])
    assert next(wilds, None) is None
    return melds


def check_melds(hand: list[int], rules: GameRules, answer: CpsatAnswer) -> tuple[int, int]:
    """Assert that the melds are legal and come from the hand; return points and cards left."""
    melds = cards_of_melds(answer)
    left = counts_of(hand).astype(int) - counts_of(card for meld in melds for card in meld)
    assert left.min() >= 0, "a card is used more often than it is held"
    assert all(rules.meld.is_wild(card) for card in answer.wilds)
    for meld in melds:
        assert is_meld(meld, rules), format_hand(meld)
    return int(left @ rules.meld.points), int(left.sum())


def check_partition(hand: list[int], rules: GameRules) -> None:
    answer = solve_cpsat(counts_of(hand), rules)
    expected = brute_value(hand, rules)
    assert answer.proved
    if expected is None:
        assert answer.penalty is None
        return
    points, deadwood = check_melds(hand, rules, answer)
    cap = rules.meld.penalty_cap
    prices = {points}
    if rules.meld.hand_require is not None:
        prices.add(int(counts_of(hand) @ rules.meld.points))
    cap = rules.meld.penalty_cap
    assert answer.penalty in {price if cap is None else min(price, cap) for price in prices}
    assert (answer.penalty, deadwood, len(answer.class_melds)) == expected
    assert answer.lower_bound == answer.penalty


def check_contract(hand: list[int], rules: GameRules) -> None:
    answer = solve_cpsat(counts_of(hand), rules, contract=True)
    assert answer.proved
    assert answer.penalty == brute_contract(hand, rules)
    if answer.penalty is not None:
        points, deadwood = check_melds(hand, rules, answer)
        assert points == answer.penalty
        assert deadwood == 0 or not rules.meld.use_all
        n_asked = len(rules.meld.contract or ())
        assert len(answer.class_melds) >= n_asked
        assert len(answer.class_melds) == n_asked or rules.meld.extra_melds


@pytest.mark.parametrize("block", range(6))
def test_least_penalty_deadwood_and_melds_of_random_rules(block: int):
    for seed in range(block * 50, block * 50 + 50):
        hand, rules = case(seed, 9, contract=False)
        try:
            check_partition(hand, rules)
        except AssertionError as error:
            error.add_note(f"seed {seed}: {format_hand(cards_of(counts_of(hand)))} {rules.meld}")
            raise


@pytest.mark.parametrize("block", range(6))
def test_least_points_left_after_a_contract_of_random_rules(block: int):
    for seed in range(block * 50, block * 50 + 50):
        hand, rules = case(seed, 10, contract=True)
        try:
            check_contract(hand, rules)
        except AssertionError as error:
            error.add_note(f"seed {seed}: {format_hand(cards_of(counts_of(hand)))} {rules.meld}")
            raise
