"""Columns of hands -> counts and packed hands: texts, lists of texts, lists of card ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solver.cards import MAX_COPIES, N_CARDS, counts_of, format_hand, parse_card, parse_cards
from solver.errors import HandError, MeldSolverError
from solver.rules.deck import most_copies
from solver.rules.loader import check_deck
from solver.rules.model import GameRules
from solver.solve.packed import read_texts, text_buffers

Counts2: TypeAlias = NDArray[np.uint8]
MAX_MESSAGE: Final = 300
_CHUNK: Final = 1 << 14
"""Rows of lists counted at once: the table of 66 int64 a row stays near 8 MB."""


class Bad(NamedTuple):
    """Why a row has no answer: a stable code and one line for people."""

    code: str
    message: str


Faults: TypeAlias = dict[int, Bad]


def bad_of(error: MeldSolverError) -> Bad:
    """Return what an error says of a row."""
    text = str(error).encode(errors="replace").decode()
    return Bad(error.code, text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 3] + "...")


@dataclass(frozen=True)
class Texts:
    """A text column as the kernels read it.

    Attributes:
        data: bytes of all rows, uint8.
        offsets: int32[n + 1], where rows start and end.
        missing: bool[n], rows without a value.
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    missing: NDArray[np.bool_]

    def bytes_of(self, row: int) -> bytes:
        """Return the bytes of one row."""
        return self.data[self.offsets[row] : self.offsets[row + 1]].tobytes()


@dataclass(frozen=True)
class CountedHands:
    """Hands as counts uint8[n, 66], and the rows that are none."""

    counts: Counts2
    faults: Faults = field(default_factory=dict)


def plain_column(column: Any) -> Any:  # noqa: ANN401 - an Arrow array of any type
    """Return a column of hands as an array of strings or of lists.

    Raises:
        HandError: ``batch.hand_type`` for any other type.
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return column
    if pa.types.is_null(kind) or kind in {pa.large_string(), pa.string_view()}:
        return column.cast(pa.string())
    if kind in {pa.large_binary(), pa.binary_view()}:
        return column.cast(pa.binary())
    if pa.types.is_fixed_size_list(kind) or pa.types.is_large_list(kind):
        return plain_column(column.cast(pa.list_(kind.value_type)))
    if pa.types.is_list(kind):
        value = kind.value_type
        if pa.types.is_integer(value) or pa.types.is_string(value):
            return column
        if pa.types.is_null(value) or value in {pa.large_string(), pa.string_view()}:
            return column.cast(pa.list_(pa.string()))
    raise HandError(f"expected hands as texts or lists, got {kind}", code="batch.hand_type")


def texts_of(column: Any) -> Texts:  # noqa: ANN401 - an Arrow array of strings
    """Return the buffers of an array of strings, the kernels' view of it."""
    return Texts(*text_buffers(column), mask_of(column))


def mask_of(column: Any) -> NDArray[np.bool_]:  # noqa: ANN401 - an Arrow array
    """Return bool[n], True where a column has no value."""
    if column.null_count == 0:
        return np.zeros(len(column), np.bool_)
    mask: NDArray[np.bool_] = column.is_null().to_numpy(zero_copy_only=False)
    return mask


def count_hands(column: Any, rules: GameRules) -> CountedHands:  # noqa: ANN401 - an Arrow array
    """Return the counts of hands and, for each row that is no hand of this deck, why.

    Args:
        column: array of strings or lists, see ``plain_column``.
        rules: the game, for its notation and deck.
    """
    tiles = rules.deck.tiles
    if not pa.types.is_list(column.type):
        hands = _count_texts(texts_of(column), tiles=tiles)
    else:
        hands = _count_lists(column, tiles=tiles)
    counts, faults = hands.counts, hands.faults
    for row in np.flatnonzero(~counts.any(axis=1)).tolist():
        faults.setdefault(row, Bad("hand.empty", "expected at least one card, got none"))
    for row in np.flatnonzero((counts > most_copies(rules.deck)).any(axis=1)).tolist():
        try:
            check_deck(counts[row], rules)
        except HandError as error:
            faults.setdefault(row, bad_of(error))
    return hands


_MISSING: Final = Bad("hand.missing", "expected a hand, got none")


def _count_texts(texts: Texts, *, tiles: bool) -> CountedHands:
    counts, status = read_texts(texts.data, texts.offsets)
    faults: Faults = dict.fromkeys(np.flatnonzero(texts.missing).tolist(), _MISSING)
    for row in np.flatnonzero(status).tolist():
        try:
            counts[row] = counts_of(parse_cards(texts.bytes_of(row).decode(), tiles=tiles))
        except UnicodeDecodeError as error:
            faults[row] = Bad("row.encoding", f"expected UTF-8, got {error}")
        except MeldSolverError as error:
            faults[row] = bad_of(error)
    return CountedHands(counts, faults)


def _count_lists(column: Any, *, tiles: bool) -> CountedHands:  # noqa: ANN401 - an Arrow array
    """Count rows of lists: every distinct element is read once, rows with a bad one in full."""
    missing = mask_of(column)
    offsets = np.asarray(column.offsets)
    elements = column.values.slice(offsets[0], offsets[-1] - offsets[0])
    lengths = np.where(missing, 0, np.diff(offsets))
    cards = _element_cards(elements, tiles=tiles)
    if missing.any() and int(lengths.sum()) != len(cards):
        # A missing list may still span elements of the buffer; they are nobody's.
        cards = cards[~np.repeat(missing, np.diff(offsets))]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    counts = np.zeros((len(column), N_CARDS), np.uint8)
    faults: Faults = dict.fromkeys(np.flatnonzero(missing).tolist(), _MISSING)
    for lo in range(0, len(column), _CHUNK):
        hi = min(lo + _CHUNK, len(column))
        part = cards[starts[lo] : starts[hi]]
        rows = np.repeat(np.arange(hi - lo), lengths[lo:hi])
        known = part >= 0
        table = np.bincount(rows[known] * N_CARDS + part[known], minlength=(hi - lo) * N_CARDS)
        table = table.reshape(hi - lo, N_CARDS)
        odd = set(np.unique(rows[~known]).tolist())
        odd |= set(np.flatnonzero((table > MAX_COPIES).any(axis=1)).tolist())
        counts[lo:hi] = np.minimum(table, MAX_COPIES)
        for row in odd:
            counts[lo + row] = 0
            faults[lo + row] = _list_fault(column[lo + row], tiles=tiles)
    return CountedHands(counts, faults)


def _element_cards(elements: Any, *, tiles: bool) -> NDArray[np.int64]:  # noqa: ANN401
    """Return the card ids of list elements, -1 for those that are no card."""
    if pa.types.is_integer(elements.type):
        codes = elements.fill_null(0).to_numpy(zero_copy_only=False)
        valid = (codes >= 0) & (codes < N_CARDS)
        if elements.null_count:
            valid &= ~mask_of(elements)
        return np.where(valid, codes, -1).astype(np.int64)
    encoded = elements.cast(pa.binary()).dictionary_encode()
    tokens = [token.decode(errors="replace") for token in encoded.dictionary.to_pylist()]
    known = np.array([_card_or_none(token, tiles=tiles) for token in tokens], np.int64)
    indices = encoded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
    cards: NDArray[np.int64] = np.append(known, -1)[indices]
    return cards


def _card_or_none(token: str, *, tiles: bool) -> int:
    try:
        return parse_card(token, tiles=tiles)
    except MeldSolverError:
        return -1


def _list_fault(row: Any, *, tiles: bool) -> Bad:  # noqa: ANN401 - an Arrow scalar
    """Return what is wrong with a list that has an element which is no card, or 256 of one."""
    try:
        read_list(row.as_py(), tiles=tiles)
    except UnicodeDecodeError as error:
        return Bad("row.encoding", f"expected UTF-8, got {error}")
    except MeldSolverError as error:
        return bad_of(error)
    raise AssertionError(f"a list that can be read was held to be wrong: {row!r:.80}")


def read_list(elements: Sequence[object], *, tiles: bool) -> str:
    """Return the canonical text of a list of card texts or of card ids.

    Raises:
        NotationError: ``card.unknown``. HandError: ``card.id``, ``card.copies``.
    """
    if elements and all(isinstance(e, int) and not isinstance(e, bool) for e in elements):
        cards: list[int] = list(elements)  # type: ignore[arg-type]
    else:
        cards = parse_cards(elements, tiles=tiles)  # type: ignore[arg-type]
    counts_of(cards)
    return format_hand(cards)
