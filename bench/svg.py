"""A picture of the ratios of a result: ``python -m bench.svg RESULT.json OUT.svg``.

Bars are on a logarithmic scale; a tick on a bar is its goal. Only measured rows are drawn.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

from bench.rows import format_ratio, format_value

BAR: Final = 22
GAP: Final = 8
LEFT: Final = 330
WIDTH: Final = 900
RIGHT: Final = 130
HEAD: Final = 58
FOOT: Final = 26
COLOURS: Final = {True: "#2b7a4b", False: "#b5482f", None: "#4a6a8a"}
INK: Final = "#222222"
PAPER: Final = "#ffffff"
_NUMBER: Final = re.compile(r"[\d.,]+")


def drawable(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rows that tell how many times faster than a rival we are."""
    return [row for row in result["rows"] if row["ratio"] is not None and not row["slower"]]


def goal_of(row: Mapping[str, Any]) -> float | None:
    """Return the ratio that a row's goal asks for, None without a goal."""
    found = _NUMBER.search(row["goal"])
    return float(found[0].replace(",", "")) if found else None


def draw(result: Mapping[str, Any]) -> str:
    """Return the picture of a result as SVG text.

    Raises:
        ValueError: the result has no row with a ratio.
    """
    rows = drawable(result)
    if not rows:
        raise ValueError("expected a result with ratios, got none")
    top = max(max(row["ratio"], goal_of(row) or 1.0) for row in rows)
    decades = max(1, math.ceil(math.log10(top)))
    height = HEAD + len(rows) * (BAR + GAP) + FOOT
    scale = (WIDTH - LEFT - RIGHT) / decades
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13">',
        "<title>Times faster than other solvers</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>',
        _text(12, 22, "Times faster, in one run, answers verified first (log scale)", size=15),
    ]
    parts += _grid(decades, scale, height)
    for i, row in enumerate(rows):
        parts += _bar(row, HEAD + i * (BAR + GAP), scale)
    parts.append(_text(12, height - 8, _caption(result), size=11))
    return "\n".join([*parts, "</svg>", ""])


def _grid(decades: int, scale: float, height: int) -> list[str]:
    lines = []
    for power in range(decades + 1):
        x = LEFT + power * scale
        line = f'<line x1="{x:.1f}" y1="{HEAD - 8}" x2="{x:.1f}" y2="{height - FOOT}"'
        lines.append(f'{line} stroke="#cccccc"/>')
        lines.append(_text(x, HEAD - 14, f"{10**power:,}", size=11, anchor="middle"))
    return lines


def _bar(row: Mapping[str, Any], y: int, scale: float) -> list[str]:
    length = max(math.log10(row["ratio"]), 0.0) * scale
    middle = y + BAR * 0.7
    ratio = format_ratio(row["ratio"], slower=False)
    times = f"{format_value(row['ours'], 'ns')} against {format_value(row['rival_value'], 'ns')}"
    parts = [
        f"<g><title>{escape(times)}</title>",
        _text(LEFT - 8, middle, f"{row['workload']}: {row['rival']}", size=12, anchor="end"),
        f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" '
        f'fill="{COLOURS[row["met"]]}"/>',
        _text(LEFT + length + 6, middle, ratio.removesuffix(" faster"), size=12),
    ]
    goal = goal_of(row)
    if goal:
        x = LEFT + math.log10(goal) * scale
        line = f'<line x1="{x:.1f}" y1="{y - 2}" x2="{x:.1f}" y2="{y + BAR + 2}"'
        parts.append(f'{line} stroke="{INK}" stroke-width="2"/>')
    return [*parts, "</g>"]


def _text(x: float, y: float, text: str, *, size: int, anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
    return f'<text {place} fill="{INK}">{escape(text)}</text>'


def _caption(result: Mapping[str, Any]) -> str:
    commit = (result["commit"] or "no commit")[:10]
    python = result["versions"]["python"]
    return f"{result['machine']['processor']}, Python {python}, {commit}, {result['started'][:10]}"


def main(argv: Sequence[str] | None = None) -> int:
    """Read a result, write its picture."""
    parser = argparse.ArgumentParser(prog="bench.svg", description=__doc__)
    parser.add_argument("result", type=Path)
    parser.add_argument("picture", type=Path)
    args = parser.parse_args(argv)
    picture = draw(json.loads(args.result.read_text(encoding="utf-8")))
    args.picture.write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
