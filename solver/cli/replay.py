"""``meld-solver replay``: recorded games of every kind played again, and what disagrees."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import click

from solver.cli.common import (
    EXIT_REJECTED,
    Command,
    chosen_rules,
    error_json,
    json_option,
    options_of_rules,
    write_json,
)
from solver.cli.show import Screen, number_of
from solver.engine.games import Game, read_games
from solver.engine.replay import describe
from solver.engine.scoring import RoundScore
from solver.errors import Fault, HandError, MeldSolverError
from solver.rules.model import GameRules


@dataclass
class _Tally:
    """What was found so far."""

    n_games: int = 0
    n_whole: int = 0
    n_faults: int = 0
    n_unread: int = 0
    n_unpriced: int = 0

    def add(self, game: Game) -> None:
        """Count a game."""
        self.n_games += game.is_read
        self.n_unread += not game.is_read
        self.n_whole += game.is_ok
        self.n_faults += len(game.faults) if game.is_read else 0

    def text(self) -> str:
        """Return the summary in one line."""
        unpriced = f", {self.n_unpriced} not priced" if self.n_unpriced else ""
        return (
            f"{number_of(self.n_games, 'game')}, {self.n_whole} replayed whole,"
            f" {number_of(self.n_faults, 'disagreement')},"
            f" {self.n_unread} unreadable{unpriced}"
        )


@click.command(cls=Command, name="replay")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--rules", "-r", "name", help="Other rules, by which the games are priced too.")
@options_of_rules
@json_option
def replay_command(
    files: tuple[str, ...], name: str | None, options: tuple[str, ...], as_json: bool
) -> None:
    """Play the games of FILEs again and tell what disagrees; '-' is stdin.

    Read are records (meld-record/1, one a line), OpenSpiel histories of gin, gin result tables
    (CSV) and Five Crowns saves, plain or gzip; the content tells which. Every move is judged,
    every round and total compared; of tables the points, of saves the deck and the hands. One
    line for each disagreement, then a summary; ends with 1 when anything disagrees or cannot be
    read. With --rules what happened is priced by those rules as well.
    """
    if options and name is None:
        raise click.UsageError("expected --rules with --option, got none")
    other = None if name is None else chosen_rules(name, options)
    screen = Screen()
    tally = _Tally()
    for source, game in _all_games(files):
        tally.add(game)
        priced = None if other is None or not game.is_read else _price(game, other)
        tally.n_unpriced += isinstance(priced, MeldSolverError)
        if as_json:
            write_json(_to_json(source, game, priced))
        else:
            _show(source, game, priced, screen)
    if as_json:
        click.echo(tally.text(), err=True)
    else:
        screen.line(tally.text())
    if tally.n_faults or tally.n_unread or tally.n_unpriced:
        raise click.exceptions.Exit(EXIT_REJECTED)


def _all_games(files: Sequence[str]) -> Iterator[tuple[str, Game]]:
    """Yield every game with the file it is from; a file that cannot be read is one game unread."""
    for file in files:
        name = "stdin" if file == "-" else Path(file).name
        try:
            if file == "-":
                yield from ((name, game) for game in read_games(cast(IO[bytes], sys.stdin.buffer)))
            else:
                with Path(file).open("rb") as stream:
                    yield from ((name, game) for game in read_games(stream))
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            reason = error.strerror if isinstance(error, OSError) else None
            message = f"expected a readable file, got {reason or 'an error'}"
            fault = Fault("file.read", "", message)
            yield name, Game("unknown", "file", is_read=False, faults=(fault,))


def _price(game: Game, rules: GameRules) -> list[RoundScore] | MeldSolverError:
    """Return the rounds of a game as other rules price them, or why they cannot."""
    if game.price is None:
        message = f"expected facts of each round, got a {game.kind} that has only points"
        return HandError(message, code="replay.facts")
    try:
        return game.price(rules)
    except MeldSolverError as error:
        return error


def _to_json(
    source: str, game: Game, priced: list[RoundScore] | MeldSolverError | None
) -> dict[str, Any]:
    answer = {"source": source, **game.to_json()}
    if isinstance(priced, MeldSolverError):
        return {**answer, "priced": error_json(priced)}
    if priced is not None:
        answer["priced"] = {
            "points": [list(score.points) for score in priced],
            "totals": list(priced[-1].totals) if priced else [],
        }
    return answer


def _show(
    source: str,
    game: Game,
    priced: list[RoundScore] | MeldSolverError | None,
    screen: Screen,
) -> None:
    """Write what disagrees about a game, and what other rules say it costs."""
    name = f"{source}: game {game.name}"
    for number, fines in enumerate(game.played.fines() if game.played else (), start=1):
        for fine in fines:
            screen.line(_plain(f"{name}, round {number}: {fine.text(f'seat {fine.seat}')}"))
    for fault in game.faults:
        screen.line(_plain(f"{source}: {describe(fault, game.name)}"))
    if isinstance(priced, MeldSolverError):
        screen.line(_plain(f"{name}: not priced: {priced} [{priced.code}]"))
    elif priced:
        rounds = " ".join("/".join(map(str, score.points)) for score in priced)
        totals = "/".join(map(str, priced[-1].totals))
        screen.line(_plain(f"{name}: priced by {priced[-1].rules}: {rounds}, totals {totals}"))


def _plain(text: str) -> str:
    """Return a text on one line, signs that are no letters of any kind written as escapes."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
