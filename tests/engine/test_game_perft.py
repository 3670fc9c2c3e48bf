"""Game perft: numbers of move sequences from fixed deals, as committed in tests/perft/game_*.txt.

A line is ``id | preset | players | seed | options as JSON | n1 n2 n3 ...``: counts by depth, the
last one marked ``=`` when no longer sequence exists. Chance plays by the seed and adds no depth.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from solver.engine.dealing import chance_move
from solver.engine.legal import legal_moves
from solver.engine.moves import CHANCE
from solver.engine.notation import format_move
from solver.engine.referee import apply
from solver.engine.state import new_game
from solver.rules.loader import load_rules

FILES = sorted((Path(__file__).parents[1] / "perft").glob("game_*.txt"))


def read(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            name, preset, n_players, seed, options, counts = (x.strip() for x in line.split("|"))
            yield name, preset, int(n_players), int(seed), json.loads(options), counts.split()


def settle(state, seed):
    """The state after all of chance's moves."""
    while state.actor == CHANCE and not state.is_over:
        state = apply(state, chance_move(state, seed))
    return state


def start(preset, n_players, seed, options):
    return settle(new_game(load_rules(preset, **options), n_players), seed)


def perft(states, seed):
    """States after one move more, with how many sequences lead to each."""
    after = {}
    for state, n in states.items():
        for move in legal_moves(state):
            reached = settle(apply(state, move), seed)
            after[reached] = after.get(reached, 0) + n
    return after


def divide(state, seed, depth):
    """Counts by first move, for the message when a number is off."""
    rows = []
    for move in legal_moves(state):
        states = {settle(apply(state, move), seed): 1}
        for _ in range(depth - 1):
            states = perft(states, seed)
        rows.append(f"{format_move(move)}: {sum(states.values())}")
    return "\n".join(rows)


CASES = [pytest.param(*row[1:], id=f"{path.stem}-{row[0]}") for path in FILES for row in read(path)]


@pytest.mark.parametrize(("preset", "n_players", "seed", "options", "counts"), CASES)
def test_game_perft(preset, n_players, seed, options, counts):
    begun = start(preset, n_players, seed, options)
    states = {begun: 1}
    for depth, text in enumerate(counts, 1):
        states = perft(states, seed)
        found = sum(states.values())
        wanted = int(text.rstrip("="))
        assert found == wanted, f"depth {depth}\n{divide(begun, seed, depth)}"
        if text.endswith("="):
            assert sum(perft(states, seed).values()) == 0


def test_first_depths_by_hand():
    # Three cards each of a deck of threes to fives: two ways to draw; then four cards to throw,
    # fewer when the hand holds a card twice.
    options = {"ranks": "3 4 5", "deal_sizes": [3], "rounds": 1}
    begun = start("three-thirteen", 2, 1, options)
    first = perft({begun: 1}, 1)
    assert sum(first.values()) == 2
    distinct = sum(len(set(state.round.hands[1])) for state in first)
    outs = sum(bool(getattr(m, "out", False)) for s in first for m in legal_moves(s))
    assert sum(perft(first, 1).values()) == distinct + outs


def test_every_engine_family_has_a_perft_file():
    names = {path.stem.removeprefix("game_") for path in FILES}
    assert names >= {"three_thirteen", "five_crowns", "deuces", "speed", "liverpool", "gin"}
