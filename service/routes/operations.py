"""Probes, limits, version and counters: what those who run the service ask."""

from __future__ import annotations

import importlib.metadata
import platform
from dataclasses import asdict
from functools import cache
from typing import Any

from flask import Response

from service.api import About, Resource
from service.errors import ProblemError
from service.schemas import LimitsAnswer, StatusAnswer, VersionAnswer
from service.state import service_state
from solver import __version__
from solver.rules.loader import list_rules, load_rules

routes = Resource("operations")

_TEXT = "text/plain; charset=utf-8"


@routes.read(
    "/healthz",
    answer=StatusAnswer,
    about=About(summary="The process is alive; nothing is computed."),
)
def healthz() -> dict[str, Any]:
    """Return ok."""
    return {"status": "ok"}


@routes.read(
    "/readyz",
    answer=StatusAnswer,
    about=About(summary="The kernels are compiled and a test hand was solved rightly; else 503."),
)
def readyz() -> dict[str, Any]:
    """Return ok once the service is warm."""
    state = service_state()
    if not state.ready.is_set():
        detail = state.failure or "the kernels are being compiled"
        raise ProblemError("unavailable", detail, headers={"Retry-After": "2"})
    return {"status": "ok"}


@routes.read(
    "/v1/limits",
    answer=LimitsAnswer,
    about=About(summary="How much one request, or one client, may ask for."),
)
def limits() -> dict[str, Any]:
    """Return the limits of this service."""
    config = service_state().config
    return {**asdict(config.limits), "rate_limit": config.rate_limit}


@routes.read(
    "/version",
    answer=VersionAnswer,
    about=About(summary="Versions, and the fingerprint of every game."),
)
def version() -> dict[str, Any]:
    """Return what is running."""
    return _version()


@cache
def _version() -> dict[str, Any]:
    def installed(name: str) -> str:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return "unknown"

    return {
        "version": __version__,
        "python": platform.python_version(),
        **{name: installed(name) for name in ("numpy", "numba", "ortools")},
        "rules": {game.id: load_rules(game.id).fingerprint for game in list_rules()},
    }


@routes.get("/metrics")
def metrics() -> Response:
    """Return the counters in the text format of Prometheus."""
    exposition = service_state().metrics.text()
    if exposition is None:
        raise ProblemError("not-found", "metrics are off, or prometheus-client is not installed")
    text, content_type = exposition
    return Response(text, content_type=content_type)
