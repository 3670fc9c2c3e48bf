"""Texts of contracts: counted melds, and lengths and numbers that no hand can hold."""

from __future__ import annotations

import pytest

from solver.errors import RulesError
from solver.rules.loader import load_rules, parse_option

SET, RUN = ("set", 0), ("run", 0)


@pytest.mark.parametrize(
    ("text", "melds"),
    [
        ("2 sets + 1 run", (SET, SET, RUN)),
        ("2 sets 1 run", (SET, SET, RUN)),
        ("2x3", (("set", 3),) * 2),
        ("2x3 + r4", (("set", 3), ("set", 3), ("run", 4))),
        ("2 x set3, 1 run4", (("set", 3), ("set", 3), ("run", 4))),
        ("3x r4", (("run", 4),) * 3),
        ("set run", (SET, RUN)),
        ("3.3+r4", (("set", 3), ("set", 3), ("run", 4))),
        ("3 r4", (("set", 3), ("run", 4))),
        ("20x3", (("set", 3),) * 20),
        ("s2", (("set", 2),)),
        ("r14", (("run", 14),)),
        ([["set", 3], ["run", 0]], (("set", 3), RUN)),
    ],
)
def test_what_is_read(text, melds):
    read = parse_option("contract", text)
    assert read == melds
    assert parse_option("contract", read) == read


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("0", "rules.range"),
        ("s0", "rules.range"),
        ("s1", "rules.range"),
        ("r1", "rules.range"),
        ("r15", "rules.range"),
        ("r20", "rules.range"),
        ([["set", 1]], "rules.range"),
        ("21x3", "rules.range"),
        ("0x3", "rules.range"),
        ("0 sets", "rules.range"),
        ("+".join(["3"] * 21), "rules.range"),
        ("", "rules.type"),
        ("2 flushes", "rules.type"),
    ],
)
def test_what_is_refused(text, code):
    with pytest.raises(RulesError) as caught:
        parse_option("contract", text)
    assert caught.value.code == code


def test_a_game_takes_a_counted_contract():
    rules = load_rules("liverpool", contract="1 set + 1 run4")
    assert rules.meld.contract == (("set", 3), ("run", 4))  # sets of 3 at least
