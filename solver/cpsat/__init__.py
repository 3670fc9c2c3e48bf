"""CP-SAT engine: the same question as an integer program, for every mix of rules.

Slow beside the compiled engines, but it refuses no rule, answers within a time limit with a lower
bound, and shares no code with them: it is the second opinion.
"""

from __future__ import annotations

from solver.cpsat.decode import ClassMeld
from solver.cpsat.model import MAX_COLUMNS
from solver.cpsat.search import MAX_CARDS, CpsatAnswer, covers_cpsat, solve_cpsat

__all__ = ["MAX_CARDS", "MAX_COLUMNS", "ClassMeld", "CpsatAnswer", "covers_cpsat", "solve_cpsat"]
