"""Rounds that cannot be scored as told: each kind of fault with its code and place."""

from __future__ import annotations

import pytest

from solver.engine.facts import RoundFacts, SeatFacts
from solver.engine.scoring import RoundExtras, price_round, score_round
from solver.errors import HandError, NotationError
from solver.rules.loader import load_rules
from tests.engine.helpers import cards

GIN = "4S 5S 6S 7H 7D 7C JH QH KH 2C"  # two points left
OTHER = "8S 9S KD KC QD 3H 3D AC AD 5H"
SEVEN = "4H 5H 6H 8S 9S JK 2D 2C 2S KH KD KS QC"  # indian-13, sevens wild: ten points
WORST = "AS 3S 5S 7D 9D JD KC 3C 4C 6C 8C TC QS"


def faults(hands, rules, out=None, totals=None, **extras):
    """The (code, pointer) pairs of what is wrong with a round."""
    with pytest.raises(HandError) as caught:
        score_round(hands, rules, out=out, totals=totals, extras=RoundExtras(**extras))
    return [(fault.code, fault.where) for fault in caught.value.faults]


def indian(**options):
    return load_rules("indian-13", wild_ranks=["7"], **options)


# --- how many hands -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "options", "hands", "expected"),
    [
        ("gin", {}, [GIN], "2"),
        ("gin", {}, [GIN, OTHER, OTHER], "2"),
        ("liverpool", {"deal": 1}, [""], "3..8"),
        ("liverpool", {"deal": 1}, ["", ""], "3..8"),
        ("liverpool", {"deal": 1}, [""] * 9, "3..8"),
        ("liverpool", {"deal": 1, "players": 4}, [""] * 3, "4"),
        ("three-thirteen", {"cards_dealt": 3}, ["5S 5H 5D"], "2..8"),
        ("three-thirteen", {"cards_dealt": 3, "players": 3}, ["5S 5H 5D", "3S 9D QH"], "3"),
        ("rummikub", {}, ["R7"], "2..4"),
        ("rummikub", {}, [], "2..4"),
    ],
)
@pytest.mark.parametrize("out", [None, 0])
def test_the_number_of_hands_is_that_of_the_players(game, options, hands, expected, out):
    with pytest.raises(HandError) as caught:
        score_round(hands, load_rules(game, **options), out=out)
    fault = caught.value.faults[0]
    assert (fault.code, fault.where) == ("round.players", "/hands")
    assert fault.data == {"expected": expected, "got": len(hands)}


def test_one_hand_where_one_may_play():
    score = score_round(["3S 4H 9D"], load_rules("five-crowns", cards_dealt=3))
    assert score.points == (33,)


def test_facts_of_a_knock_need_two_seats():
    facts = RoundFacts(seats=(SeatFacts(hand=cards(GIN)),), out=0, ending="knock")
    with pytest.raises(HandError) as caught:
        price_round(facts, load_rules("gin"))
    assert caught.value.code == "round.players"


@pytest.mark.parametrize(("n_hands", "exact"), [(3, 31), (4, 41)])
def test_the_exact_cut_counts_the_hands_there_are(n_hands, exact):
    rules = load_rules("liverpool", deal=1)
    hands = ["", *["9D"] * (n_hands - 1)]
    for lifted, points in ((exact, 5 - 50), (exact + 10, 5), (exact - 10, 5)):
        score = score_round(hands, rules, out=0, extras=RoundExtras(cut=(1, lifted)))
        assert score.points[1] == points


# --- facts without effect -------------------------------------------------------------------


@pytest.mark.parametrize(
    "extras",
    [
        {"cut": (0, 7)},
        {"false_melds": {0: 1}},
        {"drops": {0: "first"}},
        {"false_declarations": [1]},
        {"down_and_out": [0]},
        {"upcard": cards("9S")[0]},
    ],
)
@pytest.mark.parametrize(
    ("game", "options", "hands"),
    [
        ("three-thirteen", {"cards_dealt": 3}, ["5S 5H 5D", "3S 9D QH"]),
        ("gin", {}, [GIN, OTHER]),
        ("rummikub", {}, ["", "R7"]),  # no game of penalties
    ],
)
def test_facts_that_the_rules_do_not_score_are_refused(game, options, hands, extras):
    (name,) = extras
    rules = load_rules(game, **options)
    assert faults(hands, rules, out=0, **extras) == [("round.unused_field", f"/{name}")]


def test_a_false_call_is_fined_where_that_has_a_price():
    rules = load_rules("three-thirteen", cards_dealt=3, false_out_penalty=25)
    hands = ["3S 9D QH", "5S 5H 5D"]  # a wild left costs its own points
    score = score_round(hands, rules, out=1, extras=RoundExtras(false_declarations=[0]))
    assert score.points == (22 + 25, 0)
    # A fine leaves the seat in play: it may go out later in the round.
    score = score_round(hands, rules, out=1, extras=RoundExtras(false_declarations=[1]))
    assert score.points == (22, 25)


def test_a_fixed_price_of_a_false_declaration_takes_the_place_of_a_fine():
    extras = RoundExtras(false_declarations=[1])
    score = score_round([SEVEN, WORST], indian(false_out_penalty=25), extras=extras)
    assert score.points == (10, 80)


@pytest.mark.parametrize(
    ("game", "options"), [("oklahoma-gin", {}), ("gin", {"spade_double": True})]
)
def test_a_knock_needs_the_card_turned_up_where_it_counts(game, options):
    rules = load_rules(game, **options)
    assert faults([GIN, OTHER], rules, out=0) == [("round.upcard", "/upcard")]
    assert score_round([GIN, OTHER], rules).points == (0, 0)  # nobody knocked
    joker = cards("JK")[0]
    assert faults([GIN, OTHER], rules, out=0, upcard=joker) == [("hand.not_in_deck", "/upcard")]


# --- contradictions and ranges --------------------------------------------------------------


@pytest.mark.parametrize(
    ("extras", "place"),
    [
        ({"drops": {0: "first"}}, "/drops/0"),
        ({"false_declarations": [0]}, "/false_declarations/0"),
        ({"drops": {1: "middle"}, "false_declarations": [1]}, "/false_declarations/0"),
        ({"false_declarations": [1, 1]}, "/false_declarations/1"),
    ],
)
def test_a_seat_ends_a_round_in_one_way(extras, place):
    whole = "4H 5H 6H 8S 9S JK 2D 2C 2S KH KD KS 7S"
    assert faults([whole, WORST], indian(), out=0, **extras) == [("round.conflict", place)]


@pytest.mark.parametrize("out", [None, 0])
def test_down_and_out_is_the_seat_that_went_out(out):
    rules = load_rules("continental", deal=1)
    found = faults(["", "KD"], rules, out=out, down_and_out=[1])
    assert found == [("round.conflict", "/down_and_out/0")]


@pytest.mark.parametrize("lifted", [-1, 0, 108, 500])  # three players: two packs, four jokers
def test_a_cut_lifts_some_cards_but_not_all(lifted):
    rules = load_rules("liverpool", deal=1)
    assert faults(["", "9D", "9D"], rules, out=0, cut=(1, lifted)) == [("round.range", "/cut/1")]


def test_a_cut_of_all_cards_but_one_can_be():
    rules = load_rules("liverpool", deal=1)
    score = score_round(["", "9D", "9D"], rules, out=0, extras=RoundExtras(cut=(1, 107)))
    assert score.points == (0, 5, 5)


def test_false_melds_are_counted_from_nought():
    found = faults(["", "9D", "9D"], load_rules("liverpool", deal=1), false_melds={2: -1})
    assert found == [("round.range", "/false_melds/2")]


# --- hands ----------------------------------------------------------------------------------


def test_who_dropped_need_not_show_a_hand():
    score = score_round([SEVEN, ""], indian(), extras=RoundExtras(drops={1: "first"}))
    assert score.points == (10, 20)
    assert faults([SEVEN, ""], indian()) == [("hand.size", "/hands/1")]
    short = faults([SEVEN, "AS"], indian(), drops={1: "first"})
    assert short == [("hand.size", "/hands/1")]


def test_surplus_cards_are_told_of_the_hand_that_holds_them():
    rules = load_rules("three-thirteen", cards_dealt=3, players=2)
    with pytest.raises(HandError) as caught:
        score_round(["5S 5H 9D", "5S 9D JK"], rules)
    found = {(f.code, f.where, f.data["card"], f.data["seat"]) for f in caught.value.faults}
    assert found == {
        ("hand.copies", "/hands/1", "5S", 1),
        ("hand.copies", "/hands/1", "9D", 1),
        ("hand.not_in_deck", "/hands/1", "JK", 1),
    }
    told = [f.message for f in caught.value.faults if f.code == "hand.copies"]
    assert all(message.startswith("hand 2: ") for message in told)


def test_surplus_cards_of_one_hand_are_told_once():
    rules = load_rules("three-thirteen", cards_dealt=3, players=2)
    assert faults(["5S 5S 9D", "4S JK 6S"], rules) == [
        ("hand.copies", "/hands/0"),
        ("hand.not_in_deck", "/hands/1"),
    ]


def test_many_copies_do_not_wrap_around():
    rules = load_rules("liverpool", deal=1, players=3)
    assert faults(["9D " * 128, "9D " * 128, ""], rules)[0] == ("hand.copies", "/hands/0")


def test_all_faults_are_told_at_once():
    rules = load_rules("three-thirteen", cards_dealt=3, players=3)
    found = faults(["5S 5H", "3S 9D QH"], rules, out=4, totals=[1], upcard=cards("9S")[0])
    assert sorted(found) == [
        ("hand.size", "/hands/0"),
        ("round.players", "/hands"),
        ("round.seats", "/out"),
        ("round.seats", "/totals"),
        ("round.unused_field", "/upcard"),
    ]
    with pytest.raises(NotationError) as caught:
        score_round(["5S ZZ", "YY"], rules)
    assert [f.where for f in caught.value.faults] == ["/hands/0/1", "/hands/1/0"]
