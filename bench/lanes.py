"""Our own lanes: packed words, counts, text, one engine hand by hand, and the floor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench.corpus import Corpus, free_left
from bench.floor import left_table, pack_bits, read_hands
from bench.measure import Lane, Skip
from bench.optional import optional
from bench.truth import NOT_MET
from solver.errors import MeldSolverError
from solver.rules.model import GameRules
from solver.solve import contract_left, find, pack_counts
from solver.solve.packed import fast_lane

LaneFactory: TypeAlias = Callable[[Corpus], "Lane | Skip"]

CPSAT_HANDS: Final = 50
"""Hands a round for CP-SAT: about 0.1 to 0.3 s, as long as everything else in a round."""


def _with_tables(corpus: Corpus) -> GameRules:
    """Return the rules of a corpus after building the tables that so many hands share.

    ``solve_many`` builds them only once enough hands were asked; a stream of hands is measured
    here, not its beginning.
    """
    fast_lane(corpus.rules, ignore_contract=True)
    return corpus.rules


def counts_lane(corpus: Corpus) -> Lane:
    """Answer from uint8[n, 66] counts in one call."""
    counts, rules = corpus.counts, _with_tables(corpus)
    return Lane("counts", lambda lo, hi: free_left(counts[lo:hi], rules), len(corpus), len(corpus))


def contract_lane(corpus: Corpus) -> Lane:
    """Answer the points left after the contract, from counts in one call."""
    counts, rules = corpus.counts, corpus.rules
    n = len(corpus)
    return Lane("contract", lambda lo, hi: contract_left(counts[lo:hi], rules), n, n)


def packed_lane(corpus: Corpus) -> Lane:
    """Answer from packed words; packing is not timed."""
    packed, rules = pack_counts(corpus.counts, corpus.rules), _with_tables(corpus)
    n = len(corpus)
    return Lane("packed", lambda lo, hi: free_left(packed[lo:hi], rules), n, n)


def texts_lane(corpus: Corpus) -> Lane:
    """Answer from a Python list of texts."""
    texts, rules = corpus.texts, _with_tables(corpus)
    n = min(len(corpus), 10_000)
    return Lane("list of texts", lambda lo, hi: free_left(texts[lo:hi], rules), len(corpus), n)


def arrow_lane(corpus: Corpus) -> Lane | Skip:
    """Answer from text in an Arrow string buffer."""
    arrow = optional("pyarrow")
    if arrow is None:
        return Skip("Arrow text", "pyarrow is not installed (extra 'batch')")
    texts = arrow.array(corpus.texts)
    many: Any = free_left
    rules = _with_tables(corpus)
    try:
        many(texts[:1], rules)
    except (MeldSolverError, TypeError, AttributeError) as error:
        return Skip("Arrow text", f"solve_many does not take Arrow text: {error!s:.60}")
    return Lane("Arrow text", lambda lo, hi: many(texts[lo:hi], rules), len(corpus), len(corpus))


def floor_lane(corpus: Corpus) -> Lane:
    """Read each packed hand and look one word up per suit; answers no optimum."""
    words = pack_bits(corpus.counts)
    table = left_table(corpus.rules.meld.points[:13])
    out = np.zeros(len(corpus), np.int32)

    def run(lo: int, hi: int) -> None:
        read_hands(words[lo:hi], table, out[lo:hi])

    return Lane("floor", run, len(corpus), len(corpus))


def engine_lane(corpus: Corpus, engine: str, per_round: int, *, contract: bool = False) -> Lane:
    """Answer hand by hand with one engine, melds included."""
    counts, rules = corpus.counts, corpus.rules

    def run(lo: int, hi: int) -> NDArray[np.int32]:
        answers = np.empty(hi - lo, np.int32)
        for i in range(lo, hi):
            penalty = find(counts[i], rules, engine=engine, contract=contract).penalty
            answers[i - lo] = NOT_MET if penalty is None else penalty
        return answers

    return Lane(engine, run, len(corpus), per_round)


cpsat_lane: LaneFactory = partial(engine_lane, engine="cpsat", per_round=CPSAT_HANDS)
"""CP-SAT with one worker, its program built for each hand."""
