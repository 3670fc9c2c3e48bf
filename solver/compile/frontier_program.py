"""A task of the frontier engine and a class of hands -> the program that the kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.compile.frontier_sets import alone_table, set_base, set_table
from solver.compile.frontier_task import HandClass, Task
from solver.compile.run_machine import NO_STATE, RunLaw, build_machine
from solver.compile.run_moves import Move, MoveRules, Multiset
from solver.deadline import Deadline
from solver.kernels import frontier_state as fs

I64 = NDArray[np.int64]

MOST_PAIRS: Final = 1_000_000
"""Most pairs of moves that may be compared for a program: two or three seconds."""
_ACES: Final = {"low": fs.ACE_LOW, "high": fs.ACE_HIGH, "both": fs.ACE_BOTH}


@dataclass(frozen=True)
class Program:
    """What the compiler makes of a task for one class of hands.

    Attributes:
        prog: int64, what the kernels read: header and all tables.
        head: int64, a view of its header, see the P names of the kernels.
        step: int64[n_states, 2], next state on a natural and on a wild, -1 for none.
        accept: int64[n_states], 1 where a run may close.
        pad: int64[n_states], wilds to put before a run that ends at the top of the line.
        pure: int64[n_states], 1 where a run has no wild, told only when asked for.
        items: int64[n_multisets, cap], states of a multiset, -1 behind the last.
        sets: int64[layers, n_vectors, n_wilds + 1], see ``set_table``.
        alone: int64[sets + 1, runs + 1, n_wilds + 1], see ``alone_table``.
        value: int64[66], composite value of a melded card.
    """

    prog: I64
    head: I64
    step: I64
    accept: I64
    pad: I64
    pure: I64
    items: I64
    sets: I64
    alone: I64
    value: I64


class _TooManyMovesError(Exception):
    """A program would take too long to build."""


def run_law(task: Task, n_wilds: int) -> RunLaw:
    """Return the law of runs for hands of so many wilds, limits that cannot bite left out."""
    m, longest = task.meld, task.line_length
    return RunLaw(
        run_min=task.lengths[1],
        run_max=m.run_max if m.run_max is not None and m.run_max < longest else None,
        min_naturals=m.run_min_naturals,
        max_wilds=m.run_max_wilds if (m.run_max_wilds or 0) < n_wilds else None,
        ratio=m.wild_ratio if n_wilds else None,
        core=m.run_core,
        adjacent=m.wilds_adjacent or n_wilds <= 1,
        n_wilds=n_wilds,
        count_pure=task.requires,
    )


def _sink(task: Task, kind: HandClass, law: RunLaw) -> int:
    """Return which melds, once laid, take any number of wilds more.

    Where as many pure runs as runs are asked for, a run may have no wild to spare room for.
    """
    m, (_, n_runs, n_pure) = task.meld, task.demand
    if not (kind.n_wilds and kind.roomy and law.open_ended):
        return fs.SINK_NONE
    if task.requires and n_runs <= n_pure:
        return fs.SINK_NONE
    limited = m.set_max_wilds is not None and m.set_max_wilds < kind.n_wilds
    sets_take = m.set_max is None and m.wild_ratio is None and not limited
    return fs.SINK_ANY if sets_take else fs.SINK_RUN


def build_program(task: Task, kind: HandClass) -> Program | str:
    """Return the program for hands of a class, or the reason why it would be too large.

    Raises:
        LimitError: ``limit.time`` by the deadline around the question.
    """
    law = run_law(task, kind.n_wilds)
    sink = _sink(task, kind, law)
    thrifty = sink != fs.SINK_NONE
    machine = build_machine(law, thrifty=thrifty)
    one_run = task.contract and task.meld.distinct_run_suits
    rules = MoveRules(
        machine=machine,
        cap=1 if one_run else kind.cap,
        copies=kind.copies,
        n_wilds=kind.n_wilds,
        thrifty=thrifty,
        count_runs=task.contract,
        count_pure=task.requires,
        one_run=one_run,
    )
    bits = fs.LEFT_AT // task.meld.suits
    if comb(len(machine.accept) + one_run + rules.cap, rules.cap) > 1 << bits:
        n_open = f"{rules.cap} open runs of {len(machine.accept)} states"
        return f"too many ways to hold {n_open} in one suit"
    try:
        return _pack(task, kind, rules, sink)
    except _TooManyMovesError:
        return "too many ways for the runs of a suit to go on"


def _pack(task: Task, kind: HandClass, rules: MoveRules, sink: int) -> Program:
    machine, one_run = rules.machine, rules.one_run
    moves_at, moves = _move_table(rules)
    betters_at, betters = _better_table(rules)
    step = [*machine.step, *[(NO_STATE, NO_STATE)] * one_run]
    tables = {
        fs.P_STEP: np.array(step, np.int64).reshape(-1, 2),
        fs.P_ACCEPT: np.array([*machine.accept, *[True] * one_run], np.int64),
        fs.P_PAD: np.array([*machine.pad, *[0] * one_run], np.int64),
        fs.P_PURE: np.array([*machine.pure, *[False] * one_run], np.int64),
        fs.P_MOVES_AT: moves_at,
        fs.P_MOVES: moves,
        fs.P_ITEMS: _items(rules),
        fs.P_BETTERS_AT: betters_at,
        fs.P_BETTERS: betters,
        fs.P_SETS: set_table(task, kind),
        fs.P_ALONE: alone_table(task, kind),
        fs.P_VALUE: (task.points << 16) + (1 << 8),
        fs.P_ROLE: task.roles,
    }
    head = _head(task, kind, rules, sink)
    head[fs.P_N_STATES] = len(tables[fs.P_STEP])
    head[fs.P_SET_LAYERS], head[fs.P_VECTORS], head[fs.P_WIDTH] = tables[fs.P_SETS].shape
    offset = fs.P_LENGTH
    for place, table in tables.items():
        head[place] = offset
        offset += table.size
    prog = np.concatenate([head, *(table.ravel() for table in tables.values())])
    return Program(
        prog=prog,
        head=prog[: fs.P_LENGTH],
        step=tables[fs.P_STEP],
        accept=tables[fs.P_ACCEPT],
        pad=tables[fs.P_PAD],
        pure=tables[fs.P_PURE],
        items=tables[fs.P_ITEMS],
        sets=tables[fs.P_SETS],
        alone=tables[fs.P_ALONE],
        value=tables[fs.P_VALUE],
    )


def _head(task: Task, kind: HandClass, rules: MoveRules, sink: int) -> I64:
    """Return the numbers of the header; offsets are still to come."""
    head = np.zeros(fs.P_LENGTH, np.int64)
    head[fs.P_SUITS], head[fs.P_BITS] = task.meld.suits, fs.LEFT_AT // task.meld.suits
    head[fs.P_FIRST], head[fs.P_LAST] = task.line
    head[fs.P_ACE], head[fs.P_SINK] = _ACES[task.meld.ace], sink
    head[fs.P_NEED_SETS], head[fs.P_NEED_RUNS], head[fs.P_NEED_PURE] = task.demand
    head[fs.P_SET_MIN], head[fs.P_RUN_MIN] = task.lengths
    head[fs.P_SET_BASE] = set_base(task, kind)
    head[fs.P_USE_ALL] = task.contract and task.meld.use_all
    head[fs.P_START_NATURAL], head[fs.P_START_WILD] = rules.machine.start
    head[fs.P_DONE] = rules.done if rules.one_run else NO_STATE
    head[fs.P_CAP] = rules.cap
    if task.contract:
        head[fs.P_MODE] = fs.MODE_CONTRACT
    elif task.requires:
        head[fs.P_MODE] = fs.MODE_REQUIRE
    return head


def _move_table(rules: MoveRules) -> tuple[I64, I64]:
    """Return where the moves of each multiset begin, and all moves packed."""
    number = {multiset: i for i, multiset in enumerate(rules.multisets)}

    def packed(move: Move) -> int:
        return (
            move.naturals
            | move.wilds << fs.MOVE_WILDS
            | move.started << fs.MOVE_STARTED
            | move.pure << fs.MOVE_PURE
            | number[move.target] << fs.MOVE_TARGET
        )

    deadline, left = Deadline.after(None), MOST_PAIRS

    def spend(pairs: int) -> None:
        nonlocal left
        deadline.check()
        left -= pairs
        if left < 0:
            raise _TooManyMovesError

    rows = [[packed(move) for move in rules.moves(m, spend)] for m in rules.multisets]
    moves_at = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return moves_at, np.array([move for row in rows for move in row], np.int64)


def _better_table(rules: MoveRules) -> tuple[I64, I64]:
    """Return where the multisets one step above each multiset begin, and all of them."""
    number = {multiset: i for i, multiset in enumerate(rules.multisets)}
    rows = [[number[m] for m in rules.betters(multiset)] for multiset in rules.multisets]
    at = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return at, np.array([m for row in rows for m in row], np.int64)


def _items(rules: MoveRules) -> I64:
    def padded(multiset: Multiset) -> tuple[int, ...]:
        return multiset + (NO_STATE,) * (rules.cap - len(multiset))

    return np.array([padded(multiset) for multiset in rules.multisets], np.int64)
