"""Hands read from text buffers: one bytes vector and the offsets of its rows (Arrow's layout)."""

from __future__ import annotations

import numpy as np

from solver.kernels.jit import kernel
from solver.kernels.suit_fast import N_PACKS, N_SUITS, PLANES, solve_planes

# Classes of a byte in the ``classes`` table (uint8[256], see solver.solve.packed):
# 0..12 a rank, 16..20 a suit, 32 a separator, 64 anything else.
SEPARATOR = 32
OTHER = 64
RANK_J = 10
RANK_K = 12
ODD_TEXT = -3
"""A text that needs the full reader: suit first, signs, a lone star, or no hand at all."""


@kernel
def next_card(data, at, end, classes):  # type: ignore[no-untyped-def]
    """Return the card that starts at ``at`` (66 none, -1 odd) and the place after it.

    Reads rank then suit, ``10``, ``1`` for the ace and ``JK``; separators before it are skipped.
    """
    while at < end and classes[data[at]] == SEPARATOR:
        at += 1
    if at >= end:
        return np.int64(66), at
    if at + 1 >= end:
        return np.int64(-1), at
    rank = np.int64(classes[data[at]])
    suit = np.int64(classes[data[at + 1]])
    if rank == RANK_J and suit == RANK_K:
        return np.int64(65), at + 2
    if data[at] == 49 and data[at + 1] == 48 and at + 2 < end:  # noqa: PLR2004 - "10"
        rank = np.int64(9)
        at += 1
        suit = np.int64(classes[data[at + 1]])
    if rank > RANK_K or suit < 16 or suit > 20:  # noqa: PLR2004 - the suit classes
        return np.int64(-1), at
    return (suit - 16) * 13 + rank, at + 2


@kernel
def texts_to_counts(data, offsets, classes, counts, status):  # type: ignore[no-untyped-def]
    """Read rows ``data[offsets[i]:offsets[i+1]]`` into uint8[n, 66]; status 0 or ODD_TEXT."""
    for i in range(counts.shape[0]):
        at, end = np.int64(offsets[i]), np.int64(offsets[i + 1])
        counts[i, :] = 0
        status[i] = 0
        while True:
            card, at = next_card(data, at, end, classes)
            if card > 65:  # noqa: PLR2004 - past the last card
                break
            if card < 0 or counts[i, card] == 255:  # noqa: PLR2004 - a count is a uint8
                status[i] = ODD_TEXT
                break
            counts[i, card] += 1


@kernel
def text_penalties(data, offsets, classes, saved, tables, work, out):  # type: ignore[no-untyped-def]
    """Write least penalties of text rows to int32[n]; ODD_TEXT and TOO_LARGE for others."""
    n_suits, n_packs = tables[N_SUITS], tables[N_PACKS]
    for i in range(out.shape[0]):
        for p in range(10):
            work[PLANES + p] = 0
        at, end = np.int64(offsets[i]), np.int64(offsets[i + 1])
        jokers = np.int64(0)
        state = np.int64(0)
        while True:
            card, at = next_card(data, at, end, classes)
            if card >= 65:  # noqa: PLR2004 - joker or past the last card
                if card > 65:  # noqa: PLR2004 - past the last card
                    break
                jokers += 1
                continue
            if card < 0:
                state = np.int64(ODD_TEXT)
                break
            suit = card // 13
            bit = np.int64(1) << (card - 13 * suit)
            if suit >= n_suits:
                state = np.int64(-2)
            elif work[PLANES + suit] & bit == 0:
                work[PLANES + suit] |= bit
            elif n_packs > 1 and work[PLANES + 5 + suit] & bit == 0:
                work[PLANES + 5 + suit] |= bit
            else:
                state = np.int64(-2)
        out[i] = solve_planes(jokers, saved, tables, work) if state == 0 else state
