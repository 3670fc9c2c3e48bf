"""The automaton of runs and its moves against the judge of single melds, word by word."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from solver.compile.frontier_program import run_law
from solver.compile.frontier_sets import alone_table, set_table
from solver.compile.frontier_task import HandClass, Task
from solver.compile.run_machine import NO_STATE, build_machine
from solver.compile.run_moves import MoveRules
from solver.kernels.frontier_state import FAR, NO_SET
from solver.melds.readings import all_wild_kinds, run_reason, set_reason
from solver.rules.model import MeldRules
from tests.strategies import SeededSource, make_meld_rules

LONGEST = 8


def read(machine, word):
    """Return the state after a word of 1 (natural) and 0 (wild), NO_STATE when it is cut off."""
    state = NO_STATE
    for i, natural in enumerate(word):
        step = machine.start if i == 0 else machine.step[state]
        state = step[0] if natural else step[1]
        if state == NO_STATE:
            return NO_STATE
    return state


def legal(word, rules):
    """Ask the judge of melds; runs of wilds only are no business of the machine."""
    mask = sum(natural << i for i, natural in enumerate(word))
    return mask > 0 and run_reason(mask, len(word), rules) is None


def words(n_wilds, longest=LONGEST):
    """Return all words of 1..longest places with at most so many wilds."""
    for length in range(1, longest + 1):
        for word in itertools.product((0, 1), repeat=length):
            if word.count(0) <= n_wilds:
                yield word


def random_rules(seed):
    rules = make_meld_rules(SeededSource(random.Random(seed)))
    return replace(rules, ace="both", hand_require=None)


def law_of(rules, n_wilds):
    return run_law(Task(rules, contract=False), n_wilds)


OPEN_ENDED = [seed for seed in range(60) if law_of(random_rules(seed), 1 + seed % 6).open_ended]


def test_there_are_laws_enough():
    assert 20 < len(OPEN_ENDED) < 50


@pytest.mark.parametrize("seed", range(60))
def test_the_plain_machine_accepts_the_legal_runs(seed):
    rules, n_wilds = random_rules(seed), seed % 6
    machine = build_machine(law_of(rules, n_wilds), thrifty=False)
    for word in words(n_wilds):
        state = read(machine, word)
        accepted = state != NO_STATE and machine.accept[state]
        # Wilds too few for a run of their own need not be told from naturals-only words.
        if any(word) or n_wilds >= rules.run_min:
            assert accepted == legal(word, rules), (word, rules)


@pytest.mark.parametrize("seed", OPEN_ENDED)
def test_the_thrifty_machine_accepts_what_a_run_needs(seed):
    rules, n_wilds = random_rules(seed), 1 + seed % 6
    machine = build_machine(law_of(rules, n_wilds), thrifty=True)
    for word in words(n_wilds):
        state = read(machine, word)
        accepted = state != NO_STATE and machine.accept[state]
        needed = word[-1] == 1 or not legal(word[:-1], rules)
        assert accepted == (word[0] == 1 and needed and legal(word, rules)), (word, rules)


@pytest.mark.parametrize("seed", OPEN_ENDED)
def test_the_pad_is_the_fewest_wilds_in_front_that_make_a_run_legal(seed):
    rules, n_wilds = random_rules(seed), 1 + seed % 6
    machine = build_machine(law_of(rules, n_wilds), thrifty=True)
    for word in words(n_wilds, longest=5):
        state = read(machine, word)
        if state == NO_STATE or machine.pad[state] in (0, FAR):
            continue
        spare = n_wilds - word.count(0)
        pads = [n for n in range(1, spare + 1) if legal((0,) * n + word, rules)]
        assert not legal(word, rules)
        assert min(machine.pad[state], spare + 1) == min(pads, default=spare + 1), (word, rules)


def test_every_legal_run_has_a_thrifty_form_with_no_more_wilds():
    rules = MeldRules(ace="both", run_min_naturals=2, run_core=(4, 2), run_min=4)
    machine = build_machine(law_of(rules, 6), thrifty=True)
    for word in words(6):
        if not legal(word, rules):
            continue
        naturals = "".join(map(str, word)).strip("0")
        forms = [
            n
            for n in range(word.count(0) - naturals.count("0") + 1)
            for state in [read(machine, tuple(map(int, naturals)) + (0,) * n)]
            if state != NO_STATE and machine.accept[state]
        ]
        assert len(forms) == 1, word


def test_runs_of_three_and_more_take_three_states():
    for n_wilds in (0, 2, 5):
        machine = build_machine(law_of(MeldRules(run_min_naturals=0), n_wilds), thrifty=False)
        # Enough wilds for a run of their own: one, and two or more, wait for the first natural.
        assert len(machine.accept) == (3 if n_wilds < 3 else 5)
    thrifty = build_machine(law_of(MeldRules(), 5), thrifty=True)
    assert len(thrifty.accept) == 4  # one, two, three and more, three and a wild too many
    assert thrifty.start[1] == NO_STATE


def test_pure_runs_are_told_only_when_asked_for():
    asked = build_machine(law_of(MeldRules(hand_require=(2, 1)), 2), thrifty=False)
    pure, mixed = read(asked, (1, 1, 1)), read(asked, (1, 0, 1))
    assert asked.pure[pure]
    assert not asked.pure[mixed]
    assert pure != mixed
    plain = build_machine(law_of(MeldRules(), 2), thrifty=False)
    assert read(plain, (1, 1, 1)) == read(plain, (1, 0, 1))
    assert not any(plain.pure)


# --- moves --------------------------------------------------------------------------------------


def move_rules(rules, n_wilds, *, thrifty, cap=2, copies=2):
    return MoveRules(
        machine=build_machine(law_of(rules, n_wilds), thrifty=thrifty),
        cap=cap,
        copies=copies,
        n_wilds=n_wilds,
        thrifty=thrifty,
        count_runs=False,
        count_pure=False,
        one_run=False,
    )


def test_moves_of_a_ready_run_without_wilds():
    rules = move_rules(MeldRules(), 0, thrifty=False)
    one, three = rules.machine.start[0], read(rules.machine, (1, 1, 1))
    moves = {(m.naturals, m.target, m.started) for m in rules.moves((three,), lambda _: None)}
    # Close; go on; go on and begin another. To close and begin anew is never better.
    assert moves == {(0, (), 0), (1, (three,), 0), (2, tuple(sorted((one, three))), 1)}


def test_an_unfinished_run_may_not_close():
    rules = move_rules(MeldRules(), 0, thrifty=False)
    one, two = rules.machine.start[0], read(rules.machine, (1, 1))
    assert {(m.naturals, m.target) for m in rules.moves((one,), lambda _: None)} == {
        (1, (two,)),
        (2, tuple(sorted((one, two)))),
    }


def test_a_longer_run_stands_in_for_a_shorter_one():
    rules = move_rules(MeldRules(), 0, thrifty=False)
    one, two, three = (read(rules.machine, (1,) * n) for n in (1, 2, 3))
    assert rules.betters((one,)) == sorted([(two,), (three,), tuple(sorted((one, three)))])
    exact = move_rules(MeldRules(run_max=3), 0, thrifty=False)
    one, two = (read(exact.machine, (1,) * n) for n in (1, 2))
    assert (two,) not in exact.betters((one,))  # 5 6 + 7 8 is no run of exactly three


# --- tables -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_one_set_in_the_table_is_a_set_of_the_judge(seed):
    rules = random_rules(seed)
    kind = HandClass(n_wilds=4, copies=2, cap=1, roomy=True)
    table = set_table(Task(rules, contract=False), kind)[0]
    base = 3 if rules.set_distinct_suits else 1
    for held in itertools.product(range(2), repeat=rules.suits):
        vector = sum(n * base**s for s, n in enumerate(held))
        for k in range(5):
            single = any(held) and set_reason(sum(held), sum(held) + k, rules) is None
            assert (table[vector, k] == 1) == single, (held, k, rules)


def test_sets_of_different_suits_need_as_many_sets_as_copies():
    rules = MeldRules(set_max=4, set_distinct_suits=True)
    kind = HandClass(n_wilds=2, copies=2, cap=1, roomy=True)
    table = set_table(Task(rules, contract=False), kind)[0]

    def fewest(held, k):
        return table[sum(n * 3**s for s, n in enumerate(held)), k]

    assert fewest((2, 2, 2, 0), 0) == 2
    assert fewest((2, 1, 1, 1), 0) == NO_SET  # a set of two and one of three
    assert fewest((2, 1, 1, 1), 1) == 2
    assert fewest((2, 0, 0, 0), 2) == NO_SET
    assert fewest((1, 0, 0, 0), 2) == 1
    assert fewest((1, 1, 1, 1), 1) == NO_SET  # no fifth card in a set of four


@pytest.mark.parametrize("seed", range(40))
def test_wilds_alone_against_the_judge(seed):
    rules = random_rules(seed)
    kind = HandClass(n_wilds=7, copies=1, cap=1, roomy=True)
    table = alone_table(Task(rules, contract=False), kind)[0, 0]
    sizes = [k for k in range(1, 8) if all_wild_kinds(k, rules)]
    for k in range(8):
        splits = [
            n
            for n in range(k + 1)
            for split in itertools.combinations_with_replacement(sizes, n)
            if sum(split) == k
        ]
        assert table[k] == min(splits, default=NO_SET)


def test_wilds_alone_count_as_the_contract_asks():
    rules = MeldRules(contract=(("set", 3), ("run", 4)), run_min=4)
    kind = HandClass(n_wilds=8, copies=1, cap=1, roomy=True)
    table = alone_table(Task(rules, contract=True), kind)
    assert table[1, 1, 7] == 2
    assert table[1, 1, 6] == NO_SET
    assert table[0, 1, 3] == NO_SET
    assert table[1, 0, 3] == 1
