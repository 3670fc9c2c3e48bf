"""Random rules and hands: one generator, fed by hypothesis or by a seeded random source.

Rules are consistent (no minimum above its maximum) but otherwise free to mix, so that every key
of the solver meets every other.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

from solver.rules.model import DeckRules, GameRules, MeldRules

T = TypeVar("T")
JOKER = 65
PIPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
FIVES = (15, 5, 5, 5, 5, 5, 5, 5, 5, 10, 10, 10, 10)


class Source(Protocol):
    """Where choices come from."""

    def integer(self, low: int, high: int) -> int: ...
    def pick(self, options: Sequence[T]) -> T: ...


@dataclass(frozen=True)
class SeededSource:
    """Choices of a seeded generator."""

    rng: random.Random

    def integer(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.rng.random() * len(options))]


@dataclass(frozen=True)
class DrawnSource:
    """Choices of hypothesis; the first option and the lowest number are the simplest."""

    draw: Callable[[Any], Any]

    def integer(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def pick(self, options: Sequence[T]) -> T:
        return self.draw(st.sampled_from(options))  # type: ignore[no-any-return]


def _rarely(source: Source, one_in: int = 4) -> bool:
    return source.integer(0, one_in - 1) == one_in - 1


# --- rules --------------------------------------------------------------------------------------


def make_meld_rules(source: Source) -> MeldRules:
    """Choose rules of melds and points; nothing about contracts or least values."""
    suits = 5 if _rarely(source) else 4
    ace = source.pick(("low", "both", "high", "cyclic"))
    rank_lo = source.pick((1, 1, 2, 3)) if ace in ("low", "high") else 1
    wilds = _wilds(source, suits)
    set_min = source.pick((3, 3, 3, 2, 4))
    run_min = source.pick((3, 3, 3, 4, 2, 5))
    return MeldRules(
        suits=suits,
        rank_lo=rank_lo,
        ace=ace,
        **wilds,
        set_min=set_min,
        set_max=source.pick((None, 4, None, set_min, 5)) if set_min <= 4 else None,
        set_distinct_suits=_rarely(source, 3),
        run_min=run_min,
        run_max=source.pick((None, None, None, run_min, run_min + 2, 13)),
        **_limits(source, set_min, run_min),
        points=make_points(source, wilds),
        **_hand_rules(source),
    )


def _wilds(source: Source, suits: int) -> dict[str, Any]:
    n_ranks = source.pick((1, 0, 1, 2, 3))
    n_cards = source.pick((0, 0, 0, 1, 2, 4))
    return {
        "wild_ranks": frozenset(source.integer(0, 12) for _ in range(n_ranks)),
        "wild_cards": frozenset(source.integer(0, suits * 13 - 1) for _ in range(n_cards)),
        "jokers_wild": not _rarely(source, 6),
        "wild_as_natural": not _rarely(source, 3),
    }


def _limits(source: Source, set_min: int, run_min: int) -> dict[str, Any]:
    """Limits on wilds: none in half of the rules, else some of them."""
    if source.pick((True, False)):
        return {}
    limits: dict[str, Any] = {}
    if _rarely(source, 3):
        limits["set_min_naturals"] = source.integer(1, set_min)
    if _rarely(source, 3):
        limits["run_min_naturals"] = source.integer(1, run_min)
    if _rarely(source):
        window = source.integer(2, run_min)
        limits["run_core"] = (window, source.integer(1, window))
    if _rarely(source):
        limits["set_max_wilds"] = source.integer(0, 3)
    if _rarely(source):
        limits["run_max_wilds"] = source.integer(0, 3)
    limits["wilds_adjacent"] = not _rarely(source)
    limits["wild_ratio"] = source.pick((None, None, None, "le", "lt"))
    return limits


def make_points(source: Source, wilds: dict[str, Any]) -> tuple[int, ...]:
    """Choose the cost of all 66 cards: a common table, free ranks, free cards, zeros, thousands."""
    style = source.pick(("pips", "fives", "small", "ranks", "cards"))
    if style in ("pips", "fives"):
        row = list((PIPS if style == "pips" else FIVES) * 5)
    elif style == "small":
        row = [source.integer(0, 2) for _ in range(13)] * 5
    elif style == "ranks":
        row = [source.pick((1, 10, 0, 25, 1000, source.integer(0, 1000))) for _ in range(13)] * 5
    else:
        by_rank = [source.integer(0, 20) for _ in range(13)]
        red = source.integer(0, 5)
        row = [by_rank[c % 13] + (red if c // 13 in (1, 2) else 0) for c in range(65)]
    wild_points = source.pick((None, 20, 0, 50))
    if wild_points is not None:
        for card in range(65):
            if card in wilds["wild_cards"] or card % 13 in wilds["wild_ranks"]:
                row[card] = wild_points
    return (*row, source.pick((20, 0, 50, 1000, 15)))


def _hand_rules(source: Source) -> dict[str, Any]:
    if not _rarely(source, 8):
        return {}
    runs = source.integer(1, 2)
    return {
        "hand_require": (runs, source.integer(0, runs)),
        "penalty_cap": source.pick((None, 80, 20)),
    }


def make_contract_rules(source: Source) -> MeldRules:
    """Choose rules with a contract of one to three melds."""
    rules = replace(make_meld_rules(source), hand_require=None, penalty_cap=None)
    contract = tuple(
        (kind, source.integer(least, least + 1))
        for kind in (source.pick(("set", "run")) for _ in range(source.integer(1, 3)))
        for least in [rules.set_min if kind == "set" else rules.run_min]
    )
    return replace(
        rules,
        contract=contract,
        use_all=_rarely(source, 8),
        extra_melds=_rarely(source),
        forbid_adjacent_runs=_rarely(source),
        distinct_set_ranks=_rarely(source),
        distinct_run_suits=_rarely(source),
    )


def make_valued_rules(source: Source) -> MeldRules:
    """Choose rules that ask a least value of the melds laid."""
    rules = replace(make_meld_rules(source), hand_require=None, penalty_cap=None)
    return replace(
        rules,
        min_meld_value=source.pick((30, 10, 51, 1, 90)),
        meld_points=source.pick(("face", "ace_position")),
        meld_values=source.pick((PIPS, FIVES, tuple(range(1, 14)))),
        ace_low_points=source.integer(0, 5),
        wild_value_zero=_rarely(source),
    )


def as_game(meld: MeldRules) -> GameRules:
    """Wrap solver rules into a game in which any number of copies is a legal question."""
    deck = DeckRules(suits=meld.suits, has_jokers=True)
    return GameRules(name="generated", title="", meld=meld, deck=deck)


# --- hands --------------------------------------------------------------------------------------


def make_hand(source: Source, rules: MeldRules, low: int, high: int) -> list[int]:
    """Choose a hand of low..high cards: random, dense, wild-heavy, with copies, or of melds."""
    size = source.integer(low, high)
    style = source.pick(("melds", "random", "dense", "wild", "copies"))
    makers = {
        "random": lambda: _any_card(source, rules),
        "dense": _dense(source, rules),
        "wild": _wild_heavy(source, rules),
        "copies": _copies(source, rules),
    }
    if style == "melds":
        return _of_melds(source, rules, size)
    return [makers[style]() for _ in range(size)]


def _any_card(source: Source, rules: MeldRules) -> int:
    card = source.integer(0, rules.suits * 13)
    return JOKER if card == rules.suits * 13 else card


def _dense(source: Source, rules: MeldRules) -> Callable[[], int]:
    start, width = source.integer(0, 12), source.integer(2, 5)
    n_suits = source.integer(1, rules.suits)

    def card() -> int:
        if _rarely(source, 8):
            return _any_card(source, rules)
        rank = (start + source.integer(0, width)) % 13
        return source.integer(0, n_suits - 1) * 13 + rank

    return card


def _wild_cards(rules: MeldRules) -> list[int]:
    return [c for c in (*range(rules.suits * 13), JOKER) if rules.is_wild(c)]


def _wild_heavy(source: Source, rules: MeldRules) -> Callable[[], int]:
    wilds = _wild_cards(rules) or [JOKER]
    dense = _dense(source, rules)
    return lambda: source.pick(wilds) if source.pick((True, False)) else dense()


def _copies(source: Source, rules: MeldRules) -> Callable[[], int]:
    few = [_any_card(source, rules) for _ in range(source.integer(1, 5))]
    return lambda: source.pick(few)


def make_contract_hand(source: Source, rules: MeldRules, low: int, high: int) -> list[int]:
    """Choose a hand in which the melds of the contract are begun, and often complete."""
    if rules.extra_melds:
        high = min(high, 8)  # the oracle then weighs every packing with all its places
        low = min(low, high)
    if _rarely(source, 3):
        return make_hand(source, rules, low, high)
    wilds = _wild_cards(rules) or [JOKER]
    hand: list[int] = []
    for kind, length in rules.contract or ():
        suit, rank = source.integer(0, rules.suits - 1), source.integer(0, 12)
        for i in range(length):
            card = suit * 13 + (rank + i) % 13 if kind == "run" else (
                source.integer(0, rules.suits - 1) * 13 + rank
            )  # fmt: skip
            hand.append(source.pick(wilds) if _rarely(source, 6) else card)
    size = source.integer(low, high)
    return hand[:size] + [_any_card(source, rules) for _ in range(size - len(hand))]


def _of_melds(source: Source, rules: MeldRules, size: int) -> list[int]:
    """Rows of one suit and columns of one rank, some cards swapped for wilds or anything."""
    wilds = _wild_cards(rules) or [JOKER]
    hand: list[int] = []
    while len(hand) < size:
        suit, rank = source.integer(0, rules.suits - 1), source.integer(0, 12)
        length = source.integer(2, 5)
        if source.pick((True, False)):
            group = [suit * 13 + (rank + i) % 13 for i in range(length)]
        else:
            group = [(suit + i) % rules.suits * 13 + rank for i in range(length)]
        for card in group:
            kind = source.integer(0, 7)
            hand.append(
                source.pick(wilds) if kind == 7 else _any_card(source, rules) if kind == 6 else card
            )
    return hand[:size]


# --- hypothesis ---------------------------------------------------------------------------------


@st.composite
def meld_rules(draw: Callable[[Any], Any]) -> GameRules:
    """Draw consistent rules of a game."""
    return as_game(make_meld_rules(DrawnSource(draw)))


@st.composite
def contract_rules(draw: Callable[[Any], Any]) -> GameRules:
    """Draw rules with a contract."""
    return as_game(make_contract_rules(DrawnSource(draw)))


@st.composite
def hands(draw: Callable[[Any], Any], rules: GameRules, low: int = 0, high: int = 9) -> list[int]:
    """Draw a hand, card ids in any order."""
    return make_hand(DrawnSource(draw), rules.meld, low, high)


@st.composite
def rules_and_hands(
    draw: Callable[[Any], Any], low: int = 0, high: int = 9
) -> tuple[GameRules, list[int]]:
    """Draw rules and a hand under them."""
    source = DrawnSource(draw)
    rules = make_meld_rules(source)
    return as_game(rules), make_hand(source, rules, low, high)


@st.composite
def contracts_and_hands(
    draw: Callable[[Any], Any], low: int = 4, high: int = 10
) -> tuple[GameRules, list[int]]:
    """Draw rules with a contract and a hand under them."""
    source = DrawnSource(draw)
    rules = make_contract_rules(source)
    return as_game(rules), make_contract_hand(source, rules, low, high)


# --- long runs ----------------------------------------------------------------------------------


def random_rules(rng: random.Random) -> GameRules:
    """Return rules from a seeded generator: the same distribution as ``meld_rules``."""
    return as_game(make_meld_rules(SeededSource(rng)))


def random_hand(rng: random.Random, rules: GameRules, low: int = 0, high: int = 9) -> list[int]:
    """Return a hand from a seeded generator: the same distribution as ``hands``."""
    return make_hand(SeededSource(rng), rules.meld, low, high)


def random_case(rng: random.Random, low: int = 0, high: int = 9) -> tuple[GameRules, list[int]]:
    """Return rules and a hand from a seeded generator."""
    rules = random_rules(rng)
    return rules, random_hand(rng, rules, low, high)
