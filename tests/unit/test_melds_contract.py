"""Contracts: exactly the melds asked for, matched as helps, and what may not lie together."""

from __future__ import annotations

import random
from itertools import combinations, permutations, product

import pytest

from solver.cards import format_card
from solver.errors import HandError
from solver.melds import check_contract, check_meld, meld_readings, penalty
from tests.unit.melds_games import PLAIN, contract_rummy, game, liverpool

S3, R4 = ("set", 3), ("run", 4)
TWO_SETS = (S3, S3)
SET_AND_RUN = (S3, R4)
TWO_RUNS = (R4, R4)


def faults_of(hand, melds, rules):
    with pytest.raises(HandError) as caught:
        check_contract(hand, melds, rules)
    return [(fault.code, fault.where) for fault in caught.value.faults]


# The rule book's contract examples with the melds it lays, and the points left in hand.
@pytest.mark.parametrize(
    ("case", "contract", "melds", "rest", "left"),
    [
        ("C1", TWO_SETS, ["7S 7H 2C", "KD KC KS"], "4H 9C AS 5D TD", 40),
        ("C3", TWO_SETS, ["9S 9H 9D", "9C 9S 9H"], "KD 4C 5D 3H JS", 35),
        ("C4", SET_AND_RUN, ["4H 5H 2C 7H 8H", "QS QD QC"], "3D JS AC", 30),
        ("C6", SET_AND_RUN, ["3H 4H 5H 6H", "JK KC KD"], "6S 6D 9S AS", 30),
        ("C7", TWO_RUNS, ["4H 5H 6H 7H", "8H 9H TH JH"], "AS 3D KC", 30),
        ("C9", TWO_RUNS, ["4H 5H 6H 7H", "8H 9H TH JK"], "3D KC QS", 25),
        ("C10", TWO_RUNS, ["3C 4C 5C JK", "8D 9D 2S JD"], "KH 6S QS", 25),
        ("C13", (S3, S3, S3), ["9S 9H 9D", "9C 9S 9H", "9D 9C 2S"], "KD 3S", 15),
        ("C16", (S3, R4, R4), ["6C 6D 2S", "3H 4H 5H 6H", "TD JD QD JK"], "AS 9C", 20),
    ],
)
def test_rule_book_contracts(case, contract, melds, rest, left):
    rules = liverpool(contract=contract)
    arrangement = check_contract(f"{' '.join(melds)} {rest}", melds, rules)
    assert penalty(arrangement, rules) == left, case
    assert len(arrangement.melds) == len(contract)


def test_the_last_deal_uses_every_card():
    rules = liverpool(contract=(R4, R4, R4), use_all=True)
    melds = ["3S 4S 5S 6S 7S", "8H 9H TH 2C", "JD QD KD AD"]
    assert check_contract(" ".join(melds), melds, rules).deadwood == ()
    assert faults_of(" ".join(melds) + " 9D", melds, rules) == [("contract.use_all", "/melds")]
    ordinary = liverpool(contract=(R4, R4, R4))
    assert len(check_contract(" ".join(melds) + " 9D", melds, ordinary).deadwood) == 1


@pytest.mark.parametrize(
    ("contract", "melds"),
    [
        (TWO_SETS, []),
        (TWO_SETS, ["5S 5H 5D"]),
        (TWO_SETS, ["5S 5H 5D", "6S 6H 6D", "7S 7H 7D"]),
        (TWO_SETS, ["5S 5H 5D", "6S 7S 8S 9S"]),
        (SET_AND_RUN, ["5S 5H 5D", "6S 6H 6D"]),
        ((("set", 4), S3), ["5S 5H 5D", "6S 6H 6D"]),
        ((("run", 7), S3), ["4S 5S 6S 7S 8S 9S", "5S 5H 5D"]),
    ],
)
def test_other_melds_than_the_contract_are_refused(contract, melds):
    rules = contract_rummy(contract=contract)
    assert faults_of(" ".join(melds), melds, rules) == [("contract.unmet", "/melds")]


def test_melds_may_come_in_any_order_and_be_longer():
    rules = contract_rummy(contract=(S3, ("set", 4), R4))
    melds = ["6S 7S 8S 9S TS", "5S 5H 5D 5C", "KS KH KD"]
    texts = [meld.text() for meld in check_contract(" ".join(melds), melds, rules).melds]
    assert texts == ["R[6S 7S 8S 9S TS]", "S[5S 5H 5D 5C]", "S[KS KH KD]"]


def test_further_melds_only_where_the_rules_allow_them():
    melds = ["5S 5H 5D", "6S 7S 8S 9S", "KS KH KD"]
    hand = " ".join(melds)
    assert faults_of(hand, melds, game(contract=SET_AND_RUN)) == [("contract.unmet", "/melds")]
    assert len(check_contract(hand, melds, game(contract=SET_AND_RUN, extra_melds=True)).melds) == 3
    beyond = game(contract=(R4, R4), extra_melds=True)
    assert faults_of(hand, melds, beyond) == [("contract.unmet", "/melds")]


def test_loose_cards_take_the_kind_that_the_contract_needs():
    melds = ["9D JK JK JK", "7S JK JK JK"]
    arrangement = check_contract(" ".join(melds), melds, game(contract=SET_AND_RUN))
    assert sorted(str(meld.kind) for meld in arrangement.melds) == ["run", "set"]
    placed = [check_meld(cards, PLAIN) for cards in melds]
    assert [str(meld.kind) for meld in placed] == ["run", "run"]
    assert faults_of(" ".join(melds), placed, game(contract=SET_AND_RUN)) == [
        ("contract.unmet", "/melds")
    ]


def test_wilds_only_fill_either_kind_if_legal_as_that():
    melds = ["5S 5H 5D", "JK JK JK JK"]
    hand = " ".join(melds)
    for contract in (TWO_SETS, SET_AND_RUN):
        kinds = [meld.kind for meld in check_contract(hand, melds, game(contract=contract)).melds]
        assert kinds == ["set", "wild"]
    no_wild_run = game(contract=SET_AND_RUN, run_min_naturals=1)
    assert faults_of(hand, melds, no_wild_run) == [("contract.unmet", "/melds")]
    barred = game(contract=TWO_SETS, set_min_naturals=1, distinct_set_ranks=True)
    assert faults_of(hand, melds, barred) == [("contract.unmet", "/melds")]


def test_sets_of_one_rank_may_be_barred():
    melds = ["9S 9H 9D", "9C 9S 9H"]
    assert check_contract(" ".join(melds), melds, game(contract=TWO_SETS)).deadwood == ()
    rules = game(contract=TWO_SETS, distinct_set_ranks=True)
    assert faults_of(" ".join(melds), melds, rules) == [("contract.set_ranks", "/melds/1")]
    wilds = ["9S 9H 9D", "JK JK JK"]
    assert check_contract(" ".join(wilds), wilds, rules).deadwood == ()


def test_runs_of_one_suit_may_be_barred():
    rules = game(contract=TWO_RUNS, distinct_run_suits=True)
    melds = ["2H 3H 4H 5H", "8H 9H TH JH"]
    assert faults_of(" ".join(melds), melds, rules) == [("contract.run_suits", "/melds/1")]
    other = ["2H 3H 4H 5H", "8D 9D TD JD"]
    assert check_contract(" ".join(other), other, rules).deadwood == ()


@pytest.mark.parametrize(
    ("ace", "melds", "touch"),
    [
        ("both", ["4H 5H 6H 7H", "8H 9H TH JH"], True),
        ("both", ["8H 9H TH JH", "4H 5H 6H 7H"], True),
        ("both", ["4H 5H 6H 7H", "9H TH JH QH"], False),
        ("both", ["4H 5H 6H 7H", "8D 9D TD JD"], False),
        ("both", ["4H 5H 6H 7H", "4H 5H 6H 7H"], False),
        ("both", ["TH JH QH KH", "AH 2H 3H 4H"], False),
        ("cyclic", ["TH JH QH KH", "AH 2H 3H 4H"], True),
        ("cyclic", ["QH KH AH 2H", "3H 4H 5H 6H"], True),
    ],
)
def test_touching_runs_may_be_barred(ace, melds, touch):
    hand = " ".join(melds)
    assert check_contract(hand, melds, game(ace=ace, contract=TWO_RUNS)).deadwood == ()
    rules = game(ace=ace, contract=TWO_RUNS, forbid_adjacent_runs=True)
    if touch:
        assert faults_of(hand, melds, rules) == [("contract.adjacent_runs", "/melds/1")]
    else:
        assert len(check_contract(hand, melds, rules).melds) == 2


def test_loose_cards_take_the_places_that_keep_runs_apart():
    rules = game(contract=TWO_RUNS, forbid_adjacent_runs=True)
    melds = ["4H 5H 6H 7H", "9H TH JH JK"]
    texts = [meld.text() for meld in check_contract(" ".join(melds), melds, rules).melds]
    assert texts == ["R[4H 5H 6H 7H]", "R[9H TH JH JK=QH]"]
    placed = ["4H 5H 6H 7H", check_meld("9H TH JH JK", PLAIN)]
    assert placed[1].text() == "R[JK=8H 9H TH JH]"
    assert faults_of(" ".join(melds), placed, rules) == [("contract.adjacent_runs", "/melds/1")]


def test_all_faults_of_hand_and_contract_come_together():
    rules = game(contract=TWO_SETS, use_all=True)
    assert faults_of("5S 5H KD 4S", ["5S 5H 5D"], rules) == [
        ("arrangement.card_missing", "/melds/0"),
        ("contract.unmet", "/melds"),
        ("contract.use_all", "/melds"),
    ]
    assert faults_of("5S 6H KD 4S 4H 4D", ["5S 6H KD", "4S 4H 4D"], rules) == [
        ("meld.mixed_suits", "/melds/0"),
        ("meld.mixed_ranks", "/melds/0"),
    ]


def test_rules_without_a_contract_are_refused():
    assert faults_of("5S 5H 5D", ["5S 5H 5D"], PLAIN) == [("contract.none", "")]


def meets(kinds_lengths, contract, *, extra):
    """Whether some order of the melds puts one that fits under each requirement."""
    if len(kinds_lengths) < len(contract) or (len(kinds_lengths) > len(contract) and not extra):
        return False
    return any(
        all(
            kind == wanted and length >= least
            for (kind, length), (wanted, least) in zip(order, contract, strict=False)
        )
        for order in permutations(kinds_lengths)
    )


def apart(one, other, m):
    """Whether two melds may lie together; each is (kind, rank or suit, start, length)."""
    (kind, line, start, length), (kind_2, line_2, start_2, length_2) = one, other
    if kind != kind_2 or line is None or line != line_2:
        return True
    if kind == "set":
        return not m.distinct_set_ranks
    touch = start + length == start_2 or start_2 + length_2 == start
    return not m.distinct_run_suits and not (m.forbid_adjacent_runs and touch)


def ways(cards, rules):
    """All ways in which loose cards may count, read off the text of their readings."""
    found = []
    for meld in meld_readings(cards, rules):
        name = meld.stands_for[0] or format_card(meld.cards[0])
        if meld.kind == "wild":
            found += [(k, None, 0, len(meld.cards)) for k in ("set", "run")]
        elif meld.kind == "set":
            found.append(("set", name[0], 0, len(meld.cards)))
        else:
            start = "A23456789TJQK".index(name[0])
            found.append(("run", name[1], start, len(meld.cards)))
    return found


def test_the_choice_of_readings_agrees_with_trying_them_all():
    rng = random.Random(7)
    pool = (
        "5S 5H JK|9S 9H 9D|JK JK JK|4H 5H 6H|7H 8H JK|7H JK JK|8H JK JK|JK TH JH QH|9D JK JK"
    ).split("|")
    outcomes = set()
    for _ in range(400):
        rules = game(
            ace="high",
            contract=tuple((rng.choice(["set", "run"]), rng.choice([3, 3, 4])) for _ in range(2)),
            extra_melds=rng.random() < 0.5,
            distinct_set_ranks=rng.random() < 0.3,
            distinct_run_suits=rng.random() < 0.2,
            forbid_adjacent_runs=rng.random() < 0.7,
        )
        m = rules.meld
        melds = [rng.choice(pool) for _ in range(rng.choice([2, 2, 3]))]
        expected = any(
            meets([(k, n) for k, _, _, n in chosen], m.contract, extra=m.extra_melds)
            and all(apart(a, b, m) for a, b in combinations(chosen, 2))
            for chosen in product(*(ways(cards, rules) for cards in melds))
        )
        outcomes.add(expected)
        if expected:
            check_contract(" ".join(melds), melds, rules)
        else:
            codes = [code for code, _ in faults_of(" ".join(melds), melds, rules)]
            assert all(code.startswith("contract.") for code in codes), (melds, m)
    assert outcomes == {True, False}
