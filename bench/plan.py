"""How much of the suite a run does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes of a run.

    Attributes:
        quick: small corpora and few rounds, for a look; its numbers are no record.
        n_rounds: rounds a lane is timed.
    """

    quick: bool = False
    n_rounds: int = 15

    def size(self, full: int, quick: int) -> int:
        """Return the hands of a corpus."""
        return quick if self.quick else full


FULL = Plan()
QUICK = Plan(quick=True, n_rounds=5)
