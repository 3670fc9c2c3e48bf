"""Parquet files of hands: row groups read in blocks, only the columns of the question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from solver.batch.blocks import Block, Source
from solver.batch.hands import Bad, plain_column
from solver.batch.job import STDIO, BatchError, Job
from solver.batch.streams import Position
from solver.errors import HandError


def open_parquet(number: int, path: str, job: Job) -> Source:
    """Return the source of a Parquet file.

    Raises:
        BatchError: ``batch.input`` it is none; ``batch.column``, ``batch.hand_type``.
    """
    if path == STDIO:
        message = "expected CSV or JSON lines on standard input, got Parquet: name the file"
        raise BatchError(message, code="batch.input")
    try:
        file = pa.parquet.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        message = f"{path}: expected a Parquet file, got {error}"
        raise BatchError(message, code="batch.input") from error
    with file:
        schema = file.schema_arrow
        groups = _row_groups(file, job.block_rows)
    question = job.question
    wanted = (question.hand, question.round, question.id)
    names = tuple(dict.fromkeys(name for name in wanted if name is not None))
    for name in names:
        if name not in schema.names:
            shown = ", ".join(schema.names)
            message = f"{path}: expected a column {name!r}, got {shown:.200}"
            raise BatchError(message, code="batch.column")
    try:
        plain_column(pa.nulls(0, schema.field(question.hand).type))
    except HandError as error:
        raise BatchError(f"{path}: {error}", code=error.code) from error
    id_type = None if question.id is None else _id_type(schema.field(question.id).type, path)
    reader = _Reader(number, path, names, groups, job.block_rows, job.threads > 1)
    return Source(number, path, "hands", id_type, reader.blocks)


def _id_type(kind: Any, path: str) -> Any:  # noqa: ANN401 - Arrow types
    """Return the type of ids in the answers.

    Raises:
        BatchError: ``batch.column`` for lists, structures and bytes.
    """
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        message = f"{path}: expected ids that are numbers or texts, got {kind}"
        raise BatchError(message, code="batch.column")
    return kind if pa.types.is_integer(kind) else pa.string()


def _row_groups(file: Any, block_rows: int) -> tuple[tuple[list[int], int], ...]:  # noqa: ANN401
    """Return (row groups read together, their rows): small groups are joined up to a block."""
    joined: list[tuple[list[int], int]] = []
    for i in range(file.num_row_groups):
        n_rows = file.metadata.row_group(i).num_rows
        if joined and joined[-1][1] + n_rows <= block_rows:
            joined[-1] = ([*joined[-1][0], i], joined[-1][1] + n_rows)
        else:
            joined.append(([i], n_rows))
    return tuple(joined)


@dataclass(frozen=True)
class _Reader:
    """Reads the blocks of one file."""

    number: int
    path: str
    names: tuple[str, ...]
    groups: tuple[tuple[list[int], int], ...]
    block_rows: int
    use_threads: bool

    def blocks(self, start: Position | None) -> Iterator[Block]:
        """Yield the blocks; what cannot be read ends the file with one fault."""
        behind = 0 if start is None else start.offset
        offset = 0
        with pa.parquet.ParquetFile(self.path, pre_buffer=False) as file:
            for group, n_rows in self.groups:
                if offset + n_rows <= behind:
                    offset += n_rows
                    continue
                try:
                    for batch in self._batches(file, group):
                        offset += batch.num_rows
                        if offset > behind:
                            yield Block(self.number, Position(offset), batch=batch)
                except (OSError, pa.ArrowException) as error:
                    fault = Bad("file.truncated", f"expected more of the file, got {error}"[:300])
                    yield Block(self.number, Position(-1), fault=fault)
                    return

    def _batches(self, file: Any, group: list[int]) -> Iterator[Any]:  # noqa: ANN401
        for batch in file.iter_batches(
            batch_size=self.block_rows,
            row_groups=group,
            columns=list(self.names),
            use_threads=self.use_threads,
        ):
            columns = [batch.column(name) for name in self.names]
            yield pa.RecordBatch.from_arrays(columns, names=list(self.names))
