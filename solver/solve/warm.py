"""Compile or load every kernel before the clock runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solver.compile.frontier_call import solve_frontier_many
from solver.rules.loader import load_rules
from solver.rules.model import GameRules
from solver.solve.discard import best_discard
from solver.solve.many import contract_left, parse_hands, solve_many
from solver.solve.one import best_contract, solve
from solver.solve.packed import fast_lane, fast_texts, pack_counts
from solver.solve.ties import optimal_arrangements


def warm_up() -> None:
    """Run each kernel once with the dtypes of production, in this process.

    The first call after an install compiles (some tens of seconds); later ones load the cache.
    """
    rules = load_rules("three-thirteen", cards_dealt=3)
    for engine in ("suit", "frontier"):
        solve("3S 9D TD", rules, engine=engine)
    best_discard("3S 9D TD KC", rules)
    optimal_arrangements("3S 9D TD KC", rules)
    deal = load_rules("liverpool", deal=1)
    best_contract("7S 7H 2C KD KC KS", deal)
    contract_left(parse_hands(["7S 7H 2C KD KC KS"]), deal)
    needing = replace(rules, meld=replace(rules.meld, must_use=((0, 1),)))
    solve("AS 2S 3S", needing, engine="frontier")
    solve_frontier_many(parse_hands(["3S 9D TD"]), rules.meld)
    for many in (rules, load_rules("gin")):
        _warm_lanes(many)


def _warm_lanes(rules: GameRules) -> None:
    """Solve a hand as counts, packed and as text; one pack without wilds has kernels of its own."""
    text = "3S 4S 5S 9D"
    counts = parse_hands([text])
    solve_many(counts, rules)
    solve_many(pack_counts(counts, rules), rules)
    lane = fast_lane(rules)
    if lane is not None:
        data = np.frombuffer(text.encode(), np.uint8)
        fast_texts(data, np.array([0, len(text)], np.int32), rules, lane)
