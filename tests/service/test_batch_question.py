"""``/v1/batch``: every row is asked its contract and its round, as by the command."""

from __future__ import annotations

import json

import pytest

from solver.cards import parse_cards
from solver.rules.loader import load_rules
from tests.oracles.brute import brute_contract, brute_penalty

# Deal 4 asks three sets, of which one is there; deal 2 no run of four; deal 1 two sets.
LIVERPOOL = [
    ("TH 2H 8C 6H 6C 8S TH 7S AD QD", 4, 75, False),
    ("5S 5H 5D 9D 9C 9S KS KD KC 3H", 2, 65, False),
    ("5S 5H 5D 9D 9C 9S KS KD KC 3H", 1, None, True),
]


def rows_of(client, hands, *, lines=False, **body):
    if not lines:
        answer = client.post("/v1/batch", json={**body, "hands": hands})
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return answer.get_json()["results"]
    rules = body.pop("rules")
    query = {"rules": rules, **{key: json.dumps(value) for key, value in body.items()}}
    text = "".join(json.dumps(hand) + "\n" for hand in hands)
    answer = client.post(
        "/v1/batch", query_string=query, data=text, content_type="application/x-ndjson"
    )
    return [json.loads(line) for line in answer.get_data(as_text=True).splitlines()]


@pytest.mark.parametrize("melds", [False, True])
@pytest.mark.parametrize("lines", [False, True])
def test_rows_are_asked_their_contract(client, melds, lines):
    hands = [{"hand": hand, "round": deal} for hand, deal, _, _ in LIVERPOOL]
    rows = rows_of(client, hands, rules="liverpool", melds=melds, lines=lines)
    for row, (hand, deal, whole, can) in zip(rows, LIVERPOOL, strict=True):
        left = brute_contract(parse_cards(hand), load_rules("liverpool", deal=deal))
        assert (left is not None) == can
        assert (row["penalty"], row["can_go_down"]) == (left if can else whole, can)
        if melds:
            assert bool(row["arrangement"]["melds"]) == can


@pytest.mark.parametrize("melds", [False, True])
def test_the_free_question_is_asked_by_name_and_noted(client, melds):
    hand = LIVERPOOL[1][0]
    (row,) = rows_of(
        client,
        [{"hand": hand, "round": 2}],
        rules="liverpool",
        ignore_contract=True,
        melds=melds,
    )
    meld = load_rules("liverpool", deal=2).meld
    assert row["penalty"] == brute_penalty(parse_cards(hand), meld) == 5
    assert "can_go_down" not in row
    assert row["note"] == ["the contract is not asked: any melds count, as if it were already down"]


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize(
    ("name", "said", "free"),
    [
        ("three-thirteen", "no round chosen: nothing is wild", 21),
        ("five-crowns", "no round chosen: only jokers are wild", 21),
        ("liverpool", "no deal chosen: no contract is asked", 15),
    ],
)
def test_a_row_without_a_round_is_refused_where_rounds_decide(client, name, said, free, lines):
    hand = "3S 9D 9H"
    asked = [hand, {"hand": hand, "id": "b"}, {"hand": hand, "round": 1}]
    rows = rows_of(client, asked, rules=name, lines=lines)
    assert [row["status"] for row in rows] == ["round.missing", "round.missing", "ok"]
    assert rows[1]["id"] == "b"
    assert said in rows[0]["errors"][0]["detail"]
    if not lines:
        assert [row["errors"][0]["pointer"] for row in rows[:2]] == [
            f"/hands/{i}/round" for i in (0, 1)
        ]
    rows = rows_of(client, asked, rules=name, lines=lines, no_round=True)
    assert [row["status"] for row in rows] == ["ok"] * 3
    assert [row["penalty"] for row in rows[:2]] == [free] * 2
    assert rows[0]["note"] == [said]


def test_games_whose_rounds_are_alike_need_none(client):
    assert rows_of(client, ["7S 8S 9S KD"], rules="gin", any_size=True)[0]["penalty"] == 10
