"""CP-SAT engine: worked examples, time limits, limits on hands, what rows mean."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from solver.cards import counts_of, format_hand, parse_cards, read_hand
from solver.cpsat import MAX_CARDS, CpsatAnswer, covers_cpsat, solve_cpsat
from solver.cpsat.decode import decode_melds
from solver.cpsat.model import HandModel
from solver.cpsat.program import Outcome, Program, solve_program
from solver.cpsat.search import build_columns
from solver.deadline import Deadline
from solver.errors import HandError, LimitError, RulesError
from solver.rules.model import GameRules, MeldRules
from solver.solve import best_contract, solve
from tests.oracles.brute import is_meld

PIPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)


def game(**keys: Any) -> GameRules:
    return GameRules("game", "Game", meld=MeldRules(**keys))


def points(row: tuple[int, ...], joker: int, **cards: int) -> tuple[int, ...]:
    table = [*(row * 5), joker]
    for name, value in cards.items():
        for suit in range(5):
            table[suit * 13 + "A23456789TJQK".index(name)] = value
    return tuple(table)


def three_thirteen(n: int, **keys: Any) -> GameRules:
    return game(wild_ranks=frozenset({n - 1}), **keys)


def five_crowns(n: int) -> GameRules:
    row = (0, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
    table = points((*row[: n - 1], 20, *row[n:]), 50)
    return game(suits=5, rank_lo=3, wild_ranks=frozenset({n - 1}), points=table)


GIN = game(set_max=4, set_distinct_suits=True)
HIGH_ACE = points((15, *PIPS[1:]), 20)
LIVERPOOL = {
    "ace": "both",
    "wild_ranks": frozenset({1}),
    "wild_as_natural": False,
    "run_min": 4,
    "set_min_naturals": 2,
    "run_min_naturals": 3,
    "run_core": (4, 3),
    "points": points((15, 5, 5, 5, 5, 5, 5, 5, 5, 10, 10, 10, 10), 15),
}
INDIAN = game(
    ace="both",
    set_max=4,
    set_distinct_suits=True,
    wild_ranks=frozenset({6}),
    hand_require=(2, 1),
    penalty_cap=80,
    points=points((10, 2, 3, 4, 5, 6, 0, 8, 9, 10, 10, 10, 10), 0),
)
RUMMIKUB = game(set_max=4, set_distinct_suits=True, points=points((*PIPS[:10], 11, 12, 13), 30))
CONTINENTAL = game(ace="cyclic", run_min=4, set_min_naturals=1, wilds_adjacent=False)
SHANGHAI = game(ace="both", run_min=4, wild_ratio="le", points=points(PIPS, 15))


def ask(hand: str, rules: GameRules, **asked: Any) -> CpsatAnswer:
    return solve_cpsat(read_hand(hand), rules, **asked)


@pytest.mark.parametrize(
    ("rules", "hand", "least"),
    [
        (three_thirteen(3), "3S 3H 9D", 0),
        (three_thirteen(3), "3S 9D QH", 22),
        (three_thirteen(3), "QS KS AS", 21),
        (three_thirteen(3, ace="both", points=HIGH_ACE), "QS KS AS", 0),
        (three_thirteen(3, ace="both", points=HIGH_ACE), "KD AD 2D", 27),
        (three_thirteen(3, ace="cyclic"), "KD AD 2D", 0),
        (three_thirteen(5), "5S 6S 7S 6H 6D", 7),
        (three_thirteen(9), "2H 3H 4H 5H 6H 7H 8H 5S 5D", 0),
        (three_thirteen(8), "4H 5H 7H 8H 8S KD 8C TC", 10),
        (three_thirteen(13), "KS KH 9C 8D 7H 5S 4C 3D 2H AS QD JC TS", 50),
        (three_thirteen(13), "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KS", 0),
        (game(), "2S 3S 4S 5S 6S 7S 4H 4D 5H 5D", 15),
        (game(ace="both"), "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS", 0),
        (game(), "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS", 1),
        (three_thirteen(3, set_min_naturals=1, run_min_naturals=1), "3S 3H 3D", 0),
        (
            three_thirteen(3, set_min_naturals=1, run_min_naturals=1, wild_as_natural=False),
            "3S 3H 3D",
            9,
        ),
        (five_crowns(3), "3S 4H 9D", 33),
        (five_crowns(6), "Q* K* 3* 4* 6S 8S", 15),
        (five_crowns(13), "3* 4* 5* 6* 7* 8* 9* T* J* Q* K* JK JK", 0),
        (GIN, "2S 3S 4S 4H 4D 4C 5C 6C KD 9H", 24),
        (GIN, "7S 7H 7D 7C 8C 9C TC 8S 9S KD", 10),
        (RUMMIKUB, "5S 5H 5S 5D 6D 7D", 15),
        (RUMMIKUB, "JK 8S 8H 8D 8C", 8),
        (RUMMIKUB, "JK 4H 9D", 43),
        (CONTINENTAL, "4S JK JK 7S 8S", 4),
        (CONTINENTAL, "4S JK 6S JK 8S", 0),
        (SHANGHAI, "8S JK JK 4D", 42),
        (SHANGHAI, "8S 8H JK JK 4D", 4),
        (INDIAN, "4H 5H 6H 8S 9S JK 2D 2C 2S KH KD KS QC", 10),
        (INDIAN, "4H 5H JK 8S 9S 7C 2D 2C 2S KH KD KS QC", 72),
        (INDIAN, "6H 7H 8H 9D TD 7S 2D 2C 2S KH KD KS QC", 10),
        (INDIAN, "AS KS QS 2H 3H JK 5C 5D 5S 5H TD 9D JD", 0),
        (INDIAN, "4H 5H 6H JS JD JC 2D 2C 2S KH KD KS QC", 80),
    ],
)
def test_worked_examples(rules, hand, least):
    answer = ask(hand, rules)
    assert (answer.penalty, answer.lower_bound, answer.proved) == (least, least, True)


SETS_2 = (("set", 3), ("set", 3))
SET_RUN = (("set", 3), ("run", 4))
RUNS_2 = (("run", 4), ("run", 4))
RUNS_3 = (*RUNS_2, ("run", 4))


@pytest.mark.parametrize(
    ("contract", "hand", "left"),
    [
        (SETS_2, "7S 7H 2C KD KC KS 4H 9C AS 5D TD", 40),
        (SETS_2, "7S 7H 2C KD KC 4H 9C AS 5D TD 3S", None),
        (SETS_2, "9S 9H 9D 9C 9S 9H KD 4C 5D 3H JS", 35),
        (SET_RUN, "4H 2D JK 7H QS QD QC 3D JS AC 6S", None),
        (SET_RUN, "3H 4H 5H 6H 6S 6D JK KC KD 9S AS", 30),
        (RUNS_2, "4H 5H 6H 7H 8H 9H TH JH AS 3D KC", 30),
        (RUNS_2, "4H 5H 6H 7H 8H 9H TH AS 3D KC QS", None),
        (RUNS_2, "4H 5H 6H 7H 8H 9H TH JK 3D KC QS", 25),
    ],
)
def test_contracts(contract, hand, left):
    answer = ask(hand, game(**LIVERPOOL, contract=contract), contract=True)
    assert (answer.penalty, answer.proved) == (left, True)


@pytest.mark.parametrize(
    ("hand", "keys", "left"),
    [
        ("3S 4S 5S 6S 7S 8H 9H TH 2C JD QD KD AD", {"use_all": True}, 0),
        ("3S 4S 5S 6S 9D 8H 9H TH 2C JD QD KD AD", {"use_all": True}, None),
        ("3S 4S 5S 6S 9D 8H 9H TH 2C JD QD KD AD", {}, 5),
        ("3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS 2C", {"use_all": True}, 0),
        ("3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS 2C", {"distinct_run_suits": True}, None),
        # 3-6, 8-J and 2=J-Q-K-A: the last two overlap, which is not to touch.
        ("3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS 2C", {"forbid_adjacent_runs": True}, 5),
        ("3S 4S 5S 6S 4S 5S 6S 7S 8S 9S TS JS", {"forbid_adjacent_runs": True}, None),
        ("3S 4S 5S 6S 8S 9S TS JS 4S 5S 6S 7S", {"forbid_adjacent_runs": True}, None),
        ("3S 4S 5S 6S 8S 9S TS JS 3S 4S 5S 6S", {"forbid_adjacent_runs": True}, 0),
    ],
)
def test_three_runs(hand, keys, left):
    rules = game(**LIVERPOOL, contract=RUNS_3, **keys)
    assert ask(hand, rules, contract=True).penalty == left


def test_sets_of_one_rank_are_barred_only_when_ranks_must_differ():
    rules = game(**LIVERPOOL, contract=(*SETS_2, ("set", 3)))
    hand = "9S 9H 9D 9C 9S 9H 9D 9C 2S KD 3S"
    assert ask(hand, rules, contract=True).penalty == 15
    apart = replace(rules, meld=replace(rules.meld, distinct_set_ranks=True))
    assert ask(hand, apart, contract=True).penalty is None


def test_long_requirements_need_long_melds():
    rules = game(contract=(("run", 3), ("run", 5)))
    assert ask("4S 5S 6S 7S 8S 9S TS JS KD", rules, contract=True).penalty == 10
    assert ask("4S 5S 6S 7S 9H TH JH QH", rules, contract=True).penalty is None


def test_a_full_ring_does_not_touch_itself():
    hearts = "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"
    rules = game(ace="cyclic", forbid_adjacent_runs=True, contract=(("run", 13), ("run", 3)))
    answer = ask(hearts + " 3H 4H 5H", rules, contract=True)
    assert answer.penalty == 0
    (_, _, short, _, _), (_, _, seam, _, _) = sorted(answer.class_melds, key=lambda row: row[3])
    assert short == 2
    assert seam not in (2, 5)


def test_least_deadwood_then_fewest_melds_break_ties():
    free = game(points=(0,) * 66)
    assert ask("4S 5S 6S 7S 8S 9S KC KD", free).class_melds == [(1, 0, 3, 6, 0b111111)]
    assert len(ask("4S 5S 6S 4H 5H 6H", game()).class_melds) == 2
    # At the cap nothing can be lost, and yet the set is laid.
    capped = game(penalty_cap=10)
    answer = ask("4S 4H 4D KS QD JC", capped)
    assert (answer.penalty, answer.class_melds) == (10, [(0, 3, 0, 0x111, 0)])


def test_unmet_requirement_still_lays_what_can_be_laid():
    answer = ask("JS JD JC 2D 2C 4H", INDIAN)
    assert answer.penalty == 38
    assert answer.class_melds == [(0, 10, 0, 0x1101, 0)]


def test_rows_name_naturals_wilds_and_the_dearest_wild_cards():
    # 7H stands as itself in a pure run; the spade run takes the other seven as a wild.
    rows = ask("6H 7H 8H 9D TD 7S 2D 2C 2S KH KD KS QC", INDIAN)
    assert (1, 1, 5, 3, 0b111) in rows.class_melds
    assert rows.wilds == parse_cards("7S")
    dear = ask("9S 9H JK 3S 4C", game(wild_ranks=frozenset({2}), set_max=3))
    assert dear.wilds == parse_cards("JK")
    must = ask("9S 9H JK 3S 4C", game(wild_ranks=frozenset({2}), set_max=3, must_use=((2, 1),)))
    assert must.wilds == parse_cards("3S JK")
    assert (dear.penalty, must.penalty) == (7, 13)


def test_cards_that_must_be_used():
    tied = "5S 6S 7S 6H 6D"
    assert ask(tied, game(must_use=((4, 1),))).class_melds == [(1, 0, 4, 3, 0b111)]
    assert ask(tied, game(must_use=((18, 1),))).class_melds == [(0, 5, 0, 0x111, 0)]
    assert ask(tied, game(must_use=((4, 1), (18, 1)))) == CpsatAnswer(None, 0, True, [], [])
    assert ask(tied, game(must_use=((4, 2),))).penalty is None


def test_least_value_of_melds_or_nothing():
    values = (11, *PIPS[1:])
    keys = {"ace": "both", "meld_values": values, "meld_points": "ace_position"}
    assert ask("KS KH KD QS", game(**keys, min_meld_value=30)).penalty == 10
    assert ask("KS KH KD QS", game(**keys, min_meld_value=31)).penalty == 40
    # A-2-3 is worth 1 + 2 + 3, Q-K-A 10 + 10 + 11.
    assert ask("AS 2S 3S", game(**keys, min_meld_value=7)).penalty == 6
    assert ask("AS 2S 3S", game(**keys, min_meld_value=6)).penalty == 0
    assert ask("QS KS AS", game(**keys, min_meld_value=31)).penalty == 0
    assert ask("KS KH JK", game(**keys, min_meld_value=30)).penalty == 0
    assert ask("KS KH JK", game(**keys, min_meld_value=30, wild_value_zero=True)).penalty == 40


def test_thirteen_wilds_are_one_meld():
    answer = ask("KH KS KD KC K* KH KS JK JK JK JK JK JK", five_crowns(13), time_limit_s=5)
    assert answer.class_melds == [(2, 13, 0, 0, 0)]
    assert (answer.penalty, answer.proved) == (0, True)


def test_the_order_of_cards_plays_no_part():
    cards = parse_cards("KS KH 9C 8D 7H 5S 4C 3D 2H AS QD JC TS")
    first = solve_cpsat(counts_of(cards), three_thirteen(13))
    random.Random(5).shuffle(cards)
    assert solve_cpsat(counts_of(cards), three_thirteen(13)) == first


@pytest.fixture(scope="module")
def big_hand() -> tuple[list[int], GameRules, CpsatAnswer]:
    """Sixty cards of Five Crowns with their proved optimum."""
    pack = [suit * 13 + rank for suit in range(5) for rank in range(2, 13)]
    hand = sorted(random.Random(3).sample([*pack * 2, *[65] * 6], 60))
    return hand, five_crowns(13), solve_cpsat(counts_of(hand), five_crowns(13))


@pytest.mark.parametrize("time_limit_s", [1e-9, 0.01, 0.05, 0.3])
def test_a_limited_answer_is_honest(big_hand, time_limit_s):
    hand, rules, best = big_hand
    assert best.proved
    answer = solve_cpsat(counts_of(hand), rules, time_limit_s=time_limit_s)
    assert answer.lower_bound <= best.penalty <= answer.penalty
    assert answer.proved == (answer.lower_bound == answer.penalty)
    left = counts_of(hand).astype(int)
    wilds = iter(answer.wilds)
    for kind, a, b, c, d in answer.class_melds:
        if kind == 1:
            meld = [a * 13 + b + i if d >> i & 1 else next(wilds) for i in range(c)]
        else:
            meld = [s * 13 + a for s in range(5) for _ in range(c >> 4 * s & 15)]
            meld += [next(wilds) for _ in range(b if kind == 0 else a)]
        assert is_meld(meld, rules), format_hand(meld)
        left -= counts_of(meld)
    assert left.min() >= 0
    assert int(left @ rules.meld.points) == answer.penalty


def test_no_time_leaves_the_hand_or_nothing():
    hand = "3S 4S 5S 6S 8S 9S TS JS 3S 4S 5S 6S"
    whole = ask(hand, game(), time_limit_s=1e-9)
    assert whole == CpsatAnswer(73, 0, False, [], [])
    rules = game(**LIVERPOOL, contract=RUNS_3)
    nothing = ask(hand, rules, contract=True, time_limit_s=1e-9)
    assert nothing == CpsatAnswer(None, 0, False, [], [])
    assert ask(hand, game(must_use=((2, 1),)), time_limit_s=1e-9).proved is False
    assert ask("KS", game(penalty_cap=0), time_limit_s=1e-9).proved is True


@pytest.mark.parametrize(
    ("bound", "least"), [(None, 0), (10_000, 0), (246, 0), (239, 0), (238, 1), (100, 18), (6, 30)]
)
def test_a_bound_on_the_objective_is_rounded_to_whole_points(monkeypatch, bound, least):
    """Of three cards a point weighs 8, a card 2 and a meld 1: all together 30 * 8 + 3 * 2."""

    def half_done(program, *_):
        return Outcome("feasible", [0] * len(program.upper), bound)

    monkeypatch.setattr("solver.cpsat.search.solve_program", half_done)
    answer = ask("KS QS JS", game())
    assert (answer.penalty, answer.lower_bound, answer.proved) == (30, least, least == 30)


def test_limits_are_told():
    rules = game()
    assert covers_cpsat(rules, MAX_CARDS) is None
    assert covers_cpsat(rules, MAX_CARDS + 1) == "more than 120 cards"
    with pytest.raises(LimitError, match="at most 120 cards, got 121") as many:
        solve_cpsat(counts_of([*range(60), *range(61)]), rules)
    assert many.value.code == "limit.cards"
    with pytest.raises(LimitError, match="at most 15 copies of a card, got 16") as copies:
        solve_cpsat(counts_of([7] * 16), rules)
    assert copies.value.code == "limit.copies"
    with pytest.raises(HandError, match=r"expected counts of shape \(66,\), got \(65,\)"):
        solve_cpsat(counts_of([7])[:65], rules)
    with pytest.raises(RulesError) as none:
        solve_cpsat(counts_of([7]), rules, contract=True)
    assert none.value.code == "rules.contract"


def test_without_tie_break_the_penalty_is_the_same():
    hand = read_hand("4S 5S 6S 7S 8S 9S 4H 4D 5H 5D JK KC")
    for rules in (game(), game(penalty_cap=5), INDIAN):
        loose = solve_cpsat(hand, rules, tie_break=False)
        assert loose.proved
        assert loose.penalty == solve_cpsat(hand, rules).penalty


def test_a_program_out_of_time_is_undecided():
    # A market split: no propagation and no relaxation says anything about it.
    program, rng = Program(), random.Random(1)
    columns = [program.variable(1, 1) for _ in range(50)]
    for _ in range(6):
        terms = {v: rng.randrange(100) for v in columns}
        program.equal(terms, sum(terms.values()) // 2)
    nothing = Outcome("unknown", [], None)
    assert solve_program(program, Deadline.NEVER, 1e-6) == nothing
    assert solve_program(program, Deadline.after(0.05)) == nothing
    assert solve_program(program, Deadline.after(1e-9)) == nothing


def test_a_window_without_naturals_is_a_meld_of_wilds():
    model = HandModel(list(read_hand("5S JK JK JK")), MeldRules(), False, False, (1, 0, 0))
    build_columns(model)
    values = [0] * len(model.program.upper)
    values[next(run for run in model.runs if run.window.length == 3).variable] = 1
    assert decode_melds(model, values) == [(2, 3, 0, 0, 0)]


def test_too_many_kinds_of_melds_are_refused():
    rules = game(suits=5, set_distinct_suits=True, set_min=2)
    hand = [s * 13 + r for s in range(5) for r in range(7)] + [65] * 80
    with pytest.raises(LimitError) as many:
        solve_cpsat(counts_of(hand), rules)
    assert many.value.code == "limit.columns"


def test_importing_the_engine_loads_no_ortools():
    code = "import sys, solver.cpsat; sys.exit('ortools' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_big_table_is_rearranged():
    table = [card for card in range(52) for _ in range(2)] + [65, 65]
    answer = solve_cpsat(counts_of(table), RUMMIKUB, time_limit_s=30)
    assert (answer.penalty, answer.proved) == (0, True)


@pytest.mark.parametrize("engine", ["frontier", "cpsat"])
def test_a_cheap_wild_that_must_be_used_is_laid(engine):
    table = (5, 5, 1, *[5] * 63)
    rules = game(wild_ranks=frozenset({2}), set_max=3, must_use=((2, 1),), points=table)
    solution = solve("3H 3S 9H 9D", rules, engine=engine)
    assert solution.penalty == 5
    assert any(parse_cards("3S")[0] in meld.cards for meld in solution.arrangement.melds)


def test_no_answer_in_time_is_no_verdict_on_a_contract():
    rules = game(contract=SETS_2)
    hand = "7S 7H 7D KD KC KS"
    assert best_contract(hand, rules, engine="cpsat").penalty == 0
    with pytest.raises(LimitError) as late:
        best_contract(hand, rules, engine="cpsat", time_limit_s=1e-9)
    assert late.value.code == "limit.time"
