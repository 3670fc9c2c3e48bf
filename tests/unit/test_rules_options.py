"""Every variation is an option of its own, and options combine."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from solver.cards import JOKER, parse_card
from solver.errors import RulesError
from solver.rules.loader import load_rules, round_rules


@pytest.mark.parametrize("ace", ["low", "high", "both", "cyclic"])
def test_the_ace_in_runs_is_no_price(ace: str) -> None:
    meld = load_rules("three-thirteen", ace=ace).meld
    assert (meld.ace, meld.points[0]) == (ace, 1)


def test_the_price_of_an_ace_is_no_place_in_runs() -> None:
    meld = load_rules("three-thirteen", points={"A": 15}).meld
    assert (meld.ace, meld.points[0], meld.points[1], meld.points[12]) == ("low", 15, 2, 10)


def test_court_scale() -> None:
    points = load_rules("three-thirteen", points={"J": 11, "Q": 12, "K": 13}).meld.points
    assert points[:13] == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)


def test_jokers_as_an_option() -> None:
    rules = load_rules("three-thirteen", jokers_per_pack=2, players=3)
    assert (rules.deck.jokers, rules.deck.size(), rules.meld.points[JOKER]) == (4, 108, 20)
    assert not load_rules("three-thirteen").deck.has_jokers
    assert load_rules("three-thirteen", joker_points=25, jokers=2).meld.points[JOKER] == 25
    assert load_rules("three-thirteen", points={"JK": 30}, jokers=2).meld.points[JOKER] == 30


def test_speed_as_an_option_is_the_speed_preset() -> None:
    option = load_rules("three-thirteen", speed=True, players=14)
    preset = load_rules("speed-three-thirteen", players=14)
    assert option.fingerprint == preset.fingerprint
    assert option.deck.packs == 5
    switched_off = load_rules("speed-three-thirteen", speed=False, players=4)
    assert switched_off.fingerprint == load_rules("three-thirteen", players=4).fingerprint


def test_five_suited_pack() -> None:
    rules = load_rules("three-thirteen", suits=5, players=4, cards_dealt=8)
    assert (rules.meld.suits, rules.deck.suits, rules.deck.size()) == (5, 5, 130)
    assert rules.meld.is_wild(parse_card("8*"))


def test_fourteen_card_round() -> None:
    rules = load_rules("three-thirteen", deal_sizes="3..14", cards_dealt=14)
    assert (rules.n_rounds, rules.round_no, rules.meld.wild_ranks) == (12, 12, {0})
    with pytest.raises(RulesError, match="cards_dealt one of 3"):
        load_rules("three-thirteen", cards_dealt=14)


def test_bonus_round_as_an_option() -> None:
    options = {"tie_break": "bonus_round", "bonus_cards": 14, "bonus_wild": "A"}
    rules = load_rules("three-thirteen", bonus=True, **options)
    assert (rules.n_dealt, rules.round_no, rules.meld.wild_ranks) == (14, 12, {0})


def test_no_melds_of_wilds_only() -> None:
    meld = load_rules("three-thirteen", meld_min_naturals=1).meld
    assert (meld.set_min_naturals, meld.run_min_naturals) == (1, 1)


def test_variations_combine() -> None:
    names = {
        "ace": ["low", "both"],
        "points": [{}, {"A": 15}, {"J": 11, "Q": 12, "K": 13}],
        "jokers_per_pack": [0, 2],
        "suits": [4, 5],
        "meld_min_naturals": [0, 1],
        "speed": [False, True],
    }
    prints = set()
    for values in product(*names.values()):
        options = dict(zip(names, values, strict=True))
        rules = load_rules("three-thirteen", cards_dealt=13, players=4, **options)
        assert rules.meld.wild_ranks == {12}
        assert rules.meld.ace == options["ace"]
        assert rules.deck.jokers == options["jokers_per_pack"] * (4 if options["speed"] else 2)
        assert rules.meld.set_min_naturals == options["meld_min_naturals"]
        prints.add(rules.fingerprint)
    assert len(prints) == 2 * 3 * 2 * 2 * 2 * 2


def test_points_of_a_card_and_of_its_rank() -> None:
    points = load_rules("kalooki-jamaica", points={"A": 20}).meld.points
    assert [points[c] for c in (0, 13, 26, 39)] == [20] * 4  # a later rank covers earlier cards
    points = load_rules("three-thirteen", points={"AS": 15, "A": 2}).meld.points
    assert [points[c] for c in (0, 13, 26, 39)] == [15, 2, 2, 2]  # a card covers its rank


def test_wild_points_cover_wild_cards_only() -> None:
    meld = load_rules("three-thirteen", cards_dealt=7, wild_points=20, wild_cards="2S 2C").meld
    priced = {text: meld.points[parse_card(text)] for text in ("7H", "7*", "2S", "2C", "2H", "8H")}
    assert priced == {"7H": 20, "7*": 20, "2S": 20, "2C": 20, "2H": 2, "8H": 8}
    assert load_rules("five-crowns", cards_dealt=7, wild_points="none").meld.points[6] == 7


def test_wild_ranks_given_stand_for_the_schedule() -> None:
    assert load_rules("three-thirteen", cards_dealt=5, wild_ranks=["2"]).meld.wild_ranks == {1}
    assert load_rules("three-thirteen", cards_dealt=5, wild_ranks="none").meld.wild_ranks == set()
    other = load_rules("three-thirteen", cards_dealt=5, wild_schedule={5: "K"})
    assert other.meld.wild_ranks == {12}
    assert load_rules("three-thirteen", cards_dealt=6, wild_schedule={5: "K"}).meld.wild_ranks == {
        5
    }


def test_a_constant_size_keeps_its_wild_rank() -> None:
    rules = load_rules("three-thirteen", deal_sizes=[5])
    assert (rules.n_dealt, rules.n_rounds, rules.meld.wild_ranks) == (5, 11, {4})
    assert round_rules(rules, 9).meld == rules.meld


@pytest.mark.parametrize("ranks", ["10 j", ["T", "J"], [10, 11], {"J", "t"}, "10,11"])
def test_spellings_of_ranks(ranks: object) -> None:
    assert load_rules("gin", wild_ranks=ranks).meld.wild_ranks == {9, 10}


def test_liverpool_options() -> None:
    twos_natural = load_rules("liverpool", jokers_only=True).meld
    assert (twos_natural.wild_ranks, twos_natural.points[1]) == (set(), 5)
    assert load_rules("liverpool", points={"JK": 25, "2": 20}).meld.points[JOKER] == 25
    pips = load_rules("liverpool", pip_values=True).meld.points
    assert (pips[1], pips[8], pips[9], pips[0], pips[JOKER]) == (2, 9, 10, 15, 25)
    literal = load_rules("liverpool", ace="high", rank_lo=3).meld
    assert (literal.ace, literal.rank_lo) == ("high", 3)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("10x4+12x3", (10, 10, 10, 10, 12, 12, 12)),
        ("10x3+12x4", (10, 10, 10, 12, 12, 12, 12)),
        ("11x7", (11,) * 7),
        ("7,10,10,10,12,12,14", (7, 10, 10, 10, 12, 12, 14)),
        ([7, 10, 10, 10, 12, 12, 12], (7, 10, 10, 10, 12, 12, 12)),
        ("contract+1", (7, 8, 9, 10, 11, 12, 13)),
        ("7..13", (7, 8, 9, 10, 11, 12, 13)),
    ],
)
def test_deal_sizes_of_liverpool(text: object, sizes: tuple[int, ...]) -> None:
    rules = load_rules("liverpool", deal_sizes=text)
    assert rules.flow.deal_sizes == sizes
    assert [round_rules(rules, n + 1).n_dealt for n in range(7)] == list(sizes)


def test_a_size_dealt_in_all_rounds_is_known_without_a_round() -> None:
    assert load_rules("liverpool", deal_sizes="11x7").n_dealt == 11
    assert load_rules("liverpool", deal_sizes=[11]).n_dealt == 11


@pytest.mark.parametrize(("jokers", "held"), [("players-1", 4), ("players", 5), (3, 3)])
def test_jokers_by_players(jokers: object, held: int) -> None:
    deck = load_rules("liverpool", jokers=jokers, players=5).deck
    assert (deck.packs, deck.jokers, deck.has_jokers) == (3, held, True)
    without = load_rules("liverpool", jokers=jokers).deck
    assert without.jokers == (3 if jokers == 3 else None)


def test_six_deals_end_without_the_deal_of_three_runs() -> None:
    rules = load_rules("liverpool", six_deals=True)
    assert (rules.n_rounds, rules.flow.deal_sizes) == (6, (10, 10, 10, 10, 12, 12))
    assert round_rules(rules, 6).meld.use_all is False
    with pytest.raises(RulesError, match=r"1\.\.6"):
        round_rules(rules, 7)


def test_the_last_deal_played_like_the_others() -> None:
    rules = load_rules("liverpool", deal=7, final_deal="ordinary")
    assert (rules.meld.use_all, rules.flow.must_discard_to_go_out) == (False, True)
    for options in ({"use_all": False}, {"must_discard_to_go_out": True}, {"contract": None}):
        with pytest.raises(RulesError, match="since the deal chosen has"):
            load_rules("liverpool", deal=7, **options)
        assert load_rules("liverpool", **options).fingerprint == load_rules("liverpool").fingerprint


@pytest.mark.parametrize(
    "contract",
    ["3+r4", "r4.3", "set run", ["set", "run4"], [["run", 4], ["set", 3]], "s3,R4", ["3", "r4"]],
)
def test_spellings_of_a_contract(contract: object) -> None:
    meld = load_rules("liverpool", contract=contract).meld
    assert meld.contract == (("set", 3), ("run", 4))
    assert load_rules("liverpool", deal=2, contract="3.3").meld.contract == (("set", 3),) * 2


def test_a_contract_without_lengths_takes_those_of_the_game() -> None:
    assert load_rules("kalooki-51", contract="set run").meld.contract == (("set", 3), ("run", 3))


def test_which_cards_are_wild() -> None:
    meld = load_rules("shanghai-10", black_twos_wild=True).meld
    assert {text: meld.is_wild(parse_card(text)) for text in ("JK", "2S", "2C", "2H", "3S")} == {
        **dict.fromkeys(("JK", "2S", "2C"), True),
        **dict.fromkeys(("2H", "3S"), False),
    }
    assert not load_rules("shanghai-10", jokers_wild="off").meld.is_wild(JOKER)
    assert load_rules("shanghai-10", jokers_wild="Yes").meld.is_wild(JOKER)


def test_contracts_of_ones_own() -> None:
    rules = load_rules("carioca", contracts="3.3; r13", deal=2)
    assert (rules.n_rounds, rules.meld.contract) == (2, (("run", 13),))
    nine = load_rules("carioca", nine_deals=True, deal=8)
    assert (nine.n_rounds, nine.meld.contract) == (9, (("set", 3),) * 4)
    assert load_rules("carioca", five_ten_points=True).meld.points[5:8] == (5, 5, 10)


def test_shanghai_twos() -> None:
    assert load_rules("shanghai-10", twos_wild=True).meld.wild_ranks == {1}
    black = load_rules("shanghai-10", black_twos_wild=True).meld
    assert black.wild_cards == {parse_card("2S"), parse_card("2C")}


def test_end_of_the_game() -> None:
    assert load_rules("gin", end="5 rounds").flow.end_score is None
    assert load_rules("gin", end="5 rounds").n_rounds == 5
    to_score = load_rules("three-thirteen", end="100 points", deal_sizes=[5]).flow
    assert (to_score.rounds, to_score.end_score) == (None, 100)
    assert load_rules("gin", round=40).n_dealt == 10


def test_must_use_counts_copies() -> None:
    rules = load_rules("rummikub", must_use="7H 8H 7H")
    assert rules.meld.must_use == ((parse_card("7H"), 2), (parse_card("8H"), 1))


def test_lists_and_pairs_as_texts() -> None:
    meld = load_rules("liverpool", run_core="5,4", hand_require="none").meld
    assert (meld.run_core, meld.hand_require) == ((5, 4), None)
    assert load_rules("liverpool", run_core="none").meld.run_core is None
    assert load_rules("indian-13", hand_require="(1, 1)").meld.hand_require == (1, 1)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("points", '{"A": 15, "JK": 25}', {"A": 15, "JK": 25}),
        ("contract", '[["set", 3], ["run", 4]]', "3+r4"),
        ("run_core", "[4, 2]", (4, 2)),
        ("wild_ranks", '["2", "K"]', "2 K"),
    ],
)
def test_json_as_text(key: str, text: str, value: object) -> None:
    assert load_rules("liverpool", **{key: text}) == load_rules("liverpool", **{key: value})


def test_numbers_of_numpy_are_numbers() -> None:
    rules = load_rules("three-thirteen", cards_dealt=np.int64(5))
    assert rules == load_rules("three-thirteen", cards_dealt=5)


@pytest.mark.parametrize("key", ["players", "cards_dealt", "round", "deal", "turned_card"])
def test_none_leaves_a_choice_open(key: str) -> None:
    rules = load_rules("liverpool", **{key: None})
    assert rules.fingerprint == load_rules("liverpool").fingerprint


def test_cards_dealt_where_a_game_always_deals_them() -> None:
    assert load_rules("gin", cards_dealt=10).n_dealt == 10
    assert load_rules("continental", cards_dealt=9) == load_rules("continental", deal=3)


def test_the_two_player_game_of_500_rum_is_for_two() -> None:
    rules = load_rules("rum-500", two_players=True)
    assert (rules.flow.min_players, rules.flow.max_players, rules.n_dealt) == (2, 2, 10)
    with pytest.raises(RulesError) as caught:
        load_rules("rum-500", two_players=True, players=3)
    assert caught.value.faults[0].code == "rules.players"
    assert load_rules("rum-500", players=8).n_dealt == 7


def test_names_are_read_loosely() -> None:
    assert load_rules(" Three_Thirteen ") is load_rules("three-thirteen")
    assert load_rules("indian 13").name == "indian-13"


def test_rules_are_remembered() -> None:
    one = load_rules("three-thirteen", cards_dealt="13", points="A=15")
    assert one is load_rules("three-thirteen", points={"A": 15}, cards_dealt=13)
