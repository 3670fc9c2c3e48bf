"""A contract that a question names is judged as the option is: lengths, gaps, fingerprints."""

from __future__ import annotations

import pytest

import solver
from solver.errors import RulesError
from solver.rules.asked import with_contract
from solver.rules.loader import load_rules

HAND = "7S 7H 2C KD KC KS 4H 5H 6H 7H"


@pytest.mark.parametrize("text", ["2 sets", "set set", "2x3", "3+3", [["set", 0], ["set", 3]]])
def test_a_set_without_a_length_has_the_least_of_the_game(text):
    deal = load_rules("liverpool", deal=1)
    assert with_contract(load_rules("liverpool", deal=2), text).meld.contract == deal.meld.contract
    assert with_contract(deal, text).fingerprint == deal.fingerprint
    found = solver.best_contract(HAND, load_rules("liverpool", deal=2), text)
    assert found.penalty == solver.solve(HAND, deal).penalty == 15
    assert "set of 3 + set of 3" in found.headline


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("liverpool", "s2"),
        ("liverpool", "r3"),
        ("gin", "5"),
        ("gin", "r14"),
        ("gin", [["set", 2]]),
        ("kalooki-51", "3+5"),
        ("five-crowns", "r12"),
    ],
)
def test_a_meld_that_the_game_does_not_have_is_refused(name, text):
    rules = load_rules(name)
    with pytest.raises(RulesError) as caught:
        with_contract(rules, text)
    (fault,) = caught.value.faults
    assert (fault.code, fault.where) == ("rules.conflict", "/options/contract")
    with pytest.raises(RulesError):
        solver.best_contract("5S 5H 5D", rules, text)
    with pytest.raises(RulesError) as loaded:
        load_rules(name, contract=text)
    assert fault.message in [f.message for f in loaded.value.faults] or name in {"gin"}


@pytest.mark.parametrize("text", ["none", "null", "3+", "+3", "3++3", "3+r4+", ".", "3.,r4"])
def test_a_forgotten_meld_is_no_shorter_contract(text):
    named = () if text in {"none", "null"} else (lambda: load_rules("liverpool", contract=text),)
    for read in (
        *named,
        lambda: with_contract(load_rules("liverpool", deal=1), text),
        lambda: solver.best_godown(HAND, [], load_rules("liverpool", deal=1), text),
    ):
        with pytest.raises(RulesError) as caught:
            read()
        assert caught.value.code == "rules.type"


def test_going_down_reads_a_contract_in_the_same_way():
    deal = load_rules("liverpool", deal=2)
    plan = solver.best_godown(HAND, [], deal, "2 sets")
    assert plan.penalty == solver.best_godown(HAND, [], load_rules("liverpool", deal=1)).penalty
    with pytest.raises(RulesError, match="a set of 3 or more cards in a contract, got 2"):
        solver.best_godown(HAND, [], deal, "s2")
