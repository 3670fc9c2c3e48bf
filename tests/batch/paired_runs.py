"""Pairs of batches on one output at the same time: run as a process of its own by the tests.

Each of the two runs in a child of its own, so they share nothing but files. They answer different
questions, so every byte tells whose it is. Arguments: one JSON object; prints a JSON object for
each pair.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path

from solver.batch import BatchError, Job, Question, run_batch
from solver.rules.loader import load_rules
from solver.solve import solve_many

RULES = [load_rules("gin"), load_rules("gin", points={"A": 15})]


def run(job, wait_s, held):
    """Run a job in a child; return its process and the reading end of what it tells.

    Args:
        job: the job.
        wait_s: seconds before it begins.
        held: pipe that the child waits on in the midst of its run, None for no wait.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return child, os.fdopen(reader)
    time.sleep(wait_s)

    def report(tally, elapsed_s):
        nonlocal held
        if held is not None:
            os.write(writer, b"b")  # it has begun
            os.read(held, 1)
            held = None

    told = {"code": "ok"}
    try:
        run_batch(job, report)
    except BatchError as error:
        told = {"code": error.code, "data": dict(error.faults[0].data), "said": str(error)}
    os.write(writer, json.dumps(told).encode())
    os._exit(0)


def told_by(child, reader):
    with reader:
        told = json.loads(reader.read())
    assert os.waitpid(child, 0)[1] == 0
    return {**told, "pid": child}


def pair(jobs, *, overlap, wait_s):
    """Return what came of two jobs: the second begins in the midst of the first, or about then."""
    if not overlap:
        started = [run(job, s, None) for job, s in zip(jobs, wait_s, strict=True)]
        return [told_by(*one) for one in started]
    held, go_on = os.pipe()
    first = run(jobs[0], 0, held)
    assert first[1].read(1) == "b"
    second = told_by(*run(jobs[1], 0, None))
    os.write(go_on, b"g")
    told = told_by(*first), second
    os.close(held)
    os.close(go_on)
    return told


def main():
    asked = json.loads(sys.argv[1])
    rng = random.Random(asked["seed"])
    solve_many(["7S"], RULES[0])
    solve_many(["7S"], RULES[1])
    for i in range(asked["pairs"]):
        first = i % 2
        jobs = [
            Job(
                (asked["input"],),
                asked["outputs"][which],
                Question(RULES[which], id="id", any_size=True),
                rejects=asked["rejects"][which],
                resume=asked["resume"],
                block_bytes=3000,
                part_blocks=2,
            )
            for which in (first, 1 - first)
        ]
        wait_s = [rng.uniform(0, 0.05), rng.uniform(0, 0.05)]
        told = pair(jobs, overlap=asked["overlap"], wait_s=wait_s)
        folder = Path(asked["outputs"][0]).parent
        files = {p.name: p.read_text() for p in folder.iterdir() if p.is_file()}
        print(json.dumps({"first": first, "told": told, "files": files}), flush=True)
        for name in files:
            (folder / name).unlink()


if __name__ == "__main__":
    main()
