"""A small integer program, and its solution by CP-SAT; the only file that knows ortools."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Final, Literal, TypeAlias

from solver import clock
from solver.deadline import Deadline, margin_s

Terms: TypeAlias = dict[int, int]
"""A linear expression: variable -> coefficient."""
Status: TypeAlias = Literal["optimal", "feasible", "infeasible", "unknown"]

SEED: Final = 313
MOST_WORK_S: Final = 20.0
"""Bound on the work on one program where no other is named; a second as the solver counts it."""
UNBOUNDED: Final = 1 << 40
"""Beyond every sum of a row: 10,000 variables times 255 copies times 1,000 points are < 2**32."""


@dataclass(slots=True)
class Program:
    """Maximise a weighted sum of variables 0..upper under linear rows.

    Attributes:
        upper: greatest value of each variable.
        weights: what one unit of each variable earns.
        rows: (terms, least, most) of each constraint.
    """

    upper: list[int] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
    rows: list[tuple[Terms, int, int]] = field(default_factory=list)

    def variable(self, upper: int, weight: int = 0) -> int:
        """Add a variable and return its number."""
        self.upper.append(upper)
        self.weights.append(weight)
        return len(self.upper) - 1

    def at_most(self, terms: Terms, most: int) -> None:
        """Add the row ``terms <= most``."""
        self.rows.append((terms, -UNBOUNDED, most))

    def at_least(self, terms: Terms, least: int) -> None:
        """Add the row ``terms >= least``."""
        self.rows.append((terms, least, UNBOUNDED))

    def equal(self, terms: Terms, value: int) -> None:
        """Add the row ``terms == value``."""
        self.rows.append((terms, value, value))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the solver says of a program.

    Attributes:
        status: ``optimal`` and ``infeasible`` are proofs.
        values: one value a variable; [] when there is no solution, or no variable.
        bound: no solution earns more; None when the solver has no bound.
    """

    status: Status
    values: list[int]
    bound: int | None

    @property
    def found(self) -> bool:
        """Return whether there is a solution; one without variables has no values."""
        return self.status in {"optimal", "feasible"}


def add_terms(total: Terms, terms: Mapping[int, int], factor: int = 1) -> None:
    """Add ``factor`` times an expression to another."""
    for variable, coefficient in terms.items():
        total[variable] = total.get(variable, 0) + factor * coefficient


def ones(variables: Iterable[int]) -> Terms:
    """Return the sum of variables; one named twice counts twice."""
    total: Terms = {}
    for variable in variables:
        total[variable] = total.get(variable, 0) + 1
    return total


def load_ortools() -> ModuleType:
    """Return ortools' ``cp_model``; the first call takes one to two seconds.

    Imported here and not above: it loads pandas and adds 86 MB, and plain hands never need it.
    """
    clock.pause()
    try:
        from ortools.sat.python import cp_model  # noqa: PLC0415 - see the docstring
    finally:
        clock.resume()
    return cp_model


def _write(cp_model: ModuleType, program: Program) -> object:
    """Return a program as a model; filling its proto takes half the time of expressions."""
    model = cp_model.CpModel()
    proto = model.proto
    for upper in program.upper:
        proto.variables.add().domain.extend((0, upper))
    for terms, least, most in program.rows:
        linear = proto.constraints.add().linear
        linear.vars.extend(list(terms))
        linear.coeffs.extend(list(terms.values()))
        linear.domain.extend((least, most))
    earning = [v for v, weight in enumerate(program.weights) if weight]
    # The proto minimises.
    proto.objective.vars.extend(earning)
    proto.objective.coeffs.extend([-program.weights[v] for v in earning])
    return model


def solve_program(program: Program, deadline: Deadline, work_s: float = MOST_WORK_S) -> Outcome:
    """Return the solver's verdict, ``unknown`` when the time is up before it has a solution.

    Args:
        program: what is asked.
        deadline: when the solver stops.
        work_s: most work, in seconds as the solver counts its steps: without a time limit the
            verdict is the same on every machine. One worker is fastest on hands and repeatable.
    """
    cp_model = load_ortools()
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = SEED
    # The linear relaxation is nearly the answer here, and rewriting hides it: with presolve ten
    # cards and four jokers take 240 ms instead of 6, 60 cards of Five Crowns 4.6 s instead of 0.5.
    solver.parameters.cp_model_presolve = False
    solver.parameters.cp_model_probing_level = 0
    solver.parameters.symmetry_level = 0
    solver.parameters.max_deterministic_time = work_s
    model = _write(cp_model, program)
    left_s = deadline.left()
    if left_s == 0:
        return Outcome("unknown", [], None)
    if left_s is not None:
        # Between two looks at the clock it was seen to work 0.5 s on 108 cards of Continental.
        solver.parameters.max_time_in_seconds = left_s - margin_s(left_s)
    code = solver.solve(model)
    if code == cp_model.INFEASIBLE:
        return Outcome("infeasible", [], None)
    if code not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        assert code == cp_model.UNKNOWN, "the program itself is at fault"
        return Outcome("unknown", [], None)
    bound = solver.best_objective_bound
    return Outcome(
        "optimal" if code == cp_model.OPTIMAL else "feasible",
        [int(value) for value in solver.response_proto.solution],
        # Whole weights: the bound may be rounded down, with room for its floating point.
        math.floor(-bound + 1e-6) if math.isfinite(bound) else None,
    )
