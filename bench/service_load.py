"""The HTTP service on loopback: latency of one client, throughput of sixteen."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from bench.corpus import GAMES, Corpus, make_corpus
from bench.optional import optional, version_of
from bench.plan import Plan
from bench.processes import ROOT, environment
from bench.rows import Goal, Row
from bench.truth import WrongAnswerError, prove

N_CLIENTS: Final = 16
N_HANDS: Final = 256
READY_S: Final = 240
HEADER_END: Final = b"\r\n\r\n"
P50_GOAL: Final = Goal("below", 1e6)
RATE_GOAL: Final = Goal("above", 4_000)


@dataclass(frozen=True, slots=True)
class Questions:
    """Requests and the penalties they must be answered with."""

    requests: list[bytes]
    penalties: list[int]
    proof: str


def make_questions() -> Questions:
    """Return requests for random 13-card hands, their answers proved."""
    corpus = make_corpus(GAMES["three-thirteen"], "random", N_HANDS)
    truth = prove(corpus)
    requests = [_request(corpus, text) for text in corpus.texts]
    return Questions(requests, [int(p) for p in truth.answers], truth.proof)


def _request(corpus: Corpus, hand: str) -> bytes:
    options = dict(corpus.rules.options)
    rules = {"name": corpus.rules.name, "options": options}
    body = json.dumps({"rules": rules, "hand": hand}).encode()
    head = (
        "POST /v1/solve HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def body_of(answer: bytes) -> bytes | None:
    """Return the body of a whole HTTP answer, None while bytes are missing.

    Raises:
        WrongAnswerError: the status is not 200.
    """
    end = answer.find(HEADER_END)
    if end < 0:
        return None
    head = answer[:end].lower()
    if not head.startswith(b"http/1.1 200"):
        raise WrongAnswerError(f"expected status 200, got {answer[:200]!r}")
    mark = head.find(b"content-length:")
    if mark < 0:
        raise WrongAnswerError("expected an answer with its length, got one without")
    length = int(head[mark + 15 :].split(b"\r\n", 1)[0])
    start = end + len(HEADER_END)
    return answer[start : start + length] if len(answer) >= start + length else None


def check_body(body: bytes, penalty: int) -> None:
    """Raise WrongAnswerError when an answer is not the proved penalty."""
    told = json.loads(body)
    if (told["penalty"], told["proved"]) != (penalty, True):
        raise WrongAnswerError(f"expected penalty {penalty}, got {body[:200]!r}")


@contextmanager
def running_server(settings: Mapping[str, str] | None = None) -> Iterator[int]:
    """Run the service in a child process until the block ends; yield its port once it is ready.

    Args:
        settings: ``MELD_*`` variables of the service; others are not handed on.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    plain = {k: v for k, v in environment().items() if not k.startswith("MELD_")}
    if cache := os.environ.get("MELD_SOLVER_CACHE_DIR"):
        plain["MELD_SOLVER_CACHE_DIR"] = cache
    plain |= settings or {}
    program = "from solver.cli import main; main()"
    server = subprocess.Popen(
        [sys.executable, "-c", program, "serve", "--port", str(port)],
        env=plain,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_ready(server, port)
        yield port
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_ready(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"the service ended with {server.returncode} before it was ready")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"the service was not ready after {READY_S} s")


def one_client(port: int, questions: Questions, n: int) -> list[float]:
    """Ask n questions one after the other on one connection; return seconds of each.

    Raises:
        WrongAnswerError: an answer is wrong; bodies are read after the clock stops.
    """
    seconds: list[float] = []
    bodies: list[bytes] = []
    with socket.create_connection(("127.0.0.1", port), timeout=30) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(n):
            started = time.perf_counter()
            link.sendall(questions.requests[i % N_HANDS])
            answer = b""
            while (body := body_of(answer)) is None:
                chunk = link.recv(65_536)
                if not chunk:
                    raise RuntimeError("the service closed the connection")
                answer += chunk
            seconds.append(time.perf_counter() - started)
            bodies.append(body)
    for i, body in enumerate(bodies):
        check_body(body, questions.penalties[i % N_HANDS])
    return seconds


class _Client(asyncio.Protocol):
    """One connection that asks its next question as soon as the last one is answered."""

    def __init__(self, questions: Questions, first: int, deadline: float) -> None:
        self.questions = questions
        self.next = first
        self.deadline = deadline
        self.buffer = b""
        self.answered: list[tuple[int, bytes]] = []
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask the first question."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self.questions.requests[self.next])

    def data_received(self, data: bytes) -> None:
        """Keep a whole answer; ask again until the time is over."""
        self.buffer += data
        try:
            body = body_of(self.buffer)
        except WrongAnswerError as error:
            self._finish(error)
            return
        if body is None:
            return
        self.buffer = b""
        if time.perf_counter() >= self.deadline:
            self._finish(None)
            return
        self.answered.append((self.next, body))
        self.next = (self.next + N_CLIENTS) % N_HANDS
        self.transport.write(self.questions.requests[self.next])

    def connection_lost(self, exc: Exception | None) -> None:
        """Report a connection that ends before its time."""
        self._finish(exc or RuntimeError("the service closed the connection"))

    def _finish(self, error: Exception | None) -> None:
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)
        self.transport.close()


async def _load(port: int, questions: Questions, seconds: float) -> list[tuple[int, bytes]]:
    loop = asyncio.get_running_loop()
    deadline = time.perf_counter() + seconds
    clients: list[_Client] = []
    for i in range(N_CLIENTS):
        _, client = await loop.create_connection(
            lambda first=i: _Client(questions, first, deadline),  # type: ignore[misc]
            "127.0.0.1",
            port,
        )
        clients.append(client)
    await asyncio.wait_for(asyncio.gather(*(c.done for c in clients)), seconds + 60)
    return [answer for client in clients for answer in client.answered]


def many_clients(port: int, questions: Questions, seconds: float) -> float:
    """Return answers a second of sixteen connections, only those within the time counted.

    Raises:
        WrongAnswerError: an answer is wrong; bodies are read after the clock stops.
    """
    answered = asyncio.run(_load(port, questions, seconds))
    for i, body in answered:
        check_body(body, questions.penalties[i])
    return len(answered) / seconds


def http_rows(plan: Plan) -> list[Row]:
    """Return p50 of one client and answers a second of sixteen; the worst of one is its p99."""
    latency = Row("http", "POST /v1/solve, 13 cards, 1 client, p50", hands=N_HANDS)
    rate = Row("http", "POST /v1/solve, 13 cards, 16 clients", "1/s", hands=N_HANDS)
    if optional("granian") is None:
        why = "skipped: granian is not installed (extra 'serve')"
        return [replace(latency, note=why), replace(rate, note=why)]
    questions = make_questions()
    latency, rate = (replace(row, proof=questions.proof) for row in (latency, rate))
    n_rounds = 3 if plan.quick else 5
    seconds: list[float] = []
    medians: list[float] = []
    rates: list[float] = []
    with running_server() as port:
        one_client(port, questions, N_HANDS)  # every answer is checked before the clock counts
        many_clients(port, questions, 0.5)
        for _ in range(n_rounds):
            seconds += (ones := one_client(port, questions, plan.size(1_000, 300)))
            medians.append(median(ones))
            rates.append(many_clients(port, questions, plan.size(3, 1)))
    p99 = sorted(seconds)[int(len(seconds) * 0.99)]
    note = f"granian {version_of('granian')}, server and client share the cores"
    latency = replace(
        latency, ours=median(medians) * 1e9, ours_worst=p99 * 1e9, note=f"worst: p99; {note}"
    )
    rate = replace(rate, ours=median(rates), ours_worst=min(rates), note=note)
    return [latency.judged(P50_GOAL), rate.judged(RATE_GOAL)]
