"""Signals that ask a command to stop: each ends it in order, with what was done kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_ASKING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SIGNALLED: Final = 128


class Stopped(KeyboardInterrupt):
    """A signal asked the command to stop.

    Args:
        number: the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.exit_code = _SIGNALLED + number
        """What shells report of a process that a signal ended."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise ``Stopped`` in the block at the first signal that asks to stop.

    Further ones change nothing while the block cleans up, except that Ctrl-C twice interrupts
    that too. Signals that are ignored, as under ``nohup``, stay so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread hears signals
        return
    before = {number: signal.getsignal(number) for number in _ASKING}
    heard = [number for number in _ASKING if before[number] != signal.SIG_IGN]

    def stop(number: int, _: FrameType | None) -> None:
        for other in heard:
            is_key = other == signal.SIGINT
            signal.signal(other, signal.default_int_handler if is_key else signal.SIG_IGN)
        raise Stopped(number)

    try:
        for number in heard:
            signal.signal(number, stop)
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])
