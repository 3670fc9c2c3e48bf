"""Fingerprints: stable, blind to spelling, and different for different rules."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.errors import RulesError
from solver.rules.keys import KEYS
from solver.rules.loader import list_rules, load_rules, parse_option, round_rules, whole_game
from solver.rules.model import GameRules, MeldRules

NAMES = [info.id for info in list_rules()]
# A change here means that stored results answer to other rules: say so in the change log.
GOLDEN = {
    "carioca": "bd66e30c5bd35cc3",
    "continental": "3767153d036c06d5",
    "contract-rummy": "b29bf9ebd1aab07b",
    "deuces-arent-wild": "102330c7afdb7e33",
    "five-crowns": "e8ed449f2044301f",
    "gin": "6c3698b60ca05269",
    "indian-13": "2ae2315bb118d829",
    "kalooki-51": "b6a4df59d7924e8b",
    "kalooki-jamaica": "5d02ab77eb7a7951",
    "liverpool": "3aafc8b79c596d3c",
    "liverpool-i-may": "2f4100663c555871",
    "oklahoma-gin": "bf6916a77bc0c8dd",
    "rum-500": "4deb457be4f0a8fb",
    "rummikub": "c5166ea9fdfcdd3c",
    "shanghai-10": "05223bc5a83bc427",
    "speed-three-thirteen": "db738457f19302d2",
    "three-thirteen": "d39733fb111e369d",
}
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 1100),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["none", "3+r4", "7H", "JK", "2", "A=15", "10x4", "14=A", "le", "both", "4,3"]),
    st.lists(st.one_of(st.integers(-1, 20), st.sampled_from(["A", "7H", "set", "r4"])), max_size=4),
    st.dictionaries(
        st.sampled_from(["A", "3", "KH", "JK", 3, None]), st.integers(-1, 30), max_size=3
    ),
)


CANDIDATES: list[Any] = [
    *[None, True, False, *range(20), 100, "none", "low", "high", "both", "cyclic", "le", "lt"],
    *["3+r4", "r4.r5", "3; r4", "7H", "JK", "2", "A=15", "AS=3, JK=4", "4=A", "3=A, 5=K", "1,1"],
    *["10x4", "3..14", "contract+1", "random", "bonus_round", "difference", "5 rounds"],
    *["100 points", "stock", "players-1", "packs-1", "speed", "all_down_no_discard", "4,3"],
]


@pytest.mark.parametrize("name", NAMES)
def test_golden_fingerprints(name: str) -> None:
    assert load_rules(name).fingerprint == GOLDEN[name]


def test_a_fingerprint_does_not_depend_on_the_process() -> None:
    code = (
        "from solver.rules.loader import load_rules;"
        "print(load_rules('liverpool', wild_cards='AS KD 3H', deal=3, players=4).fingerprint)"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    here = load_rules("liverpool", players=4, deal="3", wild_cards=["3H", "KD", "AS"])
    assert prints == {here.fingerprint}


def test_spelling_does_not_matter() -> None:
    spellings: list[dict[str, Any]] = [
        {"cards_dealt": 5, "points": {"A": 15, "K": 13}, "wild_points": None, "players": 3},
        {"players": "3", "wild_points": "none", "points": "K=13, A=15", "cards_dealt": "5"},
        {"points": [["K", "13"], ["1", 15]], "round": 3, "players": 3, "set_min": 3},
    ]
    rules = [load_rules("three-thirteen", **options) for options in spellings]
    assert len({r.fingerprint for r in rules}) == 1
    assert len({r.meld for r in rules}) == 1
    assert rules[0] == rules[1]


def test_rounds_chosen_in_different_words_are_equal_rules() -> None:
    for name, words in (
        ("three-thirteen", ({"cards_dealt": 7}, {"round": 5})),
        ("liverpool", ({"deal": 5}, {"round": 5})),
        ("continental", ({"cards_dealt": 9}, {"round": 3}, {"deal": 3})),
    ):
        assert len({load_rules(name, **choice) for choice in words}) == 1


def test_the_number_of_a_round_is_no_rule() -> None:
    rules = load_rules("gin")
    assert round_rules(rules, 4).fingerprint == rules.fingerprint
    assert round_rules(rules, 4).round_no == 4


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("three-thirteen", {"wild_schedule": {"3": "4"}}),
        ("three-thirteen", {"deal_sizes": "4..14"}),
        ("three-thirteen", {"wild_points": 20}),
        ("three-thirteen", {"jokers_per_pack": 2}),
        ("three-thirteen", {"packs_by_players": {"2": 2}}),
        ("three-thirteen", {"players": 4}),
        ("five-crowns", {"players": 4}),
        ("five-crowns", {"wild_points": 25}),
        ("liverpool", {"contracts": "3.3; 3+r4; r4.r4; 3.3.3; 3.3+r4; 3+r4.r4; r4.r4.r5"}),
        ("liverpool", {"final_deal": "ordinary"}),
        ("liverpool", {"packs_by_players": {"4": 2, "8": 4}}),
        ("contract-rummy", {"jokers": "players-1"}),
        ("deuces-arent-wild", {"bonus_wild": "2"}),
        ("deuces-arent-wild", {"bonus_cards": 13}),
    ],
    ids=repr,
)
def test_rules_without_a_round_are_named_by_all_rounds(name: str, options: dict[str, Any]) -> None:
    assert load_rules(name, **options).fingerprint != load_rules(name).fingerprint


def test_the_players_of_a_game_for_two_are_no_choice() -> None:
    assert load_rules("gin", players=2).fingerprint == load_rules("gin").fingerprint
    three = load_rules("three-thirteen", min_players=3, max_players=3)
    assert three.deck.packs == 2
    assert three.fingerprint == load_rules("three-thirteen", players=3).fingerprint


def test_one_round_without_its_contract_is_not_that_round() -> None:
    game = load_rules("liverpool", rounds=1, contracts="3.3", deal_sizes=[10])
    assert game.meld.contract is None
    assert game.fingerprint != round_rules(game, 1).fingerprint


def test_a_round_is_named_by_itself_alone() -> None:
    other = {"wild_schedule": {"3": "4"}}
    here = load_rules("three-thirteen", cards_dealt=5)
    assert load_rules("three-thirteen", cards_dealt=5, **other).fingerprint == here.fingerprint
    assert whole_game(here) == load_rules("three-thirteen")


def test_rounds_of_different_rules_differ() -> None:
    for name in NAMES:
        rules = load_rules(name)
        rounds = [round_rules(rules, n + 1) for n in range(rules.n_rounds or 1)]
        facts = {(r.meld, r.n_dealt, r.flow) for r in rounds}
        assert len({r.fingerprint for r in rounds}) == len(facts)


def test_a_key_at_its_default_leaves_no_trace() -> None:
    bare = GameRules("x", "X")
    same = GameRules("y", "Y", meld=MeldRules(set_min=3, wilds_adjacent=True))
    assert bare.fingerprint == same.fingerprint
    for field in dataclasses.fields(MeldRules):
        assert field.default is not dataclasses.MISSING


def test_records_are_values() -> None:
    rules = load_rules("liverpool", deal=2)
    assert hash(rules) == hash(load_rules("liverpool", deal="2"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.meld.set_min = 4  # type: ignore[misc]


def test_rules_as_json() -> None:
    rules = load_rules("five-crowns", cards_dealt=5, wild_cards="3H")
    told = json.loads(json.dumps(rules.to_json()))
    assert (told["round"], told["n_dealt"], told["fingerprint"]) == (3, 5, rules.fingerprint)
    assert told["meld"]["wild_ranks"] == [4]
    assert told["options"] == {"cards_dealt": 5, "wild_cards": ["3H"]}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("three-thirteen", {"cards_dealt": 5, "points": {"A": 15, "AS": 3}, "speed": True}),
        ("three-thirteen", {"deal_sizes": "3..14", "wild_schedule": {14: "A"}, "round": 12}),
        ("liverpool", {"contract": "3+r4", "run_core": "none", "must_use": "7H 7H", "deal": 1}),
        ("liverpool", {"contracts": "3.3; r4", "deal_sizes": "contract+1", "deal": 2}),
        ("indian-13", {"turned_card": "JK", "hand_require": "1,1", "drop_points": [10, 30]}),
        ("rum-500", {"draw_sources": "stock", "packs_by_players": {4: 2}, "end": "7 rounds"}),
        ("deuces-arent-wild", {"bonus": True}),
    ],
)
def test_options_survive_json(name: str, options: dict[str, Any]) -> None:
    rules = load_rules(name, **options)
    again = json.loads(json.dumps(rules.to_json()["options"]))
    assert load_rules(name, **again) == rules


def refused(call: Callable[..., object], *args: object, **options: object) -> RulesError | None:
    """Return the error of rules that a call raises; any other error passes through."""
    try:
        call(*args, **options)
    except RulesError as error:
        return error
    return None


@given(st.sampled_from(NAMES), st.dictionaries(st.sampled_from(sorted(KEYS)), JUNK, max_size=4))
def test_any_options_load_or_are_refused(name: str, options: dict[str, Any]) -> None:
    if (error := refused(load_rules, name, **options)) is not None:
        keys = {f.where.removeprefix("/options/") for f in error.faults}
        assert keys <= set(KEYS)
        assert keys & set(options)
        return
    rules = load_rules(name, **options)
    assert load_rules(name, **dict(rules.options)) == rules
    assert len(rules.meld.points) == 66
    assert rules.n_dealt is None or rules.n_dealt >= 1
    json.dumps(rules.to_json())


def readable(key: str) -> list[Any]:
    """Return the candidates that an option can read."""
    return [value for value in CANDIDATES if refused(parse_option, key, value) is None]


POOL = {key: values for key in KEYS if (values := readable(key))}


@given(st.sampled_from(NAMES), st.data())
def test_readable_options_load_or_are_refused(name: str, data: st.DataObject) -> None:
    keys = data.draw(st.lists(st.sampled_from(sorted(POOL)), max_size=6, unique=True))
    options = {key: data.draw(st.sampled_from(POOL[key])) for key in keys}
    if (error := refused(load_rules, name, **options)) is not None:
        assert {f.where.removeprefix("/options/") for f in error.faults} <= set(KEYS)
        return
    rules = load_rules(name, **options)
    again = json.loads(json.dumps(rules.to_json()["options"]))
    assert load_rules(name, **again) == rules
    for number in range(1, (rules.n_rounds or 1) + 1):
        dealt = round_rules(rules, number).n_dealt
        assert dealt == rules.flow.deal_sizes[min(number, len(rules.flow.deal_sizes)) - 1]


@given(st.sampled_from(sorted(KEYS)), JUNK)
def test_a_canonical_value_reads_as_itself(key: str, value: object) -> None:
    if (error := refused(parse_option, key, value)) is not None:
        assert error.code in {"rules.type", "rules.range"}
        return
    canonical = parse_option(key, value)
    assert parse_option(key, canonical) == canonical
    assert parse_option(key, json.loads(json.dumps(canonical))) == canonical
    hash(canonical)


def test_parse_option_of_an_unknown_key() -> None:
    with pytest.raises(RulesError) as caught:
        parse_option("cards_delt", 3)
    assert caught.value.code == "rules.option"
