"""Files of games of every kind that can be read, told apart by content, each played again."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import IO, Any, Final, Literal, TypeAlias

from solver.engine.archive import BROKEN_PACKING, open_archive, read_lines, truncated
from solver.engine.importers.five_crowns import Save, read_saves
from solver.engine.importers.gin_results import CheckedRow, check_results
from solver.engine.importers.openspiel import name_of, replay_game
from solver.engine.record import parse_line, read_record
from solver.engine.replay import Replay, replay, reprice
from solver.engine.scoring import RoundExtras, RoundScore, score_round
from solver.engine.state import with_players
from solver.errors import Fault, MeldSolverError, NotationError, quoted
from solver.json_words import what_is_wrong
from solver.rules.loader import round_rules
from solver.rules.model import GameRules

Kind: TypeAlias = Literal["record", "openspiel", "gin-table", "five-crowns", "unknown"]

MAX_TEXT: Final = 64 * 2**20
"""Longest file in bytes that is read in one piece: result tables, saves, whole documents."""
_BOM: Final = b"\xef\xbb\xbf"
_OBJECT_RE: Final = re.compile(rb"^\s*\{", re.MULTILINE)
_SAVE_RE: Final = re.compile(rb"^Round(?: Number)?\s*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Game:
    """One game of a file, played again as far as it goes.

    Attributes:
        kind: what it was written as.
        name: its id, else where it stands.
        is_read: whether it could be read at all; if not, ``faults`` say why.
        n_rounds: rounds that came to an end.
        totals: points by seat after them, None when nothing is known of them.
        winners: seats that won, None while the game goes on.
        faults: what disagrees, in order.
        price: prices its rounds by other rules, None where too little is known for that.
        played: the replay behind it; tables and saves have none.
    """

    kind: Kind
    name: str
    is_read: bool
    faults: tuple[Fault, ...] = ()
    n_rounds: int = 0
    totals: tuple[int, ...] | None = None
    winners: tuple[int, ...] | None = None
    price: Callable[[GameRules], list[RoundScore]] | None = None
    played: Replay | None = None

    @property
    def is_ok(self) -> bool:
        """Return whether it was read and nothing disagrees."""
        return self.is_read and not self.faults

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        played = None if self.played is None else self.played.to_json()
        return {
            "kind": self.kind,
            "id": self.name,
            "ok": self.is_ok,
            "read": self.is_read,
            "rounds": self.n_rounds,
            "n_moves": played["n_moves"] if played else None,
            "totals": None if self.totals is None else list(self.totals),
            "final_totals": played["final_totals"] if played else None,
            "winners": None if self.winners is None else list(self.winners),
            "fines": played["fines"] if played else [],
            "faults": [fault.to_json() for fault in self.faults],
        }


def read_games(source: IO[bytes]) -> Iterator[Game]:
    """Yield the games of a file, plain or gzip; what is wrong with one stops none of the others.

    Read are lines (or a document) of ``meld-record/1`` and of OpenSpiel's gin histories, gin
    result tables and Five Crowns saves.

    Args:
        source: binary file, positioned at its start.
    """
    try:
        stream = open_archive(source)
        head = stream.peek().removeprefix(_BOM)
    except BROKEN_PACKING as error:
        yield _unread("line 1", [truncated(error, 1)])
        return
    except NotationError as error:
        yield _unread("line 1", error.faults)
        return
    first = head.lstrip().split(b"\n", 1)[0].strip()
    if not first:
        return
    if first == b"{" or first.startswith(b"["):
        yield from _whole(stream, _document)
    elif first.startswith(b"Game") and b"," in first:
        yield from _whole(stream, _table)
    elif is_save(head):
        yield from _whole(stream, _saves)
    elif _OBJECT_RE.search(head):
        for line_no, line in read_lines(stream):
            yield _line(line, f"line {line_no}")
    else:
        message = (
            "expected records, OpenSpiel histories, a gin result table or a Five Crowns save,"
            f" got {quoted(first.decode(errors='replace'))}"
        )
        yield _unread("line 1", [Fault("file.kind", "", message)])


def is_save(head: bytes) -> bool:
    """Return whether a file that begins so is a Five Crowns save."""
    return bool(_SAVE_RE.search(head)) and not _OBJECT_RE.search(head)


def _unread(name: str, faults: Sequence[Fault], kind: Kind = "unknown") -> Game:
    return Game(kind, name, is_read=False, faults=tuple(faults))


def _line(line: bytes | Fault, place: str) -> Game:
    """Return the game of a line of JSON."""
    if isinstance(line, Fault):
        return _unread(place, [line])
    try:
        return _object(parse_line(line), place)
    except MeldSolverError as error:
        return _unread(place, error.faults)


def _object(data: Mapping[str, Any], place: str) -> Game:
    """Return the game of a JSON object."""
    if "history" in data and "format" not in data:
        played = replay_game(data)
        return _of_replay("openspiel", name_of(data) or place, played)
    try:
        record = read_record(data)
    except MeldSolverError as error:
        name = data.get("id")
        shown = f"{name:.200}" if isinstance(name, str) and name else place
        return _unread(shown, error.faults, "record")
    return _of_replay("record", record.id or place, replay(record))


def _of_replay(kind: Kind, name: str, played: Replay) -> Game:
    """Return a game that was played again; one that never began counts as not read."""
    state = played.state
    if state is None:
        return _unread(name, played.faults, kind)
    return Game(
        kind,
        name,
        is_read=True,
        faults=played.faults,
        n_rounds=len(state.history),
        totals=state.totals,
        winners=state.winners,
        price=lambda rules: reprice(played, with_players(rules, state.n_players)),
        played=played,
    )


def _whole(stream: io.BufferedReader, games: Callable[[str], Iterator[Game]]) -> Iterator[Game]:
    """Yield the games of a file that has to be read in one piece."""
    try:
        data = stream.read(MAX_TEXT + 1)
    except BROKEN_PACKING as error:
        yield _unread("line 1", [truncated(error, 1)])
        return
    if len(data) > MAX_TEXT:
        message = f"expected a file of at most {MAX_TEXT} bytes"
        yield _unread("line 1", [Fault("file.size", "", message)])
        return
    try:
        yield from games(data.removeprefix(_BOM).decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"expected UTF-8 text, got byte 0x{data[error.start]:02x}"
        yield _unread(f"line {line}", [Fault("file.read", "", message, {"line": line})])


def _document(text: str) -> Iterator[Game]:
    """Yield the games of one JSON document: an object or a list of objects."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        yield _unread("line 1", [Fault("record.json", "", what_is_wrong(error))])
        return
    games = document if isinstance(document, list) else [document]
    for number, data in enumerate(games, start=1):
        place = f"game {number}"
        if isinstance(data, Mapping):
            yield _object(data, place)
        else:
            message = f"expected a JSON object, got {quoted(data)}"
            yield _unread(place, [Fault("record.type", f"/{number - 1}", message)])


def _table(text: str) -> Iterator[Game]:
    """Yield the games of a gin result table, rows that follow each other under one number."""
    checked = check_results(text.splitlines(keepends=True))
    for number, group in groupby(checked, key=lambda c: None if c.row is None else c.row.game):
        rows = list(group)
        if number is None:
            for row in rows:
                yield _unread(f"line {row.line_no}", row.faults, "gin-table")
        else:
            yield _table_game(number, rows)


def _table_game(number: int, rows: Sequence[CheckedRow]) -> Game:
    last = rows[-1].row
    return Game(
        "gin-table",
        f"{number}",
        is_read=True,
        faults=tuple(fault for row in rows for fault in row.faults),
        n_rounds=len(rows),
        totals=None if last is None else last.totals,
    )


def _saves(text: str) -> Iterator[Game]:
    """Yield the positions of a Five Crowns save, each from its line ``Round`` to the next."""
    lines = text.replace("\r\n", "\n").split("\n")
    starts = [i for i, line in enumerate(lines) if _SAVE_RE.match(line.encode())]
    for start, stop in zip(starts, [*starts, len(lines)][1:], strict=True):
        place = f"line {start + 1}"
        try:
            saves = read_saves("\n".join(lines[start:stop]))
        except NotationError as error:
            yield _unread(place, error.faults, "five-crowns")
            continue
        for save in saves:
            yield _save_game(save, place)


def _save_game(save: Save, place: str) -> Game:
    def price(rules: GameRules) -> list[RoundScore]:
        of_round = round_rules(with_players(rules, len(save.hands)), save.round_no)
        extras = RoundExtras(names=save.names)
        return [score_round(save.hands, of_round, totals=save.scores, extras=extras)]

    faults = [replace(f, data={**f.data, "round": save.round_no}) for f in save.faults]
    return Game(
        "five-crowns",
        place,
        is_read=True,
        faults=tuple(faults),
        n_rounds=max(0, save.round_no - 1),
        totals=save.scores,
        price=price,
    )
