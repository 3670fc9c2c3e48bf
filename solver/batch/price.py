"""Hands of one rule set -> penalties and melds, each row that has none with the reason."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solver.batch.hands import (
    MAX_MESSAGE,
    Bad,
    Counts2,
    Faults,
    Texts,
    bad_of,
    count_hands,
    texts_of,
)
from solver.batch.job import Question
from solver.cards import cards_of, format_hand
from solver.compile.packed import PackedRules
from solver.errors import MeldSolverError
from solver.kernels import text
from solver.rules.deck import fixed_size
from solver.rules.model import GameRules
from solver.rules.question import size_words
from solver.solve import contract_prices, solve, solve_many
from solver.solve.packed import fast_lane, fast_words, in_deck, text_words, word_sizes

_BUILDING: Final = threading.Lock()
NOT_ASKED: Final = -1
"""Stands for the contract of a row of which none was asked; else 1 it can be laid, 0 it cannot."""


@dataclass
class Answers:
    """What is known of the rows of a batch.

    Attributes:
        penalties: int32[n], meaningful where the row has no fault.
        met: int8[n], whether the hand can lay its contract: 0, 1, or ``NOT_ASKED``.
        faults: rows without an answer.
        melds: melds in notation by row, only on request.
        deadwood: cards left over by row, only on request.
    """

    penalties: NDArray[np.int32]
    met: NDArray[np.int8]
    faults: Faults = field(default_factory=dict)
    melds: dict[int, str] = field(default_factory=dict)
    deadwood: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, n: int) -> Answers:
        """Return answers to n rows, none known yet."""
        return cls(np.zeros(n, np.int32), np.full(n, NOT_ASKED, np.int8))

    def put(self, rows: NDArray[np.int64], part: Answers) -> None:
        """Take over the answers to some rows."""
        place = rows.tolist() if part.faults or part.melds else []
        self.penalties[rows] = part.penalties
        self.met[rows] = part.met
        self.faults.update((place[row], bad) for row, bad in part.faults.items())
        self.melds.update((place[row], melds) for row, melds in part.melds.items())
        self.deadwood.update((place[row], cards) for row, cards in part.deadwood.items())


def price(hands: Any, rules: GameRules, question: Question) -> Answers:  # noqa: ANN401
    """Return least penalties: the fast lane from the buffer, what it leaves from counts.

    Args:
        hands: array of strings or lists, see ``plain_column``.
        rules: the game, for the round of these hands.
        question: what is asked of them.
    """
    lane = None if pa.types.is_list(hands.type) else _lane(rules, question)
    if lane is None:
        return _price_counts(hands, rules, question)
    answers = Answers.of(len(hands))
    try:
        answers.penalties, done = _fast(texts_of(hands), rules, lane, any_size=question.any_size)
    except Exception:  # the way round it asks row by row where it must
        done = np.zeros(len(hands), np.bool_)
    rest = np.flatnonzero(~done)
    if len(rest):
        answers.put(rest, _price_counts(hands.take(pa.array(rest)), rules, question))
    return answers


def _lane(rules: GameRules, question: Question) -> PackedRules | None:
    """Return the fast lane of a game; threads that ask together wait for one to build it."""
    with _BUILDING:
        return fast_lane(rules, ignore_contract=question.ignore_contract)


def _fast(
    texts: Texts, rules: GameRules, lane: PackedRules, *, any_size: bool
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return penalties and which of them stand: read, dealt in this round, within the lane."""
    words, status = text_words(texts.data, texts.offsets, rules)
    out = fast_words(words, rules, lane)
    done = (status == text.OK) & (out != text.TOO_LARGE) & ~texts.missing
    done &= (words[:, 0] | words[:, -1] != 0) & in_deck(words, rules)
    if not any_size:
        done &= _fits(word_sizes(words, rules), rules)
    return out, done


def _fits(sizes: NDArray[np.int64], rules: GameRules) -> NDArray[np.bool_]:
    """Return bool[n], whether hands of such sizes can be held in the round."""
    dealt = fixed_size(rules)
    if dealt is None:
        return np.ones(len(sizes), np.bool_)
    return np.isin(sizes, (dealt, dealt + 1))


def _counted(hands: Any, rules: GameRules, question: Question) -> tuple[Counts2, Answers]:  # noqa: ANN401
    """Return the counts of hands, and their answers with the faults that these show."""
    counted = count_hands(hands, rules)
    answers = Answers.of(len(hands))
    answers.faults = counted.faults
    if not question.any_size:
        sizes = counted.counts.sum(axis=1, dtype=np.int64)
        for row in np.flatnonzero(~_fits(sizes, rules)).tolist():
            bad = Bad("hand.size", size_words(rules, int(sizes[row])))
            answers.faults.setdefault(row, bad)
    return counted.counts, answers


def _price_counts(hands: Any, rules: GameRules, question: Question) -> Answers:  # noqa: ANN401
    counts, answers = _counted(hands, rules, question)
    contract = rules.meld.contract is not None and not question.ignore_contract

    def fill(rows: NDArray[np.int64]) -> None:
        if contract:
            answers.penalties[rows], answers.met[rows] = contract_prices(counts[rows], rules)
        else:
            answers.penalties[rows] = solve_many(counts[rows], rules, ignore_contract=True)

    good = _good_rows(answers)
    try:
        fill(good)
    except Exception:  # some hand has no answer, so each is asked by itself
        for row in good.tolist():
            _ask(answers, row, counts[row], lambda row: fill(np.array([row])))
    return answers


def _ask(answers: Answers, row: int, counts: Counts2, fill: Callable[[int], None]) -> None:
    """Fill in the answer to one row, or its fault; a failure of the program is one of its own."""
    try:
        fill(row)
    except MeldSolverError as error:
        answers.faults[row] = bad_of(error)
    except Exception as error:
        failed = f"the program failed ({type(error).__name__}: {error})"
        message = f"{failed} at {format_hand(cards_of(counts))}"
        answers.faults[row] = Bad("internal.error", message[:MAX_MESSAGE])


def _good_rows(answers: Answers) -> NDArray[np.int64]:
    good = np.ones(len(answers.penalties), np.bool_)
    good[np.fromiter(answers.faults, np.int64, len(answers.faults))] = False
    return np.flatnonzero(good)


def arrange(hands: Any, rules: GameRules, question: Question) -> Answers:  # noqa: ANN401
    """Return penalties with their melds, each certified by ``solve``; arguments as ``price``."""
    counts, answers = _counted(hands, rules, question)

    def fill(row: int) -> None:
        solution = solve(counts[row], rules, ignore_contract=question.ignore_contract)
        solution.check_proved()
        laid = solution.arrangement
        answers.penalties[row] = solution.penalty
        if solution.contract_met is not None:
            answers.met[row] = solution.contract_met
        answers.melds[row] = " ".join(meld.text() for meld in laid.sorted_melds())
        answers.deadwood[row] = format_hand(laid.deadwood)

    for row in _good_rows(answers).tolist():
        _ask(answers, row, counts[row], fill)
    return answers
