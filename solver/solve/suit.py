"""The suit-table engine seen from Python: scratch per thread, one hand and many."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solver.cards import Counts
from solver.compile.tables import MAX_WILDS, SuitRules, compile_suit, with_points
from solver.kernels import suit_build, suit_search, witness
from solver.rules.model import GameRules, MeldRules

CARD_GAIN: Final = 1 << 8
POINT_SHIFT: Final = 16
MAX_ROWS: Final = 64
MAX_CARDS: Final = 40
"""Beyond this the set search may be long; the frontier engine answers such hands."""

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Engine:
    """Compiled rules and the arrays their kernels read."""

    rules: SuitRules
    arrays: suit_build.Rules
    gain: NDArray[np.int64]


class _Local(threading.local):
    """Work arrays of one thread."""

    def __init__(self) -> None:
        self.scratch = suit_build.new_scratch()
        self.state = np.zeros(8, np.int64)
        self.rows = np.zeros((2, MAX_ROWS, 5), np.int64)
        self.roles = np.zeros(66, np.int64)


_LOCAL = _Local()


def _engine(rules: SuitRules) -> Engine:
    arrays = suit_build.Rules(
        rules.run_k,
        rules.pattern_ok,
        rules.set_k,
        rules.params,
        rules.wild_ids,
        rules.wild,
    )
    return Engine(rules, arrays, (rules.points << POINT_SHIFT) + CARD_GAIN)


@lru_cache(maxsize=256)
def engine_for(meld: MeldRules, *, contract: bool) -> Engine:
    """Return the compiled engine of rules (memoised)."""
    return _engine(compile_suit(meld, contract=contract))


@lru_cache(maxsize=64)
def _card_engine(meld: MeldRules) -> Engine:
    """Return the engine that only melds as many cards as it can, requirements aside."""
    plain = replace(meld, hand_require=None, penalty_cap=None)
    return _engine(with_points(compile_suit(plain), np.zeros(66, np.int64)))


def covers_suit(rules: GameRules, counts: Counts, *, contract: bool = False) -> str | None:
    """Return None when the suit engine covers the question, else the reason why not."""
    engine = engine_for(rules.meld, contract=contract)
    if engine.rules.reason is not None:
        return engine.rules.reason
    if int(counts.sum()) > MAX_CARDS:
        return f"more than {MAX_CARDS} cards"
    if int(counts[engine.rules.wild == 1].sum()) >= MAX_WILDS:
        return f"{MAX_WILDS} wilds or more"
    return None


def _witness(engine: Engine, counts: Counts) -> tuple[int, list[Row]] | None:
    """Return the best composite value and its canonical rows; None when out of reach."""
    local = _LOCAL
    n = witness.canonical_witness(
        counts, engine.gain, local.state, engine.arrays, local.scratch, local.rows, local.roles
    )
    if n == suit_search.TOO_LARGE:
        return None
    value = int(local.state[5])
    return value, [tuple(int(x) for x in row) for row in local.rows[0, : max(n, 0)]]


def solve_suit(
    counts: Counts, rules: GameRules, *, contract: bool = False
) -> tuple[int | None, list[Row]] | None:
    """Return the least penalty and the canonical class melds of a hand.

    Returns: None when the hand is out of the engine's reach; a penalty of None when the contract
    cannot be met.
    """
    meld = rules.meld
    engine = engine_for(meld, contract=contract)
    found = _witness(engine, counts)
    if found is None:
        return None
    value, rows = found
    total = int(counts.astype(np.int64) @ engine.rules.points)
    if value < 0 and contract:
        return None, []
    left = total - (max(value, 0) >> POINT_SHIFT)
    if contract:
        return left, rows
    most = total if meld.penalty_cap is None else min(total, meld.penalty_cap)
    if left >= most and (meld.hand_require is not None or meld.penalty_cap is not None):
        # Every arrangement costs the same, so the fewest deadwood cards decide.
        again = _witness(_card_engine(meld), counts)
        if again is None:
            return None
        rows = again[1]
        left = most
    return left, rows


def penalties_suit(
    hands: NDArray[np.uint8], rules: GameRules, *, contract: bool = False
) -> NDArray[np.int32]:
    """Return int32[n] least penalties of uint8[n, 66] hands; -1 contract not met, -2 too large."""
    engine = engine_for(rules.meld, contract=contract)
    out = np.empty(len(hands), np.int32)
    suit_search.penalties(hands, engine.rules.points, engine.arrays, _LOCAL.scratch, out)
    return out


def local_scratch() -> Any:
    """Return the calling thread's work arrays."""
    return _LOCAL.scratch
