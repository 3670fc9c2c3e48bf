"""Ways to add cards to melds that lie on the table, as options of the search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from solver.cards import N_RANKS, RANKS, Card, parse_card
from solver.melds import Meld, MeldKind
from solver.table.hand import (
    DUMP,
    FAR,
    OPEN_RANK,
    WILDS,
    Frame,
    line,
    run_card,
    set_cards,
    wilds_alone,
)
from solver.table.lying import Lying, adds_distinct, shape_rules
from solver.table.packing import Option, States, take_any
from solver.table.ratio import growth_order, ratio_holds


class AddToRun(NamedTuple):
    """Cards added to a run: for each place outwards whether its natural lies there."""

    meld: int
    below: tuple[bool, ...]
    above: tuple[bool, ...]


class AddToSet(NamedTuple):
    """Cards added to a set, or to a meld of wilds that becomes one when there are naturals."""

    meld: int
    naturals: tuple[Card, ...]
    wilds: int


class Side(NamedTuple):
    """Cards outwards from one end of a run."""

    cost: int
    wilds: int
    cells: tuple[bool, ...]


def add_all(states: States, table: Sequence[tuple[int, Lying]], frame: Frame) -> States:
    """Return the states after adding cards to numbered melds, one meld after the other."""
    for i, lying in table:
        options = list(_options(i, lying, frame))
        if options:
            states = take_any(states, options, frame.fields, frame.work)
    return states


def open_flags(table: Sequence[tuple[int, Lying]], frame: Frame) -> int:
    """Return the flags of the sets that take any card of a rank, and of any that takes wilds."""
    flags = 0
    if frame.asked.adds:
        for _, lying in table:
            if lying.meld.kind != MeldKind.RUN and frame.free_wilds:
                flags |= frame.flag(DUMP)
            if lying.meld.kind == MeldKind.SET and frame.open_sets:
                flags |= frame.flag(OPEN_RANK, set_rank(lying.meld))
    return flags


def set_rank(meld: Meld) -> int:
    """Return the rank of a set."""
    name, card = meld.stands_for[0], meld.cards[0]
    return card % N_RANKS if name is None else RANKS.index(name)


def run_place(meld: Meld) -> tuple[int, int]:
    """Return the suit and the first position 0..13 of a run.

    A run that begins with an ace begins low unless it is the ace alone: no run is that short
    after the first, and a lone ace on a line without low end lies high.
    """
    name = meld.stands_for[0]
    return divmod(meld.cards[0] if name is None else parse_card(name), N_RANKS)


def _options(i: int, lying: Lying, frame: Frame) -> Iterator[Option]:
    if lying.meld.kind == MeldKind.RUN:
        yield from _run_options(i, lying, frame)
    elif lying.meld.kind == MeldKind.SET:
        yield from _set_options(i, lying, set_rank(lying.meld), frame)
    else:
        yield from _wild_options(i, lying, frame)


# --- runs ---------------------------------------------------------------------------------------


def _run_options(i: int, lying: Lying, frame: Frame) -> Iterator[Option]:
    meld, m = lying.meld, frame.meld
    first, last, ring, longest = line(m)
    suit, start = run_place(meld)
    n = len(meld.cards)
    if start < first:
        start += N_RANKS
    room = longest - n
    below = room if ring else min(room, start - first)
    above = room if ring else min(room, last - (start + n - 1))
    if below <= 0 and above <= 0:
        return
    left = max(0, frame.limit - lying.n_wilds_added)
    most = min(left, frame.fields.at[WILDS][1] and _n_wilds(frame))
    names = meld.stands_for
    lows = _sides(suit, start - 1, -1, below, most, names[0] is not None, frame)
    highs = _sides(suit, start + n, 1, above, most, names[-1] is not None, frame)
    n_naturals = names.count(None)
    seen: set[int] = {0}
    frame.work.spend(4 * len(lows) * len(highs))
    for low, high in product(lows, highs):
        cost = low.cost + high.cost
        if (
            len(low.cells) + len(high.cells) > room
            or low.wilds + high.wilds > most
            or cost in seen
            or _too_many(cost, low, high, frame)
            or growth_order(frame.ratio, n_naturals, n - n_naturals, low.cells, high.cells) is None
        ):
            continue
        seen.add(cost)
        yield Option(cost, 0, 0, 0, AddToRun(i, low.cells, high.cells))


def _too_many(cost: int, low: Side, high: Side, frame: Frame) -> bool:
    """Return whether two sides want the same card; one side alone never wants one twice."""
    if not low.cost or not high.cost:
        return False
    fields = frame.fields
    # A field of a sum of two fitting costs never reaches beyond its guard bit.
    return (fields.room - cost) & fields.guards != fields.guards


def _n_wilds(frame: Frame) -> int:
    return len(frame.pool)


def _sides(  # noqa: PLR0913, PLR0917 - the end of a run in numbers
    suit: int, position: int, step: int, room: int, most_wilds: int, wild_end: bool, frame: Frame
) -> list[Side]:
    """Return every row of cards outwards from a place, the empty one first."""
    found = [Side(0, 0, ())]
    front = [(found[0], wild_end)]
    apart = not frame.meld.wilds_adjacent
    one_wild = frame.fields.one(WILDS)
    for _ in range(max(room, 0)):
        card = run_card(suit, position)
        longer: list[tuple[Side, bool]] = []
        for side, was_wild in front:
            if card in frame.naturals:
                cells = (*side.cells, True)
                longer.append((Side(side.cost + frame.fields.one(card), side.wilds, cells), False))
            if side.wilds < most_wilds and not (apart and was_wild):
                cells = (*side.cells, False)
                longer.append((Side(side.cost + one_wild, side.wilds + 1, cells), True))
        front = longer
        frame.work.spend(4 * len(front))
        found += [side for side, _ in front]
        position += step
        if not front:
            break
    return found


# --- sets and wilds -----------------------------------------------------------------------------


def _set_options(i: int, lying: Lying, rank: int, frame: Frame) -> Iterator[Option]:
    """Yield additions to a set; none where the flags of ``open_flags`` say everything."""
    m, meld = frame.meld, lying.meld
    lying_naturals = [
        c for c, name in zip(meld.cards, meld.stands_for, strict=True) if name is None
    ]
    most = min(max(0, frame.limit - lying.n_wilds_added), _n_wilds(frame))
    room = FAR if m.set_max is None else m.set_max - len(meld.cards)
    if frame.free_wilds:
        most = 0
    choices: list[Sequence[tuple[Card, int]]] = [()]
    if not frame.open_sets:
        choices = list(set_choices(rank, frame, without=lying_naturals))
    n_naturals = len(lying_naturals)
    n_wilds = len(meld.cards) - n_naturals
    for option in _sized(i, choices, room, most, 0, frame):
        use: AddToSet = option.use
        if ratio_holds(frame.ratio, n_naturals + len(use.naturals), n_wilds + use.wilds):
            yield option


def _sized(  # noqa: PLR0913, PLR0917 - one option in its parts
    i: int,
    choices: Sequence[Sequence[tuple[Card, int]]],
    room: int,
    most_wilds: int,
    flags: int,
    frame: Frame,
) -> Iterator[Option]:
    for chosen in choices:
        frame.work.spend(10)
        naturals = tuple(c for c, n in chosen for _ in range(n))
        cost = sum(n * frame.fields.one(c) for c, n in chosen)
        for wilds in range(min(most_wilds, room - len(naturals)) + 1):
            total = cost + wilds * frame.fields.one(WILDS)
            if total:
                yield Option(total, flags, 0, 0, AddToSet(i, naturals, wilds))


def set_choices(
    rank: int, frame: Frame, *, without: Sequence[Card] = (), distinct: bool | None = None
) -> Iterator[tuple[tuple[Card, int], ...]]:
    """Yield every choice of naturals of a rank, as (card, copies), the empty one first.

    Args:
        rank: the rank.
        frame: the hand.
        without: cards that lie in the set.
        distinct: whether the suits differ; None: as cards added must.
    """
    if distinct is None:
        distinct = adds_distinct(frame.rules)
    held = [
        (c, min(n, 1) if distinct else n)
        for c, n in set_cards(rank, frame)
        if not (distinct and c in without)
    ]
    for copies in product(*(range(n + 1) for _, n in held)):
        yield tuple((c, k) for (c, _), k in zip(held, copies, strict=True) if k)


def _wild_options(i: int, lying: Lying, frame: Frame) -> Iterator[Option]:
    """Yield additions to a meld of wilds: more wilds, or naturals that make it a set."""
    for option in wild_growth(len(lying.meld.cards), lying.n_wilds_added, frame):
        use: AddToSet = option.use
        yield option._replace(use=use._replace(meld=i))


def wild_growth(n: int, n_added: int, frame: Frame) -> Iterator[Option]:
    """Yield what may be added to ``n`` wilds, ``n_added`` of them added before.

    Where any number of wilds may be added the flags say so (``open_flags``), and not the options.
    """
    m = frame.meld
    most = min(max(0, frame.limit - n_added), _n_wilds(frame))
    unlimited = frame.free_wilds
    as_set, as_run = wilds_alone(shape_rules(frame.rules).meld)
    if not unlimited:
        for k in range(1, most + 1):
            # Wilds come one by one: a length that is neither set nor run bars the longer ones.
            if not (as_set | as_run) >> (n + k) & 1:
                break
            yield Option(k * frame.fields.one(WILDS), 0, 0, 0, AddToSet(-1, (), k))
    room = FAR if m.set_max is None else m.set_max - n
    if n + 1 < m.set_min:
        return
    for rank in range(N_RANKS):
        # A card that may be wild joins the wilds; it takes a natural to make them a set.
        choices = [
            sorted(chosen, key=lambda entry: m.is_wild(entry[0]))
            for chosen in set_choices(rank, frame)
            if not all(m.is_wild(card) for card, _ in chosen)
        ]
        # A set takes any more wilds, also where so few wilds alone were a run only.
        flags = frame.flag(DUMP) if unlimited else 0
        if frame.open_sets:
            # One natural makes it a set of the rank, the tail adds the others.
            flags |= frame.flag(OPEN_RANK, rank)
            choices = [c for c in choices if sum(k for _, k in c) == 1]
        yield from _sized(-1, choices, room, 0 if unlimited else most, flags, frame)
