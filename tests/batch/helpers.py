"""Hands with answers of their own reckoning, files of them, and runs of the batch over them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from solver.batch import Job, Question, run_batch
from solver.cards import format_hand, parse_cards
from solver.rules.loader import load_rules

PACK = [suit * 13 + rank for suit in range(4) for rank in range(13)]
CROWNS = [suit * 13 + rank for suit in range(5) for rank in range(2, 13)] * 2 + [65] * 6
GAMES = {
    "gin": ({}, PACK, 10),
    "three-thirteen": ({"cards_dealt": 13}, PACK * 2, 13),
    "five-crowns": ({"cards_dealt": 13}, CROWNS, 13),
    "liverpool": ({"deal": 3}, PACK * 2 + [65] * 4, 12),
}


def rules_of(game):
    return load_rules(game, **GAMES[game][0])


def make_hands(game, n, seed=1):
    """Return n random hands as texts."""
    _, deck, size = GAMES[game]
    rng = random.Random(seed)
    return [format_hand(rng.sample(deck, size)) for _ in range(n)]


def write_rows(path, rows):
    """Write dicts of cells to a file of the form that its name tells; return its path."""
    path = Path(path)
    bare = path.name.removesuffix(".gz")
    if bare.endswith(".parquet"):
        pa.parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=97)
        return path
    if bare.endswith(".jsonl"):
        text = "".join(json.dumps(row) + "\n" for row in rows)
    else:
        sink = io.StringIO()
        writer = csv.DictWriter(sink, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        text = sink.getvalue()
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.name.endswith(".gz") else data)
    return path


def codes_of(text):
    return parse_cards(text)


def read_rows(path):
    """Return the rows of a file of answers or rejects, JSON or Parquet or CSV."""
    path = Path(path)
    if path.name.endswith(".parquet"):
        return pa.parquet.read_table(path).to_pylist()
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.name.endswith(".gz") else data).decode()
    if ".jsonl" in path.name:
        return [json.loads(line) for line in text.splitlines()]
    return list(csv.DictReader(io.StringIO(text)))


def do(inputs, output, game="gin", *, rules=None, columns=None, **settings):
    """Run a batch of hands of any size; return its summary, its answers and its rejected rows."""
    inputs = [inputs] if isinstance(inputs, str | Path) else inputs
    question = Question(rules or rules_of(game), **{"any_size": True, **(columns or {})})
    job = Job(tuple(map(str, inputs)), str(output), question, **settings)
    summary = run_batch(job)
    rejected = read_rows(summary.rejects) if summary.rejects else []
    return summary, read_rows(output), rejected


def penalties(rows):
    """Return the penalties of answers, CSV's texts among them, as numbers."""
    told = [row["penalty"] for row in rows]
    return [None if p in {None, ""} else int(p) for p in told]
