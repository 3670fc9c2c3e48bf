"""Plans played by the referee's own rules of adding and swapping, under the presets."""

from __future__ import annotations

import random

import pytest

from solver.engine.tabling import TableMeld, extend, take_wild
from solver.melds import Meld
from solver.rules.loader import load_rules
from solver.rules.model import GameRules
from solver.table import Plan, best_godown, best_layoff
from tests.oracles.brute_turn import Row
from tests.table.positions import as_lying, dealt_row, neighbour

GAMES = [
    ("liverpool", {"deal": 1}),
    ("liverpool", {"deal": 2}),
    ("liverpool", {"deal": 6}),
    ("contract-rummy", {"deal": 3}),
    ("contract-rummy", {"deal": 1, "wild_ranks": ["2"]}),
    ("continental", {"deal": 2}),
    ("carioca", {"deal": 1}),
    ("kalooki-51", {}),
    ("rum-500", {}),
]


def played(plan: Plan, before: list[Meld], rules: GameRules) -> list[Meld]:
    """Return the table after the referee has made every step."""
    table = [TableMeld(0, meld) for meld in before]
    for action in plan.actions:
        if action.laid is not None:
            table.append(TableMeld(1, action.laid))
            continue
        lying, card = table[action.meld], action.card
        assert card is not None
        if action.gained is not None:
            table[action.meld], wild = take_wild(lying, card, action.place, rules)
            assert wild == action.gained
        else:
            table[action.meld] = extend(lying, card, action.end, rules)
    return [lying.meld for lying in table]


def random_table(rng: random.Random, rules: GameRules) -> list[Meld]:
    rows: list[Row] = []
    while len(rows) < 4:
        row = dealt_row(rng, rules)
        jokers = row is not None and any(card == 65 for card, _ in row.cells)
        if row is not None and row.kind != "wild" and (rules.deck.has_jokers or not jokers):
            rows.append(row)
    return [as_lying(row).meld for row in rows]


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_the_referee_comes_to_the_same_table(name, options):
    # Tables and hands are drawn without a deck, so packs are of any number.
    rules = load_rules(name, packs=None, **options)
    rng = random.Random(f"{name}-{options}")
    n_steps = 0
    for _ in range(40):
        table = random_table(rng, rules)
        cards = [c for meld in table for c in meld.cards if c < 65]
        hand = [neighbour(rng, rng.choice(cards), 4) for _ in range(10)]
        jokers = [65] if rules.deck.has_jokers and rng.random() < 0.5 else []
        for plan in (
            best_layoff(hand + jokers, table, rules),
            best_godown(hand + jokers, table, rules),
        ):
            if plan is not None:
                assert played(plan, table, rules) == [lying.meld for lying in plan.table]
                n_steps += len(plan.actions)
    assert n_steps > 40
