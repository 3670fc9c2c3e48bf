"""Lines of CSV -> rows. One line is one row: a hand needs no line break, so none is read."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.csv

from solver.batch.hands import Bad
from solver.batch.job import Question
from solver.batch.lines import MENDED, Collector, Lines, Rows, collect, one_place

_DELIMITERS: Final = ",;\t|"
_NONE: Final = "\x1f"
"""Stands for the delimiter of a file with one column, whose hands may be written with commas."""
_CELLS: Final = {
    # Quotes count at the beginning of a cell; what follows the closing one belongs to the cell.
    d: re.compile(f'(?:"((?>[^"]*(?:""[^"]*)*))"([^{d}]*)|((?:[^"{d}][^{d}]*)?))', re.DOTALL)
    for d in (*_DELIMITERS, _NONE)
}
_SPACE: Final = 32
_RETURN: Final = b"\r"
_END: Final = "\x1e"


@dataclass(frozen=True)
class CsvLayout:
    """How a CSV file is to be read.

    Attributes:
        delimiter: what stands between cells.
        n_columns: cells of a row.
        wanted: (name in the question, place of the column) in the order of the rows' columns.
    """

    delimiter: str
    n_columns: int
    wanted: tuple[tuple[str, int], ...]

    @property
    def schema(self) -> Any:  # noqa: ANN401
        """Return the Arrow schema of the rows."""
        return pa.schema([(name, pa.string()) for name, _ in self.wanted])


def split_header(line: bytes, delimiter: str) -> list[str]:
    """Return the names of a header line, blanks around them taken off."""
    text = line.decode("utf-8", errors="replace").rstrip("\r\n")
    return [name.strip().strip('"').strip() for name in split_cells(text, delimiter) or [text]]


def split_cells(text: str, delimiter: str) -> list[str] | None:
    """Return the cells of a line, None where a quote is not closed; of any length, any character.

    Example:
        >>> split_cells('a,"b ""c"", d",', ",")
        ['a', 'b "c", d', '']
    """
    cells, is_whole = _cells(text, delimiter)
    return cells if is_whole else None


def _cells(text: str, delimiter: str) -> tuple[list[str], bool]:
    """Return the cells of a line and whether these are all: none follows an open quote."""
    cells: list[str] = []
    cell = _CELLS[delimiter]
    at = 0
    while found := cell.match(text, at):
        quoted, rest, plain = found.groups()
        at = found.end()
        if at < len(text) and text[at] != delimiter:
            return cells, False
        cells.append(plain if quoted is None else quoted.replace('""', '"') + rest)
        if at == len(text):
            return cells, True
        at += 1
    raise AssertionError("a cell may be empty, so there always is one")


def csv_layout(header: bytes, question: Question, path: str) -> CsvLayout:
    """Return the layout that a header line tells; the delimiter is the one that shows the hands.

    Raises:
        BatchError: ``batch.column`` with the columns that are there.
    """
    split = [(d, split_header(header, d)) for d in _DELIMITERS]
    shown = [(d, names) for d, names in split if _known_as(names, question.hand) in names]
    delimiter, names = max(shown or split, key=lambda pair: len(pair[1]))
    wanted = [
        (name, one_place(names, _known_as(names, name), path))
        for name in dict.fromkeys((question.hand, question.round, question.id))
        if name is not None
    ]
    return CsvLayout(delimiter if len(names) > 1 else _NONE, len(names), tuple(wanted))


def _known_as(names: list[str], name: str) -> str:
    """Return a name as a header has it: exactly, or as the only one alike but for case."""
    alike = [known for known in names if known.casefold() == name.casefold()]
    return alike[0] if len(alike) == 1 and name not in names else name


def csv_rows(data: bytes, first_line: int, layout: CsvLayout) -> Rows:
    """Return the rows of some lines; blank lines are passed over."""
    lines = Lines.of(data)
    collector = Collector(layout.schema)
    odd = lines.first() <= _SPACE if len(lines) else np.zeros(0, np.bool_)
    if data.count(_RETURN) != data.count(b"\r\n"):
        # A return alone, which is left between quotes only, would be a line end to the fast parser.
        odd |= np.array([_RETURN in lines.line(i) for i in range(len(lines))])

    def at_once(part: bytes) -> Any:  # noqa: ANN401
        return _read_at_once(part, layout)

    def by_hand(i: int) -> None:
        line = lines.line(i)
        if line.strip():
            cells, fault = _read_line(line, layout)
            collector.add_row(i, cells, fault)

    collect(lines, collector, odd=odd, at_once=at_once, by_hand=by_hand)
    return collector.rows(first_line)


def _read_at_once(data: bytes, layout: CsvLayout) -> Any:  # noqa: ANN401
    """Return the rows of some lines, fewer than the lines where a quote is not closed."""
    names = [str(i) for i in range(layout.n_columns)]
    # An open quote in the last line swallows this row, as elsewhere it swallows the next one.
    guard = layout.delimiter.join([_END] * layout.n_columns).encode() + b"\n"
    data += guard if data.endswith(b"\n") else b"\n" + guard
    try:
        table = pa.csv.read_csv(
            io.BytesIO(data),
            read_options=pa.csv.ReadOptions(
                column_names=names, use_threads=False, block_size=len(data) + 1
            ),
            parse_options=pa.csv.ParseOptions(delimiter=layout.delimiter, ignore_empty_lines=False),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                include_columns=list(dict.fromkeys(str(place) for _, place in layout.wanted)),
                check_utf8=False,
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    table = table.slice(0, table.num_rows - 1)
    columns = [table.column(str(place)).combine_chunks() for _, place in layout.wanted]
    try:
        for column in columns:
            column.validate(full=True)
    except pa.ArrowInvalid:  # not UTF-8 somewhere
        return None
    return pa.RecordBatch.from_arrays(columns, schema=layout.schema)


def _read_line(line: bytes, layout: CsvLayout) -> tuple[tuple[object, ...], Bad | None]:
    """Return the wanted cells of one line, and what is wrong with it."""
    fault = None
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        fault = Bad("row.encoding", f"expected UTF-8, got {error}")
        text = line.decode(errors="replace")
    cells, is_whole = _cells(text, layout.delimiter)
    if not is_whole:
        fault = fault or Bad("row.quote", "expected quotes closed on their line, got an open one")
        return _cells_in_front(cells, layout), fault
    if len(cells) != layout.n_columns:
        fault = fault or Bad("row.cells", f"expected {layout.n_columns} cells, got {len(cells)}")
        return _cells_in_front(cells, layout), fault
    if fault is not None:
        return _cells_in_front(cells, layout), fault
    return tuple(cells[place] for _, place in layout.wanted), None


def _cells_in_front(cells: list[str], layout: CsvLayout) -> tuple[object, ...]:
    """Return the wanted cells that stand before the hand, None for the others.

    Where a line has too many or too few cells, the hand has a comma too many, or the line ends
    early: what stands before it is still in its place.
    """
    hand = layout.wanted[0][1]
    return tuple(
        cells[place] if place < min(hand, len(cells)) and MENDED not in cells[place] else None
        for _, place in layout.wanted
    )
