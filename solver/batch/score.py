"""The pure function of the batch: a record batch of hands in, a record batch of answers out."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solver.batch.hands import (
    Bad,
    Counts2,
    Faults,
    Texts,
    bad_of,
    count_hands,
    plain_column,
    texts_of,
)
from solver.batch.job import BatchError, Question
from solver.batch.lines import one_place
from solver.batch.rounds import group_rounds
from solver.cards import format_hand
from solver.compile.packed import PackedRules
from solver.errors import MeldSolverError
from solver.kernels import text
from solver.rules.model import GameRules
from solver.solve import solve, solve_many
from solver.solve.packed import fast_lane, fast_words, in_deck, text_words

OK: Final = "ok"
_BUILDING: Final = threading.Lock()


@dataclass
class Answers:
    """What is known of the rows of a batch.

    Attributes:
        penalties: int32[n], meaningful where the row has no fault.
        faults: rows without an answer.
        melds: melds in notation by row, only on request.
        deadwood: cards left over by row, only on request.
    """

    penalties: NDArray[np.int32]
    faults: Faults = field(default_factory=dict)
    melds: dict[int, str] = field(default_factory=dict)
    deadwood: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, n: int) -> Answers:
        """Return answers to n rows, none known yet."""
        return cls(np.zeros(n, np.int32))

    def put(self, rows: NDArray[np.int64], part: Answers) -> None:
        """Take over the answers to some rows."""
        place = rows.tolist() if part.faults or part.melds else []
        self.penalties[rows] = part.penalties
        self.faults.update((place[row], bad) for row, bad in part.faults.items())
        self.melds.update((place[row], melds) for row, melds in part.melds.items())
        self.deadwood.update((place[row], cards) for row, cards in part.deadwood.items())


def score_batch(
    batch: Any,  # noqa: ANN401 - pyarrow has no types
    question: Question,
    faults: Mapping[int, Bad] | None = None,
) -> Any:  # noqa: ANN401
    """Return the answers to a record batch, row by row, in its order.

    Args:
        batch: pyarrow RecordBatch with the columns the question names; hands as strings, lists
            of strings or lists of card ids; the round as a number or its text.
        question: what is asked.
        faults: rows already known to be bad, with the reason; their cells are not looked at.

    Returns:
        RecordBatch: the id column as it came (when named), ``penalty`` int32 (null for a bad
        row), ``status`` (``"ok"`` or a code), ``message`` (null when ok), and on request
        ``melds`` and ``deadwood`` in notation. Equal input gives equal output.

    Raises:
        BatchError: ``batch.column`` a column is missing; ``batch.rules`` no rules are given.
        HandError: ``batch.hand_type`` the column holds neither texts nor lists.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> hands = pa.record_batch({"hand": ["7S 8S 9S KD", "7X"]})
        >>> score_batch(hands, Question(load_rules("gin"))).column("penalty").to_pylist()
        [10, None]
    """
    answers = answer_rows(batch, question, dict(faults or {}))
    ids = None if question.id is None else _column(batch, question.id)
    return answer_batch(answers, question, ids)


def answer_rows(batch: Any, question: Question, faults: Faults) -> Answers:  # noqa: ANN401
    """Return the answers to a record batch as arrays; ``faults`` are those known before."""
    if question.rules is None:
        raise BatchError("expected rules for hands, got none", code="batch.rules")
    hands = plain_column(_column(batch, question.hand))
    answers = Answers.of(len(hands))
    answers.faults = faults
    rounds = None if question.round is None else _column(batch, question.round)
    for rules, rows in _groups(len(hands), rounds, question.rules, faults):
        part = hands if rows is None else hands.take(pa.array(rows))
        told = _arrange(part, rules) if question.melds else _price(part, rules)
        if rows is None:
            return told
        answers.put(rows, told)
    return answers


def _column(batch: Any, name: str) -> Any:  # noqa: ANN401
    return batch.column(one_place(batch.schema.names, name))


def _groups(
    n: int,
    rounds: Any,  # noqa: ANN401
    rules: GameRules,
    faults: Faults,
) -> Iterator[tuple[GameRules, NDArray[np.int64] | None]]:
    """Yield rules and the rows they judge, None for all; rows with a fault are in no group."""
    known = np.fromiter(faults, np.int64, len(faults))
    if rounds is not None:
        yield from group_rounds(rounds, rules, faults, known)
    elif len(known):
        yield rules, np.setdiff1d(np.arange(n), known)
    else:
        yield rules, None


def _price(hands: Any, rules: GameRules) -> Answers:  # noqa: ANN401
    """Return least penalties: the fast lane from the buffer, what it leaves from counts."""
    lane = None if pa.types.is_list(hands.type) else _lane(rules)
    if lane is None:
        return _price_counts(hands, rules)
    penalties, done = _fast(texts_of(hands), rules, lane)
    answers = Answers(penalties)
    rest = np.flatnonzero(~done)
    if len(rest):
        answers.put(rest, _price_counts(hands.take(pa.array(rest)), rules))
    return answers


def _lane(rules: GameRules) -> PackedRules | None:
    """Return the fast lane of a game; threads that ask together wait for one to build it."""
    with _BUILDING:
        return fast_lane(rules)


def _fast(
    texts: Texts, rules: GameRules, lane: PackedRules
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return penalties and which of them stand: read, dealt from this deck, within the lane."""
    words, status = text_words(texts.data, texts.offsets, rules)
    out = fast_words(words, rules, lane)
    done = (status == text.OK) & (out != text.TOO_LARGE) & ~texts.missing
    return out, done & (words[:, 0] | words[:, -1] != 0) & in_deck(words, rules)


def _price_counts(hands: Any, rules: GameRules) -> Answers:  # noqa: ANN401
    counted = count_hands(hands, rules)
    answers = Answers.of(len(hands))
    answers.faults = counted.faults
    good = _good_rows(len(hands), answers.faults)
    counts = counted.counts[good]
    try:
        answers.penalties[good] = solve_many(counts, rules)
    except MeldSolverError:
        for row, hand in zip(good.tolist(), counts, strict=True):
            _price_one(row, hand, rules, answers)
    return answers


def _price_one(row: int, hand: Counts2, rules: GameRules, answers: Answers) -> None:
    """Price one hand of a chunk in which some hand has no answer."""
    try:
        answers.penalties[row] = solve_many(hand[None, :], rules)[0]
    except MeldSolverError as error:
        answers.faults[row] = bad_of(error)


def _good_rows(n: int, faults: Faults) -> NDArray[np.int64]:
    good = np.ones(n, np.bool_)
    good[np.fromiter(faults, np.int64, len(faults))] = False
    return np.flatnonzero(good)


def _arrange(hands: Any, rules: GameRules) -> Answers:  # noqa: ANN401
    """Return penalties with their melds, each certified by ``solve``."""
    counted = count_hands(hands, rules)
    answers = Answers.of(len(hands))
    answers.faults = counted.faults
    for row in _good_rows(len(hands), answers.faults).tolist():
        try:
            solution = solve(counted.counts[row], rules)
        except MeldSolverError as error:
            answers.faults[row] = bad_of(error)
            continue
        answers.penalties[row] = solution.penalty
        laid = solution.arrangement
        answers.melds[row] = " ".join(meld.text() for meld in laid.sorted_melds())
        answers.deadwood[row] = format_hand(laid.deadwood)
    return answers


def answer_schema(question: Question, id_type: Any) -> Any:  # noqa: ANN401 - Arrow types
    """Return the schema of the answers to a question; ``id_type`` None without ids."""
    fields = [] if id_type is None else [pa.field(question.id, id_type)]
    fields += [
        pa.field("penalty", pa.int32()),
        pa.field("status", pa.string()),
        pa.field("message", pa.string()),
    ]
    if question.melds:
        fields += [pa.field("melds", pa.string()), pa.field("deadwood", pa.string())]
    return pa.schema(fields)


def answer_batch(answers: Answers, question: Question, ids: Any) -> Any:  # noqa: ANN401
    """Return answers as a record batch."""
    n = len(answers.penalties)
    faults = answers.faults
    mask = None
    if faults:
        mask = np.zeros(n, np.bool_)
        mask[np.fromiter(faults, np.int64, len(faults))] = True
    columns = [] if ids is None else [ids]
    columns += [
        pa.array(answers.penalties, pa.int32(), mask=mask),
        _texts_by_row(n, {row: bad.code for row, bad in faults.items()}, OK),
        _texts_by_row(n, {row: bad.message for row, bad in faults.items()}, None),
    ]
    if question.melds:
        columns += [_texts_by_row(n, answers.melds, None), _texts_by_row(n, answers.deadwood, None)]
    schema = answer_schema(question, None if ids is None else ids.type)
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _texts_by_row(n: int, texts: Mapping[int, str], other: str | None) -> Any:  # noqa: ANN401
    """Return a string column with some rows given and one value for all others."""
    if not texts:
        filled = pa.nulls(n, pa.string()) if other is None else pa.repeat(other, n)
        return filled
    rows = np.fromiter(texts, np.int64, len(texts))
    places = np.zeros(n, np.int64)
    places[rows] = np.arange(1, len(texts) + 1)
    values = pa.array([other, *texts.values()], pa.string())
    return pc.take(values, pa.array(places))
