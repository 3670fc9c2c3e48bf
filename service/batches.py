"""Hands of a batch request read one by one and priced together, each fault kept to its row."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from service.answers import arrangement_answer
from service.clock import Clock
from service.config import Limits
from service.errors import schema_faults, shown
from service.reading import number_within, read_cards
from service.schemas_batch import MOST_ROUNDS, BatchHand, BatchQuery
from service.strict_json import DuplicateKeysError, read_strict
from solver.cards import Counts
from solver.errors import Fault, HandError, MeldSolverError, RulesError
from solver.json_words import what_is_wrong
from solver.melds import cost_words
from solver.rules.loader import check_deck, round_rules
from solver.rules.model import GameRules
from solver.rules.question import question_notes, round_fault, size_words
from solver.solve import contract_prices, coverage, solve, solve_many

Price: TypeAlias = Callable[[NDArray[np.uint8]], list[dict[str, Any]]]
"""Answers to the counts of hands."""
_QUICK: Final = ("suit", "frontier")
"""Engines that price many hands at once."""
_SLICE_S: Final = 0.1
"""Hands are priced in slices of about this time, so that the limit is seen between them."""
_GROWTH: Final = 16
"""The first hand is a slice of its own; each may be so many times as large as the last."""


@dataclass(frozen=True)
class Row:
    """One hand of a batch: what was sent, or why it could not be read.

    Attributes:
        value: a hand (text or list) or an object with a hand.
        pointer: JSON pointer put before the places of its faults.
        fault: why the line is no JSON.
    """

    value: object
    pointer: str = ""
    fault: Fault | None = None


@dataclass
class _Asked:
    """A row that was read."""

    place: int
    rules: GameRules
    counts: Counts


def rows_of_array(hands: list[Any]) -> list[Row]:
    """Return the rows of a JSON array."""
    return [Row(value, f"/hands/{i}") for i, value in enumerate(hands)]


def rows_of_lines(body: bytes, most: int, what: str) -> list[Row]:
    """Return the rows of JSON lines; blank lines are passed over, but count.

    Raises:
        LimitError: ``limit.<what>``, there are more; found before any is read.
    """
    body = body.rstrip()
    number_within(body.count(b"\n") + bool(body), most, what=what, where="")
    return [_row_of_line(line) for line in body.split(b"\n") if line.strip()]


def _row_of_line(line: bytes) -> Row:
    try:
        return Row(read_strict(line))
    except DuplicateKeysError as error:
        return Row(None, fault=error.faults[0])
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, too deep
        message = f"this line is no JSON: {what_is_wrong(error)}"
        return Row(None, fault=Fault("not-json", "", message))


def answer_rows(
    rows: list[Row], rules: GameRules, question: BatchQuery, limits: Limits, clock: Clock
) -> list[dict[str, Any]]:
    """Return an answer for every row, in their order.

    The time of the request is that of the whole batch; rows beyond it have the fault
    ``limit.time``.
    """
    answers: list[dict[str, Any]] = []
    asked: list[_Asked] = []
    ignored = question.ignore_contract
    for place, row in enumerate(rows):
        answers.append(_named(row.value))
        try:
            asked.append(_read(place, row, rules, question, limits))
        except ValidationError as error:
            faults = [Fault(f.code, row.pointer + f.where, f.message) for f in schema_faults(error)]
            answers[place] |= _refused(faults)
        except MeldSolverError as error:
            answers[place] |= _refused(error.faults)
    quick = [] if question.melds else [one for one in asked if _is_quick(one, ignored)]
    done: set[int] = set()
    for place, told in _price(quick, rows, clock, ignored):
        if told["status"] != "limit.work":  # asked by itself it has an answer, if not a proof
            answers[place] |= told
            done.add(place)
    for one in asked:
        if one.place not in done:
            answers[one.place] |= _solve(one, clock, rows[one.place].pointer, question)
        if notes := question_notes(one.rules, int(one.counts.sum()), ignore_contract=ignored):
            answers[one.place]["note"] = [*notes, *answers[one.place].get("note", ())]
    return answers


def _named(value: object) -> dict[str, Any]:
    """Return the beginning of an answer: the caller's id, if it can be told."""
    given = value.get("id") if isinstance(value, dict) else None
    is_id = isinstance(given, int | str) and not isinstance(given, bool)
    return {"id": given} if is_id else {}


def _refused(faults: Iterable[Fault]) -> dict[str, Any]:
    told = [fault.to_json() for fault in faults]
    return {"status": told[0]["code"], "penalty": None, "errors": told}


def _read(place: int, row: Row, rules: GameRules, question: BatchQuery, limits: Limits) -> _Asked:
    """Return what a row asks.

    Raises:
        ValidationError, MeldSolverError: it is wrong; pointers begin with that of the row.
    """
    if row.fault is not None:
        raise MeldSolverError.from_faults([row.fault])
    if isinstance(row.value, str | list):
        hand, where = row.value, row.pointer
    else:
        if not isinstance(row.value, dict):
            expected = "a text, a list of cards or an object with a hand"
            message = f"expected {expected}, got {shown(row.value)}"
            raise HandError(message, code="schema.model_type", where=row.pointer)
        read = BatchHand.model_validate(row.value)
        hand, where = read.hand, f"{row.pointer}/hand"
        if read.round is not None:
            try:
                rules = _rules_of_round(rules, read.round)
            except MeldSolverError as error:
                pointer = f"{row.pointer}/round"
                faults = [Fault(f.code, pointer, f.message, f.data) for f in error.faults]
                raise MeldSolverError.from_faults(faults) from error
    counts = read_cards(hand, rules, limits, where=where)
    check_deck(counts, rules, where)
    _check_round(rules, counts, question, row.pointer, where)
    return _Asked(place, rules, counts)


def _check_round(
    rules: GameRules, counts: Counts, question: BatchQuery, pointer: str, where: str
) -> None:
    """Check that a hand names its round where it must, and is of a size that the round has.

    Raises:
        HandError: ``round.missing`` or ``hand.size``, unless the question allows it.
    """
    if not question.no_round and (fault := round_fault(rules)):
        raise HandError.from_faults([Fault(fault.code, f"{pointer}/round", fault.message)])
    if not question.any_size and (words := size_words(rules, int(counts.sum()))):
        raise HandError(words, code="hand.size", where=where)


def _rules_of_round(rules: GameRules, number: int) -> GameRules:
    """Return the rules of a round.

    Raises:
        RulesError: ``rules.round``, the game has none of this number.
    """
    most = rules.n_rounds or MOST_ROUNDS
    if not 1 <= number <= most:
        raise RulesError(f"expected round 1..{most}, got {number!s:.40}", code="rules.round")
    return round_rules(rules, number)


def _is_quick(row: _Asked, ignore_contract: bool) -> bool:
    contract = row.rules.meld.contract is not None and not ignore_contract
    return any(
        coverage(engine, row.counts, row.rules, contract=contract) is None for engine in _QUICK
    )


def _price(
    asked: list[_Asked], rows: list[Row], clock: Clock, ignore_contract: bool
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield place and answer of hands that are priced together, by their rules."""
    by_rules: dict[GameRules, list[_Asked]] = {}
    for one in asked:
        by_rules.setdefault(one.rules, []).append(one)
    for rules, group in by_rules.items():
        price = partial(_rows_of, rules=rules, ignore_contract=ignore_contract)
        done, size = 0, 1
        while done < len(group):
            part = group[done : done + size]
            began_s = time.monotonic()
            yield from _price_slice(part, price, rows, clock)
            done += len(part)
            size = max(1, min(_GROWTH * size, _fitting(len(part), time.monotonic() - began_s)))


def _rows_of(
    counts: NDArray[np.uint8], rules: GameRules, *, ignore_contract: bool
) -> list[dict[str, Any]]:
    """Return the answers to hands of the same rules; under a contract with who can lay it."""
    if rules.meld.contract is None or ignore_contract:
        penalties = solve_many(counts, rules, ignore_contract=ignore_contract).tolist()
        return [{"status": "ok", "penalty": penalty, "proved": True} for penalty in penalties]
    prices, met = contract_prices(counts, rules)
    return [
        {"status": "ok", "penalty": penalty, "proved": True, "can_go_down": laid}
        for penalty, laid in zip(prices.tolist(), met.tolist(), strict=True)
    ]


def _fitting(n_priced: int, took_s: float) -> int:
    """Return how many hands would fit into a slice at the pace of the last one."""
    return int(n_priced * _SLICE_S / max(took_s, 1e-6))


def _price_slice(
    part: list[_Asked], price: Price, rows: list[Row], clock: Clock
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield place and answer of hands of the same rules."""
    try:
        clock.left_s()
        told = price(np.array([row.counts for row in part]))
    except MeldSolverError:
        for row in part:
            yield row.place, _price_one(row, price, rows[row.place].pointer, clock)
        return
    for row, answer in zip(part, told, strict=True):
        yield row.place, answer


def _price_one(row: _Asked, price: Price, pointer: str, clock: Clock) -> dict[str, Any]:
    """Return the answer to one hand of a group in which some hand has none."""
    try:
        clock.left_s()
        return price(row.counts[None, :])[0]
    except MeldSolverError as error:
        return _refused([Fault(f.code, pointer, f.message, f.data) for f in error.faults])


def _solve(row: _Asked, clock: Clock, pointer: str, question: BatchQuery) -> dict[str, Any]:
    """Return the answer to one hand within what is left of the time."""
    try:
        ignored = question.ignore_contract
        left_s = clock.left_s()
        solution = solve(row.counts, row.rules, time_limit_s=left_s, ignore_contract=ignored)
    except MeldSolverError as error:
        return _refused([Fault(f.code, pointer, f.message, f.data) for f in error.faults])
    told = {"status": "ok", "penalty": solution.penalty, "proved": solution.proved}
    if solution.contract_met is not None:
        told["can_go_down"] = solution.contract_met
    if question.melds:
        if notes := cost_words(solution.arrangement, row.rules):
            told["note"] = list(notes)
        told["arrangement"] = arrangement_answer(solution.arrangement, row.rules)
    return told
