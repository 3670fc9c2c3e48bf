"""Gin's knock: its limit, what it brings, and which layout a knocker lays before a defender."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from solver.arguments import checked
from solver.cards import CARD, N_CARDS, N_RANKS, Card, Counts, HandLike, cards_of, counts_of
from solver.deadline import Deadline, TimeLimit
from solver.errors import HandError, RulesError
from solver.melds import Arrangement, Meld, MeldKind
from solver.rules.argument import RULES
from solver.rules.deck import max_copies
from solver.rules.model import GameRules
from solver.solve import take_hand
from solver.table.layouts import all_layouts
from solver.table.lying import End, Lying, add_card
from solver.table.packing import Work
from solver.table.turn import best_layoff, defence

MOST_LAYOUTS: Final = 20_000
"""A hand of 11 cards of one pack has some hundreds at most; wilds make more."""


def knock_limit(rules: GameRules, upcard: Card | None) -> int:
    """Return the most points a knocker may keep.

    In Oklahoma it is the value of the first upcard; an ace asks for gin or counts one, by rule.
    """
    flow = rules.flow
    if flow.oklahoma and upcard is not None:
        if upcard % N_RANKS == 0:
            return 0 if flow.oklahoma_ace == "gin" else 1
        return rules.meld.points[upcard]
    return flow.knock_limit or 0


def is_big_gin(n_cards: int, rules: GameRules) -> bool:
    """Return whether a knocker's cards are more than are dealt: all laid without a discard."""
    return rules.flow.big_gin_bonus is not None and n_cards > (rules.n_dealt or n_cards)


def knock_value(knocker_left: int, defender_left: int, rules: GameRules, n_cards: int) -> int:
    """Return the points of a knock: the knocker's, or below 0 the defender's for an undercut.

    Args:
        knocker_left: points that the knocker keeps.
        defender_left: points that the defender keeps after melds and lay-offs.
        rules: the game.
        n_cards: cards of the knocker, the discard taken off.
    """
    flow = rules.flow
    margin = defender_left - knocker_left
    if knocker_left == 0:
        big = is_big_gin(n_cards, rules)
        return margin + ((flow.big_gin_bonus or 0) if big else flow.gin_bonus)
    return margin - (flow.undercut_bonus if is_undercut(knocker_left, defender_left, rules) else 0)


def is_undercut(knocker_left: int, defender_left: int, rules: GameRules) -> bool:
    """Return whether a knock without gin pays the defender, who holds fewer points or as many."""
    if knocker_left == 0:
        return False
    return defender_left < knocker_left or (
        defender_left == knocker_left and rules.flow.undercut_on_tie
    )


@dataclass(frozen=True, slots=True)
class KnockOption:
    """A layout with which a hand may knock, and what it leaves a defender.

    Attributes:
        arrangement: melds and deadwood.
        penalty: points of the deadwood.
        defender_left: points that the known defender keeps at best; None for an unknown one.
        value: points that the knock brings against the known defender, below 0 those of an
            undercut; None for an unknown one.
        fitting_points: points of all unseen cards that fit the melds at once.
        open_points: points of all unseen cards that can be laid off one after the other.
    """

    arrangement: Arrangement
    penalty: int
    defender_left: int | None
    value: int | None
    fitting_points: int
    open_points: int

    def to_json(self) -> dict[str, Any]:
        """Return the option as plain JSON."""
        return {
            **self.arrangement.to_json(),
            "penalty": self.penalty,
            "defender_left": self.defender_left,
            "value": self.value,
            "fitting_points": self.fitting_points,
            "open_points": self.open_points,
        }


@checked(rules=RULES, upcard=CARD.or_none())
def knocker_choice(
    hand: HandLike,
    rules: GameRules,
    defender: HandLike | None = None,
    *,
    upcard: Card | None = None,
    time_limit_s: TimeLimit = None,
) -> list[KnockOption]:
    """Return every layout with which a hand may knock, the best to lay first.

    Looked at are all layouts within the knock limit: one that keeps more may leave the defender
    less to lay off. Against a known defender, who answers with own melds and lay-offs chosen
    best, the best brings most points: the bonuses for gin, big gin and undercut counted. Against
    an unknown one the cheapest come first, and of these the one open to the fewest points: of the
    cards nobody has seen that fit at once, then of all that could follow.

    Args:
        hand: the knocker's cards, the discard taken off; one more than dealt for big gin.
        rules: the game.
        defender: the defender's cards when they are known.
        upcard: the card first turned up, which is the limit in Oklahoma.
        time_limit_s: seconds for all layouts; None: the work is bounded in steps.

    Returns:
        The options; none when the hand may not knock.

    Raises:
        RulesError: ``table.knock_off``, the game has no knocks. HandError: ``table.upcard`` in
        Oklahoma. LimitError: ``limit.layouts``, ``limit.time``. Otherwise as ``solve``.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> mine, other = "2S 3C 2C AS 4C 5C 2D 3S 7C 6C", "4H AH 5D 4D 4S 2H AD 3D 5S 3H"
        >>> best, *rest = knocker_choice(mine, load_rules("gin"), other)
        >>> best.arrangement.text(), best.value
        ('R[3C 4C 5C 6C 7C] S[2S 2D 2C] / left AS 3S', 6)
        >>> min(rest, key=lambda option: option.penalty).value
        -26
    """
    work = Work(Deadline.after(time_limit_s))
    if rules.flow.oklahoma and upcard is None:
        message = "expected the card first turned up, which sets the knock limit, got nothing"
        raise HandError(message, code="table.upcard", where="/upcard")
    counts = take_hand(hand, rules)
    openness = _Openness(counts, rules, work)
    n_cards = int(counts.sum())
    options = []
    for arrangement in _layouts(counts, rules, upcard, work):
        penalty = _points(arrangement.deadwood, rules)
        left = value = None
        if defender is not None:
            left = _defended(defender, arrangement.melds, rules, penalty, work)
            value = knock_value(penalty, left, rules, n_cards)
        fitting, open_points = openness.of(arrangement.melds) if penalty else (0, 0)
        option = KnockOption(arrangement, penalty, left, value, fitting, open_points)
        options.append(option)
    return sorted(
        options, key=lambda o: (-(o.value or 0), o.penalty, o.fitting_points, o.open_points)
    )


def best_knock(
    hand: Sequence[Card],
    defender: Sequence[Card],
    rules: GameRules,
    *,
    upcard: Card | None = None,
    time_limit_s: TimeLimit = None,
) -> Arrangement | None:
    """Return the layout that brings most against a defender; None when the hand may not knock.

    As the first of ``knocker_choice``, without asking what cannot be better.
    """
    counts = counts_of(hand)
    work = Work(Deadline.after(time_limit_s))
    alone = _defended(defender, (), rules, 1, work)
    best: tuple[int, Arrangement] | None = None
    for arrangement in _layouts(counts, rules, upcard, work):
        penalty = _points(arrangement.deadwood, rules)
        worth = partial(knock_value, penalty, rules=rules, n_cards=len(hand))
        if best is not None and worth(defender_left=alone) <= best[0]:
            continue  # the defender never keeps more than without lay-offs
        value = worth(defender_left=_defended(defender, arrangement.melds, rules, penalty, work))
        if best is None or value > best[0]:
            best = (value, arrangement)
    return None if best is None else best[1]


def _layouts(
    counts: Counts, rules: GameRules, upcard: Card | None, work: Work
) -> list[Arrangement]:
    """Return the layouts with which a hand may knock, cheapest first."""
    if rules.flow.knock_limit is None:
        raise RulesError(
            f"expected a game with knocks, got {rules.name}", code="table.knock_off", where="/rules"
        )
    hand = cards_of(counts)
    limit = 0 if is_big_gin(len(hand), rules) else knock_limit(rules, upcard)
    return all_layouts(hand, rules, most_left=limit, limit=MOST_LAYOUTS, work=work)


def _points(cards: Sequence[Card], rules: GameRules) -> int:
    return sum(rules.meld.points[card] for card in cards)


def _defended(
    defender: HandLike, melds: Sequence[Meld], rules: GameRules, knocker_left: int, work: Work
) -> int:
    """Return the points that the best defence leaves; nothing is laid off against gin."""
    return defence(defender, melds, rules, work, against_gin=knocker_left == 0).penalty


class _Openness:
    """What the cards that a knocker has not seen could add to melds, kept by meld."""

    def __init__(self, counts: Counts, rules: GameRules, work: Work) -> None:
        self.rules = rules
        self.work = work
        self.unseen = np.zeros(N_CARDS, np.uint8)
        for card in range(N_CARDS):
            most = max_copies(card, rules.deck)
            self.unseen[card] = max(0, (1 if most is None else most) - int(counts[card]))
        self.kept: dict[Meld, tuple[Counts, Counts]] = {}

    def of(self, melds: Sequence[Meld]) -> tuple[int, int]:
        """Return the points of unseen cards that fit at once, and of those that can follow."""
        points = np.array(self.rules.meld.points, np.int64)
        fitting = following = np.zeros(N_CARDS, np.uint8)
        for meld in melds:
            if meld not in self.kept:
                self.kept[meld] = self._of_one(Lying(meld))
            fitting = np.maximum(fitting, self.kept[meld][0])
            following = np.maximum(following, self.kept[meld][1])
        return int(fitting @ points), int(following @ points)

    def _of_one(self, on: Lying) -> tuple[Counts, Counts]:
        fitting = np.zeros(N_CARDS, np.uint8)
        for card in range(N_CARDS):
            if self.unseen[card] and _fits(on, card, self.rules):
                fitting[card] = self.unseen[card]
        plan = best_layoff(self.unseen, [on], self.rules, time_limit_s=self.work.deadline)
        return fitting, self.unseen - counts_of(plan.left)


def _fits(lying: Lying, card: Card, rules: GameRules) -> bool:
    """Return whether a natural card may be added to a meld at once."""
    ends: tuple[End, ...] = ("-", "+") if lying.meld.kind == MeldKind.RUN else ("",)
    for end in ends:
        try:
            add_card(lying, card, end, None, rules)
        except HandError:
            continue
        return True
    return False
