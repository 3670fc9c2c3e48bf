"""Presets: rule files read into layers of canonical values, each value with its source."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Final

from solver.errors import Fault, RulesError, quoted
from solver.rules.keys import KEYS, value_fault
from solver.rules.kinds import BadValue

DATA: Final = Path(__file__).with_name("data")
DEFAULT_SOURCE: Final = "rule book 7, default of all games"


@dataclass(frozen=True, slots=True)
class Layer:
    """Values laid over the earlier ones, and where each comes from."""

    values: Mapping[str, Any]
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Variant:
    """A named bundle of values that a game offers as one option.

    Attributes:
        summary: one line for people.
        layer: the values.
        on: whether the preset switches it on.
    """

    summary: str
    layer: Layer
    on: bool = False


@dataclass(frozen=True, slots=True)
class Preset:
    """One rule file with those it is based on.

    Attributes:
        name: id.
        title: name for people.
        summary: one line for people.
        layers: layers, the base first.
        variants: bundles by name.
    """

    name: str
    title: str
    summary: str
    layers: tuple[Layer, ...]
    variants: Mapping[str, Variant]


@cache
def preset_names() -> tuple[str, ...]:
    """Return the ids of all presets, in alphabetical order."""
    return tuple(sorted(path.stem for path in DATA.glob("*.toml")))


def canonical_name(name: object) -> str:
    """Return the id that a name means: case, blanks and underscores do not matter.

    Raises:
        RulesError: ``rules.unknown`` with the nearest id in its data.
    """
    names = preset_names()
    text = name.strip().lower().replace("_", "-").replace(" ", "-") if isinstance(name, str) else ""
    if text in names:
        return text
    near = get_close_matches(text, names, n=1, cutoff=0.5)
    hint = f"; did you mean {quoted(near[0])}?" if near else ""
    message = f"expected rules such as {', '.join(names)}, got {quoted(name, 60)}{hint}"
    data = {"expected": list(names), "got": str(name)[:60], "nearest": near[0] if near else None}
    raise RulesError.from_faults([Fault("rules.unknown", "/name", message, data)])


@cache
def read_preset(name: str) -> Preset:
    """Return the preset of an id.

    Raises:
        RulesError: ``rules.preset``, a rule file is broken.
    """
    raw = _read_file(name)
    base = read_preset(raw["base"]) if "base" in raw else None
    layers = [*(base.layers if base else ()), *_rule_layers(name, raw.get("rule", []))]
    variants = dict(base.variants) if base else {}
    for key, table in raw.get("variant", {}).items():
        values = {k: v for k, v in table.items() if k not in {"summary", "source"}}
        layer = Layer(_parsed(name, values), dict.fromkeys(values, _need(name, table, "source")))
        variants[key] = Variant(_need(name, table, "summary"), layer)
    for key in raw.get("switch_on", []):
        variants[key] = Variant(variants[key].summary, variants[key].layer, on=True)
    title, summary = _need(name, raw, "title"), _need(name, raw, "summary")
    return Preset(name, title, summary, tuple(layers), variants)


def _need(name: str, table: Mapping[str, Any], key: str) -> str:
    """Return a text that every table of its kind has."""
    if not isinstance(table.get(key), str):
        raise RulesError(f"{name}: expected a {key}, got none", code="rules.preset")
    return str(table[key])


def _read_file(name: str) -> dict[str, Any]:
    try:
        return tomllib.loads((DATA / f"{name}.toml").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise RulesError(
            f"expected a rule file {name}.toml, got {error}", code="rules.preset"
        ) from None


def _rule_layers(name: str, tables: list[dict[str, Any]]) -> Iterator[Layer]:
    for table in tables:
        values = {k: v for k, v in table.items() if k != "source"}
        yield Layer(_parsed(name, values), dict.fromkeys(values, _need(name, table, "source")))


def _parsed(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return canonical values of a table of a rule file."""
    parsed: dict[str, Any] = {}
    for key, value in values.items():
        try:
            parsed[key] = KEYS[key].parse(value)
        except KeyError:
            raise RulesError(
                f"{name}: expected a key, got {quoted(key)}", code="rules.preset"
            ) from None
        except BadValue as bad:
            message = f"{name}: {value_fault(key, value, bad).message}"
            raise RulesError(message, code="rules.preset") from None
    return parsed
