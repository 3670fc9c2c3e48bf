"""Hands read from text buffers: one bytes vector and the offsets of its rows (Arrow's layout)."""

from __future__ import annotations

from solver.kernels.jit import kernel
from solver.kernels.types import I32, I64, U8, U64, i64, u64

# Classes of a byte in the ``classes`` table (uint8[256], see solver.solve.packed): 0..12 a rank.
ONE = 13
ZERO = 14
FIRST_SUIT = 16
LAST_SUIT = 20
SEPARATOR = 32
OTHER = 64
RANK_J = 10
RANK_K = 12
JOKER = 65
OK = 0
TOO_LARGE = -2
ODD_TEXT = -3
"""A text that needs the full reader: suit first, signs, a lone star, or no hand at all."""


@kernel
def texts_to_cards(data: U8, offsets: I32, classes: U8, cards: U8, ends: I64, status: I32) -> None:
    """Read rows ``data[offsets[i]:offsets[i+1]]`` into card ids; status int32[n] OK or ODD_TEXT.

    Row i's cards are ``cards[offsets[i] // 2 : ends[i]]``; a card takes two bytes or more, so
    rows never overlap. Rank then suit, ``10``, ``1`` for the ace and ``JK``; everything else is
    odd. The loop calls nothing: a function per card cost 40 ns each.
    """
    for i in range(status.shape[0]):
        at, end = i64(offsets[i]), i64(offsets[i + 1])
        to = at >> 1
        status[i] = OK
        while at < end:
            first = i64(classes[data[at]])
            if first == SEPARATOR:
                at += 1
                continue
            if at + 1 >= end:
                status[i] = ODD_TEXT
                break
            second = i64(classes[data[at + 1]])
            at += 2
            if first == ONE and second == ZERO and at < end:
                first = i64(9)
                second = i64(classes[data[at]])
                at += 1
            elif first == ONE:
                first = i64(0)
            if first <= RANK_K and FIRST_SUIT <= second <= LAST_SUIT:
                cards[to] = (second - FIRST_SUIT) * 13 + first
            elif first == RANK_J and second == RANK_K:
                cards[to] = JOKER
            else:
                status[i] = ODD_TEXT
                break
            to += 1
        ends[i] = to


@kernel
def cards_to_counts(cards: U8, offsets: I32, ends: I64, status: I32, counts: U8) -> None:
    """Count card rows into uint8[n, 66]; more than 255 copies make the status ODD_TEXT."""
    for i in range(status.shape[0]):
        counts[i, :] = 0
        if status[i] != OK:
            continue
        for at in range(i64(offsets[i]) >> 1, ends[i]):
            card = i64(cards[at])
            if counts[i, card] == 255:
                status[i] = ODD_TEXT
                break
            counts[i, card] += 1


@kernel
def cards_to_words(
    cards: U8, offsets: I32, ends: I64, has_tail: int, status: I32, words: U64
) -> None:
    """Pack card rows into words uint64[n, k]; hands without a place there become TOO_LARGE."""
    n_planes = words.shape[1] - has_tail
    for i in range(status.shape[0]):
        for p in range(words.shape[1]):
            words[i, p] = 0
        if status[i] != OK:
            continue
        jokers = i64(0)
        for at in range(i64(offsets[i]) >> 1, ends[i]):
            card = i64(cards[at])
            p = i64(0)
            if card < 52:
                bit = u64(1) << u64(card)
                while p < n_planes and words[i, p] & bit:
                    p += 1
                if p < n_planes:
                    words[i, p] |= bit
                else:
                    status[i] = TOO_LARGE
            elif card < JOKER and not has_tail:
                status[i] = TOO_LARGE
            elif card < JOKER:
                while p < n_planes and (words[i, n_planes] >> u64(13 * p + card - 52)) & u64(1):
                    p += 1
                if p < n_planes:
                    words[i, n_planes] |= u64(1) << u64(13 * p + card - 52)
                else:
                    status[i] = TOO_LARGE
            else:
                jokers += 1
        if jokers > 127 or (jokers > 0 and not has_tail):
            status[i] = TOO_LARGE
        elif has_tail:
            words[i, n_planes] |= u64(jokers) << u64(56)
