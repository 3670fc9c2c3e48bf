"""Gin result tables: each row's points checked against its deadwood.

Columns: Game, Round, P0 Score, P1 Score, Winner, Turns, P0 Win, P1 Win, P0 Deadwood, P1 Deadwood.
The winner's points are the difference of deadwood, and the gin bonus when the winner has none;
a dead hand has no winner and no points.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from solver.errors import Fault, quoted

COLUMNS: Final = (
    "Game",
    "Round",
    "P0 Score",
    "P1 Score",
    "Winner",
    "Turns",
    "P0 Win",
    "P1 Win",
    "P0 Deadwood",
    "P1 Deadwood",
)
_NO_WINNER: Final = frozenset({"", "null", "-1"})


@dataclass(frozen=True, slots=True)
class GinRow:
    """One round of a result table.

    Attributes:
        line_no: line in the file, 1...
        game: number of the game.
        round_no: number of the round.
        totals: totals after the round.
        winner: 0 or 1, None for a dead hand.
        points: points of the round.
        deadwood: points left in the hands.
    """

    line_no: int
    game: int
    round_no: int
    totals: tuple[int, int]
    winner: int | None
    points: tuple[int, int]
    deadwood: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """A row with what is wrong about it; ``row`` is None when it could not be read."""

    line_no: int
    row: GinRow | None
    faults: tuple[Fault, ...] = ()


def check_results(lines: Iterable[str], *, gin_bonus: int = 25) -> Iterator[CheckedRow]:
    """Yield every row of a table with its faults; ragged rows and ``null`` are no obstacle.

    Args:
        lines: lines of the file, the header first.
        gin_bonus: added when the winner has no deadwood.

    Faults: ``gin.row`` not readable, ``gin.points`` points other than the deadwood gives,
    ``gin.total`` a total that is not the one before plus the points, ``gin.header``.
    """
    rows = _rows(lines)
    _, header = next(rows, (1, None))
    if not isinstance(header, list) or tuple(name.strip() for name in header) != COLUMNS:
        shown = ", ".join(header) if isinstance(header, list) else ""
        message = f"expected columns {', '.join(COLUMNS)}, got {quoted(shown, 100)}"
        yield CheckedRow(1, None, (Fault("gin.header", "", message),))
        return
    totals: dict[int, tuple[int, int]] = {}
    for line_no, cells in rows:
        row = cells if isinstance(cells, Fault) else _read_row(line_no, cells)
        if isinstance(row, Fault):
            yield CheckedRow(line_no, None, (row,))
            continue
        faults = [*_check_points(row, gin_bonus), *_check_totals(row, totals.get(row.game, (0, 0)))]
        totals[row.game] = row.totals
        yield CheckedRow(row.line_no, row, tuple(faults))


def _rows(lines: Iterable[str]) -> Iterator[tuple[int, list[str] | Fault]]:
    """Yield line and cells of each row that is not blank, a fault where the text is no row."""
    reader = csv.reader(lines)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            message = (
                "expected values with commas between them, got a row that cannot be taken apart"
            )
            yield reader.line_num, Fault("gin.row", "", message, {"line": reader.line_num})
            continue
        if any(cell.strip() for cell in cells):
            yield reader.line_num, cells


def _is_whole(cell: str) -> bool:
    try:
        int(cell)
    except ValueError:
        return False
    return True


def _read_row(line_no: int, cells: list[str]) -> GinRow | Fault:
    if len(cells) != len(COLUMNS):
        message = f"expected {len(COLUMNS)} values, got {len(cells)}"
        return Fault("gin.row", "", message, {"line": line_no})
    winner = cells[4].strip().lower()
    numbers = [cell for i, cell in enumerate(cells) if i != COLUMNS.index("Winner")]
    try:
        game, round_no, score0, score1, _, win0, win1, dead0, dead1 = map(int, numbers)
    except ValueError:
        wrong = next(cell for cell in numbers if not _is_whole(cell))
        message = f"expected whole numbers, got {quoted(wrong)}"
        return Fault("gin.row", "", message, {"line": line_no})
    if winner not in _NO_WINNER | {"0", "1"}:
        message = f"expected winner 0, 1 or null, got {quoted(cells[4], 20)}"
        return Fault("gin.row", "", message, {"line": line_no})
    return GinRow(
        line_no,
        game,
        round_no,
        (score0, score1),
        None if winner in _NO_WINNER else int(winner),
        (win0, win1),
        (dead0, dead1),
    )


def _check_points(row: GinRow, gin_bonus: int) -> Iterator[Fault]:
    expected = (0, 0)
    if row.winner is not None:
        mine, other = row.deadwood[row.winner], row.deadwood[1 - row.winner]
        won = other - mine + (gin_bonus if mine == 0 else 0)
        expected = (won, 0) if row.winner == 0 else (0, won)
    if expected != row.points:
        yield _fault("gin.points", "points", row, expected, row.points)


def _check_totals(row: GinRow, before: tuple[int, int]) -> Iterator[Fault]:
    expected = (before[0] + row.points[0], before[1] + row.points[1])
    if expected != row.totals:
        yield _fault("gin.total", "totals", row, expected, row.totals)


def _fault(
    code: str, what: str, row: GinRow, expected: tuple[int, int], got: tuple[int, int]
) -> Fault:
    message = f"game {row.game}, round {row.round_no}: expected {what} {expected}, got {got}"
    facts = {
        "line": row.line_no,
        "game": row.game,
        "round": row.round_no,
        "expected": list(expected),
        "got": list(got),
    }
    return Fault(code, "", message, facts)
