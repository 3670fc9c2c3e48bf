"""Batches that die at a given step of writing: run as a process of its own by the tests.

A process forks a child for every death, so each dies as by ``kill -9``: no handler runs, nothing
is cleaned up. Steps are counted over the calls that change files, before and after each of them.
Arguments: one JSON object; prints ``ready``, then one JSON object for each death.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import signal
import sys
from pathlib import Path

from solver.batch import Job, Question, run_batch
from solver.rules.loader import load_rules
from solver.solve import solve_many

SMALL = {"block_bytes": 3000, "block_rows": 70, "part_blocks": 2, "part_s": math.inf}


def job_of(inputs, output):
    inputs = (inputs,) if isinstance(inputs, str | Path) else inputs
    question = Question(load_rules("gin"), id="id", any_size=True)
    return Job(tuple(map(str, inputs)), str(output), question, threads=2, resume=True, **SMALL)


def die_at(step):
    """Make this process kill itself at the given step, 0 for never; return a reader of steps."""
    count = 0

    def counted(real):
        def before_and_after(*arguments, **options):
            nonlocal count
            count += 1
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)
            result = real(*arguments, **options)
            count += 1
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return before_and_after

    for module, name in ((os, "replace"), (os, "fsync"), (os, "unlink"), (shutil, "rmtree")):
        setattr(module, name, counted(getattr(module, name)))
    return lambda: count


def run_in_child(job, step):
    """Run a job in a child that dies at a step; return its exit code, its reuse, its steps."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        steps = die_at(step)
        reused = run_batch(job).n_reused
        os.write(writer, f"{reused} {steps()}".encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        text = told.read()
    status = os.waitpid(child, 0)[1]
    reused, n_steps = map(int, text.split()) if text else (None, None)
    return os.waitstatus_to_exitcode(status), reused, n_steps


def digest(output):
    """Return SHA-256 of answers and of rejects, None for a file that is not there."""
    paths = (Path(output), Path(f"{output}.rejects.jsonl"))
    return [hashlib.sha256(p.read_bytes()).hexdigest() if p.exists() else None for p in paths]


def left_over(output):
    return sorted(p.name for p in Path(output).parent.iterdir() if p.name.endswith("part"))


def clear(output):
    for path in Path(output).parent.iterdir():
        path.unlink()


def main():
    asked = json.loads(sys.argv[1])
    job = job_of(asked["inputs"], asked["output"])
    solve_many(["7S"], load_rules("gin"))  # the kernels are loaded once, before any fork
    print("ready", flush=True)
    n_steps = None
    if min(asked["steps"]) < 0:  # counted from the last one
        n_steps = run_in_child(job, 0)[2]
        clear(job.output)
    for given in asked["steps"]:
        step = given if given >= 0 else n_steps + 1 + given
        code = run_in_child(job, step)[0]
        told = {"step": step, "code": code, "died": digest(job.output)}
        if asked["resume"]:
            again, reused, _ = run_in_child(job, 0)
            told |= {"again": again, "reused": reused, "end": digest(job.output)}
            told["parts"] = Path(f"{job.output}.parts").exists()
            told["left"] = left_over(job.output)
            clear(job.output)
        print(json.dumps(told), flush=True)
        if code == 0:
            break


if __name__ == "__main__":
    main()
