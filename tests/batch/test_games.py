"""Recorded games and gin result tables through the batch."""

from __future__ import annotations

from solver.batch import Job, Question, run_batch
from tests.batch.helpers import read_rows


def run(tmp_path, source, form="jsonl", rules=None, **settings):
    job = Job((str(source),), str(tmp_path / f"out.{form}"), Question(rules), **settings)
    summary = run_batch(job)
    return summary, read_rows(job.output), read_rows(summary.rejects) if summary.rejects else []
