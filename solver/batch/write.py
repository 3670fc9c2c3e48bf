"""Output files: encoded by their name, written under a temporary name, renamed when whole."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Literal, Self, TypeAlias

import pyarrow as pa
import pyarrow.parquet

from solver.batch.encode import csv_header, csv_lines, gzip_member, json_lines
from solver.batch.job import STDIO, BatchError
from solver.errors import quoted
from solver.whole_files import part_of, remove, sync_folder

FileKind: TypeAlias = Literal["parquet", "csv", "jsonl"]
_KINDS: Final[dict[str, FileKind]] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


@dataclass(frozen=True)
class Form:
    """How answers are written.

    Attributes:
        kind: Parquet, CSV or JSON lines.
        is_gzip: whether text is packed; each block then is a gzip member of its own.
        schema: Arrow schema of the rows.
    """

    kind: FileKind
    is_gzip: bool
    schema: Any

    def encode(self, batch: Any) -> Any:  # noqa: ANN401
        """Return rows as they are written: bytes, or for Parquet the rows; called by threads."""
        if self.kind == "parquet":
            return batch
        data = json_lines(batch) if self.kind == "jsonl" else csv_lines(batch)
        return gzip_member(data) if self.is_gzip else data

    def header(self) -> bytes:
        """Return what a text file begins with."""
        data = csv_header(self.schema.names) if self.kind == "csv" else b""
        return gzip_member(data) if self.is_gzip else data

    @property
    def suffix(self) -> str:
        """Return the end of the name of a file of this form."""
        return f".{self.kind}{'.gz' if self.is_gzip else ''}"


def form_of(path: str, schema: Any) -> Form:  # noqa: ANN401
    """Return the form that a name asks for; standard output gets JSON lines.

    Raises:
        BatchError: ``batch.output`` for a name without a known ending.
    """
    if path == STDIO:
        return Form("jsonl", False, schema)
    bare = Path(path.removesuffix(".gz"))
    kind = _KINDS.get(bare.suffix.lower())
    is_gzip = path.endswith(".gz")
    if kind is None or (is_gzip and kind == "parquet"):
        endings = f"{', '.join(_KINDS)} (texts also .gz)"
        message = f"expected a name ending in {endings}, got {quoted(path, 200)}"
        raise BatchError(message, code="batch.output")
    return Form(kind, is_gzip, schema)


class Output:
    """One file that appears only when it is whole.

    Args:
        path: its final name, ``"-"`` for standard output.
        form: how rows are written.
        with_header: whether a text file begins with its header; parts of a file do not.
    """

    def __init__(self, path: str, form: Form, *, with_header: bool = True) -> None:
        self.path = path
        self.form = form
        self._part = part_of(path)
        self._raw: BinaryIO
        if path == STDIO:
            self._raw = sys.stdout.buffer
        else:
            try:
                self._raw = open(self._part, "wb")
            except OSError as error:
                message = f"{path}: expected a place to write, got {error.strerror}"
                raise BatchError(message, code="batch.output") from error
        self._parquet: Any = None
        if form.kind == "parquet":
            self._parquet = pa.parquet.ParquetWriter(self._raw, form.schema)
        elif with_header:
            self._raw.write(form.header())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()

    def write(self, encoded: Any) -> None:  # noqa: ANN401
        """Write what ``Form.encode`` made of a block: some bytes, or a row group."""
        if self._parquet is None:
            self._raw.write(encoded)
        elif encoded.num_rows:
            self._parquet.write_batch(encoded)

    def append(self, path: Path) -> None:
        """Write a part on: its bytes, or its row groups one by one."""
        if self._parquet is None:
            with path.open("rb") as part:
                shutil.copyfileobj(part, self._raw, 1 << 20)
            return
        with pa.parquet.ParquetFile(path) as part:
            for i in range(part.num_row_groups):
                for batch in part.read_row_group(i).combine_chunks().to_batches():
                    self.write(batch)

    def commit(self) -> None:
        """Make the file durable and give it its name."""
        if self._parquet is not None:
            self._parquet.close()
        self._raw.flush()
        if self.path == STDIO:
            return
        os.fsync(self._raw.fileno())
        self._raw.close()
        os.replace(self._part, self.path)
        sync_folder(Path(self.path).parent)

    def discard(self) -> None:
        """Leave nothing half done behind; a file that was committed stays."""
        if self.path == STDIO:
            return
        # What cannot be written any more, on a full disk say, is about to be removed.
        with suppress(OSError, pa.ArrowException):
            if self._parquet is not None:
                self._parquet.close()
        with suppress(OSError):
            self._raw.close()
        remove(self._part)


def write_whole(path: Path, data: bytes) -> None:
    """Write a small file durably and at once: a reader sees the old or the new one."""
    with open(part_of(path), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part_of(path), path)
    sync_folder(path.parent)
