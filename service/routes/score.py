"""``/v1/score``: the price of a whole round."""

from __future__ import annotations

from typing import Any

from service.answers import arrangement_answer
from service.api import About, Resource
from service.reading import number_within, read_extras, read_hands
from service.schemas_score import ScoreAnswer, ScoreRequest
from service.state import service_state
from solver.engine.scoring import PlayerScore, score_told_round
from solver.rules.model import GameRules

routes = Resource("score")


@routes.ask(
    "/v1/score",
    ScoreRequest,
    answer=ScoreAnswer,
    about=About(
        summary="What a finished round costs each player, with the melds that count.",
        description=(
            "Seats are counted from 0. Hands are as they were after the last discard. Where the"
            " rules name no round, hands of one size name it in games that meld at the end: 'rules'"
            " and 'note' say so."
        ),
        example={
            "rules": {"name": "three-thirteen", "options": {"cards_dealt": 3, "players": 2}},
            "hands": ["5S 5H 5D", "3S 9D QH"],
            "names": ["Ann", "Ben"],
            "out": 0,
            "totals": [12, 7],
        },
    ),
)
def score(question: ScoreRequest) -> dict[str, Any]:
    """Return the priced round of the body."""
    state = service_state()
    limits = state.config.limits
    number_within(len(question.hands), limits.round_hands, what="round_hands", where="/hands")
    named = state.rules.get(question.rules.name, question.rules.options)
    hands = read_hands(question.hands, named.rules, limits)
    extras = read_extras(question, named.rules)
    priced = score_told_round(
        hands, named.rules, out=question.out, totals=question.totals, extras=extras
    )
    rules = priced.game
    if rules != named.rules:
        named = state.rules.get(rules.name, {**question.rules.options, "round": rules.round_no})
    return {
        "rules": named.answer,
        "note": list(priced.notes),
        "players": [_player(player, rules) for player in priced.players],
        "winners": list(priced.winners),
        "leaders": list(priced.leaders),
        "lower_is_better": priced.lower_is_better,
    }


def _player(player: PlayerScore, rules: GameRules) -> dict[str, Any]:
    return {
        "seat": player.seat,
        "name": player.name,
        "penalty": player.penalty,
        **arrangement_answer(player.arrangement, rules),
        "points": player.points,
        "total": player.total,
        "note": player.note,
    }
