"""Faults reported against other programs, as questions to the oracles and to this one."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

from solver.cards import format_hand, parse_cards
from solver.errors import LimitError, NotationError
from solver.melds import check_arrangement, is_meld, meld_readings
from solver.melds import penalty as penalty_of
from solver.rules.loader import load_rules
from tests.fixtures.read import cards_of_row, loose, rows, rules_of
from tests.oracles import brute, naive_melds

ENGINES = ("suit", "frontier", "cpsat", "auto")
SLOW = {"C126", "C129"}
"""Thirteen wilds, whose subsets are all melds; all 106 tiles of a game."""


def _rows(question: str) -> list[object]:
    return [
        pytest.param(row, id=row["id"], marks=[pytest.mark.slow] if row["id"] in SLOW else [])
        for row in rows("cases", lambda row: row["question"] == question)
    ]


ELSEWHERE = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "cases_elsewhere.json").read_text(encoding="utf-8")
)
"""Cases held by other folders' tests, and the few that are held nowhere, with the reason."""


def test_every_case_is_here_or_elsewhere_or_left_out_with_a_reason(shared_dir):
    lines = (shared_dir / "cases" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = {json.loads(line)["id"] for line in lines}
    names = ("cases", "rulebook_layoffs", "rulebook_joint_layoffs")
    here = {row["id"][:4] for part in names for row in rows(part)}
    assert wanted <= here | {row["id"] for row in ELSEWHERE}


@pytest.mark.parametrize("row", ELSEWHERE, ids=lambda row: row["id"])
def test_the_tests_named_for_other_cases_exist(row):
    if "test" in row:
        file, name = row["test"].split("::")
        text = (Path(__file__).parents[2] / file).read_text(encoding="utf-8")
        assert f"\ndef {name}(" in text
    else:
        assert row["reason"]


@pytest.mark.parametrize("row", _rows("solve"))
def test_optimum_by_exhaustive_search(row):
    hand = cards_of_row(row)
    if row.get("brute", True):
        assert brute.brute_penalty(hand, rules_of(row)) == row["expected"]["penalty"]
    else:
        assert len(hand) > 100  # beyond any exhaustive search: the engines are asked alone


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("row", _rows("solve"))
def test_optimum_by_engine(row, engine, solve_module):
    rules, hand = rules_of(row), cards_of_row(row)
    try:
        solution = solve_module.solve(hand, rules, engine=engine)
    except LimitError as err:
        assert engine != "auto"
        pytest.skip(f"{engine} does not cover it: {err}")
    assert (solution.penalty, solution.proved) == (row["expected"]["penalty"], True)
    judged = check_arrangement(hand, solution.arrangement.melds, rules)
    assert penalty_of(judged, rules) == row["expected"]["penalty"]


@pytest.mark.parametrize("row", _rows("discard"))
def test_discards(row, solve_module):
    rules, hand = rules_of(row), cards_of_row(row)
    found = brute.brute_discards(hand, rules)
    least = min(found.values())
    assert least == row["expected"]["penalty"]
    best = {card for card, penalty in found.items() if penalty == least}
    assert best == set(loose(f"R[{' '.join(row['expected']['best'])}]"))
    for text, penalty in row["expected"].get("values", {}).items():
        assert found[loose(f"R[{text}]")[0]] == penalty
    for card, penalty in found.items():
        rest = list(hand)
        rest.remove(card)
        assert solve_module.solve(rest, rules).penalty == penalty


@pytest.mark.parametrize("row", _rows("contract"))
def test_contract(row, solve_module):
    rules, hand = rules_of(row), cards_of_row(row)
    assert brute.brute_contract(hand, rules) == row["expected"]["left"]
    assert solve_module.best_contract(hand, rules).penalty == row["expected"]["left"]


@pytest.mark.parametrize("row", _rows("legality"))
def test_legality(row):
    rules, cards = rules_of(row), cards_of_row(row, "cards")
    kind = row["expected"]["kind"]
    readings = naive_melds.readings(tuple(sorted(cards)), rules.meld)
    judged = meld_readings(cards, rules)
    assert {reading.kind for reading in readings} == ({kind} if kind else set())
    assert {str(reading.kind) for reading in judged} == ({kind} if kind else set())
    assert is_meld(cards, rules) == bool(kind)
    if "pure" in row["expected"]:
        pure = row["expected"]["pure"]
        assert any(reading.naturals == len(cards) for reading in readings) == pure
        assert any(set(reading.stands_for) == {None} for reading in judged) == pure


@pytest.mark.parametrize("row", _rows("parse"))
def test_parse(row):
    text = row["input"]["text"]
    if "error" in row["expected"]:
        with pytest.raises(NotationError) as caught:
            parse_cards(text)
        assert caught.value.code == row["expected"]["error"]
        assert row["expected"]["says"] in str(caught.value)
        return
    shown = format_hand(parse_cards(text))
    assert shown == row["expected"]["cards"]
    assert shown.isascii()


def test_the_order_of_cards_is_no_matter(solve_module):
    row = next(row for row in rows("cases") if row["id"] == "C019")
    rules = load_rules(row["preset"], **row["options"])
    for hand in permutations(cards_of_row(row)):
        assert solve_module.solve(list(hand), rules).penalty == row["expected"]["penalty"]
