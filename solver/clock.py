"""A clock that stands still while kernels are compiled or loaded: times of answers, time limits."""

from __future__ import annotations

import threading
import time


class _Pauses:
    """How long the clock has stood still, and whether it does now; shared by all threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.n_open = 0
        self.since = 0.0
        self.total_s = 0.0


_pauses = _Pauses()


def now() -> float:
    """Return seconds from a fixed moment; meant for differences, never falls.

    The first call of a kernel compiles it (tens of seconds for all of them) or loads it from the
    cache (a second or two). That is no part of an answer: it would make the time of the first
    answer of a process meaningless and use up every short time limit.
    """
    with _pauses.lock:
        moment = _pauses.since if _pauses.n_open else time.perf_counter()
        return moment - _pauses.total_s


def pause() -> None:
    """Stop the clock until each pause has its ``resume``; threads may overlap."""
    with _pauses.lock:
        if not _pauses.n_open:
            _pauses.since = time.perf_counter()
        _pauses.n_open += 1


def resume() -> None:
    """Let the clock go on after a pause."""
    with _pauses.lock:
        _pauses.n_open -= 1
        if not _pauses.n_open:
            _pauses.total_s += time.perf_counter() - _pauses.since
