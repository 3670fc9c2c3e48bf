"""Readiness: compile what requests use, then solve a hand whose answer is known."""

from __future__ import annotations

import logging
import threading

from service.state import ServiceState
from solver.rules.loader import load_rules
from solver.solve import solve, warm_up

log = logging.getLogger("service")

_TEST_HAND = "7S 7H 7D KC"
_TEST_PENALTY = 10


def start_warm_up(state: ServiceState) -> None:
    """Make the service ready: beside the probes and documents, before them, or not at all."""
    if state.config.warm_up == "blocking":
        make_ready(state)
    elif state.config.warm_up == "background":
        threading.Thread(target=make_ready, args=[state], name="warm-up", daemon=True).start()


def make_ready(state: ServiceState) -> None:
    """Compile the kernels and test them; a failure is kept for ``/readyz`` and logged."""
    try:
        warm_up()
        penalty = solve(_TEST_HAND, load_rules("gin")).penalty
        if penalty != _TEST_PENALTY:
            raise RuntimeError(f"expected {_TEST_PENALTY} for {_TEST_HAND}, got {penalty}")
    except Exception as error:
        log.exception("the service does not become ready")
        state.failure = f"{type(error).__name__}: {error}"
        return
    state.ready.set()
