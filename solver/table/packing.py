"""Reachable uses of a hand: which cards can be on the table together, by dynamic programming.

A state is one int: how often each natural card and how many wilds are used, each in a field of
its own, and above the fields the flags. What a hand is worth on the table depends on nothing else,
so two ways to the same state are one, and the search is exact. Fields have a guard bit: for a
field of ``b`` bits, ``limit + 2**b - used - more`` keeps the guard exactly when
``used + more <= limit``, as long as ``used <= limit < 2**b`` and ``more < 2**b``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from solver.deadline import Deadline
from solver.errors import LimitError


class Option(NamedTuple):
    """One way to put cards on the table.

    Attributes:
        cost: cards used, in the fields of ``Fields``.
        flags: flags set by it.
        bars: flags that must not be set before.
        value: what the melds laid are worth, for a least value.
        use: what it is, for the witness.
    """

    cost: int
    flags: int
    bars: int
    value: int
    use: Any


Node: TypeAlias = "tuple[int, Node | None, Option | None]"
"""Value so far, the node before, the option taken."""
States: TypeAlias = dict[int, Node]

MAX_STEPS: Final = 16_000_000
"""Most steps of a question, of a quarter to half a microsecond; hands of 15 cards need a tenth of
them."""
_WATCHED: Final = 20_000
"""Steps between two looks at the clock, some milliseconds."""


@dataclass(slots=True)
class Work:
    """What a question may still cost: steps, and time.

    Attributes:
        deadline: when it must be answered.
        left: steps left; one is to try one option on one state.
        watch: steps left when the clock is looked at next.
    """

    deadline: Deadline = Deadline.NEVER
    left: int = MAX_STEPS
    watch: int = MAX_STEPS

    def spend(self, steps: int) -> None:
        """Count steps.

        Raises:
            LimitError: ``table.ways`` when there are no more, ``limit.time``.
        """
        self.left -= steps
        if self.left < self.watch:
            self.watch = max(0, self.left - _WATCHED)
            if self.left < 0:
                raise too_many_ways()
            self.deadline.check()


START: States = {0: (0, None, None)}


@dataclass(frozen=True, slots=True)
class Fields:
    """Where the counts stand in a state.

    Attributes:
        at: name -> (shift, mask) of its field.
        room: limits and guard bits.
        guards: the guard bits.
        shift: first bit above all fields; flags begin there.
    """

    at: Mapping[Hashable, tuple[int, int]]
    room: int
    guards: int
    shift: int

    @staticmethod
    def of(limits: Iterable[tuple[Hashable, int, int]]) -> Fields:
        """Return fields for names, the most of each, and the most that one option asks of it."""
        at: dict[Hashable, tuple[int, int]] = {}
        room = guards = shift = 0
        for name, limit, asked in limits:
            bits = max(limit, asked).bit_length()
            at[name] = (shift, (1 << bits) - 1)
            guard = 1 << (shift + bits)
            room |= limit << shift | guard
            guards |= guard
            shift += bits + 1
        return Fields(at, room, guards, shift)

    def one(self, name: Hashable) -> int:
        """Return the cost of one of a name."""
        return 1 << self.at[name][0]

    def used(self, state: int, name: Hashable) -> int:
        """Return how many of a name a state uses."""
        shift, mask = self.at[name]
        return state >> shift & mask


def take_one(states: States, options: list[Option], fields: Fields, work: Work) -> States:
    """Return the states after exactly one of the options."""
    return _extend(states, options, fields, {}, work)


def take_any(states: States, options: list[Option], fields: Fields, work: Work) -> States:
    """Return the states after one of the options or none."""
    return _extend(states, options, fields, dict(states), work)


def take_many(states: States, options: list[Option], fields: Fields, work: Work) -> States:
    """Return the states after any number of the options, each as often as cards allow."""
    found = dict(states)
    for option in options:
        front = found
        while front:
            more: States = {}
            _extend(front, [option], fields, more, work)
            front = {
                state: node
                for state, node in more.items()
                if state not in found or found[state][0] < node[0]
            }
            found.update(front)
    return found


def _extend(
    states: States, options: list[Option], fields: Fields, found: States, work: Work
) -> States:
    if len(states) * len(options) > work.left:
        raise too_many_ways()
    low = (1 << fields.shift) - 1
    room, guards = fields.room, fields.guards
    n_options = len(options)
    for state, node in states.items():
        work.spend(n_options)
        free = room - (state & low)
        value = node[0]
        for option in options:
            cost, flags, bars, worth, _ = option
            if (free - cost) & guards != guards or state & bars:
                continue
            after = state + cost | flags
            known = found.get(after)
            if known is None or known[0] < value + worth:
                found[after] = (value + worth, node, option)
    return found


def too_many_ways() -> LimitError:
    """Return the error for a hand that can lie on the table in too many ways."""
    return LimitError(
        "expected a hand with fewer ways to lie on the table: fewer cards or fewer wilds",
        code="table.ways",
        where="/hand",
    )


def uses_of(node: Node) -> list[Any]:
    """Return what was done on the way to a node, first things first."""
    found: list[Any] = []
    step: Node | None = node
    while step is not None:
        if step[2] is not None:
            found.append(step[2].use)
        step = step[1]
    return found[::-1]
