"""Every route, damaged JSON in every field and damaged texts in every query: plain words."""

from __future__ import annotations

import json

import pytest

from service.app import create_app
from tests.words.clean import HOSTILE_JSON, told_badly
from tests.words.test_commands import RECORD, ROUND, texts_of

HAND, LIVERPOOL = "5S 5H 5D 9D 9C 9S KH", {"name": "liverpool", "options": {"deal": 1}}
BODIES = {
    "/v1/solve": {"rules": "gin", "hand": HAND, "engine": "auto", "time_limit_s": 1, "all": 2}
    | {"discard": False, "ignore_contract": False},
    "/v1/check": {"rules": "gin", "hand": HAND, "melds": ["5S 5H 5D"]},
    "/v1/contract": {"rules": LIVERPOOL, "hand": HAND, "contract": "3+3"},
    "/v1/layoff": {"rules": "liverpool", "hand": HAND, "table": ["KS KD KC"], "keep": 0},
    "/v1/godown": {"rules": LIVERPOOL, "hand": HAND, "table": ["KS KD KC"], "own": [], "keep": 0},
    "/v1/rearrange": {"rules": "rummikub", "rack": "R4", "table": ["R1 R2 R3"], "opening": False}
    | {"objective": "tiles", "time_limit_s": 1},
    "/v1/advice": {
        "rules": {"name": "three-thirteen", "options": {"cards_dealt": 3}},
        "hand": "5S 5H 9D KC",
        **{"players": 2, "seen": "", "stock": 9},
    },
    "/v1/batch": {"rules": "gin", "hands": [HAND]},
    "/v1/replay": {"records": [RECORD]},
    "/v1/score": ROUND,
}


@pytest.fixture(scope="module")
def client():
    return create_app().test_client()


def badly(answer):
    """Return what is wrong with a refusal, None when it is in plain words."""
    if answer.status_code >= 500:
        return f"status {answer.status_code}"
    told = texts_of(answer.get_data(as_text=True))
    return next(filter(None, map(told_badly, told)), None)


def found(wrong):
    return "\n".join(f"{what}: {how}" for what, how in wrong.items() if how)


def test_all_routes_are_tried(client):
    posted = {
        rule.rule
        for rule in client.application.url_map.iter_rules()
        if "POST" in rule.methods and rule.rule.startswith("/v1/")
    }
    assert posted == set(BODIES)
    for path, body in BODIES.items():
        answer = client.post(path, json=body)
        assert answer.status_code == 200, answer.get_data(as_text=True)


@pytest.mark.parametrize(("path", "key"), [(p, k) for p, b in BODIES.items() for k in b])
def test_damaged_fields(client, path, key):
    wrong = {}
    for value in HOSTILE_JSON:
        body = json.dumps({**BODIES[path], key: value})
        wrong[body[-60:]] = badly(client.post(path, data=body, content_type="application/json"))
    assert not found(wrong), found(wrong)


@pytest.mark.parametrize("path", BODIES)
def test_damaged_bodies(client, path):
    wrong = {}
    whole = json.dumps(BODIES[path]).encode()
    bodies = [json.dumps(value).encode() for value in HOSTILE_JSON]
    bodies += [b"", b"{", whole[:-3], b"\xff" + whole, b"[" * 50_000, b"9" * 5_000, b'{"a": NaN}']
    for body in bodies:
        for kind in ("application/json", "application/x-ndjson", "text/plain", "nonsense"):
            answer = client.post(path, data=body, content_type=kind)
            wrong[f"{body[:30]!r} {kind}"] = badly(answer)
    assert not found(wrong), found(wrong)


@pytest.mark.parametrize(
    "path", ["/v1/solve", "/v1/rules", "/v1/rules/gin", "/v1/limits", "/v1/nothing", "/"]
)
def test_damaged_queries(client, path):
    wrong = {}
    for key in ("rules", "hand", "cards_dealt", "options", "engine", "all", "round", "", "x"):
        for value in ("", "x", "-1", "[", "{}", "9" * 5_000, "\ud800", "\0", "7S " * 500):
            query = {"rules": "gin", "hand": "7S", key: value.encode(errors="surrogatepass")}
            answer = client.get(path, query_string=query)
            if answer.is_json:
                wrong[f"{key}={value[:20]!r}"] = badly(answer)
            else:
                assert answer.status_code < 500
    assert not found(wrong), found(wrong)
