"""What one running application holds: settings, rules already read, readiness, the solve gate."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import urlencode

from flask import current_app

from service.clock import request_clock
from service.config import ServiceConfig
from service.errors import ProblemError
from service.gate import Gate
from service.metrics import Metrics
from solver.errors import Fault, RulesError
from solver.rules.keys import SELECTORS
from solver.rules.loader import load_rules
from solver.rules.model import GameRules
from solver.rules.question import named_rules

EXTENSION: Final = "meld_solver"
_KEPT_RULES = 1024
_WARM_WAIT_S: Final = 3.0
"""Longest time in which a question waits for kernels, which come from a cache in about that."""


@dataclass(frozen=True, slots=True)
class NamedRules:
    """Rules of a request, with what answers say of them.

    Attributes:
        rules: the rules.
        answer: name, title, options, fingerprint, and the round in words, as JSON.
        page: address of the page under these rules, to be continued with a hand.
    """

    rules: GameRules
    answer: Mapping[str, Any]
    page: str


class RulesCache:
    """Rules by the canonical JSON of their request, so that a game is read once.

    The least recently used entry goes first; rules are values, so sharing them is safe.
    """

    def __init__(self, size: int = _KEPT_RULES) -> None:
        self._size = size
        self._known: OrderedDict[str, NamedRules] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: str, options: Mapping[str, Any]) -> NamedRules:
        """Return the rules of a game.

        Raises:
            RulesError: unknown game or options, each fault pointing into the request.
        """
        key = json.dumps([name, options], sort_keys=True)
        with self._lock:
            if (named := self._known.get(key)) is not None:
                self._known.move_to_end(key)
                return named
        try:
            rules = load_rules(name, **options)
        except RulesError as error:
            raise RulesError.from_faults([_in_request(f) for f in error.faults]) from error
        named = name_rules(rules, options)
        with self._lock:
            self._known[key] = named
            if len(self._known) > self._size:
                self._known.popitem(last=False)
        return named


def name_rules(rules: GameRules, options: Mapping[str, Any]) -> NamedRules:
    """Return rules with what answers say of them; ``options`` are those of the request."""
    return NamedRules(rules, named_rules(rules), _page_address(rules, options))


def _page_address(rules: GameRules, options: Mapping[str, Any]) -> str:
    """Return the page with options as parameters: plain values one each, others as one JSON."""
    query = {"rules": rules.name}
    others = {}
    if (rules.n_rounds or 0) > 1 and not options.keys() & set(SELECTORS):
        query["round"] = ""  # no round, where a page without a word of it would begin with one
    for key, value in options.items():
        if isinstance(value, str):
            query[key] = value
        elif isinstance(value, int):
            query[key] = json.dumps(value)
        else:
            others[key] = value
    if others:
        query["options"] = json.dumps(others, separators=(",", ":"))
    return f"/?{urlencode(query)}&hand="


def _in_request(fault: Fault) -> Fault:
    """Return a fault of the loader with its pointer seen from the request."""
    return Fault(fault.code, "/rules" + fault.where, fault.message, fault.data)


class ServiceState:
    """The parts of one application that views use; one object per ``create_app``.

    Attributes:
        config: the settings.
        rules: rules already read.
        metrics: counters, or their silent stand-in.
        ready: set once the kernels are compiled and a test hand was solved rightly.
        failure: why the service will not become ready, None while it may.
        openapi: the OpenAPI document of the registered operations.
        gate: the places for questions.
    """

    def __init__(self, config: ServiceConfig, metrics: Metrics) -> None:
        self.config = config
        self.rules = RulesCache()
        self.metrics = metrics
        self.ready = threading.Event()
        self.failure: str | None = None
        self.openapi: dict[str, Any] = {}
        self.gate = Gate(config.limits.concurrent_solves, config.limits.waiting_solves)

    @property
    def warming(self) -> bool:
        """Whether the kernels are being compiled beside the service."""
        running = self.config.warm_up == "background" and self.failure is None
        return running and not self.ready.is_set()

    @contextmanager
    def solving(self) -> Iterator[None]:
        """Hold one of the places for questions to the solver.

        Raises:
            ProblemError: ``unavailable``, no place came free in the time that one may wait, or
                the service is warming up: a question would wait for the compiler.
        """
        clock = request_clock()
        with self.gate.place(clock.waits_s()):
            if self.warming and not self.ready.wait(min(_WARM_WAIT_S, clock.waits_s())):
                message = "warming up: the kernels are being compiled, which takes up to a minute"
                raise ProblemError("unavailable", message, headers={"Retry-After": "3"})
            with clock.deadline().around():  # every stage has this end, told or not
                yield


def service_state() -> ServiceState:
    """Return the state of the application that handles this request."""
    return cast(ServiceState, current_app.extensions[EXTENSION])
