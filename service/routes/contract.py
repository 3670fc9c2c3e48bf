"""``/v1/contract``: can a hand lay down the contract, and what is then left?"""

from __future__ import annotations

from typing import Any

from service.answers import solution_answer
from service.api import About, Resource
from service.reading import read_cards, read_contract, time_limit
from service.state import name_rules, service_state
from service.table_schemas import ContractAnswer, ContractRequest
from solver.solve import best_contract, with_contract

routes = Resource("contract")


@routes.ask(
    "/v1/contract",
    ContractRequest,
    answer=ContractAnswer,
    about=About(
        summary="Whether a hand can lay down the contract, leaving the fewest points.",
        description=(
            "A contract that cannot be laid is an answer: 'can_lay' is false. 'rules' are those"
            " with the contract that was asked."
        ),
        example={
            "rules": {"name": "liverpool", "options": {"deal": 1}},
            "hand": "7S 7H 7D KS KH 2C 4D 5D 9C TC JC",
        },
    ),
)
def contract(question: ContractRequest) -> dict[str, Any]:
    """Return whether and how the hand of the body lays its contract."""
    state = service_state()
    limits = state.config.limits
    named = state.rules.get(question.rules.name, question.rules.options)
    counts = read_cards(question.hand, named.rules, limits)
    melds = read_contract(question.contract, named.rules)
    if melds is not None:
        options = {**question.rules.options, "contract": question.contract}
        named = name_rules(with_contract(named.rules, melds), options)
    solution = best_contract(counts, named.rules, time_limit_s=time_limit(None, limits))
    found = solution and solution_answer(solution, named, counts)
    return {"rules": named.answer, "can_lay": found is not None, "solution": found}
