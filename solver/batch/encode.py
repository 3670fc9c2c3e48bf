"""Record batches of answers -> lines of JSON or CSV, column by column without Python per row."""

from __future__ import annotations

import csv
import gzip
import io
import json
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

_SPECIAL: Final = r'["\\\x00-\x1f]'
"""What a JSON text must escape."""
_QUOTED: Final = r'^\s|[",\r\n]|\s$'
"""Cells of CSV that stand in quotes: separators, and blanks that readers would take off."""
_GZIP_LEVEL: Final = 6
JSON_TYPE: Final = pa.large_binary()
"""Type of a column whose values are JSON already."""


def json_lines(batch: Any) -> bytes:  # noqa: ANN401 - pyarrow has no types
    """Return a record batch as JSON lines, keys in the order of the columns."""
    if batch.num_rows == 0:
        return b""
    parts: list[Any] = []
    for i, name in enumerate(batch.schema.names):
        parts += [f"{',' if i else '{'}{json.dumps(name)}:", json_texts(batch.column(i))]
    joined = pc.binary_join_element_wise(*parts, "}\n", "")
    return _bytes_of(joined)


def _bytes_of(texts: Any) -> bytes:  # noqa: ANN401
    """Return the texts of a string array one behind the other: its buffer as it is."""
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    _, _, data = texts.buffers()
    start, end = texts.offset, texts.offset + len(texts)
    offsets = texts.buffers()[1]
    ends = memoryview(offsets).cast("i")
    return bytes(memoryview(data)[ends[start] : ends[end]])


def json_texts(column: Any) -> Any:  # noqa: ANN401
    """Return a string array of the JSON of each value, ``null`` for none."""
    kind = column.type
    if pa.types.is_null(kind) or column.null_count == len(column):
        return pa.repeat("null", len(column))
    if pa.types.is_integer(kind) or kind == JSON_TYPE:
        return column.cast(pa.string()).fill_null("null")
    if pa.types.is_string(kind):
        distinct = column.dictionary_encode() if column.null_count == 0 else None
        if distinct is not None and len(distinct.dictionary) == 1:
            return pa.repeat(json.dumps(column[0].as_py()), len(column))
        if not pc.any(pc.match_substring_regex(column, _SPECIAL)).as_py():
            quoted = pc.binary_join_element_wise('"', column, '"', "")
            return quoted.fill_null("null")
    values = column.to_pylist()
    return pa.array([json.dumps(v, ensure_ascii=False, default=str) for v in values], pa.string())


def csv_lines(batch: Any) -> bytes:  # noqa: ANN401
    """Return a record batch as lines of CSV; a null is an empty cell."""
    if batch.num_rows == 0:
        return b""
    columns = [
        _list_texts(column) if pa.types.is_list(column.type) else column for column in batch.columns
    ]
    parts: list[Any] = []
    for column in columns:
        parts += [_csv_texts(column), ","]
    parts[-1] = "\n"
    return _bytes_of(pc.binary_join_element_wise(*parts, ""))


def _csv_texts(column: Any) -> Any:  # noqa: ANN401
    """Return a string array of the cells, in quotes only where they must be."""
    texts = column.cast(pa.string()).fill_null("")
    special = pc.match_substring_regex(texts, _QUOTED)
    if not pc.any(special).as_py():
        return texts
    doubled = pc.replace_substring(texts, '"', '""')
    return pc.if_else(special, pc.binary_join_element_wise('"', doubled, '"', ""), texts)


def _list_texts(column: Any) -> Any:  # noqa: ANN401
    """Return lists of numbers as ``"5 0"`` and lists of those as ``"5 0;0 12"``."""

    def text(value: Any) -> str | None:  # noqa: ANN401
        if value is None:
            return None
        if value and isinstance(value[0], list):
            return ";".join(" ".join(map(str, row)) for row in value)
        return " ".join(map(str, value))

    return pa.array([text(value) for value in column.to_pylist()], pa.string())


def csv_header(names: list[str]) -> bytes:
    """Return the header line of a CSV file."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(names)
    return line.getvalue().encode()


def gzip_member(data: bytes) -> bytes:
    """Return data as one gzip member without a time: equal data, equal bytes."""
    return gzip.compress(data, _GZIP_LEVEL, mtime=0) if data else b""
