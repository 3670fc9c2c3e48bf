"""Answers as texts: short, in the notation of cards, the same facts as their JSON."""

from __future__ import annotations

import pytest

import solver

CROWNS = solver.load_rules("five-crowns", cards_dealt=4)
GIN = solver.load_rules("gin")
LIVERPOOL = solver.load_rules("liverpool")
DEAL = solver.load_rules("liverpool", deal=1)
RUMMIKUB = solver.load_rules("rummikub")
TABLE = ["S[KS KD KC]", "R[4S 5S 6S 7S]"]
LAYOFF = "5: 8S on meld 2, above; 9S on meld 2, above; KH on meld 1 / left 3D"
ANSWERS = {
    "8 (proved): R[4*=8H JK=9H TH] / left 8D": lambda: solver.solve("JK 4* TH 8D", CROWNS),
    "R[4*=8H JK=9H TH] / left 8D": lambda: solver.solve("JK 4* TH 8D", CROWNS).arrangement,
    "S[7S 7H 7D]": lambda: solver.check_meld("7H 7D 7S", GIN),
    LAYOFF: lambda: solver.best_layoff("KH 8S 9S 3D", TABLE, LIVERPOOL),
    "10: nothing to do / left TH": lambda: solver.best_layoff("TH", TABLE, LIVERPOOL),
    "tiles 1 (proved): R[AC 2C 3C 4C]: AC 2C 3C from meld 1, 4C from the rack / left KS": (
        lambda: solver.rearrange(["R1 R2 R3"], "R4 K13", RUMMIKUB)
    ),
}


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_reads_as_a_line(text):
    answer = ANSWERS[text]()
    assert str(answer) == text
    assert repr(answer) == f"<{type(answer).__name__} {text}>"


def test_advice_reads_as_its_move_and_why():
    rules = solver.load_rules("three-thirteen", cards_dealt=3)
    advice = solver.advise(solver.view_of("5S 5H 9D KC", rules))
    assert str(advice) == f"0 discard KC: {advice.reason}"


def test_rules_are_named_and_not_spelt_out():
    rules = solver.load_rules("gin", knock_limit=7)
    assert repr(rules) == f"<GameRules gin knock_limit=7 {rules.fingerprint}>"
    assert len(repr(solver.load_rules("three-thirteen", players=4))) < 80
    assert "<RulesInfo gin: Gin>" in map(repr, solver.list_rules())


def test_discards_are_named():
    assert repr(solver.best_discard("KS 2C", GIN)) == (
        "[<DiscardOption KS leaves 2>, <DiscardOption 2C leaves 10>]"
    )


def test_what_a_solution_was_not_asked_stands_in_its_text():
    open_round = solver.solve("3S 9D 9H", solver.load_rules("three-thirteen"))
    assert open_round.notes
    assert str(open_round).endswith("; ".join(open_round.notes))
    free = solver.solve("5S 5H 5D 9D 9C 9S KS", DEAL, ignore_contract=True)
    assert free.notes
    assert str(free).endswith("; ".join(free.notes))
