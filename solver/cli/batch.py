"""``meld-solver batch``: files of hands or of recorded games, scored in one go."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from solver.cli.common import (
    EXIT_REJECTED,
    EXIT_USAGE,
    Command,
    chosen_rules,
    ignore_contract_option,
    json_option,
    option_for_output,
    options_of_rules,
    report,
    write_json,
)
from solver.cli.stops import Stopped, stoppable
from solver.errors import MeldSolverError

_EVERY_S = 0.2
"""Seconds between two lines of progress."""


class Progress:
    """One line on stderr that counts up, and nothing where stderr is no terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._next_s = 0.0

    def __call__(self, tally: Any, elapsed_s: float) -> None:  # noqa: ANN401 - of solver.batch
        """Show the counts of a run under way."""
        if self._shown and elapsed_s >= self._next_s:
            self._next_s = elapsed_s + _EVERY_S
            rate = (tally.n_rows - tally.n_reused) / max(elapsed_s, 1e-9)
            line = f"\r{tally.n_rows:,} rows, {rate:,.0f}/s, {tally.n_rejected:,} rejected "
            click.echo(line, nl=False, err=True)

    def clear(self) -> None:
        """Empty the line."""
        if self._shown and self._next_s:
            click.echo("\r\x1b[K", nl=False, err=True)


@click.command(cls=Command, name="batch")
@click.argument("inputs", nargs=-1, required=True, metavar="IN...")
@click.option("--output", "-o", required=True, metavar="OUT", help="File to write, '-' for stdout.")
@click.option("--rules", "-r", "name", help="Game; recorded games bring their own.")
@options_of_rules
@click.option(
    "--hand-column", "hand", default="hand", show_default=True, help="Column of the hands."
)
@click.option(
    "--round-column",
    "round",
    help="Column of the round, which then chooses the rules; rows without one are of the round"
    " that an option chose, if any.",
)
@click.option(
    "--id-column",
    "id",
    help="Column that is copied to the answers. Ids of JSON lines may be of any type: JSON lines"
    " get them as they were given, Parquet and CSV as texts.",
)
@click.option("--threads", type=click.IntRange(1, 256), help="Threads; by default one a core.")
@click.option(
    "--melds",
    is_flag=True,
    help="Also write melds and cards left over: some 8,000 hands a second instead of hundreds of"
    " thousands.",
)
@ignore_contract_option
@click.option(
    "--no-round",
    is_flag=True,
    help="Price rows without a round too: nothing is wild and no contract is asked.",
)
@click.option(
    "--any-size",
    is_flag=True,
    help="Price hands of any size, not only those of the round (games that meld at the end).",
)
@click.option("--rejects", metavar="FILE", help="Rejected rows [default: OUT.rejects.jsonl].")
@click.option(
    "--resume",
    is_flag=True,
    help="Keep finished parts, and go on where a run of the same job stopped. A part is what was"
    " scored in a second, at least 1 MiB of text or 32,768 rows of Parquet (an eighth with"
    " --melds).",
)
@click.option(
    "--restart",
    is_flag=True,
    help="As --resume, but from the beginning: finished parts that are there are discarded.",
)
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Read N rows at most.")
@json_option
def batch_command(
    inputs: tuple[str, ...],
    output: str,
    name: str | None,
    options: tuple[str, ...],
    threads: int | None,
    as_json: bool,
    **settings: Any,  # noqa: ANN401 - fields of Question and of Job, by their names
) -> None:
    """Score files of hands: Parquet, CSV or JSON lines, texts also gzip; '-' is stdin.

    IN may be patterns. The ending of OUT gives its format. One row comes out for each that goes
    in, in the same order; bad rows have a status and a message instead of a penalty and stand
    in the reject file. Lines of meld-record/1 are replayed and priced, a game a row.
    Games with contracts are asked theirs: can_go_down tells which hands can lay it, and all
    cards of the others count.
    """
    if not_a_file := option_for_output(output):
        raise click.UsageError(not_a_file)
    if as_json and output == "-":
        raise click.UsageError("expected --output to be a file with --json, got '-'")
    if settings["resume"] and settings["restart"]:
        raise click.UsageError("expected --resume or --restart, got both")
    if options and name is None:
        raise click.UsageError("expected --rules with --option, got none")
    rules = None if name is None else chosen_rules(name, options)
    progress = Progress()
    with _ended_in_order(progress, output):
        from solver.batch import Job, Question, run_batch  # needs the extra 'batch'

        of_question = {field.name for field in fields(Question)} & settings.keys()
        question = Question(rules, **{name: settings.pop(name) for name in of_question})
        n_threads = threads or os.cpu_count() or 1
        job = Job(inputs, output, question, threads=n_threads, **settings)
        summary = run_batch(job, progress)
    if as_json:
        write_json(summary.to_json())
    else:
        click.echo(summary.text(), err=True)
    if summary.n_rejected:
        raise click.exceptions.Exit(EXIT_REJECTED)


@contextmanager
def _ended_in_order(progress: Progress, output: str) -> Iterator[None]:
    """Turn an error of the block, and a signal that asks to stop, into words and an exit code."""
    try:
        try:
            with stoppable():
                yield
        finally:
            with suppress(OSError):  # a terminal that hung up takes no more words
                progress.clear()
    except Stopped as stopped:
        with suppress(OSError):
            click.echo(f"{stopped}: {_what_stays(output)}", err=True)
        raise click.exceptions.Exit(stopped.exit_code) from stopped
    except MeldSolverError as error:
        report(error)
        raise click.exceptions.Exit(EXIT_USAGE) from error


def _what_stays(output: str) -> str:
    """Return what a run that was stopped leaves behind."""
    if output == "-":
        return "the answers on standard output are not whole"
    parts = Path(f"{output}.parts")
    if parts.exists():
        return f"finished parts are in {parts}; the same command with --resume goes on from there"
    return f"{output} was not written"
