"""The class of a hand: what decides which program of the frontier engine serves it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.kernels.frontier_state import DEAD, I64, NATURAL
from solver.kernels.jit import kernel

# Facts of a hand, and of the rules it is classed by.
F_WILDS, F_COPIES, F_OPEN, F_ROOMY, F_CODES, F_FOREIGN, F_KEY, F_LENGTH = range(8)
T_SUITS, T_BOTH, T_LINE, T_RUN_MIN, T_NATURALS, T_MOST_RUNS, T_LENGTH = range(7)


@kernel
def class_hands(hands: NDArray[np.uint8], roles: I64, facts: I64, out: I64) -> None:
    """Write the facts of hands.

    ``F_OPEN`` bounds the runs of a suit open at once: each holds a natural of its own or a wild at
    the position, has ``run_min`` cards, so many naturals, and is one of the runs asked for.
    ``F_ROOMY`` says whether any run has room for all wilds; cards of either role count once, as
    wilds, and an ace takes two places only where there are two. ``F_CODES``, a power
    of two, bounds the leftover codes of a rank; ``F_FOREIGN`` is 1 for cards outside the suits;
    ``F_KEY`` tells classes apart.

    Args:
        hands: uint8[n, 66].
        roles: int64[66], role of each card.
        facts: int64[T_LENGTH], of the rules.
        out: int64[n, F_LENGTH], written.
    """
    n_suits = facts[T_SUITS]
    for h in range(len(hands)):
        n_wilds = np.int64(0)
        for card in range(66):
            if roles[card] != NATURAL and roles[card] != DEAD:
                n_wilds += np.int64(hands[h, card])
        most_copies = most_open = most_codes = np.int64(1)
        most_places = np.int64(0)
        for s in range(n_suits):
            copies = total = places = np.int64(0)
            for card in range(s * 13, s * 13 + 13):
                count = np.int64(hands[h, card])
                copies = max(copies, count)
                total += count
                if roles[card] == NATURAL and count:
                    places += 1
                    if facts[T_BOTH] and card == s * 13 and count > 1:
                        places += 1
            n_open = min(copies + n_wilds, total // facts[T_NATURALS], facts[T_MOST_RUNS])
            n_open = min(n_open, (total + n_wilds) // facts[T_RUN_MIN])
            most_copies = np.int64(max(most_copies, copies))
            most_open = np.int64(max(most_open, n_open))
            most_places = max(most_places, places)
        for r in range(13):
            codes = np.int64(1)
            for s in range(n_suits):
                codes *= np.int64(hands[h, s * 13 + r]) + 1
            most_codes = max(most_codes, codes)
        foreign = np.int64(0)
        for card in range(n_suits * 13, 65):
            foreign += np.int64(hands[h, card])
        out[h, F_WILDS], out[h, F_COPIES], out[h, F_OPEN] = n_wilds, most_copies, most_open
        out[h, F_ROOMY] = 1 if most_places + n_wilds <= facts[T_LINE] else 0
        n_codes = np.int64(0)
        while 1 << n_codes < most_codes:
            n_codes += 1
        out[h, F_CODES], out[h, F_FOREIGN] = 1 << n_codes, 1 if foreign else 0
        key = n_codes
        for i in range(F_FOREIGN):
            key = (key << 8) + (min(out[h, i], 255) if i != F_CODES else out[h, F_FOREIGN])
        out[h, F_KEY] = key
