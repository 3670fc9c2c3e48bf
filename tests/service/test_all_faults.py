"""All faults of a request at once, each with its place; strict JSON; pointers."""

from __future__ import annotations

import json

import pytest

from solver.errors import HandError, LimitError, RulesError
from solver.rules.loader import load_rules
from solver.solve import best_contract, best_discard, solve

GIN = {"rules": "gin", "hand": "7S 7H 7D"}


def places(document):
    return {(fault["pointer"], fault["code"]) for fault in document["errors"]}


def post(client, path, text):
    return client.post(path, data=text, content_type="application/json")


def test_faults_of_schema_rules_engine_and_cards_come_together(client, problem_of):
    body = {
        "rules": {"name": "three-thirteen", "options": {"card_dealt": 9, "ace": "up"}},
        **{"hand": "AS ZZ QQ", "engine": "x", "foo": 1, "all": -1, "discard": "maybe"},
    }
    document = problem_of(client.post("/v1/solve", json=body), "invalid-request")
    assert places(document) == {
        ("/foo", "schema.extra_forbidden"),
        ("/all", "schema.greater_than_equal"),
        ("/discard", "schema.bool_type"),
        ("/rules/options/card_dealt", "rules.option"),
        ("/rules/options/ace", "rules.type"),
        ("/hand/1", "card.unknown"),
        ("/hand/2", "card.unknown"),
        ("/engine", "schema.literal_error"),
    }


@pytest.mark.parametrize("hand", ["AS AS ZZ 5*", ["AS", "AS", "ZZ", "5*"]])
def test_surplus_cards_are_told_beside_unknown_tokens(client, problem_of, hand):
    response = client.post("/v1/solve", json={"rules": "gin", "hand": hand, "engine": "x"})
    document = problem_of(response, "invalid-request")
    assert places(document) == {
        ("/hand/2", "card.unknown"),
        ("/hand", "hand.copies"),
        ("/hand", "hand.not_in_deck"),
        ("/engine", "schema.literal_error"),
    }


def test_bad_rules_do_not_hide_bad_tokens_nor_limits(client, problem_of):
    body = {"rules": "bridge", "hand": "7S ZZ K12", "time_limit_s": 99, "all": 1000}
    document = problem_of(client.post("/v1/solve", json=body), "invalid-rules")
    assert places(document) == {
        ("/rules", "rules.unknown"),
        ("/hand/1", "card.unknown"),  # K12 might be a tile: only the rules could tell
        ("/time_limit_s", "limit.time"),
        ("/all", "limit.arrangements"),
    }


def test_hands_of_a_round_melds_and_contracts(client, problem_of):
    body = {"rules": "gim", "hands": ["ZZ", "YY 7S"], "upcard": "??"}
    document = problem_of(client.post("/v1/score", json=body), "invalid-rules")
    assert {p for p, _ in places(document)} == {"/rules", "/hands/0/0", "/hands/1/0", "/upcard/0"}
    body = {"rules": "gin", "hand": "7S 7S", "melds": ["QQ"], "x": 1}
    document = problem_of(client.post("/v1/check", json=body), "invalid-request")
    assert {p for p, _ in places(document)} == {"/x", "/hand", "/melds/0/0"}
    body = {"rules": "liverpool", "hand": "ZZ", "contract": "3+q4"}
    document = problem_of(client.post("/v1/contract", json=body), "invalid-notation")
    assert {p for p, _ in places(document)} == {"/hand/0", "/contract"}


def test_a_query_tells_all_faults_too(client, problem_of):
    response = client.get("/v1/solve?rules=gin&ace=up&hand=ZZ&discard=maybe")
    document = problem_of(response, "invalid-request")
    assert {p for p, _ in places(document)} == {"/discard", "/rules/options/ace", "/hand/0"}


# --- pointers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "x" * 65])
def test_short_rules_of_a_wrong_length_point_to_rules(client, problem_of, name):
    document = problem_of(client.post("/v1/solve", json={**GIN, "rules": name}), "invalid-request")
    assert {p for p, _ in places(document)} == {"/rules"}


def test_a_bad_key_is_pointed_to_itself(client, problem_of):
    body = {
        "rules": {"name": "three-thirteen", "options": {"cards_dealt": 3}},
        **{"hands": ["5S 5H 5D"], "false_melds": {"x": 1, "a/b": 1}, "drops": {"[key]": "first"}},
    }
    document = problem_of(client.post("/v1/score", json=body), "invalid-request")
    assert {p for p, _ in places(document)} == {
        "/false_melds/x",
        "/false_melds/a~1b",
        "/drops/[key]",
    }


@pytest.mark.parametrize(
    ("query", "code", "pointer"),
    [
        ("ace=up", "rules.type", "/rules/options/ace"),
        ("ace=low&ace=both", "query.repeated", "/rules/options/ace"),
        ("a~b%2Fc=1&a~b%2Fc=2", "query.repeated", "/rules/options/a~0b~1c"),
        ("hand=7S", "query.repeated", "/hand"),
        ("rules=gin", "query.repeated", "/rules"),
        ("options={}&options={}", "query.repeated", "/rules/options"),
        ('options={"ace":"both"}&ace=low', "query.conflict", "/rules/options/ace"),
        ('options={"ace":"both","ace":"low"}', "json.duplicate", "/rules/options/ace"),
        ('options={"ace":NaN}', "query.options", "/rules/options"),
        ("time_limit_s=nan", "schema.float_type", "/time_limit_s"),
    ],
)
def test_pointers_of_a_query(client, problem_of, query, code, pointer):
    document = problem_of(
        client.get(f"/v1/solve?rules=gin&hand=7S&{query}"),
        "invalid-rules" if code == "rules.type" else "invalid-request",
    )
    assert places(document) == {(pointer, code)}


# --- JSON ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pointers"),
    [
        ('{"rules":"gin","hand":"7S","hand":"7H"}', ["/hand"]),
        ('{"rules":{"name":"gin","options":{"ace":"low","ace":"both"}},"hand":"7S"}',
         ["/rules/options/ace"]),
        ('{"rules":"gin","hand":"7S","a/b":[{"x":1,"x":1,"x":2}],"a/b":0}', ["/a~1b/0/x", "/a~1b"]),
    ],
)  # fmt: skip
def test_a_key_given_twice_is_refused(client, problem_of, text, pointers):
    document = problem_of(post(client, "/v1/solve", text), "invalid-request")
    assert document["code"] == "json.duplicate"
    assert sorted(p for p, _ in places(document)) == sorted(pointers)


def test_a_key_given_twice_in_a_line_spoils_only_that_line(client):
    lines = '{"hand":"7S","hand":"7H"}\n"7S 7H 7D KC"\n{"hand":NaN}\n'
    address = "/v1/batch?rules=gin&any_size=true"
    response = client.post(address, data=lines, content_type="application/x-ndjson")
    told = [json.loads(line) for line in response.get_data(as_text=True).splitlines()]
    assert [row["status"] for row in told] == ["json.duplicate", "ok", "not-json"]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_json_number_is_no_json(client, problem_of, number):
    for body in (
        f'{{"rules":"gin","hand":"7S","time_limit_s":{number}}}',
        f'{{"rules":{{"name":"gin","options":{{"a":{number}}}}},"hand":"7S"}}',
    ):
        problem_of(post(client, "/v1/solve", body), "not-json", "not-json")


@pytest.mark.parametrize("path", ["/v1/solve", "/v1/rules", "/"])
def test_options_is_answered_without_a_body(client, path):
    response = client.open(path, method="OPTIONS")
    assert response.status_code == 204
    assert response.get_data() == b""
    assert "Content-Type" not in response.headers
    assert "OPTIONS" in response.headers["Allow"]


def test_messages_speak_json(client, problem_of):
    body = {**GIN, "discard": None, "all": True, "hand": None}
    document = problem_of(client.post("/v1/solve", json=body), "invalid-request")
    text = " ".join(fault["detail"] for fault in document["errors"])
    assert "null" in text
    assert "true" in text
    assert "None" not in text
    assert "True" not in text


# --- the library --------------------------------------------------------------------------------


@pytest.mark.parametrize("hand", [None, 7, 1.5, {"AS": 1}, b"AS"])
@pytest.mark.parametrize("question", [solve, best_discard])
def test_what_is_no_hand(hand, question):
    with pytest.raises(HandError) as caught:
        question(hand, load_rules("gin"))
    assert (caught.value.code, caught.value.where) == ("hand.type", "/hand")


@pytest.mark.parametrize("rules", [None, "gin", {}])
@pytest.mark.parametrize(
    "question", [solve, best_discard, best_contract, lambda h, r: best_contract(h, r, "3")]
)
def test_what_are_no_rules(rules, question):
    with pytest.raises(RulesError) as caught:
        question("AS", rules)
    assert (caught.value.code, caught.value.where) == ("rules.type", "/rules")


@pytest.mark.parametrize("seconds", [float("nan"), -1.0, 0.0])
def test_time_limits_that_are_none(seconds):
    with pytest.raises(LimitError) as caught:
        solve("AS", load_rules("gin"), time_limit_s=seconds)
    assert (caught.value.code, caught.value.where) == ("limit.time", "/time_limit_s")
    with pytest.raises(LimitError):
        best_contract("AS", load_rules("gin"), "3", time_limit_s=seconds)
