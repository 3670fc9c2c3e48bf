"""Random positions with melds on the table, and the same ones as the product and the oracle see."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from solver.cards import RANKS, format_card
from solver.melds import Meld, MeldKind
from solver.rules.model import FlowRules, GameRules
from solver.table import Lying
from tests.oracles.brute_turn import Row, Turn, grown
from tests.oracles.naive_melds import (
    counts_allow,
    lines,
    may_be_natural,
    pattern_allows,
    rank_at,
)
from tests.strategies import SeededSource, as_game, make_contract_rules, make_hand, make_meld_rules


@dataclass(frozen=True)
class Position:
    """A hand before a table.

    Attributes:
        rules: the game.
        hand: card ids.
        rows: the table as the oracle sees it.
        own: numbers of the player's own melds.
    """

    rules: GameRules
    hand: tuple[int, ...]
    rows: tuple[Row, ...]
    own: tuple[int, ...]

    @property
    def table(self) -> list[Lying]:
        """The table as the product sees it."""
        return [as_lying(row) for row in self.rows]

    def text(self) -> str:
        """The position for the message of a failed comparison."""
        cards = " ".join(format_card(c) for c in self.hand)
        melds = " ".join(f"{x.meld.text()}+{x.n_wilds_added}" for x in self.table)
        return f"{cards} | {melds} | own {self.own} | {self.rules.meld} | {self.rules.flow}"


def as_lying(row: Row) -> Lying:
    """Return a row of the oracle as the product's record, every wild named."""
    cards = tuple(c for c, _ in row.cells)
    names: list[str | None] = []
    for i, (_, wild) in enumerate(row.cells):
        if not wild or row.kind == "wild":
            names.append(None)
        elif row.kind == "set":
            names.append(RANKS[row.of])
        else:
            names.append(format_card(row.of * 13 + rank_at(row.start + i)))
    if row.kind != "run":
        pairs = sorted(zip(cards, names, strict=True), key=lambda p: (p[0], p[1] or ""))
        cards, names = tuple(c for c, _ in pairs), [name for _, name in pairs]
    return Lying(Meld(MeldKind(row.kind), cards, tuple(names)), row.n_added)


def make_flow(rng: random.Random) -> FlowRules:
    """Choose how cards may be added and swapped."""
    swap_timing = rng.choice(("off", "with_contract", "any_turn", "after_contract"))
    kept = swap_timing != "any_turn" and rng.random() < 0.25
    return FlowRules(
        meld_timing="on_table",
        knock_limit=10,
        layoff=rng.choice(("all", "all", "all", "own")),
        layoff_same_turn=rng.random() < 0.85,
        layoff_keeps_ratio=rng.random() < 0.8,
        layoff_distinct_suits=rng.random() < 0.6,
        layoff_wild_limit=rng.choice((None, None, None, 0, 1, 2)),
        swap_timing=swap_timing,
        wilds_after_down="kept" if kept else "played",
        swap_runs_only=rng.random() < 0.7,
        swap_scope=rng.choice(("others", "others", "all")),
    )


def make_position(rng: random.Random, *, contract: bool, high: int) -> Position:
    """Return a random position; with ``contract`` under rules that ask for one."""
    source = SeededSource(rng)
    meld = make_contract_rules(source) if contract else make_meld_rules(source)
    meld = replace(meld, hand_require=None, penalty_cap=None, use_all=False)
    rules = replace(as_game(meld), flow=make_flow(rng))
    rows: list[Row] = []
    for _ in range(20):
        if len(rows) < rng.choice((1, 2, 2, 3)):
            row = make_row(rng, rules)
            rows += [row] if row is not None else []
    own = tuple(i for i in range(len(rows)) if rng.random() < 0.4)
    rows = [replace(row, mine=i in own) for i, row in enumerate(rows)]
    hand = make_hand(source, meld, 0 if not contract else 4, high)
    # Half of the hands hold cards near the melds on the table.
    near = [c for row in rows for c, _ in row.cells if c < 65]
    if near and rng.random() < 0.5:
        for i in range(len(hand)):
            if rng.random() < 0.5:
                hand[i] = neighbour(rng, rng.choice(near), meld.suits)
    return Position(rules, tuple(sorted(few_wilds(rng, hand, rules))), tuple(rows), own)


def few_wilds(rng: random.Random, hand: list[int], rules: GameRules) -> list[int]:
    """Return a hand with at most three wilds: more make the play of every move endless."""
    kept: list[int] = []
    for card in hand:
        n_wilds = sum(map(rules.meld.is_wild, kept))
        is_one_too_many = rules.meld.is_wild(card) and n_wilds >= 3
        kept.append(any_natural(rng, rules) if is_one_too_many else card)
    return kept


def any_natural(rng: random.Random, rules: GameRules) -> int:
    """Return a card that is not wild."""
    return rng.choice([card for card in range(52) if not rules.meld.is_wild(card)])


def neighbour(rng: random.Random, card: int, suits: int) -> int:
    """Return a card that may fit beside another."""
    suit, rank = divmod(card, 13)
    if rng.random() < 0.7:
        return suit * 13 + (rank + rng.randint(-3, 3)) % 13
    return rng.randrange(suits) * 13 + rank


def grows_by(rules: GameRules) -> dict[str, Any]:
    """Return what the oracle is told of how melds grow."""
    flow = rules.flow
    return {
        "wild_limit": flow.layoff_wild_limit,
        "keeps_ratio": flow.layoff_keeps_ratio,
        "adds_distinct": flow.layoff_distinct_suits,
    }


def make_row(rng: random.Random, rules: GameRules) -> Row | None:
    """Return a legal meld with up to two cards added, None when the dice make none."""
    row = dealt_row(rng, rules)
    if row is None:
        return None
    turn = Turn(rules.meld, **grows_by(rules))
    for _ in range(rng.choice((0, 0, 1, 2))):
        cells = [c for c, _ in row.cells if c < 65] or [0]
        card = neighbour(rng, rng.choice(cells), rules.meld.suits)
        longer = list(grown(row, card, turn))
        row = rng.choice(longer) if longer else row
    return row


def dealt_row(rng: random.Random, rules: GameRules) -> Row | None:
    """Return a meld of random places and wilds if it is legal."""
    m = rules.meld
    wilds = [c for c in (*range(m.suits * 13), 65) if m.is_wild(c)]
    k = rng.randint(2, 6)
    read_wild = [bool(wilds) and rng.random() < rng.choice((0.0, 0.3)) for _ in range(k)]
    if rng.random() < 0.1 and wilds:
        read_wild = [True] * k
    of, start = rng.randrange(13), 0
    own = [rng.randrange(m.suits) * 13 + of for _ in range(k)]
    kind = "set"
    rows = lines(m, k)
    if rng.random() < 0.6 and rows:
        kind, of = "run", rng.randrange(m.suits)
        places = rng.choice(rows)
        own, start = [of * 13 + rank_at(p) for p in places], places[0]
    cells = [
        (rng.choice(wilds), True) if w else (c, False) for c, w in zip(own, read_wild, strict=True)
    ]
    if any(not wild and not may_be_natural(c, m) for c, wild in cells):
        return None
    n = sum(not wild for _, wild in cells)
    naturals = [c for c, wild in cells if not wild]
    if kind == "set":
        kind = "set" if naturals else "wild"
        of = of if naturals else 0
        cells.sort()
        if m.set_distinct_suits and len(set(naturals)) < n:
            return None
        return Row(kind, of, 0, tuple(cells)) if counts_allow("set", n, k - n, m) else None
    legal = counts_allow("run", n, k - n, m)
    legal = legal and pattern_allows(tuple(not wild for _, wild in cells), m)
    return Row(kind, of, start, tuple(cells)) if legal else None
