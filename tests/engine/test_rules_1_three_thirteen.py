"""Rule book 1: Three Thirteen, sentence by sentence. Seat 0 deals, seat 1 begins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solver.cards import JOKER
from solver.engine.dealing import chance_move, deck_cards, first_dealer
from solver.engine.legal import legal_moves
from solver.engine.moves import Deal, Discard, Shuffle
from solver.engine.referee import apply
from solver.engine.scoring import score_round, standings
from solver.engine.selfplay import SimplePlayer, play_game
from solver.engine.state import Phase, new_game
from solver.errors import HandError, RulesError
from solver.rules.loader import load_rules
from tests.engine.helpers import all_cards, cards, deal_state, play, refusal


def three(*hands, **options):
    return deal_state("three-thirteen", hands, cards_dealt=3, **options)


@pytest.mark.parametrize(("n_players", "packs"), [(2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (7, 4)])
def test_1_1_packs_by_players(n_players, packs):
    state = new_game(load_rules("three-thirteen"), n_players)
    assert len(deck_cards(state.round.rules)) == 52 * packs


def test_1_1_joker_option_adds_two_jokers_a_pack():
    state = new_game(load_rules("three-thirteen", jokers_per_pack=2), 3)
    assert deck_cards(state.round.rules).count(JOKER) == 4


def test_1_1_a_deck_too_small_for_a_draw_each_is_refused():
    rules = load_rules("three-thirteen", packs=1, cards_dealt=13)
    with pytest.raises(RulesError) as caught:
        new_game(rules, 4)
    assert caught.value.code == "rules.deck"


def test_1_2_eleven_rounds_deal_three_to_thirteen_and_the_rank_dealt_is_wild():
    rules = load_rules("three-thirteen", max_turns_per_round=1)
    dealt = []

    def watch(state, move):
        if isinstance(move, Deal):
            r = state.round.rules
            dealt.append((r.n_dealt, sorted(r.meld.wild_ranks)))

    record = play_game(rules, [SimplePlayer()] * 2, 5, watch=watch)
    assert dealt == [(n, [n - 1]) for n in range(3, 14)]
    assert record.result is not None


def test_1_2_the_deal_moves_left_whoever_won():
    rules = load_rules("three-thirteen", max_turns_per_round=1)
    dealers = [r.dealer for r in play_game(rules, [SimplePlayer()] * 3, 5).rounds]
    first = dealers[0]
    assert dealers == [(first + i) % 3 for i in range(11)]


def test_1_2_first_dealer_is_drawn_from_the_seed():
    rules = load_rules("three-thirteen")
    assert {first_dealer(rules, 4, seed) for seed in range(60)} == {0, 1, 2, 3}


def test_1_2_one_card_is_turned_and_the_player_left_of_the_dealer_starts():
    state = three("4S 5S 6S", "7H 7D 9C", "TH JD QC", upcard="2D")
    assert state.round.discards == cards("2D")
    assert state.actor == 1
    assert [len(h) for h in state.round.hands] == [3, 3, 3]
    assert state.round.hands[1] == cards("4S 5S 6S")


def test_1_2_play_is_clockwise():
    state = three("4S 5S 6S", "7H 7D 9C", "TH JD QC", upcard="2D")
    order = []
    for _ in range(4):
        order.append(state.actor)
        seat = state.actor
        state = play(state, f"{seat} draw")
        state = apply(state, Discard(seat, state.round.hands[seat][0]))
    assert order == [1, 2, 0, 1]


def test_1_3_there_is_no_laying_off():
    state = play(three("4S 5S 6S", "7H 7D 9C", upcard="2D"), "1 draw")
    assert refusal(state, "1 lay 4S>0+") == "layoff.off"
    assert refusal(state, "1 down R[4S 5S 6S]") == "down.off"


@pytest.mark.parametrize(
    ("options", "hand", "points"),
    [
        ({}, "AS 2H 9D", 12),
        ({}, "3S 9D QH", 22),  # one wild left costs its own points
        ({}, "JS QD KC", 30),
        ({"points": {"J": 11, "Q": 12, "K": 13}}, "JS QD KC", 36),
        ({"ace": "both", "points": {"A": 15}}, "AS 2H 9D", 26),
        ({"jokers_per_pack": 2}, "JK 5S KD", 35),
    ],
)
def test_1_4_points_of_what_is_left(options, hand, points):
    rules = load_rules("three-thirteen", cards_dealt=3, **options)
    assert score_round([hand, hand], rules).players[0].penalty == points


def test_1_5_1_draw_from_stock_or_top_discard_only():
    state = three("4S 5S 6S", "7H 7D 9C", upcard="2D", stock="KH")
    assert play(state, "1 draw").round.hands[1] == cards("4S 5S 6S KH")
    taken = play(state, "1 take")
    assert taken.round.hands[1] == cards("2D 4S 5S 6S")
    assert taken.round.discards == ()


def test_1_5_2_hand_is_n_between_turns_and_one_more_inside():
    state = three("4S 5S 6S", "7H 7D 9C", upcard="2D", stock="KH")
    assert refusal(state, "1 discard 4S") == "move.phase"
    state = play(state, "1 draw")
    assert len(state.round.hands[1]) == 4
    assert refusal(state, "1 draw") == "move.phase"
    assert refusal(state, "1 discard 2D") == "move.card"
    state = play(state, "1 discard KH")
    assert len(state.round.hands[1]) == 3
    assert state.round.discards[-1:] == cards("KH")


def test_1_5_3_going_out_is_declared_with_the_discard():
    state = play(three("4S 5S 6S", "7H 7D 9C", upcard="2D", stock="KH"), "1 draw")
    assert refusal(state, "1 out KH") == ""
    after = play(state, "1 out KH")
    assert after.round.out == 1
    assert after.round.discards[-1:] == cards("KH")


def test_1_5_3_going_out_is_optional():
    state = play(three("4S 5S 6S", "7H 7D 9C", upcard="2D", stock="KH"), "1 draw")
    after = play(state, "1 discard KH")
    assert after.round.out is None
    assert after.actor == 0


def test_1_5_3_all_cards_melded_still_needs_a_discard_that_leaves_melds():
    state = play(three("5S 6S 7S", "7H 7D 9C", upcard="2D", stock="8S"), "1 draw")
    assert refusal(state, "1 out 5S") == ""
    assert refusal(state, "1 out 8S") == ""
    assert refusal(state, "1 out 6S") == "out.not_melded"


def test_1_5_4_every_other_player_gets_exactly_one_more_turn():
    state = three("4S 5S 6S", "7H 7D 9C", "TH JD QC", upcard="2D", stock="KH 2S 2C 8H")
    state = play(state, "1 draw", "1 out KH", "2 draw", "2 discard 2S")
    assert state.round.ending is None
    assert state.actor == 0
    state = play(state, "0 draw", "0 discard 2C")
    assert len(state.history) == 1
    facts, _ = state.history[0]
    assert (facts.out, facts.ending) == (1, "out")


def test_1_5_4_last_turns_may_use_the_discard_pile_and_need_no_declaration():
    state = three("4S 5S 6S", "7H 7D 9C", upcard="2D", stock="KH 8H")
    state = play(state, "1 draw", "1 out KH")
    assert refusal(state, "0 out 9C") == "move.phase"
    assert refusal(state, "0 take") == ""
    state = play(state, "0 take")
    assert refusal(state, "0 out 9C") == "out.declared"


def test_1_5_4_a_second_melded_hand_scores_nothing_too():
    state = three("4S 5S 6S", "7H 7D 9C", "TH JD QC", upcard="2D", stock="KH 7C 2C")
    state = play(state, "1 draw", "1 out KH", "2 draw", "2 discard 9C")
    state = play(state, "0 draw", "0 discard 2C")
    assert state.points[0][2] == 0
    assert state.points[0][1] == 0
    assert state.points[0][0] == 30


def test_1_5_5_scores_add_up_and_the_lowest_total_wins():
    rules = load_rules("three-thirteen", max_turns_per_round=3)
    record = play_game(rules, [SimplePlayer()] * 3, 11)
    sums = [sum(r.result.points[s] for r in record.rounds) for s in range(3)]
    assert list(record.result.totals) == sums
    assert record.result.winners == tuple(s for s in range(3) if sums[s] == min(sums))


def test_1_5_6_false_declaration_is_refused():
    state = play(three("4S 5S 9S", "7H 7D 9C", upcard="2D", stock="KH"), "1 draw")
    assert refusal(state, "1 out KH") == "out.not_melded"


def test_1_5_6_false_out_penalty_fines_and_the_turn_goes_on():
    state = three("4S 5S 9S", "7H 7D 9C", upcard="2D", stock="KH 8H 2C", false_out_penalty=20)
    state = play(state, "1 draw", "1 out KH")
    assert state.actor == 1
    assert len(state.round.hands[1]) == 4
    assert not any(getattr(m, "out", False) for m in legal_moves(state))
    state = play(state, "1 discard KH", "0 take", "0 discard KH")
    assert state.round.n_fined("false going out") == (0, 1)


def test_1_5_7_the_card_just_taken_may_go_back():
    state = play(three("4S 5S 6S", "7H 7D 9C", upcard="2D"), "1 take")
    assert refusal(state, "1 discard 2D") == ""
    strict = three("4S 5S 6S", "7H 7D 9C", upcard="2D", forbid_return_discard=True)
    assert refusal(play(strict, "1 take"), "1 discard 2D") == "discard.returned"


def test_1_5_7_another_copy_of_the_card_taken_may_go():
    state = three("2D 5S 6S", "7H 7D 9C", "KD KC KS", upcard="2D", forbid_return_discard=True)
    assert refusal(play(state, "1 take"), "1 discard 2D") == ""


def empty_stock(**options):
    state = three("4S 5S 6S", "7H 7D 9C", upcard="2D", **options)
    r = state.round
    return replace(state, round=r.to(stock=(), discards=(*r.stock, *r.discards)))


def test_1_6_empty_stock_is_rebuilt_from_all_but_the_top_discard():
    state = play(empty_stock(), "1 draw")
    assert state.phase == Phase.SHUFFLE
    move = chance_move(state, 3)
    assert isinstance(move, Shuffle)
    before = all_cards(state)
    after = apply(state, move)
    assert after.round.discards == cards("2D")
    assert after.round.hands[1] == tuple(sorted((*cards("4S 5S 6S"), move.cards[0])))
    assert after.round.stock == move.cards[1:]
    assert after.actor == 1
    assert all_cards(after) == before


def test_1_6_taking_the_discard_needs_no_stock():
    state = play(empty_stock(), "1 take")
    assert state.phase == Phase.PLAY


def test_1_6_nothing_to_shuffle_ends_the_round_and_all_score():
    state = empty_stock()
    state = play(replace(state, round=state.round.to(discards=cards("2D"))), "1 draw")
    facts, _ = state.history[0]
    assert (facts.ending, facts.out) == ("exhausted", None)
    assert state.points[0] == (23, 0)


def test_1_6_in_final_turns_too():
    state = three("4S 5S 6S", "7H 7D 9C", upcard="2D", stock="KH")
    state = play(state, "1 draw", "1 out KH")
    state = play(replace(state, round=state.round.to(stock=(), discards=cards("KH"))), "0 draw")
    assert state.history[0][0].ending == "exhausted"
    assert state.points[0] == (23, 0)


def test_1_6_end_round_and_max_reshuffles():
    state = play(empty_stock(stock_empty="end_round"), "1 draw")
    assert state.history[0][0].ending == "exhausted"
    state = play(empty_stock(max_reshuffles=0), "1 draw")
    assert state.history[0][0].ending == "exhausted"


def test_1_6_the_guard_on_turns_ends_the_round():
    state = three("4S 5S 9S", "7H 7D 9C", upcard="2D", max_turns_per_round=1)
    state = play(state, "1 take", "1 discard 2D", "0 take", "0 discard 2D")
    assert state.history[0][0].ending == "turn_limit"


def test_1_7_ties_are_shared():
    rules = load_rules("three-thirteen")
    assert standings([120, 97, 97], rules) == ((1, 2), (0,))


def level_game(tie_break, earlier):
    """The last of three rounds, which seat 0 ends with 33 and seat 1 with none: 33 each."""
    state = deal_state(
        "three-thirteen",
        ["4S 5S 6S 7S", "7H 7D 9C KC"],
        upcard="2D",
        stock="KH",
        rounds=3,
        round=3,
        deal_sizes=[4, 5, 4],
        tie_break=tie_break,
    )
    totals = tuple(sum(row) for row in zip(*earlier, strict=True))
    state = replace(state, totals=totals, points=earlier, history=(None,) * len(earlier))
    return play(state, "1 draw", "1 out KH", "0 take", "0 discard KH")


@pytest.mark.parametrize(
    ("tie_break", "earlier", "winners"),
    [
        ("shared", ((0, 33), (0, 0)), (0, 1)),
        ("fewest_points_last_round", ((0, 33), (0, 0)), (1,)),
        ("most_rounds_won", ((0, 30), (0, 3)), (0,)),
        ("most_rounds_won", ((0, 33), (0, 0)), (0, 1)),
    ],
)
def test_1_7_tie_breaks(tie_break, earlier, winners):
    state = level_game(tie_break, earlier)
    assert state.points[-1] == (33, 0)
    assert state.totals == (33, 33)
    assert state.winners == winners


def test_1_8_options_combine():
    rules = load_rules(
        "three-thirteen",
        cards_dealt=13,
        ace="both",
        points={"A": 15, "J": 11, "Q": 12, "K": 13},
        jokers_per_pack=2,
        meld_min_naturals=1,
    )
    assert sorted(rules.meld.wild_ranks) == [12]  # kings stay the last wild rank
    hand = "QS KS AS 5D 5H 5C 7D 8D 9D 2C 2D 2H JH"
    assert score_round([hand, hand], rules).players[0].penalty == 11


def test_1_8_all_wild_melds_can_be_forbidden():
    free = load_rules("three-thirteen", cards_dealt=3, jokers_per_pack=3)
    strict = load_rules("three-thirteen", cards_dealt=3, jokers_per_pack=3, meld_min_naturals=1)
    assert score_round(["JK JK JK"] * 2, free).players[0].penalty == 0
    assert score_round(["JK JK JK"] * 2, strict).players[0].penalty == 60


def test_score_round_refuses_hands_of_the_wrong_size_and_a_false_out():
    rules = load_rules("three-thirteen", cards_dealt=3)
    with pytest.raises(HandError) as caught:
        score_round(["4S 5S", "7H 7D 9C KD"], rules)
    assert [f.where for f in caught.value.faults] == ["/hands/0", "/hands/1"]
    with pytest.raises(HandError) as caught:
        score_round(["4S 5S 9S", "7H 7D 9C"], rules, out=0)
    assert caught.value.code == "round.out"
    with pytest.raises(HandError) as caught:
        score_round(["4S 5S 9S", "7H 7D 9C"], rules, out=2)
    assert caught.value.code == "round.seats"
