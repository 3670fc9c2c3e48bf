"""What the loader refuses: every kind of fault, and all of them at once."""

from __future__ import annotations

from typing import Any

import pytest

from solver.errors import Fault, RulesError
from solver.rules import presets
from solver.rules.loader import bonus_rules, load_rules, parse_option, round_rules


def faults_of(name: str, **options: object) -> dict[str, Fault]:
    """Return the faults of a load by their pointer."""
    with pytest.raises(RulesError) as caught:
        load_rules(name, **options)
    faults = caught.value.faults
    assert all(f.code.startswith("rules.") for f in faults)
    assert caught.value.code == faults[0].code
    return {f.where: f for f in faults}


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("trhee-thirteen", "three-thirteen"), ("rummykub", "rummikub"), ("xyzzy", None), ("", None)],
)
def test_unknown_game(name: str, nearest: str | None) -> None:
    fault = faults_of(name)["/name"]
    assert (fault.code, fault.data["nearest"]) == ("rules.unknown", nearest)


def test_a_name_that_is_no_text() -> None:
    assert faults_of(13)["/name"].code == "rules.unknown"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "nearest"),
    [("card_dealt", "cards_dealt"), ("wild-ranks", "wild_ranks"), ("sped", "speed"), ("x/y", None)],
)
def test_unknown_option(key: str, nearest: str | None) -> None:
    (fault,) = faults_of("three-thirteen", **{key: 3}).values()
    assert (fault.code, fault.data["nearest"]) == ("rules.option", nearest)
    assert fault.where == f"/options/{key.replace('/', '~1')}"


def test_an_option_of_another_game() -> None:
    assert faults_of("gin", jokers_only=True)["/options/jokers_only"].code == "rules.option"


TYPES: list[tuple[str, Any]] = [
    ("set_min", "many"),
    ("set_min", True),
    ("set_min", 3.5),
    ("set_min", None),
    ("set_min", "\uff13"),
    ("jokers_wild", 1),
    ("jokers_wild", "maybe"),
    ("ace", "hihg"),
    ("ace", 1),
    ("wild_ranks", ["2", "1O"]),
    ("wild_ranks", True),
    ("wild_ranks", ["0013"]),
    ("wild_ranks", [14]),
    ("wild_ranks", {"2": 1}),
    ("wild_cards", "7X"),
    ("wild_cards", 7),
    ("must_use", ["7H", None]),
    ("turned_card", "7H 8H"),
    ("turned_card", ["7H"]),
    ("run_core", "4"),
    ("run_core", [4, 3, 2]),
    ("points", "A"),
    ("points", {"X": 3}),
    ("points", {"A": "many"}),
    ("meld_values", {"AS": 3}),
    ("contract", "3+q4"),
    ("contract", [["group", 3]]),
    ("contract", [[3]]),
    ("contract", 3.5),
    ("contracts", "3.x"),
    ("deal_sizes", "lots"),
    ("draw_sources", ["stok"]),
    ("draw_sources", []),
    ("wild_schedule", "14"),
    ("packs_by_players", {"two": 1}),
    ("jokers", "players-2"),
    ("end", "soon"),
    ("cut_model", "normal(x)"),
    ("bonus_wild", "14"),
    ("contract", "[" * 9000),
    ("points", '{"A": 15'),
]
RANGES: list[tuple[str, Any]] = [
    ("set_min", 1),
    ("suits", 6),
    ("rank_lo", 4),
    ("points", {"A": -1}),
    ("points", {"KH": 1001}),
    ("joker_points", 1001),
    ("wild_points", -1),
    ("run_core", [0, 0]),
    ("packs", 0),
    ("cards_dealt", 61),
    ("contract", []),
    ("contract", "3" + ".3" * 40),
    ("contracts", []),
    ("deal_sizes", [0]),
    ("deal_sizes", "3..90"),
    ("must_use", "7H" + " 7H" * 200),
    ("players", 27),
    ("first_dealer", 26),
]


@pytest.mark.parametrize(("key", "value"), TYPES, ids=lambda x: repr(x)[:30])
def test_wrong_type(key: str, value: object) -> None:
    fault = faults_of("liverpool", **{key: value})[f"/options/{key}"]
    assert fault.code == "rules.type"
    assert fault.message.startswith(f"expected {key} to be ")
    assert set(fault.data) == {"expected", "got"}
    with pytest.raises(RulesError) as caught:
        parse_option(key, value)
    assert caught.value.faults == (fault,)


@pytest.mark.parametrize(("key", "value"), RANGES, ids=lambda x: repr(x)[:30])
def test_out_of_range(key: str, value: object) -> None:
    assert faults_of("liverpool", **{key: value})[f"/options/{key}"].code == "rules.range"


CONFLICTS: list[tuple[str, dict[str, Any], str]] = [
    ("three-thirteen", {"set_min": 4, "set_max": 3}, "set_min"),
    ("three-thirteen", {"set_max": 2}, "set_max"),
    ("three-thirteen", {"run_max": 2}, "run_max"),
    ("three-thirteen", {"run_min": 14}, "run_min"),
    ("five-crowns", {"run_min": 12}, "run_min"),
    ("three-thirteen", {"ace": "high", "run_min": 14}, "run_min"),
    ("gin", {"set_max": 5}, "set_max"),
    ("gin", {"set_min_naturals": 5}, "set_min_naturals"),
    ("three-thirteen", {"meld_min_naturals": 14}, "meld_min_naturals"),
    ("three-thirteen", {"run_max": 4, "run_min_naturals": 5}, "run_min_naturals"),
    ("three-thirteen", {"run_core": [3, 4]}, "run_core"),
    ("three-thirteen", {"run_core": [14, 2]}, "run_core"),
    ("three-thirteen", {"rank_lo": 2, "ace": "both"}, "rank_lo"),
    ("three-thirteen", {"rank_lo": 3, "ace": "cyclic"}, "rank_lo"),
    ("three-thirteen", {"rank_lo": 2}, "rank_lo"),
    ("indian-13", {"contract": "3+r3"}, "contract"),
    ("liverpool", {"hand_require": [2, 1]}, "hand_require"),
    ("indian-13", {"hand_require": [1, 2]}, "hand_require"),
    ("gin", {"use_all": True}, "use_all"),
    ("gin", {"distinct_set_ranks": True}, "distinct_set_ranks"),
    ("liverpool", {"contract": "2+r4"}, "contract"),
    ("liverpool", {"contract": "3+r14", "ace": "high"}, "contract"),
    ("liverpool", {"run_min": 5}, "run_min"),
    ("gin", {"contract": "5"}, "contract"),
    ("kalooki-jamaica", {"contract": "r4.r4.r4.r4.r4"}, "contract"),
    ("three-thirteen", {"contract": "3" + ".3" * 13, "distinct_set_ranks": True}, "contract"),
    ("liverpool", {"jokers": 3, "jokers_per_pack": 2}, "jokers"),
    ("three-thirteen", {"wild_ranks": ["2"], "wild_schedule": {3: "2"}}, "wild_ranks"),
    ("three-thirteen", {"meld_min_naturals": 1, "set_min_naturals": 2}, "set_min_naturals"),
    ("three-thirteen", {"points": {"JK": 25}, "joker_points": 20}, "joker_points"),
    ("gin", {"end": "5 rounds", "rounds": 6}, "rounds"),
    ("three-thirteen", {"cards_dealt": 3, "round": 1}, "cards_dealt"),
    ("liverpool", {"deal": 1, "round": 1}, "deal"),
    ("liverpool", {"turned_card": "7H"}, "turned_card"),
    ("indian-13", {"turned_card": "7H", "wild_ranks": ["7"]}, "turned_card"),
    ("liverpool", {"deal_sizes": [10, 12]}, "deal_sizes"),
    ("liverpool", {"rounds": 8}, "rounds"),
    ("liverpool", {"end": "100 points"}, "end"),
    ("liverpool", {"contracts": "none", "deal_sizes": "contract+1"}, "deal_sizes"),
    ("gin", {"deal_sizes": [10, 11], "rounds": "none"}, "deal_sizes"),
    ("three-thirteen", {"min_players": 9}, "min_players"),
    ("three-thirteen", {"tie_break": "bonus_round"}, "tie_break"),
    ("three-thirteen", {"oklahoma": True}, "oklahoma"),
]


@pytest.mark.parametrize(("name", "options", "key"), CONFLICTS, ids=repr)
def test_contradictions(name: str, options: dict[str, Any], key: str) -> None:
    fault = faults_of(name, **options)[f"/options/{key}"]
    assert fault.code == "rules.conflict"
    assert fault.message == f"expected {fault.data['expected']}, got {fault.data['got']}"


DECKS: list[tuple[str, dict[str, Any], str]] = [
    ("three-thirteen", {"wild_cards": "5*"}, "wild_cards"),
    ("five-crowns", {"wild_cards": "2H"}, "wild_cards"),
    ("five-crowns", {"wild_cards": "JK"}, "wild_cards"),
    ("five-crowns", {"wild_ranks": ["A"]}, "wild_ranks"),
    ("five-crowns", {"wild_schedule": {3: "2"}}, "wild_schedule"),
    ("five-crowns", {"bonus_wild": "A"}, "bonus_wild"),
    ("indian-13", {"ranks": ["2", "3", "4", "A"], "turned_card": "7H"}, "turned_card"),
    ("gin", {"must_use": "7H 7H"}, "must_use"),
    ("gin", {"must_use": "JK"}, "must_use"),
    ("five-crowns", {"must_use": "2H"}, "must_use"),
    ("three-thirteen", {"players": 4, "packs": 1}, "packs"),
    ("rummikub", {"players": 4, "deal_sizes": [26]}, "players"),
]


@pytest.mark.parametrize(("name", "options", "key"), DECKS, ids=repr)
def test_cards_that_the_deck_does_not_hold(name: str, options: dict[str, Any], key: str) -> None:
    assert faults_of(name, **options)[f"/options/{key}"].code == "rules.deck"


def test_the_largest_deal_decides_whether_a_deck_is_large_enough() -> None:
    # 13 * 3 + 1 + 3 = 43 of 52 cards, but 13 * 4 + 1 + 4 = 57
    assert load_rules("three-thirteen", players=3, packs=1).deck.size() == 52
    got = faults_of("three-thirteen", players=4, packs=1)["/options/packs"]
    assert got.data["expected"].startswith("a deck of 57 cards")


@pytest.mark.parametrize(
    ("name", "players"), [("gin", 3), ("three-thirteen", 1), ("three-thirteen", 9), ("rummikub", 5)]
)
def test_players(name: str, players: int) -> None:
    assert faults_of(name, players=players)["/options/players"].code == "rules.players"


def test_more_players_than_a_game_has_packs_for() -> None:
    got = faults_of("liverpool", players=10, max_players=10)["/options/players"]
    assert got.message == (
        "expected the option packs (how many) for a game of 10 players, got none"
    )
    with pytest.raises(RulesError) as raised:
        load_rules("liverpool", players=10, max_players=10)
    assert len(raised.value.faults) == 1  # said once, though two decks are made of it
    assert set(faults_of("liverpool", max_players=10)) == {"/options/max_players"}
    assert load_rules("liverpool", players=10, max_players=10, packs=5).deck.size() == 270


def test_more_than_eight_players_have_a_pack_for_two() -> None:
    sizes = [
        load_rules("three-thirteen", players=p, max_players=12).deck.size() for p in (9, 10, 12)
    ]
    assert sizes == [5 * 52, 5 * 52, 6 * 52]


def test_a_deck_has_cards() -> None:
    assert faults_of("gin", ranks=[])["/options/ranks"].code == "rules.range"


def test_seat_of_the_first_dealer() -> None:
    assert load_rules("gin", first_dealer="1").flow.first_dealer == 1
    assert faults_of("gin", first_dealer=2)["/options/first_dealer"].code == "rules.range"


@pytest.mark.parametrize(
    ("name", "options", "key"),
    [
        ("three-thirteen", {"cards_dealt": 14}, "cards_dealt"),
        ("three-thirteen", {"cards_dealt": 2}, "cards_dealt"),
        ("five-crowns", {"cards_dealt": 14}, "cards_dealt"),
        ("gin", {"cards_dealt": 11}, "cards_dealt"),
        ("liverpool", {"cards_dealt": 10}, "cards_dealt"),
        ("liverpool", {"deal": 8}, "deal"),
        ("shanghai-10", {"deal": 11}, "deal"),
        ("three-thirteen", {"deal": 3}, "deal"),
        ("three-thirteen", {"round": 12}, "round"),
        ("three-thirteen", {"bonus": True}, "bonus"),
        ("three-thirteen", {"deal_sizes": [2, 3]}, "deal_sizes"),
        ("five-crowns", {"deal_sizes": "3..14"}, "deal_sizes"),
    ],
    ids=repr,
)
def test_rounds_outside_the_game(name: str, options: dict[str, Any], key: str) -> None:
    assert faults_of(name, **options)[f"/options/{key}"].code == "rules.round"


def test_rounds_asked_of_loaded_rules() -> None:
    with pytest.raises(RulesError, match=r"1\.\.11"):
        round_rules(load_rules("three-thirteen"), 12)
    with pytest.raises(RulesError, match="bonus round"):
        bonus_rules(load_rules("gin"))


def test_all_faults_at_once() -> None:
    faults = faults_of(
        "three-thirteen",
        set_min=4,
        set_max=3,
        wild_cards="5*",
        cards_dealt=20,
        foo=1,
        points={"A": -1},
        players=9,
        ace="hihg",
    )
    assert {where: f.code for where, f in faults.items()} == {
        "/options/foo": "rules.option",
        "/options/points": "rules.range",
        "/options/ace": "rules.type",
        "/options/cards_dealt": "rules.round",
        "/options/set_min": "rules.conflict",
        "/options/wild_cards": "rules.deck",
        "/options/players": "rules.players",
    }


def test_an_option_that_cannot_be_read_makes_no_second_fault() -> None:
    # A set_max of 2 contradicts the default set_min 3, but set_min was meant to be given.
    assert set(faults_of("three-thirteen", set_min="x", set_max=2)) == {"/options/set_min"}


def test_a_broken_rule_file_is_an_error_of_rules(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presets, "DATA", tmp_path)
    head = 'title = "T"\nsummary = "S"\n'
    for body in ("title =", head + '[[rule]]\nsource = "x"\nset_mn = 3\n', head + "[[rule]]\n"):
        (tmp_path / "broken.toml").write_text(body, "utf-8")
        with pytest.raises(RulesError) as caught:
            presets.read_preset.__wrapped__("broken")
        assert caught.value.code == "rules.preset"
    (tmp_path / "broken.toml").write_text(head + '[[rule]]\nsource = "x"\nset_min = 0\n', "utf-8")
    with pytest.raises(RulesError, match="broken: expected set_min to be"):
        presets.read_preset.__wrapped__("broken")
