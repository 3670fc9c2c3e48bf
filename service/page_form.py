"""The form of the page: games, rounds, options and the cards to tap."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from service.faces import Face, palette
from service.state import service_state
from solver.rules.keys import SELECTORS
from solver.rules.loader import (
    RuleLine,
    RulesInfo,
    explain_rules,
    list_rules,
    round_rules,
    rules_schema,
)
from solver.rules.model import DeckRules, GameRules
from solver.rules.question import contract_words, wild_words

FIRST_GAME: Final = "three-thirteen"
_SHOWN_PARTS: Final = ("variant", "meld", "deck", "round")
_IN_THE_FORM: Final = frozenset({*SELECTORS, "must_use", "contract"})
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


@dataclass
class Form:
    """All that the form shows; the request's own words come back in it.

    Attributes:
        hand_help: how cards of this game are written.
        hand_example: a hand of this game.
        has_discards: whether discards can be asked for.
    """

    games: list[RulesInfo] = field(default_factory=list_rules)
    game: str = FIRST_GAME
    round: int | None = None
    rounds: list[RoundChoice] = field(default_factory=list)
    options: list[OptionField] = field(default_factory=list)
    options_open: bool = False
    other_options: str = ""
    palette: list[list[Face]] = field(default_factory=list)
    hand_help: str = ""
    hand_example: str = ""
    has_discards: bool = True


def fill_form(form: Form, rules: GameRules, options: Mapping[str, Any]) -> None:
    """Set game, rounds, options and cards of the form."""
    form.game = rules.name
    asked = str(options.get("round", ""))
    form.round = int(asked) if re.fullmatch("[0-9]{1,4}", asked) else rules.round_no
    form.rounds = round_choices(rules)
    given = {key: value for key, value in options.items() if isinstance(value, str | int)}
    others = {key: value for key, value in options.items() if key not in given}
    schemas = rules_schema(rules.name)["properties"]
    form.options = [
        _option_field(line, given.get(line.key, ""), schemas[line.key])
        for part in _SHOWN_PARTS
        for line in explain_rules(rules)
        if line.part == part and line.key not in _IN_THE_FORM
    ]
    form.options_open = any(option.value for option in form.options)
    form.other_options = json.dumps(others) if others else ""
    form.palette = palette(rules.deck)
    form.hand_help, form.hand_example = _hand_words(rules.deck)
    form.has_discards = rules.flow.has_discards


def _hand_words(deck: DeckRules) -> tuple[str, str]:
    """Return how cards of a deck are written, and a hand of it."""
    joker = " JK is a joker." if deck.has_jokers else ""
    if deck.tiles:
        colours = "K black, B blue, O orange, R red"
        how = f"Colour and number: R7, K13 ({colours})."
        return f"{how}{joker} Any order, blanks or commas between.", "R10 R11 R12 K7 B7 O7"
    stars = ", Q*" if deck.suits > 4 else ""  # noqa: PLR2004 - the fifth suit
    how = f"Rank and suit: 7H, 10♠{stars}."
    return f"{how}{joker} Any order, blanks or commas between.", "7S 7H 7D 8C 9C TC"


def round_choices(rules: GameRules) -> list[RoundChoice]:
    """Return the rounds of a game with what is dealt, wild and to be laid in each."""
    return _round_choices((rules.name, rules.options, rules.n_rounds))


@lru_cache(maxsize=256)
def _round_choices(key: tuple[str, tuple[tuple[str, Any], ...], int | None]) -> list[RoundChoice]:
    name, options, n_rounds = key
    if not n_rounds or not 1 < n_rounds <= _LONG_ROUNDS:
        return []
    rules = service_state().rules.get(name, dict(options)).rules
    return [_round_choice(round_rules(rules, n + 1)) for n in range(n_rounds)]


def _round_choice(rules: GameRules) -> RoundChoice:
    number = rules.round_no or 0
    parts = [f"{rules.n_dealt} cards"] if rules.n_dealt else []
    if wild := wild_words(rules.meld):
        parts.append(f"wild {wild}")
    if contract := contract_words(rules):
        parts.append(contract)
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
