"""Going out with every card melded and no discard, where the rules ask for none."""

from __future__ import annotations

import pytest

from solver.cards import cards_of, read_hand
from solver.engine.legal import legal_moves
from solver.engine.moves import Discard, GoOut
from solver.engine.notation import format_move, parse_move
from solver.engine.record import read_record
from solver.engine.referee import apply, can_move, check_move
from solver.engine.replay import replay
from solver.engine.scoring import score_round
from solver.engine.selfplay import SimplePlayer, play_game
from solver.engine.state import Phase, State, new_round
from solver.engine.view import view
from solver.errors import HandError, IllegalMoveError
from solver.players.advice import advise
from solver.rules.loader import load_rules

TWO_SETS = "7S 7H 7D 9S 9H 9D"
"""Six cards in the deal of five: no discard leaves five that meld."""
OTHER = "AS 2H 4D 6C 8C"


def in_play(hand: str, **options) -> State:
    rules = load_rules("three-thirteen", cards_dealt=5, players=2, **options)
    hands = tuple(tuple(cards_of(read_hand(text))) for text in (hand, OTHER))
    stock = tuple(cards_of(read_hand("QS QH KD KC")))
    r = new_round(rules, 1, range(2), 2).to(
        phase=Phase.PLAY,
        actor=0,
        turn=0,
        hands=hands,
        stock=stock,
        discards=(3,),
        taken_from="stock",
    )
    return State(rules, 2, r, 3, 0, (0, 0))


def test_out_without_a_discard_gives_the_others_their_last_turn():
    state = in_play(TWO_SETS, must_discard_to_go_out=False)
    assert GoOut(0) in legal_moves(state)
    assert not any(isinstance(m, Discard) and m.out for m in legal_moves(state))
    after = apply(state, GoOut(0))
    assert (after.round.out, after.round.turns_left, after.actor) == (0, 1, 1)
    assert after.round.discards == (3,)
    after = apply(after, parse_move("1 draw"))
    after = apply(after, Discard(1, cards_of(read_hand("8C"))[0]))
    # A five is wild and none is held: ace, two, four, six and the queen drawn.
    assert after.points == ((0, 1 + 2 + 4 + 6 + 10),)


@pytest.mark.parametrize(
    ("hand", "options", "code"),
    [
        (TWO_SETS, {}, "out.discard"),
        ("7S 7H 7D 9S 9H 2D", {"must_discard_to_go_out": False}, "out.not_melded"),
    ],
)
def test_otherwise_it_is_refused(hand, options, code):
    state = in_play(hand, **options)
    assert not can_move(state, GoOut(0))
    with pytest.raises(IllegalMoveError) as caught:
        check_move(state, GoOut(0))
    assert caught.value.code == code


def test_the_advice_goes_out_so():
    state = in_play(TWO_SETS, must_discard_to_go_out=False)
    assert advise(view(state, 0)).move == GoOut(0)


def test_a_score_takes_the_card_more_of_who_went_out():
    rules = load_rules("three-thirteen", cards_dealt=5, must_discard_to_go_out=False)
    assert score_round([TWO_SETS, OTHER], rules, out=0).points == (0, 1 + 2 + 4 + 6 + 8)
    for plain, out in ((rules, 1), (load_rules("three-thirteen", cards_dealt=5), 0)):
        with pytest.raises(HandError, match="expected 5 cards"):
            score_round([TWO_SETS, OTHER], plain, out=out)


def test_such_games_are_recorded_and_replayed():
    rules = load_rules("three-thirteen", deal_sizes="5,5,5", must_discard_to_go_out=False)
    n_found = 0
    for seed in range(40):
        record = play_game(rules, [SimplePlayer()] * 2, seed)
        moves = [format_move(m) for r in record.rounds for m in r.moves]
        n_found += sum(text.endswith(" out") for text in moves)
        if seed < 5:
            assert replay(read_record(record.to_line())).faults == ()
    assert n_found > 0
    assert parse_move("0 out") == GoOut(0)
