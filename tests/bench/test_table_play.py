"""Table play in the bench: positions are legal, plans judged again, rows hold what they say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from bench import explore, table_play
from bench.explore import reachable, ways_to_add
from bench.plan import Plan
from bench.rummikub import left_on_racks, states_of, table_lane, table_melds
from bench.truth import WrongAnswerError
from solver.cards import counts_of, parse_cards
from solver.rules.deck import check_deck
from solver.rules.loader import load_rules
from solver.table import best_godown, best_layoff, joint_layoff, read_table, rearrange

TINY = Plan(quick=True, n_rounds=1)
LIVERPOOL = load_rules("liverpool", deal=1, players=4)


def lying(*melds, rules=LIVERPOOL):
    return [readings[0] for readings in read_table(melds, rules)]


def test_positions_are_legal_and_the_same_each_time():
    positions = table_play.make_liverpool(8)
    assert positions == table_play.make_liverpool(10)[:8]
    assert [len(p.hand) for p in positions] == [11, 12, 13, 14] * 2
    n_wilds = 0
    for position in positions:
        assert [r[0] for r in read_table(position.table, position.rules)] == list(position.table)
        everything = table_play.cards_on(position.table) + Counter(position.hand)
        check_deck(counts_of(everything.elements()), position.rules)
        assert len(set(position.owners)) >= 2
        assert len(position.table) == len(position.owners)
        n_wilds += sum(n for c, n in everything.items() if position.rules.meld.is_wild(c))
    assert n_wilds >= 16


def test_knocks_leave_something_to_lay_off():
    positions = table_play.make_knocks(6)
    assert all(len(p.hand) == 10 and len(p.table) in {2, 3} for p in positions)
    assert any(joint_layoff(p.hand, p.table, p.rules).layoffs for p in positions)


def test_a_run_grows_at_both_ends_by_its_cards_or_wilds():
    (run,) = lying("R[4H 5H 6H 7H]")
    three, nine, wild = (parse_cards(c)[0] for c in ("3H", "9H", "2C"))
    assert [m.meld.text() for m in ways_to_add(run, three, LIVERPOOL)] == ["R[3H 4H 5H 6H 7H]"]
    assert ways_to_add(run, nine, LIVERPOOL) == []
    assert [m.meld.text() for m in ways_to_add(run, wild, LIVERPOOL)] == [
        "R[2C=3H 4H 5H 6H 7H]",
        "R[4H 5H 6H 7H 2C=8H]",
    ]
    (high,) = lying("R[JH QH KH AH]")
    assert len(ways_to_add(high, wild, LIVERPOOL)) == 1


def test_everything_reachable_is_found():
    table = lying("R[4H 5H 6H 7H]", "S[KS KD KC]")
    eight, nine, king, queen = parse_cards("8H 9H KH QS")
    hands = reachable([eight, nine, king, queen], table, LIVERPOOL)
    # 9H only after 8H; KH at any time; the queen never.
    assert {frozenset(h) for h in hands} == {
        frozenset(h)
        for h in (
            (eight, nine, king, queen),
            (nine, king, queen),
            (king, queen),
            (eight, nine, queen),
            (nine, queen),
            (queen,),
        )
    }


def test_wilds_of_runs_are_swapped():
    table = lying("R[4H 5H JK=6H 7H]")
    six, joker = parse_cards("6H JK")
    assert reachable([six], table, LIVERPOOL) == [(six,)]
    # The joker gained may stay in hand or go back on the run.
    assert reachable([six], table, LIVERPOOL, swaps=True) == [(), (six,), (joker,)]


def test_too_many_orders_are_not_searched(monkeypatch):
    monkeypatch.setattr(explore, "MAX_STATES", 3)
    assert reachable(parse_cards("2C 2D"), lying("R[4H 5H 6H 7H]"), LIVERPOOL) is None


def test_a_false_plan_is_found_out():
    position = table_play.make_liverpool(1)[0]
    plan = best_layoff(position.hand, position.table, position.rules)
    assert plan.actions
    table_play.rejudge(plan, position)
    for wrong in (
        replace(plan, penalty=plan.penalty + 1),
        replace(plan, actions=plan.actions[:-1]),
        replace(plan, actions=(*plan.actions, plan.actions[-1])),
        replace(plan, before=plan.before[::-1]),
    ):
        with pytest.raises(WrongAnswerError):
            table_play.rejudge(wrong, position)


def test_a_false_rearrangement_is_found_out():
    rules = load_rules("rummikub")
    table = lying("R[5H 6H 7H]", rules=rules)
    melds, rack = [table[0].meld], parse_cards("8H KC")
    best = rearrange(melds, rack, rules)
    table_play.rejudge_table(best, melds, rack)
    for wrong in (replace(best, left=()), replace(best, melds=())):
        with pytest.raises(WrongAnswerError):
            table_play.rejudge_table(wrong, melds, rack)


def test_a_penalty_that_is_not_least_ends_the_row(monkeypatch):
    def lazy(hand, table, rules):
        plan = best_layoff(hand, table, rules, keep=len(hand))
        assert not plan.actions
        return plan

    monkeypatch.setattr(table_play, "best_layoff", lazy)
    with pytest.raises(WrongAnswerError, match="play in any order"):
        table_play.layoff_rows(TINY)


def test_searches_of_going_down_agree_with_the_product():
    positions = table_play.make_liverpool(5)
    for position in positions:
        told = table_play.godown_by_search(position)
        plan = best_godown(position.hand, position.table, position.rules)
        assert told in {None, -1 if plan is None else plan.penalty}


@pytest.mark.parametrize(
    "rows", [table_play.layoff_rows, table_play.godown_rows, table_play.joint_rows]
)
def test_rows_tell_mean_and_slowest(rows):
    mean, slowest = rows(TINY)
    assert mean.hands == 10
    assert mean.ours_worst >= mean.ours > 0
    assert slowest.workload == f"{mean.workload}, slowest of 10"
    assert "played again" in mean.proof


def test_rearranging_is_timed_as_a_player_calls_it(monkeypatch):
    monkeypatch.setattr(table_play, "TABLES", (2, 2))
    mean, slowest = table_play.rearrange_rows(31, TINY)
    assert (mean.hands, slowest.hands) == (2, 1)
    assert mean.workload == "rummikub rearrange, fewest changes, rack of 14, table of 31"


def test_tables_are_told_as_melds_of_the_same_tiles():
    states = states_of(31, 2)
    for tiles, melds in zip(states.tables, table_melds(states), strict=True):
        assert Counter(tiles) == Counter(c for meld in melds for c in meld.cards)
    told = table_lane(states).run(0, 2).tolist()
    assert told == left_on_racks(states, "cpsat").tolist()
