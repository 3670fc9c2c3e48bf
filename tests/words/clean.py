"""What no message for people may hold, and values that are nothing at all."""

from __future__ import annotations

import re

import numpy as np

LONGEST = 1_000
"""Characters of a line at most: a message of 500, its place, and the first of a list joined."""
_INTERNALS = re.compile(
    r"""<class|object\ at\ 0x|Traceback|\bNoneType\b|\bNone\b|\bTrue\b|\bFalse\b
    |\b(dict|tuple|ndarray|numpy|dtype|bytearray|frozenset|memoryview|str|int|bool)\b
    |\b[A-Z][A-Za-z]*(Error|Exception)\b|invalid\ literal|unhashable|subscriptable|iterable
    |unexpected\ keyword|positional|has\ no\ attribute|not\ supported\ between|codec\ can't
    |Expecting|Extra\ data|__\w+__|(GameRules|Meld|Arrangement|Plan|Counter|array)\(
    |(?:^|[\s(\[,])b['"]
    |\[Errno""",
    re.VERBOSE,
)
HOSTILE_JSON = (
    *(None, True, -1, 0, 3, 99, 10**30, 0.5, float("nan"), float("inf")),
    *("", "x", "7S", "zz 9Z", "0", "-1", "R[", "JK", "x" * 10_000, "7S " * 3_000, "\ud800", "\0"),
    *([], [None], [[]], ["7S", None], [1.5], [-1], [10**30], [[["7S"]]], ["7S"] * 300),
    *({}, {"a": 1}, {"cards": None}, {"cards": ["7S"], "kind": 5, "stands_for": 1}),
)
HOSTILE = (
    *HOSTILE_JSON,
    *(b"7S", bytearray(b"7S"), object(), object, {1, 2}, frozenset(), range(3), 1j),
    *(np.zeros(3), np.zeros((2, 66)), np.full(66, -1), np.full(66, 300), np.array(5)),
    *(np.float64(0.5), np.int64(-7), (None, None), ("7S", 7), {None: None}, {1: [2]}, iter([1])),
)


def told_badly(message: str) -> str | None:
    """Return what is wrong with a message, None when nothing is."""
    if len(message) > LONGEST:
        return f"{len(message)} characters: {message[:100]}..."
    found = _INTERNALS.search(message)
    return f"{found[0]!r} in {message}" if found else None
