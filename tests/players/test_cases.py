"""Faults reported against other programs' players, as questions to the advice."""

from __future__ import annotations

import pytest

from solver.cards import counts_of, format_card, parse_card, parse_cards
from solver.engine.moves import Discard, Draw, Knock, Take
from solver.engine.notation import format_move
from solver.engine.state import new_game
from solver.errors import HandError, RulesError
from solver.players.advice import advise
from solver.players.closed import weigh_draws
from solver.players.facts import Facts, view_of
from solver.players.neighbours import Pool
from solver.rules.loader import load_rules
from solver.solve import solve


def ask(hand, game, options=None, **facts):
    rules = load_rules(game, **(options or {}))
    named = ("discard", "taken", "upcard")
    cards = {k: parse_card(v) for k, v in facts.items() if k in named and v is not None}
    return advise(view_of(hand, rules, Facts(**{**facts, **cards})))


def discard_of(advice):
    assert isinstance(advice.move, Discard | Knock)
    return format_card(advice.move.card)


def after(hand, card, rules):
    """Best result of a hand after one known card."""
    pool = Pool.of(counts_of([parse_card(card)]))
    return int(weigh_draws(counts_of(parse_cards(hand)), pool, None, rules).after[0])


# --- C066: a second queen adds nothing to jack and queen ----------------------------------------


@pytest.mark.parametrize("distinct", [True, False])
def test_c066_the_second_queen_goes_where_it_can_make_no_set(distinct):
    # Two packs, sets of different suits: JD QD waits for TD and KD, the second QD for nothing
    # that the first does not. 2C and 9S are no use either way, but cheaper.
    options = {"cards_dealt": 4, "players": 3, "set_distinct_suits": distinct, "set_max": 4}
    advice = ask("JD QD QD 2C 7S", "three-thirteen", options)
    values = {format_card(o.move.card): o.value.exact for o in advice.options}
    if distinct:
        assert values["QD"] == min(values.values())
        assert discard_of(advice) == "QD"
    # Where equal queens may meld, two of them are worth a pair: the jack goes first.
    else:
        assert values["JD"] < values["QD"]


# --- C154: never the wild -----------------------------------------------------------------------


@pytest.mark.parametrize("meld", ["AS AH AC 2S 2H 2C 4S 4H 4C 5S 5H 5C", "AS 2S 3S 4S"])
def test_c154_the_nine_goes_and_the_wild_king_stays(meld):
    # Kings wild, two packs. Thrown by points alone the king (10) would go before the nine.
    advice = ask(f"{meld} KD 9S", "three-thirteen", {"cards_dealt": 13, "players": 3}, ask="play")
    assert discard_of(advice) == "9S"


# --- C159: with what may one knock --------------------------------------------------------------


def test_c159_the_only_knocks():
    advice = ask("AC AD AS 4C 5C 6C 7C 8C 9C TH 4H", "gin")
    knocks = {format_card(o.move.card): o.leaves for o in advice.options if o.ends}
    assert knocks == {"TH": 4, "4H": 10}
    assert isinstance(advice.move, Knock)
    leaves = {format_card(o.move.card): o.leaves for o in advice.options if not o.ends}
    told = {"4C": 14, "9C": 14, "AC": 16, "AD": 16, "AS": 16, "5C": 18, "6C": 23, "8C": 23}
    assert leaves == {**told, "7C": 31, "TH": 4, "4H": 10}


# --- C161, C162: saved games of Five Crowns -----------------------------------------------------


def test_c161_a_wild_four_ends_the_round():
    rules = load_rules("five-crowns", cards_dealt=4)
    assert solve("9C 5C 9D 9H", rules).penalty == 5
    assert solve("5* 8D 7* 8*", rules).penalty == 28
    advice = ask("9C 5C 9D 9H 4H", "five-crowns", {"cards_dealt": 4})
    assert format_move(advice.move) == "0 out 5C"


def test_c162_equal_draws_and_no_leak_of_the_stock_card():
    rules = load_rules("five-crowns", cards_dealt=5)
    hand = "9C 8H 9D 9H JH"
    assert solve("4H 7H 8D 9H QH", rules).penalty == 40
    assert solve(hand, rules).penalty == 19
    assert (after(hand, "5H", rules), after(hand, "9*", rules)) == (8, 8)
    assert discard_of(ask(hand + " 5H", "five-crowns", {"cards_dealt": 5})) == "JH"
    # What is said of the draw is the mean over all unseen cards, not what the next one does;
    # the reported program said that the stock was as good, since it had looked.
    advice = ask(hand, "five-crowns", {"cards_dealt": 5}, discard="9*")
    by_kind = {type(o.move): o.value for o in advice.options}
    assert by_kind[Take].exact == 8
    assert by_kind[Draw].of == 116 - 5 - 1
    assert by_kind[Draw].exact > 8
    assert isinstance(advice.move, Take)


# --- others that ask for a decision -------------------------------------------------------------


def test_c006_gin_and_big_gin():
    hand = "5H 6H 7H 8H 9H KC KD KS 2C 2D 2H"
    plain = ask(hand, "gin")
    assert plain.value.exact == 0
    assert discard_of(plain) in {"5H", "9H"}
    assert "gin" in plain.reason
    big = ask(hand, "gin", {"big_gin_bonus": 31})
    assert format_move(big.move).startswith("0 knock - ")


def test_c009_the_best_discard_of_eleven():
    advice = ask("4S 4C 4D 4H 5S 5C 5D 6S 2C 3S 3C", "gin")
    assert (discard_of(advice), advice.options[0].leaves) == ("6S", 3)


def test_c104_the_card_just_taken():
    gin = ask("8C KD QS 2H 5D 9C JH 3S 7D 6C TH", "gin", taken="8C")
    assert parse_card("8C") not in {o.move.card for o in gin.options}
    crowns = ask("8C KD QS 2H", "three-thirteen", {"cards_dealt": 3}, taken="8C")
    assert parse_card("8C") in {o.move.card for o in crowns.options}


def test_c127_all_fourteen_discards_in_one_answer():
    hand = "AS KS QS 2H 3H JK 5C 5D 5S 5H TD 9D JD 8C"
    advice = ask(hand, "indian-13", {"players": 2}, ask="play")
    assert {o.move.card for o in advice.options if not o.ends} == set(parse_cards(hand))


def test_c151_no_discard_to_take():
    # The pile is empty: only the stock is left, and nothing fails.
    advice = ask("5S 5H 9D", "three-thirteen", {"cards_dealt": 3})
    assert [format_move(o.move) for o in advice.options] == ["0 draw"]


# --- the card just taken, when it is all that could be thrown -------------------------------------


def at_table(hand, taken):
    """Liverpool, third deal: seat 0, who asks, and seat 1 are down with runs."""
    table = ["R[9C TC JC QC]", "R[5S 6S 7S 8S]", "R[3D 4D JK=5D 6D 7D]", "R[5H 6H 7H 2C=8H 9H]"]
    facts = {"ask": "play", "table": table, "owners": [0, 0, 1, 1], "taken": taken}
    return ask(hand, "liverpool", {"deal": 3, "players": 3}, **facts)


def test_the_last_card_was_taken_and_must_be_laid_off():
    # It may not go back, so it is laid and the player floats: the deal goes on.
    advice = at_table("8D", "8D")
    assert format_move(advice.move) == "0 lay 8D>2+"
    assert (advice.options[0].leaves, advice.options[0].ends) == (0, False)


def test_another_card_is_kept_to_throw():
    # Both fit. The eight may not go back: it is laid, the ten goes and ends the deal.
    advice = at_table("8D TH", "8D")
    assert format_move(advice.move) == "0 lay 8D>2+"
    assert (advice.options[0].leaves, advice.options[0].ends) == (0, True)
    # Without the bar either may stay for the discard.
    assert at_table("8D TH", None).options[0].leaves == 0


# --- questions that a game or a position does not ask ---------------------------------------------


@pytest.mark.parametrize(
    ("game", "options", "hand", "facts", "code"),
    [
        ("three-thirteen", {"cards_dealt": 3}, "5S 6S 7D", {"ask": "rummy"}, "advice.rummy"),
        ("three-thirteen", {"cards_dealt": 3}, "5S 6S 7D", {"ask": "defend"}, "advice.knock"),
        ("three-thirteen", {"cards_dealt": 3}, "5S 6S 7D", {"ask": "buy"}, "advice.buy"),
        ("three-thirteen", {"cards_dealt": 3}, "5S 6S 7D", {"ask": "wall"}, "advice.ask"),
        ("five-crowns", {"cards_dealt": 3}, "5S 6S 7D", {"ask": "upcard"}, "advice.ask"),
        ("gin", {}, "5S 5H 5D 6S 7S KC QD 2H 9C 4C", {"ask": "defend"}, "advice.knock"),
        ("liverpool", {"deal": 1}, "KH 8S 9S 3D", {"ask": "rummy"}, "advice.discard"),
        ("liverpool", {"deal": 1}, "KH 8S 9S", {"ask": "buy"}, "advice.discard"),
    ],
)
def test_a_question_nobody_asks_is_refused(game, options, hand, facts, code):
    with pytest.raises(HandError) as error:
        ask(hand, game, options, **facts)
    assert error.value.code == code


def test_a_call_needs_a_card_that_fits_the_table():
    facts = {"ask": "rummy", "table": ["S[QS QD QC]"]}
    with pytest.raises(HandError, match="fits a meld on the table, got 8H"):
        ask("KH 8S 9S 3D", "liverpool", {"deal": 1}, discard="8H", **facts)
    called = ask("KH 8S 9S 3D", "liverpool", {"deal": 1}, discard="QH", **facts)
    assert format_move(called.move) == "0 rummy"


def test_a_game_without_a_referee_gets_no_advice():
    with pytest.raises(RulesError) as error:
        ask("7S 7H 7D", "rummikub", ask="play")
    assert error.value.code == "game.referee"
    with pytest.raises(RulesError) as error:
        new_game(load_rules("rummikub"), 2)
    assert error.value.code == "game.referee"
