"""``/v1/batch``: arrays and lines, order and ids kept, a fault of one hand kept to it, limits."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.app import create_app
from service.config import Limits, ServiceConfig
from service.schemas_batch import BatchAnswer, BatchRow
from solver.errors import LimitError

NDJSON = "application/x-ndjson"
ANY = {"any_size": True}
"""Hands of all sizes, which in Gin nobody can hold."""
GIN = {"7S 8S 9S KD": 10, "7S 7H 7D 7C 8C 9C TC 8S 9S KD": 10, "AS 2S 3S": 0, "QS JD 2C": 22}


def post_lines(client, lines, query="rules=gin"):
    body = "".join(json.dumps(line) + "\n" if not isinstance(line, str) else line for line in lines)
    address = f"/v1/batch?{query}&any_size=true"
    return client.post(address, data=body.encode(), content_type=NDJSON)


def answers_of(response):
    assert response.status_code == 200, response.get_data(as_text=True)
    assert response.mimetype == NDJSON
    rows = [json.loads(line) for line in response.get_data(as_text=True).splitlines()]
    for row in rows:
        BatchRow.model_validate(row)
    return rows


def test_an_array_of_hands_in_every_form(client):
    hands = ["7S 8S 9S KD", ["7S", "8S", "9S", "10D"], {"hand": "QS", "id": 7}]
    response = client.post("/v1/batch", json={**ANY, "rules": "gin", "hands": hands})
    answer = response.get_json()
    BatchAnswer.model_validate(answer)
    assert answer["rejected"] == 0
    assert answer["rules"]["name"] == "gin"
    assert [row["penalty"] for row in answer["results"]] == [10, 10, 10]
    assert [row["status"] for row in answer["results"]] == ["ok"] * 3
    assert answer["results"][2]["id"] == 7
    assert "id" not in answer["results"][0]


def test_a_fault_spoils_no_other_hand_and_points_into_the_body(client):
    hands = [
        "7S 8S 9S",
        "7S 8X",
        {"hand": ["7S", "KK"], "id": "b"},
        {"hand": "7S", "colour": 1},
        {"hand": "7S 7S"},
        5,
        "",
        {"hand": "KD", "id": "last"},
    ]
    answer = client.post("/v1/batch", json={**ANY, "rules": "gin", "hands": hands}).get_json()
    BatchAnswer.model_validate(answer)
    rows = answer["results"]
    assert [(row["status"], row["penalty"]) for row in rows] == [
        ("ok", 0),
        ("card.unknown", None),
        ("card.unknown", None),
        ("schema.extra_forbidden", None),
        ("hand.copies", None),
        ("schema.model_type", None),
        ("hand.empty", None),
        ("ok", 10),
    ]
    pointers = [row["errors"][0]["pointer"] for row in rows if "errors" in row]
    assert pointers == [
        "/hands/1/1",
        "/hands/2/hand/1",
        "/hands/3/colour",
        "/hands/4/hand",
        "/hands/5",
        "/hands/6",
    ]
    assert (rows[2]["id"], rows[7]["id"], answer["rejected"]) == ("b", "last", 6)


def test_lines_keep_order_ids_and_faults(client):
    lines = [
        {"hand": "QS JD 2C", "id": 3},
        "this is no JSON\n",
        {"hand": "AS 2S 3S", "id": "x"},
        "\n",
        {"id": 4},
        {"hand": "7S 8S 9S KD"},
    ]
    rows = answers_of(post_lines(client, lines))
    assert [row["status"] for row in rows] == ["ok", "not-json", "ok", "schema.missing", "ok"]
    assert [row.get("id") for row in rows] == [3, None, "x", 4, None]
    assert [row["penalty"] for row in rows] == [22, None, 0, None, 10]
    assert rows[3]["errors"][0]["pointer"] == "/hand"


def test_a_round_chooses_the_rules_of_a_hand(client):
    # Round 1 deals three cards and makes threes wild, round 11 makes kings wild.
    lines = [{"hand": "3S 9H 9D", "round": 1}, {"hand": "3S 9H 9D", "round": 11}]
    lines += [{"hand": "3S", "round": 12}, {"hand": "KS 9H 9D", "round": 11.0}]
    rows = answers_of(post_lines(client, lines, "rules=three-thirteen"))
    assert [row["penalty"] for row in rows] == [0, 21, None, 0]
    assert rows[2]["status"] == "rules.round"
    assert rows[2]["errors"][0]["pointer"] == "/round"


@pytest.mark.parametrize("game", ["three-thirteen", "liverpool", "five-crowns"])
def test_a_hand_without_its_round_is_no_question_where_rounds_decide(client, game):
    hands = ["7S 7H 7D", {"hand": "7S 7H 7D", "round": 1}]
    body = {"rules": game, "hands": hands}
    first, second = client.post("/v1/batch", json=body).get_json()["results"]
    assert (first["status"], first["penalty"]) == ("round.missing", None)
    assert first["errors"][0]["pointer"] == "/hands/0/round"
    assert second["status"] == "ok"
    first, second = client.post("/v1/batch", json={**body, **ANY, "no_round": True}).get_json()[
        "results"
    ]
    assert (first["status"], first["penalty"]) == ("ok", 0)
    assert "chosen" in first["note"][0]


def test_the_contract_of_the_round_is_asked(client):
    # Deal 4 asks three sets, and pairs of tens, eights and sixes with one wild make but one: all
    # ten cards count, which is 75; the tens with the wild alone would leave 50.
    hand = {"hand": "TH 2H 8C 6H 6C 8S TH 7S AD QD", "round": 4}
    body = {"rules": "liverpool", "hands": [hand]}
    row = client.post("/v1/batch", json=body).get_json()["results"][0]
    assert row["penalty"] == 75
    row = client.post("/v1/batch", json={**body, "ignore_contract": True}).get_json()["results"][0]
    assert row["penalty"] == 50
    assert "as if it were already down" in row["note"][0]
    assert "can_go_down" not in row


@pytest.mark.parametrize("melds", [False, True])
def test_a_row_says_whether_its_contract_can_be_laid(client, melds):
    # Deal 1, two sets: nines and kings leave three fives and the three. Deal 2 asks a run of four,
    # which is not there: all cards cost 65.
    hand = "5S 5H 5D 9D 9C 9S KS KD KC 3H"
    hands = [{"hand": hand, "round": 1}, {"hand": hand, "round": 2}]
    body = {"rules": "liverpool", "hands": hands, "melds": melds}
    first, second = client.post("/v1/batch", json=body).get_json()["results"]
    assert (first["penalty"], first["can_go_down"]) == (20, True)
    assert (second["penalty"], second["can_go_down"]) == (65, False)
    plain = client.post(
        "/v1/batch", json={"rules": "gin", "hands": ["7S 7H 7D 2S 3S 4S 9C TC JC QC"]}
    )
    assert "can_go_down" not in plain.get_json()["results"][0]


def test_hands_that_nobody_can_hold_are_no_question(client):
    sizes = {
        n: " ".join("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS".split()[:n]) for n in range(1, 13)
    }
    body = {"rules": "gin", "hands": list(sizes.values())}
    rows = client.post("/v1/batch", json=body).get_json()["results"]
    assert {n for n, row in zip(sizes, rows, strict=True) if row["status"] == "ok"} == {10, 11}
    assert {row["status"] for row in rows} == {"ok", "hand.size"}
    assert rows[0]["errors"][0]["pointer"] == "/hands/0"


def test_a_hand_that_cannot_be_proved_has_an_answer_without_a_proof(client, monkeypatch):
    def no_proof(*_, **__):
        raise LimitError("too much work", code="limit.work")

    monkeypatch.setattr("service.batches.solve_many", no_proof)
    body = {**ANY, "rules": "gin", "hands": ["7S 8S 9S KD", "7S ZZ"]}
    rows = client.post("/v1/batch", json=body).get_json()["results"]
    assert [row["status"] for row in rows] == ["ok", "card.unknown"]
    assert (rows[0]["penalty"], rows[0]["proved"]) == (10, True)  # by solve, which could


def test_every_round_that_is_none_gets_the_same_fault(client):
    rounds = [0, 12, -1, 1001, 10**50]
    lines = [{"hand": "3S", "round": number} for number in rounds]
    rows = answers_of(post_lines(client, lines, "rules=three-thirteen"))
    assert {row["status"] for row in rows} == {"rules.round"}
    told = [row["errors"][0] for row in rows]
    assert {fault["pointer"] for fault in told} == {"/round"}
    shown = [str(number)[:40] for number in rounds]
    assert [fault["detail"] for fault in told] == [f"expected round 1..11, got {n}" for n in shown]
    gin = answers_of(post_lines(client, lines, "rules=gin"))
    assert [row["status"] for row in gin] == [
        "rules.round", "ok", "rules.round", "rules.round", "rules.round",
    ]  # fmt: skip


def test_what_is_said_of_hands_and_lines_of_a_wrong_kind(client):
    expected = "expected a text, a list of cards or an object with a hand, got "
    body = {**ANY, "rules": "gin", "hands": [None, 5, True]}
    rows = client.post("/v1/batch", json=body).get_json()["results"]
    told = [(r["errors"][0]["pointer"], r["errors"][0]["detail"]) for r in rows]
    assert told == [(f"/hands/{i}", expected + got) for i, got in enumerate(("null", "5", "true"))]
    lines = ['{"hand": "KD" 5}\n', f'{{"hand": "KD", "id": {"9" * 5000}}}\n', "[" * 9000 + "\n"]
    details = [r["errors"][0]["detail"] for r in answers_of(post_lines(client, lines))]
    assert details == [
        "this line is no JSON: expected a comma or a closing bracket, got '5}' at column 15",
        "this line is no JSON: expected a number of fewer digits",
        "this line is no JSON: expected JSON, got a text nested too deep",
    ]


def test_a_byte_order_mark_before_lines(client):
    assert answers_of(post_lines(client, ["\ufeff"])) == []
    assert answers_of(post_lines(client, ['\ufeff"KD"\n']))[0]["penalty"] == 10


@pytest.mark.parametrize("given", ["1", "01", "1.50", "x"])
def test_a_truth_value_in_the_query_is_shown_as_it_was_written(client, problem_of, given):
    document = problem_of(post_lines(client, [], f"rules=gin&melds={given}"), "invalid-request")
    shown = {"01": "1", "1.50": "1.5", "x": '"x"'}.get(given, given)
    assert document["detail"] == f"expected a valid boolean, got {shown}"


def test_options_and_melds_in_the_query(client):
    query = 'rules=three-thirteen&cards_dealt=13&points={"A":15}&melds=true'
    rows = answers_of(post_lines(client, [{"hand": "AS KS 9H 9D"}, {"hand": "AS"}], query))
    assert [row["penalty"] for row in rows] == [15, 15]
    assert rows[0]["arrangement"]["text"] == "S[KS=9 9H 9D] / left AS"
    assert rows[1]["arrangement"]["deadwood"] == [{"card": "AS", "points": 15}]


def test_the_same_as_one_by_one(client):
    hands = list(GIN)
    batch = client.post("/v1/batch", json={**ANY, "rules": "gin", "hands": hands}).get_json()
    assert [row["penalty"] for row in batch["results"]] == list(GIN.values())
    alone = [
        client.post("/v1/solve", json={"rules": "gin", "hand": hand}).get_json()["penalty"]
        for hand in hands
    ]
    assert alone == list(GIN.values())


def test_nothing_in_nothing_out(client):
    assert (
        client.post("/v1/batch", json={**ANY, "rules": "gin", "hands": []}).get_json()["results"]
        == []
    )
    assert answers_of(post_lines(client, [])) == []


@pytest.mark.parametrize("count", [1000, 1001])
def test_the_published_limit_of_hands(client, problem_of, count):
    limit = client.get("/v1/limits").get_json()["batch_hands"]
    assert limit == 1000
    lines = [{"hand": "7S 8S 9S KD", "id": i} for i in range(count)]
    response = post_lines(client, lines)
    if count <= limit:
        rows = answers_of(response)
        assert [row["id"] for row in rows] == list(range(count))
        assert {row["penalty"] for row in rows} == {10}
    else:
        problem_of(response, "over-limit", "limit.batch_hands")
    array = client.post("/v1/batch", json={**ANY, "rules": "gin", "hands": ["7S"] * count})
    assert array.status_code == (200 if count <= limit else 422)


def test_the_body_may_be_larger_than_that_of_a_question(problem_of):
    limits = Limits(body_bytes=200, batch_body_bytes=2_000)
    client = create_app(ServiceConfig(limits=limits, warm_up="off")).test_client()
    hands = ["7S 8S 9S KD"] * 50
    assert client.post("/v1/batch", json={**ANY, "rules": "gin", "hands": hands}).status_code == 200
    response = client.post("/v1/batch", json={**ANY, "rules": "gin", "hands": hands * 4})
    document = problem_of(response, "too-large", "too-large")
    assert "2000" in document["detail"]


def test_what_is_wrong_with_the_whole_is_one_problem(client, problem_of):
    body = {**ANY, "rules": "gin", "hands": ["7S"]}
    problem_of(client.post("/v1/batch", data=b"x"), "unsupported-media-type")
    problem_of(client.post("/v1/batch", json={**body, "x": 1}), "invalid-request")
    problem_of(client.post("/v1/batch", json={"hands": []}), "invalid-request", "schema.missing")
    problem_of(client.post("/v1/batch", json={**body, "rules": "chess"}), "invalid-rules")
    problem_of(client.post("/v1/batch", json={**body, "hands": "7S"}), "invalid-request")
    problem_of(post_lines(client, [], "melds=true"), "invalid-request", "schema.missing")
    problem_of(post_lines(client, [], "rules=gin&nonsense=1"), "invalid-rules", "rules.option")
    bad = client.post("/v1/batch", data=b"{", content_type="application/json")
    problem_of(bad, "not-json", "not-json")


def test_a_slow_batch_ends_in_time_and_says_so():
    limits = Limits(time_limit_s=0.001)
    client = create_app(ServiceConfig(limits=limits, warm_up="off")).test_client()
    hands = ["7S 8S 9S KD"] * 400
    body = {**ANY, "rules": "gin", "hands": hands, "melds": True}
    rows = client.post("/v1/batch", json=body).get_json()["results"]
    assert len(rows) == 400
    statuses = [row["status"] for row in rows]
    n_done = statuses.count("ok")
    assert statuses == ["ok"] * n_done + ["limit.time"] * (400 - n_done)
    assert n_done < 400


def test_many_batches_at_once(client):
    app = client.application

    def ask(number):
        lines = [{"hand": hand, "id": f"{number}-{i}"} for i, hand in enumerate(GIN)]
        return answers_of(post_lines(app.test_client(), lines))

    with ThreadPoolExecutor(4) as pool:
        for number, rows in enumerate(pool.map(ask, range(12))):
            assert [row["penalty"] for row in rows] == list(GIN.values())
            assert [row["id"] for row in rows] == [f"{number}-{i}" for i in range(len(GIN))]


def test_the_document_tells_of_lines(client):
    document = client.get("/openapi.json").get_json()
    operation = document["paths"]["/v1/batch"]["post"]
    assert set(operation["requestBody"]["content"]) == {"application/json", NDJSON}
    assert set(operation["responses"]["200"]["content"]) == {"application/json", NDJSON}
    assert {p["name"] for p in operation["parameters"]} >= {"rules", "melds", "options"}
    assert not any(p.get("required") for p in operation["parameters"])
    for name in ("BatchRequest", "BatchHand"):
        assert document["components"]["schemas"][name]["additionalProperties"] is False
