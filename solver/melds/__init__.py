"""The only judge of legality: melds, arrangements and contracts, and what they cost."""

from __future__ import annotations

from solver.melds.arrangement import (
    Arrangement,
    arrangement_value,
    card_values,
    check_arrangement,
    cost_words,
    penalty,
)
from solver.melds.contract import check_contract
from solver.melds.judge import MeldLike, check_meld, is_meld, meld_readings
from solver.melds.readings import Meld, MeldKind

__all__ = [
    "Arrangement",
    "Meld",
    "MeldKind",
    "MeldLike",
    "arrangement_value",
    "card_values",
    "check_arrangement",
    "check_contract",
    "check_meld",
    "cost_words",
    "is_meld",
    "meld_readings",
    "penalty",
]
