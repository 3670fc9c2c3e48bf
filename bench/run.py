"""``meld-solver bench``: verify every answer, warm, time in turn, print the table, write JSON."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from bench.cases import CASES, Case
from bench.engines import engine_rows, engine_table
from bench.machine import commit_facts, machine_facts, rules_facts, version_facts
from bench.plan import FULL, QUICK, Plan
from bench.rows import Row, format_met, format_ratio, format_value
from bench.truth import WrongAnswerError
from solver.solve import warm_up

SCHEMA: Final = 1
COLUMNS: Final = (
    "workload",
    "ours",
    "worst",
    "rival",
    "rival's",
    "ratio",
    "goal",
    "met?",
    "rival wrong",
)
WIDTH: Final = 190
BUSY: Final = 0.5
"""Load average from which on other programs disturb two cores."""


def run_cases(cases: Sequence[Case], plan: Plan) -> list[Row]:
    """Measure cases one after the other; say on stderr which one is being measured.

    Raises:
        WrongAnswerError: one of our own answers is not the optimum; nothing further is timed.
    """
    rows: list[Row] = []
    for case in cases:
        print(f"bench: {case.name}", file=sys.stderr, flush=True)
        rows += case.measure(plan)
    return rows


def chosen_cases(only: Sequence[str], plan: Plan) -> list[Case]:
    """Return the cases whose name holds one of the texts; without texts those of the plan."""
    if only:
        return [case for case in CASES if any(text in case.name for text in only)]
    return [case for case in CASES if case.quick or not plan.quick]


def facts_of(plan: Plan) -> dict[str, Any]:
    """Return all that a speed claim must name besides its numbers, as plain JSON.

    Taken before the run, so that the load is that of other programs.
    """
    now = datetime.datetime.now(datetime.UTC)
    return {
        "schema": SCHEMA,
        "started": now.isoformat(timespec="seconds"),
        "quick": plan.quick,
        "rounds": plan.n_rounds,
        **commit_facts(),
        "machine": machine_facts(),
        "versions": version_facts(),
        "rules": rules_facts(),
    }


def load_warning(facts: Mapping[str, Any]) -> str:
    """Return a line when other programs keep the machine busy, else ""."""
    load = facts["machine"]["load_before"][0]
    if load < BUSY:
        return ""
    return f"load {load} before the run: times are inflated; ratios are of the same rounds"


def table_of(rows: Sequence[Row]) -> Table:
    """Return the table for people: ours, rival, ratio, goal, whether it is met."""
    table = Table(title="ours against goals and rivals; times are a hand, medians of rounds")
    for i, name in enumerate(COLUMNS):
        table.add_column(name, justify="right" if i in {1, 2, 4, 5} else "left")
    case = ""
    for row in rows:
        if case and row.case != case:
            table.add_section()
        case = row.case
        table.add_row(*_cells(row), style="red" if row.met is False else None)
    return table


def _cells(row: Row) -> list[str]:
    skipped = row.note.startswith("skipped")
    wrong = "-" if row.wrong is None else f"{row.wrong:,} of {row.answered:,}"
    return [
        row.workload,
        format_value(row.ours, row.unit),
        format_value(row.ours_worst, row.unit),
        f"{row.rival} {row.note}".strip() if skipped else row.rival,
        format_value(row.rival_value, row.unit),
        format_ratio(row.ratio, slower=row.slower),
        row.goal,
        format_met(row),
        wrong,
    ]


def summary_of(rows: Sequence[Row]) -> str:
    """Return one line: goals met, missed, not judged."""
    met = sum(row.met is True for row in rows)
    missed = sum(row.met is False for row in rows)
    open_goals = sum(row.met is None and bool(row.goal) for row in rows)
    return f"goals: {met} met, {missed} missed, {open_goals} not judged here"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="meld-solver bench", description=__doc__)
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="TEXT",
        help="only cases whose name holds TEXT; may be repeated",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result to FILE")
    parser.add_argument(
        "--quick", action="store_true", help="small corpora, few rounds: for a look, no record"
    )
    parser.add_argument(
        "--engines", action="store_true", help="instead: every engine on full hands of every preset"
    )
    parser.add_argument("--list", action="store_true", help="list the cases and stop")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the suite; 0 done, 1 a wrong answer of ours, 2 usage. Missed goals are reported only."""
    args = _parser().parse_args(argv)
    plan = QUICK if args.quick else FULL
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    cases = chosen_cases(args.only, plan)
    if args.list:
        console.print("\n".join(case.name for case in CASES), highlight=False)
        return 0
    if not cases:
        print(f"bench: no case is named like {args.only}; --list names them", file=sys.stderr)
        return 2
    facts = facts_of(plan)
    warm_up()
    try:
        rows = engine_rows(plan, args.only) if args.engines else run_cases(cases, plan)
    except WrongAnswerError as error:
        print(f"bench: wrong answer: {error}", file=sys.stderr)
        return 1
    console.print(engine_table(rows) if args.engines else table_of(rows))
    if not args.engines:
        console.print(summary_of(rows), highlight=False)
    if warning := load_warning(facts):
        console.print(warning, highlight=False)
    if args.json:
        result = {**facts, "rows": [row.to_json() for row in rows]}
        args.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
