"""A job looked at before it begins: inputs opened, columns found, forms chosen, outputs apart."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from solver.batch.blocks import Block, Source
from solver.batch.encode import JSON_TYPE
from solver.batch.games import GAME_SCHEMA, RESULT_SCHEMA, Told, score_games, score_results
from solver.batch.job import STDIO, BatchError, Job
from solver.batch.rejects import REJECT_SCHEMA
from solver.batch.score import answer_batch, answer_rows, answer_schema
from solver.batch.sources import open_sources
from solver.batch.write import Form, form_of
from solver.errors import quoted


@dataclass(frozen=True)
class Scored:
    """A block with its answers, encoded."""

    block: Block
    answers: Any
    told: Told


@dataclass(frozen=True)
class Plan:
    """A job whose inputs were opened."""

    job: Job
    sources: tuple[Source, ...]
    answers: Form
    rejected: Form
    rejects_path: str | None

    def score(self, block: Block) -> Scored:
        """Return the answers of a block; the work of the threads."""
        source = self.sources[block.source]
        question = self.job.question
        if block.fault is not None:
            told = _fault_rows(block, self.answers.schema)
        elif source.kind == "games":
            told = score_games(block.lines, block.first_line, question.rules)
        elif source.kind == "results":
            told = score_results(block.lines, block.first_line)
        else:
            told = self._score_hands(source, block)
        return Scored(block, self.answers.encode(told.batch), told)

    def _score_hands(self, source: Source, block: Block) -> Told:
        question = self.job.question
        rows = source.rows(block)
        answers = answer_rows(rows.batch, question, rows.faults)
        ids = None
        if question.id is not None:
            ids = rows.batch.column(question.id)
            if ids.type != JSON_TYPE:
                ids = _as_type(ids, self.answers.schema.types[0])
        batch = answer_batch(answers, question, ids)
        bad = sorted(answers.faults)
        names = [None if ids is None else _name_of(ids[row]) for row in bad]
        return Told(batch, answers.faults, rows.lines, names)


def _as_type(column: Any, kind: Any) -> Any:  # noqa: ANN401 - Arrow arrays and types
    """Return an id column in the type of the output; texts with bytes that are none are mended."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    try:
        column = column.cast(kind)
        column.validate(full=True)
    except pa.ArrowInvalid:
        raw = column.cast(pa.binary()).to_pylist()
        column = pa.array([v and v.decode(errors="replace") for v in raw], kind)
    return column


def _name_of(value: Any) -> object:  # noqa: ANN401 - an Arrow scalar
    """Return an id as the reject file names it: a text, or the JSON of what is none."""
    plain = value.as_py()
    if value.type != JSON_TYPE or plain is None:
        return plain
    text = json.loads(plain) if plain.startswith(b'"') else plain.decode()
    return text.encode(errors="replace").decode()


def _fault_rows(block: Block, schema: Any) -> Told:  # noqa: ANN401
    """Return the rows that stand for what could not be read."""
    fault, n = block.fault, block.n_lost
    assert fault is not None, "the block has a fault"
    texts = {"status": fault.code, "message": fault.message}
    columns = [
        pa.repeat(texts[field.name], n) if field.name in texts else pa.nulls(n, field.type)
        for field in schema
    ]
    batch = pa.RecordBatch.from_arrays(columns, schema=schema)
    lines = [block.first_line] * n if block.first_line else None
    return Told(batch, dict.fromkeys(range(n), fault), lines, [None] * n)


def make_plan(job: Job) -> Plan:
    """Return the plan of a job.

    Raises:
        BatchError: see ``run_batch``.
    """
    if job.threads < 1 or (job.limit is not None and job.limit < 0):
        raise BatchError("expected 1 thread or more and no negative limit", code="batch.number")
    if job.by_parts and (STDIO in job.inputs or job.output == STDIO):
        message = "expected files to resume between, got standard input or output"
        raise BatchError(message, code="batch.resume")
    sources = open_sources(job)
    schema = {"games": GAME_SCHEMA, "results": RESULT_SCHEMA}.get(sources[0].kind)
    if schema is None:
        id_types = {source.id_type for source in sources}
        id_type = id_types.pop() if len(id_types) == 1 else pa.string()
        schema = answer_schema(job.question, id_type)
    answers = form_of(job.output, schema)
    rejects = job.rejects
    if rejects is None and job.output != STDIO:
        rejects = f"{job.output}.rejects.jsonl"
    rejected = form_of(rejects or "none.jsonl", REJECT_SCHEMA)
    if rejects == STDIO:
        raise BatchError("expected a file for rejected rows, got '-'", code="batch.output")
    _check_apart([job.output, rejects], [source.path for source in sources])
    return Plan(job, tuple(sources), answers, rejected, rejects)


def _check_apart(outputs: Iterable[str | None], inputs: Iterable[str]) -> None:
    """Check that no output is an input or another output.

    Raises:
        BatchError: ``batch.output``.
    """
    taken = {Path(path).resolve() for path in inputs if path != STDIO}
    for path in outputs:
        if path is None or path == STDIO:
            continue
        place = Path(path).resolve()
        if place in taken or place.is_dir():
            message = f"expected an output apart from inputs and folders, got {quoted(path, 200)}"
            raise BatchError(message, code="batch.output")
        taken.add(place)
