"""``meld-solver play``: matches between players on mirrored deals."""

from __future__ import annotations

import sys
import time

import click

from solver.cli.common import Command, chosen_rules, json_option, rules_options, write_json
from solver.players.match import POLICIES, Interval, MatchResult, play_match

_NAME = click.Choice(list(POLICIES))


@click.command(cls=Command, name="play")
@rules_options
@click.option("--match", "names", type=(_NAME, _NAME), required=True, help="The two players.")
@click.option("--games", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--players", type=click.IntRange(min=2), help="Seats a game; the fewest by default.")
@json_option
def play_command(
    name: str,
    options: tuple[str, ...],
    names: tuple[str, str],
    games: int,
    seed: int,
    players: int | None,
    as_json: bool,
) -> None:
    """Play whole games between two players and tell who is better, with 95 % intervals.

    Players: expectation (exact expectation over the next draw), greedy (least points now),
    random. Every deal is played in all seatings, so luck of the deal cancels; the number of games
    is rounded up to whole rounds of seatings (2 games for two players, 2 a seat for more).
    """
    rules = chosen_rules(name, options)
    started = time.perf_counter()
    result = play_match(
        *names,
        rules,
        n_games=games,
        seed=seed,
        n_seats=players or max(2, rules.flow.min_players),
        watch=_progress if sys.stderr.isatty() else None,
    )
    elapsed_s = time.perf_counter() - started
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
        f"{result.n_blocks} deals, {result.n_seats} players, seed {result.seed}"
    )
    click.echo(f"points a game: {first} {result.points[0]:.2f}, {second} {result.points[1]:.2f}")
    click.echo(f"{first} is better by {_text(result.advantage, 1)} points a game")
    click.echo(
        f"{first} wins {_text(result.win_share, 100)} % of the games "
        f"({100 * result.fair_share:.0f} % if equally strong)"
    )
    click.echo(f"{result.n_moves} moves, {elapsed_s / result.n_games:.2f} s a game")


def _text(interval: Interval, scale: float) -> str:
    low, high = interval.mean - interval.half_width, interval.mean + interval.half_width
    return f"{scale * interval.mean:.2f} [{scale * low:.2f}, {scale * high:.2f}]"
