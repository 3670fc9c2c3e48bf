"""Runs in the integer program: windows as columns, naturals counted over the copies of a place.

A run column is a window; which of its places hold naturals is not part of the column (there would
be 2**length of them) but counted, in one of two ways, without losing or adding a solution:

* **Covers.** A place of which no rule asks anything may hold a natural or a wild. For all such
  places at one position of a suit there is one variable, the naturals lying there, at most as many
  as runs cover the position. Any such number can be dealt out to those runs.
* **Pools.** Every limit (least naturals, most wilds, ratio, core, adjacency) says that some
  neighbouring places hold at least so many naturals. Columns that ask the same of the same places
  share a pool: a variable per place, at most the copies Y of these columns, and each group of
  places holds at least ``needed * Y``. Copy t takes the natural of place i when
  ``(prefix[i + 1] + t) // Y > (prefix[i] + t) // Y``, so any neighbours that hold S over all
  copies hold S // Y or one more in each: no copy falls short.

Rows of neighbours have consecutive ones, so the linear relaxation is as tight as with a column
for every pattern. A core is a choice among windows of places: a column for each.
"""

from __future__ import annotations

from solver.cards import N_RANKS
from solver.cpsat.columns import Window, least_run_naturals, place_values, windows
from solver.cpsat.model import HandModel, Pool, RunColumn
from solver.cpsat.program import Terms, add_terms, ones

Groups = list[tuple[list[int], int]]
"""(places of a window that can hold naturals, how many of them at least do)."""


def add_runs(model: HandModel) -> None:
    """Add every run that the hand can hold, with the naturals in their places."""
    for suit in range(model.meld.suits):
        held = _supplies(model, suit, by_role=model.runs_by_role)
        places = sum(1 << position for position, supply in enumerate(held) if supply)
        for window in windows(model.meld):
            n_held = (window.mask & places).bit_count()
            if n_held and window.length - n_held <= model.n_wilds:
                _add_window(model, suit, window, [held[p] for p in window.positions])
        if model.require:
            _add_pure_runs(model, suit, _supplies(model, suit, by_role=True))
    _add_pools(model)
    _add_covers(model)


def _supplies(model: HandModel, suit: int, *, by_role: bool) -> list[int]:
    """Return the naturals there are for each position 0..13."""
    return [
        model.naturals(suit * N_RANKS + position % N_RANKS, by_role=by_role)
        for position in range(N_RANKS + 1)
    ]


def _add_pure_runs(model: HandModel, suit: int, held: list[int]) -> None:
    """Add the runs that are asked to be without wilds; a wild rank may stand there as itself."""
    for window in windows(model.meld):
        copies = min(held[position] for position in window.positions)
        if copies and _pure_is_legal(model, window.length):
            everywhere = tuple(range(window.length))
            pool = Pool(suit, window.positions, (), ((everywhere, window.length),))
            column = RunColumn(suit, window, model.column(copies), pool, pure=True)
            model.runs.append(column)


def _pure_is_legal(model: HandModel, length: int) -> bool:
    core = model.meld.run_core
    if core is not None and (length < core[0] or core[0] < core[1]):
        return False
    return least_run_naturals(length, model.meld) <= length


def _add_window(model: HandModel, suit: int, window: Window, supplies: list[int]) -> None:
    """Add the columns of a window: one, or one for each core it can have."""
    meld = model.meld
    places = [i for i, supply in enumerate(supplies) if supply]
    needed = least_run_naturals(window.length, meld)
    if model.n_wilds == 0:
        needed = max(needed, window.length)  # more than there are places: no such run
    groups: Groups = [(places, needed)] if needed else []
    if not meld.wilds_adjacent:
        pairs = [[i, i + 1] for i in range(window.length - 1)]
        groups += [([i for i in pair if supplies[i]], 1) for pair in pairs]
    if any(len(group) < least for group, least in groups):
        return
    if meld.run_core is None:
        _add_column(model, suit, window, supplies, groups)
        return
    width, least = meld.run_core
    cores = {
        tuple(i for i in places if first <= i < first + width)
        for first in range(window.length - width + 1)
    }
    for core in sorted(cores):
        if len(core) >= least:
            _add_column(model, suit, window, supplies, [*groups, (list(core), least)])


def _add_column(
    model: HandModel, suit: int, window: Window, supplies: list[int], groups: Groups
) -> None:
    """Add a window with what is asked of its places."""
    groups = _binding(groups)
    values = place_values(window, model.meld)
    if model.valued and model.meld.wild_value_zero:
        # The places count with their values, so that all of them are followed one by one.
        own = [i for i, supply in enumerate(supplies) if supply]
    else:
        own = sorted({i for group, _ in groups for i in group})
        values = []
    index = {place: k for k, place in enumerate(own)}
    pool = Pool(
        suit,
        tuple(window.positions[i] for i in own),
        tuple(values[i] for i in own) if values else (),
        tuple((tuple(index[i] for i in group), needed) for group, needed in groups),
    )
    copies = (sum(supplies) + model.n_wilds) // window.length
    gaps = supplies.count(0)
    if gaps:
        copies = min(copies, model.n_wilds // gaps)
    full = [supplies[i] for group, needed in groups if len(group) == needed for i in group]
    variable = model.column(min([copies, *full]))
    model.runs.append(RunColumn(suit, window, variable, pool))


def _binding(groups: Groups) -> Groups:
    """Leave out what another group implies: more asked of fewer places."""
    kept: Groups = []
    for group, needed in sorted(groups, key=lambda g: (len(g[0]), -g[1])):
        if needed > 0 and not any(n >= needed and set(g) <= set(group) for g, n in kept):
            kept.append((group, needed))
    return kept


def _add_pools(model: HandModel) -> None:
    """Add the naturals of each pool; where all places are full they are the columns' own."""
    members: dict[Pool, list[int]] = {}
    for run in model.runs:
        members.setdefault(run.pool, []).append(run.variable)
        add_terms(model.wild_places, {run.variable: run.window.length})
    for pool, columns in members.items():
        cards = [pool.suit * N_RANKS + position % N_RANKS for position in pool.positions]
        if pool.is_full():
            for variable in columns:
                add_terms(model.wild_places, {variable: -len(cards)})
                for card in cards:
                    model.use(card, variable)
            continue
        cells = [model.program.variable(model.counts[card]) for card in cards]
        model.cells[pool] = cells
        add_terms(model.wild_places, ones(cells), -1)
        copies = dict.fromkeys(columns, -1)
        for card, cell in zip(cards, cells, strict=True):
            model.use(card, cell)
            model.program.at_most({cell: 1} | copies, 0)
        for group, needed in pool.groups:
            asked = dict.fromkeys(columns, -needed)
            model.program.at_least(ones(cells[i] for i in group) | asked, 0)


def _add_covers(model: HandModel) -> None:
    """Add the naturals that lie at each position outside of pools."""
    over: dict[tuple[int, int], Terms] = {}
    for run in model.runs:
        for position in set(run.window.positions) - set(run.pool.positions):
            add_terms(over.setdefault((run.suit, position), {}), {run.variable: -1})
    for (suit, position), covering in sorted(over.items()):
        card = suit * N_RANKS + position % N_RANKS
        supply = model.naturals(card, by_role=model.runs_by_role)
        if supply:
            lying = model.program.variable(supply)
            model.covers[suit, position] = lying
            model.use(card, lying)
            add_terms(model.wild_places, {lying: -1})
            model.program.at_most({lying: 1} | covering, 0)
