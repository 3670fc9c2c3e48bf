"""Values that are no cards, wherever hands, melds and tables are read: refused in their place."""

from __future__ import annotations

import pytest

from solver.errors import HandError, MeldSolverError, NotationError
from solver.melds import check_arrangement, check_contract, check_meld, is_meld, meld_readings
from solver.players.facts import Facts, view_of
from solver.rules.loader import load_rules
from solver.table import best_godown, best_layoff, joint_layoff, read_table, rearrange

LIVERPOOL = load_rules("liverpool", deal=1)
THREES = load_rules("three-thirteen", cards_dealt=3)
GIN = load_rules("gin")
RUMMIKUB = load_rules("rummikub")

NO_TABLES = [
    *[None, 5, 1.0, b"abc", "KH KD KS", {"a": 1}],
    *[[None], [5], [1.0], [b"abc"], [object()]],
    *[[[None]], [[[]]], [[{"cards": "4S"}]], [[["4S"]]], [[5.5]], [[True]], [[float("nan")]]],
    *[[[300]], [[-1]], [["4S", 5, None]], [["KH", "KD", 3]]],
    *[[{}], [{"cards": None}], [{"cards": 5}], [{"cards": [None]}], [{"cards": {"4S": 1}}]],
]
ASKED = {
    "layoff": lambda table: best_layoff("KH", table, LIVERPOOL),
    "godown": lambda table: best_godown("KH", table, LIVERPOOL),
    "joint": lambda table: joint_layoff("KH", table, GIN),
    "rearrange": lambda table: rearrange(table, "KH", RUMMIKUB),
    "read": lambda table: read_table(table, LIVERPOOL),
    "advice": lambda table: view_of("KH", LIVERPOOL, Facts(ask="play", table=table)),
    "knock": lambda table: view_of("KH", GIN, Facts(ask="defend", knock=table, knock_left="2S")),
    "arrangement": lambda melds: check_arrangement("KH", melds, THREES),
    "contract": lambda melds: check_contract("KH", melds, LIVERPOOL),
}


@pytest.mark.parametrize("question", ASKED)
@pytest.mark.parametrize("table", NO_TABLES, ids=repr)
def test_what_is_no_table(question, table):
    with pytest.raises((HandError, NotationError)) as caught:
        ASKED[question](table)
    assert caught.value.code != "error"
    assert all(fault.where.startswith("/") for fault in caught.value.faults)


@pytest.mark.parametrize("question", [check_meld, is_meld, meld_readings])
@pytest.mark.parametrize("cards", [None, 5, b"abc", {"4S": 1}, [None], [[]], [300]], ids=repr)
def test_what_is_no_meld(question, cards):
    with pytest.raises((HandError, NotationError)):
        question(cards, THREES)


@pytest.mark.parametrize(
    ("table", "code", "where"),
    [
        (None, "table.notation", "/table"),
        ([None], "hand.type", "/table/0"),
        ([["7S", "7H", "7D"], [None]], "card.unknown", "/table/1/0"),
        ([{"cards": ["7S", [], "7D"]}], "card.unknown", "/table/0/cards/1"),
        ([[16, 17, 300, 19]], "card.id", "/table/0/2"),
    ],
)
def test_the_place_and_the_code(table, code, where):
    with pytest.raises(MeldSolverError) as caught:
        read_table(table, LIVERPOOL)
    assert (caught.value.code, caught.value.faults[0].where) == (code, where)


@pytest.mark.parametrize(
    ("more", "code", "where"),
    [
        ({"kind": "set", "stands_for": 5}, "table.notation", "/table/0"),
        ({"kind": "set", "stands_for": "abc"}, "table.notation", "/table/0"),
        ({"kind": [], "stands_for": [None] * 3}, "table.notation", "/table/0"),
        ({"kind": "set", "stands_for": [None, None, []]}, "card.unknown", "/table/0/stands_for/2"),
    ],
)
def test_names_of_a_json_meld(more, code, where):
    with pytest.raises(NotationError) as caught:
        read_table([{"cards": ["7S", "7H", "7D"], **more}], LIVERPOOL)
    assert (caught.value.code, caught.value.faults[0].where) == (code, where)


def test_ids_of_hands_are_refused_in_their_place():
    with pytest.raises(HandError) as caught:
        rearrange([], [3, 99], RUMMIKUB)
    assert (caught.value.code, caught.value.faults[0].where) == ("card.id", "/rack/1")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"own": None}, None),
        ({"own": 5}, "table.own"),
        ({"own": ["1"]}, "table.own"),
        ({"own": [None]}, "table.own"),
        ({"keep": None}, "table.keep"),
        ({"keep": "1"}, "table.keep"),
        ({"keep": -1}, "table.keep"),
    ],
)
def test_numbers_of_melds_and_cards(options, code):
    if code is None:
        assert best_layoff("KC", ["KS KH KD"], LIVERPOOL, **options).penalty == 0
        return
    with pytest.raises(HandError) as caught:
        best_layoff("KC", ["KS KH KD"], LIVERPOOL, **options)
    assert caught.value.code == code


KALOOKI = load_rules("kalooki-51")


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize(
    ("cards", "name", "rules", "is_read"),
    [
        # Either tile that is missing frees the joker: a told one would be forgotten.
        ("B4 JK K4", "O4", RUMMIKUB, False),
        ("B4 JK K4", "B4", RUMMIKUB, False),
        ("B4 JK K4", "4", RUMMIKUB, True),
        ("B4 JK K4 R4", "O4", RUMMIKUB, True),
        ("B4 JK K4 R4", "R4", RUMMIKUB, False),
        ("B4 JK K4", "O4", load_rules("rummikub", table_wilds="free"), True),
        ("KS JK KH", "KC", KALOOKI, False),
        ("KS JK KH KD", "KC", KALOOKI, True),
        ("KS JK KH KD", "KD", KALOOKI, False),
        ("KS JK KH", "KC", LIVERPOOL, True),
        ("KS JK KH", "KS", LIVERPOOL, True),
    ],
)
def test_a_suit_told_for_a_wild_of_a_set_is_kept_or_refused(cards, name, rules, is_read, as_json):
    names = [name if card == "JK" else None for card in cards.split()]
    item = {"cards": cards.split(), "kind": "set", "stands_for": names}
    if not as_json:
        item = f"S[{cards.replace('JK', 'JK=' + name)}]"
    if is_read:
        assert len(read_table([item], rules)) == 1
        return
    with pytest.raises(NotationError) as caught:
        read_table([item], rules)
    (fault,) = caught.value.faults
    at = "/table/0/stands_for/1" if as_json else "/table/0/1"
    assert (fault.code, fault.where) == ("table.set_suit", at)
    assert name in fault.message
