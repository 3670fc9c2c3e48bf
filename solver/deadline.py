"""The moment by which a question has to be answered, handed from stage to stage."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Final, Protocol, TypeAlias

from solver import clock
from solver.errors import LimitError, quoted

SHORT: Final = 100_000_000
"""Steps of a kernel that are not worth watching: they take a twentieth of a second."""


class Memory(Protocol):
    """What a kernel works in: a flat array of int64."""

    def __getitem__(self, place: int, /) -> Any:  # noqa: ANN401 - as numpy has it
        """Return a number."""

    def __setitem__(self, place: int, value: int, /) -> Any:  # noqa: ANN401 - as numpy has it
        """Write a number."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a question has to be answered; made once, then handed on.

    Attributes:
        ends_s: that moment as ``solver.clock.now()`` tells it; None: there is no time limit.
        limit_s: seconds that were given, None likewise.
    """

    ends_s: float | None
    limit_s: float | None
    NEVER: ClassVar[Deadline]

    @staticmethod
    def after(time_limit_s: TimeLimit) -> Deadline:
        """Return the deadline so many seconds from now; one that runs already is passed on.

        None asks for that of the question around this one (``around``), or for none. A part of
        a question never has more time than the whole.

        Raises:
            LimitError: ``limit.time`` unless the seconds are None or above zero.

        Example:
            >>> Deadline.after(None).left() is None
            True
            >>> 0 < Deadline.after(2.5).left() <= 2.5
            True
        """
        if isinstance(time_limit_s, Deadline):
            return time_limit_s
        whole = _AROUND.get()
        if time_limit_s is None:
            return whole
        given: Any = time_limit_s  # whatever a caller without types may pass
        if isinstance(given, bool) or not isinstance(given, Real) or not float(given) > 0:
            raise LimitError(
                f"expected a time limit above 0 seconds, got {quoted(time_limit_s)}",
                code="limit.time",
                where="/time_limit_s",
            )
        ends_s = clock.now() + time_limit_s
        if whole.ends_s is not None and whole.ends_s < ends_s:
            return whole
        return Deadline(ends_s, time_limit_s)

    def left(self) -> float | None:
        """Return the seconds left, never below 0; None when there is no time limit."""
        return None if self.ends_s is None else max(0.0, self.ends_s - clock.now())

    @property
    def expired(self) -> bool:
        """Return whether the time is up."""
        return self.ends_s is not None and clock.now() >= self.ends_s

    @contextmanager
    def around(self) -> Iterator[None]:
        """Let every question of the block, however deep, end by this deadline.

        For questions that are answered by hundreds of others: advice, the score of a round.

        Example:
            >>> with Deadline.after(2.5).around():
            ...     Deadline.after(None).limit_s
            2.5
        """
        before = _AROUND.set(self)
        try:
            yield
        finally:
            _AROUND.reset(before)

    def check(self) -> None:
        """Raise LimitError ``limit.time`` when the time is up."""
        if self.expired:
            raise self.used_up()

    def used_up(self) -> LimitError:
        """Return the error of a search that was ended: its time is up, or else its steps are."""
        left = self.left()
        if left is not None and self.limit_s is not None and left <= margin_s(self.limit_s):
            return LimitError(
                f"expected an answer within {self.limit_s:g} seconds, the time ran out",
                code="limit.time",
                where="/time_limit_s",
            )
        return LimitError(
            "expected a question that needs less work: fewer cards or fewer wilds",
            code="limit.work",
        )

    @contextmanager
    def stops(self, memory: Memory, place: int, times: int = 1) -> Iterator[None]:
        """Stop a kernel when the time is up: its budget of steps, ``memory[place]``, becomes 0.

        A kernel cannot read a clock. It counts steps and compares them with its budget anyway, so
        a thread that sets the budget to 0 ends it within a step on any machine. Budgets that
        together, ``times`` in a row, are no more than ``SHORT`` are left alone.
        """
        if self.ends_s is None or memory[place] * times <= SHORT:
            yield
            return
        watched = _WATCH.add(self.ends_s, memory, place)
        try:
            yield
        finally:
            _WATCH.remove(watched)


Deadline.NEVER = Deadline(None, None)
_AROUND: ContextVar[Deadline] = ContextVar("deadline", default=Deadline.NEVER)


def margin_s(left_s: float) -> float:
    """Return how much before its end a search of coarse steps has to stop, in seconds."""
    return min(0.3, left_s / 5)


TimeLimit: TypeAlias = "float | Deadline | None"
"""How public functions take their ``time_limit_s``: seconds, None for no limit, or the deadline
of the question they are a part of."""


class _Watch:
    """One thread for all kernels that run under a deadline; it starts with the first."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.watched: dict[int, tuple[float, Memory, int]] = {}
        self.n_added = 0
        self.thread: threading.Thread | None = None

    def add(self, ends_s: float, memory: Memory, place: int) -> int:
        with self.changed:
            self.n_added += 1
            self.watched[self.n_added] = (ends_s, memory, place)
            if self.thread is None:
                self.thread = threading.Thread(target=self._run, name="deadlines", daemon=True)
                self.thread.start()
            elif ends_s <= min(end for end, _, _ in self.watched.values()):
                self.changed.notify()
            return self.n_added

    def remove(self, number: int) -> None:
        with self.changed:
            self.watched.pop(number, None)

    def _run(self) -> None:
        with self.changed:
            while True:
                now = clock.now()
                for number, (ends_s, memory, place) in list(self.watched.items()):
                    if ends_s <= now:
                        memory[place] = 0
                        del self.watched[number]
                ends = [end for end, _, _ in self.watched.values()]
                # The clock stands still while kernels are made ready: the wait may be in vain.
                self.changed.wait(
                    min(max(min(ends) - now, _LEAST_WAIT_S), _MOST_WAIT_S) if ends else None
                )


_LEAST_WAIT_S, _MOST_WAIT_S = 1e-3, 60.0
_WATCH = _Watch()
# A forked process has none of the threads, and a lock that one of them may have held.
os.register_at_fork(after_in_child=_WATCH.__init__)  # type: ignore[misc]
