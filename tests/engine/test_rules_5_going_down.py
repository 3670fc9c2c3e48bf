"""Rule book 5.1 to 5.7: Liverpool's packs, contracts, going down, swaps, lay-offs.

Seat 0 deals, seat 1 begins; the position is always seat 1's first turn.
"""

from __future__ import annotations

import pytest

from solver.engine.dealing import deck_cards
from solver.engine.going_down import false_meld, judge_go_down
from solver.engine.notation import parse_move
from solver.engine.scoring import score_round
from solver.engine.state import new_game
from solver.errors import IllegalMoveError
from solver.rules.loader import load_rules, round_rules
from tests.engine.helpers import all_cards, cards, deal_state, play, refusal, with_round, with_table

HAND = "7S 7H 2C KD KC KS 4H 9C AS 5D"  # C1 of the rule book; TD is the eleventh card
DOWN = "1 down S[2C=7 7S 7H] S[KS KD KC]"


def liverpool(hand=HAND, *others, deal=1, stock="TD", upcard="6C", **options):
    others = others or ("", "")
    return deal_state(
        "liverpool", (hand, *others), upcard=upcard, stock=stock, deal=deal, **options
    )


def drawn(hand=HAND, *others, **options):
    return play(liverpool(hand, *others, **options), "1 pass", "2 pass", "0 pass", "1 draw")


def why(state, text):
    """The code with which the judge of going down refuses, also where it is fined."""
    try:
        judge_go_down(state.round, parse_move(text))
    except IllegalMoveError as err:
        return err.code
    return ""


@pytest.mark.parametrize(("n_players", "size"), [(3, 108), (4, 108), (5, 162), (8, 162)])
def test_5_1_two_jokers_a_pack(n_players, size):
    assert len(deck_cards(new_game(load_rules("liverpool"), n_players).round.rules)) == size


@pytest.mark.parametrize(
    ("hand", "points"), [("AH", 15), ("JK", 15), ("2D", 5), ("9C", 5), ("TD JD QD KD", 40)]
)
def test_5_1_points_left_in_hand(hand, points):
    rules = load_rules("liverpool", deal=1)
    assert score_round([hand, "", ""], rules).players[0].points == points


def test_5_2_the_seven_contracts_and_deals():
    rules = load_rules("liverpool")
    rounds = [round_rules(rules, n) for n in range(1, 8)]
    kinds = ["".join(kind[0] for kind, _ in r.meld.contract) for r in rounds]
    assert kinds == ["ss", "sr", "rr", "sss", "ssr", "srr", "rrr"]
    assert [r.n_dealt for r in rounds] == [10, 10, 10, 10, 12, 12, 12]
    assert {n for r in rounds for kind, n in r.meld.contract if kind == "set"} == {3}
    assert {n for r in rounds for kind, n in r.meld.contract if kind == "run"} == {4}


def test_5_2_melds_may_be_longer_than_the_least():
    state = drawn("7S 7H 7D 2C KD KC KS KH 9C AS")
    assert why(state, "1 down S[2C=7 7S 7H 7D] S[KS KH KD KC]") == ""


def test_5_2_two_sets_of_one_rank_are_allowed():
    state = drawn("9S 9S 9H 9H 9D 9C KD 4C 5C 3H")
    assert why(state, "1 down S[9S 9H 9D] S[9S 9H 9C]") == ""
    strict = drawn("9S 9S 9H 9H 9D 9C KD 4C 5C 3H", distinct_set_ranks=True)
    assert why(strict, "1 down S[9S 9H 9D] S[9S 9H 9C]") == "down.contract"


def test_5_2_two_adjacent_runs_of_one_suit_stay_separate():
    hand = "4H 5H 6H 7H 8H 9H TH JH AS 3D"
    state = drawn(hand, deal=3, stock="KC 3D")
    after = play(state, "1 down R[4H 5H 6H 7H] R[8H 9H TH JH]")
    assert [len(t.meld.cards) for t in after.round.table] == [4, 4]
    strict = drawn(hand, deal=3, stock="KC 3D", forbid_adjacent_runs=True)
    assert why(strict, "1 down R[4H 5H 6H 7H] R[8H 9H TH JH]") == "down.contract"


def test_5_2_exactly_the_melds_of_the_contract():
    hand = "7S 7H 7D KD KC KS 9S 9H 9D AS"
    state = drawn(hand)
    assert why(state, "1 down S[7S 7H 7D]") == "down.contract"
    assert why(state, "1 down S[7S 7H 7D] S[KS KD KC] S[9S 9H 9D]") == "down.contract"
    state = play(state, "1 down S[7S 7H 7D] S[KS KD KC]")
    assert refusal(state, "1 down S[9S 9H 9D]") == "down.twice"


def test_5_3_wilds_may_be_added_without_limit():
    state = with_table(
        drawn("2S 2S 2H JK JK 3C 4C 5C 8C 9D"),
        (1, "S[7S 7H 7D]"),
        (1, "R[4H 5H 6H 7H]"),
    )
    state = play(state, "1 lay 2S>0", "1 lay JK>0", "1 lay 2H>1+", "1 lay 2S>1+", "1 lay JK>1-")
    texts = [t.meld.text() for t in state.round.table]
    assert texts == ["S[2S=7 7S 7H 7D JK=7]", "R[JK=3H 4H 5H 6H 7H 2H=8H 2S=9H]"]


def test_5_3_layoff_wild_limit():
    state = drawn("2S 2S 2H JK JK 3C 4C 5C 8C 9D", layoff_wild_limit=1)
    state = with_table(state, (1, "S[7S 7H 7D]"))
    assert refusal(play(state, "1 lay 2S>0"), "1 lay JK>0") == "layoff.wild_limit"


def test_5_4_runs_grow_at_either_end_only():
    state = with_table(drawn("3H 8H 9H 5H 6H JK 4C 5C 8C 9D"), (2, "R[4H 5H 6H 7H]"), down=[1])
    assert refusal(state, "1 lay 9H>0+") == "layoff.no_fit"
    assert refusal(state, "1 lay 5H>0+") == "layoff.no_fit"
    assert refusal(state, "1 lay 3H>0+") == "layoff.no_fit"
    assert refusal(state, "1 lay 3H>0") == "layoff.end"
    state = play(state, "1 lay 3H>0-", "1 lay 8H>0+", "1 lay 9H>0+")
    assert state.round.table[0].meld.text() == "R[3H 4H 5H 6H 7H 8H 9H]"


def test_5_4_an_ace_or_a_wild_closes_its_end():
    hand = "AH 2D KS 3C 3C 4C 5C 8C 9D 9D"
    state = with_table(drawn(hand), (2, "R[3H 4H 5H 6H 7H 8H 9H TH JH QH KH]"), down=[1])
    high = play(state, "1 lay AH>0+")
    assert refusal(high, "1 lay 2D>0+") == "layoff.no_fit"
    low = play(state, "1 lay 2D>0-")
    assert low.round.table[0].meld.stands_for[0] == "2H"
    low = play(low, "1 lay AH>0-")
    assert refusal(low, "1 lay KS>0-") == "layoff.no_fit"


def test_5_4_a_wild_has_the_position_declared():
    hand = "4H 5H 6H JK QS QD QC 3D JS AC"
    low = play(drawn(hand, deal=2), "1 down S[QS QD QC] R[JK=3H 4H 5H 6H]")
    high = play(drawn(hand, deal=2), "1 down S[QS QD QC] R[4H 5H 6H JK=7H]")
    assert low.round.table[1].meld.text() == "R[JK=3H 4H 5H 6H]"
    assert high.round.table[1].meld.text() == "R[4H 5H 6H JK=7H]"
    assert why(drawn(hand, deal=2), "1 down S[QS QD QC] R[4H 5H 6H JK=8H]") == "down.contract"


def test_5_6_the_whole_contract_at_once_after_the_draw():
    state = liverpool()
    assert refusal(state, DOWN) == "move.phase"
    state = drawn()
    before = all_cards(state)
    after = play(state, DOWN)
    assert after.round.hands[1] == cards("4H 9C AS 5D TD")
    assert after.round.down == {1}
    assert all_cards(after) == before
    assert after.actor == 1
    assert sum(after.round.rules.meld.points[c] for c in after.round.hands[1]) == 40


def test_5_6_false_meld_costs_fifty_and_the_turn_goes_on():
    state = drawn("7S 7H 2C KD KC 4H 9C AS 5D 3S")  # C2: one wild for two pairs
    false = "1 down S[2C=7 7S 7H] S[KD KC 3S=K]"
    assert refusal(state, false) == ""
    assert false_meld(state.round, parse_move(false)) is not None
    after = play(state, false)
    assert after.round.hands == state.round.hands
    assert after.round.table == ()
    assert after.actor == 1
    assert after.round.n_fined("false meld") == (0, 1, 0)
    assert refusal(after, "1 discard TD") == ""


def test_5_6_false_meld_is_just_refused_without_a_penalty():
    state = drawn("7S 7H 2C KD KC 4H 9C AS 5D 3S", false_meld_penalty=None)
    assert refusal(state, "1 down S[2C=7 7S 7H] S[KD KC 3S=K]") == "down.contract"


def test_5_6_cards_that_are_not_held_are_no_attempt():
    assert refusal(drawn(), "1 down S[7S 7H 7D] S[KS KD KC]") == "move.card"


TABLE = (2, "R[4H 5H JK=6H 7H]")
W1 = "9S 9C KD AC 6H QS QD QC 4D 3C"
W2 = "9S 9C 9D KD 6H QS QD QC 4D 3C"
W3 = "9S 9C KD AC 6H QS QD 8C 4D 3C"


def swapping(hand, *, table=TABLE, **options):
    return with_table(drawn(hand, stock="JS", **options), table)


def test_5_6_swap_may_complete_the_contract():
    state = swapping(W1)
    move = "1 down S[9S 9C JK=9] S[QS QD QC] swap 6H<0.2"
    after = play(state, move)
    assert after.round.table[0].meld.text() == "R[4H 5H 6H 7H]"
    left = after.round.hands[1]
    assert left == cards("KD AC 4D 3C JS")
    assert sum(after.round.rules.meld.points[c] for c in left) == 45
    assert why(swapping(W1, swap_timing="after_contract"), move) == "swap.timing"
    assert why(swapping(W1, swap_timing="off"), move) == "swap.off"


def test_5_6_swap_beside_a_contract_that_stands_alone():
    move = "1 down S[9S 9D 9C] S[QS QD QC] swap 6H<0.2 lay JK>0+"
    for timing in ("with_contract", "after_contract"):
        after = play(swapping(W2, swap_timing=timing), move)
        assert after.round.hands[1] == cards("KD 4D 3C JS")
        assert after.round.table[0].meld.text() == "R[4H 5H 6H 7H JK=8H]"


def test_5_6_swap_without_a_contract_is_false():
    assert why(swapping(W3), "1 down S[9S 9C JK=9] S[QS QD] swap 6H<0.2") == "down.contract"


def test_5_6_the_wild_gained_must_be_played():
    assert why(swapping(W2), "1 down S[9S 9D 9C] S[QS QD QC] swap 6H<0.2") == "swap.kept"


def test_5_6_only_the_exact_natural_card():
    hand = "9S 9C 9D KD 6D QS QD QC 4D 3C"
    move = "1 down S[9S 9D 9C] S[QS QD QC] swap 6D<0.2 lay JK>0+"
    assert why(swapping(hand), move) == "swap.card"
    natural = "1 down S[9S 9D 9C] S[QS QD QC] swap 6H<0.3 lay 7H>0+"
    assert why(swapping(W2), natural) == "swap.place"


def test_5_6_only_wilds_of_runs():
    hand = "9S 9C 9D KD 7C QS QD QC 4D 3C"
    state = swapping(hand, table=(2, "S[7S 7H JK=7]"))
    move = "1 down S[9S 9D 9C] S[QS QD QC] swap 7C<0.2 lay JK>0"
    assert why(state, move) == "swap.kind"
    free = swapping(hand, table=(2, "S[7S 7H JK=7]"), swap_runs_only=False)
    assert why(free, move) == ""


def test_5_6_only_wilds_of_other_players():
    state = swapping(W2, table=(1, "R[4H 5H JK=6H 7H]"))
    state = with_round(state, down=frozenset())
    move = "1 down S[9S 9D 9C] S[QS QD QC] swap 6H<0.2 lay JK>0+"
    assert why(state, move) == "swap.owner"


def test_5_6_only_in_the_turn_of_going_down():
    state = play(swapping(W2), "1 down S[9S 9D 9C] S[QS QD QC]")
    assert refusal(state, "1 down S[4D 3C JK] swap 6H<0.2") == "down.twice"


def test_5_6_a_wild_on_position_two_cannot_be_swapped_while_twos_are_wild():
    hand = "9S 9C 9D KD 2H QS QD QC 4D 3C"
    table = (2, "R[AH JK=2H 3H 4H]")
    move = "1 down S[9S 9D 9C] S[QS QD QC] swap 2H<0.1 lay JK>0+"
    assert why(swapping(hand, table=table), move) == "swap.natural"
    assert why(swapping(hand, table=table, jokers_only=True), move) == ""


def test_5_6_a_wild_on_position_fourteen_is_swapped_for_the_ace():
    hand = "9S 9C 9D KD AH QS QD QC 4D 3C"
    table = (2, "R[JH QH KH JK=AH]")
    move = "1 down S[9S 9D 9C] S[QS QD QC] swap AH<0.3 lay JK>0-"
    assert why(swapping(hand, table=table), move) == ""


def test_5_7_no_lay_off_before_going_down():
    state = with_table(drawn("7D 8C 3C 4C 5C 8C 9D 9D TS TS"), (2, "S[7S 7H 7C]"))
    assert refusal(state, "1 lay 7D>0") == "layoff.not_down"


def test_5_7_lay_off_on_any_meld_from_the_turn_of_going_down_on():
    hand = "7S 7H 2C KD KC KS KH 8C AS 5D"
    state = with_table(drawn(hand), (2, "R[4C 5C 6C 7C]"))
    after = play(state, "1 down S[2C=7 7S 7H] S[KS KD KC] lay KH>2")
    after = play(after, "1 lay 8C>0+")
    assert [len(t.meld.cards) for t in after.round.table] == [5, 3, 4]
    later = with_round(state, down=frozenset({1, 2}))
    assert refusal(later, "1 lay 8C>0+") == ""


def test_5_7_order_within_a_turn_is_free():
    hand = "8S 9S 3D 3C 4C 5C 8C 9D 9D TD"
    state = with_table(drawn(hand), (2, "R[4S 5S 6S 7S]"), down=[1, 2])
    assert refusal(state, "1 lay 9S>0+") == "layoff.no_fit"
    assert refusal(play(state, "1 lay 8S>0+"), "1 lay 9S>0+") == ""


def test_5_7_layoff_own_and_none():
    hand = "8S KH 3D 3C 4C 5C 8C 9D 9D TD"
    table = [(2, "R[4S 5S 6S 7S]"), (1, "S[KS KD KC]")]
    own = with_table(drawn(hand, layoff="own"), *table)
    assert refusal(own, "1 lay 8S>0+") == "layoff.owner"
    assert refusal(own, "1 lay KH>1") == ""
    none = with_table(drawn(hand, layoff="none"), *table)
    assert refusal(none, "1 lay KH>1") == "layoff.off"


def test_5_7_a_natural_of_another_rank_does_not_fit_a_set():
    state = with_table(drawn("8S KH 3D 3C 4C 5C 8C 9D 9D TD"), (1, "S[KS KD KC]"))
    assert refusal(state, "1 lay 8S>0") == "layoff.no_fit"
    assert refusal(state, "1 lay KH>7") == "layoff.meld"
    assert refusal(state, "1 lay KH>0+") == "layoff.end"
