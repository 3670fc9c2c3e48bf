"""Two results side by side: ``python -m bench.compare OLD.json NEW.json``.

Ratios are of one run, so they may be compared between machines; times only on the same one.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from rich.console import Console
from rich.table import Table

from bench.rows import Unit, format_ratio, format_value

Result: TypeAlias = "Mapping[str, Any]"

NOTABLE: Final = 0.15
"""Change of a ratio or time below which two runs count as equal; runs here differ that much."""


@dataclass(frozen=True, slots=True)
class Change:
    """One row in two results.

    Attributes:
        workload: of the row.
        rival: of the row.
        old: what the old result says, as text.
        new: what the new result says, as text.
        gain: how much better the new one is: 1.0 equal, 2.0 twice as good; None when either has
            no number, or when only times on different machines could be compared.
        verdict: ``better``, ``worse``, ``equal``, ``goal lost``, ``goal met``, ``only old``,
            ``only new`` or ``not comparable``.
    """

    workload: str
    rival: str
    old: str
    new: str
    gain: float | None
    verdict: str


def compare(old: Result, new: Result) -> list[Change]:
    """Return the change of every row of either result, in the order of the new one."""
    before = {_key(row): row for row in old["rows"]}
    after = {_key(row): row for row in new["rows"]}
    same = same_machine(old, new)
    keys = [*after, *(key for key in before if key not in after)]
    return [_change(before.get(key), after.get(key), same_machine=same) for key in keys]


def same_machine(old: Result, new: Result) -> bool:
    """Return whether times of two results may be compared."""
    facts = ("processor", "cores", "system")
    return all(old["machine"][fact] == new["machine"][fact] for fact in facts)


def _key(row: Result) -> tuple[str, str]:
    return row["workload"], row["rival"]


def _change(old: Result | None, new: Result | None, *, same_machine: bool) -> Change:
    known = new or old
    assert known is not None, "a key of either result has a row in one of them"
    workload, rival = _key(known)
    texts = ("-" if old is None else _text(old), "-" if new is None else _text(new))
    if old is None or new is None:
        return Change(workload, rival, *texts, None, "only new" if old is None else "only old")
    gain = _gain(old, new, same_machine=same_machine)
    return Change(workload, rival, *texts, gain, _verdict(old, new, gain))


def _text(row: Result) -> str:
    if row["ratio"] is not None:
        return format_ratio(row["ratio"], slower=row["slower"])
    unit: Unit = row["unit"]
    return format_value(row["ours"], unit)


def _gain(old: Result, new: Result, *, same_machine: bool) -> float | None:
    if old["ratio"] is not None and new["ratio"] is not None:
        better = new["ratio"] / old["ratio"]
        return 1 / better if new["slower"] else float(better)
    if not same_machine or old["ours"] is None or new["ours"] is None:
        return None
    more = new["ours"] / old["ours"]
    return float(more) if new["unit"] == "1/s" else 1 / more


def _verdict(old: Result, new: Result, gain: float | None) -> str:
    if old["met"] is not new["met"] and None not in (old["met"], new["met"]):
        return "goal met" if new["met"] else "goal lost"
    if gain is None:
        return "not comparable"
    if gain > 1 + NOTABLE:
        return "better"
    return "worse" if gain < 1 / (1 + NOTABLE) else "equal"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the comparison; 1 when a goal was lost, else 0."""
    parser = argparse.ArgumentParser(prog="bench.compare", description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    args = parser.parse_args(argv)
    old, new = (json.loads(p.read_text(encoding="utf-8")) for p in (args.old, args.new))
    changes = compare(old, new)
    table = Table(title=f"{_name(old)} -> {_name(new)}")
    for name in ("workload", "rival", "old", "new", "gain", "verdict"):
        table.add_column(name)
    for change in changes:
        gain = "-" if change.gain is None else f"{change.gain:.2f}"
        style = "red" if change.verdict in {"goal lost", "worse"} else None
        cells = (change.workload, change.rival, change.old, change.new, gain, change.verdict)
        table.add_row(*cells, style=style)
    console = Console()
    console.print(table)
    if not same_machine(old, new):
        console.print("different machines: only ratios are compared")
    return int(any(change.verdict == "goal lost" for change in changes))


def _name(result: Result) -> str:
    commit = (result["commit"] or "no commit")[:10]
    return f"{commit}{' (modified)' if result['modified'] else ''}, {result['started'][:10]}"


if __name__ == "__main__":
    raise SystemExit(main())
