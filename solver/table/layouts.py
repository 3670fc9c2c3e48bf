"""Every way to lay a hand, not only the cheapest: melds and what is left, within a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations

from solver.cards import JOKER, N_RANKS, N_SUITS, Card
from solver.errors import LimitError
from solver.melds import Arrangement, Meld, meld_readings
from solver.melds.readings import line_ends, place_card, run_cap
from solver.rules.model import GameRules
from solver.table.packing import Work


def all_layouts(
    hand: Sequence[Card],
    rules: GameRules,
    *,
    most_left: int,
    limit: int,
    work: Work,
) -> list[Arrangement]:
    """Return every arrangement of a hand that leaves at most so many points, cheapest first.

    Arrangements differ in their melds or in what a wild stands for; equal cards are one card.

    Args:
        hand: card ids in any order.
        rules: the rules; only ``rules.meld`` is read.
        most_left: points that may be left over.
        limit: most arrangements; beyond them ``LimitError`` ``limit.layouts``.
        work: what the question may still cost.

    Raises:
        LimitError: ``limit.layouts``; ``table.ways`` and ``limit.time`` beyond the work.

    Example:
        >>> from solver.cards import parse_cards
        >>> from solver.rules.loader import load_rules
        >>> from solver.table.packing import Work
        >>> cards = parse_cards("2S 3S 4S 5S KH")
        >>> found = all_layouts(cards, load_rules("gin"), most_left=15, limit=100, work=Work())
        >>> [a.text() for a in found]
        ['R[2S 3S 4S 5S] / left KH', 'R[3S 4S 5S] / left 2S KH', 'R[2S 3S 4S] / left 5S KH']
    """
    held = Counter(hand)
    with_lowest: dict[Card, list[Meld]] = {card: [] for card in held}
    for meld in sorted(_melds_of(held, rules, work), key=Meld.text):
        with_lowest[min(meld.cards)].append(meld)
    found: dict[tuple[str, ...], tuple[int, Arrangement]] = {}
    points = rules.meld.points
    for laid, left in _lay(sorted(held), held, with_lowest, points, most_left, work):
        work.spend(50)
        cost = sum(points[card] for card in left)
        # Melds with the same lowest card come in every order.
        key = tuple(sorted(f"{meld.text()}{meld.stands_for}" for meld in laid))
        found.setdefault(key, (cost, Arrangement(laid, left)))
        if len(found) > limit:
            message = f"expected a hand of at most {limit} layouts, got more"
            raise LimitError(message, code="limit.layouts")
    return [arrangement for _, arrangement in sorted(found.values(), key=lambda entry: entry[0])]


def _lay(  # noqa: PLR0913, PLR0917 - a walk and what it works on
    order: Sequence[Card],
    held: Counter[Card],
    with_lowest: Mapping[Card, Sequence[Meld]],
    points: Sequence[int],
    budget: int,
    work: Work,
) -> Iterator[tuple[tuple[Meld, ...], tuple[Card, ...]]]:
    """Yield melds and the cards left over, worth at most so many points.

    Each card in turn goes into melds whose lowest it is, or all its copies are left. ``held``
    comes back as it was.
    """
    at = next((i for i, card in enumerate(order) if held[card]), None)
    if at is None:
        yield (), ()
        return
    card, rest = order[at], order[at + 1 :]
    for meld in with_lowest[card]:
        work.spend(10)
        need = Counter(meld.cards)
        if need <= held:
            held.subtract(need)
            for melds, left in _lay(order[at:], held, with_lowest, points, budget, work):
                yield (meld, *melds), left
            held.update(need)
    n_copies = held[card]
    cost = n_copies * points[card]
    if cost <= budget:
        held[card] = 0
        for melds, left in _lay(rest, held, with_lowest, points, budget - cost, work):
            yield melds, (*[card] * n_copies, *left)
        held[card] = n_copies


def _melds_of(held: Counter[Card], rules: GameRules, work: Work) -> Iterator[Meld]:
    """Yield every reading of every meld that cards of a hand make."""
    m = rules.meld
    naturals = Counter({card: n for card, n in held.items() if not m.is_wild(card)})
    wilds = sorted(card for card, n in held.items() if m.is_wild(card) for _ in range(n))
    tried: set[tuple[Card, ...]] = set()
    for n_wilds in range(len(wilds) + 1):
        for used in _choices(wilds, n_wilds, work):
            rows = chain(_same_rank(naturals, work), _in_row(naturals, n_wilds, rules, work))
            for own in (*rows, ()):
                work.spend(10)
                cards = tuple(sorted((*own, *used)))
                if cards and cards not in tried:
                    tried.add(cards)
                    yield from meld_readings(cards, rules)


def _choices(cards: Sequence[Card], n: int, work: Work) -> set[tuple[Card, ...]]:
    """Return every choice of n of the cards."""
    found: set[tuple[Card, ...]] = set()
    for chosen in combinations(cards, n):
        work.spend(1)
        found.add(chosen)
    return found


def _same_rank(naturals: Counter[Card], work: Work) -> Iterator[tuple[Card, ...]]:
    """Yield the cards of each rank, and every part of them."""
    for rank in range(N_RANKS):
        cards = sorted(c for c in naturals.elements() if c != JOKER and c % N_RANKS == rank)
        for n in range(1, len(cards) + 1):
            yield from _choices(cards, n, work)


def _in_row(
    naturals: Counter[Card], n_wilds: int, rules: GameRules, work: Work
) -> Iterator[tuple[Card, ...]]:
    """Yield the naturals of every row of a suit in which wilds fill the other places."""
    first, last = line_ends(rules.meld)
    ring = rules.meld.ace == "cyclic"
    for suit in range(N_SUITS):
        if not any(card // N_RANKS == suit for card in naturals if card != JOKER):
            continue
        for start in range(first, last + 1):
            for n in range(1, run_cap(rules.meld) + 1):
                if not ring and start + n - 1 > last:
                    break
                work.spend(5)
                row = [place_card(suit, start + i) for i in range(n)]
                present = [card for card in row if naturals[card]]
                if n - len(present) > n_wilds:
                    break
                if n_wilds <= n:
                    yield from combinations(present, n - n_wilds)
