"""The slowest questions that can be found: random rules and hands, changed where they cost most."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from solver.cards import counts_of, format_hand
from solver.errors import HandError, LimitError, RulesError
from solver.rules.loader import load_rules
from solver.rules.model import DeckRules, FlowRules, GameRules, MeldRules
from solver.solve import best_contract, best_discard, optimal_arrangements, solve, solve_many
from solver.table import best_godown, best_layoff, rearrange
from tests.strategies import SeededSource, make_meld_rules

Ask = Callable[[list[int], GameRules, float | None], object]
JOKER = 65
OPEN_DECK = DeckRules(packs=20, jokers=60, has_jokers=True)
TABLE = ["R[5S 6S 7S 8S 9S]", "R[5H 6H 7H 8H 9H]", "S[KS KH KD]"]


@dataclass(frozen=True)
class Question:
    """A question to one public function."""

    name: str
    ask: Ask
    on_table: bool = False


def _engine(engine: str) -> Ask:
    return lambda hand, rules, s: solve(hand, rules, engine=engine, time_limit_s=s)


def _many(hand: list[int], rules: GameRules, s: float | None) -> object:
    return solve_many(np.stack([counts_of(hand)] * 3), rules, time_limit_s=s)


QUESTIONS = (
    Question("solve", _engine("auto")),
    Question("suit", _engine("suit")),
    Question("frontier", _engine("frontier")),
    Question("cpsat", _engine("cpsat")),
    Question("solve_many", _many),
    Question("best_discard", lambda h, r, s: best_discard(h, r, time_limit_s=s)),
    Question("arrangements", lambda h, r, s: optimal_arrangements(h, r, 1000, time_limit_s=s)),
    Question("best_contract", lambda h, r, s: best_contract(h, r, "3+3+r4", time_limit_s=s)),
    Question("layoff", lambda h, r, s: best_layoff(h, TABLE, r, time_limit_s=s), on_table=True),
    Question(
        "godown", lambda h, r, s: best_godown(h, TABLE, r, "3+r4", time_limit_s=s), on_table=True
    ),
    Question("rearrange", lambda h, r, s: rearrange([], h, r, time_limit_s=s), on_table=True),
    Question(
        "opening", lambda h, r, s: rearrange([], h, r, opening=True, time_limit_s=s), on_table=True
    ),
)


def make_rules(source: SeededSource, *, on_table: bool) -> GameRules:
    """Choose rules; any number of packs, so that no deck limits the hand."""
    meld: MeldRules = make_meld_rules(source)
    if source.integer(0, 4) == 0:
        meld = replace(meld, min_meld_value=source.integer(1, 60))
    if source.integer(0, 3) == 0 and meld.hand_require is None:
        meld = replace(meld, hand_require=source.pick(((1, 0), (2, 1), (1, 1))))
    if on_table:
        # The table is legal under every choice: limits are those of what is laid.
        meld = replace(meld, run_min=min(meld.run_min, 5), set_min=min(meld.set_min, 3))
    flow = FlowRules(
        meld_timing="on_table" if on_table else "at_end",
        layoff="all" if on_table else "none",
        layoff_wild_limit=source.pick((None, 1, 3)),
        swap_timing=source.pick(("off", "with_contract", "after_contract")),
        rearrange=on_table,
        initial_meld_min=source.pick((0, 30, 51)),
    )
    base = load_rules("three-thirteen")
    deck = replace(OPEN_DECK, suits=meld.suits)
    return replace(base, name="search", deck=deck, meld=meld, flow=flow)


def make_hand(source: SeededSource, rules: GameRules) -> list[int]:
    """Choose a hand: of any size, of few ranks or suits or of all, with few wilds or many."""
    size = source.pick((10, 14, 25, 40, 60, 90, 120))
    suits = range(source.integer(1, rules.meld.suits))
    low = source.integer(0, 9)
    ranks = range(low, min(13, low + source.integer(3, 13)))
    naturals = [s * 13 + r for s in suits for r in ranks]
    wilds = [c for c in rules.meld.wild_ids if c == JOKER or c < 13 * rules.meld.suits]
    n_wilds = source.pick((0, 2, 5, 9, 16, 29, 40)) if wilds else 0
    hand = [source.pick(wilds) for _ in range(min(n_wilds, size // 2))]
    while len(hand) < size:
        hand.append(source.pick(naturals))
    return _without_many(hand)


def _without_many(hand: list[int]) -> list[int]:
    """Leave out copies beyond fifteen, which are refused."""
    return [c for i, c in enumerate(hand) if hand[:i].count(c) < 15]


def change(source: SeededSource, hand: list[int], rules: GameRules) -> list[int]:
    """Return a hand that differs in a few cards."""
    after = list(hand)
    cards = [s * 13 + r for s in range(rules.meld.suits) for r in range(13)] + [JOKER]
    for _ in range(source.integer(1, 4)):
        if source.integer(0, 2) and len(after) < 120:
            after.append(source.pick(after if source.integer(0, 1) else cards))
        elif len(after) > 3:
            after.pop(source.integer(0, len(after) - 1))
        else:
            after.append(source.pick(cards))
    return _without_many(after)


def took(question: Question, hand: list[int], rules: GameRules, s: float | None) -> float:
    """Return the seconds of a question; what it may answer or refuse is checked.

    On a machine with other work to do the seconds on the wall say little: the lesser of these
    and of the processor's counts.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    found: Any = None
    try:
        found = question.ask(hand, rules, s)
    except LimitError as error:
        if error.code == "limit.time" and s is None:
            raise AssertionError("time ran out without a time limit") from error
    except (HandError, RulesError):
        pass
    seconds = min(time.perf_counter() - wall, time.process_time() - cpu)
    if hasattr(found, "lower_bound"):
        assert found.lower_bound <= found.penalty
        assert found.proved == (found.lower_bound == found.penalty)
    return seconds


def search(
    question: Question, seed: int, n_starts: int, n_steps: int, limit_s: float | None
) -> tuple[float, str]:
    """Return the most seconds found, and the question that took them."""
    source = SeededSource(random.Random(seed))
    worst = (0.0, "")
    for _ in range(n_starts):
        rules = make_rules(source, on_table=question.on_table)
        hand = make_hand(source, rules)
        most = took(question, hand, rules, limit_s)
        for _ in range(n_steps):
            other = change(source, hand, rules)
            seconds = took(question, other, rules, limit_s)
            if seconds >= most:
                most, hand = seconds, other
        worst = max(worst, (most, f"{question.name}: {format_hand(sorted(hand))} {rules.meld}"))
    return worst
