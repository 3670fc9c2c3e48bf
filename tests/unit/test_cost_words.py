"""A penalty that is not what the cards left over add up to says why, on every face."""

from __future__ import annotations

import json
import random

import pytest
from click.testing import CliRunner

from solver.cards import counts_of, format_hand, parse_cards
from solver.cli import COMMANDS, main
from solver.cli.lazy import load
from solver.engine.scoring import score_round
from solver.melds import cost_words, penalty
from solver.rules.loader import load_rules
from solver.solve import check_layout, solve
from tests.oracles.brute import brute_penalty

# Loaded here and not inside a test: some library draws from the global generator on import.
for command in ("solve", "check"):
    load(COMMANDS[command][0])

NO_PURE_RUN = "4H 5H JK 8S 9S 7C 2D 2C 2S KH KD KS QC"
"""Rule book 9.2, I2: two runs but none pure, so that 72 of 72 points count."""
LACKS = "the melds lack 2 runs, 1 of them without a wild, so every card counts"
INDIAN = ("-r", "indian-13", "-O", "turned_card=7S")


def run(*arguments, stdin=None):
    result = CliRunner().invoke(main, arguments, input=stdin)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize(
    ("required", "words"),
    [
        ([1, 0], "1 run"),
        ([2, 0], "2 runs"),
        ([1, 1], "1 run without a wild"),
        ([2, 2], "2 runs without a wild"),
        ([3, 1], "3 runs, 1 of them without a wild"),
    ],
)
def test_what_the_melds_lack_is_named(required, words):
    found = solve("5S 5H 5D 9C KH", load_rules("three-thirteen", hand_require=required))
    said = f"the melds lack {words}, so every card counts"
    assert found.penalty == 34
    assert [note for note in found.notes if "lack" in note] == [said]
    assert said in found.headline
    assert said in str(found)


def test_no_penalty_differs_from_the_cards_left_without_a_word():
    rng = random.Random(11)
    told = 0
    for _ in range(120):
        options = {"hand_require": rng.choice([None, [1, 0], [1, 1], [2, 1]])}
        options["penalty_cap"] = rng.choice([None, 20, 35])
        rules = load_rules("three-thirteen", wild_ranks=rng.choice(["none", "7"]), **options)
        cards = sorted(rng.sample(range(26), rng.randint(4, 7)))
        found = solve(cards, rules)
        assert found.penalty == brute_penalty(cards, rules)
        left = sum(rules.meld.points[card] for card in found.arrangement.deadwood)
        words = cost_words(found.arrangement, rules)
        if found.penalty != left:
            assert words, (format_hand(cards), options)
            assert set(words) <= set(found.notes)
            told += 1
        for points in (word.split()[0] for word in words if "at most" in word):
            assert int(points) > found.penalty == options["penalty_cap"]
    assert told > 20


def test_every_command_says_why_all_cards_count():
    assert LACKS in run("solve", *INDIAN, NO_PURE_RUN)
    assert LACKS in run("solve", *INDIAN, "-", stdin=NO_PURE_RUN + "\n")
    assert LACKS in json.loads(run("solve", *INDIAN, "--json", NO_PURE_RUN))["note"]
    assert LACKS in run("check", *INDIAN, NO_PURE_RUN, "2D 2C 2S")
    assert LACKS in json.loads(run("check", *INDIAN, "--json", NO_PURE_RUN, "2D 2C 2S"))["note"]


def test_a_layout_has_a_word_of_its_own():
    """The best layout has its two runs; the one that was laid has none."""
    rules = load_rules("indian-13", turned_card="7S")
    verdict = check_layout(
        counts_of(parse_cards("4H 5H 6H 8S 9S JK 2D 2C 2S KH KD KS QC")), [], rules
    )
    assert (verdict.penalty, verdict.best.penalty) == (78, 10)
    laid = check_layout(counts_of(parse_cards(NO_PURE_RUN)), ["2D 2C 2S"], rules)
    assert LACKS in laid.notes
    good = "4H 5H 6H 8S 9S JK 2D 2C 2S KH KD KS QC"
    short = check_layout(counts_of(parse_cards(good)), ["2D 2C 2S"], rules)
    assert (short.penalty, LACKS in short.notes, LACKS in short.best.notes) == (78, True, False)


def test_a_scored_round_says_why_all_cards_count():
    rules = load_rules("indian-13", turned_card="7S")
    hands = ["4H 5H 6H 8S 9S JK 2D 2C 2S KH KD KS QC", NO_PURE_RUN]
    first, second = score_round(hands, rules).players
    assert (first.penalty, first.note) == (10, "")
    assert (second.penalty, second.note) == (72, LACKS)


def test_the_sum_beyond_a_cap_is_told():
    rules = load_rules("indian-13", turned_card="7S")
    hand = "4H 5H 6H JS JD JC 2D 2C 2S KH KD KS QC"  # rule book 9.2, I5: 91 points, capped at 80
    found = solve(hand, rules)
    assert penalty(found.arrangement, rules) == found.penalty == 80
    assert "91 points, but at most 80 count" in found.notes


def test_one_line_of_many_hands_tells_of_a_size_that_no_hand_has():
    lines = run("solve", "-r", "gin", "-", stdin="5S 5H 5D KC\nAS 2S 3S 3H 3D 4S 5S KC QC JH\n")
    odd, usual = lines.splitlines()
    assert "a hand holds 10, or 11 before the discard, not 4" in odd
    assert "holds" not in usual


def test_check_tells_of_a_size_that_no_hand_has():
    shown = run("check", "-r", "gin", "5S 5H 5D", "5S 5H 5D")
    assert "as good as the best" in shown
    assert "a hand holds 10, or 11 before the discard, not 3" in shown
