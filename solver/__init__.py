"""Exact minimum-penalty melds for rummy games: the public surface, loaded on first use.

Nothing is imported until a name is asked for (PEP 562), so that ``import solver`` and the
command's ``--help`` load neither numba nor numpy.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"

_EXPORTS = {
    "load_rules": "solver.rules.loader",
    "list_rules": "solver.rules.describe",
    "round_rules": "solver.rules.loader",
    "GameRules": "solver.rules.model",
    "solve": "solver.solve",
    "Solution": "solver.solve",
    "solve_many": "solver.solve",
    "parse_hands": "solver.solve",
    "optimal_arrangements": "solver.solve",
    "best_discard": "solver.solve",
    "best_contract": "solver.solve",
    "best_layoff": "solver.table",
    "best_godown": "solver.table",
    "joint_layoff": "solver.table",
    "knocker_choice": "solver.table",
    "rearrange": "solver.table",
    "warm_up": "solver.solve",
    "check_meld": "solver.melds",
    "check_arrangement": "solver.melds",
    "check_contract": "solver.melds",
    "penalty": "solver.melds",
    "score_round": "solver.engine.scoring",
    "advise": "solver.players.advice",
    "Advice": "solver.players.answer",
    "Facts": "solver.players.facts",
    "view_of": "solver.players.facts",
    "MeldSolverError": "solver.errors",
}

__all__ = ["__version__", *_EXPORTS]  # noqa: PLE0604 - the keys are strings


class _Root(ModuleType):
    """The package as a module whose ``solve`` stays the function.

    Importing the submodule ``solver.solve`` binds its name on the package; a data descriptor
    keeps the function of the same name in its place.
    """

    @property
    def solve(self) -> object:
        """Return the function ``solver.solve.solve``."""
        return _load("solve")

    @solve.setter
    def solve(self, value: object) -> None:
        """Ignore the submodule that the import system binds here."""


def _load(name: str) -> object:
    found: object = getattr(import_module(_EXPORTS[name]), name)
    return found


def __getattr__(name: str) -> object:
    """Return an exported name, importing its module now."""
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _load(name)


def __dir__() -> list[str]:
    """Return the exported names."""
    return list(__all__)


sys.modules[__name__].__class__ = _Root
