"""The worked examples of the rule book: exhaustive search, the judge and every engine agree."""

from __future__ import annotations

import pytest

from solver.errors import LimitError
from solver.melds import check_arrangement, check_contract, check_meld, is_meld, meld_readings
from solver.melds import penalty as penalty_of
from tests.fixtures.read import cards_of_row, loose, melds_of, name, rows, rules_of, shown
from tests.oracles import brute, naive_melds

ENGINES = ("suit", "frontier", "cpsat", "auto")
SOLVE = rows("rulebook_solve")
DISCARDS = rows("rulebook_discards")
LEGALITY = rows("rulebook_legality")
CONTRACTS = rows("rulebook_contracts")
LAYOFFS = rows("rulebook_layoffs")
JOINT = rows("rulebook_joint_layoffs")
SWAPS = rows("rulebook_swaps")


def test_every_example_is_here():
    ids = {row["id"] for part in (SOLVE, DISCARDS, LEGALITY, CONTRACTS) for row in part}
    ids |= {row["id"] for part in (LAYOFFS, JOINT, SWAPS) for row in part}
    counts = {"A": 38, "X": 6, "F": 9, "D": 3, "G": 7, "K": 12, "I": 5}
    counts |= {"L": 14, "C": 21, "Y": 7, "W": 3}
    assert not {f"{letter}{i + 1}" for letter, n in counts.items() for i in range(n)} - ids


# --- optimum ------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", SOLVE, ids=name)
def test_optimum_by_exhaustive_search(row):
    rules, hand = rules_of(row), cards_of_row(row)
    assert brute.brute_penalty(hand, rules) == row["optimum"]
    if "total" in row:
        assert sum(rules.meld.points[card] for card in hand) == row["total"]


@pytest.mark.parametrize("row", [row for row in SOLVE if row["arrangements"]], ids=name)
def test_arrangement_in_the_book_is_legal_and_costs_the_optimum(row):
    rules, hand = rules_of(row), cards_of_row(row)
    for text in row["arrangements"]:
        melds = melds_of(text)
        arrangement = check_arrangement(hand, [loose(meld) for meld in melds], rules)
        assert penalty_of(arrangement, rules) == row["optimum"]
        assert all(brute.is_meld(loose(meld), rules) for meld in melds)


def _shape(meld: str) -> tuple[str, ...]:
    """Return the kind of a meld and the cards it shows; of a set, what wilds name: ranks."""
    tokens = shown(meld)
    return (meld[0], *(tokens if meld[0] == "R" else sorted(token[0] for token in tokens)))


@pytest.mark.parametrize("row", [row for row in SOLVE if row["arrangements"]], ids=name)
def test_reading_in_the_book_is_among_the_readings(row):
    rules = rules_of(row)
    for meld in melds_of(" ".join(row["arrangements"])):
        readings = {_shape(reading.text()) for reading in meld_readings(loose(meld), rules)}
        assert _shape(meld) in readings


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("row", SOLVE, ids=name)
def test_optimum_by_engine(row, engine, solve_module):
    rules, hand = rules_of(row), cards_of_row(row)
    try:
        solution = solve_module.solve(hand, rules, engine=engine)
    except LimitError as err:
        assert engine != "auto"
        pytest.skip(f"{engine} does not cover it: {err}")
    assert solution.penalty == row["optimum"]
    assert solution.proved
    judged = check_arrangement(hand, solution.arrangement.melds, rules)
    assert penalty_of(judged, rules) == row["optimum"]
    assert sorted(judged.deadwood) == sorted(solution.arrangement.deadwood)


@pytest.mark.parametrize("row", DISCARDS, ids=name)
def test_discards_by_exhaustive_search(row):
    found = brute.brute_discards(cards_of_row(row), rules_of(row))
    best = sorted(card for card, penalty in found.items() if penalty == min(found.values()))
    assert min(found.values()) == row["optimum"]
    assert best == sorted(loose(f"R[{' '.join(row['discards'])}]"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("row", DISCARDS, ids=name)
def test_discards_by_engine(row, engine, solve_module):
    rules, hand = rules_of(row), cards_of_row(row)
    for card, optimum in brute.brute_discards(hand, rules).items():
        rest = list(hand)
        rest.remove(card)
        assert solve_module.solve(rest, rules, engine=engine).penalty == optimum


# --- legality -----------------------------------------------------------------------------------


@pytest.mark.parametrize("row", LEGALITY, ids=name)
def test_legality(row):
    rules, cards = rules_of(row), cards_of_row(row, "cards")
    readings = naive_melds.readings(tuple(sorted(cards)), rules.meld)
    assert {reading.kind for reading in readings} == ({row["kind"]} if row["kind"] else set())
    assert naive_melds.is_meld_by_placing(tuple(cards), rules.meld) == bool(row["kind"])
    assert is_meld(cards, rules) == bool(row["kind"])
    if row["kind"]:
        assert check_meld(cards, rules).kind == row["kind"]


# --- contracts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("row", CONTRACTS, ids=name)
def test_contract_by_exhaustive_search(row):
    assert brute.brute_contract(cards_of_row(row), rules_of(row)) == row["left"]


@pytest.mark.parametrize("row", [row for row in CONTRACTS if row["melds"]], ids=name)
def test_contract_in_the_book_is_legal(row):
    rules, hand = rules_of(row), cards_of_row(row)
    melds = [loose(meld) for meld in melds_of(row["melds"])]
    arrangement = check_contract(hand, melds, rules)
    assert sum(rules.meld.points[card] for card in arrangement.deadwood) == row["left"]


@pytest.mark.parametrize("row", CONTRACTS, ids=name)
def test_contract_by_solver(row, solve_module):
    rules, hand = rules_of(row), cards_of_row(row)
    solution = solve_module.best_contract(hand, rules)
    assert (None if solution is None else solution.penalty) == row["left"]
    if solution is not None:
        judged = check_contract(hand, solution.arrangement.melds, rules)
        assert sum(rules.meld.points[card] for card in judged.deadwood) == row["left"]
