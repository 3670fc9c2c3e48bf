"""The seven contracts of Liverpool Rummy, 13 cards: points left after the contract."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bench.contest import timed_alone
from bench.corpus import GAMES, Corpus, make_corpus
from bench.measure import Lane
from bench.plan import Plan
from bench.rows import Goal, Row
from bench.truth import prove
from solver.rules.loader import load_rules
from solver.solve import contract_left

N_DEALS = 7
N_CARDS_HELD = 13
HANDS = (1_000, 200)
GOAL = Goal("below", 15e3)


def make_deals(n: int) -> list[Corpus]:
    """Return the same n hands of 13 cards under the rules of each deal."""
    hands = make_corpus(GAMES["liverpool"], "random", n, n_cards=N_CARDS_HELD)
    rules = [load_rules("liverpool", deal=d, players=4) for d in range(1, N_DEALS + 1)]
    return [Corpus(hands.name, rule, hands.cards) for rule in rules]


def deals_lane(deals: list[Corpus]) -> Lane:
    """Answer the hands of all deals, deal after deal, from counts."""
    size = len(deals[0])

    def run(lo: int, hi: int) -> NDArray[np.int32]:
        parts = []
        for i, deal in enumerate(deals):
            part = deal.counts[max(lo - i * size, 0) : max(hi - i * size, 0)]
            parts.append(contract_left(part, deal.rules))
        return np.concatenate(parts)

    n = size * len(deals)
    return Lane("contract", run, n, n)


def contract_rows(plan: Plan) -> list[Row]:
    """Return the mean over the deals, against its goal, and each deal alone."""
    deals = make_deals(plan.size(*HANDS))
    truths = [prove(deal, contract=True) for deal in deals]
    head = Row("liverpool-contract", "", hands=len(deals[0]), proof=truths[0].proof)
    whole = replace(head, workload="liverpool contract 13 cards, mean of 7 deals")
    answers = np.concatenate([truth.answers for truth in truths])
    rows = [timed_alone(whole, deals_lane(deals), answers, plan, goal=GOAL)]
    for deal, truth in zip(deals, truths, strict=True):
        met = int((truth.answers >= 0).sum())
        one = replace(
            head,
            workload=f"liverpool contract 13 cards, deal {deal.rules.round_no}",
            proof=truth.proof,
            note=f"met by {met:,} of {len(deal):,} hands",
        )
        rows.append(timed_alone(one, deals_lane([deal]), truth.answers, plan))
    return rows
