"""Files of text hands through ``meld-solver batch``, end to end in a fresh process."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.corpus import GAMES, Corpus, make_corpus
from bench.optional import optional
from bench.plan import Plan
from bench.processes import run_python
from bench.rows import Goal, Row
from bench.truth import agree, prove

_MAIN: Final = "from solver.cli import main; main()"
N_DIFFERENT: Final = 20_000
QUICK_ROWS: Final = 200_000


@dataclass(frozen=True, slots=True)
class FileCase:
    """A game, a format, the rows of a full run, and the least hands a second.

    The process start and the tables of the game are in the time, so the files are such that
    these are a small part of it.
    """

    game: str
    suffix: str
    n_rows: int
    goal: Goal


FILES: Final = (
    FileCase("gin", "parquet", 12_000_000, Goal("above", 2e6)),
    FileCase("gin", "jsonl", 4_000_000, Goal("above", 0.6e6)),
    FileCase("three-thirteen", "parquet", 12_000_000, Goal("above", 1e6)),
    FileCase("three-thirteen", "jsonl", 4_000_000, Goal("above", 0.5e6)),
)


def batch_rows(plan: Plan) -> list[Row]:
    """Return hands a second of each format and game, process start included."""
    return [_row(case, plan) for case in FILES]


def _row(case: FileCase, plan: Plan) -> Row:
    head = Row(
        "batch",
        f"batch file, {case.game} text hands, {case.suffix}",
        "1/s",
        goal=case.goal.text("1/s"),
    )
    for name in ("solver.batch", "pyarrow"):
        if optional(name) is None:
            return replace(head, note=f"skipped: {name} is not there")
    corpus = make_corpus(GAMES[case.game], "random", plan.size(N_DIFFERENT, 5_000))
    truth = prove(corpus)
    n = plan.size(case.n_rows, QUICK_ROWS)
    head = replace(head, hands=n, proof=truth.proof)
    right = np.resize(truth.answers, n)
    rates: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"hands.{case.suffix}"
        write_hands(source, corpus, n)
        for i in range(1 if plan.quick else 3):
            target = Path(folder) / f"answers-{i}.{case.suffix}"
            elapsed, _ = run_python(["-c", _MAIN, *batch_arguments(corpus, source, target)])
            agree(read_penalties(target), right, head.workload)
            rates.append(n / elapsed)
            target.unlink()
    return replace(head, ours=median(rates), ours_worst=min(rates)).judged(case.goal)


def batch_arguments(corpus: Corpus, source: Path, target: Path) -> list[str]:
    """Return the arguments of ``meld-solver`` that answer a file of hands."""
    options = [a for k, v in corpus.rules.options for a in ("--option", f"{k}={v}")]
    return ["batch", str(source), "-o", str(target), "--rules", corpus.rules.name, *options]


def write_hands(path: Path, corpus: Corpus, n: int) -> None:
    """Write n rows ``hand``, the corpus over and over, as Parquet or JSON lines."""
    texts = corpus.texts
    if path.suffix == ".jsonl":
        lines = [json.dumps({"hand": text}) + "\n" for text in texts]
        whole, rest = divmod(n, len(lines))
        path.write_text("".join(lines) * whole + "".join(lines[:rest]), encoding="utf-8")
        return
    arrow: Any = optional("pyarrow")
    parquet: Any = optional("pyarrow.parquet")
    column = arrow.array(texts).take(arrow.array(np.resize(np.arange(len(texts)), n)))
    parquet.write_table(arrow.table({"hand": column}), path)


def read_penalties(path: Path) -> NDArray[np.int32]:
    """Return the column ``penalty`` of a file of answers, in the order of its rows."""
    if path.suffix == ".jsonl":
        with path.open(encoding="utf-8") as lines:
            return np.array([json.loads(line)["penalty"] for line in lines], np.int32)
    parquet: Any = optional("pyarrow.parquet")
    column = parquet.read_table(path, columns=["penalty"]).column("penalty")
    told: NDArray[np.int32] = column.to_numpy().astype(np.int32)
    return told
