"""A move is offered once, in whatever order its melds are found."""

from __future__ import annotations

from collections import Counter

import pytest

from solver.engine.legal import legal_moves
from solver.engine.moves import GoDown
from tests.engine.helpers import deal_state, play

HANDS = {
    1: "7S 7H 7D KS KD KC 4H 9C AS 5D",
    2: "JH QH JK AH TS TD TC 3D 4C 6S",
    3: "3C 4C 5C JK 8D 9D TD JD KH 6S",
}


@pytest.mark.parametrize("deal", HANDS)
def test_one_way_of_going_down_is_one_move(deal):
    state = deal_state("liverpool", [HANDS[deal]], upcard="9H", n_seats=3, deal=deal)
    state = play(state, "1 take")
    downs = [m for m in legal_moves(state) if isinstance(m, GoDown)]
    laid = [(frozenset(Counter(m.melds).items()), m.swaps, m.layoffs) for m in downs]
    assert laid
    assert len(laid) == len(set(laid))
