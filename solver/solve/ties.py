"""All best arrangements of a hand, counted and listed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from solver.arguments import TRUTH, checked, whole
from solver.cards import JOKER, N_RANKS, Card, Counts, HandLike
from solver.compile.decode import RUN_ROW, SET_ROW, WILD_ROW, decode, n_wilds, natural_cards
from solver.compile.tables import line_of
from solver.deadline import Deadline, TimeLimit
from solver.errors import HandError, LimitError
from solver.kernels import suit_search
from solver.kernels.suit_layout import (
    BUDGET,
    LAID,
    NATURALS,
    P_SPLIT,
    P_WILD_BITS,
    STEPS,
    TOO_LARGE,
    WILD_GAIN,
)
from solver.melds import Arrangement, check_contract, penalty
from solver.rules.argument import RULES
from solver.rules.model import GameRules, MeldRules
from solver.solve.one import solve, take_hand
from solver.solve.solution import Solution
from solver.solve.suit import FEW_STEPS, covers_suit, engine_for, local_work

Row = tuple[int, int, int, int, int]
DEFAULT_LIMIT: Final = 100
MOST_WORK: Final = 8_000_000_000
"""Work on a list, in the steps of the kernels: some seconds."""
LISTED_WORK: Final = 200_000
STEP_WORK: Final = 10_000
ROW_WORK: Final = 3_000
PART_WORK: Final = 500
"""What Python takes, in the same steps, for an arrangement, a step of the walk, a meld that is
tried, and a part of a suit that may be a meld."""


@dataclass(frozen=True, slots=True)
class OptimalArrangements:
    """The best arrangements of a hand.

    Attributes:
        penalty: what each of them costs.
        arrangements: different ones, in canonical order of discovery, at most the limit.
        count: how many were found.
        complete: whether these are all; False when the limit cut the list.
    """

    penalty: int
    arrangements: tuple[Arrangement, ...]
    count: int
    complete: bool

    def to_json(self) -> dict[str, Any]:
        """Return the list as plain JSON."""
        return {
            "penalty": self.penalty,
            "count": self.count,
            "complete": self.complete,
            "arrangements": [a.to_json() for a in self.arrangements],
        }


_LIMIT: Final = whole(
    1, sys.maxsize, "a limit of at least 1", error=LimitError, code="limit.arrangements"
)


@checked(rules=RULES, limit=_LIMIT, ignore_contract=TRUTH)
def optimal_arrangements(
    hand: HandLike,
    rules: GameRules,
    limit: int = DEFAULT_LIMIT,
    *,
    ignore_contract: bool = False,
    time_limit_s: TimeLimit = None,
) -> OptimalArrangements:
    """Return the arrangements of least penalty, each combination of cards into melds once.

    A combination says which cards lie together. Cards that may be wild are alike in it: neither
    which of them lies in which meld, nor whether one is read as itself, nor what it stands for
    and at which end of a run makes another combination. Cards that differ otherwise do, even
    where they cost the same.

    Under a contract these are the arrangements that lay it; of a hand that cannot, the one
    without melds.

    Args:
        hand: as for ``solve``.
        rules: the game; the suit engine must cover it.
        limit: most arrangements to list, 1 or more.
        ignore_contract: leave the contract out: any melds count, as if the player were down.
        time_limit_s: seconds for the penalty and the list; a list that is cut short is not
            ``complete``. Without a limit the list ends after a number of steps.

    Raises:
        LimitError: ``engine.not_covered``, ``limit.arrangements``; ``limit.time`` and
        ``limit.work`` when the least penalty was not proved. Otherwise as ``solve``.
    """
    deadline = Deadline.after(time_limit_s)
    counts = take_hand(hand, rules)
    reason = covers_suit(rules, counts)
    if reason is not None:
        raise LimitError(
            f"expected rules whose arrangements can be listed, got {reason}",
            code="engine.not_covered",
        )
    least = solve(counts, rules, ignore_contract=ignore_contract, time_limit_s=deadline)
    if not least.proved:
        raise deadline.used_up()
    if least.contract_met is False:
        return OptimalArrangements(least.penalty, (least.arrangement,), 1, True)
    lister = _Lister(counts, least, deadline)
    found: dict[tuple[tuple[Card, ...], ...], Arrangement] = {}
    complete = True
    for rows in lister.walk():
        if not lister.go_on(LISTED_WORK):
            break
        arrangement = decode(counts, rows, rules.meld)
        key = _combination(arrangement, rules.meld)
        judged = None if key in found else _judged(arrangement, counts, least)
        if judged is None:
            continue
        if len(found) == limit:
            complete = False
            break
        found[key] = judged
    complete = complete and not lister.cut
    return OptimalArrangements(least.penalty, tuple(found.values()), len(found), complete)


def _combination(arrangement: Arrangement, meld: MeldRules) -> tuple[tuple[Card, ...], ...]:
    """Return the cards of each meld, ascending, all wilds written as jokers."""
    melds = ([JOKER if meld.is_wild(c) else c for c in laid.cards] for laid in arrangement.melds)
    return tuple(sorted(tuple(sorted(cards)) for cards in melds))


def _judged(arrangement: Arrangement, counts: Counts, least: Solution) -> Arrangement | None:
    """Return an arrangement that costs the least and lays the contract asked, None for others.

    Cards that lie together may be read in several ways; under a contract one that meets it.
    """
    if penalty(arrangement, least.rules) != least.penalty:
        return None
    if not least.contract_met:
        return arrangement
    try:
        return check_contract(counts, [meld.cards for meld in arrangement.melds], least.rules)
    except HandError:
        return None


class _Lister:
    """Depth-first walk over class melds in canonical order, cut where the best is out of reach."""

    def __init__(self, counts: Counts, least: Solution, deadline: Deadline) -> None:
        rules = least.rules
        self.counts = counts
        self.meld: MeldRules = replace(rules.meld, hand_require=None, penalty_cap=None)
        self.engine = engine_for(rules.meld, contract=False)
        self.plain = engine_for(self.meld, contract=False)
        self.points = self.engine.rules.points
        total = int(counts.astype(np.int64) @ self.points)
        exact = least.contract_met and not rules.meld.extra_melds
        self.most_melds = len(rules.meld.contract or ()) if exact else len(counts)
        self.deadline = deadline
        self.work_left = MOST_WORK
        self.cut = False
        # Of the split of roles at hand: naturals left, gain of the dearest wilds, melds to try.
        self.naturals: list[int] = []
        self.gains = np.zeros(0, np.int64)
        self.rows: list[Row] = []
        cap = rules.meld.penalty_cap
        worst = total if cap is None else min(total, cap)
        # When all cost the same, nothing can be cut; otherwise so many points must be melded.
        self.wanted = 0 if least.penalty >= worst else total - least.penalty

    def walk(self) -> Iterator[list[Row]]:
        """Yield the rows of arrangements that meld at least the points wanted."""
        rules = self.engine.rules
        wild_cards = [int(c) for c in rules.wild_ids if self.counts[c]]
        split = [c for c in wild_cards if c < 13 * self.meld.suits and rules.params[P_SPLIT]]
        for roles in _splits([(c, int(self.counts[c])) for c in split]):
            naturals = [0] * 66
            for c in range(13 * self.meld.suits):
                naturals[c] = 0 if rules.wild[c] else int(self.counts[c])
            for c, n in roles.items():
                naturals[c] += n
            wilds = [c for c in wild_cards for _ in range(int(self.counts[c]) - roles.get(c, 0))]
            self.naturals = naturals
            self.gains = np.zeros(40, np.int64)
            self.gains[1 : len(wilds) + 1] = np.cumsum([self.points[c] for c in wilds])
            self.rows = list(self._candidates(naturals, len(wilds)))
            yield from self._extend(len(wilds), 0, 0, 0, [])

    def _extend(
        self, left: int, used: int, first: int, melded: int, laid: list[Row]
    ) -> Iterator[list[Row]]:
        """Yield what continues the rows laid; ``left`` and ``used`` count wilds."""
        if not self.go_on(STEP_WORK):
            return
        if melded + int(self.gains[used]) >= self.wanted:
            yield list(laid)
        for i in range(first, len(self.rows) if len(laid) < self.most_melds else 0):
            if not self.go_on(ROW_WORK):
                return
            row = self.rows[i]
            cards = natural_cards(row)
            k = n_wilds(row)
            if k > left or any(cards.count(c) > self.naturals[c] for c in cards):
                continue
            for c in cards:
                self.naturals[c] -= 1
            more = melded + sum(int(self.points[c]) for c in cards)
            if self._can_reach(left - k, used + k, more):
                laid.append(row)
                yield from self._extend(left - k, used + k, i, more, laid)
                laid.pop()
            for c in cards:
                self.naturals[c] += 1

    def go_on(self, work: int) -> bool:
        """Count work, in the steps of the kernels; return whether the walk goes on."""
        self.work_left -= work
        self.cut = self.cut or self.work_left < 0 or self.deadline.expired
        return not self.cut

    def _can_reach(self, left: int, used: int, melded: int) -> bool:
        needed = self.wanted - melded
        work = local_work()
        work[STEPS], work[BUDGET] = 0, FEW_STEPS
        work[LAID : LAID + 4] = 0
        work[NATURALS : NATURALS + 66] = self.naturals
        work[WILD_GAIN : WILD_GAIN + left + 1] = self.gains[used : used + left + 1]
        value = suit_search.best_of_roles(
            left, needed - 1, needed, self.points, 0, self.plain.rules.flat, work
        )
        self.work_left -= int(work[STEPS])
        return value == TOO_LARGE or value >= needed

    def _candidates(self, naturals: list[int], wilds: int) -> Iterator[Row]:
        """Yield the class melds a hand allows, sets of naturals with each number of wilds once."""
        rules, meld = self.plain.rules, self.meld
        yield from self._run_candidates(naturals, wilds)
        for rank in range(N_RANKS):
            counts = [naturals[s * N_RANKS + rank] for s in range(meld.suits)]
            for used in np.ndindex(*[c + 1 for c in counts]):
                if not self.go_on(ROW_WORK):
                    return
                n = sum(used)
                if n == 0 or (meld.set_distinct_suits and max(used) > 1) or n >= len(rules.set_k):
                    continue
                packed = sum(u << (4 * s) for s, u in enumerate(used))
                for k in range(wilds + 1):
                    if int(rules.set_k[n]) >> k & 1:
                        yield (SET_ROW, rank, k, packed, 0)
        for k in range(1, wilds + 1):
            if int(rules.params[P_WILD_BITS]) >> k & 1:
                yield (WILD_ROW, k, 0, 0, 0)

    def _run_candidates(self, naturals: list[int], wilds: int) -> Iterator[Row]:
        first, last, ring = line_of(self.meld)
        legal = self.plain.rules.pattern_ok
        for suit in range(self.meld.suits):
            held = sum(1 << p for p in range(first, last + 1) if naturals[suit * 13 + p % 13])
            seen: set[tuple[int, int]] = set()
            for start in range(first, last + 1):
                for length in range(1, (13 if ring else last - start + 1) + 1):
                    window = ((held | held << 13 if ring else held) >> start) & ((1 << length) - 1)
                    if not self.go_on(PART_WORK << window.bit_count()):
                        return
                    part = window
                    while part:
                        mask = part << start
                        mask = (mask | mask >> 13) & 0x1FFF if ring else mask
                        k = length - part.bit_count()
                        if k <= wilds and legal[1 << length | part] and (mask, k) not in seen:
                            seen.add((mask, k))
                            yield (RUN_ROW, suit, start, length, part)
                        part = (part - 1) & window


def _splits(cards: list[tuple[int, int]]) -> Iterator[dict[int, int]]:
    """Yield how many of each wild card are read as naturals, none first."""
    if not cards:
        yield {}
        return
    (card, copies), *rest = cards
    for n in range(copies + 1):
        for other in _splits(rest):
            yield {card: n, **other}
