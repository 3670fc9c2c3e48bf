"""The suit-table engine seen from Python: scratch per thread, one hand and many."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.cards import Counts
from solver.compile.free_melds import without_contract
from solver.compile.tables import (
    MAX_WILDS,
    SuitRules,
    compile_suit,
    with_points,
)
from solver.deadline import SHORT, Deadline
from solver.kernels import suit_hand, witness
from solver.kernels.suit_layout import BUDGET, MAX_ROWS, STATE, STEPS, TOO_LARGE, WORK_SIZE
from solver.rules.model import GameRules, MeldRules

CARD_GAIN: Final = 1 << 8
POINT_SHIFT: Final = 16
MAX_CARDS: Final = 40
"""Beyond this the set search may be long; the frontier engine answers such hands."""

FEW_STEPS: Final = SHORT
"""Steps within which all hands but the oddest are done: most need ten thousand."""
MOST_STEPS: Final = 4_000_000_000

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Engine:
    """Compiled rules and the composite gain of each card, int64[66]."""

    rules: SuitRules
    gain: NDArray[np.int64]


class _Local(threading.local):
    """Work arrays of one thread."""

    def __init__(self) -> None:
        self.work = np.zeros(WORK_SIZE, np.int64)
        self.rows = np.zeros((MAX_ROWS, 5), np.int64)


_LOCAL = _Local()


def _engine(rules: SuitRules) -> Engine:
    return Engine(rules, (rules.points << POINT_SHIFT) + CARD_GAIN)


@lru_cache(maxsize=256)
def engine_for(meld: MeldRules, *, contract: bool) -> Engine:
    """Return the compiled engine of rules (memoised)."""
    if not contract and (plain := without_contract(meld)) is not meld:
        return engine_for(plain, contract=False)
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


def _witness(
    engine: Engine, counts: Counts, steps: int, deadline: Deadline
) -> tuple[int, list[Row]] | None:
    """Return the best composite value and its canonical rows; None when out of reach.

    Raises:
        LimitError: ``limit.work``, ``limit.time``.
    """
    work, rows = _LOCAL.work, _LOCAL.rows
    work[BUDGET] = steps
    with deadline.stops(work, BUDGET):
        n = witness.canonical_witness(counts, engine.gain, engine.rules.flat, work, rows)
    if n == TOO_LARGE:
        if work[STEPS] > work[BUDGET]:
            raise deadline.used_up()
        return None
    return int(work[STATE + witness.VALUE]), [tuple(row) for row in rows[: max(n, 0)].tolist()]


def solve_suit(
    counts: Counts,
    rules: GameRules,
    *,
    contract: bool = False,
    steps: int = MOST_STEPS,
    deadline: Deadline = Deadline.NEVER,
) -> tuple[int | None, list[Row]] | None:
    """Return the least penalty and the canonical class melds of a hand.

    Args:
        counts: uint8[66].
        rules: the game.
        contract: lay the contract of the rules.
        steps: most steps of the kernels, of half a nanosecond to a nanosecond.
        deadline: when they must be done.

    Returns: None when the hand is out of the engine's reach; a penalty of None when the contract
    cannot be met.

    Raises:
        LimitError: ``limit.work`` and ``limit.time`` when steps or time do not suffice.
    """
    meld = rules.meld
    engine = engine_for(meld, contract=contract)
    found = _witness(engine, counts, steps, deadline)
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
        again = _witness(_card_engine(meld), counts, steps, deadline)
        if again is None:
            return None
        rows = again[1]
        left = most
    return left, rows


def penalties_suit(
    hands: NDArray[np.uint8],
    rules: GameRules,
    *,
    contract: bool = False,
    steps: int = FEW_STEPS,
    deadline: Deadline = Deadline.NEVER,
) -> NDArray[np.int32]:
    """Return int32[n] least penalties of uint8[n, 66] hands; -1 contract not met, -2 too large.

    ``steps`` bounds each hand by itself: one that needs more is too large, as are all that are
    left when the time is up.
    """
    engine = engine_for(rules.meld, contract=contract)
    out = np.empty(len(hands), np.int32)
    work = _LOCAL.work
    work[BUDGET] = steps
    with deadline.stops(work, BUDGET, len(hands)):
        suit_hand.penalties(hands, engine.rules.points, engine.rules.flat, work, out)
    return out


def local_work() -> NDArray[np.int64]:
    """Return the calling thread's work vector, laid out in solver.kernels.suit_layout."""
    return _LOCAL.work
