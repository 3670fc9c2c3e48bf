"""The command ``replay``: every kind of file, what disagrees, other prices, hostile input."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from random import Random

import pytest
from click.testing import CliRunner

from solver.cli import main
from solver.cli.lazy import load
from solver.engine.importers.gin_results import COLUMNS
from solver.engine.selfplay import SimplePlayer, play_game
from solver.rules.loader import load_rules
from tests.engine.test_importers import own_game
from tests.mutations import canonical, damaged, damaged_text, parsed
from tests.unit.test_cli_score import save_text

load("solver.cli.replay:replay_command")  # some library draws from the global generator on import

TABLE = (
    f"{','.join(COLUMNS)}\n0,0,0,6,1,11,0,6,13,7\n0,1,0,43,1,3,0,37,45,8\n"
    "1,0,35,0,0,4,35,0,0,10\n1,1,35,0,null,9,0,0,7,9\n"
)
"""Two games; 35 is gin: the 10 of the other and 25."""


def run(*arguments, stdin=None):
    result = CliRunner().invoke(main, ("replay", *arguments), input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def rows_of(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def recorded(name="gin", seed=3, n_players=2, **options):
    record = play_game(load_rules(name, **options), [SimplePlayer()] * n_players, seed)
    return replace(record, id=f"{name}-{seed}")


@pytest.fixture(scope="module")
def records():
    one = recorded("gin", rounds=1)
    return [one, recorded("gin", 4, rounds=1), recorded("deuces-arent-wild", 5, cards_dealt=14)]


@pytest.fixture(scope="module")
def lines(records):
    return [record.to_line() for record in records]


# --- good files ---------------------------------------------------------------------------------


def test_records_replay_whole(tmp_path, lines):
    file = tmp_path / "games.ndjson"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = run(str(file))
    assert result.exit_code == 0
    assert result.stdout == "3 games, 3 replayed whole, 0 disagreements, 0 unreadable\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_stdin_plain_and_gzip_as_json(records, lines, pack):
    result = run("-", "--json", stdin=pack("\n\n".join(lines).encode()))
    assert result.exit_code == 0
    rows = rows_of(result)
    assert [row["id"] for row in rows] == [record.id for record in records]
    for row, record in zip(rows, records, strict=True):
        assert (row["kind"], row["ok"], row["source"]) == ("record", True, "stdin")
        assert row["totals"] == list(record.result.totals)
        assert row["winners"] == list(record.result.winners)
    assert result.stderr.endswith("3 games, 3 replayed whole, 0 disagreements, 0 unreadable\n")


def test_a_record_written_over_several_lines_and_a_list(records):
    document = records[0].to_json()
    assert run("-", stdin=json.dumps(document, indent=2)).exit_code == 0
    result = run("-", "--json", stdin=json.dumps([document, 7, document]))
    assert [row["ok"] for row in rows_of(result)] == [True, False, True]


def test_openspiel_tables_and_saves_are_told_apart(tmp_path):
    spiel, table, save = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    spiel.write_text(json.dumps(own_game()), encoding="utf-8")
    table.write_text(TABLE, encoding="utf-8")
    save.write_text(save_text(), encoding="utf-8")
    result = run(str(spiel), str(table), str(save), "--json")
    assert result.exit_code == 0
    rows = rows_of(result)
    kinds = ["openspiel", "gin-table", "gin-table", "five-crowns"]
    assert [row["kind"] for row in rows] == kinds
    assert [row["totals"] for row in rows] == [[17, 0], [0, 43], [35, 0], [6, 0]]
    assert [row["rounds"] for row in rows] == [1, 2, 2, 1]


def test_lines_of_both_kinds_in_one_file(lines):
    result = run("-", "--json", stdin=f"{lines[0]}\n{json.dumps(own_game())}\n")
    assert [row["kind"] for row in rows_of(result)] == ["record", "openspiel"]


# --- what disagrees -----------------------------------------------------------------------------


def test_each_disagreement_is_one_line_and_the_next_game_is_read(records, lines):
    wrong = records[0].to_json()
    wrong["rounds"][0]["result"]["points"] = [999, 0]
    move = records[1].to_json()
    move["rounds"][0]["moves"][1] = "0 knock -"
    text = "\n".join([json.dumps(wrong), "{", json.dumps(move), lines[2]])
    result = run("-", stdin=text)
    assert result.exit_code == 1
    shown = result.stdout.splitlines()
    points = list(records[0].rounds[0].result.points)
    assert shown[0] == (
        f"stdin: game gin-3, round 1: expected {points}, got [999, 0]"
        " [record.points at /rounds/0/result/points]"
    )
    assert shown[1].startswith("stdin: game line 2: expected a key in double quotes, got the end")
    assert shown[2].startswith("stdin: game gin-4, round 1, move 2: expected ")
    assert shown[2].endswith(" at /rounds/0/moves/1]")
    assert shown[-1] == "3 games, 1 replayed whole, 2 disagreements, 1 unreadable"
    assert len(shown) == 4


def test_a_table_names_the_row_that_is_wrong_and_the_row_that_is_none():
    text = TABLE.replace("0,37,45,8", "0,38,45,8").replace("1,1,35", "1,x,35")
    result = run("-", stdin=text)
    assert result.exit_code == 1
    assert "game 0, round 1: expected points (0, 37), got (0, 38) [gin.points]" in result.stdout
    assert "[gin.row]" in result.stdout
    assert result.stdout.endswith("2 games, 1 replayed whole, 2 disagreements, 1 unreadable\n")


def test_a_save_with_a_card_too_many():
    result = run("-", stdin=save_text(extra=["9C"]))
    assert result.exit_code == 1
    assert "expected at most 2 of 9C, got 3 [deck.surplus]" in result.stdout


def test_returns_of_openspiel_that_are_not_those_of_the_game():
    result = run("-", stdin=json.dumps({**own_game(), "returns": [18.0, -18.0]}))
    assert "game own-1: expected returns [17, -17], got [18, -18]" in result.stdout
    assert result.exit_code == 1


def test_files_that_cannot_be_read_stop_no_other(tmp_path, lines):
    binary, cut, good = tmp_path / "binary", tmp_path / "cut.gz", tmp_path / "good"
    binary.write_bytes(b"\xff\xfe\x00\x01" * 50)
    cut.write_bytes(gzip.compress("\n".join(lines).encode())[:-30])
    good.write_text(lines[0], encoding="utf-8")
    (tmp_path / "empty").touch()
    files = [tmp_path / "missing", tmp_path, binary, cut, tmp_path / "empty", good]
    result = run(*map(str, files), "--json")
    assert result.exit_code == 1
    rows = [
        (row["source"], row["ok"], [f["code"] for f in row["faults"]]) for row in rows_of(result)
    ]
    assert rows[:3] == [
        ("missing", False, ["file.read"]),
        (tmp_path.name, False, ["file.read"]),
        ("binary", False, ["file.kind"]),
    ]
    assert rows[-2] == ("cut.gz", False, ["record.truncated"])
    assert rows[-1] == ("good", True, [])


# --- other prices -------------------------------------------------------------------------------


def test_other_rules_price_what_happened(records, lines):
    points = list(records[0].rounds[0].result.points)
    assert rows_of(run("-", "--json", "-r", "gin", "--option", "rounds=1", stdin=lines[0]))[0][
        "priced"
    ] == {"points": [points], "totals": points}
    shown = run("-", "-r", "gin", stdin=lines[0]).stdout.splitlines()[0]
    assert shown.startswith("stdin: game gin-3: priced by gin: ")
    # 0 knocks with AD 2D left, 1 keeps KS KH: 20 - 3, and 40 - 3 where a king costs 20.
    for options, won in (((), 17), (("--option", "points=K=20"), 37)):
        (row,) = rows_of(run("-", "--json", "-r", "gin", *options, stdin=json.dumps(own_game())))
        assert row["priced"] == {"points": [[won, 0]], "totals": [won, 0]}


def test_rules_that_cannot_price_a_game(lines):
    result = run("-", "-r", "liverpool", stdin=lines[0])
    assert result.exit_code == 1
    assert "game gin-3: not priced: expected 3..8 players in liverpool, got 2" in result.stdout
    assert result.stdout.endswith(
        "1 game, 1 replayed whole, 0 disagreements, 0 unreadable, 1 not priced\n"
    )


def test_a_table_has_too_few_facts_for_other_prices():
    result = run("-", "-r", "gin", stdin=TABLE)
    assert result.exit_code == 1
    assert "not priced" in result.stdout
    assert "[replay.facts]" in result.stdout
    assert result.stdout.endswith("0 unreadable, 2 not priced\n")


def test_usage():
    assert run("-", "--option", "rounds=1", stdin="").exit_code == 2
    assert run("-", "-r", "ginn", stdin="").exit_code == 2
    assert run().exit_code == 2


# --- hostile input ------------------------------------------------------------------------------


@pytest.mark.slow
def test_damaged_records_are_refused_each_by_itself(records):
    rng = Random(5)
    wanted, sent = [], []
    for k in range(1000):
        record = records[k % 3].to_json()
        data = json.dumps(record)
        line = damaged_text(data, rng) if k % 3 else json.dumps(damaged(record, rng)).encode()
        sent.append(line)
        wanted.append(canonical(parsed(line)) == canonical(record))
    result = run(
        "-", "--json", "-r", "gin", stdin=json.dumps(record).encode() + b"\n" + b"\n".join(sent)
    )
    rows = rows_of(result)
    assert len(rows) == 1001
    assert rows[0]["ok"]
    assert [row["ok"] and not same for row, same in zip(rows[1:], wanted, strict=True)] == [
        False
    ] * 1000
    assert all(row["ok"] or row["faults"] for row in rows)
    shown = run("-", stdin=b"{}\n" + b"\n".join(sent)).stdout
    assert (
        sum(line.startswith("stdin: game ") for line in shown.splitlines())
        == len(shown.splitlines()) - 1
    )


@pytest.mark.slow
@pytest.mark.parametrize("text", [TABLE, save_text(), json.dumps(own_game())], ids="tso")
def test_other_files_damaged_anywhere_end_without_a_traceback(text):
    rng = Random(7)
    for _ in range(60):
        data = bytearray(text.encode())
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(3)] = rng.choice(
                [
                    b"",
                    b"\0",
                    b"9" * 30,
                    b"\xff",
                    b"\n",
                    b'"',
                    b"[",
                    b"-",
                    "\u00b2".encode(),
                    b"null",
                ]
            )
        for arguments in ((), ("--json", "-r", "gin")):
            assert run("-", *arguments, stdin=bytes(data)).exit_code in {0, 1}


@pytest.mark.parametrize(
    "data",
    [
        {"params": 5, "history": [], "returns": []},
        {"params": {}, "history": 5, "returns": []},
        {"params": {}, "history": [], "returns": [float("inf")]},
        {"params": {}, "history": [], "returns": [], "players": 3},
        {"params": {"knock_card": [[]]}, "history": [], "returns": []},
        {"params": {}, "history": [[-1, 10**40]] * 30, "returns": [], "id": {"a": 1}},
    ],
)
def test_openspiel_games_of_the_wrong_form(data):
    result = run("-", stdin=json.dumps(data))
    assert result.exit_code == 1
    assert result.stdout.endswith("0 replayed whole, 0 disagreements, 1 unreadable\n")


def test_scores_and_numbers_beyond_measure():
    save = save_text().replace("Score: 6", f"Score: {'9' * 5000}")
    assert "[save.format]" in run("-", stdin=save).stdout
    assert (
        "[save.format]" in run("-", stdin=save_text().replace("Score: 6", "Score: \u00b2")).stdout
    )
    assert "[gin.row]" in run("-", stdin=TABLE.replace("43", "9" * 5000)).stdout
    assert "[gin.row]" in run("-", stdin=TABLE + '0,0,"' + "x" * 200_000 + '"\n').stdout
    deep = '{"format":' + "[" * 900 + "]" * 900 + "}"
    assert run("-", stdin=deep).exit_code == 1
    assert run("-", stdin='{"a":' + "9" * 5000 + "}").exit_code == 1


def test_names_with_line_breaks_and_half_signs_stay_on_one_line(records):
    record = {**records[0].to_json(), "id": "a\nb\x1b[2J\ud800"}
    (line, summary) = run("-", stdin=json.dumps(record)).stdout.splitlines()
    assert line.startswith(r"stdin: game a\nb\x1b[2J\ud800: ")
    assert line.endswith("[record.digest at /sha256]")
    assert summary.startswith("1 game, 0 replayed whole, 1 disagreement")


@pytest.mark.parametrize("seed", ["\ud800", "x" * 201, True, 1.5, []])
def test_seeds_that_are_none(records, seed):
    result = run("-", stdin=json.dumps({**records[0].to_json(), "seed": seed}))
    assert "[record.type at /seed]" in result.stdout


# --- archives of others -------------------------------------------------------------------------


def test_the_shared_tables_and_saves(shared_dir):
    data = shared_dir / "data"
    tables = sorted((data / "gin-results").glob("*.csv"))
    saves = sorted((data / "five-crowns").glob("*.txt"))
    result = run(*map(str, [*tables, *saves]))
    assert "a_IntraGame.csv: game line 175: expected whole numbers" in result.stdout
    assert "Case3.txt: game line 1, round 11: expected at most 2 of 5H, got 3" in result.stdout
    assert "b_IntraGame.csv" not in result.stdout
    assert "Case1.txt" not in result.stdout


def test_openspiel_histories_of_the_shared_folder(shared_dir):
    path = shared_dir / "data" / "openspiel" / "gin-300.jsonl"
    with path.open("rb") as file:
        head = b"".join(file.readline() for _ in range(40))
    assert run("-", stdin=head).stdout == (
        "40 games, 40 replayed whole, 0 disagreements, 0 unreadable\n"
    )
