"""What the commands about cards on the table share: plans on a terminal."""

from __future__ import annotations

from solver.cli.show import Screen
from solver.rules.model import GameRules
from solver.table import Plan


def show_plan(plan: Plan, screen: Screen, rules: GameRules) -> None:
    """Write a plan: what is left, every step, and readings that were chosen."""
    screen.line(f"{plan.penalty} left in hand: ", screen.cards(plan.left) if plan.left else "-")
    for number, action in enumerate(plan.actions, start=1):
        screen.line(f"{number:3d}. {action.text()}")
    for i in sorted(plan.choices):
        taken = plan.before[i].meld.text()
        screen.line(f"meld {i + 1} is taken as {taken}; its wilds could lie otherwise")
    if not plan.actions:
        screen.line(f"nothing can be laid under {rules.title}")
