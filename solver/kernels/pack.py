"""Counts to packed hands and back."""

from __future__ import annotations

from solver.kernels.jit import kernel
from solver.kernels.types import U8, U64, i64, u8, u64


@kernel
def counts_to_words(counts: U8, n_planes: int, has_tail: int, words: U64) -> int:
    """Pack uint8[n, 66] counts into uint64[n, n_planes + has_tail]; return rows that do not fit.

    Word p has bit 13 * suit + rank set when more than p copies are held (suits S H D C); the
    tail has the same for the stars at bit 13 * p, and the number of jokers in its top byte.
    """
    bad = 0
    for i in range(counts.shape[0]):
        fits = True
        tail = u64(0)
        for p in range(n_planes):
            word = u64(0)
            for c in range(52):
                word |= u64(i64(counts[i, c]) > p) << u64(c)
            words[i, p] = word
            for r in range(13):
                tail |= u64(i64(counts[i, 52 + r]) > p) << u64(13 * p + r)
        for c in range(65):
            fits &= i64(counts[i, c]) <= n_planes
        jokers = i64(counts[i, 65])
        fits &= jokers < 128
        tail |= u64(jokers) << u64(56)
        if has_tail:
            words[i, n_planes] = tail
        else:
            fits &= tail == u64(0)
        if not fits:
            bad += 1
    return bad


@kernel
def words_to_counts(words: U64, has_tail: int, counts: U8) -> None:
    """Unpack uint64[n, k] hands into uint8[n, 66]."""
    n_planes = words.shape[1] - has_tail
    for i in range(words.shape[0]):
        counts[i, :] = 0
        for p in range(n_planes):
            for c in range(52):
                counts[i, c] += u8((words[i, p] >> u64(c)) & u64(1))
        if has_tail:
            tail = words[i, n_planes]
            for p in range(n_planes):
                for r in range(13):
                    bit = (tail >> u64(13 * p + r)) & u64(1)
                    counts[i, 52 + r] += u8(bit)
            counts[i, 65] = u8((tail >> u64(56)) & u64(127))
