"""Solve many hands: chunks over threads around the compiled engine, the rest by other engines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solver.cards import N_CARDS, counts_of, format_card, parse_cards
from solver.errors import Fault, HandError, MeldSolverError, NotationError
from solver.kernels.suit_search import INFEASIBLE, TOO_LARGE
from solver.rules.deck import max_copies
from solver.rules.model import GameRules
from solver.solve.choose import find
from solver.solve.suit import covers_suit, engine_for, penalties_suit

Hands: TypeAlias = "NDArray[np.uint8] | Sequence[str]"

CHUNK: Final = 16_384
"""Hands per task: long enough to hide Python (about 2 us a task), short enough to share out."""


def parse_hands(texts: Iterable[str], *, tiles: bool = False) -> NDArray[np.uint8]:
    """Return uint8[n, 66] counts of hands written as text.

    Raises:
        NotationError: one fault for each hand that cannot be read, at ``/<row>/<card>``.
    """
    rows: list[NDArray[np.uint8]] = []
    faults: list[Fault] = []
    for i, text in enumerate(texts):
        try:
            rows.append(counts_of(parse_cards(text, tiles=tiles, where=f"/{i}")))
        except MeldSolverError as error:
            faults.extend(error.faults)
    if faults:
        raise NotationError.from_faults(faults)
    return np.array(rows, np.uint8).reshape(-1, N_CARDS)


def as_counts(hands: Hands, rules: GameRules) -> NDArray[np.uint8]:
    """Return hands as C-contiguous uint8[n, 66] that the deck allows.

    Raises:
        NotationError: a text cannot be read. HandError: ``hand.shape``, ``hand.copies``.
    """
    if not isinstance(hands, np.ndarray):
        hands = parse_hands(hands, tiles=rules.deck.tiles)
    if hands.ndim != 2 or hands.shape[1] != N_CARDS or hands.dtype != np.uint8:  # noqa: PLR2004
        raise HandError(
            f"expected hands of shape (n, 66) and dtype uint8, got {hands.dtype} {hands.shape}",
            code="hand.shape",
            where="/hands",
        )
    counts = np.ascontiguousarray(hands)
    most = np.array(
        [255 if (m := max_copies(c, rules.deck)) is None else m for c in range(N_CARDS)], np.uint8
    )
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


def solve_many(hands: Hands, rules: GameRules, *, threads: int = 1) -> NDArray[np.int32]:
    """Return the least penalty of each hand, int32[n].

    Args:
        hands: uint8[n, 66] counts or texts.
        rules: the game, resolved for its round.
        threads: threads to share the hands among, 1 or more; the kernels release the GIL.

    Raises:
        As ``solve``; faults name the row.
    """
    counts = as_counts(hands, rules)
    if engine_for(rules.meld, contract=False).rules.reason is not None:
        return np.array([_slow(row, rules) for row in counts], np.int32)
    chunks = [counts[i : i + CHUNK] for i in range(0, len(counts), CHUNK)]
    if threads <= 1 or len(chunks) <= 1:
        parts = [_chunk(chunk, rules) for chunk in chunks]
    else:
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(lambda chunk: _chunk(chunk, rules), chunks))
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)


def _chunk(counts: NDArray[np.uint8], rules: GameRules) -> NDArray[np.int32]:
    out = penalties_suit(counts, rules)
    for row in np.flatnonzero(out == TOO_LARGE):
        out[row] = _slow(counts[row], rules)
    return out


def _slow(counts: NDArray[np.uint8], rules: GameRules) -> int:
    found = find(counts, rules)
    if found.penalty is None:
        raise HandError("expected cards that can all be used, got none", code="hand.must_use")
    return found.penalty


def contract_left(counts: NDArray[np.uint8], rules: GameRules) -> NDArray[np.int32]:
    """Return the points left in hand after the contract for each hand, -1 when it cannot be met.

    Args:
        counts: uint8[n, 66].
        rules: rules with a contract.
    """
    if len(counts) and covers_suit(rules, counts[0], contract=True) is None:
        out = penalties_suit(np.ascontiguousarray(counts), rules, contract=True)
    else:
        out = np.full(len(counts), TOO_LARGE, np.int32)
    for row in np.flatnonzero(out == TOO_LARGE):
        found = find(counts[row], rules, contract=True)
        out[row] = INFEASIBLE if found.penalty is None else found.penalty
    if rules.meld.use_all:
        out[out > 0] = INFEASIBLE
    return out
