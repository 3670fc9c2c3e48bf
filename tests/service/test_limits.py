"""Every published limit, at it and one beyond."""

from __future__ import annotations

import codecs
import json
import threading
import time

import pytest

from service.app import create_app
from service.clock import ARRIVED, GONE, request_clock
from service.config import Limits, ServiceConfig
from solver.errors import LimitError
from solver.solve import solve

pytestmark = pytest.mark.usefixtures("no_old_garbage")

NDJSON = "application/x-ndjson"
GIN = {"rules": "gin", "hand": "7S 7H 7D KC"}
PADDED = len(json.dumps(GIN))
RECORD = {"format": "meld-record/1"}


def solving(**more):
    return "/v1/solve", json.dumps({**GIN, **more})


def padded(size):
    return "/v1/solve", json.dumps(GIN).ljust(size)


def batch(n, size=0):
    return "/v1/batch", json.dumps({"rules": "gin", "hands": ["7S"] * n}).ljust(size)


def commas(n):
    """Return a hand in which so many commas stand, with the others of the body."""
    return "/v1/solve", json.dumps({"rules": "gin", "hand": "7S" + "," * (n - 1)})


CASES = {
    "body_bytes": (Limits(body_bytes=200), padded(200), padded(201), 413, "too-large"),
    "batch_body_bytes": (
        Limits(batch_body_bytes=300, body_bytes=100),
        batch(2, 300),
        batch(2, 301),
        413,
        "too-large",
    ),
    "hand_cards": (
        Limits(hand_cards=4),
        solving(),
        solving(hand="7S 7H 7D KC KD"),
        422,
        "limit.hand_cards",
    ),
    "round_hands": (
        Limits(round_hands=2),
        ("/v1/score", json.dumps({"rules": "three-thirteen", "hands": ["", "8S"], "out": 0})),
        ("/v1/score", json.dumps({"rules": "three-thirteen", "hands": ["", "8S", "9S"], "out": 0})),
        422,
        "limit.round_hands",
    ),
    "batch_hands": (Limits(batch_hands=3), batch(3), batch(4), 422, "limit.batch_hands"),
    "replay_games": (
        Limits(replay_games=2),
        ("/v1/replay", json.dumps({"records": [RECORD] * 2})),
        ("/v1/replay", json.dumps({"records": [RECORD] * 3})),
        422,
        "limit.replay_games",
    ),
    "time_limit_s": (
        Limits(time_limit_s=2.5),
        solving(time_limit_s=2.5),
        solving(time_limit_s=2.51),
        422,
        "limit.time",
    ),
    "arrangements": (
        Limits(arrangements=5),
        solving(all=5),
        solving(all=6),
        422,
        "limit.arrangements",
    ),
    "json_values": (Limits(json_values=30), commas(30), commas(31), 422, "limit.json_values"),
}
ELSEWHERE = {"body_time_s", "concurrent_solves", "waiting_solves"}  # test_front.py, test_errors.py


def client_of(limits):
    return create_app(ServiceConfig(limits=limits, warm_up="off")).test_client()


def test_every_published_limit_is_tested(client):
    published = set(client.get("/v1/limits").get_json()) - {"rate_limit"}
    assert published == CASES.keys() | ELSEWHERE == set(Limits.__dataclass_fields__)


@pytest.mark.parametrize("name", CASES)
def test_at_the_limit_and_one_beyond(problem_of, name):
    limits, within, beyond, status, code = CASES[name]
    client = client_of(limits)
    path, text = within
    response = client.post(path, data=text, content_type="application/json")
    assert response.status_code == 200, response.get_data(as_text=True)
    path, text = beyond
    response = client.post(path, data=text, content_type="application/json")
    document = problem_of(response, "too-large" if status == 413 else "over-limit")
    assert document["code"] == code
    assert str(client.get("/v1/limits").get_json()[name]).removesuffix(".0") in document["detail"]


@pytest.mark.parametrize("path", ["/v1/batch?rules=gin", "/v1/replay"])
@pytest.mark.parametrize("blank", ["", "\r", "  "])
def test_lines_are_counted_blank_ones_too_but_not_the_last(problem_of, path, blank):
    client = client_of(Limits(batch_hands=3, replay_games=3))
    line = '"7S"' if "batch" in path else json.dumps(RECORD)
    within = f"{line}\n{blank}\n{line}\n{blank}\n"
    response = client.post(path, data=within, content_type=NDJSON)
    assert (response.status_code, len(response.get_data().splitlines())) == (200, 2)
    response = client.post(path, data=within + line, content_type=NDJSON)
    assert problem_of(response, "over-limit")["code"].startswith("limit.")


@pytest.mark.parametrize("path", ["/v1/solve", "/v1/check", "/v1/batch", "/v1/batch?rules=gin"])
def test_a_byte_order_mark_is_passed_over(client, path):
    bodies = {
        "/v1/solve": GIN,
        "/v1/check": {**GIN, "melds": ["7S 7H 7D"]},
        "/v1/batch": {"rules": "gin", "hands": ["7S"]},
    }
    kind = NDJSON if "?" in path else "application/json"
    body = codecs.BOM_UTF8 + (b'"7S"\n' if "?" in path else json.dumps(bodies[path]).encode())
    assert client.post(path, data=body, content_type=kind).status_code == 200


def test_time_counts_from_the_arrival_and_ends_for_a_client_that_has_gone(client, problem_of):
    limit_s = Limits().time_limit_s
    for environ in ({ARRIVED: time.monotonic() - limit_s - 1}, {GONE: threading.Event()}):
        if gone := environ.get(GONE):
            gone.set()
        response = client.post("/v1/solve", json=GIN, environ_overrides=environ)
        problem_of(response, "over-limit", "limit.time")
        body = {"rules": "gin", "hands": ["7S", "7S 8S 9S"], "any_size": True}
        response = client.post("/v1/batch", json=body, environ_overrides=environ)
        rows = response.get_json()["results"]
        assert [row["status"] for row in rows] == ["limit.time"] * 2


@pytest.mark.parametrize("code", ["limit.time", "limit.work"])
@pytest.mark.parametrize(
    "late",
    [
        ("optimal", "optimal_arrangements", "before the best arrangements were listed"),
        ("discards", "best_discard", "before the discards were ranked"),
    ],
)
def test_a_part_without_time_leaves_the_parts_before_it(client, monkeypatch, late, code):
    part, function, words = late

    def slow(*_, **__):
        raise LimitError("no more", code=code)

    monkeypatch.setattr(f"service.answers.{function}", slow)
    asked = {**GIN, "all": 5, "discard": True}
    answer = client.post("/v1/solve", json=asked).get_json()
    assert (answer["penalty"], answer["proved"]) == (10, True)
    assert part not in answer
    assert {"optimal", "discards"} - {part} <= answer.keys()
    assert any(words in note for note in answer["note"])
    drawn = client.get("/answer?rules=gin&hand=7S+7H+7D+KC&all=true&discard=true")
    assert drawn.status_code == 200
    assert words in drawn.get_data(as_text=True)


def test_parts_for_which_no_time_is_left_at_all(client, monkeypatch):
    def solved_late(*arguments, **more):
        request_clock().ends_s = 0.0
        return solve(*arguments, **more)

    monkeypatch.setattr("service.answers.solve", solved_late)
    answer = client.post("/v1/solve", json={**GIN, "all": 5, "discard": True}).get_json()
    assert len([note for note in answer["note"] if "the time ran out" in note]) == 2
