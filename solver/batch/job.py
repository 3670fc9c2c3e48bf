"""What a batch is asked to do, and the error of one that cannot begin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from solver.errors import MeldSolverError
from solver.rules.model import GameRules
from solver.rules.question import (
    AS_IF_DOWN,
    missing_words,
    question_notes,
    question_words,
    round_words,
)

STDIO: Final = "-"
"""As input standard input, as output standard output."""
_BLOCK_BYTES: Final = 1 << 20
_BLOCK_ROWS: Final = 1 << 15
_MELDS_BYTES: Final = 1 << 17
"""A block is the least that a stopped run loses, and rows with melds take far longer."""
_MELDS_ROWS: Final = 1 << 12


class BatchError(MeldSolverError, ValueError):
    """A batch that cannot begin or be kept: files, formats, columns; never a bad row."""

    default_code = "batch"


class UnreadableError(BatchError):
    """An input that holds nothing readable, whatever is asked of it; others may go on without."""


class MissingExtraError(BatchError, ImportError):
    """The extra ``batch`` is not installed."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of every row.

    Attributes:
        rules: the game; None only for recorded games and result tables, which bring their own.
        hand: name of the column of hands.
        round: name of the column with the number of the round, which then chooses the rules; rows
            without one are of the round of the rules, where these have one.
        id: name of a column that is copied to the answers.
        melds: whether answers name the melds and the cards left over.
        ignore_contract: leave contracts out: any melds count, as if the player were down.
        no_round: price rows without a round as they are, with nothing wild and no contract; else
            they are rejected where the rounds of the game decide either.
        any_size: price hands of any size; else those that no player of the round can hold are
            rejected, in games whose hands keep their size.
    """

    rules: GameRules | None
    hand: str = "hand"
    round: str | None = None
    id: str | None = None
    melds: bool = False
    ignore_contract: bool = False
    no_round: bool = False
    any_size: bool = False

    def words(self) -> str:
        """Return what is asked, the heading of the answers: game, round, what was left out."""
        rules = self.rules
        if rules is None:
            return ""
        if self.round is None:
            return question_words(rules, ignore_contract=self.ignore_contract)
        missing = missing_words(rules) if self.no_round else ()
        notes = [note for note in question_notes(rules) if note not in missing_words(rules)]
        if self.ignore_contract and rules.contract_open:
            notes.append(AS_IF_DOWN)
        parts = [f"{rules.title}, the round of each hand from column {self.round!r}", *notes]
        if rules.round_no is not None:
            parts.append(f"where it is empty, {round_words(rules)}")
        return "; ".join([*parts, *(f"where it is empty, {words}" for words in missing)])

    @property
    def asks_contract(self) -> bool:
        """Return whether answers tell which hands can lay a contract."""
        rules = self.rules
        has_contract = rules is not None and (rules.contract_open or bool(rules.meld.contract))
        return has_contract and not self.ignore_contract


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
        restart: as ``resume``, but parts of an earlier run are discarded.
        limit: most rows to read, None for all.
        block_bytes: text read as one block; None: 1 MiB, or 128 KiB with melds.
        block_rows: Parquet rows read as one block; None: 32,768, or 4,096 with melds.
        part_blocks: most blocks of one part.
        part_s: seconds after which a part is finished with the block under way.
    """

    inputs: tuple[str, ...]
    output: str
    question: Question
    rejects: str | None = None
    threads: int = 1
    resume: bool = False
    restart: bool = False
    limit: int | None = None
    block_bytes: int | None = None
    block_rows: int | None = None
    part_blocks: int = 64
    part_s: float = 1.0

    @property
    def by_parts(self) -> bool:
        """Return whether the answers are kept in parts on the way."""
        return self.resume or self.restart

    @property
    def text_block(self) -> int:
        """Return the bytes of text read as one block."""
        return self.block_bytes or (_MELDS_BYTES if self.question.melds else _BLOCK_BYTES)

    @property
    def parquet_block(self) -> int:
        """Return the Parquet rows read as one block."""
        return self.block_rows or (_MELDS_ROWS if self.question.melds else _BLOCK_ROWS)
