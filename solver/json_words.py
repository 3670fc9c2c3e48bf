"""What is wrong with a text that is no JSON, in words that are ours on every Python."""

from __future__ import annotations

import json
from typing import Final

_SHOWN: Final = 12
_EXPECTED: Final = {
    "Expecting ',' delimiter": "a comma or a closing bracket",
    "Expecting ':' delimiter": "a colon behind a key",
    "Expecting property name": "a key in double quotes",
    "Expecting value": "a value",
    "Extra data": "one JSON object on a line",
    "Unterminated string": "a text with a closing quote",
    "Invalid control character": "a text without control characters",
    "Invalid \\": "a text with the escapes of JSON",
    "Illegal trailing comma": "no comma before a closing bracket",
}
"""What a parser's error begins with -> what was expected where it stopped."""


def what_is_wrong(error: ValueError | RecursionError) -> str:
    """Return what a failure of ``json.loads`` says of its text.

    Example:
        >>> try:
        ...     json.loads('{"hand": }')
        ... except ValueError as error:
        ...     print(what_is_wrong(error))
        expected a value, got '}' at column 10
    """
    if isinstance(error, RecursionError):
        return "expected JSON, got a text nested too deep"
    if isinstance(error, UnicodeDecodeError):
        return f"expected UTF-8, got byte {error.object[error.start]:#04x} at {error.start + 1}"
    if not isinstance(error, json.JSONDecodeError):
        is_long = "digits" in str(error)
        return "expected a number of fewer digits" if is_long else str(error)
    known = (told for begin, told in _EXPECTED.items() if error.msg.startswith(begin))
    found = error.doc[error.pos : error.pos + _SHOWN]
    got = repr(found) if found else "the end of the text"
    return f"expected {next(known, 'a JSON object')}, got {got} at column {error.colno}"
