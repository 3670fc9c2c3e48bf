"""Games and positions of other programs: OpenSpiel histories, Five Crowns saves, gin tables."""

from __future__ import annotations

import json

import pytest

from solver.engine.importers.five_crowns import read_saves
from solver.engine.importers.gin_results import COLUMNS, check_results
from solver.engine.importers.openspiel import card_of, import_game, meld_of, replay_game
from solver.engine.record import RecordError
from solver.errors import HandError, NotationError
from tests.engine.helpers import cards, play, refusal

# A game of our own in OpenSpiel's numbers (suits S C D H). Player 0: A-5 of spades, three sixes,
# KC and KD; player 1: A-4 of clubs, three sevens, KS KH QH; upcard QC.
HAND0 = [0, 1, 2, 3, 4, 5, 18, 31, 25, 38]
HAND1 = [13, 14, 15, 16, 6, 32, 45, 12, 51, 50]
PARAMS = {"knock_card": 10, "gin_bonus": 25, "undercut_bonus": 25, "oklahoma": False}


def test_cards_and_melds_in_openspiel_numbers():
    assert [card_of(a) for a in (0, 13, 26, 39, 51)] == [0, 39, 26, 13, 25]
    assert set(meld_of(56)) == set(cards("AC AD AH"))
    assert set(meld_of(60)) == set(cards("AS AC AD AH"))
    assert meld_of(56 + 65) == cards("AS 2S 3S")
    assert meld_of(56 + 65 + 44) == cards("AS 2S 3S 4S")
    assert meld_of(56 + 65 + 44 + 40) == cards("AS 2S 3S 4S 5S")
    assert meld_of(240) == cards("9H TH JH QH KH")
    assert len({meld_of(a) for a in range(56, 241)}) == 185
    for action in (55, 241):
        with pytest.raises(ValueError, match="expected an action"):
            meld_of(action)


def own_game():
    """0 throws KD, then knocks with KC thrown and AD, 2D left; 1 has drawn 6H and thrown QH."""
    history = [[-1, a] for a in [*HAND0, *HAND1, 24]]
    history += [[0, 54], [1, 54], [0, 53], [-1, 26], [0, 38]]  # AD drawn
    history += [[1, 53], [-1, 44], [1, 50]]  # 6H drawn
    history += [[0, 53], [-1, 27], [0, 55], [0, 25]]  # 2D drawn
    sixes, ace_to_five = 56 + 5 * 5 + 3, 56 + 65 + 44 + 40
    history += [[0, sixes], [0, ace_to_five], [0, 54]]
    clubs, sevens = 56 + 65 + 44 + 10, 56 + 6 * 5 + 1
    history += [[1, 44], [1, 54], [1, clubs], [1, sevens], [1, 54]]
    # KS and KH are left: 20 less 3.
    return {"id": "own-1", "params": dict(PARAMS), "history": history, "returns": [17.0, -17.0]}


def test_a_knock_its_defence_and_the_returns():
    data = own_game()
    played = replay_game(data)
    assert played.faults == ()
    facts, _ = played.state.history[0]
    assert facts.seats[1].laid_off == cards("6H")
    assert facts.seats[1].hand == cards("KS KH")
    data["returns"] = [18.0, -18.0]
    (fault,) = replay_game(data).faults
    assert fault.code == "openspiel.returns"
    assert (fault.data["expected"], fault.data["got"]) == ([17, -17], [18, -18])


def test_a_knock_over_the_limit_is_found():
    data = own_game()
    data["history"][30] = [-1, 49]  # JH drawn instead of 2D: 11 left
    (fault,) = replay_game(data).faults
    assert fault.code == "knock.limit"


@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        (lambda d: d.pop("history"), "openspiel.format", ""),
        (lambda d: d["history"].__setitem__(20, [1]), "openspiel.format", "/history/20"),
        (
            lambda d: d["params"].__setitem__("hand_size", 7),
            "openspiel.params",
            "/params/hand_size",
        ),
        (lambda d: d["history"].__setitem__(21, [0, 53]), "move.phase", "/history/21"),
        (lambda d: d["history"].__setitem__(25, [0, 50]), "move.card", "/history/25"),
        (lambda d: d["history"].__setitem__(25, [0, 99]), "openspiel.history", "/history/25"),
        (lambda d: d.__setitem__("history", d["history"][:9]), "openspiel.history", "/history/0"),
        (lambda d: d.__setitem__("returns", "no"), "openspiel.format", "/returns"),
    ],
)
def test_broken_histories_name_their_place(change, code, where):
    data = own_game()
    data["history"] = data["history"][:29]
    change(data)
    with pytest.raises(RecordError) as caught:
        import_game(data)
    assert (caught.value.faults[0].code, caught.value.faults[0].where) == (code, where)


def test_openspiel_300_games_all_replay_with_equal_returns(shared_dir):
    path = shared_dir / "data" / "openspiel" / "gin-300.jsonl"
    played = [replay_game(json.loads(line)) for line in path.read_text().splitlines()]
    assert len(played) == 300
    assert [p.id for p in played if not p.is_ok] == []


# --- Five Crowns saves ----------------------------------------------------------------------

SUITS = "CDHST"
RANKS = ["3", "4", "5", "6", "7", "8", "9", "X", "J", "Q", "K"]


def save_text(*, round_no=1, hands=("3C 4C 5C", "6D 7D 8D"), extra=(), drop=0, ten="X"):
    """A save with the whole deck but what the caller breaks; no newline at the end."""
    deck = [r + s for r in RANKS for s in SUITS] * 2 + ["J1", "J2", "J3"] * 2
    for token in " ".join(hands).split():
        deck.remove(token)
    deck = deck[drop:] + list(extra)
    pile = " ".join(t.replace("X", ten) for t in deck[1:])
    return (
        f"Round: {round_no}\n\nComputer:\n\tScore: 6\n\tHand: {hands[0]} \n\nHuman:\n"
        f"   Score: 10\n   Hand: {hands[1]}\n\nDraw Pile:  {pile}\n\n"
        f"Discard Pile: {deck[0].replace('X', ten)}\n\nNext Player: Human"
    )


def test_saves_are_read_as_they_are():
    for ten in ("X", "10"):
        (save,) = read_saves(save_text(ten=ten))
        assert save.faults == ()
        assert (save.round_no, save.names, save.scores) == (1, ("Computer", "Human"), (6, 10))
        assert save.hands == (cards("3C 4C 5C"), cards("6D 7D 8D"))
        assert (save.n_cards, save.next_player) == (116, 1)
        assert save.discards == cards("3D")
        assert save.score().totals == (6, 10)


def test_a_save_is_a_position_to_go_on_from():
    (save,) = read_saves(save_text(hands=("3C 4C 9C", "6D 7D 8D")))
    state = save.state()
    assert (state.actor, state.totals) == (1, (6, 10))
    assert refusal(state, "0 draw") == "move.turn"
    card = save.stock[0]
    state = play(state, "1 draw")
    assert card in state.round.hands[1]


def test_an_impossible_deck_is_named_but_the_hands_are_read():
    (save,) = read_saves(save_text(extra=["5H"]))
    assert [f.code for f in save.faults] == ["deck.total", "deck.surplus"]
    assert save.faults[0].data == {"total": 117}
    assert save.faults[1].data == {"card": "5H", "copies": 3}
    assert save.hands[0] == cards("3C 4C 5C")
    with pytest.raises(HandError):
        save.state()
    (short,) = read_saves(save_text(drop=2))
    assert [f.code for f in short.faults] == ["deck.total", "deck.missing"]
    (sizes,) = read_saves(save_text(round_no=2))
    assert [f.where for f in sizes.faults] == ["/hands/0", "/hands/1"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "save.format"),
        ("Round: 2\n", "save.format"),
        (save_text().replace("3C 4C 5C", "3C 4C 5Z"), "card.unknown"),
        (save_text().replace("Score: 6", "Score: six"), "save.format"),
        (save_text().replace("Draw Pile:", "Draw:"), "save.format"),
        (save_text().replace("Next Player: Human", "???"), "save.format"),
    ],
)
def test_broken_saves(text, code):
    with pytest.raises(NotationError) as caught:
        read_saves(text)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("name", "penalties", "n_cards"),
    [("Case1", (5, 28), 116), ("Case2", (40, 19), 116), ("Case3", (69, 44), 117)],
)
def test_shared_saves_score(shared_dir, name, penalties, n_cards):  # C161, C162
    path = shared_dir / "data" / "five-crowns" / f"{name}.txt"
    save = read_saves(path.read_text())[0]
    assert tuple(p.penalty for p in save.score().players) == penalties
    assert save.n_cards == n_cards
    surplus = [(f.data["card"], f.data["copies"]) for f in save.faults if f.code == "deck.surplus"]
    assert surplus == ([("5H", 3)] if name == "Case3" else [])


def test_shared_case_1_goes_out_by_discarding_5c(shared_dir):  # C161
    path = shared_dir / "data" / "five-crowns" / "Case1.txt"
    state = play(read_saves(path.read_text())[0].state(), "0 draw")
    assert refusal(state, "0 out 5C") == ""
    assert refusal(state, "0 out 9C") == "out.not_melded"


def test_shared_saves_are_all_read(shared_dir):  # C164
    faults = {}
    for path in sorted((shared_dir / "data" / "five-crowns").glob("*.txt")):
        faults[path.stem] = [[f.code for f in s.faults] for s in read_saves(path.read_text())]
    surplus = ["deck.total", *["deck.surplus"] * 5, "deck.missing"]
    assert faults["save1"] == [surplus]
    assert faults["second"] == [["deck.total", "deck.missing"]] * 2
    sound = ("Case1", "Case2", "eleven", "six", "trial1", "trial2")
    assert all(faults[name] == [[]] for name in sound)


# --- gin result tables ----------------------------------------------------------------------

HEADER = ",".join(COLUMNS)


def checked(*rows):
    return list(check_results([HEADER, *rows]))


def test_points_follow_from_the_deadwood():  # C167
    rows = checked("0,0,0,6,1,10,0,6,14,8", "0,1,12,6,0,4,12,0,10,22", "0,2,49,6,0,9,37,0,0,12")
    assert [r.faults for r in rows] == [(), (), ()]


def test_a_dead_hand_has_no_winner_and_no_points():  # C091
    (row,) = checked("0,0,0,0,null,16,0,0,20,3")
    assert row.faults == ()
    assert row.row.winner is None
    (wrong,) = checked("0,0,17,0,null,16,17,0,20,3")
    assert [f.code for f in wrong.faults] == ["gin.points"]


def test_a_row_that_disagrees_is_found_and_only_that_one():  # C167
    rows = checked("0,0,0,0,1,9,0,0,32,16", "0,1,12,0,0,4,12,0,10,22")
    assert [[f.code for f in r.faults] for r in rows] == [["gin.points"], []]
    fault = rows[0].faults[0]
    assert (fault.data["expected"], fault.data["got"]) == ([0, 16], [0, 0])


def test_totals_add_up():
    rows = checked("0,0,0,6,1,10,0,6,14,8", "0,1,12,7,0,4,12,0,10,22", "1,0,5,0,0,4,5,0,1,6")
    assert [[f.code for f in r.faults] for r in rows] == [[], ["gin.total"], []]


@pytest.mark.parametrize(
    "row",
    [
        "0,0,0,6",
        "0,0,0,6,1,10,0,6,14,8,9",
        "0,0,x,6,1,10,0,6,14,8",
        "0,0,0,6,2,10,0,6,14,8",
        "0,0,0,6,1,10,0,6,14,",
    ],
)
def test_rows_that_cannot_be_read_are_told(row):
    (first, second) = checked(row, "1,0,5,0,0,4,5,0,1,6")
    assert (first.row, first.faults[0].code) == (None, "gin.row")
    assert second.faults == ()


def test_another_header_is_refused():
    (row,) = check_results(["Winner,ScorePlayer0", "1,2"])
    assert row.faults[0].code == "gin.header"


def test_shared_gin_tables_are_sound_but_for_one_row_cut_short(shared_dir):
    found = {}
    for name in ("a", "b"):
        path = shared_dir / "data" / "gin-results" / f"{name}_IntraGame.csv"
        rows = list(check_results(path.read_text().splitlines()))
        found[name] = (len(rows), [(r.line_no, r.faults[0].code) for r in rows if r.faults])
    assert found == {"a": (174, [(175, "gin.row")]), "b": (448, [])}
