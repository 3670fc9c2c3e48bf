"""A column of round numbers -> rules and the rows that they judge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solver.batch.hands import Bad, Faults, bad_of, mask_of
from solver.errors import RulesError, quoted
from solver.rules.loader import round_rules
from solver.rules.model import GameRules

_NUMBER_RE: Final = re.compile(r"\s*([+-]?[0-9]{1,20})(?:\.0+)?\s*")
_MOST: Final = 1000
"""Rounds of a game that is played to a score."""


def group_rounds(
    rounds: Any,  # noqa: ANN401 - an Arrow array
    rules: GameRules,
    faults: Faults,
    known: NDArray[np.int64],
    *,
    no_round: bool = False,
) -> Iterator[tuple[GameRules, NDArray[np.int64]]]:
    """Yield the rules of each round with its rows, ascending by first appearance.

    Args:
        rounds: round numbers or their texts.
        rules: the game; each round is that of ``round_rules``.
        faults: faults by row; rows without a round that exists are added.
        known: rows with a fault, in no group.
        no_round: whether rows without a round are judged by the rules as they are; so they are at
            any rate where the rules have a round.
    """
    if isinstance(rounds, pa.ChunkedArray):
        rounds = rounds.combine_chunks()
    if pa.types.is_dictionary(rounds.type):
        rounds = rounds.dictionary_decode()
    open_rows = np.ones(len(rounds), np.bool_)
    open_rows[known] = False
    missing = mask_of(rounds)
    encoded = rounds.dictionary_encode()
    place = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    values = encoded.dictionary.to_pylist()
    for i, value in enumerate(values):
        if _is_blank(value):
            missing |= place == i
    rows = np.flatnonzero(missing & open_rows)
    if len(rows) and (no_round or rules.round_no is not None):
        yield rules, rows
    elif len(rows):
        fault = Bad("round.missing", "expected the number of a round, got none")
        faults.update(dict.fromkeys(rows.tolist(), fault))
    open_rows &= ~missing
    for i, value in enumerate(values):
        rows = np.flatnonzero((place == i) & open_rows)
        if not len(rows):
            continue
        judged_by = rules_of_round(value, rules)
        if isinstance(judged_by, Bad):
            faults.update(dict.fromkeys(rows.tolist(), judged_by))
        else:
            yield judged_by, rows


def _is_blank(value: object) -> bool:
    return isinstance(value, str | bytes) and not value.strip()


def rules_of_round(value: object, rules: GameRules) -> GameRules | Bad:
    """Return the rules of a round by its number or text, or why there are none."""
    number = None if isinstance(value, bool) else round_number(str(value))
    if number is None:
        return Bad("round.type", f"expected the number of a round, got {quoted(value, 60)}")
    most = rules.n_rounds or _MOST
    if not 1 <= number <= most:
        return Bad("rules.round", f"expected round 1..{most}, got {number}")
    try:
        return round_rules(rules, number)
    except RulesError as error:
        return bad_of(error)


def round_number(text: str) -> int | None:
    """Return the whole number that a text writes, in 20 digits at most; None for any other."""
    found = _NUMBER_RE.fullmatch(text)
    return None if found is None else int(found[1])
