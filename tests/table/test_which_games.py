"""Which games have which questions about the table; the others refuse by the same codes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solver.errors import RulesError
from solver.players.facts import Facts, view_of
from solver.rules.loader import list_rules, load_rules, round_rules
from solver.solve import best_contract
from solver.table import best_godown, best_layoff, joint_layoff, rearrange

NAMES = [info.id for info in list_rules()]
# Rule book 6: contracts of each deal; Kalooki 51, 500 Rum and Rummikub lay what they like.
CONTRACTS = {
    *("carioca", "continental", "contract-rummy", "kalooki-jamaica", "liverpool"),
    *("liverpool-i-may", "shanghai-10"),
}
FREE = {"kalooki-51", "rum-500", "rummikub"}
HAND = "7S 7H 7D KS KH KD 9C 4D"


def refusal(question, *args, **options) -> str | None:
    """Return the code of the rules error that a question raises; it points to the rules."""
    try:
        question(*args, **options)
    except RulesError as error:
        (fault,) = error.faults
        return fault.code if fault.where == "/rules" else f"{fault.code} at {fault.where}"
    return None


@pytest.mark.parametrize("name", NAMES)
def test_going_down_without_a_deal(name):
    wanted = "rules.contract" if name in CONTRACTS else "table.godown_off"
    found = refusal(best_godown, HAND, [], load_rules(name))
    assert found == (None if name in FREE else wanted)
    if name in CONTRACTS:
        assert refusal(best_contract, HAND, load_rules(name)) == "rules.contract"


@pytest.mark.parametrize("name", sorted(CONTRACTS))
def test_a_deal_or_a_contract_is_enough(name):
    assert refusal(best_godown, HAND, [], load_rules(name, deal=1)) is None
    assert refusal(best_godown, HAND, [], load_rules(name, contract="3.3")) is None
    plan = best_godown(HAND, [], load_rules(name), "3.3")
    assert [meld.text() for meld in plan.melds] == ["S[7S 7H 7D]", "S[KS KH KD]"]
    # Whoever says that there is no contract lays what melds there are.
    assert refusal(best_godown, HAND, [], load_rules(name, contracts="none")) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_contract_is_open_only_before_the_deal_is_chosen(name):
    rules = load_rules(name)
    assert rules.contract_open == (name in CONTRACTS)
    assert not round_rules(rules, 1).contract_open


def test_a_game_given_contracts_is_one_of_contracts():
    rules = load_rules("kalooki-51", contracts="3.3; 3+r4", rounds=2)
    assert refusal(best_godown, HAND, [], rules) == "rules.contract"


def test_no_advice_on_a_contract_that_is_not_known():
    # Every deal of Shanghai has eleven cards, so that the deal could go unasked.
    with pytest.raises(RulesError) as caught:
        view_of("7S 7H 7D KS KH KD 9C 4D 5D 6H JS", load_rules("shanghai-10"), Facts(ask="draw"))
    assert caught.value.code == "advice.round"


@pytest.mark.parametrize("name", NAMES)
def test_only_rummikub_rearranges(name):
    wanted = None if name == "rummikub" else "table.rearrange_off"
    assert refusal(rearrange, ["5H 6H 7H 8H"], "9H", load_rules(name)) == wanted


def test_the_right_to_rearrange_is_a_rule():
    allowed = load_rules("liverpool", rearrange=True)
    assert rearrange(["5H 6H 7H 8H"], "9H", allowed).n_laid == 1
    refused = load_rules("rummikub", rearrange=False)
    assert refusal(rearrange, ["5H 6H 7H"], "8H", refused) == "table.rearrange_off"
    assert allowed.fingerprint != load_rules("liverpool").fingerprint
    flow = replace(load_rules("rummikub").flow, rearrange=False)
    assert flow == refused.flow


@pytest.mark.parametrize("name", NAMES)
def test_only_gin_answers_a_knock(name):
    wanted = None if name in {"gin", "oklahoma-gin"} else "table.knock_off"
    assert refusal(joint_layoff, "8S", ["5S 6S 7S"], load_rules(name)) == wanted


@pytest.mark.parametrize("name", NAMES)
def test_games_with_layoffs(name):
    lays = name in CONTRACTS | FREE | {"gin", "oklahoma-gin"}
    assert refusal(best_layoff, "8S", [], load_rules(name)) == (
        None if lays else "table.layoff_off"
    )
