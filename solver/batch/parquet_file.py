"""Parquet files of hands: row groups read in blocks, only the columns of the question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import pyarrow as pa
import pyarrow.parquet

from solver.batch.blocks import Block, Source
from solver.batch.hands import MAX_MESSAGE, Bad, plain_column
from solver.batch.job import STDIO, BatchError, Job, UnreadableError
from solver.batch.lines import one_place
from solver.batch.streams import Position
from solver.errors import HandError

Groups: TypeAlias = tuple[tuple[int, int], ...]
"""Number and rows of row groups that follow each other."""
_DAMAGE: Final = (OSError, MemoryError, pa.ArrowException)


def open_parquet(number: int, path: str, job: Job) -> Source:
    """Return the source of a Parquet file.

    Raises:
        UnreadableError: ``batch.input`` it is none.
        BatchError: ``batch.input`` it may not be read; ``batch.column``, ``batch.hand_type``.
    """
    if path == STDIO:
        message = "expected CSV or JSON lines on standard input, got Parquet: name the file"
        raise BatchError(message, code="batch.input")
    try:
        with _opened(path) as file:
            schema = file.schema_arrow
            groups = _row_groups(file, job.parquet_block)
    except PermissionError as error:
        message = f"{path}: expected a file that can be read, got {error.strerror}"
        raise BatchError(message, code="batch.input") from error
    except _DAMAGE as error:
        message = f"{path}: expected a Parquet file, got {error}"
        raise UnreadableError(message, code="batch.input") from error
    question = job.question
    wanted = (question.hand, question.round, question.id)
    names = tuple(dict.fromkeys(name for name in wanted if name is not None))
    for name in names:
        one_place(schema.names, name, path)
    try:
        plain_column(pa.nulls(0, schema.field(question.hand).type))
    except HandError as error:
        raise BatchError(f"{path}: {error}", code=error.code) from error
    if question.round is not None:
        _check_round_type(schema.field(question.round).type, path)
    id_type = None if question.id is None else _id_type(schema.field(question.id).type, path)
    reader = _Reader(number, path, names, groups, job.parquet_block, job.threads > 1)
    return Source(number, path, "hands", id_type, reader.blocks)


def _opened(path: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Open a file; pages that carry a checksum are held to it."""
    return pa.parquet.ParquetFile(path, pre_buffer=False, page_checksum_verification=True)


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


def _check_round_type(kind: Any, path: str) -> None:  # noqa: ANN401 - Arrow types
    """Check that a column can hold the numbers of rounds.

    Raises:
        BatchError: ``batch.column`` for lists, structures and types of others.
    """
    if pa.types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType):
        message = f"{path}: expected rounds that are numbers or texts, got {kind}"
        raise BatchError(message, code="batch.column")


def _row_groups(file: Any, block_rows: int) -> tuple[Groups, ...]:  # noqa: ANN401
    """Return the row groups that are read together: small ones are joined up to a block."""
    joined: list[list[tuple[int, int]]] = []
    n_joined = 0
    for i in range(file.num_row_groups):
        n_rows = file.metadata.row_group(i).num_rows
        if not joined or n_joined + n_rows > block_rows:
            joined.append([])
            n_joined = 0
        joined[-1].append((i, n_rows))
        n_joined += n_rows
    return tuple(map(tuple, joined))


@dataclass(frozen=True)
class _Reader:
    """Reads the blocks of one file."""

    number: int
    path: str
    names: tuple[str, ...]
    groups: tuple[Groups, ...]
    block_rows: int
    use_threads: bool

    def blocks(self, start: Position | None) -> Iterator[Block]:
        """Yield the blocks; a row group that cannot be read costs its own rows only."""
        behind = 0 if start is None else start.offset
        offset = 0
        with _opened(self.path) as file:
            for groups in self.groups:
                n_rows = sum(n for _, n in groups)
                if offset + n_rows > behind:
                    # From its first row on, so that blocks end where they did in any other run.
                    for block in self._read(file, groups, offset):
                        if block.after.offset > behind:
                            yield block
                offset += n_rows

    def _read(self, file: Any, groups: Groups, offset: int) -> Iterator[Block]:  # noqa: ANN401
        """Yield the blocks of row groups that are read together; one by one where that fails.

        Args:
            file: the open file.
            groups: number and rows of each group.
            offset: rows of the file that lie before them.
        """
        if len(groups) > 1:
            try:  # no more than a block, so nothing is given before all of it was read
                batches = list(self._batches(file, [i for i, _ in groups]))
            except _DAMAGE:
                batches = []
            if sum(batch.num_rows for batch in batches) != sum(n for _, n in groups):
                for group in groups:
                    yield from self._read(file, (group,), offset)
                    offset += group[1]
                return
            for batch in batches:
                offset += batch.num_rows
                yield Block(self.number, Position(offset), batch=batch)
            return
        number, n_rows = groups[0]
        end = offset + n_rows
        why = "it ends early"
        try:
            for batch in self._batches(file, [number]):
                offset += batch.num_rows
                yield Block(self.number, Position(offset), batch=batch)
        except _DAMAGE as error:
            why = str(error)
        message = f"expected row group {number} to be whole, got damage: {why}"[:MAX_MESSAGE]
        while offset < end:
            n_lost = min(self.block_rows, end - offset)
            offset += n_lost
            fault = Bad("file.corrupt", message)
            after = Position(offset)
            yield Block(self.number, after, first_line=0, fault=fault, n_lost=n_lost)

    def _batches(self, file: Any, group: list[int]) -> Iterator[Any]:  # noqa: ANN401
        for batch in file.iter_batches(
            batch_size=self.block_rows,
            row_groups=group,
            columns=list(self.names),
            use_threads=self.use_threads,
        ):
            columns = [batch.column(name) for name in self.names]
            yield pa.RecordBatch.from_arrays(columns, names=list(self.names))
