"""The pure function of the batch: a record batch of hands in, a record batch of answers out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solver.batch.hands import Bad, Faults, plain_column
from solver.batch.job import BatchError, Question
from solver.batch.lines import one_place
from solver.batch.price import NOT_ASKED, Answers, arrange, price
from solver.batch.rounds import group_rounds
from solver.rules.model import GameRules
from solver.rules.question import round_fault

OK: Final = "ok"


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
        row), in games with contracts ``can_go_down`` (whether the hand can lay its contract; if
        not, all its cards count), ``status`` (``"ok"`` or a code), ``message`` (null when ok),
        and on request ``melds`` and ``deadwood`` in notation. Equal input gives equal output.

    Raises:
        BatchError: ``batch.column`` a column is missing; ``batch.rules`` no rules are given.
        HandError: ``batch.hand_type`` the column holds neither texts nor lists.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> hands = pa.record_batch({"hand": ["7S 8S 9S KD", "7S 8S 9S KD QH", "7S 8S 9S XX"]})
        >>> answers = score_batch(hands, Question(load_rules("three-thirteen", cards_dealt=3)))
        >>> answers.column("penalty").to_pylist(), answers.column("status").to_pylist()
        ([10, None, None], ['ok', 'hand.size', 'card.unknown'])
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
    ask = arrange if question.melds else price
    for rules, rows in _groups(len(hands), rounds, question, faults):
        part = hands if rows is None else hands.take(pa.array(rows))
        told = ask(part, rules, question)
        if rows is None:
            return told
        answers.put(rows, told)
    return answers


def _column(batch: Any, name: str) -> Any:  # noqa: ANN401
    return batch.column(one_place(batch.schema.names, name))


def _groups(
    n: int,
    rounds: Any,  # noqa: ANN401
    question: Question,
    faults: Faults,
) -> Iterator[tuple[GameRules, NDArray[np.int64] | None]]:
    """Yield rules and the rows they judge, None for all; rows with a fault are in no group."""
    rules = question.rules
    assert rules is not None, "hands have rules"
    known = np.fromiter(faults, np.int64, len(faults))
    missing = None if question.no_round else round_fault(rules)
    if rounds is not None:
        yield from group_rounds(rounds, rules, faults, known, no_round=question.no_round)
    elif missing is not None:
        remedy = "--round-column names the column that tells it, --no-round prices rows without one"
        bad = Bad(missing.code, f"{missing.message}; {remedy}")
        faults.update((row, bad) for row in range(n) if row not in faults)
    elif len(known):
        yield rules, np.setdiff1d(np.arange(n), known)
    else:
        yield rules, None


def answer_schema(question: Question, id_type: Any) -> Any:  # noqa: ANN401 - Arrow types
    """Return the schema of the answers to a question; ``id_type`` None without ids."""
    fields = [] if id_type is None else [pa.field(question.id, id_type)]
    fields += [
        pa.field("penalty", pa.int32()),
        *([pa.field("can_go_down", pa.bool_())] if question.asks_contract else []),
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
    columns.append(pa.array(answers.penalties, pa.int32(), mask=mask))
    if question.asks_contract:
        unknown = answers.met == NOT_ASKED if mask is None else (answers.met == NOT_ASKED) | mask
        columns.append(pa.array(answers.met == 1, pa.bool_(), mask=unknown))
    columns += [
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
