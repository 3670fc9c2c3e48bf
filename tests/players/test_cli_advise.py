"""``meld-solver advise`` and ``meld-solver play``."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from solver.cli import COMMANDS, main
from solver.cli.lazy import load

# Loaded here and not inside a test: some library draws from the global generator on import.
for target in ("advise", "play"):
    load(COMMANDS[target][0])

THREE = ("-r", "three-thirteen", "-O", "cards_dealt=3")


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def json_of(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_take_or_draw_in_words():
    rules = ("-r", "three-thirteen", "-O", "cards_dealt=3")
    result = run("advise", "5S 5H 9D", *rules, "--discard=5D")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("take the discard: ")
    assert "5D" in lines[0]
    # Five of the 48 unseen cards make three of a kind or more: the four threes and 5C.
    assert any("draw from the stock" in line and "5 of 48" in line for line in lines)
    assert any("x1: saves 19, ends the round" in line for line in lines)


def test_the_same_as_json():
    answer = json_of(
        "advise", "5S 5H 9D", "-r", "three-thirteen", "-O", "cards_dealt=3", "--discard", "5D"
    )
    assert answer["move"] == "0 take"
    assert answer["value"] == {"value": 0.0, "total": 0, "of": 1}
    assert answer["exact"] is True
    assert answer["hand"] == ["5S", "5H", "9D"]
    (draw,) = answer["alternatives"]
    assert draw["move"] == "0 draw"
    assert draw["chance_out"] == {"value": 5 / 48, "total": 5, "of": 48}


def test_seen_cards_count_out():
    base = [
        "advise",
        "5S 5H 9D",
        "-r",
        "three-thirteen",
        "-O",
        "cards_dealt=3",
        "--discard",
        "AS",
    ]
    plain, told = json_of(*base), json_of(*base, "--seen", "5D 5C")
    assert plain["n_unseen"] - told["n_unseen"] == 2
    assert {o["card"] for o in told["outs"] if o["ends"]} == {"3S", "3H", "3D", "3C"}


def test_a_plan_at_the_table():
    result = run(
        "advise",
        "9S 9C KD AC 6H QS QD QC 4D 3C JS",
        *("-r", "liverpool", "-O", "deal=1", "--table", "1:R[4H 5H JK=6H 7H]"),
    )
    assert result.exit_code == 0
    assert result.stdout.startswith("go down with ")
    assert "6H for JK of meld 1" in result.stdout


def test_knock_and_its_answer():
    knock = run("advise", "AC AD AS 4C 5C 6C 7C 8C 9C TH 4H", "-r", "gin")
    assert knock.stdout.startswith("knock with 10")
    # Rule book 9.2, G6: give up 5-6-7, keep the fives, lay off 7S and 6S: 35 points.
    answer = json_of(
        *("advise", "5S 5H 5D 6S 7S KC QD 2H 9C 4C", "-r", "gin", "--ask", "defend"),
        *("--knock", "8S 9S TS", "--knock-left", "2C"),
    )
    assert (answer["phase"], answer["value"]["total"]) == ("defend", 35)


def test_last_turn_counts_what_is_left_now():
    answer = json_of(
        *(
            "advise",
            "5S 5H 9D KC",
            "-r",
            "three-thirteen",
            "-O",
            "cards_dealt=3",
            "--out",
            "1",
        )
    )
    assert answer["horizon"] == "now"
    assert answer["value"] == {"value": 19.0, "total": 19, "of": 1}


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (("5S 5X", "-r", "gin"), "card.unknown", 1),
        (("5S 5H", "-r", "gin"), "advice.ask", 1),
        (("5S 5H 9D", "-r", "three-thirteen"), "advice.round", 2),
        (("5S 5H 9D", "-r", "gin", "--ask", "draw", "--players", "3"), "game.players", 2),
        (("5S 5S 9D", "-r", "gin", "--ask", "draw"), "hand.copies", 1),
        (("5S 6S", "-r", "gin", "--ask", "draw", "--discard", "5S"), "hand.copies", 1),
        (("5S 6S", "-r", "gin", "--ask", "draw", "--discard", "XX"), "card.unknown", 1),
        (("5S 6S", "-r", "gin", "--ask", "draw", "--out", "7"), "advice.seat", 1),
        (("5S 6S", "-r", "gin", "--ask", "draw", "--out", "0"), "advice.seat", 1),
        (("5S 6S", "-r", "gin", "--ask", "play", "--taken", "7S"), "advice.taken", 1),
        (
            (
                *("5S 6S 7S", "-r", "three-thirteen", "-O", "cards_dealt=3"),
                *("-O", "min_meld_value=5", "--ask", "draw"),
            ),
            "advice.rules",
            2,
        ),
        (
            ("5S 6S", "-r", "liverpool", "-O", "deal=1", "--ask", "draw", "--table", "5H 6H"),
            "table.meld",
            1,
        ),
    ],
    ids=lambda v: v if isinstance(v, str) else None,
)
def test_what_is_wrong_is_told_without_a_traceback(arguments, code, exit_code):
    result = run("advise", *arguments)
    assert result.exit_code == exit_code, result.output
    assert f"[{code}]" in result.stderr
    assert "Traceback" not in result.output


def test_help_names_the_questions():
    shown = run("advise", "--help").stdout
    for word in ("--discard", "--table", "--knock-left", "exact", "defend", "upcard"):
        assert word in shown


def test_a_match_in_words_and_as_json():
    arguments = ("play", "-r", "deuces-arent-wild", "-O", "cards_dealt=13", "--games", "2")
    shown = run(*arguments, "--match", "expectation", "random").stdout
    assert shown.startswith("deuces-arent-wild: expectation against random, 2 games on 1 deal,")
    assert "expectation wins 100.00" in shown
    answer = json_of(*arguments, "--match", "expectation", "random", "--seed", "1")
    assert answer["match"] == ["expectation", "random"]
    assert answer["games"] == 2
    assert answer["win_share"] == {"mean": 1.0, "low": None, "high": None}  # of one deal
    assert answer["points"]["first"] < answer["points"]["second"]


def test_a_player_nobody_knows():
    result = run("play", "-r", "gin", "--match", "greedy", "cheat")
    assert result.exit_code == 2
    assert "cheat" in result.stderr


HELD = "KS KH KD QC QD QH 3H 4S 5S 6S 7D"


def test_oklahoma_asks_for_the_card_that_sets_its_knock_limit():
    # 3H is left: with a five turned up one may knock with it, with an ace only by gin.
    asked = ("advise", HELD, "-r", "oklahoma-gin")
    for more in ((), ("--discard", "2C")):  # the top discard is not the card first turned up
        result = run(*asked, *more)
        assert result.exit_code == 1
        assert "[advice.upcard]" in result.stderr
    assert (
        json_of(*asked, "--upcard", "5C")["move"]
        == "0 knock 7D R[4S 5S 6S] S[QH QD QC] S[KS KH KD]"
    )
    assert "knock" not in json_of(*asked, "--upcard", "AC")["move"]
    offered = json_of(
        "advise", HELD.removesuffix(" 7D"), *asked[2:], "--ask", "upcard", "--discard", "7D"
    )
    assert offered["seat"] == 0


def test_games_without_some_of_their_moves_say_so():
    told = run("advise", "5S 6S 7S KD KH 2C 3C", "-r", "rum-500", "--discard", "JS").stderr
    assert "note: 500 Rum lacks some of its moves" in told


def test_a_card_that_lays_the_contract_does_not_end_the_round():
    liverpool = ("-r", "liverpool", "-O", "deal=2", "--players=4")
    result = run("advise", "5S 5H 5D 7H 8H 9H TH KS KD 3C", *liverpool, "--discard=JH")
    assert "97 of 97 cards lay the contract" in result.stdout
    assert "x2: saves 10, lays the contract" in result.stdout
    assert "end" not in result.stdout.replace("spend", "")
    crowns = ("-r", "five-crowns", "-O", "cards_dealt=5")
    result = run("advise", "5S JK 8H 9H 9*", *crowns, "--discard=7H", "--out=1")
    assert "0 of 110 cards end the round" in result.stdout
    assert "x1: saves 8\n" in result.stdout


def test_out_with_every_card_melded_is_told_so():
    result = run("advise", "5S 5H 5D 5C", *THREE, "-O", "must_discard_to_go_out=false")
    first = result.stdout.splitlines()[0]
    assert first.endswith("every card is melded, so the round can be ended")
