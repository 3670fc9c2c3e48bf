"""The time that a request may take: one end, set when the request arrives, for all its stages."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Final

from flask import g

from solver import clock
from solver.deadline import Deadline
from solver.errors import LimitError

ARRIVED: Final = "meld.arrived"
"""Key of the WSGI environment: when the request was complete, as time.monotonic() tells it."""
GONE: Final = "meld.gone"
"""Key of the WSGI environment: an event, set when the client has hung up."""


@dataclass
class Clock:
    """When a request has to be done.

    Attributes:
        ends_s: that moment, as ``time.monotonic()`` tells it.
        limit_s: seconds that the request has from its arrival.
        gone: set when nobody waits for the answer any more; then no time is left.
    """

    ends_s: float
    limit_s: float
    gone: threading.Event = field(default_factory=threading.Event)

    def waits_s(self) -> float:
        """Return the seconds left, 0 when there are none."""
        return 0.0 if self.gone.is_set() else max(0.0, self.ends_s - time.monotonic())

    def left_s(self) -> float:
        """Return the seconds left, more than 0.

        Raises:
            LimitError: ``limit.time``, none is left.
        """
        if left_s := self.waits_s():
            return left_s
        message = f"expected an answer within {self.limit_s:g} seconds, the time ran out"
        raise LimitError(message, code="limit.time")

    def deadline(self) -> Deadline:
        """Return the end of the request as the solver is told of it."""
        return Deadline(clock.now() + self.waits_s(), self.limit_s)

    def narrow(self, limit_s: float) -> None:
        """Let the request end sooner: after so many seconds from its arrival."""
        if limit_s < self.limit_s:
            self.ends_s -= self.limit_s - limit_s
            self.limit_s = limit_s


def request_clock() -> Clock:
    """Return the clock of the current request."""
    running: Clock = g.clock
    return running
