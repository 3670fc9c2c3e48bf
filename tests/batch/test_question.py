"""What a batch asks of a hand: its contract, its round, its size; and failures of the program."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from solver.batch import Question, price, score_batch
from solver.cards import format_hand, parse_cards
from solver.cli import main
from solver.rules.loader import load_rules, round_rules
from solver.solve import solve, solve_many
from tests.batch.helpers import PACK, do, penalties, read_rows, write_rows
from tests.oracles.brute import brute_contract, brute_penalty

LIVERPOOL_DECK = PACK * 2 + [65] * 4


def ask(cells, name="gin", *, round=None, options=None, **question):
    """Return the answers to a record batch of cells as rows."""
    rules = load_rules(name, **(options or {}))
    batch = pa.record_batch({key: pa.array(column) for key, column in cells.items()})
    return score_batch(batch, Question(rules, round=round, **question)).to_pylist()


# --- contracts ----------------------------------------------------------------------------------

CONTRACTS = [
    # Deal 4 asks three sets: one at most is there, so T T 2 8 6 6 8 7 A Q count, all of them.
    ("TH 2H 8C 6H 6C 8S TH 7S AD QD", 4, False),
    # Deal 2 asks a set and a run of four: no run of four is there.
    ("5S 5H 5D 9D 9C 9S KS KD KC 3H", 2, False),
    # Deal 1 asks two sets: kings and nines go down, and fives, three and the rest stay.
    ("5S 5H 5D 9D 9C 9S KS KD KC 3H", 1, True),
    ("KS KH KD 9S 9H 9D 4C 6H 7D 8S", 1, True),
]


@pytest.mark.parametrize("melds", [False, True])
@pytest.mark.parametrize("form", ["text", "list"])
def test_hands_are_asked_their_contract(melds, form):
    rules = load_rules("liverpool")
    hands = [hand if form == "text" else hand.split() for hand, _, _ in CONTRACTS]
    cells = {"hand": hands, "deal": [deal for _, deal, _ in CONTRACTS]}
    rows = ask(cells, "liverpool", round="deal", melds=melds)
    for row, (hand, deal, can) in zip(rows, CONTRACTS, strict=True):
        judged_by = round_rules(rules, deal)
        cards = parse_cards(hand)
        left = brute_contract(cards, judged_by)
        whole = sum(judged_by.meld.points[card] for card in cards)
        assert (row["penalty"], row["can_go_down"]) == (left if can else whole, can)
        assert (left is not None) == can
        if melds:
            assert bool(row["melds"]) == can
    assert [row["penalty"] for row in rows[:2]] == [75, 65]


def test_contracts_equal_exhaustive_search():
    rng = random.Random(11)
    hands, deals, wanted = [], [], []
    for i in range(60):
        deal = 1 + i % 3
        rules = load_rules("liverpool", deal=deal)
        few = rng.sample([card for card in LIVERPOOL_DECK if card % 13 in range(4)], 9)
        left = brute_contract(few, rules)
        whole = sum(rules.meld.points[card] for card in few)
        hands.append(" ".join(format_hand([card]) for card in few))
        deals.append(deal)
        wanted.append((whole if left is None else left, left is not None))
    rows = ask({"hand": hands, "deal": deals}, "liverpool", round="deal")
    assert [(row["penalty"], row["can_go_down"]) for row in rows] == wanted
    assert {can for _, can in wanted} == {False, True}


def test_the_free_question_is_asked_by_name():
    hand = "5S 5H 5D 9D 9C 9S KS KD KC 3H"
    rules = load_rules("liverpool", deal=2)
    (row,) = ask({"hand": [hand]}, "liverpool", options={"deal": 2}, ignore_contract=True)
    assert row["penalty"] == brute_penalty(parse_cards(hand), rules.meld) == 5
    assert "can_go_down" not in row


def test_games_without_contracts_have_no_such_column():
    assert list(ask({"hand": ["KD"]}, any_size=True)[0]) == ["penalty", "status", "message"]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_the_column_in_files(tmp_path, form):
    cells = [{"deal": deal, "hand": hand} for hand, deal, _ in CONTRACTS]
    source = write_rows(tmp_path / f"in.{form}", [*cells, {"deal": 1, "hand": "7X"}])
    out = tmp_path / f"out.{form}"
    done = CliRunner().invoke(
        main,
        ["batch", str(source), "-o", str(out), "-r", "liverpool", "--round-column", "deal"],
    )
    assert done.exit_code == 1
    assert "Liverpool Rummy, the round of each hand from column 'deal'" in done.stderr
    told = {"csv": ["false", "false", "true", "true", ""]}.get(
        form, [*[False] * 2, *[True] * 2, None]
    )
    assert [row["can_go_down"] for row in read_rows(out)] == told


# --- rounds -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("three-thirteen", "no round chosen: nothing is wild"),
        ("five-crowns", "no round chosen: only jokers are wild"),
        ("deuces-arent-wild", "no round chosen"),
        ("liverpool", "no deal chosen: no contract is asked"),
        ("shanghai-10", "no deal chosen: no contract is asked"),
        ("carioca", "no deal chosen: no contract is asked"),
    ],
)
def test_rows_without_a_round_are_rejected_where_rounds_decide(name, said):
    rows = ask({"hand": ["7S 8S 9S KD", "7X"]}, name)
    assert [row["status"] for row in rows] == ["round.missing"] * 2
    assert said in rows[0]["message"]
    assert all(flag in rows[0]["message"] for flag in ("--round-column", "--no-round"))
    assert rows[0]["penalty"] is None
    good, bad = ask({"hand": ["7S 8S 9S KD", "7X"]}, name, no_round=True)
    assert (good["status"], bad["status"]) == ("ok", "card.unknown")
    assert good["penalty"] == solve("7S 8S 9S KD", load_rules(name), ignore_contract=True).penalty
    assert good.get("can_go_down") is None


@pytest.mark.parametrize("name", ["gin", "rum-500", "indian-13", "kalooki-51", "rummikub"])
def test_other_games_need_no_round(name):
    hand = "7S 8S 9S KD"
    assert ask({"hand": [hand]}, name, any_size=True)[0]["status"] == "ok"


def test_a_round_that_is_left_out_in_some_rows(tmp_path):
    cells = [{"round": number, "hand": "3S 9D 9H"} for number in (1, "", None, "  ", "1")]
    for form in ("csv", "jsonl"):
        source = write_rows(tmp_path / f"in.{form}", cells)
        rules = load_rules("three-thirteen")
        for no_round, others in ((False, None), (True, 21)):
            columns = {"round": "round", "any_size": False, "no_round": no_round}
            _, rows, _ = do(source, tmp_path / "o.csv", rules=rules, columns=columns)
            assert penalties(rows) == [0, others, others, others, 0]
            status = "round.missing" if others is None else "ok"
            assert [row["status"] for row in rows] == ["ok", *[status] * 3, "ok"]


def test_the_command_says_that_no_round_was_chosen(tmp_path):
    source = write_rows(tmp_path / "in.csv", [{"hand": "3S 9D 9H"}])
    arguments = ["batch", str(source), "-o", str(tmp_path / "o.csv"), "-r", "three-thirteen"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1
    assert "no round chosen: nothing is wild" in done.stderr
    assert "round.missing 1" in done.stderr
    done = CliRunner().invoke(main, [*arguments, "--no-round"])
    assert (done.exit_code, penalties(read_rows(tmp_path / "o.csv"))) == (0, [21])
    assert "no round chosen: nothing is wild" in done.stderr
    done = CliRunner().invoke(main, [*arguments, "--option", "round=1"])
    assert (done.exit_code, penalties(read_rows(tmp_path / "o.csv"))) == (0, [0])
    assert "no round" not in done.stderr


# --- sizes --------------------------------------------------------------------------------------


def sized(n, rng, deck=PACK):
    return " ".join(format_hand([card]) for card in rng.sample(deck, n))


@pytest.mark.parametrize("form", ["text", "list", "codes"])
@pytest.mark.parametrize(
    ("name", "options", "dealt"),
    [
        ("gin", {}, 10),
        ("oklahoma-gin", {}, 10),
        ("three-thirteen", {"cards_dealt": 5}, 5),
        ("three-thirteen", {"round": 11}, 13),
        ("five-crowns", {"round": 1}, 3),
        ("deuces-arent-wild", {"cards_dealt": 14}, 14),
        ("indian-13", {}, 13),
    ],
)
def test_hands_that_nobody_can_hold_in_the_round_are_rejected(name, options, dealt, form):
    rng = random.Random(name)
    rules = load_rules(name, **options)
    deck = [c for c in PACK if c % 13 >= 2]
    sizes = [1, dealt - 1, dealt, dealt + 1, dealt + 2, 2 * dealt]
    hands = [sized(n, rng, deck) for n in sizes]
    if form == "list":
        hands = [hand.split() for hand in hands]
    elif form == "codes":
        hands = [parse_cards(hand) for hand in hands]
    rows = ask({"hand": hands}, name, options=options)
    fits = [dealt <= n <= dealt + 1 for n in sizes]
    assert [row["status"] for row in rows] == ["ok" if ok else "hand.size" for ok in fits]
    assert f"deals {dealt} cards: a hand holds {dealt}, or {dealt + 1} before" in rows[0]["message"]
    free = ask({"hand": hands}, name, options=options, any_size=True)
    assert [row["status"] for row in free] == ["ok"] * 6
    counts = np.array([solve(hand, rules).penalty for hand in hands])
    assert [row["penalty"] for row in free] == counts.tolist()
    for row, other, ok in zip(rows, free, fits, strict=True):
        assert row["penalty"] == (other["penalty"] if ok else None)


@pytest.mark.parametrize("name", ["liverpool", "continental", "kalooki-51", "rum-500", "rummikub"])
def test_hands_that_shrink_and_grow_may_have_any_size(name):
    options = {"deal": 1} if name in {"liverpool", "continental"} else {}
    rows = ask({"hand": ["7S", "7S 8S 9S TS KD KH QD 4D 5C 6H 9H TD"]}, name, options=options)
    assert [row["status"] for row in rows] == ["ok", "ok"]


def test_jokers_and_stars_count_too():
    # Five Crowns, round 3: five cards. Jokers and stars are in the last word of a packed hand.
    hands = ["JK JK 3* 4* 5*", "JK JK 3* 4*", "JK JK JK JK 3* 3*", "JK JK JK JK 3* 3* 4*"]
    rows = ask({"hand": hands}, "five-crowns", options={"round": 3})
    assert [row["status"] for row in rows] == ["ok", "hand.size", "ok", "hand.size"]
    # Five naturals of four suits, and jokers or stars that would make them too many.
    hands = ["JK JK 3S 4S 5S 7H 8H", "3* 4* 3S 4S 5S 7H 8H", "JK 3S 4S 5S 7H 8H"]
    rows = ask({"hand": hands}, "five-crowns", options={"round": 3})
    assert [row["status"] for row in rows] == ["hand.size", "hand.size", "ok"]


def test_what_a_stranger_tried():
    nine = " ".join(["9S"] * 9)
    twelve_times = " ".join(sized(13, random.Random(2)).split() * 12)
    rows = ask({"hand": [nine, twelve_times]}, "three-thirteen", options={"cards_dealt": 13})
    assert all(row["status"] in {"hand.size", "hand.copies"} for row in rows)


# --- failures of the program --------------------------------------------------------------------


def breaking(real, at):
    """Return a function that fails, as no hand should make it, where a hand holds a card."""

    def broken(counts, *arguments, **options):
        if np.asarray(counts).reshape(-1, 66)[:, at].any():
            raise ZeroDivisionError("a mistake of ours")
        return real(counts, *arguments, **options)

    return broken


@pytest.mark.parametrize("melds", [False, True])
def test_a_failure_of_the_program_is_the_status_of_its_row(monkeypatch, melds):
    hands = [["KD"], ["AS", "KD"], ["7S", "8S", "9S"], ["AS"], ["9X"]]
    monkeypatch.setattr(price, "solve_many", breaking(solve_many, 0))
    monkeypatch.setattr(price, "solve", breaking(solve, 0))
    rows = ask({"hand": hands}, any_size=True, melds=melds)
    assert [row["status"] for row in rows] == [
        "ok", "internal.error", "ok", "internal.error", "card.unknown",
    ]  # fmt: skip
    assert [row["penalty"] for row in rows] == [10, None, 0, None, None]
    assert "ZeroDivisionError: a mistake of ours" in rows[1]["message"]
    assert "AS KD" in rows[1]["message"]


def test_a_failure_of_the_fast_lane_is_made_good(monkeypatch):
    def broken(*_):
        raise IndexError

    monkeypatch.setattr(price, "fast_words", broken)
    assert [row["penalty"] for row in ask({"hand": ["KD", "QS 9D"]}, any_size=True)] == [10, 19]


# --- values that are missing --------------------------------------------------------------------


@pytest.mark.parametrize("n_before", [0, 1, 3])
@pytest.mark.parametrize("name", ["gin", "rummikub"])
def test_solve_many_names_the_row_of_a_null(n_before, name):
    column = pa.array([*["KD 7S"] * n_before, None, "KD"], pa.string())
    with pytest.raises(ValueError, match=f"hand {n_before + 1}: expected a text, got") as caught:
        solve_many(column, load_rules(name))
    assert [fault.where for fault in caught.value.faults] == [f"/{n_before}"]
    sliced = pa.array(["KD", *column.to_pylist()]).slice(1)
    with pytest.raises(ValueError, match=f"hand {n_before + 1}: expected a text"):
        solve_many(sliced, load_rules(name))


def test_a_row_without_a_round_is_of_the_round_that_an_option_chose():
    cells = {"hand": ["3S 3H 9D", "5S 6S 7S KD", "5S 5H 5D"], "round": [None, 2, None]}
    rows = ask(cells, "three-thirteen", round="round", options={"cards_dealt": 3})
    assert [(row["status"], row["penalty"]) for row in rows] == [("ok", 0), ("ok", 10), ("ok", 0)]
    question = Question(load_rules("three-thirteen", cards_dealt=3), round="round")
    assert "where it is empty, round 1 of 11: 3 cards, 3s wild" in question.words()
    rows = ask(cells, "three-thirteen", round="round")
    assert [row["status"] for row in rows] == ["round.missing", "ok", "round.missing"]
