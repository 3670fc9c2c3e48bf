"""Search for the dearest request of every route: hill climbing on time, within a budget.

``python -m bench.slow_requests --minutes 30`` starts a service of its own on loopback, changes
requests that were slow into others, and tells of each route the slowest request and the one that
was furthest beyond its time. The exit code is 1 when a request took longer than its limit by more
than half a second, or was answered with an error of the service's own (500). What is beyond is
asked a second time, since everything else a machine does only adds to a time.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TextIO, TypeAlias

from bench.service_load import running_server
from bench.slow_questions import (
    Document,
    Message,
    Route,
    changed,
    make_routes,
    message_of,
    seconds_of,
)

TOLERANCE_S: Final = 0.5
GIVE_UP_S: Final = 20.0
"""How long after its limit a request is waited for."""
POOL: Final = 6
_SHOWN: Final = 2000

Ask: TypeAlias = Callable[[Message, float], tuple[float, int]]
"""Sends a message and waits so many seconds; returns the seconds it took and its status, 0 where
no answer came."""


@dataclass(frozen=True)
class Try:
    """A request that was asked.

    Attributes:
        took_s: seconds from the first byte sent to the last received.
        limit_s: seconds that it had.
        status: HTTP status, 0 where no answer came.
    """

    document: Document
    took_s: float
    limit_s: float
    status: int

    @property
    def beyond_s(self) -> float:
        """Return the seconds beyond its limit, negative within it."""
        return self.took_s - self.limit_s


@dataclass
class Climb:
    """What was found on one route: the slowest requests, and those furthest beyond their limit."""

    route: Route
    n_asked: int = 0
    n_accepted: int = 0
    spent_s: float = 0.0
    failed: list[Try] = field(default_factory=list)
    slowest: list[Try] = field(default_factory=list)
    furthest: list[Try] = field(default_factory=list)

    def next_document(self, rng: random.Random, limit_s: float) -> Document:
        """Return the first document, then changes of what was slow."""
        if not self.n_asked:
            return self.route.first
        pool = rng.choice((self.slowest, self.furthest)) or self.slowest
        known = rng.choice(pool).document if pool else self.route.first
        if rng.random() < 0.1:  # noqa: PLR2004 - leave a hill now and then
            known = self.route.first
        return changed(self.route, known, rng, limit_s)

    def keep(self, one: Try) -> None:
        """Remember a request among the slowest and the furthest."""
        self.n_asked += 1
        self.n_accepted += one.status == http.client.OK
        if one.status == http.client.INTERNAL_SERVER_ERROR:
            self.failed = [*self.failed, one][:POOL]
        self.slowest = sorted([*self.slowest, one], key=lambda t: -t.took_s)[:POOL]
        self.furthest = sorted([*self.furthest, one], key=lambda t: -t.beyond_s)[:POOL]


class Service:
    """A running service that is started anew when it owes an answer."""

    def __init__(self, limit_s: float) -> None:
        self._settings = {"MELD_LIMIT_TIME_LIMIT_S": str(limit_s)}
        self._stack = ExitStack()
        self._port = 0

    def ask(self, message: Message, wait_s: float) -> tuple[float, int]:
        """Send a message; return the seconds it took and its status, 0 where no answer came."""
        if not self._port:
            self._port = self._stack.enter_context(running_server(self._settings))
        link = http.client.HTTPConnection("127.0.0.1", self._port, timeout=wait_s)
        began = time.perf_counter()
        try:
            kind = {"Content-Type": message.content_type} if message.content_type else {}
            link.request(message.method, message.path, message.body, kind)
            response = link.getresponse()
            response.read()
            status = response.status
        except (OSError, http.client.HTTPException):
            status = 0
        finally:
            link.close()
        took_s = time.perf_counter() - began
        if not status:
            self.close()
        return took_s, status

    def close(self) -> None:
        """Stop the service."""
        self._stack.close()
        self._port = 0


def search(
    climbs: Sequence[Climb], ask: Ask, *, budget_s: float, limit_s: float, seed: int
) -> None:
    """Ask until the budget is spent, every route for as long as the others and at least once."""
    rng = random.Random(seed)
    ends_s = time.monotonic() + budget_s
    while time.monotonic() < ends_s or not all(climb.n_asked for climb in climbs):
        climb = min(climbs, key=lambda c: (c.n_asked > 0, c.spent_s))
        began_s = time.monotonic()
        document = climb.next_document(rng, limit_s)
        one = try_once(climb.route, document, ask, limit_s)
        if one.beyond_s > TOLERANCE_S:
            again = try_once(climb.route, document, ask, limit_s)
            one = min(one, again, key=lambda t: t.took_s)
        climb.keep(one)
        climb.spent_s += time.monotonic() - began_s


def try_once(route: Route, document: Document, ask: Ask, limit_s: float) -> Try:
    """Ask a request once."""
    own_s = seconds_of(document, limit_s)
    took_s, status = ask(message_of(route, document), own_s + GIVE_UP_S)
    return Try(document, took_s, own_s, status)


def is_beyond(climb: Climb) -> bool:
    """Return whether some request of a route took longer than it may."""
    return bool(climb.furthest) and climb.furthest[0].beyond_s > TOLERANCE_S


def is_wrong(climb: Climb) -> bool:
    """Return whether some request of a route took too long or made the service fail."""
    return bool(climb.failed) or is_beyond(climb)


def report(climbs: Sequence[Climb], out: TextIO) -> None:
    """Write a line for each route, then the requests that took longest."""
    head = f"{'route':24} {'asked':>6} {'ok':>6} {'slowest':>9} {'limit':>7} {'beyond':>8}"
    print(head, file=out)
    for climb in climbs:
        slow, far = climb.slowest[0], climb.furthest[0]
        mark = "  BEYOND" * is_beyond(climb) + "  FAILED" * bool(climb.failed)
        print(
            f"{climb.route.name:24} {climb.n_asked:6} {climb.n_accepted:6} {slow.took_s:8.2f}s"
            f" {far.limit_s:6.3g}s {far.beyond_s:+7.2f}s{mark}",
            file=out,
        )
    for climb in climbs:
        shown = [("slowest", climb.slowest[0]), ("furthest", climb.furthest[0])]
        for what, one in [*shown, *(("failed", one) for one in climb.failed)]:
            text = json.dumps(one.document)
            cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"
            print(f"\n{climb.route.name}, {what}, {one.took_s:.2f} s: {cut}", file=out)


def write_found(climbs: Sequence[Climb], path: Path) -> None:
    """Write all that was kept as JSON lines, the requests whole."""
    with path.open("w", encoding="utf-8") as file:
        for climb in climbs:
            for one in (*climb.slowest, *climb.furthest, *climb.failed):
                told = {
                    "route": climb.route.name,
                    "seconds": round(one.took_s, 3),
                    "limit_s": one.limit_s,
                    "status": one.status,
                    "document": one.document,
                }
                file.write(json.dumps(told) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the search; return 1 when a request was beyond its limit."""
    parser = argparse.ArgumentParser(prog="python -m bench.slow_requests", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="budget of all routes")
    parser.add_argument("--limit", type=float, default=2.0, help="time limit of the service, s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--route", action="append", help="only routes whose name holds this text")
    parser.add_argument("-o", "--output", type=Path, help="file for the requests found")
    asked = parser.parse_args(arguments)
    climbs = [Climb(route) for route in make_routes()]
    if asked.route:
        climbs = [c for c in climbs if any(text in c.route.name for text in asked.route)]
    if not climbs:
        parser.error(f"expected a route such as /v1/solve, got {asked.route}")
    service = Service(asked.limit)
    try:
        budget_s = asked.minutes * 60
        search(climbs, service.ask, budget_s=budget_s, limit_s=asked.limit, seed=asked.seed)
    finally:
        service.close()
    report(climbs, sys.stdout)
    if asked.output:
        write_found(climbs, asked.output)
    return int(any(map(is_wrong, climbs)))


if __name__ == "__main__":
    sys.exit(main())
