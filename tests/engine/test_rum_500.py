"""500 Rum (rule book 6): what a player laid counts for, on whatever meld it lies, the hand against.

An ace counts 15, or 1 below a two; courts 10; other cards their pips.
"""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from service.app import create_app
from service.config import ServiceConfig
from solver.cards import parse_cards
from solver.cli import main
from solver.cli.lazy import load
from solver.engine.dealing import chance_move
from solver.engine.ending import round_facts
from solver.engine.facts import RoundFacts, SeatFacts
from solver.engine.moves import CHANCE, GoDown, LayOff
from solver.engine.notation import parse_melds
from solver.engine.referee import apply
from solver.engine.scoring import RoundExtras, price_round, score_round
from solver.engine.selfplay import SimplePlayer, play_game
from solver.engine.state import new_game
from solver.engine.tabling import TableMeld, take_wild
from solver.errors import HandError, MeldSolverError
from solver.rules.loader import load_rules
from tests.engine.helpers import cards, deal_state, play, with_round

load("solver.cli.score:score_command")
RUM = load_rules("rum-500")
HANDS = ["7D QD TC", "KS KH 2D TD 3C"]


def points_of(hands, laid, rules=RUM, **facts):
    return score_round(hands, rules, extras=RoundExtras(laid=laid), **facts).points


# --- in play ------------------------------------------------------------------------------------


def test_a_card_laid_off_counts_for_who_lays_it():
    state = deal_state("rum-500", ("", ""), upcard="4H", n_seats=2)
    state = with_round(
        play(state, "1 draw"),
        actor=0,
        turn=0,
        hands=(cards("7D QD TC 9S 9H 9D 5C"), cards(HANDS[1])),
        table=(TableMeld(1, parse_melds("S[5S 5H 5D]")[0]),),
        down=frozenset({1}),
    )
    state = play(state, "0 down S[9S 9H 9D]", "0 lay 5C>0")
    assert state.round.hands == tuple(map(cards, HANDS))
    score = price_round(round_facts(state.round), state.round.rules)
    # 9+9+9+5 less 7+10+10; 5+5+5 less 10+10+2+10+3.
    assert score.points == (5, -20)
    assert [player.note for player in score.players] == ["laid 32", "laid 15"]


def values_by_hand(move, table):
    """What the cards of a move are worth, told from the texts of the melds alone."""
    worth = {c: min(10, "A23456789TJQK".index(c) + 1) for c in "23456789TJQK"}

    def of(token, meld):
        if token[0] != "A":
            return worth[token[0]]
        run = meld.startswith("R")
        return 1 if run and not meld.endswith(f"{token}]") else 15

    if isinstance(move, LayOff):
        token = next(t for t in tokens(table[move.meld]) if parse_cards(t)[0] == move.card)
        return of(token, table[move.meld])
    return sum(of(t, m.text()) for m in move.melds for t in tokens(m.text()))


def tokens(meld):
    return meld[2:-1].split()


@pytest.mark.parametrize("seed", range(6))
def test_points_of_played_rounds_are_the_cards_that_each_player_laid(seed):
    rules = load_rules("rum-500", end_score=60, players=3)
    record = play_game(rules, [SimplePlayer()] * 3, seed)
    state = new_game(rules, 3, first_dealer=record.first_dealer)
    n_others = 0
    for played in record.rounds:
        laid = [0, 0, 0]
        for move in played.moves:
            while state.actor == CHANCE:
                state = apply(state, chance_move(state, record.seed))
            before = state.round
            state = apply(state, move)
            table = [lying.meld.text() for lying in state.round.table]
            if isinstance(move, GoDown):
                laid[move.seat] += values_by_hand(move, table)
            if isinstance(move, LayOff):
                n_others += before.table[move.meld].owner != move.seat
                if state.round is not before and not same_table(before, state.round):
                    # The last card ended the round: the melds are those of its facts.
                    owned = [m.text() for s in state.history[-1][0].seats for m in s.melds]
                    text = next(t for t in owned if grew(t, before.table[move.meld], move.card))
                    table = [text] * (move.meld + 1)
                laid[move.seat] += values_by_hand(move, table)
        facts, _ = state.history[-1]
        held = [sum(rules.meld.points[c] for c in seat.hand) for seat in facts.seats]
        expected = [a - b for a, b in zip(laid, held, strict=True)]
        assert list(state.points[-1]) == expected
    assert seed or n_others, "expected lay-offs on melds of others"


def same_table(before, now):
    """Whether the table is still that of the round: a new one has none."""
    return len(now.table) >= len(before.table)


def grew(text, before, card):
    """Whether a text is a meld with one card more."""
    return sorted(c for t in tokens(text) for c in parse_cards(t)) == sorted(
        [*before.meld.cards, card]
    )


def test_a_natural_given_for_a_wild_counts_for_who_gives_it():
    rules = load_rules(
        "rum-500", jokers_per_pack=2, swap_timing="with_contract", swap_runs_only=False
    )
    lying = TableMeld(1, parse_melds("R[4H 5H JK=6H 7H]")[0])
    after, wild = take_wild(lying, cards("6H")[0], 2, rules, seat=0)
    assert (after.layers(), wild) == ((1, 1, 0, 1), cards("JK")[0])
    lying = TableMeld(1, parse_melds("S[4S 4H JK=4]")[0])
    after, _ = take_wild(lying, cards("4D")[0], 2, rules, seat=0)
    assert (after.meld.text(), after.layers()) == ("S[4S 4H 4D]", (1, 1, 0))
    lying = TableMeld(1, parse_melds("S[4S 4D JK=4]")[0])
    after, _ = take_wild(lying, cards("4H")[0], 2, rules, seat=0)
    assert (after.meld.text(), after.layers()) == ("S[4S 4H 4D]", (1, 0, 1))


# --- documents ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("laid", "points"),
    [
        ([["9S 9H 9D", "5C"], ["5S 5H 5D"]], (5, -20)),
        ([["S[9S 9H 9D]", "5C>1"], ["S[5S 5H 5D]"]], (5, -20)),
        ([["9S 9H 9D"], ["5S 5H 5D", "5C"]], (0, -15)),
        ([["9S 9H 9D"], ["5S 5H 5D 5C"]], (0, -15)),
        ([[], []], (-27, -35)),
        ([["2H 3H 4H", "AH"], []], (-27 + 10, -35)),  # the ace is low: 1
        ([["JH QH KH".replace("KH", "TH")], ["9H 8H"]], (-27 + 30, -35 + 17)),
        ([["JC QC KC"], ["AC"]], (-27 + 30, -35 + 15)),
        ([["AS AH AD"], ["AC"]], (-27 + 45, -35 + 15)),
        ([["AS 2S 3S"], ["4S", "6S 5S"]], (-27 + 6, -35 + 15)),  # in whatever order
    ],
)
def test_a_document_tells_what_was_laid(laid, points):
    assert points_of(HANDS, laid) == points


def test_shown_fifteen_and_held_forty():
    assert points_of(["KS KH KD TC", "2S"], [["4S 5S 6S"], []])[0] == -25


@pytest.mark.parametrize(
    ("laid", "code", "where", "words"),
    [
        (None, "round.laid", "/laid", "expected laid"),
        ([["9S 9H 9D"]], "round.seats", "/laid", "2 entries"),
        ([["9S 9H 9D", "5C"], []], "round.laid", "/laid/0/1", "5C"),
        ([["9S 9H 9D", "5C>3"], ["5S 5H 5D"]], "round.laid", "/laid/0/1", "5C"),
        ([["9S 9H 8D"], []], "meld.mixed_suits", "/laid/0/0", "one suit"),
        ([["2C 3C 4C", "JC QC KC"], ["AC"]], "round.laid", "/laid/1/0", "R[AC 2C 3C 4C]"),
        ([["5C"] * 121, []], "round.laid", "/laid", "120"),
        ([["9S 9H 9X"], []], "card.unknown", "/laid/0/0", "9X"),
        ([["QD QS QH"], []], "hand.copies", "/hands/0", "QD"),  # QD is held too
        ([["9S 9H 9D"], ["9S TS JS"]], "hand.copies", "/laid", "9S"),
    ],
)
def test_what_cannot_have_been_laid_is_refused(laid, code, where, words):
    with pytest.raises(MeldSolverError) as caught:
        score_round(HANDS, load_rules("rum-500", players=2), extras=RoundExtras(laid=laid))
    fault = caught.value.faults[0]
    assert fault.code == code
    assert fault.where.startswith(where)
    assert words in fault.message


def test_other_games_refuse_what_they_do_not_score():
    with pytest.raises(HandError) as caught:
        points_of(["5S 5H 5D", "3S 9D QH"], [[], []], load_rules("three-thirteen", cards_dealt=3))
    assert [(f.code, f.where) for f in caught.value.faults] == [("round.unused_field", "/laid")]


def test_several_places_that_count_alike_are_no_question():
    # The six fits below sevens of either meld: worth six wherever it lies.
    laid = [["7H 8H 9H", "6S 6C 6D"], ["6H"]]
    assert points_of(["2S", "3S"], laid) == (24 + 18 - 2, 6 - 3)


def test_many_cards_laid_off_are_placed_in_whatever_order_they_are_told():
    low = [f"{r}{s}" for r in "AKQJT9876" for s in "SH"]  # on runs of fours to twos
    laid = [["2S 3S 4S 5S", "2H 3H 4H 5H"], [*low[2:], "AS>0-", "AH>1-"]]
    worth = 2 * (10 * 4 + 9 + 8 + 7 + 6) + 2
    assert points_of(["", "2C"], laid) == (2 * 14, worth - 2)


def test_command_and_route_take_what_was_laid():
    document = {"rules": "rum-500", "hands": HANDS, "laid": [["9S 9H 9D", "5C"], ["5S 5H 5D"]]}
    result = CliRunner().invoke(main, ("score", "-", "--json"), input=json.dumps(document))
    assert [p["points"] for p in json.loads(result.stdout)["players"]] == [5, -20]
    client = create_app(ServiceConfig(warm_up="off")).test_client()
    answer = client.post("/v1/score", json=document)
    assert [p["points"] for p in answer.get_json()["players"]] == [5, -20]
    del document["laid"]
    answer = client.post("/v1/score", json=document)
    assert answer.status_code == 422
    assert answer.get_json()["errors"][0]["code"] == "round.laid"
    result = CliRunner().invoke(main, ("score", "-"), input=json.dumps(document))
    assert (result.exit_code, "round.laid" in result.output) == (1, True)
    document["laid"] = [[1], "x"]
    assert client.post("/v1/score", json=document).status_code == 422
    result = CliRunner().invoke(main, ("score", "-"), input=json.dumps(document))
    assert (result.exit_code, "round.type" in result.output) == (1, True)


def test_a_game_that_does_not_tell_what_was_laid_is_not_priced():
    facts = RoundFacts(
        (SeatFacts(hand=cards("2S")), SeatFacts(hand=cards("3S"))), None, "exhausted"
    )
    with pytest.raises(HandError) as caught:
        price_round(facts, RUM)
    assert caught.value.code == "round.laid"
