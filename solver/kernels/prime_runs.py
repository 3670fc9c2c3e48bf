"""Runs that are not several shorter runs of the same cards and wilds."""

from __future__ import annotations

import numpy as np

from solver.kernels.jit import kernel
from solver.kernels.types import U32, i64


@kernel
def prime_runs(run_k: U32, word: int, prime: U32) -> None:
    """Fill ``prime[mask]``: of ``run_k[mask]``, the numbers of wilds no shorter runs add up to.

    Where melds need not be counted, tables that add up disjoint runs need only these: a few
    of a hundred. Masks are walked upwards; the run with the lowest
    position is prime, and the others are any that cover the rest.

    Args:
        run_k: uint32[n_masks], bit k: naturals on the positions of the mask and k wilds are a run.
        word: bits of the numbers of wilds to look at.
        prime: uint32[n_masks], filled here.
    """
    n_masks = run_k.shape[0]
    covered = np.zeros(n_masks, np.int64)
    head, after = np.zeros(32, np.int64), np.zeros(n_masks, np.int64)
    covered[0] = 1
    for mask in range(1, n_masks):
        low, bits = 0, i64(run_k[mask]) & word
        while (mask >> low) & 1 == 0:
            low += 1
        several = i64(0)
        part = head[low]
        while part > 0:
            rest = covered[mask ^ part] if part & ~mask == 0 else i64(0)
            if rest:
                one, k = i64(prime[part]), 0
                while one >> k:
                    if (one >> k) & 1:
                        several |= rest << k
                    k += 1
            part = after[part]
        several &= word
        covered[mask] = several | bits
        bits &= ~several
        prime[mask] = bits
        if bits:
            after[mask] = head[low]
            head[low] = mask
