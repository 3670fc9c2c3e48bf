"""The one decorator through which every kernel is compiled, and its disk cache."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config

F = TypeVar("F", bound=Callable[..., Any])

log = logging.getLogger("solver.kernels")
KERNELS: dict[str, Any] = {}
"""Every compiled kernel by module and name, for warm-up and for the one-signature test."""


def _source_hash() -> str:
    """Return a hash of all kernel sources and of numba's version.

    numba hashes only the file of a function, so a kernel that calls one in another file would
    be served stale; naming the cache folder by all sources rules that out.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> str | None:
    """Return a writable cache folder for these sources, None when there is none."""
    root = os.environ.get("MELD_SOLVER_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(root or home) / "meld-solver" / _source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        log.warning("kernel cache is off, kernels compile at each start: %s", error)
        return None
    return str(folder)


_FOLDER = _cache_folder()


def kernel(func: F) -> F:
    """Compile a kernel with nogil and, where a folder is writable, a disk cache.

    numba picks the cache folder when the decorator runs; it is set for that moment only, so
    other users of numba in the process keep theirs.
    """
    before = config.CACHE_DIR
    try:
        if _FOLDER is not None:
            config.CACHE_DIR = _FOLDER
        compiled = numba.njit(nogil=True, cache=_FOLDER is not None)(func)
    finally:
        config.CACHE_DIR = before
    KERNELS[f"{func.__module__}.{func.__qualname__}"] = compiled
    return compiled  # type: ignore[no-any-return]
