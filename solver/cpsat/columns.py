"""What a meld may look like, counted: run windows, least naturals, set shapes, values.

Written from the rule text and not from the code of the other engines: CP-SAT is the second opinion.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from solver.cards import N_RANKS
from solver.rules.model import MeldRules

ACE_HIGH: Final = 13
"""Position of an ace above the king; the ring has positions 0..12 only."""


class Window(NamedTuple):
    """Places of a run, whatever its suit.

    Attributes:
        start: position of the first place, 0..13.
        length: number of places.
        positions: position of every place; on the ring they wrap.
        mask: the same as bits.
    """

    start: int
    length: int
    positions: tuple[int, ...]
    mask: int


class SetShape(NamedTuple):
    """A set by its numbers of naturals and wilds."""

    naturals: int
    wilds: int


def windows(meld: MeldRules) -> tuple[Window, ...]:
    """Return every window in which a run may lie, by start and length, limits on wilds aside."""
    first, last = {
        "low": (meld.rank_lo - 1, ACE_HIGH - 1),
        "high": (max(meld.rank_lo, 2) - 1, ACE_HIGH),
        "both": (0, ACE_HIGH),
        "cyclic": (0, N_RANKS - 1),
    }[meld.ace]
    longest = last - first + 1
    if meld.run_max is not None:
        longest = min(longest, meld.run_max)
    return _windows(first, last, meld.run_min, longest, ring=meld.ace == "cyclic")


@lru_cache(maxsize=256)
def _windows(
    first: int, last: int, shortest: int, longest: int, *, ring: bool
) -> tuple[Window, ...]:
    found = []
    for start in range(first, last + 1):
        for length in range(max(shortest, 1), longest + 1):
            positions = tuple(range(start, start + length))
            if ring:
                positions = tuple(position % N_RANKS for position in positions)
            if ring or positions[-1] <= last:
                mask = sum(1 << position for position in positions)
                found.append(Window(start, length, positions, mask))
    return tuple(found)


def least_naturals(length: int, least: int, most_wilds: int | None, meld: MeldRules) -> int:
    """Return how many naturals a meld of a length needs at least under the counting limits."""
    needed = least
    if most_wilds is not None:
        needed = max(needed, length - most_wilds)
    if meld.wild_ratio == "le":
        needed = max(needed, (length + 1) // 2)
    elif meld.wild_ratio == "lt":
        needed = max(needed, length // 2 + 1)
    return max(needed, 0)


def least_run_naturals(length: int, meld: MeldRules) -> int:
    """Return how many naturals a run of a length needs, core and adjacency aside."""
    return least_naturals(length, meld.run_min_naturals, meld.run_max_wilds, meld)


def runs_are_limited(meld: MeldRules) -> bool:
    """Return whether any pattern of naturals and wilds is not as good as another in a run."""
    return (
        meld.run_min_naturals > 0
        or meld.run_core is not None
        or meld.run_max_wilds is not None
        or not meld.wilds_adjacent
        or meld.wild_ratio is not None
    )


def sets_are_limited(meld: MeldRules) -> bool:
    """Return whether a set tells its naturals from its wilds."""
    return (
        meld.set_min_naturals > 0 or meld.set_max_wilds is not None or meld.wild_ratio is not None
    )


def is_set_shape(naturals: int, wilds: int, meld: MeldRules) -> bool:
    """Return whether so many naturals of a rank and so many wilds make a set, suits aside."""
    length = naturals + wilds
    if length < max(meld.set_min, 1) or (meld.set_max is not None and length > meld.set_max):
        return False
    return naturals >= least_naturals(length, meld.set_min_naturals, meld.set_max_wilds, meld)


def set_shapes(n_naturals: int, n_wilds: int, meld: MeldRules) -> Iterator[SetShape]:
    """Yield every legal shape of at least one natural from so many naturals and wilds."""
    longest = n_naturals + n_wilds if meld.set_max is None else meld.set_max
    for naturals in range(1, n_naturals + 1):
        for wilds in range(min(n_wilds, longest - naturals) + 1):
            if is_set_shape(naturals, wilds, meld):
                yield SetShape(naturals, wilds)


def wilds_make_run(n_wilds: int, meld: MeldRules) -> bool:
    """Return whether so many wilds alone, none read as a natural, make a run."""
    if least_run_naturals(n_wilds, meld) > 0 or (n_wilds > 1 and not meld.wilds_adjacent):
        return False
    if meld.run_core is not None and (n_wilds < meld.run_core[0] or meld.run_core[1] > 0):
        return False
    return any(window.length == n_wilds for window in windows(meld))


def place_values(window: Window, meld: MeldRules) -> list[int]:
    """Return the value of every place when melded; an ace below a two may count otherwise."""
    values = [meld.meld_values[position % N_RANKS] for position in window.positions]
    if meld.meld_points == "ace_position":
        for i, position in enumerate(window.positions[:-1]):
            if position % N_RANKS == 0:
                values[i] = meld.ace_low_points
    return values


def wilds_value(n_wilds: int, meld: MeldRules, *, as_set: bool, as_run: bool) -> int:
    """Return the most that a meld of wilds alone can be worth in the readings allowed."""
    if meld.wild_value_zero:
        return 0
    values = [n_wilds * max(meld.meld_values)] if as_set else []
    if as_run:
        values += [sum(place_values(w, meld)) for w in windows(meld) if w.length == n_wilds]
    return max(values, default=0)
