"""What the page says beside a number is what was asked; what it offers the game has."""

from __future__ import annotations

import threading
from urllib.parse import parse_qs, urlsplit

import pytest

from service.app import create_app
from service.config import ServiceConfig
from service.errors import ProblemError
from service.faces import face_of, palette
from service.state import EXTENSION
from solver.cards import parse_card
from solver.rules.deck import max_copies
from solver.rules.loader import list_rules, load_rules
from tests.service.test_page import page

GAMES = [game.id for game in list_rules()]
BY_ROUNDS = [name for name in GAMES if (load_rules(name).n_rounds or 0) > 1]
A1 = "5S 5H 5D 9D 9C 9S KS KD KC 3H"


def permalink(drawn):
    """Return the address in the answer of a page."""
    links = [a["data-permalink"] for t, a in drawn.tags if "data-permalink" in a]
    assert len(links) == 1
    return links[0]


def followed(client, link):
    parts = urlsplit(link)
    query = {k: v[0] for k, v in parse_qs(parts.query, keep_blank_values=True).items()}
    return page(client, parts.path, **query)


# --- the contract -------------------------------------------------------------------------------


def test_a_contract_that_cannot_be_laid_costs_the_whole_hand(client):
    # Deal 2 asks a set and a run: 5+5+5+9s as 5 each and kings 10, 3H 5: 65 in all.
    drawn = page(client, rules="liverpool", round="2", hand=A1)
    head = "65 points (the contract, set of 3 + run of 4, cannot be laid, so every card counts;"
    assert f"{head} proved: there is no way to lay it)" in drawn.text
    assert drawn.text.count("proved") == 1
    extra = drawn.text.partition("If it were already down")[2]
    assert "these cards leave 5 points" in extra
    assert "proved" not in extra


def test_a_contract_that_can_be_laid_tells_what_is_left(client):
    # Deal 1 asks two sets; 4D (5) and JC (10) stay.
    drawn = page(client, rules="liverpool", round="1", hand="7S 7H 7D KS KH KD 4D JC")
    told = (
        "15 points left (the contract, set of 3 + set of 3, is laid; proved: nothing leaves less)"
    )
    assert told in drawn.text
    assert "already down" not in drawn.text


def test_games_without_a_contract_have_no_such_extra(client):
    assert "already down" not in page(client, rules="gin", hand=A1).text


# --- the round ----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", BY_ROUNDS)
def test_the_page_starts_with_round_1_and_no_round_is_said(client, game):
    drawn = page(client, rules=game, hand="7S 8S 9S")
    assert drawn.all("option", value="1", selected=None), game
    assert "no round chosen" not in drawn.text.partition("Best melds")[2]
    open_words = load_rules(game)
    drawn = page(client, rules=game, hand="7S 8S 9S", round="")
    assert drawn.all("option", value="", selected=None) or "no round chosen" in drawn.text
    headline = drawn.text.partition("Best melds")[2].partition("proved")[0]
    if open_words.wilds_open == "round":
        assert "no round chosen: " in headline
    if open_words.contract_open:
        assert "no deal chosen: no contract is asked" in headline


def test_three_nines_and_a_three_in_round_1(client):
    # In round 1 threes are wild: 3S 9D 9H is a set. Without a round it is 21 points.
    assert "0 points left" in page(client, rules="three-thirteen", hand="3S 9D 9H").text
    drawn = page(client, rules="three-thirteen", hand="3S 9D 9H", round="")
    assert (
        "21 points left (no round chosen: nothing is wild; proved: nothing costs less)"
        in drawn.text
    )


@pytest.mark.parametrize("size", range(1, 15))
def test_a_hand_of_another_size_than_the_round_is_told(client, size):
    cards = "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AH".split()[:size]
    drawn = page(client, rules="three-thirteen", round="7", hand=" ".join(cards))
    told = f"this round deals 9 cards: a hand holds 9, or 10 before the discard, not {size}"
    assert (told in drawn.text) == (size not in {9, 10})


# --- the address --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        {"rules": "gin", "hand": "AS 2S 3S 3H 3D 4S 5S KC QC JH"},
        {"rules": "gin", "hand": "7S 7H 7D KC", "melds": "7S 7H 7D\n", "discard": "true"},
        {"rules": "gin", "hand": "7S 7H 7D KC", "all": "true"},
        {"rules": "three-thirteen", "hand": "3S 9D 9H"},
        {"rules": "three-thirteen", "hand": "3S 9D 9H", "round": ""},
        {"rules": "liverpool", "hand": A1, "round": "2", "melds": "5S 5H 5D\n9S 9D 9C"},
        {"rules": "liverpool", "hand": A1, "round": "", "discard": "true", "all": "true"},
        {"rules": "liverpool", "hand": A1, "deal": "3"},
        {"rules": "three-thirteen", "hand": "QS KS AS", "ace": "both", "round": "4"},
        {"rules": "rummikub", "hand": "R11 R12 R13 JK K1", "melds": "R11 R12 R13", "all": "true"},
    ],
)
def test_the_link_draws_the_same_page(client, query):
    first = page(client, **query)
    second = followed(client, permalink(first))
    assert second.status == 200
    assert "Best melds" in first.text
    shown = [drawn.text.partition("My hand")[2].partition("Share,")[0] for drawn in (first, second)]
    assert shown[0] == shown[1]
    assert permalink(second) == permalink(first)


@pytest.mark.parametrize(
    ("rules", "hand"),
    [
        ({"name": "three-thirteen"}, "3S 9D 9H"),
        ({"name": "three-thirteen", "options": {"cards_dealt": 3}}, "3S 9D 9H"),
        ({"name": "liverpool"}, A1),
        ({"name": "five-crowns"}, "3S 9D 9H"),
        ({"name": "gin"}, "7S 7H 7D"),
    ],
)
def test_the_link_of_an_answer_of_the_api_opens_the_same_question(client, rules, hand):
    asked = {"rules": rules, "hand": hand, "discard": True, "all": 3}
    answer = client.post("/v1/solve", json=asked).get_json()
    drawn = followed(client, answer["permalink"])
    assert f"{answer['penalty']} point" in drawn.text
    assert "Discards, best first" in drawn.text
    assert "Best layouts" in drawn.text


def test_a_form_without_a_script_is_sent_on_to_a_short_address(client):
    query = {
        "rules": "gin",
        "hand": "7S 7H",
        "add": "7D",
        "melds": "",
        "ace": "",
        "round": "",
        "options": "",
    }
    response = client.get("/", query_string=query)
    assert response.status_code == 303
    told = parse_qs(urlsplit(response.location).query, keep_blank_values=True)
    assert told == {"rules": ["gin"], "hand": ["7S 7H 7D"], "round": [""]}
    assert "0 points left" in followed(client, response.location).text


# --- what is offered ----------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_what_is_drawn_can_be_typed(client, game):
    rules = load_rules(game)
    for row in palette(rules.deck):
        for face in row:
            card = parse_card(face.card, tiles=rules.deck.tiles)
            assert parse_card(face.rank + face.sign, tiles=rules.deck.tiles) == card
            assert face_of(card, rules.deck) == face
            assert face.most == max_copies(card, rules.deck)


def test_pictures_of_cards_are_read(client):
    drawn = page(client, rules="gin", hand="\U0001f0a7\U0001f0b7\U0001f0c7 \U0001f0de")
    assert "10 points left" in drawn.text
    assert {b["value"] for b in drawn.all("button", name="remove")} == {"7S", "7H", "7D", "KC"}


def test_keys_of_cards_of_which_all_copies_are_held_are_off(client):
    drawn = page(client, rules="gin", hand="7s \u26657", add="KC")
    off = {b["value"] for b in drawn.all("button", name="add") if "disabled" in b}
    assert off == {"7S", "7H", "KC"}
    drawn = page(client, rules="rummikub", hand="R7 R7 JK K1")
    off = {b["value"] for b in drawn.all("button", name="add") if "disabled" in b}
    assert off == {"R7"}
    drawn = page(client, rules="three-thirteen", players="2", hand="7S 7H")
    off = {b["value"] for b in drawn.all("button", name="add") if "disabled" in b}
    copies = load_rules("three-thirteen", players=2).deck.packs
    assert off == ({"7S", "7H"} if copies == 1 else set())


@pytest.mark.parametrize("game", GAMES)
def test_discards_are_offered_where_there_are_some(client, game):
    drawn = page(client, rules=game, hand="7S 8S 9S", discard="true")
    has = load_rules(game).flow.has_discards
    assert bool(drawn.all("input", name="discard")) == has == (game != "rummikub")
    assert ("Discards, best first" in drawn.text) == has
    assert ("This game has no discards." in drawn.text) == (not has)


def test_the_help_line_fits_the_game(client):
    told = {name: page(client, rules=name).text for name in ("gin", "five-crowns", "rummikub")}
    assert "Rank and suit: 7H, 10♠." in told["gin"]
    assert "joker" not in told["gin"].partition("Rank and suit")[2][:80]
    assert "10♠, Q*. JK is a joker" in told["five-crowns"]
    assert "Colour and number: R7, K13" in told["rummikub"]


# --- before the kernels are there ---------------------------------------------------------------


def test_questions_wait_for_the_kernels(monkeypatch, problem_of):
    monkeypatch.setattr("service.warm.make_ready", lambda state: None)
    monkeypatch.setattr("service.state._WARM_WAIT_S", 0.05)
    app = create_app(ServiceConfig(warm_up="background"))
    client = app.test_client()
    response = client.post("/v1/solve", json={"rules": "gin", "hand": "7S"})
    assert "warming up" in problem_of(response, "unavailable")["detail"]
    drawn = page(client, rules="gin", hand="7S")
    assert drawn.status == 503
    assert "warming up" in drawn.text
    assert "point" not in drawn.text.partition("That does not work")[2]
    assert page(client, rules="gin").status == 200
    assert client.get("/v1/rules").status_code == 200
    threading.Timer(0.2, app.extensions[EXTENSION].ready.set).start()
    monkeypatch.setattr("service.state._WARM_WAIT_S", 30)
    assert client.post("/v1/solve", json={"rules": "gin", "hand": "7S"}).status_code == 200


def test_a_busy_service_is_told_on_the_page(client, monkeypatch):
    def busy(*_):
        raise ProblemError("unavailable", "many ask", headers={"Retry-After": "2"})

    monkeypatch.setattr("service.page_view.solve_answer", busy)
    drawn = page(client, "/answer", rules="gin", hand="7S")
    assert drawn.status == 503
    assert "many ask" in drawn.text
    assert drawn.all("div", **{"data-retry": "2"})
