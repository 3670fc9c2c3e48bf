"""Rules by name: presets with options laid over them, checked, resolved and remembered."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from solver.arguments import checked
from solver.errors import Fault, RulesError, quoted
from solver.rules.argument import RULES
from solver.rules.checks import check_settings
from solver.rules.deck import check_deck
from solver.rules.describe import RuleLine, RulesInfo, explain_rules, list_rules, rules_schema
from solver.rules.keys import KEYS, SELECTORS, parse_option, value_fault
from solver.rules.kinds import BadValue, Bool
from solver.rules.model import GameRules
from solver.rules.presets import Preset, canonical_name, read_preset
from solver.rules.resolve import make_rules
from solver.rules.settings import merge

__all__ = [
    "RuleLine",
    "RulesInfo",
    "bonus_rules",
    "check_deck",
    "explain_rules",
    "list_rules",
    "load_rules",
    "parse_option",
    "round_of_sizes",
    "round_rules",
    "rules_schema",
    "whole_game",
]


def load_rules(name: str, /, **options: object) -> GameRules:
    """Return the rules of a game, for one round when the options choose one.

    Args:
        name: id of a preset (``list_rules``); case, blanks and underscores do not matter.
        **options: any keys of the rule book, laid over the preset; texts, JSON or Python values.
            ``cards_dealt``, ``deal``, ``round`` or ``bonus`` chooses the round, ``players`` and
            ``packs`` the deck. A mapping (``points={"A": 15}``) is laid over the preset's.

    Returns:
        Frozen rules; equal questions return the same object.

    Raises:
        RulesError: with all faults at once, each with a code ``rules.*`` and a JSON pointer:
            ``unknown`` name, ``option`` unknown, ``type``, ``range``, ``conflict``, ``round``,
            ``players``, ``deck``.

    Example:
        >>> rules = load_rules("three-thirteen", cards_dealt=5, points={"A": 15})
        >>> sorted(rules.meld.wild_ranks), rules.meld.points[0], rules.n_dealt
        ([4], 15, 5)
    """
    preset = read_preset(canonical_name(name))
    given, faults = _read_options(preset, options)
    if faults:
        bad = frozenset(f.where.removeprefix("/options/") for f in faults)
        settings = merge(preset, given, bad)
        check_settings(make_rules(preset, settings, ()), settings)
        raise RulesError.from_faults([*faults, *settings.faults])
    return _load(preset.name, tuple(sorted(given.items())))


def _read_options(
    preset: Preset, options: Mapping[str, object]
) -> tuple[dict[str, Any], list[Fault]]:
    """Return the canonical values of options, and the faults of those that cannot be read."""
    given: dict[str, Any] = {}
    faults: list[Fault] = []
    for key, value in options.items():
        try:
            if key in KEYS:
                given[key] = KEYS[key].parse(value)
            elif key in preset.variants:
                given[key] = Bool().parse(value)
            else:
                faults.append(_unknown_option(preset, key))
        except BadValue as bad:
            faults.append(value_fault(key, value, bad))
    return given, faults


def _unknown_option(preset: Preset, key: str) -> Fault:
    known = [*KEYS, *preset.variants]
    near = get_close_matches(key.strip().lower().replace("-", "_"), known, n=1, cutoff=0.6)
    hint = f"; did you mean {quoted(near[0])}?" if near else ""
    message = f"expected an option of {preset.name}, got {quoted(key, 60)}{hint}"
    data = {"got": key[:60], "nearest": near[0] if near else None}
    pointer = key[:60].replace("~", "~0").replace("/", "~1")
    return Fault("rules.option", f"/options/{pointer}", message, data)


@lru_cache(maxsize=4096)
def _load(name: str, options: tuple[tuple[str, Any], ...]) -> GameRules:
    preset = read_preset(name)
    settings = merge(preset, dict(options), frozenset())
    rules = make_rules(preset, settings, options)
    check_settings(rules, settings)
    if settings.faults:
        raise RulesError.from_faults(settings.faults)
    return rules


def whole_game(rules: GameRules) -> GameRules:
    """Return the same rules with no round chosen: those of every round of the game."""
    return load_rules(rules.name, **_without_round(rules))


@checked(rules=RULES)
def round_rules(rules: GameRules, round_no: int) -> GameRules:
    """Return the same rules for another round.

    Args:
        rules: rules that ``load_rules`` returned.
        round_no: number of the round, 1..``n_rounds``.

    Raises:
        RulesError: ``rules.round`` outside the game.
    """
    return load_rules(rules.name, **_without_round(rules), round=round_no)


def round_of_sizes(rules: GameRules, sizes: Collection[int]) -> tuple[GameRules, str]:
    """Return the rules of the round that the sizes of hands name, and in words from what.

    Sizes name a round where the rules lack one that decides the wild rank, hands stay whole to
    the end, all are of one size, and one round alone deals it. Otherwise the rules come back as
    they are, with ``""``.

    Args:
        rules: the game.
        sizes: cards of each hand, after the last discard.

    Example:
        >>> rules, words = round_of_sizes(load_rules("three-thirteen"), [3, 3])
        >>> rules.round_no, words
        (1, 'round 1 is taken from hands of 3 cards')
    """
    dealt = rules.flow.deal_sizes
    if rules.wilds_open != "round" or rules.flow.meld_timing != "at_end" or len(set(sizes)) != 1:
        return rules, ""
    (size,) = set(sizes)
    if dealt.count(size) != 1:
        return rules, ""
    number = dealt.index(size) + 1
    held = f"a hand of {size} cards" if len(sizes) == 1 else f"hands of {size} cards"
    return round_rules(rules, number), f"round {number} is taken from {held}"


def bonus_rules(rules: GameRules) -> GameRules:
    """Return the same rules for the bonus round after a tie.

    Raises:
        RulesError: ``rules.round``, the game has none.
    """
    return load_rules(rules.name, **_without_round(rules), bonus=True)


def _without_round(rules: GameRules) -> dict[str, Any]:
    return {key: value for key, value in rules.options if key not in SELECTORS}
