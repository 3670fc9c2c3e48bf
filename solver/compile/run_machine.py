"""Run legality as a minimal automaton that reads a run place by place: natural or wild.

Two readings exist. The *plain* machine accepts exactly the legal runs with a natural. Where runs
may take any number of wilds more (``RunLaw.open_ended``), the *thrifty* machine accepts only what
a run needs: it starts with a natural and closes behind its last natural, or as soon as wilds have
made it legal. A run loses nothing by that: superfluous wilds at its end are freed, superfluous
wilds before its first natural too, and needed ones move from its front to its end; only at the top
of the line, where no place is left, do they stay in front (``pad``). The caller sees to it that
the freed wilds find a place in the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from solver.kernels.frontier_state import FAR

NO_STATE: Final = -1


class Word(NamedTuple):
    """What must be known of the places read so far; each field saturates where more is no news."""

    length: int = 0
    naturals: int = 0
    wilds: int = 0
    lead: int = 0
    last_wild: bool = False
    window: int = 0
    core_met: bool = False


@dataclass(frozen=True, slots=True)
class RunLaw:
    """The rules inside one run, for hands of at most ``n_wilds`` wilds.

    Attributes:
        run_min: fewest places.
        run_max: most places, None when the line is the only bound.
        min_naturals: fewest naturals.
        max_wilds: most wilds, None for no limit.
        ratio: ``le``, ``lt`` or None.
        core: (window, naturals) or None.
        adjacent: whether wilds may be neighbours.
        n_wilds: wilds of the hand.
        count_pure: whether runs without wilds must be told from others.
    """

    run_min: int
    run_max: int | None
    min_naturals: int
    max_wilds: int | None
    ratio: str | None
    core: tuple[int, int] | None
    adjacent: bool
    n_wilds: int
    count_pure: bool

    @property
    def open_ended(self) -> bool:
        """Return whether every legal run stays legal with a wild more at either end."""
        return (
            self.run_max is None
            and self.max_wilds is None
            and self.ratio is None
            and (self.adjacent or self.n_wilds == 0)
        )

    def read(self, word: Word, natural: bool) -> Word | None:
        """Return the word after one more place, None when no legal run goes on so."""
        length = word.length + 1
        if self.run_max is not None and length > self.run_max:
            return None
        wilds = word.wilds + (not natural) if self.max_wilds is not None else 0
        lead = word.lead + (1 if natural else -1) if self.ratio else 0
        if wilds > (self.max_wilds or 0) or lead < -self.n_wilds:
            return None
        if not self.adjacent and word.last_wild and not natural:
            return None
        window, core_met = 0, self.core is None or word.core_met
        if self.core is not None and not core_met:
            width, least = self.core
            window = (word.window << 1 | natural) & ((1 << width) - 1)
            core_met = length >= width and window.bit_count() >= least
            window = 0 if core_met else window & ((1 << width - 1) - 1)
        longest = max(self.run_min, self.core[0] if self.core else 0)
        return Word(
            length=length if self.run_max is not None else min(length, longest),
            naturals=min(word.naturals + natural, self._naturals_needed()),
            wilds=wilds,
            # So many wilds at most can follow: a greater lead is never lost.
            lead=min(lead, self.n_wilds + 1),
            last_wild=not natural and not self.adjacent,
            window=window,
            core_met=core_met,
        )

    def legal(self, word: Word) -> bool:
        """Return whether a run may end after this word."""
        return (
            word.length >= self.run_min
            and word.naturals >= self._naturals_needed()
            and word.core_met
            and (self.ratio is None or word.lead >= (0 if self.ratio == "le" else 1))
        )

    def _naturals_needed(self) -> int:
        """Return the least naturals; one, where wilds alone could make a run: no run, see alone."""
        return max(self.min_naturals, 1 if self.n_wilds >= self.run_min else 0)


@dataclass(frozen=True, slots=True)
class RunMachine:
    """A minimal automaton; states are 0..n-1, NO_STATE where no legal run goes on.

    Attributes:
        step: next state of each state on a natural and on a wild.
        accept: whether a run may close.
        pad: wilds to put before a run that ends at the top of the line to make it legal, 0 when
            it is so, FAR when none help.
        pure: whether the run has no wild, told only when asked for.
        start: state after a first natural and after a first wild.
    """

    step: tuple[tuple[int, int], ...]
    accept: tuple[bool, ...]
    pad: tuple[int, ...]
    pure: tuple[bool, ...]
    start: tuple[int, int]


class _Node(NamedTuple):
    """A word before minimising: itself behind 0, 1, 2 .. wilds, and what else tells words apart."""

    words: tuple[Word | None, ...]
    surplus: bool = False
    mixed: bool = False


_Label: TypeAlias = tuple[bool, int, bool]


def build_machine(law: RunLaw, *, thrifty: bool) -> RunMachine:
    """Return the minimal machine of a law.

    Args:
        law: the rules of one run.
        thrifty: read only what a run needs; the law must be open ended.
    """
    nodes, edges, start = _explore(law, thrifty)
    labels = [_label(node, law) for node in nodes]
    alive = _alive(edges, labels)
    classes = _refine(edges, labels, alive)
    chosen = {classes[i]: i for i in reversed(range(len(nodes))) if classes[i] != NO_STATE}
    order = [chosen[c] for c in range(len(chosen))]

    def after(i: int) -> int:
        return NO_STATE if i == NO_STATE else classes[i]

    return RunMachine(
        step=tuple((after(edges[i][0]), after(edges[i][1])) for i in order),
        accept=tuple(labels[i][0] for i in order),
        pad=tuple(labels[i][1] for i in order),
        pure=tuple(labels[i][2] for i in order),
        start=(after(start[0]), after(start[1])),
    )


def _explore(
    law: RunLaw, thrifty: bool
) -> tuple[list[_Node], list[tuple[int, int]], tuple[int, int]]:
    """Return all nodes within reach, their successors, and those of the empty word."""
    n_before = max(law.run_min, law.core[0] if law.core else 0) if thrifty else 1
    words: list[Word | None] = [Word(core_met=law.core is None)]
    while len(words) < n_before:
        last = words[-1]
        words.append(None if last is None else law.read(last, natural=False))
    numbers: dict[_Node, int] = {}
    nodes: list[_Node] = []

    def number(node: _Node | None) -> int:
        if node is None:
            return NO_STATE
        if node not in numbers:
            numbers[node] = len(nodes)
            nodes.append(node)
        return numbers[node]

    empty = _Node(tuple(words))
    first_wild = None if thrifty else _read(empty, law, False, thrifty)
    start = number(_read(empty, law, True, thrifty)), number(first_wild)
    edges: list[tuple[int, int]] = []
    while len(edges) < len(nodes):
        node = nodes[len(edges)]
        natural, wild = (number(_read(node, law, letter, thrifty)) for letter in (True, False))
        edges.append((natural, wild))
    return nodes, edges, start


def _read(node: _Node, law: RunLaw, natural: bool, thrifty: bool) -> _Node | None:
    words = tuple(None if word is None else law.read(word, natural) for word in node.words)
    if words[0] is None:
        return None
    before = node.words[0]
    surplus = thrifty and not natural and before is not None and law.legal(before)
    return _Node(words, surplus, law.count_pure and (node.mixed or not natural))


def _label(node: _Node, law: RunLaw) -> _Label:
    """Return whether a run may close there, its pad, and whether it is pure."""
    legal = [word is not None and law.legal(word) for word in node.words]
    if legal[0]:
        return not node.surplus, FAR if node.surplus else 0, law.count_pure and not node.mixed
    return False, legal.index(True) if True in legal else FAR, False


def _alive(edges: list[tuple[int, int]], labels: list[_Label]) -> list[bool]:
    """Return which nodes a legal run can pass."""
    alive = [pad < FAR for _, pad, _ in labels]
    while True:
        more = [
            alive[i] or any(j != NO_STATE and alive[j] for j in after)
            for i, after in enumerate(edges)
        ]
        if more == alive:
            return alive
        alive = more


def _refine(edges: list[tuple[int, int]], labels: list[_Label], alive: list[bool]) -> list[int]:
    """Return the class of each node, NO_STATE for dead ones: Moore's partition refinement."""
    classes = _numbered([(labels[i],) if alive[i] else None for i in range(len(edges))])
    while True:
        keys = [
            (classes[i], *(NO_STATE if j == NO_STATE else classes[j] for j in after))
            if alive[i]
            else None
            for i, after in enumerate(edges)
        ]
        finer = _numbered(keys)
        if max(finer, default=0) == max(classes, default=0):
            return classes
        classes = finer


def _numbered(keys: Sequence[tuple[object, ...] | None]) -> list[int]:
    """Return equal numbers for equal keys, in order of appearance; NO_STATE for None."""
    seen: dict[tuple[object, ...], int] = {}
    return [NO_STATE if key is None else seen.setdefault(key, len(seen)) for key in keys]
