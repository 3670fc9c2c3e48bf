"""Inputs as the run sees them: blocks of rows that can be read from any position."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from solver.batch.hands import Bad
from solver.batch.lines import Lines, Rows
from solver.batch.streams import Position

Kind: TypeAlias = Literal["hands", "games", "results"]


@dataclass(frozen=True)
class Block:
    """A piece of an input that is scored on its own.

    Attributes:
        source: number of the input, 0...
        after: where reading goes on behind it.
        lines: its lines, of a text file.
        first_line: number of the first of them, 0 where there are no lines.
        batch: its rows, of a Parquet file.
        fault: why rows cannot be read; then there is nothing else.
        n_lost: how many rows the fault stands for.
    """

    source: int
    after: Position
    lines: bytes = b""
    first_line: int = 1
    batch: Any = None
    fault: Bad | None = None
    n_lost: int = 1

    def first(self, n: int) -> tuple[Block, int]:
        """Return the block cut to its first n rows, and how many it has then."""
        if self.fault is not None:
            n_lost = min(n, self.n_lost)
            return replace(self, n_lost=n_lost), n_lost
        if self.batch is not None:
            return replace(self, batch=self.batch.slice(0, n)), min(n, self.batch.num_rows)
        lines = Lines.of(self.lines)
        filled = [i for i in range(len(lines)) if lines.line(i).strip()][:n]
        cut = lines.span(0, filled[-1] + 1) if filled else b""
        return replace(self, lines=cut), len(filled)


@dataclass(frozen=True)
class Source:
    """An input that was looked at and can be read.

    Attributes:
        number: place among the inputs.
        path: its path, ``"-"`` for standard input.
        kind: hands, recorded games or gin result tables.
        id_type: Arrow type of the id column, None without one.
        read: yields its blocks from a position, None for the beginning.
        parse: lines and the number of the first -> rows of hands.
    """

    number: int
    path: str
    kind: Kind
    id_type: Any
    read: Callable[[Position | None], Iterator[Block]]
    parse: Callable[[bytes, int], Rows] | None = None

    def blocks(self, start: Position | None = None) -> Iterator[Block]:
        """Yield the blocks from a position on; where a block ends depends on its start alone."""
        return iter(()) if start is not None and start.is_end else self.read(start)

    def rows(self, block: Block) -> Rows:
        """Return the rows of a block of hands; called by the thread that scores it."""
        if block.batch is not None:
            return Rows(block.batch, {})
        assert self.parse is not None, "hands in lines have a parser"
        return self.parse(block.lines, block.first_line)
