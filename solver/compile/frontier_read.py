"""The traced path of a frontier sweep -> class melds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solver.compile.frontier_program import Program
from solver.kernels import frontier_state as fs

ClassMeld: TypeAlias = tuple[int, int, int, int, int]

_SET: Final = 0
_RUN: Final = 1
_WILD: Final = 2
_NO_STATE: Final = -1
_FRESH: Final = -2


@dataclass(frozen=True, slots=True)
class _Run:
    """A run so far; ``naturals`` as in a class meld."""

    state: int
    suit: int
    start: int
    length: int = 0
    naturals: int = 0

    def grown(self, state: int, natural: bool) -> _Run:
        """Return the run with one more place."""
        mask = self.naturals | natural << self.length
        return _Run(state, self.suit, self.start, self.length + 1, mask)

    @property
    def n_wilds(self) -> int:
        """Return the places that wilds hold."""
        return self.length - self.naturals.bit_count()


@dataclass(frozen=True, slots=True)
class _Way:
    """What the runs of a suit may do at a position: those that stay open, those that close."""

    stay: tuple[_Run, ...] = ()
    shut: tuple[_Run, ...] = ()
    naturals: int = 0
    wilds: int = 0


def read_path(
    path: NDArray[np.int64], program: Program, mem: NDArray[np.int64]
) -> tuple[ClassMeld, ...]:
    """Return the class melds of a traced sweep, sorted.

    Args:
        path: int64[n, 3] as ``solver.kernels.frontier_trace.trace`` writes it.
        program: the rules.
        mem: the memory as the trace left it.
    """
    reader = _Reader(program, mem)
    n_suits = program.head[fs.P_SUITS]
    for p, s, what in path.tolist():
        if s == n_suits:
            reader.read_sets(p, what & 0xFFFF, what >> 24, what >> 16 & 0xFF)
        else:
            reader.read_move(p, s, what)
    reader.close_all()
    reader.lay_alone()
    reader.place_surplus()
    rows: list[ClassMeld] = [
        (_RUN, run.suit, run.start, run.length, run.naturals) for run in reader.runs
    ]
    rows += [(_SET, rank, k, used, 0) for rank, k, used in reader.sets]
    rows += [(_WILD, k, 0, 0, 0) for k in reader.alone]
    return tuple(sorted(rows))


@dataclass
class _Reader:
    """Follows the path; keeps the open runs of each suit and what has been laid."""

    program: Program
    mem: NDArray[np.int64]
    open: dict[int, tuple[_Run, ...]] = field(default_factory=dict)
    runs: list[_Run] = field(default_factory=list)
    sets: list[tuple[int, int, int]] = field(default_factory=list)
    alone: list[int] = field(default_factory=list)

    def _head(self, place: int) -> int:
        return int(self.program.head[place])

    def read_move(self, p: int, s: int, move: int) -> None:
        """Let the runs of a suit do what a move says, in the first way that fits."""
        naturals, wilds = move & 15, move >> fs.MOVE_WILDS & 31
        started, pure = move >> fs.MOVE_STARTED & 7, move >> fs.MOVE_PURE & 7
        if not started and not self.open.get(s):
            return
        states = self.program.items[move >> fs.MOVE_TARGET].tolist()
        wanted = [state for state in states if state != _NO_STATE]
        fresh = (_Run(_FRESH, s, p),) * started
        for way in self._ways(self.open.get(s, ()) + fresh):
            n_pure = sum(int(self.program.pure[run.state]) for run in way.shut)
            states = sorted(run.state for run in way.stay)
            found = (states, way.naturals, way.wilds, n_pure)
            if found == (wanted, naturals, wilds, pure):
                self.open[s] = way.stay
                self.runs += way.shut
                return
        raise AssertionError(f"no runs of suit {s} make move {move} at position {p}")

    def _ways(self, runs: Sequence[_Run]) -> Iterator[_Way]:
        """Yield every way in which runs pass a position."""
        if not runs:
            yield _Way()
            return
        run, done = runs[0], self._head(fs.P_DONE)
        if run.state == _FRESH:
            steps = [self._head(fs.P_START_NATURAL), self._head(fs.P_START_WILD)]
        else:
            steps = self.program.step[run.state].tolist()
        for way in self._ways(runs[1:]):
            if run.state == done:
                yield replace(way, stay=(run, *way.stay))
                continue
            for state, natural in zip(steps, (True, False), strict=True):
                if state != _NO_STATE:
                    yield _Way(
                        (run.grown(state, natural), *way.stay),
                        way.shut,
                        way.naturals + natural,
                        way.wilds + (not natural),
                    )
            if run.state != _FRESH and self.program.accept[run.state]:
                mark = () if done == _NO_STATE else (replace(run, state=done),)
                yield replace(way, stay=mark + way.stay, shut=(run, *way.shut))

    def close_all(self) -> None:
        """Close the runs that are open at the top of the line, wilds before them where needed."""
        for run in (run for runs in self.open.values() for run in runs):
            if run.state != self._head(fs.P_DONE):
                self.runs.append(_padded(run, int(self.program.pad[run.state])))

    def read_sets(self, p: int, code: int, n: int, k: int) -> None:
        """Split what the runs left of a rank, and k wilds, into the best sets and deadwood."""
        if not code:
            return
        held, strides = self._held(p)
        left = [code // stride % (count + 1) for count, stride in zip(held, strides, strict=True)]
        limit = [int(self.mem[fs.R_LIMIT + s * fs.N_POS + p]) for s in range(len(held))]
        values = [int(self.program.value[s * 13 + p % 13]) for s in range(len(held))]
        ranges = [
            range(max(0, count - most), count + 1) for count, most in zip(left, limit, strict=True)
        ]
        used = max(
            (vector for vector in product(*ranges) if self._cost(n, vector, k) < fs.NO_SET),
            key=lambda v: sum(map(int.__mul__, v, values)) - self._cost(n, v, k),
        )
        while any(used):
            used, n, k = self._take_set(p % 13, used, n, k)

    def _held(self, p: int) -> tuple[list[int], list[int]]:
        """Return the naturals of each suit at a position and their weights in a leftover code."""
        n_suits = self._head(fs.P_SUITS)
        held = [int(self.mem[fs.R_COUNT + s * fs.N_POS + p]) for s in range(n_suits)]
        strides = [1] * n_suits
        for s in range(1, n_suits):
            strides[s] = strides[s - 1] * (held[s - 1] + 1)
        return held, strides

    def _cost(self, n: int, vector: Sequence[int], k: int) -> int:
        base = self._head(fs.P_SET_BASE)
        index = sum(count * base**s for s, count in enumerate(vector))
        return int(self.program.sets[n, index, k])

    def _take_set(
        self, rank: int, used: tuple[int, ...], n: int, k: int
    ) -> tuple[tuple[int, ...], int, int]:
        """Take off one set that leaves the fewest sets; return what stays."""
        counts_sets = self._head(fs.P_MODE) == fs.MODE_CONTRACT
        one = 1 if counts_sets else 0
        fewest = self._cost(n, used, k)
        for vector in product(*(range(count + 1) for count in used)):
            rest = tuple(map(int.__sub__, used, vector))
            for wilds in range(k + 1):
                if not any(vector) or self._cost(one, vector, wilds) != 1:
                    continue
                if self._cost(n - one, rest, k - wilds) == fewest - 1:
                    bits = sum(count << 4 * s for s, count in enumerate(vector))
                    self.sets.append((rank, wilds, bits))
                    return rest, n - one, k - wilds
        raise AssertionError(f"no set of rank {rank} out of {used} and {k} wilds")

    def lay_alone(self) -> None:
        """Split the wilds laid alone into the fewest melds that meet the demands."""
        table = self.program.alone
        counts_melds = self._head(fs.P_MODE) == fs.MODE_CONTRACT
        sets, runs = int(self.mem[fs.M_END_SETS]), int(self.mem[fs.M_END_RUNS])
        k = int(self.mem[fs.M_ALONE])
        while k:
            kinds = [(0, min(1, runs)), (0, 0)] if not counts_melds else [(1, 0), (0, 1)]
            for (i, j), size in product(kinds, range(1, k + 1)):
                after = (sets - i, runs - j, k - size)
                if min(after) >= 0 and table[i, j, size] == 1:
                    if table[after] == table[sets, runs, k] - 1:
                        self.alone.append(size)
                        sets, runs, k = after
                        break
            else:
                raise AssertionError(f"no melds out of {k} wilds alone")

    def place_surplus(self) -> None:
        """Add the wilds that are left to a meld that takes any number of them."""
        laid = sum(run.n_wilds for run in self.runs)
        laid += sum(k for _, k, _ in self.sets) + sum(self.alone)
        sink = self._head(fs.P_SINK)
        surplus = int(self.mem[fs.M_WILDS]) - laid
        if not surplus or not (self.runs or (sink == fs.SINK_ANY and self.sets)):
            return
        if sink == fs.SINK_ANY and self.sets:
            rank, k, used = self.sets.pop()
            self.sets.append((rank, k + surplus, used))
        elif sink != fs.SINK_NONE:
            self._lengthen_run(surplus)

    def _lengthen_run(self, surplus: int) -> None:
        """Add wilds to a run that need not be pure, behind it and, at the top, before it."""
        pure = [run for run in self.runs if run.n_wilds == 0]
        mixed = [run for run in self.runs if run.n_wilds]
        if self._head(fs.P_NEED_PURE) == len(pure) and not mixed:
            self.alone[0] += surplus
            return
        run = (mixed or pure)[0]
        self.runs.remove(run)
        behind = min(surplus, self._head(fs.P_LAST) + 1 - run.start - run.length)
        longer = replace(run, length=run.length + behind)
        self.runs.append(_padded(longer, surplus - behind))


def _padded(run: _Run, n_wilds: int) -> _Run:
    """Return the run with wilds before it."""
    return replace(
        run,
        start=run.start - n_wilds,
        length=run.length + n_wilds,
        naturals=run.naturals << n_wilds,
    )
