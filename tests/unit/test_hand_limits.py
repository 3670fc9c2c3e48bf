"""Questions about a hand end in time, and without a time limit after so many steps."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from solver.cards import counts_of, parse_cards, read_hand
from solver.compile.frontier_call import covers_frontier
from solver.compile.packed import compile_packed
from solver.deadline import Deadline
from solver.engine.scoring import score_round
from solver.errors import LimitError
from solver.players.advice import advise
from solver.players.facts import Facts, view_of
from solver.rules.loader import load_rules
from solver.solve import (
    best_contract,
    best_discard,
    choose,
    contract_left,
    optimal_arrangements,
    packed,
    solve,
    solve_many,
)
from solver.solve.suit import engine_for, penalties_suit, solve_suit

pytestmark = pytest.mark.usefixtures("no_old_garbage")

CROWNS = load_rules("five-crowns", cards_dealt=13, packs="none", meld_min_naturals=1)
# 38 cards, 24 of them wild: half a minute and more in the suit engine. All can be melded.
WILD = (
    "4D KH JK 4* JK 4D K* KH JK JK KD KH Q* 3H KC K* KH K* KS KC K* KH KC KH 5C 5C 4C 9C 4C KS 3C "
    "3C 4C JC JK KS JK KC"
)
GIN = load_rules("gin")
PACK = [f"{rank}{suit}" for suit in "SHDC" for rank in "A23456789TJQK"]


@pytest.fixture(scope="module", autouse=True)
def _ready():
    """Load kernels and CP-SAT, which no limit counts but a clock on the wall does."""
    for engine in ("suit", "frontier", "cpsat"):
        solve("5S 5H 5D KC", load_rules("three-thirteen"), engine=engine)


def code_or(ask):
    """Return the answer to a question, or the code of the limit that ended it."""
    try:
        return ask()
    except LimitError as error:
        return error.code


class Timed:
    def __enter__(self):
        self.began = time.perf_counter()
        return self

    def __exit__(self, *_):
        self.s = time.perf_counter() - self.began


def test_many_wilds_are_answered_at_once():
    with Timed() as timed:
        best = solve(WILD, CROWNS, time_limit_s=2)
    assert (best.penalty, best.proved) == (0, True)
    assert timed.s < 1


@pytest.mark.parametrize("engine", ["auto", "suit", "cpsat"])
@pytest.mark.parametrize("limit_s", [1e-6, 0.2])
def test_every_engine_keeps_its_time(engine, limit_s):
    with Timed() as timed:
        found = code_or(lambda: solve(WILD, CROWNS, engine=engine, time_limit_s=limit_s))
    if engine == "suit":
        assert found == "limit.time"
    else:
        assert found.proved == (found.penalty == found.lower_bound)
        assert found.lower_bound == 0
    assert timed.s < limit_s + 0.5


def test_without_time_the_hand_has_no_melds_and_nothing_is_proved():
    best = solve("5S 5H 5D KC", GIN, engine="cpsat", time_limit_s=1e-9)
    assert (best.penalty, best.lower_bound, best.proved) == (25, 0, False)
    assert best.arrangement.melds == ()


def test_a_contract_is_not_called_out_of_reach_for_want_of_time():
    deal = load_rules("liverpool", deal=7)
    with pytest.raises(LimitError) as caught:
        best_contract("KS QS JS", deal, engine="cpsat", time_limit_s=1e-9)
    assert caught.value.code == "limit.time"


def test_without_a_time_limit_steps_decide_and_say_so(monkeypatch):
    few = (choose.Effort(1000, 1000, 1e-9), choose.Effort(2000, 2000, 1e-9))
    monkeypatch.setattr(choose, "EFFORTS", few)
    first, again = solve(WILD, CROWNS), solve(WILD, CROWNS)
    assert (first.penalty, first.proved, first.engine) == (735, False, "cpsat")
    assert first.arrangement == again.arrangement
    with pytest.raises(LimitError) as caught:
        solve(WILD, CROWNS, engine="suit")
    assert caught.value.code == "limit.work"


def test_what_the_first_engine_finds_hard_the_next_one_answers(monkeypatch):
    asked = []
    ask = choose._ask

    def noted(engine, *rest):
        asked.append(engine)
        return ask(engine, *rest)

    monkeypatch.setattr(choose, "_ask", noted)
    assert solve(WILD, CROWNS).engine == "cpsat"
    assert asked == ["suit", "cpsat"]  # the frontier holds 16 wilds


def test_the_suit_engine_gives_the_same_melds_within_its_steps_or_none():
    rules, counts = load_rules("three-thirteen", cards_dealt=5), read_hand("8S 9S 5H KD KC 5D 9H")
    whole = solve_suit(counts, rules)
    steps, answered = 1, 0
    while answered < 3:
        found = code_or(lambda most=steps: solve_suit(counts, rules, steps=most))
        assert found == whole or (found == "limit.work" and not answered)
        answered += found == whole
        steps = steps * 5 // 4 + 1


def test_each_of_many_hands_has_steps_of_its_own():
    hands = np.stack([read_hand(WILD), read_hand("5S 5H 5D QC"), read_hand(WILD)])
    assert penalties_suit(hands, CROWNS, steps=2000).tolist() == [-2, 12, -2]


def test_many_hands_are_proved_or_refused_with_their_row():
    hands = np.stack([read_hand("5S 5H 5D QC"), read_hand(WILD)])
    assert solve_many(hands, CROWNS).tolist() == [12, 0]
    # Values of melds are left to CP-SAT, which does not begin without time.
    valued = replace(CROWNS, meld=replace(CROWNS.meld, min_meld_value=1))
    hands[0] = 0
    with pytest.raises(LimitError) as caught:
        solve_many(hands, valued, time_limit_s=1e-9)
    assert (caught.value.code, caught.value.faults[0].where) == ("limit.time", "/hands/1")


def test_discards_that_are_not_proved_say_so():
    hand = f"{WILD} 8H"
    with Timed() as timed:
        options = best_discard(hand, CROWNS, time_limit_s=0.3)
    assert timed.s < 0.8
    assert any(not option.proved for option in options) or options[0].penalty == 0
    for option in options:
        assert ("proved" in option.to_json()) is not option.proved
        assert option.lower_bound <= option.penalty


def test_a_list_of_arrangements_ends_in_time_and_is_not_complete():
    hand, rules = [c for c in range(52) if c % 13 < 9], GIN
    with Timed() as timed:
        found = optimal_arrangements(hand, rules, limit=10**6, time_limit_s=0.3)
    assert timed.s < 0.8
    assert found.penalty == 0
    assert not found.complete
    with pytest.raises(LimitError) as caught:
        optimal_arrangements(WILD, CROWNS, time_limit_s=1e-9)
    assert caught.value.code == "limit.time"


@pytest.mark.parametrize(
    ("name", "options", "hand"),
    [
        # Every card of a pack: 6 ** 13 choices of sets in the lane of one pack.
        ("gin", {}, " ".join(PACK)),
        ("three-thirteen", {"cards_dealt": 13}, " ".join(PACK * 2)),
        ("five-crowns", {"cards_dealt": 3, "packs": 2}, " ".join(PACK[2:] * 2)),
    ],
)
def test_whole_packs_end_in_the_lane_of_many_hands(name, options, hand):
    rules = load_rules(name, **options)
    counts = read_hand(hand)[None, :] if name != "five-crowns" else _legal(hand, rules)
    packed.fast_lane(rules)
    with Timed() as timed:
        found = code_or(lambda: int(solve_many(counts, rules, time_limit_s=5)[0]))
    # Every rank of a whole pack is a set.
    assert found in {0, "limit.time"}
    assert timed.s < 5.5


def _legal(hand, rules):
    cards = [c for c in parse_cards(hand) if c % 13 in rules.deck.ranks]
    return counts_of(cards)[None, :]


def test_a_score_is_proved_or_refused(monkeypatch):
    rules = load_rules("three-thirteen", cards_dealt=3)
    monkeypatch.setattr(choose, "EFFORTS", (choose.Effort(1, 1, 1e-9),))
    with pytest.raises(LimitError) as caught:
        score_round(["3S 9D 9H", "AS 2S 3H"], rules, out=0)
    assert caught.value.code == "limit.work"
    with pytest.raises(LimitError) as caught:
        score_round(["3S 9D 9H", "AS 2S 3H"], rules, out=0, time_limit_s=1e-9)
    assert caught.value.code == "limit.time"


def test_advice_ends_in_time():
    rules = load_rules("five-crowns", cards_dealt=13)
    hand = "3S 4S 5S 5H 5D 9C 9S TS JS 7* 8* QH QD JK"
    seen = view_of(hand, rules, Facts())
    with Timed() as timed, pytest.raises(LimitError) as caught:
        advise(seen, time_limit_s=1e-6)
    assert timed.s < 0.5
    assert caught.value.code == "limit.time"


def test_deals_of_a_game_share_the_tables_of_free_melds():
    deals = [load_rules("liverpool", deal=deal).meld for deal in range(1, 8)]
    assert len({id(engine_for(meld, contract=False)) for meld in deals}) == 1
    assert len({id(compile_packed(meld, 2)) for meld in deals}) == 1
    # What is laid as a contract is another question in each of them.
    assert len({id(engine_for(meld, contract=True)) for meld in deals}) > 1


def test_tables_are_built_for_many_hands_only_and_in_time():
    rules = load_rules("three-thirteen", cards_dealt=12, ace="both")
    never = Deadline.after(None)
    assert not packed.pays(rules, 2, 10, never)
    assert not packed.pays(rules, 2, 10**7, Deadline.after(0.05))
    assert packed.pays(rules, 2, 1, never)  # so many were asked by now


def test_rules_of_many_states_are_declined_before_they_are_listed():
    rules = load_rules(
        "three-thirteen", cards_dealt=7, packs="none", run_min_naturals=4, run_max_wilds=9
    )
    hand = counts_of([r for r in range(13) for _ in range(6)])
    with Timed() as timed:
        covers_frontier(rules.meld, hand, contract=False)
    assert timed.s < 1


def test_contract_left_is_proved_or_refused():
    deal = load_rules("liverpool", deal=3)
    hands = np.stack([read_hand("4S 5S 6S 7S 9H TH JH QH KC")])
    assert contract_left(hands, deal).tolist() == [10]  # deal 3 asks two runs; the king stays
    slow = replace(deal, meld=replace(deal.meld, must_use=((3, 1),)))
    assert contract_left(hands, slow).tolist() == [10]
    with pytest.raises(LimitError) as caught:
        contract_left(hands, slow, time_limit_s=1e-9)
    assert caught.value.code == "limit.time"
