"""What finished parts depend on: told in the manifest, compared before any of them is reused."""

from __future__ import annotations

import datetime
import hashlib
import importlib.metadata
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from solver.batch.job import BatchError
from solver.batch.plan import Plan
from solver.errors import Fault

_ENDS: Final = 1 << 16
"""Bytes read at either end of an input: enough to tell files apart that are no copies."""
_COLUMNS: Final = frozenset({"hand", "round", "id"})
_MOST_TOLD: Final = 12
"""Changes that are told one by one; a pattern that matches other files changes hundreds."""


def identity_of(plan: Plan) -> dict[str, Any]:
    """Return everything the bytes of a part depend on, a plain word for each.

    Inputs are told by size, time of the last change and both ends: a hash of all of a file would
    cost as long as reading it.
    """
    job, question = plan.job, plan.job.question
    rules = question.rules
    facts: dict[str, Any] = {"version": importlib.metadata.version("meld-solver")}
    if rules is not None:
        facts |= {"game": rules.name, "fingerprint": rules.fingerprint, "round": rules.round_no}
        facts |= {f"option {key}": value for key, value in rules.to_json()["options"].items()}
    for field in fields(question):
        if field.name != "rules":
            word = f"{field.name} column" if field.name in _COLUMNS else field.name
            facts[word.replace("_", " ")] = getattr(question, field.name)
    facts |= {
        "form of the output": plan.answers.suffix,
        "form of the rejects": plan.rejected.suffix,
        "limit": job.limit,
        "bytes of a block": job.text_block,
        "rows of a block": job.parquet_block,
        "blocks of a part": job.part_blocks,
    }
    for source in plan.sources:
        told = _file_facts(source.path)
        facts |= {f"input {source.number + 1}{word}": value for word, value in told.items()}
    return dict(json.loads(json.dumps(facts)))


def _file_facts(path: str) -> dict[str, Any]:
    with open(path, "rb") as file:
        about = os.fstat(file.fileno())
        ends = hashlib.sha256(file.read(_ENDS))
        file.seek(max(0, about.st_size - _ENDS))
        ends.update(file.read(_ENDS))
    return {
        "": path,
        ": size": about.st_size,
        ": changed": _time_of(about.st_mtime_ns),
        ": content": ends.hexdigest()[:16],
    }


def _time_of(nanoseconds: int) -> str:
    """Return a time to the nanosecond, in which copies of a file may differ."""
    seconds, rest = divmod(nanoseconds, 10**9)
    return f"{datetime.datetime.fromtimestamp(seconds, datetime.UTC):%Y-%m-%d %H:%M:%S}.{rest:09d}"


def changed_error(
    kept: str, before: Mapping[str, Any], now: Mapping[str, Any]
) -> BatchError | None:
    """Return the error of parts that another job left, None where nothing has changed.

    Args:
        kept: what is there, "3 finished parts (1,200 rows) in out.csv.parts".
        before: identity that they were made under.
        now: identity of this job.
    """
    changes = list(_changes(before, now))
    if not changes:
        return None
    message = f"expected the job that left {kept}, got another; --restart discards them"
    faults = [Fault("batch.changed", "", message), *changes[:_MOST_TOLD]]
    if len(changes) > _MOST_TOLD:
        more = f"{len(changes) - _MOST_TOLD} further differences"
        faults.append(Fault("batch.changed", "", more))
    return BatchError.from_faults(faults)


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Fault]:
    for word in [*before, *(word for word in now if word not in before)]:
        old, new = before.get(word), now.get(word)
        if old != new:
            message = f"{word}: expected {_shown(old)} as in the finished parts, got {_shown(new)}"
            yield Fault("batch.changed", "", message, {"what": word, "before": old, "now": new})


def _shown(value: object) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value)
