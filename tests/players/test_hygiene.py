"""Advice uses nothing hidden, and says the same of a view and of the same facts told."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from solver.engine.dealing import chance_move
from solver.engine.moves import CHANCE
from solver.engine.referee import apply, check_move
from solver.engine.state import State, new_game
from solver.engine.view import view
from solver.players.advice import advise
from solver.players.facts import Facts, view_of
from solver.rules.loader import load_rules

GAMES = (
    ("three-thirteen", {"cards_dealt": 6}, 2),
    ("five-crowns", {"cards_dealt": 5}, 3),
    ("gin", {}, 2),
    ("speed-three-thirteen", {"cards_dealt": 3}, 2),
    ("liverpool", {"deal": 1}, 3),
)


def hidden_changed(state: State, seat: int, rng: random.Random) -> State:
    """The state with all that the seat cannot see dealt anew: stock and hidden parts of hands."""
    r = state.round
    shown = {s: list(r.known[s]) for s in range(len(r.hands)) if s != seat}
    pool = list(r.stock)
    for s, cards in shown.items():
        rest = list(r.hands[s])
        for card in cards:
            rest.remove(card)
        pool += rest
    rng.shuffle(pool)
    hands = list(r.hands)
    for s, cards in shown.items():
        n = len(r.hands[s]) - len(cards)
        hands[s] = tuple(sorted([*cards, *pool[:n]]))
        pool = pool[n:]
    return replace(state, round=r.to(hands=tuple(hands), stock=tuple(pool)))


@pytest.mark.parametrize(("game", "options", "n"), GAMES, ids=str)
def test_other_hidden_cards_other_hands_same_advice(game, options, n):
    rng = random.Random(game)
    state, asked = new_game(load_rules(game, **options), n), 0
    while not state.is_over and asked < 40:
        if state.actor == CHANCE:
            state = apply(state, chance_move(state, 5))
            continue
        seat = state.actors()[0]
        before = advise(view(state, seat))
        changed = hidden_changed(state, seat, rng)
        assert advise(view(changed, seat)) == before
        check_move(changed, before.move)
        state = apply(state, before.move)
        asked += 1
    assert asked > 8


def test_facts_told_at_a_table_give_the_same_advice():
    rules = load_rules("three-thirteen", cards_dealt=6)
    state = new_game(rules, 2)
    state = apply(state, chance_move(state, 3))
    seen = view(state, state.actor)
    told = view_of(list(seen.hand), rules, Facts(players=2, discard=seen.discards[-1]))
    by_view, by_facts = advise(seen), advise(told)
    assert [o.value for o in by_view.options] == [o.value for o in by_facts.options]
    assert by_view.outs == by_facts.outs
    assert by_view.reason == by_facts.reason


def test_cards_known_elsewhere_are_no_longer_drawn():
    rules = load_rules("three-thirteen", cards_dealt=3)
    plain = advise(view_of("5S 5H 9D", rules, Facts(discard=0)))
    told = advise(view_of("5S 5H 9D", rules, Facts(discard=0, seen="5D 5C")))
    assert plain.n_unseen - told.n_unseen == 2
    assert {3 * 13 + 4, 2 * 13 + 4} <= {o.card for o in plain.outs}
    assert not {3 * 13 + 4, 2 * 13 + 4} & {o.card for o in told.outs}
    assert told.options[-1].value.exact > plain.options[-1].value.exact
