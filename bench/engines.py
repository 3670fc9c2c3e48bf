"""Every engine on random full hands of every preset: mean and worst of single questions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import fmean

from rich.table import Table

from bench.corpus import GAMES, Corpus, free_left, make_corpus
from bench.plan import Plan
from bench.rows import Row, format_value
from bench.truth import NOT_MET, WrongAnswerError
from solver.cards import Counts, cards_of, format_hand
from solver.rules.model import GameRules
from solver.solve import ENGINES, coverage, find

HANDS = {"suit": (400, 60), "frontier": (200, 40), "cpsat": (60, 15)}
REPEATS = 3


def engine_rows(plan: Plan, only: Sequence[str] = ()) -> list[Row]:
    """Return a row for each preset and engine, answers compared between all engines."""
    games = [g for g in GAMES.values() if not only or any(text in g.preset for text in only)]
    return [
        row
        for game in games
        for row in _rows_of(make_corpus(game, "random", plan.size(*HANDS["suit"])), plan)
    ]


def _rows_of(corpus: Corpus, plan: Plan) -> list[Row]:
    truth = free_left(corpus.counts, corpus.rules)
    rows = []
    for engine in ENGINES:
        n = min(plan.size(*HANDS[engine]), len(corpus))
        head = Row("engines", corpus.rules.name, rival=engine, hands=n)
        reason = coverage(engine, corpus.counts[0], corpus.rules)
        if reason is not None:
            head = Row("engines", corpus.rules.name, rival=engine, note=f"skipped: {reason}")
            rows.append(head)
            continue
        times = []
        for hand, right in zip(corpus.counts[:n], truth, strict=False):
            elapsed, told = _ask(hand, corpus.rules, engine)
            if told != right:
                raise WrongAnswerError(
                    f"{corpus.name}, {format_hand(cards_of(hand))}: expected {right} as "
                    f"solve_many says, got {told} of {engine}"
                )
            times.append(elapsed)
        rows.append(
            Row(
                "engines",
                corpus.rules.name,
                ours=fmean(times),
                ours_worst=max(times),
                rival=engine,
                hands=n,
                proof="equal answers of all engines",
            )
        )
    return rows


def _ask(hand: Counts, rules: GameRules, engine: str) -> tuple[float, int]:
    """Return the least nanoseconds of a few runs of one question, melds included, and its answer.

    The least, because a preempted run of a hand would be taken for a hard hand.
    """
    best = float("inf")
    for _ in range(REPEATS if engine != "cpsat" else 1):
        started = time.perf_counter_ns()
        found = find(hand, rules, engine=engine)
        best = min(best, time.perf_counter_ns() - started)
    return best, NOT_MET if found.penalty is None else found.penalty


def engine_table(rows: Sequence[Row]) -> Table:
    """Return presets x engines, each with mean and worst."""
    table = Table(title="one question, value and melds: mean / worst hand of random full hands")
    table.add_column("preset")
    for engine in ENGINES:
        table.add_column(engine, justify="right")
    presets = list(dict.fromkeys(row.workload for row in rows))
    for preset in presets:
        cells = {row.rival: row for row in rows if row.workload == preset}
        table.add_row(preset, *(_cell(cells.get(engine)) for engine in ENGINES))
    return table


def _cell(row: Row | None) -> str:
    if row is None or row.ours is None:
        return "-"
    return f"{format_value(row.ours, 'ns')} / {format_value(row.ours_worst, 'ns')}"
