"""The discard that ends a turn on the table: named in plans, kept where it ends the deal."""

from __future__ import annotations

import json
import random

import pytest
from click.testing import CliRunner

from service.app import create_app
from solver.cards import format_hand, parse_cards
from solver.cli import main
from solver.cli.lazy import load
from solver.engine.going_down import can_go_down
from solver.engine.moves import Discard, GoDown, LayOff
from solver.engine.referee import apply, can_move
from solver.players.advice import advise
from solver.players.facts import Facts, view_of
from solver.rules.loader import load_rules
from solver.table import best_godown, best_layoff, godown_turn, with_discard
from tests.engine.helpers import deal_state, play, with_round

load("solver.cli.godown:godown_command")
load("solver.cli.advise:advise_command")
LIVERPOOL = load_rules("liverpool", deal=1)
ELEVEN = "7S 7H 7D 7C KS KD KC KH 7S 7D KH"
"""Two sets take every card."""


def test_a_card_is_kept_where_its_discard_ends_the_deal():
    plan = godown_turn(ELEVEN, [], LIVERPOOL)
    assert (len(plan.left), plan.ends) == (1, True)
    assert plan.left == (plan.discard,)
    assert plan.turn_text() == "then discard 7S, which ends the deal"
    assert best_godown(ELEVEN, [], LIVERPOOL).left == ()  # fewest points left: then one floats


def test_the_discard_of_a_plan_is_the_dearest_card_left():
    plan = godown_turn("7S 7H 7D KS KD KC 4H 9C AS 2C TD", [], LIVERPOOL)
    assert (plan.discard, plan.ends) == (parse_cards("AS")[0], False)
    assert plan.turn_text() == "then discard AS, which leaves 20"
    # Among equal cards the natural one goes and the wild is kept.
    plan = with_discard(best_layoff("9C 2C", [], LIVERPOOL))
    assert plan.discard == parse_cards("9C")[0]
    assert with_discard(plan, barred=parse_cards("9C")[0]).discard == parse_cards("2C")[0]


@pytest.mark.parametrize(
    ("name", "options", "left", "ends"),
    [
        ("liverpool", {"deal": 1}, 1, True),
        # One that fits the table may not be closed with, so all is laid.
        ("liverpool", {"deal": 1, "closing_discard_playable": "never"}, 0, False),
        ("contract-rummy", {"deal": 1}, 1, True),  # nobody may be without a card
        ("liverpool", {"deal": 1, "must_discard_to_go_out": False}, 0, True),
    ],
)
def test_whether_a_card_is_kept_is_for_the_rules_to_say(name, options, left, ends):
    plan = godown_turn(ELEVEN, [], load_rules(name, **options))
    assert (len(plan.left), plan.ends) == (left, ends)


def test_a_number_to_keep_stands():
    assert godown_turn(ELEVEN, [], LIVERPOOL, keep=0).left == ()
    assert len(godown_turn(ELEVEN, [], LIVERPOOL, keep=3).left) == 3


def test_deal_seven_ends_without_a_discard():
    seven = load_rules("liverpool", deal=7)
    plan = godown_turn("3S 4S 5S 6S 7S 8H 9H TH 2C JD QD KD AD", [], seven)
    assert (plan.left, plan.discard, plan.ends) == ((), None, True)
    assert plan.turn_text() == "no card is left, which ends the deal"


def test_games_without_discards_name_none():
    rummikub = load_rules("rummikub")
    assert with_discard(best_layoff("9C", [], rummikub)).discard is None


def test_the_referee_makes_the_turn_of_a_plan_and_the_deal_ends_as_said():
    rng = random.Random(3)
    n_ends = 0
    base = deal_state("liverpool", ("", "", ""), upcard="6C", stock="TD", deal=1)
    base = play(base, "1 pass", "2 pass", "0 pass", "1 draw")
    for _ in range(60):
        a, b = rng.sample(range(2, 13), 2)
        n = rng.randint(3, 6)
        hand = [a + 13 * rng.randrange(4) for _ in range(n)]
        hand += [b + 13 * rng.randrange(4) for _ in range(10 - n)]
        hand = sorted([*hand, rng.choice([1, 65, a, rng.randrange(2, 52)])])
        plan = godown_turn(hand, [], load_rules("liverpool", deal=1, packs=None))
        if plan is None:
            continue
        state = with_round(base, hands=((3,), tuple(hand), (4,)))
        layoffs = tuple(LayOff(1, x.card, x.meld, x.end) for x in plan.layoffs)
        move = GoDown(1, plan.melds, (), layoffs)
        assert can_go_down(state.round, move), format_hand(hand)
        state = apply(state, move)
        if plan.discard is not None:
            throw = Discard(1, plan.discard)
            assert can_move(state, throw)
            state = apply(state, throw)
        ended = bool(state.history)
        assert ended == plan.ends, format_hand(hand)
        n_ends += ended
    assert n_ends > 10


def test_command_and_route_name_the_closing_discard():
    arguments = ("godown", ELEVEN, "-r", "liverpool", "--option", "deal=1")
    shown = CliRunner().invoke(main, arguments).stdout
    assert "then discard 7S, which ends the deal" in shown
    told = json.loads(CliRunner().invoke(main, (*arguments, "--json")).stdout)["plan"]
    assert (told["discard"], told["ends"]) == ("7S", True)
    assert (
        json.loads(CliRunner().invoke(main, (*arguments, "--keep", "0", "--json")).stdout)["plan"][
            "left"
        ]
        == []
    )
    client = create_app().test_client()
    rules = {"name": "liverpool", "options": {"deal": 1}}
    answer = client.post("/v1/godown", json={"rules": rules, "hand": ELEVEN, "table": []})
    plan = answer.get_json()["plan"]
    assert (plan["discard"], plan["ends"]) == ("7S", True)
    body = {"rules": rules, "hand": "KH 9C 4D", "table": ["S[KS KD KC]"]}
    plan = client.post("/v1/layoff", json=body).get_json()
    assert (plan["discard"], plan["ends"]) == ("4D", False)


# --- a player without a card -------------------------------------------------------------------

TABLE = ["S[KS KD KC]"]


def test_one_that_floats_asks_for_the_draw():
    facts = Facts(is_floating=True, table=TABLE, owners=[0])
    advice = advise(view_of("", LIVERPOOL, facts))
    # Five kings, eight twos and four jokers of 105 cards fit the table; any other ends the deal.
    assert str(advice.phase) == "draw"
    assert advice.options[0].value.total == 0
    chance = advice.options[0].chance_out
    assert (chance.total, chance.of) == (105 - 5 - 8 - 4, 105)


def test_one_that_floats_may_take_a_discard_only_to_lay_it_off():
    fits = Facts(is_floating=True, table=TABLE, owners=[0], discard=parse_cards("KH")[0])
    advice = advise(view_of("", LIVERPOOL, fits))
    assert {option.value.total for option in advice.options} == {0}
    assert len(advice.options) == 2
    useless = Facts(is_floating=True, table=TABLE, owners=[0], discard=parse_cards("9H")[0])
    advice = advise(view_of("", LIVERPOOL, useless))
    assert [type(option.move).__name__ for option in advice.options] == ["Pass"]


def test_the_card_drawn_by_one_that_floats_is_laid_off_or_ends_the_deal():
    facts = Facts(is_floating=True, table=TABLE, owners=[0])
    assert isinstance(advise(view_of("KH", LIVERPOOL, facts)).move, LayOff)
    advice = advise(view_of("9H", LIVERPOOL, facts))
    assert (advice.move, advice.options[0].ends) == (Discard(0, parse_cards("9H")[0]), True)


def test_command_and_route_take_an_empty_hand_that_floats():
    arguments = ("advise", "", "-r", "liverpool", "--option", "deal=1", "--floating")
    result = CliRunner().invoke(main, (*arguments, "--table", "0:S[KS KD KC]", "--json"))
    assert json.loads(result.stdout)["phase"] == "draw"
    assert CliRunner().invoke(main, arguments[:-1]).exit_code != 0
    client = create_app().test_client()
    rules = {"name": "liverpool", "options": {"deal": 1}}
    body = {"rules": rules, "hand": "", "floating": True}
    assert client.post("/v1/advice", json=body).get_json()["phase"] == "draw"
    body["rules"] = "gin"
    answer = client.post("/v1/advice", json=body)
    assert (answer.status_code, answer.get_json()["code"]) == (422, "advice.floating")
