"""One witness a key of the rules: a game, what is asked, and an answer that the key changes."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest

from solver.rules.keys import KEYS
from solver.rules.loader import load_rules
from tests.conformance.option_sets import PROBES, VALUES, a_round, answers

FREE: Final = dict.fromkeys("A23456789TJQK", 0)
# Games in which a rule comes into play within few moves.
ONE_SET: Final = {"contracts": "3", "rounds": 1, "deal_sizes": [10]}
FEW_CARDS: Final = {
    "contracts": "3",
    "rounds": 1,
    "deal_sizes": [4],
    "deal": 1,
    "final_deal": "ordinary",
    "set_min_naturals": 0,
    "buy_priority": "off",
    "rummy_mode": "off",
}
FREE_OF_CHARGE: Final = {
    "buy_price": 0,
    "min_players": 4,
    "contracts": "3",
    "rounds": 1,
    "deal_sizes": [10],
}
SHORT_STOCK: Final = {
    "rounds": 1,
    "deal_sizes": [12],
    "min_players": 3,
    "packs": 1,
    "max_players": 3,
}
ALL_TIE: Final = {"points": FREE, "joker_points": 0, "deal_sizes": [3], "rounds": 1}
SOME_TIE: Final = {"deal_sizes": [3], "rounds": 1, "min_players": 3, "points": {**FREE, "K": 5}}
THREES: Final = {"rounds": 1, "deal_sizes": [3]}
FIVES: Final = {"rounds": 1, "deal_sizes": [5]}
HANDS, SCORE, DECK, TABLE, PLAY = range(len(PROBES))
OF_THE_PROGRAM: Final = {"referee"}
"""Keys that say what this program does with a game; no caller may set them."""

# key -> (game, other options, value, what is asked, seed)
WITNESSES: Final[dict[str, tuple[str, dict[str, Any], Any, int, str]]] = {
    "suits": ("three-thirteen", {}, 5, HANDS, "1"),
    "rank_lo": ("five-crowns", {"ace": "high"}, 1, HANDS, "1"),
    "ace": ("three-thirteen", {}, "high", HANDS, "1"),
    "wild_ranks": ("three-thirteen", {}, "2", HANDS, "1"),
    "wild_cards": ("three-thirteen", {}, "2S 2C", HANDS, "1"),
    "jokers_wild": ("liverpool", {}, False, HANDS, "1"),
    "wild_as_natural": ("liverpool", {}, True, HANDS, "1"),
    "set_min": ("three-thirteen", {}, 2, HANDS, "1"),
    "set_max": ("three-thirteen", {}, 3, HANDS, "1"),
    "set_distinct_suits": ("three-thirteen", {}, True, HANDS, "1"),
    "run_min": ("three-thirteen", {}, 2, HANDS, "1"),
    "run_max": ("three-thirteen", {}, 3, HANDS, "1"),
    "set_min_naturals": ("three-thirteen", {}, 4, HANDS, "1"),
    "run_min_naturals": ("three-thirteen", {}, 2, HANDS, "3"),
    "run_core": ("three-thirteen", {}, "4,3", HANDS, "1"),
    "set_max_wilds": ("three-thirteen", {}, 0, HANDS, "1"),
    "run_max_wilds": ("three-thirteen", {}, 0, HANDS, "1"),
    "wilds_adjacent": ("three-thirteen", {}, False, HANDS, "3"),
    "wild_ratio": ("three-thirteen", {}, "lt", HANDS, "3"),
    "points": ("three-thirteen", {}, {"A": 15}, HANDS, "1"),
    "joker_points": ("liverpool", {}, 0, HANDS, "1"),
    "wild_points": ("liverpool", {}, 0, HANDS, "1"),
    "contract": ("three-thirteen", {}, "3.3", HANDS, "1"),
    "use_all": ("liverpool", {}, True, HANDS, "2"),
    "extra_melds": ("liverpool", {}, True, HANDS, "2"),
    "forbid_adjacent_runs": ("liverpool", {}, True, HANDS, "2"),
    "distinct_set_ranks": ("liverpool", {}, True, HANDS, "2"),
    "distinct_run_suits": ("liverpool", {"deal": 3}, True, HANDS, "1"),
    "hand_require": ("three-thirteen", {}, "1,0", HANDS, "1"),
    "penalty_cap": ("three-thirteen", {}, 10, HANDS, "1"),
    "min_meld_value": ("three-thirteen", {}, 20, HANDS, "1"),
    "meld_points": ("kalooki-51", {"min_meld_value": 45}, "face", HANDS, "1"),
    "meld_values": ("kalooki-51", {"min_meld_value": 45}, {"A": 15}, HANDS, "1"),
    "ace_low_points": ("kalooki-51", {"min_meld_value": 45}, 0, HANDS, "1"),
    "wild_value_zero": ("kalooki-51", {"min_meld_value": 45}, True, HANDS, "1"),
    "must_use": ("three-thirteen", {}, "7H", HANDS, "1"),
    "ranks": ("three-thirteen", {}, "3 4 5 6 7 8 9 T J Q K", SCORE, "1"),
    "packs": ("three-thirteen", {}, 1, DECK, "1"),
    "packs_by_players": ("three-thirteen", {}, {"8": 3}, DECK, "1"),
    "jokers_per_pack": ("three-thirteen", {}, 1, DECK, "1"),
    "jokers": ("three-thirteen", {}, 2, DECK, "1"),
    "tiles": ("three-thirteen", {}, True, DECK, "1"),
    "min_players": ("three-thirteen", {}, 3, SCORE, "1"),
    "max_players": ("three-thirteen", {}, 2, DECK, "1"),
    "rounds": ("three-thirteen", {}, 1, SCORE, "1"),
    "end_score": ("gin", {"knock_limit": 60}, 30, PLAY, "1"),
    "deal_sizes": ("three-thirteen", {}, "3..5", SCORE, "1"),
    "direction": ("three-thirteen", {}, "ccw", DECK, "1"),
    "first_dealer": ("three-thirteen", {}, 1, DECK, "1"),
    "meld_timing": ("three-thirteen", {}, "on_table", SCORE, "1"),
    "layoff": ("liverpool", {}, "none", TABLE, "1"),
    "rearrange": ("liverpool", {}, True, TABLE, "1"),
    "table_wilds": ("rummikub", {}, "free", TABLE, "1"),
    "layoff_same_turn": ("liverpool", {}, False, PLAY, "1"),
    "draw_sources": ("three-thirteen", {}, "stock", PLAY, "1"),
    "simultaneous": ("three-thirteen", {"packs_by_players": {"26": 4}}, "speed", PLAY, "1"),
    "speed_final_beats": ("speed-three-thirteen", THREES, 0, PLAY, "1"),
    "caller_rotates": ("speed-three-thirteen", {"rounds": 2, "deal_sizes": "3,3"}, True, PLAY, "1"),
    "forbid_return_discard": ("three-thirteen", {}, True, PLAY, "1"),
    "must_discard_to_go_out": ("three-thirteen", FIVES, False, SCORE, "1"),
    "final_turns": ("three-thirteen", THREES, 0, PLAY, "1"),
    "final_deal": ("liverpool", {"deal": 7}, "ordinary", PLAY, "1"),
    "swap_timing": ("kalooki-51", {}, "off", TABLE, "1"),
    "swap_runs_only": ("liverpool", {}, False, PLAY, "1"),
    "swap_scope": ("kalooki-51", {}, "others", TABLE, "1"),
    "layoff_wild_limit": ("liverpool", {}, 0, PLAY, "1"),
    "layoff_keeps_ratio": ("shanghai-10", {}, False, TABLE, "1"),
    "layoff_distinct_suits": ("kalooki-51", {}, False, PLAY, "1"),
    "wilds_after_down": ("shanghai-10", ONE_SET, "kept", TABLE, "1"),
    "buy_priority": ("liverpool", {}, "off", PLAY, "1"),
    "buy_price": ("liverpool", {}, 0, PLAY, "1"),
    "max_buys": ("liverpool", {}, 0, PLAY, "1"),
    "multi_buy": ("liverpool", FREE_OF_CHARGE, True, PLAY, "1"),
    "buy_after_down": ("liverpool", {}, False, PLAY, "1"),
    "rummy_mode": ("liverpool", {}, "off", PLAY, "1"),
    "rummy_scope": ("liverpool", {}, "down_only", PLAY, "1"),
    "rummy_includes_wilds": ("liverpool", {}, False, PLAY, "1"),
    "rummy_cards": ("liverpool", {}, 0, PLAY, "1"),
    "closing_discard_playable": ("liverpool", FEW_CARDS, "never", PLAY, "2"),
    "false_meld_penalty": ("three-thirteen", {}, 10, SCORE, "1"),
    "false_out_penalty": ("three-thirteen", {}, 10, SCORE, "1"),
    "exact_cut_bonus": ("three-thirteen", {}, -50, SCORE, "1"),
    "cut_model": ("three-thirteen", {}, "player", DECK, "1"),
    "stock_empty": ("three-thirteen", SHORT_STOCK, "end_round", PLAY, "1"),
    "stock_wall": ("three-thirteen", SHORT_STOCK, 2, PLAY, "1"),
    "max_reshuffles": ("three-thirteen", SHORT_STOCK, 0, PLAY, "1"),
    "max_turns_per_round": ("three-thirteen", {}, 2, PLAY, "1"),
    "tie_break": ("deuces-arent-wild", ALL_TIE, "shared", PLAY, "1"),
    "bonus_cards": ("deuces-arent-wild", ALL_TIE, 4, PLAY, "1"),
    "bonus_wild": ("deuces-arent-wild", {"bonus": True}, None, SCORE, "1"),
    "bonus_max": ("deuces-arent-wild", ALL_TIE, 1, PLAY, "1"),
    "bonus_players": ("deuces-arent-wild", SOME_TIE, "all", PLAY, "1"),
    "scoring": ("three-thirteen", {}, "winner_takes", SCORE, "1"),
    "knock_limit": ("gin", {}, 5, SCORE, "1"),
    "gin_bonus": ("gin", {"knock_limit": 0}, 0, SCORE, "1"),
    "undercut_bonus": ("gin", {"knock_limit": 60}, 0, PLAY, "1"),
    "undercut_on_tie": ("gin", {"knock_limit": 100, "points": {**FREE, "K": 1}}, False, SCORE, "1"),
    "big_gin_bonus": ("gin", {}, 31, SCORE, "1"),
    "oklahoma": ("gin", {}, True, SCORE, "1"),
    "oklahoma_ace": ("oklahoma-gin", {}, "one", SCORE, "1"),
    "spade_double": ("gin", {}, True, SCORE, "1"),
    "game_bonus": ("gin", {"knock_limit": 60, "end_score": 20}, 100, PLAY, "1"),
    "box_bonus": ("gin", {"knock_limit": 60, "end_score": 20}, 25, PLAY, "1"),
    "initial_meld_min": ("liverpool", {}, 30, PLAY, "1"),
    "drop_points": ("three-thirteen", {}, "10,30", SCORE, "1"),
    "false_declaration_points": ("three-thirteen", {}, 60, SCORE, "1"),
    "go_down_and_out_bonus": ("liverpool", {}, -10, SCORE, "1"),
    "first_player_extra": ("three-thirteen", {}, True, PLAY, "1"),
    "first_upcard": ("three-thirteen", {}, "offer", PLAY, "1"),
    "floating": ("liverpool", FEW_CARDS, False, PLAY, "2"),
    "players": ("three-thirteen", {}, 2, HANDS, "1"),
    "cards_dealt": ("three-thirteen", {}, 3, HANDS, "1"),
    "deal": ("liverpool", {}, 1, HANDS, "1"),
    "round": ("three-thirteen", {}, 1, HANDS, "1"),
    "bonus": ("deuces-arent-wild", {}, True, HANDS, "1"),
    "wild_schedule": ("three-thirteen", {}, {"10": "5"}, HANDS, "1"),
    "contracts": ("three-thirteen", {}, "3.3; 3+r4", HANDS, "1"),
    "turned_card": ("indian-13", {}, "7H", HANDS, "1"),
    "turned_joker_wild": ("indian-13", {"turned_card": "JK"}, "K", HANDS, "1"),
    "meld_min_naturals": ("three-thirteen", {}, 2, PLAY, "1"),
    "end": ("three-thirteen", {}, "2 rounds", SCORE, "1"),
}


@pytest.mark.parametrize("key", WITNESSES)
def test_an_option_changes_some_answer_and_the_fingerprint(key: str) -> None:
    name, others, value, probe, seed = WITNESSES[key]
    pair = [load_rules(name, **others), load_rules(name, **{**others, key: value})]
    assert pair[0].fingerprint != pair[1].fingerprint
    if probe not in {DECK, PLAY}:
        pair = [a_round(rules, random.Random(seed)) for rules in pair]
    with_and_without = [answers(rules, seed, (probe,)) for rules in pair]
    assert with_and_without[0] != with_and_without[1]


def test_every_key_has_a_witness_and_values() -> None:
    assert set(WITNESSES) == set(KEYS) - OF_THE_PROGRAM
    assert set(VALUES) == set(KEYS)
