"""The packed form of hands, and the fast lane over it, over counts and over text buffers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from solver.cards import JOKER, N_CARDS, RANKS, SUITS
from solver.compile.free_melds import without_contract
from solver.compile.packed import PackedRules, build_cost, compile_packed
from solver.deadline import Deadline
from solver.errors import HandError
from solver.kernels import fast_one, fast_rows, fast_tables, pack, text
from solver.rules.deck import most_copies
from solver.rules.model import GameRules, MeldRules

MAX_PLANES: Final = 4
"""Four planes of stars fill 52 bits of the tail; its top byte counts the jokers."""
_JOKER_SHIFT: Final = np.uint64(56)


@runtime_checkable
class ArrowText(Protocol):
    """An Arrow string array, as far as it is looked at; pyarrow itself is not imported."""

    offset: int
    null_count: int
    type: object

    def __len__(self) -> int:
        """Return the number of rows."""

    def buffers(self) -> list[Any]:
        """Return the buffers of validity, offsets and bytes."""

    def to_pylist(self) -> list[Any]:
        """Return the rows as Python objects."""


MOST_NODES: Final = 1_000_000
"""Most nodes of the search of one hand, a twentieth of a second; hands in play need some tens."""
_NODE_STEPS: Final = 100
"""What a node takes in the steps of other kernels."""


class _Local(threading.local):
    def __init__(self) -> None:
        self.work = np.zeros(fast_tables.WORK_SIZE, np.int64)

    @contextmanager
    def bounded(self, n_hands: int, deadline: Deadline) -> Iterator[NDArray[np.int64]]:
        """Give the work vector for some hands; when the time is up all are out of reach."""
        self.work[fast_tables.MOST_NODES] = MOST_NODES
        times = n_hands * _NODE_STEPS
        with deadline.stops(self.work, fast_tables.MOST_NODES, times):
            yield self.work


_LOCAL = _Local()


def _byte_classes() -> NDArray[np.uint8]:
    classes = np.full(256, text.OTHER, np.uint8)
    for i, char in enumerate(RANKS):
        classes[[ord(char), ord(char.lower())]] = i
    for i, char in enumerate(SUITS):
        classes[[ord(char), ord(char.lower())]] = 16 + i
    classes[ord("1")] = text.ONE
    classes[ord("0")] = text.ZERO
    classes[[ord(c) for c in " \t\r\n,;|"]] = text.SEPARATOR
    return classes


_CLASSES: Final = _byte_classes()


def has_tail(rules: GameRules) -> bool:
    """Return whether packed hands of a game have the word of stars and jokers."""
    return rules.deck.has_jokers or rules.deck.suits == 5  # noqa: PLR2004 - five suits


_HAND_COST: Final = 3_000
"""What a hand takes without the lane, in the steps that tables are counted in."""
_COST_S: Final = 1.3e-9
_MOST_GAMES: Final = 1000
_Game: TypeAlias = tuple[MeldRules, int, tuple[int, ...]]
_built: set[_Game] = set()
_asked: dict[_Game, int] = {}


def fast_lane(
    rules: GameRules, packs: int | None = None, *, ignore_contract: bool = False
) -> PackedRules | None:
    """Return the fast lane's tables for a game, None when it does not cover it.

    It knows no contracts, so rules with one have the lane only where that is left out.
    """
    if rules.meld.contract is not None and not ignore_contract:
        return None
    game = _game(rules, packs)
    compiled = compile_packed(*game)
    _built.add(game)
    return compiled if compiled.reason is None else None


def pays(rules: GameRules, packs: int | None, n_hands: int, deadline: Deadline) -> bool:
    """Return whether the lane's tables are there, or worth building for the hands asked so far.

    So a few hands never wait for tables, and many wait for them no longer than they would have
    taken without. Under a time limit they are built only if that leaves half of it.
    """
    game = _game(rules, packs)
    if game in _built:
        return True
    if len(_asked) > _MOST_GAMES:
        _asked.clear()
    _asked[game] = _asked.get(game, 0) + n_hands
    cost, left_s = build_cost(*game), deadline.left()
    in_time = left_s is None or 2 * cost * _COST_S < left_s
    return cost <= _asked[game] * _HAND_COST and in_time


def _game(rules: GameRules, packs: int | None) -> _Game:
    packs = packs or rules.deck.packs or 2
    return without_contract(rules.meld), min(packs, 2), rules.deck.ranks


def pack_counts(counts: NDArray[np.uint8], rules: GameRules) -> NDArray[np.uint64]:
    """Return counts uint8[n, 66] as packed hands uint64[n, k].

    k is as many planes as the most copies of a card (at least the packs of the game when known),
    plus the tail where the game has jokers or a fifth suit. Word p has bit ``13 * suit + rank``
    set when more than p copies are held; the tail holds the stars' planes at bit ``13 * p`` and
    the number of jokers from bit 56.

    Raises:
        HandError: ``hand.packed`` for more than 4 copies, 127 jokers, or cards that only a tail
        could hold.
    """
    counts = np.ascontiguousarray(counts, np.uint8)
    tail = has_tail(rules)
    most = int(counts[:, :65].max(initial=1))
    planes = max(most, min(rules.deck.packs or 1, MAX_PLANES))
    words = np.zeros((len(counts), planes + tail), np.uint64)
    if planes > MAX_PLANES or pack.counts_to_words(counts, planes, int(tail), words):
        raise HandError(
            f"expected hands of at most {MAX_PLANES} copies of a card that {rules.name} has, "
            f"got others (most copies {most})",
            code="hand.packed",
        )
    return words


def unpack(words: NDArray[np.uint64], rules: GameRules) -> NDArray[np.uint8]:
    """Return packed hands uint64[n, k] as counts uint8[n, 66].

    Raises:
        HandError: ``hand.packed`` when k does not fit the game.
    """
    tail = has_tail(rules)
    if words.ndim != 2 or not 1 <= words.shape[1] - tail <= MAX_PLANES:  # noqa: PLR2004
        raise HandError(
            f"expected packed hands of 1 to {MAX_PLANES} planes"
            f"{' and a tail' if tail else ''}, got shape {words.shape}",
            code="hand.packed",
        )
    counts = np.zeros((len(words), N_CARDS), np.uint8)
    pack.words_to_counts(words, int(tail), counts)
    return counts


def fast_words(
    words: NDArray[np.uint64],
    rules: GameRules,
    lane: PackedRules,
    deadline: Deadline = Deadline.NEVER,
) -> NDArray[np.int32]:
    """Return int32[n] penalties of packed hands, -2 where the lane does not reach in time."""
    out = np.empty(len(words), np.int32)
    with _LOCAL.bounded(len(words), deadline) as work:
        if lane.left is not None and words.shape[1] == 1:
            fast_one.one_pack_words(words, lane.left, work, out)
        else:
            tail = int(has_tail(rules))
            fast_rows.packed_penalties(words, tail, lane.saved, lane.tables, work, out)
    return out


def fast_counts(
    counts: NDArray[np.uint8], lane: PackedRules, deadline: Deadline = Deadline.NEVER
) -> NDArray[np.int32]:
    """Return int32[n] penalties of uint8[n, 66] counts, -2 where the lane does not reach."""
    out = np.empty(len(counts), np.int32)
    with _LOCAL.bounded(len(counts), deadline) as work:
        if lane.left is not None:
            words = np.empty((len(counts), 1), np.uint64)
            fast_one.counts_to_one_word(counts, words)
            fast_one.one_pack_words(words, lane.left, work, out)
        else:
            fast_rows.counts_penalties(counts, lane.saved, lane.tables, work, out)
    return out


def text_words(
    data: NDArray[np.uint8], offsets: NDArray[np.int32], rules: GameRules
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return text rows as packed hands uint64[n, k] and int32[n] statuses.

    Statuses: 0; -2 no place in the planes of the fast lane; -3 to be read in full. The deck is
    not asked, and a text without cards is an empty word.

    Args:
        data: bytes of all rows, uint8.
        offsets: int32[n + 1], where rows start and end.
        rules: the game, for the layout of its packed hands.
    """
    tail = int(has_tail(rules))
    packs = min(rules.deck.packs or 2, 2)
    cards, ends, status = _read_cards(data, offsets)
    words = np.empty((len(status), packs + tail), np.uint64)
    text.cards_to_words(cards, offsets, ends, tail, status, words)
    return words, status


def text_buffers(column: ArrowText) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the bytes of an Arrow string array, uint8, and where its rows start and end in them.

    Args:
        column: array of type string or binary; rows without a value are empty.
    """
    n = len(column)
    _, offset_buffer, data_buffer = column.buffers()
    if n == 0 or offset_buffer is None:
        offsets = np.zeros(n + 1, np.int32)
    else:
        offsets = np.frombuffer(offset_buffer, np.int32)[column.offset : column.offset + n + 1]
    data = np.zeros(0, np.uint8)
    if data_buffer is not None and offsets[-1] > offsets[0]:
        data = np.frombuffer(data_buffer, np.uint8)[offsets[0] : offsets[-1]]
    return data, np.ascontiguousarray(offsets - offsets[0])


def word_sizes(words: NDArray[np.uint64], rules: GameRules) -> NDArray[np.int64]:
    """Return int64[n], the cards of packed hands."""
    tail = int(has_tail(rules))
    planes = words.shape[1] - tail
    sizes: NDArray[np.int64] = np.bitwise_count(words[:, :planes]).sum(axis=1, dtype=np.int64)
    if tail:
        last = words[:, planes]
        sizes += np.bitwise_count(last & np.uint64((1 << 56) - 1))
        sizes += (last >> _JOKER_SHIFT).astype(np.int64)
    return sizes


def in_deck(words: NDArray[np.uint64], rules: GameRules) -> NDArray[np.bool_]:
    """Return bool[n], which packed hands hold cards of the deck only, none more often than it."""
    tail = int(has_tail(rules))
    planes = words.shape[1] - tail
    most = most_copies(rules.deck)
    fits: NDArray[np.bool_] = np.ones(len(words), np.bool_)
    for plane in range(planes):
        allowed = sum(1 << card for card in range(52) if most[card] > plane)
        fits &= (words[:, plane] & np.uint64(~allowed & (1 << 64) - 1)) == 0
    if tail:
        last = words[:, planes]
        stars = sum(
            1 << 13 * plane + rank
            for plane in range(planes)
            for rank in range(13)
            if most[52 + rank] > plane
        )
        allowed = stars | 0xFF << 56
        fits &= (last & np.uint64(~allowed & (1 << 64) - 1)) == 0
        fits &= (last >> _JOKER_SHIFT) <= most[JOKER]
    return fits


def fast_texts(
    data: NDArray[np.uint8], offsets: NDArray[np.int32], rules: GameRules, lane: PackedRules
) -> NDArray[np.int32]:
    """Return int32[n] penalties of text rows, -2 out of reach, -3 for texts to be read in full.

    Args:
        data: bytes of all rows, uint8.
        offsets: int32[n + 1], where rows start and end.
        rules: the game, for the layout of its packed hands.
        lane: tables of the rules.
    """
    words, status = text_words(data, offsets, rules)
    out = fast_words(words, rules, lane)
    odd = status != text.OK
    out[odd] = status[odd]
    return out


def _read_cards(
    data: NDArray[np.uint8], offsets: NDArray[np.int32]
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int32]]:
    # To numba an array that may be written is of another type; buffers of Arrow are of either.
    data = data.view()
    data.flags.writeable = False
    cards = np.empty(len(data) // 2 + 1, np.uint8)
    ends = np.empty(len(offsets) - 1, np.int64)
    status = np.empty(len(offsets) - 1, np.int32)
    text.texts_to_cards(data, offsets, _CLASSES, cards, ends, status)
    return cards, ends, status


def read_texts(
    data: NDArray[np.uint8], offsets: NDArray[np.int32]
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return counts uint8[n, 66] of text rows and int32[n] statuses, 0 or -3 (read in full)."""
    cards, ends, status = _read_cards(data, offsets)
    counts = np.empty((len(status), N_CARDS), np.uint8)
    text.cards_to_counts(cards, offsets, ends, status, counts)
    return counts, status
