"""Reading and judging melds on the table; adding cards; swapping wilds."""

from __future__ import annotations

import pytest

from solver.cards import JOKER, read_hand
from solver.errors import HandError, MeldSolverError, NotationError, RulesError
from solver.melds import Meld, MeldKind
from solver.rules.loader import load_rules
from solver.table import Lying, best_godown, best_layoff, read_table, replay
from solver.table.lying import add_card, swap_wild

LIVERPOOL = load_rules("liverpool")
SHANGHAI = load_rules("shanghai-10")
KALOOKI = load_rules("kalooki-51")


def only(item: object, rules=LIVERPOOL) -> str:
    """Read one meld that has one reading."""
    ((lying,),) = read_table([item], rules)
    return lying.meld.text()


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("R[4H 5H JK=6H 7H]", "R[4H 5H JK=6H 7H]"),
        ("r[4h 5h jk=6h 7h]", "R[4H 5H JK=6H 7H]"),
        # The neighbours of a wild in a run fix its place.
        ("R[4H 5H JK 7H]", "R[4H 5H JK=6H 7H]"),
        ("R[JK 5H 6H 7H]", "R[JK=4H 5H 6H 7H]"),
        ("R[QS KS AS 2D=JS]", None),
        ("S[KS JK KH]", "S[KS KH JK=K]"),
        ("4H 5H JK 7H", "R[4H 5H JK=6H 7H]"),
        ("4H 5H 6H JK=3H", None),
        ("JK=3H 4H 5H 6H", "R[JK=3H 4H 5H 6H]"),
        ("KS KH JK=K", "S[KS KH JK=K]"),
        (["7H", "4H", "JK", "5H"], "R[4H 5H JK=6H 7H]"),
        ([16, 17, 65, 19], "R[4H 5H JK=6H 7H]"),
        ({"cards": ["4H", "5H", "JK", "7H"]}, "R[4H 5H JK=6H 7H]"),
        (
            {
                "kind": "run",
                "cards": ["4H", "5H", "JK", "7H"],
                "stands_for": [None, None, "6H", None],
            },
            "R[4H 5H JK=6H 7H]",
        ),
        (
            {"kind": "set", "cards": ["JK", "KS", "KH"], "stands_for": ["K", None, None]},
            "S[KS KH JK=K]",
        ),
        (Meld(MeldKind.RUN, (16, 17, 65, 19), (None, None, "6H", None)), "R[4H 5H JK=6H 7H]"),
    ],
)
def test_ways_to_write_a_meld(item, text):
    if text is None:
        with pytest.raises(HandError, match="meld 1 on the table"):
            only(item)
    else:
        assert only(item) == text


def test_wilds_only():
    assert only("W[JK JK JK]", KALOOKI) == "W[JK JK JK]"
    item = {"kind": "wild", "cards": ["JK", "JK", "JK"], "stands_for": [None] * 3}
    assert only(item, KALOOKI) == "W[JK JK JK]"


@pytest.mark.parametrize(
    ("item", "rules", "reason"),
    [
        ("4H 5H", LIVERPOOL, "meld.too_short"),
        ("4H 5H 7H 8H", LIVERPOOL, "meld.gap"),
        ("R[4H 5H JK=7H 6H]", LIVERPOOL, "meld.order"),
        ("R[4H 5H 6D=6H 7H]", LIVERPOOL, "meld.stands_for"),
        # No position 15 above the ace, none below the ace.
        ("R[QS KS AS JK=2S]", LIVERPOOL, "meld.wrap"),
        ("KH AH 2H 3H", load_rules("liverpool", ace="high", rank_lo=3), "meld.wrap"),
        ("S[7S 2C=7 JK=7]", LIVERPOOL, "meld.naturals"),
        # Enough naturals, but never three within four places.
        ("R[3H JK=4H 5H 2S=6H 7H]", LIVERPOOL, "meld.core"),
        ("S[7S 7S 7H]", load_rules("rummikub"), "meld.duplicate_suit"),
        ("W[JK JK JK]", LIVERPOOL, "meld.naturals"),
    ],
)
def test_bad_melds_are_refused_by_name(item, rules, reason):
    with pytest.raises(HandError) as caught:
        read_table(["S[KS KH KD]", item], rules)
    (fault,) = caught.value.faults
    assert (fault.code, fault.where, fault.data["reason"]) == ("table.meld", "/table/1", reason)
    assert fault.message.startswith("meld 2 on the table: ")


def test_all_bad_melds_are_told_at_once():
    with pytest.raises(HandError) as caught:
        read_table(["4H 5H", "KS KH KD", "9S"], LIVERPOOL)
    assert [fault.where for fault in caught.value.faults] == ["/table/0", "/table/2"]


@pytest.mark.parametrize(
    ("item", "where"),
    [
        ("R[4H 5H XX 7H]", "/table/0/2"),
        ("4H XX 5H", "/table/0/1"),
        (["4H", "XX"], "/table/0/1"),
        ({"cards": ["4H", "XX"]}, "/table/0/cards/1"),
    ],
)
def test_unknown_cards_are_refused_in_their_place(item, where):
    with pytest.raises(NotationError) as caught:
        read_table([item], LIVERPOOL)
    assert (caught.value.code, caught.value.faults[0].where) == ("card.unknown", where)


def test_a_json_meld_needs_one_name_a_card():
    item = {"kind": "run", "cards": ["4H", "5H", "6H"], "stands_for": [None]}
    with pytest.raises(NotationError) as caught:
        read_table([item], LIVERPOOL)
    assert caught.value.code == "table.notation"


@pytest.mark.parametrize(
    ("hand", "table", "code", "where"),
    [
        ("7S", ["7S 7H 7D"], "table.copies", "/table/0"),
        ("2C", ["7S 7H 7D", "4D 5D 6D", "7C 7D 7H"], "table.copies", "/table/2"),
        ("2C", ["3H 4H 5H", "6S 7S JK"], "table.not_in_deck", "/table/1"),
    ],
)
def test_hand_and_table_come_from_one_deck(hand, table, code, where):
    with pytest.raises(MeldSolverError) as caught:
        best_layoff(hand, table, load_rules("gin"))
    assert (caught.value.faults[0].code, caught.value.faults[0].where) == (code, where)


def test_open_places_are_told_and_the_best_is_taken():
    # JS QS JK may lie as T-J-Q or J-Q-K: only the latter takes the ace.
    plan = best_layoff("AS", ["JS QS JK"], KALOOKI)
    assert plan.penalty == 0
    assert plan.before[0].meld.text() == "R[JS QS JK=KS]"
    assert [meld.text() for meld in plan.choices[0]] == ["R[JK=TS JS QS]", "R[JS QS JK=KS]"]
    told = plan.to_json()["choices"]
    assert told == [
        {
            "meld": 0,
            "chosen": "R[JS QS JK=KS]",
            "readings": ["R[JK=TS JS QS]", "R[JS QS JK=KS]"],
        }
    ]


def test_a_declared_place_is_kept():
    plan = best_layoff("AS", ["R[JK=TS JS QS]"], KALOOKI)
    assert (plan.penalty, plan.choices) == (11, {})


# --- limits on melds laid and on cards added ----------------------------------------------------


def test_c042_a_table_may_ask_for_the_ratio_of_melds_laid_only():
    lenient = load_rules("shanghai-10", layoff_keeps_ratio=False)
    assert only("S[7C 7D JK]", lenient) == "S[7D 7C JK=7]"
    table = ["S[7C 7D JK]"]
    assert best_layoff("JK JK", table, lenient).left == ()
    # A set that was extended so lies legally on the table.
    assert only("S[7C 7D JK JK JK]", lenient) == "S[7D 7C JK=7 JK=7 JK=7]"
    with pytest.raises(HandError, match="meld 1 on the table"):
        read_table(["S[7C JK JK]"], lenient)


def test_wilds_never_outnumber_naturals_in_a_shanghai_meld():
    table = ["S[7C 7D JK]"]
    assert best_layoff("JK JK", table, SHANGHAI).left == (JOKER,)
    # Each seven bears one joker more; three sevens and three jokers.
    assert best_layoff("JK JK 7S", table, SHANGHAI).left == ()
    with pytest.raises(HandError) as caught:
        read_table(["S[7C 7D JK JK JK]"], SHANGHAI)
    assert caught.value.faults[0].data["reason"] == "meld.ratio"
    # Two naturals and two wilds bear a wild only after a natural: the queen goes nowhere.
    run = ["R[JK=7S 8S 9S JK=TS]"]
    assert best_layoff("JK QS JK QD", run, SHANGHAI).actions == ()


def test_a_natural_of_one_end_bears_a_wild_of_the_other():
    # JS lets the joker lie as 6S, on which 5S goes; below first would be one wild too many.
    run = ["R[JK=7S 8S 9S JK=TS]"]
    plan = best_layoff("JK 5S JS", run, SHANGHAI)
    assert [a.text() for a in plan.actions] == [
        "JS on meld 1, above",
        "JK as 6S on meld 1, below",
        "5S on meld 1, below",
    ]
    assert best_layoff("JK 5S", run, SHANGHAI).actions == ()


def test_a_meld_laid_and_extended_at_once_keeps_the_ratio():
    # Four naturals and five jokers: one joker stays, also where the run is laid short and grows.
    rules = load_rules("shanghai-10", layoff_same_turn=True)
    plan = best_godown("4S 5S 6S 7S JK JK JK JK JK", [], rules, "r4")
    assert (plan.penalty, plan.left) == (15, (JOKER,))
    lenient = load_rules("shanghai-10", layoff_same_turn=True, layoff_keeps_ratio=False)
    assert best_godown("4S 5S 6S 7S JK JK JK JK JK", [], lenient, "r4").penalty == 0


def test_layoff_wild_limit():
    rules = load_rules("liverpool", layoff_wild_limit=1)
    table = ["R[5S 6S 7S 8S]"]
    plan = best_layoff("JK 2D TS", table, rules)
    # One wild may be added: as 9S it opens the way for the ten.
    assert [a.text() for a in plan.actions] == ["JK as 9S on meld 1, above", "TS on meld 1, above"]
    assert plan.penalty == 5
    full = Lying(only_meld(table[0]), n_wilds_added=1)
    assert best_layoff("JK 2D TS", [full], rules).actions == ()
    assert best_layoff("JK 2D TS", table, LIVERPOOL).penalty == 0


def only_meld(text: str) -> Meld:
    ((lying,),) = read_table([text], LIVERPOOL)
    return lying.meld


def test_neighbouring_wilds_are_barred_when_added_too():
    rules = load_rules("continental", deal=3)
    assert best_layoff("JK", ["R[5S 6S 7S JK=8S]"], rules).actions[0].end == "-"
    assert best_layoff("JK 9S", ["R[JK=5S 6S 7S 8S]"], rules).penalty == 0


@pytest.mark.parametrize(
    ("card", "end", "name", "code"),
    [
        (58, "", None, "layoff.end"),
        (9, "+", None, "meld.order"),
        (65, "+", "TS", "meld.order"),
        (8, "+", "9S", "meld.stands_for"),
    ],
)
def test_adding_what_does_not_fit(card, end, name, code):
    lying = Lying(only_meld("R[5S 6S 7S 8S]"))
    with pytest.raises(HandError) as caught:
        add_card(lying, card, end, name, LIVERPOOL)
    assert caught.value.code == code


def test_swapping():
    lying = Lying(only_meld("R[4H 5H JK=6H 7H]"))
    after, wild = swap_wild(lying, 2, 18, LIVERPOOL)
    assert (after.meld.text(), wild) == ("R[4H 5H 6H 7H]", 65)
    for place, card, code in ((1, 18, "swap.place"), (9, 18, "swap.place"), (2, 5, "swap.card")):
        with pytest.raises(HandError) as caught:
            swap_wild(lying, place, card, LIVERPOOL)
        assert caught.value.code == code


def test_replay_refuses_cards_that_are_not_there():
    plan = best_layoff("9S", ["R[5S 6S 7S 8S]"], LIVERPOOL)
    empty = plan.before
    from_nothing = read_hand("KD")
    with pytest.raises(HandError) as caught:
        replay(from_nothing, empty, plan.actions, LIVERPOOL)
    assert caught.value.code == "plan.card"


# --- whose melds, which games -------------------------------------------------------------------


def test_only_own_melds_take_cards_where_the_rules_say_so():
    rules = load_rules("liverpool", layoff="own")
    table = ["S[KS KH KD]", "S[9S 9H 9D]"]
    plan = best_layoff("KC 9C", table, rules, own=[1])
    assert [a.meld for a in plan.actions] == [1]
    with pytest.raises(HandError) as caught:
        best_layoff("KC", table, rules, own=[2])
    assert caught.value.code == "table.own"


def test_games_without_layoffs_refuse():
    with pytest.raises(RulesError) as caught:
        best_layoff("KC", ["KS KH KD"], load_rules("three-thirteen", cards_dealt=3))
    assert caught.value.code == "table.layoff_off"


def test_a_card_can_be_kept_for_the_discard():
    table = ["S[KS KH KD]", "S[9S 9H 9D]"]
    plan = best_layoff("KC 9C", table, LIVERPOOL, keep=1)
    assert (plan.penalty, len(plan.left)) == (5, 1)


def test_c112_no_layoff_in_the_turn_of_going_down():
    hand = "7S 7H 7D KS KH KD 9C 4D 5D 6H JS"
    table = ["S[9S 9H 9D]"]
    assert best_godown(hand, table, SHANGHAI, "3.3").layoffs == ()
    (added,) = best_godown(hand, table, load_rules("liverpool", deal=1)).layoffs
    assert added.text() == "9C on meld 1"


def test_swap_timing():
    hand = "9S 9C KD AC 6H QS QD QC 4D 3C JS"
    table = ["R[4H 5H JK=6H 7H]"]
    late = load_rules("liverpool", deal=1, swap_timing="after_contract")
    assert best_godown(hand, table, late) is None
    plan = best_godown("9S 9C 9D KD 6H QS QD QC 4D 3C JS", table, late)
    assert plan.penalty == 30
    assert [a.kind for a in plan.actions] == ["meld", "meld", "swap", "layoff"]


def test_no_swap_in_own_runs():
    hand = "9S 9C 9D KD 6H QS QD QC 4D 3C JS"
    table = ["R[4H 5H JK=6H 7H]"]
    deal = load_rules("liverpool", deal=1)
    assert best_godown(hand, table, deal).penalty == 30
    assert best_godown(hand, table, deal, own=[0]).penalty == 35


def test_deal_seven_has_neither_swaps_nor_layoffs():
    deal = load_rules("liverpool", deal=7)
    all_down = "3S 4S 5S 6S 7S 8H 9H TH 2C JD QD KD AD"
    plan = best_godown(all_down, ["S[9S 9H 9D]"], deal)
    assert (plan.penalty, len(plan.melds), plan.layoffs, plan.swaps) == (0, 3, (), ())
    one_more = "3S 4S 5S 6S 9D 8H 9H TH 2C JD QD KD AD"
    assert best_godown(one_more, ["S[9S 9H 9C]"], deal) is None


def test_going_down_without_a_contract_needs_its_value():
    # Three tens and 6-7-8 are 51.
    assert best_godown("TS TH 5S 6S 7S 2D", [], KALOOKI) is None
    plan = best_godown("TS TH TD 6S 7S 8S 2D", [], KALOOKI)
    assert [meld.text() for meld in plan.melds] == ["R[6S 7S 8S]", "S[TS TH TD]"]
    assert plan.penalty == 2


# --- cards that the largest deck does not hold --------------------------------------------------


@pytest.mark.parametrize(
    ("name", "packs"),
    [("liverpool", 3), ("continental", 3), ("shanghai-10", 4), ("kalooki-51", 2), ("rum-500", 2)],
)
def test_without_players_the_largest_deck_is_the_limit(name, packs):
    # Rule book 5.1 and 6: packs for the most players.
    rules = load_rules(name)
    on_table = "S[" + " ".join(["KS", "KD", "KC"]) + "]"
    assert best_layoff(["KH"] * packs, [on_table], rules) is not None
    with pytest.raises(HandError) as caught:
        best_layoff(["KH"] * (packs + 1), [on_table], rules)
    assert caught.value.code == "hand.copies"
    assert caught.value.faults[0].data == {"card": "KH", "held": packs, "copies": packs + 1}


def test_hand_and_table_come_from_the_largest_deck():
    with pytest.raises(HandError) as caught:
        best_layoff("KH KH", ["S[KS KS KH KH]"], LIVERPOOL)
    assert caught.value.code == "table.copies"
    assert best_layoff("KH KH", ["S[KS KS KH]"], LIVERPOOL).left == ()
    # Eight players have three packs and six jokers.
    with pytest.raises(HandError):
        best_layoff(["JK"] * 7, ["S[KS KS KH]"], LIVERPOOL)


def test_any_number_of_packs_can_be_asked_for():
    rules = load_rules("liverpool", packs=None)
    assert best_layoff(["KH"] * 9, ["S[KS KS KH]"], rules).left == ()
    many = load_rules("liverpool", packs=9)
    assert best_layoff(["KH"] * 8, ["S[KS KS KH]"], many).left == ()
