"""The page without a script: the server draws form and answer."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from solver.rules.loader import list_rules


class Reader(HTMLParser):
    """Collects the tags of a page with their attributes, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.words = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)

    def all(self, tag, **wanted):
        return [a for t, a in self.tags if t == tag and wanted.items() <= a.items()]

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def page(client, path="/", **query):
    response = client.get(path, query_string=query)
    assert response.content_type == "text/html; charset=utf-8"
    reader = Reader(response.get_data(as_text=True))
    reader.status = response.status_code
    return reader


@pytest.mark.parametrize("number", ["9" * 5000, "\u00b2", "-1"])
def test_a_round_that_is_none_is_told_and_the_page_stays(client, number):
    drawn = page(client, rules="three-thirteen", round=number, hand="5S 5H 5D")
    assert drawn.status == 422
    assert drawn.all("form")


def test_the_empty_page_offers_every_game(client):
    drawn = page(client)
    assert drawn.status == 200
    values = {o["value"] for o in drawn.all("option") if "value" in o}
    assert {g.id for g in list_rules()} <= values
    assert drawn.all("form", method="get", action="/")
    assert "Type a hand" in drawn.text


def test_an_answer(client):
    drawn = page(client, rules="three-thirteen", round="7", hand="KS KH 7D 8D 2C 3C 9H JS 4D")
    assert drawn.status == 200
    assert "34 points left (proved: nothing costs less)" in drawn.text
    assert "=Q♠" in drawn.text
    assert "nine of hearts as queen of spades" in drawn.text
    assert "7: 9 cards, wild 9" in drawn.text
    assert drawn.all("option", value="7", selected=None)
    assert drawn.all("input", name="hand")[0]["value"] == "KS KH 7D 8D 2C 3C 9H JS 4D"


def test_discards_and_my_layout(client):
    drawn = page(
        client,
        rules="gin",
        hand="AS 2S 3S 3H 3D 4S 5S KC QC JH",
        melds="3S 3H 3D\n",
        discard="true",
    )
    assert "Legal, 42 points left: 6 more than the best." in drawn.text
    assert "Discards, best first" in drawn.text
    drawn = page(client, rules="gin", hand="7S 7H 7D KC", melds="7S 7H KC")
    assert "meld.mixed_ranks" in drawn.text


@pytest.mark.parametrize("game", [g.id for g in list_rules()])
def test_every_game_and_round_can_be_drawn(client, game):
    drawn = page(client, rules=game, choose="1")
    assert drawn.status == 200
    rounds = re.findall(r"\b(\d+): \d+ cards", drawn.text)
    assert rounds == [str(i + 1) for i in range(len(rounds))]
    assert (
        page(client, rules=game, round=rounds[-1] if rounds else "", hand="7S 8S 9S").status == 200
    )


def test_cards_of_the_deck_only(client):
    cards = {b["value"] for b in page(client, rules="gin").all("button", name="add")}
    assert len(cards) == 52
    cards = {b["value"] for b in page(client, rules="five-crowns").all("button", name="add")}
    assert len(cards) == 5 * 11 + 1
    assert {"JK", "5*"} < cards
    assert not {"AS", "2S"} & cards


def test_tiles_look_like_tiles(client):
    drawn = page(client, rules="rummikub", hand="R11 R12 R13 JK")
    assert "0 points left" in drawn.text
    assert "red 12" in drawn.text


def test_cards_are_added_and_removed_without_a_script(client):
    more = page(client, rules="gin", hand="7S 7H", add="7D")
    assert more.all("input", name="hand")[0]["value"] == "7S 7H 7D"
    assert "0 points left" in more.text
    less = page(client, rules="gin", hand="7s,7h 7D KC", remove="KC")
    assert less.all("input", name="hand")[0]["value"] == "7S 7H 7D"
    same = page(client, rules="gin", hand="7S ZZ", remove="7S")
    assert same.all("input", name="hand")[0]["value"] == "7S ZZ"


def test_changing_the_game_keeps_the_hand_and_drops_what_the_other_game_had(client):
    drawn = page(client, rules="gin", round="9", speed="true", hand="7S 7H", choose="1")
    assert drawn.status == 200
    assert drawn.all("input", name="hand")[0]["value"] == "7S 7H"


def test_return_in_the_hand_asks_and_does_not_add_a_card(client):
    buttons = page(client).all("button")
    assert "name" not in buttons[0]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"hand": "7S ZZ"}, ["'ZZ'", "card.unknown"]),
        ({"hand": "7S 7S"}, ["7S", "hand.copies"]),
        ({"hand": "7S", "melds": "what"}, ["'what'", "card.unknown"]),
        ({"hand": "7S", "ace": "up"}, ["ace", "rules.type"]),
        ({"hand": "7S", "options": "["}, ["options", "query.options"]),
        ({"hand": "7S " * 1000}, ["120", "limit.hand_cards"]),
        ({"rules": "bridge", "hand": "7S"}, ["'bridge'", "rules.unknown"]),
        ({"rules": "three-thirteen", "round": "99", "hand": "7S"}, ["99", "rules.round"]),
        ({"rules": "three-thirteen", "round": "x", "hand": "7S"}, ["'x'", "rules.type"]),
    ],
)
def test_faults_are_told_on_the_page_beside_the_form(client, query, words):
    for path in ("/", "/answer"):
        drawn = page(client, path, **{"rules": "gin", **query})
        assert drawn.status == 422
        assert "That does not work" in drawn.text
        assert all(word in drawn.text for word in words)
        assert "Traceback" not in drawn.text
    drawn = page(client, **{"rules": "gin", **query})
    assert drawn.all("input", name="hand")[0]["value"] == query.get("hand", "").strip()
    assert drawn.all("button", name="add")


def test_what_was_typed_is_never_taken_for_markup(client):
    evil = '"><script>alert(1)</script>'
    query = urlencode({"rules": "gin", "hand": evil, "melds": evil, "ace": evil, "round": evil})
    for path in ("/", "/answer"):
        text = client.get(f"{path}?{query}").get_data(as_text=True)
        assert "<script>alert" not in text
        assert "&lt;script&gt;" in text


def test_labels_and_live_region(client):
    drawn = page(client, rules="three-thirteen")
    fields = [a for t, a in drawn.tags if t in {"input", "select", "textarea"}]
    labelled = {label.get("for") for label in drawn.all("label")}
    for one in fields:
        if one.get("type") not in {"hidden", "checkbox"}:
            assert one["id"] in labelled
    assert drawn.all("p", role="status", **{"aria-live": "polite"})
    assert drawn.all("html", lang="en")
    assert all("aria-label" in b for b in drawn.all("button", name="add"))
