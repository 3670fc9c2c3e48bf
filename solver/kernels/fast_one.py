"""One pack, four suits, no wild: a hand is one word, a suit's runs one look-up of its 13 bits.

Only ranks held in three suits or four need a choice: none, all, or all but one of four. Ranks
are few (10 cards hold at most three such), so every combination is weighed.
"""

from __future__ import annotations

import numpy as np

from solver.kernels.jit import kernel

TOO_LARGE = -2
MANY = -9
SUIT = 8191


@kernel
def _left(a, b, c, d, left):  # type: ignore[no-untyped-def]
    """Return the points the runs of four suits leave over."""
    return np.int64(left[a]) + np.int64(left[b]) + np.int64(left[c]) + np.int64(left[d])


@kernel
def _many_ranks(word, left, work):  # type: ignore[no-untyped-def]
    """Return the least points left over all choices of the sets of several ranks, depth first.

    Row i of ``work`` holds what is left of the suits and the next choice once i ranks are done.
    """
    a, b = word & SUIT, (word >> 13) & SUIT
    c, d = (word >> 26) & SUIT, (word >> 39) & SUIT
    ranks = (a & b & (c | d)) | (c & d & (a | b))
    best = _left(a, b, c, d, left)
    d0 = 0
    work[0], work[1], work[2], work[3], work[4], work[5] = a, b, c, d, ranks, 0
    while d0 >= 0:
        at = 8 * d0
        rest = work[at + 4]
        choice = work[at + 5]
        bit = rest & -rest
        last = 5 if work[at] & work[at + 1] & work[at + 2] & work[at + 3] & bit else 1
        if choice > last:
            d0 -= 1
            continue
        work[at + 5] = choice + 1
        e, f, g, h = work[at], work[at + 1], work[at + 2], work[at + 3]
        if choice:
            e = e if choice == 2 else e & ~bit  # noqa: PLR2004 - choice 2 keeps the first suit
            f = f if choice == 3 else f & ~bit  # noqa: PLR2004 - and so on
            g = g if choice == 4 else g & ~bit  # noqa: PLR2004
            h = h if choice == 5 else h & ~bit  # noqa: PLR2004
        best = min(best, _left(e, f, g, h, left))
        if rest ^ bit:
            d0 += 1
            at += 8
            work[at], work[at + 1], work[at + 2], work[at + 3] = e, f, g, h
            work[at + 4], work[at + 5] = rest ^ bit, 0
    return best


@kernel
def one_pack_words(words, left, work, out):  # type: ignore[no-untyped-def]
    """Write the least penalties of words uint64[n, 1] to int32[n], TOO_LARGE beyond 52 bits.

    The loop holds the case of one rank to choose; hands with more (1 random hand in 80) come in a
    second pass. Both keep calls out of the loop: as a function of a word it cost a hand 20 ns
    instead of 6, and with the search of many ranks inlined into it 35 ns.
    """
    for i in range(words.shape[0]):
        word = np.int64(words[i, 0])
        a, b = word & SUIT, (word >> 13) & SUIT
        c, d = (word >> 26) & SUIT, (word >> 39) & SUIT
        best = _left(a, b, c, d, left)
        ranks = (a & b & (c | d)) | (c & d & (a | b))
        if ranks:
            if ranks & (ranks - 1) == 0:
                e = ~ranks
                best = min(best, _left(a & e, b & e, c & e, d & e, left))
                if a & b & c & d & ranks:
                    best = min(best, _left(a, b & e, c & e, d & e, left))
                    best = min(best, _left(a & e, b, c & e, d & e, left))
                    best = min(best, _left(a & e, b & e, c, d & e, left))
                    best = min(best, _left(a & e, b & e, c & e, d, left))
            else:
                best = np.int64(MANY)
        out[i] = best
    for i in range(words.shape[0]):
        word = np.int64(words[i, 0])
        if word >> 52:
            out[i] = TOO_LARGE
        elif out[i] == MANY:
            out[i] = _many_ranks(word, left, work)


@kernel
def counts_to_one_word(counts, words):  # type: ignore[no-untyped-def]
    """Pack counts uint8[n, 66] into words uint64[n, 1]; hands of no single pack get bit 52."""
    for i in range(counts.shape[0]):
        word = np.int64(0)
        over = np.uint8(0)
        for c in range(52):
            word |= np.int64(counts[i, c] & 1) << c
        for c in range(52):
            over |= counts[i, c] & np.uint8(254)
        for c in range(52, 66):
            over |= counts[i, c]
        words[i, 0] = word if over == 0 else word | (np.int64(1) << 52)
