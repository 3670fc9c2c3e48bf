"""Jokers of a Rummikub table: each leaves its place only for its tile, against every way to play.

Where a test names no source, rule book 6 says it: a joker freed by its exact tile is replayed at
once. The exhaustive search is ``tests.oracles.brute_exchange``.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace

import pytest

from solver.rules.loader import load_rules
from solver.table import rearrange
from solver.table.rearranging import objective_points
from tests.oracles.brute_exchange import obeys, table_readings
from tests.oracles.brute_rearrange import TooManyWaysError, best_rearrangement
from tests.strategies import SeededSource, as_game, make_hand, make_meld_rules
from tests.table.positions import as_lying, dealt_row
from tests.table.rummikub_tables import JOKER, random_table
from tests.table.test_rearrange import MOST_WAYS, check_sound, text

RULES = load_rules("rummikub")
FREE = load_rules("rummikub", table_wilds="free")
N_LONG = int(os.environ.get("TABLE_POSITIONS", "20000"))


# --- examples -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "rack", "bound", "free"),
    [
        # T208: nobody supplies R4, so the joker stays R4 and only R7 fits.
        (["R[JK=R4 R5 R6]"], "R7 B9 O9", 1, 3),
        # The rack supplies R4, and the joker goes to the nines.
        (["R[JK=R4 R5 R6]"], "R4 B9 O9", 3, 3),
        # R7 takes the place only where the joker may be R7: its place is not declared.
        (["JK R5 R6"], "R7 B9 O9", 3, 3),
        (["R[R5 R6 JK=R7]"], "R7 B9 O9", 3, 3),
        (["R[R5 R6 JK=R7]"], "R4 B9 O9", 1, 3),
        # R4 comes from a group of four on the table.
        (["R[JK=R4 R5 R6]", "R4 B4 O4 K4"], "R7 B9 O9", 3, 3),
        # The joker of a group of three is either missing colour, that of four the one missing.
        (["R9 B9 JK"], "K9 O1 O2", 3, 3),
        (["R9 B9 JK"], "O9 O1 O2", 3, 3),
        (["R9 B9 JK"], "R9 O1 O2", 0, 0),
        (["R9 B9 K9 JK"], "O9 O1 O2", 3, 3),
        (["R9 B9 K9 JK"], "O1 O2", 0, 2),
        # The run may be lengthened and split round a joker that stays the same tile.
        (["R[JK=R4 R5 R6]"], "R2 R3 R7 R8", 4, 4),
        (["R[R3 R4 JK=R5 R6 R7]"], "R1 R2", 2, 2),
        # One R4 frees one of two jokers that are R4; two free both.
        (["R[JK=R4 R5 R6]", "R[JK=R4 R5 R6]"], "R4 B9 O9 O1 O2", 3, 3),
        (["R[JK=R4 R5 R6]", "R[JK=R4 R5 R6]"], "R4 R4 B9 O9 O1 O2", 6, 6),
        (["R[JK=R4 R5 R6]", "R[JK=R4 R5 R6]"], "R4 R7 R7 B9 O9 O1 O2", 5, 7),
        # A joker of the rack is laid where the player likes; there it lies on the table from then.
        (["R[R5 R6 R7]"], "JK B9 O9", 3, 3),
    ],
)
def test_a_joker_leaves_its_place_only_for_its_tile(table, rack, bound, free):
    assert rearrange(table, rack, RULES).n_laid == bound
    assert rearrange(table, rack, FREE).n_laid == free


def test_the_answer_names_the_tile_that_takes_the_place():
    found = rearrange(["R5 R6 R7", "R[JK=R4 R5 R6]"], "R4 B9 O9", RULES)
    assert [each.to_json() for each in found.exchanges] == [{"meld": 1, "wild": "JK", "card": "4C"}]
    assert found.exchanges[0].text() == "JK of meld 2 leaves its place to 4C"
    stays = rearrange(["R[JK=R4 R5 R6]"], "R7 B9 O9", RULES)
    assert stays.exchanges == ()
    assert rearrange(["R[JK=R4 R5 R6]"], "R7 B9 O9", FREE).exchanges == ()


def test_a_joker_that_may_not_leave_decides_what_is_the_only_answer():
    # R7 below or above: with the joker free to be R3 or R8 there would be another arrangement.
    found = rearrange(["R[JK=R4 R5 R6]"], "R7", RULES)
    assert (found.n_laid, found.unique, found.fewest_changes) == (1, True, True)
    free = rearrange(["R[JK=R4 R5 R6]"], "R7", FREE)
    assert (free.n_laid, free.unique) == (1, False)


@pytest.mark.parametrize("rules", [RULES, FREE], ids=["bound", "free"])
@pytest.mark.parametrize("objective", ["tiles", "value", "penalty"])
@pytest.mark.parametrize("rack", ["R1 B5 K9", ""])
def test_nothing_to_lay_on_no_table_is_the_only_answer(rules, objective, rack):
    # T209: no meld can be made, so laying nothing is all that can be done, and changes nothing.
    found = rearrange([], rack, rules, objective=objective)
    assert (found.n_laid, found.changed) == (0, ())
    assert (found.proved, found.fewest_changes) == (True, True)
    assert (found.unique, found.unique_cards) == (True, True)


def test_the_rule_is_named_and_told_apart():
    assert RULES.flow.table_wilds == "exchanged"
    assert load_rules("rummikub", free_jokers=True).flow == FREE.flow
    assert FREE.fingerprint != RULES.fingerprint


# --- exhaustive search --------------------------------------------------------------------------


def joker_table(rng: random.Random) -> tuple[list[object], list[list[int]], list[int]]:
    """Return a table with one or two jokers as asked and as cards, and a rack that may free one.

    Half of the melds with a joker declare its place.
    """
    while True:
        melds, left = random_table(rng, rng.choice((3, 3, 4, 6, 7)))
        wanted = rng.choice((1, 1, 1, 2))
        for meld in rng.sample(melds, len(melds)):
            if sum(m.count(JOKER) for m in melds) < wanted and JOKER in left and len(meld) > 2:
                i = rng.randrange(len(meld))
                if meld[i] != JOKER:
                    left.append(meld[i])
                    left.remove(JOKER)
                    meld[i] = JOKER
        if any(JOKER in meld for meld in melds):
            break
    near = [c for meld in melds for c in meld if c != JOKER]
    rack: list[int] = []
    rng.shuffle(left)
    for _ in range(rng.randint(1, 5 if len(melds) < 2 else 4)):
        card = rng.choice(near)
        suit, rank = divmod(card, 13)
        beside = suit * 13 + min(12, max(0, rank + rng.randint(-3, 3)))
        card = beside if rng.random() < 0.6 else rng.randrange(4) * 13 + rank
        card = card if rng.random() < 0.8 and card in left else left[0]
        left.remove(card)
        rack.append(card)
    return melds, rack


def declared(rng: random.Random, meld: list[int], meld_rules) -> tuple[object, list]:
    """Return a meld as it is asked, and its readings as the search sees them."""
    readings = table_readings(tuple(meld), meld_rules)
    if JOKER not in meld or rng.random() < 0.5:
        return meld, readings
    row = rng.choice(readings)
    return as_lying(row), [row]


def check(rng: random.Random, rules, melds, rack, *, second_aims: bool) -> bool:
    """Compare one position with the search; False when that has too much to do."""
    objective = rng.choice(("tiles", "value", "penalty"))
    points = objective_points(objective, rules)
    asked, readings = zip(*(declared(rng, meld, rules.meld) for meld in melds), strict=True)
    try:
        wanted = best_rearrangement(
            [tuple(m) for m in melds],
            tuple(rack),
            rules.meld,
            points,
            MOST_WAYS,
            allowed=lambda rows, laid: obeys(list(readings), rows, laid, rules.meld),
        )
    except TooManyWaysError:
        return False
    told = f"{asked} | {text(rack)} | {objective} | {rules.meld}"
    found = rearrange(list(asked), rack, rules, objective=objective, second_aims=second_aims)
    earned = sum(points[c] for c in rack) - sum(points[c] for c in found.left)
    assert earned == wanted.value, told
    check_sound(found, melds, rack, rules)
    if second_aims and found.fewest_changes:
        wilds = {c for c in [*rack, *(c for meld in melds for c in meld)] if rules.meld.is_wild(c)}
        if len(wilds) < 2:  # the search takes unlike wilds for one another
            assert len(melds) - len(found.changed) == wanted.kept, told
        assert found.unique_cards == (wanted.n_cards == 1), told
        if rules.name == "rummikub":
            assert found.unique == (wanted.n_melds == 1), told
    return True


def check_rummikub(rng: random.Random, *, second_aims: bool) -> bool:
    melds, rack = joker_table(rng)
    return check(rng, RULES, melds, rack, second_aims=second_aims)


def check_other(rng: random.Random, *, second_aims: bool) -> bool:
    """Other rules of melds, with wild ranks and limits on wilds."""
    while True:
        meld = make_meld_rules(SeededSource(rng))
        rules = as_game(replace(meld, hand_require=None, penalty_cap=None))
        rules = replace(rules, flow=replace(rules.flow, rearrange=True, table_wilds="exchanged"))
        rows = [row for row in (dealt_row(rng, rules) for _ in range(6)) if row is not None]
        rows = [r for r in rows if len(r.cells) < 5 and any(w for _, w in r.cells)][:2]
        melds = [[c for c, _ in row.cells] for row in rows]
        rack = make_hand(SeededSource(rng), rules.meld, 0, 3)
        n_wilds = sum(map(rules.meld.is_wild, [*rack, *(c for meld in melds for c in meld)]))
        # Three wilds alone can be read in some sixty ways.
        if rows and sum(map(len, melds)) < 8 and n_wilds < 4:
            break
    near = [c for meld in melds for c in meld if c != JOKER]
    if near and rack and rng.random() < 0.7:
        suit, rank = divmod(rng.choice(near), 13)
        rack[0] = suit * 13 + (rank + rng.randint(-2, 2)) % 13
    return check(rng, rules, melds, rack, second_aims=second_aims)


def test_jokers_of_small_tables_exhaustively():
    rng = random.Random("exchange-1")
    assert sum(check_rummikub(rng, second_aims=False) for _ in range(250)) >= 200


@pytest.mark.slow
def test_second_aims_with_bound_jokers_exhaustively():
    rng = random.Random("exchange-2")
    assert sum(check_rummikub(rng, second_aims=True) for _ in range(80)) >= 60


@pytest.mark.slow
def test_wilds_of_other_games_exhaustively():
    rng = random.Random("exchange-3")
    assert sum(check_other(rng, second_aims=True) for _ in range(60)) >= 40


@pytest.mark.long
@pytest.mark.parametrize("kind", [check_rummikub, check_other])
def test_many_small_tables_exhaustively(kind):
    rng = random.Random("exchange-4")
    n_judged = sum(kind(rng, second_aims=i % 5 == 0) for i in range(N_LONG))
    print(f"{n_judged} positions judged of {N_LONG}")
    assert n_judged > N_LONG / 2
