"""Whole-space counts: every hand of k cards of one pack under gin melds.

The numbers are those of the house plan, found by two unrelated programs (a table solver over all
hands and an enumeration of unions of melds). Hands are numbered in the order of their 52-bit
words, so a failure in a shard can be walked down to one integer.
"""

from __future__ import annotations

from math import comb

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from solver.cards import cards_of, format_hand
from solver.rules.loader import load_rules
from solver.solve import solve_many, unpack

GIN = load_rules("gin")
SHARD = 1 << 18
# k: (hands without penalty, sum of all least penalties)
PERFT = {
    3: (96, 431_596),
    4: (53, 6_988_428),
    5: (36, 82_793_292),
    6: (4_010, 765_326_760),
    7: (4_100, 5_748_546_708),
}


def hand_word(k: int, index: int) -> int:
    """Return the word of the hand with a number: the combinadic of the number."""
    word = 0
    for size in range(k, 0, -1):
        card = size - 1
        while comb(card + 1, size) <= index:
            card += 1
        index -= comb(card, size)
        word |= 1 << card
    return word


@numba.njit
def next_words(word: int, words: NDArray[np.uint64]) -> None:  # type: ignore[misc]
    """Fill words with ``word`` and its successors of as many bits (Gosper's step)."""
    for i in range(words.shape[0]):
        words[i] = word
        low = word & -word
        ripple = word + low
        word = (((ripple ^ word) >> 2) // low) | ripple


def perft(k: int) -> tuple[int, int]:
    zeros = total = 0
    for first in range(0, comb(52, k), SHARD):
        words = np.zeros((min(SHARD, comb(52, k) - first), 1), np.uint64)
        next_words(hand_word(k, first), words[:, 0])
        penalties = solve_many(words, GIN)
        zeros += int((penalties == 0).sum())
        total += int(penalties.sum(dtype=np.int64))
    return zeros, total


def divide(k: int) -> str:
    """Name hands by shard for a failure: zero counts of each shard's first hand's highest card."""
    rows = []
    for first in range(0, comb(52, k), SHARD):
        words = np.zeros((1, 1), np.uint64)
        words[0, 0] = hand_word(k, first)
        hand = format_hand(cards_of(unpack(words, GIN)[0]))
        rows.append(f"{first}: {hand} -> {int(solve_many(words, GIN)[0])}")
    return "\n".join(rows[:20])


@pytest.mark.parametrize("k", [3, 4, 5])
def test_perft(k: int) -> None:
    assert perft(k) == PERFT[k], divide(k)


def test_perft_six_cards() -> None:
    assert perft(6) == PERFT[6], divide(6)


@pytest.mark.long
def test_perft_seven_cards() -> None:
    assert perft(7) == PERFT[7], divide(7)


@pytest.mark.parametrize("k", [3, 5])
def test_numbers_and_words_are_in_the_same_order(k: int) -> None:
    words = np.zeros(500, np.uint64)
    next_words(hand_word(k, 1000), words)
    assert [int(w) for w in words] == [hand_word(k, 1000 + i) for i in range(500)]
    assert all(int(w).bit_count() == k for w in words)


def test_there_are_329_melds() -> None:
    # Melds of one pack: a hand that is one meld has no penalty and no smaller part that does.
    sets = 13 * 4 + 13
    runs = 4 * sum(13 - length + 1 for length in range(3, 14))
    assert sets + runs == 329
    zeros_of_three = 13 * 4 + 4 * 11
    assert perft(3)[0] == zeros_of_three
