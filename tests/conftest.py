"""Settings of hypothesis and fixtures that every test may use."""

from __future__ import annotations

import gc
import importlib
import os
import random
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

SHARED = Path(__file__).resolve().parents[2] / "shared"

# Engines compile when first asked, so the first example of a test may take seconds: no deadline.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("dev", max_examples=30, **_COMMON)
settings.register_profile("ci", max_examples=60, derandomize=True, **_COMMON)
settings.register_profile("nightly", max_examples=2_000, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


@pytest.fixture(autouse=True)
def no_global_randomness() -> Iterator[None]:
    """Fail a test in which anything but hypothesis drew from the global generator."""
    before = random.getstate()
    yield
    assert random.getstate() == before, "expected a seeded generator, got draws from random"


@pytest.fixture(scope="module")
def no_old_garbage() -> Iterator[None]:
    """Keep what earlier tests left out of collections, which would count as time of a question.

    After thousands of tests one collection takes half a second.
    """
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Return the folder of shared data beside the project, or skip."""
    if not SHARED.is_dir():
        pytest.skip("no ../shared folder beside the project")
    return SHARED


@pytest.fixture(scope="session")
def solve_module() -> ModuleType:
    """Return ``solver.solve``; loaded late, so that oracles are tested even when it is broken.

    The attribute of that name of the package root is the function, not the module.
    """
    return importlib.import_module("solver.solve")
