"""Keys, rate limit, settings, log lines, headers; and many requests at once."""

from __future__ import annotations

import base64
import json
import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.app import create_app
from service.config import Limits, ServiceConfig, key_digest
from solver.errors import LimitError

QUESTION = "/v1/solve?rules=gin&hand=7S+7H+7D+KC"


@pytest.fixture(scope="module")
def locked():
    keys = frozenset({key_digest("open sesame"), key_digest("other")})
    return create_app(ServiceConfig(api_keys=keys, warm_up="off")).test_client()


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer open sesame"},
        {"X-API-Key": "other"},
        {"Authorization": "Basic " + base64.b64encode(b"me:other").decode()},
    ],
)
def test_a_known_key_opens(locked, headers):
    response = locked.get(QUESTION, headers=headers)
    assert response.status_code == 200
    assert response.headers["Cache-Control"].startswith("private")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-API-Key": "wrong"},
        {"X-API-Key": key_digest("other")},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic ???"},
        {"Authorization": "Digest x=y"},
    ],
)
def test_an_unknown_key_does_not(locked, problem_of, headers):
    response = locked.get(QUESTION, headers=headers)
    problem_of(response, "unauthorized")
    assert "Bearer" in response.headers["WWW-Authenticate"]
    for path in ("/", "/answer", "/metrics", "/v1/rules"):
        problem_of(locked.get(path, headers=headers), "unauthorized")


def test_probes_and_documents_need_no_key(locked):
    for path in ("/healthz", "/version", "/docs", "/docs/errors", "/static/page.css"):
        with locked.get(path) as response:
            assert response.status_code == 200


def test_rate_limit(problem_of):
    pytest.importorskip("flask_limiter")
    client = create_app(ServiceConfig(rate_limit="2/minute", warm_up="off")).test_client()
    assert [client.get(QUESTION).status_code for _ in range(2)] == [200, 200]
    response = client.get(QUESTION)
    problem_of(response, "rate-limited")
    assert int(response.headers["Retry-After"]) > 0
    assert client.get("/healthz").status_code == 200
    other = client.get(QUESTION, headers={"X-API-Key": "somebody else"})
    assert other.status_code == 200


def test_settings_from_the_environment(tmp_path):
    keys = tmp_path / "keys"
    keys.write_text(f"# ours\n{key_digest('a')}  # Ann\n\n{key_digest('b').upper()}\n")
    config = ServiceConfig.from_environment(
        {
            "MELD_API_KEYS_FILE": str(keys),
            "MELD_RATE_LIMIT": "5/second",
            "MELD_METRICS": "off",
            "MELD_REQUEST_LOG": "on",
            "MELD_WARM_UP": "blocking",
            "MELD_CACHE_SECONDS": "0",
            "MELD_LIMIT_HAND_CARDS": "40",
            "MELD_LIMIT_TIME_LIMIT_S": "2.5",
            "HOME": "ignored",
        }
    )
    assert config == ServiceConfig(
        limits=Limits(hand_cards=40, time_limit_s=2.5),
        api_keys=frozenset({key_digest("a"), key_digest("b")}),
        rate_limit="5/second",
        metrics=False,
        request_log=True,
        warm_up="blocking",
        cache_seconds=0,
    )
    assert ServiceConfig.from_environment({}) == ServiceConfig()


def test_every_wrong_setting_is_told_at_once(tmp_path):
    keys = tmp_path / "keys"
    keys.write_text("hunter2\n")
    with pytest.raises(LimitError) as caught:
        ServiceConfig.from_environment(
            {
                "MELD_API_KEYS_FILE": str(keys),
                "MELD_METRICS": "perhaps",
                "MELD_WARM_UP": "later",
                "MELD_LIMIT_BODY_BYTES": "-1",
                "MELD_LIMIT_TIME_LIMIT_S": "inf",
                "MELD_CACHE_SECONDS": "x",
                "MELD_RATE_LIMIT": "banana",
                "MELD_LIMIT_HAND_CARDS": "121",
                "MELD_LIMIT_WAITING_SOLVES": "-1",
                "MELD_RATELIMIT": "5/minute",
                "MELD_SOLVER_CACHE_DIR": "of the kernels",
            }
        )
    assert [f.where for f in caught.value.faults] == [
        "/MELD_LIMIT_BODY_BYTES",
        "/MELD_LIMIT_HAND_CARDS",
        "/MELD_LIMIT_TIME_LIMIT_S",
        "/MELD_LIMIT_WAITING_SOLVES",
        "/MELD_API_KEYS_FILE",
        "/MELD_RATE_LIMIT",
        "/MELD_METRICS",
        "/MELD_WARM_UP",
        "/MELD_CACHE_SECONDS",
        "/MELD_RATELIMIT",
    ]
    assert "is MELD_RATE_LIMIT meant?" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("name", [*Limits.__dataclass_fields__, "cache_seconds"])
@pytest.mark.parametrize(
    "text", ["banana", "-1", "nan", "inf", "-inf", "1e400", "9" * 400, "1 2", "0x10", "5s"]
)
def test_every_number_is_held_to_a_range(name, text):
    variable = f"MELD_{name.upper()}" if name == "cache_seconds" else f"MELD_LIMIT_{name.upper()}"
    with pytest.raises(LimitError) as caught:
        ServiceConfig.from_environment({variable: text})
    assert [f.where for f in caught.value.faults] == [f"/{variable}"]


@pytest.mark.parametrize(
    "rate", ["banana", "60", "0/minute", "5/fortnight", "1/minute;x", "-1/day"]
)
def test_a_rate_that_is_none_is_refused_before_the_first_request(rate):
    pytest.importorskip("flask_limiter")
    with pytest.raises(LimitError, match="MELD_RATE_LIMIT"):
        ServiceConfig.from_environment({"MELD_RATE_LIMIT": rate})
    with pytest.raises(LimitError, match="MELD_RATE_LIMIT"):
        create_app(ServiceConfig(rate_limit=rate, warm_up="off"))


@pytest.mark.parametrize("content", [None, b"", b"# none\n", b"\xff\xfe"])
def test_a_key_file_without_keys_never_means_no_keys(tmp_path, content):
    keys = tmp_path / "keys"
    if content is not None:
        keys.write_bytes(content)
    with pytest.raises(LimitError):
        ServiceConfig.from_environment({"MELD_API_KEYS_FILE": str(keys)})


def test_one_log_line_a_request_without_hand_or_key(caplog):
    client = create_app(ServiceConfig(request_log=True, warm_up="off")).test_client()
    trace = "0af7651916cd43dd8448eb211c80319c"
    headers = {
        "X-Request-ID": "r-1",
        "X-API-Key": "hush",
        "traceparent": f"00-{trace}-b7ad6b7169203331-01",
    }
    with caplog.at_level(logging.INFO, "service.requests"):
        client.get(QUESTION, headers=headers)
        client.get("/nothing")
    first, second = (json.loads(record.getMessage()) for record in caplog.records)
    assert first["request_id"] == "r-1"
    assert first["trace_id"] == trace
    assert (first["route"], first["status"], first["method"]) == ("/v1/solve", 200, "GET")
    assert (first["rules"], first["cards"]) == ("gin", 4)
    assert first["engine"]
    assert first["ms"] > 0
    assert (second["route"], second["status"]) == ("-", 404)
    assert "hush" not in caplog.text
    assert "7S" not in caplog.text


def test_no_log_line_unless_asked_for(client, caplog):
    with caplog.at_level(logging.INFO, "service.requests"):
        client.get(QUESTION)
    assert not caplog.records


@pytest.mark.parametrize("given", ["a" * 65, "two words", "<script>", ""])
def test_a_strange_request_id_is_replaced(client, given):
    response = client.get("/healthz", headers={"X-Request-ID": given})
    assert response.headers["X-Request-ID"] != given
    assert len(response.headers["X-Request-ID"]) == 16


def test_pages_allow_no_foreign_and_no_inline_code(client):
    for path in ("/", "/docs", "/docs/errors", "/answer"):
        response = client.get(path)
        policy = response.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        text = response.get_data(as_text=True)
        assert "<style" not in text
        assert "style=" not in text
        assert "onclick" not in text
        assert text.count("<script") == text.count('<script type="module" src="/static/')
    assert client.get("/v1/rules").headers["X-Content-Type-Options"] == "nosniff"


def test_answers_to_errors_are_not_kept(client):
    assert client.get("/v1/solve?rules=gin&hand=ZZ").headers["Cache-Control"] == "no-store"


def test_many_requests_at_once_give_the_answers_of_one_at_a_time():
    hands = [
        ("gin", {}, "2S 3S 4S 4H 4D 4C 5C 6C KD 9H"),
        ("three-thirteen", {"cards_dealt": 9}, "KS KH 7D 8D 2C 3C 9H JS 4D"),
        ("five-crowns", {"cards_dealt": 6}, "Q* K* 3* 4* 6S 8S"),
        ("liverpool", {}, "7S 7H 2C KS KH KD 4D JC"),
    ]
    app = create_app(ServiceConfig(warm_up="off"))

    def ask(i):
        name, options, hand = hands[i % len(hands)]
        body = {"rules": {"name": name, "options": options}, "hand": hand}
        answer = app.test_client().post("/v1/solve", json=body).get_json()
        answer.pop("elapsed_us")
        return answer

    alone = [ask(i) for i in range(len(hands))]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(ask, range(64)))
    assert together == [alone[i % len(hands)] for i in range(64)]
