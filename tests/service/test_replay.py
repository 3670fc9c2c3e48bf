"""``/v1/replay``: scores and disagreements of recorded games, faults kept to their game, limits."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from service.app import create_app
from service.config import Limits, ServiceConfig
from service.schemas import LimitsAnswer
from service.schemas_replay import Record, ReplayAnswer, ReplayRow
from solver.engine.selfplay import SimplePlayer, play_game
from solver.rules.loader import load_rules
from tests.mutations import canonical, damaged, damaged_text, parsed

NDJSON = "application/x-ndjson"
PATH = "/v1/replay"


def recorded(name, seed, **options):
    record = play_game(load_rules(name, **options), [SimplePlayer()] * 2, seed)
    return replace(record, id=f"{name}-{seed}")


@pytest.fixture(scope="module")
def records():
    return [
        recorded("gin", 3),
        recorded("gin", 4, rounds=1),
        recorded("deuces-arent-wild", 5, cards_dealt=14),
    ]


def answer_of(response):
    assert response.status_code == 200, response.get_data(as_text=True)
    answer = response.get_json()
    ReplayAnswer.model_validate(answer)
    return answer


def rows_of(response):
    assert response.status_code == 200, response.get_data(as_text=True)
    assert response.mimetype == NDJSON
    rows = [json.loads(line) for line in response.data.splitlines()]
    for row in rows:
        ReplayRow.model_validate(row)
    return rows


def post_lines(client, lines, query=""):
    body = b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)
    return client.post(PATH + query, data=body, content_type=NDJSON)


# --- good games ---------------------------------------------------------------------------------


def test_one_record(client, records):
    record = records[0]
    Record.model_validate(record.to_json())
    answer = answer_of(client.post(PATH, json={"record": record.to_json()}))
    assert (answer["rules"], answer["rejected"]) == (None, 0)
    (row,) = answer["results"]
    assert (row["id"], row["status"], row["disagreements"]) == (record.id, "ok", [])
    assert row["totals"] == list(record.result.totals)
    assert row["winners"] == list(record.result.winners)
    assert row["fines"] == []
    assert len(row["rounds"]) == len(record.rounds) > 1
    for told, played in zip(row["rounds"], record.rounds, strict=True):
        assert told == {
            "round": played.round_no,
            "ending": played.result.ending,
            "out": played.result.out,
            "points": list(played.result.points),
            "totals": list(played.result.totals),
        }
    assert row["moves"] > sum(len(played.moves) for played in record.rounds)  # and chance's
    assert "priced" not in row


def test_records_and_lines_say_the_same_in_order(client, records):
    several = answer_of(client.post(PATH, json={"records": [r.to_json() for r in records]}))
    rows = rows_of(post_lines(client, [r.to_line() for r in records]))
    assert several["results"] == rows
    assert [row["id"] for row in rows] == [record.id for record in records]


def test_an_unfinished_game_is_no_fault(client, records):
    data = json.loads(records[1].to_line())
    del data["sha256"]
    data["rounds"][0] |= {"moves": data["rounds"][0]["moves"][:3], "result": None}
    data["result"] = None
    (row,) = answer_of(client.post(PATH, json={"record": data}))["results"]
    assert (row["status"], row["rounds"], row["winners"]) == ("ok", [], None)


def test_other_rules_price_what_happened(client, records):
    body = {"records": [records[1].to_json()], "rules": {"name": "gin", "options": {"rounds": 1}}}
    answer = answer_of(client.post(PATH, json=body))
    points = list(records[1].rounds[0].result.points)
    assert answer["rules"]["options"]["rounds"] == 1
    priced = answer["results"][0]["priced"]
    assert priced == {"points": [points], "totals": points, "leaders": [points.index(max(points))]}
    (row,) = rows_of(post_lines(client, [records[1].to_line()], "?rules=liverpool"))
    assert (row["status"], row["priced"]["errors"][0]["code"]) == ("ok", "rules.players")
    assert row["priced"]["errors"][0]["pointer"] == "/rules/options/players"


# --- what disagrees -----------------------------------------------------------------------------


def test_a_bad_game_stops_no_other_and_is_pointed_to(client, records):
    points, move, form = (json.loads(records[1].to_line()) for _ in range(3))
    points["rounds"][0]["result"]["points"] = [999, 0]
    move["rounds"][0]["moves"][1] = "0 knock -"
    form["seats"] = "Ann"
    sent = [points, records[0].to_json(), move, 7, form, records[2].to_json()]
    answer = answer_of(client.post(PATH, json={"records": sent}))
    rows = answer["results"]
    assert [row["status"] for row in rows] == [
        *("record.points", "ok", "knock.big_gin", "record.type", "record.type", "ok"),
    ]
    assert answer["rejected"] == 4
    (wrong,) = rows[0]["disagreements"]
    assert wrong["pointer"] == "/records/0/rounds/0/result/points"
    assert (wrong["round"], wrong["got"]) == (1, [999, 0])
    assert wrong["expected"] == rows[0]["rounds"][0]["points"]
    illegal = rows[2]["disagreements"][0]
    assert (illegal["pointer"], illegal["round"]) == ("/records/2/rounds/0/moves/1", 1)
    assert (illegal["move"], illegal["got"]) == (2, "0 knock -")
    assert [row["disagreements"][0]["pointer"] for row in rows[3:5]] == [
        "/records/3",
        "/records/4/seats",
    ]
    assert rows[4]["id"] == records[1].id


def test_lines_that_are_no_records(client, records):
    good = records[1].to_line()
    lines = [good, "{", '{"id":"\\ud800"}', '{"id":1,"id":2}', "[" * 900, "", "5", good]
    rows = rows_of(post_lines(client, lines))
    assert [row["status"] for row in rows] == [
        *("ok", "not-json", "record.key", "json.duplicate", "not-json", "record.type", "ok"),
    ]
    assert rows[2]["id"] == "\ud800"


@pytest.mark.parametrize(
    ("body", "kind", "codes"),
    [
        ({}, "invalid-request", ["schema.records"]),
        ({"record": {}, "records": []}, "invalid-request", ["schema.records"]),
        ({"record": None}, "invalid-request", ["schema.records"]),
        ({"records": 5}, "invalid-request", ["schema.list_type"]),
        ({"record": {}, "x": 1}, "invalid-request", ["schema.extra_forbidden"]),
        ({"record": {}, "rules": "ginn"}, "invalid-rules", ["rules.unknown"]),
    ],
)
def test_requests_that_are_none(client, problem_of, body, kind, codes):
    problem_of(client.post(PATH, json=body), kind, *codes)


def test_other_bodies(client, problem_of):
    problem_of(client.post(PATH, data=b"{", content_type="application/json"), "not-json")
    response = client.post(PATH, data=b"{}", content_type="text/plain")
    problem_of(response, "unsupported-media-type")
    problem_of(post_lines(client, [], "?gin_bonus=5"), "invalid-request", "rules.missing")
    problem_of(post_lines(client, [], "?rules=gin&gin_bonus=x"), "invalid-rules")
    problem_of(client.get(PATH), "method-not-allowed")
    assert rows_of(post_lines(client, [])) == []


# --- limits -------------------------------------------------------------------------------------


def small_client(**limits):
    config = ServiceConfig(limits=Limits(**limits), warm_up="off")
    return create_app(config).test_client()


def test_limits_are_published_and_kept(records, problem_of):
    client = small_client(replay_games=2, batch_body_bytes=20_000)
    answer = client.get("/v1/limits").get_json()
    LimitsAnswer.model_validate(answer)
    assert (answer["replay_games"], answer["batch_body_bytes"]) == (2, 20_000)
    description = client.get("/openapi.json").get_json()["info"]["description"]
    assert "2 games a replay" in description
    line = records[1].to_line()
    assert len(rows_of(post_lines(client, [line] * 2))) == 2
    problem_of(post_lines(client, [line] * 3), "over-limit", "limit.replay_games")
    problem_of(client.post(PATH, json={"records": [1] * 3}), "over-limit", "limit.replay_games")
    problem_of(post_lines(client, [line + " " * 20_000]), "too-large")


def test_games_beyond_the_time_say_so(records):
    client = small_client(time_limit_s=0.001)
    rows = rows_of(post_lines(client, [records[0].to_line()] * 3))
    assert rows[-1]["status"] == "limit.time"
    assert rows[-1]["disagreements"][0]["pointer"] == ""  # not even read any more
    assert {row["status"] for row in rows} == {"limit.time"}


# --- hostile input ------------------------------------------------------------------------------


@pytest.mark.slow
def test_damaged_records_are_refused_each_by_itself(client, records):
    rng = Random(11)
    for k in range(2):
        sent, same = [], []
        for i in range(400):
            record = records[i % 3].to_json()
            if i % 3:
                sent.append(damaged_text(json.dumps(record), rng))
            else:
                sent.append(json.dumps(damaged(record, rng)).encode())
            same.append(canonical(parsed(sent[-1])) == canonical(record))
        rows = rows_of(post_lines(client, sent, "?rules=gin" if k else ""))
        accepted = [row["status"] == "ok" for row in rows]
        wrongly = [line for line, ok, eq in zip(sent, accepted, same, strict=True) if ok and not eq]
        assert wrongly == []


@pytest.mark.slow
def test_damaged_bodies_are_problems_or_answers(client, records):
    rng = Random(13)
    for i in range(200):
        record = records[1 + i % 2].to_json()
        body = json.dumps({"record": damaged(record, rng), "rules": "gin"}).encode()
        if i % 2:
            body = damaged_text(body.decode(), rng)
        response = client.post(PATH, data=body, content_type="application/json")
        assert response.status_code in {200, 400, 422}
        if response.status_code == 200:
            for row in answer_of(response)["results"]:
                said = parsed(body)["record"]
                assert row["status"] != "ok" or canonical(said) == canonical(record)
        else:
            assert response.content_type == "application/problem+json"
