"""Class melds of the engines -> melds of real cards: name the wilds, say what each stands for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from solver.cards import N_RANKS, RANKS, Card, Counts, cards_of, format_card
from solver.melds import Arrangement, Meld, MeldKind
from solver.rules.model import MeldRules

RUN_ROW = 1
SET_ROW = 0
WILD_ROW = 2

ClassMeld = tuple[int, int, int, int, int]


def run_places(row: Sequence[int]) -> list[tuple[Card, bool]]:
    """Return the card of each place of a run row and whether a natural holds it."""
    _, suit, start, length, naturals = row
    return [
        (suit * N_RANKS + (start + i) % N_RANKS, bool(naturals >> i & 1)) for i in range(length)
    ]


def set_naturals(row: Sequence[int]) -> list[Card]:
    """Return the natural cards of a set row, ascending, copies repeated."""
    _, rank, _, used, _ = row
    return [s * N_RANKS + rank for s in range(5) for _ in range(used >> (4 * s) & 15)]


def natural_cards(row: Sequence[int]) -> list[Card]:
    """Return the cards a row uses as naturals."""
    if row[0] == RUN_ROW:
        return [card for card, natural in run_places(row) if natural]
    return set_naturals(row) if row[0] == SET_ROW else []


def n_wilds(row: Sequence[int]) -> int:
    """Return how many wilds a row uses."""
    if row[0] == RUN_ROW:
        return sum(not natural for _, natural in run_places(row))
    return row[2] if row[0] == SET_ROW else row[1]


def decode(counts: Counts, rows: Iterable[Sequence[int]], meld: MeldRules) -> Arrangement:
    """Return the arrangement that class melds make of a hand.

    The wilds laid are those that must be used, then the most expensive ones of the hand that no
    row uses as a natural, equal ones by id; they are dealt to the places in the order of the
    rows, lowest id first.

    Args:
        counts: the hand, uint8[66].
        rows: class melds (see DESIGN.md), in the order the melds are to have.
        meld: rules of the round.
    """
    rows = [tuple(int(x) for x in row) for row in rows]
    left = counts.tolist()
    for row in rows:
        for card in natural_cards(row):
            left[card] -= 1
    asked = dict(meld.must_use)
    free = [
        (used >= asked.get(c, 0), -meld.points[c], c)
        for c in meld.wild_ids
        for used in range(int(counts[c]) - left[c], int(counts[c]))
    ]
    free.sort()
    laid = sorted(c for _, _, c in free[: sum(n_wilds(row) for row in rows)])
    for card in laid:
        left[card] -= 1
    wilds = iter(laid)
    melds = tuple(_meld_of(row, wilds) for row in rows)
    return Arrangement(melds, tuple(c for c, n in enumerate(left) for _ in range(n)))


def _meld_of(row: Sequence[int], wilds: Iterable[Card]) -> Meld:
    wilds = iter(wilds)
    if row[0] == RUN_ROW:
        placed = [
            (card, None) if natural else (next(wilds), format_card(card))
            for card, natural in run_places(row)
        ]
        return Meld(MeldKind.RUN, tuple(c for c, _ in placed), tuple(name for _, name in placed))
    if row[0] == SET_ROW:
        name = RANKS[row[1]]
        pairs: list[tuple[Card, str | None]] = [(card, None) for card in set_naturals(row)]
        pairs += [(next(wilds), name) for _ in range(row[2])]
        pairs.sort(key=lambda pair: (pair[0], pair[1] or ""))
        return Meld(MeldKind.SET, tuple(c for c, _ in pairs), tuple(n for _, n in pairs))
    cards = tuple(next(wilds) for _ in range(row[1]))
    return Meld(MeldKind.WILD, cards, (None,) * len(cards))


def all_deadwood(counts: Counts) -> Arrangement:
    """Return the arrangement without any meld."""
    return Arrangement((), tuple(cards_of(counts)))
