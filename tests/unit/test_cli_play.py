"""The command ``play``: self-play with records, a person at a piped terminal, wrong input."""

from __future__ import annotations

import gzip
import io
import json
import re
from random import Random

import pytest
from click.testing import CliRunner

from solver.cards import format_card
from solver.cli import main
from solver.cli.at_table import read_move
from solver.cli.lazy import load
from solver.cli.position import show_position
from solver.cli.show import Screen
from solver.engine.archive import read_records
from solver.engine.dealing import chance_move
from solver.engine.legal import legal_moves
from solver.engine.moves import CHANCE
from solver.engine.notation import format_move, parse_move
from solver.engine.referee import apply
from solver.engine.replay import replay
from solver.engine.state import new_game
from solver.errors import IllegalMoveError, NotationError
from solver.players.facts import Facts, view_of
from solver.rules.loader import load_rules

load("solver.cli.play:play_command")  # some library draws from the global generator on import

# The last round of each game, so that a run is short; gin is one deal.
GAMES = {
    "three-thirteen": "cards_dealt=13",
    "speed-three-thirteen": "cards_dealt=13",
    "five-crowns": "cards_dealt=13",
    "deuces-arent-wild": "cards_dealt=14",
    "liverpool": "deal=7",
    "liverpool-i-may": "deal=7",
    "gin": "rounds=1",
    "oklahoma-gin": "rounds=1",
}


def run(*arguments, stdin=None):
    result = CliRunner().invoke(main, ("play", *arguments), input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def record_of(path):
    (line,) = read_records(path)
    assert line.faults == ()
    assert replay(line.record).faults == ()
    return line.record


# --- self-play ----------------------------------------------------------------------------------


def test_self_play_writes_records_that_replay_accepts(tmp_path):
    arguments = ("--auto", "-r", "gin", "--option", "rounds=1", "--games", "3", "--seed", "8")
    plain, packed = tmp_path / "games.ndjson", tmp_path / "games.ndjson.gz"
    assert run(*arguments, "-o", str(plain)).exit_code == 0
    assert run(*arguments, "-o", str(packed)).exit_code == 0
    shown = run(*arguments).stdout
    assert plain.read_text(encoding="utf-8") == shown
    assert gzip.decompress(packed.read_bytes()).decode() == shown
    lines = list(read_records(plain))
    assert [line.record.id for line in lines] == ["gin-8-0", "gin-8-1", "gin-8-2"]
    assert len({line.record.rounds[0].moves for line in lines}) == 3
    assert all(replay(line.record).is_ok and line.record.result for line in lines)
    judged = CliRunner().invoke(main, ("replay", str(packed)))
    assert judged.stdout == "3 games, 3 replayed whole, 0 disagreements, 0 unreadable\n"


def test_named_players_take_seats_in_turn():
    arguments = ("--auto", "-r", "three-thirteen", "--option", "cards_dealt=13", "--players", "3")
    shown = run(*arguments, "--against", "random", "--against", "greedy").stdout
    assert json.loads(shown)["seats"] == ["random 0", "greedy 1", "random 2"]
    assert json.loads(run(*arguments).stdout)["seats"] == ["greedy 0", "greedy 1", "greedy 2"]


@pytest.mark.parametrize("name", GAMES)
def test_every_game_plays_itself(name):
    record = run("--auto", "-r", name, "--option", GAMES[name]).stdout
    (line,) = read_records(io.BytesIO(record.encode()))
    assert replay(line.record).is_ok
    assert line.record.result is not None


# --- a person at the terminal -------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_played_through_a_pipe(tmp_path, name):
    """Whatever numbers and words come in, the record stands and nothing breaks."""
    rng = Random(3)
    words = ["1", "1", "2", "3", "hint", "show", "?", "pass", "draw", "99", "foo", "discard 7H"]
    stdin = "".join(f"{rng.choice(words)}\n" for _ in range(150))
    file = tmp_path / "game.ndjson"
    result = run("-r", name, "--option", GAMES[name], "--seed", "4", "-o", str(file), stdin=stdin)
    assert result.exit_code == 0
    record = record_of(file)
    assert (record.id, record.seats[0]) == (f"{name}-4", "you")
    moves = [move for played in record.rounds for move in played.moves if move.seat == 0]
    assert len(moves) > 3
    ended = re.search("the game is over|stopped before the end", result.stdout)
    assert ended is not None
    assert (ended[0] == "the game is over") == (record.result is not None)


def test_only_the_own_view_is_shown(tmp_path):
    """Until the round ends the terminal names no card of the other hand or of the stock."""
    file = tmp_path / "game.ndjson"
    arguments = ("-r", "gin", "--seed", "3", "--against", "random", "-o", str(file))
    shown = run(*arguments, stdin="pass\n").stdout
    record = record_of(file)
    state = new_game(load_rules("gin"), 2, first_dealer=record.first_dealer)
    for move in (m for played in record.rounds for m in played.moves):
        while state.actor == CHANCE:
            state = apply(state, chance_move(state, record.seed))
        state = apply(state, move)
    dealt = {format_card(c) for c in (*state.round.hands[0], *state.round.discards)}
    signs = str.maketrans("♠♥♦♣", "SHDC")
    named = re.findall(r"\b(10|[A2-9JQK])([♠♥♦♣])", shown)
    told = {f"{rank.replace('10', 'T')}{sign.translate(signs)}" for rank, sign in named}
    assert told <= dealt
    assert {format_card(c) for c in state.round.hands[0]} <= told


def test_wrong_input_is_explained_and_asked_again(tmp_path):
    file = tmp_path / "game.ndjson"
    lines = ["x", "0", "99", "9" * 5000, "1 pass", "discard KS", "draw", "  ", "hint", "?", "pass"]
    arguments = ("-r", "gin", "--seed", "3", "-o", str(file))
    shown = run(*arguments, stdin="\n".join([*lines, "q", "never read"])).stdout
    for told in (
        "expected one of draw, take",
        "got 'x'; ? helps",
        "expected a number 1..2, got 0",
        "expected a number 1..2, got 99",
        "expected your seat 0, got 1",
        "expected take or pass, got 'discard KS'",
        "expected take or pass, got 'draw'",
        "hint: ",
        "a number        the move of that number",
        "stopped before the end of the game",
    ):
        assert told in shown
    moves = [format_move(m) for m in record_of(file).rounds[0].moves if m.seat == 0]
    assert moves[0] == "0 pass"


@pytest.mark.parametrize("stdin", ["", "q\n", "hint", b"\xff\xfe\n\0\n"])
def test_the_input_may_end_anywhere(tmp_path, stdin):
    file = tmp_path / "game.ndjson.gz"
    result = run("-r", "gin", "--seed", "3", "-o", str(file), stdin=stdin)
    assert result.exit_code == 0
    assert record_of(file).result is None


def test_the_hand_lies_in_its_best_melds():
    shown = run("-r", "gin", "--seed", "3", stdin="").stdout
    assert "[Q♥ Q♦ Q♣]" in shown
    assert "(50 points)" in shown  # 8 3 5 7 9 10 8
    assert "1 take K♥  2 pass" in shown


@pytest.mark.parametrize(
    ("game", "hand", "down", "shown"),
    [
        # Deal 2 asks a set and a run of four; there is no run, so all cards count: 65.
        (
            ("liverpool", {"deal": 2}),
            "5S 5H 5D 9D 9C 9S KS KD KC 3H",
            (),
            ["(65 points); the contract cannot be laid", "if it were already down: ", "(5 points)"],
        ),
        # Deal 1 asks two sets: fives or nines and kings, twenty points stay.
        (
            ("liverpool", {"deal": 1}),
            "5S 5H 5D 9D 9C 9S KS KD KC 3H",
            (),
            ["(20 points); the contract can be laid"],
        ),
        # Once the contract is down, a set in hand cannot be laid any more.
        (("liverpool", {"deal": 1}), "5S 5H 5D 9C", (0,), ["5S 5H 5D 9C  (20 points in hand)"]),
        (
            ("kalooki-51", {}),
            "5S 5H 5D 9C",
            (),
            ["(9 points); worth 15, and first melds must be worth 51"],
        ),
        (("kalooki-51", {}), "5S 5H 5D 9C", (0,), ["[5S 5H 5D]  loose 9C  (9 points)"]),
        (("three-thirteen", {"cards_dealt": 3}), "5S 5H 5D 9C", (), ["loose 9C  (9 points)"]),
    ],
)
def test_the_hand_is_shown_for_what_may_be_laid(game, hand, down, shown, capsys):
    facts = Facts(down=down, ask="play")
    name, options = game
    seen = view_of(hand, load_rules(name, **options), facts)
    screen = Screen()
    screen.signs = False
    names = [f"player {seat}" for seat in range(len(seen.hand_sizes))]
    show_position(seen, names, screen)
    told = capsys.readouterr().out
    for words in shown:
        assert words in told, told
    assert ("if it were already down" in told) is any("already" in words for words in shown)


# --- what a person may type ---------------------------------------------------------------------


def test_texts_of_moves():
    rules = load_rules("three-thirteen", players=2, cards_dealt=13)
    state = new_game(rules, 2, first_dealer=1)
    while state.actor == CHANCE:
        state = apply(state, chance_move(state, 5))
    moves = [m for m in legal_moves(state) if m.seat == 0]
    assert format_move(read_move("draw", state, moves)) == "0 draw"
    assert format_move(read_move("0 Draw".lower(), state, moves)) == "0 draw"
    assert read_move("1", state, moves) == moves[0]
    state = apply(state, moves[0])
    moves = [m for m in legal_moves(state) if m.seat == 0]
    card = format_card(state.round.hands[0][0])
    for text in (
        card,
        card.lower(),
        f"discard {card}",
        f"DISCARD {card.lower()}",
        f"0 discard {card}",
    ):
        assert format_move(read_move(text, state, moves)) == f"0 discard {card}"
    for text, error in (("hop", NotationError), ("1 draw", IllegalMoveError), ("7", None)):
        if error is None:
            assert read_move(text, state, moves) == moves[6]
        else:
            with pytest.raises(error):
                read_move(text, state, moves)


def test_a_move_that_is_fined_needs_a_mark():
    rules = load_rules("liverpool", deal=1, players=3)
    state = new_game(rules, 3, first_dealer=2)
    while "draw" not in str(state.phase):
        move = chance_move(state, 5) if state.actor == CHANCE else parse_move(f"{state.actor} pass")
        state = apply(state, move)
    state = apply(state, parse_move("0 draw"))
    a, b, c = (format_card(card) for card in state.round.hands[0][:3])
    text = f"down s[{a} {b} {c}]"
    with pytest.raises(IllegalMoveError) as caught:
        read_move(text, state, ())
    assert caught.value.code == "move.fined"
    fined = apply(state, read_move(f"{text} !", state, ()))
    assert fined.round.n_fined("false meld") == (1, 0, 0)


# --- usage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("--auto", "--match", "greedy", "random"),
        ("--match", "greedy", "random", "-o", "x"),
        ("--json",),
        ("--games", "3"),
        ("--against", "cheat"),
        ("-o", "cards_dealt=13"),
        ("-o", "-"),
        ("-o", "no/such/folder/x.ndjson"),
        ("--auto", "-o", "."),
        ("--players", "3"),
        ("--option", "x=1"),
    ],
)
def test_usage(arguments):
    result = run("-r", "gin", *arguments, stdin="")
    assert result.exit_code == 2, result.output
    assert result.stderr


def test_a_file_that_fails_midway_is_not_left_half_written(tmp_path):
    result = run("--auto", "-r", "gin", "--players", "5", "-o", str(tmp_path / "x.ndjson"))
    assert result.exit_code == 2
    assert "expected 2 players, got 5" in result.stderr
    assert list(tmp_path.iterdir()) == []
