"""``meld-solver play``: at the terminal, between players, and matches on mirrored deals."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from solver import clock
from solver.cli.at_table import TableGame
from solver.cli.common import (
    Command,
    chosen_rules,
    colour_option,
    json_option,
    note_simplified,
    option_for_output,
    options_of_rules,
    write_json,
)
from solver.cli.show import Screen, number_of
from solver.engine.archive import write_records
from solver.engine.record import GameRecord
from solver.engine.selfplay import play_game
from solver.errors import quoted
from solver.players.match import POLICIES, Interval, MatchResult, play_match
from solver.rules.model import GameRules

_NAME = click.Choice(list(POLICIES))
_MATCH_GAMES: Final = 100


@click.command(cls=Command, name="play")
@click.option("--rules", "-r", "name", required=True, help="Game; 'meld-solver rules' lists them.")
@options_of_rules
@click.option(
    "--match",
    "pair",
    type=(_NAME, _NAME),
    metavar="A B",
    help="Match two players on mirrored deals.",
)
@click.option("--auto", is_flag=True, help="Let players play, and write the records.")
@click.option("--against", "others", type=_NAME, multiple=True, help="Who plays; may be repeated.")
@click.option("--games", type=click.IntRange(min=1), help="Games [default: 100 a match, else 1].")
@click.option("--seed", type=int, help="Seed [default: 1; at the terminal by lot].")
@click.option("--players", type=click.IntRange(2, 26), help="Seats; the fewest by default.")
@click.option("--output", "-o", metavar="FILE", help="File of the records, .gz is compressed.")
@json_option
@colour_option
def play_command(
    name: str,
    options: tuple[str, ...],
    pair: tuple[str, str] | None,
    auto: bool,
    others: tuple[str, ...],
    games: int | None,
    seed: int | None,
    players: int | None,
    output: str | None,
    as_json: bool,
    four_colour: bool,
) -> None:
    """Play a game at the terminal, let players play, or match two of them.

    Players: expectation (exact expectation over the next draw), greedy (least points now; the
    default), random.

    Plain, you sit in seat 0 against --against (one name serves all seats, several take turns);
    '?' helps, 'hint' advises, 'q' stops. --auto plays --games between them from a seed and
    writes records (meld-record/1) that 'replay' reads, to --output or stdout. --match A B tells
    who is better with 95 % intervals: every deal is played in all seatings, so luck of the deal
    cancels; games are rounded up to whole rounds of seatings (2, or 2 a seat from 3 seats).
    """
    _check_options(pair, auto=auto, others=others, games=games, output=output, as_json=as_json)
    rules = chosen_rules(name, options)
    note_simplified(rules)
    n_seats = players or max(2, rules.flow.min_players, len(others) + (not auto) if others else 0)
    if pair is not None:
        _match(pair, rules, games or _MATCH_GAMES, 1 if seed is None else seed, n_seats, as_json)
        return
    names = [(others or ("greedy",))[k % max(1, len(others))] for k in range(n_seats)]
    if auto:
        records = _games(rules, names, games or 1, 1 if seed is None else seed)
        if output in (None, "-"):
            for record in records:
                click.echo(record.to_line())
        else:
            write_records(output, records)
        return
    lot = secrets.randbelow(10**9) if seed is None else seed
    seats = ["you", *(f"{name} {seat}" for seat, name in enumerate(names[:-1], start=1))]
    policies = [POLICIES[name]() for name in names[:-1]]
    table = TableGame(rules, policies, seats, lot, Screen(four_colour=four_colour))
    record = replace(table.play(), id=f"{rules.name}-{lot}")
    if output is not None:
        write_records(output, [record])


def _check_options(
    pair: tuple[str, str] | None,
    *,
    auto: bool,
    others: Sequence[str],
    games: int | None,
    output: str | None,
    as_json: bool,
) -> None:
    """Refuse options that belong to another way to play, and a file that cannot be written."""
    if pair is not None and (auto or others or output is not None):
        raise click.UsageError("expected --match without --auto, --against and --output")
    if as_json and pair is None:
        raise click.UsageError("expected --json with --match; records are JSON by themselves")
    if games is not None and pair is None and not auto:
        raise click.UsageError("expected --games with --match or --auto")
    if output is None or (output == "-" and auto):
        return
    if not_a_file := option_for_output(output):
        raise click.UsageError(not_a_file)
    if output == "-" or Path(output).is_dir() or not Path(output).absolute().parent.is_dir():
        raise click.UsageError(
            f"expected a file in a folder that exists, got {quoted(output, 200)}"
        )


def _games(rules: GameRules, names: Sequence[str], n_games: int, seed: int) -> Iterator[GameRecord]:
    """Yield records of seeded games; equal arguments give equal records."""
    shown = [f"{name} {seat}" for seat, name in enumerate(names)]
    for k in range(n_games):
        policies = [POLICIES[name]() for name in names]
        record = play_game(rules, policies, f"{seed}:{k}", names=shown)
        yield replace(record, id=f"{rules.name}-{seed}-{k}")


def _match(
    pair: tuple[str, str], rules: GameRules, n_games: int, seed: int, n_seats: int, as_json: bool
) -> None:
    """Play a match and write what it came to."""
    started = clock.now()
    watch = _progress if sys.stderr.isatty() else None
    result = play_match(*pair, rules, n_games=n_games, seed=seed, n_seats=n_seats, watch=watch)
    elapsed_s = clock.now() - started
    if as_json:
        write_json({**result.to_json(), "elapsed_s": elapsed_s})
    else:
        _show(result, elapsed_s)


def _progress(played: int, wanted: int) -> None:
    click.echo(f"\r{played} of {wanted} games ", nl=played == wanted, err=True)


def _show(result: MatchResult, elapsed_s: float) -> None:
    """Write what a match came to."""
    first, second = result.names
    click.echo(
        f"{result.rules.name}: {first} against {second}, {result.n_games} games on "
        f"{number_of(result.n_blocks, 'deal')}, {result.n_seats} players, seed {result.seed}"
    )
    click.echo(f"points a game: {first} {result.points[0]:.2f}, {second} {result.points[1]:.2f}")
    click.echo(f"{first} is better by {_text(result.advantage, 1, ' points a game')}")
    click.echo(
        f"{first} wins {_text(result.win_share, 100, ' % of the games')}"
        f" ({100 * result.fair_share:.0f} % if equally strong)"
    )
    click.echo(f"{result.n_moves} moves, {elapsed_s / result.n_games:.2f} s a game")


def _text(interval: Interval, scale: float, unit: str) -> str:
    shown = f"{scale * interval.mean:.2f}"
    if interval.half_width is None:
        return f"{shown}{unit} (deals that are alike tell no interval)"
    low, high = interval.mean - interval.half_width, interval.mean + interval.half_width
    return f"{shown} [{scale * low:.2f}, {scale * high:.2f}]{unit}"
