"""Every game as a state machine: whatever is played, the invariants of a table hold."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from solver.engine.dealing import chance_move, deck_cards
from solver.engine.legal import legal_moves
from solver.engine.moves import (
    CHANCE,
    Buy,
    Cut,
    Defend,
    Discard,
    Draw,
    GoDown,
    Knock,
    LayOff,
    Pass,
    Rummy,
    Take,
)
from solver.engine.notation import format_move, parse_move
from solver.engine.record import read_record
from solver.engine.referee import apply, can_move, move_kinds
from solver.engine.replay import make_record, replay
from solver.engine.state import EVERYONE, NOBODY, Phase, new_game
from solver.engine.view import view
from solver.errors import IllegalMoveError
from solver.rules.loader import load_rules
from tests.engine.helpers import all_cards

# Few cards, few rounds: the machine sees ends of rounds and games, reshuffles and ties.
SMALL = {"max_turns_per_round": 12}
GAMES = {
    "three-thirteen": (3, {"rounds": 2, "deal_sizes": [3, 4], **SMALL}),
    "three-thirteen-options": (
        2,
        {"rounds": 2, "deal_sizes": [3, 4], "ace": "both", "jokers_per_pack": 2, **SMALL},
    ),
    "five-crowns": (3, {"rounds": 2, "deal_sizes": [3, 4], **SMALL}),
    "deuces-arent-wild": (2, {"rounds": 1, "deal_sizes": [3], **SMALL}),
    "speed-three-thirteen": (3, {"rounds": 2, "deal_sizes": [3, 4], **SMALL}),
    "gin": (2, {"rounds": 2, "end_score": None}),
    "oklahoma-gin": (2, {"rounds": 2, "end_score": None, "big_gin_bonus": 31}),
    "liverpool": (3, {"rounds": 1, "final_deal": "ordinary", **SMALL}),
    "liverpool-auto": (3, {"rounds": 1, "rummy_mode": "auto", "final_deal": "ordinary", **SMALL}),
    "liverpool-seven": (3, {"deal": 7, "cut_model": "player", **SMALL}),
    "liverpool-i-may": (4, {"rounds": 1, "final_deal": "ordinary", "multi_buy": True, **SMALL}),
    "contract-rummy": (3, {"rounds": 1, **SMALL}),
    "shanghai-10": (3, {"rounds": 1, **SMALL}),
    "continental": (3, {"rounds": 1, **SMALL}),
    "carioca": (3, {"rounds": 1, **SMALL}),
    "kalooki-51": (3, {"rounds": 1, **SMALL}),
    "kalooki-jamaica": (3, {"rounds": 1, **SMALL}),
}
PRESETS = {
    "three-thirteen-options": "three-thirteen",
    "liverpool-auto": "liverpool",
    "liverpool-seven": "liverpool",
}
PLAIN = (Draw, Take, Pass, Buy, Rummy)
FAMILIES = (GoDown, Knock, Defend)
BOUND = 4000


def new(name):
    n_players, options = GAMES[name]
    return new_game(load_rules(PRESETS.get(name, name), **options), n_players)


def universe(state):
    """Every move of the kinds that are listed completely, legal or not."""
    r = state.round
    held = sorted(deck_cards(r.rules)) if r.phase == Phase.PLAY else sorted(set(all_cards(state)))
    for seat in range(state.n_players):
        yield from (kind(seat) for kind in PLAIN)
        for card in dict.fromkeys(held):
            yield Discard(seat, card)
            yield Discard(seat, card, out=True)
            for i in range(len(r.table)):
                yield from (LayOff(seat, card, i, end) for end in ("", "-", "+"))


def check_state(state):
    """All invariants of one state."""
    r = state.round
    assert r.phase in Phase
    if not state.is_over:
        if r.phase in (Phase.CUT, Phase.DEAL):
            assert all_cards(state) == []
        else:
            assert all_cards(state) == list(deck_cards(r.rules))
        assert r.actor in (CHANCE, EVERYONE) or 0 <= r.actor < state.n_players
        assert (r.actor == EVERYONE) == (r.phase in (Phase.BEAT_DRAW, Phase.BEAT_DISCARD))
        assert bool(state.actors()) == (r.actor != CHANCE)
    else:
        assert state.actor == NOBODY
        assert state.actors() == ()
        assert not legal_moves(state)
    for seat in range(state.n_players):
        assert not Counter(r.known[seat]) - Counter(r.hands[seat])


def check_views(state):
    """What is hidden cannot be told from a view: shuffle it, and the view is the same."""
    r = state.round
    if r.phase in (Phase.CUT, Phase.DEAL, Phase.OVER) or state.is_over:
        return
    for seat in r.players:
        seen = view(state, seat)
        unseen = list(seen.unseen())
        hidden = [len(r.hands[s]) - len(r.known[s]) for s in range(state.n_players)]
        if r.knock is not None:  # a knocker's hand lies open
            hidden[r.knock.seat] = 0
        others = sum(n for s, n in enumerate(hidden) if s != seat)
        assert len(unseen) == len(r.stock) + others
        random.Random(1).shuffle(unseen)
        hands = list(r.hands)
        for s in range(state.n_players):
            if s != seat and hidden[s]:
                new = [unseen.pop() for _ in range(hidden[s])]
                hands[s] = tuple(sorted((*r.known[s], *new)))
        beat = r.beat
        other = r.to(hands=tuple(hands), stock=tuple(unseen), beat=beat)
        assert view(type(state)(**{**_fields(state), "round": other}), seat) == seen


def _fields(state):
    return {name: getattr(state, name) for name in state.__slots__}


def check_legal(state, moves):
    """The list of moves is what the referee accepts, for all kinds listed completely."""
    assert len(set(moves)) == len(moves)
    assert all(can_move(state, move) for move in moves)
    listed = {m for m in moves if not isinstance(m, FAMILIES)}
    if Cut in move_kinds(state.phase):
        listed = {m for m in listed if not isinstance(m, Cut)}
        assert sum(isinstance(m, Cut) for m in moves) == len(deck_cards(state.round.rules)) - 1
    assert listed == {move for move in universe(state) if can_move(state, move)}


class Table(RuleBasedStateMachine):
    """One game, played by whoever hypothesis likes."""

    name = ""

    @initialize(seed=st.integers(0, 10**6))
    def sit_down(self, seed):
        self.seed = seed
        self.state = new(self.name)
        self.moves = []

    def make(self, move):
        assert parse_move(format_move(move)) == move
        before, twin = self.state, (self.state.round, self.state.totals)
        self.state = apply(before, move)
        assert (before.round, before.totals) == twin
        self.moves.append(move)
        assert len(self.moves) < BOUND

    @precondition(lambda self: self.state.actor == CHANCE and not self.state.is_over)
    @rule()
    def chance(self):
        assert legal_moves(self.state) == ()
        self.make(chance_move(self.state, self.seed))

    @precondition(lambda self: bool(self.state.actors()))
    @rule(pick=st.integers(0, 10**6), keen=st.booleans())
    def move(self, pick, keen):
        moves = legal_moves(self.state)
        assert moves, "expected a legal move for whoever is to move"
        if pick % 7 == 0:
            check_legal(self.state, moves)
        best = [m for m in moves if isinstance(m, FAMILIES) or getattr(m, "out", False)]
        choices = best if keen and best else moves
        self.make(choices[pick % len(choices)])

    @precondition(lambda self: self.state.is_over)
    @rule()
    def nothing_after_the_end(self):
        with pytest.raises(IllegalMoveError) as caught:
            apply(self.state, Draw(0))
        assert caught.value.code == "game.over"

    @invariant()
    def table_is_sound(self):
        if hasattr(self, "state"):
            check_state(self.state)

    @invariant()
    def views_hide(self):
        if hasattr(self, "state") and len(self.moves) % 5 == 0:
            check_views(self.state)

    def teardown(self):
        if not hasattr(self, "state"):
            return
        record = make_record(self.state.rules, ["p"] * self.state.n_players, self.moves)
        again = read_record(record.to_line())
        played = replay(again)
        assert played.faults == ()
        assert played.state == self.state


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GAMES))
def test_stateful(name):
    machine = type(name, (Table,), {"name": name})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=2,
            stateful_step_count=50,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )


def play_out(name, seed):
    """One whole random game with every invariant, and its record replayed."""
    rng = random.Random(seed)
    state, moves = new(name), []
    while not state.is_over:
        if state.actor == CHANCE:
            move = chance_move(state, seed)
        else:
            options = legal_moves(state)
            assert options
            best = [m for m in options if isinstance(m, FAMILIES) or getattr(m, "out", False)]
            pool = best if best and rng.random() < 0.5 else options
            move = pool[int(rng.random() * len(pool))]
        moves.append(move)
        state = apply(state, move)
        check_state(state)
        assert len(moves) < BOUND
    return state, moves


def check_replay(state, moves):
    record = make_record(state.rules, ["p"] * state.n_players, moves)
    assert replay(read_record(record.to_line())).state == state


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GAMES))
def test_random_full_games(name):
    for seed in range(2):
        state, moves = play_out(name, seed)
        check_replay(state, moves)
        assert state.winners


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(GAMES))
def test_ten_thousand_random_full_games(name):
    for seed in range(int(os.environ.get("MELD_GAMES", "10000"))):
        state, moves = play_out(name, seed)
        if seed % 20 == 0:
            check_replay(state, moves)
