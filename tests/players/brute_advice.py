"""Advice by exhaustion: every draw and every discard, each hand solved by the exhaustive solver.

Shares nothing with the product but the records of rules and views.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from tests.oracles import brute


def deck_of(rules: Any) -> Counter[int]:
    """Copies of each card of the deck."""
    deck = rules.deck
    cards = Counter(
        {s * 13 + r: deck.packs for s in range(deck.suits) for r in deck.ranks} | {65: deck.jokers}
    )
    return +cards


def unseen(rules: Any, seen: Sequence[int]) -> Counter[int]:
    """Copies of each card that are not among the cards seen."""
    return deck_of(rules) - Counter(seen)


def less(hand: Sequence[int], card: int) -> tuple[int, ...]:
    """The hand without one copy of a card, ascending."""
    rest = list(hand)
    rest.remove(card)
    return tuple(sorted(rest))


@lru_cache(maxsize=1 << 18)
def penalty(hand: tuple[int, ...], meld: Any) -> int:
    """Least penalty by exhaustive search."""
    found = brute.brute_penalty(hand, meld) if hand else 0
    assert found is not None
    return found


def best_after(hand: Sequence[int], rules: Any, barred: int | None = None) -> int:
    """Least penalty after the best discard; a barred card may not be it."""
    cards = set(hand) - ({barred} if barred is not None else set())
    return min(penalty(less(hand, card), rules.meld) for card in cards)


def mean_after_draw(hand: Sequence[int], rules: Any, pool: Counter[int]) -> Fraction:
    """Expected penalty after a card of the pool and the best discard."""
    total = sum(n * best_after((*hand, card), rules) for card, n in pool.items())
    return Fraction(total, sum(pool.values()))


def share_after_draw(hand: Sequence[int], rules: Any, pool: Counter[int], limit: int) -> Fraction:
    """Share of the pool after which the hand can be brought to the limit."""
    good = sum(n for card, n in pool.items() if best_after((*hand, card), rules) <= limit)
    return Fraction(good, sum(pool.values()))


@lru_cache(maxsize=1 << 18)
def contract(hand: tuple[int, ...], meld: Any) -> int | None:
    """Least points after laying the contract by exhaustive search, None if it cannot be laid."""
    return brute.brute_contract(hand, meld)


def contract_turn(hand: Sequence[int], rules: Any, barred: int | None = None) -> int:
    """Points after laying the contract or not, whichever is less, and a discard."""
    points = rules.meld.points
    cards = set(hand) - ({barred} if barred is not None else set())
    stay = sum(points[c] for c in hand) - max(points[c] for c in cards)
    if rules.meld.use_all:
        return stay if contract(tuple(sorted(hand)), rules.meld) is None else 0
    went = [contract(less(hand, card), rules.meld) for card in cards]
    return min([stay, *[left for left in went if left is not None]])
