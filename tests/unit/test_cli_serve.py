"""``meld-solver serve``: what it refuses, and that what it prints works."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from click.testing import CliRunner

from solver.cli import main
from solver.cli.serve import is_loopback


def run(*arguments, **environment):
    return CliRunner().invoke(main, ["serve", *arguments], env=environment)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback(host):
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.org", ""])
def test_not_loopback(host):
    assert not is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2"])
def test_a_public_address_without_keys_is_refused(host):
    result = run("--host", host)
    assert result.exit_code == 2
    assert "MELD_API_KEYS_FILE" in result.stderr
    assert "--allow-anonymous" in result.stderr


def test_a_port_in_use_is_told():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("--port", str(port))
    assert result.exit_code == 1
    assert f"port {port}" in result.stderr
    assert "PORT=" in result.stderr


def test_settings_are_checked_before_the_server_starts(tmp_path):
    result = run("--port", str(free_port()), MELD_API_KEYS_FILE=str(tmp_path / "none"))
    assert result.exit_code == 2
    assert "MELD_API_KEYS_FILE" in result.stderr


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


@pytest.mark.slow
@pytest.mark.parametrize("with_granian", [True, False])
def test_the_printed_line_works(with_granian):
    if with_granian:
        pytest.importorskip("granian")
    hide = "" if with_granian else "sys.modules['granian'] = None; find = u.find_spec\n"
    if not with_granian:
        hide += "u.find_spec = lambda name, *a: None if name == 'granian' else find(name, *a)\n"
    program = f"import sys, importlib.util as u\n{hide}from solver.cli import main\nmain()"
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-u", "-c", program, "serve", "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    try:
        printed = {}
        for line in server.stdout:
            word, _, rest = line.strip().partition(" ")
            printed[word] = rest.strip()
            if word == "Ready":
                break
        with urllib.request.urlopen(printed["Page"], timeout=10) as page:
            assert b"The best melds of your hand" in page.read()
        curl = shlex.split(printed["Try"])
        assert curl[:2] == ["curl", "-s"]
        request = urllib.request.Request(
            curl[2],
            data=curl[curl.index("-d") + 1].encode(),
            headers=dict([curl[curl.index("-H") + 1].split(": ")]),
        )
        with urllib.request.urlopen(request, timeout=10) as response:
            assert json.load(response)["penalty"] == 34  # rule book 9.1, A19
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=20)
