"""Input files: what they are, whether they can be read, and their blocks from any position."""

from __future__ import annotations

import glob
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from solver.batch.blocks import Block, Kind, Source
from solver.batch.csv_rows import csv_layout, csv_rows, split_header
from solver.batch.hands import Bad
from solver.batch.job import STDIO, BatchError, Job, UnreadableError
from solver.batch.json_rows import json_layout, json_rows
from solver.batch.lines import Rows
from solver.batch.parquet_file import open_parquet
from solver.batch.returns import end_at_all, end_at_unquoted, first_line_end
from solver.batch.streams import MAX_LINE, Position, Stream, cut_pieces, whole_piece
from solver.batch.write import form_of
from solver.engine.games import is_save
from solver.engine.importers.gin_results import COLUMNS
from solver.engine.record import FORMAT
from solver.errors import quoted

_PARQUET: Final = b"PAR1"
_HEAD: Final = 1 << 12
"""Bytes that tell a save."""
_FORMATS: Final = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


def open_sources(job: Job) -> list[Source]:
    """Return the inputs of a job, each opened and its columns found.

    Raises:
        BatchError: all kinds of ``batch.*``: an input that is missing, of an unknown form, or
            without the columns asked for; no input that can be read at all. One of several that
            is damaged or packed otherwise costs itself only.
    """
    paths = expand_paths(job.inputs)
    opened: list[Source | UnreadableError] = []
    for i, path in enumerate(paths):
        try:
            opened.append(_open(i, path, job))
        except UnreadableError as error:
            opened.append(error)
    good = [one for one in opened if isinstance(one, Source)]
    if not good:
        errors = [one for one in opened if isinstance(one, UnreadableError)]
        raise BatchError.from_faults([fault for error in errors for fault in error.faults])
    kinds = sorted({source.kind for source in good})
    if len(kinds) > 1:
        message = f"expected inputs of one kind, got {' and '.join(kinds)}"
        raise BatchError(message, code="batch.kinds")
    if kinds == ["hands"] and job.question.rules is None:
        raise BatchError("expected rules for hands, got none: --rules NAME", code="batch.rules")
    return [
        one if isinstance(one, Source) else _lost(replace(good[0], number=i, path=paths[i]), one)
        for i, one in enumerate(opened)
    ]


def _lost(source: Source, error: UnreadableError) -> Source:
    """Return the source in the place of a file that cannot be read: one row that says so."""
    fault = Bad("file.unreadable", str(error))
    block = Block(source.number, Position(-1), first_line=0, fault=fault)
    return replace(source, read=lambda _: iter([block]))


def expand_paths(inputs: tuple[str, ...]) -> list[str]:
    """Return the paths that inputs name; a pattern stands for its matches, sorted.

    Raises:
        BatchError: ``batch.input`` for a path or pattern without a file, or input named twice.
    """
    paths: list[str] = []
    for given in inputs:
        if given == STDIO or Path(given).exists():
            found = [given]
        else:
            found = sorted(glob.glob(given, recursive=True))
            if not found:
                message = f"expected a file or a pattern with matches, got {quoted(given, 200)}"
                raise BatchError(message, code="batch.input")
        paths += [path for path in found if not Path(path).is_dir()] if found != [given] else found
    if not paths:
        raise BatchError("expected at least one input, got none", code="batch.input")
    if paths.count(STDIO) > 1:
        raise BatchError("expected standard input once, got it repeatedly", code="batch.input")
    return paths


def _open(number: int, path: str, job: Job) -> Source:
    if path != STDIO and Path(path).is_dir():
        raise BatchError(f"{path}: expected a file, got a folder", code="batch.input")
    if job.by_parts and not Path(path).is_file():
        message = f"{path}: expected a plain file to resume from, got a pipe or a device"
        raise BatchError(message, code="batch.resume")
    bare = Path(path.removesuffix(".gz"))
    form = _FORMATS.get(bare.suffix.lower())
    stream = None if form == "parquet" else Stream(path)
    if stream is not None:
        head = stream.take(len(_PARQUET))
        stream.give_back(head)
        if head == _PARQUET:
            stream.close()
            form = "parquet"
    if form == "parquet":
        return open_parquet(number, path, job)
    assert stream is not None, "only Parquet is not read as a stream"
    try:
        _check_no_save(path, stream)
        first, line_no = _first_line(stream)
        if form is None:
            form = "jsonl" if first.lstrip()[:1] == b"{" else "csv"
        first, line_no = _cut_at_return(stream, first, line_no, form)
        opened = _Text(number, path, job, stream, line_no, form == "jsonl")
        return opened.json_lines(first) if opened.is_json else opened.csv(first)
    except BatchError:
        damage = stream.check()
        if damage is None:
            raise
        # It may have garbled the header.
        raise UnreadableError(f"{path}: {damage.message}", code="batch.input") from None
    finally:
        if path != STDIO:
            stream.close()


def _check_no_save(path: str, stream: Stream) -> None:
    """Check that a text is none that another command reads.

    Raises:
        BatchError: ``batch.input``, naming the command.
    """
    head = stream.take(_HEAD)
    stream.give_back(head)
    if is_save(head):
        message = (
            f"{path}: expected hands or recorded games, got a Five Crowns save:"
            " 'meld-solver score' prices it, 'meld-solver replay' checks it"
        )
        raise BatchError(message, code="batch.input")


def _first_line(stream: Stream) -> tuple[bytes, int]:
    """Return the first line that is not blank and its number, read but not given back."""
    line_no = 0
    while line := stream.line():
        line_no += 1
        if line.strip():
            return line, line_no
    return b"", line_no + 1


def _cut_at_return(stream: Stream, line: bytes, line_no: int, form: str) -> tuple[bytes, int]:
    """Return the first line and its number in a file whose lines may end in lone returns.

    They do where a lone return stands behind a whole header, or a whole JSON object.
    """
    lead = len(line) - len(line.lstrip())
    at = first_line_end(line, lead)
    if at is None:
        return line, line_no
    if form == "jsonl" and _parsed(line[:at]) is None:
        return line, line_no
    if form == "csv" and line.count(b'"', 0, at) % 2:
        return line, line_no
    stream.give_back(line[at:])
    stream.ends_at_returns = True
    return line[lead:at], line_no + end_at_all(line[:lead] + b"x").count(b"\n")


@dataclass(frozen=True)
class _Text:
    """A text file whose first line was read."""

    number: int
    path: str
    job: Job
    stream: Stream
    line_no: int
    is_json: bool

    def json_lines(self, first: bytes) -> Source:
        """Return the source of a file of JSON lines: of hands, or of games."""
        self.stream.give_back(first)
        start = Position(self.stream.offset, self.line_no)
        if _is_record(first):
            return self._source("games", start, None, None)
        as_given = form_of(self.job.output, None).kind == "jsonl"
        layout = json_layout(first, self.job.question, ids_as_given=as_given)
        kind = layout.rows_schema.field(self.job.question.id).type if self.job.question.id else None
        return self._source("hands", start, kind, partial(json_rows, layout=layout))

    def csv(self, first: bytes) -> Source:
        """Return the source of a CSV file: of hands, or a gin result table."""
        self._check_header(first)
        if tuple(split_header(first, ",")) == COLUMNS:
            self.stream.give_back(first)
            return self._source("results", Position(self.stream.offset, self.line_no), None, None)
        layout = csv_layout(first, self.job.question, self.path)
        start = Position(self.stream.offset, self.line_no + 1)
        id_type = pa.string() if self.job.question.id else None
        return self._source("hands", start, id_type, partial(csv_rows, layout=layout))

    def _check_header(self, line: bytes) -> None:
        """Check that a header line is there and whole.

        Raises:
            UnreadableError: ``batch.column`` the file is empty; ``batch.input`` it breaks off.
        """
        broken = self.stream.broken
        is_whole = line.endswith((b"\n", b"\r"))
        expected = (
            f"{self.path}: expected a header line with a column {quoted(self.job.question.hand)}"
        )
        if broken is not None and not is_whole:
            message = f"{expected}, got a file that breaks off in it: {broken.message}"
            raise UnreadableError(message, code="batch.input")
        if not line.strip():
            raise UnreadableError(f"{expected}, got an empty file", code="batch.column")
        if len(line) >= MAX_LINE and not is_whole:
            raise UnreadableError(
                f"{expected}, got a line over {MAX_LINE} bytes", code="batch.column"
            )

    def _source(
        self,
        kind: Kind,
        start: Position,
        id_type: Any,  # noqa: ANN401
        parse: Callable[[bytes, int], Rows] | None,
    ) -> Source:
        ends_at_returns = self.stream.ends_at_returns
        # Only CSV has texts in which a return may stand as it is.
        mend = bytes if self.is_json else end_at_unquoted

        def read(position: Position | None) -> Iterator[Block]:
            at = position or start
            stream = self.stream if self.path == STDIO else Stream(self.path)
            stream.ends_at_returns = ends_at_returns
            try:
                stream.check()
                if self.path != STDIO:
                    stream.skip_to(at.offset)
                if kind == "results":  # judged as a whole: totals run through all rows
                    pieces = whole_piece(stream, at)
                else:
                    pieces = cut_pieces(stream, at, self.job.text_block, mend)
                for piece in pieces:
                    yield Block(self.number, piece.after, piece.data, piece.line, fault=piece.fault)
            finally:
                stream.close()

        return Source(self.number, self.path, kind, id_type, read, parse)


def _parsed(line: bytes) -> dict[str, Any] | None:
    """Return the object of a line of JSON, None if it is none."""
    try:
        row = json.loads(line, parse_int=str)  # a number may have any number of digits
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _is_record(line: bytes) -> bool:
    row = _parsed(line)
    return row is not None and str(row.get("format", "")).startswith(FORMAT.partition("/")[0])
