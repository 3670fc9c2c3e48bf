"""The command line: solve, check, rules, warm, bench; what --help may load; bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from solver.cli import COMMANDS, main
from solver.cli.lazy import load
from solver.rules.loader import list_rules

# Loaded here and not inside a test: some library draws from the global generator on import.
for target, _ in COMMANDS.values():
    load(target)

UTF8 = {"PYTHONIOENCODING": "utf-8"}


def run(*arguments, stdin=None):
    return CliRunner().invoke(main, arguments, input=stdin)


def run_process(*arguments, stdin=b"", **environment):
    """Run the command as its own process, as a shell does that says nothing about colour."""
    outside = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    return subprocess.run(
        [sys.executable, "-m", "solver.cli", *arguments],
        input=stdin,
        capture_output=True,
        timeout=300,
        env={**outside, "PYTHONUTF8": "0", **environment},
        check=False,
    )


def json_of(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


# --- what is loaded -----------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_help_and_version_load_nothing_heavy(flag):
    program = (
        "import sys\n"
        "from solver.cli import main\n"
        f"try: main([{flag!r}])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "heavy = {'numba', 'numpy', 'flask', 'ortools', 'pydantic', 'rich', 'solver.solve'}\n"
        "print('LOADED', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "LOADED []"


def test_the_table_of_commands_tells_what_the_commands_tell():
    for name, (target, text) in COMMANDS.items():
        command = load(target)
        assert command.name == name
        assert command.help
        assert text.endswith(".")
        assert f"{name} " in run("--help").stdout


def test_unknown_command():
    result = run("slove")
    assert result.exit_code == 2
    assert "slove" in result.stderr


# --- solve --------------------------------------------------------------------------------------


def test_solve_json():
    hand = "KS KH 7D 8D 2C 3C 9H JS 4D"  # rule book 9.1, A19
    answer = json_of(run("solve", hand, "-r", "three-thirteen", "-O", "cards_dealt=9", "--json"))
    assert (answer["penalty"], answer["proved"], answer["lower_bound"]) == (34, True, 34)
    assert sorted(answer["hand"]) == sorted(hand.split())
    assert answer["rules"]["name"] == "three-thirteen"


def test_solve_for_people():
    result = run("solve", "9d", "3H,", "♠3", "-r", "three-thirteen", "-O", "cards_dealt=3")
    assert result.exit_code == 0
    assert "penalty 0  (proved" in result.stdout
    assert "[3♠=7♦ 3♥=8♦ 9♦]" in result.stdout


def test_wilds_tens_and_jokers_as_people_write_them():
    result = run("solve", "JK 4* TH 8D", "-r", "five-crowns", "-O", "cards_dealt=4")  # F3
    assert "[4★=8♥ JK=9♥ 10♥]" in result.stdout
    assert "left    8♦  (8)" in result.stdout
    result = run("solve", "KS KH 9H", "-r", "three-thirteen", "-O", "cards_dealt=9")
    assert "9♥=K" in result.stdout


def test_options_reach_the_rules():
    plain = json_of(run("solve", "KD AD 2D", "-r", "three-thirteen", "--json"))
    both = json_of(
        run(
            "solve",
            "KD AD 2D",
            "-r",
            "three-thirteen",
            "-O",
            "ace=both",
            "-O",
            "points=A=15",
            "--json",
        )
    )
    assert (plain["penalty"], both["penalty"]) == (13, 27)  # A7, A8


def test_all_and_discard():
    answer = json_of(
        run("solve", "5S 6S 7S 6H 6D", "-r", "gin", "--all", "5", "--discard", "--json")
    )
    assert answer["optimal"]["count"] == 2
    assert answer["optimal"]["complete"] is True
    assert answer["discards"][0]["penalty"] == min(d["penalty"] for d in answer["discards"])
    shown = run("solve", "5S 6S 7S 6H 6D", "-r", "gin", "--all", "5", "--discard").stdout
    assert "optimal arrangements: 2" in shown
    assert "discard, best first:" in shown


def test_engines_agree():
    for engine in ("suit", "frontier", "cpsat"):
        hand = "7S 7H 7D 7C 8C 9C TC 8S 9S KD"  # G3
        arguments = ("-r", "gin", "--engine", engine, "--time-limit", "5", "--json")
        answer = json_of(run("solve", hand, *arguments))
        assert (answer["penalty"], answer["engine"]) == (10, engine)


def test_contract_of_the_deal_and_of_the_option():
    rules = ("-r", "liverpool", "-O", "deal=1")
    hand = "7S 7H 7D KS KH KD 4D JC"
    assert json_of(run("solve", hand, *rules, "--contract", "deal", "--json"))["penalty"] == 15
    missed = json_of(run("solve", hand, *rules, "--contract", "r4+r4", "--json"))
    assert missed["can_lay"] is False
    assert "cannot be laid" in run("solve", hand, *rules, "--contract", "r4+r4").stdout


def test_hands_from_stdin_one_a_line():
    lines = "\ufeff7S 7H 7D KC\r\n\r\n# a comment\r\nKD AD 2D  # no meld\r\n"
    result = run("solve", "-", "-r", "gin", "--json", stdin=lines)
    assert result.exit_code == 0
    assert [json.loads(line)["penalty"] for line in result.stdout.splitlines()] == [10, 13]
    shown = run("solve", "-", "-r", "gin", stdin=lines).stdout.splitlines()
    assert shown[0].split()[:6] == ["10", "[7♠", "7♥", "7♦]", "/", "K♣"]
    assert shown[1].split()[:6] == ["13", "-", "/", "A♦", "2♦", "K♦"]


def test_hands_from_a_file_and_rejected_rows(tmp_path):
    file = tmp_path / "hands.txt"
    file.write_text("7S 7H 7D\n7S ZZ\nKD AD 2D\n", encoding="utf-8")
    result = run("solve", "--file", str(file), "-r", "gin")
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 2
    assert result.stderr.startswith("error: line 2 /hand/1: card 2: expected a card")
    rows = run("solve", "--file", str(file), "-r", "gin", "--json").stdout.splitlines()
    assert [json.loads(r).get("penalty") for r in rows] == [0, None, 13]
    error = json.loads(rows[1])
    assert (error["row"], error["error"]["code"]) == ("line 2", "card.unknown")


# --- what the terminal can show -----------------------------------------------------------------


def test_ascii_where_the_terminal_needs_it():
    done = run_process(
        "solve",
        "JK 4* TH 8D",
        "-r",
        "five-crowns",
        "-O",
        "cards_dealt=4",
        PYTHONIOENCODING="ascii",
    )
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode("ascii")
    assert "[4*=8H JK=9H TH]" in text


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_no_encoding_breaks_the_tables(encoding):
    for arguments in (["rules"], ["rules", "liverpool"]):
        done = run_process(*arguments, PYTHONIOENCODING=encoding)
        assert done.returncode == 0, done.stderr
        done.stdout.decode(encoding)


def test_colour_only_on_a_terminal_and_not_against_no_color():
    hand = ("solve", "7H 7D 7C", "-r", "gin")
    assert b"\x1b[" not in run_process(*hand, **UTF8).stdout
    forced = run_process(*hand, **UTF8, FORCE_COLOR="1", TERM="xterm-256color")
    assert b"\x1b[31m7\xe2\x99\xa5" in forced.stdout
    assert b"\x1b[34m" not in forced.stdout
    four = run_process(*hand, "--four-colour", **UTF8, FORCE_COLOR="1", TERM="xterm-256color")
    assert b"\x1b[34m7\xe2\x99\xa6" in four.stdout
    plain = run_process(*hand, **UTF8, FORCE_COLOR="1", TERM="xterm-256color", NO_COLOR="1")
    assert b"\x1b[31m" not in plain.stdout


# --- check, rules, warm, bench ------------------------------------------------------------------


def test_check_of_a_legal_layout():
    hand = "AS 2S 3S 3H 3D 4S 5S KC QC JH"  # rule book 9.2, G1
    answer = json_of(run("check", hand, "3S 3H 3D", "-r", "gin", "--json"))
    assert (answer["legal"], answer["penalty"], answer["above_best"]) == (True, 42, 6)
    shown = run("check", hand, "3S 3H 3D", "-r", "gin")
    assert shown.exit_code == 0
    assert "6 more than the best" in shown.stdout
    assert "as good as the best" in run("check", hand, "AS 2S 3S 4S 5S", "-r", "gin").stdout


PLACED = "JK 8S 9S QD QC 5H KD"
JOKERS = ("-r", "three-thirteen", "-O", "cards_dealt=7", "-O", "jokers_per_pack=2")


@pytest.mark.parametrize(
    "meld",
    [
        "R[JK=JD QD KD]",
        "r[jk=jd qd kd]",
        "R[JK QD KD]",
        "[JK=J♦ Q♦ K♦]",
        "[★=J♦ Q♦ K♦]",
        "JK QD KD",
    ],
)
def test_check_reads_melds_as_answers_print_them(meld):
    # Left by inspection: 8 + 9 + 10 + 5; kings being high, the joker is the jack.
    answer = json_of(run("check", PLACED, meld, *JOKERS, "--json"))
    assert (answer["legal"], answer["penalty"]) == (True, 32)
    assert answer["layout"]["melds"][0]["text"] == "R[JK=JD QD KD]"


def test_check_reads_what_solve_prints():
    solved = json_of(run("solve", PLACED, *JOKERS, "--json"))
    melds = [meld["text"] for meld in solved["melds"]]
    assert any("=" in meld for meld in melds)
    answer = json_of(run("check", PLACED, *melds, *JOKERS, "--json"))
    assert (answer["legal"], answer["above_best"]) == (True, 0)


def test_check_judges_the_places_that_are_declared():
    result = run("check", "7S 8S JK 9S", "R[7S 8S 9S JK=JS]", "-r", "liverpool", "-O", "deal=1")
    assert result.exit_code == 1
    assert "[meld.order]" in result.stderr
    result = run("check", "7S 8S JK 9S", "R[7S 8S 9S JK=TS", "-r", "liverpool", "-O", "deal=1")
    assert "an unclosed bracket" in result.stderr


def test_check_of_an_illegal_layout():
    result = run("check", "7S 7H 7D KC", "7S 7H KC", "-r", "gin")
    assert result.exit_code == 1
    assert "/melds/0" in result.stderr
    assert "best: penalty 10" in result.stdout
    result = run("check", "7S 7H 7D KC", "7S 7H KC", "-r", "gin", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["legal"] is False


def test_rules_lists_every_game():
    shown = run("rules").stdout
    listed = json_of(run("rules", "--json"))["games"]
    assert [g["id"] for g in listed] == [g.id for g in list_rules()]
    assert all(g.id in shown for g in list_rules())


def test_rules_shows_every_default_with_meaning_and_source():
    answer = json_of(run("rules", "gin", "--json"))
    lines = {line["key"]: line for line in answer["options"]}
    assert lines["knock_limit"]["value"] == 10
    assert all(line["meaning"] and line["source"] for line in lines.values())
    shown = run("rules", "gin").stdout
    assert all(key in shown for key in lines)
    changed = run("rules", "gin", "-O", "knock_limit=7").stdout
    assert "7 (default 10)" in " ".join(changed.split())


def test_warm():
    result = run("warm")
    assert result.exit_code == 0
    assert "kernels ready" in result.stdout


def test_bench_says_when_it_is_missing(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = run("bench")
    assert result.exit_code == 1
    assert "not installed" in result.stderr


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "exit_code", "words"),
    [
        (("7S ZZ 7H", "-r", "gin"), 1, ["/hand/1", "'ZZ'", "[card.unknown]"]),
        (("(nothing dealt yet)", "-r", "gin"), 1, ["/hand/0", "[card.unknown]"]),
        (("6\u0441 Tc 9h", "-r", "gin"), 1, ["CYRILLIC", "[card.unknown]"]),
        (("7S 7S 7H", "-r", "gin"), 1, ["7S", "/hand", "[hand.copies]"]),
        (("7S JK", "-r", "gin"), 1, ["JK", "[hand.not_in_deck]"]),
        (("7S 5*", "-r", "gin"), 1, ["5*", "[hand.not_in_deck]"]),
        (("", "-r", "gin"), 1, ["/hand", "[hand.empty]"]),
        ((" , ", "-r", "gin"), 1, ["/hand", "[hand.empty]"]),
        (("7S", "-r", "bridge"), 2, ["'bridge'", "[rules.unknown]"]),
        (("7S", "-r", "gin", "-O", "ace=up"), 2, ["/options/ace", "[rules.type]"]),
        (("7S", "-r", "gin", "-O", "colour=1"), 2, ["/options/colour", "[rules.option]"]),
        (("7S", "-r", "gin", "-O", "ace"), 2, ["key=value", "[rules.option]"]),
        (
            ("7S", "-r", "gin", "-O", "ace=low", "-O", "ace=high"),
            2,
            ["once", "[rules.option]"],
        ),
        (("7S", "-r", "gin", "-O", "set_min=5"), 2, ["set_min", "[rules.conflict]"]),
        (("7S", "-r", "gin", "--engine", "oracle"), 2, ["'oracle'", "frontier"]),
        (("7S", "-r", "gin", "--time-limit", "0"), 2, ["time-limit"]),
        (("7S", "-r", "gin", "--contract", "3+q"), 2, ["contract", "[rules.type]"]),
        (("7S", "-r", "gin", "--contract", "deal"), 2, ["[rules.contract]"]),
        (("7S",), 2, ["--rules"]),
        (("-r", "gin"), 2, ["expected a hand"]),
        (("7S", "-r", "gin", "--file", "/no/such/file"), 2, ["/no/such/file"]),
    ],
)
def test_bad_input_is_told_with_place_and_code(arguments, exit_code, words):
    result = run("solve", *arguments)
    assert result.exit_code == exit_code
    assert result.stdout == ""
    assert all(word in result.stderr for word in words), result.stderr
    assert "Traceback" not in result.stderr
    if not isinstance(result.exception, SystemExit):
        assert result.exception is None


def test_bad_bytes_on_stdin():
    done = run_process("solve", "-", "-r", "gin", stdin=b"7S \xff\xfe\n")
    assert done.returncode == 1
    assert b"[file.read]" in done.stderr
    assert b"Traceback" not in done.stderr
