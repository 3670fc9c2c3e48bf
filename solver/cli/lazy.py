"""A click group that loads the module of a subcommand only when it runs."""

from __future__ import annotations

import errno
import importlib
import logging
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import click


def load(target: str) -> Any:  # noqa: ANN401 - whatever the module holds
    """Return the attribute that ``"module:attribute"`` names, importing its module.

    Subcommands, the service and the benchmarks are reached through this, so that ``--help`` and
    ``--version`` load neither numba nor flask.
    """
    module, _, attribute = target.partition(":")
    return getattr(importlib.import_module(module), attribute)


_MOST_CHARS: Final = 300
"""Characters of the name of a file in a message."""


class LazyGroup(click.Group):
    """A group whose subcommands are given as ``{name: ("module:attribute", short help)}``."""

    def __init__(
        self,
        name: str | None,
        *,
        commands_by_name: Mapping[str, tuple[str, str]],
        **settings: Any,  # noqa: ANN401 - the settings of click.Group
    ) -> None:
        super().__init__(name, **settings)
        self.commands_by_name = commands_by_name

    def main(self, *args: Any, **settings: Any) -> Any:  # noqa: ANN401 - as click.Group.main
        """Run a command; output that cannot be written ends it with one line and exit code 1.

        What the library logs goes to stderr, with ``--json`` too: kernels that compile keep a
        person or a script waiting all the same.
        """
        _show_log()
        try:
            try:
                return super().main(*args, **settings)
            finally:
                sys.stdout.flush()
        except OSError as error:
            _discard_output()
            if error.errno != errno.EPIPE:
                place = str(error.filename or "the output")[:_MOST_CHARS]
                reason = error.strerror or str(error)
                with suppress(OSError):
                    click.echo(f"error: {place}: {reason} [output.write]", err=True)
            sys.exit(1)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which a newcomer needs them."""
        return list(self.commands_by_name)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a subcommand, None for a name that is not one."""
        if cmd_name not in self.commands_by_name:
            return None
        command = load(self.commands_by_name[cmd_name][0])
        if not isinstance(command, click.Command):
            raise TypeError(f"expected {cmd_name} to be a click command, got {command!r}")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write names and one-line helps from the table, loading no subcommand."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.commands_by_name.items()])


class _Stderr(logging.Handler):
    """Writes what the library logs as the commands write: ``note: ...``, ``warning: ...``."""

    def emit(self, record: logging.LogRecord) -> None:
        kind = "note" if record.levelno < logging.WARNING else record.levelname.lower()
        with suppress(OSError):
            click.echo(f"{kind}: {record.getMessage()}", err=True)


_STDERR: Final = _Stderr()


def _show_log() -> None:
    """Let the log of the library come out on stderr."""
    log = logging.getLogger("solver")
    log.setLevel(logging.INFO)
    log.addHandler(_STDERR)  # a second time changes nothing


def _discard_output() -> None:
    """Point stdout at nothing, so that the flush at the end of Python does not fail again."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
