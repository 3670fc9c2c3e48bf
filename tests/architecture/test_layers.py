"""The layers that DESIGN.md names, held by reading every import of the three packages."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
PACKAGES = ("solver", "service", "bench")

# Top first. A module may import what stands on a lower line, never its own line or a higher one.
# A sub-package counts as one module with everything in it: solver.engine.record is solver.engine.
LAYERS = (
    ("service", "bench"),
    ("solver.cli", "solver"),  # "solver" is the package root: it re-exports what lies below it
    ("solver.batch", "solver.players"),
    ("solver.engine",),
    ("solver.solve", "solver.table"),
    ("solver.cpsat", "solver.compile"),
    ("solver.melds",),
    ("solver.rules",),
    (
        "solver.cards",
        "solver.deadline",
        "solver.errors",
        "solver.json_words",
        "solver.kernels",
        "solver.packings",
        "solver.whole_files",
    ),
    ("solver.arguments", "solver.clock"),
)
DEPTH = {unit: depth for depth, line in enumerate(LAYERS) for unit in line}

# Lay-offs and going down are asked of the solver of one hand.
SAME_LINE = {("solver.table", "solver.solve")}
# The error classes import nothing and serve everybody, save the kernels (checked apart).
FOR_EVERYBODY = "solver.errors"
# The command starts the service and the benchmarks: the one way up, and only inside a subcommand.
STARTS = {("solver.cli", "service"), ("solver.cli", "bench")}

# Who may import own code late, and why. Everybody else, service/ included, imports at the top.
ROOTS_THAT_MAY_LOAD_LATE = {"solver", "bench"}  # PEP 562: `import solver` loads no numba
LATE_COMMANDS = {"solver.cli"}  # subcommands import what they run: --help loads no numba

# Kernels: arrays and their siblings; the last three only name types. The module of the decorator
# holds no loop over cards: it keeps numba's disk cache fresh and stops the clock meanwhile, and may
# use the standard library.
KERNEL_IMPORTS = {"numpy", "numba", "__future__", "typing", "collections.abc"}
KERNEL_DECORATOR = "solver.kernels.jit"
DECORATOR_IMPORTS = sys.stdlib_module_names | {"solver.clock"}


@dataclass(frozen=True)
class Import:
    """One imported module name, where it stands and how it is reached."""

    line: int
    target: str
    in_function: bool
    in_lazy_export: bool
    for_typing: bool


def unit_of(name: str) -> str:
    """Return the module of the layer table that a dotted name belongs to."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "solver" else parts[0]


def top_of(name: str) -> str:
    return name.partition(".")[0]


def names_type_checking(test: ast.expr) -> bool:
    return any(
        (isinstance(node, ast.Name) and node.id == "TYPE_CHECKING")
        or (isinstance(node, ast.Attribute) and node.attr == "TYPE_CHECKING")
        for node in ast.walk(test)
    )


class ImportReader(ast.NodeVisitor):
    """Collects the imports of one module, dynamic ones with a literal name among them."""

    def __init__(self, module: str, is_package: bool, known: set[str]) -> None:
        self.base = module.split(".") if is_package else module.split(".")[:-1]
        self.known = known
        self.functions: list[str] = []
        self.typing_depth = 0
        self.found: list[Import] = []

    def add(self, node: ast.AST, target: str, *, late: bool = False) -> None:
        self.found.append(
            Import(
                line=node.lineno,
                target=target,
                in_function=late or bool(self.functions),
                in_lazy_export=self.functions[:1] == ["__getattr__"],
                for_typing=self.typing_depth > 0,
            )
        )

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.functions.append(node.name)
        self.generic_visit(node)
        self.functions.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_If(self, node: ast.If) -> None:
        guarded = names_type_checking(node.test)
        self.typing_depth += guarded
        for child in node.body:
            self.visit(child)
        self.typing_depth -= guarded
        for child in node.orelse:
            self.visit(child)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.add(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        parent = self.base[: len(self.base) - node.level + 1] if node.level else []
        source = ".".join([*parent, *([node.module] if node.module else [])])
        for alias in node.names:
            submodule = f"{source}.{alias.name}"
            self.add(node, submodule if submodule in self.known else source)

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        first = node.args[0] if node.args else None
        if name in {"import_module", "__import__"} and isinstance(first, ast.Constant):
            self.add(node, str(first.value), late=True)
        self.generic_visit(node)


def modules_under(root: Path) -> dict[str, Path]:
    """Return dotted name -> file of every module of the three packages."""
    found = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def kernel_fault(module: str, target: str) -> str | None:
    allowed = KERNEL_IMPORTS | (DECORATOR_IMPORTS if module == KERNEL_DECORATOR else set())
    if unit_of(target) == "solver.kernels" or {target, top_of(target)} & allowed:
        return None
    return "kernels import numpy, numba and their siblings only"


def late_fault(module: str, found: Import) -> str | None:
    lazy_root = module in ROOTS_THAT_MAY_LOAD_LATE
    if found.for_typing and not lazy_root:
        return "own code is never imported for TYPE_CHECKING only"
    if found.in_function and unit_of(module) not in LATE_COMMANDS:
        if not lazy_root:
            return "own code is imported at the top of the file"
        if not found.in_lazy_export:
            return "a package root imports late only inside its __getattr__"
    return None


def layer_fault(module: str, found: Import) -> str | None:
    here, there = unit_of(module), unit_of(found.target)
    if there == "solver" and module.startswith("solver."):
        return "nothing inside solver/ imports from the package root"
    if there not in DEPTH:
        return f"{there} stands in no layer; place it in LAYERS and in DESIGN.md"
    if there in {here, FOR_EVERYBODY} or (here, there) in SAME_LINE:
        return None
    if (here, there) in STARTS:
        return (
            None if found.in_function else "the command imports what it starts inside a subcommand"
        )
    if DEPTH[there] == DEPTH[here]:
        return f"{there} stands on the same line as {here}"
    return f"{there} stands above {here}" if DEPTH[there] < DEPTH[here] else None


def faults_of(module: str, found: Import) -> Iterator[str]:
    if unit_of(module) == "solver.kernels":
        fault = kernel_fault(module, found.target)
        if fault:
            yield fault
            return
    if top_of(found.target) in PACKAGES:
        for fault in (layer_fault(module, found), late_fault(module, found)):
            if fault:
                yield fault


def violations(root: Path) -> list[str]:
    """Return every broken layer rule of the tree as ``file:line: module imports x: reason``."""
    modules = modules_under(root)
    known = set(modules)
    broken = []
    for module, path in modules.items():
        where = path.relative_to(root).as_posix()
        if unit_of(module) not in DEPTH:
            broken.append(f"{where}:1: {module} stands in no layer")
            continue
        reader = ImportReader(module, path.name == "__init__.py", known)
        reader.visit(ast.parse(path.read_text(encoding="utf-8"), filename=where))
        broken += [
            f"{where}:{found.line}: {module} imports {found.target}: {fault}"
            for found in reader.found
            for fault in faults_of(module, found)
        ]
    return sorted(set(broken))


def test_the_project_keeps_its_layers():
    assert set(PACKAGES) <= set(modules_under(REPO))
    broken = violations(REPO)
    assert not broken, "\n" + "\n".join(broken)


def tree_with(root: Path, path: str, source: str) -> Path:
    """Write a small lawful tree, then one file of the case over it."""
    lawful = {
        "solver/__init__.py": "def __getattr__(name):\n    from solver.solve import solve\n",
        "solver/errors.py": "import json\n",
        "solver/clock.py": "import time\n",
        "solver/cards.py": "from solver.errors import NotationError\n",
        "solver/kernels/__init__.py": "",
        "solver/kernels/jit.py": "import logging\nimport numba\n",
        "solver/kernels/frontier.py": "import numpy as np\nfrom solver.kernels.jit import kernel\n",
        "solver/rules/__init__.py": "from .model import GameRules\n",
        "solver/rules/model.py": "from solver.cards import Card\n",
        "solver/melds.py": "from solver.rules import GameRules\n",
        "solver/solve.py": "from solver.melds import check_meld\nimport solver.kernels.frontier\n",
        "solver/table.py": "from solver.solve import solve\n",
        "solver/engine/__init__.py": "",
        "solver/engine/moves.py": "from solver.table import best_layoff\n",
        "solver/engine/referee.py": "from . import moves\n",
        "solver/cli.py": "def serve():\n    from service.app import create_app\n",
        "service/__init__.py": "",
        "service/app.py": "import solver\nfrom solver.errors import MeldSolverError\n",
        "bench/__init__.py": "",
        "bench/run.py": "from solver import solve\n",
    }
    for name, text in {**lawful, path: source}.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("solver/cli.py", "def solve():\n    from solver.solve import solve\n"),
        ("solver/cli.py", "def run():\n    import bench.run\n"),
        ("solver/cli/play.py", "def play():\n    from solver.engine import referee\n"),
        ("solver/kernels/jit.py", "from solver import clock\n"),
        ("solver/table.py", "import solver.solve\nfrom solver.errors import HandError\n"),
        ("solver/kernels/jit.py", "import logging\nfrom collections.abc import Callable\n"),
        ("solver/kernels/witness.py", "from . import frontier\nfrom numba import njit\n"),
        ("solver/cpsat.py", "def build():\n    from ortools.sat.python import cp_model\n"),
        ("bench/run.py", "import solver.batch\n"),
        (
            "solver/__init__.py",
            "import typing\nif typing.TYPE_CHECKING:\n    from solver.melds import Meld\n",
        ),
    ],
)
def test_lawful_imports_pass(tmp_path, path, source):
    assert violations(tree_with(tmp_path, path, source)) == []


@pytest.mark.parametrize(
    ("path", "source", "line", "reason"),
    [
        ("solver/melds.py", "import os\nfrom solver.solve import x\n", 2, "stands above"),
        ("solver/melds.py", "from .engine import referee\n", 1, "solver.engine stands above"),
        ("solver/rules/loader.py", "from ..melds import Meld\n", 1, "solver.melds stands above"),
        ("solver/cards.py", "import solver.kernels.jit\n", 1, "stands on the same line"),
        ("solver/solve.py", "from solver.table import x\n", 1, "stands on the same line"),
        ("solver/compile.py", "from solver.cpsat import x\n", 1, "stands on the same line"),
        ("solver/players/greedy.py", "import solver.batch\n", 1, "stands on the same line"),
        ("service/app.py", "from bench import run\n", 1, "stands on the same line"),
        ("solver/engine/moves.py", "import service\n", 1, "service stands above"),
        ("solver/errors.py", "from solver import cards\n", 1, "stands on the same line"),
        ("solver/melds.py", "from solver import load_rules\n", 1, "from the package root"),
        ("solver/cli.py", "import solver\n", 1, "from the package root"),
        ("solver/cli.py", "import service.app\n", 1, "inside a subcommand"),
        ("solver/__init__.py", "from solver.cli import main\n", 1, "stands on the same line"),
        (
            "solver/__init__.py",
            "def f():\n    import solver.melds\n",
            2,
            "only inside its __getattr",
        ),
        ("solver/newcomer.py", "", 1, "stands in no layer"),
        ("solver/melds.py", "import solver.newcomer\n", 1, "stands in no layer"),
        ("solver/kernels/frontier.py", "import json\n", 1, "numpy, numba and their siblings"),
        ("solver/kernels/frontier.py", "import logging\n", 1, "numpy, numba and their siblings"),
        ("solver/kernels/jit.py", "import llvmlite\n", 1, "numpy, numba and their siblings"),
        ("solver/kernels/frontier.py", "from solver.errors import x\n", 1, "their siblings"),
        ("solver/kernels/frontier.py", "from solver import cards\n", 1, "their siblings"),
        ("solver/kernels/frontier.py", "from solver import clock\n", 1, "their siblings"),
        ("solver/solve.py", "def f():\n    from solver.melds import x\n", 2, "at the top"),
        (
            "solver/solve.py",
            "import importlib as i\ni.import_module('solver.rules')\n",
            2,
            "at the top",
        ),
        ("solver/solve.py", "async def f():\n    import solver.rules\n", 2, "at the top"),
        ("service/app.py", "def f():\n    from solver.solve import x\n", 2, "at the top"),
        ("service/__init__.py", "def __getattr__(n):\n    import service.app\n", 2, "at the top"),
        (
            "solver/engine/moves.py",
            "import typing as t\nif t.TYPE_CHECKING:\n    from solver.melds import Meld\n",
            3,
            "TYPE_CHECKING",
        ),
    ],
)
def test_a_broken_rule_is_found(tmp_path, path, source, line, reason):
    broken = violations(tree_with(tmp_path, path, source))
    assert [b for b in broken if b.startswith(f"{path}:{line}: ") and reason in b], broken
    assert len(broken) == 1, broken
