"""The knocker's choice among all layouts within the limit, and what a knock brings."""

from __future__ import annotations

import random

import pytest

from solver.engine.scoring import score_round
from solver.errors import HandError
from solver.melds import check_arrangement
from solver.rules.loader import load_rules
from solver.table import joint_layoff, knocker_choice
from solver.table.gin import knock_value
from solver.table.layouts import all_layouts
from solver.table.packing import Work
from tests.oracles.brute import all_melds, brute_penalty
from tests.oracles.brute_table import TableMeld
from tests.oracles.brute_table import joint_layoff as brute_joint

GIN = load_rules("gin")
GRID = "4S 5S 6S 4H 5H 6H 4D 5D 6D KC"
"""Three runs or three sets, with a king left either way."""


def texts(options) -> list[str]:
    return [option.arrangement.text() for option in options]


def test_three_sets_are_open_to_less_than_three_runs():
    sets, runs = knocker_choice(GRID, GIN)
    assert texts([sets, runs]) == [
        "S[4S 4H 4D] S[5S 5H 5D] S[6S 6H 6D] / left KC",
        "R[4S 5S 6S] R[4H 5H 6H] R[4D 5D 6D] / left KC",
    ]
    # One more four, five and six fit the sets: 15 points. Three threes and sevens fit the runs:
    # 30; behind them 2, A and 8, 9, T, J, Q, K of three suits: 3 * (1+2+3+7+8+9+10*4), less
    # nothing, for the king held is of clubs.
    assert (sets.penalty, sets.fitting_points, sets.open_points) == (10, 15, 15)
    assert (runs.penalty, runs.fitting_points, runs.open_points) == (10, 30, 210)


@pytest.mark.parametrize(
    ("defender", "first", "left"),
    [
        # Sevens and a three of the suits held go on the runs.
        ("7S 7H 3D QS 9C JC KH 2C 8C AC", "S[4S", [67, 50]),
        # The clubs that fit the sets are worth ten; on the runs nothing fits.
        ("4C 6C QS 9H JC KH 2S 8D AC TC", "R[4S", [70, 60]),
    ],
)
def test_a_known_defender_decides(defender, first, left):
    options = knocker_choice(GRID, GIN, defender)
    assert texts(options)[0].startswith(first)
    found = [option.defender_left for option in options]
    assert found == sorted(found, reverse=True)
    for option in options:
        plan = joint_layoff(defender, option.arrangement.melds, GIN)
        assert plan.penalty == option.defender_left
    assert found == left


def test_against_gin_nothing_is_laid_off_and_gin_is_best():
    gin = "4S 5S 6S 4H 5H 6H 4D 5D 6D 6C"
    options = knocker_choice(gin, GIN, "7S 7H 3D QS 9C JC KH 2C 8C AC")
    of_gin = [option for option in options if option.penalty == 0]
    assert options[: len(of_gin)] == of_gin
    assert {(option.defender_left, option.value) for option in of_gin} == {(67, 92)}
    assert {(option.fitting_points, option.open_points) for option in of_gin} == {(0, 0)}


def test_keeping_more_may_be_worth_more():
    mine, other = "2S 3C 2C AS 4C 5C 2D 3S 7C 6C", "4H AH 5D 4D 4S 2H AD 3D 5S 3H"
    best, *rest = knocker_choice(mine, GIN, other)
    assert best.arrangement.text() == "R[3C 4C 5C 6C 7C] S[2S 2D 2C] / left AS 3S"
    assert (best.penalty, best.value) == (4, 6)
    assert min(rest, key=lambda option: option.penalty).value == -26


@pytest.mark.parametrize(
    ("kept", "held", "options", "value"),
    [
        (5, 20, {}, 15),
        (5, 5, {}, -25),  # a tie is an undercut
        (5, 5, {"undercut_on_tie": False}, 0),
        (5, 3, {"undercut_bonus": 10}, -12),
        (0, 20, {}, 45),
        (0, 0, {}, 25),
        (0, 20, {"gin_bonus": 20}, 40),
        (0, 20, {"big_gin_bonus": 31}, 45),  # ten cards are gin, big gin is eleven
    ],
)
def test_what_a_knock_brings(kept, held, options, value):
    assert knock_value(kept, held, load_rules("gin", **options), 10) == value


def test_big_gin_is_eleven_cards():
    rules = load_rules("gin", big_gin_bonus=31)
    assert knock_value(0, 20, rules, 11) == 51
    assert knock_value(0, 20, rules, 10) == 45
    eleven = "4S 5S 6S 7S 4H 5H 6H 4D 5D 6D 7D"
    (value,) = {o.value for o in knocker_choice(eleven, rules, "KS QH JD TC 9S 8H 2C AC 3S 2D")}
    assert value == 31 + 10 * 4 + 9 + 8 + 2 + 1 + 3 + 2
    assert knocker_choice(eleven.replace("7S", "AC"), rules) == []


def groups_of(mine, rules, most_left):
    """Every way to group cards into melds, by the oracle."""
    melds = all_melds(mine, rules)
    found = set()

    def lay(first, used, laid):
        left = [c for i, c in enumerate(mine) if not used >> i & 1]
        if sum(rules.meld.points[c] for c in left) <= most_left:
            found.add(tuple(sorted(laid)))
        for mask in melds:
            if mask > first and not mask & used:
                cards = tuple(c for i, c in enumerate(mine) if mask >> i & 1)
                lay(mask, used | mask, (*laid, cards))

    lay(0, 0, ())
    return found


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"jokers_per_pack": 2},
        {"packs": 2, "set_max": None, "set_distinct_suits": False},
        {"ace": "both"},
        {"ace": "cyclic", "jokers_per_pack": 2, "meld_min_naturals": 1},
    ],
)
def test_all_layouts_are_those_of_the_oracle(options):
    rules = load_rules("gin", **options)
    rng = random.Random(str(options))
    deck = [c for c in range(26) if c % 13 < 7 or c % 13 == 12]
    deck += [65] * 2 * ("jokers_per_pack" in options) + deck * ("packs" in options)
    for most_left in (0, 10, 25, 60):
        mine = sorted(rng.sample(deck, 8))
        found = all_layouts(mine, rules, most_left=most_left, limit=50_000, work=Work())
        groups = {tuple(sorted(tuple(sorted(m.cards)) for m in a.melds)) for a in found}
        assert groups == groups_of(mine, rules, most_left)
        assert len({(a.melds, a.deadwood) for a in found}) == len(found)
        costs = [sum(rules.meld.points[c] for c in a.deadwood) for a in found]
        assert costs == sorted(costs)
        for arrangement in found:
            assert (
                check_arrangement(mine, arrangement.melds, rules).deadwood == arrangement.deadwood
            )


def near_knocks(seed, n):
    """Pairs of hands full of melds that cross: few ranks, so that much can be laid off."""
    rng = random.Random(seed)
    while n:
        few = [13 * suit + k for suit in range(4) for k in range(7)]
        cards = rng.sample(few, 20)
        mine, other = sorted(cards[:10]), sorted(cards[10:])
        if brute_penalty(mine, GIN) <= 10:
            n -= 1
            yield mine, other


def brute_best(mine, other, rules):
    """The most a knock can bring: every layout against every defence."""
    melds = all_melds(mine, rules)
    points = rules.meld.points
    best = None

    def lay(first, used, laid):
        yield used, laid
        for mask in sorted(m for m in melds if m > first and not m & used):
            for read in melds[mask]:
                cards = tuple(c for i, c in enumerate(mine) if mask >> i & 1)
                yield from lay(mask, used | mask, (*laid, as_table(cards, read)))

    for used, laid in lay(0, 0, ()):
        kept = sum(points[c] for i, c in enumerate(mine) if not used >> i & 1)
        if kept > 10:
            continue
        if kept == 0:
            value = brute_penalty(other, rules) + 25
        else:
            margin = brute_joint(other, laid, rules) - kept
            value = margin if margin > 0 else margin - 25
        best = value if best is None else max(best, value)
    return best


def as_table(cards, read):
    """A meld of naturals as the oracle lays it."""
    ordered = tuple(sorted(cards))
    return TableMeld(read.kind, read.of, 0 if read.kind == "set" else read.start, ordered)


@pytest.mark.parametrize("seed", range(4))
def test_the_choice_and_the_score_equal_every_layout_against_every_defence(seed):
    for mine, other in near_knocks(seed, 12):
        best = brute_best(mine, other, GIN)
        assert knocker_choice(mine, GIN, other)[0].value == best
        points = score_round([mine, other], GIN, out=0).points
        assert points[0] - points[1] == best
        assert min(points) == 0


def test_json():
    (option, _) = knocker_choice(GRID, GIN)
    told = option.to_json()
    assert (told["penalty"], told["defender_left"], told["fitting_points"]) == (10, None, 15)


def test_oklahoma_needs_the_card_first_turned_up():
    rules = load_rules("oklahoma-gin")
    hand = "KS KH KD QC QD QH 3H 4S 5S 6S"  # 3 points left
    with pytest.raises(HandError) as caught:
        knocker_choice(hand, rules)
    assert caught.value.code == "table.upcard"
    assert knocker_choice(hand, rules, upcard=13 * 3 + 4)  # 5C
    assert knocker_choice(hand, rules, upcard=13 * 3 + 1) == []  # 2C
