"""``meld-solver bench``: run the benchmark suite."""

from __future__ import annotations

import importlib.util

import click

from solver.cli.common import Command
from solver.cli.lazy import load


@click.command(
    cls=Command,
    name="bench",
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def bench_command(arguments: tuple[str, ...]) -> None:
    """Run the benchmark suite; ARGUMENTS are those of 'python -m bench.run'."""
    if importlib.util.find_spec("bench") is None or not importlib.util.find_spec("bench.run"):
        raise click.ClickException("the benchmark suite (package 'bench') is not installed")
    code = load("bench.run:main")(list(arguments))
    raise click.exceptions.Exit(int(code or 0))
