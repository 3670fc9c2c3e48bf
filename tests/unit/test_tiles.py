"""Tiles: whatever takes the cards of a tile game reads them as tiles and as cards alike."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

import solver
from service.app import create_app
from service.config import ServiceConfig
from solver.cards import are_tiles
from solver.cli import COMMANDS, main
from solver.cli.lazy import load
from solver.errors import NotationError

# Loaded here and not inside a test: some library draws from the global generator on import.
for target, _ in COMMANDS.values():
    load(target)

# README: R is clubs, B hearts, K spades, O diamonds. Each pair says the same.
HAND = ("R1 R2 R3 K13 JK", "AC 2C 3C KS JK")
MELD = ("R1 R2 R3", "AC 2C 3C")
FOUR = ("R4 R5 R6 R7", "4C 5C 6C 7C")
LONGER = ("R4 K13", "4C KS")
RUMMIKUB = solver.load_rules("rummikub")
GIN = solver.load_rules("gin", tiles=True)
DEAL = solver.load_rules("liverpool", deal=1, tiles=True)

FUNCTIONS = {
    "solve": lambda i: solver.solve(HAND[i], RUMMIKUB).arrangement,
    "solve, tokens": lambda i: solver.solve(HAND[i].split(), RUMMIKUB).arrangement,
    "solve_many": lambda i: solver.solve_many([HAND[i]], RUMMIKUB).tolist(),
    "parse_hands": lambda i: solver.parse_hands([HAND[i]]).tolist(),
    "best_discard": lambda i: solver.best_discard(HAND[i], RUMMIKUB),
    "optimal_arrangements": lambda i: solver.optimal_arrangements(HAND[i], RUMMIKUB),
    "check_meld": lambda i: solver.check_meld(MELD[i], RUMMIKUB),
    "check_meld, tokens": lambda i: solver.check_meld(MELD[i].split(), RUMMIKUB),
    "check_arrangement": lambda i: solver.check_arrangement(HAND[i], [MELD[i]], RUMMIKUB),
    "best_contract": lambda i: solver.best_contract(FOUR[i], DEAL, "r4").arrangement,
    "best_layoff": lambda i: solver.best_layoff(LONGER[i], [MELD[i]], GIN),
    "joint_layoff": lambda i: solver.joint_layoff(LONGER[i], [MELD[i]], GIN),
    "knocker_choice": lambda i: solver.knocker_choice(MELD[i], GIN, LONGER[i]),
    "rearrange": lambda i: solver.rearrange([MELD[i]], LONGER[i], RUMMIKUB),
    "score_round": lambda i: solver.score_round(["", HAND[i]], RUMMIKUB),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_read_tiles_and_cards_alike(name):
    assert FUNCTIONS[name](0) == FUNCTIONS[name](1)


def command(*arguments, stdin=None):
    done = CliRunner().invoke(main, arguments, input=stdin)
    assert done.exit_code == 0, done.output
    return re.sub(r'"elapsed_us":\d+|\d+ us', "", done.stdout)


def document(i):
    return json.dumps({"hands": ["", HAND[i]], "rules": "rummikub"})


def line(i):
    return json.dumps({"hand": HAND[i]})


COMMAND_LINES = {
    "solve": lambda i: command("solve", HAND[i], "-r", "rummikub", "--json"),
    "check": lambda i: command("check", HAND[i], MELD[i], "-r", "rummikub"),
    "rearrange": lambda i: command("rearrange", LONGER[i], MELD[i], "-r", "rummikub"),
    "layoff": lambda i: command("layoff", LONGER[i], MELD[i], "-r", "gin", "-O", "tiles=yes"),
    "score": lambda i: command("score", "-", stdin=document(i)),
    "batch": lambda i: command("batch", "-", "-o", "-", "-r", "rummikub", stdin=line(i)),
}


@pytest.mark.parametrize("name", COMMAND_LINES)
def test_commands_read_tiles_and_cards_alike(name):
    assert COMMAND_LINES[name](0) == COMMAND_LINES[name](1)


BODIES = {
    "/v1/solve": lambda i: {"hand": HAND[i]},
    "/v1/check": lambda i: {"hand": HAND[i], "melds": [MELD[i]]},
    "/v1/rearrange": lambda i: {"table": [MELD[i]], "rack": LONGER[i]},
    "/v1/score": lambda i: {"hands": ["", HAND[i]]},
    "/v1/batch": lambda i: {"hands": [HAND[i]]},
}


@pytest.mark.parametrize("path", BODIES)
def test_routes_read_tiles_and_cards_alike(path):
    client, found = create_app(ServiceConfig(warm_up="off")).test_client(), []
    for i in (0, 1):
        answer = client.post(path, json={"rules": "rummikub", **BODIES[path](i)})
        assert answer.status_code == 200, answer.get_data(as_text=True)
        text = answer.get_data(as_text=True)
        found.append(re.sub(r'"elapsed_us":\s*[\d.]+|"permalink":\s*"[^"]*"', "", text))
    assert found[0] == found[1]


def test_a_slip_in_a_hand_of_cards_is_no_tile():
    assert are_tiles("r1, K13 jk")
    assert not are_tiles("JK")
    assert not are_tiles("R1 2C")
    with pytest.raises(NotationError, match="R1"):
        solver.parse_hands(["R1 2C 3C"])
    with pytest.raises(NotationError, match="R1"):
        solver.parse_hands(["R1 R2 R3"], tiles=False)
    with pytest.raises(NotationError, match="R1"):
        solver.solve("R1 R2 R3", solver.load_rules("gin"))
