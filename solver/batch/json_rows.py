"""Lines of JSON -> rows: one object a line, each with a hand, perhaps a round and an id."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.json

from solver.batch.hands import Bad, bad_of, read_list
from solver.batch.job import Question
from solver.batch.lines import Collector, Lines, Rows, collect
from solver.cards import format_card, parse_cards
from solver.errors import MeldSolverError

_OPEN: Final = ord("{")
_CLOSE: Final = ord("}")
_INT64: Final = 1 << 63
_TEXT: Final = pa.string()
_CODES: Final = pa.list_(pa.int64())
_TOKENS: Final = pa.list_(pa.string())


class _BadCellError(Exception):
    """A cell that does not fit its column; carries why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.bad = Bad(code, message)


@dataclass(frozen=True)
class JsonLayout:
    """Types of the columns, told by the first line; other lines are fitted to them.

    Attributes:
        schema: Arrow schema of the rows.
        question: names the columns.
        tiles: whether hands may be in tile notation.
    """

    schema: Any
    question: Question
    tiles: bool

    def fit(self, row: dict[str, Any]) -> tuple[object, ...]:
        """Return the cells of a parsed line.

        Raises:
            _BadCellError: a cell of a wrong type. MeldSolverError: a list that is no hand.
        """
        return tuple(
            self._fit_hand(row.get(name), kind)
            if name == self.question.hand
            else _fit_plain(row.get(name), kind, "id" if name == self.question.id else "round")
            for name, kind in zip(self.schema.names, self.schema.types, strict=True)
        )

    def _fit_hand(self, value: object, kind: Any) -> object:  # noqa: ANN401
        if value is None:
            return None
        if not isinstance(value, str | list):
            got = json.dumps(value)
            raise _BadCellError("hand.type", f"expected a text or a list, got {got:.60}")
        if kind == _TEXT:
            return value if isinstance(value, str) else read_list(value, tiles=self.tiles)
        if isinstance(value, list) and _is_list_of(value, kind):
            return value  # judged by the pure function, as when it is read with its neighbours
        texts = value if isinstance(value, str) else read_list(value, tiles=self.tiles)
        cards = parse_cards(texts, tiles=self.tiles)
        return cards if kind == _CODES else [format_card(card) for card in cards]


def _is_list_of(value: list[object], kind: Any) -> bool:  # noqa: ANN401
    """Return whether all elements of a list are, or may be missing in, those of its column."""
    if kind == _TOKENS:
        return all(e is None or isinstance(e, str) for e in value)
    return all(
        e is None or (isinstance(e, int) and not isinstance(e, bool) and -_INT64 <= e < _INT64)
        for e in value
    )


def _fit_plain(value: object, kind: Any, what: str) -> object:  # noqa: ANN401
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number and not isinstance(value, str):
        raise _BadCellError(f"{what}.type", f"expected a number or a text, got {value!r:.60}")
    if kind == _TEXT:
        return value if isinstance(value, str) else json.dumps(value)
    if not isinstance(value, int) or not -_INT64 <= value < _INT64:
        message = f"expected a whole number as in the first row, got {value!r:.60}"
        raise _BadCellError(f"{what}.type", message)
    return value


def json_layout(line: bytes, question: Question) -> JsonLayout:
    """Return the layout that the first line tells; texts where it tells nothing."""
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        first = None
    row = first if isinstance(first, dict) else {}
    fields = [(question.hand, _hand_type(row.get(question.hand)))]
    for name in dict.fromkeys((question.round, question.id)):
        if name is not None and name != question.hand:
            value = row.get(name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            fields.append((name, pa.int64() if whole else _TEXT))
    tiles = question.rules is not None and question.rules.deck.tiles
    return JsonLayout(pa.schema(fields), question, tiles)


def _hand_type(value: object) -> Any:  # noqa: ANN401
    if not isinstance(value, list) or not value:
        return _TEXT
    return _CODES if isinstance(value[0], int) else _TOKENS


def json_rows(data: bytes, first_line: int, layout: JsonLayout) -> Rows:
    """Return the rows of some lines; blank lines are passed over."""
    lines = Lines.of(data)
    collector = Collector(layout.schema)
    # Lines from brace to brace: none of them can hide in, or be joined to, its neighbour.
    odd = (lines.first() != _OPEN) | (lines.last() != _CLOSE) if len(lines) else np.zeros(0, bool)

    def at_once(part: bytes) -> Any:  # noqa: ANN401
        return _read_at_once(part, layout)

    def by_hand(i: int) -> None:
        line = lines.line(i)
        if line.strip():
            _add_line(i, line, layout, collector)

    collect(lines, collector, odd=odd, at_once=at_once, by_hand=by_hand)
    return collector.rows(first_line)


def _read_at_once(data: bytes, layout: JsonLayout) -> Any:  # noqa: ANN401
    try:
        table = pa.json.read_json(
            io.BytesIO(data),
            read_options=pa.json.ReadOptions(use_threads=False, block_size=len(data) + 1),
            parse_options=pa.json.ParseOptions(
                explicit_schema=layout.schema, unexpected_field_behavior="ignore"
            ),
        )
        table.validate(full=True)  # half surrogate pairs written out get past the parser
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    return table.combine_chunks().to_batches()[0] if table.num_rows else None


def _add_line(i: int, line: bytes, layout: JsonLayout, collector: Collector) -> None:
    nothing = (None,) * len(layout.schema)
    try:
        row = parse_object(line, layout.schema.names)
        cells = layout.fit(row)
    except _BadCellError as error:
        collector.add_row(i, nothing, error.bad)
    except MeldSolverError as error:
        collector.add_row(i, nothing, bad_of(error))
    else:
        collector.add_row(i, cells)


def parse_object(line: bytes, names: list[str]) -> dict[str, Any]:
    """Return the object of a line; a wanted key may stand in it once only.

    Raises:
        _BadCellError: ``row.encoding``, ``row.json`` or ``row.key``.
    """
    try:
        value = json.loads(line, object_pairs_hook=_pairs_hook(names))
    except UnicodeDecodeError as error:
        raise _BadCellError("row.encoding", f"expected UTF-8, got {error}") from None
    except json.JSONDecodeError as error:
        message = f"expected a JSON object, got {error.msg} at column {error.pos + 1}"
        raise _BadCellError("row.json", message) from None
    except (ValueError, RecursionError) as error:
        raise _BadCellError("row.json", f"expected a JSON object, got {error}"[:200]) from None
    if not isinstance(value, dict):
        raise _BadCellError("row.json", f"expected a JSON object, got {json.dumps(value):.60}")
    texts = [value.get(name) for name in names]
    if not all(is_encodable(text) for text in texts if isinstance(text, str)):
        raise _BadCellError("row.encoding", "expected Unicode text, got half a surrogate pair")
    return value


def is_encodable(text: str) -> bool:
    """Return whether a text can be written as UTF-8; JSON can name characters that cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _pairs_hook(names: list[str]) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        for name in names:
            if keys.count(name) > 1:
                raise _BadCellError(
                    "row.key", f"expected {name!r} once, got it {keys.count(name)} times"
                )
        return dict(pairs)

    return build
