"""Rule book 3 and 4: Five Crowns, Deuces Aren't Wild."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solver.cards import JOKER, format_card, parse_cards
from solver.engine.dealing import chance_move, deck_cards
from solver.engine.moves import Deal
from solver.engine.referee import apply
from solver.engine.scoring import score_round
from solver.engine.selfplay import SimplePlayer, play_game
from solver.engine.state import Phase, new_game
from solver.errors import RulesError
from solver.rules.loader import load_rules
from tests.engine.helpers import deal_state, play, refusal


def test_3_pack_of_116_cards():
    deck = deck_cards(new_game(load_rules("five-crowns"), 4).round.rules)
    assert len(deck) == 116
    assert deck.count(JOKER) == 6
    assert {c % 13 for c in deck if c != JOKER} == set(range(2, 13))
    assert {c // 13 for c in deck if c != JOKER} == set(range(5))


def test_3_one_to_seven_players():
    assert new_game(load_rules("five-crowns"), 1).n_players == 1
    with pytest.raises(RulesError):
        new_game(load_rules("five-crowns"), 8)


def test_3_eleven_rounds_and_the_rank_dealt_is_wild():
    dealt = []

    def watch(state, move):
        if isinstance(move, Deal):
            dealt.append((state.round.rules.n_dealt, sorted(state.round.rules.meld.wild_ranks)))

    rules = load_rules("five-crowns", max_turns_per_round=1)
    play_game(rules, [SimplePlayer()] * 2, 1, watch=watch)
    assert dealt == [(n, [n - 1]) for n in range(3, 14)]


@pytest.mark.parametrize(
    ("n", "hand", "penalty"),
    [
        (3, "3S JK 8H", 0),
        (3, "3S 4H 9D", 33),
        (4, "5* 6* 7* 6H", 6),
        (6, "Q* K* 3* 4* 6S 8S", 15),
        (3, "JK TH JD", 71),
        (3, "JK JK JK", 0),
        (4, "JS QD KC 5H", 41),
    ],
)
def test_3_points_and_melds(n, hand, penalty):
    rules = load_rules("five-crowns", cards_dealt=n)
    assert score_round([hand], rules).players[0].penalty == penalty


def test_3_one_last_turn_and_no_playing_on_others():
    state = deal_state(
        "five-crowns",
        ["5S 6S 7S", "8H 8D TC", "JH KD QC"],
        upcard="4D",
        stock="KH 9S 9C",
        cards_dealt=3,
    )
    state = play(state, "1 draw", "1 out KH", "2 draw")
    assert refusal(state, "2 lay 9S>0+") == "layoff.off"
    state = play(state, "2 discard 9S", "0 draw", "0 discard 9C")
    assert state.points == ((36, 0, 26),)


def test_3_the_discard_of_going_out_may_fit_a_meld():
    state = deal_state(
        "five-crowns", ["5S 6S 7S", "8H 8D TC"], upcard="4D", stock="8S", cards_dealt=3
    )
    assert refusal(play(state, "1 draw"), "1 out 8S") == ""


def test_4_two_or_three_players_one_pack_and_two_jokers():
    deck = deck_cards(new_game(load_rules("deuces-arent-wild"), 3).round.rules)
    assert len(deck) == 54
    assert deck.count(JOKER) == 2
    for n_players in (1, 4):
        with pytest.raises(RulesError):
            new_game(load_rules("deuces-arent-wild"), n_players)


def test_4_twelve_rounds_the_last_with_aces_wild():
    dealt = []

    def watch(state, move):
        if isinstance(move, Deal):
            dealt.append((state.round.rules.n_dealt, sorted(state.round.rules.meld.wild_ranks)))

    rules = load_rules("deuces-arent-wild", max_turns_per_round=1, tie_break="shared")
    play_game(rules, [SimplePlayer()] * 3, 1, watch=watch)
    assert dealt == [(n, [n - 1]) for n in range(3, 14)] + [(14, [0])]


def test_4_deuces_are_ordinary_and_a_joker_left_costs_20():
    rules = load_rules("deuces-arent-wild", cards_dealt=3)
    assert score_round(["2S 2H 4D", "5C 9C KC"], rules).players[0].penalty == 8
    assert score_round(["JK 9H KD", "5C 9C KC"], rules).players[0].penalty == 39


def test_4_a_wild_ace_left_costs_one():
    rules = load_rules("deuces-arent-wild", cards_dealt=14)
    hand = "AS 2H 4D 6C 8S TH QD 3C 5C 7H 9S JH KD KS"
    # The best meld of one wild: three kings would be 20; the ace joins the two kings.
    other = "2S 3S 4S 5S 6S 7S 9C TC JC QC KC 2D 3D 4C"
    assert (
        score_round([hand, other], rules).players[0].penalty
        == 2 + 4 + 6 + 8 + 10 + 10 + 3 + 5 + 7 + 9 + 10
    )


def level(totals):
    """The twelfth round just before seat 0 ends it, so that these totals come out."""
    state = deal_state(
        "deuces-arent-wild",
        ["2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS 2H 4D", "", ""],
        upcard="2D",
        stock="KH",
        n_seats=3,
        cards_dealt=14,
        max_turns_per_round=1,
    )
    return replace(state, totals=totals)


def finish(state):
    """Play the round to its end by the guard of one turn each; what is drawn is thrown."""
    number = state.round_no
    while state.round_no == number and not state.is_over:
        seat = state.actor
        card = state.round.stock[0]
        state = play(state, f"{seat} draw")
        state = play(state, f"{seat} discard {format_card(card)}")
    return state


def tie_of(*seats):
    """A game whose twelve rounds leave these seats level at the lowest total."""
    state = level((0, 0, 0))
    points = finish(state).points[-1]
    totals = tuple(500 - points[s] if s in seats else 900 for s in range(3))
    return finish(level(totals))


def test_4_bonus_round_of_the_tied_players_only():
    state = tie_of(0, 2)
    assert not state.is_over
    assert state.n_bonus == 1
    assert set(state.round.players) == {0, 2}
    assert (state.round.rules.n_dealt, sorted(state.round.rules.meld.wild_ranks)) == (14, [0])
    assert state.totals[0] == state.totals[2] == 500


def test_4_the_deal_keeps_passing_left_among_the_participants():
    state = tie_of(0, 2)  # seat 0 dealt the twelfth round; seat 1 sits out
    assert state.round.dealer == 2
    assert state.round.players == (0, 2)


def deal_bonus(state):
    return apply(state, chance_move(state, 8))


def test_4_lowest_score_of_the_bonus_round_wins_and_totals_stay():
    state = finish(deal_bonus(tie_of(0, 2)))
    points = state.points[-1]
    assert points[1] == 0  # absent
    assert points[0] != points[2]
    assert state.winners == ((0,) if points[0] < points[2] else (2,))
    assert state.totals[0] == state.totals[2] == 500


def test_4_bonus_rounds_end_with_a_shared_win_after_the_third():
    state = tie_of(0, 2)
    assert state.rules.flow.bonus_max == 3
    # Both hold no card that differs in points: the bonus round is level again.
    level_hands = state.round.to(
        phase=Phase.DRAW,
        actor=0,
        turn=0,
        hands=((), (), ()),
        stock=tuple(parse_cards("2S 2H")),
        discards=(),
        n_turns=0,
    )
    third = finish(replace(state, round=level_hands, n_bonus=3))
    assert third.points[-1] == (0, 0, 0)
    assert third.winners == (0, 2)
    second = finish(replace(state, round=level_hands, n_bonus=2))
    assert second.winners is None
    assert second.n_bonus == 3


def test_4_no_bonus_round_without_a_tie():
    state = tie_of(1)
    assert state.winners == (1,)
