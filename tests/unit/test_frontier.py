"""The frontier engine against exhaustive search, the judge of melds and itself read differently."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from solver.cards import counts_of, read_hand
from solver.compile import frontier_call
from solver.compile.automaton import FrontierRules, compile_frontier
from solver.compile.decode import decode
from solver.compile.frontier_call import covers_frontier, solve_frontier, solve_frontier_many
from solver.errors import LimitError
from solver.kernels import frontier, frontier_class, frontier_state, frontier_step, frontier_trace
from solver.kernels.frontier import solve_hand, solve_rows
from solver.kernels.frontier_class import class_hands
from solver.kernels.frontier_trace import retrace
from solver.kernels.jit import KERNELS
from solver.melds import check_arrangement, check_contract, penalty
from solver.rules.loader import load_rules
from solver.rules.model import MeldRules
from tests.fixtures import read as fixtures
from tests.oracles import brute
from tests.strategies import (
    JOKER,
    SeededSource,
    as_game,
    make_contract_rules,
    make_hand,
    make_meld_rules,
)

GIN = MeldRules(set_max=4, set_distinct_suits=True)
PLAIN = MeldRules()


@pytest.fixture(params=[1 << 12, 8], ids=["roomy memory", "bounded sweeps"])
def first_states(request, monkeypatch):
    """Let a hand overflow its first memory, so that the sweeps with bounds are tried too."""
    monkeypatch.setattr(frontier_call, "FIRST_STATES", request.param)
    return request.param


def cards_and_melds(value):
    """Take the cards and melds out of a composite value: cards * 256 - melds in its low half."""
    low = value & 0xFFFF
    return -(-low // 256), -low % 256


def check_plain(hand, rules):
    """Compare one hand with exhaustive search and let the judge price its melds."""
    counts = counts_of(hand)
    wanted = brute.brute_value(hand, rules)
    answer = solve_frontier(counts, rules)
    many = solve_frontier_many(np.stack([counts, counts]), rules)
    if wanted is None:
        assert answer is None
        assert many.tolist() == [-1, -1]
        return
    assert answer.penalty == wanted.penalty
    assert many.tolist() == [wanted.penalty] * 2
    n_cards, n_melds = cards_and_melds(answer.value)
    assert (len(hand) - n_cards, n_melds) == (wanted.deadwood, wanted.melds)
    laid = decode(counts, answer.class_melds, rules)
    judged = check_arrangement(counts, laid.melds, as_game(rules))
    assert penalty(judged, as_game(rules)) == wanted.penalty
    assert (len(judged.deadwood), len(judged.melds)) == (wanted.deadwood, wanted.melds)


# --- against exhaustive search ------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_random_rules_and_hands(seed, first_states):
    source = SeededSource(random.Random(seed))
    n_asked = 0
    for _ in range(12):
        rules = make_meld_rules(source)
        for _ in range(3):
            hand = make_hand(source, rules, 0, 9)
            if covers_frontier(rules, counts_of(hand), False) is None:
                check_plain(hand, rules)
                n_asked += 1
    assert n_asked >= 12


@pytest.mark.parametrize("seed", range(4))
def test_cards_that_must_be_melded(seed, first_states):
    rng = random.Random(100 + seed)
    source = SeededSource(rng)
    met = unmet = 0
    for _ in range(12):
        rules = replace(make_meld_rules(source), ace=rng.choice(("low", "high", "both")))
        for _ in range(3):
            hand = make_hand(source, rules, 3, 9)
            held = {card: hand.count(card) for card in hand}
            must = tuple((c, rng.randint(1, n)) for c, n in held.items() if rng.random() < 0.3)
            asking = replace(rules, must_use=must)
            if covers_frontier(asking, counts_of(hand), False) is None:
                check_plain(hand, asking)
                met += solve_frontier(counts_of(hand), asking) is not None
                unmet += solve_frontier(counts_of(hand), asking) is None
    assert met >= 5
    assert unmet >= 5


@pytest.mark.parametrize("seed", range(6))
def test_random_contracts(seed, first_states):
    rng = random.Random(200 + seed)
    source = SeededSource(rng)
    laid = failed = 0
    for _ in range(25):
        rules = make_contract_rules(source)
        for _ in range(3):
            hand = make_hand(source, rules, 4, 10)
            counts = counts_of(hand)
            if covers_frontier(rules, counts, True) is not None:
                continue
            answer = solve_frontier(counts, rules, contract=True)
            wanted = brute.brute_contract(hand, rules)
            assert (None if answer is None else answer.penalty) == wanted, (hand, rules)
            many = solve_frontier_many(counts[None, :], compile_frontier(rules, contract=True))
            assert many.tolist() == [-1 if wanted is None else wanted]
            failed += answer is None
            if answer is not None:
                melds = decode(counts, answer.class_melds, rules).melds
                judged = check_contract(counts, melds, as_game(rules))
                assert sum(rules.points[card] for card in judged.deadwood) == wanted
                laid += 1
    assert laid
    assert failed


def test_larger_hands():
    source = SeededSource(random.Random(300))
    for _ in range(12):
        rules = replace(make_meld_rules(source), ace="both")
        hand = make_hand(source, rules, 11, 12)
        if covers_frontier(rules, counts_of(hand), False) is None:
            check_plain(hand, rules)


# --- against itself read differently ------------------------------------------------------------


def plain_reading(rules):
    """Return rules whose runs are told to have no room for wilds: the plain machine reads them."""
    compiled = FrontierRules(rules, contract=False, reason=None)
    compiled.class_facts[frontier_class.T_LINE] = -1
    return compiled


THRIFTY = {
    "no limits": PLAIN,
    "sets full": GIN,
    "runs asked for": replace(GIN, hand_require=(2, 1), ace="both"),
    "core": MeldRules(ace="both", run_min=4, set_min_naturals=2, run_core=(4, 3)),
    "high": MeldRules(ace="high", rank_lo=3, run_min=4, run_min_naturals=1),
}


@pytest.mark.parametrize("rules", THRIFTY.values(), ids=THRIFTY.keys())
def test_thrifty_and_plain_machines_agree(rules):
    rng = random.Random(7)
    deck = [c for c in range(52) if rules.rank_lo == 1 or c % 13 != 1 for _ in range(2)]
    plain = plain_reading(rules)
    for i in range(40):
        n_wilds = 1 + i % 5
        hand = counts_of([*rng.sample(deck, 13 - n_wilds), *[JOKER] * n_wilds])
        thrifty = compile_frontier(rules, contract=False)
        assert solve_frontier(hand, thrifty).value == solve_frontier(hand, plain).value
    heads = [compiled.programs.values() for compiled in (thrifty, plain)]
    sinks = [{p.head[frontier_state.P_SINK] for p in programs} for programs in heads]
    assert frontier_state.SINK_NONE not in sinks[0]
    assert sinks[1] == {frontier_state.SINK_NONE}


@pytest.mark.parametrize("n_cards", [20, 30, 45, 61])
def test_bounds_change_nothing(n_cards, monkeypatch):
    # The same large hands with memory for a sweep without bounds, and with bounds from the start.
    rng = random.Random(n_cards)
    rummikub = load_rules("rummikub").meld
    deck = [*[c for c in range(52) for _ in range(2)], JOKER, JOKER]
    hands = [counts_of(rng.sample(deck, n_cards)) for _ in range(3)]
    found = {}
    for size in (1 << 18, 8):
        monkeypatch.setattr(frontier_call, "FIRST_STATES", size)
        found[size] = [solve_frontier(hand, rummikub) for hand in hands]
    assert [a.value for a in found[8]] == [a.value for a in found[1 << 18]]
    for hand, answer in zip(hands, found[8], strict=True):
        melds = decode(hand, answer.class_melds, rummikub).melds
        judged = check_arrangement(hand, melds, as_game(rummikub))
        assert penalty(judged, as_game(rummikub)) == answer.penalty


def test_the_whole_rummikub_set():
    # 106 tiles, no run longer than 13: nine melds at least, and nine do.
    rules = load_rules("rummikub").meld
    tiles = np.array([2] * 52 + [0] * 13 + [2], np.uint8)
    must = tuple((card, int(n)) for card, n in enumerate(tiles) if n)
    for asked in ((), must):
        answer = solve_frontier(tiles, replace(rules, must_use=asked))
        assert (answer.penalty, len(answer.class_melds)) == (0, 9)


# --- known counts -------------------------------------------------------------------------------


def all_hands(k):
    """Return all hands of k cards of one pack, uint8[n, 66]."""
    chosen = np.array(list(itertools.combinations(range(52), k)))
    hands = np.zeros((len(chosen), 66), np.uint8)
    np.put_along_axis(hands, chosen, 1, axis=1)
    return hands


@pytest.mark.parametrize(
    ("k", "n_zero", "total"), [(3, 96, 431_596), (4, 53, 6_988_428)], ids=["3 cards", "4 cards"]
)
def test_known_sums_of_penalties(k, n_zero, total):
    found = solve_frontier_many(all_hands(k), GIN)
    assert (int((found == 0).sum()), int(found.sum())) == (n_zero, total)


@pytest.mark.long
def test_known_sums_of_penalties_of_five_cards():
    n_zero = total = 0
    for first in range(48):
        rest = np.array(list(itertools.combinations(range(first + 1, 52), 4)))
        hands = np.zeros((len(rest), 66), np.uint8)
        np.put_along_axis(hands, rest, 1, axis=1)
        hands[:, first] = 1
        found = solve_frontier_many(hands, GIN)
        n_zero += int((found == 0).sum())
        total += int(found.sum())
    assert (n_zero, total) == (36, 82_793_292)


# --- the rule book's contracts ------------------------------------------------------------------


@pytest.mark.parametrize("row", fixtures.rows("rulebook_contracts"), ids=fixtures.name)
def test_contracts_of_the_rule_book(row):
    rules = fixtures.rules_of(row).meld
    counts = counts_of(fixtures.cards_of_row(row))
    if covers_frontier(rules, counts, True) is None:
        answer = solve_frontier(counts, rules, contract=True)
        assert (None if answer is None else answer.penalty) == row["left"]
    else:
        assert rules.ace == "cyclic" or rules.extra_melds or rules.forbid_adjacent_runs


# --- single rules -------------------------------------------------------------------------------


def answer_of(hand, rules, *, contract=False):
    return solve_frontier(read_hand(hand), rules, contract=contract)


def test_superfluous_wilds_go_to_a_meld_that_is_there():
    answer = answer_of("QS KS JK JK JK JK JK", PLAIN)
    assert (answer.penalty, answer.class_melds) == (0, ((1, 0, 6, 7, 0b1100000),))


def test_wilds_alone_need_no_natural():
    answer = answer_of("JK JK JK 5S 9D", PLAIN)
    assert (answer.penalty, len(answer.class_melds)) == (5, 1)
    assert answer_of("JK JK JK", PLAIN).class_melds == ((2, 3, 0, 0, 0),)
    assert (
        answer_of("JK JK JK", replace(PLAIN, set_min_naturals=1, run_min_naturals=1)).penalty == 60
    )


def test_one_ace_lies_at_one_end_two_at_both():
    both = replace(GIN, ace="both")
    assert answer_of("AS 2S 3S QS KS", both).penalty == 5
    assert answer_of("AS AS 2S 3S QS KS", both).penalty == 0
    assert answer_of("AS 2S KS", both).penalty == 13


def test_a_wild_card_read_as_itself_keeps_a_run_pure():
    rules = replace(GIN, hand_require=(1, 1), wild_ranks=frozenset({5}))
    assert answer_of("5S 6S 7S KD", rules).penalty == 10
    assert answer_of("5S 6S 7S KD", replace(rules, wild_as_natural=False)).penalty == 28
    assert answer_of("5S 6H 7S KD", rules).penalty == 28


def test_without_the_runs_required_all_cards_count_and_melds_may_lie():
    rules = replace(GIN, hand_require=(2, 1), penalty_cap=25)
    answer = answer_of("5S 6S 7S KD KH KC", rules)
    assert (answer.penalty, len(answer.class_melds)) == (25, 2)


def test_most_expensive_wilds_are_used():
    rules = replace(PLAIN, run_max=3, set_max=3, wild_cards=frozenset({1}))
    answer = answer_of("7S 8S 2S JK", rules)
    assert (answer.penalty, answer.class_melds) == (2, ((1, 0, 6, 3, 0b011),))


def test_what_is_not_covered_is_told():
    four = read_hand("5S 5H 5D 5C")
    runs = (("run", 4), ("run", 4))
    for rules, contract, told in (
        (replace(PLAIN, ace="cyclic"), False, "ring"),
        (replace(PLAIN, min_meld_value=30), False, "least value"),
        (PLAIN, True, "no contract"),
        (replace(PLAIN, contract=runs, extra_melds=True), True, "beyond"),
        (replace(PLAIN, contract=runs, forbid_adjacent_runs=True), True, "touching"),
        (replace(PLAIN, contract=(("run", 4), ("run", 7))), True, "different lengths"),
        (replace(PLAIN, contract=(("set", 3),) * 7), True, "more than 6 sets"),
        (replace(PLAIN, hand_require=(7, 0)), False, "more than 6 runs"),
    ):
        assert told in covers_frontier(rules, four, contract)
        with pytest.raises(LimitError) as caught:
            solve_frontier(four, rules, contract=contract)
        assert caught.value.code == "frontier.not_covered"


@pytest.mark.parametrize(
    ("hand", "told"),
    [
        ("JK " * 17, "wilds"),
        ("5S " * 9, "copies"),
        ("5S " * 8 + "5H " * 8 + "5D " * 8 + "5C " * 8 + "5* ", "outside the suits"),
    ],
)
def test_hands_that_are_too_much_are_told(hand, told):
    counts = read_hand(hand)
    assert told in covers_frontier(PLAIN, counts, False)
    with pytest.raises(LimitError, match=told):
        solve_frontier_many(counts[None, :], PLAIN)


def test_more_states_than_the_bound_are_an_error(monkeypatch):
    monkeypatch.setattr(frontier_call, "FIRST_STATES", 8)
    monkeypatch.setattr(frontier_call, "MOST_STATES", 8)
    with pytest.raises(LimitError) as caught:
        answer_of("5S 5S 6S 6S 7S 7S 5H 5H 6H 6H 7H 7H JK JK", PLAIN)
    assert caught.value.code == "frontier.states"


# --- many ---------------------------------------------------------------------------------------


def test_many_hands_of_all_classes_are_those_one_by_one():
    rng = random.Random(11)
    rules = load_rules("indian-13").meld
    deck = [*[c for c in range(52) for _ in range(2)], *[JOKER] * 4]
    hands = np.stack([counts_of(rng.sample(deck, rng.randint(1, 15))) for _ in range(80)])
    one_by_one = [solve_frontier(hand, rules).penalty for hand in hands]
    assert solve_frontier_many(hands, rules).tolist() == one_by_one


def test_no_hands_have_no_penalties():
    found = solve_frontier_many(np.zeros((0, 66), np.uint8), PLAIN)
    assert (found.shape, found.dtype) == ((0,), np.int32)


def test_what_must_be_melded_compiles_nothing():
    compiled = [
        compile_frontier(replace(GIN, must_use=must), contract=False)
        for must in ((), ((5, 1),), ((6, 1),))
    ]
    assert compiled[0].programs is compiled[1].programs is compiled[2].programs
    assert compiled[0] is compile_frontier(GIN, contract=False)


# --- kernels ------------------------------------------------------------------------------------

MODULES = (frontier_state, frontier_step, frontier_class, frontier, frontier_trace)


def test_kernels_compute_the_same_as_plain_python(monkeypatch):
    source = SeededSource(random.Random(21))
    questions = []
    for _ in range(14):
        rules = replace(make_meld_rules(source), ace="both")
        hand = counts_of(make_hand(source, rules, 3, 7))
        if covers_frontier(rules, hand, False) is None:
            questions.append((hand, rules))
    compiled = [solve_frontier(*question) for question in questions]
    for module in (*MODULES, frontier_call):
        for name, value in vars(module).copy().items():
            if hasattr(value, "py_func"):
                monkeypatch.setattr(module, name, value.py_func)
    monkeypatch.setattr(frontier_call.fc, "class_hands", frontier_class.class_hands)
    assert len(questions) >= 8
    assert [solve_frontier(*question) for question in questions] == compiled


def test_each_kernel_has_one_signature():
    answer_of("5S 6S 7S JK", GIN)
    solve_frontier_many(read_hand("5S 6S 7S JK")[None, :], GIN)
    prefix = "solver.kernels.frontier"
    known = {name: len(k.signatures) for name, k in KERNELS.items() if name.startswith(prefix)}
    assert len(known) > 20
    # From a warm cache only what Python calls is loaded; the kernels it calls are inside.
    assert set(known.values()) <= {0, 1}
    called = (solve_hand, solve_rows, retrace, class_hands)
    assert [len(kernel.signatures) for kernel in called] == [1] * len(called)
