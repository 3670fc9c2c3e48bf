"""Byte streams of text files: plain, gzip, standard input; cut into blocks at line ends."""

from __future__ import annotations

import gzip
import io
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from solver.batch.gzip_check import damage_of
from solver.batch.hands import Bad
from solver.batch.job import STDIO, BatchError, UnreadableError
from solver.batch.returns import end_at_all
from solver.packings import GZIP, LONGEST, packing_of

MAX_LINE: Final = 1 << 24
"""Longest line read, in bytes; longer ones are one bad row each."""
_READ: Final = 1 << 18
_BOM: Final = b"\xef\xbb\xbf"
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Position:
    """Where reading stands.

    Attributes:
        offset: bytes of (unpacked) text, or rows of a Parquet file, that lie behind.
        line: number of the next line, 1...
    """

    offset: int = 0
    line: int = 1

    @property
    def is_end(self) -> bool:
        """Return whether nothing more is to be read, whatever the file still holds."""
        return self.offset < 0


@dataclass(frozen=True, slots=True)
class Piece:
    """Some whole lines of a file, or one fault in place of a row.

    Attributes:
        data: the lines; the last may lack its line end.
        line: number of the first line.
        after: where the next piece begins.
        fault: why one row cannot be read; then there is no data.
    """

    data: bytes
    line: int
    after: Position
    fault: Bad | None = None


class Stream:
    """A binary file read forward, unpacked when it is gzip (known by its first bytes).

    Args:
        path: the file, or ``"-"`` for standard input.

    Attributes:
        offset: bytes of (unpacked) text that were taken.
        broken: why the file gives no more, None while it does.
        ends_at_returns: whether a return without a line feed is read as a line feed.

    Raises:
        BatchError: ``batch.input`` the file cannot be opened.
        UnreadableError: ``batch.encoding`` it is UTF-16; ``batch.input`` it is packed otherwise.
    """

    def __init__(self, path: str) -> None:
        try:
            raw: Any = sys.stdin.buffer if path == STDIO else open(path, "rb")
            underneath: Any = io.BufferedReader(raw)
            packing = packing_of(underneath.peek(LONGEST))
        except OSError as error:
            message = f"{path}: expected a file that can be read, got {error.strerror}"
            raise BatchError(message, code="batch.input") from error
        self._closes = path != STDIO
        self._underneath = underneath
        self.is_gzip = packing == GZIP
        if packing not in {None, GZIP}:
            self.close()
            message = f"{path}: expected plain text or gzip, got {packing}: unpack it first"
            raise UnreadableError(message, code="batch.input")
        self._damage: tuple[int, Bad] | None = None
        self._file: io.BufferedIOBase = underneath
        if self.is_gzip:
            if path == STDIO:
                self._spool()
            self._file = gzip.GzipFile(fileobj=self._underneath)
        self._n_unpacked = 0
        self._pending = b""
        self.offset = 0
        self.broken: Bad | None = None
        self.ends_at_returns = False
        head = self.take(3)
        if head[:2] in _UTF16:
            self.close()
            raise UnreadableError(f"{path}: expected UTF-8, got UTF-16", code="batch.encoding")
        self._pending = head.removeprefix(_BOM) + self._pending
        self.offset = len(_BOM) if head == _BOM else 0

    def _spool(self) -> None:
        """Put what is left of standard input into a file that can be read twice."""
        spool = tempfile.TemporaryFile()
        shutil.copyfileobj(self._underneath, spool)
        spool.seek(0)
        self._underneath.detach()
        self._underneath, self._closes = spool, True

    def check(self) -> Bad | None:
        """Read a gzip file whole, and from then on give no text of a damaged member.

        Returns:
            What is damaged, None if nothing is.
        """
        if not self.is_gzip:
            return None
        at = self._underneath.tell()
        self._underneath.seek(0)
        self._damage = damage_of(self._underneath)
        self._underneath.seek(at)
        if self._damage is None:
            return None
        n_given = self._n_unpacked - len(self._pending)
        self._pending = self._pending[: max(0, self._damage[0] - n_given)]
        return self._damage[1]

    def take(self, n: int) -> bytes:
        """Return the next n bytes, fewer only at the end; ``broken`` says if that came early."""
        data = self._take(n)
        if not self.ends_at_returns:
            return data
        if data.endswith(b"\r"):
            follower = self._take(1)
            self.give_back(follower)
            if follower != b"\n":
                data = data[:-1] + b"\n"
        return end_at_all(data)

    def _take(self, n: int) -> bytes:
        parts = [self._pending[:n]]
        self._pending = self._pending[n:]
        n_read = len(parts[0])
        while n_read < n and self.broken is None:
            most = min(n - n_read, _READ)
            if self._damage is not None:
                most = min(most, self._damage[0] - self._n_unpacked)
                if most <= 0:
                    self.broken = self._damage[1]
                    break
            try:
                part = self._file.read1(most)
            except EOFError:
                self.broken = Bad("file.truncated", "expected more of the file, got its end")
                break
            except (OSError, zlib.error) as error:
                self.broken = Bad("file.corrupt", f"expected more of the file, got {error}")
                break
            if not part:
                break
            parts.append(part)
            n_read += len(part)
            self._n_unpacked += len(part)
        self.offset += n_read
        return b"".join(parts)

    def give_back(self, data: bytes) -> None:
        """Put bytes back in front of those to come."""
        self._pending = data + self._pending
        self.offset -= len(data)

    def line(self) -> bytes:
        """Return the next line with its end, b"" at the end of the file; at most 16 MiB of it."""
        parts: list[bytes] = []
        n_read = 0
        while n_read < MAX_LINE:
            more = self.take(1 << 12)
            at = more.find(b"\n") + 1
            if at:
                self.give_back(more[at:])
                more = more[:at]
            parts.append(more)
            n_read += len(more)
            if at or not more:
                break
        return b"".join(parts)

    def skip_to(self, offset: int) -> None:
        """Move forward to an offset: at once in a plain file, by unpacking in a gzip one."""
        if not self.is_gzip and self._underneath.seekable():
            self._underneath.seek(offset)
            self._pending = b""
            self.offset = offset
            return
        while self.offset < offset and self.take(min(offset - self.offset, 1 << 20)):
            pass

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._closes:
            self._underneath.close()
        else:
            self._underneath.detach()


def cut_pieces(
    stream: Stream,
    start: Position,
    block_bytes: int,
    mend: Callable[[bytes], bytes] = bytes,
) -> Iterator[Piece]:
    """Yield the lines of a stream in pieces of about ``block_bytes``.

    Where a piece ends depends only on where it begins, so reading may go on from any ``after``.
    Lines beyond ``MAX_LINE`` and a file that breaks off become pieces with a fault.

    Args:
        stream: the file, standing at ``start``.
        start: where it stands.
        block_bytes: bytes of a piece.
        mend: whole lines -> as many bytes, with the line ends that are to count.
    """
    at = start
    while data := stream.take(block_bytes):
        cut = data.rfind(b"\n") + 1
        if cut:
            stream.give_back(data[cut:])
            data = data[:cut]
        else:
            data += stream.line()
        if not cut and len(data) > MAX_LINE:
            at = _pass_line(stream, data, at)
            fault = Bad("row.line", f"expected a line of at most {MAX_LINE} bytes")
            yield Piece(b"", at.line - 1, at, fault)
            continue
        if stream.broken is not None and not data.endswith(b"\n"):
            break  # the line that breaks off is what the fault stands for
        data = mend(data)
        after = Position(at.offset + len(data), at.line + data.count(b"\n"))
        yield Piece(data, at.line, after)
        at = after
    if stream.broken is not None:
        yield Piece(b"", at.line, Position(-1, at.line), stream.broken)


def whole_piece(stream: Stream, start: Position) -> Iterator[Piece]:
    """Yield all lines of a stream as one piece, then a fault if it breaks off."""
    data = stream.take(1 << 62)
    end = Position(-1, start.line + data.count(b"\n"))
    yield Piece(data, start.line, end)
    if stream.broken is not None:
        yield Piece(b"", end.line, end, stream.broken)


def _pass_line(stream: Stream, data: bytes, at: Position) -> Position:
    """Read to the end of a line that is too long; return the position behind it."""
    n_read = len(data)
    while data and not data.endswith(b"\n"):
        data = stream.line()
        n_read += len(data)
    return Position(at.offset + n_read, at.line + 1)
