"""A workload from verification to rows: our lane against its rivals in the same rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bench.corpus import Corpus
from bench.lanes import LaneFactory
from bench.measure import Lane, Skip, Timing, count_wrong, interleave, paired_ratio
from bench.plan import Plan
from bench.rows import Goal, Row
from bench.truth import agree, prove


@dataclass(frozen=True, slots=True)
class Rival:
    """Who we are compared with.

    Attributes:
        lane: who answers.
        goal: bound of the comparison, None for information.
        slower: whether the ratio is ours / rival, for what we cannot beat and want to be near to.
    """

    lane: LaneFactory
    goal: Goal | None = None
    slower: bool = False


@dataclass(frozen=True, slots=True)
class Against:
    """A rival's lane, made or not, and how the comparison is told."""

    lane: Lane | Skip
    goal: Goal | None = None
    slower: bool = False


def contest(
    head: Row, corpus: Corpus, ours: LaneFactory, rivals: Sequence[Rival], plan: Plan
) -> list[Row]:
    """Prove the answers of a corpus, then time our lane and its rivals; one row a rival.

    Args:
        head: case and workload, which all rows share.
        corpus: the hands.
        ours: our lane.
        rivals: who answers the same hands.
        plan: how many rounds.

    Raises:
        WrongAnswerError: an answer of ours is not the optimum.
    """
    truth = prove(corpus)
    head = replace(head, hands=len(corpus), proof=truth.proof)
    against = [Against(r.lane(corpus), r.goal, r.slower) for r in rivals]
    return face_off(head, ours(corpus), against, truth.answers, plan)


def own_time(
    head: Row, corpus: Corpus, ours: LaneFactory, plan: Plan, *, goal: Goal | None = None
) -> Row:
    """Prove the answers of a corpus, then time our lane alone against an absolute goal."""
    truth = prove(corpus)
    head = replace(head, hands=len(corpus), proof=truth.proof)
    return timed_alone(head, ours(corpus), truth.answers, plan, goal=goal)


def face_off(
    head: Row,
    ours: Lane | Skip,
    rivals: Sequence[Against],
    truth: NDArray[np.int32],
    plan: Plan,
) -> list[Row]:
    """Verify our lane on all its hands, time all lanes in turn, return one row a rival.

    Args:
        head: case, workload, hands and proof, which all rows share.
        ours: our lane; its answers must equal the truth.
        rivals: other lanes; wrong answers of theirs are counted, not refused.
        truth: int32[n], the right answers.
        plan: how many rounds.
    """
    if isinstance(ours, Skip):
        return [_skipped(head, rival.lane.name, rival.goal, ours) for rival in rivals]
    present = [rival.lane for rival in rivals if isinstance(rival.lane, Lane)]
    mine, *theirs = _timed(head, ours, present, truth, plan)
    head = _with_ours(head, mine)
    timings = iter(theirs)
    return [
        _skipped(head, rival.lane.name, rival.goal, rival.lane)
        if isinstance(rival.lane, Skip)
        else _compared(head, rival, mine, next(timings), truth)
        for rival in rivals
    ]


def timed_alone(
    head: Row,
    lane: Lane | Skip,
    truth: NDArray[np.int32],
    plan: Plan,
    *,
    goal: Goal | None = None,
) -> Row:
    """Verify a lane of ours on all its hands and time it; one row against an absolute goal."""
    if isinstance(lane, Skip):
        return _skipped(head, "", goal, lane)
    (mine,) = _timed(head, lane, [], truth, plan)
    return _with_ours(head, mine).judged(goal)


def _timed(
    head: Row, ours: Lane, rivals: list[Lane], truth: NDArray[np.int32], plan: Plan
) -> list[Timing]:
    """Check our answers to all hands, time, and check what was answered while timed too."""
    answers = ours.run(0, len(truth))
    assert answers is not None, f"{ours.name} answers nothing"
    agree(answers, truth, f"{head.workload}, {ours.name}")
    timings = interleave([ours, *rivals], plan.n_rounds)
    for lo, hi, told in timings[0].answered:
        agree(told, truth[lo:hi], f"{head.workload}, {ours.name}, while timed")
    return timings


def _with_ours(head: Row, mine: Timing) -> Row:
    return replace(head, ours=mine.median_ns, ours_worst=mine.worst_ns)


def _skipped(head: Row, rival: str, goal: Goal | None, skip: Skip) -> Row:
    """Return a row that says what could not be measured, and why."""
    text = goal.text("ns") if goal else ""
    return replace(head, rival=rival, goal=text, note=f"skipped: {skip.why}")


def _compared(
    head: Row, rival: Against, mine: Timing, theirs: Timing, truth: NDArray[np.int32]
) -> Row:
    ratio = paired_ratio(mine, theirs) if rival.slower else paired_ratio(theirs, mine)
    wrong, answered = count_wrong(theirs, truth) if theirs.answered else (None, None)
    return replace(
        head,
        rival=theirs.name,
        rival_value=theirs.median_ns,
        rival_worst=theirs.worst_ns,
        ratio=ratio,
        slower=rival.slower,
        goal=rival.goal.text("ns") if rival.goal else "",
        met=rival.goal.is_met(ratio) if rival.goal else None,
        wrong=wrong,
        answered=answered,
    )
