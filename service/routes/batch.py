"""``/v1/batch``: many hands in one request, as a JSON array or as JSON lines."""

from __future__ import annotations

from typing import Any, Final

from flask import Response, g, request

from service.api import (
    JSON_TYPE,
    NDJSON_TYPE,
    NDJSON_TYPES,
    About,
    Operation,
    Resource,
    body_bytes,
    json_response,
    lines_response,
    read_json,
    unsupported,
)
from service.batches import Row, answer_rows, rows_of_array, rows_of_lines
from service.clock import request_clock
from service.query import read_query
from service.reading import number_within
from service.schemas_batch import BatchAnswer, BatchHand, BatchQuery, BatchRequest, BatchRow
from service.state import NamedRules, service_state

routes = Resource("batch")

_ABOUT: Final = About(
    summary="The penalties of many hands; a hand that is wrong spoils no other.",
    description=(
        "JSON: rules and 'hands', each a text, a list of cards, or {hand, id, round}; the answers"
        " come in the same order, each with its own 'status'. NDJSON (application/x-ndjson): one"
        " such hand a line, rules and their options in the query (rules=gin&melds=true), one"
        " answer a line. 'round' plays the hand by the rules of that round; 'id' comes back."
    ),
    example={
        "rules": "three-thirteen",
        "hands": [
            {"round": 1, "hand": "5S 5H 5D"},
            {"id": "a-17", "round": 2, "hand": ["3S", "3H", "4D", "9C"]},
        ],
    },
)


@routes.post("/v1/batch")
def batch() -> Response:
    """Return the answers to the body, in the form in which it came."""
    state = service_state()
    limits = state.config.limits
    request.max_content_length = limits.batch_body_bytes
    in_lines = request.mimetype in NDJSON_TYPES
    if not in_lines and request.mimetype != JSON_TYPE and not request.mimetype.endswith("+json"):
        raise unsupported(f"{JSON_TYPE} or {NDJSON_TYPE}")
    body = body_bytes()
    with state.solving():
        if in_lines:
            asked = read_query(BatchQuery)
            rows = rows_of_lines(body, limits.batch_hands, "batch_hands")
            return lines_response(_results(asked, rows)[1])
        question = read_json(BatchRequest, body)
        n_hands = len(question.hands)
        number_within(n_hands, limits.batch_hands, what="batch_hands", where="/hands")
        named, results = _results(question, rows_of_array(question.hands))
        rejected = sum(row["status"] != "ok" for row in results)
        return json_response({"rules": named.answer, "results": results, "rejected": rejected})


def _results(asked: BatchQuery, rows: list[Row]) -> tuple[NamedRules, list[dict[str, Any]]]:
    """Return the rules of a batch and the answer to each row."""
    state = service_state()
    named = state.rules.get(asked.rules.name, asked.rules.options)
    limits = state.config.limits
    results = answer_rows(rows, named.rules, asked, limits, request_clock())
    g.log_facts = {"rules": named.rules.name, "hands": len(rows)}
    return named, results


routes.operations.append(
    Operation(
        "post",
        "/v1/batch",
        _ABOUT,
        BatchRequest,
        BatchQuery,
        BatchAnswer,
        lines=(BatchHand, BatchRow),
    )
)
