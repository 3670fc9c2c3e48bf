"""Start-up in fresh processes: import, help, and the first solve with a warm kernel cache."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Final

from bench.plan import Plan
from bench.rows import Goal, Row
from bench.truth import WrongAnswerError

ROOT: Final = Path(__file__).resolve().parents[1]
S: Final = 1e9
TIMEOUT_S: Final = 300

_IMPORT: Final = (
    "import sys, solver\n"
    "print(sorted({'numba', 'numpy', 'ortools'} & set(sys.modules)), solver.__version__ != '')"
)
_SOLVE: Final = (
    "import solver\n"
    "print(solver.solve('7S 7H 7D 8S 9S TS KC QD 2C 3D', solver.load_rules('gin')).penalty)"
)
_HELP: Final = "from solver.cli import main; main(['--help'])"


@dataclass(frozen=True, slots=True)
class Start:
    """A program, what it must print, and the bound of its wall time."""

    name: str
    program: str
    expected: str
    goal: Goal


STARTS: Final = (
    Start("import solver", _IMPORT, "[] True", Goal("below", 0.15 * S)),
    Start("meld-solver --help", _HELP, "Usage:", Goal("below", 0.15 * S)),
    Start("first solve, warm cache", _SOLVE, "25", Goal("below", 1.5 * S)),
)


def environment() -> dict[str, str]:
    """Return the environment of a child that runs this very source tree."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}


def run_python(arguments: Sequence[str]) -> tuple[float, str]:
    """Run a fresh interpreter; return its wall time in seconds and what it printed.

    Raises:
        RuntimeError: it failed; with the end of its stderr.
    """
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    elapsed = time.perf_counter() - started
    if done.returncode:
        raise RuntimeError(f"a child ended with {done.returncode}: {done.stderr[-300:].strip()}")
    return elapsed, done.stdout


def start_up(plan: Plan) -> list[Row]:
    """Return the wall time of each start, the interpreter's own included."""
    for start in STARTS:
        _check(start, run_python(["-c", start.program])[1])
    times: dict[str, list[float]] = {start.name: [] for start in STARTS}
    bare: list[float] = []
    for _ in range(plan.n_rounds):
        bare.append(run_python(["-c", "pass"])[0])
        for start in STARTS:
            elapsed, told = run_python(["-c", start.program])
            _check(start, told)
            times[start.name].append(elapsed)
    note = f"whole process; the bare interpreter takes {median(bare) * 1e3:.0f} ms of it"
    return [_row(start, times[start.name], note) for start in STARTS]


def _check(start: Start, told: str) -> None:
    if not told.strip().startswith(start.expected):
        raise WrongAnswerError(f"{start.name}: expected {start.expected!r}, got {told[:80]!r}")


def _row(start: Start, seconds: list[float], note: str) -> Row:
    head = Row("start-up", start.name, proof=f"printed {start.expected!r}", note=note)
    timed = replace(head, ours=median(seconds) * S, ours_worst=max(seconds) * S)
    return timed.judged(start.goal)
