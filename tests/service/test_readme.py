"""What the README shows is what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from solver.cli import COMMANDS
from solver.rules.loader import list_rules

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_python_blocks_print_what_they_say(capsys):
    assert len(BLOCKS) == 2
    for block in BLOCKS:
        exec(block, {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "[10 40]"
    assert lines[1] == "8 True R[4*=8H JK=9H TH] / left 8D"
    assert lines[2] == "{'card': '8D', 'penalty': 0}"
    for line in (*lines[:3],):
        assert line in README


def test_the_curl_example(client):
    body = re.search(r"-d '\s*(\{.*?\})'", README, re.DOTALL)
    answer = client.post("/v1/solve", json=json.loads(body[1])).get_json()
    assert answer["penalty"] == 34
    assert answer["text"] in README
    assert answer["melds"][0]["stands_for"] == [None, "QS", None]


def test_the_table_of_games_is_complete():
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| .* \| ([0-9-]+) \| (.*?) \|$", README, re.MULTILINE)
    told = {name: (players, rounds) for name, players, rounds in rows}
    assert told == {
        game.id: (
            "-".join(map(str, dict.fromkeys(game.players))),
            str(game.rounds or "to a score"),
        )
        for game in list_rules()
    }


@pytest.mark.parametrize(
    "name", ["solve", "score", "replay", "play", "batch", "rules", "serve", "bench"]
)
def test_the_commands_exist(name):
    assert f"meld-solver {name}" in README
    assert name in COMMANDS
