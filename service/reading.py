"""Requests read into the types of the solver, within the limits."""

from __future__ import annotations

import json
from typing import Any, Final

from service.clock import request_clock
from service.config import Limits
from service.schemas_score import ScoreRequest
from solver.cards import Card, Counts, counts_of, parse_cards
from solver.engine.round_checks import seats_of
from solver.engine.scoring import RoundExtras
from solver.errors import Fault, HandError, LimitError, NotationError, RulesError
from solver.melds import Meld
from solver.rules.asked import Melds, read_melds_asked, with_contract
from solver.rules.model import GameRules
from solver.table.notation import read_melds

_CHARS_A_CARD: Final = 16
"""Longest text that one card may take; keeps a huge body from being parsed in vain."""


def read_cards(
    cards: str | list[Any],
    rules: GameRules,
    limits: Limits,
    *,
    where: str = "/hand",
    empty_ok: bool = False,
) -> Counts:
    """Return the counts of cards in a request.

    Raises:
        LimitError: ``limit.hand_cards``. NotationError: ``card.unknown``, all of them.
        HandError: ``hand.empty`` unless that is allowed.
    """
    most = limits.hand_cards
    if isinstance(cards, str) and len(cards) > _CHARS_A_CARD * most:
        got = f"a text of {len(cards)} characters"
    elif isinstance(cards, list) and len(cards) > most:
        got = str(len(cards))
    else:
        counts = counts_of(parse_cards(cards, tiles=rules.deck.tiles, where=where))
        n_cards = int(counts.sum(dtype=int))
        if n_cards == 0 and not empty_ok:
            message = "expected at least one card, got none"
            raise HandError(message, code="hand.empty", where=where)
        if n_cards <= most:
            return counts
        got = str(n_cards)
    message = f"expected at most {most} cards, got {got}"
    raise LimitError(message, code="limit.hand_cards", where=where)


def read_hands(hands: list[str | list[Any]], rules: GameRules, limits: Limits) -> list[Counts]:
    """Return the counts of the hands of a round; a hand may be empty.

    Raises:
        LimitError: ``limit.hand_cards``. NotationError: ``card.unknown``, of all hands at once.
    """
    counts: list[Counts] = []
    faults: list[Fault] = []
    for seat, hand in enumerate(hands):
        try:
            counts.append(read_cards(hand, rules, limits, where=f"/hands/{seat}", empty_ok=True))
        except NotationError as error:
            faults += error.faults
    if faults:
        raise NotationError.from_faults(faults)
    return counts


def check_time_limit(seconds: float | None, limits: Limits) -> None:
    """Check the time limit that a request asks for.

    Raises:
        LimitError: ``limit.time`` above the published one.
    """
    if seconds is not None and seconds > limits.time_limit_s:
        message = f"expected at most {limits.time_limit_s:g} seconds, got {seconds:g}"
        raise LimitError(message, code="limit.time", where="/time_limit_s")


def time_limit(seconds: float | None, limits: Limits) -> float:
    """Return the seconds that the request has left, within what it asks for.

    Raises:
        LimitError: ``limit.time``, it asks for too much, or no time is left.
    """
    check_time_limit(seconds, limits)
    clock = request_clock()
    if seconds is not None:
        clock.narrow(seconds)
    return clock.left_s()


def number_within(value: int | None, most: int, *, what: str, where: str) -> None:
    """Check a number against a limit.

    Raises:
        LimitError: ``limit.<what>`` above it.
    """
    if value is not None and value > most:
        message = f"expected at most {most} {what.replace('_', ' ')}, got {value}"
        raise LimitError(message, code=f"limit.{what}", where=where)


def read_layout(melds: list[Any], rules: GameRules, limits: Limits) -> list[Meld | list[Card]]:
    """Return the melds of a layout, loose or placed.

    Raises:
        LimitError: ``limit.hand_cards``. NotationError: ``card.unknown`` or ``table.notation``,
            of all melds at once.
    """
    most = limits.hand_cards
    texts = [m.get("cards", ()) if isinstance(m, dict) else m for m in melds]
    size = sum(len(m) // (2 if isinstance(m, str) else 1) for m in texts) + len(melds)
    if size > _CHARS_A_CARD * most:
        message = f"expected melds of at most {most} cards together"
        raise LimitError(message, code="limit.hand_cards", where="/melds")
    only_texts(melds, "/melds")
    return read_melds(melds, rules)


def only_texts(melds: list[Any], where: str) -> None:
    """Check that cards are texts: the library also takes ids, which are no part of the API.

    Raises:
        NotationError: ``card.unknown`` for each other value in a list of cards.
    """
    faults: list[Fault] = []
    for i, meld in enumerate(melds):
        cards, place = (meld, "") if isinstance(meld, list) else ((), "")
        if isinstance(meld, dict) and isinstance(meld.get("cards"), list):
            cards, place = meld["cards"], "/cards"
        faults += [
            Fault(
                "card.unknown",
                f"{where}/{i}{place}/{k}",
                f"card {k + 1}: expected a text, got {json.dumps(card)[:_CHARS_A_CARD]}",
            )
            for k, card in enumerate(cards)
            if not isinstance(card, str)
        ]
    if faults:
        raise NotationError.from_faults(faults)


def read_contract(contract: str | list[Any] | None, rules: GameRules | None = None) -> Melds | None:
    """Return a contract as the rules write it, None for that of the deal.

    Raises:
        RulesError: ``rules.type`` or ``rules.range`` at ``/contract``; ``rules.conflict`` there,
            the game has no such melds (only with the rules).
    """
    if contract is None:
        return None
    try:
        melds = read_melds_asked(contract)
        if rules is not None:
            with_contract(rules, melds)
    except RulesError as error:
        raise RulesError.from_faults(
            [Fault(f.code, "/contract", f.message, f.data) for f in error.faults]
        ) from error
    return melds


def read_extras(question: ScoreRequest, rules: GameRules) -> RoundExtras:
    """Return what a request tells of a round besides the hands.

    Raises:
        NotationError: ``card.unknown`` at ``/upcard``.
        HandError: ``round.conflict``, a seat is named twice.
    """
    upcard = None
    if question.upcard is not None:
        cards = parse_cards([question.upcard], tiles=rules.deck.tiles, where="/upcard")
        upcard = cards[0]
    return RoundExtras(
        names=question.names or (),
        cut=(question.cut[0], question.cut[1]) if question.cut else None,
        false_melds=seats_of(question.false_melds, "/false_melds"),
        drops=seats_of(question.drops, "/drops"),
        false_declarations=question.false_declarations,
        down_and_out=question.down_and_out,
        upcard=upcard,
        laid=question.laid,
    )
