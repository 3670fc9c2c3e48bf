"""MeldRules -> what the frontier engine reads, compiled for each class of hands when first met."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from solver.compile.free_melds import without_contract
from solver.compile.frontier_program import Program, build_program
from solver.compile.frontier_task import MAX_COUNT, HandClass, Task
from solver.rules.model import MeldRules


@dataclass(frozen=True)
class FrontierRules(Task):
    """A task with the programs compiled for it; made by ``compile_frontier``.

    Attributes:
        reason: why the engine does not cover these rules, None when it does.
        programs: what has been compiled, by class of hands.
    """

    reason: str | None
    programs: dict[HandClass, Program | str] = field(default_factory=dict, compare=False)

    def program(self, kind: HandClass) -> Program | str:
        """Return the program for hands of a class, or the reason why it would be too large."""
        if kind not in self.programs:
            self.programs[kind] = build_program(self, kind)
        return self.programs[kind]


@lru_cache(maxsize=256)
def compile_frontier(meld: MeldRules, *, contract: bool) -> FrontierRules:
    """Return rules compiled for the frontier engine; the same object for equal rules.

    Args:
        meld: the rules.
        contract: ask for exactly the melds of ``meld.contract``; else any melds may be laid.
    """
    if meld.must_use:
        # What must be melded is no part of a program: a new table compiles nothing.
        free = compile_frontier(replace(meld, must_use=()), contract=contract)
        return FrontierRules(meld, contract, free.reason, free.programs)
    if not contract and (plain := without_contract(meld)) is not meld:
        return compile_frontier(plain, contract=False)
    reason = _why_no_contract(meld) if contract else _why_not(meld)
    return FrontierRules(meld, contract, reason)


def _why_not(meld: MeldRules) -> str | None:
    """Return why the engine does not cover rules, None when it does."""
    if meld.ace == "cyclic":
        return "a line that is a ring"
    if meld.min_meld_value > 0:
        return "a least value of the melds laid"
    if max(meld.hand_require or (0,)) > MAX_COUNT:
        return f"more than {MAX_COUNT} runs required"
    return None


def _why_no_contract(meld: MeldRules) -> str | None:
    """Return why the engine does not cover the contract of rules, None when it does."""
    if meld.contract is None:
        return "no contract in the rules"
    if meld.extra_melds:
        return "melds beyond the contract"
    if meld.forbid_adjacent_runs and [kind for kind, _ in meld.contract].count("run") > 1:
        return "a bar on touching runs"
    for kind, floor in (("set", meld.set_min), ("run", meld.run_min)):
        least = [max(length, floor) for name, length in meld.contract if name == kind]
        if len(set(least)) > 1:
            return f"a contract of {kind}s of different lengths"
        if len(least) > MAX_COUNT:
            return f"more than {MAX_COUNT} {kind}s in a contract"
    return _why_not(meld)
