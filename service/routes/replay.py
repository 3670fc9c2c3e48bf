"""``/v1/replay``: recorded games played again, as JSON or as JSON lines."""

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
from service.batches import Row, rows_of_lines
from service.clock import request_clock
from service.errors import ProblemError
from service.query import read_query
from service.reading import number_within
from service.replays import answer_games, rows_of_records
from service.schemas_replay import (
    Record,
    ReplayAnswer,
    ReplayQuery,
    ReplayRequest,
    ReplayRow,
)
from service.state import NamedRules, service_state
from solver.engine.state import with_players
from solver.errors import Fault, quoted
from solver.rules.loader import load_rules

routes = Resource("replay")

_FINGERPRINT: Final = with_players(load_rules("gin"), 2).fingerprint
_EXAMPLE: Final = {
    "record": {
        "format": "meld-record/1",
        "id": "one deal of gin",
        "rules": {"name": "gin", "options": {}, "fingerprint": _FINGERPRINT},
        "seats": ["Ann", "Ben"],
        "first_dealer": 1,
        "seed": 7,
        "rounds": [
            {"round": 1, "dealer": 1, "moves": ["0 pass", "1 pass", "0 draw"], "result": None}
        ],
        "result": None,
    },
}
_ABOUT: Final = About(
    summary="Recorded games played again: every move judged, every score made anew.",
    description=(
        "JSON: 'record', one game of meld-record/1, or 'records', several; NDJSON"
        " (application/x-ndjson): one record a line, one answer a line. Of each game: the scores"
        " of its rounds, totals, winners, and all that disagrees, with pointer, round, move,"
        " expected and got. A game stops at its first illegal move; it spoils no other. 'rules'"
        " (in NDJSON the query: rules=gin&gin_bonus=20) are other rules by which what happened is"
        " priced as well."
    ),
    example=_EXAMPLE,
)


@routes.post("/v1/replay")
def replay() -> Response:
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
            query = _query()
            rows = rows_of_lines(body, limits.replay_games, "replay_games")
            return lines_response(_results(query, rows)[1])
        question = read_json(ReplayRequest, body)
        named, results = _results(question, _rows(question))
        return json_response(
            {
                "rules": None if named is None else named.answer,
                "results": results,
                "rejected": sum(row["status"] != "ok" for row in results),
            }
        )


def _rows(question: ReplayRequest) -> list[Row]:
    """Return the games of a body.

    Raises:
        LimitError: ``limit.replay_games``.
    """
    if question.records is None:
        return [Row(question.record, "/record")]
    most = service_state().config.limits.replay_games
    number_within(len(question.records), most, what="replay_games", where="/records")
    return rows_of_records(question.records)


def _query() -> ReplayQuery:
    """Return the query of JSON lines; options are nothing without the rules they are of."""
    if request.args and "rules" not in request.args:
        message = f"expected rules= before options, got {quoted(next(iter(request.args)), 60)}"
        fault = Fault("rules.missing", "/rules", message)
        raise ProblemError("invalid-request", message, faults=[fault])
    return read_query(ReplayQuery)


def _results(asked: ReplayQuery, rows: list[Row]) -> tuple[NamedRules | None, list[dict[str, Any]]]:
    """Return the rules to price by and the answer to each game."""
    state = service_state()
    ref = asked.rules
    named = None if ref is None else state.rules.get(ref.name, ref.options)
    results = answer_games(rows, None if named is None else named.rules, request_clock())
    g.log_facts = {"games": len(rows)}
    return named, results


routes.operations.append(
    Operation(
        "post",
        "/v1/replay",
        _ABOUT,
        ReplayRequest,
        ReplayQuery,
        ReplayAnswer,
        lines=(Record, ReplayRow),
    )
)
