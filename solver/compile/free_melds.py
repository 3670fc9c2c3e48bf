"""What of the rules matters to a question about any melds: the key of its tables."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from solver.rules.model import MeldRules


@lru_cache(maxsize=256)
def without_contract(meld: MeldRules) -> MeldRules:
    """Return rules without what only a contract makes matter; the same ones without any.

    The deals of a game differ in their contracts alone, and so share their tables.
    """
    plain = replace(
        meld,
        contract=None,
        use_all=False,
        extra_melds=False,
        forbid_adjacent_runs=False,
        distinct_set_ranks=False,
        distinct_run_suits=False,
    )
    return meld if plain == meld else plain
