"""A million hands of a game through the command: the penalties of solve_many, memory bounded."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from solver.cards import format_card
from solver.solve import solve_many
from tests.batch.helpers import GAMES, rules_of

N = 1_000_000
CHUNK = 50_000
PEAK_MB = 700
"""Of which the libraries take 200."""
# What wait4 tells of a child is at least the size of the parent that forked it.
PROGRAM = """
import atexit, pathlib, re, sys
def tell():
    status = pathlib.Path("/proc/self/status").read_text()
    print("peak", int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) // 1024, "MB", file=sys.stderr)
atexit.register(tell)
from solver.cli import main
main(sys.argv[1:])
"""


def many_hands(game):
    """Return N random hands as an Arrow array of texts and as counts uint8[N, 66]."""
    _, deck, size = GAMES[game]
    rng = np.random.default_rng(7)
    tokens = np.array([format_card(card) + " " for card in range(66)], dtype="S3")
    cards = np.array(deck)
    texts, counts = [], []
    for _ in range(N // CHUNK):
        picks = cards[np.argsort(rng.random((CHUNK, len(cards))), axis=1)[:, :size]]
        rows = tokens[picks].reshape(CHUNK, size).view(f"S{3 * size}").ravel()
        texts.append(pa.array(rows.astype(str), pa.string()))
        table = np.zeros((CHUNK, 66), np.uint8)
        np.add.at(table, (np.repeat(np.arange(CHUNK), size), picks.ravel()), 1)
        counts.append(table)
    return pa.chunked_array(texts), np.concatenate(counts)


def write(path, texts):
    table = pa.table({"hand": texts})
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path)
    elif path.suffix == ".csv":
        pa.csv.write_csv(table, path)
    else:
        with gzip.open(path, "wt", compresslevel=1) as file:
            for text in texts.to_pylist():
                file.write(json.dumps({"hand": text}) + "\n")


def read_penalties(path):
    if path.suffix == ".parquet":
        return pa.parquet.read_table(path, columns=["penalty"]).column(0).to_numpy()
    if path.suffix == ".csv":
        return pa.csv.read_csv(path).column("penalty").to_numpy()
    with gzip.open(path, "rt") as file:
        return np.array([json.loads(line)["penalty"] for line in file])


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to read the peak of")
@pytest.mark.parametrize("game", GAMES)
def test_a_million_hands(tmp_path, game):
    texts, counts = many_hands(game)
    right = solve_many(counts, rules_of(game), threads=2)
    del counts
    options = [a for k, v in GAMES[game][0].items() for a in ("--option", f"{k}={v}")]
    for form in ("parquet", "csv", "jsonl.gz"):
        source, target = tmp_path / f"in.{form}", tmp_path / f"out.{form}"
        write(source, texts)
        arguments = ["batch", source, "-o", target, "--rules", game, *options, "--threads", 2]
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert np.array_equal(read_penalties(target), right)
        *_, summary, peak = done.stderr.splitlines()
        print(f"{game} {form}: {summary}, {peak}")
        assert int(peak.split()[1]) < PEAK_MB
        source.unlink()
        target.unlink()
