"""Tables of the frontier engine: how few sets hold some naturals and wilds, and wilds alone."""

from __future__ import annotations

from itertools import combinations, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from solver.compile.frontier_task import HandClass, Task
from solver.kernels import frontier_state as fs

Table: TypeAlias = NDArray[np.int64]


def set_base(task: Task, kind: HandClass) -> int:
    """Return the weight of a suit's copies in a vector's index: 1 when suits are alike."""
    return kind.copies + 1 if task.meld.set_distinct_suits else 1


def set_table(task: Task, kind: HandClass) -> Table:
    """Return the fewest sets out of exactly some naturals of a rank and some wilds.

    Axes: sets laid (under a contract exactly so many, else a single layer for any number), vector
    of naturals (``sum copies * base ** suit``), wilds. NO_SET where there are none.
    """
    n_sets = task.demand[0]
    most = min(n_sets, 1) if task.meld.distinct_set_ranks else n_sets
    shape = (most + 1 if task.contract else 1, kind.n_wilds + 1)
    known: dict[tuple[int, ...], Table] = {}
    if not task.meld.set_distinct_suits:
        totals = range(task.meld.suits * kind.copies + 1)
        for total in totals:
            known[(total,)] = _fewest(task, (total,), known, shape)
        return np.stack([known[(total,)] for total in totals], axis=1)
    base = set_base(task, kind)
    vectors = sorted(product(range(base), repeat=task.meld.suits), key=sum)
    table = np.full((shape[0], len(vectors), shape[1]), fs.NO_SET, np.int64)
    for vector in vectors:
        key = tuple(sorted(vector, reverse=True))
        if key not in known:
            known[key] = _fewest(task, key, known, shape)
        table[:, sum(n * base**s for s, n in enumerate(vector))] = known[key]
    return table


def _fewest(
    task: Task,
    vector: tuple[int, ...],
    known: dict[tuple[int, ...], Table],
    shape: tuple[int, int],
) -> Table:
    """Return the fewest sets for one vector of naturals, from those of smaller vectors.

    Some set holds the first natural; it is tried with all partners and all numbers of wilds.
    """
    best = np.full(shape, fs.NO_SET, np.int64)
    if not any(vector):
        best[0, 0] = 0
        return best
    one = 1 if task.contract else 0
    for n_naturals, rest in _after_one_set(task, vector):
        for k in range(shape[1]):
            if task.set_legal(n_naturals, k):
                before = known[rest][: shape[0] - one, : shape[1] - k]
                target = best[one:, k:]
                np.minimum(target, np.minimum(before + 1, fs.NO_SET), out=target)
    return best


def _after_one_set(task: Task, vector: tuple[int, ...]) -> set[tuple[int, tuple[int, ...]]]:
    """Return (naturals of the set, vector that stays) for each set that holds the first one."""
    if not task.meld.set_distinct_suits:
        return {(n, (vector[0] - n,)) for n in range(1, vector[0] + 1)}
    others = [s for s in range(1, len(vector)) if vector[s]]
    found = set()
    for size in range(len(others) + 1):
        for partners in combinations(others, size):
            rest = [n - (s == 0 or s in partners) for s, n in enumerate(vector)]
            found.add((size + 1, tuple(sorted(rest, reverse=True))))
    return found


def alone_table(task: Task, kind: HandClass) -> Table:
    """Return the fewest melds out of exactly so many wilds and no natural.

    Axes: sets and runs to lay, wilds. Exactly so many under a contract; at least so many that are
    legal as runs where runs are required; without demands one layer. NO_SET where there are none.
    """
    n_sets, n_runs, _ = task.demand
    table = np.full((n_sets + 1, n_runs + 1, kind.n_wilds + 1), fs.NO_SET, np.int64)
    table[0, 0, 0] = 0
    sizes = range(1, kind.n_wilds + 1)
    as_set = [k for k in sizes if task.set_legal(0, k)]
    as_run = [k for k in sizes if task.wild_run_legal(k)]
    if task.contract:
        options = [(k, 1, 0) for k in as_set] + [(k, 0, 1) for k in as_run]
    else:
        options = [(k, 0, int(k in as_run)) for k in sorted({*as_set, *as_run})]
    for k, i, j in product(sizes, range(n_sets + 1), range(n_runs + 1)):
        for size, sets, runs in options:
            before = (i - sets, j - runs) if task.contract else (i, max(j - runs, 0))
            if size <= k and min(before) >= 0:
                table[i, j, k] = min(table[i, j, k], table[(*before, k - size)] + 1)
    return table
