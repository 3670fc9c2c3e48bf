"""The search for the dearest request: what it asks is right, what is too slow is found."""

from __future__ import annotations

import io
import json
import random
import time
from pathlib import Path

import pytest

from bench import slow_requests
from bench.slow_questions import changed, make_routes, message_of, seconds_of
from bench.slow_requests import Climb, Service, is_beyond, is_wrong, report, search, write_found
from service.app import create_app
from service.config import Limits, ServiceConfig

FOUND = Path(__file__).with_name("slow_requests.jsonl").read_text().splitlines()
"""Requests that the search once found far beyond their time."""
LIMIT_S = 1.0
BUDGET_S = 8.0
# A machine under load adds to every time; the search itself holds requests to half a second.
NOISE_S = 2.0


@pytest.fixture(scope="module")
def routes():
    return make_routes()


@pytest.fixture(scope="module")
def ask():
    """Ask the application in this process."""
    limits = Limits(time_limit_s=LIMIT_S)
    client = create_app(ServiceConfig(limits=limits, warm_up="off")).test_client()

    def send(message):
        return client.open(
            message.path,
            method=message.method,
            data=message.body,
            content_type=message.content_type or None,
        )

    return send


def test_every_route_begins_with_a_request_that_is_answered(routes, ask):
    for route in routes:
        response = ask(message_of(route, route.first))
        assert response.status_code == 200, (route.name, response.get_data(as_text=True)[:500])


def test_every_route_of_questions_is_searched(routes, client):
    asked = {route.path.rstrip("/") for route in routes}
    paths = client.get("/openapi.json").get_json()["paths"]
    posted = {path for path, methods in paths.items() if "post" in methods}
    assert posted <= asked
    assert {"/answer", "/v1/rules"} <= asked


def test_changes_are_requests_in_form(routes, ask):
    rng = random.Random(5)
    n_well = 0
    for route in routes:
        document = route.first
        for _ in range(3):
            document = changed(route, document, rng, 0.05)
            document["rules"] = route.first.get("rules") or document.get("rules")
            if document["rules"] is None:
                del document["rules"]
            assert seconds_of(document, LIMIT_S) <= LIMIT_S
            json.dumps(document)
            response = ask(message_of(route, document))
            told = response.get_data(as_text=True)
            assert response.status_code in {200, 422}, (route.name, document, told[:500])
            assert "schema." not in told or response.status_code == 200, (route.name, told[:500])
            n_well += response.status_code == 200
    assert n_well >= len(routes)


def test_the_same_seed_asks_the_same(routes):
    def asked(seed):
        sent = []

        def ask(message, wait_s):
            sent.append(message)
            return len(message.path) / 1000, 200

        climbs = [Climb(routes[0])]
        search(climbs, lambda m, w: ask(m, w) if len(sent) < 40 else (0.0, 200), **short(seed))
        return sent[:40]

    assert asked(3) == asked(3) != asked(4)


def short(seed):
    return {"budget_s": 0.5, "limit_s": LIMIT_S, "seed": seed}


def test_what_is_too_slow_is_found_told_and_kept(routes, tmp_path):
    def ask(message, wait_s):
        assert wait_s >= slow_requests.GIVE_UP_S
        n_cards = len(json.loads(message.body)["hand"].split())
        return (0.0, 0) if n_cards > 60 else (n_cards / 20, 200)

    climb = Climb(next(route for route in routes if route.name == "POST /v1/solve"))
    search([climb], ask, **short(1))
    assert is_beyond(climb)
    slowest = climb.slowest[0]
    assert slowest.took_s > LIMIT_S + slow_requests.TOLERANCE_S
    out = io.StringIO()
    report([climb], out)
    assert "BEYOND" in out.getvalue()
    write_found([climb], tmp_path / "found")
    first = json.loads((tmp_path / "found").read_text().splitlines()[0])
    assert (first["route"], first["document"]) == ("POST /v1/solve", slowest.document)


def test_a_failure_of_the_service_is_found(routes):
    climb = Climb(routes[0])
    search([climb], lambda *_: (0.1, 500), **short(1))
    out = io.StringIO()
    report([climb], out)
    assert is_wrong(climb)
    assert not is_beyond(climb)
    assert "FAILED" in out.getvalue()
    assert "failed, 0.10 s" in out.getvalue()


def test_a_slow_moment_of_the_machine_is_no_find(routes):
    times = iter([9.0] + [0.1] * 1000_000)
    climb = Climb(routes[0])
    search([climb], lambda *_: (next(times), 200), **short(1))
    assert not is_beyond(climb)


def test_no_route_is_beyond_its_time(routes):
    pytest.importorskip("granian")
    service = Service(LIMIT_S)
    climbs = [Climb(route) for route in routes]
    try:
        search(climbs, service.ask, budget_s=BUDGET_S, limit_s=LIMIT_S, seed=7)
    finally:
        service.close()
    out = io.StringIO()
    report(climbs, out)
    assert max(climb.furthest[0].beyond_s for climb in climbs) < NOISE_S, out.getvalue()
    assert all(climb.n_accepted and not climb.failed for climb in climbs), out.getvalue()


@pytest.mark.parametrize("line", FOUND, ids=lambda line: json.loads(line)["route"])
def test_what_was_once_found_keeps_its_time(routes, ask, line):
    found = json.loads(line)
    route = next(route for route in routes if route.name == found["route"])
    document = found["document"]
    ask(message_of(route, {**document, **first_of(route)}))  # compiles what is not compiled yet
    began = time.monotonic()
    response = ask(message_of(route, document))
    took_s = time.monotonic() - began
    assert response.status_code in {200, 422}
    assert took_s - seconds_of(document, LIMIT_S) < NOISE_S / 2


def first_of(route):
    return {name: route.first[name] for name in ("hand", "hands", "rack") if name in route.first}
