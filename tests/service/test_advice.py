"""``POST /v1/advice``: the answers of the library, a strict schema, and faults that point."""

from __future__ import annotations

import pytest

from service.schemas_advice import AdviceAnswer
from solver.players.advice import advise
from solver.players.facts import Facts, view_of
from solver.rules.loader import load_rules

TT3 = {"name": "three-thirteen", "options": {"cards_dealt": 3}}
DEAL1 = {"name": "liverpool", "options": {"deal": 1}}


def ask(client, **body):
    response = client.post("/v1/advice", json=body)
    assert response.status_code == 200, response.get_data(as_text=True)
    answer = response.get_json()
    AdviceAnswer.model_validate(answer)
    return answer


def test_take_or_draw(client):
    answer = ask(client, rules=TT3, hand="5S 5H 9D", discard="5D")
    assert (answer["move"], answer["phase"], answer["horizon"]) == ("0 take", "draw", "this_turn")
    assert answer["value"] == {"value": 0.0, "total": 0, "of": 1}
    assert answer["alternatives"][0]["chance_out"]["total"] == 5
    assert answer["n_unseen"] == 48
    assert answer["exact"] is True
    assert answer["reason"]


def test_the_answer_is_that_of_the_library(client):
    body = {"hand": "7H 8H QD QC 4S 2D", "discard": "6H", "seen": "KD 2C", "players": 3}
    rules = {"name": "three-thirteen", "options": {"cards_dealt": 5}}
    answer = ask(client, rules=rules, **body)
    facts = Facts(players=3, discard=13 + 5, seen="KD 2C")
    wanted = advise(view_of(body["hand"], load_rules("three-thirteen", cards_dealt=5), facts))
    assert {key: answer[key] for key in wanted.to_json()} == wanted.to_json()


def test_the_table_of_liverpool(client):
    # Rule book 9.6, W1.
    answer = ask(
        client,
        rules=DEAL1,
        hand="9S 9C KD AC 6H QS QD QC 4D 3C JS",
        table=[{"owner": 1, "meld": "R[4H 5H JK=6H 7H]"}],
    )
    assert answer["move"] == "0 down S[9S 9C JK=9] S[QS QD QC] swap 6H<0.2"
    steps = answer["best"]["plan"]["actions"]
    assert [step["kind"] for step in steps] == ["swap", "meld", "meld"]
    assert steps[0]["text"] == "6H for JK of meld 1"


def test_the_answer_to_a_knock(client):
    # Rule book 9.2, G6.
    answer = ask(
        client,
        rules="gin",
        hand="5S 5H 5D 6S 7S KC QD 2H 9C 4C",
        ask="defend",
        knock={"melds": ["8S 9S TS"], "left": "2C"},
    )
    assert answer["value"]["total"] == 35
    gin = ask(
        client,
        rules="gin",
        hand="5S 5H 5D 6S 7S KC QD 2H 9C 4C",
        ask="defend",
        knock={"melds": ["8S 9S TS"]},
    )
    assert gin["value"]["total"] == 45


def test_a_floater_has_no_card(client):
    answer = ask(
        client,
        rules=DEAL1,
        hand="",
        ask="draw",
        floating=True,
        down=[0],
        table=[{"owner": 1, "meld": ["KS", "KH", "KD"]}],
    )
    assert answer["hand"] == []
    assert answer["move"] == "0 draw"


@pytest.mark.parametrize(
    ("body", "kind", "code", "pointer"),
    [
        ({"hand": "5S 5H 9D", "rules": TT3, "look": 1}, "invalid-request", None, "/look"),
        ({"hand": "5S 5H 9D", "rules": TT3, "ask": "peek"}, "invalid-request", None, "/ask"),
        ({"hand": "5S 5H 9D", "rules": TT3, "players": 0}, "invalid-request", None, "/players"),
        ({"hand": "5S 5H 9D", "rules": TT3, "players": "2"}, "invalid-request", None, "/players"),
        (
            {"hand": "5S 5H 9D", "rules": TT3, "table": [{"meld": "5C", "whose": 1}]},
            "invalid-request",
            None,
            "/table/0/whose",
        ),
        (
            {"hand": "5S 5H 9X", "rules": TT3},
            "invalid-notation",
            "card.unknown",
            "/hand/2",
        ),
        (
            {"hand": "5S 5H 9D", "rules": TT3, "discard": "9X"},
            "invalid-notation",
            "card.unknown",
            "/discard/0",
        ),
        (
            {"hand": "5S 5H 9D", "rules": TT3, "seen": "5C XX"},
            "invalid-notation",
            "card.unknown",
            "/seen/1",
        ),
        ({"hand": "5S 5H", "rules": TT3}, "invalid-hand", "advice.ask", "/ask"),
        ({"hand": "5S 5H 9D", "rules": TT3, "out": 5}, "invalid-hand", "advice.seat", "/out"),
        (
            {"hand": "5S 5H 9D", "rules": "three-thirteen"},
            "invalid-rules",
            "advice.round",
            "/rules",
        ),
        (
            {"hand": "5S", "rules": DEAL1, "ask": "draw", "table": [{"meld": "5H 6H"}]},
            "invalid-hand",
            "table.meld",
            "/table/0",
        ),
        (
            {"hand": "5S", "rules": DEAL1, "ask": "draw", "table": [{"meld": "5H " * 200}]},
            "over-limit",
            "limit.meld",
            "/table/0",
        ),
    ],
)
def test_faults_point_at_their_place(  # noqa: PLR0917 - the columns of the table
    client, problem_of, body, kind, code, pointer
):
    response = client.post("/v1/advice", json=body)
    document = problem_of(response, kind)
    assert document["errors"][0]["pointer"] == pointer
    if code is not None:
        assert document["code"] == code


def test_the_documents_tell_of_it(client):
    document = client.get("/openapi.json").get_json()
    operation = document["paths"]["/v1/advice"]["post"]
    assert operation["requestBody"]["content"]["application/json"]["example"]["hand"]
    for name in ("AdviceRequest", "TableMeld", "Knock"):
        assert document["components"]["schemas"][name]["additionalProperties"] is False
    assert "/v1/advice" in client.get("/docs").get_data(as_text=True)
