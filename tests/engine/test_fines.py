"""Fines (rule book 5.6 and 1.5.6): a false meld is fined, anything else that is wrong refused.

A meld is false when no reading of its cards is what the player has to lay. The judge of loose
cards says so independently here: it knows no notation, no swaps and no lay-offs.
"""

from __future__ import annotations

import hashlib
import json
import random

import pytest
from click.testing import CliRunner

from service.app import create_app
from solver.cards import format_card, format_hand
from solver.cli import main
from solver.cli.lazy import load
from solver.engine.notation import format_move, parse_melds, parse_move
from solver.engine.record import read_record
from solver.engine.referee import apply, check_move, fine_for
from solver.engine.replay import make_record, replay
from solver.engine.scoring import price_round
from solver.engine.state import new_game
from solver.errors import HandError, IllegalMoveError
from solver.melds import check_contract
from solver.rules.loader import load_rules
from tests.engine.helpers import cards, deal_state, play, refusal, with_round, with_table

load("solver.cli.replay:replay_command")  # some library draws from the global generator on import
load("solver.cli.play:play_command")

SEVENTH = "4S 5S 6S 7S 8S 9H TH JH QH AD 2D 3D"


def begun(hand, *, stock, deal, table=(), **options):
    """Seat 1 of three has drawn the top of the stock; melds may lie on the table."""
    state = deal_state("liverpool", (hand, "", ""), upcard="6C", stock=stock, deal=deal, **options)
    if table:
        state = with_table(state, *table)
    return play(state, "1 pass", "2 pass", "0 pass", "1 draw")


def is_fined(state, text):
    """Whether the referee takes the move only to fine it; a refused move raises."""
    move = parse_move(text)
    check_move(state, move)
    return fine_for(state, move) is not None


# --- wilds whose place is clear -------------------------------------------------------------


def test_a_wild_whose_place_is_clear_needs_no_reading():
    state = begun(SEVENTH, stock="4D", deal=7)
    state = play(state, "1 down R[4S 5S 6S 7S 8S] R[9H TH JH QH] R[AD 2D 3D 4D]")
    facts, _ = state.history[-1]
    assert (facts.out, facts.seats[1].hand, facts.seats[1].fines) == (1, (), ())
    assert state.points[-1][1] == 0


@pytest.mark.parametrize(
    ("written", "lies"),
    [
        ("R[4H 5H JK 7H]", "R[4H 5H JK=6H 7H]"),  # between two cards
        ("R[JK 5H 6H 7H]", "R[JK=4H 5H 6H 7H]"),  # below
        ("R[5H 6H 7H JK]", "R[5H 6H 7H JK=8H]"),  # above
        ("R[AH 2C 3H 4H]", "R[AH 2C=2H 3H 4H]"),
        ("R[AH 2H 3H 4H]", "R[AH 2H 3H 4H]"),  # on its own place it is written as itself
        ("R[JK QH KH AH]", "R[JK=JH QH KH AH]"),
        ("R[4H 7H JK 5H]", "R[4H 5H JK=6H 7H]"),  # out of order, but only one place is left
        ("R[4H JK 6H 7H 2D]", "R[4H JK=5H 6H 7H 2D=8H]"),
        ("R[4H JK=5H 6H 7H 2D]", "R[4H JK=5H 6H 7H 2D=8H]"),
    ],
)
def test_the_place_written_is_the_place_taken(written, lies):
    held = " ".join(format_card(card) for card in parse_melds(written)[0].cards)
    state = begun(f"{held} QS QD QC 9C 9D", stock="3C", deal=2)
    state = with_hand(state, f"{held} QS QD QC 9C 9D")
    after = play(state, f"1 down S[QS QD QC] {written}")
    assert after.round.fines == ()
    assert after.round.table[1].meld.text() == lies


def with_hand(state, hand):
    """The state with seat 1 holding just these cards."""
    return with_round(state, hands=((), cards(hand), ()))


def test_several_places_are_listed_and_cost_nothing():
    state = begun("4H 5H 6H JK QS QD QC 9C 9D 3S", stock="3C", deal=2)
    with pytest.raises(IllegalMoveError) as caught:
        check_move(state, parse_move("1 down S[QS QD QC] R[6H 5H 4H JK]"))
    assert caught.value.code == "meld.readings"
    for reading in ("R[JK=3H 4H 5H 6H]", "R[4H 5H 6H JK=7H]"):
        assert reading in str(caught.value)


def test_places_of_melds_do_not_matter_when_laying_them_ends_the_deal():
    state = begun("4S 5S 6S 7S 9H TH JH QH 3D 4D 5D JK", stock="8S", deal=7)
    after = play(state, "1 down R[4S 5S 6S 7S 8S] R[9H TH JH QH] R[5D 4D 3D JK]")
    assert after.history[-1][0].out == 1


def test_a_lay_off_can_tell_the_place_of_a_wild():
    state = begun("4H 5H 6H JK QS QD QC 3H 9D 9C", stock="3C", deal=2)
    after = play(state, "1 down S[QS QD QC] R[6H 5H 4H JK] lay 3H>1-")
    assert after.round.table[1].meld.text() == "R[3H 4H 5H 6H JK=7H]"


def test_a_wild_in_a_set_needs_no_reading():
    state = begun("7S 7H 2C KD KC KS 4H 9C AS 5D", stock="TD", deal=1)
    after = play(state, "1 down S[7S 7H 2C] S[KS KD KC]")
    assert after.round.table[0].meld.text() == "S[7S 7H 2C=7]"


# --- what is fined and what is refused -----------------------------------------------------

CONTRACT = "4H 5H 6H 7H QS QD QC 9C 9D 3S"  # deal 2; TC is drawn
TABLE = ((2, "R[4C 5C JK=6C 7C]"), (2, "S[8S 8H 8D]"))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1 down S[QS QD QC] R[7H 6H 5H 4H]", "down.contract"),  # written the wrong way round
        ("1 down S[QS QD QC] S[4H 5H 6H 7H]", "down.contract"),  # S for R
        ("1 down S[QS QD QC] R[4H 5H 6H 7H] lay 9C>0+", "layoff.no_fit"),
        ("1 down S[QS QD QC] R[4H 5H 6H 7H] lay 9C>9", "layoff.meld"),
        ("1 down S[QS QD QC] R[4H 5H 6H 7H] lay TC>1", "layoff.no_fit"),
        ("1 down S[QS QD QC] R[4H 5H 6H 7H] swap 9C<0.2", "swap.card"),
        ("1 down S[QS QD QC] R[4H 5H 6H 7H] swap 9C<0.7", "swap.place"),
        ("1 down S[QS QD QC] R[4H 5H 6H 7H] swap 9C<7.0", "swap.meld"),
    ],
)
def test_what_is_wrong_beside_a_legal_contract_is_refused_free_of_charge(text, code):
    state = begun(CONTRACT, stock="TC", deal=2, table=TABLE)
    assert refusal(state, text) == code


def test_a_wrong_reading_is_refused_not_fined():
    state = begun("4H 5H 6H JK QS QD QC 9C 9D 3S", stock="TC", deal=2)
    assert refusal(state, "1 down S[QS QD QC] R[4H 5H 6H JK=8H]") == "down.contract"
    assert refusal(state, "1 down S[QS QD QC] R[4H 5H 6H JK=7S]") == "down.contract"


def test_a_card_laid_off_in_deal_seven_is_a_slip_not_a_false_meld():
    state = begun(SEVENTH, stock="4D", deal=7)
    text = "1 down R[4S 5S 6S 7S] R[9H TH JH QH] R[AD 2D 3D 4D] lay 8S>0+"
    assert refusal(state, text) == "down.contract"
    assert is_fined(state, text.partition(" lay")[0])  # a card is left over


def test_where_wilds_may_be_natural_a_reading_as_itself_is_the_same():
    options = {"deal": 2, "wild_as_natural": True}
    state = begun("2H 3H 4H 5H QS QD QC 9C 9D 3S", stock="TC", **options)
    for run in ("R[2H 3H 4H 5H]", "R[2H=2H 3H 4H 5H]"):
        meld = play(state, f"1 down S[QS QD QC] {run}").round.table[1].meld
        assert (meld.text(), meld.stands_for) == ("R[2H 3H 4H 5H]", (None,) * 4)


def test_a_knocker_may_leave_clear_places_open_too():
    hand = "4H 5H JK 7H 9S 9D 9C KS KD AC"
    state = deal_state("gin", (hand, ""), upcard="3D", stock="KH", jokers_per_pack=1, n_seats=2)
    state = play(state, "1 pass", "0 pass", "1 draw")
    after = play(state, "1 knock AC R[4H 5H JK 7H] S[9S 9D 9C] S[KS KD KH]")
    assert after.round.table[0].meld.text() == "R[4H 5H JK=6H 7H]"
    rest = "S[9S 9D 9C] S[KS KD KH]"
    assert refusal(state, f"1 knock 7H R[5H 4H JK] {rest}") == "meld.readings"
    assert refusal(state, f"1 knock 7H R[4H 5H JK] {rest}") == ""


@pytest.mark.parametrize(
    ("hand", "text"),
    [
        # One natural in a set, two in a run: too few (rule book L2, L5).
        ("QS 2C JK 4H 5H 6H 7H 9C 9D 3S", "1 down S[QS 2C JK] R[4H 5H 6H 7H]"),
        ("QS QD QC 4H 2C JK 7H 9C 9D 3S", "1 down S[QS QD QC] R[4H 2C JK 7H]"),
        ("QS QD QC 4H 2C JK 7H 9C 9D 3S", "1 down S[QS QD QC] R[4H 2C=5H JK=6H 7H]"),
        # A gap, a strange card, one meld too few.
        (CONTRACT, "1 down S[QS QD QC] R[4H 5H 6H 9D]"),
        (CONTRACT, "1 down S[QS QD 3S] R[4H 5H 6H 7H]"),
        (CONTRACT, "1 down S[QS QD QC]"),
        # A bad lay-off does not save a false meld.
        (CONTRACT, "1 down S[QS QD 3S] R[4H 5H 6H 7H] lay 9C>0"),
    ],
)
def test_a_real_false_meld_is_fined_and_tells_why(hand, text):
    state = begun(hand, stock="TC", deal=2)
    assert is_fined(state, text)
    after = play(state, text)
    assert after.round.hands == state.round.hands
    assert after.round.n_fined("false meld") == (0, 1, 0)
    (fine,) = after.round.fines
    assert (fine.seat, fine.move, fine.code, fine.points) == (1, text, "down.contract", 50)
    assert "expected" in fine.reason


def test_a_meld_is_false_exactly_when_no_reading_of_its_cards_meets_the_contract():
    rng = random.Random(6)
    rules = load_rules("liverpool", deal=2, players=3)
    n_fined = n_refused = n_laid = 0
    start = begun("", stock="TC", deal=2)
    for _ in range(200):
        rank, suit, first = rng.randrange(2, 13), rng.randrange(4), rng.randrange(2, 10)
        groups = [
            [rank + 13 * s for s in rng.sample(range(4), 3)],
            [first + k + 13 * suit for k in range(4)],
        ]
        for group in groups:  # wilds and wrong cards in some places
            for k in range(len(group)):
                if rng.random() < 0.3:
                    group[k] = rng.choice([1, 14, 65, 65, rng.randrange(2, 52)])
        if rng.random() < 0.3:
            rng.shuffle(groups[1])
        hand = sorted([*groups[0], *groups[1], *rng.sample(range(52), 4)])
        letters = "S" if rng.random() < 0.9 else "R", "R"
        written = " ".join(
            f"{letter}[{format_hand(group)}]" for letter, group in zip(letters, groups, strict=True)
        )
        state = with_round(start, hands=((), tuple(hand), ()))
        move = parse_move(f"1 down {written}")
        try:
            check_contract(hand, groups, rules)
            stands = True
        except HandError:
            stands = False
        try:
            after = apply(state, move)
        except IllegalMoveError:
            assert stands, format_move(move)
            n_refused += 1
            continue
        assert (after.round.fines == ()) == stands, format_move(move)
        n_fined += not stands
        n_laid += stands
    assert min(n_fined, n_refused, n_laid) > 5


# --- fines keep their reason -----------------------------------------------------------------

FALSE = "1 down S[QS QD 3S] R[4H 5H 6H 7H]"


def fined_game():
    """A recorded deal in which seat 1 is fined once, and the record of it."""
    rules = load_rules("liverpool", deal=2, rounds=2, max_turns_per_round=2)
    state = begun(CONTRACT, stock="TC", deal=2, rounds=2, max_turns_per_round=2)
    moves = recorded_start(state, "TC")
    moves += [parse_move(FALSE), parse_move("1 discard 3S")]
    return rules, moves


def recorded_start(state, card):
    """The moves that lead to a state of ``begun``: its deal, three passes and the draw."""
    r = state.round
    size = len(r.hands[0])
    hands = [[c for c in r.hands[s]] for s in (1, 2, 0)]
    drawn = cards(card)[0]
    hands[0].remove(drawn)
    order = [hands[i][k] for k in range(size) for i in range(3)]
    deck = (*order, *r.discards, drawn, *r.stock)
    deal = parse_move("deal " + " ".join(format_card(c) for c in deck))
    return [deal, *(parse_move(t) for t in ("1 pass", "2 pass", "0 pass", "1 draw"))]


def test_a_fine_survives_record_and_replay():
    rules, moves = fined_game()
    record = make_record(rules, ["A", "B", "C"], moves)
    again = replay(read_record(record.to_line()))
    assert again.is_ok
    (told,) = again.to_json()["fines"]
    assert (told["seat"], told["move"], told["code"], told["points"]) == (
        1,
        FALSE,
        "down.contract",
        50,
    )
    assert "3S" in told["reason"]


def finished():
    """The record of a whole deal with a fine: nobody may shuffle, so the stock runs out."""
    rules, moves = fined_game()
    state = new_game(rules, 3)
    for move in moves:
        state = apply(state, move)
    while not state.is_over:
        move = quiet_move(state)
        moves.append(move)
        state = apply(state, move)
    return make_record(rules, ["A", "B", "C"], moves)


def quiet_move(state):
    """Pass, draw, discard the first card that may go."""
    seat = state.actor
    if str(state.phase) in {"offer", "buy", "rummy", "upcard"}:
        return parse_move(f"{seat} pass")
    if str(state.phase) == "draw":
        return parse_move(f"{seat} draw")
    return parse_move(f"{seat} discard {format_card(state.round.hands[seat][0])}")


def test_the_result_of_a_round_names_the_fines_and_damage_is_found():
    record = finished()
    data = record.to_json()
    (fine,) = data["rounds"][0]["result"]["fines"]
    assert fine["move"] == FALSE
    assert replay(read_record(json.dumps(data))).faults == ()
    for key, value, code in (
        ("seat", 0, "record.fines"),
        ("move", "1 down S[QS QD QC]", "record.fines"),
        ("points", 40, "record.fines"),
        ("code", "down.value", "record.fines"),
        ("reason", "because", "record.digest"),
    ):
        damaged = json.loads(json.dumps(data))
        damaged["rounds"][0]["result"]["fines"][0][key] = value
        assert [f.code for f in replay(read_record(damaged)).faults] == [code], key
    damaged = json.loads(json.dumps(data))
    del damaged["rounds"][0]["result"]["fines"]
    assert [f.code for f in replay(read_record(damaged)).faults] == ["record.digest"]


def test_points_of_a_fined_round_name_the_reason():
    record = finished()
    state = replay(record).state
    facts, rules = state.history[0]
    note = price_round(facts, rules).players[1].note
    assert note.startswith("false meld +50 (1 down S[QS QD 3S]")


def test_a_false_going_out_keeps_its_reason():
    state = deal_state(
        "three-thirteen",
        ("4S 5S 9S", "7H 7D 9C"),
        upcard="2D",
        stock="KH 8H 2C",
        false_out_penalty=20,
    )
    state = play(state, "1 draw")
    after = play(state, "1 out KH")
    (fine,) = after.round.fines
    assert (fine.what, fine.move, fine.points) == ("false going out", "1 out KH", 20)
    assert "18 points" in fine.reason
    assert after.actor == 1


def test_simultaneous_play_fines_a_false_going_out_too():
    state = deal_state("speed-three-thirteen", ("", "", ""), upcard="", false_out_penalty=20)
    state = play(state, "0 draw", "1 draw", "2 draw")
    card = format_card(state.round.hands[1][0])
    after = play(state, f"1 out {card}")
    assert after.round.n_fined("false going out") == (0, 1, 0)
    assert after.round.beat.commits[1] is None
    assert refusal(after, f"1 discard {card}") == ""


def test_replay_shows_every_fine():
    line = finished().to_line() + "\n"
    shown = CliRunner().invoke(main, ("replay", "-"), input=line).stdout.splitlines()
    start = f"round 1: seat 1: fined 50 for a false meld: {FALSE}: expected melds"
    assert start in shown[0]
    told = json.loads(CliRunner().invoke(main, ("replay", "-", "--json"), input=line).stdout)
    assert [(fine["round"], fine["move"]) for fine in told["fines"]] == [(1, FALSE)]


def test_the_route_names_fines_of_rounds_in_play_too():
    client = create_app().test_client()
    rules, moves = fined_game()
    for record in (finished(), make_record(rules, ["A", "B", "C"], moves)):
        answer = client.post("/v1/replay", json={"record": record.to_json()})
        (row,) = answer.get_json()["results"]
        assert row["status"] == "ok"
        assert [(fine["round"], fine["seat"], fine["move"]) for fine in row["fines"]] == [
            (1, 1, FALSE)
        ]


def test_play_tells_the_person_why_a_move_is_fined():
    moves = ["pass", "draw", "down S[TH TD 2C]", "down S[TH TD 2C] !", "q"]
    arguments = ("play", "-r", "liverpool", "--option", "deal=1", "--seed", "4")
    result = CliRunner().invoke(main, arguments, input="\n".join(moves) + "\n")
    why = "expected melds that meet the contract"
    warned, told = (line for line in result.stdout.splitlines() if why in line)
    assert "end it with !" in warned
    assert "you: fined 50 for a false meld: 0 down S[TH TD 2C]: " in told


# --- records of before ------------------------------------------------------------------------


def test_records_that_write_a_wild_on_its_own_place_with_a_reading_are_still_read():
    state = begun(SEVENTH, stock="4D", deal=7)
    rules = load_rules("liverpool", deal=7)
    moves = recorded_start(state, "4D")
    text = "1 down R[4S 5S 6S 7S 8S] R[9H TH JH QH] R[AD 2D=2D 3D 4D]"
    record = make_record(rules, ["A", "B", "C"], [*moves, parse_move(text)])
    assert "R[AD 2D 3D 4D]" in record.to_line()
    data = record.to_json()
    last = data["rounds"][0]["moves"][-1]
    data["rounds"][0]["moves"][-1] = last.replace("2D", "2D=2D")
    del data["sha256"]
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    data["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    assert replay(read_record(data)).faults == ()
    data["seats"][0] = "Z"
    assert [f.code for f in replay(read_record(data)).faults] == ["record.digest"]
