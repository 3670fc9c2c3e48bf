"""Counts to packed hands and back."""

from __future__ import annotations

import numpy as np

from solver.kernels.jit import kernel


@kernel
def counts_to_words(counts, n_planes, has_tail, words):  # type: ignore[no-untyped-def]
    """Pack uint8[n, 66] counts into uint64[n, n_planes + has_tail]; return rows that do not fit.

    Word p has bit 13 * suit + rank set when more than p copies are held (suits S H D C); the
    tail has the same for the stars at bit 13 * p, and the number of jokers in its top byte.
    """
    bad = 0
    for i in range(counts.shape[0]):
        fits = True
        tail = np.uint64(0)
        for p in range(n_planes):
            word = np.uint64(0)
            for c in range(52):
                word |= np.uint64(np.int64(counts[i, c]) > p) << np.uint64(c)
            words[i, p] = word
            for r in range(13):
                tail |= np.uint64(np.int64(counts[i, 52 + r]) > p) << np.uint64(13 * p + r)
        for c in range(65):
            fits &= np.int64(counts[i, c]) <= n_planes
        jokers = np.int64(counts[i, 65])
        fits &= jokers < 128  # noqa: PLR2004 - 7 bits, so that the word stays positive
        tail |= np.uint64(jokers) << np.uint64(56)
        if has_tail:
            words[i, n_planes] = tail
        else:
            fits &= tail == np.uint64(0)
        if not fits:
            bad += 1
    return bad


@kernel
def words_to_counts(words, has_tail, counts):  # type: ignore[no-untyped-def]
    """Unpack uint64[n, k] hands into uint8[n, 66]."""
    n_planes = words.shape[1] - has_tail
    for i in range(words.shape[0]):
        counts[i, :] = 0
        for p in range(n_planes):
            for c in range(52):
                counts[i, c] += np.uint8((words[i, p] >> np.uint64(c)) & np.uint64(1))
        if has_tail:
            tail = words[i, n_planes]
            for p in range(n_planes):
                for r in range(13):
                    bit = (tail >> np.uint64(13 * p + r)) & np.uint64(1)
                    counts[i, 52 + r] += np.uint8(bit)
            counts[i, 65] = np.uint8((tail >> np.uint64(56)) & np.uint64(127))
