"""Rules -> tables of the fast lane: the best runs of every suit key, by wilds used.

The fast lane covers rules whose sets may always take one more natural of the rank and which count
nothing: Three Thirteen and its variants, Five Crowns, Gin and the like. Everything else, and rare
hands with many wilds or a very long suit, goes to the per-hand tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.compile.free_melds import without_contract
from solver.compile.tables import SuitRules, compile_suit
from solver.kernels import fast_tables as sf
from solver.kernels import suit_layout as lay
from solver.rules.model import MeldRules

N_MASKS: Final = 1 << 13
WILD_SLOTS: Final = sf.MAX_SLOTS
"""The tables hold 0..7 wilds; a Five Crowns hand of 13 cards has more in 1 of 70,000."""


@dataclass(frozen=True)
class PackedRules:
    """Tables of the fast lane and why they do not exist.

    Attributes:
        saved: uint16[n_keys, slots], points that runs save with exactly w wilds.
        tables: int64 vector the kernels read, laid out in solver.kernels.suit_fast.
        left: uint16[8192], points the runs of a suit leave over, when the hand is one word: one
            pack, four suits, no wilds, sets of three and four.
        reason: why the fast lane does not cover the rules, None when it does.
    """

    saved: NDArray[np.uint16]
    tables: NDArray[np.int64]
    reason: str | None
    left: NDArray[np.uint16] | None = None

    @property
    def n_bytes(self) -> int:
        """Return the size of the tables."""
        return self.saved.nbytes + self.tables.nbytes


def _reason(  # noqa: PLR0911 - one line a reason
    meld: MeldRules, packs: int, ranks: tuple[int, ...]
) -> str | None:
    rules = compile_suit(meld)
    if rules.reason is not None:
        return rules.reason
    # The lane looks up a lone natural with wilds as a run, and for pairs only beside wilds.
    lone = int(rules.set_k[1]) & ((1 << WILD_SLOTS) - 1) if rules.wild.any() else 0
    if int(rules.set_k[2]) & 1 or any(
        lone & ~int(rules.run_k[1 << rank]) for rank in ranks if rank not in meld.wild_ranks
    ):
        return "sets that are shorter than runs, or of ranks without runs"
    flags = dict(zip(("mode", "split"), rules.params[[7, 17]], strict=True))
    if flags["mode"] or flags["split"] or meld.penalty_cap is not None:
        return "melds are counted, wild ranks split, or the penalty is capped"
    if not rules.params[22]:
        return "a set may not always take one more natural"
    if meld.set_distinct_suits and packs > 1:
        return "sets of different suits from several packs"
    if not meld.set_distinct_suits and not rules.params[4]:
        return "two sets of a rank are not one"
    if any(card % 13 not in meld.wild_ranks for card in meld.wild_cards):
        return "single wild cards"
    if len({meld.points[rank] for rank in meld.wild_ranks}) > 1:
        return "wild ranks of different cost"
    if max(meld.points) * 13 >= 1 << 15:
        return "points beyond 16 bits"
    if any(meld.points[s * 13 + r] != meld.points[r] for s in range(meld.suits) for r in range(13)):
        return "points that differ by suit"
    return None


@lru_cache(maxsize=256)
def build_cost(meld: MeldRules, packs: int, deck_ranks: tuple[int, ...]) -> int:
    """Return what it takes to build the tables, in steps of 1.3 nanoseconds; 0 without any.

    Three Thirteen with two packs takes 60 million, Liverpool, whose wilds are limited, 1,800.
    """
    if (plain := without_contract(meld)) is not meld:
        return build_cost(plain, packs, deck_ranks)
    if packs not in {1, 2} or _reason(meld, packs, deck_ranks) is not None:
        return 0
    rules = compile_suit(meld)
    ranks = _key_ranks(rules, meld)
    runs, _ = _list_runs(rules, ranks, packs, WILD_SLOTS)
    return int((packs + 1) ** len(ranks) * len(runs))


def _key_ranks(rules: SuitRules, meld: MeldRules) -> list[int]:
    """Return the ranks whose naturals some run can hold: the digits of a key."""
    in_runs = np.bitwise_or.reduce(np.flatnonzero(rules.run_k), initial=0)
    in_runs |= in_runs >> 13
    return [r for r in range(13) if in_runs >> r & 1 and r not in meld.wild_ranks]


@lru_cache(maxsize=12)
def compile_packed(
    meld: MeldRules, packs: int, deck_ranks: tuple[int, ...] = tuple(range(13))
) -> PackedRules:
    """Return the fast lane's tables for rules and a number of packs, 1 or 2 (memoised, bounded).

    Args:
        meld: rules of the round.
        packs: most copies of a card.
        deck_ranks: ranks 0..12 that exist.
    """
    if (plain := without_contract(meld)) is not meld:
        return compile_packed(plain, packs, deck_ranks)
    reason = _reason(meld, packs, deck_ranks) if packs in (1, 2) else "more than two packs"
    if reason is not None:
        return PackedRules(np.zeros((0, 0), np.uint16), np.zeros(0, np.int64), reason)
    rules = compile_suit(meld)
    ranks = _key_ranks(rules, meld)
    radix = np.zeros(13, np.int64)
    for i, rank in enumerate(ranks):
        radix[rank] = (packs + 1) ** i
    # Where a wild may bar a natural from its set (a set of at most four), or a set does not take
    # any number of wilds, only hands without wilds are searched here.
    open_sets = rules.params[5] and rules.wild.any()
    most = next((w for w in range(WILD_SLOTS, 1, -1) if _takes_all_wilds(rules.set_k, w)), 1)
    slots = most if open_sets else 1
    points = rules.points[:13].copy()
    saved = _saved(rules, ranks, packs, WILD_SLOTS if slots > 1 else 1)
    bits = (np.arange(N_MASKS)[:, None] >> np.arange(13)) & 1
    tables = np.zeros(sf.TABLES_SIZE, np.int64)
    for at, value in {
        sf.N_SUITS: meld.suits,
        sf.WILD_MASK: sum(1 << r for r in meld.wild_ranks),
        sf.JOKER_POINTS: int(rules.points[65]),
        sf.JOKERS_WILD: int(meld.jokers_wild),
        sf.N_PACKS: packs,
        sf.N_SLOTS: slots,
        sf.WILD_BITS: int(rules.params[12]),
        sf.LONE: min(_least_wilds(int(rules.run_k[1 << place])) for place in range(14)),
        sf.WILD_POINTS: max((meld.points[r] for r in meld.wild_ranks), default=0),
    }.items():
        tables[at] = value
    tables[sf.SET_K : sf.SET_K + 32] = rules.set_k
    tables[sf.LEAST : sf.LEAST + 32] = [_least_wilds(int(k)) for k in rules.set_k]
    tables[sf.KEY_OF : sf.KEY_OF + N_MASKS] = bits @ radix
    tables[sf.POINTS_OF : sf.POINTS_OF + N_MASKS] = bits @ points
    sf.fill_reach(rules.run_k, rules.params, tables)
    left = None
    if _is_one_word(meld, packs, slots, rules.set_k):
        keys = tables[sf.KEY_OF : sf.KEY_OF + N_MASKS]
        left = ((bits @ points) - saved[keys, 0]).astype(np.uint16)
    return PackedRules(saved, tables, None, left)


def _saved(rules: SuitRules, ranks: list[int], packs: int, slots: int) -> NDArray[np.uint16]:
    """Return the most points runs save for every key and exact number of wilds."""
    runs, start = _list_runs(rules, ranks, packs, slots)
    order = np.array(ranks, np.int64)
    aces = int(rules.params[1] == 1) | 8192 * int(rules.params[2] == 1)
    saved = np.zeros(((packs + 1) ** len(ranks), slots), np.uint16)
    sf.fill_saved(order, packs, aces, runs, start, saved)
    return saved


def _list_runs(
    rules: SuitRules, ranks: list[int], packs: int, slots: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the runs with fewer wilds than slots, and where those of a highest rank start."""
    prime = (rules.flat[lay.PRIME_K : lay.RULES_SIZE] & ((1 << slots) - 1)).astype(np.uint32)
    order, start = np.array(ranks, np.int64), np.zeros(len(ranks) + 1, np.int64)
    call = (prime, order, packs, rules.points[:13].copy())
    runs = np.zeros((sf.list_runs(*call, np.zeros((0, 4), np.int64), start), 4), np.int64)
    sf.list_runs(*call, runs, start)
    return runs, start


def _least_wilds(set_k: int) -> int:
    """Return the lowest number of wilds in a word of numbers, NO_SET when it has none."""
    return (set_k & -set_k).bit_length() - 1 if set_k else sf.NO_SET


def _takes_all_wilds(set_k: NDArray[np.uint32], slots: int) -> bool:
    """Return whether a set of two naturals or more takes any number of wilds from its least."""
    word = (1 << slots) - 1
    bits = [int(set_k[n]) & word for n in range(2, 14)]
    return all(b and b | (b & -b) - 1 == word for b in bits)


def _is_one_word(meld: MeldRules, packs: int, slots: int, set_k: NDArray[np.uint32]) -> bool:
    sizes = [bool(set_k[n] & 1) for n in (1, 2, 3, 4)]
    plain = sizes == [False, False, True, True] and not meld.wild_ranks
    return plain and packs == 1 and slots == 1 and meld.suits == 4  # noqa: PLR2004 - one word
