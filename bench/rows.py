"""What the suite reports: goals, rows, and how numbers are written."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, TypeAlias

GoalKind: TypeAlias = Literal["faster", "slower", "below", "above"]
Unit: TypeAlias = Literal["ns", "1/s"]

_SCALES: Final = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound that a row has to meet.

    Attributes:
        kind: ``faster``: rival / ours >= bound; ``slower``: ours / rival <= bound; ``below`` and
            ``above``: our own number against the bound, in the unit of the row.
        bound: the ratio, nanoseconds, or events a second.
    """

    kind: GoalKind
    bound: float

    def is_met(self, value: float) -> bool:
        """Return whether a ratio (or our own number, for an absolute goal) meets the goal."""
        return value >= self.bound if self.kind in {"faster", "above"} else value <= self.bound

    def text(self, unit: Unit) -> str:
        """Return the goal for people: ``">= 120 x faster"``, ``"<= 10 us"``."""
        sign = ">=" if self.kind in {"faster", "above"} else "<="
        if self.kind in {"faster", "slower"}:
            return f"{sign} {format_ratio(self.bound, slower=self.kind == 'slower')}"
        return f"{sign} {format_value(self.bound, unit)}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        case: id of the case that measured it.
        workload: for people.
        unit: ``ns`` (a hand, a call, a request) or ``1/s``.
        ours: our median over rounds; None when nothing could be measured.
        ours_worst: our worst round.
        rival: who it is compared with; "" for an absolute goal.
        rival_value: the rival's median over rounds.
        rival_worst: the rival's worst round.
        ratio: median over rounds of rival / ours, or of ours / rival when ``slower``.
        slower: whether the ratio tells how much slower than the rival we are.
        goal: as text, "" without.
        met: whether the goal is met, None when there is none or it could not be judged.
        wrong: the rival's wrong answers, None when it gives none to compare.
        answered: hands the rival was asked.
        hands: hands of the corpus.
        proof: what our own answers were checked against before the clock started.
        note: why a row is empty, or what else must be known to read it.
    """

    case: str
    workload: str
    unit: Unit = "ns"
    ours: float | None = None
    ours_worst: float | None = None
    rival: str = ""
    rival_value: float | None = None
    rival_worst: float | None = None
    ratio: float | None = None
    slower: bool = False
    goal: str = ""
    met: bool | None = None
    wrong: int | None = None
    answered: int | None = None
    hands: int | None = None
    proof: str = ""
    note: str = ""

    def judged(self, goal: Goal | None) -> Row:
        """Return the row judged by its own number."""
        if goal is None or self.ours is None:
            return self
        return replace(self, goal=goal.text(self.unit), met=goal.is_met(self.ours))

    def to_json(self) -> dict[str, Any]:
        """Return the row as plain JSON, numbers rounded to what a clock can tell."""
        return {key: _rounded(value) for key, value in asdict(self).items()}


def _rounded(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def format_value(value: float | None, unit: Unit) -> str:
    """Return a time or a rate with three digits: ``"7.05 ns"``, ``"2.51 ms"``, ``"4,210 /s"``."""
    if value is None:
        return "-"
    if unit == "1/s":
        return f"{value:,.0f} /s"
    scale, name = next((s for s in _SCALES if abs(value) >= s[0]), _SCALES[-1])
    shown = value / scale
    return f"{shown:.{2 if shown < 10 else 1 if shown < 100 else 0}f} {name}"  # noqa: PLR2004


def format_ratio(ratio: float | None, *, slower: bool) -> str:
    """Return a ratio: ``"6.1 x slower"``, ``"1,240 x faster"``."""
    if ratio is None:
        return "-"
    shown = f"{ratio:,.0f}" if ratio >= 20 else f"{ratio:.3g}"  # noqa: PLR2004
    return f"{shown} x {'slower' if slower else 'faster'}"


def format_met(row: Row) -> str:
    """Return ``yes``, ``NO`` or, where nothing was judged, a dash."""
    return "-" if row.met is None else "yes" if row.met else "NO"
