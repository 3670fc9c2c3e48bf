"""One pack, four suits, no wild: a hand is one word, a suit's runs one look-up of its 13 bits.

Only ranks held in three suits or four need a choice: none, all, or all but one of four. Ranks
are few (10 cards hold at most three such), so every combination is weighed.
"""

from __future__ import annotations

from solver.kernels.fast_tables import MOST_NODES
from solver.kernels.jit import kernel
from solver.kernels.types import I32, I64, U8, U16, U64, i64, u8

TOO_LARGE = -2
MANY = -9
SUIT = 8191


@kernel
def _left(a: int, b: int, c: int, d: int, left: U16) -> int:
    """Return the points the runs of four suits leave over."""
    return i64(left[a]) + i64(left[b]) + i64(left[c]) + i64(left[d])


@kernel
def _many_ranks(word: int, left: U16, work: I64) -> int:
    """Return the least points left over all choices of the sets of several ranks, depth first.

    TOO_LARGE when that takes too many nodes: with every rank held there are 6 ** 13 choices.
    Row i of ``work`` holds what is left of the suits and the next choice once i ranks are done.
    """
    a, b = word & SUIT, (word >> 13) & SUIT
    c, d = (word >> 26) & SUIT, (word >> 39) & SUIT
    ranks = (a & b & (c | d)) | (c & d & (a | b))
    best = _left(a, b, c, d, left)
    d0, nodes = 0, 0
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
            e = e if choice == 2 else e & ~bit
            f = f if choice == 3 else f & ~bit
            g = g if choice == 4 else g & ~bit
            h = h if choice == 5 else h & ~bit
        best = min(best, _left(e, f, g, h, left))
        nodes += 1
        if nodes > work[MOST_NODES]:
            return i64(TOO_LARGE)
        if rest ^ bit:
            d0 += 1
            at += 8
            work[at], work[at + 1], work[at + 2], work[at + 3] = e, f, g, h
            work[at + 4], work[at + 5] = rest ^ bit, 0
    return best


@kernel
def one_pack_words(words: U64, left: U16, work: I64, out: I32) -> None:
    """Write the least penalties of words uint64[n, 1] to int32[n], TOO_LARGE beyond 52 bits.

    The loop holds the case of one rank to choose; hands with more (1 random hand in 80) come in a
    second pass. Both keep calls out of the loop: as a function of a word it cost a hand 20 ns
    instead of 6, and with the search of many ranks inlined into it 35 ns.
    """
    for i in range(words.shape[0]):
        word = i64(words[i, 0])
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
                best = i64(MANY)
        out[i] = best
    for i in range(words.shape[0]):
        word = i64(words[i, 0])
        if word >> 52:
            out[i] = TOO_LARGE
        elif out[i] == MANY:
            out[i] = _many_ranks(word, left, work)


@kernel
def counts_to_one_word(counts: U8, words: U64) -> None:
    """Pack counts uint8[n, 66] into words uint64[n, 1]; hands of no single pack get bit 52."""
    for i in range(counts.shape[0]):
        word = i64(0)
        over = u8(0)
        for c in range(52):
            word |= i64(counts[i, c] & 1) << c
        for c in range(52):
            over |= counts[i, c] & u8(254)
        for c in range(52, 66):
            over |= counts[i, c]
        words[i, 0] = word if over == 0 else word | (i64(1) << 52)
