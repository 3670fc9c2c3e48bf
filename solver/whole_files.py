"""Files that appear only when they are whole, each written by one job at a time."""

from __future__ import annotations

import datetime
import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from solver.errors import MeldSolverError

_MOST_TOLD: Final = 4096
_BEGINNING: Final = b'{"pid"'
"""What a lock file begins with; no other file is taken for one."""


class BusyError(MeldSolverError):
    """An output that another job is writing, or that cannot be locked."""

    default_code = "output.busy"


def part_of(path: str | Path) -> str:
    """Return the name under which a file is written until it is whole."""
    return f"{path}.part"


def lock_of(path: str | Path) -> str:
    """Return the name of the lock file of an output."""
    return f"{path}.lock"


class OutputLock:
    """The right to write one output, held until it is released or the process ends.

    The lock is the operating system's (``flock`` on ``PATH.lock``), not the file: a process that
    dies holds none, whatever it leaves behind. Releasing it removes ``PATH.part``, so nothing half
    written stays.

    Args:
        path: the output.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self._handle: int | None = None

    def __enter__(self) -> Self:
        self.take()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def take(self) -> None:
        """Take the lock at once.

        Raises:
            BusyError: ``output.busy`` somebody else holds it: the message says who, and ``data``
                of the fault what is known of it; ``output.lock`` there can be none here.
            OSError: the lock file cannot be made.
        """
        while self._handle is None:
            handle = os.open(lock_of(self.path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                self._try(handle)
            finally:
                if self._handle is None:
                    os.close(handle)

    def _try(self, handle: int) -> None:
        """Take the lock of an open lock file, unless that file was removed meanwhile."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            told = os.read(handle, _MOST_TOLD)
            raise _busy(self.path, told) from None
        except OSError as error:
            message = f"{self.path}: expected a file system with locks, got {error.strerror}"
            raise BusyError(message, code="output.lock") from error
        try:
            is_there = os.path.samestat(os.fstat(handle), os.stat(lock_of(self.path)))
        except FileNotFoundError:
            is_there = False
        if not is_there:  # the last holder removed it between our opening and locking
            return
        told = os.read(handle, _MOST_TOLD)
        if told and not told.startswith(_BEGINNING):
            message = f"{lock_of(self.path)}: expected a lock file or none, got another file"
            raise BusyError(message, code="output.lock")
        started = datetime.datetime.now(datetime.UTC).isoformat(" ", "seconds")
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "started": started}
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(holder).encode(), 0)
        self._handle = handle

    def release(self) -> None:
        """Give the lock back and leave nothing but whole files; do nothing without it."""
        if self._handle is None:
            return
        remove(part_of(self.path))
        remove(lock_of(self.path))
        os.close(self._handle)
        self._handle = None


def _busy(path: str | Path, told: bytes) -> BusyError:
    """Return the error of an output that the writer of a lock file holds."""
    try:
        holder = json.loads(told)
        who = f"process {holder['pid']} on {holder['host']}, since {holder['started']}"
    except (ValueError, KeyError, TypeError):  # it holds the lock and has not yet written
        holder, who = {}, "a process that has just started"
    message = f"{path}: expected an output that no other job is writing, got one of {who}"
    return BusyError(message, data=holder)


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file to write that takes its name only when all was written and is durable.

    Raises:
        BusyError: another job is writing it.
    """
    with OutputLock(path):
        with open(part_of(path), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part_of(path), path)
        sync_folder(Path(path).parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def remove(path: str) -> None:
    """Remove a file that may not be there."""
    with suppress(FileNotFoundError):
        os.unlink(path)
