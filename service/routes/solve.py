"""``/v1/solve``: the best melds of a hand."""

from __future__ import annotations

from typing import Any

from service.answers import solve_answer
from service.api import About, Resource
from service.query import read_query
from service.schemas import SolveAnswer, SolveRequest

routes = Resource("solve")

_EXAMPLE = {
    "rules": {"name": "three-thirteen", "options": {"cards_dealt": 9}},
    "hand": "KS KH 7D 8D 2C 3C 9H JS 4D",
}


@routes.ask(
    "/v1/solve",
    SolveRequest,
    answer=SolveAnswer,
    about=About(
        summary="The minimum penalty of a hand, and melds that reach it.",
        description=(
            "'all': n lists up to n optimal arrangements and counts them; 'discard': true ranks"
            " every discard. Where the deal has a contract it is asked: 'penalty' is what is left"
            " after laying it, or what the whole hand costs where it cannot be laid;"
            " 'ignore_contract': true asks for the best melds of a player who is already down."
            " 'note' says what the rules leave open, such as a round that was not chosen."
            " 'proved' is false only when the time limit ended the search:"
            " 'penalty' is then the best found, 'lower_bound' what no arrangement can beat."
        ),
        example=_EXAMPLE,
    ),
)
def solve(question: SolveRequest) -> dict[str, Any]:
    """Return the answer to the body."""
    return solve_answer(question)


@routes.read(
    "/v1/solve",
    query=SolveRequest,
    answer=SolveAnswer,
    about=About(
        summary="The same as POST, asked in the address, and cacheable.",
        description=(
            "Every parameter that is not a field of the request is an option of the rules, such as"
            " cards_dealt=13. Pointers of errors are those of the equal POST."
        ),
        example={"rules": "gin", "hand": "7S 7H 7D 7C 8C 9C TC 8S 9S KD"},
    ),
)
def solve_query() -> dict[str, Any]:
    """Return the answer to the query."""
    return solve_answer(read_query(SolveRequest))
