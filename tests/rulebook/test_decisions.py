"""Every decision of the rule book is an option that ``rules NAME`` shows, with its whole source."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from solver.cli import COMMANDS, main
from solver.cli.lazy import load
from solver.rules.loader import explain_rules, list_rules, load_rules

# Loaded here and not inside a test: some library draws from the global generator on import.
for target, _ in COMMANDS.values():
    load(target)


def test_every_decision_has_a_key_that_is_shown(shared_dir):
    book = (shared_dir / "RULES.md").read_text(encoding="utf-8")
    table = book.partition("## 8. Ambiguities")[2].partition("## 9.")[0]
    rows = [row.split("|")[1:-1] for row in re.findall(r"^\| \d+ .*$", table, re.MULTILINE)]
    assert len(rows) > 30
    shown = {line.key for line in explain_rules(load_rules("liverpool"))}
    shown |= {line.key for line in explain_rules(load_rules("three-thirteen"))}
    for row in rows:
        for key in re.findall(r"`([a-z_*]+)(?:\[\w+\])?`", row[-1]):
            pattern = re.compile(key.replace("*", ".*"))
            assert any(map(pattern.fullmatch, shown)), row


@pytest.mark.parametrize("game", [info.id for info in list_rules()])
def test_no_source_is_cut(game):
    done = CliRunner().invoke(main, ["rules", game])
    assert done.exit_code == 0
    assert "…" not in done.stdout
    assert "..." not in done.stdout
    letters = "".join(done.stdout.split())
    for line in explain_rules(load_rules(game)):
        assert line.key in letters
