"""Records: round trip, replay, disagreements with their place, broken files read on."""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
from dataclasses import replace

import pytest

from solver.cards import format_card
from solver.engine.archive import read_records, replay_file, write_records
from solver.engine.dealing import chance_move, first_dealer
from solver.engine.legal import legal_moves
from solver.engine.moves import CHANCE
from solver.engine.notation import format_move, parse_move
from solver.engine.record import FORMAT, RecordError, read_record
from solver.engine.referee import apply
from solver.engine.replay import describe, make_record, replay, reprice
from solver.engine.selfplay import SimplePlayer, play_game
from solver.engine.state import new_game
from solver.errors import MeldSolverError, NotationError
from solver.rules.loader import load_rules


def game(name="gin", n_players=2, seed=3, **options):
    return play_game(load_rules(name, **options), [SimplePlayer()] * n_players, seed)


def written_out(record):
    """The same game with the moves of chance written instead of a seed."""
    rules = load_rules(record.rules, **record.options)
    state = new_game(rules, len(record.seats), first_dealer=record.first_dealer)
    moves = []
    for move in (m for r in record.rounds for m in r.moves):
        while state.actor == CHANCE:
            moves.append(chance_move(state, record.seed))
            state = apply(state, moves[-1])
        moves.append(move)
        state = apply(state, move)
    return make_record(rules, record.seats, moves, first_dealer=record.first_dealer)


@pytest.fixture(scope="module")
def gin():
    return replace(game(), id="one")


@pytest.fixture(scope="module")
def explicit(gin):
    return replace(written_out(gin), id="two")


@pytest.mark.parametrize(
    "text",
    [
        "deal 3H 4D JK T*",
        "shuffle",
        "shuffle 5C 5C",
        "callers 2 0 1",
        "0 cut 41",
        "1 draw",
        "2 take",
        "0 pass",
        "3 buy",
        "1 rummy",
        "2 discard 7H",
        "0 out 7H",
        "1 lay 8S>3+",
        "1 lay JK>12-",
        "1 lay KH>0",
        "2 down S[7S 7H 2C=7] R[4H 5H JK=6H 7H]",
        "2 down S[7S 7H 2C=7] swap 6H<1.2 KD<0.11 lay KH>0 JK>4+",
        "2 down W[JK JK JK] lay KH>0",
        "0 knock 9D R[AS 2S 3S]",
        "0 knock -",
        "1 defend",
        "1 defend S[4S 4H 4D] lay 4H>0",
    ],
)
def test_notation_round_trips(text):
    assert format_move(parse_move(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "draw",
        "0 fly",
        "0 discard",
        "0 discard 1X",
        "x draw",
        "0 draw 7H",
        "0 cut ten",
        "1 lay 8S",
        "1 lay 8S>x",
        "2 down S[7S",
        "2 down S[7S] lay",
        "2 down S[7S] swap lay 8S>0",
        "0 knock",
        "0 knock 9D rest",
        "1 defend 4H",
        "callers a",
        "deal 4X",
        "2 down R[2C=6]",
        "0 out 7H 8H",
        "-1 draw",
    ],
)
def test_notation_refuses(text):
    with pytest.raises(NotationError) as caught:
        parse_move(text)
    assert caught.value.code == "move.notation"


def test_round_trip_and_replay(gin, explicit):
    for record in (gin, explicit):
        again = read_record(record.to_line())
        assert again == record
        assert again.to_line() == record.to_line()
        played = replay(again)
        assert played.faults == ()
        assert played.state.totals == record.result.totals
        assert played.state.winners == record.result.winners


def test_seeded_and_written_out_records_are_the_same_game(gin, explicit):
    assert replay(gin).state.history == replay(explicit).state.history


def test_make_record_leaves_the_input_game_unnamed_and_counts_rounds(gin):
    assert gin.to_json()["format"] == FORMAT
    assert [r.round_no for r in gin.rounds] == list(range(1, len(gin.rounds) + 1))


def test_a_game_without_a_move_is_valid():  # C166
    rules = load_rules("three-thirteen")
    record = make_record(rules, ["A", "B", "C"], [])
    assert record.rounds == ()
    assert replay(read_record(record.to_line())).faults == ()


def test_an_unfinished_game_is_valid(explicit):
    part = explicit.rounds[0]
    cut = replace(explicit, rounds=(replace(part, moves=part.moves[:5], result=None),), result=None)
    assert replay(read_record(cut.to_line())).faults == ()


def faults(record, change):
    """Faults of a record after a change to its JSON, from reading or from replay."""
    data = copy.deepcopy(record.to_json())
    change(data)
    try:
        return list(replay(read_record(json.dumps(data))).faults)
    except RecordError as err:
        return list(err.faults)


def setter(*path, value):
    def change(data):
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


def remover(*path):
    def change(data):
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return change


@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        (setter("format", value="meld-record/2"), "record.format", "/format"),
        (setter("id", value=7), "record.type", "/id"),
        (setter("rules", value="gin"), "record.type", "/rules"),
        (setter("rules", "name", value="ginn"), "rules.unknown", "/rules/name"),
        (setter("rules", "options", value={"fly": 1}), "rules.option", "/rules/options/fly"),
        (
            setter("rules", "options", value={"knock_limit": 9}),
            "record.fingerprint",
            "/rules/fingerprint",
        ),
        (
            setter("rules", "fingerprint", value="0" * 16),
            "record.fingerprint",
            "/rules/fingerprint",
        ),
        (
            setter("rules", "options", value={"players": 7}),
            "rules.players",
            "/rules/options/players",
        ),
        (setter("seats", value=[]), "record.seats", "/seats"),
        (setter("seats", 0, value=None), "record.type", "/seats/0"),
        (setter("seats", value=["a", "b", "c"]), "record.seats", "/rounds/0/result/hands"),
        (setter("first_dealer", value=2), "record.range", "/first_dealer"),
        (setter("seed", value=[1]), "record.type", "/seed"),
        (setter("rounds", value={}), "record.type", "/rounds"),
        (setter("rounds", 0, "round", value=2), "record.round", "/rounds/0/round"),
        (setter("rounds", 1, "dealer", value=7), "record.range", "/rounds/1/dealer"),
        (setter("rounds", 0, "moves", 3, value="0 fly"), "move.notation", "/rounds/0/moves/3"),
        (setter("rounds", 0, "moves", 3, value=3), "move.notation", "/rounds/0/moves/3"),
        (setter("rounds", 0, "moves", 1, value="1  pass"), "move.notation", "/rounds/0/moves/1"),
        (setter("rounds", 0, "moves", 3, value="0 buy"), "move.phase", "/rounds/0/moves/3"),
        (
            setter("rounds", 0, "result", "ending", value="won"),
            "record.ending",
            "/rounds/0/result/ending",
        ),
        (
            setter("rounds", 0, "result", "ending", value="dead"),
            "record.ending",
            "/rounds/0/result/ending",
        ),
        (setter("rounds", 0, "result", "out", value=5), "record.range", "/rounds/0/result/out"),
        (
            setter("rounds", 0, "result", "hands", 0, value=["4X"]),
            "card.unknown",
            "/rounds/0/result/hands/0/0",
        ),
        (
            setter("rounds", 0, "result", "hands", 0, value=["4h"]),
            "card.notation",
            "/rounds/0/result/hands/0",
        ),
        (
            setter("rounds", 0, "result", "hands", 0, value=["4H"] * 10),
            "record.hands",
            "/rounds/0/result/hands",
        ),
        (
            setter("rounds", 0, "result", "points", 0, value=999),
            "record.points",
            "/rounds/0/result/points",
        ),
        (
            setter("rounds", 0, "result", "totals", 1, value=999),
            "record.totals",
            "/rounds/0/result/totals",
        ),
        (
            setter("rounds", 0, "result", "totals", 1, value=9.5),
            "record.range",
            "/rounds/0/result/totals/1",
        ),
        (setter("rounds", 0, "result", value=None), "record.result", "/rounds/0/result"),
        (setter("result", "totals", 0, value=-1), "record.result", "/result"),
        (setter("result", "winners", value=[9]), "record.range", "/result/winners/0"),
        (setter("result", value=None), "record.result", "/result"),
        (setter("sha256", value="0" * 64), "record.digest", "/sha256"),
        (setter("seats", 0, value="somebody else"), "record.digest", "/sha256"),
        (setter("extra", value=1), "record.key", "/extra"),
        (remover("rounds", 0, "dealer"), "record.key", "/rounds/0"),
        (remover("seats"), "record.key", ""),
        (remover("rounds", 0, "moves", -1), "record.round_unfinished", "/rounds/0"),
        (remover("rounds", -1), "record.result", "/result"),
        (lambda data: data["rounds"].append(data["rounds"][-1]), "record.extra_round", None),
        (lambda data: data["rounds"][0]["moves"].append("0 draw"), "record.extra_move", None),
    ],
)
def test_each_field_broken_in_turn_is_found_at_its_place(explicit, change, code, where):
    found = faults(explicit, change)
    assert found, "expected a fault, got none"
    assert found[0].code == code
    if where is not None:
        assert found[0].where == where


def test_faults_of_moves_name_round_and_move(explicit):
    found = faults(explicit, setter("rounds", 1, "moves", 4, value="0 discard KH"))
    assert found[0].data["round"] == 2
    assert found[0].data["move"] == 5
    line = describe(found[0], "two")
    assert line.startswith("game two, round 2, move 5: expected ")


def test_a_doubled_card_in_the_deal_is_named(explicit):
    def double(data):
        words = data["rounds"][0]["moves"][0].split()
        words[1] = words[2]
        data["rounds"][0]["moves"][0] = " ".join(words)

    found = faults(explicit, double)
    assert (found[0].code, found[0].where) == ("deal.cards", "/rounds/0/moves/0")
    assert "surplus" in found[0].message


def test_two_draws_and_a_card_of_another_hand_are_flagged(explicit):  # C096
    moves = [format_move(m) for m in explicit.rounds[0].moves]
    at = next(i for i, m in enumerate(moves) if m.endswith("draw"))
    seat = moves[at][0]
    again = faults(explicit, setter("rounds", 0, "moves", at + 1, value=moves[at]))
    assert again[0].code == "move.phase"
    held = replay(explicit).state.history[0][0].seats[1 - int(seat)].hand
    # A card that the opponent still holds at the end cannot have been discarded here.
    stolen = f"{seat} discard {format_card(held[0])}"
    found = faults(explicit, setter("rounds", 0, "moves", at + 1, value=stolen))
    assert (found[0].code, found[0].where) == ("move.card", f"/rounds/0/moves/{at + 1}")


def test_1000_random_mutations_leave_no_traceback_and_no_false_acceptance(explicit):
    line = explicit.to_line().encode()
    rng = random.Random(20)
    original = explicit.to_json()
    accepted = []
    for _ in range(1000):
        data = bytearray(line)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(data))
            kind = rng.random()
            if kind < 0.4:
                data[at] = rng.randrange(256)
            elif kind < 0.7:
                del data[at : at + rng.randint(1, 20)]
            else:
                data[at:at] = data[rng.randrange(len(data)) :][: rng.randint(1, 20)]
        (played,) = list(replay_file(io.BytesIO(bytes(data).replace(b"\n", b" ")))) or [None]
        if played is not None and played.is_ok and json.loads(bytes(data)) != original:
            accepted.append(bytes(data))
    assert accepted == []


def test_the_rest_of_a_file_is_read_on(tmp_path, gin, explicit):
    path = tmp_path / "games.jsonl"
    bad = explicit.to_line().replace("discard", "disc", 1)
    lines = [gin.to_line(), "{", "", bad, "[]", "null", '{"format": 1e999}', explicit.to_line()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    played = list(replay_file(path))
    assert [p.is_ok for p in played] == [True, False, False, False, False, False, True]
    assert played[1].faults[0].code == "record.json"
    assert [line.line_no for line in read_records(path)] == [1, 2, 4, 5, 6, 7, 8]


def test_gzip_and_plain_hold_the_same(tmp_path, gin, explicit):
    for name in ("a.jsonl", "a.jsonl.gz"):
        assert write_records(tmp_path / name, [gin, explicit]) == 2
        assert [x.record for x in read_records(tmp_path / name)] == [gin, explicit]
    packed = (tmp_path / "a.jsonl.gz").read_bytes()
    assert packed[:2] == b"\x1f\x8b"
    assert gzip.decompress(packed) == (tmp_path / "a.jsonl").read_bytes()


@pytest.mark.parametrize("kept", [1, 2, 9, 200, -9])
def test_truncated_gzip_gives_one_fault(tmp_path, gin, kept):
    write_records(tmp_path / "a.gz", [gin])
    cut = (tmp_path / "a.gz").read_bytes()[:kept]
    lines = list(read_records(io.BytesIO(cut)))
    assert [f.code for line in lines for f in line.faults] in (
        ["record.truncated"],
        ["record.json"],
    )


def test_not_utf8_and_deep_nesting_are_faults():
    for line in (b"\xff\xfe{}", b"[" * 100_000, b'{"a":' * 50_000):
        with pytest.raises(RecordError):
            read_record(line)


def test_repricing_under_other_rules(gin):
    played = replay(gin)
    scores = reprice(played, load_rules("gin", gin_bonus=0, undercut_bonus=0))
    assert len(scores) == len(gin.rounds)
    for (facts, _), score in zip(played.state.history, scores, strict=True):
        left = [sum(score_of(c) for c in seat.hand) for seat in facts.seats]
        if facts.ending == "knock":
            assert abs(score.points[0] - score.points[1]) == abs(left[0] - left[1])


def score_of(card):
    return min(10, card % 13 + 1)


def test_repricing_courts_of_three_thirteen():
    record = game("three-thirteen", 2, seed=1, rounds=1)
    played = replay(record)
    other = load_rules("three-thirteen", points={"J": 11, "Q": 12, "K": 13, "A": 15})
    (score,) = reprice(played, other)
    loser = max(range(2), key=lambda s: record.rounds[0].result.points[s])
    assert score.points[1 - loser] == 0
    assert score.points[loser] >= record.rounds[0].result.points[loser]


def test_equal_seeds_give_equal_games_and_others_do_not():
    rules = load_rules("gin", rounds=1, end_score=None)
    lines = {play_game(rules, [SimplePlayer()] * 2, seed).to_line() for seed in (5, 5, 6)}
    assert len(lines) == 2
    assert first_dealer(rules, 2, 5) == first_dealer(rules, 2, 5)


def test_make_record_refuses_an_illegal_move():
    with pytest.raises(MeldSolverError):
        make_record(load_rules("gin"), ["A", "B"], [parse_move("0 draw")])


def test_a_refused_move_changes_nothing():  # C094
    rules = load_rules("gin")
    state = new_game(rules, 2)
    state = apply(state, chance_move(state, 1))
    before = state
    with pytest.raises(MeldSolverError):
        apply(state, parse_move("1 discard 9C"))
    assert state == before
    assert legal_moves(state)


def test_a_record_is_for_the_players_that_its_options_name():
    written = json.loads(game("three-thirteen", rounds=1, deal_sizes=[3]).to_line())
    written["rules"]["options"]["players"] = 7
    (fault,) = replay(read_record(written)).faults
    assert (fault.code, fault.where) == ("game.players", "/rules/options/players")


def test_a_record_with_a_fingerprint_of_before_is_read():
    record = game("three-thirteen", rounds=2, deal_sizes=[3, 4])
    rules = load_rules("three-thirteen", **record.options, players=2)
    former = replace(record, fingerprint=rules.former_fingerprint)
    assert former.fingerprint != record.fingerprint
    assert replay(former).is_ok


def test_a_record_written_by_hand_needs_no_fingerprint():
    written = json.loads(game("three-thirteen", rounds=1, deal_sizes=[3]).to_line())
    del written["sha256"], written["rules"]["fingerprint"]
    record = read_record(written)
    assert record.fingerprint is None
    assert replay(record).is_ok
    assert read_record(record.to_json()) == record  # and its digest holds
    written["rules"]["options"] = {"rounds": 2, "deal_sizes": [3, 4]}
    assert not replay(read_record(written)).is_ok  # the rest is judged as ever
