"""``/v1/advice``: what to do now, with the exact worth of every alternative."""

from __future__ import annotations

from typing import Any

from service.answers import card_texts
from service.api import About, Resource
from service.config import Limits
from service.reading import only_texts, read_cards, time_limit
from service.schemas_advice import AdviceAnswer, AdviceRequest
from service.state import service_state
from solver.cards import Card, parse_cards
from solver.errors import LimitError
from solver.players.advice import advise
from solver.players.facts import Facts, view_of
from solver.rules.model import GameRules

routes = Resource("advice")

_CHARS_A_MELD = 400
"""Longest text of a meld: 20 cards that all stand for another."""


@routes.ask(
    "/v1/advice",
    AdviceRequest,
    answer=AdviceAnswer,
    about=About(
        summary="What to do now: the best move, what every other is worth, and why.",
        description=(
            "Take or draw, what to discard, go out, knock or go down, lay off, buy, call, defend."
            " Values are points expected to be left in the own hand, exact over all cards that"
            " the player cannot place; nothing hidden is asked for."
        ),
        example={
            "rules": {"name": "three-thirteen", "options": {"cards_dealt": 5}},
            "hand": "7H 8H QD QC 4S",
            "discard": "6H",
            "seen": "KD 2C",
        },
    ),
)
def advice(question: AdviceRequest) -> dict[str, Any]:
    """Return the advice to the player of the body."""
    state = service_state()
    limits = state.config.limits
    named = state.rules.get(question.rules.name, question.rules.options)
    rules = named.rules
    counts = read_cards(question.hand, rules, limits, empty_ok=question.floating)
    facts = _facts(question, rules, limits)
    found = advise(view_of(counts, rules, facts), time_limit_s=time_limit(None, limits))
    return {"rules": named.answer, "hand": card_texts(counts), **found.to_json()}


def _facts(question: AdviceRequest, rules: GameRules, limits: Limits) -> Facts:
    """Return what the body tells besides the hand.

    Raises:
        LimitError: ``limit.hand_cards``. NotationError: ``card.unknown``.
    """
    knock = question.knock
    melds = [m.meld for m in question.table]
    _check_sizes(melds, "/table")
    only_texts(melds, "/table")
    _check_sizes([] if knock is None else knock.melds, "/knock/melds")
    only_texts([] if knock is None else knock.melds, "/knock/melds")
    seen = read_cards(question.seen, rules, _whole_deck(limits), where="/seen", empty_ok=True)
    left = read_cards(
        "" if knock is None else knock.left, rules, limits, where="/knock/left", empty_ok=True
    )
    return Facts(
        ask=question.ask,
        players=question.players,
        discard=_card(question.discard, rules, "/discard"),
        seen=seen,
        table=melds,
        owners=[m.owner for m in question.table],
        down=question.down,
        out=question.out,
        taken=_card(question.taken, rules, "/taken"),
        upcard=_card(question.upcard, rules, "/upcard"),
        knock=() if knock is None else knock.melds,
        knock_left=left,
        n_stock=question.stock,
        is_floating=question.floating,
        turns_left=question.turns_left,
    )


def _whole_deck(limits: Limits) -> Limits:
    """Return limits under which all cards of a deck may have been seen."""
    return Limits(hand_cards=max(limits.hand_cards, 1200))


def _check_sizes(melds: list[Any], where: str) -> None:
    """Raise LimitError ``limit.meld`` for a meld longer than any line."""
    for i, meld in enumerate(melds):
        size = len(meld) if isinstance(meld, str) else sum(len(str(card)) for card in meld)
        if size > _CHARS_A_MELD:
            raise LimitError(
                f"expected a meld of at most {_CHARS_A_MELD} characters, got {size}",
                code="limit.meld",
                where=f"{where}/{i}",
            )


def _card(text: str | None, rules: GameRules, where: str) -> Card | None:
    """Return one card of a request; NotationError ``card.unknown`` at its place."""
    if text is None:
        return None
    return parse_cards([text], tiles=rules.deck.tiles, where=where)[0]
