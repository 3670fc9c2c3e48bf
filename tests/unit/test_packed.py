"""Packed hands, text buffers and the fast lane against the per-hand engine and plain reading."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from solver.cards import cards_of, counts_of, format_hand, parse_cards
from solver.errors import HandError, NotationError
from solver.rules.loader import load_rules
from solver.rules.model import GameRules
from solver.solve import pack_counts, parse_hands, solve, solve_many, unpack
from solver.solve.packed import fast_counts, fast_lane
from solver.solve.suit import penalties_suit
from tests.oracles.brute import brute_penalty

GAMES = [
    ("gin", {}),
    ("three-thirteen", {"cards_dealt": 13, "players": 4}),
    ("three-thirteen", {"cards_dealt": 3, "players": 4}),
    ("three-thirteen", {"cards_dealt": 10, "jokers_per_pack": 2, "players": 3}),
    ("three-thirteen", {"cards_dealt": 8, "ace": "both", "points": {"A": 15}}),
    ("three-thirteen", {"cards_dealt": 6, "ace": "cyclic"}),
    ("five-crowns", {"cards_dealt": 13}),
    ("five-crowns", {"cards_dealt": 3}),
    ("deuces-arent-wild", {"cards_dealt": 14}),
]


def deck_of(rules: GameRules) -> list[int]:
    packs = rules.deck.packs or 2
    jokers = rules.deck.jokers if rules.deck.jokers is not None else 4
    cards = [s * 13 + r for s in range(rules.deck.suits) for r in rules.deck.ranks] * packs
    return cards + [65] * (jokers if rules.deck.has_jokers else 0)


def random_hands(rules: GameRules, n: int, size: int, seed: int) -> np.ndarray:
    """Half random hands, half from a narrow band of ranks where melds overlap."""
    rng = random.Random(seed)
    deck = deck_of(rules)
    rows = []
    for i in range(n):
        pool = deck
        if i % 2:
            low = rng.randrange(0, 9)
            pool = [c for c in deck if c == 65 or low <= c % 13 <= low + 5 or rng.random() < 0.1]
        rows.append(counts_of(rng.sample(pool, min(size, len(pool)))))
    return np.array(rows)


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_the_fast_lane_equals_the_per_hand_engine(name: str, options: dict) -> None:
    rules = load_rules(name, **options)
    lane = fast_lane(rules)
    assert lane is not None
    hands = random_hands(rules, 3000, 13 if name != "gin" else 10, seed=7)
    fast = fast_counts(hands, lane)
    reached = fast >= 0
    assert reached.mean() > 0.9
    assert (fast[reached] == penalties_suit(hands, rules)[reached]).all()


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_the_fast_lane_equals_exhaustive_search(name: str, options: dict) -> None:
    rules = load_rules(name, **options)
    hands = random_hands(rules, 60, 7, seed=3)
    expected = [brute_penalty(cards_of(row), rules) for row in hands]
    assert solve_many(hands, rules).tolist() == expected
    assert solve_many(pack_counts(hands, rules), rules).tolist() == expected
    assert solve_many([format_hand(cards_of(row)) for row in hands], rules).tolist() == expected


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_packing_keeps_every_card(name: str, options: dict) -> None:
    rules = load_rules(name, **options)
    hands = random_hands(rules, 200, 13, seed=1)
    assert (unpack(pack_counts(hands, rules), rules) == hands).all()


def test_the_layout_of_a_word_is_a_contract() -> None:
    five_crowns = load_rules("five-crowns")
    row = counts_of(parse_cards("3S 3S KC 4* 4* 5* JK JK JK"))[None, :]
    words = pack_counts(row, five_crowns)[0].tolist()
    three_s, king_c = 1 << 2, 1 << (39 + 12)
    stars_once, stars_twice = (1 << 3) | (1 << 4), 1 << 3
    assert words == [three_s | king_c, three_s, stars_once | stars_twice << 13 | 3 << 56]


def test_cards_without_a_place_are_refused() -> None:
    gin = load_rules("gin")
    with pytest.raises(HandError) as error:
        pack_counts(counts_of([65])[None, :], gin)
    assert error.value.code == "hand.packed"
    with pytest.raises(HandError, match="shape"):
        unpack(np.zeros((2, 9), np.uint64), gin)


def test_threads_and_chunks_change_nothing() -> None:
    rules = load_rules("three-thirteen", cards_dealt=13, players=4)
    hands = np.tile(random_hands(rules, 500, 13, seed=5), (80, 1))
    one = solve_many(hands, rules, threads=1)
    two = solve_many(hands, rules, threads=2)
    assert (one == two).all()
    order = np.random.default_rng(0).permutation(len(hands))
    assert (solve_many(hands[order], rules) == one[order]).all()


def test_texts_are_read_like_the_full_reader() -> None:
    texts = ["10h TH 1c", "jk,JK;7*", "♥10 ♠A", "", "7H8H9H", "* 5*", "as|KD  qc\t", "Jc Kc"]
    counts = parse_hands(texts)
    for text, row in zip(texts, counts, strict=True):
        assert Counter(cards_of(row)) == Counter(parse_cards(text)), text


def test_every_bad_text_is_named() -> None:
    with pytest.raises(NotationError) as error:
        parse_hands(["7H", "ZZ 8H 15S", "9", "none"])
    assert [f.where for f in error.value.faults] == ["/1/0", "/1/2", "/2/0", "/3/0"]


def test_empty_input() -> None:
    gin = load_rules("gin")
    assert solve_many(np.zeros((0, 66), np.uint8), gin).shape == (0,)
    assert solve_many([], gin).shape == (0,)
    assert solve_many(np.zeros((0, 1), np.uint64), gin).shape == (0,)


def test_sets_shorter_than_runs_are_left_to_the_hand_engine() -> None:
    # Runs of four, sets of three: the lone ace with both jokers is a set and no run.
    rules = load_rules("carioca")
    assert fast_lane(rules) is None
    hand = "6S QS 4H 6H 7H 9H TD AC 6C 9C 9C JK JK"
    assert solve_many([hand], rules).tolist() == [31]
    # So A JK JK, 6 6 6 and 9 9 9 are laid; Q, T, 7 and 4 stay: 31.
    for engine in ("suit", "frontier", "cpsat"):
        assert solve(hand, rules, engine=engine).penalty == 31


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_arrow_text_is_read_from_its_buffer(name: str, options: dict) -> None:
    arrow = pytest.importorskip("pyarrow")
    rules = load_rules(name, **options)
    texts = [format_hand(cards_of(row)) for row in random_hands(rules, 200, 10, seed=4)]
    expected = solve_many(texts, rules).tolist()
    array = arrow.array(texts)
    assert solve_many(array, rules).tolist() == expected
    assert solve_many(array[50:120], rules, threads=2).tolist() == expected[50:120]
    assert solve_many(arrow.chunked_array([texts[:7], texts[7:]]), rules).tolist() == expected
    assert solve_many(array.cast(arrow.large_string()), rules).tolist() == expected
    assert solve_many(array[:0], rules).tolist() == []


@pytest.mark.parametrize(
    ("name", "options", "bad"),
    [
        ("gin", {}, "7S 7S 7S"),
        ("gin", {}, "JK 7S"),
        ("three-thirteen", {"cards_dealt": 3, "players": 4}, "JK 7S"),
        ("five-crowns", {"cards_dealt": 3}, "2S"),
        ("five-crowns", {"cards_dealt": 3}, "2*"),
        ("five-crowns", {"cards_dealt": 3}, "JK " * 7),
        ("gin", {}, "7X"),
        ("gin", {}, None),
    ],
)
def test_a_bad_row_of_arrow_text_is_named_as_in_a_list(name: str, options: dict, bad: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    rules = load_rules(name, **options)
    texts = ["7S 7H 7D", bad, "10h, ♥J"]
    told = []
    for hands in (texts, arrow.array(texts)):
        with pytest.raises((HandError, NotationError)) as error:
            solve_many(hands, rules)
        told.append([(fault.code, fault.where) for fault in error.value.faults])
    assert told[0] == told[1]
    assert told[0][0][1].startswith(("/1", "/hands/1"))


def test_any_iterable_of_texts_will_do() -> None:
    rules = load_rules("gin")
    texts = ["7S 7H 7D KC", "2S 3S 4S"]
    for hands in (tuple(texts), iter(texts), dict.fromkeys(texts), (t for t in texts)):
        assert solve_many(hands, rules).tolist() == [10, 0]
