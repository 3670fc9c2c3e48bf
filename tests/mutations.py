"""Recorded games damaged at random, for the readers that must refuse each of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

HOSTILE: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2, 99, 10**9 + 1, 10**30, 0.5, 1.0, float("nan")),
    *("", "0", "gin", "0 draw", "1 discard KS", "0 knock - S[7S 7H]", "deal", "JK", "\ud800"),
    "x" * 300,
    *([], [[]], {}, {"": 0}, [[[[[[[[[[[[]]]]]]]]]]]], {"a": {"b": {"c": {}}}}, ["AS"] * 40),
)  # fmt: skip


def canonical(data: Any) -> str:
    """Return what a record says, its digest apart; 1, 1.0 and true differ."""
    plain = {k: v for k, v in data.items() if k != "sha256"} if isinstance(data, dict) else data
    return json.dumps(plain, sort_keys=True)


def _places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a document but the root."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from _places(value, (*path, key))


def _change(holder: Any, key: Any, rng: Random) -> None:
    value = holder[key]
    kind = rng.randrange(6)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(value))
    elif kind == 2 and isinstance(holder, list):
        other = rng.randrange(len(holder))
        holder[key], holder[other] = holder[other], holder[key]
    elif kind == 3 and isinstance(value, int) and not isinstance(value, bool):
        holder[key] = value + rng.choice((-1, 1, 10))
    elif kind == 4 and isinstance(value, str) and value:
        at = rng.randrange(len(value))
        holder[key] = value[:at] + rng.choice("0172 AKQJTSHDC>[]=-") + value[at + 1 :]
    elif kind == 5 and isinstance(holder, dict):
        holder[f"{key}2"] = holder.pop(key)
    else:
        holder[key] = copy.deepcopy(rng.choice(HOSTILE))


def damaged(record: dict[str, Any], rng: Random) -> dict[str, Any]:
    """Return a copy with one to three values changed, its digest left as it was."""
    data = copy.deepcopy(record)
    for _ in range(rng.randrange(1, 4)):
        path = rng.choice([p for p in _places(data) if p != ("sha256",)])
        holder = data
        for key in path[:-1]:
            holder = holder[key]
        _change(holder, path[-1], rng)
    return data


def damaged_text(line: str, rng: Random) -> bytes:
    """Return a line with some bytes changed, dropped or doubled; never more than one line."""
    data = bytearray(line.encode())
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(1, len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[at] = rng.choice([0, 9, 34, 44, 48, 57, 92, 125, 255])
        elif kind == 1:
            del data[at : at + rng.randrange(1, 30)]
        elif kind == 2:
            data[at:at] = data[at : at + rng.randrange(1, 30)]
        else:
            del data[at + 1 :]
    return bytes(data)


def parsed(line: bytes) -> Any:
    """Return the JSON of a line, None when it is none."""
    try:
        return json.loads(line)
    except ValueError:
        return None
