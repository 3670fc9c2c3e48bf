"""Naive meld tests for the oracles: every reading of every card, written from the rule text.

Nothing of the product is used but the attribute names of the rule record. Two tests are here on
purpose: ``readings`` chooses which identities lie in their own place, ``is_meld_by_placing``
tries every reading of every single card on every place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, permutations, product
from typing import Any, TypeAlias

JOKER = 65
ACE = 0
MeldRulesLike: TypeAlias = Any
"""A record with the fields of ``MeldRules``; hashable."""
Place: TypeAlias = int
"""A position of the run line: 1..14, or 1..13 on the ring."""


@dataclass(frozen=True)
class Reading:
    """One legal way to read some cards as a meld.

    Attributes:
        kind: "set" or "run".
        of: the rank 0..12 of a set, the suit 0..4 of a run; each in turn if all are read as wild.
        start: first position of a run, 0 for a set.
        naturals: cards read as naturals.
        value: what the meld is worth when laid.
    """

    kind: str
    of: int
    start: int
    naturals: int
    value: int


def is_wild(card: int, rules: MeldRulesLike) -> bool:
    """Rule 0.2: a joker when jokers are wild, a card of a wild rank, a wild card."""
    if card == JOKER:
        return bool(rules.jokers_wild)
    return card in rules.wild_cards or card % 13 in rules.wild_ranks


def may_be_natural(card: int, rules: MeldRulesLike) -> bool:
    """Whether a card may be read as itself: naturals always, wild ranks only if the rules say."""
    if card == JOKER:
        return False
    return not is_wild(card, rules) or bool(rules.wild_as_natural)


def lines(rules: MeldRulesLike, k: int) -> list[list[Place]]:
    """Every row of k consecutive positions of the line (rule 0.4)."""
    if rules.ace == "cyclic":
        if k > 13:
            return []
        return [[(start + i) % 13 + 1 for i in range(k)] for start in range(13)]
    low, high = {
        "low": (rules.rank_lo, 13),
        "high": (max(rules.rank_lo, 2), 14),
        "both": (1, 14),
    }[rules.ace]
    return [list(range(start, start + k)) for start in range(low, high - k + 2)]


def rank_at(place: Place) -> int:
    """The rank 0..12 that belongs on a position; 14 is an ace."""
    return (place - 1) % 13


def counts_allow(kind: str, naturals: int, wilds: int, rules: MeldRulesLike) -> bool:
    """Length, least naturals, most wilds and the ratio of a set or a run."""
    k = naturals + wilds
    if kind == "set":
        least, most = rules.set_min, rules.set_max
        least_naturals, most_wilds = rules.set_min_naturals, rules.set_max_wilds
    else:
        least, most = rules.run_min, rules.run_max
        least_naturals, most_wilds = rules.run_min_naturals, rules.run_max_wilds
    if k < least or (most is not None and k > most):
        return False
    if naturals < least_naturals or (most_wilds is not None and wilds > most_wilds):
        return False
    if rules.wild_ratio == "le":
        return wilds <= naturals
    if rules.wild_ratio == "lt":
        return wilds < naturals
    return True


def pattern_allows(natural_here: tuple[bool, ...], rules: MeldRulesLike) -> bool:
    """Core window and adjacency of a run, given which of its positions hold naturals."""
    if rules.run_core is not None:
        window, needed = rules.run_core
        windows = [natural_here[i : i + window] for i in range(len(natural_here) - window + 1)]
        if not any(sum(part) >= needed for part in windows):
            return False
    if not rules.wilds_adjacent:
        for left, right in pairwise(natural_here):
            if not left and not right:
                return False
    return True


def set_value(rank: int, naturals: int, wilds: int, rules: MeldRulesLike) -> int:
    """Worth of a laid set: every card as the rank it stands for, or wilds as nothing."""
    counted = naturals if rules.wild_value_zero else naturals + wilds
    return int(counted * rules.meld_values[rank])


def run_value(places: list[Place], natural_here: tuple[bool, ...], rules: MeldRulesLike) -> int:
    """Worth of a laid run; an ace followed by the two is low under ``ace_position``."""
    total = 0
    for i, place in enumerate(places):
        if rules.wild_value_zero and not natural_here[i]:
            continue
        low_ace = rank_at(place) == ACE and i + 1 < len(places)
        if low_ace and rules.meld_points == "ace_position":
            total += rules.ace_low_points
        else:
            total += rules.meld_values[rank_at(place)]
    return total


@lru_cache(maxsize=100_000)
def readings(cards: tuple[int, ...], rules: MeldRulesLike) -> tuple[Reading, ...]:
    """Every legal reading of all these cards as one meld; () when they are none.

    ``cards`` must be sorted, so that equal hands meet in the cache.
    """
    if any(c == JOKER and not rules.jokers_wild for c in cards):
        return ()
    fixed = [c for c in cards if not is_wild(c, rules)]
    either = [c for c in cards if is_wild(c, rules) and may_be_natural(c, rules)]
    found: list[Reading] = []
    if len({c % 13 for c in fixed}) <= 1:
        found += _set_readings(cards, fixed, either, rules)
    if len({c // 13 for c in fixed}) <= 1:
        found += _run_readings(cards, fixed, either, rules)
    return tuple(found)


def _set_readings(
    cards: tuple[int, ...], fixed: list[int], either: list[int], rules: MeldRulesLike
) -> list[Reading]:
    """For every rank, and every number of doubtful cards of that rank read as themselves."""
    found = []
    for rank in range(13):
        if any(c % 13 != rank for c in fixed):
            continue
        own = [c for c in either if c % 13 == rank]
        kinds = sorted(set(own))
        for taken in product(*[range(own.count(c) + 1) for c in kinds]):
            naturals = fixed + [c for c, n in zip(kinds, taken, strict=True) for _ in range(n)]
            wilds = len(cards) - len(naturals)
            suits = [c // 13 for c in naturals]
            if rules.set_distinct_suits and len(set(suits)) < len(suits):
                continue
            if counts_allow("set", len(naturals), wilds, rules):
                value = set_value(rank, len(naturals), wilds, rules)
                found.append(Reading("set", rank, 0, len(naturals), value))
    return found


def _run_readings(
    cards: tuple[int, ...], fixed: list[int], either: list[int], rules: MeldRulesLike
) -> list[Reading]:
    """For every suit and row of positions, and every choice of positions holding naturals."""
    k = len(cards)
    if k < rules.run_min or (rules.run_max is not None and k > rules.run_max):
        return []
    found = []
    for suit in range(rules.suits):
        if any(c // 13 != suit for c in fixed):
            continue
        for places in lines(rules, k):
            wanted = [suit * 13 + rank_at(place) for place in places]
            if any(fixed.count(c) > wanted.count(c) for c in fixed):
                continue
            choices = [_choices(c, wanted, fixed, either) for c in wanted]
            for natural_here in product(*choices):
                used = [c for c, here in zip(wanted, natural_here, strict=True) if here]
                if not _can_lie(used, fixed, either):
                    continue
                naturals = len(used)
                if counts_allow("run", naturals, k - naturals, rules) and pattern_allows(
                    natural_here, rules
                ):
                    value = run_value(places, natural_here, rules)
                    found.append(Reading("run", suit, places[0], naturals, value))
    return found


def _choices(card: int, wanted: list[int], fixed: list[int], either: list[int]) -> tuple[bool, ...]:
    """May the position of this card hold the natural, a wild, or both?"""
    if fixed.count(card) >= wanted.count(card):
        return (True,)
    return (True, False) if card in fixed or card in either else (False,)


def _can_lie(used: list[int], fixed: list[int], either: list[int]) -> bool:
    """Whether these cards can lie as themselves: all plain naturals do, doubtful ones may."""
    return all(
        fixed.count(c) <= used.count(c) <= fixed.count(c) + either.count(c) for c in {*fixed, *used}
    )


def is_meld_by_placing(cards: tuple[int, ...], rules: MeldRulesLike) -> bool:
    """The same question for a few cards, by every reading of each and every order on the line."""
    options = []
    for card in cards:
        roles = ["natural"] if may_be_natural(card, rules) else []
        options.append([*roles, "wild"] if is_wild(card, rules) else roles)
    for read_as in product(*options):
        if _is_set_as_read(cards, read_as, rules):
            return True
        for order in permutations(zip(cards, read_as, strict=True)):
            if _is_run_as_placed(order, rules):
                return True
    return False


def _is_set_as_read(cards: tuple[int, ...], read_as: tuple[str, ...], rules: MeldRulesLike) -> bool:
    naturals = [c for c, read in zip(cards, read_as, strict=True) if read == "natural"]
    if len({c % 13 for c in naturals}) > 1:
        return False
    if rules.set_distinct_suits and len({c // 13 for c in naturals}) < len(naturals):
        return False
    return counts_allow("set", len(naturals), len(cards) - len(naturals), rules)


def _is_run_as_placed(order: tuple[tuple[int, str], ...], rules: MeldRulesLike) -> bool:
    naturals = [card for card, read in order if read == "natural"]
    if not counts_allow("run", len(naturals), len(order) - len(naturals), rules):
        return False
    if not pattern_allows(tuple(read == "natural" for _, read in order), rules):
        return False
    return any(
        all(
            read == "wild" or (card // 13 == suit and card % 13 == rank_at(place))
            for (card, read), place in zip(order, places, strict=True)
        )
        for places in lines(rules, len(order))
        for suit in range(rules.suits)
    )
