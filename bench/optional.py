"""Modules that a benchmark may do without: rivals, and parts of the solver that need an extra."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any


@cache
def optional(name: str) -> Any | None:  # noqa: ANN401 - modules without types
    """Return a module, None when it is not installed; a module that breaks is an error."""
    parent = name.rpartition(".")[0]
    if (parent and optional(parent) is None) or importlib.util.find_spec(name) is None:
        return None
    return importlib.import_module(name)


def version_of(distribution: str) -> str | None:
    """Return the installed version of a distribution, None when it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
