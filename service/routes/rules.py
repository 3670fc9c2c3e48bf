"""``/v1/rules``: the games, and one game with every default."""

from __future__ import annotations

from typing import Any

from flask import request

from service.api import About, Resource
from service.errors import ProblemError
from service.query import query_options
from service.schemas import GamesAnswer, RulesAnswer
from service.state import service_state
from solver.errors import RulesError
from solver.rules.loader import explain_rules, list_rules, rules_schema

routes = Resource("rules")


@routes.read("/v1/rules", answer=GamesAnswer, about=About(summary="All games."))
def games() -> dict[str, Any]:
    """Return the list of games."""
    return {
        "games": [
            {
                "id": game.id,
                "title": game.title,
                "description": game.description,
                "players": list(game.players),
                "rounds": game.rounds,
                "href": f"/v1/rules/{game.id}",
            }
            for game in list_rules()
        ]
    }


@routes.read(
    "/v1/rules/<name>",
    answer=RulesAnswer,
    about=About(
        summary="One game: resolved values, every option with meaning, default and source.",
        description="Options may be given in the query: /v1/rules/three-thirteen?cards_dealt=5.",
    ),
)
def game(name: str) -> dict[str, Any]:
    """Return one game under the options of the query."""
    try:
        rules = service_state().rules.get(name, query_options(request.args)).rules
    except RulesError as error:
        if error.code == "rules.unknown":
            raise ProblemError("not-found", str(error), faults=error.faults) from error
        raise
    return {
        "rules": rules.to_json(),
        "options": [line.to_json() for line in explain_rules(rules)],
        "option_schema": rules_schema(rules.name),
    }
