"""A preset and the options given, laid over each other into one value a key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from solver.errors import Fault, quoted
from solver.rules.keys import DEFAULTS, MERGED
from solver.rules.presets import DEFAULT_SOURCE, Preset

# A layer that gives one of these keys takes the other out of the layers below.
_RIVALS: Final = {
    "jokers": "jokers_per_pack",
    "jokers_per_pack": "jokers",
    "wild_ranks": "wild_schedule",
    "wild_schedule": "wild_ranks",
}


@dataclass(slots=True)
class Settings:
    """Merged values, their sources, and the faults found so far.

    Attributes:
        values: value of each key after all layers.
        sources: where each value comes from.
        given: options that the caller gave, canonical.
        bad: options that could not be read; checks that need one of them are skipped.
        own: values of the preset with the variants switched, before the options.
        switched: values of each variant that the caller switched on.
        faults: what is wrong.
    """

    values: dict[str, Any]
    sources: dict[str, str]
    given: Mapping[str, Any]
    bad: frozenset[str]
    own: Mapping[str, Any] = field(default_factory=dict)
    switched: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    @property
    def n_players(self) -> int | None:
        """Return the players at the table, None when it was left open."""
        players: int | None = self.values["players"]
        if players is None and self.values["min_players"] == self.values["max_players"]:
            players = self.values["min_players"]
        return players

    def add(self, code: str, keys: tuple[str, ...], expected: str, got: object) -> None:
        """Note a fault of some keys; it points to the first of them that the caller gave."""
        if self.bad.intersection(keys):
            return
        key = next((k for k in keys if k in self.given), keys[0])
        shown = got if isinstance(got, str) else quoted(got)
        data = {"expected": expected, "got": shown, "keys": list(keys)}
        fault = Fault(code, f"/options/{key}", f"expected {expected}, got {shown}", data)
        if fault not in self.faults:  # several rounds and tables are made of the same values
            self.faults.append(fault)


def merge(preset: Preset, given: Mapping[str, Any], bad: frozenset[str]) -> Settings:
    """Return the values of a preset with its switched variants and the options given."""
    values, sources = dict(DEFAULTS), dict.fromkeys(DEFAULTS, DEFAULT_SOURCE)
    layers = list(preset.layers)
    for name, variant in preset.variants.items():
        if given.get(name, variant.on):
            layers.append(variant.layer)
    settings = Settings(values, sources, given, bad)
    for layer in layers:
        _lay_over(settings, expand(layer.values), layer.sources)
    settings.own = dict(values)
    settings.switched = {
        name: expand(variant.layer.values)
        for name, variant in preset.variants.items()
        if given.get(name) and not variant.on
    }
    options = {k: v for k, v in given.items() if k not in preset.variants}
    _lay_over(settings, expand(options), dict.fromkeys(options, "option"))
    return settings


def expand(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a layer with its shorthands written out."""
    full = dict(values)
    if (least := full.pop("meld_min_naturals", None)) is not None:
        full = {"set_min_naturals": least, "run_min_naturals": least} | full
    if (end := full.pop("end", None)) is not None:
        number, unit = end.split()
        key, other = ("rounds", "end_score") if unit == "rounds" else ("end_score", "rounds")
        full = {key: int(number), other: None} | full
    points = dict(full.get("points", ()))
    if "JK" in points:
        full = {"joker_points": points.pop("JK")} | full
        full["points"] = tuple(points.items())
    return full


def _lay_over(settings: Settings, layer: Mapping[str, Any], sources: Mapping[str, str]) -> None:
    values = settings.values
    default = next(iter(sources.values()), "option")
    for key, value in layer.items():
        rival = _RIVALS.get(key)
        if rival is not None and rival not in layer:
            values.pop(rival, None)
        values[key] = (*values.get(key, ()), *value) if key in MERGED else value
        settings.sources[key] = sources.get(key, default)
