"""Faults of files, devices and slow starts that must not cost the user more than themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from solver.cli import COMMANDS, main, serve
from solver.cli.lazy import load

# Loaded here and not inside a test: some library draws from the global generator on import.
for target, _ in COMMANDS.values():
    load(target)

ROUND = {
    "rules": {"name": "three-thirteen", "options": {"cards_dealt": 3}},
    "hands": ["5S 5H 5D", "3S 9D QH"],
    "out": 0,
}
FULL = Path("/dev/full")


def run(*arguments, stdin=None):
    return CliRunner().invoke(main, arguments, input=stdin)


def test_a_line_of_bad_bytes_is_one_rejected_row(tmp_path):
    hands = tmp_path / "hands.txt"
    hands.write_bytes(b"\xef\xbb\xbf7S 7H 7D\n7S \xff 7H\n8S 8H 8D KC\n")
    for arguments, stdin in ((["--file", str(hands)], None), (["-"], hands.read_bytes())):
        result = run("solve", *arguments, "--rules", "gin", "--json", stdin=stdin)
        assert result.exit_code == 1
        first, bad, last = map(json.loads, result.stdout.splitlines())
        assert (first["penalty"], last["penalty"]) == (0, 10)
        assert bad["row"] == "line 2"
        assert bad["error"]["code"] == "file.read"
        assert bad["error"]["errors"][0]["data"]["line"] == 2
        assert "0xff" in bad["error"]["detail"]


def test_a_bad_line_without_json_is_told_with_its_number():
    result = run("solve", "-", "--rules", "gin", stdin=b"7S 7H 7D\n\xc3\n")
    assert result.exit_code == 1
    assert "error: line 2: expected UTF-8" in result.stderr
    assert "[file.read]" in result.stderr
    assert len(result.stdout.splitlines()) == 1


def test_a_bad_line_of_rounds_spoils_no_other(tmp_path):
    rounds = tmp_path / "rounds.jsonl"
    good = json.dumps(ROUND).encode()
    rounds.write_bytes(good + b"\n" + good[:-1] + b', "names": ["\xe9", "B"]}\n' + good + b"\n")
    result = run("score", str(rounds), "--json")
    assert result.exit_code == 1
    first, bad, last = map(json.loads, result.stdout.splitlines())
    assert [p["penalty"] for p in first["players"]] == [0, 22]
    assert last["players"] == first["players"]
    assert bad["error"]["code"] == "file.read"
    assert bad["error"]["errors"][0]["data"] == {"line": 2}


def test_bad_bytes_of_a_save_are_told_and_the_next_file_is_read(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"Round: 3\n\xff\n")
    (tmp_path / "b.json").write_text(json.dumps(ROUND))
    result = run("score", str(tmp_path / "a.txt"), str(tmp_path / "b.json"), "--json")
    assert result.exit_code == 1
    bad, good = map(json.loads, result.stdout.splitlines())
    assert bad["error"]["code"] == "file.read"
    assert good["players"][1]["points"] == 22


@pytest.mark.skipif(not FULL.exists(), reason="needs the device /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", "7S 7H 7D", "--rules", "gin"],
        ["solve", "7S 7H 7D", "--rules", "gin", "--json"],
        ["score", "-", "--json"],
        ["score", "-"],
        ["check", "7S 7H 7D", "7S 7H 7D", "--rules", "gin"],
        ["rules"],
        ["--help"],
    ],
)
def test_a_full_device_is_one_clear_line(arguments):
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "solver.cli", *arguments],
            input=json.dumps(ROUND).encode(),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=300,
            env=dict(os.environ),
            check=False,
        )
    assert done.returncode == 1
    *_, line = done.stderr.decode().splitlines()  # kernels that compile are said before
    assert line == "error: the output: No space left on device [output.write]"


def test_ready_is_printed_however_long_the_kernels_take(monkeypatch, capsys):
    asked = []

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            is_ready = self.path == "/healthz" or asked.count("/readyz") > 3
            self.send_response(200 if is_ready else 503)
            self.end_headers()

        def log_message(self, *_):
            pass

    monkeypatch.setattr(serve, "_POLL_S", 0.05)
    monkeypatch.setattr(serve, "_TELL_S", 0.01)  # patience is over at once, and does not end
    server = HTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        began = time.monotonic()
        serve.announce(f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        server.server_close()
    assert time.monotonic() - began >= 3 * 0.05
    told = capsys.readouterr()
    assert told.out.splitlines()[-1].startswith("Ready (kernels compiled")
    assert "not ready after" in told.err
