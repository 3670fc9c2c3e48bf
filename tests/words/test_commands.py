"""Every command, damaged texts in every option and argument and damaged files: plain words."""

from __future__ import annotations

import json

import click
import pytest
from click.testing import CliRunner

from solver.cli import COMMANDS, main
from solver.cli.lazy import load
from tests.words.clean import HOSTILE_JSON, told_badly

# Loaded here and not inside a test: some library draws from the global generator on import.
COMMAND = {name: load(target) for name, (target, _) in COMMANDS.items()}

CALLS = {
    "solve": ("5S 5H 5D 9D", "-r", "liverpool", "-O", "deal=1"),
    "check": ("5S 5H 5D 9D", "5S 5H 5D", "-r", "gin"),
    "score": ("-",),
    "layoff": ("KH 9D", "KS KD KC", "-r", "liverpool"),
    "godown": ("5S 5H 5D 9D 9C 9S KH", "KS KD KC", "-r", "liverpool", "-O", "deal=1"),
    "rearrange": ("R4 K13", "R1 R2 R3", "-r", "rummikub"),
    "advise": ("5S 5H 9D KC", "-r", "three-thirteen", "-O", "cards_dealt=3"),
    "play": ("-r", "gin"),
    "replay": ("-",),
    "batch": ("-", "-o", "-", "-r", "gin", "--any-size"),
    "rules": ("gin",),
}
"""What each command is asked; ``serve``, ``warm`` and ``bench`` take no cards and run on."""
TEXTS = (
    *(
        "",
        " ",
        "x",
        "7S",
        "zz 9Z",
        "-1",
        "0",
        "3",
        "1e9",
        "9" * 40,
        "nan",
        "R[",
        "R[7S",
        "]",
    ),
    *("S[7S 7H", "7S>0", "=", "a=b", "=7", "deal=", "deal=x", "x" * 5_000, "7S " * 2_000, "\udcff"),
    *("'", '"', "{}", '{"a": 1}', "[[[[", "null", "1:R[", "9:KS KD KC", "★", "♥10", "10h,"),
)
ROUND = {
    "rules": "gin",
    "hands": ["2S 3S 4S 5S 6S 7S 8S 9S TS KH", "2H 3H 4H 5H 6H 7H 8H 9H TH KD"],
    "out": None,
    "totals": [0, 0],
    "names": ["a", "b"],
}
RECORD = {
    "format": "meld-record/1",
    "id": "x",
    "rules": {"name": "gin", "options": {}, "fingerprint": "0"},
    "seats": ["a", "b"],
    "first_dealer": 0,
    "rounds": [{"round": 1, "dealer": 0, "moves": ["0 draw"], "result": None}],
    "result": None,
}


def options_of(name):
    """Return the flags of a command that take a text, a number or a word."""
    return [
        option.opts[0]
        for option in COMMAND[name].params
        if isinstance(option, click.Option) and not option.is_flag
    ]


def badly(*arguments, stdin=""):
    """Return how a command fails badly, None when it answers or refuses in plain words."""
    done = CliRunner().invoke(main, arguments, input=stdin)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return f"{type(done.exception).__name__}: {done.exception!s:.200}"
    if done.exit_code not in (0, 1, 2):
        return f"exit code {done.exit_code}"
    if done.exit_code and not (done.stderr or done.stdout):
        return "nothing said"
    told = [text for line in done.stdout.splitlines() for text in texts_of(line)]
    wrongs = map(told_badly, [*done.stderr.splitlines(), *told])
    return next((wrong for wrong in wrongs if wrong), None)


def texts_of(line):
    """Return the messages in a line of the answer: of JSON every detail, else the line itself."""
    try:
        todo = [json.loads(line)]
    except ValueError:
        return [line]
    found = []
    for value in todo:
        if isinstance(value, dict):
            found += [v for k, v in value.items() if k in ("detail", "message", "error")]
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    return [text for text in found if isinstance(text, str)]


def found(wrong):
    return "\n".join(f"{what}: {how}" for what, how in wrong.items() if how)


def places():
    for name, arguments in CALLS.items():
        yield from ((name, i) for i in range(len(arguments)) if not arguments[i].startswith("-"))
        yield from ((name, flag) for flag in options_of(name))


def test_all_commands_that_take_cards_are_tried():
    assert set(CALLS) | {"serve", "warm", "bench"} == set(COMMANDS)
    for name, arguments in CALLS.items():
        stdin = json.dumps({"score": ROUND, "replay": RECORD}.get(name, {"hand": "7S"}))
        done = CliRunner().invoke(main, [name, *arguments], input=stdin)
        assert done.exit_code == (1 if name == "replay" else 0), (name, done.output)


@pytest.mark.parametrize(("name", "place"), [*places()])
def test_damaged_arguments(name, place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = {}
    for text in TEXTS:
        arguments = list(CALLS[name])
        if isinstance(place, int):
            arguments[place] = text
        else:
            arguments += [place, text]
        if place in ("--games", "--players") or (place == "-o" and name == "play"):
            continue  # these play for long, or write files with such names
        wrong[text[:20]] = badly(name, *arguments)
    assert not found(wrong), found(wrong)


@pytest.mark.parametrize("key", [*ROUND, "cut", "false_melds", "drops", "upcard", "down_and_out"])
@pytest.mark.parametrize("flags", [(), ("--json",)], ids=["text", "json"])
def test_damaged_rounds(key, flags):
    wrong = {}
    for value in HOSTILE_JSON:
        document = json.dumps({**ROUND, key: value})
        wrong[document[:60]] = badly("score", "-", *flags, stdin=document)
    assert not found(wrong), found(wrong)


@pytest.mark.parametrize("key", RECORD)
@pytest.mark.parametrize("flags", [(), ("--json",)], ids=["text", "json"])
def test_damaged_records(key, flags):
    wrong = {}
    for value in HOSTILE_JSON:
        document = json.dumps({**RECORD, key: value})
        wrong[document[:60]] = badly("replay", "-", *flags, stdin=document)
    assert not found(wrong), found(wrong)


FILES = {
    "hands": b"7S\n",
    "table": b"Game,Round,Score0,Score1,Winner,Win0,Win1,Deadwood0,Deadwood1\n1,1,,2,0,x,0,1,2\n",
    "history": b'{"params": {}, "history": [[0, null]], "returns": [1]}\n',
    "game_name": b"game: gin_rummy\n",
    "save": b"Round: 3\nComputer:\n   Score: x\n   Hand: QQ\nHuman:\n",
    "csv": b"hand\n7S,8\n\xff\n",
    "gzip": b"\x1f\x8b\x08\x00abc",
    "bytes": bytes(range(256)),
    "nest": b"[" * 100_000,
    "digits": b'{"hand": ' + b"9" * 5_000 + b"}",
    "empty": b"",
    "parquet": b"PAR1abcPAR1",
}


@pytest.mark.parametrize("kind", FILES)
def test_damaged_files(kind, tmp_path):
    wrong = {}
    for ending in ("txt", "jsonl", "csv", "parquet", "csv.gz"):
        file = tmp_path / f"in.{ending}"
        file.write_bytes(FILES[kind])
        out = str(tmp_path / "out.jsonl")
        for flags in ((), ("--json",)):
            for name, arguments in {
                "solve": ("--file", str(file), "-r", "gin"),
                "score": (str(file), "-r", "gin"),
                "replay": (str(file),),
                "batch": (str(file), "-o", out, "-r", "gin", "--any-size"),
            }.items():
                wrong[f"{name} {ending} {flags}"] = badly(name, *arguments, *flags)
    assert not found(wrong), found(wrong)
