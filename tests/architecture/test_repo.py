"""What every tracked file keeps to: sizes, no download address, no path of a machine."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
PACKAGES = ("solver", "service", "bench")
FILE_LINES = 400
TEST_FILE_LINES = 500
FUNCTION_LINES = 60
KERNEL_LINES = 120
CODE = {".py", ".js", ".css", ".html"}

# Home folders and work folders by name; the folder this checkout lies in is added at run time.
MACHINE_FOLDERS = ("home", "mnt", "root", "Users", "work")


@cache
def tracked() -> tuple[str, ...]:
    """Return the tracked files that exist, relative to the top."""
    if shutil.which("git") is None or not (REPO / ".git").exists():
        pytest.skip("no git checkout: what is tracked cannot be told")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPO, check=True, capture_output=True, text=True
    ).stdout
    return tuple(name for name in listed.split("\0") if name and (REPO / name).is_file())


def text_of(name: str) -> str:
    """Return a file's text; nothing for one that is not UTF-8 text."""
    try:
        return (REPO / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def machine_paths(text: str, checkout: Path) -> list[str]:
    """Return the absolute paths in a text that only mean something on the author's machine."""
    names = "|".join(MACHINE_FOLDERS)
    found = [rf"/(?:{names})/[\w.-]+"]
    if len(checkout.parts) > 2:  # a checkout in one top folder, say /app, is no telling name
        found.append(re.escape(str(checkout)) + r"\b")
    return re.findall(rf"(?<![\w./-])(?:{'|'.join(found)})", text)


def long_functions(name: str, source: str) -> list[str]:
    """Return the functions of a module that are longer than its limit, docstring included."""
    limit = KERNEL_LINES if name.startswith("solver/kernels/") else FUNCTION_LINES
    found = []
    for node in ast.walk(ast.parse(source, filename=name)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = node.end_lineno - node.lineno + 1
            if length > limit:
                found.append(f"{name}:{node.lineno}: {node.name} has {length} lines of {limit}")
    return found


def test_the_lock_holds_hashes_and_no_address():
    lock = (REPO / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in lock
    pins = re.findall(r"^[a-z0-9].*", lock.replace("\\\n", " "), re.MULTILINE)
    assert pins
    assert [pin for pin in pins if "==" not in pin or "--hash=sha256:" not in pin] == []


def test_files_are_short():
    long = []
    for name in tracked():
        path = Path(name)
        limit = TEST_FILE_LINES if path.parts[0] == "tests" else FILE_LINES
        ours = path.parts[0] in (*PACKAGES, "tests") and "vendor" not in path.parts
        lines = len(text_of(name).splitlines()) if ours and path.suffix in CODE else 0
        if lines > limit:
            long.append(f"{name} has {lines} lines of {limit}")
    assert not long, "\n" + "\n".join(long)


def test_functions_are_short():
    sources = [name for name in tracked() if name.endswith(".py")]
    assert sources
    long = [fault for name in sources for fault in long_functions(name, text_of(name))]
    assert not long, "\n" + "\n".join(long)


def test_no_path_of_a_machine_is_tracked():
    found = [(name, path) for name in tracked() for path in machine_paths(text_of(name), REPO)]
    assert found == []


@pytest.mark.parametrize("folder", MACHINE_FOLDERS)
def test_a_machine_path_is_found(folder):
    path = "/".join(("", folder, "ann", "hands.jsonl"))
    assert machine_paths(f"see {path}", Path("/nowhere/else"))


def test_the_checkout_itself_is_found_and_a_route_is_not():
    checkout = Path("/builds/7/meld")
    assert machine_paths("in /builds/7/meld/solver", checkout)
    assert machine_paths("POST /v1/solve, ./work/x, shared/work/x, //host/home/x", checkout) == []


def test_a_long_function_is_found():
    body = "def f():\n" + "    x = 1\n" * FUNCTION_LINES
    assert long_functions("solver/melds.py", body) == ["solver/melds.py:1: f has 61 lines of 60"]
    assert long_functions("solver/kernels/frontier.py", body) == []
