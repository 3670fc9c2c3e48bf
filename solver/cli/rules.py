"""``meld-solver rules``: the games, and one game with every default."""

from __future__ import annotations

import json

import click
from rich import box
from rich.table import Table

from solver.cli.common import Command, json_option, options_of_rules, parse_options, write_json
from solver.cli.show import Screen
from solver.rules.loader import explain_rules, list_rules, load_rules

_PARTS = {
    "round": "Which round",
    "variant": "Variants",
    "meld": "Melds and points",
    "deck": "Deck",
    "flow": "Play and scoring",
}


@click.command(cls=Command, name="rules")
@click.argument("name", required=False)
@options_of_rules
@json_option
def rules_command(name: str | None, options: tuple[str, ...], as_json: bool) -> None:
    """List the games, or show every option of game NAME: default, meaning and source."""
    if name is None:
        if options:
            raise click.UsageError("expected a game before its options")
        show_games(as_json=as_json)
        return
    rules = load_rules(name, **parse_options(options))
    lines = explain_rules(rules)
    if as_json:
        write_json({"rules": rules.to_json(), "options": [line.to_json() for line in lines]})
        return
    screen = Screen()
    screen.line(f"{rules.title} ({rules.name}), fingerprint {rules.fingerprint}")
    for part, title in _PARTS.items():
        table = _table("option", "value", "meaning", "source", title=title)
        for line in lines:
            if line.part == part:
                value = _text(line.value)
                if line.value != line.default:
                    value += f" (default {_text(line.default)})"
                unit = f" ({line.unit})" if line.unit else ""
                table.add_row(line.key, value, line.meaning + unit, line.source)
        if table.row_count:
            screen.table(table)


def show_games(*, as_json: bool) -> None:
    """Write the list of games."""
    games = list_rules()
    if as_json:
        write_json({"games": [game.to_json() for game in games]})
        return
    table = _table("game", "players", "rounds", "what it is")
    for game in games:
        least, most = game.players
        players = str(least) if least == most else f"{least}-{most}"
        table.add_row(game.id, players, str(game.rounds or "to a score"), game.description)
    screen = Screen()
    screen.table(table)
    screen.line("'meld-solver rules NAME' shows every option of a game.")


def _table(*columns: str, title: str | None = None) -> Table:
    """Return a table without lines, which every console can show."""
    table = Table(*columns, title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.columns[0].no_wrap = True
    for column in table.columns:
        column.overflow = "fold"  # an address is broken where it must be, never cut
    return table


def _text(value: object) -> str:
    """Return a value as the rules read it back, short where that is plain."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return ", ".join(f"{k}={_text(v)}" for k, v in value.items()) or "none"
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        return " ".join(_text(item) for item in value) or "none"
    return value if isinstance(value, str) else json.dumps(value)
