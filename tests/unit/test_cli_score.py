"""``meld-solver score``: saves as they are, JSON rounds, impossible decks, bad files."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from solver.cards import format_card
from solver.cli.score import score_command
from solver.engine.dealing import deck_cards
from solver.rules.loader import load_rules

# A save of the second round: fours are wild, an unused one costs 20; tens are X, stars T.
HANDS = ("9C 5C 9D 9H", "4T XD J1 QS")
ROUND = {
    "rules": {"name": "three-thirteen", "options": {"cards_dealt": 3}},
    "hands": ["5S 5H 5D", "3S 9D QH"],  # rule book 9.1: A1 costs 0, A4 costs 22
    "out": 0,
    "totals": [10, 20],
    "names": ["Ann", "Ben"],
}


def run(*arguments, stdin=None):
    return CliRunner().invoke(score_command, arguments, input=stdin)


def save_text(hands=HANDS, extra=(), without=()):
    """Return a save with the whole deck, cards added to or taken from the draw pile."""

    def written(card):
        if card == "JK":
            return next(jokers)
        return card.replace("T", "X").replace("*", "T")

    jokers = iter(f"J{i % 3 + 1}" for i in range(20))
    rest = [written(format_card(c)) for c in deck_cards(load_rules("five-crowns", players=2))]
    for card in [*" ".join(hands).split(), *without]:
        rest.remove(card)
    pile = " ".join([*rest, *extra])
    return (
        f"Round: 2\n\nComputer:\n   Score: 6\n   Hand: {hands[0]}\n\n"
        f"Human:\n   Score: 0\n   Hand: {hands[1]}\n\n"
        f"Draw Pile: {pile}\n\nDiscard Pile: \n\nNext Player: Human\n"
    )


def test_a_save(tmp_path):
    file = tmp_path / "Case.txt"
    file.write_text(save_text(), encoding="utf-8")
    result = run(str(file), "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    # Nines are a set, 5C is left. Joker and 4T make QS a run with the jack or a set: XD is left.
    assert [p["points"] for p in answer["players"]] == [5, 10]
    assert [p["total"] for p in answer["players"]] == [11, 10]
    assert [p["name"] for p in answer["players"]] == ["Computer", "Human"]
    assert answer["source"] == "Case.txt"
    assert answer["deck_faults"] == []


def test_an_impossible_deck_is_named_and_scored_all_the_same(tmp_path):
    file = tmp_path / "Case.txt"
    file.write_text(save_text(extra=["5H"]), encoding="utf-8")
    result = run(str(file))
    assert result.exit_code == 0
    assert "Computer" in result.stdout
    warnings = result.stderr.splitlines()
    assert any("116 cards, got 117" in w for w in warnings)
    assert any("5H" in w and "3" in w for w in warnings)
    answer = json.loads(run(str(file), "--json").stdout)
    assert [p["points"] for p in answer["players"]] == [5, 10]
    assert {f["code"] for f in answer["deck_faults"]} == {"deck.total", "deck.surplus"}
    file.write_text(save_text(without=["3S", "KD"]), encoding="utf-8")
    assert "3S KD" in run(str(file)).stderr


def test_saves_of_the_course_project(shared_dir):
    expected = {"Case1": [5, 28], "Case2": [40, 19], "Case3": [69, 44]}
    for name, points in expected.items():
        result = run(str(shared_dir / "data" / "five-crowns" / f"{name}.txt"), "--json")
        answer = json.loads(result.stdout)
        assert [p["points"] for p in answer["players"]] == points
        told = " ".join(f["detail"] for f in answer["deck_faults"])
        assert ("117" in told and "5H" in told) == (name == "Case3")


def test_a_json_round(tmp_path):
    file = tmp_path / "round.json"
    file.write_text(json.dumps(ROUND, indent=1), encoding="utf-8")
    answer = json.loads(run(str(file), "--json").stdout)
    assert [p["total"] for p in answer["players"]] == [10, 42]
    assert (answer["winners"], answer["leaders"]) == ([0], [0])
    shown = run(str(file)).stdout
    assert "Ann *" in shown
    assert "[5♠ 5♥ 5♦]" in shown


def test_json_lines_go_on_after_a_bad_round():
    bad = {**ROUND, "hands": ["5S 5H 5D", "3S 9D"]}
    lines = "\n".join([json.dumps(ROUND), "not json", json.dumps(bad), json.dumps(ROUND)])
    result = run("-", "--json", stdin=lines)
    assert result.exit_code == 1
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [a["source"] for a in answers] == [f"stdin record {i}" for i in (1, 2, 3, 4)]
    codes = [a["error"]["code"] if "error" in a else None for a in answers]
    assert codes == [None, "round.json", "hand.size", None]
    assert answers[2]["error"]["errors"][0]["pointer"] == "/hands/1"


def test_rules_of_rounds_that_name_none():
    document = {name: value for name, value in ROUND.items() if name != "rules"}
    text = json.dumps([document, document])
    arguments = ("-r", "three-thirteen", "--option", "cards_dealt=3", "--json")
    answers = [json.loads(line) for line in run("-", *arguments, stdin=text).stdout.splitlines()]
    assert [[p["points"] for p in a["players"]] for a in answers] == [[0, 22], [0, 22]]
    assert "'rules'" in run("-", stdin=text).stderr


def test_facts_of_the_round_besides_the_hands():
    # Rule book 5.6, 5.11: an exact cut of 3 * 10 + 1 cards earns -50, a false meld costs 50.
    document = {
        "rules": {"name": "liverpool", "options": {"deal": 1, "players": 3}},
        "hands": ["", ["KS", "QS"], "9D AD"],
        "out": 0,
        "cut": [1, 31],
        "false_melds": {"2": 1},
    }
    answer = json.loads(run("-", "--json", stdin=json.dumps(document)).stdout)
    assert [p["points"] for p in answer["players"]] == [0, 20 - 50, 20 + 50]


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        ({"hands": "5S 5H 5D"}, "round.type", "/hands"),
        ({"hands": []}, "round.type", "/hands"),
        ({"hands": [["5S", 5]]}, "round.type", "/hands"),
        ({"hands": ["5S 5H ZZ", "3S 9D QH"]}, "card.unknown", "/hands/0/2"),
        ({"hands": ["5S 5H 5D", "3S 9D JK"]}, "hand.not_in_deck", "/hands/1"),
        ({"hands": ["5S 5H 5D", "3S 9D"]}, "hand.size", "/hands/1"),
        ({"out": "Ann"}, "round.type", "/out"),
        ({"out": 1}, "round.out", "/hands/1"),
        ({"out": True}, "round.type", "/out"),
        ({"totals": [1, "2"]}, "round.type", "/totals"),
        ({"totals": [1]}, "round.seats", "/totals"),
        ({"names": [1, 2]}, "round.type", "/names"),
        ({"cut": [1]}, "round.type", "/cut"),
        ({"false_melds": {"x": 1}}, "round.type", "/false_melds"),
        ({"false_melds": {"9" * 5000: 1}}, "round.type", "/false_melds"),
        ({"drops": {"\u0661": "first"}}, "round.type", "/drops"),
        ({"drops": {"0": "late"}}, "round.type", "/drops"),
        ({"down_and_out": 1}, "round.type", "/down_and_out"),
        ({"down_and_out": [0]}, "round.unused_field", "/down_and_out"),
        ({"drops": {"1": "first", "01": "first"}}, "round.conflict", "/drops/01"),
        ({"hands": ["5S 5H 5D"], "totals": None, "names": None}, "round.players", "/hands"),
        ({"upcard": 7}, "round.type", "/upcard"),
        ({"upcard": "7"}, "card.unknown", "/upcard"),
        ({"rules": 3}, "round.type", "/rules"),
        ({"rules": "bridge"}, "rules.unknown", "/rules"),
        ({"rules": {"name": "gin", "extra": 1}}, "rules.type", "/rules"),
        ({"rules": {"name": "gin", "options": {"ace": "up"}}}, "rules.type", "/rules/options/ace"),
        ({"colour": 1}, "round.field", "/colour"),
    ],
)
def test_bad_rounds_are_told_with_place_and_code(change, code, place):
    result = run("-", stdin=json.dumps({**ROUND, **change}))
    assert result.exit_code == 1
    assert result.stdout == ""
    assert f"stdin {place}" in result.stderr
    assert f"[{code}]" in result.stderr


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "save.format"),
        ("Round: 2\n", "save.format"),
        (save_text().replace("9C 5C", "9C 5Z", 1), "card.unknown"),
        (save_text().replace("Draw Pile", "Pile"), "save.format"),
    ],
)
def test_saves_that_are_none(text, code):
    result = run("-", stdin=text)
    assert result.exit_code == 1
    assert f"[{code}]" in result.stderr
    assert "Traceback" not in result.stderr


def test_files_that_cannot_be_read_stop_no_other(tmp_path):
    good = tmp_path / "good.json"
    good.write_text(json.dumps(ROUND), encoding="utf-8")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    result = run(str(tmp_path / "missing"), str(binary), str(tmp_path), str(good), "--json")
    assert result.exit_code == 1
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [a["error"]["code"] for a in answers[:3]] == ["file.read"] * 3
    assert answers[3]["source"] == "good.json"


def test_options_without_rules():
    assert run("-", "--option", "cards_dealt=3", stdin="{}").exit_code == 2
