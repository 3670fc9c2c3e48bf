"""The limit on wilds against naturals that a meld keeps on the table, card by card."""

from __future__ import annotations

from functools import lru_cache

from solver.rules.model import WildRatio

Cells = tuple[bool, ...]
"""Cards outwards from an end of a run: whether the natural of the place lies there."""


def ratio_holds(ratio: WildRatio | None, naturals: int, wilds: int) -> bool:
    """Return whether so many wilds may lie in a meld with so many naturals."""
    return ratio is None or _spare(ratio, naturals, wilds) >= 0


def _spare(ratio: WildRatio, naturals: int, wilds: int) -> int:
    """Return how many wilds more the naturals bear."""
    return naturals - wilds - (ratio == "lt")


def growth_order(
    ratio: WildRatio | None, naturals: int, wilds: int, below: Cells, above: Cells
) -> str | None:
    """Return an order in which a run may grow at both ends without ever breaking the ratio.

    Cards come one at a time, so that a wild may have to wait for a natural of the other end.

    Args:
        ratio: the limit that the run keeps, None for none.
        naturals: naturals of the run as it lies.
        wilds: its wilds.
        below: cards to be added below, outwards.
        above: cards to be added above, outwards.

    Returns:
        ``-`` for a card below and ``+`` for one above, in order; None when there is no order.
    """
    if ratio is None:
        return "-" * len(below) + "+" * len(above)
    return _order(_spare(ratio, naturals, wilds), below, above)


@lru_cache(maxsize=1 << 16)
def _order(spare: int, below: Cells, above: Cells) -> str | None:
    known: dict[tuple[int, int], str] = {(0, 0): ""}
    low = 0
    for i in range(len(below) + 1):
        low += 0 if i == 0 else _gain(below[i - 1])
        high = 0
        for j in range(len(above) + 1):
            high += 0 if j == 0 else _gain(above[j - 1])
            if spare + low + high < 0:
                known.pop((i, j), None)
            elif (i - 1, j) in known:
                known[i, j] = known[i - 1, j] + "-"
            elif (i, j - 1) in known:
                known[i, j] = known[i, j - 1] + "+"
    return known.get((len(below), len(above)))


def _gain(natural: bool) -> int:
    return 1 if natural else -1
