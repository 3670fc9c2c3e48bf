"""One meld: the rule book's examples and sentences, reported cases, reasons and notation."""

from __future__ import annotations

import pytest

from solver.cards import counts_of, parse_cards
from solver.errors import HandError, NotationError
from solver.melds import Meld, MeldKind, check_meld, is_meld, meld_readings
from tests.unit.melds_games import (
    LIVERPOOL,
    PLAIN,
    contract_rummy,
    five_crowns,
    game,
    gin,
    indian,
    liverpool,
    ranks,
    rummikub,
    shanghai,
    three_thirteen,
)

RUN, SET, WILD = MeldKind.RUN, MeldKind.SET, MeldKind.WILD
NATURAL_TWOS = liverpool(wild_ranks=frozenset())
TT3 = three_thirteen("3")


def code_of(cards, rules, **keys):
    with pytest.raises(HandError) as caught:
        check_meld(cards, rules, **keys)
    return caught.value.code


# The rule book's table of single melds in Liverpool, with the reading that is returned.
@pytest.mark.parametrize(
    ("cards", "rules", "expected"),
    [
        pytest.param("7S 7H 2C", LIVERPOOL, "S[7S 7H 2C=7]", id="L1"),
        pytest.param("7S 2C JK", LIVERPOOL, "meld.naturals", id="L2"),
        pytest.param("7S 7H 2C JK 2D", LIVERPOOL, "S[7S 7H 2D=7 2C=7 JK=7]", id="L3"),
        pytest.param("4H 5H 2C 7H", LIVERPOOL, "R[4H 5H 2C=6H 7H]", id="L4"),
        pytest.param("4H 2C JK 7H", LIVERPOOL, "meld.naturals", id="L5"),
        pytest.param("4H 5H 2C 7H JK", LIVERPOOL, "R[2C=3H 4H 5H JK=6H 7H]", id="L6"),
        pytest.param("3H 2C 5H JK 7H", LIVERPOOL, "meld.core", id="L7"),
        pytest.param("AH 2H 3H 4H", LIVERPOOL, "R[AH 2H 3H 4H]", id="L8"),
        pytest.param("AH 2H 2S 4H", LIVERPOOL, "meld.naturals", id="L9"),
        pytest.param("QH KH AH 2H", LIVERPOOL, "R[2H=JH QH KH AH]", id="L10"),
        pytest.param("QH KH AH 2H", NATURAL_TWOS, "meld.wrap", id="L10-natural-twos"),
        pytest.param("JH QH KH AH", LIVERPOOL, "R[JH QH KH AH]", id="L11"),
        pytest.param("KH AH 2H 3H", LIVERPOOL, "meld.wrap", id="L12"),
        pytest.param("KH AH 2H 3H", NATURAL_TWOS, "meld.wrap", id="L12-natural-twos"),
        pytest.param("2S 3S 4S 5S", LIVERPOOL, "R[2S 3S 4S 5S]", id="L13"),
        pytest.param("AH 2H 3H 4H", liverpool(ace="high", rank_lo=3), "meld.no_position", id="L14"),
    ],
)
def test_rule_book_single_melds(cards, rules, expected):
    if expected.startswith("meld."):
        assert code_of(cards, rules) == expected
        assert not is_meld(cards, rules)
    else:
        assert check_meld(cards, rules).text() == expected
        assert is_meld(cards, rules)


def test_beyond_the_end_of_the_naturals_a_wild_takes_an_existing_position():
    assert check_meld("QS KS 3D", TT3).text() == "R[3D=JS QS KS]"
    readings = [meld.text() for meld in meld_readings("QS KS 3D", TT3)]
    assert readings == ["R[3D=JS QS KS]"], "never a card above the king"


def suit_run(first, last, suit="S"):
    """Cards from one position to another, A = 1 and again 14."""
    line = "A23456789TJQKA"
    return " ".join(line[i - 1] + suit for i in range(first, last + 1))


@pytest.mark.parametrize(
    ("rules", "longest", "one_more"),
    [
        (game(ace="low"), suit_run(1, 13), "JK"),
        (game(ace="high"), suit_run(2, 14), "JK"),
        (game(ace="cyclic"), suit_run(1, 13), "JK"),
        (game(ace="both"), suit_run(1, 14), "JK"),
        (five_crowns("K"), suit_run(3, 12) + " KH", "JK"),
    ],
)
def test_a_run_has_no_more_cards_than_the_line_has_positions(rules, longest, one_more):
    assert check_meld(longest, rules).kind == RUN
    assert code_of(f"{longest} {one_more}", rules) == "meld.too_long"


def test_fourteen_cards_take_two_aces_or_an_ace_and_a_wild():
    both = game(ace="both")
    assert check_meld(suit_run(1, 14), both).text() == f"R[{suit_run(1, 14)}]"
    one_ace = suit_run(1, 13) + " JK"
    assert [meld.text() for meld in meld_readings(one_ace, both)] == [
        f"R[{suit_run(1, 13)} JK=AS]",
        f"R[JK=AS {suit_run(2, 14)}]",
    ]
    assert code_of("AS 2S 3S AS", both) == "meld.duplicate_rank", "two aces only span 14"
    assert code_of(suit_run(1, 14), game(ace="low")) == "meld.duplicate_rank"


@pytest.mark.parametrize(
    ("ace", "low_run", "high_run", "corner"),
    [
        ("low", True, False, False),
        ("high", False, True, False),
        ("both", True, True, False),
        ("cyclic", True, True, True),
    ],
)
def test_where_an_ace_may_stand(ace, low_run, high_run, corner):
    rules = game(ace=ace)
    assert is_meld("AS 2S 3S", rules) == low_run
    assert is_meld("QS KS AS", rules) == high_run
    assert is_meld("KS AS 2S", rules) == corner
    assert is_meld("QS KS AS 2S", rules) == corner


def test_a_run_may_not_skip_the_wild_rank():
    assert code_of("2S 4S 5S", TT3) == "meld.gap"
    assert check_meld("2S 3H 4S 5S", TT3).text() == "R[2S 3H=3S 4S 5S]"
    assert check_meld("2S 3S 4S 5S", TT3).text() == "R[2S 3S 4S 5S]"


@pytest.mark.parametrize("rank_lo", [1, 2, 3])
def test_the_line_begins_at_its_lowest_rank(rank_lo):
    low, high = game(rank_lo=rank_lo), game(ace="high", rank_lo=rank_lo)
    assert is_meld("AS 2S 3S", low) == (rank_lo == 1)
    assert is_meld("2S 3S 4S", low) == (rank_lo <= 2)
    assert is_meld("2S 3S 4S", high) == (rank_lo <= 2)
    assert is_meld("3S 4S 5S", low)
    assert not is_meld("AS 2S 3S", high)


def test_all_wild_melds_need_natural_minima_of_zero():
    assert check_meld("3S 3H 3D", TT3).text() == "W[3S 3H 3D]"
    one = {"set_min_naturals": 1, "run_min_naturals": 1}
    assert check_meld("3S 3H 3D", three_thirteen("3", **one)).text() == "S[3S 3H 3D]"
    assert check_meld("JK JK JK", PLAIN).text() == "W[JK JK JK]"
    assert code_of("JK JK JK", game(**one)) == "meld.naturals"
    strict = three_thirteen("3", wild_as_natural=False, **one)
    assert code_of("3S 3H 3D", strict) == "meld.naturals"


def test_an_all_wild_meld_passes_as_set_or_run_and_the_longer_cap_counts():
    rules = game(set_max=4, run_max=6)
    assert check_meld("JK " * 6, rules).kind == WILD
    assert code_of("JK " * 7, rules) == "meld.too_long"
    assert is_meld("JK " * 4, rules, kind=SET)
    assert is_meld("JK " * 4, rules, kind=RUN)
    assert not is_meld("JK " * 5, rules, kind=SET)
    assert is_meld("JK " * 5, rules, kind=RUN)
    apart = game(wilds_adjacent=False, set_min=4)
    assert code_of("JK JK JK", apart) == "meld.adjacent_wilds"
    assert check_meld("JK JK JK JK", apart).kind == WILD
    assert code_of("JK JK JK", game(wild_ratio="le")) == "meld.ratio"


@pytest.mark.parametrize(
    ("cards", "keys", "legal"),
    [
        ("5S 5H 5D", {"set_max": 3}, True),
        ("5S 5H 5D 5C", {"set_max": 3}, False),
        ("5S 5S 5D", {"set_distinct_suits": True}, False),
        ("5S 5S 5D", {}, True),
        ("5S 5H JK", {"set_distinct_suits": True}, True),
        ("5S JK JK", {"set_min_naturals": 2, "run_min": 4}, False),
        ("5S 5H JK", {"set_min_naturals": 2}, True),
        ("5S 5H JK JK", {"set_max_wilds": 1, "run_max_wilds": 1}, False),
        ("5S 6S JK JK", {"run_max_wilds": 1}, False),
        ("5S 6S 7S JK", {"run_max_wilds": 1}, True),
        ("5S 5H JK JK", {"wild_ratio": "le"}, True),
        ("5S 5H JK JK", {"wild_ratio": "lt"}, False),
        ("5S 5H 5D JK JK", {"wild_ratio": "lt"}, True),
        ("5S JK 7S JK 9S", {"run_core": (4, 3)}, False),
        ("5S 6S JK 8S JK", {"run_core": (4, 3)}, True),
        ("5S JK JK 8S", {"wilds_adjacent": False}, False),
        ("5S JK 7S JK", {"wilds_adjacent": False}, True),
        ("5S 6S 7S 8S", {"run_max": 3}, False),
        ("5S 6S 7S", {"run_min": 4}, False),
    ],
)
def test_each_limit_bites_exactly_where_it_says(cards, keys, legal):
    assert is_meld(cards, game(**keys)) == legal


def test_a_run_that_fills_the_ring_is_judged_as_the_row_it_lies_in():
    rules = game(ace="cyclic", wilds_adjacent=False)
    naturals = suit_run(2, 12)
    assert is_meld(f"{naturals} JK JK", rules), "a joker at either end of the row"


def test_a_wild_card_on_its_own_position_is_natural_only_if_the_rules_say_so():
    limited = {"run_max_wilds": 0, "set_max_wilds": 0}
    assert check_meld("5H 6H 7H", three_thirteen("6", **limited)).text() == "R[5H 6H 7H]"
    strict = three_thirteen("6", wild_as_natural=False, **limited)
    assert code_of("5H 6H 7H", strict) == "meld.wilds"
    assert code_of("5H 6D 7H", three_thirteen("6", **limited)) == "meld.wilds"
    black_twos = game(wild_cards=frozenset(parse_cards("2S 2C")), set_max_wilds=0)
    assert check_meld("2S 2H 2D", black_twos).text() == "S[2S 2H 2D]"


def test_a_second_copy_of_a_wild_card_does_not_count_as_natural_where_suits_differ():
    rules = three_thirteen("3", set_distinct_suits=True, set_min_naturals=2, run_min_naturals=3)
    assert code_of("3S 3S 3S", rules) == "meld.naturals"
    lies = check_meld("3S 3S 3H", rules)
    assert (lies.text(), lies.stands_for) == ("S[3S 3S 3H]", (None, "3", None))


@pytest.mark.parametrize(
    ("case", "rules", "cards", "expected"),
    [
        ("C021", five_crowns("Q"), "3H 4H 5H 6H 7H 8H 9H TH JH QH KH JK", "meld.too_long"),
        ("C022", five_crowns("7"), "6D 7* 7* 9D", "R[6D 7*=7D 7*=8D 9D]"),
        ("C022", five_crowns("7"), "9D 7C JD", "R[9D 7C=TD JD]"),
        ("C024", TT3, "3S 3H 3D", "W[3S 3H 3D]"),
        ("C026", contract_rummy(), "7D 7S JK", "S[7S 7D JK=7]"),
        ("C026", contract_rummy(), "9S 9C JK", "S[9S 9C JK=9]"),
        ("C036", game(ace="both"), "JS QS JK AS", "R[JS QS JK=KS AS]"),
        ("C037", game(ace="both"), "JS QS KS JK 9S", "R[9S JK=TS JS QS KS]"),
        ("C039", shanghai(), "JC QC KC JK", "R[JK=TC JC QC KC]"),
        ("C041", contract_rummy(), "2H 3H JK 5H 6H", "R[2H 3H JK=4H 5H 6H]"),
        ("C041", contract_rummy(), "2H 3H JK 6H 7H", "meld.gap"),
        ("C041", contract_rummy(), "2H 3H JK", "meld.too_short"),
        ("C042", shanghai(), "7C JK JK", "meld.ratio"),
        ("C042", shanghai(), "7C 7D JK JK", "S[7D 7C JK=7 JK=7]"),
        ("C047", indian("J"), "TH JH QH", "R[TH JH QH]"),
        ("C047", indian("J"), "3C 4C 5C JH 7C", "R[3C 4C 5C JH=6C 7C]"),
        ("C051", gin(), "QS KS AC", "meld.mixed_suits"),
        ("C051", gin(), "JS QS KS", "R[JS QS KS]"),
        ("C052", TT3, "QS KS AS", "meld.no_position"),
        ("C054", shanghai(wild_ranks=ranks("2")), "QH KH AH 2S", "R[2S=JH QH KH AH]"),
        ("C054", shanghai(wild_ranks=ranks("2")), "AH 2H 3H 4H", "R[AH 2H 3H 4H]"),
        ("C056", game(ace="both"), "TS JS QS KS AS", "R[TS JS QS KS AS]"),
        ("C056", game(ace="both"), "AS 2S 3S", "R[AS 2S 3S]"),
        ("C057", indian("9"), "QS KS AS", "R[QS KS AS]"),
        ("C057", indian("9"), "AS 2S 3S", "R[AS 2S 3S]"),
        ("C057", indian("9"), "KS AS 2S", "meld.wrap"),
        ("C059", rummikub(), "KD KC KS KS", "meld.duplicate_suit"),
        ("C061", rummikub(), "7D 7D 7S", "meld.duplicate_suit"),
        ("C061", rummikub(), "7D 7S 7C", "S[7S 7D 7C]"),
        ("C062", three_thirteen("6"), "AS AS 2S", "meld.duplicate_rank"),
        ("C064", gin(), "5H 5D 5D 5S", "meld.duplicate_suit"),
        ("C064", rummikub(), "3H JK 3H", "meld.duplicate_rank"),
        ("C064", rummikub(), "3H JK 3C", "S[3H 3C JK=3]"),
        ("C147", rummikub(), "6D 8D 7D", "R[6D 7D 8D]"),
    ],
)
def test_reported_cases(case, rules, cards, expected):
    if expected.startswith("meld."):
        assert code_of(cards, rules) == expected, case
    else:
        assert check_meld(cards, rules).text() == expected, case


def test_a_joker_among_two_equal_cards_is_refused_as_either_kind():
    with pytest.raises(HandError) as caught:
        check_meld("3H JK 3H", rummikub(), where="/melds/4")
    codes = [(fault.code, fault.where) for fault in caught.value.faults]
    expected = ["meld.duplicate_rank", "meld.duplicate_suit"]
    assert codes == [(code, "/melds/4") for code in expected]


@pytest.mark.parametrize(
    ("cards", "keys", "codes"),
    [
        ("4S 9H 5D", {}, ["meld.mixed_suits", "meld.mixed_ranks"]),
        ("", {}, ["meld.too_short"]),
        ("4S", {}, ["meld.too_short"]),
        ("4S 4H", {"run_min": 2}, ["meld.too_short"]),
        ("4S 5S", {"set_min": 2}, ["meld.too_short"]),
        ("4S 6S 7S", {}, ["meld.gap"]),
        ("QS KS AS", {}, ["meld.no_position"]),
        ("2S 3S 4S", {"rank_lo": 3}, ["meld.no_position"]),
        ("5S 5H JK", {"jokers_wild": False}, ["meld.joker"]),
        ("5S 5H 5D 5C", {"set_max": 3}, ["meld.too_long"]),
        ("5S JK JK", {"set_max_wilds": 1, "run_max_wilds": 1}, ["meld.wilds", "meld.wilds"]),
        (
            "5S JK JK",
            {"set_min_naturals": 2, "wilds_adjacent": False, "run_min_naturals": 2},
            ["meld.naturals", "meld.naturals"],
        ),
    ],
)
def test_reasons_name_the_kind_that_came_nearest(cards, keys, codes):
    with pytest.raises(HandError) as caught:
        check_meld(cards, game(**keys))
    assert [fault.code for fault in caught.value.faults] == codes
    assert caught.value.code == codes[0]


def test_a_reason_says_what_was_expected_and_what_came():
    with pytest.raises(HandError, match="as a run: expected at least 3 naturals, got 2"):
        check_meld("4H 2C JK 7H", LIVERPOOL)
    with pytest.raises(HandError, match="expected no run around the corner, got AD 2D KD"):
        check_meld("KD AD 2D", PLAIN)


def test_a_kind_asked_for_is_the_only_one_tried():
    assert check_meld("9D 3S 3H", TT3, kind=SET).text() == "S[3S=9 3H=9 9D]"
    assert code_of("5S 6S 7S", PLAIN, kind=SET) == "meld.mixed_ranks"
    assert code_of("5S 5H 5D", PLAIN, kind=RUN) == "meld.mixed_suits"
    assert code_of("5S 5H 5D", PLAIN, kind=WILD) == "meld.wilds_only"
    assert code_of("JK JK", PLAIN, kind=WILD) == "meld.too_short"
    assert check_meld("JK JK JK", PLAIN, kind=RUN).text() == "W[JK JK JK]"
    one = three_thirteen("3", set_min_naturals=1, run_min_naturals=1)
    assert code_of("3S 3H 3D", one, kind=WILD) == "meld.naturals"
    assert check_meld("3S 3H 3D", one, kind=RUN).text() == "R[3H=AS 3D=2S 3S]"


def test_cards_may_come_as_text_tokens_ids_or_counts():
    ids = parse_cards("9S 7S 8S")
    for cards in ("9S 7S 8S", ["9S", "7S", "8S"], ids, tuple(ids), counts_of(ids)):
        assert check_meld(cards, PLAIN).text() == "R[7S 8S 9S]"
    with pytest.raises(NotationError):
        check_meld("9S 7S 8X", PLAIN)
    assert code_of([66, 1, 2], PLAIN) == "card.id"


def test_readings_list_every_placement_once_most_naturals_first():
    assert [meld.text() for meld in meld_readings("3S 3H 9D", TT3)] == [
        "R[3S=7D 3H=8D 9D]",
        "R[3S=8D 9D 3H=TD]",
        "R[9D 3S=TD 3H=JD]",
        "S[3S=9 3H=9 9D]",
    ]
    readings = meld_readings("5H 6H 7H JK", three_thirteen("6"))
    assert [(meld.text(), meld.stands_for) for meld in readings] == [
        ("R[JK=4H 5H 6H 7H]", ("4H", None, None, None)),
        ("R[5H 6H 7H JK=8H]", (None, None, None, "8H")),
        ("R[6H=4H 5H JK=6H 7H]", ("4H", None, "6H", None)),
        ("R[5H 6H 7H JK=8H]", (None, "6H", None, "8H")),  # the six read as a wild
    ]
    assert meld_readings("4S 9H 5D", PLAIN) == []


def test_where_runs_must_be_shown_a_run_is_read_before_a_set_with_more_naturals():
    keys = {"set_min_naturals": 1, "run_min_naturals": 1}
    assert check_meld("3S 3H 3D", three_thirteen("3", **keys)).kind == SET
    assert check_meld("3S 3H 3D", three_thirteen("3", hand_require=(1, 0), **keys)).kind == RUN


def placed(text):
    """A meld written in its notation."""
    kind = {"R": RUN, "S": SET, "W": WILD}[text[0]]
    tokens = [token.partition("=") for token in text[2:-1].split()]
    cards = tuple(parse_cards([card for card, _, _ in tokens]))
    return Meld(kind, cards, tuple(name or None for _, _, name in tokens))


@pytest.mark.parametrize(
    ("meld", "rules", "code"),
    [
        ("R[6D 7D 8D]", rummikub(), None),
        ("R[6D 8D 7D]", rummikub(), "meld.order"),
        ("R[8D 7D 6D]", rummikub(), "meld.order"),
        ("R[QH KH AH 2S=2H]", liverpool(), "meld.wrap"),
        ("R[QH KH AH]", PLAIN, "meld.no_position"),
        ("R[2S=JH QH KH AH]", LIVERPOOL, None),
        ("R[AH 2H 3H 4H]", LIVERPOOL, "meld.stands_for"),
        ("R[AH 2H=2H 3H 4H]", LIVERPOOL, None),
        ("R[5H 6H=6H 7H]", three_thirteen("6"), None),
        ("R[5H 6H=6H 7H]", three_thirteen("6", run_max_wilds=0), "meld.wilds"),
        ("R[5H 6H 7H]", three_thirteen("6", run_max_wilds=0), None),
        ("R[5H JK=6 7H]", PLAIN, "meld.stands_for"),
        ("R[5H JK 7H]", PLAIN, "meld.stands_for"),
        ("R[5H JK=6D 7H]", PLAIN, "meld.mixed_suits"),
        ("R[5H 6H=6H 7H]", PLAIN, "meld.stands_for"),
        ("R[5H 6H]", PLAIN, "meld.too_short"),
        ("R[KD AD 2D]", game(ace="cyclic"), None),
        ("R[AS]", game(ace="high", run_min=1), None),
        ("R[AS]", game(ace="low", rank_lo=2, run_min=1), "meld.no_position"),
        ("S[5S JK=5 5H]", PLAIN, None),
        ("S[5S JK=6 5H]", PLAIN, "meld.mixed_ranks"),
        ("S[5S JK=5H 5H]", PLAIN, "meld.mixed_ranks"),
        ("S[5S 6S 7S]", PLAIN, "meld.mixed_ranks"),
        ("S[5S 5S 5H]", rummikub(), "meld.duplicate_suit"),
        ("S[5S JK=5 JK=5]", LIVERPOOL, "meld.naturals"),
        ("W[JK JK JK]", PLAIN, None),
        ("W[JK JK=5 JK]", PLAIN, "meld.stands_for"),
        ("W[JK JK 5S]", PLAIN, "meld.stands_for"),
        ("W[JK JK JK]", LIVERPOOL, "meld.naturals"),
        ("R[5S JK=6S 7S]", gin(), "meld.joker"),
    ],
)
def test_a_placed_meld_is_judged_as_it_lies(meld, rules, code):
    judged = placed(meld)
    assert is_meld(judged, rules) == (code is None)
    if code is None:
        assert check_meld(judged, rules) is judged
    else:
        assert code_of(judged, rules) == code


def test_a_placed_meld_has_one_declaration_a_card_and_one_kind():
    with pytest.raises(HandError, match="one stands_for a card, got 2 for 3 cards"):
        Meld(RUN, tuple(parse_cards("5H 6H 7H")), (None, None))
    with pytest.raises(HandError, match="expected card ids"):
        Meld(SET, (4, 17, 66), (None, None, None))
    run = placed("R[5H 6H 7H]")
    assert code_of(run, PLAIN, kind=SET) == "meld.kind"
    assert not is_meld(run, PLAIN, kind=SET)
    assert is_meld(run, PLAIN, kind=RUN)
    assert is_meld(placed("W[JK JK JK]"), PLAIN, kind=SET)


@pytest.mark.parametrize(
    "text", ["R[KS=8C 9C TC]", "S[5S=6 6S 6H]", "W[3S 3H 3D]", "R[KS=8C 9C JK=TC]", "S[5* 5* JK=5]"]
)
def test_notation_and_json(text):
    meld = placed(text)
    assert meld.text() == text
    tokens = [token.partition("=") for token in text[2:-1].split()]
    assert meld.to_json() == {
        "kind": {"R": "run", "S": "set", "W": "wild"}[text[0]],
        "cards": [card for card, _, _ in tokens],
        "stands_for": [name or None for _, _, name in tokens],
        "text": text,
    }
