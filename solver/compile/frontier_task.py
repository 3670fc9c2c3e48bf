"""What the frontier engine is asked: rules, with or without a contract, and classes of hands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.cards import N_CARDS
from solver.kernels import frontier_class as fc
from solver.kernels import frontier_state as fs
from solver.rules.model import MeldRules

MAX_WILDS: Final = 16
MAX_COPIES: Final = 8
MAX_OPEN: Final = 6
"""Most runs of a suit open at once, a bound on the size of what is compiled."""
MAX_COUNT: Final = 6
"""Most sets and most runs that are counted; three bits hold them and one more."""
MANY: Final = 255
NO_CAP: Final = 1 << 30


class HandClass(NamedTuple):
    """What of a hand decides what is compiled: a small program is a fast one.

    Attributes:
        n_wilds: wilds, 0..MAX_WILDS.
        copies: most copies of a natural, 1, 2, 4 or 8.
        cap: most runs of a suit that can be open at once, 1..MAX_OPEN.
        roomy: whether every run has room on its line for all wilds.
    """

    n_wilds: int
    copies: int
    cap: int
    roomy: bool


@dataclass(frozen=True)
class Task:
    """Rules as the engine sees them.

    Attributes:
        meld: the rules.
        contract: whether exactly the melds of the contract are asked for; else any may be laid.
    """

    meld: MeldRules
    contract: bool

    @cached_property
    def line(self) -> tuple[int, int]:
        """Return the first and the last position of the line."""
        if self.meld.ace == "low":
            return self.meld.rank_lo - 1, 12
        return (0, 13) if self.meld.ace == "both" else (max(self.meld.rank_lo, 2) - 1, 13)

    @property
    def line_length(self) -> int:
        """Return the number of positions of the line."""
        return self.line[1] - self.line[0] + 1

    @cached_property
    def demand(self) -> tuple[int, int, int]:
        """Return the sets, the runs and the pure runs that are counted."""
        if self.contract:
            kinds = [kind for kind, _ in self.meld.contract or ()]
            return kinds.count("set"), kinds.count("run"), 0
        runs, pure = self.meld.hand_require or (0, 0)
        return 0, runs, pure

    @cached_property
    def points(self) -> NDArray[np.int64]:
        """Return the cost of each card, int64[66]."""
        return np.array(self.meld.points, np.int64)

    @property
    def cap(self) -> int:
        """Return the most that a hand can cost; a contract has no cap."""
        cap = self.meld.penalty_cap
        return NO_CAP if self.contract or cap is None else cap

    @property
    def requires(self) -> bool:
        """Return whether runs, perhaps pure ones, must be shown for any meld to count."""
        return not self.contract and max(self.demand) > 0

    @cached_property
    def lengths(self) -> tuple[int, int]:
        """Return the fewest cards of a set and of a run."""
        set_min, run_min = self.meld.set_min, self.meld.run_min
        for kind, least in (self.meld.contract or ()) if self.contract else ():
            if kind == "set":
                set_min = max(set_min, least)
            else:
                run_min = max(run_min, least)
        return set_min, run_min

    @property
    def splits_roles(self) -> bool:
        """Return whether it matters that a wild card is read as a natural."""
        m = self.meld
        return m.wild_as_natural and (
            m.set_min_naturals > 0
            or m.run_min_naturals > 0
            or m.run_core is not None
            or m.set_max_wilds is not None
            or m.run_max_wilds is not None
            or not m.wilds_adjacent
            or m.wild_ratio is not None
            or self.requires
        )

    @cached_property
    def roles(self) -> NDArray[np.int64]:
        """Return the role of each card, int64[66], as the kernels name them."""
        wild = fs.EITHER if self.splits_roles else fs.WILD
        roles = [wild if self.meld.is_wild(card) else fs.NATURAL for card in range(N_CARDS)]
        roles[-1] = fs.WILD if self.meld.jokers_wild else fs.DEAD
        return np.array(roles, np.int64)

    @cached_property
    def must(self) -> NDArray[np.int64]:
        """Return the copies of each card that must be melded, int64[66]."""
        must = np.zeros(N_CARDS, np.int64)
        for card, copies in self.meld.must_use:
            must[card] = max(must[card], copies)
        return must

    @cached_property
    def class_facts(self) -> NDArray[np.int64]:
        """Return what hands are classed by, int64, see the T names of the kernels."""
        facts = np.zeros(fc.T_LENGTH, np.int64)
        facts[fc.T_SUITS], facts[fc.T_BOTH] = self.meld.suits, self.meld.ace == "both"
        facts[fc.T_LINE], facts[fc.T_RUN_MIN] = self.line_length, self.lengths[1]
        facts[fc.T_NATURALS] = max(1, self.meld.run_min_naturals)
        facts[fc.T_MOST_RUNS] = self.demand[1] if self.contract else MANY
        return facts

    def set_legal(self, n_naturals: int, n_wilds: int) -> bool:
        """Return whether so many naturals and wilds may be one set; naturals may be none."""
        m, n_cards = self.meld, n_naturals + n_wilds
        return (
            n_cards >= self.lengths[0]
            and (m.set_max is None or n_cards <= m.set_max)
            and n_naturals >= m.set_min_naturals
            and (m.set_max_wilds is None or n_wilds <= m.set_max_wilds)
            and (m.wild_ratio is None or n_wilds + (m.wild_ratio == "lt") <= n_naturals)
        )

    def wild_run_legal(self, n_wilds: int) -> bool:
        """Return whether so many wilds alone may be one run."""
        m = self.meld
        longest = min(self.line_length, m.run_max or self.line_length)
        return (
            self.lengths[1] <= n_wilds <= longest
            and m.run_min_naturals == 0
            and (m.run_max_wilds is None or n_wilds <= m.run_max_wilds)
            and (m.wilds_adjacent or n_wilds == 1)
            and m.wild_ratio is None
            and (m.run_core is None or (m.run_core[1] == 0 and m.run_core[0] <= n_wilds))
        )
