"""The other resources: check, score, contract, rules, limits, version, probes, counters."""

from __future__ import annotations

import pytest

from service.app import create_app
from service.config import Limits, ServiceConfig
from service.schemas import (
    CheckAnswer,
    GamesAnswer,
    LimitsAnswer,
    RulesAnswer,
    VersionAnswer,
)
from service.schemas_score import ScoreAnswer
from service.table_schemas import ContractAnswer
from solver.rules.loader import list_rules, load_rules


def ask(client, path, model, **body):
    response = client.post(path, json=body)
    assert response.status_code == 200, response.get_data(as_text=True)
    answer = response.get_json()
    model.model_validate(answer)
    return answer


def read(client, path, model):
    response = client.get(path)
    assert response.status_code == 200
    model.model_validate(response.get_json())
    return response.get_json()


def test_check_of_a_legal_layout_that_is_not_the_best(client):
    # Rule book 9.2, G1: the run leaves 36; the set of threes leaves 3 more.
    hand = "AS 2S 3S 3H 3D 4S 5S KC QC JH"
    answer = ask(client, "/v1/check", CheckAnswer, rules="gin", hand=hand, melds=["3D 3S 3H"])
    assert answer["legal"] is True
    assert answer["best"]["penalty"] == 36
    assert (answer["penalty"], answer["above_best"]) == (42, 6)
    assert answer["layout"]["text"] == "S[3S 3H 3D] / left AS 2S 4S 5S JH QC KC"


def test_check_of_the_best_layout(client):
    hand, melds = "AS 2S 3S 3H 3D 4S 5S KC QC JH", [["AS", "2S", "3S", "4S", "5S"]]
    answer = ask(client, "/v1/check", CheckAnswer, rules="gin", hand=hand, melds=melds)
    assert (answer["legal"], answer["penalty"], answer["above_best"]) == (True, 36, 0)


def test_check_tells_all_that_is_wrong(client):
    answer = ask(
        client,
        "/v1/check",
        CheckAnswer,
        rules="gin",
        hand="7S 7H 7D KC KD",
        melds=["7S 7H", "KC KD KS"],
    )
    assert answer["legal"] is False
    assert answer["penalty"] is answer["above_best"] is answer["layout"] is None
    pointers = {fault["pointer"] for fault in answer["faults"]}
    assert pointers == {"/melds/0", "/melds/1"}
    assert "arrangement.card_missing" in {fault["code"] for fault in answer["faults"]}


@pytest.mark.parametrize(
    ("meld", "text"),
    [
        ("R[7S 8S 9S JK=TS]", "R[7S 8S 9S JK=TS]"),
        ("7S 8S 9S JK", "R[JK=6S 7S 8S 9S]"),
        ({"cards": ["7S", "8S", "9S", "JK"]}, "R[JK=6S 7S 8S 9S]"),
        (
            {"kind": "run", "cards": "7S 8S 9S JK", "stands_for": [None, None, None, "TS"]},
            "R[7S 8S 9S JK=TS]",
        ),
    ],
)
def test_check_takes_the_notation_of_the_table(client, meld, text):
    rules = {"name": "liverpool", "options": {"deal": 1}}
    hand = "7S 8S JK 9S 4D"
    question = {"rules": rules, "hand": hand, "melds": [meld], "ignore_contract": True}
    answer = ask(client, "/v1/check", CheckAnswer, **question)
    assert (answer["legal"], answer["penalty"]) == (True, 5)
    assert answer["layout"]["melds"][0]["text"] == text


def test_check_tells_an_unclosed_bracket(client, problem_of):
    body = {"rules": "gin", "hand": "7S 7H 7D", "melds": ["S[7S 7H 7D]", "S[7S 7H 7D"]}
    document = problem_of(client.post("/v1/check", json=body), "invalid-notation", "table.notation")
    assert document["errors"][0]["pointer"] == "/melds/1"


def test_check_of_no_melds(client):
    answer = ask(client, "/v1/check", CheckAnswer, rules="gin", hand="7S 7H 7D", melds=[])
    assert (answer["legal"], answer["penalty"], answer["above_best"]) == (True, 21, 21)


def test_score_of_a_round(client):
    # Rule book 9.1: A1 costs 0, A4 costs 22.
    answer = ask(
        client,
        "/v1/score",
        ScoreAnswer,
        rules={"name": "three-thirteen", "options": {"cards_dealt": 3, "players": 2}},
        hands=["5S 5H 5D", ["3S", "9D", "QH"]],
        names=["Ann", "Ben"],
        out=0,
        totals=[12, 7],
    )
    assert [p["points"] for p in answer["players"]] == [0, 22]
    assert [p["total"] for p in answer["players"]] == [12, 29]
    assert [p["name"] for p in answer["players"]] == ["Ann", "Ben"]
    assert answer["winners"] == answer["leaders"] == [0]
    assert answer["players"][1]["deadwood"] == [
        {"card": "3S", "points": 3},
        {"card": "QH", "points": 10},
        {"card": "9D", "points": 9},
    ]


def test_score_of_an_exact_cut_and_a_false_meld(client):
    # Rule book 5.6, 5.11: deal 1 of Liverpool, 3 players: 3 * 10 + 1 cards cut earn -50.
    answer = ask(
        client,
        "/v1/score",
        ScoreAnswer,
        rules={"name": "liverpool", "options": {"deal": 1, "players": 3}},
        hands=["", "KS QS", "9D AD"],
        out=0,
        cut=[1, 31],
        false_melds={"2": 1},
    )
    assert [p["points"] for p in answer["players"]] == [0, 20 - 50, 5 + 15 + 50]


def test_contract_that_can_be_laid(client):
    # Deal 1 asks for two sets; 4D (5) and JC (10) stay.
    rules = {"name": "liverpool", "options": {"deal": 1}}
    hand = "7S 7H 7D KS KH KD 4D JC"
    answer = ask(client, "/v1/contract", ContractAnswer, rules=rules, hand=hand)
    assert answer["can_lay"] is True
    assert answer["solution"]["penalty"] == 15
    assert [m["kind"] for m in answer["solution"]["melds"]] == ["set", "set"]


@pytest.mark.parametrize("contract", ["3+r4", ["set", "run4"], [["set", 3], ["run", 4]]])
def test_contract_of_the_request(client, contract):
    rules = {"name": "liverpool", "options": {"deal": 1}}
    hand = "7S 7H 7D 8C 9C TC JC 3D"
    answer = ask(client, "/v1/contract", ContractAnswer, rules=rules, hand=hand, contract=contract)
    assert (answer["can_lay"], answer["solution"]["penalty"]) == (True, 5)


def test_contract_that_cannot_be_laid(client):
    rules = {"name": "liverpool", "options": {"deal": 3}}
    answer = ask(client, "/v1/contract", ContractAnswer, rules=rules, hand="7S 7H 7D KS KH KD")
    assert (answer["can_lay"], answer["solution"]) == (False, None)


def test_list_of_games(client):
    answer = read(client, "/v1/rules", GamesAnswer)
    assert {g["id"] for g in answer["games"]} == {g.id for g in list_rules()}
    for game in answer["games"]:
        assert read(client, game["href"], RulesAnswer)["rules"]["name"] == game["id"]


def test_one_game_under_options(client):
    answer = read(client, "/v1/rules/three-thirteen?cards_dealt=5", RulesAnswer)
    rules = load_rules("three-thirteen", cards_dealt=5)
    assert answer["rules"]["fingerprint"] == rules.fingerprint
    lines = {line["key"]: line for line in answer["options"]}
    assert lines["wild_ranks"]["value"] == ["5"]
    assert lines["ace"]["default"] == "low"
    assert all(line["meaning"] for line in answer["options"])
    assert answer["option_schema"]["properties"]["ace"]["default"] == "low"


def test_limits_are_those_of_the_configuration():
    limits = Limits(hand_cards=30, time_limit_s=2.5)
    config = ServiceConfig(limits=limits, rate_limit=None, warm_up="off")
    answer = read(create_app(config).test_client(), "/v1/limits", LimitsAnswer)
    assert answer["hand_cards"] == 30
    assert answer["time_limit_s"] == 2.5
    assert answer["body_bytes"] == 1 << 20
    assert answer["batch_hands"] == 1000


def test_version_names_every_game(client):
    answer = read(client, "/version", VersionAnswer)
    assert answer["rules"]["gin"] == load_rules("gin").fingerprint
    assert set(answer["rules"]) == {g.id for g in list_rules()}


def test_health_needs_no_kernel(client):
    assert client.get("/healthz").get_json() == {"status": "ok"}


def test_ready_only_after_warm_up(client, problem_of):
    response = client.get("/readyz")  # this application never warms up
    problem_of(response, "unavailable")
    assert int(response.headers["Retry-After"]) > 0
    warm = create_app(ServiceConfig(warm_up="blocking")).test_client()
    assert warm.get("/readyz").get_json() == {"status": "ok"}


def test_a_wrong_self_test_keeps_the_service_unready(monkeypatch, problem_of):
    monkeypatch.setattr("service.warm._TEST_PENALTY", 11)
    client = create_app(ServiceConfig(warm_up="blocking")).test_client()
    document = problem_of(client.get("/readyz"), "unavailable")
    assert "expected 11" in document["detail"]


def test_counters(problem_of):
    pytest.importorskip("prometheus_client")
    client = create_app(ServiceConfig(warm_up="off")).test_client()
    client.get("/v1/solve?rules=gin&hand=7S")
    client.open("/v1/solve", method="BREW")
    text = client.get("/metrics").get_data(as_text=True)
    counted = 'meld_request_seconds_count{method="GET",route="/v1/solve",status="200"} 1.0'
    assert counted in text
    assert 'meld_solve_seconds_count{engine="suit",rules="gin"} 1.0' in text
    assert 'method="other",route="-",status="405"' in text
    assert "7S" not in text
    off = create_app(ServiceConfig(warm_up="off", metrics=False)).test_client()
    problem_of(off.get("/metrics"), "not-found")
