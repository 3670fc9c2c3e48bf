"""Every error of the service as a problem document (RFC 9457)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flask import Flask, Response, g, request
from pydantic import ValidationError
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from solver.errors import (
    Fault,
    HandError,
    IllegalMoveError,
    LimitError,
    MeldSolverError,
    NotationError,
    RulesError,
    quoted,
)
from solver.rules.keys import KEYS

log = logging.getLogger("service")

_SHOWN_INPUT = 60
_OF_RULES: Final = ': options belong into "rules": {"name": ..., "options": {...}}'
_KEPT_HEADERS = ("Allow", "Retry-After", "WWW-Authenticate")


@dataclass(frozen=True)
class ProblemKind:
    """One kind of error: the last part of its ``type``, the status, what it means.

    Attributes:
        name: anchor on the page ``/docs/errors``.
        status: HTTP status.
        title: the same for every occurrence.
        meaning: what happened and what to do about it.
    """

    name: str
    status: int
    title: str
    meaning: str


KINDS: Final = {
    kind.name: kind
    for kind in (
        ProblemKind(
            "not-json",
            400,
            "the body is not JSON",
            "The body could not be read as one JSON document in UTF-8.",
        ),
        ProblemKind(
            "bad-request", 400, "the request cannot be read", "The HTTP request itself is broken."
        ),
        ProblemKind(
            "unauthorized",
            401,
            "a valid key is needed",
            "Send a key as 'Authorization: Bearer KEY' or 'X-API-Key: KEY'; a browser may send it"
            " as the password of basic authentication.",
        ),
        ProblemKind(
            "not-found", 404, "there is nothing at this address", "/docs lists all addresses."
        ),
        ProblemKind(
            "method-not-allowed",
            405,
            "the address does not know this method",
            "The header Allow names the methods it knows.",
        ),
        ProblemKind(
            "timeout",
            408,
            "the body did not arrive in time",
            "Send the whole body at once; /v1/limits says how long it may take.",
        ),
        ProblemKind(
            "too-large",
            413,
            "the body is too large",
            "/v1/limits says how large a body may be.",
        ),
        ProblemKind(
            "unsupported-media-type",
            415,
            "the body must be application/json",
            "Send the header 'Content-Type: application/json'.",
        ),
        ProblemKind(
            "invalid-request",
            422,
            "the request does not follow its schema",
            "A field is missing, unknown or of the wrong type. Each entry of 'errors' points to"
            " one.",
        ),
        ProblemKind(
            "invalid-notation",
            422,
            "a text is not understood",
            "A card, a meld or another text is not in its notation. Each entry of 'errors' points"
            " to one and names the token.",
        ),
        ProblemKind(
            "invalid-rules",
            422,
            "the rules are unknown or contradict themselves",
            "The game, an option or a value of it is unknown, or options exclude each other."
            " /v1/rules lists every game with its options.",
        ),
        ProblemKind(
            "invalid-hand",
            422,
            "the hand or layout is impossible",
            "The deck of these rules does not hold the cards, or cards are used that are not in"
            " the hand.",
        ),
        ProblemKind(
            "illegal-move",
            422,
            "the referee refuses a move",
            "The rules do not allow the move in this position.",
        ),
        ProblemKind(
            "over-limit",
            422,
            "the request is beyond a limit",
            "/v1/limits publishes all limits.",
        ),
        ProblemKind(
            "rate-limited",
            429,
            "too many requests",
            "Wait as long as the header Retry-After says.",
        ),
        ProblemKind(
            "internal",
            500,
            "the service failed",
            "A fault of ours. Report it with the request id given as 'instance'.",
        ),
        ProblemKind(
            "unavailable",
            503,
            "the service is busy or still starting",
            "Try again after the seconds of the header Retry-After.",
        ),
    )
}

_KIND_OF_ERROR: Final[tuple[tuple[type[MeldSolverError], str], ...]] = (
    (NotationError, "invalid-notation"),
    (RulesError, "invalid-rules"),
    (HandError, "invalid-hand"),
    (IllegalMoveError, "illegal-move"),
    (LimitError, "over-limit"),
)
_KIND_OF_STATUS: Final = {
    400: "bad-request",
    401: "unauthorized",
    404: "not-found",
    405: "method-not-allowed",
    408: "timeout",
    413: "too-large",
    415: "unsupported-media-type",
    422: "invalid-request",
    429: "rate-limited",
    500: "internal",
    503: "unavailable",
}


class ProblemError(Exception):
    """An error that the service itself finds.

    Args:
        kind: name of a ProblemKind.
        detail: one line on this occurrence.
        faults: all faults, if the request has several.
        headers: further headers of the answer.
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        faults: Sequence[Fault] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.kind = KINDS[kind]
        self.faults = tuple(faults) or (Fault(kind, "", detail),)
        self.headers = dict(headers or {})


def pointer_of(location: Iterable[str | int]) -> str:
    """Return the JSON pointer (RFC 6901) of a location.

    Example:
        >>> pointer_of(["hands", 0, "a/b"])
        '/hands/0/a~1b'
    """
    return "".join("/" + str(p).replace("~", "~0").replace("/", "~1") for p in location)


def shown(value: object) -> str:
    """Return a value as a client wrote it, in JSON and cut short."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_INPUT else text[: _SHOWN_INPUT - 3] + "..."


def schema_faults(error: ValidationError) -> list[Fault]:
    """Return one fault per broken rule of a schema."""
    faults = []
    for entry in error.errors(include_url=False, include_context=False):
        kind, message = entry["type"], entry["msg"]
        place = entry["loc"]
        if place[-1:] == ("[key]",) and place[-2:-1] == (entry["input"],):
            place = place[:-1]  # the key itself is wrong: point to it
        if kind == "extra_forbidden":
            message = f"unknown field {quoted(place[-1], _SHOWN_INPUT)}"
            if place[-1] == "options" or place[-1] in KEYS:
                message += _OF_RULES
        elif kind == "missing":
            message = f"expected a field {quoted(entry['loc'][-1])}"
        elif message.startswith("Input should be "):
            expected = message.removeprefix("Input should be ")
            message = f"expected {expected}, got {shown(entry['input'])}"
        faults.append(Fault(f"schema.{kind}", pointer_of(place), message))
    return faults


def problem(
    kind: ProblemKind,
    detail: str,
    faults: Sequence[Fault],
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return the response of one problem; the first fault gives its ``code``."""
    body: dict[str, Any] = {
        "type": f"/docs/errors#{kind.name}",
        "title": kind.title,
        "status": kind.status,
        "code": faults[0].code,
        "detail": detail,
        "instance": f"urn:request:{g.get('request_id', '-')}",
        "errors": [fault.to_json() for fault in faults],
    }
    response = Response(
        json.dumps(body, ensure_ascii=False, default=str).encode(errors="backslashreplace"),
        status=kind.status,
        content_type="application/problem+json",
    )
    response.headers["Cache-Control"] = "no-store"
    response.headers.update(headers or {})
    return response


def problem_of_solver(error: MeldSolverError) -> Response:
    """Return the problem of an error of the solver; its code is kept, its class gives the kind."""
    name = next((n for cls, n in _KIND_OF_ERROR if isinstance(error, cls)), "internal")
    if name == "internal":
        log.error("request %s failed", g.get("request_id", "-"), exc_info=error)
    return problem(KINDS[name], str(error), error.faults)


def problem_of_http(error: HTTPException) -> Response:
    """Return the problem of an error of routing or reading, keeping what its headers say."""
    kind = KINDS[_KIND_OF_STATUS.get(error.code or 500, "bad-request")]
    kept = {n: v for n, v in error.get_response().headers.items() if n in _KEPT_HEADERS}
    detail = _http_detail(error) or error.description or kind.title
    return problem(kind, detail, [Fault(kind.name, "", detail)], kept)


def _http_detail(error: HTTPException) -> str:
    """Return what an error of routing means here, "" for other errors."""
    if isinstance(error, NotFound):
        return f"expected an address of /docs, got {request.path:.100}"
    if isinstance(error, MethodNotAllowed):
        return f"expected {' or '.join(sorted(error.valid_methods or ()))}, got {request.method}"
    return ""


def problem_of_bug(error: Exception) -> Response:
    """Return a bare problem for an error nobody foresaw; the log keeps the traceback."""
    log.error("request %s failed", g.get("request_id", "-"), exc_info=error)
    kind = KINDS["internal"]
    detail = "an unexpected error; it has been logged under the request id"
    return problem(kind, detail, [Fault(kind.name, "", detail)])


def install_error_handlers(app: Flask) -> None:
    """Make every error of the application a problem document."""
    app.register_error_handler(ProblemError, lambda e: problem(e.kind, str(e), e.faults, e.headers))
    app.register_error_handler(MeldSolverError, problem_of_solver)
    app.register_error_handler(HTTPException, problem_of_http)
    app.register_error_handler(Exception, problem_of_bug)
