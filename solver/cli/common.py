"""What subcommands share: rules from options, hands from arguments and files, errors, JSON."""

from __future__ import annotations

import json
import re
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from solver.cards import Counts, read_hand
from solver.errors import (
    MOST_CHARS,
    MOST_JOINED,
    Fault,
    HandError,
    LimitError,
    MeldSolverError,
    NotationError,
    RulesError,
    quoted,
)
from solver.packings import packing_of
from solver.rules.loader import load_rules
from solver.rules.model import GameRules

_NO_NUMBER: Final = re.compile(r" is not a valid (integer|float)( range)?(?=\.)")
_OPTIONS_ARE: Final = "(an option of the rules is -O KEY=VALUE)"

F = TypeVar("F", bound=Callable[..., Any])

EXIT_REJECTED = 1
EXIT_USAGE = 2


class Command(click.Command):
    """A subcommand whose errors are lines on stderr and an exit code, never a traceback.

    Rules and limits are named by options, so their faults are usage (2); a hand or file that is
    not understood is a rejected row (1).
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; ``-o`` where there is no output file points to ``-O``."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name != "-o":
                raise
            raise click.NoSuchOption("-o", f"{error.message} {_OPTIONS_ARE}", ctx=ctx) from error
        except click.MissingParameter:
            raise  # its words are made when it is shown
        except click.BadParameter as error:
            text = _NO_NUMBER.sub(" is no number", error.message)
            text = text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS - 3]}..."
            raise click.BadParameter(
                text, ctx=error.ctx, param=error.param, param_hint=error.param_hint
            ) from error

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; report an error of the solver."""
        try:
            return super().invoke(ctx)
        except MeldSolverError as error:
            report(error)
            usage = isinstance(error, RulesError | LimitError)
            ctx.exit(EXIT_USAGE if usage else EXIT_REJECTED)


def report(error: MeldSolverError, *, row: str = "") -> None:
    """Write the faults of an error to stderr, one a line, with place and code; of many the first.

    A line of another format has a fault a word; ``--json`` lists them all.
    """
    more = len(error.faults) - MOST_JOINED
    for fault in error.faults[:MOST_JOINED]:
        place = f"{row}{fault.where}".rstrip()
        click.echo(
            f"error: {place + ': ' if place else ''}{fault.message} [{fault.code}]", err=True
        )
    if more > 0:
        click.echo(f"error: {row.rstrip() + ': ' if row else ''}{more} more faults", err=True)


def error_json(error: MeldSolverError) -> dict[str, Any]:
    """Return an error as the JSON that stands in place of an answer."""
    return {
        "error": {
            "code": error.code,
            "detail": str(error),
            "errors": [fault.to_json() for fault in error.faults],
        }
    }


def write_json(answer: Mapping[str, Any]) -> None:
    """Write one answer as one line of JSON; ASCII, so any console takes it."""
    click.echo(json.dumps(answer, separators=(",", ":")))


def parse_options(texts: Sequence[str]) -> dict[str, str]:
    """Return the options of several ``key=value``; the rules read the values.

    Raises:
        RulesError: ``rules.option`` for a text without key or equals sign, or a key given twice.

    Example:
        >>> parse_options(["cards_dealt=13", "points=A=15,K=13"])
        {'cards_dealt': '13', 'points': 'A=15,K=13'}
    """
    options: dict[str, str] = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not key or not equals:
            raise RulesError(f"expected key=value, got {quoted(text)}", code="rules.option")
        if key in options:
            message = f"expected option {quoted(key)} once, got it twice"
            raise RulesError(message, code="rules.option")
        options[key] = value
    return options


def options_of_rules(command: F) -> F:
    """Add ``-O key=value`` to a command; ``-o`` is the output file of those that write one."""
    return click.option(
        "-O",
        "--option",
        "options",
        multiple=True,
        metavar="KEY=VALUE",
        help="Option of the rules, such as cards_dealt=13; may be repeated.",
    )(command)


def rules_options(command: F) -> F:
    """Add ``--rules NAME``, which must be given, and ``-O key=value`` to a command."""
    return click.option(
        "--rules", "-r", "name", required=True, help="Game; 'meld-solver rules' lists them."
    )(options_of_rules(command))


def option_for_output(output: str) -> str | None:
    """Return what is wrong with ``-o KEY=VALUE``, where an option of the rules was meant."""
    if "=" not in output or Path(output).suffix:
        return None
    return f"expected a file after -o, got {quoted(output, 200)} {_OPTIONS_ARE}"


def json_option(command: F) -> F:
    """Add ``--json`` to a command."""
    return click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")(command)


def colour_option(command: F) -> F:
    """Add ``--four-colour`` to a command."""
    return click.option(
        "--four-colour", "--four-color", is_flag=True, help="Blue diamonds, green clubs."
    )(command)


def ignore_contract_option(command: F) -> F:
    """Add ``--ignore-contract`` to a command."""
    return click.option(
        "--ignore-contract",
        is_flag=True,
        help="Any melds count, as if the contract were already down.",
    )(command)


def chosen_rules(name: str, options: Sequence[str]) -> GameRules:
    """Return the rules that ``--rules`` and ``-O`` name."""
    return load_rules(name, **parse_options(options))


def note_simplified(rules: GameRules) -> None:
    """Say on stderr that a game is played here without some of its moves, where it is."""
    if rules.flow.referee == "simplified":
        moves = "some of its moves; see 'referee' in"
        click.echo(f"note: {rules.title} lacks {moves} 'meld-solver rules {rules.name}'", err=True)


def read_cards(hand: str, rules: GameRules, *, empty_ok: bool = False) -> Counts:
    """Return the counts of a hand as text; empty only where that is allowed.

    Raises:
        NotationError: a token is not a card. HandError: ``hand.empty``.
    """
    counts = read_hand(hand, tiles=rules.deck.tiles)
    if not counts.any() and not empty_ok:
        raise HandError("expected at least one card, got none", code="hand.empty", where="/hand")
    return counts


def check_plain(data: bytes, name: str) -> None:
    """Check that a file is not packed.

    Raises:
        NotationError: ``file.packed``, with the packing.
    """
    packing = packing_of(data)
    if packing is not None:
        message = f"{name}: expected plain text, got {packing}: unpack it first"
        raise NotationError(message, code="file.packed")


@dataclass(frozen=True)
class Row:
    """One hand of the input and where it stands, ``"line 3"`` or ``""`` for an argument.

    ``fault`` says why a line could not be read as text.
    """

    hand: str
    place: str
    fault: Fault | None = None

    def read(self, rules: GameRules) -> Counts:
        """Return the counts of the hand; HandError ``file.read`` when it is no text."""
        if self.fault is not None:
            raise HandError.from_faults([self.fault])
        return read_cards(self.hand, rules)


def rows_of(arguments: Sequence[str], file: Path | None) -> Iterator[Row]:
    """Return the hands to work on: of arguments, of a file, or of stdin for a lone ``-``.

    Lines of files and stdin are hands; empty ones and comments (``#``) are passed over. A line
    that is not UTF-8 is a row with a fault, so that it stops none of the others.

    Raises:
        HandError: ``file.read`` when the file or stdin cannot be read at all.
    """
    if file is None and list(arguments) != ["-"]:
        yield Row(" ".join(arguments), "")
        return
    name = "stdin" if file is None else file.name
    try:
        data = sys.stdin.buffer.read() if file is None else file.read_bytes()
    except OSError as error:
        reason = error.strerror or "an error"
        fault = Fault("file.read", "", f"{name}: expected a readable file, got {reason}")
        raise HandError.from_faults([fault]) from error
    check_plain(data, name)
    for number, line in enumerate(data.removeprefix(BOM_UTF8).splitlines(), start=1):
        place = f"line {number}"
        try:
            hand = line.decode().partition("#")[0].strip()
        except UnicodeDecodeError as error:
            data_of = {"source": name, "line": number}
            message = f"expected UTF-8 text, got byte 0x{line[error.start]:02x}"
            yield Row("", place, Fault("file.read", "", message, data_of))
            continue
        if hand:
            yield Row(hand, place)
