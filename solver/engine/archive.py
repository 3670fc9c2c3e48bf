"""Files of recorded games: one JSON line a game, plain or gzip, read past what is broken."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Final, cast

from solver.engine.record import GameRecord, RecordError, read_record
from solver.engine.replay import Replay, replay
from solver.errors import Fault, NotationError
from solver.packings import GZIP, LONGEST, packing_of
from solver.whole_files import whole_file

MAX_LINE: Final = 16 * 2**20
"""Longest line read, in bytes: a game of 1000 rounds is about a tenth of it."""

_CHUNK: Final = 2**16
"""Bytes read at once; a part of this size tells what kind of file it is."""


@dataclass(frozen=True, slots=True)
class ArchiveLine:
    """One line of an archive.

    Attributes:
        line_no: number of the line, 1...
        record: the record, None when the line is none.
        faults: why the line is no record.
    """

    line_no: int
    record: GameRecord | None
    faults: tuple[Fault, ...] = ()

    @property
    def name(self) -> str:
        """Return the id of the game, else its line."""
        return self.record.id if self.record and self.record.id else f"line {self.line_no}"


def read_records(source: str | Path | IO[bytes]) -> Iterator[ArchiveLine]:
    """Yield a line for each record of a file; blank lines are passed over.

    A line that is no record comes with its faults, and reading goes on behind it. A file cut
    short inside gzip data ends with one faulty line, code ``record.truncated``.

    Args:
        source: path or binary file; gzip is known by its first bytes.
    """
    if isinstance(source, str | Path):
        with Path(source).open("rb") as file:
            yield from read_records(file)
        return
    try:
        stream = open_archive(source)
    except NotationError as error:
        yield ArchiveLine(1, None, error.faults)
        return
    for line_no, line in read_lines(stream):
        if isinstance(line, Fault):
            yield ArchiveLine(line_no, None, (line,))
        else:
            yield _read_line(line_no, line)


def open_archive(source: IO[bytes]) -> io.BufferedReader:
    """Return the bytes of a file, unpacked where its first bytes say gzip.

    Raises:
        NotationError: ``file.packed`` it is packed otherwise.
    """
    head = source.read(LONGEST)
    file: io.BufferedReader = io.BufferedReader(_Joined(head, source), _CHUNK)
    packing = packing_of(head)
    if packing is None:
        return file
    if packing != GZIP:
        message = f"expected plain text or gzip, got {packing}: unpack it first"
        raise NotationError(message, code="file.packed")
    return io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=file)), _CHUNK)


def truncated(error: Exception, line_no: int) -> Fault:
    """Return the fault of compressed data that is cut short or broken."""
    end = "its end" if isinstance(error, EOFError) else "bytes that do not unpack"
    message = f"expected more compressed data, got {end}"
    return Fault("record.truncated", "", message, {"line": line_no})


BROKEN_PACKING: Final = (EOFError, OSError, zlib.error)
"""What reading of broken gzip data raises."""


def read_lines(stream: io.BufferedReader) -> Iterator[tuple[int, bytes | Fault]]:
    """Yield number (1...) and bytes of each line that is not blank, a fault for a bad one.

    Args:
        stream: of ``open_archive``. Lines are at most ``MAX_LINE`` bytes.
    """
    line_no = 0
    while True:
        try:
            line = stream.readline(MAX_LINE + 1)
        except BROKEN_PACKING as err:
            yield line_no + 1, truncated(err, line_no + 1)
            return
        if not line:
            return
        line_no += 1
        if len(line) > MAX_LINE:
            yield line_no, Fault("record.line", "", f"expected a line of at most {MAX_LINE} bytes")
            while line and not line.endswith(b"\n"):
                try:
                    line = stream.readline(MAX_LINE)
                except BROKEN_PACKING:
                    return
        elif line.strip():
            yield line_no, line


class _Joined(io.RawIOBase):
    """A stream whose first bytes were read already."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        super().__init__()
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any writable buffer
        chunk = self._head + self._rest.read(len(buffer) - len(self._head))
        self._head = b""
        buffer[: len(chunk)] = chunk
        return len(chunk)


def _read_line(line_no: int, line: bytes) -> ArchiveLine:
    try:
        return ArchiveLine(line_no, read_record(line))
    except RecordError as err:
        return ArchiveLine(line_no, None, err.faults)


def write_records(path: str | Path, records: Iterable[GameRecord]) -> int:
    """Write records, one a line, and return how many; a name ending in ``.gz`` is compressed.

    The file appears only when it is complete.

    Raises:
        BusyError: another job is writing it.
    """
    n_records = 0
    with whole_file(path) as raw:
        # The time stamp is left out so that equal games make equal files.
        is_packed = Path(path).suffix == ".gz"
        packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if is_packed else None
        for record in records:
            (packed or raw).write(record.to_line().encode() + b"\n")
            n_records += 1
        if packed is not None:
            packed.close()
    return n_records


def replay_file(source: str | Path | IO[bytes]) -> Iterator[Replay]:
    """Yield the replay of every line of an archive; a line that is no record has its faults."""
    for line in read_records(source):
        if line.record is None:
            yield Replay(line.name, None, 0, line.faults)
        else:
            yield replace(replay(line.record), id=line.name)
