"""Examples in docstrings run, and say what comes."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in ("solver", "service", "bench")
    for path in sorted((ROOT / package).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name):
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.FAIL_FAST)
    assert found.attempted, "expected examples that doctest finds, got none"
    assert not found.failed
