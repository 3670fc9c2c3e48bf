"""What a player holds, and what may be done with it: the frame of the search of the table."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from solver.cards import JOKER, N_RANKS, Card
from solver.compile.tables import limits_wilds, line_of, run_patterns, wild_meld_bits
from solver.rules.model import GameRules, MeldRules, WildRatio
from solver.table.lying import adds_distinct
from solver.table.packing import Fields, Work
from solver.table.ratio import ratio_holds

WILDS: Final = "wilds"
EARLY: Final = "early"
"""Field of the wilds in laid melds, kept where wilds gained may not help to lay them."""

# Flags above the fields.
OPEN_RANK: Final = 0
DUMP: Final = 13
SET_RANK: Final = 14
RUN_SUIT: Final = 27
RUN_FIRST: Final = 32
RUN_AFTER: Final = 107

FAR: Final = 200
"""More cards than any meld takes; stands for no limit."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be found.

    Attributes:
        contract: kinds and least lengths of the melds to lay, () for none.
        free_melds: whether any melds besides may be laid.
        least_value: least value of the melds laid.
        adds: whether cards may be added to melds on the table in this turn.
        timing: whether wilds gained may be used in the melds laid.
        keep: cards to keep in hand.
        wilds_kept: whether no card may be played as a wild.
    """

    contract: tuple[tuple[Literal["set", "run"], int], ...] = ()
    free_melds: bool = False
    least_value: int = 0
    adds: bool = True
    timing: Literal["with_contract", "after_contract"] = "with_contract"
    keep: int = 0
    wilds_kept: bool = False


@dataclass(frozen=True)
class Frame:
    """A hand under rules, with all that the search looks up.

    Attributes:
        rules: the game.
        asked: what is to be found.
        counts: copies of each card in hand, 66 ints, gained wilds included.
        gained: copies of each card gained by a swap: all must be played.
        naturals: cards that may be read as themselves, with copies.
        pool: cards that may be wild, ascending.
        either: cards of the pool that may also be natural where that matters.
        fields: where the counts stand in a state.
        n_own_wilds: wilds of the pool that were not gained.
        work: what the question may still cost.
        parts: what has been found of the parts of rows that may be laid.
    """

    rules: GameRules
    asked: Asked
    counts: tuple[int, ...]
    gained: tuple[int, ...]
    naturals: dict[Card, int]
    pool: tuple[Card, ...]
    either: tuple[Card, ...]
    fields: Fields
    n_own_wilds: int
    work: Work
    parts: dict[tuple[tuple[bool, ...], int], tuple[tuple[int, int], ...]] = field(
        default_factory=dict
    )

    @property
    def meld(self) -> MeldRules:
        """Return the rules of melds."""
        return self.rules.meld

    @property
    def limit(self) -> int:
        """Return most wilds laid off on a meld."""
        limit = self.rules.flow.layoff_wild_limit
        return FAR if limit is None else limit

    @property
    def own_tails(self) -> bool:
        """Return whether a set laid now takes any card of its rank and any wild afterwards.

        Then what is left at the end goes there without a search; values must not count.
        """
        open_sets = self.open_sets and self.limit == FAR
        return open_sets and self.asked.adds and not self.asked.least_value

    @property
    def ratio(self) -> WildRatio | None:
        """Return the limit on wilds against naturals that melds keep while cards are added."""
        return self.meld.wild_ratio if self.rules.flow.layoff_keeps_ratio else None

    @property
    def open_sets(self) -> bool:
        """Return whether a set takes any card of its rank, whatever else is added to it."""
        m = self.meld
        return m.set_max is None and not adds_distinct(self.rules) and self.ratio is None

    @property
    def free_wilds(self) -> bool:
        """Return whether a set takes any number of wilds."""
        unlimited = self.meld.set_max is None and self.ratio is None and self.limit == FAR
        return unlimited and not self.asked.wilds_kept

    def flag(self, base: int, offset: int = 0) -> int:
        """Return a flag of a state."""
        return 1 << (self.fields.shift + base + offset)


def make_frame(
    counts: tuple[int, ...],
    gained: tuple[int, ...],
    rules: GameRules,
    asked: Asked,
    work: Work,
) -> Frame:
    """Return the frame of a hand; see ``Frame``."""
    m = rules.meld
    wilds = [c for c in range(66) if counts[c] and m.is_wild(c)]
    pool = [] if asked.wilds_kept else wilds
    either = [c for c in pool if c != JOKER and _role_matters(rules, asked)]
    natural = [c for c in wilds if c != JOKER and m.wild_as_natural] if asked.wilds_kept else either
    naturals = {
        c: counts[c] for c in range(JOKER) if counts[c] and (not m.is_wild(c) or c in natural)
    }
    n_pool = sum(counts[c] for c in pool)
    n_own = n_pool - sum(gained[c] for c in pool)
    # An ace may be asked for at either end of a run, so that one option may want one too many.
    limits: list[tuple[Hashable, int, int]] = [(c, n, n + 1) for c, n in naturals.items()]
    limits.append((WILDS, n_pool, n_pool))
    if any(gained) and asked.timing == "after_contract":
        limits.append((EARLY, n_own, n_pool))
        limits += [((EARLY, c), n - gained[c], n) for c, n in naturals.items() if gained[c]]
    cards = tuple(c for c in pool for _ in range(counts[c]))
    return Frame(
        rules, asked, counts, gained, naturals, cards, tuple(either), Fields.of(limits), n_own, work
    )


def _role_matters(rules: GameRules, asked: Asked) -> bool:
    """Return whether a card of a wild rank may do better as a natural than as a wild."""
    m = rules.meld
    if not m.wild_as_natural:
        return False
    zero = m.wild_value_zero and asked.least_value > 0
    return limits_wilds(m) or rules.flow.layoff_wild_limit is not None or zero


# --- what rules say of shapes -------------------------------------------------------------------


@lru_cache(maxsize=64)
def run_table(meld: MeldRules, run_min: int) -> bytes:
    """Return 1 at ``1 << length | naturals`` where such a run may be laid."""
    return run_patterns(meld, run_min).tobytes()


@lru_cache(maxsize=64)
def line(meld: MeldRules) -> tuple[int, int, bool, int]:
    """Return first and last position, whether the line is a ring, and the longest run."""
    first, last, ring = line_of(meld)
    n = last - first + 1
    return first, last, ring, n if meld.run_max is None else min(n, meld.run_max)


@lru_cache(maxsize=64)
def wilds_alone(meld: MeldRules) -> tuple[int, int]:
    """Return two words: bit k set when k wilds alone are a set, and a run."""
    return wild_meld_bits(meld)


@lru_cache(maxsize=4096)
def set_legal(meld: MeldRules, naturals: int, wilds: int, least: int) -> bool:
    """Return whether naturals (1 or more) and wilds may be laid as a set of at least a length."""
    n = naturals + wilds
    return (
        n >= max(least, meld.set_min)
        and (meld.set_max is None or n <= meld.set_max)
        and naturals >= max(1, meld.set_min_naturals)
        and (meld.set_max_wilds is None or wilds <= meld.set_max_wilds)
        and ratio_holds(meld.wild_ratio, naturals, wilds)
    )


def run_card(suit: int, position: int) -> Card:
    """Return the natural card of a position."""
    return suit * N_RANKS + position % N_RANKS


def set_cards(rank: int, frame: Frame) -> list[tuple[Card, int]]:
    """Return the naturals of a rank in hand with copies."""
    return [(c, n) for c, n in frame.naturals.items() if c % N_RANKS == rank]
