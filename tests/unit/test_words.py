"""Words of the command line: one flag means one thing everywhere."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from solver.cli import COMMANDS, main
from solver.cli.lazy import load

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
