"""``meld-solver score``: rounds of saves and JSON files, priced."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table
from rich.text import Text

from solver.cli.common import (
    EXIT_REJECTED,
    Command,
    check_plain,
    chosen_rules,
    colour_option,
    error_json,
    json_option,
    options_of_rules,
    report,
    write_json,
)
from solver.cli.round_file import Round, check_text, read_rounds
from solver.cli.show import Screen
from solver.engine.importers.five_crowns import Save, read_saves
from solver.engine.scoring import RoundScore
from solver.errors import Fault, MeldSolverError, NotationError
from solver.rules.model import GameRules
from solver.rules.question import game_words


@dataclass(frozen=True)
class Priced:
    """One round as priced, and what is impossible about its deck."""

    score: RoundScore
    faults: tuple[Fault, ...] = ()


@click.command(cls=Command, name="score")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--rules", "-r", "name", help="Game of JSON rounds that name none.")
@options_of_rules
@json_option
@colour_option
def score_command(
    files: tuple[str, ...],
    name: str | None,
    options: tuple[str, ...],
    as_json: bool,
    four_colour: bool,
) -> None:
    """Score the rounds of FILEs; '-' is stdin.

    A file is a Five Crowns save, or JSON: an object (or a list, or one a line) such as
    {"rules": {"name": "three-thirteen", "options": {"cards_dealt": 3}}, "hands": ["5S 5H 5D",
    "3S 9D QH"], "out": 0}; further fields: totals, names, cut, false_melds, drops,
    false_declarations, down_and_out, upcard, and laid: the melds and the cards laid off of each
    seat, where the game scores them, such as [["9S 9H 9D", "5C"], ["5S 5H 5D"]]. Where the rules
    name no round, hands of one size name it in games that meld at the end. A save with an
    impossible deck is scored all the same, and its surplus cards are named.
    """
    if options and name is None:
        raise click.UsageError("expected --rules with --option, got none")
    fallback = None if name is None else chosen_rules(name, options)
    screen = Screen(four_colour=four_colour)
    n_rejected = 0
    for place, priced in _all_rounds(files, fallback):
        if isinstance(priced, MeldSolverError):
            n_rejected += 1
            if as_json:
                write_json({"source": place, **error_json(priced)})
            else:
                report(priced, row=place + " ")
        elif as_json:
            write_json(_to_json(place, priced))
        else:
            _show(place, priced, screen)
    if n_rejected:
        raise click.exceptions.Exit(EXIT_REJECTED)


def _all_rounds(
    files: Sequence[str], fallback: GameRules | None
) -> Iterator[tuple[str, Priced | MeldSolverError]]:
    """Return every round with its place; what is wrong with one stops none of the others."""
    for file in files:
        name = "stdin" if file == "-" else Path(file).name
        try:
            readers = list(_readers(_read_text(file, name), fallback))
        except MeldSolverError as error:
            yield name, error
            continue
        for number, reader in enumerate(readers, start=1):
            place = name if len(readers) == 1 else f"{name} record {number}"
            try:
                yield place, reader()
            except MeldSolverError as error:
                yield place, error


def _read_text(file: str, name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        check_plain(data, name)
        # Bytes that are not UTF-8 stay marked: only the round that has them is rejected.
        return data.removeprefix(BOM_UTF8).decode(errors="surrogateescape")
    except OSError as error:
        message = f"expected a readable file, got {name}: {error.strerror or 'an error'}"
        raise NotationError(message, code="file.read") from error


def _readers(text: str, fallback: GameRules | None) -> Iterator[Callable[[], Priced]]:
    """Return one function for each round of a text that reads and prices it."""
    if text.lstrip()[:1] in {"{", "["}:
        for read in read_rounds(text, fallback):
            yield partial(_price_round, read)
        return
    if text.lstrip().startswith("Game,"):
        raise NotationError(
            "expected a save or rounds, got a gin result table: 'meld-solver replay' checks it",
            code="round.kind",
        )
    check_text(text)
    for save in read_saves(text):
        yield partial(_price_save, save)


def _price_round(read: Callable[[], Round]) -> Priced:
    return Priced(read().score())


def _price_save(save: Save) -> Priced:
    return Priced(save.score(), save.faults)


def _to_json(place: str, priced: Priced) -> dict[str, Any]:
    return {
        "source": place,
        **priced.score.to_json(),
        "deck_faults": [fault.to_json() for fault in priced.faults],
    }


def _show(place: str, priced: Priced, screen: Screen) -> None:
    """Write one round as a table, then the faults of its deck to stderr."""
    score = priced.score
    heading = "; ".join((game_words(score.game), *score.notes))
    screen.line(f"{place}: {heading}; {score.fingerprint}")
    table = Table(
        *("player", "points", "total", "melds", "left over"),
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for player in score.players:
        mark = " *" if player.seat in score.winners else ""
        note = f" ({player.note})" if player.note else ""
        table.add_row(
            Text(player.name + mark),
            Text(f"{player.points}{note}"),
            str(player.total),
            screen.melds(player.arrangement.sorted_melds()),
            screen.cards(player.arrangement.deadwood),
        )
    screen.table(table)
    for fault in priced.faults:
        click.echo(f"warning: {place}: {fault.message} [{fault.code}]", err=True)
