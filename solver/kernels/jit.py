"""The one decorator through which every kernel is compiled, and its disk cache."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import threading
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import caching as _caching
from numba.core import config as _config
from numba.core import event as _event

from solver import clock

F = TypeVar("F", bound=Callable[..., Any])

_HERE = Path(__file__).parent
config: Any = _config  # its settings are made at run time, from the environment
log = logging.getLogger("solver.kernels")
KERNELS: dict[str, Any] = {}
"""Every compiled kernel by module and name, for warm-up and for the one-signature test."""

events: Any = _event
caching: Any = _caching


class _Preparing(events.Listener):  # type: ignore[misc]  # numba has no types
    """Stops the clock while numba compiles a kernel or loads one; threads that wait count too."""

    def on_start(self, event: object) -> None:
        clock.pause()

    def on_end(self, event: object) -> None:
        clock.resume()


class _Compiling(events.Listener):  # type: ignore[misc]  # numba has no types
    """Says once a process that kernels compile: it takes long, and nothing else is heard."""

    def on_start(self, event: object) -> None:
        _say_compiling()

    def on_end(self, event: object) -> None:
        """Say nothing more."""


@lru_cache(maxsize=1)
def _say_compiling() -> None:
    log.info("compiling kernels, once for this version (about half a minute)")


events.register("numba:compiler_lock", _Preparing())
events.register("numba:compile", _Compiling())


@cache
def _sources_of(name: str) -> frozenset[str]:
    """Return a kernel file's name with those of all siblings it imports, however far."""
    text = (_HERE / f"{name}.py").read_text(encoding="utf-8")
    found = {name}
    for sibling in re.findall(r"^from solver\.kernels\.(\w+) import", text, re.MULTILINE):
        found |= _sources_of(sibling)
    return frozenset(found)


@cache
def _cache_folder(name: str) -> str:
    """Return the cache folder for one kernel file as it is now, whether it is there or not.

    numba hashes only the file of a function, so a kernel that calls one in another file would
    be served stale when that one changes; naming the folder by all sources rules that out.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(_sources_of(name)):
        digest.update(source.encode() + (_HERE / f"{source}.py").read_bytes())
    return str(_cache_root() / "meld-solver" / f"{name}-{digest.hexdigest()[:16]}")


def _cache_root() -> Path:
    asked = os.environ.get("MELD_SOLVER_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(asked or home)


_UNCACHED = threading.Event()


def _say_uncached(why: OSError) -> None:
    """Say once a process, whatever folder it was, that compiled kernels are not kept."""
    if not _UNCACHED.is_set():
        _UNCACHED.set()
        log.warning("kernels cannot be kept in the cache and compile at each start: %s", why)


class _Locator(caching.InTreeCacheLocator):  # type: ignore[misc]  # numba has no types
    """Names our folder; numba's own locators pass over every folder that cannot be written."""

    def __init__(self, py_func: Any, py_file: str) -> None:  # noqa: ANN401
        super().__init__(py_func, py_file)
        self._cache_path = _cache_folder(Path(py_file).stem)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:  # noqa: ANN401
        return cls(py_func, py_file)


class _CacheFiles(caching.CompileResultCacheImpl):  # type: ignore[misc]  # numba has no types
    _locator_classes = (_Locator,)


class _KernelCache(caching.FunctionCache):  # type: ignore[misc]  # numba has no types
    """numba's cache, read wherever it can be read and written only where it can be written."""

    _impl_class = _CacheFiles

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401
        try:
            return super().load_overload(sig, target_context)
        except OSError:  # there, but not for us to read
            return None

    def save_overload(self, sig: Any, data: Any) -> None:  # noqa: ANN401
        try:
            super().save_overload(sig, data)
        except OSError as error:  # read-only, full, of another user
            _say_uncached(error)


def kernel(func: F) -> F:
    """Compile a kernel with nogil and a disk cache."""
    compiled: Any = numba.njit(nogil=True)(func)
    if not config.DISABLE_JIT:
        compiled._cache = _KernelCache(func)
    KERNELS[f"{func.__module__}.{func.__qualname__}"] = compiled
    return cast(F, compiled)


def inlined(func: F) -> F:
    """Let numba copy a helper into each kernel that calls it: a call costs 10 ns and more.

    Sources of siblings are part of every cache folder's name, so a copy never outlives its text.
    """
    return cast(F, numba.njit(inline="always")(func))
