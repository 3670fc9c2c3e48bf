"""Multisets of open runs of one suit, and the moves between them at one position."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import NamedTuple, TypeAlias

from solver.compile.run_machine import NO_STATE, RunMachine
from solver.kernels.frontier_state import FAR

Multiset: TypeAlias = tuple[int, ...]
"""States of the open runs of a suit, ascending."""


class Move(NamedTuple):
    """What the runs of a suit do at a position; ``pure`` counts the pure runs that close."""

    naturals: int
    wilds: int
    target: Multiset
    started: int
    pure: int


@dataclass(frozen=True)
class MoveRules:
    """What moves may do.

    Attributes:
        machine: the automaton of one run.
        cap: most runs open at once.
        copies: most naturals of a card.
        n_wilds: most wilds.
        thrifty: whether the machine is thrifty: wilds saved are then never worth less.
        count_runs: whether the number of runs matters, so that it may not differ.
        count_pure: whether pure runs are counted.
        one_run: whether a suit may have one run only; a last state of the machine then stands for
            a run that has closed.
    """

    machine: RunMachine
    cap: int
    copies: int
    n_wilds: int
    thrifty: bool
    count_runs: bool
    count_pure: bool
    one_run: bool

    @property
    def done(self) -> int:
        """Return the state of a run that has closed, kept only where a suit may have one."""
        return len(self.machine.accept)

    @cached_property
    def multisets(self) -> list[Multiset]:
        """Return all multisets, the empty one first."""
        states = range(len(self.machine.accept) + self.one_run)
        return [
            multiset
            for size in range(self.cap + 1)
            for multiset in combinations_with_replacement(states, size)
        ]

    def moves(self, multiset: Multiset, spend: Callable[[int], None]) -> list[Move]:
        """Return the moves of a multiset by wilds, then naturals, without those never of use.

        ``spend`` is told beforehand how many pairs of moves are compared; it may raise.
        """
        groups: defaultdict[tuple[int, int], list[Move]] = defaultdict(list)
        for move in sorted(set(self._all_moves(multiset))):
            groups[move.naturals, move.pure].append(move)
        spend(sum(len(group) ** 2 for group in groups.values()))
        kept = [move for group in groups.values() for move in self._undominated(group)]
        return sorted(kept, key=lambda move: (move.wilds, move.naturals, move.target, move))

    def _all_moves(self, multiset: Multiset) -> Iterator[Move]:
        for naturals, wilds, target, pure in self._continue(multiset, 0, 0, (), 0):
            room = self.cap - len(target)
            first_natural, first_wild = self.machine.start
            most_natural = 0 if first_natural == NO_STATE else min(room, self.copies - naturals)
            for i in range(most_natural + 1):
                most_wild = 0 if first_wild == NO_STATE else min(room - i, self.n_wilds - wilds)
                for j in range(most_wild + 1):
                    opened = target + (first_natural,) * i + (first_wild,) * j
                    yield Move(naturals + i, wilds + j, tuple(sorted(opened)), i + j, pure)

    def _continue(
        self, left: Sequence[int], naturals: int, wilds: int, target: Multiset, pure: int
    ) -> Iterator[tuple[int, int, Multiset, int]]:
        """Yield every way in which the runs still open go on or close."""
        if not left:
            yield naturals, wilds, target, pure
            return
        state, rest = left[0], left[1:]
        if state == self.done:
            yield from self._continue(rest, naturals, wilds, (*target, state), pure)
            return
        on_natural, on_wild = self.machine.step[state]
        if on_natural != NO_STATE and naturals < self.copies:
            yield from self._continue(rest, naturals + 1, wilds, (*target, on_natural), pure)
        if on_wild != NO_STATE and wilds < self.n_wilds:
            yield from self._continue(rest, naturals, wilds + 1, (*target, on_wild), pure)
        if self.machine.accept[state]:
            closed = (*target, self.done) if self.one_run else target
            more = self.count_pure and self.machine.pure[state]
            yield from self._continue(rest, naturals, wilds, closed, pure + more)

    def betters(self, multiset: Multiset) -> list[Multiset]:
        """Return multisets one step above: a run that can do more instead of one, or one more run.

        Whatever is open runs like ``multiset`` can be replaced by these in any future, at no more
        wilds and melds; the run beyond can close at once.
        """
        if self.count_pure or self.one_run:
            return []
        states = range(len(self.machine.accept))
        found = {
            tuple(sorted((*multiset[:i], better, *multiset[i + 1 :])))
            for i, state in enumerate(multiset)
            for better in states
            if better != state and self._serves[better, state]
        }
        if not self.count_runs and len(multiset) < self.cap:
            found |= {
                tuple(sorted((*multiset, state))) for state in states if self.machine.accept[state]
            }
        return sorted(found)

    def _undominated(self, group: list[Move]) -> list[Move]:
        """Return moves of equal naturals without those that another one beats in any future."""
        if self.count_pure or self.one_run:
            return group
        kept: list[Move] = []
        for move in sorted(group, key=lambda m: (m.wilds, m.started, -len(m.target), m.target)):
            if not any(self._beats(other, move) for other in kept):
                kept = [other for other in kept if not self._beats(move, other)]
                kept.append(move)
        return kept

    def _beats(self, a: Move, b: Move) -> bool:
        wilds_serve = a.wilds <= b.wilds if self.thrifty else a.wilds == b.wilds
        starts_serve = a.started == b.started if self.count_runs else a.started <= b.started
        return wilds_serve and starts_serve and self._contains(a.target, b.target)

    def _contains(self, a: Multiset, b: Multiset) -> bool:
        """Return whether each run of b has its own in a that can do all it can.

        Runs of a beyond must be able to close at once, or may not exist where runs are counted.
        """
        if len(a) < len(b) or (self.count_runs and len(a) != len(b)):
            return False
        if not b:
            return all(self.machine.accept[state] for state in a)
        return any(
            self._serves[state, b[0]] and self._contains(a[:i] + a[i + 1 :], b[1:])
            for i, state in enumerate(a)
        )

    @cached_property
    def _serves(self) -> dict[tuple[int, int], bool]:
        """Return whether an open run in state a can stand in for one in state b, for all (a, b).

        The greatest relation such that whatever closes b closes a, with the same naturals and no
        more wilds. A thrifty run a that could close may do so while b goes on with wilds only:
        those are freed. ``shut`` says that a is closed in that way.
        """
        machine, n = self.machine, len(self.machine.accept)
        holds = {
            (a, b, shut): True
            for a in range(NO_STATE, n)
            for b in range(n)
            for shut in ((False, True) if self.thrifty else (False,))
        }

        def stays(a: int, b: int, shut: bool) -> bool:
            gone = a == NO_STATE
            if not shut and (FAR if gone else machine.pad[a]) > machine.pad[b]:
                return False
            if machine.accept[b] and not (shut or (not gone and machine.accept[a])):
                return False
            for letter in (0, 1):
                after = machine.step[b][letter]
                if after == NO_STATE:
                    continue
                mine = NO_STATE if gone else machine.step[a][letter]
                closes = self.thrifty and letter == 1
                shut_after = closes and (shut or (not gone and machine.accept[a]))
                if not holds[mine, after, shut_after]:
                    return False
            return True

        while True:
            false = [key for key, value in holds.items() if value and not stays(*key)]
            if not false:
                return {(a, b): holds[a, b, False] for a in range(n) for b in range(n)}
            holds.update(dict.fromkeys(false, False))
