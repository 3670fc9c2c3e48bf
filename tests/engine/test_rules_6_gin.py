"""Rule book 6: gin and Oklahoma, and what the contract family plays otherwise than Liverpool."""

from __future__ import annotations

import pytest

from solver.engine.dealing import deck_cards
from solver.engine.gin import defend, knock_limit
from solver.engine.notation import parse_melds
from solver.engine.scoring import RoundExtras, final_totals, score_round
from solver.engine.selfplay import SimplePlayer, play_game
from solver.engine.state import Phase
from solver.engine.view import view
from solver.errors import HandError
from solver.rules.loader import load_rules
from tests.engine.helpers import all_cards, cards, deal_state, play, refusal, with_round, with_table

ONE = "4S 5S 6S 7H 7D 7C JH QH KH 2C"
ZERO = "8S 9S KD KC QD 3H 3D AC AD 5H"


def gin(one=ONE, zero=ZERO, *, game="gin", upcard="9C", stock="TD TC 6D", **options):
    return deal_state(game, (one, zero), upcard=upcard, stock=stock, **options)


def drawn(one=ONE, zero=ZERO, **options):
    return play(gin(one, zero, **options), "1 pass", "0 pass", "1 draw")


def test_6_gin_two_players_ten_cards_one_pack():
    state = gin()
    assert [len(h) for h in state.round.hands] == [10, 10]
    assert len(state.round.stock) == 31


def test_6_gin_the_first_upcard_goes_round_before_the_stock():
    state = gin()
    assert (state.phase, state.actor) == (Phase.UPCARD, 1)
    assert refusal(state, "1 draw") == "move.phase"
    state = play(state, "1 pass")
    assert (state.phase, state.actor) == (Phase.UPCARD, 0)
    taken = play(state, "0 take", "0 discard KD")
    assert (taken.phase, taken.actor) == (Phase.DRAW, 1)
    state = play(state, "0 pass")
    assert refusal(state, "1 take") == "draw.passed"
    assert refusal(state, "1 draw") == ""


def test_6_gin_knock_with_ten_or_less():
    state = drawn()
    melds = "R[4S 5S 6S] S[7H 7D 7C] R[JH QH KH]"
    assert refusal(state, f"1 knock TD {melds}") == ""
    assert refusal(state, f"1 knock 2C {melds}") == ""  # ten left is still enough
    assert refusal(state, "1 knock TD R[4S 5S 6S] S[7H 7D 7C]") == "knock.limit"
    assert refusal(state, "1 knock TD R[4S 5S 6S] S[7H 7D 7C] R[JH QH KD]") == "move.card"
    assert refusal(state, "1 knock TD R[4S 5S 7H]") == "knock.meld"
    assert refusal(state, f"1 knock - {melds}") == "knock.big_gin"
    assert refusal(state, "1 out TD") == "out.declared"


def test_6_gin_going_out_is_a_knock_and_other_games_have_none():
    state = deal_state("three-thirteen", ("4S 5S 6S", "7H 7D 9C"), upcard="2D", cards_dealt=3)
    state = play(state, "1 draw")
    assert refusal(state, "1 knock 4S R[4S 5S 6S]") == "knock.off"


def test_6_gin_opponent_lays_off_and_the_difference_counts():
    state = play(drawn(), "1 knock TD R[4S 5S 6S] S[7H 7D 7C] R[JH QH KH]")
    assert (state.phase, state.actor) == (Phase.DEFEND, 0)
    assert refusal(state, "0 defend lay 8S>0+") == "layoff.no_fit"
    assert refusal(state, "0 defend lay 5H>0+") == "layoff.no_fit"
    state = play(state, "0 defend")
    # 8+9+10+10+10+3+3+1+1+5 less the two of the knocker
    assert state.points == ((0, 58),)


def test_6_gin_lay_offs_follow_one_another():
    zero = "7S 8S KD KC QD 3H 3D AC AD 5H"
    state = drawn(zero=zero)
    state = play(state, "1 knock TD R[4S 5S 6S] S[7H 7D 7C] R[JH QH KH]")
    after = play(state, "0 defend lay 7S>0+ 8S>0+")
    facts, _ = after.history[0]
    assert facts.seats[0].laid_off == cards("7S 8S")
    assert after.points == ((0, 43 - 2),)


def test_6_gin_nothing_is_laid_off_against_gin():
    state = drawn(one=ONE.replace("2C", "8H"), stock="7S 6D")
    state = play(state, "1 knock 8H R[4S 5S 6S 7S] S[7H 7D 7C] R[JH QH KH]")
    assert refusal(state, "0 defend lay 8S>0+") == "defend.gin"
    state = play(state, "0 defend")
    assert state.points == ((0, 60 + 25),)


def test_6_gin_bonus_is_a_key():
    rules = load_rules("gin", gin_bonus=20)
    score = score_round(["4S 5S 6S 7S 7H 7D 7C JH QH KH", ZERO], rules, out=0)
    assert score.points == (80, 0)
    assert score.players[0].note == "gin"


def test_6_gin_undercut_on_less_or_equal():
    hand = "4S 5S 6S 7H 7D 7C JD QD KD TC"
    less = "8H 9H TH AS AH AC 2S 2H 2D 5C"
    score = score_round([hand, less], load_rules("gin"), out=0)
    assert score.points == (0, 5 + 25)
    assert score.winners == (1,)
    equal = "8H 9H TH AS AH AC 2S 2H 2D JC"
    assert score_round([hand, equal], load_rules("gin"), out=0).points == (0, 25)
    dead = score_round([hand, equal], load_rules("gin", undercut_on_tie=False), out=0)
    assert dead.points == (0, 0)
    assert dead.winners == ()


def test_6_gin_big_gin_is_optional():
    one = "4S 5S 6S 7H 7D 7C JH QH KH TH"
    state = drawn(one=one, stock="7S 6D", big_gin_bonus=31)
    move = "1 knock - R[4S 5S 6S 7S] S[7H 7D 7C] R[TH JH QH KH]"
    assert refusal(drawn(one=one, stock="7S 6D"), move) == "knock.big_gin"
    state = play(state, move, "0 defend")
    assert state.points == ((0, 60 + 31),)


def test_6_gin_two_stock_cards_left_is_the_wall():
    state = gin()
    r = state.round
    state = with_round(
        play(state, "1 pass", "0 pass", "1 draw", "1 discard 2C"),
        stock=r.stock[1:3],
        phase=Phase.WALL,
    )
    assert refusal(state, "0 draw") == "move.phase"
    assert refusal(state, "0 take") == "draw.wall"
    state = play(state, "0 pass")
    assert state.history[0][0].ending == "dead"
    assert state.points == ((0, 0),)


def test_6_gin_the_wall_comes_with_the_third_last_card():
    state = with_round(gin(), stock=cards("TD TC 6D"))
    state = play(state, "1 pass", "0 pass", "1 draw", "1 discard 2C")
    assert (state.phase, state.actor) == (Phase.WALL, 0)


def test_6_gin_at_the_wall_one_may_take_only_to_knock():
    zero = "8S 9S KD KC KS 3H 3D 3C AC AD"
    state = with_round(gin(zero=zero, stock="TS TC 6D"), stock=cards("TS TC 6D"))
    state = play(state, "1 pass", "0 pass", "1 draw", "1 discard TS")
    state = play(state, "0 take")
    assert refusal(state, "0 discard KD") == "discard.must_knock"
    state = play(state, "0 knock AD R[8S 9S TS] S[KS KD KC] S[3H 3D 3C]", "1 defend")
    assert state.history[0][0].ending == "knock"


def test_6_gin_game_to_one_hundred():
    record = play_game(load_rules("gin"), [SimplePlayer()] * 2, 4)
    assert max(record.result.totals) >= 100
    assert all(max(r.result.totals) < 100 for r in record.rounds[:-1])
    assert record.result.totals[record.result.winners[0]] == max(record.result.totals)


def test_6_gin_game_and_box_bonuses_come_at_the_end():
    rules = load_rules("gin", game_bonus=100, box_bonus=25)
    points = [(40, 0), (0, 30), (62, 0)]
    assert final_totals([102, 30], points, [0], rules) == (102 + 100 + 50, 30 + 25)


def test_6_gin_knocker_beyond_the_limit_is_refused_when_scored():
    with pytest.raises(HandError) as caught:
        score_round([ZERO, ONE], load_rules("gin"), out=0)
    assert caught.value.code == "knock.limit"


@pytest.mark.parametrize(
    ("upcard", "options", "limit"),
    [("7S", {}, 7), ("KD", {}, 10), ("AH", {}, 0), ("AH", {"oklahoma_ace": "one"}, 1)],
)
def test_6_oklahoma_limit_is_the_value_of_the_upcard(upcard, options, limit):
    assert knock_limit(load_rules("oklahoma-gin", **options), cards(upcard)[0]) == limit


def test_6_oklahoma_knock_limit_in_play():
    state = drawn(game="oklahoma-gin", upcard="AH")
    assert refusal(state, "1 knock TD R[4S 5S 6S] S[7H 7D 7C] R[JH QH KH]") == "knock.limit"


def test_6_oklahoma_a_spade_upcard_doubles_where_played():
    hands = ["4S 5S 6S 7H 7D 7C JH QH KH 2C", ZERO]
    rules = load_rules("oklahoma-gin", spade_double=True)
    spade = score_round(hands, rules, out=0, extras=RoundExtras(upcard=cards("9S")[0]))
    heart = score_round(hands, rules, out=0, extras=RoundExtras(upcard=cards("9H")[0]))
    assert spade.points == (116, 0)
    assert heart.points == (58, 0)


@pytest.mark.parametrize(
    ("hand", "melds", "left"),
    [
        ("5S 5H 5D 6S 7S KC QD 2H 9C 4C", "R[8S 9S TS]", 35),  # G6
        ("5S 6S 7S 7H 7D QC JD 2C 3H 9H", "R[2S 3S 4S]", 34),  # G7
        ("AC 2C 2S 2D 2H 7C 8C 8S 8D 9S", "S[KS KD KC] R[5S 6S 7S] R[9C TC JC]", 9),  # C069
        ("4S 4H 4D 4C 5S 5H 5D 5C 9S TS", "S[AS AD AC] S[TH TD TC] R[JS QS KS]", 0),  # C071
    ],
)
def test_6_gin_defence_chooses_melds_and_lay_offs_together(hand, melds, left):
    rules = load_rules("gin")
    found = defend(cards(hand), parse_melds(melds), rules)
    assert sum(rules.meld.points[c] for c in found.left) == left


# --- the contract family --------------------------------------------------------------------


def test_6_contract_rummy_has_no_swap():
    assert load_rules("contract-rummy").flow.swap_timing == "off"


def test_6_continental_going_down_and_out_in_one_turn():
    rules = load_rules("continental", deal=1)
    plain = score_round(["", "KD"], rules, out=0)
    quick = score_round(["", "KD"], rules, out=0, extras=RoundExtras(down_and_out=[0]))
    assert (plain.points[0], quick.points[0]) == (0, -10)


def test_6_continental_no_neighbouring_jokers_by_lay_off():
    state = deal_state("continental", ("", "", ""), upcard="6C", deal=1)
    state = with_table(state, (2, "R[4H 5H 6H JK=7H]"), down=[1, 2])
    state = with_round(state, hands=((), cards("JK 8H 3H"), ()), phase=Phase.PLAY)
    assert refusal(state, "1 lay JK>0+") == "layoff.no_fit"
    assert refusal(state, "1 lay JK>0-") == ""
    assert refusal(state, "1 lay 8H>0+") == ""


def test_6_carioca_plays_counter_clockwise():
    state = deal_state("carioca", ("", "", ""), upcard="6C", deal=1)
    assert state.round.players == (2, 1, 0)


def test_6_indian_drops_and_wrong_declaration():
    rules = load_rules("indian-13", wild_ranks=["7"])
    sound = "4H 5H 6H 8S 9S JK 2D 2C 2S KH KD KS QC"
    hands = [sound, "AS 3S 5S 7D 9D JD KD 2C 4C 6C 8C TC QC"]
    extras = RoundExtras(drops={0: "first", 1: "middle"})
    assert score_round(hands, rules, extras=extras).points == (20, 40)
    extras = RoundExtras(false_declarations=[1])
    assert score_round(hands, rules, extras=extras).points == (10, 80)


def test_6_rummikub_winner_collects_the_racks():
    rules = load_rules("rummikub")
    score = score_round(["", "K5 JK", "R10 R11"], rules, out=0)
    assert score.points == (35 + 21, -35, -21)


def test_6_gin_a_knocker_shows_the_whole_hand_and_no_card_is_lost():
    state = play(drawn(), "1 knock TD R[4S 5S 6S] S[7H 7D 7C] R[JH QH KH]")
    assert all_cards(state) == list(deck_cards(state.round.rules))
    seen = view(state, 0)
    assert seen.knock.left == cards("2C")
    assert len(seen.unseen()) == len(state.round.stock)
    assert not set(cards("2C")) & set(seen.unseen())
