"""Advice with melds on the table: lay-offs to come, going down, swaps, buying, calls."""

from __future__ import annotations

import random

import numpy as np
import pytest

from solver.cards import cards_of, counts_of, parse_card, parse_cards
from solver.engine.moves import Buy, Discard, GoDown, Pass, Rummy
from solver.engine.notation import format_move
from solver.engine.state import with_players
from solver.players.advice import advise
from solver.players.facts import Facts, view_of
from solver.players.laying import after_layoffs
from solver.rules.loader import load_rules
from solver.table import read_table
from tests.fixtures.read import rows
from tests.oracles import brute_table

RULES = with_players(load_rules("liverpool", deal=1), 3)
TABLES = (
    ["S[KS KH KD]", "R[4S 5S 6S 7S]"],
    ["S[8S 8H JK=8]", "R[4H 5H JK=6H 7H]", "R[TD JD QD KD]"],
    ["R[AS 2H=2S 3S 4S]", "S[9C 9D 9H]"],
    ["R[JH QH KH AH]", "R[5C 6C 7C 8C]"],
)


def words(advice):
    return format_move(advice.move).partition(" ")[2]


def ask(hand, *, rules=RULES, **facts):
    return advise(view_of(hand, rules, Facts(**facts)))


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t[0])
def test_points_after_every_draw_by_every_layoff_and_discard(table):
    # Every card of the deck is drawn, every discard thrown, every order of lay-offs tried.
    rng = random.Random(table[0])
    lying = [melds[0] for melds in read_table(table, RULES)]
    brute = [brute_table.table_meld(text, RULES) for text in table]
    on_table = [c for m in lying for c in m.meld.cards]
    deck = [c for c in range(52)] * 2 + [65] * 4
    for n in (1, 2, 3):
        hand = sorted(rng.sample([c for c in deck if c not in on_table], n))
        cards = np.array([c for c in range(52)] + [65])
        found = after_layoffs(hand, cards, lying, [], RULES)
        for card, value in zip(cards.tolist(), found.tolist(), strict=True):
            held = [*hand, card]
            wanted = min(
                brute_table.least_left(held[:i] + held[i + 1 :], brute, RULES)
                for i in range(len(held))
            )
            assert value == wanted, (table, hand, card)


@pytest.mark.parametrize(
    "row",
    list(rows("rulebook_layoffs", lambda row: row["preset"] == "liverpool")),
    ids=lambda row: row["id"],
)
def test_rule_book_layoffs_with_the_discard_after_them(row):
    rules = with_players(load_rules(row["preset"], **{"deal": 1, **row["options"]}), 3)
    table = [brute_table.table_meld(text, rules) for text in row["table"]]
    hand = parse_cards(row["hand"])
    advice = ask(row["hand"], rules=rules, ask="play", table=row["table"], down=[0])
    wanted = min(
        brute_table.least_left(hand[:i] + hand[i + 1 :], table, rules) for i in range(len(hand))
    )
    assert advice.value.exact == wanted
    assert wanted <= row["left"]


def test_a_card_that_ends_a_chain_is_laid_first():
    # 8S then 9S on the run, the king on its set: one card must stay for the discard, 3D.
    advice = ask("KH 8S 9S 3D", ask="play", table=TABLES[0], down=[0])
    assert words(advice) == "lay 8S>1+"
    assert (advice.value.total, advice.options[0].ends) == (0, True)


def test_going_down_with_a_swap_that_completes_the_contract():
    # Rule book 9.6, W1: the natural six of hearts frees the joker for the nines; 45 are left
    # before the discard, 30 after it.
    advice = ask("9S 9C KD AC 6H QS QD QC 4D 3C JS", table=["R[4H 5H JK=6H 7H]"], owners=[1])
    assert words(advice) == "down S[9S 9C JK=9] S[QS QD QC] swap 6H<0.2"
    assert advice.options[0].leaves == 30
    assert [a.kind for a in advice.options[0].plan.actions] == ["swap", "meld", "meld"]


def test_no_swap_of_ones_own_wild():
    # The same table, but the run is the player's own: no swap, so no contract (W1 again).
    advice = ask(
        "9S 9C KD AC 6H QS QD QC 4D 3C JS",
        table=["R[4H 5H JK=6H 7H]"],
        owners=[2],
        down=[2],
    )
    assert isinstance(advice.move, GoDown)
    rules = load_rules("liverpool", deal=1, swap_timing="off")
    without = ask("9S 9C KD AC 6H QS QD QC 4D 3C JS", rules=rules, table=["R[4H 5H JK=6H 7H]"])
    assert isinstance(without.move, Discard)


def test_a_discard_that_fits_the_table_is_called_and_comes_last():
    # 8S fits the run; thrown, it would come back with a card of the stock.
    advice = ask("8S 4D 9C JC QS 3H", ask="play", table=TABLES[0])
    called = [o for o in advice.options if o.called]
    assert [o.move.card for o in called] == [parse_card("8S")]
    assert advice.options[-1] is called[0]
    held = 5 + 5 + 5 + 10 + 10 + 5
    assert called[0].value.exact > held


def test_calls_are_off_where_the_rules_say_so():
    rules = load_rules("liverpool", deal=1, rummy_mode="off")
    advice = ask("8S 4D 9C JC QS 3H", rules=rules, ask="play", table=TABLES[0])
    assert not any(o.called for o in advice.options)


def test_a_card_that_brings_the_contract_nearer_is_bought():
    # Two sets: sevens stand, a pair of kings wants the third.
    hand = "7S 7H 7D KD KC 4H 9C AS 5D 3C"
    buying = ask(hand, ask="buy", discard=parse_card("KH"))
    assert isinstance(buying.move, Buy)
    assert [o.missing.total for o in buying.options] == [0, 1]
    # 4 + 9 + A + 5 + 3 = 35 points stay, and the card of the stock comes to them unless it
    # joins sevens or kings or is wild; passing holds all ten cards.
    assert buying.options[1].value.total == 15 + 20 + 5 + 5 + 15 + 5 + 5
    assert 35 <= buying.value.value < 45


def test_a_useless_card_is_not_bought():
    passing = ask("7S 7H 7D KD KC 4H 9C AS 5D 3C", ask="buy", discard=parse_card("QH"))
    assert isinstance(passing.move, Pass)


def test_nothing_is_bought_by_a_player_who_is_down():
    passing = ask("4H 9C", ask="buy", discard=parse_card("QH"), down=[0], table=TABLES[0])
    assert isinstance(passing.move, Pass)
    assert passing.value.total == 5 + 5


def test_rummy_is_called():
    advice = ask("4H 9C", ask="rummy", discard=parse_card("8S"), table=TABLES[0])
    assert isinstance(advice.move, Rummy)


def test_the_last_deal_is_laid_all_at_once_or_not_at_all():
    # Rule book 9.4, C19 and C20.
    rules = load_rules("liverpool", deal=7)
    out = ask("3S 4S 5S 6S 7S 8H 9H TH 2C JD QD KD AD", rules=rules)
    assert isinstance(out.move, GoDown)
    assert (out.value.total, out.options[0].ends) == (0, True)
    stays = ask("3S 4S 5S 6S 9D 8H 9H TH 2C JD QD KD AD", rules=rules)
    assert words(stays) == "discard 9D"
    assert (stays.options[0].missing.total, stays.options[0].leaves) == (0, 90)


def test_the_last_card_ends_the_deal():
    advice = ask("3D", ask="play", table=TABLES[0], down=[0])
    assert words(advice) == "discard 3D"
    assert advice.options[0].ends
    assert "ends the deal" in advice.reason


def test_a_floater_lays_the_card_that_fits():
    advice = ask("8S", ask="play", table=TABLES[0], down=[0], is_floating=True)
    assert words(advice) == "lay 8S>1+"


def test_hand_sizes_survive_the_plan():
    advice = ask("7S 7H 2C KD KC KS 4H 9C AS 5D TD")
    move = advice.move
    assert isinstance(move, GoDown)
    laid = [c for m in move.melds for c in m.cards] + [x.card for x in move.layoffs]
    rest = counts_of(parse_cards("7S 7H 2C KD KC KS 4H 9C AS 5D TD"))
    rest[laid] -= 1
    assert len(cards_of(rest)) == 5
    # Rule book 9.4, C1: 40 points are left, of which the ace (15) is thrown.
    assert advice.options[0].leaves == 25
