"""Rummikub positions: a legal table, and the racks beside it."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.corpus import GAMES, Corpus, deck_of, make_corpus
from solver.cards import JOKER, N_CARDS, N_RANKS, counts_of
from solver.rules.model import GameRules

RACK_TILES: Final = 14
WHOLE_TABLE: Final = 90
"""Tiles on the table when all 106 are in play; the other 16 are the rack."""
BY_TILE: Final = (1,) * N_CARDS
"""Card costs that make the penalty the number of tiles left, as the peers count."""
BY_NUMBER: Final = (*(tuple(range(1, 14)) * 5), 0)
"""Card costs that make the penalty the sum of the numbers left."""


@dataclass(frozen=True)
class TableStates:
    """Positions with tiles on the table.

    Attributes:
        name: for people.
        rules: Rummikub, every tile costing 1.
        tables: card ids on the table, a partition into legal melds exists.
        racks: card ids on the rack.
    """

    name: str
    rules: GameRules
    tables: list[list[int]]
    racks: list[list[int]]

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.racks)

    def question(self, i: int) -> tuple[NDArray[np.uint8], GameRules]:
        """Return all tiles of a position and rules that ask for the table's to be used."""
        table = counts_of(self.tables[i])
        must_use = tuple((int(c), int(table[c])) for c in np.flatnonzero(table))
        rules = replace(self.rules, meld=replace(self.rules.meld, must_use=must_use))
        return table + counts_of(self.racks[i]), rules


def make_racks(n: int) -> Corpus:
    """Return racks of 14 tiles, every tile costing 1."""
    racks = make_corpus(GAMES["rummikub"], "random", n)
    return Corpus("rummikub/rack", by_tile(racks.rules), racks.cards)


def by_tile(rules: GameRules) -> GameRules:
    """Return rules in which every tile left costs 1."""
    return replace(rules, meld=replace(rules.meld, points=BY_TILE))


def make_okey_racks(n: int) -> Corpus:
    """Return racks of 14 tiles without jokers under the rules of okey: 12 13 1 is a run."""
    racks = make_corpus(GAMES["rummikub"], "random", 2 * n)
    plain = racks.cards[~(racks.cards == JOKER).any(1)][:n]
    rules = racks.rules
    meld = replace(rules.meld, ace="both", run_max=None, points=BY_NUMBER)
    return Corpus("rummikub/okey", replace(rules, meld=meld), plain)


def make_tables(n_tiles: int, n: int) -> TableStates:
    """Return positions with a table of n_tiles made of random melds, jokers among them.

    Jokers of the table move like any tile, as the peers play it.

    Args:
        n_tiles: tiles on the table, 3..90; with WHOLE_TABLE the rack is all the rest.
        n: positions.
    """
    rules = by_tile(GAMES["rummikub"].rules())
    rules = replace(rules, flow=replace(rules.flow, table_wilds="free"))
    rng = random.Random(f"rummikub/table/{n_tiles}")
    tables: list[list[int]] = []
    racks: list[list[int]] = []
    while len(tables) < n:
        left = deck_of(rules)
        table = _lay_table(left, n_tiles, rng)
        if table is not None:
            tables.append(table)
            racks.append(list(left) if n_tiles == WHOLE_TABLE else rng.sample(left, RACK_TILES))
    return TableStates(f"rummikub/table {n_tiles}", rules, tables, racks)


def _lay_table(left: list[int], n_tiles: int, rng: random.Random) -> list[int] | None:
    """Take melds of exactly n_tiles out of what is left; None when the draw got stuck."""
    table: list[int] = []
    for _ in range(4_000):
        rest = n_tiles - len(table)
        if rest == 0:
            return table
        meld = _draw_meld(rng)
        fits = len(meld) <= rest and rest - len(meld) not in {1, 2}
        if fits and all(left.count(c) >= meld.count(c) for c in set(meld)):
            for card in meld:
                left.remove(card)
            table += meld
    return None


def _draw_meld(rng: random.Random) -> list[int]:
    """Return a group or a run; one in twelve has a joker in place of a tile."""
    if rng.random() < 0.5:  # noqa: PLR2004 - groups and runs alike
        number = rng.randrange(N_RANKS)
        meld = [s * N_RANKS + number for s in rng.sample(range(4), rng.randint(3, 4))]
    else:
        length = rng.choice((3, 3, 3, 4, 4, 5, 6))
        first = rng.randrange(N_RANKS - length + 1)
        suit = rng.randrange(4)
        meld = [suit * N_RANKS + first + i for i in range(length)]
    if rng.random() < 1 / 12:
        meld[rng.randrange(len(meld))] = JOKER
    return meld
