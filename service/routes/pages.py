"""The page at ``/``: a form drawn by the server, which a script refreshes in place."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from flask import Response, make_response, render_template, request

from service.answers import solve_answer
from service.api import Resource, read_json
from service.errors import ProblemError
from service.faces import Face, face_of, meld_faces, palette
from service.query import query_options
from service.routes.check import check_answer
from service.schemas import SolveRequest
from service.state import service_state
from service.table_schemas import CheckRequest
from solver.cards import RANKS, format_card, parse_card, parse_cards
from solver.errors import Fault, MeldSolverError, NotationError
from solver.melds import Meld, MeldKind
from solver.rules.loader import (
    RuleLine,
    RulesInfo,
    explain_rules,
    list_rules,
    round_rules,
    rules_schema,
)
from solver.rules.model import GameRules

routes = Resource("pages")

_FIELDS: Final = frozenset(
    {"rules", "hand", "melds", "discard", "choose", "round", "add", "remove"}
)
_FIRST_GAME: Final = "three-thirteen"
_SHOWN_PARTS: Final = ("variant", "meld", "deck", "round")
_IN_THE_FORM: Final = frozenset({"round", "deal", "cards_dealt", "bonus", "must_use", "contract"})
_LONG_ROUNDS: Final = 30


@dataclass(frozen=True)
class RoundChoice:
    """One round of the list."""

    number: int
    title: str


@dataclass(frozen=True)
class OptionField:
    """One option of the rules in the form; ``choices`` empty: a text field."""

    key: str
    value: str
    default: str
    meaning: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class MeldView:
    """One meld as drawn."""

    kind: str
    faces: list[Face]


@dataclass
class View:
    """All that the templates read; the request's own words come back in the form."""

    games: list[RulesInfo]
    game: str = _FIRST_GAME
    round: int | None = None
    rounds: list[RoundChoice] = field(default_factory=list)
    options: list[OptionField] = field(default_factory=list)
    options_open: bool = False
    other_options: str = ""
    palette: list[list[Face]] = field(default_factory=list)
    hand_text: str = ""
    melds_text: str = ""
    discard: bool = False
    faults: tuple[Fault, ...] = ()
    answer: Mapping[str, Any] | None = None
    check: Mapping[str, Any] | None = None
    melds: list[MeldView] = field(default_factory=list)
    deadwood: list[Face] = field(default_factory=list)
    discards: list[Face] = field(default_factory=list)
    hand: list[Face] = field(default_factory=list)
    permalink: str = ""
    curl: str = ""
    summary: str = ""


@routes.get("/")
def page() -> Response:
    """Return the whole page."""
    return _draw("page.html")


@routes.get("/answer")
def answer() -> Response:
    """Return the part of the page below the form, for the script."""
    return _draw("answer.html")


def _draw(template: str) -> Response:
    view = make_view()
    response = make_response(render_template(template, view=view))
    response.status_code = 422 if view.faults else 200
    response.headers["Cache-Control"] = "no-cache"
    return response


def make_view() -> View:
    """Return what to draw for the current query; faults are part of it."""
    query = request.args
    view = View(
        games=list_rules(),
        game=query.get("rules", _FIRST_GAME),
        hand_text=_edited(query.get("hand", ""), query.get("add", ""), query.get("remove", "")),
        melds_text=query.get("melds", ""),
        discard=query.get("discard", "").lower() in {"true", "on", "1"},
    )
    options: dict[str, Any] = {}
    try:
        options = {} if "choose" in query else _given_options()
        rules = service_state().rules.get(view.game, options).rules
        _fill_form(view, rules, options)
        if view.hand_text and "choose" not in query:
            with service_state().solving():
                _fill_answer(view, rules, options)
    except (MeldSolverError, ProblemError) as error:
        view.faults = error.faults
        view.summary = "; ".join(fault.message for fault in view.faults)
        if not view.palette:
            _fill_form(view, _fallback_rules(view), options)
    return view


def _edited(hand: str, added: str, removed: str) -> str:
    """Return the text of the hand after a card was tapped; unread cards stay as they are."""
    if removed:
        try:
            cards = [format_card(card) for card in parse_cards(hand)]
        except NotationError:
            return hand.strip()
        if removed in cards:
            cards.remove(removed)
        return " ".join(cards)
    return f"{hand} {added}".strip()


def _given_options() -> dict[str, Any]:
    """Return the options of the query that are not empty; the round is one of them."""
    options = query_options(request.args, apart_from=_FIELDS)
    if text := request.args.get("round", ""):
        options["round"] = text
    return {key: value for key, value in options.items() if value != ""}


def _fallback_rules(view: View) -> GameRules:
    """Return plain rules to draw the form with when those of the query do not hold."""
    known = {game.id for game in view.games}
    view.game = view.game if view.game in known else _FIRST_GAME
    return service_state().rules.get(view.game, {}).rules


def _fill_form(view: View, rules: GameRules, options: Mapping[str, Any]) -> None:
    """Set game, rounds, options and cards of the form."""
    view.game = rules.name
    asked = str(options.get("round", ""))
    view.round = int(asked) if re.fullmatch("[0-9]{1,4}", asked) else rules.round_no
    view.rounds = _round_choices(_roundless(rules))
    given = {key: value for key, value in options.items() if isinstance(value, str | int)}
    others = {key: value for key, value in options.items() if key not in given}
    schemas = rules_schema(rules.name)["properties"]
    view.options = [
        _option_field(line, given.get(line.key, ""), schemas[line.key])
        for part in _SHOWN_PARTS
        for line in explain_rules(rules)
        if line.part == part and line.key not in _IN_THE_FORM
    ]
    view.options_open = any(option.value for option in view.options)
    view.other_options = json.dumps(others) if others else ""
    view.palette = palette(rules.deck)


def _roundless(rules: GameRules) -> tuple[str, tuple[tuple[str, Any], ...], int | None]:
    return rules.name, rules.options, rules.n_rounds


@lru_cache(maxsize=256)
def _round_choices(key: tuple[str, tuple[tuple[str, Any], ...], int | None]) -> list[RoundChoice]:
    """Return the rounds of a game with what is dealt, wild and to be laid in each."""
    name, options, n_rounds = key
    if not n_rounds or not 1 < n_rounds <= _LONG_ROUNDS:
        return []
    rules = service_state().rules.get(name, dict(options)).rules
    return [_round_choice(round_rules(rules, n + 1)) for n in range(n_rounds)]


def _round_choice(rules: GameRules) -> RoundChoice:
    number = rules.round_no or 0
    parts = [f"{rules.n_dealt} cards"] if rules.n_dealt else []
    if rules.meld.wild_ranks:
        parts.append("wild " + " ".join(RANKS[r] for r in sorted(rules.meld.wild_ranks)))
    if rules.meld.contract:
        parts.append(" + ".join(f"{kind} of {least}" for kind, least in rules.meld.contract))
    return RoundChoice(number, f"{number}: " + ", ".join(parts))


def _option_field(line: RuleLine, given: str | int, schema: Mapping[str, Any]) -> OptionField:
    """Return the form field of an option; its default is shown, not sent."""
    choices = ("true", "false") if schema.get("type") == "boolean" else schema.get("enum", ())
    value = str(given).lower() if isinstance(given, bool) else str(given)
    default = _default_text(line.default)
    return OptionField(line.key, value, default, line.meaning, tuple(choices))


def _default_text(value: object) -> str:
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, dict):
        return ",".join(f"{key}={item}" for key, item in value.items())
    if isinstance(value, list):
        return " ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _fill_answer(view: View, rules: GameRules, options: Mapping[str, Any]) -> None:
    """Set the answer and how its cards are drawn."""
    body = {"rules": {"name": view.game, "options": options}, "hand": view.hand_text}
    question = {**body, "discard": True} if view.discard else body
    found = solve_answer(read_json(SolveRequest, json.dumps(question)))
    melds = [line.strip() for line in view.melds_text.splitlines() if line.strip()]
    if melds:
        layout = read_json(CheckRequest, json.dumps({**body, "melds": melds}))
        view.check = check_answer(layout)
    deck = rules.deck
    view.answer = found
    view.melds = [_meld_view(meld, rules) for meld in found["melds"]]
    view.deadwood = [
        face_of(parse_card(c["card"]), deck, points=c["points"]) for c in found["deadwood"]
    ]
    view.discards = [
        face_of(parse_card(d["card"]), deck, points=d["penalty"]) for d in found.get("discards", ())
    ]
    view.hand = [face_of(parse_card(card), deck) for card in found["hand"]]
    view.permalink = found["permalink"]
    url = f"{request.host_url.rstrip('/')}/v1/solve"
    view.curl = shlex.join(
        ["curl", "-s", url, "-H", "Content-Type: application/json", "-d", json.dumps(question)]
    )
    view.summary = _summary(found)


def _meld_view(meld: Mapping[str, Any], rules: GameRules) -> MeldView:
    cards = tuple(parse_card(card) for card in meld["cards"])
    laid = Meld(MeldKind(meld["kind"]), cards, tuple(meld["stands_for"]))
    return MeldView(meld["kind"], meld_faces(laid, rules.deck))


def _summary(found: Mapping[str, Any]) -> str:
    """Return the answer in one sentence, read aloud after each change."""
    n_melds, n_left = len(found["melds"]), len(found["deadwood"])
    melds = "1 meld" if n_melds == 1 else f"{n_melds} melds"
    left = "1 card" if n_left == 1 else f"{n_left} cards"
    return f"Penalty {found['penalty']}: {melds}, {left} left over."
