"""Going down for a least value with jokers, against play of every move; wilds gained are played."""

from __future__ import annotations

import os
import random

import pytest

from solver.cards import format_card, parse_cards
from solver.rules.loader import load_rules
from solver.table import best_godown
from tests.oracles.brute_turn import Row, Turn, best_turn

JOKER = 65
N_LONG = int(os.environ.get("TABLE_POSITIONS", "20000")) // 20


def by_moves(hand: list[int], least: int) -> tuple[int, int] | None:
    """Least (points, cards) left by going down in Kalooki 51 before an empty table."""
    meld = load_rules("kalooki-51").meld
    turn = Turn(meld, free_melds=True, least_value=least)
    return best_turn(tuple(sorted(hand)), (), turn, frozenset())


@pytest.mark.parametrize(
    ("least", "hand", "left"),
    [
        # One state of the table is reached with several values; the greatest decides. The value
        # of the jokers is that of the cards they stand for: JC 7C stay out of the runs below 61.
        (61, "2C JC 7C 7H JK JD 4S JK 7D", 6),
        (61, "3S JS TS JK JK 3C JK 3C QS", 6),
        (45, "8H 8D JK 5D 8C 5H 5D JK 7C", 12),
    ],
)
def test_the_greatest_value_of_a_way_to_lie_decides(least, hand, left):
    plan = best_godown(hand, [], load_rules("kalooki-51", initial_meld_min=least))
    assert plan is not None
    assert plan.penalty == left


def joker_hand(rng: random.Random) -> list[int]:
    """Cards near each other with two to four jokers, seven in all."""
    n_jokers = rng.choice((2, 2, 2, 3, 3, 4))
    suits, low = rng.sample(range(4), 3), rng.randint(0, 8)
    near = [s * 13 + r % 13 for s in suits for r in range(low, low + 6)]
    return [*rng.choices(near, k=7 - n_jokers), *[JOKER] * n_jokers]


def check_opening(rng: random.Random) -> None:
    hand, least = joker_hand(rng), rng.choice((30, 40, 51, 61, 70))
    rules = load_rules("kalooki-51", initial_meld_min=least)
    plan = best_godown(hand, [], rules)
    found = None if plan is None else (plan.penalty, len(plan.left))
    assert found == by_moves(hand, least), (least, [format_card(c) for c in hand])


def test_openings_with_jokers_move_by_move():
    rng = random.Random("kalooki-1")
    for _ in range(40):
        check_opening(rng)


@pytest.mark.long
def test_many_openings_with_jokers_move_by_move():
    rng = random.Random("kalooki-2")
    for _ in range(N_LONG):
        check_opening(rng)


def test_a_wild_gained_is_never_kept_for_its_low_price():
    # Sets of three and no wilds added: the two gained for KH has room only in place of a queen or
    # a jack. Kept, it would cost 5; a court card or the king costs 10.
    rules = load_rules("liverpool", deal=1, set_max=3, layoff_wild_limit=0)
    hand, table = "QS QH QD JS JH JD KH", ["R[9H TH JH QH 2S=KH]"]
    plan = best_godown(hand, table, rules)
    assert plan is not None
    assert plan.penalty == 10
    turn = Turn(rules.meld, contract=rules.meld.contract, wild_limit=0, swaps="with_contract")
    row = Row("run", 1, 9, tuple((c, c % 13 == 1) for c in parse_cards("9H TH JH QH 2S")))
    wanted = best_turn(tuple(sorted(parse_cards(hand))), (row,), turn, frozenset({0}))
    assert wanted == (10, 1)
