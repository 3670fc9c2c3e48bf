"""``/v1/layoff``, ``/v1/godown``, ``/v1/rearrange``: cards on the table."""

from __future__ import annotations

from typing import Any

from service.api import About, Resource
from service.config import Limits
from service.reading import number_within, only_texts, read_cards, read_contract, time_limit
from service.state import service_state
from service.table_schemas import (
    GodownAnswer,
    GodownRequest,
    LayoffAnswer,
    LayoffRequest,
    RearrangeAnswer,
    RearrangeRequest,
)
from solver.errors import LimitError
from solver.table import Table, best_layoff, godown_turn, joint_layoff, rearrange, with_discard

routes = Resource("table")

_CHARS_A_CARD = 16


def read_table(table: list[Any], limits: Limits) -> Table:
    """Return the melds of a request when they are not too many.

    Raises:
        LimitError: ``limit.hand_cards`` for more cards, at a glance, than one question may have.
    """
    number_within(len(table), limits.hand_cards, what="hand_cards", where="/table")
    size = 0
    for meld in table:
        cards = meld["cards"] if isinstance(meld, dict) else meld
        size += len(cards) if isinstance(cards, list) else len(cards) // _CHARS_A_CARD
    if size > limits.hand_cards:
        message = f"expected a table of at most {limits.hand_cards} cards"
        raise LimitError(message, code="limit.hand_cards", where="/table")
    only_texts(table, "/table")
    return table


@routes.ask(
    "/v1/layoff",
    LayoffRequest,
    answer=LayoffAnswer,
    about=About(
        summary="The lay-offs on melds of the table that leave the fewest points.",
        description=(
            "Steps are in an order in which each is legal. A meld without declared places of its"
            " wilds is taken in the reading that is best for the player; 'choices' tell."
            " 'own_melds': true lays melds of the hand too, as the defender does in Gin."
        ),
        example={
            "rules": "liverpool",
            "hand": "KH 8S 9S 3D",
            "table": ["KS KD KC", "R[4S 5S JK=6S 7S]"],
        },
    ),
)
def layoff(question: LayoffRequest) -> dict[str, Any]:
    """Return the best lay-offs of the hand of the body."""
    state = service_state()
    limits = state.config.limits
    named = state.rules.get(question.rules.name, question.rules.options)
    counts = read_cards(question.hand, named.rules, limits)
    table = read_table(question.table, limits)
    rules, left_s = named.rules, time_limit(None, limits)
    if question.own_melds:
        against_gin = question.against_gin
        plan = joint_layoff(counts, table, rules, against_gin=against_gin, time_limit_s=left_s)
    else:
        own, keep, swaps = question.own, question.keep, question.swaps
        plan = with_discard(
            best_layoff(counts, table, rules, own=own, keep=keep, swaps=swaps, time_limit_s=left_s)
        )
    return {"rules": named.answer, **plan.to_json()}


@routes.ask(
    "/v1/godown",
    GodownRequest,
    answer=GodownAnswer,
    about=About(
        summary="The best turn of going down: contract, wild swaps and lay-offs together.",
        description="A hand that cannot go down is an answer: 'can_go_down' is false.",
        example={
            "rules": {"name": "liverpool", "options": {"deal": 1}},
            "hand": "9S 9C KD AC 6H QS QD QC 4D 3C JS",
            "table": ["R[4H 5H JK=6H 7H]"],
        },
    ),
)
def godown(question: GodownRequest) -> dict[str, Any]:
    """Return whether and how the hand of the body goes down."""
    state = service_state()
    limits = state.config.limits
    named = state.rules.get(question.rules.name, question.rules.options)
    counts = read_cards(question.hand, named.rules, limits)
    table = read_table(question.table, limits)
    contract = read_contract(question.contract, named.rules)
    plan = godown_turn(
        counts,
        table,
        named.rules,
        contract,
        own=question.own,
        swaps=question.swaps,
        keep=question.keep,
        time_limit_s=time_limit(None, limits),
    )
    found = plan and plan.to_json()
    return {"rules": named.answer, "can_go_down": found is not None, "plan": found}


@routes.ask(
    "/v1/rearrange",
    RearrangeRequest,
    answer=RearrangeAnswer,
    about=About(
        summary="The most that a rack can add to a table that may be rearranged.",
        description=(
            "Every card on the table stays in a meld. A joker of the table leaves its place only"
            " when the tile it stands for takes it ('exchanges' tell); the option"
            " 'table_wilds': 'free' lets it move like any tile. 'value' is the number of cards"
            " laid, their value, or the points left, by 'objective'."
        ),
        example={"rules": "rummikub", "table": ["R5 R6 R7", "K8 B8 O8"], "rack": "R8 R9"},
    ),
)
def rearranged(question: RearrangeRequest) -> dict[str, Any]:
    """Return the best rearrangement of the table of the body."""
    state = service_state()
    limits = state.config.limits
    named = state.rules.get(question.rules.name, question.rules.options)
    rack = read_cards(question.rack, named.rules, limits, where="/rack", empty_ok=True)
    table = read_table(question.table, limits)
    found = rearrange(
        table,
        rack,
        named.rules,
        objective=question.objective,
        opening=question.opening,
        second_aims=question.second_aims,
        time_limit_s=time_limit(question.time_limit_s, limits),
    )
    return {"rules": named.answer, **found.to_json()}
