"""What a batch is asked to do, and the error of one that cannot begin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from solver.errors import MeldSolverError
from solver.rules.model import GameRules

STDIO: Final = "-"
"""As input standard input, as output standard output."""


class BatchError(MeldSolverError, ValueError):
    """A batch that cannot begin or be kept: files, formats, columns; never a bad row."""

    default_code = "batch"


class MissingExtraError(BatchError, ImportError):
    """The extra ``batch`` is not installed."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of every row.

    Attributes:
        rules: the game; None only for recorded games and result tables, which bring their own.
        hand: name of the column of hands.
        round: name of the column with the number of the round, which then chooses the rules.
        id: name of a column that is copied to the answers.
        melds: whether answers name the melds and the cards left over.
    """

    rules: GameRules | None
    hand: str = "hand"
    round: str | None = None
    id: str | None = None
    melds: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A whole batch.

    Attributes:
        inputs: paths, glob patterns, or ``"-"``.
        output: path, whose name gives the format, or ``"-"`` for JSON lines on standard output.
        question: what is asked of every row.
        rejects: path of the reject file; None: beside the output, only where rows were rejected.
        threads: threads that score, 1 or more.
        resume: whether finished parts are kept until the output is whole, and reused.
        limit: most rows to read, None for all.
        block_bytes: text read as one block.
        block_rows: Parquet rows read as one block.
        part_blocks: blocks of one part.
    """

    inputs: tuple[str, ...]
    output: str
    question: Question
    rejects: str | None = None
    threads: int = 1
    resume: bool = False
    limit: int | None = None
    block_bytes: int = 1 << 22
    block_rows: int = 1 << 17
    part_blocks: int = 16
