"""Lists, explanations and schemas of the rules."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import solver.rules
from solver.errors import RulesError
from solver.rules.describe import RuleLine, point_table
from solver.rules.keys import KEYS
from solver.rules.loader import explain_rules, list_rules, load_rules, rules_schema

NAMES = [info.id for info in list_rules()]
FILES = sorted((Path(solver.rules.__file__).parent / "data").glob("*.toml"))


def lines_of(name: str, **options: object) -> dict[str, RuleLine]:
    """Return the explanation of some rules by key."""
    return {line.key: line for line in explain_rules(load_rules(name, **options))}


def test_list_of_games() -> None:
    infos = {info.id: info for info in list_rules()}
    assert list(infos) == sorted(infos)
    gin, crowns = infos["gin"].to_json(), infos["five-crowns"]
    assert (gin["title"], gin["players"], gin["rounds"]) == ("Gin", [2, 2], None)
    assert (crowns.players, crowns.rounds) == ((1, 7), 11)
    assert infos["liverpool"].options["jokers_only"] is False
    assert infos["speed-three-thirteen"].options["speed"] is True
    assert infos["gin"].options["knock_limit"] == 10
    assert json.loads(json.dumps(gin)) == gin


@pytest.mark.parametrize("info", list_rules(), ids=lambda info: info.id)
def test_a_description_is_one_short_line(info: object) -> None:
    text = info.description  # type: ignore[attr-defined]
    assert 20 <= len(text) <= 100
    assert text.endswith(".")
    assert "\n" not in text


@pytest.mark.parametrize("name", NAMES)
def test_options_at_their_defaults_change_nothing(name: str) -> None:
    options = dict(next(i.options for i in list_rules() if i.id == name))
    # One of two rival keys says the same as the other.
    options.pop("jokers" if options["jokers_per_pack"] is not None else "jokers_per_pack")
    options.pop("wild_ranks" if options["wild_schedule"] else "wild_schedule")
    if options["packs"] is None:
        options.pop("packs")  # given as none it asks for any number
    again = json.loads(json.dumps(options))
    assert load_rules(name, **again).fingerprint == load_rules(name).fingerprint


@pytest.mark.parametrize("name", NAMES)
def test_every_key_is_explained(name: str) -> None:
    lines = explain_rules(load_rules(name))
    keys = [line.key for line in lines]
    assert len(keys) == len(set(keys))
    assert set(keys) >= {key for key, row in KEYS.items() if not row.shorthand}
    for line in lines:
        assert line.value == line.default
        assert line.source
        assert line.source != "option"
        assert 5 <= len(line.meaning) <= 100
    json.dumps([line.to_json() for line in lines])


def test_what_an_option_changed() -> None:
    lines = lines_of("three-thirteen", cards_dealt=5, points={"A": 15}, speed=True)
    points = lines["points"]
    assert (points.value["A"], points.default["A"], points.source) == (15, 1, "option")
    assert (points.value["K"], points.unit, points.part) == (10, "points", "meld")
    assert (lines["wild_ranks"].value, lines["wild_ranks"].default) == (["5"], [])
    assert lines["wild_ranks"].source.startswith("rule book 1.2")
    assert (lines["cards_dealt"].value, lines["round"].value, lines["deal"].value) == (5, 3, None)
    assert (lines["speed"].value, lines["speed"].source) == (True, "option")
    assert lines["simultaneous"].source.startswith("rule book 2")
    assert lines["buy_price"].source == "rule book 7, default of all games"


def test_values_that_follow_from_others() -> None:
    assert lines_of("liverpool", deal=7)["deal"].value == 7
    assert lines_of("liverpool", deal=7)["use_all"].value is True
    assert lines_of("liverpool", deal=1)["contract"].value == [["set", 3], ["set", 3]]
    assert lines_of("indian-13", turned_card="7H")["wild_ranks"].source == "option"
    assert lines_of("five-crowns")["jokers"].value == 6
    assert lines_of("contract-rummy")["jokers"].value == "packs-1"
    assert lines_of("contract-rummy", players=5)["jokers"].value == 2


def test_points_by_rank_and_card() -> None:
    table = point_table(load_rules("kalooki-jamaica").meld.points)
    assert {k: v for k, v in table.items() if k.startswith("A")} == {"A": 1, "AS": 15, "AC": 15}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_value_of_a_rule_file_names_its_source(path: Path) -> None:
    raw = tomllib.loads(path.read_text("utf-8"))
    seen: set[str] = set()
    for table in (*raw.get("rule", []), *raw.get("variant", {}).values()):
        assert len(table["source"]) >= len("rule book 1"), table
    for table in raw.get("rule", []):
        keys = set(table) - {"source"}
        assert keys
        assert not keys & seen, "a value given twice in one file"
        seen |= keys
    assert raw.get("base", "gin") in NAMES


def test_no_variant_hides_a_key() -> None:
    for name in NAMES:
        lines = explain_rules(load_rules(name))
        assert not {x.key for x in lines if x.part == "variant"} & set(KEYS)


def test_schema_of_the_options() -> None:
    shared = rules_schema()
    assert set(shared["properties"]) == set(KEYS)
    assert shared["additionalProperties"] is True
    gin = rules_schema("Gin")
    assert gin["additionalProperties"] is False
    assert gin["properties"]["knock_limit"]["default"] == 10
    assert gin["properties"]["ace"]["enum"] == ["low", "high", "both", "cyclic"]
    assert "default" not in gin["properties"]["end"]
    liverpool = rules_schema("liverpool")["properties"]
    assert liverpool["jokers_only"]["type"] == "boolean"
    assert all(x["description"] for x in liverpool.values())
    json.dumps(liverpool)
    with pytest.raises(RulesError):
        rules_schema("nothing")


def test_swaps_are_told_as_they_are_played() -> None:
    (line,) = [x for x in explain_rules(load_rules("kalooki-51")) if x.key == "swap_timing"]
    assert line.value == "any_turn"
    assert "in the turn of going down, any_turn later too" in line.meaning
