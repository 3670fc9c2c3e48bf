"""Hands that buying has made too large to plan: players and the list of moves go on."""

from __future__ import annotations

import random

import pytest

from solver.cards import parse_cards
from solver.engine.legal import legal_moves
from solver.engine.moves import Discard, GoDown, LayOff
from solver.players.desk import state_of
from solver.players.expectation import ExpectationPolicy
from solver.players.facts import Facts, view_of
from solver.players.greedy import GreedyPolicy
from solver.players.plain import plain_move
from solver.rules.loader import load_rules

HAND = (
    "AS 2S 3S 4S 5S 5S 6S 7S 9S TS TS JS QS KS 2H 4H 5H 5H 6H 7H TH JH QH 3D 6D 6D 9D 9D JD QD KD "
    "3C 6C QC QC KC JK"
)
TABLE = ["S[2S=3 3S 2H=3 3H]", "R[JK=6S 7S 8S 9S]"]


def large_view(**facts):
    rules = load_rules("liverpool", deal=2, players=3)
    return view_of(HAND, rules, Facts(ask="play", table=TABLE, owners=[1, 2], **facts))


@pytest.mark.parametrize("policy", [GreedyPolicy(), ExpectationPolicy()], ids=["greedy", "exp"])
@pytest.mark.parametrize("down", [(), (0,)], ids=["up", "down"])
def test_players_move_at_once(policy, down):
    seen = large_view(down=down)
    moves = legal_moves(state_of(seen))
    move = policy.choose(seen, moves, random.Random(1))
    assert move in moves
    # The contract of the deal, a set and a run, lies ready; who is down lays off instead.
    assert isinstance(move, LayOff if down else GoDown)


def test_the_plain_move_throws_a_dear_natural():
    seen = large_view(down=(0,))
    throws = [m for m in legal_moves(state_of(seen)) if isinstance(m, Discard)]
    move = plain_move(seen, throws)
    assert move.card in parse_cards("AS")  # fifteen, as do twos and the joker, which are wild
    wilds = [m for m in throws if seen.rules.meld.is_wild(m.card)]
    assert plain_move(seen, wilds) in wilds
