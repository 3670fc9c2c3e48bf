"""Cards on the table over HTTP: lay-offs, going down, rearranging."""

from __future__ import annotations

import pytest

from service.table_schemas import GodownAnswer, LayoffAnswer, RearrangeAnswer
from tests.fixtures.read import name, rows

DEAL_1 = {"name": "liverpool", "options": {"deal": 1}}


def ask(client, path, model, **body):
    response = client.post(path, json=body)
    assert response.status_code == 200, response.get_data(as_text=True)
    answer = response.get_json()
    model.model_validate(answer)
    return answer


@pytest.mark.parametrize("row", rows("rulebook_layoffs"), ids=name)
def test_layoffs_of_the_rule_book(client, row):
    rules = {"name": row["preset"], "options": row["options"]}
    answer = ask(
        client, "/v1/layoff", LayoffAnswer, rules=rules, hand=row["hand"], table=row["table"]
    )
    assert answer["penalty"] == row["left"]
    assert sum(card["points"] for card in answer["left"]) == row["left"]
    played = [step["card"] for step in answer["actions"]]
    assert sorted(played + [c["card"] for c in answer["left"]]) == sorted(row["hand"].split())


@pytest.mark.parametrize("row", rows("rulebook_joint_layoffs"), ids=name)
def test_gin_defence(client, row):
    body = {"rules": row["preset"], "hand": row["hand"], "table": row["table"]}
    joint = ask(client, "/v1/layoff", LayoffAnswer, **body, own_melds=True)
    assert joint["penalty"] == row["joint"]
    gin = ask(client, "/v1/layoff", LayoffAnswer, **body, own_melds=True, against_gin=True)
    assert gin["penalty"] == row["alone"]


def test_steps_say_where_and_what(client):
    # Rule book 9.5, Y2: the two stands for the ten between nine and jack.
    answer = ask(
        client,
        "/v1/layoff",
        LayoffAnswer,
        rules="liverpool",
        hand="9S JS 2D 4C",
        table=[{"cards": "5S 6S 7S 8S"}],
    )
    assert [
        (s["card"], s["meld"], s["end"], s["place"], s["stands_for"]) for s in answer["actions"]
    ] == [("9S", 0, "+", 4, None), ("2D", 0, "+", 5, "TS"), ("JS", 0, "+", 6, None)]
    assert answer["table"][0]["text"] == "R[5S 6S 7S 8S 9S 2D=TS JS]"


@pytest.mark.parametrize("row", rows("rulebook_swaps"), ids=name)
def test_going_down(client, row):
    body = {"rules": DEAL_1, "hand": row["hand"], "table": row["table"]}
    for swaps, left in ((True, row["with_swap"]), (False, row["without_swap"])):
        answer = ask(client, "/v1/godown", GodownAnswer, **body, swaps=swaps)
        assert answer["can_go_down"] is (left is not None)
        assert (answer["plan"] and answer["plan"]["penalty"]) == left


def test_another_contract(client):
    answer = ask(
        client,
        "/v1/godown",
        GodownAnswer,
        rules=DEAL_1,
        hand="4H 5H 2C 7H 8H QS QD QC 3D JS AC",
        table=[],
        contract="3+r4",
    )
    assert answer["plan"]["penalty"] == 30
    assert [step["kind"] for step in answer["plan"]["actions"]] == ["meld", "meld"]


def test_rearranging(client):
    answer = ask(
        client,
        "/v1/rearrange",
        RearrangeAnswer,
        rules="rummikub",
        table=["B5 B6 B7", ["R8", "K8", "O8"]],
        rack="B8 B9",
    )
    assert (answer["value"], answer["laid"], answer["penalty"]) == (2, 2, 0)
    assert answer["changed"] == [0]
    assert answer["melds"][0]["origins"] == [0, 0, 0, None, None]
    assert (answer["proved"], answer["fewest_changes"], answer["unique"]) == (True, True, True)


def test_a_joker_of_the_table_leaves_only_for_its_tile(client):
    body = {"table": ["R[JK=R4 R5 R6]"], "rack": "R7 B9 O9"}
    assert ask(client, "/v1/rearrange", RearrangeAnswer, rules="rummikub", **body)["laid"] == 1
    free = {"name": "rummikub", "options": {"table_wilds": "free"}}
    assert ask(client, "/v1/rearrange", RearrangeAnswer, rules=free, **body)["laid"] == 3
    body["rack"] = "R4 B9 O9"
    answer = ask(client, "/v1/rearrange", RearrangeAnswer, rules="rummikub", **body)
    assert answer["exchanges"] == [{"meld": 0, "wild": "JK", "card": "4C"}]
    # The page names the rule among the options of the game.
    assert "free_jokers" in client.get("/?rules=rummikub").text


def test_swaps_of_a_player_already_down(client):
    body = {"rules": "kalooki-51", "hand": "6H 9C KD", "table": ["R[4H 5H JK=6H 7H]"]}
    first = ask(client, "/v1/layoff", LayoffAnswer, **body)["actions"][0]
    assert (first["kind"], first["card"], first["gained"]) == ("swap", "6H", "JK")
    assert ask(client, "/v1/layoff", LayoffAnswer, **body, swaps=False)["actions"] == []


def test_an_opening(client):
    body = {"rules": "rummikub", "table": ["K1 K2 K3"], "opening": True}
    low = ask(client, "/v1/rearrange", RearrangeAnswer, **body, rack="R8 R9 R10")
    high = ask(client, "/v1/rearrange", RearrangeAnswer, **body, rack="R9 R10 R11")
    assert (low["laid"], high["laid"]) == (0, 3)


@pytest.mark.parametrize("meld", [[None], [[]], [{"cards": "4S"}], [5], [True], {"cards": [None]}])
@pytest.mark.parametrize("path", ["layoff", "godown", "rearrange", "advice", "check"])
def test_melds_of_no_texts_are_refused_in_their_place(client, problem_of, path, meld):
    rules = "rummikub" if path == "rearrange" else DEAL_1
    cards = {"rack": "7C KD"} if path == "rearrange" else {"hand": "7C KD"}
    body = {"rules": rules, **cards, "table": [meld]}
    if path == "advice":
        body = {"rules": rules, **cards, "ask": "play", "table": [{"meld": meld}]}
    elif path == "check":
        body = {"rules": rules, **cards, "melds": [meld]}
    response = client.post(f"/v1/{path}", json=body)
    document = response.get_json()
    assert (response.status_code, document["code"]) in {
        (422, "card.unknown"),
        (422, "schema.cards_type"),
    }
    place = "/melds/0" if path == "check" else "/table/0"
    assert document["errors"][0]["pointer"].startswith(place)


@pytest.mark.parametrize(
    ("path", "body", "problem"),
    [
        ("layoff", {"table": ["4H 5H"]}, ("invalid-hand", "table.meld", "/table/0")),
        ("layoff", {"table": ["4H 5H XX"]}, ("invalid-notation", "card.unknown", "/table/0/2")),
        ("layoff", {"table": [5]}, ("invalid-request", "schema.meld_type", "/table/0")),
        ("layoff", {"table": [{"kind": "run"}]}, ("invalid-request", None, None)),
        ("layoff", {"table": ["7S 7H 7D"], "own": [3]}, ("invalid-hand", "table.own", "/own")),
        ("layoff", {"table": ["7S 7H 7D"] * 121}, ("over-limit", "limit.hand_cards", "/table")),
        ("layoff", {"table": [["7S"] * 121]}, ("over-limit", "limit.hand_cards", "/table")),
        ("godown", {"table": [], "contract": "nonsense"}, ("invalid-rules", None, "/contract")),
        ("godown", {"table": [], "more": 1}, ("invalid-request", None, "/more")),
    ],
)
def test_bad_questions(client, problem_of, path, body, problem):
    kind, code, pointer = problem
    response = client.post(f"/v1/{path}", json={"rules": DEAL_1, "hand": "7C KD", **body})
    document = problem_of(response, kind)
    if code is not None:
        assert document["code"] == code
    if pointer is not None:
        assert document["errors"][0]["pointer"] == pointer


def test_a_knock_of_no_texts_is_refused_in_its_place(client, problem_of):
    body = {
        "rules": "gin",
        "hand": "7C KD",
        "ask": "defend",
        "knock": {"melds": [["7S", 20, "7D"]]},
    }
    document = problem_of(client.post("/v1/advice", json=body), "invalid-notation", "card.unknown")
    assert document["errors"][0]["pointer"] == "/knock/melds/0/1"


def test_games_without_layoffs(client, problem_of):
    body = {"rules": "five-crowns", "hand": "7C KD", "table": []}
    body["rules"] = {"name": "five-crowns", "options": {"cards_dealt": 3}}
    problem_of(client.post("/v1/layoff", json=body), "invalid-rules", "table.layoff_off")


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("godown", {"rules": "liverpool", "hand": "7C KD"}, "rules.contract"),
        ("contract", {"rules": "liverpool", "hand": "7C KD"}, "rules.contract"),
        ("godown", {"rules": "three-thirteen", "hand": "7C KD"}, "table.godown_off"),
        ("godown", {"rules": "gin", "hand": "7C KD", "contract": "3.3"}, "table.godown_off"),
        ("rearrange", {"rules": DEAL_1, "rack": "7C KD"}, "table.rearrange_off"),
        ("layoff", {"rules": DEAL_1, "hand": "7C", "own_melds": True}, "table.knock_off"),
    ],
)
def test_games_without_the_question(client, problem_of, path, body, code):
    body = body if path == "contract" else {**body, "table": []}
    document = problem_of(client.post(f"/v1/{path}", json=body), "invalid-rules", code)
    assert document["errors"][0]["pointer"] == "/rules"
