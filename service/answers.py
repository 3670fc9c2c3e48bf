"""Results of the solver written as the answers of the API."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from flask import g

from service.clock import request_clock
from service.reading import number_within, read_cards, time_limit
from service.schemas import SolveRequest
from service.state import NamedRules, service_state
from solver.cards import N_CARDS, Counts, format_card
from solver.errors import LimitError
from solver.melds import Arrangement
from solver.rules.model import GameRules
from solver.rules.question import NO_DISCARDS
from solver.solve import Solution, as_if_down, best_discard, optimal_arrangements, solve

_USED_UP: Final = {
    "limit.time": "the time ran out",
    "limit.work": "more work was needed than is allowed",
}
_TEXT_OF: Final = tuple(format_card(card) for card in range(N_CARDS))


def card_texts(counts: Counts) -> list[str]:
    """Return the canonical texts of the cards of a hand, ascending."""
    return [_TEXT_OF[card] for card, n in enumerate(counts.tolist()) for _ in range(n)]


def arrangement_answer(arrangement: Arrangement, rules: GameRules) -> dict[str, Any]:
    """Return an arrangement with the points of every card left over."""
    points = rules.meld.points
    answer = arrangement.to_json()
    answer["deadwood"] = [{"card": _TEXT_OF[c], "points": points[c]} for c in arrangement.deadwood]
    return answer


def solution_answer(solution: Solution, named: NamedRules, counts: Counts) -> dict[str, Any]:
    """Return a solution as the answer of ``/v1/solve``; note it for metrics and the log."""
    hand = card_texts(counts)
    name, engine = named.rules.name, solution.engine
    service_state().metrics.solve(name, engine, solution.elapsed_us / 1e6)
    g.log_facts = {"rules": name, "engine": engine, "cards": len(hand)}
    return {
        "rules": named.answer,
        "hand": hand,
        "penalty": solution.penalty,
        "contract_met": solution.contract_met,
        "if_down": if_down_answer(solution, named.rules),
        "note": list(solution.notes),
        "headline": solution.headline,
        **arrangement_answer(solution.arrangement, named.rules),
        "proved": solution.proved,
        "lower_bound": solution.lower_bound,
        "engine": engine,
        "elapsed_us": solution.elapsed_us,
        "permalink": named.page + "+".join(hand),
    }


def if_down_answer(solution: Solution, rules: GameRules) -> dict[str, Any] | None:
    """Return the melds of a hand that cannot lay its contract, as if it were already down.

    None where that is not asked, or no time is left for it.
    """
    left_s = request_clock().waits_s()
    found = as_if_down(solution, time_limit_s=left_s) if left_s else None
    if found is None:
        return None
    told = arrangement_answer(found.arrangement, rules)
    return {"penalty": found.penalty, **told, "proved": found.proved}


def solve_answer(question: SolveRequest) -> dict[str, Any]:
    """Return the answer to a question about one hand."""
    state = service_state()
    limits = state.config.limits
    named = state.rules.get(question.rules.name, question.rules.options)
    rules = named.rules
    counts = read_cards(question.hand, rules, limits)
    n_listed = question.n_arrangements
    number_within(n_listed, limits.arrangements, what="arrangements", where="/all")
    seconds = time_limit(question.time_limit_s, limits)
    ignored = question.ignore_contract
    solution = solve(
        counts,
        rules,
        engine=question.engine,
        time_limit_s=seconds,
        ignore_contract=ignored,
    )
    answer = solution_answer(solution, named, counts)
    if n_listed is not None:
        answer["permalink"] += "&all=true"
        listing = partial(optimal_answer, counts, rules, n_listed, ignored)
        _add(answer, "optimal", "the best arrangements were listed", listing)
    if question.discard:
        answer["permalink"] += "&discard=true"
        if not rules.flow.has_discards:
            answer["note"].append(NO_DISCARDS)
        ranking = partial(discards_answer, counts, rules, ignored)
        _add(answer, "discards", "the discards were ranked", ranking)
    return answer


def _add(answer: dict[str, Any], name: str, what: str, work: Callable[[], Any]) -> None:
    """Add a further part to an answer; when time or work is used up the parts before it stand."""
    clock = request_clock()
    try:
        clock.left_s()
        with clock.deadline().around():
            answer[name] = work()
    except LimitError as error:
        if error.code not in _USED_UP:
            raise
        answer["note"].append(f"{_USED_UP[error.code]} before {what}")


def discards_answer(
    counts: Counts, rules: GameRules, ignore_contract: bool
) -> list[dict[str, Any]]:
    """Return every discard with what it leaves, best first."""
    options = best_discard(counts, rules, ignore_contract=ignore_contract)
    return [option.to_json() for option in options]


def optimal_answer(
    counts: Counts, rules: GameRules, n_listed: int, ignore_contract: bool
) -> dict[str, Any]:
    """Return how many optimal arrangements there are, and the first of them."""
    found = optimal_arrangements(counts, rules, limit=n_listed, ignore_contract=ignore_contract)
    return {
        "count": found.count,
        "complete": found.complete,
        "arrangements": [arrangement_answer(a, rules) for a in found.arrangements],
    }
