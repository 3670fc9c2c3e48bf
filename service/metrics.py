"""Counters for Prometheus, when its client library is installed; silence otherwise."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Protocol

# Seconds; a solve takes microseconds, a request well under a millisecond.
_REQUEST_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 10.0)
_SOLVE_BUCKETS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)


class Metrics(Protocol):
    """What the service counts. Labels are route templates and names, never hands."""

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one answered request."""

    def solve(self, rules: str, engine: str, seconds: float) -> None:
        """Count one question answered by an engine."""

    def text(self) -> tuple[bytes, str] | None:
        """Return the exposition and its content type, None where nothing is counted."""


class SilentMetrics:
    """Counts nothing."""

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Do nothing."""

    def solve(self, rules: str, engine: str, seconds: float) -> None:
        """Do nothing."""

    def text(self) -> None:
        """Return None: nothing is counted."""


class PrometheusMetrics:
    """Counts into a registry of its own, so that several applications do not mix.

    Args:
        client: the module ``prometheus_client``.
    """

    def __init__(self, client: ModuleType) -> None:
        self._client = client
        self._registry = client.CollectorRegistry()
        self._requests = client.Histogram(
            "meld_request_seconds",
            "Time to answer a request.",
            ["route", "method", "status"],
            buckets=_REQUEST_BUCKETS,
            registry=self._registry,
        )
        self._solves = client.Histogram(
            "meld_solve_seconds",
            "Time an engine took for one question.",
            ["rules", "engine"],
            buckets=_SOLVE_BUCKETS,
            registry=self._registry,
        )

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        self._requests.labels(route, method, str(status)).observe(seconds)

    def solve(self, rules: str, engine: str, seconds: float) -> None:
        """Count one question answered by an engine."""
        self._solves.labels(rules, engine).observe(seconds)

    def text(self) -> tuple[bytes, str]:
        """Return the exposition in the text format, with its content type."""
        return self._client.generate_latest(self._registry), self._client.CONTENT_TYPE_LATEST


def make_metrics(*, on: bool) -> Metrics:
    """Return counters when they are on and prometheus-client is installed."""
    if not on:
        return SilentMetrics()
    try:
        return PrometheusMetrics(importlib.import_module("prometheus_client"))
    except ImportError:
        return SilentMetrics()
