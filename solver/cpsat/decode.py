"""A solution of the program -> class melds and the cards they use."""

from __future__ import annotations

from itertools import accumulate
from typing import Final, TypeAlias

from solver.cards import N_RANKS, N_SUITS, Card
from solver.cpsat.model import HandModel, Pool, RunColumn
from solver.rules.model import MeldRules

ClassMeld: TypeAlias = tuple[int, int, int, int, int]
"""A row ``(1, suit, start, length, naturals)``, ``(0, rank, wilds, used, 0)`` or
``(2, wilds, 0, 0, 0)``, as DESIGN.md tells."""

SET: Final = 0
RUN: Final = 1
WILD: Final = 2


def decode_melds(model: HandModel, values: list[int]) -> list[ClassMeld]:
    """Return the melds of a solution, sorted."""
    found = _decode_runs(model, values) + _decode_sets(model, values)
    for wild in model.wild_melds:
        found += [(WILD, wild.wilds, 0, 0, 0)] * values[wild.variable]
    return sorted(found)


def cards_used(
    counts: list[int], meld: MeldRules, rows: list[ClassMeld]
) -> tuple[list[Card], list[Card]]:
    """Return the cards that class melds use as naturals, and those that serve as wilds.

    The wilds are those that must be used, then the most expensive ones, equal ones by id.
    """
    naturals: list[Card] = []
    n_wilds = 0
    for kind, a, b, c, d in rows:
        if kind == RUN:
            held = [a * N_RANKS + (b + i) % N_RANKS for i in range(c) if d >> i & 1]
            n_wilds += c - len(held)
        else:
            held = [s * N_RANKS + a for s in range(N_SUITS) for _ in range(c >> 4 * s & 15)]
            n_wilds += b if kind == SET else a
        naturals += held
    asked = dict(meld.must_use)
    free = []
    for card, copies in enumerate(counts):
        if copies and meld.is_wild(card):
            lying = naturals.count(card)
            for i in range(lying, copies):
                free.append((i >= asked.get(card, 0), -meld.points[card], card))
    return sorted(naturals), sorted(card for _, _, card in sorted(free)[:n_wilds])


def _decode_runs(model: HandModel, values: list[int]) -> list[ClassMeld]:
    """Deal naturals to runs: those of pools by the staircase told in ``runs``, then the covers."""
    members: dict[Pool, list[RunColumn]] = {}
    for run in model.runs:
        members.setdefault(run.pool, []).extend([run] * values[run.variable])
    covers = {place: values[variable] for place, variable in model.covers.items()}
    found: list[ClassMeld] = []
    for pool, laid in members.items():
        cells = model.cells.get(pool)
        dealt = [len(laid)] * len(pool.positions) if cells is None else [values[v] for v in cells]
        prefix = [0, *accumulate(dealt)]
        for t, run in enumerate(laid):
            held = {
                position
                for i, position in enumerate(pool.positions)
                if (prefix[i + 1] + t) // len(laid) > (prefix[i] + t) // len(laid)
            }
            found.append(_run_row(run, held, covers))
    return found


def _run_row(run: RunColumn, held: set[int], covers: dict[tuple[int, int], int]) -> ClassMeld:
    """Return the row of a run, taking from the covers first come first served."""
    mask = 0
    for i, position in enumerate(run.window.positions):
        covered = position not in run.pool.positions and covers.get((run.suit, position), 0)
        if covered:
            covers[run.suit, position] -= 1
        if covered or position in held:
            mask |= 1 << i
    if mask == 0:
        return WILD, run.window.length, 0, 0, 0
    return RUN, run.suit, run.window.start, run.window.length, mask


def _decode_sets(model: HandModel, values: list[int]) -> list[ClassMeld]:
    """Deal the naturals of each rank to its sets, suit by suit."""
    found: list[ClassMeld] = []
    drawn: dict[int, list[int]] = {}
    for card, variable in sorted(model.draws.items()):
        drawn.setdefault(card % N_RANKS, []).extend([card // N_RANKS] * values[variable])
    for column in model.sets:
        for _ in range(values[column.variable]):
            suits = list(column.suits)
            if not suits:
                suits = [drawn[column.rank].pop(0) for _ in range(column.naturals)]
            used = sum(1 << 4 * suit for suit in suits)
            found.append((SET, column.rank, column.wilds, used, 0))
    return found
