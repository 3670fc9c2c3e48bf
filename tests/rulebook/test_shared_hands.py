"""Hands with optima proved elsewhere by two unrelated methods, through every engine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from solver.cards import parse_cards, rank_of
from solver.errors import LimitError
from solver.rules.loader import load_rules
from solver.rules.model import GameRules

ENGINES = ("suit", "frontier", "cpsat", "auto")
FILES = {
    "gin": ("gin", {}),
    "gin_dense": ("gin", {}),
    "three_thirteen_r11": ("three-thirteen", {"cards_dealt": 13}),
    "three_thirteen_r11_dense": ("three-thirteen", {"cards_dealt": 13}),
    "five_crowns_r11": ("five-crowns", {"cards_dealt": 13}),
    "five_crowns_r11_dense": ("five-crowns", {"cards_dealt": 13}),
}


def _read(folder: Path, stem: str) -> list[dict[str, object]]:
    path = folder / "hands" / f"{stem}.jsonl"
    if not path.is_file():
        pytest.skip(f"no {path.name} in ../shared/hands")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("stem", FILES)
def test_optimum(stem, engine, shared_dir, solve_module):
    preset, options = FILES[stem]
    rules = load_rules(preset, **options)
    found = _read(shared_dir, stem)
    wrong = []
    for row in found:
        solution = solve_module.solve(parse_cards(row["cards"]), rules, engine=engine)
        if (solution.penalty, solution.proved) != (row["optimal_penalty"], True):
            wrong.append((row["id"], solution.penalty, row["optimal_penalty"]))
    assert found
    assert wrong == []


def _with_points(rules: GameRules, row: list[int], joker: int) -> GameRules:
    return replace(rules, meld=replace(rules.meld, points=(*(row * 5), joker)))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_rummikub_racks(engine, shared_dir, solve_module):
    rules = load_rules("rummikub")
    by_tile = _with_points(rules, [1] * 13, 1)
    by_value = _with_points(rules, list(range(1, 14)), 0)
    found = _read(shared_dir, "rummikub_rack14")
    wrong = []
    for row in found:
        rack = parse_cards(row["cards"], tiles=True)
        total = sum(rank_of(tile) + 1 for tile in rack if tile != 65)
        try:
            tiles = len(rack) - solve_module.solve(rack, by_tile, engine=engine).penalty
            value = total - solve_module.solve(rack, by_value, engine=engine).penalty
        except LimitError as err:
            pytest.skip(f"{engine} does not cover it: {err}")
        if (tiles, value) != (row["max_tiles"], row["max_value_jokers_zero"]):
            wrong.append((row["id"], tiles, value))
    assert found
    assert wrong == []
