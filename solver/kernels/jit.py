"""The one decorator through which every kernel is compiled."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])

log = logging.getLogger("solver.kernels")
KERNELS: dict[str, Any] = {}
"""Every compiled kernel by module and name, for warm-up and for the one-signature test."""


def kernel(func: F) -> F:
    """Compile a kernel with nogil and a disk cache; without the cache where it cannot be kept.

    numba refuses ``cache=True`` with RuntimeError when neither the package folder nor a user
    cache folder is writable (read-only installs); the kernel is then compiled in memory.
    """
    try:
        compiled = numba.njit(nogil=True, cache=True)(func)
    except RuntimeError as error:
        if not KERNELS:
            log.warning("kernel cache is off: %s", error)
        compiled = numba.njit(nogil=True)(func)
    KERNELS[f"{func.__module__}.{func.__qualname__}"] = compiled
    return compiled  # type: ignore[no-any-return]
