"""Rule book 2: Speed 3-13. Seat 0 is the caller; the left-hand neighbour of a seat follows it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solver.engine.dealing import chance_move, deck_cards, first_dealer
from solver.engine.referee import apply
from solver.engine.selfplay import SimplePlayer, play_game
from solver.engine.state import EVERYONE, Phase, new_game
from solver.engine.view import view
from solver.rules.loader import load_rules
from tests.engine.helpers import all_cards, cards, deal_state, play, refusal

# In turn order from the caller's left: seats 1, 2, 0; then the pile of each.
HANDS = ("4S 5S 6S", "7H 7D 9C", "TH JD QC")


def speed(*, upcard="2D", stock="2H 2C KH KD KC", **options):
    """Piles: seat 1 has 2D, seat 2 has 2H, seat 0 has 2C; the pool goes on with kings."""
    return deal_state(
        "speed-three-thirteen", HANDS, upcard=upcard, stock=stock, cards_dealt=3, **options
    )


@pytest.mark.parametrize(("n_players", "packs"), [(2, 4), (12, 4), (14, 5), (20, 7)])
def test_2_packs_by_players(n_players, packs):
    state = new_game(load_rules("speed-three-thirteen"), n_players)
    deck = deck_cards(state.round.rules)
    assert len(deck) == 52 * packs
    assert 65 not in deck


def test_2_eleven_hands_of_three_to_thirteen():
    rules = load_rules("speed-three-thirteen", max_turns_per_round=1)
    sizes = [len(r.result.hands[0]) for r in play_game(rules, [SimplePlayer()] * 2, 3).rounds]
    assert sizes == list(range(3, 14))


def test_2_everybody_turns_one_card_to_the_left():
    state = speed()
    assert state.round.beat.piles == (cards("2C"), cards("2D"), cards("2H"))
    assert state.actor == EVERYONE
    assert state.actors() == (0, 1, 2)


def test_2_caller_is_drawn_and_stays_unless_the_role_rotates():
    rules = load_rules("speed-three-thirteen", max_turns_per_round=1)
    assert {first_dealer(rules, 3, seed) for seed in range(40)} == {0, 1, 2}
    dealers = {r.dealer for r in play_game(rules, [SimplePlayer()] * 3, 3).rounds}
    assert len(dealers) == 1
    moving = load_rules("speed-three-thirteen", max_turns_per_round=1, caller_rotates=True)
    order = [r.dealer for r in play_game(moving, [SimplePlayer()] * 3, 3).rounds]
    assert order == [(order[0] + i) % 3 for i in range(11)]


def test_2_a_beat_is_draw_then_discard_for_all_at_once():
    state = play(speed(), "2 draw", "0 take")
    assert state.phase == Phase.BEAT_DRAW
    assert [len(h) for h in state.round.hands] == [3, 3, 3]  # nothing moves before all commit
    assert refusal(state, "2 take") == "move.committed"
    state = play(state, "1 draw")
    assert state.phase == Phase.BEAT_DISCARD
    assert [len(h) for h in state.round.hands] == [4, 4, 4]
    state = play(state, "0 discard TH", "1 discard KH")
    assert state.round.beat.piles == (cards("2C"), cards("2D"), ())  # 0 took the pile of 2
    state = play(state, "2 discard KD")
    assert [p[-1:] for p in state.round.beat.piles] == [cards("TH"), cards("KH"), cards("KD")]


def test_2_one_takes_from_the_right_hand_pile():
    state = play(speed(), "0 take", "1 take", "2 take")
    # The right-hand neighbour of 1 is 0, of 2 is 1, of 0 is 2.
    assert state.round.hands[1] == cards("2C 4S 5S 6S")
    assert state.round.hands[2] == cards("2D 7H 7D 9C")
    assert state.round.hands[0] == cards("2H TH JD QC")
    assert state.round.beat.piles == ((), (), ())


def test_2_pile_tops_are_those_at_the_start_of_the_beat():
    state = play(
        speed(), "0 take", "1 take", "2 take", "0 discard TH", "1 discard 4S", "2 discard 9C"
    )
    state = play(state, "1 take", "2 draw", "0 draw")
    assert state.round.hands[1] == cards("2C 5S 6S TH")


def test_2_commitments_are_hidden():
    state = play(speed(), "2 draw")
    assert view(state, 0).commit is None
    assert view(state, 0) == view(play(speed(), "2 take"), 0)


def test_2_the_card_from_the_right_may_not_be_passed_on():
    state = play(speed(), "0 draw", "1 take", "2 draw")
    assert refusal(state, "1 discard 2C") == "discard.returned"
    assert refusal(state, "1 discard 4S") == ""


def test_2_several_may_go_out_in_one_beat_and_the_others_get_one_more():
    state = speed(stock="2H 2C 7C 2S KC")
    state = play(state, "1 draw", "2 draw", "0 draw")  # 7C, 2S, KC
    state = play(state, "1 out 7C", "2 discard 2S", "0 discard KC")
    assert state.round.beat.outs == (1,)
    assert state.actors() == (0, 2)
    assert refusal(state, "1 draw") == "move.turn"
    state = play(state, "0 draw", "2 draw")
    hand = state.round.hands[2]
    assert refusal(state, "2 out 7H") == "out.declared"
    assert len(hand) == 4
    state = play(state, "0 discard TH", "2 discard 9C")
    assert len(state.history) == 1
    assert state.points[0][1] == 0


def test_2_no_final_beats_ends_the_hand_at_once():
    state = speed(stock="2H 2C 7C 2S KC", speed_final_beats=0)
    state = play(state, "1 draw", "2 draw", "0 draw", "2 discard 2S", "0 discard KC", "1 out 7C")
    assert state.history[0][0].ending == "out"


def test_2_two_out_in_one_beat():
    state = deal_state(
        "speed-three-thirteen",
        ("4S 5S 6S", "7H 7D 7C", "TH JD QC"),
        upcard="2D",
        stock="2H 2C KH KD KC",
        cards_dealt=3,
    )
    state = play(state, "0 draw", "1 draw", "2 draw", "1 out KH", "2 out KD", "0 discard KC")
    assert state.round.beat.outs == (1, 2)
    state = play(state, "0 draw", "0 discard QC")
    assert state.points[0][1:] == (0, 0)


def short_pool(n_pool, **options):
    """Before the last discard of a beat: a pool of few cards, the rest under the pile of 0."""
    state = play(speed(**options), "0 draw", "1 draw", "2 draw", "0 discard KC", "1 discard KH")
    r = state.round
    piles = ((*r.stock[n_pool:], *r.beat.piles[0]), *r.beat.piles[1:])
    return replace(state, round=r.to(stock=r.stock[:n_pool], beat=replace(r.beat, piles=piles)))


def test_2_1_a_short_pool_is_rebuilt_from_the_piles_but_their_tops():
    state = play(short_pool(2), "2 discard KD")
    assert state.phase == Phase.SHUFFLE
    before, tops = all_cards(state), [pile[-1:] for pile in state.round.beat.piles]
    state = apply(state, chance_move(state, 4))
    assert list(state.round.beat.piles) == tops
    assert state.phase == Phase.BEAT_DRAW
    assert all_cards(state) == before


def test_2_1_a_pool_that_serves_all_is_not_rebuilt():
    assert play(short_pool(3), "2 discard KD").phase == Phase.BEAT_DRAW


def test_2_2_a_pool_still_short_serves_from_the_callers_left():
    state = play(short_pool(1, max_reshuffles=0), "2 discard KD")
    (only,) = state.round.stock
    tops = [pile[-1] for pile in state.round.beat.piles]
    state = play(state, "0 draw", "1 draw", "2 draw")
    assert only in state.round.hands[1]
    assert tops[1] in state.round.hands[2]
    assert tops[2] in state.round.hands[0]
    assert state.round.stock == ()


def test_2_base_scoring():
    state = speed(stock="2H 2C 7C 2S KC", speed_final_beats=0)
    state = play(state, "1 draw", "2 draw", "0 draw", "2 discard 2S", "0 discard KC", "1 out 7C")
    assert state.points[0] == (30, 0, 23)
