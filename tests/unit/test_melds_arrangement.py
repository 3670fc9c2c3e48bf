"""Arrangements: what is left, all faults at once, the price, and the value of melds laid."""

from __future__ import annotations

import pytest

from solver.cards import counts_of, format_hand, parse_cards
from solver.errors import HandError, NotationError
from solver.melds import (
    Meld,
    MeldKind,
    arrangement_value,
    check_arrangement,
    check_meld,
    penalty,
)
from tests.unit.melds_games import (
    PLAIN,
    five_crowns,
    game,
    gin,
    indian,
    rummikub,
    three_thirteen,
)

TT3 = three_thirteen("3")


def faults_of(hand, melds, rules):
    with pytest.raises(HandError) as caught:
        check_arrangement(hand, melds, rules)
    return [(fault.code, fault.where) for fault in caught.value.faults]


# Hands, melds and penalties of the rule book's worked examples and of reported cases.
@pytest.mark.parametrize(
    ("case", "rules", "hand", "melds", "cost_left"),
    [
        ("A2", TT3, "3S 3H 9D", ["3S 3H 9D"], (0, "")),
        ("A4", TT3, "3S 9D QH", [], (22, "3S QH 9D")),
        ("A12", three_thirteen("5"), "5S 6S 7S 6H 6D", ["6S 6H 5S 6D"], (7, "7S")),
        ("A15", three_thirteen("6"), "3H 4H 5H 5H 6H 7H", ["3H 4H 5H", "5H 6H 7H"], (0, "")),
        ("A38", PLAIN, "5S 5S 6S 6S 7S 7S", ["5S 6S 7S", "7S 6S 5S"], (0, "")),
        ("C062", three_thirteen("6"), "AS AS 2S 2S 3S 3S", ["AS 2S 3S", "AS 2S 3S"], (0, "")),
        ("F2", five_crowns("3"), "3S 4H 9D", [], (33, "3S 4H 9D")),
        ("F3", five_crowns("4"), "JK 4* TH 8D", ["JK 4* TH"], (8, "8D")),
        ("C051", gin(), "JS QS KS AC", ["JS QS KS"], (1, "AC")),
        ("C052", TT3, "QS KS AS", [], (21, "AS QS KS")),
        ("C059", rummikub(), "KD KC KS KS", ["KD KC KS"], (13, "KS")),
        ("C061", rummikub(), "7D 7D 7S 7C", ["7D 7S 7C"], (7, "7D")),
        ("K4", rummikub(), "JK 4H 9D", [], (43, "4H 9D JK")),
    ],
)
def test_penalty_is_the_points_of_the_cards_left(case, rules, hand, melds, cost_left):
    arrangement = check_arrangement(hand, melds, rules)
    assert (penalty(arrangement, rules), format_hand(arrangement.deadwood)) == cost_left, case


def test_hand_and_melds_may_come_in_every_form_and_melds_keep_their_order():
    hand = parse_cards("5S 6S 7S 6H 6D 6C KD")
    placed = check_meld("5S 6S 7S", PLAIN)
    for given in (
        hand,
        counts_of(hand),
        "6C 6D 6H 5S 6S 7S KD",
        ["KD", *"6C 6D 6H 5S 6S 7S".split()],
    ):
        arrangement = check_arrangement(given, ["6C 6D 6H", placed], PLAIN)
        assert [meld.text() for meld in arrangement.melds] == ["S[6H 6D 6C]", "R[5S 6S 7S]"]
        assert arrangement.deadwood == tuple(parse_cards("KD"))


def test_an_empty_hand_and_a_hand_without_melds():
    assert check_arrangement("", [], PLAIN).text() == "no meld"
    assert check_arrangement("KD 4S", [], PLAIN).text() == "no meld / left 4S KD"


def test_notation_and_json_put_melds_in_canonical_order():
    rules = three_thirteen("3")
    melds = ["JK JK JK", "9S 9H 9D", "4S 4H 4D", "7H 8H 9H", "5S 6S 7S 8S", "5S 6S 7S", "3S AS 2S"]
    arrangement = check_arrangement(" ".join(melds) + " KD 2H", melds, rules)
    expected = (
        "R[AS 2S 3S] R[5S 6S 7S] R[5S 6S 7S 8S] R[7H 8H 9H] S[4S 4H 4D] S[9S 9H 9D] W[JK JK JK]"
    )
    assert arrangement.text() == f"{expected} / left 2H KD"
    assert [meld.text() for meld in arrangement.sorted_melds()] == expected.replace(
        "] ", "]|"
    ).split("|")
    assert arrangement.to_json() == {
        "melds": [meld.to_json() for meld in arrangement.sorted_melds()],
        "deadwood": ["2H", "KD"],
        "text": arrangement.text(),
    }


def test_all_faults_are_found_at_once_with_their_places():
    assert faults_of(
        "3S 9D TD KH 5S 6S 7S", ["5S 6S 7S 8S", "9D TD 3S", "KH XX", "KH 5S 5S"], TT3
    ) == [
        ("arrangement.card_missing", "/melds/0"),
        ("card.unknown", "/melds/2/1"),
        ("arrangement.card_missing", "/melds/3"),
        ("meld.mixed_suits", "/melds/3"),
        ("meld.mixed_ranks", "/melds/3"),
    ]


def test_a_card_serves_one_meld_only_and_the_fault_names_it():
    with pytest.raises(HandError) as caught:
        check_arrangement("5S 6S 7S 7H 7D", ["5S 6S 7S", "7S 7H 7D"], PLAIN)
    (fault,) = caught.value.faults
    assert (fault.code, fault.where) == ("arrangement.card_missing", "/melds/1")
    assert fault.data == {"cards": ["7S"]}


def test_a_hand_that_is_no_cards_is_refused_as_such():
    with pytest.raises(NotationError) as caught:
        check_arrangement("5S 6X", [], PLAIN)
    assert caught.value.faults[0].where == "/hand/1"


def test_a_placed_meld_is_not_moved():
    run = check_meld("5S 6S 7S", PLAIN)
    backwards = Meld(MeldKind.RUN, run.cards[::-1], (None, None, None))
    assert faults_of("5S 6S 7S", [backwards], PLAIN) == [("meld.order", "/melds/0")]


def test_cards_that_must_be_used_must_lie_in_melds():
    five, king = parse_cards("5S KD")
    rules = game(must_use=((five, 2), (king, 1)))
    hand = "5S 6S 7S 5S 5H 5D KD"
    assert faults_of(hand, ["5S 6S 7S"], rules) == [("arrangement.must_use", "/melds")] * 2
    both_fives = ["5S 6S 7S", "5S 5H 5D"]
    assert faults_of(hand, both_fives, rules) == [("arrangement.must_use", "/melds")]
    arrangement = check_arrangement(hand, both_fives, game(must_use=((five, 2),)))
    assert format_hand(arrangement.deadwood) == "KD"


# Indian rummy of the rule book (sevens wild): the penalty is the whole hand without both lives.
@pytest.mark.parametrize(
    ("case", "wild", "melds", "left", "expected"),
    [
        ("I1", "7", ["4H 5H 6H", "8S 9S JK", "2D 2C 2S", "KH KD KS"], "QC", 10),
        ("I2", "7", ["4H 5H JK", "8S 9S 7C", "2D 2C 2S", "KH KD KS"], "QC", 72),
        ("I3", "7", ["6H 7H 8H", "9D TD 7S", "2D 2C 2S", "KH KD KS"], "QC", 10),
        ("I4", "7", ["AS KS QS", "2H 3H JK", "5C 5D 5S 5H", "TD 9D JD"], "", 0),
        ("I5", "7", ["4H 5H 6H", "JS JD JC", "2D 2C 2S", "KH KD KS"], "QC", 80),
        ("C084", "J", ["TH JH QH KH", "3C 4C JS 6C 7C", "9D 9S 9C 9H"], "", 0),
    ],
)
def test_required_runs_unmet_count_every_card(case, wild, melds, left, expected):
    rules = indian(wild)
    arrangement = check_arrangement(" ".join([*melds, left]), melds, rules)
    assert penalty(arrangement, rules) == expected, case


def test_a_run_is_pure_when_its_cards_can_be_read_without_a_wild():
    rules = indian("7", penalty_cap=None)
    declared_wild = Meld(MeldKind.RUN, tuple(parse_cards("6H 7H 8H")), (None, "7H", None))
    second = check_meld("2S 3S JK", rules)
    hand = "6H 7H 8H 2S 3S JK KD"
    assert penalty(check_arrangement(hand, [declared_wild, second], rules), rules) == 10
    strict = indian("7", penalty_cap=None, wild_as_natural=False)
    whole_hand = 6 + 0 + 8 + 2 + 3 + 0 + 10
    assert penalty(check_arrangement(hand, [declared_wild, second], strict), strict) == whole_hand


def test_wilds_only_count_as_a_run_where_their_cards_can_be_read_as_one():
    keys = {"penalty_cap": None, "points": PLAIN.meld.points}
    one_run = indian("7", **keys, hand_require=(1, 0))
    barred = indian("7", **keys, hand_require=(1, 0), run_max_wilds=2)
    one_pure = indian("678", **keys, hand_require=(1, 1))
    for rules, hand, expected in (
        (one_run, "JK JK 7S KD", 10),
        (barred, "JK JK 7S KD", 10),
        (barred, "JK JK JK KD", 20 + 20 + 20 + 10),
        (one_pure, "6H 7H 8H KD", 10),
        (one_pure, "6H 7H 8S KD", 6 + 7 + 8 + 10),
    ):
        arrangement = check_arrangement(hand, [" ".join(hand.split()[:3])], rules)
        assert [meld.kind for meld in arrangement.melds] == ["wild"]
        assert penalty(arrangement, rules) == expected


def test_the_cap_bounds_the_penalty():
    rules = game(penalty_cap=25)
    assert penalty(check_arrangement("KS QH 4D", [], rules), rules) == 24
    assert penalty(check_arrangement("KS QH 9D", [], rules), rules) == 25


KALOOKI = {
    "ace": "both",
    "set_max": 4,
    "set_distinct_suits": True,
    "meld_points": "ace_position",
    "meld_values": (11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10),
    "ace_low_points": 1,
}


@pytest.mark.parametrize(
    ("melds", "keys", "value"),
    [
        (["AS 2S 3S"], {}, 1 + 2 + 3),
        (["QS KS AS"], {}, 10 + 10 + 11),
        (["AS AH AD"], {}, 33),
        (["QS KS JK"], {}, 10 + 10 + 10),
        (["JK=AS 2S 3S"], {}, 1 + 2 + 3),
        (["JK=AS 2S 3S"], {"wild_value_zero": True}, 2 + 3),
        (["QS KS JK=AS"], {}, 31),
        (["9S 9H JK"], {}, 27),
        (["9S 9H JK"], {"wild_value_zero": True}, 18),
        (["AS 2S 3S"], {"meld_points": "face"}, 11 + 2 + 3),
        (["KS AS 2S"], {"ace": "cyclic"}, 10 + 1 + 2),
        (["4S 5S 6S", "KS KH KD"], {}, 15 + 30),
        (["JK JK JK"], {}, 33),
        (["JK JK JK"], {"set_min_naturals": 1}, 10 + 10 + 11),
        (["JK JK JK"], {"wild_value_zero": True}, 0),
        ([], {}, 0),
    ],
)
def test_value_of_melds_laid(melds, keys, value):
    rules = game(**{**KALOOKI, **keys})
    laid = [as_placed(text, rules) if "=" in text else text for text in melds]
    hand = " ".join(melds).replace("=AS", "")
    assert arrangement_value(check_arrangement(hand, laid, rules), rules) == value


def as_placed(text, rules):
    """A run of jokers and naturals in its written order."""
    tokens = [token.partition("=") for token in text.split()]
    cards = tuple(parse_cards([card for card, _, _ in tokens]))
    return check_meld(Meld(MeldKind.RUN, cards, tuple(n or None for _, _, n in tokens)), rules)


def test_a_wild_card_read_as_itself_has_its_value_even_where_wilds_have_none():
    rules = game(wild_ranks=frozenset({5}), wild_value_zero=True)
    for cards, value in (("5H 6H 7H", 18), ("5H 6D 7H", 12)):
        assert arrangement_value(check_arrangement(cards, [cards], rules), rules) == value


def test_melds_below_the_least_value_are_a_fault_but_laying_nothing_is_not():
    rules = game(**KALOOKI, min_meld_value=51)
    hand = "TS JS QS 7S 7H 7D AS"
    assert arrangement_value(check_arrangement(hand, ["TS JS QS", "7S 7H 7D"], rules), rules) == 51
    assert faults_of(hand, ["TS JS QS"], rules) == [("arrangement.value", "/melds")]
    assert check_arrangement(hand, [], rules).melds == ()


def test_loose_cards_take_their_most_valuable_reading_when_the_least_value_needs_it():
    hand = "9S TS JK"
    cheap = check_meld(hand, game())
    assert cheap.text() == "R[JK=8S 9S TS]"
    enough = check_arrangement(hand, [hand], game(min_meld_value=29))
    assert enough.text() == "R[9S TS JK=JS]"
    assert check_arrangement(hand, [hand], game(min_meld_value=27)).melds == (cheap,)
    assert faults_of(hand, [cheap], game(min_meld_value=29)) == [("arrangement.value", "/melds")]
    assert faults_of(hand, [hand], game(min_meld_value=30)) == [("arrangement.value", "/melds")]
