"""Settings of the service: limits, keys, logging; read from the environment in one place."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from solver.errors import Fault, LimitError, quoted

WarmUp: TypeAlias = Literal["background", "blocking", "off"]

_DIGEST_RE = re.compile(r"[0-9a-fA-F]{64}")
_PREFIX = "MELD_"
_WARM_UPS: dict[str, WarmUp] = {"background": "background", "blocking": "blocking", "off": "off"}
_TOO_LARGE = 1e12
"""Far beyond any sensible setting; also keeps infinity out."""

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
        concurrent_solves: questions worked on at once; further ones are answered 503.
    """

    body_bytes: int = 1 << 20
    batch_body_bytes: int = 16 << 20
    hand_cards: int = 120
    round_hands: int = 16
    batch_hands: int = 1000
    replay_games: int = 1000
    time_limit_s: float = 10.0
    arrangements: int = 100
    concurrent_solves: int = 64


@dataclass(frozen=True)
class ServiceConfig:
    """Everything that may differ between two running services.

    Attributes:
        limits: what one request may ask for.
        api_keys: SHA-256 digests (hex) of the keys that are let in; empty: nobody is asked.
        rate_limit: such as ``"60/minute"`` per key or address, None for no limit.
        metrics: whether ``/metrics`` is served.
        request_log: whether each request writes one JSON line to the log ``service.requests``.
        warm_up: when the kernels are compiled: beside the first requests, before them, or never.
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
                    name: reader.number(f"LIMIT_{name.upper()}", getattr(limit, name))
                    for name in Limits.__dataclass_fields__
                }
            ),
            api_keys=reader.keys("API_KEYS_FILE"),
            rate_limit=reader.text("RATE_LIMIT") or None,
            metrics=reader.switch("METRICS", default=default.metrics),
            request_log=reader.switch("REQUEST_LOG", default=default.request_log),
            warm_up=reader.warm_up("WARM_UP", default.warm_up),
            cache_seconds=reader.number("CACHE_SECONDS", default.cache_seconds, least=0),
        )
        if reader.faults:
            raise LimitError.from_faults(reader.faults)
        return config


class _Reader:
    """Reads variables and collects every fault instead of stopping at the first."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.faults: list[Fault] = []

    def text(self, name: str) -> str:
        return self.environment.get(_PREFIX + name, "").strip()

    def fault(self, name: str, expected: str, got: str) -> None:
        variable = _PREFIX + name
        message = f"{variable}: expected {expected}, got {quoted(got)}"
        self.faults.append(Fault("config", f"/{variable}", message))

    def number(self, name: str, default: N, *, least: int = 1) -> N:
        """Return a number of the default's type: at least ``least``, a float above 0."""
        text = self.text(name)
        if not text:
            return default
        kind = type(default)
        low = least if kind is int else 0.001
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value < _TOO_LARGE:
            self.fault(name, f"a number of at least {low}", text)
            return default
        return value

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


def key_digest(key: str) -> str:
    """Return the SHA-256 digest (hex) under which a key is kept."""
    return hashlib.sha256(key.encode()).hexdigest()
