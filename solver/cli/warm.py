"""``meld-solver warm``: compile the kernels into the cache."""

from __future__ import annotations

import time

import click

from solver.cli.common import Command
from solver.solve import warm_up


@click.command(cls=Command, name="warm")
def warm_command() -> None:
    """Compile the kernels, so that the first solve of later processes is quick."""
    began = time.perf_counter()
    warm_up()
    click.echo(f"kernels ready after {time.perf_counter() - began:.1f} s")
