"""``/v1/check``: a layout of a hand against the rules and against the best."""

from __future__ import annotations

from typing import Any

from service.answers import arrangement_answer, solution_answer
from service.api import About, Resource
from service.reading import read_cards, read_layout, time_limit
from service.schemas import CheckAnswer
from service.state import service_state
from service.table_schemas import CheckRequest
from solver.rules.loader import round_of_sizes
from solver.solve import check_layout

routes = Resource("check")


@routes.ask(
    "/v1/check",
    CheckRequest,
    answer=CheckAnswer,
    about=About(
        summary="Is a layout legal, what does it cost, and how far is it from the best?",
        description=(
            "Melds are given as cards, whose wilds stand for whatever makes the meld legal, or as"
            " 'R[4H 5H JK=6H 7H]' with every wild in its place. Under a contract they must be its"
            " melds. Where the rules name no round, the number of cards names it in games that"
            " meld at the end: 'rules' and 'note' say so. A layout that"
            " is not legal is an answer, not an error: 'faults' say why."
        ),
        example={
            "rules": "gin",
            "hand": "AS 2S 3S 3H 3D 4S 5S KC QC JH",
            "melds": ["3S 3H 3D"],
        },
    ),
)
def check(question: CheckRequest) -> dict[str, Any]:
    """Return the verdict on the layout of the body."""
    return check_answer(question)


def check_answer(question: CheckRequest) -> dict[str, Any]:
    """Return whether a layout is legal, what it costs and what the best costs."""
    state = service_state()
    limits = state.config.limits
    named = state.rules.get(question.rules.name, question.rules.options)
    rules = named.rules
    counts = read_cards(question.hand, rules, limits)
    melds = read_layout(question.melds, rules, limits)
    rules, inferred = round_of_sizes(rules, [int(counts.sum())])
    if inferred:
        options = {**question.rules.options, "round": rules.round_no}
        named = state.rules.get(rules.name, options)
    seconds = time_limit(None, limits)
    ignored = question.ignore_contract
    verdict = check_layout(counts, melds, rules, time_limit_s=seconds, ignore_contract=ignored)
    best = solution_answer(verdict.best, named, counts)
    layout = verdict.layout
    return {
        "rules": named.answer,
        "note": [*verdict.notes, *([inferred] if inferred else ())],
        "legal": layout is not None,
        "faults": [fault.to_json() for fault in verdict.faults],
        "penalty": verdict.penalty,
        "above_best": verdict.above_best,
        "layout": layout and arrangement_answer(layout, rules),
        "best": best,
    }
