"""Which engine answers: by the work it takes, counted in steps, never by a clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from solver.arguments import one_of
from solver.cards import Counts
from solver.compile.decode import all_deadwood
from solver.compile.frontier_call import covers_frontier, solve_frontier
from solver.cpsat import covers_cpsat, solve_cpsat
from solver.deadline import SHORT, Deadline, TimeLimit
from solver.errors import LimitError
from solver.melds import penalty
from solver.rules.model import GameRules
from solver.solve.suit import covers_suit, solve_suit

ENGINES: Final = ("suit", "frontier", "cpsat")


class Effort(NamedTuple):
    """Work that an engine may spend on a question before the next one is asked.

    Attributes:
        suit: steps of the suit engine, of about half a nanosecond.
        frontier: steps of the frontier engine, of 3 to 5 nanoseconds.
        work_s: work of CP-SAT on each of its programs, in seconds as it counts its steps.
    """

    suit: int
    frontier: int
    work_s: float


EFFORTS: Final = (Effort(SHORT, SHORT // 4, 1.0), Effort(20 * SHORT, 5 * SHORT, 10.0))
"""Every engine that covers a question is first asked for a little, then for more: what one finds
hard is often easy for another. All of it together bounds a question without a time limit."""
USED_UP: Final = frozenset({"limit.work", "limit.time"})
"""Codes of a search that was ended: with more work or time it would answer."""


@dataclass(frozen=True, slots=True)
class Found:
    """What an engine says of a hand; ``penalty`` None: what is asked cannot be met."""

    penalty: int | None
    rows: list[tuple[int, ...]]
    proved: bool
    lower_bound: int
    engine: str


def coverage(
    engine: str, counts: Counts, rules: GameRules, *, contract: bool = False
) -> str | None:
    """Return None when an engine covers the question, else why not."""
    if engine == "suit":
        return covers_suit(rules, counts, contract=contract)
    if engine == "frontier":
        return covers_frontier(rules.meld, counts, contract)
    return covers_cpsat(rules, int(counts.sum()))


class _Ask(NamedTuple):
    """What an engine is asked: the contract or free melds; how much it may work, until when."""

    contract: bool
    effort: Effort
    deadline: Deadline


def _ask(engine: str, counts: Counts, rules: GameRules, ask: _Ask) -> Found:
    """Return what one engine says.

    Raises:
        LimitError: one of ``USED_UP`` when it needs more, another code when it will never answer.
    """
    contract, effort, deadline = ask
    if engine == "suit":
        answer = solve_suit(counts, rules, contract=contract, steps=effort.suit, deadline=deadline)
        if answer is None:
            raise LimitError("expected a hand that fits the engine's tables", code="limit.room")
        return Found(*answer, True, answer[0] or 0, engine)
    if engine == "frontier":
        swept = solve_frontier(
            counts, rules.meld, contract=contract, steps=effort.frontier, deadline=deadline
        )
        if swept is None:
            return Found(None, [], True, 0, engine)
        return Found(swept.penalty, list(swept.class_melds), True, swept.penalty, engine)
    found = solve_cpsat(
        counts, rules, contract=contract, time_limit_s=deadline, work_s=effort.work_s
    )
    if found.penalty is None and not found.proved:
        # Neither an arrangement nor a proof that there is none: no answer may be made of that.
        raise deadline.used_up()
    return Found(found.penalty, list(found.class_melds), found.proved, found.lower_bound, engine)


ENGINE: Final = one_of(("auto", *ENGINES), "an engine", error=LimitError, code="engine.unknown")


def check_engine(engine: str) -> None:
    """Check the name of an engine; LimitError ``engine.unknown``."""
    if not ENGINE.is_right(engine):
        raise LimitError(
            ENGINE.fault("engine", engine).message,
            code="engine.unknown",
            where="/engine",
        )


def find(
    counts: Counts,
    rules: GameRules,
    *,
    engine: str = "auto",
    contract: bool = False,
    time_limit_s: TimeLimit = None,
) -> Found:
    """Ask the engines that cover the question, or the one named, until one has proved an answer.

    Without a time limit the work is bounded by ``EFFORTS``, and the answer is the same on every
    machine. When time or work is used up, the best found is the answer, unproved; without any
    that is the hand without melds, where a hand may be left so.

    Raises:
        LimitError: ``engine.unknown``; ``engine.not_covered`` with each engine's reason;
        ``limit.time`` and ``limit.work`` when nothing was found where something must be laid, or
        a compiled engine was named; ``limit.columns`` and the like when no engine can answer.
    """
    check_engine(engine)
    names = ENGINES if engine == "auto" else (engine,)
    return find_among(names, counts, rules, contract=contract, time_limit_s=time_limit_s)


def find_among(
    names: Sequence[str],
    counts: Counts,
    rules: GameRules,
    *,
    contract: bool = False,
    time_limit_s: TimeLimit = None,
) -> Found:
    """Ask some of the engines as ``find`` asks all."""
    deadline = Deadline.after(time_limit_s)
    reasons: dict[str, str | None] = {}
    best: Found | None = None
    failed: LimitError | None = None
    for effort in EFFORTS:
        for name in names:
            try:
                if name not in reasons:
                    with deadline.around():
                        reasons[name] = coverage(name, counts, rules, contract=contract)
                if reasons[name] is not None or deadline.expired:
                    continue
                found = _ask(name, counts, rules, _Ask(contract, effort, deadline))
            except LimitError as error:
                failed = error
                if error.code not in USED_UP:
                    reasons[name] = str(error)
                continue
            if found.proved:
                return found
            best = found if best is None else _better(best, found)
    if best is not None:
        return best
    if failed is None and not deadline.expired:
        told = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        raise LimitError(
            f"expected a question the engine covers, got {told}",
            code="engine.not_covered",
            where="/engine",
            data={"reasons": reasons},
        )
    return _without_melds(counts, rules, contract, names[-1], failed or deadline.used_up())


def _better(one: Found, other: Found) -> Found:
    """Return the cheaper of two unproved answers with the higher of their bounds."""
    assert one.penalty is not None, "that nothing can be laid is no answer unless proved"
    assert other.penalty is not None, "likewise"
    best = other if other.penalty < one.penalty else one
    bound = max(one.lower_bound, other.lower_bound)
    return replace(best, lower_bound=bound, proved=bound == best.penalty)


def _without_melds(
    counts: Counts, rules: GameRules, contract: bool, engine: str, failed: LimitError
) -> Found:
    """Return the hand without melds as the answer of CP-SAT; else raise what failed."""
    must_lay = contract or any(copies for _, copies in rules.meld.must_use)
    if must_lay or engine != "cpsat" or failed.code not in USED_UP:
        raise failed
    cost = penalty(all_deadwood(counts), rules)
    return Found(cost, [], cost == 0, 0, engine)
