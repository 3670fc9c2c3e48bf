"""Rules told to people and programs: lists, explanations with sources, JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from solver.cards import JOKER, N_RANKS, RANKS, format_card
from solver.rules.key import Key
from solver.rules.keys import KEYS
from solver.rules.model import GameRules
from solver.rules.presets import DEFAULT_SOURCE, Preset, canonical_name, preset_names, read_preset
from solver.rules.resolve import make_rules
from solver.rules.settings import merge


@dataclass(frozen=True, slots=True)
class RulesInfo:
    """One game of the list.

    Attributes:
        id: name for ``load_rules``.
        title: name for people.
        description: one line.
        players: fewest and most players.
        rounds: rounds of a game, None when it is played to a score.
        options: default of every option of this game, JSON values; variants are False.
    """

    id: str
    title: str
    description: str
    players: tuple[int, int]
    rounds: int | None
    options: Mapping[str, Any]

    def __repr__(self) -> str:
        """Return id and title; all options are in ``to_json``."""
        return f"<RulesInfo {self.id}: {self.title}>"

    def to_json(self) -> dict[str, Any]:
        """Return the entry as plain JSON."""
        return {
            "id": self.id,
            "title": self.title,
            "description": self.description,
            "players": list(self.players),
            "rounds": self.rounds,
            "options": dict(self.options),
        }


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One key of some rules, explained.

    Attributes:
        key: name of the key.
        part: record of the key: meld, deck, flow or round.
        value: value in force, JSON.
        default: value in the preset without options, JSON.
        unit: unit of numbers, "" when it has none.
        meaning: one line.
        source: where the value comes from; ``"option"`` when the caller set it.
    """

    key: str
    part: str
    value: Any
    default: Any
    unit: str
    meaning: str
    source: str

    def to_json(self) -> dict[str, Any]:
        """Return the line as plain JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def list_rules() -> list[RulesInfo]:
    """Return all games, by id."""
    return [_info(name) for name in preset_names()]


@cache
def _info(name: str) -> RulesInfo:
    preset = read_preset(name)
    rules = _plain_rules(name)
    return RulesInfo(
        id=name,
        title=preset.title,
        description=preset.summary,
        players=(rules.flow.min_players, rules.flow.max_players),
        rounds=rules.n_rounds,
        options=_defaults(preset),
    )


@cache
def _plain_rules(name: str) -> GameRules:
    """Return a preset without options."""
    preset = read_preset(name)
    return make_rules(preset, merge(preset, {}, frozenset()), ())


def _defaults(preset: Preset) -> dict[str, Any]:
    """Return the value of every option that a preset starts from."""
    values = merge(preset, {}, frozenset()).values
    rules = _plain_rules(preset.name)
    defaults: dict[str, Any] = {}
    for key in KEYS.values():
        if not key.shorthand:
            defaults[key.name] = _shown(key.name, rules, values)
    return defaults | {name: variant.on for name, variant in preset.variants.items()}


def explain_rules(rules: GameRules) -> list[RuleLine]:
    """Return every key with its value in force, its default, its meaning and its source.

    Args:
        rules: what ``load_rules`` returned.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> lines = explain_rules(load_rules("gin", knock_limit=7))
        >>> line = next(x for x in lines if x.key == "knock_limit")
        >>> line.value, line.default, line.source, line.unit
        (7, 10, 'option', 'points')
    """
    preset = read_preset(rules.name)
    settings = merge(preset, dict(rules.options), frozenset())
    plain = merge(preset, {}, frozenset())
    base = _plain_rules(rules.name)
    lines = []
    for key in KEYS.values():
        if key.shorthand:
            continue
        value = _shown(key.name, rules, settings.values)
        default = _shown(key.name, base, plain.values)
        source = _source(key, settings.sources)
        lines.append(RuleLine(key.name, key.part, value, default, key.unit, key.meaning, source))
    for name, variant in preset.variants.items():
        value = bool(dict(rules.options).get(name, variant.on))
        source = "option" if name in dict(rules.options) else _variant_source(variant.layer.sources)
        lines.append(RuleLine(name, "variant", value, variant.on, "", variant.summary, source))
    return lines


def _variant_source(sources: Mapping[str, str]) -> str:
    return next(iter(sources.values()), "")


def _source(key: Key, sources: Mapping[str, str]) -> str:
    """Return the source of a value: its own, else that of a key it follows from."""
    origins = {
        "wild_ranks": ("turned_card", "wild_schedule"),
        "jokers": ("jokers_per_pack",),
        "jokers_per_pack": ("jokers",),
        "cards_dealt": ("deal", "round"),
        "deal": ("cards_dealt", "round"),
        "round": ("cards_dealt", "deal"),
    }.get(key.name, ())
    told = [sources.get(name, DEFAULT_SOURCE) for name in (key.name, *origins)]
    return next((source for source in told if source != DEFAULT_SOURCE), DEFAULT_SOURCE)


_RESOLVED: Final[Mapping[str, Callable[[GameRules], Any]]] = {
    "points": lambda rules: point_table(rules.meld.points),
    "joker_points": lambda rules: rules.meld.points[JOKER],
    "meld_values": lambda rules: dict(zip(RANKS, rules.meld.meld_values, strict=True)),
    "wild_ranks": lambda rules: [RANKS[r] for r in sorted(rules.meld.wild_ranks)],
    "ranks": lambda rules: [RANKS[r] for r in rules.deck.ranks],
    "cards_dealt": lambda rules: rules.n_dealt,
    "round": lambda rules: rules.round_no,
}


def _shown(key: str, rules: GameRules, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON value of a key in force."""
    if key in _RESOLVED:
        return _RESOLVED[key](rules)
    if key == "deal":
        return rules.round_no if values["contracts"] is not None else None
    if key in {"wild_schedule", "packs_by_players"} and not isinstance(values.get(key), str):
        return {str(k): _json(v) for k, v in values.get(key, ())}
    if key not in {"wild_cards", "must_use"}:
        for record in (rules.meld, rules.deck, rules.flow):
            if getattr(record, key, None) is not None:
                return _json(getattr(record, key))
    return _json(values.get(key))


def point_table(points: tuple[int, ...]) -> dict[str, int]:
    """Return costs by rank, and by card where the suits of a rank differ.

    Args:
        points: cost of all 66 cards.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> table = point_table(load_rules("kalooki-jamaica").meld.points)
        >>> table["K"], table["A"], table["AS"], table["AC"]
        (10, 1, 15, 15)
    """
    table: dict[str, int] = {}
    for rank in range(N_RANKS):
        costs = points[rank:JOKER:N_RANKS]
        usual = max(sorted(set(costs)), key=costs.count)
        table[RANKS[rank]] = usual
        cards = range(rank, JOKER, N_RANKS)
        table |= {format_card(c): points[c] for c in cards if points[c] != usual}
    return table


def rules_schema(name: str | None = None) -> dict[str, Any]:
    """Return the JSON Schema of the options of ``load_rules``.

    Args:
        name: a game, to have its variants and defaults too; None for what all games share.

    Raises:
        RulesError: ``rules.unknown``.
    """
    properties = {key.name: key.schema() for key in KEYS.values()}
    if name is not None:
        preset = read_preset(canonical_name(name))
        for variant_name, variant in preset.variants.items():
            properties[variant_name] = {"type": "boolean", "description": variant.summary}
        for key, default in _defaults(preset).items():
            properties[key] = properties[key] | {"default": default}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Options of the rules" + (f" of {name}" if name else ""),
        "type": "object",
        "additionalProperties": name is None,
        "properties": properties,
    }


def _json(value: Any) -> Any:  # noqa: ANN401 - canonical values differ by kind
    """Return a canonical value as JSON."""
    return [_json(v) for v in value] if isinstance(value, tuple) else value
