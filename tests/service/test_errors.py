"""Every kind of error as a problem document with place and code; no request ends otherwise."""

from __future__ import annotations

import json
import logging

import pytest

from service.app import create_app
from service.config import Limits, ServiceConfig
from service.errors import KINDS
from service.state import EXTENSION
from solver.solve import ENGINES

GIN = {"rules": "gin", "hand": "7S 7H 7D"}


def faults_of(document):
    return {(fault["code"], fault["pointer"]) for fault in document["errors"]}


# --- the request itself -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body", ["", "{", "not json", '{"rules": "gin", "hand": "\\ud800"}', b"\xff\xfe", "[1,]"]
)
def test_a_body_that_is_not_json(client, problem_of, body):
    response = client.post("/v1/solve", data=body, content_type="application/json")
    problem_of(response, "not-json", "not-json")


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", None])
def test_wrong_content_type(client, problem_of, content_type):
    response = client.post("/v1/solve", data=json.dumps(GIN), content_type=content_type)
    document = problem_of(response, "unsupported-media-type")
    assert "application/json" in document["detail"]


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "application/vnd.x+json"]
)
def test_other_names_of_json_are_taken(client, content_type):
    response = client.post("/v1/solve", data=json.dumps(GIN), content_type=content_type)
    assert response.status_code == 200


def test_oversized_body(client, problem_of):
    body = json.dumps({"rules": "gin", "hand": "7S " * 400_000})
    assert len(body) > 1 << 20
    response = client.post("/v1/solve", data=body, content_type="application/json")
    problem_of(response, "too-large")


def test_body_of_exactly_the_limit(problem_of):
    body = json.dumps(GIN)
    for size, status in ((len(body), 200), (len(body) - 1, 413)):
        config = ServiceConfig(limits=Limits(body_bytes=size), warm_up="off")
        response = (
            create_app(config)
            .test_client()
            .post("/v1/solve", data=body, content_type="application/json")
        )
        assert response.status_code == status


@pytest.mark.parametrize("path", ["/v2/solve", "/v1/nothing", "/static/none.css", "/.git/config"])
def test_unknown_address(client, problem_of, path):
    problem_of(client.get(path), "not-found", "not-found")


def test_unknown_game_in_the_address(client, problem_of):
    problem_of(client.get("/v1/rules/bridge"), "not-found", "rules.unknown")


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/v1/check"), ("DELETE", "/v1/solve"), ("POST", "/v1/rules")]
)
def test_wrong_method(client, problem_of, method, path):
    response = client.open(path, method=method)
    problem_of(response, "method-not-allowed")
    assert response.headers["Allow"]


def test_a_bug_is_a_bare_500_with_a_request_id(monkeypatch, problem_of, caplog):
    def fail(*_, **__):
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("service.answers.solve", fail)
    client = create_app(ServiceConfig(warm_up="off")).test_client()
    with caplog.at_level(logging.ERROR, "service"):
        response = client.post("/v1/solve", json=GIN, headers={"X-Request-ID": "abc-1"})
    document = problem_of(response, "internal")
    assert document["instance"] == "urn:request:abc-1"
    assert "secret" not in response.get_data(as_text=True)
    assert "abc-1" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_all_places_taken(problem_of):
    limits = Limits(concurrent_solves=1, waiting_solves=0)
    app = create_app(ServiceConfig(limits=limits, warm_up="off"))
    with app.extensions[EXTENSION].gate.place(0):
        response = app.test_client().post("/v1/solve", json=GIN)
    problem_of(response, "unavailable")
    assert int(response.headers["Retry-After"]) > 0
    assert app.test_client().post("/v1/solve", json=GIN).status_code == 200


# --- the schema ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        ([], "schema.model_type", ""),
        ({}, "schema.missing", "/rules"),
        ({"rules": "gin"}, "schema.missing", "/hand"),
        ({**GIN, "nonsense": 1}, "schema.extra_forbidden", "/nonsense"),
        ({**GIN, "a/b~c": 1}, "schema.extra_forbidden", "/a~1b~0c"),
        ({**GIN, "rules": 7}, "schema.model_type", "/rules"),
        ({**GIN, "rules": {}}, "schema.missing", "/rules/name"),
        (
            {**GIN, "rules": {"name": "gin", "optons": {}}},
            "schema.extra_forbidden",
            "/rules/optons",
        ),
        ({**GIN, "rules": {"name": "gin", "options": []}}, "schema.dict_type", "/rules/options"),
        ({**GIN, "hand": 5}, "schema.cards_type", "/hand"),
        ({**GIN, "hand": None}, "schema.cards_type", "/hand"),
        ({**GIN, "hand": {"joker": True, "color": "red"}}, "schema.cards_type", "/hand"),
        ({**GIN, "discard": 1}, "schema.bool_type", "/discard"),
        ({**GIN, "discard": "true"}, "schema.bool_type", "/discard"),
        ({**GIN, "all": 0}, "schema.greater_than_equal", "/all"),
        ({**GIN, "all": 1.5}, "schema.int_type", "/all"),
        ({**GIN, "all": "3"}, "schema.int_type", "/all"),
        ({**GIN, "time_limit_s": 0}, "schema.greater_than", "/time_limit_s"),
        ({**GIN, "time_limit_s": "1"}, "schema.float_type", "/time_limit_s"),
    ],
)
def test_wrong_types_and_unknown_fields(client, problem_of, body, code, pointer):
    document = problem_of(client.post("/v1/solve", json=body), "invalid-request")
    assert (code, pointer) in faults_of(document)


def test_numbers_beyond_all_bounds(client, problem_of):
    body = '{"rules": "gin", "hand": "7S", "time_limit_s": 1e999}'
    response = client.post("/v1/solve", data=body, content_type="application/json")
    problem_of(response, "invalid-request", "schema.finite_number")
    body = '{"rules": {"name": "gin", "options": {"a": 1e999}}, "hand": "7S"}'
    response = client.post("/v1/solve", data=body, content_type="application/json")
    problem_of(response, "invalid-request", "schema.options_number")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"a": 10**40}, "schema.options_number"),
        ({"a": "x" * 1000}, "schema.options_text"),
        ({"a": [[[[[[[[1]]]]]]]]}, "schema.options_size"),
        ({"a": [0] * 2000}, "schema.options_size"),
    ],
)
def test_options_that_no_game_has(client, problem_of, options, code):
    body = {"rules": {"name": "gin", "options": options}, "hand": "7S"}
    problem_of(client.post("/v1/solve", json=body), "invalid-request", code)


def test_all_schema_faults_at_once(client, problem_of):
    body = {"rules": {"nam": "gin"}, "hand": 3, "discard": "yes", "x": 1}
    document = problem_of(client.post("/v1/solve", json=body), "invalid-request")
    assert {p for _, p in faults_of(document)} == {
        "/rules/name",
        "/rules/nam",
        "/hand",
        "/discard",
        "/x",
    }


def test_query_parameter_given_twice(client, problem_of):
    response = client.get("/v1/solve?rules=gin&hand=7S&hand=7H")
    problem_of(response, "invalid-request", "query.repeated")


def test_query_options_that_are_no_object(client, problem_of):
    response = client.get("/v1/solve?rules=gin&hand=7S&options=[1]")
    problem_of(response, "invalid-request", "query.options")


def test_query_without_what_is_needed(client, problem_of):
    document = problem_of(client.get("/v1/solve?hand=7S"), "invalid-request")
    assert ("schema.missing", "/rules") in faults_of(document)


# --- rules, cards and deck ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "code", "pointer"),
    [
        ("bridge", "rules.unknown", "/rules"),
        ({"name": "gin", "options": {"knoklimit": 1}}, "rules.option", "/rules/options/knoklimit"),
        ({"name": "gin", "options": {"ace": "up"}}, "rules.type", "/rules/options/ace"),
        ({"name": "gin", "options": {"set_min": 0}}, "rules.range", "/rules/options/set_min"),
        (
            {"name": "three-thirteen", "options": {"cards_dealt": 99}},
            "rules.range",
            "/rules/options/cards_dealt",
        ),
        (
            {"name": "three-thirteen", "options": {"cards_dealt": 30}},
            "rules.round",
            "/rules/options/cards_dealt",
        ),
    ],
)
def test_rules_that_are_none(client, problem_of, rules, code, pointer):
    response = client.post("/v1/solve", json={"rules": rules, "hand": "7S"})
    document = problem_of(response, "invalid-rules")
    assert code in {c for c, _ in faults_of(document)}
    assert document["errors"][0]["pointer"].startswith(pointer)


def test_contradictory_options(client, problem_of):
    options = {"set_min": 5, "set_max": 4, "run_min": 6, "run_max": 3}
    response = client.post(
        "/v1/solve", json={"rules": {"name": "gin", "options": options}, "hand": "7S"}
    )
    document = problem_of(response, "invalid-rules")
    assert len(document["errors"]) >= 2
    assert all(f["pointer"].startswith("/rules/options/") for f in document["errors"])


def test_every_unknown_token_is_named(client, problem_of):
    response = client.post("/v1/solve", json={"rules": "gin", "hand": "7S ZZ 7H nothing 6\u0441"})
    document = problem_of(response, "invalid-notation", *["card.unknown"] * 3)
    assert [f["pointer"] for f in document["errors"]] == ["/hand/1", "/hand/3", "/hand/4"]
    assert [f["data"]["token"] for f in document["errors"]] == ["ZZ", "nothing", "6\u0441"]
    assert "CYRILLIC" in document["errors"][2]["detail"]


@pytest.mark.parametrize("card", [7, None, True, ["7S"], {"joker": True, "color": "red"}])
def test_a_list_with_something_that_is_no_text(client, problem_of, card):
    response = client.post("/v1/solve", json={"rules": "gin", "hand": ["7S", card]})
    document = problem_of(response, "invalid-notation", "card.unknown")
    assert document["errors"][0]["pointer"] == "/hand/1"


def test_a_list_of_numbers_is_no_hand(client, problem_of):
    # Ids are for the library; on the wire a 7 would be an ambiguous card.
    response = client.post("/v1/solve", json={"rules": "gin", "hand": [1, 2, 3]})
    problem_of(response, "invalid-notation", *["card.unknown"] * 3)


@pytest.mark.parametrize("hand", ["", "  ,; ", []])
def test_empty_hand(client, problem_of, hand):
    response = client.post("/v1/solve", json={"rules": "gin", "hand": hand})
    document = problem_of(response, "invalid-hand", "hand.empty")
    assert document["errors"][0]["pointer"] == "/hand"


def test_surplus_copies_name_the_card(client, problem_of):
    response = client.post("/v1/solve", json={"rules": "gin", "hand": "7S 7S 7H KD KD"})
    document = problem_of(response, "invalid-hand", "hand.copies", "hand.copies")
    assert [f["data"]["card"] for f in document["errors"]] == ["7S", "KD"]


def test_card_outside_the_deck(client, problem_of):
    response = client.post("/v1/solve", json={"rules": "gin", "hand": "7S JK 5*"})
    document = problem_of(response, "invalid-hand", *["hand.not_in_deck"] * 2)
    assert {f["data"]["card"] for f in document["errors"]} == {"JK", "5*"}


def test_wrong_hand_size_in_score(client, problem_of):
    rules = {"name": "three-thirteen", "options": {"cards_dealt": 3}}
    body = {"rules": rules, "hands": ["5S 5H 5D", "3S 9D"]}
    document = problem_of(client.post("/v1/score", json=body), "invalid-hand", "hand.size")
    assert document["errors"][0]["pointer"] == "/hands/1"


def test_who_went_out_must_have_melded(client, problem_of):
    rules = {"name": "three-thirteen", "options": {"cards_dealt": 3}}
    body = {"rules": rules, "hands": ["5S 5H 5D", "3S 9D QH"], "out": 1}
    problem_of(client.post("/v1/score", json=body), "invalid-hand", "round.out")


@pytest.mark.parametrize(
    ("extra", "pointer"),
    [
        ({"out": 7}, "/out"),
        ({"totals": [1]}, "/totals"),
        ({"names": ["A", "B", "C"]}, "/names"),
        ({"cut": [5, 5]}, "/cut"),
        ({"false_melds": {"4": 1}}, "/false_melds"),
        ({"drops": {"9": "first"}}, "/drops"),
    ],
)
def test_seats_that_are_not_at_the_table(client, problem_of, extra, pointer):
    # Every fact is given a price, so that only its seat is wrong.
    options = {
        "cards_dealt": 3,
        "exact_cut_bonus": -50,
        "false_meld_penalty": 50,
        "drop_points": [20, 40],
    }
    rules = {"name": "three-thirteen", "options": options}
    body = {"rules": rules, "hands": ["5S 5H 5D", "3S 9D QH"], **extra}
    document = problem_of(client.post("/v1/score", json=body), "invalid-hand", "round.seats")
    assert document["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        ({"rules": "gin", "hands": ["4S 5S 6S 7S 7H 7D 7C JH QH KH"]}, "round.players", "/hands"),
        ({"cut": [1, 31]}, "round.unused_field", "/cut"),
        ({"drops": {"1": "first", "01": "middle"}}, "round.conflict", "/drops/01"),
        ({"hands": ["5S 5H 5D", "3S 9D JK"]}, "hand.not_in_deck", "/hands/1"),
    ],
)
def test_rounds_that_cannot_be(client, problem_of, change, code, pointer):
    rules = {"name": "three-thirteen", "options": {"cards_dealt": 3}}
    body = {"rules": rules, "hands": ["5S 5H 5D", "3S 9D QH"], "out": 0, **change}
    document = problem_of(client.post("/v1/score", json=body), "invalid-hand", code)
    assert document["errors"][0]["pointer"] == pointer


def test_unknown_upcard_and_melds(client, problem_of):
    rules = {"name": "three-thirteen", "options": {"cards_dealt": 3}}
    body = {"rules": rules, "hands": ["5S 5H 5D"], "upcard": "??"}
    problem_of(client.post("/v1/score", json=body), "invalid-notation", "card.unknown")
    body = {"rules": "gin", "hand": "7S 7H 7D", "melds": ["7S x", ["y"]]}
    document = problem_of(
        client.post("/v1/check", json=body), "invalid-notation", "card.unknown", "card.unknown"
    )
    assert [f["pointer"] for f in document["errors"]] == ["/melds/0/1", "/melds/1/0"]


def test_contract_that_is_none(client, problem_of):
    body = {"rules": "liverpool", "hand": "7S 7H 7D", "contract": "3+q4"}
    document = problem_of(client.post("/v1/contract", json=body), "invalid-rules", "rules.type")
    assert document["errors"][0]["pointer"] == "/contract"
    body = {"rules": "gin", "hand": "7S 7H 7D"}
    problem_of(client.post("/v1/contract", json=body), "invalid-rules", "rules.contract")


# --- limits -------------------------------------------------------------------------------------


def many_cards(n):
    return [f"{r}{s}" for _ in range(3) for s in "SHDC" for r in "A23456789TJQK"][:n]


@pytest.mark.parametrize("as_text", [True, False])
def test_cards_a_hand(client, problem_of, as_text):
    cards = many_cards(121)
    hand = " ".join(cards) if as_text else cards
    response = client.post("/v1/solve", json={"rules": "three-thirteen", "hand": hand})
    document = problem_of(response, "over-limit", "limit.hand_cards")
    assert "120" in document["detail"]


def test_a_huge_text_is_refused_unread(client, problem_of):
    response = client.post("/v1/solve", json={"rules": "gin", "hand": "x " * 100_000})
    problem_of(response, "over-limit", "limit.hand_cards")
    body = {"rules": "gin", "hand": "7S", "melds": ["x " * 100_000]}
    problem_of(client.post("/v1/check", json=body), "over-limit", "limit.hand_cards")


def test_time_limit(client, problem_of):
    response = client.post("/v1/solve", json={**GIN, "time_limit_s": 10.5})
    problem_of(response, "over-limit", "limit.time")
    assert client.post("/v1/solve", json={**GIN, "time_limit_s": 10}).status_code == 200


def test_arrangements_listed(client, problem_of):
    problem_of(
        client.post("/v1/solve", json={**GIN, "all": 101}), "over-limit", "limit.arrangements"
    )
    assert client.post("/v1/solve", json={**GIN, "all": 100}).status_code == 200


def test_hands_a_round(client, problem_of):
    rules = {"name": "three-thirteen", "options": {"cards_dealt": 3}}
    response = client.post("/v1/score", json={"rules": rules, "hands": ["5S 5H 5D"] * 17})
    problem_of(response, "over-limit", "limit.round_hands")


def test_unknown_engine(client, problem_of):
    response = client.post("/v1/solve", json={**GIN, "engine": "oracle"})
    document = problem_of(response, "invalid-request", "schema.literal_error")
    assert document["errors"][0]["pointer"] == "/engine"
    expected = "expected 'auto', 'suit', 'frontier' or 'cpsat', got \"oracle\""
    assert document["detail"] == expected
    problem_of(client.get("/v1/solve?rules=gin&hand=7S&engine=x"), "invalid-request")


def test_every_engine_of_the_solver_may_be_asked_for(client):
    schema = client.get("/openapi.json").get_json()["components"]["schemas"]["SolveRequest"]
    assert schema["properties"]["engine"]["enum"] == ["auto", *ENGINES]


@pytest.mark.parametrize("field", ["options", "round", "cards_dealt", "ace"])
@pytest.mark.parametrize("rules", ["gin", {"name": "gin"}])
def test_options_beside_the_rules_are_shown_their_place(client, problem_of, field, rules):
    for body in ({**GIN, "rules": rules, field: 3}, {**GIN, "rules": {"name": "gin", field: 3}}):
        if field == "options" and field in body["rules"]:
            continue
        document = problem_of(client.post("/v1/solve", json=body), "invalid-request")
        assert document["code"] == "schema.extra_forbidden"
        assert f"unknown field '{field}'" in document["detail"]
        assert '"rules": {"name": ..., "options": {...}}' in document["detail"]
    document = problem_of(client.post("/v1/solve", json={**GIN, "foo": 1}), "invalid-request")
    assert "options" not in document["detail"]


def test_the_page_of_errors_explains_every_kind(client):
    text = client.get("/docs/errors").get_data(as_text=True)
    assert all(f'id="{name}"' in text for name in KINDS)
