"""The fast lane over rows: packed words and counts."""

from __future__ import annotations

from solver.kernels.fast_tables import N_PACKS, N_SUITS, PLANES, TOO_LARGE
from solver.kernels.jit import kernel
from solver.kernels.suit_fast import solve_planes
from solver.kernels.types import I32, I64, U8, U16, U64, i64


@kernel
def packed_penalties(
    words: U64, has_tail: int, saved: U16, tables: I64, work: I64, out: I32
) -> None:
    """Write least penalties of packed hands (uint64[n, k]) to int32[n]; TOO_LARGE for others."""
    n_planes = words.shape[1] - has_tail
    n_suits, n_packs = tables[N_SUITS], tables[N_PACKS]
    for p in range(10):
        work[PLANES + p] = 0
    for i in range(words.shape[0]):
        jokers = i64(0)
        fits = True
        for p in range(n_planes):
            word = i64(words[i, p])
            if p >= n_packs:
                fits &= word == 0
                continue
            for s in range(4):
                work[PLANES + 5 * p + s] = (word >> (13 * s)) & 8191
        if has_tail:
            tail = i64(words[i, n_planes])
            jokers = (tail >> 56) & 127
            for p in range(n_planes):
                stars = (tail >> (13 * p)) & 8191
                if p < n_packs and n_suits == 5:
                    work[PLANES + 5 * p + 4] = stars
                else:
                    fits &= stars == 0
        out[i] = solve_planes(jokers, saved, tables, work) if fits else TOO_LARGE


@kernel
def counts_penalties(counts: U8, saved: U16, tables: I64, work: I64, out: I32) -> None:
    """Write least penalties of hands (uint8[n, 66]) to int32[n]; TOO_LARGE for others."""
    n_suits, n_packs = tables[N_SUITS], tables[N_PACKS]
    for p in range(10):
        work[PLANES + p] = 0
    for i in range(counts.shape[0]):
        most = i64(0)
        for s in range(n_suits):
            one, two = i64(0), i64(0)
            for r in range(13):
                n = i64(counts[i, s * 13 + r])
                one |= i64(n > 0) << r
                two |= i64(n > 1) << r
                most = max(most, n)
            work[PLANES + s] = one
            work[PLANES + 5 + s] = two
        rest = i64(0)
        for c in range(n_suits * 13, 65):
            rest |= i64(counts[i, c])
        if most > n_packs or rest:
            out[i] = TOO_LARGE
        else:
            out[i] = solve_planes(i64(counts[i, 65]), saved, tables, work)
