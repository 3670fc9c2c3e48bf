"""Solve many hands: chunks over threads around the compiled engine, the rest by other engines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solver.arguments import TRUTH, checked, whole
from solver.cards import N_CARDS, are_tiles, counts_of, format_card, parse_cards
from solver.compile.packed import PackedRules
from solver.deadline import Deadline, TimeLimit
from solver.errors import Fault, HandError, LimitError, MeldSolverError, NotationError, quoted
from solver.kernels.suit_layout import INFEASIBLE, TOO_LARGE
from solver.rules.argument import RULES
from solver.rules.deck import most_copies
from solver.rules.model import GameRules
from solver.solve.choose import USED_UP, find
from solver.solve.one import asks_contract, best_contract, solve
from solver.solve.packed import (
    ArrowText,
    fast_counts,
    fast_lane,
    fast_words,
    has_tail,
    in_deck,
    pays,
    read_texts,
    text_buffers,
    text_words,
    unpack,
)
from solver.solve.suit import covers_suit, engine_for, penalties_suit

Hands: TypeAlias = "NDArray[Any] | Sequence[str] | ArrowText"

CHUNK: Final = 16_384
"""Hands per task: long enough to hide Python (about 2 us a task), short enough to share out."""


def _rows(texts: Iterable[str]) -> list[str]:
    """Return the texts of an iterable; HandError ``hand.type`` for one text or what has none."""
    try:
        if not isinstance(texts, str | bytes):
            return list(texts)
    except TypeError:
        pass  # nothing to go through
    raise HandError(
        f"expected a list of hands, got {quoted(texts)}", code="hand.type", where="/hands"
    )


@checked(tiles=TRUTH.or_none())
def parse_hands(texts: Iterable[str], *, tiles: bool | None = None) -> NDArray[np.uint8]:
    """Return uint8[n, 66] counts of hands written as text.

    Args:
        texts: one hand a text, see ``parse_cards``.
        tiles: whether tiles (``R12``) are read; None: in a hand that is written in tiles
            throughout, so that a slip in a hand of cards is never read as a tile.

    Raises:
        NotationError: one fault for each hand that cannot be read, at ``/<row>/<card>``.
    """
    rows = _rows(texts)
    faults = [
        Fault("hand.type", f"/{i}", f"hand {i + 1}: expected a text, got {quoted(row)}")
        for i, row in enumerate(rows)
        if not isinstance(row, str)
    ]
    if faults:
        raise NotationError.from_faults(faults)
    data = "".join(rows).encode(errors="surrogatepass")
    lengths: Iterable[int] = map(len, rows)
    if not data.isascii():
        lengths = (len(row.encode(errors="surrogatepass")) for row in rows)
    offsets = np.zeros(len(rows) + 1, np.int32)
    np.cumsum(np.fromiter(lengths, np.int32, len(rows)), out=offsets[1:])
    counts, status = read_texts(np.frombuffer(data, np.uint8), offsets)
    reads = are_tiles if tiles is None else lambda _: tiles
    for i in np.flatnonzero(status):
        try:
            counts[i] = counts_of(parse_cards(rows[i], tiles=reads(rows[i]), where=f"/{i}"))
        except MeldSolverError as error:
            faults.extend(error.faults)
    if faults:
        raise NotationError.from_faults(faults)
    return counts


def as_counts(hands: Hands, rules: GameRules) -> NDArray[np.uint8]:
    """Return hands as C-contiguous uint8[n, 66] that the deck allows.

    Raises:
        NotationError: a text cannot be read. HandError: ``hand.shape``, ``hand.copies``.
    """
    if not isinstance(hands, np.ndarray):
        texts = hands.to_pylist() if hasattr(hands, "to_pylist") else hands
        hands = parse_hands(texts, tiles=rules.deck.tiles)
    if hands.ndim != 2 or hands.shape[1] != N_CARDS or hands.dtype != np.uint8:  # noqa: PLR2004
        raise HandError(
            f"expected an array of uint8 of shape (n, 66), got {hands.dtype} {hands.shape}",
            code="hand.shape",
            where="/hands",
        )
    counts = np.ascontiguousarray(hands)
    most = most_copies(rules.deck)
    if (counts > most).any():
        rows, cards = np.nonzero(counts > most)
        faults = [
            Fault(
                "hand.copies",
                f"/hands/{row}",
                f"hand {row + 1}: expected at most {most[card]} of {format_card(int(card))}, "
                f"got {counts[row, card]}",
            )
            for row, card in zip(rows[:100], cards[:100], strict=True)
        ]
        raise HandError.from_faults(faults)
    return counts


def _arrow_words(hands: ArrowText, rules: GameRules) -> NDArray[np.uint64] | None:
    """Return the rows of an Arrow string array as packed hands, read from its buffer.

    None where a row needs the full reader or a card is not in the deck, so that every fault is
    named with its place.
    """
    plain = str(getattr(hands, "type", "")) == "string" and hasattr(hands, "buffers")
    if not plain or hands.null_count or rules.deck.tiles:
        return None
    words, status = text_words(*text_buffers(hands), rules)
    return words if not status.any() and in_deck(words, rules).all() else None


MOST_THREADS: Final = 1024
_THREADS: Final = whole(
    1, MOST_THREADS, f"1..{MOST_THREADS} threads", error=LimitError, code="limit.threads"
)


class Prices(NamedTuple):
    """What hands cost: least penalties and what is proved of them, int32[n] each.

    Attributes:
        penalties: the least found.
        bounds: no arrangement costs less; equal to the penalty where that is proved.
    """

    penalties: NDArray[np.int32]
    bounds: NDArray[np.int32]


@checked(rules=RULES, threads=_THREADS, ignore_contract=TRUTH)
def solve_many(
    hands: Hands,
    rules: GameRules,
    *,
    threads: int = 1,
    ignore_contract: bool = False,
    time_limit_s: TimeLimit = None,
) -> NDArray[np.int32]:
    """Return the least penalty of each hand, int32[n], under the contract of the rules if any.

    All of them are proved; there is no answer without.

    Args:
        hands: uint8[n, 66] counts, packed uint64[n, k] hands (``pack_counts``), texts, or an
            Arrow string array of texts.
        rules: the game, resolved for its round.
        threads: threads to share the hands among, 1 or more; the kernels release the GIL.
        ignore_contract: leave the contract out: any melds count, as if the player were down.
        time_limit_s: seconds for all hands; None: the work on each is bounded, as in ``solve``.

    Raises:
        As ``solve``; faults name the row. ``limit.time`` and ``limit.work`` when a penalty could
        not be proved. Packed hands are not checked against the deck.
    """
    deadline = Deadline.after(time_limit_s)
    words = _arrow_words(hands, rules) if isinstance(hands, ArrowText) else None
    hands = hands if words is None else words
    packed = isinstance(hands, np.ndarray) and hands.dtype == np.uint64
    rows: NDArray[Any]
    if packed:
        rows = np.ascontiguousarray(hands)
        unpack(rows[:0], rules)
    else:
        rows = as_counts(hands, rules)
    out = np.empty(len(rows), np.int32)
    contract = asks_contract(rules, ignore_contract=ignore_contract)
    # Tables are built once, before threads ask for them.
    lane = None if contract else _lane(rows, rules, deadline)

    def fill(start: int) -> None:
        part = rows[start : start + CHUNK]
        found = (
            _contract_chunk(part, rules, deadline)
            if contract
            else _chunk(part, rules, lane, deadline)
        )
        check_proved(found, deadline, start)
        out[start : start + CHUNK] = found.penalties

    starts = range(0, len(rows), CHUNK)
    if threads <= 1 or len(starts) <= 1:
        for start in starts:
            fill(start)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, starts))
    return out


def price_rows(
    rows: NDArray[np.uint8], rules: GameRules, *, ignore_contract: bool, deadline: Deadline
) -> Prices:
    """Return what a few hands cost, uint8[n, 66], those that are not proved in time too."""
    if asks_contract(rules, ignore_contract=ignore_contract):
        return _contract_chunk(rows, rules, deadline)
    return _chunk(rows, rules, _lane(rows, rules, deadline), deadline)


def check_proved(found: Prices, deadline: Deadline, start: int = 0) -> None:
    """Raise ``limit.time`` or ``limit.work`` with the first row whose penalty is not proved."""
    if found.bounds is found.penalties:
        return
    open_rows = np.flatnonzero(found.bounds != found.penalties)
    if len(open_rows):
        error = deadline.used_up()
        row = start + int(open_rows[0])
        raise LimitError(f"hand {row + 1}: {error}", code=error.code, where=f"/hands/{row}")


def _lane(rows: NDArray[Any], rules: GameRules, deadline: Deadline) -> PackedRules | None:
    """Return the fast lane where it covers the game and its tables pay."""
    packs = rows.shape[1] - has_tail(rules) if rows.dtype == np.uint64 else None
    if not pays(rules, packs, len(rows), deadline):
        return None
    return fast_lane(rules, packs, ignore_contract=True)


def _chunk(
    rows: NDArray[Any], rules: GameRules, lane: PackedRules | None, deadline: Deadline
) -> Prices:
    """Return what a chunk costs without contract: by the fast lane first, then by engines."""
    packed = rows.dtype == np.uint64
    if lane is None:
        out = np.full(len(rows), TOO_LARGE, np.int32)
    elif packed:
        out = fast_words(rows, rules, lane, deadline)
    else:
        out = fast_counts(rows, lane, deadline)
    hard = np.flatnonzero(out == TOO_LARGE)
    if not len(hard):
        return Prices(out, out)
    bounds = out.copy()
    counts = unpack(rows[hard], rules) if packed else rows[hard]
    out[hard], bounds[hard] = _without_lane(counts, rules, deadline)
    return Prices(out, bounds)


def _contract_chunk(rows: NDArray[Any], rules: GameRules, deadline: Deadline) -> Prices:
    counts = unpack(rows, rules) if rows.dtype == np.uint64 else rows
    left, known = _left(counts, rules, deadline)
    penalties, _ = _contract_prices(counts, left, rules)
    return Prices(penalties, np.where(known, penalties, 0).astype(np.int32))


def contract_prices(
    counts: NDArray[np.uint8], rules: GameRules
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the penalty of each hand under the contract, and whether it can lay it.

    The penalty, int32[n], is the points left in hand behind the contract, those of all cards of
    a hand that cannot lay it.

    Args:
        counts: uint8[n, 66].
        rules: rules with a contract.
    """
    return _contract_prices(counts, contract_left(counts, rules), rules)


def _contract_prices(
    counts: NDArray[np.uint8], left: NDArray[np.int32], rules: GameRules
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    unmet = left == INFEASIBLE
    if rules.meld.must_use and unmet.any():
        solve(counts[int(np.argmax(unmet))], rules)  # raises: cards must be used and cannot be
    left[unmet] = counts[unmet].astype(np.int64) @ np.array(rules.meld.points, np.int64)
    cap = rules.meld.penalty_cap
    return (left if cap is None else np.minimum(left, cap)), ~unmet


def _without_lane(counts: NDArray[np.uint8], rules: GameRules, deadline: Deadline) -> Prices:
    if engine_for(rules.meld, contract=False).rules.reason is not None:
        out = np.full(len(counts), TOO_LARGE, np.int32)
    else:
        out = penalties_suit(counts, rules, deadline=deadline)
    hard = np.flatnonzero(out == TOO_LARGE)
    bounds = out.copy() if len(hard) else out
    for row in hard:
        found = find(counts[row], rules, time_limit_s=deadline)
        if found.penalty is None:
            raise HandError("expected cards that can all be used, got none", code="hand.must_use")
        out[row], bounds[row] = found.penalty, found.lower_bound
    return Prices(out, bounds)


def contract_left(
    counts: NDArray[np.uint8], rules: GameRules, *, time_limit_s: TimeLimit = None
) -> NDArray[np.int32]:
    """Return the points left in hand after the contract for each hand, -1 when it cannot be met.

    Args:
        counts: uint8[n, 66].
        rules: rules with a contract.
        time_limit_s: seconds for all hands; None: the work on each is bounded, as in ``solve``.

    Raises:
        LimitError: ``limit.time``, ``limit.work`` when an answer could not be proved.
    """
    deadline = Deadline.after(time_limit_s)
    left, known = _left(counts, rules, deadline)
    check_proved(Prices(left, np.where(known, left, TOO_LARGE).astype(np.int32)), deadline)
    return left


def _left(
    counts: NDArray[np.uint8], rules: GameRules, deadline: Deadline
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return what ``contract_left`` does, -1 too where that is not known; and what is proved."""
    if len(counts) and covers_suit(rules, counts[0], contract=True) is None:
        rows = np.ascontiguousarray(counts)
        out = penalties_suit(rows, rules, contract=True, deadline=deadline)
    else:
        out = np.full(len(counts), TOO_LARGE, np.int32)
    known = np.ones(len(counts), np.bool_)
    for row in np.flatnonzero(out == TOO_LARGE):
        out[row] = INFEASIBLE
        try:
            found = find(counts[row], rules, contract=True, time_limit_s=deadline)
        except LimitError as error:
            if error.code not in USED_UP:
                raise
            known[row] = False
            continue
        out[row] = INFEASIBLE if found.penalty is None else found.penalty
        known[row] = found.proved
    if rules.meld.use_all:
        out[out > 0] = INFEASIBLE
        if 0 in rules.meld.points:  # then no points left does not mean no cards left
            for row in np.flatnonzero(out == 0):
                laid = best_contract(counts[row], rules, time_limit_s=deadline)
                out[row] = INFEASIBLE if laid is None else 0
    return out, known
