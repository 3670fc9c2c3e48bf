"""Compile or load every kernel before the clock runs."""

from __future__ import annotations

from dataclasses import replace

from solver.rules.loader import load_rules
from solver.solve.discard import best_discard
from solver.solve.one import best_contract, solve
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
    needing = replace(rules, meld=replace(rules.meld, must_use=((0, 1),)))
    solve("AS 2S 3S", needing, engine="frontier")
