"""The commands about cards on the table."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from solver.cli.godown import godown_command
from solver.cli.layoff import layoff_command
from solver.cli.rearrange import rearrange_command
from solver.rules.loader import load_rules
from solver.table import best_layoff

COMMANDS = {"layoff": layoff_command, "godown": godown_command, "rearrange": rearrange_command}


def run(command: str, *arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(COMMANDS[command], list(arguments))
    assert result.exit_code == code, result.output
    return result.output


def test_layoff():
    told = run("layoff", "KH 8S 9S 3D", "KS KD KC", "R[4S 5S 6S 7S]", "-r", "liverpool")
    assert told.splitlines()[0].startswith("5 left in hand: 3")
    assert "  1. 8S on meld 2, above" in told.splitlines()


def test_layoff_json_and_choices():
    told = run("layoff", "AS", "JS QS JK", "-r", "kalooki-51", "--json")
    answer = json.loads(told)
    assert answer == best_layoff("AS", ["JS QS JK"], load_rules("kalooki-51")).to_json()
    assert (answer["penalty"], answer["choices"][0]["chosen"]) == (0, "R[JS QS JK=KS]")
    told = run("layoff", "AS", "JS QS JK", "-r", "kalooki-51")
    assert "meld 1 is taken as R[JS QS JK=KS]; its wilds could lie otherwise" in told


def test_gin_defence():
    hand = "5S 5H 5D 6S 7S KC QD 2H 9C 4C"
    told = run("layoff", hand, "8S 9S TS", "-r", "gin", "--own-melds")
    assert told.startswith("35 left")
    told = run("layoff", hand, "8S 9S TS", "-r", "gin", "--own-melds", "--against-gin")
    assert told.startswith("45 left")


def test_own_melds_are_numbered_from_one():
    told = run(
        *("layoff", "KC 9C", "KS KH KD", "9S 9H 9D", "--own", "2"),
        *("-r", "liverpool", "--option", "layoff=own"),
    )
    assert "9C on meld 2" in told
    assert "KC on" not in told


def test_nothing_to_lay():
    assert "nothing can be laid" in run("layoff", "3D", "KS KH KD", "-r", "liverpool")


def test_godown():
    hand, table = "9S 9C 9D KD 6H QS QD QC 4D 3C JS", "R[4H 5H JK=6H 7H]"
    rules = ("-r", "liverpool", "--option", "deal=1")
    assert run("godown", hand, table, *rules).startswith("30 left")
    assert run("godown", hand, table, *rules, "--no-swaps").startswith("35 left")
    answer = json.loads(run("godown", hand, table, *rules, "--json"))
    assert (answer["can_go_down"], answer["plan"]["penalty"]) == (True, 30)


def test_godown_that_cannot_be_done_is_a_rejection():
    hand = "9S 9C KD AC 6H QS QD 8C 4D 3C JS"
    rules = ("-r", "liverpool", "--option", "deal=1")
    assert "cannot go down" in run("godown", hand, *rules, code=1)
    assert json.loads(run("godown", hand, *rules, "--json", code=1))["plan"] is None


def test_rearrange():
    told = run("rearrange", "B8 B9", "B5 B6 B7", "R8 K8 O8", "-r", "rummikub")
    assert told.splitlines()[0] == "2 cards laid, 0 points left (proved)"
    assert "the only answer" in told
    answer = json.loads(run("rearrange", "B8 B9", "B5 B6 B7", "-r", "rummikub", "--json", "--fast"))
    assert (answer["laid"], answer["unique"]) == (2, None)
    told = run("rearrange", "R8 R9 R10", "-r", "rummikub", "--opening")
    lines = told.splitlines()
    assert lines[0] == "the first melds must be worth 30 together, which this rack lacks"
    assert lines[1].startswith("0 cards laid, 27 points left")


@pytest.mark.parametrize("command", ["layoff", "godown", "rearrange"])
def test_bad_tables_are_told(command):
    result = CliRunner().invoke(COMMANDS[command], ["7C", "4H 5H", "-r", "rummikub"])
    assert result.exit_code == 1
    assert "/table/0" in result.output
    assert "[table.meld]" in result.output


# --- messages -----------------------------------------------------------------------------------


def error_of(command: str, *arguments: str) -> str:
    result = CliRunner().invoke(COMMANDS[command], list(arguments))
    assert result.exit_code == 1
    return result.output


@pytest.mark.parametrize(
    ("table", "known"),
    [([], "but the table has none"), (["KS KH KD"], "1..1"), (["KS KH KD", "9S 9H 9D"], "1..2")],
)
@pytest.mark.parametrize("command", ["layoff", "godown"])
def test_own_melds_are_refused_as_they_are_typed(command, table, known):
    told = error_of(command, "KC 9C", *table, "--own", "5", "-r", "liverpool", "--option", "deal=1")
    assert f"expected the number of a meld, {known}, got 5 [table.own]" in told


@pytest.mark.parametrize(
    ("meld", "words"),
    [
        ("R[4S 5S 6S 7S", "an unclosed bracket"),
        ("4S 5S 6S 7S]", "a bracket that was not opened"),
        ("S[4S 4H 4D] S[5S 5H 5D]", "several brackets: each meld is a text of its own"),
        ("R[4S 5S 6S 7S] 8S", "a bracket around other text"),
    ],
)
def test_a_bracket_is_named(meld, words):
    told = error_of("layoff", "KC", meld, "-r", "liverpool")
    assert f"{words} in {meld} [table.notation]" in told
    assert told.startswith("error: /table/0: ")


def test_one_of_a_thing_is_told_as_one():
    lines = run("rearrange", "R8", "R5 R6 R7", "-r", "rummikub").splitlines()
    assert lines[0] == "1 card laid, 0 points left (proved)"
    assert any(line.startswith("0 melds stay;") for line in lines)
    lines = run("rearrange", "R1", "R5 R6 R7", "-r", "rummikub").splitlines()
    assert lines[0] == "0 cards laid, 1 point left (proved)"
    assert lines[1].startswith("1 meld stays;")


def test_unknown_tiles_are_told_as_tiles():
    told = error_of("rearrange", "R8 R14", "R5 R6 R7", "-r", "rummikub")
    assert "expected a tile such as R12, K1 or JK (or a card: 7H), got 'R14'" in told
    told = error_of("layoff", "R8", "5S 6S 7S 8S", "-r", "liverpool")
    assert "expected a card such as 7H, TD, 5* or JK, got 'R8'" in told


@pytest.mark.parametrize("more", [(), ("--own-melds",)])
def test_lay_offs_after_a_knock_tell_of_no_discard_and_no_deal_that_goes_on(more):
    for hand in ("8S", "8S KH"):
        told = run("layoff", hand, "R[4S 5S 6S 7S]", "-r", "gin", *more)
        assert "8S on meld 1, above" in told
        assert "discard" not in told
        assert "deal" not in told
