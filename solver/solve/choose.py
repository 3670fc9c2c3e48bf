"""Which engine answers: each says what it covers, the first that does is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from solver.arguments import one_of
from solver.cards import Counts
from solver.compile.frontier_call import covers_frontier, solve_frontier
from solver.cpsat import covers_cpsat, solve_cpsat
from solver.errors import LimitError
from solver.rules.model import GameRules
from solver.solve.suit import covers_suit, solve_suit

ENGINES: Final = ("suit", "frontier", "cpsat")


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


def _ask(
    engine: str, counts: Counts, rules: GameRules, contract: bool, time_limit_s: float | None
) -> Found | None:
    """Return what one engine says, None when the hand turns out to be beyond it."""
    if engine == "suit":
        answer = solve_suit(counts, rules, contract=contract)
        return None if answer is None else Found(*answer, True, answer[0] or 0, engine)
    if engine == "frontier":
        try:
            swept = solve_frontier(counts, rules.meld, contract=contract)
        except LimitError:  # more states than the engine may hold
            return None
        if swept is None:
            return Found(None, [], True, 0, engine)
        return Found(swept.penalty, list(swept.class_melds), True, swept.penalty, engine)
    found = solve_cpsat(counts, rules, contract=contract, time_limit_s=time_limit_s)
    if found.penalty is None and not found.proved:
        # Neither an arrangement nor a proof that there is none: no answer may be made of that.
        raise LimitError("expected an answer in the time given, got none", code="limit.time")
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
    time_limit_s: float | None = None,
) -> Found:
    """Ask the engines in order, or the one named.

    Raises:
        LimitError: ``engine.unknown``; ``engine.not_covered`` with each engine's reason;
        ``limit.time`` when CP-SAT found nothing where something must be laid.
    """
    check_engine(engine)
    reasons: dict[str, str | None] = {}
    for name in ENGINES if engine == "auto" else (engine,):
        reasons[name] = coverage(name, counts, rules, contract=contract)
        if reasons[name] is None:
            found = _ask(name, counts, rules, contract, time_limit_s)
            if found is not None:
                return found
            reasons[name] = "the hand needs more work than the engine's limit"
    told = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
    raise LimitError(
        f"expected a question the engine covers, got {told}",
        code="engine.not_covered",
        where="/engine",
        data={"reasons": reasons},
    )
