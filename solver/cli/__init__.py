"""The command ``meld-solver``; each subcommand is a module of its own, loaded when it is used."""

from __future__ import annotations

import click

from solver.cli.lazy import LazyGroup

COMMANDS = {
    "solve": ("solver.cli.solve:solve_command", "Best melds of a hand, with proof."),
    "score": ("solver.cli.score:score_command", "Score a round: saves and JSON files."),
    "check": ("solver.cli.check:check_command", "Judge my layout against the rules and the best."),
    "layoff": ("solver.cli.layoff:layoff_command", "Add cards to melds on the table."),
    "godown": ("solver.cli.godown:godown_command", "Contract, wild swaps and lay-offs at once."),
    "rearrange": ("solver.cli.rearrange:rearrange_command", "Rearrange the table, as in Rummikub."),
    "advise": ("solver.cli.advise:advise_command", "What to do now, and what else is worth."),
    "play": ("solver.cli.play:play_command", "Play a game, watch players play, or match them."),
    "replay": ("solver.cli.replay:replay_command", "Play recorded games again: what disagrees."),
    "batch": ("solver.cli.batch:batch_command", "Score files of hands or of recorded games."),
    "rules": ("solver.cli.rules:rules_command", "Games, their options and every default."),
    "serve": ("solver.cli.serve:serve_command", "Start the HTTP service and its page."),
    "warm": ("solver.cli.warm:warm_command", "Compile the kernels into the cache."),
    "bench": ("solver.cli.bench:bench_command", "Run the benchmark suite."),
}
"""Subcommand -> (where it lives, its one-line help); ``--help`` reads this and loads nothing."""


@click.group(
    cls=LazyGroup,
    commands_by_name=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="meld-solver", prog_name="meld-solver")
def main() -> None:
    """Minimum-penalty melds for rummy-type games, proved.

    Cards are a rank A23456789TJQK and a suit S H D C (or * for stars); JK is a joker. Also
    understood: 10h, ♥10, lower case, commas.
    """
