"""What the page shows of a question and its answer."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

from flask import request

from service.answers import solve_answer
from service.api import read_json
from service.errors import ProblemError
from service.faces import Face, card_text, face_of, meld_faces
from service.page_form import FIRST_GAME, Form, fill_form, round_choices
from service.query import query_options
from service.routes.check import check_answer
from service.schemas import SolveRequest
from service.state import NamedRules, service_state
from service.table_schemas import CheckRequest
from solver.cards import parse_card, parse_cards
from solver.errors import Fault, MeldSolverError, NotationError, joined
from solver.melds import Meld, MeldKind
from solver.rules.keys import SELECTORS
from solver.rules.model import GameRules
from solver.rules.question import round_words

_FIELDS: Final = frozenset(
    {"rules", "hand", "melds", "discard", "all", "choose", "round", "add", "remove"}
)
_LISTED: Final = 20
"""Best layouts that the page lists at most."""
_NOT_LISTED: Final = "engine.not_covered"
_REFUSED: Final = 422


@dataclass(frozen=True)
class MeldView:
    """One meld as drawn."""

    kind: str
    faces: list[Face]


@dataclass
class View:
    """All that the templates read; the request's own words come back in the form.

    Attributes:
        status: HTTP status of the page.
        retry_s: seconds after which the script may ask again; 0 where that is of no use.
        headline: what is said behind the number of points.
        round: the round that the answer is for.
        if_down: the answer as if the contract were already laid, a mere extra.
        discards: each with whether what it leaves is proved.
        words: sentences on the hand, beside the answer.
        layouts: the optimal layouts, ``n_layouts`` says how many there are.
        full: cards of which the hand holds every copy, as they are typed.
    """

    form: Form = field(default_factory=Form)
    hand_text: str = ""
    melds_text: str = ""
    discard: bool = False
    all: bool = False
    status: int = 200
    retry_s: int = 0
    faults: tuple[Fault, ...] = ()
    answer: Mapping[str, Any] | None = None
    headline: str = ""
    round: str = ""
    if_down: Mapping[str, Any] | None = None
    melds_if_down: list[MeldView] = field(default_factory=list)
    check: Mapping[str, Any] | None = None
    words: list[str] = field(default_factory=list)
    melds: list[MeldView] = field(default_factory=list)
    deadwood: list[Face] = field(default_factory=list)
    discards: list[tuple[Face, bool]] = field(default_factory=list)
    layouts: list[list[MeldView]] = field(default_factory=list)
    n_layouts: str = ""
    hand: list[Face] = field(default_factory=list)
    full: list[str] = field(default_factory=list)
    permalink: str = ""
    curl: str = ""
    summary: str = ""


def make_view(*, answered: bool = True) -> View:
    """Return what to draw for the current query; faults are part of it."""
    query = request.args
    view = View(
        hand_text=query.get("hand", ""),
        melds_text=query.get("melds", ""),
        discard=_is_on("discard"),
        all=_is_on("all"),
    )
    view.form.game = query.get("rules", FIRST_GAME)
    choosing = "choose" in query
    options: dict[str, Any] = {}
    is_drawn = False
    try:
        options = {} if choosing else _given_options()
        named = service_state().rules.get(view.form.game, options)
        if (choosing or "round" not in query) and not options.keys() & set(SELECTORS):
            if choices := round_choices(named.rules):
                options["round"] = choices[0].number
                named = service_state().rules.get(view.form.game, options)
        fill_form(view.form, named.rules, options)
        is_drawn = True
        _take_hand(view, named.rules)
        if view.hand_text and not choosing and answered:
            with service_state().solving():
                _fill_answer(view, named, options)
    except (MeldSolverError, ProblemError) as error:
        _tell(view, error)
        if not is_drawn:
            rules = _fallback_rules(view.form)
            fill_form(view.form, rules, options)
            _take_hand(view, rules)
    return view


def _is_on(name: str) -> bool:
    return request.args.get(name, "").lower() in {"true", "on", "1"}


def _tell(view: View, error: MeldSolverError | ProblemError) -> None:
    """Make an error the answer."""
    view.faults = error.faults
    view.summary = joined(view.faults)
    view.status = _REFUSED
    if isinstance(error, ProblemError):
        view.status = error.kind.status
        view.retry_s = int(error.headers.get("Retry-After", "0"))


def _given_options() -> dict[str, Any]:
    """Return the options of the query that are not empty; the round is one of them."""
    options = query_options(request.args, apart_from=_FIELDS)
    if text := request.args.get("round", ""):
        options["round"] = text
    return {key: value for key, value in options.items() if value != ""}


def _fallback_rules(form: Form) -> GameRules:
    """Return plain rules to draw the form with when those of the query do not hold."""
    known = {game.id for game in form.games}
    form.game = form.game if form.game in known else FIRST_GAME
    return service_state().rules.get(form.game, {}).rules


def _take_hand(view: View, rules: GameRules) -> None:
    """Read the hand after a card was tapped; a text that is none stays as it is."""
    added, removed = request.args.get("add", ""), request.args.get("remove", "")
    try:
        cards = parse_cards(view.hand_text, tiles=rules.deck.tiles)
        texts = [card_text(card, rules.deck) for card in cards]
    except NotationError:
        view.hand_text = f"{view.hand_text} {added}".strip()
        return
    if removed in texts:
        texts.remove(removed)
        view.hand_text = " ".join(texts)
    view.hand_text = f"{view.hand_text} {added}".strip()
    held = [*texts, added]
    view.full = [
        face.card
        for row in view.form.palette
        for face in row
        if face.most is not None and held.count(face.card) >= face.most
    ]


def _fill_answer(view: View, named: NamedRules, options: Mapping[str, Any]) -> None:
    """Set the answer and how its cards are drawn."""
    rules = named.rules
    body = {"rules": {"name": view.form.game, "options": options}, "hand": view.hand_text}
    question: dict[str, Any] = dict(body)
    if view.discard and view.form.has_discards:
        question["discard"] = True
    elif view.discard:
        view.words.append("this game has no discards")
    found = _answer(view, question)
    melds = [line.strip() for line in view.melds_text.splitlines() if line.strip()]
    if melds:
        layout = read_json(CheckRequest, json.dumps({**body, "melds": melds}))
        view.check = check_answer(layout)
    if found["if_down"]:
        view.if_down = found["if_down"]
        view.melds_if_down = _meld_views(found["if_down"]["melds"], rules)
    _draw_answer(view, found, rules)
    view.permalink = _permalink(view, named)
    url = f"{request.host_url.rstrip('/')}/v1/solve"
    view.curl = shlex.join(
        ["curl", "-s", url, "-H", "Content-Type: application/json", "-d", json.dumps(question)]
    )


def _answer(view: View, question: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a question, with the list of best layouts where there can be one."""
    most = min(_LISTED, service_state().config.limits.arrangements)
    if view.all:
        try:
            found = solve_answer(read_json(SolveRequest, json.dumps({**question, "all": most})))
        except MeldSolverError as error:
            if error.code != _NOT_LISTED:
                raise
            view.words.append("the best layouts cannot be listed under these rules")
        else:
            question["all"] = most
            return found
    return solve_answer(read_json(SolveRequest, json.dumps(question)))


def _draw_answer(view: View, found: Mapping[str, Any], rules: GameRules) -> None:
    """Set the faces of an answer and its sentences."""
    deck = rules.deck
    view.answer = found
    view.round = round_words(rules)
    view.melds = _meld_views(found["melds"], rules)
    view.deadwood = [
        face_of(parse_card(c["card"]), deck, points=c["points"]) for c in found["deadwood"]
    ]
    view.discards = [
        (face_of(parse_card(d["card"]), deck, points=d["penalty"]), d.get("proved", True))
        for d in found.get("discards") or ()
    ]
    view.hand = [face_of(parse_card(card), deck) for card in found["hand"]]
    if optimal := found.get("optimal"):
        view.layouts = [_meld_views(one["melds"], rules) for one in optimal["arrangements"]]
        n_shown, n_all = len(view.layouts), optimal["count"]
        least = "" if optimal["complete"] else "at least "
        view.n_layouts = f"{least}{n_all}" + (f", {n_shown} shown" if n_shown < n_all else "")
    view.headline = _headline(found)
    view.summary = _summary(found)


def _meld_views(melds: Sequence[Mapping[str, Any]], rules: GameRules) -> list[MeldView]:
    views = []
    for meld in melds:
        cards = tuple(parse_card(card) for card in meld["cards"])
        laid = Meld(MeldKind(meld["kind"]), cards, tuple(meld["stands_for"]))
        views.append(MeldView(meld["kind"], meld_faces(laid, rules.deck)))
    return views


def _headline(found: Mapping[str, Any]) -> str:
    """Return what stands behind the number: what was asked, what was left out, the proof."""
    points = "point" if found["penalty"] == 1 else "points"
    left = "" if found["contract_met"] is False else " left"
    return f"{points}{left} {found['headline'].partition('  ')[2]}"


def _permalink(view: View, named: NamedRules) -> str:
    """Return the address of this page with all that was asked."""
    more = {
        "melds": view.melds_text.strip(),
        "discard": "true" if view.discard else "",
        "all": "true" if view.all else "",
    }
    asked = urlencode({name: text for name, text in more.items() if text})
    hand = "+".join(face.card for face in view.hand)
    return f"{named.page}{hand}{'&' if asked else ''}{asked}"


def _summary(found: Mapping[str, Any]) -> str:
    """Return the answer in one sentence, read aloud after each change."""
    told = f"Penalty {found['penalty']}"
    if found["note"]:
        told += f" ({'; '.join(found['note'])})"
    if found["contract_met"] is False:
        return f"{told}: the contract cannot be laid."
    n_melds, n_left = len(found["melds"]), len(found["deadwood"])
    melds = "1 meld" if n_melds == 1 else f"{n_melds} melds"
    left = "1 card" if n_left == 1 else f"{n_left} cards"
    return f"{told}: {melds}, {left} left over."
