"""Rows for what is asked of the melds together: contract, requirement, value, cards to use."""

from __future__ import annotations

from typing import Final, Literal

from solver.cards import N_RANKS
from solver.cpsat.columns import is_set_shape, place_values, wilds_make_run, wilds_value
from solver.cpsat.model import HandModel, RunColumn
from solver.cpsat.program import Terms, add_terms, ones
from solver.rules.model import MeldRules

RING: Final = N_RANKS


def add_demands(model: HandModel) -> None:
    """Add every row that looks at more than one meld.

    Requirement and least value are asked outright; ``search`` knows what follows when they cannot
    be met.
    """
    meld = model.meld
    for card, copies in meld.must_use:
        if copies:
            model.program.at_least(dict(model.card_uses.get(card, {})), copies)
    if model.contract:
        _add_contract(model)
    if model.require and meld.hand_require is not None:
        runs, pure = meld.hand_require
        model.program.at_least(_melds_of(model, "run"), runs)
        model.program.at_least(ones(r.variable for r in model.runs if r.pure), pure)
    if model.valued:
        model.program.at_least(_value(model), meld.min_meld_value)


def _melds_of(model: HandModel, kind: Literal["set", "run"], least_length: int = 0) -> Terms:
    """Return the number of melds of a kind with at least so many cards."""
    if kind == "run":
        found = [r.variable for r in model.runs if r.window.length >= least_length]
        found += [w.variable for w in model.wild_melds if w.as_run and w.wilds >= least_length]
    else:
        found = [s.variable for s in model.sets if s.naturals + s.wilds >= least_length]
        found += [w.variable for w in model.wild_melds if w.as_set and w.wilds >= least_length]
    return ones(found)


# --- contract -----------------------------------------------------------------------------------


def _add_contract(model: HandModel) -> None:
    """Ask for exactly the melds of the contract, or for at least them with ``extra_melds``.

    Melds can be handed to requirements of a kind exactly when, for every length asked, enough of
    them are that long (Hall's condition; the melds that fit longer requirements fit shorter ones).
    Melds of wilds alone have no rank, suit or place, so that no bar concerns them.
    """
    meld = model.meld
    assert meld.contract is not None
    kinds: tuple[Literal["set"], Literal["run"]] = ("set", "run")
    for kind in kinds:
        asked = sorted(length for k, length in meld.contract if k == kind)
        total = _melds_of(model, kind)
        if meld.extra_melds:
            model.program.at_least(total, len(asked))
        else:
            model.program.equal(total, len(asked))
        for i, length in enumerate(asked):
            if i == 0 or length != asked[i - 1]:
                model.program.at_least(_melds_of(model, kind, length), len(asked) - i)
    if meld.use_all:
        _use_all(model)
    if meld.distinct_set_ranks:
        for rank in range(N_RANKS):
            model.program.at_most(ones(s.variable for s in model.sets if s.rank == rank), 1)
    if meld.distinct_run_suits:
        for suit in range(meld.suits):
            model.program.at_most(ones(r.variable for r in model.runs if r.suit == suit), 1)
    elif meld.forbid_adjacent_runs:
        for suit in range(meld.suits):
            _forbid_adjacent(model, [r for r in model.runs if r.suit == suit], meld)


def _use_all(model: HandModel) -> None:
    """Ask that no card is left: as many are used as are held."""
    used: Terms = ones(variable for variable, _ in model.wild_uses)
    pooled = set(used)
    for terms in model.card_uses.values():
        add_terms(used, {v: n for v, n in terms.items() if v not in pooled})
    model.program.equal(used, sum(model.counts))


def _forbid_adjacent(model: HandModel, runs: list[RunColumn], meld: MeldRules) -> None:
    """Let no run of a suit start where another ends; a full ring touches every run at its seam."""
    ring = meld.ace == "cyclic"
    borders: dict[int, tuple[list[int], list[int], list[int]]] = {}
    for run in runs:
        after = run.window.start + run.window.length
        if ring and run.window.length == RING:
            borders.setdefault(run.window.start, ([], [], []))[2].append(run.variable)
            continue
        borders.setdefault(after % RING if ring else after, ([], [], []))[0].append(run.variable)
        borders.setdefault(run.window.start, ([], [], []))[1].append(run.variable)
    for ending, starting, full in borders.values():
        if full or (ending and starting):
            flags = []
            many = sum(model.counts)
            for variables, most in ((ending, many), (starting, many), (full, 1)):
                flag = model.program.variable(1)
                model.program.at_most({flag: -most} | ones(variables), 0)
                flags.append(flag)
            model.program.at_most(ones(flags), 1)


# --- value --------------------------------------------------------------------------------------


def _run_value(run: RunColumn, meld: MeldRules) -> int:
    """Return the value of a run; under ``wild_value_zero`` of one whose naturals are fixed."""
    values = place_values(run.window, meld)
    if not meld.wild_value_zero:
        return sum(values)
    held = set(run.pool.positions)
    return sum(v for v, p in zip(values, run.window.positions, strict=True) if p in held)


def _value(model: HandModel) -> Terms:
    """Return the value of all melds laid."""
    meld = model.meld
    total: Terms = {}
    for run in model.runs:
        cells = model.cells.get(run.pool)
        if not meld.wild_value_zero or cells is None:
            add_terms(total, {run.variable: _run_value(run, meld)})
    if meld.wild_value_zero:
        for pool, cells in model.cells.items():
            for cell, value in zip(cells, pool.values, strict=True):
                add_terms(total, {cell: value})
    for shape in model.sets:
        counted = shape.naturals + (0 if meld.wild_value_zero else shape.wilds)
        add_terms(total, {shape.variable: counted * meld.meld_values[shape.rank]})
    for wild in model.wild_melds:
        # Whatever it is laid as, a meld of wilds is worth the most that it could stand for.
        as_set, as_run = is_set_shape(0, wild.wilds, meld), wilds_make_run(wild.wilds, meld)
        value = wilds_value(wild.wilds, meld, as_set=as_set, as_run=as_run)
        add_terms(total, {wild.variable: value})
    return total
