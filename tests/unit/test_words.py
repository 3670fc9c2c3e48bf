"""Words of the command line: one flag means one thing everywhere."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from solver.cli import COMMANDS, main
from solver.cli.lazy import load
from tests.words.clean import told_badly

# Loaded here and not inside a test: some library draws from the global generator on import.
COMMAND = {name: load(target) for name, (target, _) in COMMANDS.items()}


def run(*arguments, stdin=None):
    return CliRunner().invoke(main, arguments, input=stdin)


# --- one flag, one meaning ----------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMAND)
def test_one_flag_has_one_meaning_in_all_commands(name):
    flags = {}
    for option in COMMAND[name].params:
        for flag in option.opts:
            flags[flag] = option.name
    assert flags.get("-o", "output") == "output"
    assert flags.get("--output") == flags.get("-o")
    assert flags.get("-O") == flags.get("--option")
    assert flags.get("-O", "options") == "options"
    assert flags.get("-r") == flags.get("--rules")
    assert ("-O" in flags) == ("-r" in flags or name == "rules")


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "7S", "-r", "liverpool", "-o", "deal=1"),
        ("check", "7S", "", "-r", "liverpool", "-o", "deal=1"),
        ("rules", "liverpool", "-o", "deal=1"),
        ("replay", "-", "-r", "liverpool", "-o", "deal=1"),
        ("play", "-r", "liverpool", "-o", "deal=1"),
        ("batch", "-", "-r", "liverpool", "-o", "deal=1"),
    ],
)
def test_an_option_behind_the_flag_of_the_output_is_pointed_to_its_own(arguments):
    done = run(*arguments, stdin="")
    assert done.exit_code == 2
    assert "-O KEY=VALUE" in done.stderr


# --- nothing is taken and ignored ---------------------------------------------------------------


@pytest.mark.parametrize("flags", [("--discard",), ("--all", "2")])
def test_many_hands_do_not_swallow_what_a_line_cannot_show(flags):
    done = run("solve", "-", "-r", "gin", *flags, stdin="7S 7H 7D KC\n")
    assert done.exit_code == 2
    assert "--json" in done.stderr
    assert run("solve", "-", "-r", "gin", *flags, "--json", stdin="7S 7H 7D KC\n").exit_code == 0


def test_discards_of_a_game_without_them_are_not_called_so():
    shown = run("solve", "KS KH KD QC", "-r", "rummikub", "--discard").stdout
    assert "this game has no discards" in shown
    assert "best first" not in shown


# --- short, and to the point --------------------------------------------------------------------


def test_a_line_of_another_format_has_few_lines_of_faults():
    line = '{"format": "meld-record/1", ' + ", ".join(f'"a{i}": 0' for i in range(50)) + "}"
    done = run("solve", "-", "-r", "gin", stdin=line)
    lines = done.stderr.splitlines()
    assert len(lines) == 11
    assert lines[-1].startswith("error: line 1: ")
    assert lines[-1].endswith("more faults")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"format": "meld-record/1", "rounds": []}', "'meld-solver replay' plays it"),
        ("Game,Round,Score0\n1,1,0\n", "'meld-solver replay' checks it"),
    ],
)
def test_score_points_to_the_command_for_what_it_does_not_read(text, wanted):
    done = run("score", "-", stdin=text)
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: stdin: ")
    assert wanted in line


def test_a_game_that_ends_early_has_no_terms_of_python():
    start = run("play", "-r", "gin", "--auto", "--seed", "3", "-O", "rounds=1").stdout
    longer = json.loads(start)
    longer["rules"] = {"name": "gin", "options": {}}  # played to a score: not over after a round
    del longer["sha256"]
    done = run("replay", "-", stdin=json.dumps(longer))
    assert done.exit_code == 1
    assert told_badly(done.stdout) is None
