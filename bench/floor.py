"""The floor: a kernel that reads packed hands and does one table look-up per suit, no more.

No exact solver can do less than read the hand. The kernel answers a true, weaker question, what is
left over when only runs are laid, so it can be checked and is no empty loop.
"""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

from solver.cards import N_RANKS

SUIT_BITS: Final = N_RANKS
N_SUITS: Final = 4
SHORTEST_RUN: Final = 3


def pack_bits(counts: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return uint64[n]: bit ``card`` is set when the card, 0..51, is held (one pack).

    Raises:
        ValueError: a hand with copies, stars or jokers.
    """
    if counts[:, :52].max(initial=0) > 1 or counts[:, 52:].any():
        raise ValueError("expected hands of one pack without stars and jokers")
    bits = np.uint64(1) << np.arange(52, dtype=np.uint64)
    packed: NDArray[np.uint64] = (counts[:, :52].astype(np.uint64) * bits).sum(1, dtype=np.uint64)
    return packed


def left_table(points: tuple[int, ...]) -> NDArray[np.uint16]:
    """Return uint16[8192]: points left of a suit's cards, by their mask, when only runs are laid.

    Args:
        points: cost of ranks A..K, 13 ints 0..1000, so that a suit costs less than 2**16.
    """
    left = np.zeros(1 << SUIT_BITS, np.uint16)
    for mask in range(1, 1 << SUIT_BITS):
        top = mask.bit_length() - 1
        best = int(left[mask & ~(1 << top)]) + points[top]
        run = 1 << top
        for length in range(2, top + 2):
            run |= 1 << (top - length + 1)
            if run & ~mask:
                break
            if length >= SHORTEST_RUN:
                best = min(best, int(left[mask & ~run]))
        left[mask] = best
    return left


def _read(packed: NDArray[np.uint64], left: NDArray[np.uint16], out: NDArray[np.int32]) -> None:
    """Write the points left of each hand: four masks, four loads, three additions."""
    for i in range(packed.shape[0]):
        word = np.int64(packed[i])
        out[i] = (
            np.int64(left[word & 8191])
            + np.int64(left[(word >> 13) & 8191])
            + np.int64(left[(word >> 26) & 8191])
            + np.int64(left[(word >> 39) & 8191])
        )


def _spin(n: int) -> int:
    """Return a number after n steps in registers: a load that needs a core and nothing else."""
    x = np.int64(88172645463325252)
    for _ in range(n):
        x ^= (x << 13) & np.int64(0x7FFFFFFFFFFFFFFF)
        x ^= x >> 7
    return int(x)


# Compiled in each run: a bench kernel has no place in the solver's own cache.
read_hands: Any = numba.njit(nogil=True)(_read)
spin: Any = numba.njit(nogil=True)(_spin)
