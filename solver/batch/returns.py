"""Returns without a line feed as line ends; every function keeps the number of bytes."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

_LONE: Final = re.compile(rb"\r(?!\n|\Z)")
_RETURN: Final = 13
_FEED: Final = 10
_QUOTE: Final = 34


def end_at_all(data: bytes) -> bytes:
    """Return data with a line feed for each lone return; a return as the last byte stays."""
    return _LONE.sub(b"\n", data)


def end_at_unquoted(data: bytes) -> bytes:
    """Return lines of CSV with a line feed for each lone return that is not between quotes.

    Args:
        data: whole lines; quotes are counted from the line feed before, so that one that is
            never closed spoils its own line only.
    """
    if data.count(b"\r") == data.count(b"\r\n"):
        return data
    chars = np.frombuffer(data, np.uint8).copy()
    returns = np.flatnonzero(chars == _RETURN)
    returns = returns[np.append(chars, 0)[returns + 1] != _FEED]
    n_quotes = np.concatenate([[0], np.cumsum(chars == _QUOTE)])
    starts = np.concatenate([[0], np.flatnonzero(chars == _FEED) + 1])
    starts = starts[np.searchsorted(starts, returns, side="right") - 1]
    chars[returns[(n_quotes[returns] - n_quotes[starts]) % 2 == 0]] = _FEED
    return chars.tobytes()


def first_line_end(line: bytes, start: int = 0) -> int | None:
    """Return where a line goes on behind its first lone return, None without one."""
    if line.endswith(b"\r"):
        line += b"\0"
    found = _LONE.search(line, start)
    return None if found is None else found.end()
