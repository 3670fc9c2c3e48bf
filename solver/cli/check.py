"""``meld-solver check``: a layout against the rules and against the best."""

from __future__ import annotations

from typing import Any

import click

from solver.cli.common import (
    EXIT_REJECTED,
    Command,
    chosen_rules,
    colour_option,
    json_option,
    read_cards,
    report,
    rules_options,
    write_json,
)
from solver.cli.show import Screen
from solver.errors import HandError
from solver.melds import Arrangement, check_arrangement, penalty
from solver.solve import Solution, solve
from solver.table.notation import read_melds


@click.command(cls=Command, name="check")
@click.argument("hand")
@click.argument("melds", nargs=-1, metavar="MELD...")
@rules_options
@json_option
@colour_option
def check_command(
    hand: str,
    melds: tuple[str, ...],
    name: str,
    options: tuple[str, ...],
    as_json: bool,
    four_colour: bool,
) -> None:
    """Is the layout of HAND into MELDs legal, and what does it cost against the best?

    Give the hand and each meld in quotes: loose cards, or "R[4H 5H JK=6H 7H]" to say what wilds
    stand for. Ends with 1 when the layout is not legal.
    """
    rules = chosen_rules(name, options)
    counts = read_cards(hand, rules)
    laid = read_melds(melds, rules)
    best = solve(counts, rules)
    screen = Screen(four_colour=four_colour)
    try:
        layout = check_arrangement(counts, laid, rules)
    except HandError as error:
        if as_json:
            faults = [fault.to_json() for fault in error.faults]
            write_json({"legal": False, "faults": faults, "best": best.to_json()})
        else:
            report(error)
            _show_best(best, screen)
        raise click.exceptions.Exit(EXIT_REJECTED) from error
    cost = penalty(layout, rules)
    if as_json:
        write_json(_legal_json(layout, cost, best))
        return
    screen.line(f"legal, penalty {cost}: ", screen.melds(layout.melds))
    if cost > best.penalty:
        screen.line(f"{cost - best.penalty} more than the best")
        _show_best(best, screen)
    else:
        screen.line("as good as the best")


def _legal_json(layout: Arrangement, cost: int, best: Solution) -> dict[str, Any]:
    return {
        "legal": True,
        "faults": [],
        "penalty": cost,
        "above_best": cost - best.penalty,
        "layout": layout.to_json(),
        "best": best.to_json(),
    }


def _show_best(best: Solution, screen: Screen) -> None:
    melds = screen.melds(best.arrangement.sorted_melds())
    screen.line(f"best: penalty {best.penalty}: ", melds)
