"""Every public function, damaged values in every place: an error of ours in plain words."""

from __future__ import annotations

import dataclasses
import inspect
import warnings

import pytest

import solver
from solver.engine.scoring import RoundExtras
from solver.errors import MeldSolverError
from tests.words.clean import HOSTILE, told_badly

GIN = solver.load_rules("gin")
DEAL = solver.load_rules("liverpool", deal=1)
CROWNS = solver.load_rules("three-thirteen", cards_dealt=3)
RUMMIKUB = solver.load_rules("rummikub")
HAND = "5S 5H 5D 9D"
TABLE = ["S[KS KD KC]"]

GIVEN = {
    "load_rules": dict(name="gin"),
    "round_rules": dict(rules=solver.load_rules("three-thirteen"), round_no=3),
    "solve": dict(hand=HAND, rules=GIN),
    "solve_many": dict(hands=[HAND], rules=GIN),
    "parse_hands": dict(texts=[HAND]),
    "optimal_arrangements": dict(hand=HAND, rules=GIN),
    "best_discard": dict(hand=HAND, rules=GIN),
    "best_contract": dict(hand=HAND, rules=DEAL, contract="3"),
    "best_layoff": dict(hand=HAND, table=TABLE, rules=DEAL, own=[0]),
    "best_godown": dict(hand=HAND, table=TABLE, rules=DEAL, contract="3"),
    "joint_layoff": dict(hand=HAND, knocker_melds=TABLE, rules=GIN),
    "knocker_choice": dict(hand=HAND, rules=GIN, defender="KS"),
    "rearrange": dict(table=TABLE, rack="KH", rules=RUMMIKUB),
    "check_meld": dict(cards="5S 5H 5D", rules=GIN),
    "check_arrangement": dict(hand=HAND, melds=["5S 5H 5D"], rules=GIN),
    "check_contract": dict(hand=f"{HAND} 9S 9C", melds=["5S 5H 5D", "9D 9S 9C"], rules=DEAL),
    "penalty": dict(arrangement=solver.solve(HAND, GIN).arrangement, rules=GIN),
    "score_round": dict(hands=["5S 5H 5D", "KS QS 2S"], rules=CROWNS, out=0),
    "advise": dict(seen=solver.view_of(HAND, CROWNS)),
    "view_of": dict(hand=HAND, rules=CROWNS),
}
"""What each function is asked; the arguments left out are tried from their defaults."""


def all_of(name, given):
    """Return every argument of a function: those given, the others by default."""
    parameters = inspect.signature(getattr(solver, name)).parameters.values()
    values = {p.name: given.get(p.name, p.default) for p in parameters if p.name != "where"}
    return {key: value for key, value in values.items() if value is not inspect.Parameter.empty}


CALLS = {name: all_of(name, given) for name, given in GIVEN.items()}
RECORDS = {"GameRules", "Solution", "Advice", "Facts", "MeldSolverError", "__version__"}
WITHOUT_ARGUMENTS = {"list_rules", "warm_up"}


def test_every_public_function_is_tried():
    assert set(CALLS) | RECORDS | WITHOUT_ARGUMENTS == set(solver.__all__)


def call(name, values):
    positional = [values["name"]] if name == "load_rules" else []
    rest = {k: v for k, v in values.items() if not (name == "load_rules" and k == "name")}
    getattr(solver, name)(*positional, **rest)


def badly(function, *arguments):
    """Return how a call fails that should be refused in plain words, None when it is not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            function(*arguments)
    except MeldSolverError as error:
        for message in (str(error)[:100], *(fault.message for fault in error.faults)):
            if wrong := told_badly(message):
                return wrong
    except Exception as error:
        return f"{type(error).__name__}: {error!s:.200}"
    return None


def places():
    return [(name, key) for name, values in CALLS.items() for key in values]


@pytest.mark.parametrize(("name", "key"), places())
def test_damaged_arguments(name, key):
    call(name, CALLS[name])
    wrong = {}
    for value in HOSTILE:
        if told := badly(call, name, {**CALLS[name], key: value}):
            wrong[f"{value!r:.40}"] = told
    assert not wrong, "\n".join(f"{k}: {v}" for k, v in wrong.items())


@pytest.mark.parametrize("key", [f.name for f in dataclasses.fields(solver.Facts)])
def test_damaged_facts(key):
    wrong = {}
    for value in HOSTILE:
        facts = solver.Facts(**{key: value})
        if told := badly(lambda f: solver.advise(solver.view_of(HAND, CROWNS, f)), facts):
            wrong[f"{value!r:.40}"] = told
    assert not wrong, "\n".join(f"{k}: {v}" for k, v in wrong.items())


@pytest.mark.parametrize("key", [f.name for f in dataclasses.fields(RoundExtras)])
def test_damaged_extras(key):
    wrong = {}
    for value in HOSTILE:
        extras = RoundExtras(**{key: value})
        told = badly(
            lambda e: solver.score_round(["5S 5H 5D", "KS QS 2S"], CROWNS, out=0, extras=e), extras
        )
        if told:
            wrong[f"{value!r:.40}"] = told
    assert not wrong, "\n".join(f"{k}: {v}" for k, v in wrong.items())
