"""Rules as the argument of a public function."""

from __future__ import annotations

from typing import Final

from solver.arguments import record
from solver.errors import RulesError
from solver.rules.model import GameRules

RULES: Final = record(
    GameRules, "rules as load_rules returns them", error=RulesError, code="rules.type"
)
