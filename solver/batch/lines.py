"""Lines of a block -> rows: a fast parser for whole ranges, a careful one for what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solver.batch.hands import Bad, Faults
from solver.batch.job import BatchError
from solver.errors import quoted

_BY_HAND: Final = 128
"""Lines below which a refused range is read line by line instead of being halved."""
MENDED: Final = "\ufffd"
"""Stands where bytes were no text; an id with it is not the id that was written."""


def one_place(names: Sequence[str], name: str, path: str = "") -> int:
    """Return the place of the one column of a name.

    Raises:
        BatchError: ``batch.column`` there is none, or more than one.
    """
    count = names.count(name)
    if count == 1:
        return names.index(name)
    got = f"{count} of them" if count else f"{', '.join(map(repr, names)) or 'none':.200}"
    number = "one" if count else "a"
    message = f"expected {number} column {quoted(name)}, got {got}"
    raise BatchError(f"{path}: {message}" if path else message, code="batch.column")


@dataclass(frozen=True)
class Rows:
    """Rows as they go into the pure function.

    Attributes:
        batch: the columns of the question.
        faults: rows that could not be read.
        lines: int64[n], the line of each row; None where rows have no lines.
    """

    batch: Any
    faults: Faults
    lines: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Lines:
    """A block of lines.

    Attributes:
        data: the bytes.
        starts: int64[n], where lines start.
        ends: int64[n], where they end, line ends (LF or CR LF) excluded.
    """

    data: bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, data: bytes) -> Lines:
        """Return the lines of some bytes."""
        chars = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(chars == 10)  # noqa: PLR2004 - line feed
        if data and not data.endswith(b"\n"):
            ends = np.append(ends, len(data))
        starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
        has_return = (ends > starts) & (chars[np.maximum(ends - 1, 0)] == 13)  # noqa: PLR2004
        return cls(data, starts, ends - has_return)

    def __len__(self) -> int:
        return len(self.starts)

    def line(self, i: int) -> bytes:
        """Return one line without its end."""
        return self.data[self.starts[i] : self.ends[i]]

    def span(self, lo: int, hi: int) -> bytes:
        """Return the bytes of lines lo..hi-1, line ends included."""
        stop = self.starts[hi] if hi < len(self) else len(self.data)
        return self.data[self.starts[lo] : stop]

    def first(self) -> NDArray[np.uint8]:
        """Return the first byte of each line, that of an empty one being its line end."""
        return np.frombuffer(self.data, np.uint8)[self.starts]

    def last(self) -> NDArray[np.uint8]:
        """Return the last byte of each line; any byte for an empty one."""
        return np.frombuffer(self.data, np.uint8)[np.maximum(self.ends - 1, 0)]


class Collector:
    """Joins the rows of ranges that were read at once and of lines that were read by hand.

    Args:
        schema: Arrow schema of the rows.
    """

    def __init__(self, schema: Any) -> None:  # noqa: ANN401 - Arrow has no types
        self.schema = schema
        self.faults: Faults = {}
        self._batches: list[Any] = []
        self._lines: list[NDArray[np.int64]] = []
        self._cells: list[tuple[object, ...]] = []
        self._cell_lines: list[int] = []
        self._n_rows = 0

    def add_batch(self, batch: Any, lo: int, hi: int) -> None:  # noqa: ANN401
        """Add the rows of lines lo..hi-1."""
        self._flush()
        self._batches.append(batch)
        self._lines.append(np.arange(lo, hi))
        self._n_rows += hi - lo

    def add_row(self, line: int, cells: tuple[object, ...], fault: Bad | None = None) -> None:
        """Add one row; a row with a fault still has cells."""
        if fault is not None:
            self.faults[self._n_rows] = fault
        self._cells.append(cells)
        self._cell_lines.append(line)
        self._n_rows += 1

    def _flush(self) -> None:
        if self._cells:
            columns = zip(*self._cells, strict=True)
            arrays = [
                pa.array(list(cells), field.type)
                for cells, field in zip(columns, self.schema, strict=True)
            ]
            self._batches.append(pa.RecordBatch.from_arrays(arrays, schema=self.schema))
            self._lines.append(np.array(self._cell_lines, np.int64))
            self._cells, self._cell_lines = [], []

    def rows(self, first_line: int) -> Rows:
        """Return all rows; ``first_line`` is the number of the block's first line."""
        self._flush()
        if len(self._batches) == 1:
            batch = self._batches[0]
        else:
            table = pa.Table.from_batches(self._batches, schema=self.schema).combine_chunks()
            batches = table.to_batches()
            batch = batches[0] if batches else pa.RecordBatch.from_pylist([], schema=self.schema)
        lines = np.concatenate(self._lines) if self._lines else np.zeros(0, np.int64)
        return Rows(batch, self.faults, lines + first_line)


def collect(
    lines: Lines,
    collector: Collector,
    *,
    odd: NDArray[np.bool_],
    at_once: Callable[[bytes], Any],
    by_hand: Callable[[int], None],
) -> None:
    """Read all lines: ranges at once where that works, halving those that are refused.

    Args:
        lines: the lines.
        collector: takes the rows.
        odd: bool[n], lines that ``at_once`` must not see.
        at_once: bytes of some lines -> record batch with exactly a row for each, else None.
        by_hand: reads one line into the collector, or passes it over.
    """
    n_odd = np.concatenate([[0], np.cumsum(odd)])

    def read(lo: int, hi: int) -> None:
        if n_odd[hi] == n_odd[lo]:
            batch = at_once(lines.span(lo, hi))
            if batch is not None and batch.num_rows == hi - lo:
                collector.add_batch(batch, lo, hi)
                return
        if hi - lo <= _BY_HAND:
            for i in range(lo, hi):
                by_hand(i)
            return
        mid = (lo + hi) // 2
        read(lo, mid)
        read(mid, hi)

    if len(lines):
        read(0, len(lines))
