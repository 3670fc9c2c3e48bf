"""Rule book 5.5 and 5.8 to 5.12: Liverpool's turns, rummy, floating, buying, the cut, the end.

Seat 0 deals, seat 1 begins; three players unless said otherwise.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from solver.cards import format_card
from solver.engine.dealing import chance_move
from solver.engine.moves import CallOrder, Cut
from solver.engine.referee import apply
from solver.engine.scoring import RoundExtras, score_round, standings
from solver.engine.selfplay import SimplePlayer, play_game
from solver.engine.state import Phase, new_game
from solver.engine.turns import begin_turn
from solver.engine.view import view
from solver.rules.loader import load_rules
from tests.engine.helpers import (
    all_cards,
    cards,
    deal_state,
    play,
    refusal,
    with_round,
    with_table,
)

ONE = "7S 7H 7D KD KC KS 4H 9C AS 5D"
TWO = "8S 8H 8D QD QC QS 4D 9H AD 5C"
ZERO = "6S 6H 6D JD JC JS 4S 9D AC 5S"


def liverpool(one=ONE, two=TWO, zero=ZERO, *, stock="TD TC TS TH 3D", game="liverpool", **options):
    return deal_state(game, (one, two, zero), upcard="6C", stock=stock, deal=1, **options)


def drawn(*hands, **options):
    """Seat 1 has passed, nobody bought, and it has drawn the first card of the stock."""
    return play(liverpool(*hands, **options), "1 pass", "2 pass", "0 pass", "1 draw")


def holding(state, seat, text):
    """The state with a hand replaced; what it held goes under the stock."""
    r = state.round
    hands = list(r.hands)
    old, hands[seat] = hands[seat], cards(text)
    rest = list(r.stock) + list(old)
    for card in hands[seat]:
        rest.remove(card)
    return with_round(state, hands=tuple(hands), stock=tuple(rest))


# --- 5.5 the turn ---------------------------------------------------------------------------


def test_5_5_take_is_free_and_counts_as_the_draw():
    state = play(liverpool(), "1 take")
    assert state.round.hands[1] == cards(ONE + " 6C")
    assert state.phase == Phase.PLAY
    assert refusal(state, "1 draw") == "move.phase"


def test_5_5_after_passing_one_must_draw_from_the_stock():
    state = play(liverpool(), "1 pass", "2 pass", "0 pass")
    assert refusal(state, "1 take") == "draw.passed"
    assert refusal(state, "1 draw") == ""


def test_5_5_the_card_taken_may_not_be_discarded():
    state = play(liverpool(), "1 take")
    assert refusal(state, "1 discard 6C") == "discard.returned"
    assert refusal(state, "1 discard 4H") == ""


def test_5_5_the_first_upcard_is_offered_too_and_the_dealer_may_buy_it():
    state = play(liverpool(), "1 pass", "2 pass")
    assert (state.phase, state.actor) == (Phase.BUY, 0)


def test_5_5_a_lay_off_that_leaves_only_the_card_taken_is_refused():
    state = with_table(liverpool(), (1, "R[5H 6H 7H 8H]"))
    state = holding(state, 1, "4H")
    state = play(state, "1 take")
    assert refusal(state, "1 lay 4H>0-") == "play.strands"
    assert refusal(state, "1 discard 4H") == ""


# --- 5.8 calling rummy ----------------------------------------------------------------------


def discarded(**options):
    """Seat 1, not yet down, discards 4H, which fits the run of seat 2; 6C lies under it."""
    state = with_table(drawn(**options), (2, "R[5H 6H 7H 8H]"))
    return play(state, "1 discard 4H")


def test_5_8_any_other_player_may_call_before_the_next_acts():
    state = discarded()
    assert (state.phase, state.actor) == (Phase.RUMMY, 2)
    assert refusal(state, "2 draw") == "move.phase"
    state = play(state, "2 pass")
    assert state.actor == 0
    assert refusal(state, "0 rummy") == ""


def test_5_8_offender_takes_it_back_draws_one_and_the_turn_passes():
    state = discarded()
    extra = state.round.stock[0]
    after = play(state, "2 pass", "0 rummy")
    assert after.round.hands[1] == tuple(sorted((*state.round.hands[1], *cards("4H"), extra)))
    assert after.actor == 2
    assert all_cards(after) == all_cards(state)


def test_5_8_the_former_top_is_exposed_but_not_for_sale():
    state = play(discarded(), "2 rummy")
    assert state.round.discards == cards("6C")
    assert state.phase == Phase.DRAW
    assert refusal(state, "2 take") == ""
    assert refusal(state, "2 draw") == ""
    assert refusal(state, "0 buy") == "move.phase"


def test_5_8_without_a_call_play_goes_on():
    state = play(discarded(), "2 pass", "0 pass")
    assert (state.phase, state.actor) == (Phase.OFFER, 2)
    assert state.round.discards[-1:] == cards("4H")


def test_5_8_a_card_that_fits_nothing_cannot_be_called():
    state = with_table(drawn(), (2, "R[5H 6H 7H 8H]"))
    assert play(state, "1 discard 9C").phase == Phase.OFFER


def test_5_8_a_match_of_a_wild_does_not_fit():
    state = with_table(drawn(ONE.replace("4H", "6H")), (2, "R[4H 5H JK=6H 7H]"))
    assert play(state, "1 discard 6H").phase == Phase.OFFER


def test_5_8_a_wild_always_fits_unless_wilds_are_left_out():
    hand = ONE.replace("4H", "2H")
    state = with_table(drawn(hand), (2, "S[8S 8H 8C]"))
    assert play(state, "1 discard 2H").phase == Phase.RUMMY
    free = with_table(drawn(hand, rummy_includes_wilds=False), (2, "S[8S 8H 8C]"))
    assert play(free, "1 discard 2H").phase == Phase.OFFER


def test_5_8_scope_down_only():
    assert discarded().phase == Phase.RUMMY
    assert discarded(rummy_scope="down_only").phase == Phase.OFFER


def test_5_8_auto_and_off():
    state = discarded(rummy_mode="auto")
    assert (state.phase, state.actor) == (Phase.DRAW, 2)
    assert len(state.round.hands[1]) == 12
    assert discarded(rummy_mode="off").phase == Phase.OFFER


def test_5_8_more_extra_cards():
    state = play(discarded(rummy_cards=2), "2 rummy")
    assert len(state.round.hands[1]) == 13


def test_5_8_nothing_is_called_once_the_deal_has_ended():
    state = with_table(drawn(), (1, "R[5H 6H 7H 8H]"))
    state = play(holding(state, 1, "4H"), "1 discard 4H")
    assert len(state.history) == 1
    assert state.history[0][0].out == 1


# --- 5.9 going out, floating ----------------------------------------------------------------


def test_5_9_the_deal_ends_with_the_last_discard_and_melded_cards_never_score():
    state = with_table(drawn(), (1, "R[5H 6H 7H 8H]"), (2, "S[8S 8H 8C]"))
    state = holding(holding(state, 1, "9C"), 2, "AD KH 2S")
    state = play(state, "1 discard 9C")
    facts, _ = state.history[0]
    assert (facts.ending, facts.out) == ("out", 1)
    assert state.points[0][1] == 0
    assert state.points[0][2] == 15 + 10 + 5


def floating(drawn_next, top="4S", **options):
    """The turn of seat 1, who floats; 4H to 8H lie on the table, and a discard to take or not."""
    state = with_table(liverpool(stock="", **options), (2, "R[4H 5H 6H 7H 8H]"), down=[1, 2])
    r = holding(state, 1, "").round
    first, exposed = cards(drawn_next)[0], cards(top)[0]
    rest = list(r.stock)
    for card in (first, exposed):
        rest.remove(card)
    r = r.to(stock=(first, *rest), discards=(*r.discards, exposed))
    return replace(state, round=begin_turn(r, 1))


def test_5_9_a_player_without_a_card_does_not_discard_and_floats():
    state = with_table(drawn(), (2, "R[5H 6H 7H 8H]"), down=[1, 2])
    state = play(holding(state, 1, "4H"), "1 lay 4H>0-")
    assert state.round.hands[1] == ()
    assert state.round.turn == 2
    assert state.history == ()


def test_5_9_a_floater_lays_off_what_fits_and_still_floats():
    state = play(floating("3H"), "1 pass", "2 pass", "0 pass", "1 draw")
    assert refusal(state, "1 discard 3H") == "discard.closing"
    state = play(state, "1 lay 3H>0-")
    assert state.round.turn == 2
    assert state.history == ()


def test_5_9_a_floater_discards_what_fits_nothing_and_ends_the_deal():
    state = play(floating("KH"), "1 pass", "2 pass", "0 pass", "1 draw")
    state = play(state, "1 discard KH")
    assert state.history[0][0].out == 1
    assert state.points[0][1] == 0


def test_5_9_a_floater_may_take_a_discard_only_to_lay_it_off():
    assert refusal(floating("KH"), "1 take") == "draw.floating"
    state = play(floating("KH", top="3H"), "1 take")
    assert refusal(state, "1 discard 3H") == "discard.returned"
    assert refusal(state, "1 lay 3H>0-") == ""


def test_5_9_a_floater_whose_deal_another_ends_scores_nothing():
    state = holding(floating("3H"), 2, "")
    state = play(state, "1 pass", "2 pass", "0 pass", "1 draw", "1 lay 3H>0-")
    king = cards("KH")
    state = with_round(state, stock=(*king, *(c for c in state.round.stock if c not in king)))
    state = play(state, "2 pass", "0 pass", "1 pass", "2 draw", "2 discard KH")
    facts, _ = state.history[0]
    assert (facts.out, facts.seats[1].hand) == (2, ())
    assert state.points[0][1] == 0


@pytest.mark.parametrize(
    ("mode", "floater", "other"),
    [
        ("always", "", ""),
        ("non_floating", "discard.closing", ""),
        ("never", "discard.closing", "discard.closing"),
    ],
)
def test_5_9_closing_discard_that_fits(mode, floater, other):
    state = floating("3H", closing_discard_playable=mode)
    state = play(state, "1 pass", "2 pass", "0 pass", "1 draw")
    assert refusal(state, "1 discard 3H") == floater
    plain = with_table(drawn(closing_discard_playable=mode), (2, "R[5H 6H 7H 8H]"), down=[1])
    assert refusal(holding(plain, 1, "4H"), "1 discard 4H") == other


def test_5_9_one_card_is_announced():
    state = with_table(drawn(), (1, "S[TS TH TC]"))
    state = play(holding(state, 1, "9C KH"), "1 discard 9C")
    assert view(state, 2).one_card == {1}


def deal_seven(hand, *, stock="3C", **options):
    state = deal_state("liverpool", (hand, "", ""), upcard="6C", stock=stock, deal=7, **options)
    return play(state, "1 pass", "2 pass", "0 pass", "1 draw")


SEVEN = "3S 4S 5S 6S 7S 8H 9H TH 2C JD QD KD"
DOWN_SEVEN = "1 down R[3S 4S 5S 6S 7S] R[8H 9H TH 2C=JH] R[JD QD KD AD]"


def test_5_9_deal_seven_uses_every_card_and_ends_without_a_discard():
    state = play(deal_seven(SEVEN, stock="AD"), DOWN_SEVEN)
    assert state.is_over
    facts, _ = state.history[-1]
    assert (facts.ending, facts.out, facts.seats[1].hand) == ("out", 1, ())


def test_5_9_deal_seven_with_a_card_left_is_a_false_meld():
    state = play(
        deal_seven(SEVEN.replace("7S", "AD"), stock="9D"),
        "1 down R[3S 4S 5S 6S] R[8H 9H TH 2C=JH] R[JD QD KD AD]",
    )
    assert state.round.n_fined("false meld") == (0, 1, 0)


def test_5_9_deal_seven_ordinary():
    state = deal_seven(SEVEN.replace("7S", "AD"), stock="9D", final_deal="ordinary")
    state = play(state, "1 down R[3S 4S 5S 6S] R[8H 9H TH 2C=JH] R[JD QD KD AD]")
    assert state.round.hands[1] == cards("9D")
    state = play(state, "1 discard 9D")
    assert state.is_over


# --- 5.10 buying ----------------------------------------------------------------------------


def test_5_10_price_is_one_card_of_the_stock_and_no_discard():
    state = play(liverpool(), "1 pass", "2 buy")
    assert state.round.hands[2] == cards(TWO + " 6C TD")
    assert state.round.n_buys == (0, 0, 1)
    assert (state.phase, state.actor) == (Phase.DRAW, 1)
    assert refusal(state, "1 take") == "draw.passed"
    dear = play(liverpool(buy_price=2), "1 pass", "2 buy")
    assert dear.round.hands[2] == cards(TWO + " 6C TD TC")


def test_5_10_nearest_to_the_player_to_act_has_priority():
    state = play(liverpool(), "1 pass")
    assert state.round.askers == (2, 0)
    assert refusal(state, "0 buy") == "move.turn"


def test_5_10_i_may_lets_chance_say_who_speaks_first():
    state = play(liverpool(game="liverpool-i-may"), "1 pass")
    assert state.phase == Phase.CALL_ORDER
    orders = {chance_move(state, seed).seats for seed in range(20)}
    assert orders == {(0, 2), (2, 0)}
    state = apply(state, CallOrder((0, 2)))
    assert state.actor == 0


def test_5_10_not_the_discarder():
    state = play(drawn(), "1 discard 9C", "2 pass")
    assert state.round.askers == (0,)


def test_5_10_players_down_may_buy_unless_the_table_forbids_it():
    table = (0, "S[TS TH TC]")
    state = play(with_table(liverpool(stock="TD"), table), "1 pass")
    assert state.round.askers == (2, 0)
    state = play(with_table(liverpool(stock="TD", buy_after_down=False), table), "1 pass")
    assert state.round.askers == (2,)


def test_5_10_one_purchase_a_discard_and_max_buys():
    state = play(liverpool(max_buys=1), "1 pass", "2 buy", "1 draw", "1 discard 9C")
    state = play(state, "2 pass", "0 pass", "2 draw", "2 discard 9H", "0 pass")
    assert state.round.askers == (1,)


def test_5_10_multi_buy_offers_the_next_card():
    state = play(drawn(multi_buy=True), "1 discard 9C", "2 pass", "0 buy")
    assert state.phase == Phase.DRAW  # seat 1 discarded, seat 0 has bought: nobody is left
    assert state.round.discards == cards("6C")


def test_5_10_the_stock_is_rebuilt_for_the_price():
    state = play(drawn(), "1 discard 9C")
    r = state.round
    moved = with_round(state, stock=(), discards=(*r.stock, *r.discards))
    state = play(moved, "2 pass", "0 buy")
    assert state.phase == Phase.SHUFFLE
    before = all_cards(state)
    state = apply(state, chance_move(state, 1))
    assert state.round.hands[0].count(cards("9C")[0]) == 1
    assert len(state.round.hands[0]) == 12
    assert state.round.discards == ()
    assert all_cards(state) == before


@pytest.mark.parametrize(
    ("n_stock", "n_below", "asked"),
    [(1, 0, False), (2, 0, True), (1, 1, False), (1, 2, True), (0, 2, True), (0, 1, False)],
)
def test_5_10_buying_is_off_when_price_and_draw_cannot_be_supplied(n_stock, n_below, asked):
    state = play(drawn(), "1 discard 9C")
    r = state.round
    below = r.stock[5 : 5 + n_below]
    state = with_round(state, stock=r.stock[:n_stock], discards=(*below, *cards("9C")))
    state = play(state, "2 pass")
    assert (state.phase == Phase.BUY) is asked


# --- 5.11 the cut, 5.12 the end -------------------------------------------------------------


@pytest.mark.parametrize(("lifted", "total"), [(41, -30), (40, 20), (42, 20)])
def test_5_11_exact_cut(lifted, total):
    rules = load_rules("liverpool", players=4, deal=1)
    extras = RoundExtras(cut=(3, lifted))
    hands = ["KD", "KC", "", ""]
    score = score_round(hands, rules, out=2, totals=[0, 0, 0, 20], extras=extras)
    assert score.totals == (10, 10, 0, total)


def test_5_11_the_player_on_the_dealers_right_cuts():
    state = new_game(load_rules("liverpool", cut_model="player"), 4, first_dealer=1)
    assert (state.phase, state.actor) == (Phase.CUT, 0)
    state = apply(state, Cut(0, 41))
    assert state.round.cut == (0, 41)
    assert state.phase == Phase.DEAL


@pytest.mark.parametrize("model", ["uniform", "normal(3)"])
def test_5_11_simulated_cuts(model):
    state = new_game(load_rules("liverpool", cut_model=model), 4, first_dealer=1)
    sizes = [chance_move(state, seed).n_cards for seed in range(400)]
    assert all(1 <= n < 108 for n in sizes)
    mean = sum(sizes) / len(sizes)
    assert abs(mean - (41 if model != "uniform" else 54)) < 4


def test_5_11_a_cut_in_play_is_priced():
    state = new_game(load_rules("liverpool", cut_model="player", max_turns_per_round=1), 3)
    state = play(state, f"{state.actor} cut 31", seed=3)
    seat = state.round.cut[0]
    number = state.round_no
    while state.round_no == number:
        state = _dull(state)
    hand = state.history[0][0].seats[seat].hand
    held = sum(state.history[0][1].meld.points[c] for c in hand)
    assert state.points[0][seat] == held - 50


def _dull(state):
    seat = state.actor
    if state.phase == Phase.DRAW:
        return play(state, f"{seat} draw", seed=3)
    if state.phase == Phase.PLAY:
        return play(state, f"{seat} discard {format_card(state.round.hands[seat][0])}", seed=3)
    return play(state, f"{seat} pass", seed=3)


def test_5_12_an_empty_stock_that_cannot_be_rebuilt_ends_the_deal():
    state = play(drawn(), "1 discard 9C", "2 pass")
    state = with_round(state, stock=(), discards=cards("9C"), phase=Phase.DRAW, actor=2)
    state = play(state, "2 draw")
    assert state.history[0][0].ending == "exhausted"
    assert min(state.points[0]) > 0


def test_5_12_seven_deals_lowest_total_ties_shared():
    rules = load_rules("liverpool", max_turns_per_round=2)
    record = play_game(rules, [SimplePlayer()] * 3, 2)
    assert len(record.rounds) == 7
    low = min(record.result.totals)
    assert record.result.winners == tuple(s for s in range(3) if record.result.totals[s] == low)
    assert standings([60, 35, 35], rules)[0] == (1, 2)
