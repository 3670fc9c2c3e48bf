"""Checks of resolved rules: contradictions between options, decks that are too small."""

from __future__ import annotations

from solver.rules.model import GameRules
from solver.rules.resolve import Settings


def check_settings(rules: GameRules, settings: Settings) -> None:
    """Add to ``settings.faults`` whatever does not fit together."""
    if rules.meld.set_max is not None and rules.meld.set_min > rules.meld.set_max:
        settings.add("rules.conflict", ("set_min", "set_max"), "set_min <= set_max", rules.meld)
