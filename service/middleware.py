"""What happens around every request: id, key, rate, headers, metrics, one log line."""

from __future__ import annotations

import hmac
import json
import logging
import math
import re
import secrets
import threading
import time
from typing import Any, Final

from flask import Flask, Response, g, request

from service.clock import ARRIVED, GONE, Clock
from service.config import key_digest, rate_fault
from service.errors import ProblemError
from service.state import ServiceState
from solver.errors import LimitError

request_log = logging.getLogger("service.requests")

_ID_RE = re.compile(r"[\w.:-]{1,64}")
_TRACE_RE = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*")
# Probes of whoever runs the service, and the reader of an error who has no key yet.
_OPEN_TO_ALL: Final = frozenset({"/healthz", "/readyz", "/version", "/docs", "/docs/errors"})
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
"""Methods that metrics tell apart; a client may invent others without end."""
_PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def install_middleware(app: Flask, state: ServiceState) -> None:
    """Install the hooks of every request; the rate limit only where one is set."""
    app.before_request(lambda: _begin(state.config.limits.time_limit_s))
    if state.config.api_keys:
        app.before_request(lambda: _check_key(state.config.api_keys))
    if state.config.rate_limit:
        _install_rate_limit(app, state.config.rate_limit)

    @app.after_request
    def end(response: Response) -> Response:
        return _end(response, state)


def _begin(limit_s: float) -> None:
    g.began = time.perf_counter()
    arrived_s = request.environ.get(ARRIVED) or time.monotonic()
    gone = request.environ.get(GONE) or threading.Event()
    g.clock = Clock(arrived_s + limit_s, limit_s, gone)
    given = request.headers.get("X-Request-ID", "")
    g.request_id = given if _ID_RE.fullmatch(given) else secrets.token_hex(8)


def presented_key() -> str | None:
    """Return the key that came with the request, None without one."""
    if key := request.headers.get("X-API-Key"):
        return key
    sent = request.authorization
    if sent is None:
        return None
    return sent.token if sent.type == "bearer" else sent.password


def _check_key(digests: frozenset[str]) -> None:
    """Let the request pass if its key is known; every digest is compared, in constant time."""
    if _is_open():
        return
    digest = key_digest(presented_key() or "")
    if not any([hmac.compare_digest(digest, known) for known in digests]):
        raise ProblemError(
            "unauthorized",
            "expected a valid key",
            headers={"WWW-Authenticate": 'Bearer realm="meld-solver", Basic realm="meld-solver"'},
        )


def _is_open() -> bool:
    return request.path in _OPEN_TO_ALL or request.path.startswith("/static/")


def _install_rate_limit(app: Flask, limit: str) -> None:
    """Count requests per key, or per address without keys.

    flask-limiter takes half a second to import, so it is imported only here.
    """
    if expected := rate_fault(limit):
        message = f"MELD_RATE_LIMIT: expected {expected}, got {limit!r}"
        raise LimitError(message, code="config", where="/MELD_RATE_LIMIT")
    from flask_limiter import Limiter, RequestLimit  # noqa: PLC0415 - see above

    def client() -> str:
        key = presented_key()
        return key_digest(key) if key else request.remote_addr or "-"

    def refuse(breached: RequestLimit) -> None:
        wait = max(1, math.ceil(breached.reset_at - time.time()))
        message = f"expected at most {breached.limit.amount} requests, got one more"
        raise ProblemError("rate-limited", message, headers={"Retry-After": str(wait)})

    limiter = Limiter(
        client,
        app=app,
        application_limits=[limit],
        storage_uri="memory://",
        on_breach=refuse,
    )
    limiter.request_filter(_is_open)


def _end(response: Response, state: ServiceState) -> Response:
    """Add the headers of every answer, then count and log it."""
    headers = response.headers
    if request.method == "OPTIONS" and response.status_code == 200 and not response.content_length:  # noqa: PLR2004
        response.status_code = 204  # Flask's own answer: nothing but the header Allow
        headers.pop("Content-Type", None)
        headers.pop("Content-Length", None)
    headers["X-Request-ID"] = g.request_id
    headers["X-Content-Type-Options"] = "nosniff"
    if response.mimetype == "text/html":
        headers["Referrer-Policy"] = "same-origin"
        headers["Content-Security-Policy"] = _PAGE_POLICY
    elapsed = time.perf_counter() - g.began
    rule = request.url_rule
    route = rule.rule if rule else "-"
    method = request.method if request.method in _METHODS else "other"
    state.metrics.request(route, method, response.status_code, elapsed)
    if state.config.request_log:
        _log_request(route, response.status_code, elapsed)
    return response


def _log_request(route: str, status: int, elapsed: float) -> None:
    """Write one JSON line; neither the hand nor the key is in it."""
    line: dict[str, Any] = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "request_id": g.request_id,
        "method": request.method,
        "route": route,
        "status": status,
        "ms": round(elapsed * 1000, 3),
        **g.get("log_facts", {}),
    }
    if trace := _TRACE_RE.fullmatch(request.headers.get("traceparent", "")):
        line["trace_id"] = trace[1]
    request_log.info(json.dumps(line))
