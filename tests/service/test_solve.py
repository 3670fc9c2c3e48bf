"""``/v1/solve``: answers, the two ways of asking, what is optional."""

from __future__ import annotations

import pytest

from service.schemas import SolveAnswer
from solver.rules.question import AS_IF_DOWN, NO_DEAL, NO_ROUND

# Rule book 9: A19, A2, A28, F4, G3, K2.
KNOWN = [
    ("three-thirteen", {"cards_dealt": 9}, "KS KH 7D 8D 2C 3C 9H JS 4D", 34),
    ("three-thirteen", {"cards_dealt": 3}, "3S 3H 9D", 0),
    ("three-thirteen", {"cards_dealt": 3, "jokers_per_pack": 2}, "JK JK KD", 0),
    ("five-crowns", {"cards_dealt": 4}, "5* 6* 7* 6H", 6),
    ("gin", {}, "7S 7H 7D 7C 8C 9C TC 8S 9S KD", 10),
    ("rummikub", {}, "QS KS AS JK", 1),
]


def ask(client, **body):
    response = client.post("/v1/solve", json=body)
    assert response.status_code == 200, response.get_data(as_text=True)
    answer = response.get_json()
    SolveAnswer.model_validate(answer)
    return answer


@pytest.mark.parametrize(("name", "options", "hand", "penalty"), KNOWN)
def test_known_hands(client, name, options, hand, penalty):
    answer = ask(client, rules={"name": name, "options": options}, hand=hand)
    assert answer["penalty"] == answer["lower_bound"] == penalty
    assert answer["proved"] is True
    assert sum(card["points"] for card in answer["deadwood"]) == penalty
    used = [c for meld in answer["melds"] for c in meld["cards"]]
    used += [card["card"] for card in answer["deadwood"]]
    assert sorted(used) == sorted(answer["hand"]) == sorted(hand.split())
    assert answer["elapsed_us"] >= 0


@pytest.mark.parametrize("hand", ["9d 3H 3s", "♦9,3♥,♠3", ["9D", "3H", "3S"], "3H3S9D"])
def test_the_writing_and_order_of_the_hand_do_not_matter(client, hand):
    answer = ask(client, rules={"name": "three-thirteen", "options": {"cards_dealt": 3}}, hand=hand)
    assert answer["penalty"] == 0
    assert answer["text"] == "R[3S=7D 3H=8D 9D]"
    assert answer["melds"][0]["stands_for"] == ["7D", "8D", None]


def test_rules_by_name_alone(client):
    answer = ask(client, rules="gin", hand="7S 7H 7D KC")
    assert answer["penalty"] == 10
    assert answer["rules"]["name"] == "gin"
    assert answer["rules"]["options"] == {}
    assert len(answer["rules"]["fingerprint"]) == 16


def test_integral_floats_are_integers(client):
    rules = {"name": "three-thirteen", "options": {"cards_dealt": 3.0}}
    answer = ask(client, rules=rules, hand="3S 3H 9D", all=2.0)
    assert answer["penalty"] == 0
    assert answer["rules"]["options"] == {"cards_dealt": 3}


def test_discards_best_first(client):
    # Rule book 9.1, X1: the other 8H may go to reach 7; keeping a king alone costs more.
    rules = {"name": "three-thirteen", "options": {"cards_dealt": 4}}
    answer = ask(client, rules=rules, hand="4S 7H 8H KD KC", discard=True)
    assert answer["discards"][0] == {"card": "8H", "penalty": 7}
    penalties = [option["penalty"] for option in answer["discards"]]
    assert penalties == sorted(penalties)
    assert {option["card"] for option in answer["discards"]} == {"4S", "7H", "8H", "KD", "KC"}


def test_all_optimal_arrangements(client):
    # Rule book 9.1, A11 (no wild card in play): the six may go to the set or to the run.
    answer = ask(client, rules="gin", hand="5S 6S 7S 6H 6D", all=10)
    texts = {a["text"] for a in answer["optimal"]["arrangements"]}
    assert answer["optimal"]["count"] == 2
    assert answer["optimal"]["complete"] is True
    assert texts == {"S[6S 6H 6D] / left 5S 7S", "R[5S 6S 7S] / left 6H 6D"}


def test_every_engine_that_covers_gin_gives_the_same(client):
    hand = "2S 3S 4S 4H 4D 4C 5C 6C KD 9H"  # rule book 9.2, G2
    for engine in ("auto", "suit", "frontier", "cpsat"):
        answer = ask(client, rules="gin", hand=hand, engine=engine, time_limit_s=5)
        assert (answer["penalty"], answer["proved"]) == (24, True)
        assert engine in ("auto", answer["engine"])


def test_get_is_the_same_question(client):
    query = {
        "rules": "three-thirteen",
        "hand": "QS KS AS",
        "cards_dealt": "3",
        "ace": "both",
        "points": "A=15",
        "discard": "true",
        "all": "3",
        "time_limit_s": "2.5",
    }
    got = client.get("/v1/solve", query_string=query)
    assert got.status_code == 200
    assert got.headers["Cache-Control"] == "public, max-age=3600"
    options = {"cards_dealt": 3, "ace": "both", "points": {"A": 15}}
    posted = ask(
        client,
        rules={"name": "three-thirteen", "options": options},
        hand="QS KS AS",
        discard=True,
        all=3,
    )
    answer = got.get_json()
    for changing in ("elapsed_us", "permalink"):
        answer.pop(changing)
        posted.pop(changing)
    assert answer == posted
    assert answer["penalty"] == 0


def test_the_permalink_asks_the_same_of_page_and_api(client):
    options = {"cards_dealt": 3, "ace": "both", "points": {"A": 15}}
    rules = {"name": "three-thirteen", "options": options}
    answer = ask(client, rules=rules, hand="KD AD 2D")  # rule book 9.1, A8
    link = answer["permalink"]
    again = client.get("/v1/solve" + link.removeprefix("/")).get_json()
    assert answer["penalty"] == again["penalty"] == 27
    assert again["permalink"] == link
    assert again["rules"] == answer["rules"]
    page = client.get(link)
    assert page.status_code == 200
    assert "<strong>27</strong>" in page.get_data(as_text=True)


def test_stars_and_jokers_survive_the_permalink(client):
    rules = {"name": "five-crowns", "options": {"cards_dealt": 4}}
    answer = ask(client, rules=rules, hand="JK 4* TH 8D")  # rule book 9.2, F3
    again = client.get("/v1/solve" + answer["permalink"].removeprefix("/")).get_json()
    assert again["hand"] == answer["hand"]
    assert again["penalty"] == 8


def test_no_meld_is_an_answer(client):
    answer = ask(client, rules="gin", hand="KD AD 2D")
    assert (answer["penalty"], answer["melds"]) == (13, [])
    assert answer["text"] == "no meld / left AD 2D KD"


def test_the_contract_of_the_deal_is_asked(client):
    # Two sets are laid with the two of clubs; 4, 5, 9 cost five each and the ten costs ten.
    deal = {"name": "liverpool", "options": {"deal": 1}}
    question = {"rules": deal, "hand": "7S 7H 7D KS KH KC 2C 4D 5D 9C TC"}
    solved = client.post("/v1/solve", json=question).get_json()
    laid = client.post("/v1/contract", json=question).get_json()["solution"]
    for answer in (solved, laid):
        assert (answer["penalty"], answer["contract_met"], answer["note"]) == (25, True, [])
    checked = client.post("/v1/check", json={**question, "melds": ["7S 7H 7D"]}).get_json()
    assert (checked["legal"], checked["best"]["penalty"]) == (False, 25)
    assert [fault["code"] for fault in checked["faults"]] == ["contract.unmet"]


def test_a_contract_that_cannot_be_laid_costs_the_whole_hand(client):
    # T201: a set and a run are asked, and there is no run. Three of each of 5, 9, K and a 3.
    deal = {"name": "liverpool", "options": {"deal": 2}}
    question = {"rules": deal, "hand": "5S 5H 5D 9D 9C 9S KS KD KC 3H"}
    answer = client.post("/v1/solve", json={**question, "discard": True, "all": 5}).get_json()
    assert (answer["penalty"], answer["contract_met"], answer["melds"]) == (65, False, [])
    assert {d["card"]: d["penalty"] for d in answer["discards"]} == {
        **dict.fromkeys(("KS", "KD", "KC"), 55),
        **dict.fromkeys(("5S", "5H", "5D", "9D", "9C", "9S", "3H"), 60),
    }
    assert answer["optimal"]["count"] == 1
    nothing = client.post("/v1/check", json={**question, "melds": []}).get_json()
    assert (nothing["legal"], nothing["penalty"], nothing["above_best"]) == (True, 65, 0)
    free = client.post("/v1/solve", json={**question, "ignore_contract": True}).get_json()
    assert (free["penalty"], free["contract_met"]) == (5, None)
    assert free["note"] == [AS_IF_DOWN]


def test_an_answer_without_a_round_says_so(client):
    gin = {"rules": "gin", "hand": "7S 7H 7D 7C 8C 9C TC 8S 9S KD"}
    assert client.post("/v1/solve", json=gin).get_json()["note"] == []
    for rules, words in (("three-thirteen", NO_ROUND), ("liverpool", NO_DEAL)):
        answer = client.post("/v1/solve", json={"rules": rules, "hand": "7S 7H 7D"}).get_json()
        assert (answer["contract_met"], answer["note"]) == (None, [words])


@pytest.mark.parametrize("size", [2, 8, 9, 10, 11, 14])
def test_a_hand_that_no_player_holds_is_told(client, size):
    # Round 7 deals nine cards; a tenth is in hand before the discard.
    rules = {"name": "three-thirteen", "options": {"cards_dealt": 9}}
    hand = "AS 3S 5S 7S 9S JS KS AH 3H 5H 7H 9H JH KH".split()[:size]
    odd = f"this round deals 9 cards: a hand holds 9, or 10 before the discard, not {size}"
    words = [] if size in (9, 10) else [odd]
    assert ask(client, rules=rules, hand=hand)["note"] == words
    checked = client.post("/v1/check", json={"rules": rules, "hand": hand, "melds": []}).get_json()
    assert checked["note"] == words


def test_c144_a_card_is_text_and_a_joker_has_no_colour(client):
    for card in ({"joker": True, "color": "red"}, "JKH", "JK1"):
        response = client.post("/v1/solve", json={"rules": "rummikub", "hand": ["R1", card]})
        assert response.status_code == 422
        assert response.get_json()["errors"][0]["pointer"] == "/hand/1"


def test_c152_more_copies_than_the_deck_holds(client):
    for hand, pointer in (("9H 9H 9H", "/hand"), (["JK"] * 7, "/hand")):
        body = {"rules": {"name": "five-crowns", "options": {"cards_dealt": 3}}, "hand": hand}
        response = client.post("/v1/solve", json=body)
        assert response.status_code == 422
        fault = response.get_json()["errors"][0]
        assert (fault["code"], fault["pointer"]) == ("hand.copies", pointer)
