"""The application behind granian: a request takes a thread only once its whole body is here.

An upload that stalls then costs nobody anything but its own connection. Bodies are read on the
event loop, each within a deadline; WSGI calls run on a pool that has threads to spare for probes
while every place for questions is taken.
"""

from __future__ import annotations

import asyncio
import io
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Protocol
from wsgiref.types import WSGIApplication

from service.clock import ARRIVED, GONE
from service.config import Limits
from service.errors import ProblemError

SPARE_THREADS: Final = 4
"""Threads that no question takes: probes, documents and refusals."""
_SMALL: Final = 64 << 10
_HELD: Final = 256 << 20
"""Bytes of larger bodies held at once, all requests together."""
_PATIENCE_S: Final = 1.0
"""Only a request that takes longer is watched for a client that hangs up."""


class Headers(Protocol):
    """Headers of a request, names in lower case."""

    def items(self) -> list[tuple[str, str]]:
        """Return names and values; a name may come repeatedly."""


class Scope(Protocol):
    """What granian tells of a request."""

    method: str
    path: str
    query_string: str
    client: str
    server: str
    scheme: str
    headers: Headers


class Exchange(Protocol):
    """Body and answer of one request."""

    async def __call__(self) -> bytes:
        """Return the whole body."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Return the pieces of the body; an empty one is the last."""

    async def client_disconnect(self) -> None:
        """Return when the client has hung up."""

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        """Send the answer; any thread may do it."""


class _Unread(io.RawIOBase):
    """A body that was not read; whoever reads it hears why."""

    def __init__(self, why: ProblemError) -> None:
        self.why = why

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        raise self.why


class Front:
    """An RSGI application that calls a WSGI one.

    Args:
        app: the WSGI application.
        limits: bounds of bodies; the pool is as large as the places for questions, the places to
            wait for one, and some to spare.
    """

    def __init__(self, app: WSGIApplication, limits: Limits) -> None:
        self._app = app
        self._most_bytes = max(limits.body_bytes, limits.batch_body_bytes)
        self._body_time_s = limits.body_time_s
        self._held = 0
        threads = limits.concurrent_solves + limits.waiting_solves + SPARE_THREADS
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="request")

    async def __rsgi__(self, scope: Scope, exchange: Exchange) -> None:
        """Answer one request."""
        environ = _environ(scope)
        pieces = bytearray()
        try:
            if scope.method == "POST":
                environ["wsgi.input"] = await self._body(environ, exchange, pieces)
            await self._answer(environ, exchange)
        except _BrokenOffError:
            return  # nobody is there to be told
        finally:
            self._held -= len(pieces)

    async def _body(
        self, environ: dict[str, Any], exchange: Exchange, pieces: bytearray
    ) -> io.IOBase:
        """Return the body; add what counts as held to ``pieces``.

        A body that is too large is not read: the application refuses it by its length.

        Raises:
            _BrokenOffError: the client has hung up.
        """
        environ.pop("HTTP_TRANSFER_ENCODING", None)  # from here on it is a body of known length
        announced = environ.get("CONTENT_LENGTH", "")
        length = int(announced) if announced.isdecimal() else None
        if length is not None and length > self._most_bytes:
            return io.BytesIO()
        try:
            async with asyncio.timeout(self._body_time_s):
                if length is not None and length <= _SMALL:
                    body = await exchange()
                else:
                    body = await self._large_body(exchange, pieces)
        except TimeoutError:
            message = f"expected the whole body within {self._body_time_s:g} seconds"
            return _unread(environ, ProblemError("timeout", message))
        except ProblemError as error:
            return _unread(environ, error)
        if length not in {None, len(body)}:
            raise _BrokenOffError
        environ["CONTENT_LENGTH"] = str(len(body))
        return io.BytesIO(body)

    async def _large_body(self, exchange: Exchange, pieces: bytearray) -> bytes:
        """Return a body read piece by piece, no further than a byte beyond the largest allowed.

        Raises:
            ProblemError: ``unavailable``, larger bodies take too much room together.
        """
        async for piece in exchange:
            if not piece or len(pieces) > self._most_bytes:
                break
            pieces += piece
            self._held += len(piece)
            if self._held > _HELD:
                message = "too many large bodies are being received"
                raise ProblemError("unavailable", message, headers={"Retry-After": "5"})
        return bytes(pieces)

    async def _answer(self, environ: dict[str, Any], exchange: Exchange) -> None:
        """Let a thread answer; tell it when nobody waits for the answer any more."""
        gone = threading.Event()
        environ |= {ARRIVED: time.monotonic(), GONE: gone}
        loop = asyncio.get_running_loop()
        answer = loop.run_in_executor(self._pool, _call, self._app, environ, exchange)
        await asyncio.wait({answer}, timeout=_PATIENCE_S)
        if not answer.done():
            left = asyncio.ensure_future(exchange.client_disconnect())
            await asyncio.wait({answer, left}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                gone.set()
            left.cancel()
        await answer


class _BrokenOffError(Exception):
    """A client hung up before its body was complete."""


def _unread(environ: dict[str, Any], why: ProblemError) -> io.IOBase:
    """Return a body in place of one that was not read; the application asks for it and is told."""
    environ["CONTENT_LENGTH"] = "1"
    return _Unread(why)


def _environ(scope: Scope) -> dict[str, Any]:
    """Return the WSGI environment of a request, without its body."""
    server, _, port = scope.server.rpartition(":")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": server.strip("[]"),
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in scope.headers.items():
        if "_" in name:
            continue  # it would pass for the header with hyphens, which proxies look after
        key = name.upper().replace("-", "_")
        if name not in {"content-type", "content-length"}:
            key = f"HTTP_{key}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    return environ


def _call(app: WSGIApplication, environ: dict[str, Any], exchange: Exchange) -> None:
    """Call the application and send what it answers, all in one thread."""
    told: list[Any] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], _error: object = None, /
    ) -> Callable[[bytes], object]:
        told[:] = [int(status[:3]), headers]
        return told.append  # writing in bits is no more than a relic of WSGI

    parts = app(environ, start_response)
    try:
        body = b"".join(parts)
    finally:
        if close := getattr(parts, "close", None):
            close()
    exchange.response_bytes(told[0], told[1], body)
