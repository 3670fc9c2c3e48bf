"""What the commands about cards on the table share: plans on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from solver.cli.show import Screen
from solver.errors import HandError
from solver.rules.model import GameRules
from solver.rules.question import missing_wilds
from solver.table import Plan


def own_numbers(numbers: Sequence[int], n_melds: int) -> list[int]:
    """Return numbers of melds from 1, as they are typed, counted from 0.

    Raises:
        HandError: ``table.own`` for a number that no meld has.
    """
    for number in numbers:
        if number > n_melds:
            known = f"1..{n_melds}" if n_melds else "but the table has none"
            message = f"expected the number of a meld, {known}, got {number}"
            raise HandError(message, code="table.own", where="/own")
    return [number - 1 for number in numbers]


def show_plan(plan: Plan, screen: Screen, rules: GameRules) -> None:
    """Write a plan: what is left, every step, and readings that were chosen."""
    if words := missing_wilds(rules):
        screen.line(words)
    screen.line(f"{plan.penalty} left in hand: ", screen.cards(plan.left) if plan.left else "-")
    for number, action in enumerate(plan.actions, start=1):
        screen.line(f"{number:3d}. {action.text()}")
    if plan.actions and (turn := plan.turn_text()):
        screen.line(f"{turn}")
    for i in sorted(plan.choices):
        taken = plan.before[i].meld.text()
        screen.line(f"meld {i + 1} is taken as {taken}; its wilds could lie otherwise")
    if not plan.actions:
        screen.line(f"nothing can be laid under {rules.title}")
