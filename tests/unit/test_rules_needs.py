"""Options that do nothing in their game, and options that contradict each other."""

from __future__ import annotations

from typing import Any

import pytest

from solver.errors import RulesError
from solver.rules.keys import KEYS
from solver.rules.loader import list_rules, load_rules
from solver.rules.needs import NEEDS


def faults_of(name: str, **options: Any) -> dict[str, str]:
    with pytest.raises(RulesError) as caught:
        load_rules(name, **options)
    return {f.where.removeprefix("/options/"): f.message for f in caught.value.faults}


# (game, options, the option refused, what its message names)
IDLE = [
    ("three-thirteen", {"layoff": "all"}, "layoff", "meld_timing on_table"),
    ("three-thirteen", {"rummy_mode": "call"}, "rummy_mode", "meld_timing on_table"),
    ("three-thirteen", {"swap_timing": "any_turn"}, "swap_timing", "meld_timing on_table"),
    ("three-thirteen", {"gin_bonus": 25}, "gin_bonus", "scoring difference"),
    ("three-thirteen", {"buy_priority": "nearest"}, "buy_priority", "meld_timing on_table"),
    ("three-thirteen", {"bonus_wild": "A"}, "bonus_wild", "tie_break bonus_round"),
    ("three-thirteen", {"rearrange": True}, "rearrange", "meld_timing on_table"),
    ("three-thirteen", {"joker_points": 25}, "joker_points", "jokers in the deck"),
    ("three-thirteen", {"initial_meld_min": 30}, "initial_meld_min", "meld_timing on_table"),
    ("three-thirteen", {"ace_low_points": 2}, "ace_low_points", "min_meld_value"),
    ("contract-rummy", {"swap_scope": "all"}, "swap_scope", "swap_timing other than off"),
    ("contract-rummy", {"rummy_cards": 2}, "rummy_cards", "rummy_mode other than off"),
    ("carioca", {"max_buys": 3}, "max_buys", "buy_priority other than off"),
    ("carioca", {"layoff_keeps_ratio": False}, "layoff_keeps_ratio", "wild_ratio other than none"),
    ("gin", {"oklahoma_ace": "one"}, "oklahoma_ace", "oklahoma"),
    ("oklahoma-gin", {"knock_limit": 7}, "knock_limit", "oklahoma false"),
    ("gin", {"direction": "ccw"}, "direction", "more than two players"),
    ("gin", {"max_reshuffles": 2}, "max_reshuffles", "stock_empty reshuffle"),
    ("gin", {"set_max_wilds": 1}, "set_max_wilds", "wild cards"),
    ("gin", {"run_min_naturals": 2}, "run_min_naturals", "above run_min"),
    ("liverpool", {"wild_cards": "2S"}, "wild_cards", "not wild anyway"),
    ("liverpool", {"final_turns": 2}, "final_turns", "meld_timing at_end"),
    ("liverpool", {"table_wilds": "exchanged"}, "table_wilds", "rearrange true"),
    ("liverpool", {"layoff_distinct_suits": False}, "layoff_distinct_suits", "set_distinct_suits"),
    ("rum-500", {"wilds_after_down": "kept"}, "wilds_after_down", "wild cards"),
    ("rummikub", {"first_dealer": 1}, "first_dealer", "referee other than none"),
    ("rum-500", {"referee": "full"}, "referee", "the rule file"),
    ("speed-three-thirteen", {"final_turns": 2}, "final_turns", "simultaneous none"),
]


@pytest.mark.parametrize(("name", "options", "key", "wakes"), IDLE, ids=repr)
def test_an_option_that_does_nothing_is_refused_with_what_would_wake_it(
    name: str, options: dict[str, Any], key: str, wakes: str
) -> None:
    assert wakes in faults_of(name, **options)[key]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("three-thirteen", {"meld_timing": "on_table", "layoff": "all"}),
        ("three-thirteen", {"joker_points": 25, "jokers": 2}),
        ("contract-rummy", {"swap_scope": "all", "swap_timing": "with_contract"}),
        ("contract-rummy", {"rummy_cards": 2, "rummy_mode": "auto"}),
        ("gin", {"oklahoma_ace": "one", "oklahoma": True}),
        ("gin", {"run_min_naturals": 4}),
        ("gin", {"run_min_naturals": 2, "wild_ranks": "2"}),
    ],
    ids=repr,
)
def test_the_option_that_wakes_another_is_enough(name: str, options: dict[str, Any]) -> None:
    for key in options:
        without = {k: v for k, v in options.items() if k != key}
        if key not in NEEDS:
            continue
        try:
            other = load_rules(name, **without)
        except RulesError:
            continue
        assert load_rules(name, **options).fingerprint != other.fingerprint


# (game, options, an option refused)
CONTRADICTIONS = [
    ("gin", {"set_min": 5, "set_max": None}, "set_min"),  # four suits, one pack, no wilds
    ("gin", {"set_min": 5, "set_max": None, "set_distinct_suits": False}, "set_min"),
    ("gin", {"stock_wall": 52}, "stock_wall"),
    ("gin", {"stock_wall": 30}, "stock_wall"),  # 52 - 20 - 1 - 30: one draw for two players
    ("gin", {"oklahoma": True, "knock_limit": 10}, "knock_limit"),
    ("gin", {"knock_limit": None}, "knock_limit"),
    ("gin", {"scoring": "penalty"}, "scoring"),
    ("gin", {"meld_timing": "on_table"}, "meld_timing"),
    ("gin", {"end_score": None}, "end_score"),
    ("gin", {"draw_sources": "stock"}, "draw_sources"),
    ("three-thirteen", {"draw_sources": "top_discard"}, "draw_sources"),
    ("rum-500", {"draw_sources": "any_discard top_discard"}, "draw_sources"),
    ("gin", {"ranks": "A 2 4 5 7 8 T J K"}, "ranks"),  # no three neighbours, so no run
    ("gin", {"first_player_extra": True}, "first_player_extra"),
    ("three-thirteen", {"scoring": "meld_minus_hand"}, "scoring"),
    ("three-thirteen", {"scoring": "difference"}, "scoring"),
    ("three-thirteen", {"tie_break": "bonus_round"}, "tie_break"),
    (
        "three-thirteen",
        {"tie_break": "bonus_round", "bonus_cards": 14, "bonus_max": 0},
        "bonus_max",
    ),
    ("three-thirteen", {"run_min": 4, "run_max": 3}, "run_min"),
    ("three-thirteen", {"set_min": 4, "set_max": 3}, "set_min"),
    ("carioca", {"contracts": "3.r14; r14", "ace": "low", "rounds": 2}, "contracts"),
    ("contract-rummy", {"contract": "3+r4", "contracts": "3.3; r4"}, "contract"),
    ("kalooki-51", {"contract": "5"}, "contract"),  # four suits and four cards at most
    ("liverpool", {"simultaneous": "speed"}, "simultaneous"),
    ("kalooki-51", {"wilds_after_down": "kept"}, "wilds_after_down"),  # swapped in any turn
]


@pytest.mark.parametrize(("name", "options", "key"), CONTRADICTIONS, ids=repr)
def test_contradictions_are_refused(name: str, options: dict[str, Any], key: str) -> None:
    assert key in faults_of(name, **options)


def test_the_wall_may_leave_one_draw_for_each() -> None:
    assert load_rules("gin", stock_wall=29).flow.stock_wall == 29  # 52 - 20 - 1 - 29 = 2


def test_minima_of_naturals_above_the_least_length_raise_it() -> None:
    assert load_rules("gin", run_min_naturals=4).meld.run_min_naturals == 4
    assert "run_min_naturals" in faults_of("gin", run_min_naturals=14)


@pytest.mark.parametrize("name", [info.id for info in list_rules()])
def test_a_value_that_the_game_has_anyway_may_be_spelled_out(name: str) -> None:
    game = load_rules(name)
    (info,) = (info for info in list_rules() if info.id == name)
    rivals = {"jokers", "jokers_per_pack", "wild_ranks", "wild_schedule"}
    if info.options["packs"] is None:
        rivals.add("packs")  # given as none it asks for any number
    for key, value in info.options.items():
        if key not in rivals:
            assert load_rules(name, **{key: value}).fingerprint == game.fingerprint, key


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("three-thirteen", {"run_max": 13}, {}),  # the line has 13 places
        ("gin", {"set_max": None}, {}),  # four suits
        ("rum-500", {"draw_sources": "stock top_discard"}, {}),  # the referee lets one take the top
        ("liverpool", {"run_min_naturals": 0}, {}),  # three stand in the core of four
        ("liverpool-i-may", {"buy_priority": "off"}, {"buy_priority": "off", "buy_price": 1}),
        (
            "three-thirteen",
            {"meld_min_naturals": 1},
            {"set_min_naturals": 1, "run_min_naturals": 1},
        ),
    ],
)
def test_rules_that_say_the_same_have_one_fingerprint(
    name: str, one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert load_rules(name, **one).fingerprint == load_rules(name, **other).fingerprint


def test_needs_are_of_keys() -> None:
    assert set(NEEDS) <= set(KEYS)
