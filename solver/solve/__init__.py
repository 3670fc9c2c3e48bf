"""Solving hands: engine choice, witness, certificate, discards, ties and contracts."""

from __future__ import annotations

from solver.rules.asked import with_contract
from solver.solve.choose import ENGINES, check_engine, coverage, find
from solver.solve.discard import DiscardOption, best_discard
from solver.solve.layout import Verdict, check_layout
from solver.solve.many import (
    as_counts,
    contract_left,
    contract_prices,
    parse_hands,
    solve_many,
)
from solver.solve.one import as_if_down, best_contract, solve, take_hand
from solver.solve.packed import pack_counts, unpack
from solver.solve.solution import Solution
from solver.solve.ties import OptimalArrangements, optimal_arrangements
from solver.solve.warm import warm_up

__all__ = [
    "ENGINES",
    "DiscardOption",
    "OptimalArrangements",
    "Solution",
    "Verdict",
    "as_counts",
    "as_if_down",
    "best_contract",
    "best_discard",
    "check_engine",
    "check_layout",
    "contract_left",
    "contract_prices",
    "coverage",
    "find",
    "optimal_arrangements",
    "pack_counts",
    "parse_hands",
    "solve",
    "solve_many",
    "take_hand",
    "unpack",
    "warm_up",
    "with_contract",
]
