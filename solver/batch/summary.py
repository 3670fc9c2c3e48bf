"""What came of a batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Summary:
    """What came of a batch.

    Attributes:
        n_rows: rows read, rejected ones included.
        n_rejected: rows without an answer.
        n_reused: rows that finished parts of an earlier run held.
        n_discarded: rows of finished parts that were thrown away: asked for, or damaged.
        codes: rejected rows by code.
        elapsed_s: seconds of this run.
        output: where the answers are.
        rejects: where the rejected rows are, None when there is no such file.
        what: what a row is: ``"hands"``, ``"games"`` or ``"rounds"``.
        asked: what was asked of hands: the game, its round, and what was left out.
    """

    n_rows: int
    n_rejected: int
    n_reused: int
    codes: Mapping[str, int]
    elapsed_s: float
    output: str
    rejects: str | None
    what: str = "hands"
    n_discarded: int = 0
    asked: str = ""

    @property
    def rate(self) -> float:
        """Return the rows read by this run a second."""
        return (self.n_rows - self.n_reused) / max(self.elapsed_s, 1e-9)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            **({"asked": self.asked} if self.asked else {}),
            self.what: self.n_rows,
            "rejected": self.n_rejected,
            "reused": self.n_reused,
            "discarded": self.n_discarded,
            "codes": dict(self.codes),
            "elapsed_s": round(self.elapsed_s, 3),
            f"{self.what}_per_s": round(self.rate),
            "output": self.output,
            "rejects": self.rejects,
        }

    def text(self) -> str:
        """Return one or two lines for people."""
        reused = f", {self.n_reused:,} of them from finished parts" if self.n_reused else ""
        if self.n_discarded:
            reused += f", {self.n_discarded:,} of discarded parts done again"
        line = (
            f"{self.n_rows:,} {self.what} in {self.elapsed_s:.1f} s"
            f" ({self.rate:,.0f} {self.what}/s){reused}; {self.n_rejected:,} rejected"
        )
        if self.codes:
            told = ", ".join(f"{code} {n:,}" for code, n in sorted(self.codes.items()))
            line += f": {told}" + (f" -> {self.rejects}" if self.rejects else "")
        return f"{self.asked}\n{line}" if self.asked else line


@dataclass
class Tally:
    """Counts of a run under way."""

    n_rows: int = 0
    n_rejected: int = 0
    n_reused: int = 0
    n_discarded: int = 0
    codes: Counter[str] = field(default_factory=Counter)
