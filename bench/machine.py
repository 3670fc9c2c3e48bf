"""What a result must name besides its numbers: machine, versions, commit, rules."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

from bench.corpus import GAMES
from bench.optional import version_of
from bench.peers import peer_versions
from bench.processes import ROOT


def machine_facts() -> dict[str, Any]:
    """Return processor, cores, memory, system and load; nothing that names a person or host."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": _memory_gib(),
        "system": f"{platform.system()} {platform.machine()}",
        "load_before": [round(x, 2) for x in os.getloadavg()],
    }


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _memory_gib() -> float:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)


def version_facts() -> dict[str, Any]:
    """Return the versions of Python, of what we are built on, and of the peers."""
    ours = ("meld-solver", "numpy", "numba", "ortools", "flask", "granian", "pyarrow")
    return {
        "python": platform.python_version(),
        **{name: version_of(name) for name in ours},
        "peers": peer_versions(),
    }


def commit_facts() -> dict[str, Any]:
    """Return the commit and whether files differ from it; None outside a checkout."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        return {"commit": None, "modified": None}
    return {"commit": _git("rev-parse", "HEAD"), "modified": bool(_git("status", "--porcelain"))}


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30
    )
    return done.stdout.strip()


def rules_facts() -> dict[str, str]:
    """Return the fingerprint of the rules of each game measured."""
    return {name: game.rules().fingerprint for name, game in GAMES.items()}
