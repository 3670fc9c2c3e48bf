"""Answers about a contract name the contract that was asked, and what it takes."""

from __future__ import annotations

import pytest

from solver.rules.loader import load_rules
from solver.solve import with_contract

HAND = "4H 5H 2C 7H 8H QS QD QC 3D JS 3S"
SPARE = "3S 4S 5S 6S 9D 8H 9H TH 2C JD QD KD AD"
"""Rule book 9.4, C20: three runs, and a nine of diamonds that deal 7 does not let go."""


def ask(client, contract, name="liverpool", hand=HAND, **options):
    body = {"rules": {"name": name, "options": options}, "hand": hand}
    response = client.post("/v1/contract", json={**body, "contract": contract})
    assert response.status_code == 200, response.get_data(as_text=True)
    return response.get_json()


@pytest.mark.parametrize("contract", ["3+3", "r4", [["run", 4]], "3.3.3"])
def test_the_rules_of_an_answer_are_those_of_the_contract_asked(client, contract):
    answer = ask(client, contract, deal=2)
    asked = load_rules("liverpool", deal=2, contract=contract)
    assert answer["rules"]["fingerprint"] == asked.fingerprint
    assert answer["rules"]["fingerprint"] != load_rules("liverpool", deal=2).fingerprint
    again = load_rules(answer["rules"]["name"], **answer["rules"]["options"])
    assert again.fingerprint == asked.fingerprint
    assert ("set of 3 + run of 4" in answer["rules"]["round"]) is False
    if answer["can_lay"]:
        assert answer["solution"]["rules"] == answer["rules"]


def test_the_link_of_an_answer_asks_the_same_contract(client):
    answer = ask(client, "r4", deal=2)
    link = answer["solution"]["permalink"]
    page = client.get(link).get_data(as_text=True)
    penalty = answer["solution"]["penalty"]
    assert penalty == 50
    assert f"penalty {penalty}" in page or f">{penalty}<" in page


@pytest.mark.parametrize(
    ("name", "options"),
    [("liverpool", {}), ("kalooki-51", {}), ("contract-rummy", {}), ("shanghai-10", {"deal": 3})],
)
def test_a_contract_that_is_asked_has_the_fingerprint_of_the_option(name, options):
    asked = with_contract(load_rules(name, **options), "3+r4")
    option = load_rules(name, **options, contract="3+r4")
    assert asked == option
    assert (asked.fingerprint, asked.options) == (option.fingerprint, option.options)


def test_a_contract_for_every_card_says_so(client):
    body = {"rules": {"name": "liverpool", "options": {"deal": 7}}, "hand": SPARE}
    answer = client.post("/v1/solve", json=body).get_json()
    assert (answer["penalty"], answer["contract_met"]) == (95, False)
    assert "run of 4 + run of 4 + run of 4 with every card, cannot be laid" in answer["headline"]
    body["rules"]["options"]["final_deal"] = "ordinary"
    answer = client.post("/v1/solve", json=body).get_json()
    assert (answer["penalty"], answer["contract_met"]) == (5, True)
    assert "with every card" not in answer["headline"]


def test_a_batch_with_melds_says_why_every_card_counts(client):
    rules = {"name": "indian-13", "options": {"turned_card": "7S"}}
    hand = "4H 5H JK 8S 9S 7C 2D 2C 2S KH KD KS QC"  # rule book 9.2, I2
    answer = client.post("/v1/batch", json={"rules": rules, "hands": [hand], "melds": True})
    (row,) = answer.get_json()["results"]
    assert row["penalty"] == 72
    assert any("every card counts" in note for note in row["note"])


@pytest.mark.parametrize(("text", "code"), [("s2", "rules.conflict"), ("none", "rules.type")])
@pytest.mark.parametrize("address", ["contract", "godown"])
def test_a_contract_that_the_game_does_not_have_is_refused_in_its_place(
    client, problem_of, address, text, code
):
    body = {"rules": {"name": "liverpool", "options": {"deal": 1}}, "hand": HAND, "contract": text}
    if address == "godown":
        body["table"] = []
    response = client.post(f"/v1/{address}", json=body)
    document = problem_of(response, "invalid-rules", code)
    assert document["errors"][0]["pointer"] == "/contract"
