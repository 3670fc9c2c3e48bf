"""Settings of the service: limits, keys, logging; read from the environment in one place."""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar

from solver.errors import Fault, LimitError, quoted
from solver.rules.key import MAX_CARDS

WarmUp: TypeAlias = Literal["background", "blocking", "off"]

_DIGEST_RE = re.compile(r"[0-9a-fA-F]{64}")
_PREFIX = "MELD_"
_WARM_UPS: dict[str, WarmUp] = {"background": "background", "blocking": "blocking", "off": "off"}
_MOST_REQUESTS: Final = 10**9
_OF_OTHERS: Final = frozenset({"MELD_SOLVER_CACHE_DIR"})
"""Variables of the same beginning that are not read here."""
_RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "body_bytes": (1, 1 << 30),
    "batch_body_bytes": (1, 1 << 30),
    "hand_cards": (1, MAX_CARDS),
    "round_hands": (1, 100),
    "batch_hands": (1, 1_000_000),
    "replay_games": (1, 1_000_000),
    "time_limit_s": (0.001, 3600),
    "arrangements": (1, 100_000),
    "json_values": (1, 100_000_000),
    "body_time_s": (0.001, 3600),
    "concurrent_solves": (1, 256),
    "waiting_solves": (0, 1024),
    "cache_seconds": (0, 366 * 24 * 3600),
}
"""Least and most of every setting that is a number; beyond them no server could keep its word."""

N = TypeVar("N", int, float)


@dataclass(frozen=True)
class Limits:
    """What one request may ask for; published at ``/v1/limits``.

    Attributes:
        body_bytes: largest request body.
        batch_body_bytes: largest body of a batch request or of recorded games.
        hand_cards: most cards of one hand.
        round_hands: most hands of one round.
        batch_hands: most hands of one batch.
        replay_games: most recorded games of one request.
        time_limit_s: longest time limit that may be asked for, and the one used when none is.
        arrangements: most optimal arrangements listed in one answer.
        json_values: most commas of one body, so that no small text becomes a huge document.
        body_time_s: longest time that a body may take to arrive.
        concurrent_solves: questions worked on at once.
        waiting_solves: questions that wait a moment for a place; further ones are answered 503.
    """

    body_bytes: int = 1 << 20
    batch_body_bytes: int = 16 << 20
    hand_cards: int = 120
    round_hands: int = 16
    batch_hands: int = 1000
    replay_games: int = 1000
    time_limit_s: float = 10.0
    arrangements: int = 100
    json_values: int = 400_000
    body_time_s: float = 30.0
    concurrent_solves: int = 6
    waiting_solves: int = 16


@dataclass(frozen=True)
class ServiceConfig:
    """Everything that may differ between two running services.

    Attributes:
        limits: what one request may ask for.
        api_keys: SHA-256 digests (hex) of the keys that are let in; empty: nobody is asked.
        rate_limit: such as ``"60/minute"`` per key or address, None for no limit.
        metrics: whether ``/metrics`` is served.
        request_log: whether each request writes one JSON line to the log ``service.requests``.
        warm_up: when the kernels are compiled: beside the service, which refuses questions until
            then; before it starts; or by the first questions themselves.
        cache_seconds: how long a proxy may keep the answer to a GET; 0 forbids it.
    """

    limits: Limits = field(default_factory=Limits)
    api_keys: frozenset[str] = frozenset()
    rate_limit: str | None = None
    metrics: bool = True
    request_log: bool = False
    warm_up: WarmUp = "background"
    cache_seconds: int = 3600

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> ServiceConfig:
        """Return the settings of the ``MELD_*`` variables; a missing one keeps its default.

        ``MELD_API_KEYS_FILE``, ``MELD_RATE_LIMIT``, ``MELD_METRICS``, ``MELD_REQUEST_LOG``,
        ``MELD_WARM_UP``, ``MELD_CACHE_SECONDS`` and ``MELD_LIMIT_<NAME>`` for each limit.

        Raises:
            LimitError: ``config`` with one fault per variable that is not understood.
        """
        reader = _Reader(environment)
        default, limit = cls(), Limits()
        config = cls(
            limits=Limits(
                **{
                    name: reader.number(f"LIMIT_{name.upper()}", name, getattr(limit, name))
                    for name in Limits.__dataclass_fields__
                }
            ),
            api_keys=reader.keys("API_KEYS_FILE"),
            rate_limit=reader.rate("RATE_LIMIT"),
            metrics=reader.switch("METRICS", default=default.metrics),
            request_log=reader.switch("REQUEST_LOG", default=default.request_log),
            warm_up=reader.warm_up("WARM_UP", default.warm_up),
            cache_seconds=reader.number("CACHE_SECONDS", "cache_seconds", default.cache_seconds),
        )
        reader.refuse_unknown()
        if reader.faults:
            raise LimitError.from_faults(reader.faults)
        return config


class _Reader:
    """Reads variables and collects every fault instead of stopping at the first."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.known = set(_OF_OTHERS)
        self.faults: list[Fault] = []

    def text(self, name: str) -> str:
        """Return the text of a variable without blanks around it, "" where it is not set."""
        self.known.add(_PREFIX + name)
        return self.environment.get(_PREFIX + name, "").strip()

    def fault(self, name: str, expected: str, got: str) -> None:
        variable = _PREFIX + name
        message = f"{variable}: expected {expected}, got {quoted(got)}"
        self.faults.append(Fault("config", f"/{variable}", message))

    def refuse_unknown(self) -> None:
        """Add a fault for each variable that nothing reads: a setting misspelt is not in force."""
        for name in sorted(self.environment.keys() - self.known):
            if not name.startswith(_PREFIX):
                continue
            near = get_close_matches(name, self.known, n=1)
            hint = f"; is {near[0]} meant?" if near else ""
            message = f"{name:.80}: no setting has this name{hint}"
            self.faults.append(Fault("config", f"/{name:.80}", message))

    def number(self, name: str, setting: str, default: N) -> N:
        """Return a number of the default's type within the range of the setting."""
        text = self.text(name)
        if not text:
            return default
        kind = type(default)
        low, high = _RANGES[setting]
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            whole = "a whole number" if kind is int else "a number"
            self.fault(name, f"{whole} from {low:.12g} to {high:.12g}", text)
            return default
        return value

    def rate(self, name: str) -> str | None:
        """Return a rate limit as flask-limiter reads it, None without one."""
        text = self.text(name)
        if not text:
            return None
        if expected := rate_fault(text):
            self.fault(name, expected, text)
        return text

    def switch(self, name: str, *, default: bool) -> bool:
        text = self.text(name).lower()
        if text in {"1", "on", "true", "yes"}:
            return True
        if text in {"0", "off", "false", "no"}:
            return False
        if text:
            self.fault(name, "on or off", text)
        return default

    def warm_up(self, name: str, default: WarmUp) -> WarmUp:
        text = self.text(name).lower()
        if text and text not in _WARM_UPS:
            self.fault(name, "background, blocking or off", text)
        return _WARM_UPS.get(text, default)

    def keys(self, name: str) -> frozenset[str]:
        """Return the digests of a key file: one per line, ``#`` begins a comment."""
        path = self.text(name)
        if not path:
            if self.environment.get(_PREFIX + name):  # blanks: a mistake, not a service for all
                self.fault(name, "the path of a file", self.environment[_PREFIX + name])
            return frozenset()
        try:
            lines = Path(path).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            self.fault(name, "a readable text file", f"{path} ({type(error).__name__})")
            return frozenset()
        digests = [t for line in lines if (t := line.partition("#")[0].strip())]
        for i, digest in enumerate(digests):
            if not _DIGEST_RE.fullmatch(digest):
                # The line may hold a key in the clear, so it is not repeated here.
                self.fault(name, "64 hex digits (SHA-256 of a key) a line", f"entry {i + 1}")
        if not digests:
            self.fault(name, "at least one digest", path)
        return frozenset(d.lower() for d in digests)


def rate_fault(text: str) -> str:
    """Return what is expected of a rate limit in place of this text, "" when it holds.

    Example:
        >>> rate_fault("60/minute")
        ''
    """
    try:
        limits = importlib.import_module("limits")  # comes with flask-limiter: the extra 'serve'
    except ImportError:
        return "flask-limiter to be installed for a rate limit: the extra 'serve'"
    try:
        amounts = [item.amount for item in limits.parse_many(text)]
    except ValueError:
        amounts = []
    if amounts and all(1 <= amount <= _MOST_REQUESTS for amount in amounts):
        return ""
    return "a rate such as 60/minute, or several such as 60/minute;1000/day"


def key_digest(key: str) -> str:
    """Return the SHA-256 digest (hex) under which a key is kept."""
    return hashlib.sha256(key.encode()).hexdigest()
