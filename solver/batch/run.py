"""A batch from inputs to output: blocks scored by threads, written in order, memory bounded."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeAlias, TypeVar

from solver import clock
from solver.batch.blocks import Block
from solver.batch.identity import identity_of
from solver.batch.job import STDIO, BatchError, Job
from solver.batch.parts import Part, PartsFolder
from solver.batch.plan import Plan, Scored, make_plan
from solver.batch.rejects import reject_batch
from solver.batch.summary import Summary, Tally
from solver.batch.write import Output
from solver.whole_files import BusyError, OutputLock, remove

Item = TypeVar("Item")
Result = TypeVar("Result")
Report: TypeAlias = Callable[[Tally, float], None]
_WHAT: Final = {"hands": "hands", "games": "games", "results": "rounds"}


def run_batch(job: Job, report: Report | None = None) -> Summary:
    """Do a batch and return what came of it.

    Rows come out in the order they went in, one for one. A bad row has a status and a message
    instead of a penalty, stands in the reject file, and stops nothing. Files appear when they are
    whole. Equal input gives equal bytes whatever the threads, and however often a run with
    ``resume`` was killed on the way. One job at a time writes an output.

    Args:
        job: what to do.
        report: called with the counts and the seconds so far after each block.

    Raises:
        BatchError: the batch cannot begin: inputs, columns, output; ``batch.busy`` another job
            is writing the output; ``batch.changed`` there are finished parts of another job.
    """
    started = clock.now()
    plan = make_plan(job)
    tally = Tally()
    with ExitStack() as stack:
        for path in (job.output, plan.rejects_path):
            if path not in {None, STDIO}:
                _take(stack, OutputLock(str(path)))
        if job.by_parts:
            _by_parts(plan, _parts(plan, tally), tally, _timed(report, started))
        else:
            _straight(plan, tally, _timed(report, started))
    has_rejects = plan.rejects_path is not None and Path(plan.rejects_path).exists()
    return Summary(
        n_rows=tally.n_rows,
        n_rejected=tally.n_rejected,
        n_reused=tally.n_reused,
        n_discarded=tally.n_discarded,
        codes=dict(tally.codes),
        elapsed_s=clock.now() - started,
        output=job.output,
        rejects=plan.rejects_path if has_rejects else None,
        what=_WHAT[plan.sources[0].kind],
        asked=job.question.words() if plan.sources[0].kind == "hands" else "",
    )


def _take(stack: ExitStack, lock: OutputLock) -> None:
    """Take the lock of an output until the stack unwinds.

    Raises:
        BatchError: ``batch.busy`` another job holds it; ``batch.lock`` and ``batch.output`` there
            can be none.
    """
    stack.callback(lock.release)
    try:
        lock.take()
    except BusyError as error:
        code = error.code.replace("output", "batch")
        raise BatchError.from_faults([replace(error.faults[0], code=code)]) from error
    except OSError as error:
        message = f"{lock.path}: expected a place to write, got {error.strerror}"
        raise BatchError(message, code="batch.output") from error


def _timed(report: Report | None, started: float) -> Callable[[Tally], None]:
    return lambda tally: report and report(tally, clock.now() - started)


def _blocks(plan: Plan, done: list[Part]) -> Iterator[Block]:
    """Yield the blocks of all inputs behind the finished parts, up to the limit of rows."""
    left = None if plan.job.limit is None else plan.job.limit - sum(p.n_rows for p in done)
    first = done[-1].source if done else 0
    for source in plan.sources[first:]:
        for block in source.blocks(done[-1].after if done and source.number == first else None):
            if left is None:
                yield block
                continue
            if left <= 0:
                return
            cut, n_rows = block.first(left)
            left -= n_rows
            yield cut


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[Result]:
    """Yield ``work(item)`` in the order of the items; at most ``threads + 2`` are held at once."""
    pending: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                pending.append(pool.submit(work, item))
                if len(pending) >= threads + 2:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


def _rejected_rows(plan: Plan, scored: Scored, before: int) -> tuple[Any, Counter[str]]:
    """Return the encoded rejected rows of a block, None without any, and their codes."""
    told = scored.told
    if not told.faults:
        return None, Counter()
    path = plan.sources[scored.block.source].path
    batch = reject_batch(path, before, told.faults, told.lines, told.names)
    return plan.rejected.encode(batch), Counter(bad.code for bad in told.faults.values())


def _straight(plan: Plan, tally: Tally, report: Callable[[Tally], None]) -> None:
    """Do a batch in one go."""
    before: Counter[int] = Counter()
    with Output(plan.job.output, plan.answers) as output, _Rejected(plan) as rejected:
        for scored in in_order(plan.score, _blocks(plan, []), plan.job.threads):
            output.write(scored.answers)
            source = scored.block.source
            rows, codes = _rejected_rows(plan, scored, before[source])
            rejected.write(rows)
            before[source] += scored.told.batch.num_rows
            _count(tally, scored.told.batch.num_rows, codes)
            report(tally)
        rejected.commit(tally.n_rejected)
        output.commit()


def _count(tally: Tally, n_rows: int, codes: Counter[str]) -> None:
    tally.n_rows += n_rows
    tally.n_rejected += codes.total()
    tally.codes += codes


class _Rejected:
    """The reject file: of the name asked for, or beside the output and only where needed."""

    def __init__(self, plan: Plan) -> None:
        self._path = plan.rejects_path
        self._is_wanted = plan.job.rejects is not None
        self.output = None if self._path is None else Output(self._path, plan.rejected)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.output is not None:
            self.output.discard()

    def write(self, rows: Any) -> None:  # noqa: ANN401
        if self.output is not None and rows is not None:
            self.output.write(rows)

    def commit(self, n_rejected: int) -> None:
        """Name the file; without rejects and not asked for, remove that of an earlier run."""
        if self.output is None:
            return
        if n_rejected or self._is_wanted:
            self.output.commit()
        else:
            remove(self.output.path)


def _parts(plan: Plan, tally: Tally) -> PartsFolder:
    """Return the folder of parts, with those that an earlier run of the same job finished.

    Raises:
        BatchError: another job left them.
    """
    parts = PartsFolder(plan.job.output, identity_of(plan), plan.answers, plan.rejected)
    tally.n_discarded = parts.clear() if plan.job.restart else parts.read()
    return parts


def _by_parts(plan: Plan, kept: PartsFolder, tally: Tally, report: Callable[[Tally], None]) -> None:
    """Do a batch part by part, then join the parts."""
    before: Counter[int] = Counter()
    for part in kept.finished:
        before[part.source] += part.n_rows
        _count(tally, part.n_rows, Counter(part.codes))
    tally.n_reused = tally.n_rows
    n_blocks = 0
    source = -1
    began_s = clock.now()
    try:
        blocks = _blocks(plan, list(kept.finished))
        for scored in in_order(plan.score, blocks, plan.job.threads):
            if source != scored.block.source:
                kept.finish_part()
                n_blocks = 0
            source = scored.block.source
            n_rows = scored.told.batch.num_rows
            rows, codes = _rejected_rows(plan, scored, before[source])
            part = Part(source, scored.block.after, n_rows, codes.total(), {})
            kept.write(scored.answers, rows, codes, part)
            before[source] += n_rows
            n_blocks += 1
            # Where a part ends shows in no byte of the output, so it may depend on the clock.
            if n_blocks == plan.job.part_blocks or clock.now() - began_s >= plan.job.part_s:
                kept.finish_part()
                n_blocks, began_s = 0, clock.now()
            _count(tally, n_rows, codes)
            report(tally)
        kept.finish_part()
    except BaseException:
        kept.discard_part()
        raise
    _join(plan, kept, tally)


def _join(plan: Plan, kept: PartsFolder, tally: Tally) -> None:
    """Make the whole files of the parts, then remove the parts."""
    with Output(plan.job.output, plan.answers) as output, _Rejected(plan) as rejected:
        assert rejected.output is not None, "an output with a name has a reject file with one"
        kept.join(output, rejected.output)
        rejected.commit(tally.n_rejected)
        output.commit()
    kept.remove()
