"""``meld-solver serve``: start the HTTP service and its page."""

from __future__ import annotations

import importlib
import importlib.util
import ipaddress
import json
import math
import os
import socket
import threading
import time
import urllib.request
from typing import Any

import click

from solver.cli.common import Command
from solver.cli.lazy import load

_EXAMPLE = {
    "rules": {"name": "three-thirteen", "options": {"cards_dealt": 9}},
    "hand": "KS KH 7D 8D 2C 3C 9H JS 4D",
}
_PUBLIC_RATE = "60/minute"
_STALL_S = 30
"""Seconds in which some bytes of a request must come to the simple server."""
_POLL_S = 0.2
_TELL_S = 60.0
"""Seconds between two lines that say why there is no ``Ready`` yet."""


@click.command(cls=Command, name="serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8000, show_default=True, envvar="PORT"
)
@click.option("--allow-anonymous", is_flag=True, help="Serve other machines without keys.")
@click.option(
    "--log/--no-log", "request_log", default=False, help="One JSON line a request on stderr."
)
def serve_command(host: str, port: int, allow_anonymous: bool, request_log: bool) -> None:
    """Start the service and print its address.

    Settings are read from MELD_* variables; MELD_API_KEYS_FILE names a file of SHA-256 digests
    of keys, one a line. Only loopback may be served without keys.
    """
    public = not is_loopback(host)
    keys = os.environ.get("MELD_API_KEYS_FILE", "").strip()
    if public and not keys and not allow_anonymous:
        raise click.UsageError(
            f"{host} can be reached by other machines: set MELD_API_KEYS_FILE, or give"
            " --allow-anonymous"
        )
    if public:
        os.environ.setdefault("MELD_METRICS", "off")
        if not keys and importlib.util.find_spec("flask_limiter"):
            os.environ.setdefault("MELD_RATE_LIMIT", _PUBLIC_RATE)
    if request_log:
        os.environ["MELD_REQUEST_LOG"] = "on"
    if not is_free(host, port):
        raise click.ClickException(
            f"port {port} of {host} is in use; choose another: PORT={port + 1} or --port"
        )
    load("service.config:ServiceConfig").from_environment(os.environ)  # faults, before the server
    shown = f"[{host}]" if ":" in host else "127.0.0.1" if host == "0.0.0.0" else host
    address = f"http://{shown}:{port}"
    threading.Thread(target=announce, args=[address], daemon=True).start()
    if importlib.util.find_spec("granian"):
        run_granian(host, port)
    else:
        run_werkzeug(host, port)


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address; unknown names count as public."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_free(host: str, port: int) -> bool:
    """Return whether a server can listen on a port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def announce(address: str) -> None:
    """Print the address once the service answers, and a line when its kernels are compiled.

    Both are waited for as long as the server runs: this is a thread that ends with it.
    """
    _wait_for(f"{address}/healthz")
    body = json.dumps(_EXAMPLE)
    click.echo(f"Page  {address}/")
    click.echo(f"API   {address}/docs")
    click.echo(f"Try   curl -s {address}/v1/solve -H 'Content-Type: application/json' -d '{body}'")
    began = time.monotonic()
    _wait_for(f"{address}/readyz", tell_s=_TELL_S)
    click.echo(f"Ready (kernels compiled, {time.monotonic() - began:.0f} s)")


def _wait_for(url: str, *, tell_s: float = math.inf) -> None:
    """Wait until an address answers 200; every ``tell_s`` seconds say that it does not yet."""
    began = time.monotonic()
    next_s = tell_s
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:  # also an answer that is not 200
            time.sleep(_POLL_S)
        if (waited := time.monotonic() - began) >= next_s:
            next_s += tell_s
            click.echo(f"not ready after {waited:.0f} s, see {url}", err=True)


def run_granian(host: str, port: int) -> None:
    """Serve with granian: one process, so that limits and metrics are whole."""
    granian: Any = importlib.import_module("granian")
    server = granian.Granian(
        "service.wsgi:front",
        address=host,
        port=port,
        interface="rsgi",
        workers=1,
        websockets=False,
        log_enabled=True,
        log_level="warning",
    )
    server.serve()


def run_werkzeug(host: str, port: int) -> None:
    """Serve with the server that comes with flask: for one machine, not for the public."""
    serving: Any = importlib.import_module("werkzeug.serving")
    click.echo("granian is not installed (extra 'serve'): using a simple server", err=True)
    if not is_loopback(host):
        click.echo("the simple server gives every connection a thread, without end", err=True)

    class Impatient(serving.WSGIRequestHandler):  # type: ignore[misc]
        timeout = _STALL_S

    app = load("service.wsgi:app")
    server = serving.make_server(host, port, app, threaded=True, request_handler=Impatient)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()
