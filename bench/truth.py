"""Right answers of a corpus, proved before any clock starts.

``bench/data/optima.json`` keeps, for each corpus, a digest of its hands and of their optimal
penalties, and which engines agreed on them when it was written. Where it has no entry for the very
hands and rules at hand, a second engine answers as many of them as a time budget allows.
``bench.certify`` writes the file.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.corpus import Corpus, free_left
from solver.cards import cards_of, format_hand
from solver.errors import LimitError
from solver.solve import ENGINES, contract_left, coverage, find

OPTIMA: Final = Path(__file__).with_name("data") / "optima.json"
CHECK_S: Final = 1.0
LAST_ENGINE: Final = "cpsat"
"""Covers every rule."""
NOT_MET: Final = -1
"""Answer of a contract that a hand cannot meet."""


class WrongAnswerError(AssertionError):
    """An answer of ours that is not the optimum; nothing is timed after it."""


@dataclass(frozen=True, slots=True)
class Truth:
    """Proved answers.

    Attributes:
        answers: int32[n], least penalty of each hand, or points left after the contract.
        proof: what they were checked against, for people.
    """

    answers: NDArray[np.int32]
    proof: str


def digest(array: NDArray[Any]) -> str:
    """Return 16 hex digits that name the bytes of an array, whatever the machine's byte order."""
    data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"))
    return hashlib.sha256(data.tobytes()).hexdigest()[:16]


def key_of(corpus: Corpus, *, contract: bool = False) -> str:
    """Return the name of a corpus in the file of optima."""
    rules = f"/deal {corpus.rules.round_no}" if contract else ""
    return f"{corpus.name}{rules}/{len(corpus)}x{corpus.cards.shape[1]}"


@cache
def read_optima() -> dict[str, dict[str, Any]]:
    """Return the entries of the file of optima by key, {} without one; not to be changed."""
    if not OPTIMA.is_file():
        return {}
    loaded: dict[str, dict[str, Any]] = json.loads(OPTIMA.read_text(encoding="utf-8"))
    return loaded


def prove(corpus: Corpus, *, contract: bool = False, check_s: float = CHECK_S) -> Truth:
    """Return the right answers of a corpus.

    Args:
        corpus: the hands.
        contract: ask for the points left after the contract instead of the least penalty.
        check_s: seconds for the second engine when no optima are committed.

    Raises:
        WrongAnswerError: the answers differ from the committed ones or from a second engine's.
    """
    answers = (contract_left if contract else free_left)(corpus.counts, corpus.rules)
    entry = read_optima().get(key_of(corpus, contract=contract))
    asked = {"hands": digest(corpus.counts), "rules": corpus.rules.fingerprint}
    if entry is not None and asked == {key: entry[key] for key in asked}:
        if digest(answers) != entry["answers"]:
            _find_difference(corpus, answers, contract=contract)
            raise WrongAnswerError(f"{corpus.name}: the answers differ from the committed optima")
        return Truth(answers, f"committed optima ({entry['proved_by']})")
    engine, n_checked = compare_engines(corpus, answers, contract=contract, budget_s=check_s)
    return Truth(answers, f"{engine} on {n_checked:,} of {len(corpus):,} hands")


def compare_engines(
    corpus: Corpus,
    answers: NDArray[np.int32],
    *,
    contract: bool = False,
    budget_s: float,
    engine: str | None = None,
) -> tuple[str, int]:
    """Ask a second engine about hands, in order, until the budget is spent.

    Args:
        corpus: the hands.
        answers: int32[n], what the first engine says.
        contract: as for ``prove``.
        budget_s: seconds; one hand is always asked.
        engine: which to ask, CP-SAT where it declines a hand; without, the next one after that
            which answers.

    Returns: the engine and the number of hands on which it agreed.

    Raises:
        WrongAnswerError: naming the first hand on which the two differ.
    """
    engine = engine or _second_engine(corpus, contract=contract)
    deadline = time.monotonic() + budget_s
    n_checked = 0
    for i, hand in enumerate(corpus.counts):
        declined = coverage(engine, hand, corpus.rules, contract=contract) is not None
        asked = LAST_ENGINE if declined else engine
        found = find(hand, corpus.rules, engine=asked, contract=contract)
        told = NOT_MET if found.penalty is None else found.penalty
        if not found.proved or told != answers[i]:
            raise WrongAnswerError(
                f"{corpus.name} hand {i}, {format_hand(cards_of(hand))}: "
                f"expected {told} as {asked} says, got {answers[i]}"
            )
        n_checked += 1
        if time.monotonic() > deadline:
            break
    return engine, n_checked


def _second_engine(corpus: Corpus, *, contract: bool) -> str:
    hand = corpus.counts[0]
    able = [e for e in ENGINES if coverage(e, hand, corpus.rules, contract=contract) is None]
    if len(able) < 2:  # noqa: PLR2004 - the one that answers and the one that checks
        raise LimitError(f"expected two engines for {corpus.name}, got {able}", code="engine")
    return able[1]


def _find_difference(corpus: Corpus, answers: NDArray[np.int32], *, contract: bool) -> None:
    """Look for the hand that differs, so that the error can name it."""
    compare_engines(corpus, answers, contract=contract, budget_s=30 * CHECK_S)


def agree(told: Sequence[int] | NDArray[np.int32], truth: NDArray[np.int32], who: str) -> None:
    """Raise WrongAnswerError when one of our own lanes tells something else than the truth."""
    wrong = np.flatnonzero(np.asarray(told) != truth)
    if len(wrong):
        i = int(wrong[0])
        raise WrongAnswerError(
            f"{who}: {len(wrong):,} of {len(truth):,} answers are wrong, "
            f"first hand {i}: expected {truth[i]}, got {told[i]}"
        )
