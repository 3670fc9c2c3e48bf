"""Ways to lay melds from the hand, cards added to them at once included, as options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from solver.cards import N_RANKS, Card
from solver.melds import MeldKind
from solver.table.additions import set_choices, wild_growth
from solver.table.hand import (
    DUMP,
    EARLY,
    OPEN_RANK,
    RUN_AFTER,
    RUN_FIRST,
    RUN_SUIT,
    SET_RANK,
    WILDS,
    Frame,
    line,
    run_card,
    run_table,
    set_legal,
    wilds_alone,
)
from solver.table.packing import Fields, Option, States, take_many, take_one, too_many_ways
from solver.table.ratio import growth_order, ratio_holds

MAX_ROWS: Final = 2_000
"""Most rows of one start and length; a hand of nine wilds and a suit of eight has some hundreds."""


class LayRun(NamedTuple):
    """A run laid: places ``first`` to ``after`` of its cells at once, the others added.

    ``cells`` tells for each place whether its natural lies there.
    """

    suit: int
    start: int
    cells: tuple[bool, ...]
    first: int
    after: int


class LaySet(NamedTuple):
    """A set laid with its first ``n_laid`` naturals and ``wilds_laid`` wilds, the others added."""

    rank: int
    naturals: tuple[Card, ...]
    wilds: int
    n_laid: int
    wilds_laid: int


class LayWilds(NamedTuple):
    """A meld of ``laid`` wilds alone, to which naturals or more wilds are added."""

    laid: int
    naturals: tuple[Card, ...]
    wilds: int


def lay_all(states: States, frame: Frame) -> States:
    """Return the states after laying the contract and any melds besides that are allowed."""
    known: dict[tuple[str, int], list[Option]] = {}
    for kind, least in frame.asked.contract:
        if (kind, least) not in known:
            known[kind, least] = list(meld_options(kind, least, frame))
        states = take_one(states, known[kind, least], frame.fields, frame.work)
    if frame.asked.free_melds:
        options = [*meld_options("run", 0, frame), *meld_options("set", 0, frame)]
        states = take_many(states, _once_each(options), frame.fields, frame.work)
    return states


def _once_each(options: Sequence[Option]) -> list[Option]:
    """Return options of which none does the same as another."""
    return list({(o.cost, o.flags, o.bars, o.value): o for o in options}.values())


def meld_options(kind: Literal["set", "run"], least: int, frame: Frame) -> Iterator[Option]:
    """Yield the ways to lay one meld of a kind with at least so many cards."""
    if kind == "run":
        for suit in range(frame.meld.suits):
            yield from _run_options(suit, least, frame)
    else:
        for rank in range(N_RANKS):
            yield from _set_options(rank, least, frame)
    yield from _wild_options(MeldKind(kind), least, frame)


# --- runs ---------------------------------------------------------------------------------------


def _run_options(suit: int, least: int, frame: Frame) -> Iterator[Option]:
    first, last, ring, longest = line(frame.meld)
    held = [run_card(suit, p) in frame.naturals for p in range(first, last + 1)]
    if not any(held):
        return
    # Where a run lies matters only to bars on neighbours and to values.
    anywhere = not frame.asked.least_value and not _bars_neighbours(frame)
    plain = anywhere and EARLY not in frame.fields.at
    seen: set[tuple[int, int, int]] = set()
    costs: set[int] = set()
    for start in range(first, last + 1):
        room = min(longest, N_RANKS if ring else last - start + 1)
        for cells in _rows(suit, start, room, frame):
            frame.work.spend(20)
            cost = _run_cost(suit, start, cells, frame.fields)
            if plain and cost in costs:
                continue
            for option in _runs_of(suit, start, cells, cost, least, frame):
                costs.add(cost)
                key = (option.cost, option.flags, option.value)
                if key not in seen:
                    seen.add(key)
                    yield option


def _bars_neighbours(frame: Frame) -> bool:
    return frame.meld.forbid_adjacent_runs and bool(frame.asked.contract)


def _rows(suit: int, start: int, room: int, frame: Frame) -> Iterator[tuple[bool, ...]]:
    """Yield every row of naturals and wilds from a start that the hand can fill."""
    n_wilds = len(frame.pool)
    m = frame.meld
    front: list[tuple[tuple[bool, ...], int]] = [((), 0)]
    for i in range(room):
        card = run_card(suit, start + i)
        copies = frame.naturals.get(card, 0)
        longer = []
        for cells, wilds in front:
            # Only an ace can be wanted twice, at either end of a run of 14.
            again = i == N_RANKS and cells[0]
            if copies > again:
                longer.append(((*cells, True), wilds))
            apart = m.wilds_adjacent or not cells or cells[-1]
            if wilds < n_wilds and apart:
                longer.append(((*cells, False), wilds + 1))
        front = longer
        if len(front) > MAX_ROWS:
            raise too_many_ways()
        yield from (cells for cells, wilds in front if wilds < len(cells))


def _runs_of(  # noqa: PLR0913, PLR0917 - a row of cells in its parts
    suit: int, start: int, cells: tuple[bool, ...], cost: int, least: int, frame: Frame
) -> Iterator[Option]:
    """Yield the options of one row: one, or one for each part that may be laid where it matters."""
    key = (cells, least)
    if key not in frame.parts:
        frame.parts[key] = tuple(_laid_parts(cells, least, frame))
    parts = frame.parts[key]
    if not parts:
        return
    late = EARLY in frame.fields.at
    if not late and not _bars_neighbours(frame):
        if frame.asked.least_value:
            parts = (max(parts, key=lambda p: _run_value(start, cells, p[0], p[1], frame)),)
        else:
            parts = parts[:1]
    for first, after in parts:
        flags, bars = _run_flags(suit, start + first, after - first, frame)
        total = cost
        if late:
            total += _early_cost(
                [run_card(suit, start + i) for i in range(first, after) if cells[i]],
                cells[first:after].count(False),
                frame,
            )
            if not _fits(total, frame.fields):
                continue
        value = _run_value(start, cells, first, after, frame) if frame.asked.least_value else 0
        yield Option(total, flags, bars, value, LayRun(suit, start, cells, first, after))


def _laid_parts(cells: tuple[bool, ...], least: int, frame: Frame) -> Iterator[tuple[int, int]]:
    """Yield the parts of a row that may be laid so that the rest may be added, longest first."""
    table = run_table(frame.meld, frame.meld.run_min)
    n = len(cells)
    limit = frame.limit
    n_wilds = cells.count(False)
    mask = sum(1 << i for i, natural in enumerate(cells) if natural)
    shortest = max(least, frame.meld.run_min)
    for length in range(n, (shortest if frame.asked.adds else max(shortest, n)) - 1, -1):
        ones = (1 << length) - 1
        for first in range(n - length + 1):
            part = mask >> first & ones
            if not table[1 << length | part]:
                continue
            naturals = part.bit_count()
            added = n_wilds - (length - naturals)
            below, above = cells[:first][::-1], cells[first + length :]
            order = growth_order(frame.ratio, naturals, length - naturals, below, above)
            if added <= limit and order is not None:
                yield first, first + length


def _run_cost(suit: int, start: int, cells: Sequence[bool], fields: Fields) -> int:
    cost = cells.count(False) * fields.one(WILDS)
    for i, natural in enumerate(cells):
        if natural:
            cost += fields.one(run_card(suit, start + i))
    return cost


def _early_cost(naturals: Sequence[Card], wilds: int, frame: Frame) -> int:
    """Return what a laid part uses of the cards that were in hand before any swap."""
    fields = frame.fields
    cost = wilds * fields.one(EARLY)
    for card in naturals:
        if (EARLY, card) in fields.at:
            cost += fields.one((EARLY, card))
    return cost


def _fits(cost: int, fields: Fields) -> bool:
    return (fields.room - cost) & fields.guards == fields.guards


def _run_flags(suit: int, start: int, length: int, frame: Frame) -> tuple[int, int]:
    """Return the flags a laid run sets, and those that bar it."""
    m = frame.meld
    if not frame.asked.contract:
        return 0, 0
    flags = bars = 0
    if m.distinct_run_suits:
        flags = bars = frame.flag(RUN_SUIT, suit)
    if m.forbid_adjacent_runs:
        after = start + length
        if m.ace == "cyclic":
            after %= N_RANKS
        flags |= frame.flag(RUN_FIRST, suit * 15 + start) | frame.flag(RUN_AFTER, suit * 15 + after)
        bars |= frame.flag(RUN_FIRST, suit * 15 + after) | frame.flag(RUN_AFTER, suit * 15 + start)
    return flags, bars


def _run_value(start: int, cells: Sequence[bool], first: int, after: int, frame: Frame) -> int:
    """Return what a laid run is worth."""
    m = frame.meld
    value = 0
    for i in range(first, after):
        rank = (start + i) % N_RANKS
        low_ace = m.meld_points == "ace_position" and rank == 0 and i < after - 1
        if cells[i] or not m.wild_value_zero:
            value += m.ace_low_points if low_ace else m.meld_values[rank]
    return value


# --- sets and wilds -----------------------------------------------------------------------------


def _set_options(rank: int, least: int, frame: Frame) -> Iterator[Option]:
    # Copies that could not be laid may be added where additions are free and the tail does not.
    laid_only = frame.own_tails or not frame.asked.adds
    distinct = frame.meld.set_distinct_suits if laid_only else None
    for chosen in set_choices(rank, frame, distinct=distinct):
        naturals = _in_laying_order([c for c, n in chosen for _ in range(n)], frame)
        if not naturals:
            continue
        for wilds in range(len(frame.pool) + 1):
            frame.work.spend(20)
            for part in _laid_sets(naturals, wilds, least, frame):
                yield from _set_option(rank, naturals, wilds, part, frame)


def _in_laying_order(cards: Sequence[Card], frame: Frame) -> tuple[Card, ...]:
    """Return naturals of a set, those that can be laid at once first, gained ones last of these."""
    first = [c for i, c in enumerate(cards) if c not in cards[:i] or not _distinct(frame)]
    rest = list(cards)
    for card in first:
        rest.remove(card)
    order = sorted(first, key=lambda c: (frame.gained[c], c)) if frame.gained != () else first
    return (*order, *rest)


def _distinct(frame: Frame) -> bool:
    return frame.meld.set_distinct_suits


def _laid_sets(
    naturals: tuple[Card, ...], wilds: int, least: int, frame: Frame
) -> Iterator[tuple[int, int]]:
    """Yield how many naturals and wilds of a set may be laid at once so that the rest is added.

    Where the tail adds what is left, only the smallest sets are of interest. Otherwise naturals
    never break a limit, so that all are laid at once, unless some were gained by a swap.
    """
    m, n = frame.meld, len(naturals)
    if (m.set_max is not None and n + wilds > m.set_max) or not ratio_holds(frame.ratio, n, wilds):
        return
    if frame.own_tails:
        smaller = (wilds and set_legal(m, n, wilds - 1, least)) or (
            n > 1 and set_legal(m, n - 1, wilds, least)
        )
        if set_legal(m, n, wilds, least) and not smaller:
            yield n, wilds
        return
    late = EARLY in frame.fields.at
    most = len(set(naturals)) if _distinct(frame) else n
    at_once = most == n and set_legal(m, n, wilds, least)
    if not frame.asked.adds or (not late and at_once):
        if at_once:
            yield n, wilds
        return
    gained = sum((EARLY, card) in frame.fields.at for card in naturals[:most])
    for n_laid in range(most, most - gained - 1, -1):
        # As few wilds as will do leave most for what must be added.
        fewest = range(max(0, wilds - frame.limit), wilds + 1)
        laid = next((k for k in fewest if n_laid and set_legal(m, n_laid, k, least)), None)
        if laid is not None:
            yield n_laid, laid


def _set_option(
    rank: int, naturals: tuple[Card, ...], wilds: int, part: tuple[int, int], frame: Frame
) -> Iterator[Option]:
    m, fields = frame.meld, frame.fields
    cost = wilds * fields.one(WILDS) + sum(fields.one(c) for c in naturals)
    n_laid, wilds_laid = part
    if EARLY in fields.at:
        cost += _early_cost(naturals[:n_laid], wilds_laid, frame)
    if not _fits(cost, fields):
        return
    flags = bars = 0
    if frame.own_tails:
        flags |= frame.flag(OPEN_RANK, rank) | frame.flag(DUMP)
    if m.distinct_set_ranks and frame.asked.contract:
        bars = frame.flag(SET_RANK, rank)
        flags |= bars
    counted = n_laid + (0 if m.wild_value_zero else wilds_laid)
    value = counted * m.meld_values[rank] if frame.asked.least_value else 0
    yield Option(cost, flags, bars, value, LaySet(rank, naturals, wilds, n_laid, wilds_laid))


def _wild_options(kind: MeldKind, least: int, frame: Frame) -> Iterator[Option]:
    m, fields = frame.meld, frame.fields
    as_set, as_run = wilds_alone(m)
    bits = as_set if kind == MeldKind.SET else as_run
    unlimited = frame.asked.adds and frame.free_wilds
    for k in range(max(1, least), len(frame.pool) + 1):
        cost = k * fields.one(WILDS)
        cost += k * fields.one(EARLY) if EARLY in fields.at else 0
        if not bits >> k & 1 or not _fits(cost, fields):
            continue
        # A set of wilds takes any more of them; a run of wilds is as long as it may be.
        flags = frame.flag(DUMP) if unlimited and as_set >> k & 1 else 0
        value = max(
            _wilds_value(k, as_kind, frame)
            for as_kind, of_kind in ((MeldKind.SET, as_set), (MeldKind.RUN, as_run))
            if of_kind >> k & 1
        )
        yield Option(cost, flags, 0, value, LayWilds(k, (), 0))
        if not frame.asked.adds:
            continue
        # What is added makes a meld that could be laid as it is, save where limits on wilds or
        # bars on ranks hold for melds laid.
        for grown in wild_growth(k, 0, frame):
            total = cost + grown.cost
            if _fits(total, fields):
                use = LayWilds(k, grown.use.naturals, grown.use.wilds)
                yield Option(total, flags | grown.flags, 0, value, use)


def _wilds_value(k: int, kind: MeldKind, frame: Frame) -> int:
    m = frame.meld
    if not frame.asked.least_value or m.wild_value_zero:
        return 0
    if kind == MeldKind.SET:
        return k * max(m.meld_values)
    first, last, ring, _ = line(m)
    starts = range(first, last + 1 if ring else last - k + 2)
    return max(_run_value(start, (False,) * k, 0, k, frame) for start in starts)
