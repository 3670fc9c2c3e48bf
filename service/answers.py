"""From validated requests to questions of the solver, and from its results to answers."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from flask import g

from service.schemas import RulesRef, ScoreRequest, SolveRequest
from service.state import NamedRules, service_state
from solver.cards import Counts, cards_of, format_card, parse_cards, read_hand
from solver.engine.scoring import RoundExtras
from solver.errors import Fault, HandError, LimitError, NotationError, RulesError
from solver.melds import Arrangement
from solver.rules.loader import parse_option
from solver.rules.model import GameRules
from solver.solve import Solution, best_discard, optimal_arrangements, solve

_CHARS_A_CARD: Final = 16
"""Longest text that one card may take; keeps a huge body from being parsed in vain."""


def read_rules(reference: RulesRef) -> NamedRules:
    """Return the rules that a request names; RulesError points into the request."""
    return service_state().rules.get(reference.name, reference.options)


def read_cards(
    cards: str | list[Any], rules: GameRules, *, where: str = "/hand", empty_ok: bool = False
) -> Counts:
    """Return the counts of cards in a request.

    Raises:
        LimitError: ``limit.hand_cards``. NotationError: ``card.unknown``, all of them.
        HandError: ``hand.empty`` unless that is allowed.
    """
    most = service_state().config.limits.hand_cards
    if isinstance(cards, str) and len(cards) > _CHARS_A_CARD * most:
        got = f"a text of {len(cards)} characters"
    elif isinstance(cards, list) and len(cards) > most:
        got = str(len(cards))
    else:
        counts = read_hand(cards, tiles=rules.deck.tiles, where=where)
        n_cards = int(counts.sum(dtype=int))
        if n_cards == 0 and not empty_ok:
            message = "expected at least one card, got none"
            raise HandError(message, code="hand.empty", where=where)
        if n_cards <= most:
            return counts
        got = str(n_cards)
    message = f"expected at most {most} cards, got {got}"
    raise LimitError(message, code="limit.hand_cards", where=where)


def time_limit(seconds: float | None) -> float:
    """Return the time limit of a request; the published one when none is asked for.

    Raises:
        LimitError: ``limit.time`` above the published one.
    """
    most = service_state().config.limits.time_limit_s
    if seconds is not None and seconds > most:
        message = f"expected at most {most:g} seconds, got {seconds:g}"
        raise LimitError(message, code="limit.time", where="/time_limit_s")
    return seconds or most


def arrangement_answer(arrangement: Arrangement, rules: GameRules) -> dict[str, Any]:
    """Return an arrangement with the points of every card left over."""
    points = rules.meld.points
    answer = arrangement.to_json()
    answer["deadwood"] = [
        {"card": format_card(c), "points": points[c]} for c in arrangement.deadwood
    ]
    return answer


def permalink(named: NamedRules, counts: Counts) -> str:
    """Return the address of the page that shows this hand under these rules."""
    hand = " ".join(format_card(c) for c in cards_of(counts))
    return "/?" + urlencode({**named.query, "hand": hand})


def solution_answer(solution: Solution, named: NamedRules, counts: Counts) -> dict[str, Any]:
    """Return a solution as the answer of ``/v1/solve``, and count it."""
    rules = named.rules
    service_state().metrics.solve(rules.name, solution.engine, solution.elapsed_us / 1e6)
    n_cards = int(counts.sum(dtype=int))
    g.log_facts = {"rules": rules.name, "engine": solution.engine, "cards": n_cards}
    return {
        "rules": named.answer,
        "hand": [format_card(c) for c in cards_of(counts)],
        "penalty": solution.penalty,
        **arrangement_answer(solution.arrangement, rules),
        "proved": solution.proved,
        "lower_bound": solution.lower_bound,
        "engine": solution.engine,
        "elapsed_us": solution.elapsed_us,
        "permalink": permalink(named, counts),
    }


def solve_answer(question: SolveRequest) -> dict[str, Any]:
    """Return the answer to a question about one hand."""
    limits = service_state().config.limits
    named = read_rules(question.rules)
    rules = named.rules
    counts = read_cards(question.hand, rules)
    n_listed = question.n_arrangements
    if n_listed is not None and n_listed > limits.arrangements:
        message = f"expected at most {limits.arrangements} arrangements, got {n_listed}"
        raise LimitError(message, code="limit.arrangements", where="/all")
    seconds = time_limit(question.time_limit_s)
    with service_state().solving():
        solution = solve(counts, rules, engine=question.engine, time_limit_s=seconds)
        answer = solution_answer(solution, named, counts)
        if n_listed is not None:
            answer["optimal"] = optimal_answer(counts, rules, n_listed)
        if question.discard:
            answer["discards"] = [
                {"card": format_card(option.card), "penalty": option.penalty}
                for option in best_discard(counts, rules)
            ]
    return answer


def optimal_answer(counts: Counts, rules: GameRules, n_listed: int) -> dict[str, Any]:
    """Return how many optimal arrangements there are, and the first of them."""
    found = optimal_arrangements(counts, rules, limit=n_listed)
    return {
        "count": found.count,
        "complete": found.complete,
        "arrangements": [arrangement_answer(a, rules) for a in found.arrangements],
    }


def read_melds(melds: list[Any], rules: GameRules) -> list[list[int]]:
    """Return the card ids of the melds of a layout.

    Raises:
        LimitError: ``limit.hand_cards``. NotationError: ``card.unknown``, of all melds at once.
    """
    most = service_state().config.limits.hand_cards
    size = sum(len(m) // (2 if isinstance(m, str) else 1) for m in melds) + len(melds)
    if size > _CHARS_A_CARD * most:
        message = f"expected melds of at most {most} cards together"
        raise LimitError(message, code="limit.hand_cards", where="/melds")
    cards: list[list[int]] = []
    faults: list[Fault] = []
    for i, meld in enumerate(melds):
        try:
            cards.append(parse_cards(meld, tiles=rules.deck.tiles, where=f"/melds/{i}"))
        except NotationError as error:
            faults += error.faults
    if faults:
        raise NotationError.from_faults(faults)
    return cards


def read_contract(contract: str | list[Any] | None) -> tuple[tuple[str, int], ...] | None:
    """Return a contract as the rules write it, None for that of the deal.

    Raises:
        RulesError: ``rules.type`` or ``rules.range`` at ``/contract``.
    """
    if contract is None:
        return None
    try:
        melds: tuple[tuple[str, int], ...] = parse_option("contract", contract)
    except RulesError as error:
        raise RulesError.from_faults(
            [Fault(f.code, "/contract", f.message, f.data) for f in error.faults]
        ) from error
    return melds


def read_extras(question: ScoreRequest) -> RoundExtras:
    """Return what a request tells of a round besides the hands.

    Raises:
        NotationError: ``card.unknown`` at ``/upcard``.
    """
    upcard = None
    if question.upcard is not None:
        cards = parse_cards([question.upcard], where="/upcard")
        upcard = cards[0]
    return RoundExtras(
        names=question.names or (),
        cut=(question.cut[0], question.cut[1]) if question.cut else None,
        false_melds={int(seat): n for seat, n in question.false_melds.items()},
        drops={int(seat): drop for seat, drop in question.drops.items()},
        false_declarations=question.false_declarations,
        down_and_out=question.down_and_out,
        upcard=upcard,
    )
