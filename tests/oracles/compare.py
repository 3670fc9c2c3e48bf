"""One question to one engine, judged: the value, the proof, the melds, the tie-break."""

from __future__ import annotations

from types import ModuleType
from typing import Literal, TypeAlias

from solver.errors import LimitError
from solver.melds import check_arrangement, check_contract
from solver.melds import penalty as penalty_of
from solver.rules.model import GameRules
from tests.oracles.brute import Value

Verdict: TypeAlias = Literal["agrees", "not covered"]


class Disagreement(AssertionError):
    """An engine's answer is wrong."""


def _claim(holds: bool, told: str, rules: GameRules, hand: list[int]) -> None:
    if not holds:
        raise Disagreement(f"{told}\nhand = {hand}\nmeld = {rules.meld!r}")


def judge_solution(
    module: ModuleType, hand: list[int], rules: GameRules, engine: str, expected: Value
) -> Verdict:
    """Ask an engine for the best partition and compare it with the oracle's value.

    Raises:
        Disagreement: anything differs, with the hand and the rules to try again.
    """
    try:
        solution = module.solve(hand, rules, engine=engine)
    except LimitError as err:
        _claim(err.code == "engine.not_covered" and engine != "auto", str(err), rules, hand)
        return "not covered"
    judged = check_arrangement(hand, solution.arrangement.melds, rules)
    got = Value(penalty_of(judged, rules), len(judged.deadwood), len(judged.melds))
    said = (solution.penalty, solution.proved, solution.lower_bound)
    wanted = (expected.penalty, True, expected.penalty)
    _claim(said == wanted, f"{engine}: expected {wanted}, got {said}", rules, hand)
    _claim(got == expected, f"{engine}: expected {expected}, got {got}", rules, hand)
    return "agrees"


def judge_contract(
    module: ModuleType, hand: list[int], rules: GameRules, engine: str, expected: int | None
) -> Verdict:
    """Ask an engine for the best way to lay a contract and compare the points left.

    Raises:
        Disagreement: anything differs, with the hand and the rules to try again.
    """
    try:
        solution = module.best_contract(hand, rules, engine=engine)
    except LimitError as err:
        _claim(err.code == "engine.not_covered" and engine != "auto", str(err), rules, hand)
        return "not covered"
    got = None if solution is None else solution.penalty
    _claim(got == expected, f"{engine}: expected {expected}, got {got}", rules, hand)
    if solution is not None:
        judged = check_contract(hand, solution.arrangement.melds, rules)
        left = sum(rules.meld.points[card] for card in judged.deadwood)
        _claim(left == expected, f"{engine}: its melds leave {left}", rules, hand)
        _claim(solution.proved, f"{engine}: expected a proof", rules, hand)
    return "agrees"
