"""Files of hands and games: read in pieces, scored by threads, written whole and in order."""

from __future__ import annotations

from solver.batch.job import BatchError, Job, MissingExtraError, Question

try:
    import pyarrow  # noqa: F401 - every other module of this package needs it
except ImportError as error:
    raise MissingExtraError(
        "expected pyarrow to be installed, got none: pip install 'meld-solver[batch]'",
        code="batch.pyarrow",
    ) from error

from solver.batch.run import run_batch
from solver.batch.score import score_batch
from solver.batch.summary import Summary

__all__ = [
    "BatchError",
    "Job",
    "MissingExtraError",
    "Question",
    "Summary",
    "run_batch",
    "score_batch",
]
