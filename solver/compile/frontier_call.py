"""Calling the frontier engine: choose the program of a hand, provide memory, read the answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solver.cards import N_CARDS, Counts
from solver.compile.automaton import FrontierRules, compile_frontier
from solver.compile.frontier_program import Program
from solver.compile.frontier_read import ClassMeld, read_path
from solver.compile.frontier_task import MAX_COPIES, MAX_OPEN, MAX_WILDS, HandClass
from solver.deadline import Deadline
from solver.errors import LimitError
from solver.kernels import frontier_class as fc
from solver.kernels import frontier_state as fs
from solver.kernels.frontier import solve_hand, solve_rows
from solver.kernels.frontier_trace import retrace
from solver.rules.model import MeldRules

I64 = NDArray[np.int64]
Rules: TypeAlias = FrontierRules | MeldRules

FIRST_STATES: Final = 1 << 12
MOST_STATES: Final = 1 << 21
"""Bound on the states of a sweep: 2 M keys are 150 MB with hash and the values of two wilds."""
STEP_BUDGET: Final = 500_000_000
"""Most steps for a hand, two to three seconds. Of 282 hands of 20 to 115 cards of eleven games the
slowest took 408 million, tables of 106 tiles 50."""
_LEFT_POINTS: Final = (0, 1, 2, 4, 7, 12, 20, 40, 80, 160, 320, 640)
LARGE: Final = 56
"""Cards from which a sweep without bounds rarely fits the first memory."""
_COPY_CLASSES: Final = (1, 2, 4, MAX_COPIES)


@dataclass(frozen=True)
class FrontierAnswer:
    """What the engine found.

    Attributes:
        value: composite value of the melds, the greatest there is. Where every arrangement costs
            the same (runs required are missing, or the cap is reached) points count nothing.
        penalty: points of the cards left over, at most ``penalty_cap``.
        class_melds: one best choice of melds, rows as ``solver.compile.decode`` reads them.
    """

    value: int
    penalty: int
    class_melds: tuple[ClassMeld, ...]


def covers_frontier(rules: Rules, counts: Counts, contract: bool) -> str | None:
    """Return why the engine does not take a hand, None when it does.

    Args:
        rules: rules of melds, compiled or not.
        counts: uint8[66].
        contract: whether exactly the contract's melds are asked for.
    """
    program = _program_of(_compiled(rules, contract), _facts(counts[None, :], rules, contract)[0])
    return program if isinstance(program, str) else None


def solve_frontier(
    counts: Counts,
    rules: Rules,
    *,
    contract: bool = False,
    steps: int | None = None,
    deadline: Deadline = Deadline.NEVER,
) -> FrontierAnswer | None:
    """Return the best melds of a hand, None when none satisfy the contract or ``must_use``.

    A hand without the runs of ``hand_require`` has an answer: every card counts.

    Args:
        counts: uint8[66].
        rules: rules of melds, compiled or not.
        contract: lay exactly the melds of the contract.
        steps: most steps of the kernels, of 3 to 5 nanoseconds; None: ``STEP_BUDGET``.
        deadline: when the answer has to be there.

    Raises:
        LimitError: ``frontier.not_covered``, ``frontier.states``; ``limit.work`` and
        ``limit.time`` when steps or time do not suffice.
    """
    compiled = _compiled(rules, contract)
    _LOCAL.begin(steps, deadline)
    counts = np.ascontiguousarray(counts, np.uint8)
    total = int(counts @ compiled.points)
    found = _best(counts, compiled)
    left = total if found is None else total - (found[0] >> 16)
    most = min(total, compiled.cap)
    if left >= most and (compiled.requires or compiled.cap < total):
        # Every arrangement costs the same, so the fewest deadwood cards decide.
        found, left = _best(counts, _by_cards(compiled.meld)), most
    return None if found is None else FrontierAnswer(found[0], left, found[1])


def solve_frontier_many(hands: Counts, rules: Rules) -> NDArray[np.int32]:
    """Return the least penalties of many hands, int32[n]; -1 where ``must_use`` cannot be met.

    Args:
        hands: uint8[n, 66].
        rules: rules of melds, compiled or not; rules compiled with a contract give the points
            left after it, -1 where it cannot be laid.

    Raises:
        LimitError: ``frontier.not_covered``, ``frontier.states``, ``limit.work``.
    """
    compiled = _compiled(rules, False)
    hands = np.ascontiguousarray(hands, np.uint8)
    values = _values(hands, compiled)
    left: I64 = hands @ compiled.points
    met = values > fs.NEG
    left[met] -= values[met] >> 16
    left = np.minimum(left, compiled.cap)
    lost = np.flatnonzero(~met)
    if len(lost) and compiled.requires:
        lost = lost[_values(hands[lost], _by_cards(compiled.meld)) <= fs.NEG]
    left[lost] = -1
    return left.astype(np.int32)


@lru_cache(maxsize=64)
def _by_cards(meld: MeldRules) -> FrontierRules:
    """Return rules that only leave as few cards as can be, whatever they cost."""
    plain = replace(meld, hand_require=None, penalty_cap=None, points=(0,) * N_CARDS)
    return compile_frontier(plain, contract=False)


def _best(counts: Counts, rules: FrontierRules) -> tuple[int, tuple[ClassMeld, ...]] | None:
    """Return the best composite value of a hand and melds of that value, None for none."""
    facts = _facts(counts[None, :], rules, rules.contract)[0]
    program = _program_of(rules, facts)
    if isinstance(program, str):
        raise _not_covered(program)
    mem = _memory(rules, program, FIRST_STATES, facts)
    if counts.sum() > LARGE or _solve(program, mem, counts) == fs.FULL:
        mem = _solve_large(rules, program, counts, facts)
    value = int(mem[fs.M_TOP])
    if value <= fs.NEG:
        return None
    path = np.zeros((fs.MAX_STAGES, 3), np.int64)
    everything = int(mem[fs.M_ALL])
    case = mem[fs.R_BEST_NATURAL : fs.R_LEVEL].copy()
    size = int(mem[fs.M_STATES])
    while True:
        mem[fs.M_LEAST], mem[fs.M_ALL] = value, everything
        mem[fs.R_BEST_NATURAL : fs.R_LEVEL] = case
        with _LOCAL.counted(mem):
            n_steps = retrace(program.prog, mem, counts, path)
        if n_steps >= 0:
            return value, read_path(path[:n_steps], program, mem)
        size = _larger(size)
        mem = _memory(rules, program, size, facts)


def _losses(rules: FrontierRules, n_cards: int) -> Iterator[tuple[int, bool]]:
    """Yield bounds on what the best melds may fall short of all cards in one meld, -1 for none.

    With each comes whether the memory may grow for it.

    First all cards melded: in as few melds as the line allows, in melds of four on average; then
    no bound at all, should that fit the first memory; then cards left over, by points. (Finer
    steps cost more than they save: one that fails late costs as much as the one that succeeds.)
    """
    yield -(-n_cards // rules.line_length), True
    yield n_cards // 4, True
    yield -1, False
    yield from (((points + 1 << 16) - 1, True) for points in _LEFT_POINTS)
    yield -1, True


def _solve_large(rules: FrontierRules, program: Program, counts: Counts, facts: I64) -> I64:
    """Return memory with the best value of a hand that overflows the first memory.

    Large hands meld nearly all their cards: values that lose little are looked for first, which
    leaves few states; a value found so is the best of all. Measured on Rummikub tables: 92 of 106
    tiles took 2 s without bounds, 15 ms with them.
    """
    size = FIRST_STATES
    mem = _memory(rules, program, size, facts)
    for loss, may_grow in _losses(rules, int(counts.sum())):
        mem[fs.M_LOSS] = loss
        status = _solve(program, mem, counts)
        while status != fs.DONE and may_grow:
            size = _larger(size)
            mem = _memory(rules, program, size, facts)
            mem[fs.M_LOSS] = loss
            status = _solve(program, mem, counts)
        if status == fs.DONE and mem[fs.M_TOP] > fs.NEG:
            break
    return mem


def _values(hands: Counts, rules: FrontierRules) -> I64:
    """Return the best composite values of hands, NEG for none."""
    values = np.full(len(hands), fs.NEG, np.int64)
    facts = _facts(hands, rules, rules.contract)
    _, firsts, which = np.unique(facts[:, fc.F_KEY], return_index=True, return_inverse=True)
    for i, kind in enumerate(facts[firsts]):
        program = _program_of(rules, kind)
        if isinstance(program, str):
            raise _not_covered(program)
        rows = np.flatnonzero(which.ravel() == i)
        done = 0
        while done < len(rows):
            _LOCAL.begin()
            mem = _memory(rules, program, FIRST_STATES, kind)
            done = int(solve_rows(program.prog, mem, hands, rows, values, done))
            if done < len(rows):
                row = rows[done]
                _LOCAL.begin()
                values[row] = _solve_large(rules, program, hands[row], kind)[fs.M_TOP]
                done += 1
    return values


def _compiled(rules: Rules, contract: bool) -> FrontierRules:
    if isinstance(rules, FrontierRules):
        return rules
    return compile_frontier(rules, contract=contract)


def _not_covered(reason: str) -> LimitError:
    return LimitError(
        f"expected a question for the frontier engine, got {reason}", code="frontier.not_covered"
    )


def _solve(program: Program, mem: I64, counts: Counts) -> int:
    """Run the sweep of a hand in its memory; return DONE or FULL."""
    with _LOCAL.counted(mem):
        return int(solve_hand(program.prog, mem, counts))


def _larger(size: int) -> int:
    if size >= MOST_STATES:
        raise LimitError(
            f"expected at most {MOST_STATES} states of the frontier", code="frontier.states"
        )
    return size * 8


def _facts(hands: Counts, rules: Rules, contract: bool) -> I64:
    """Return what decides the class of each hand, int64[n, F_LENGTH]."""
    compiled = _compiled(rules, contract)
    out = np.zeros((len(hands), fc.F_LENGTH), np.int64)
    fc.class_hands(hands, compiled.roles, compiled.class_facts, out)
    return out


def _program_of(rules: FrontierRules, facts: I64) -> Program | str:
    """Return the program for a hand of such facts, or why there is none."""
    if rules.reason is not None:
        return rules.reason
    n_wilds, copies, n_open, roomy, codes, foreign, _ = facts.tolist()
    for n, most, what in (
        (foreign, 0, "cards outside the suits of the rules"),
        (n_wilds, MAX_WILDS, f"more than {MAX_WILDS} wilds"),
        (copies, MAX_COPIES, f"more than {MAX_COPIES} copies of a card"),
        (codes, 1 << fs.LEFT_BITS, "too many cards of one rank"),
        (n_open, MAX_OPEN, f"more than {MAX_OPEN} open runs of a suit"),
    ):
        if n > most:
            return what
    copies = next(c for c in _COPY_CLASSES if c >= copies)
    return rules.program(HandClass(n_wilds, copies, n_open, bool(roomy)))


class _Local(threading.local):
    """The memory of one thread: kept between calls, since new pages cost more than a hand.

    With it goes the work that its hand has taken.
    """

    def __init__(self) -> None:
        self.mem = np.zeros(0, np.int64)
        self.begin()

    def begin(self, budget: int | None = None, deadline: Deadline = Deadline.NEVER) -> None:
        """Begin a hand: no work is done yet."""
        self.steps = 0
        self.budget = STEP_BUDGET if budget is None else budget
        self.deadline = deadline

    @contextmanager
    def counted(self, mem: I64) -> Iterator[None]:
        """Let a sweep run in what is left of the hand's work and time.

        Raises:
            LimitError: ``limit.work``, ``limit.time``.
        """
        mem[fs.R_STEPS], mem[fs.R_BUDGET] = self.steps, self.budget
        with self.deadline.stops(mem, fs.R_BUDGET):
            yield
        self.steps = int(mem[fs.R_STEPS])
        if self.steps > mem[fs.R_BUDGET]:
            raise self.deadline.used_up()


_LOCAL = _Local()


def _memory(rules: FrontierRules, program: Program, size: int, facts: I64) -> I64:
    """Return the thread's memory laid out for so many states and for hands of such facts.

    The hash comes first, in a place that depends on the size only: its tags stay true.
    """
    width = int(facts[fc.F_WILDS]) + 1
    parts = {
        fs.M_TABLE: 4 * size,
        fs.M_KEYS: size,
        fs.M_NEED: size,
        fs.M_VALS: size * width,
        fs.M_FAR: 5 * 15 * len(program.accept),
        fs.M_GAIN: len(program.sets) * width * int(facts[fc.F_CODES]),
        fs.M_BONUS: 6 * width * int(facts[fc.F_CODES]),
    }
    length = fs.R_LENGTH + sum(parts.values())
    mem = _LOCAL.mem
    if len(mem) < length or mem[fs.M_STATES] != size:
        mem = np.zeros(max(length, fs.R_LENGTH + 16 * size), np.int64)
        if size == FIRST_STATES:
            _LOCAL.mem = mem
    if size > FIRST_STATES:
        _LOCAL.steps += 4 * length
    mem[fs.M_STATES], mem[fs.M_LOSS] = size, -1
    mem[fs.R_STEPS], mem[fs.R_BUDGET] = _LOCAL.steps, _LOCAL.budget
    mem[fs.R_MUST : fs.R_MUST + N_CARDS] = rules.must
    offset = fs.R_LENGTH
    for place, part in parts.items():
        mem[place] = offset
        offset += part
    return mem
