"""The service behind granian: whatever is sent or held back, others are answered."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import pytest

pytest.importorskip("granian", reason="granian (extra serve) is missing")

BODY_TIME_S = 2.0
TIME_LIMIT_S = 1.5
PLACES = 2
# Kernels that are not compiled yet hold a request up far beyond its limit: ask a question first.
SMALL = {"rules": "gin", "hand": "7S 7H 7D KC"}
# Every lane of a batch takes its time over racks of nearly all tiles.
RACK = " ".join(f"{c}{n} {c}{n}" for c in "RBOK" for n in range(1, 13)) + " JK JK"
SLOW = {"rules": "rummikub", "hands": [RACK] * 1000}


class Server:
    """A service of its own process on a free port."""

    def __init__(self, **settings):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        kept = {k: v for k, v in os.environ.items() if not k.startswith("MELD_LIMIT")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "solver.cli", "serve", "--port", str(self.port)],
            env={**kept, "MELD_WARM_UP": "off", **settings},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait(self):
        for _ in range(600):
            try:
                return self.get("/healthz")
            except OSError:
                time.sleep(0.1)
        raise AssertionError("the service did not start")

    def get(self, path, timeout=30):
        url = f"http://127.0.0.1:{self.port}{path}"
        with urllib.request.urlopen(url, timeout=timeout) as response:
            return response.read()

    def post(self, path, body, timeout=60):
        """Return status, headers and document of an answer."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = "application/x-ndjson" if isinstance(body, bytes) else "application/json"
        url = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(url, data, {"Content-Type": kind})
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                return response.status, response.headers, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, error.headers, json.load(error)

    def send(self, head, body=b""):
        """Return a connection that sent this and maybe owes more."""
        link = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        lines = "\r\n".join([*head, "Host: 127.0.0.1", "Content-Type: application/json", "", ""])
        link.sendall(lines.encode() + body)
        return link

    def stall(self, announced=1000):
        return self.send(["POST /v1/solve HTTP/1.1", f"Content-Length: {announced}"], b'{"rules"')


@pytest.fixture(scope="module")
def server():
    one = Server(
        MELD_LIMIT_BODY_TIME_S=str(BODY_TIME_S),
        MELD_LIMIT_TIME_LIMIT_S=str(TIME_LIMIT_S),
        MELD_LIMIT_CONCURRENT_SOLVES=str(PLACES),
        MELD_LIMIT_WAITING_SOLVES="1",
    )
    one.wait()
    one.post("/v1/solve", SMALL)
    one.post("/v1/batch", {**SLOW, "hands": [RACK]})
    yield one
    one.process.terminate()
    one.process.communicate(timeout=30)


def answer_of(link):
    """Return status and document of the answer on a connection."""
    received = b""
    while piece := link.recv(65_536):
        received += piece
        head, found, body = received.partition(b"\r\n\r\n")
        if found:
            length = int(head.lower().partition(b"content-length:")[2].split()[0])
            if len(body) >= length:
                return int(head.split()[1]), json.loads(body)
    raise AssertionError(f"the connection ended after {received!r}")


def quick(server):
    """Return how long the slowest of the probes takes."""
    slowest = 0.0
    for path in ("/healthz", "/metrics", "/v1/limits", "/"):
        began = time.monotonic()
        server.get(path)
        slowest = max(slowest, time.monotonic() - began)
    return slowest


def test_stalled_uploads_hold_nobody_up_and_end(server):
    began = time.monotonic()
    links = [server.stall() for _ in range(60)]
    links += [server.stall(15 << 20) for _ in range(4)]
    chunked = ["POST /v1/solve HTTP/1.1", "Transfer-Encoding: chunked"]
    links += [server.send(chunked, b'5\r\n{"rul\r\n')]
    assert quick(server) < 1
    assert server.post("/v1/solve", SMALL)[2]["penalty"] == 10
    assert time.monotonic() - began < BODY_TIME_S, "too slow to tell anything"
    for link in links:
        status, document = answer_of(link)
        assert (status, document["code"]) == (408, "timeout")
        link.close()
    assert time.monotonic() - began < BODY_TIME_S + 5


def test_uploads_that_trickle_end_too(server):
    link = server.stall()
    began = time.monotonic()
    link.settimeout(0.2)
    received = b""
    while not received:
        assert time.monotonic() - began < BODY_TIME_S + 5
        link.sendall(b" ")
        try:
            received = link.recv(65_536)
        except TimeoutError:
            continue
    assert received.startswith(b"HTTP/1.1 408")
    link.close()


def test_uploads_that_break_off_are_no_question(server):
    for announced in (1000, 1 << 20):
        link = server.stall(announced)
        link.close()
    assert server.post("/v1/solve", SMALL)[2]["penalty"] == 10


def test_more_questions_than_places_leave_the_probes_quick(server):
    answers = []
    bodies = [SLOW] * (PLACES + 3)
    threads = [
        threading.Thread(target=lambda b=body: answers.append(server.post("/v1/batch", b)))
        for body in bodies
    ]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    assert quick(server) < 1
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    assert took < 2 * (TIME_LIMIT_S + 2)
    refused = [(headers, document) for status, headers, document in answers if status == 503]
    assert len(refused) >= 2, [answer[0] for answer in answers]
    for headers, document in refused:
        assert document["code"] == "unavailable"
        assert int(headers["Retry-After"]) > 0
    worked = [document for status, _, document in answers if status == 200]
    assert len(worked) >= PLACES
    for document in worked:
        statuses = [row["status"] for row in document["results"]]
        assert set(statuses) <= {"ok", "limit.time"}
        assert "limit.time" in statuses


def test_a_place_comes_free_when_the_client_has_hung_up(server):
    body = json.dumps(SLOW).encode()
    for _ in range(PLACES + 2):
        server.send(["POST /v1/batch HTTP/1.1", f"Content-Length: {len(body)}"], body).close()
    time.sleep(TIME_LIMIT_S + 1)
    status, _, document = server.post("/v1/solve", SMALL)
    assert (status, document["penalty"]) == (200, 10)


@pytest.mark.parametrize("path", ["/v1/batch?rules=gin", "/v1/replay"])
def test_lines_are_counted_before_any_is_read(server, path):
    began = time.monotonic()
    status, _, document = server.post(path, b"x\n" * (7 << 20))
    assert time.monotonic() - began < 2
    assert status == 422
    assert document["code"] in {"limit.batch_hands", "limit.replay_games"}


def test_a_body_too_large_is_refused_by_its_length(server):
    link = server.send(["POST /v1/solve HTTP/1.1", f"Content-Length: {1 << 34}"])
    status, document = answer_of(link)
    assert (status, document["code"]) == (413, "too-large")
    link.close()
    chunk = b"%x\r\n%s\r\n" % (1 << 20, b" " * (1 << 20))
    link = server.send(
        ["POST /v1/solve HTTP/1.1", "Transfer-Encoding: chunked"], chunk * 2 + b"0\r\n\r\n"
    )
    status, document = answer_of(link)
    assert (status, document["code"]) == (413, "too-large")
    link.close()


def test_texts_reach_the_application_as_they_are(server):
    link = server.send(["GET /v1/rules/g%C3%AFn?x=%C3%A9 HTTP/1.1"])
    status, document = answer_of(link)
    assert (status, document["code"]) == (404, "rules.unknown")
    assert "g\u00efn" in document["detail"]
    link.close()
    link = server.send(["GET /v1/rules/g%C3%AFn HTTP/1.1", "X-Request-ID: a", "X_Request_ID: b"])
    assert answer_of(link)[1]["instance"] == "urn:request:a"
    link.close()


def test_a_stop_waits_for_the_answer_under_way():
    server = Server(MELD_LIMIT_TIME_LIMIT_S="2")
    server.wait()
    server.post("/v1/batch", {**SLOW, "hands": [RACK]})
    answers = []
    thread = threading.Thread(target=lambda: answers.append(server.post("/v1/batch", SLOW)))
    thread.start()
    time.sleep(0.7)
    server.process.send_signal(signal.SIGTERM)
    thread.join()
    server.process.communicate(timeout=30)
    assert [answer[0] for answer in answers] == [200]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MELD_RATE_LIMIT", "banana"),
        ("MELD_LIMIT_HAND_CARDS", "121"),
        ("MELD_RATELIMIT", "5/minute"),
        ("MELD_API_KEYS_FILE", " "),
    ],
)
def test_a_wrong_setting_stops_the_start(name, value):
    server = Server(**{name: value})
    _, told = server.process.communicate(timeout=60)
    assert server.process.returncode != 0
    assert name in told
    assert "Traceback" not in told
