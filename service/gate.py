"""The places for questions: so many are worked on at once, a few wait, the rest is told to return.

Fewer places than threads, so that probes and refusals are answered however much is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from service.errors import ProblemError

LONGEST_WAIT_S: Final = 2.0
"""Longest time in which a question waits for a place; most questions take milliseconds."""


class Gate:
    """Places for questions.

    Args:
        places: questions worked on at once.
        waiting: questions that may wait for a place.
    """

    def __init__(self, places: int, waiting: int) -> None:
        self._n_places = places
        self._places = threading.BoundedSemaphore(places)
        self._line = threading.BoundedSemaphore(waiting)

    @contextmanager
    def place(self, wait_s: float) -> Iterator[None]:
        """Hold a place until the block ends, waiting for one at most so long.

        Raises:
            ProblemError: ``unavailable``, there is none.
        """
        if not self._take(min(wait_s, LONGEST_WAIT_S)):
            message = f"{self._n_places} questions are being worked on and others wait"
            raise ProblemError("unavailable", message, headers={"Retry-After": "2"})
        try:
            yield
        finally:
            self._places.release()

    def _take(self, wait_s: float) -> bool:
        if self._places.acquire(blocking=False):
            return True
        if not self._line.acquire(blocking=False):
            return False
        try:
            return self._places.acquire(timeout=wait_s)
        finally:
            self._line.release()
