"""Random legal Rummikub tables with racks."""

from __future__ import annotations

import random

JOKER = 65
DECK = [card for card in range(52) for _ in range(2)] + [JOKER] * 2


def random_table(rng: random.Random, n_tiles: int) -> tuple[list[list[int]], list[int]]:
    """Return melds of exactly so many tiles (3 or more), a run in order, and the other tiles."""
    while True:
        left = list(DECK)
        melds: list[list[int]] = []
        for _ in range(500):
            short = n_tiles - sum(map(len, melds))
            if short == 0:
                rng.shuffle(left)
                return melds, left
            meld = random_meld(rng, min(short, 6))
            fits = short - len(meld) == 0 or short - len(meld) >= 3
            if fits and all(left.count(c) >= meld.count(c) for c in meld):
                melds.append(meld)
                for card in meld:
                    left.remove(card)


def random_meld(rng: random.Random, most: int) -> list[int]:
    """Return a run or a group of at most so many tiles, now and then with a joker."""
    if rng.random() < 0.5:
        rank = rng.randrange(13)
        meld = [suit * 13 + rank for suit in rng.sample(range(4), min(most, rng.choice((3, 3, 4))))]
    else:
        size = rng.randint(3, max(3, most))
        suit, start = rng.randrange(4), rng.randint(0, 13 - size)
        meld = [suit * 13 + start + i for i in range(size)]
    if rng.random() < 0.08:
        meld[rng.randrange(len(meld))] = JOKER
    return meld
