"""Goals, numbers for people, the comparison of two results, and the picture."""

from __future__ import annotations

import json
import math
from xml.etree import ElementTree as ET

import pytest

from bench import compare, svg
from bench.rows import Goal, Row, format_ratio, format_value

SVG = "{http://www.w3.org/2000/svg}"


def result(*rows, processor="cpu", commit="c" * 40):
    return {
        "started": "2026-01-02T03:04:05+00:00",
        "commit": commit,
        "modified": False,
        "machine": {"processor": processor, "cores": 2, "system": "Linux x86_64"},
        "versions": {"python": "3.11.7"},
        "rows": [row.to_json() for row in rows],
    }


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (7.049, "ns", "7.05 ns"),
        (28_300, "ns", "28.3 us"),
        (2_510_000, "ns", "2.51 ms"),
        (1.5e9, "ns", "1.50 s"),
        (4210.4, "1/s", "4,210 /s"),
        (None, "ns", "-"),
    ],
)
def test_values_are_written_with_three_digits(value, unit, text):
    assert format_value(value, unit) == text


def test_ratios_say_which_way_they_go():
    assert format_ratio(1234.4, slower=False) == "1,234 x faster"
    assert format_ratio(5.456, slower=True) == "5.46 x slower"
    assert format_ratio(None, slower=True) == "-"


@pytest.mark.parametrize(
    ("goal", "value", "met", "text"),
    [
        (Goal("faster", 120), 120.0, True, ">= 120 x faster"),
        (Goal("faster", 120), 119.9, False, ">= 120 x faster"),
        (Goal("slower", 6), 6.0, True, "<= 6 x slower"),
        (Goal("slower", 6), 6.1, False, "<= 6 x slower"),
        (Goal("below", 10e3), 10e3, True, "<= 10.0 us"),
        (Goal("below", 10e3), 10_001.0, False, "<= 10.0 us"),
        (Goal("above", 4000), 4000.0, True, ">= 4,000 ns"),
    ],
)
def test_goals(goal, value, met, text):
    assert goal.is_met(value) is met
    assert goal.text("ns") == (text if goal.kind != "above" else ">= 4.00 us")


def test_a_row_is_judged_by_its_own_number_only_when_it_has_one():
    row = Row("c", "w", "1/s", ours=5000.0)
    assert row.judged(Goal("above", 4000)).met is True
    assert row.judged(Goal("above", 6000)).met is False
    assert row.judged(None).met is None
    assert Row("c", "w").judged(Goal("below", 1)).met is None


def ratio_row(name, ratio, *, met=True, goal=">= 100 x faster", **other):
    facts = {"ours": 1e3, "rival": "r", "rival_value": 1e3 * ratio, "ratio": ratio}
    return Row("c", name, **{**facts, "goal": goal, "met": met, **other})


def test_compare_takes_ratios_anywhere_and_times_on_the_same_machine_only():
    slow = {"slower": True, "goal": "<= 6 x slower"}
    old = result(
        ratio_row("a", 200.0),
        ratio_row("b", 4.0, **slow),
        Row("c", "time", ours=100.0),
        Row("c", "gone", ours=1.0),
    )
    new = result(
        ratio_row("a", 100.0),
        ratio_row("b", 2.0, **slow),
        Row("c", "time", ours=50.0),
        Row("c", "fresh", ours=1.0),
    )
    changes = {c.workload: c for c in compare.compare(old, new)}
    assert (changes["a"].gain, changes["a"].verdict) == (0.5, "worse")
    assert (changes["b"].gain, changes["b"].verdict) == (2.0, "better")
    assert (changes["time"].gain, changes["time"].verdict) == (2.0, "better")
    assert changes["fresh"].verdict == "only new"
    assert changes["gone"].verdict == "only old"
    other = {
        c.workload: c
        for c in compare.compare(
            old,
            result(*[], **{})
            | {"rows": new["rows"], "machine": {**new["machine"], "processor": "another"}},
        )
    }
    assert other["a"].gain == 0.5
    assert (other["time"].gain, other["time"].verdict) == (None, "not comparable")


def test_compare_fails_when_a_goal_is_lost(tmp_path, capsys):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(result(ratio_row("a", 101.0))))
    new.write_text(json.dumps(result(ratio_row("a", 99.0, met=False))))
    assert compare.main([str(old), str(new)]) == 1
    assert "goal lost" in capsys.readouterr().out
    assert compare.main([str(new), str(old)]) == 0
    assert "goal met" in capsys.readouterr().out


def test_the_picture_has_a_bar_a_ratio_and_a_tick_a_goal(tmp_path):
    path, out = tmp_path / "r.json", tmp_path / "r.svg"
    rows = [
        ratio_row("first <&>", 1000.0),
        ratio_row("second", 50.0, met=False),
        ratio_row("third", 10.0, met=None, goal=""),
        ratio_row("not drawn", 5.0, slower=True),
        Row("c", "no ratio", ours=1.0),
    ]
    path.write_text(json.dumps(result(*rows)))
    assert svg.main([str(path), str(out)]) == 0
    root = ET.fromstring(out.read_text())
    groups = root.findall(f"{SVG}g")
    assert len(groups) == 3
    bars = [g.find(f"{SVG}rect") for g in groups]
    scale = (svg.WIDTH - svg.LEFT - svg.RIGHT) / 3
    lengths = [float(bar.get("width")) for bar in bars]
    expected = [3 * scale, math.log10(50) * scale, scale]
    assert lengths == pytest.approx(expected, abs=0.1)
    assert [bar.get("fill") for bar in bars] == [svg.COLOURS[m] for m in (True, False, None)]
    ticks = [g.find(f"{SVG}line") for g in groups]
    assert float(ticks[0].get("x1")) == pytest.approx(svg.LEFT + 2 * scale, abs=0.1)
    assert ticks[2] is None
    assert groups[0].find(f"{SVG}text").text == "first <&>: r"


def test_no_picture_without_ratios():
    with pytest.raises(ValueError, match="ratios"):
        svg.draw(result(Row("c", "w", ours=1.0)))
