"""Lines of JSON -> rows: one object a line, each with a hand, perhaps a round and an id."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from solver.batch.encode import JSON_TYPE, json_texts
from solver.batch.hands import Bad, bad_of, read_list
from solver.batch.job import Question
from solver.batch.lines import MENDED, Collector, Lines, Rows, collect
from solver.batch.rounds import round_number
from solver.cards import format_card, parse_cards
from solver.errors import MeldSolverError, quoted
from solver.json_words import what_is_wrong

_OPEN: Final = ord("{")
_CLOSE: Final = ord("}")
_INT64: Final = 1 << 63
_DIGITS: Final = 20
"""Longest number that is read as one; no id of a card or number of a round is longer."""
_TEXT: Final = pa.string()
_CODES: Final = pa.list_(pa.int64())
_TOKENS: Final = pa.list_(pa.string())


class _BadCellError(Exception):
    """A cell that does not fit its column; carries why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.bad = Bad(code, message.encode(errors="replace").decode())


@dataclass(frozen=True, slots=True, repr=False)
class _Number:
    """A number kept as it was written: with a point, an exponent, or very many digits."""

    text: str

    def __repr__(self) -> str:
        return self.text


def _whole(text: str) -> int | _Number:
    return int(text) if len(text) <= _DIGITS else _Number(text)


def _as_json(value: object) -> str:
    """Return the JSON of a value, numbers as they were written."""
    if isinstance(value, _Number):
        return value.text
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_as_json(k)}: {_as_json(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_as_json, value))}]"
    # Half a surrogate pair can be written in JSON, but not in UTF-8.
    return json.dumps(value, ensure_ascii=isinstance(value, str) and not is_encodable(value))


@dataclass(frozen=True)
class JsonLayout:
    """Types of the columns, told by the first line; other lines are fitted to them.

    Attributes:
        schema: Arrow schema in which lines are read at once.
        rows_schema: Arrow schema of the rows: ids of any kind are texts or JSON in it.
        question: names the columns.
        tiles: whether hands may be in tile notation.
    """

    schema: Any
    rows_schema: Any
    question: Question
    tiles: bool

    def fit(self, row: dict[str, Any]) -> tuple[tuple[object, ...], Bad | None]:
        """Return the cells of a parsed line and what is wrong with them; the id is kept."""
        cells: list[object] = []
        fault: Bad | None = None
        for field in self.rows_schema:
            value, cell = row.get(field.name), None
            try:
                if value is None:
                    pass
                elif field.name == self.question.hand:
                    cell = self._fit_hand(value, field.type)
                elif field.name == self.question.round:
                    cell = _fit_round(value, field.type)
                else:
                    cell = _fit_id(value, field.type)
            except _BadCellError as error:
                fault = fault or error.bad
            except MeldSolverError as error:
                fault = fault or bad_of(error)
            cells.append(cell)
        return tuple(cells), fault

    def _fit_hand(self, value: object, kind: Any) -> object:  # noqa: ANN401
        if not isinstance(value, str | list):
            got = _as_json(value)
            raise _BadCellError("hand.type", f"expected a text or a list, got {got:.60}")
        if isinstance(value, str) and not is_encodable(value):
            raise _half_pair()
        if kind == _TEXT:
            return value if isinstance(value, str) else read_list(value, tiles=self.tiles)
        if isinstance(value, list) and _is_list_of(value, kind):
            return value  # judged by the pure function, as when it is read with its neighbours
        texts = value if isinstance(value, str) else read_list(value, tiles=self.tiles)
        cards = parse_cards(texts, tiles=self.tiles)
        return cards if kind == _CODES else [format_card(card) for card in cards]


def _half_pair() -> _BadCellError:
    return _BadCellError("row.encoding", "expected Unicode text, got half a surrogate pair")


def _is_list_of(value: list[object], kind: Any) -> bool:  # noqa: ANN401
    """Return whether all elements of a list are, or may be missing in, those of its column."""
    if kind == _TOKENS:
        return all(e is None or (isinstance(e, str) and is_encodable(e)) for e in value)
    return all(
        e is None or (isinstance(e, int) and not isinstance(e, bool) and -_INT64 <= e < _INT64)
        for e in value
    )


def _fit_round(value: object, kind: Any) -> object:  # noqa: ANN401
    """Return the number of a round, or its text, in the type of its column."""
    if isinstance(value, str):
        if not is_encodable(value):
            raise _half_pair()
        if not value.strip():
            return None
        if kind == _TEXT:
            return value  # judged by the pure function
    text = value if isinstance(value, str) else _as_json(value)
    number = round_number(text)
    if number is None or not -_INT64 <= number < _INT64:
        code = "round.type" if number is None else "rules.round"
        raise _BadCellError(code, f"expected the number of a round, got {text:.60}")
    return str(number) if kind == _TEXT else number


def _fit_id(value: object, kind: Any) -> object:  # noqa: ANN401
    """Return an id as the answers have it: any value as JSON, or texts and the JSON of others."""
    if kind == JSON_TYPE:
        return _as_json(value).encode()
    text = value if isinstance(value, str) else _as_json(value)
    return text.encode(errors="replace").decode()


def json_layout(line: bytes, question: Question, *, ids_as_given: bool = False) -> JsonLayout:
    """Return the layout that the first line tells; texts where it tells nothing.

    Args:
        line: the first line.
        question: names the columns.
        ids_as_given: whether ids are written as the JSON they were, instead of as texts.
    """
    try:
        first = json.loads(line, parse_int=_whole)
    except (ValueError, RecursionError):
        first = None
    row = first if isinstance(first, dict) else {}
    fields = [pa.field(question.hand, _hand_type(row.get(question.hand)))]
    for name in dict.fromkeys((question.round, question.id)):
        if name is not None and name != question.hand:
            value = row.get(name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            fields.append(pa.field(name, pa.int64() if whole else _TEXT))
    id_type = JSON_TYPE if ids_as_given else _TEXT
    told = [
        field.with_type(id_type)
        if field.name == question.id and field.name not in {question.hand, question.round}
        else field
        for field in fields
    ]
    tiles = question.rules is not None and question.rules.deck.tiles
    return JsonLayout(pa.schema(fields), pa.schema(told), question, tiles)


def _hand_type(value: object) -> Any:  # noqa: ANN401
    if not isinstance(value, list) or not value:
        return _TEXT
    return _CODES if isinstance(value[0], int) else _TOKENS


def json_rows(data: bytes, first_line: int, layout: JsonLayout) -> Rows:
    """Return the rows of some lines; blank lines are passed over."""
    lines = Lines.of(data)
    collector = Collector(layout.rows_schema)
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
    if not table.num_rows:
        return None
    columns = [
        _as_ids(column, field.type) if column.type != field.type else column
        for column, field in zip(table.columns, layout.rows_schema, strict=True)
    ]
    table = pa.Table.from_arrays(columns, schema=layout.rows_schema)
    return table.combine_chunks().to_batches()[0]


def _as_ids(column: Any, kind: Any) -> Any:  # noqa: ANN401 - Arrow arrays and types
    """Return whole numbers or texts as ``_fit_id`` gives them one by one."""
    if kind != JSON_TYPE:
        return column.cast(kind)
    column = column.combine_chunks()
    return pc.if_else(column.is_valid(), json_texts(column), None).cast(kind)


def _add_line(i: int, line: bytes, layout: JsonLayout, collector: Collector) -> None:
    try:
        cells, fault = layout.fit(parse_object(line, layout.schema.names))
    except _BadCellError as error:
        cells, fault = _id_alone(line, layout), error.bad
    except RecursionError:
        cells, fault = (None,) * len(layout.schema), _TOO_DEEP
    collector.add_row(i, cells, fault)


def _id_alone(line: bytes, layout: JsonLayout) -> tuple[object, ...]:
    """Return the cells of a line that is refused: its id where that can be told, no others."""
    name = layout.question.id
    if name in {None, layout.question.hand, layout.question.round}:
        return (None,) * len(layout.schema)
    try:
        text = line.decode(errors="replace")
        pairs = json.loads(text, object_pairs_hook=tuple, parse_int=_whole, parse_float=_Number)
    except (ValueError, RecursionError):
        pairs = ()
    ids = [pair[1] for pair in pairs if pair[0] == name] if isinstance(pairs, tuple) else []
    is_told = len(ids) == 1 and isinstance(ids[0], str | int | _Number)
    is_told = is_told and MENDED not in str(ids[0])
    return tuple(
        _fit_id(ids[0], field.type) if is_told and field.name == name else None
        for field in layout.rows_schema
    )


_TOO_DEEP: Final = Bad("row.json", "expected a JSON object, got one nested too deep")


def parse_object(line: bytes, names: list[str]) -> dict[str, Any]:
    """Return the object of a line; a wanted key may stand in it once only.

    Raises:
        _BadCellError: ``row.encoding``, ``row.json`` or ``row.key``. RecursionError: too deep.
    """
    try:
        value = json.loads(
            line.decode(),  # given bytes, it would let half surrogate pairs through
            object_pairs_hook=_pairs_hook(names),
            parse_int=_whole,
            parse_float=_Number,
            parse_constant=str,
        )
    except UnicodeDecodeError as error:
        raise _BadCellError("row.encoding", f"expected UTF-8, got {error}") from None
    except json.JSONDecodeError as error:
        raise _BadCellError("row.json", what_is_wrong(error)) from None
    if not isinstance(value, dict):
        raise _BadCellError("row.json", f"expected a JSON object, got {_as_json(value):.60}")
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
                    "row.key", f"expected {quoted(name)} once, got it {keys.count(name)} times"
                )
        return dict(pairs)

    return build
