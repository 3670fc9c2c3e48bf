"""What else is wrong with a refused request, so that a client hears of all faults at once.

Views stop at the first kind of fault. Only then is the document gone through again here, part by
part: rules, cards, deck, limits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from service.reading import (
    check_time_limit,
    number_within,
    read_cards,
    read_contract,
    read_layout,
)
from service.schemas import Rules, RulesRef
from service.state import ServiceState, service_state
from solver.cards import counts_of, parse_cards
from solver.errors import Fault, MeldSolverError, NotationError
from solver.rules.loader import check_deck
from solver.rules.model import GameRules

_RULES: Final[TypeAdapter[RulesRef]] = TypeAdapter(Rules)
_SEPARATORS: Final = re.compile(r"[\s,;|]+")
_MOST_FAULTS: Final = 200
"""Faults of one answer; a hostile body could have any number."""

Error = TypeVar("Error", bound=MeldSolverError)


def with_further_faults(error: Error, model: type[BaseModel], document: object) -> Error:
    """Return an error of the same class with all faults of the request, its own first."""
    own = [_in_short_form(fault, document) for fault in error.faults]
    return type(error).from_faults(merged(own, further_faults(model, document)))


def _in_short_form(fault: Fault, document: object) -> Fault:
    """Return a fault of the name of rules at the text itself where rules are given as a text."""
    if fault.where == "/rules/name" and isinstance(document, Mapping):
        if isinstance(document.get("rules"), str):
            return Fault(fault.code, "/rules", fault.message, fault.data)
    return fault


def merged(first: Sequence[Fault], more: Sequence[Fault]) -> list[Fault]:
    """Return faults without those that are told already (same code and place, or same words)."""
    known = {(f.code, f.where, f.message) for f in first}
    new = [f for f in more if (f.code, f.where, f.message) not in known]
    return [*first, *new][:_MOST_FAULTS]


def further_faults(model: type[BaseModel], document: object) -> list[Fault]:
    """Return the faults of the parts of a document that can be judged one by one.

    Args:
        model: model of the document; only its fields are looked at.
        document: the body as plain JSON values. What breaks its schema is passed over.
    """
    if not isinstance(document, Mapping):
        return []
    fields = {field.alias or name for name, field in model.model_fields.items()}
    given = {name: value for name, value in document.items() if name in fields}
    state = service_state()
    faults: list[Fault] = []
    rules = _rules(given.get("rules"), state, faults)
    for pointer, cards in _card_parts(given, state.config.limits.round_hands):
        faults += _card_faults(cards, rules, pointer)
    _examine_rest(given, rules, state, faults)
    return [_in_short_form(fault, document) for fault in faults]


def _gather(faults: list[Fault], check: Callable[[], object]) -> None:
    try:
        check()
    except MeldSolverError as error:
        faults += error.faults


def _rules(value: object, state: ServiceState, faults: list[Fault]) -> GameRules | None:
    """Return the rules of a request, None when they are not good."""
    named = _readable(value)
    if named is None:
        return None
    try:
        return state.rules.get(named.name, named.options).rules
    except MeldSolverError as error:
        faults += error.faults
        return None


def _readable(value: object) -> RulesRef | None:
    """Return a game and its options, leaving out fields that rules do not have."""
    if isinstance(value, Mapping):
        value = {name: value[name] for name in ("name", "options") if name in value}
    try:
        return _RULES.validate_python(value)
    except ValidationError:
        return None


def _card_parts(given: Mapping[str, Any], most_hands: int) -> list[tuple[str, str | list[Any]]]:
    """Return pointer and value of each hand that is a text or a list."""
    parts = [(f"/{name}", given[name]) for name in ("hand", "rack") if name in given]
    if isinstance(hands := given.get("hands"), list) and "id" not in given:
        parts += [(f"/hands/{i}", hand) for i, hand in enumerate(hands[:most_hands])]
    return [(pointer, value) for pointer, value in parts if isinstance(value, str | list)]


def _card_faults(cards: str | list[Any], rules: GameRules | None, where: str) -> list[Fault]:
    """Return the faults of a hand: its tokens always, the deck's where the rules are good."""
    limits = service_state().config.limits
    faults: list[Fault] = []
    tiles = rules is None or rules.deck.tiles
    try:
        if rules is not None:
            empty_ok = where.startswith("/hands/")
            counts = read_cards(cards, rules, limits, where=where, empty_ok=empty_ok)
            check_deck(counts, rules, where)
        elif len(cards) <= limits.body_bytes // limits.hand_cards:
            parse_cards(cards, tiles=tiles, where=where)
    except NotationError as error:
        faults += error.faults
        if rules is not None:
            known = counts_of(parse_cards(_known_tokens(cards, error), tiles=tiles))
            _gather(faults, lambda: check_deck(known, rules, where))
    except MeldSolverError as error:
        faults += error.faults
    return faults


def _known_tokens(cards: str | list[Any], error: NotationError) -> str:
    """Return the tokens of a hand that are cards, in one text."""
    bad = {int(fault.where.rpartition("/")[2]) for fault in error.faults}
    tokens = [t for t in _SEPARATORS.split(cards) if t] if isinstance(cards, str) else cards
    return " ".join(t for i, t in enumerate(tokens) if i not in bad)


def _examine_rest(
    given: Mapping[str, Any], rules: GameRules | None, state: ServiceState, faults: list[Fault]
) -> None:
    """Add the faults of what is neither rules nor a hand."""
    limits = state.config.limits
    if isinstance(n_listed := given.get("all"), int):
        _gather(
            faults,
            lambda: number_within(n_listed, limits.arrangements, what="arrangements", where="/all"),
        )
    seconds = given.get("time_limit_s")
    if isinstance(seconds, int | float) and not isinstance(seconds, bool):
        _gather(faults, lambda: check_time_limit(seconds, limits))
    if isinstance(contract := given.get("contract"), str | list):
        _gather(faults, lambda: read_contract(contract, rules))
    melds: Any = given.get("melds")
    if rules is not None and _are_cards(melds):
        _gather(faults, lambda: read_layout(melds, rules, limits))
    if isinstance(upcard := given.get("upcard"), str):
        tiles = rules is None or rules.deck.tiles
        _gather(faults, lambda: parse_cards([upcard], tiles=tiles, where="/upcard"))


def _are_cards(melds: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(melds, list) and all(isinstance(meld, str | list) for meld in melds)
