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
from solver.solve import Solution, Verdict, check_layout
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
    verdict = check_layout(counts, laid, rules)
    screen = Screen(four_colour=four_colour)
    if as_json:
        write_json(_to_json(verdict))
    elif verdict.layout is None:
        report(HandError.from_faults(verdict.faults))
        _show_best(verdict.best, screen)
    else:
        screen.line(f"legal, penalty {verdict.penalty}: ", screen.melds(verdict.layout.melds))
        if verdict.above_best:
            screen.line(f"{verdict.above_best} more than the best")
            _show_best(verdict.best, screen)
        else:
            screen.line("as good as the best")
    if verdict.layout is None:
        raise click.exceptions.Exit(EXIT_REJECTED)


def _to_json(verdict: Verdict) -> dict[str, Any]:
    faults = [fault.to_json() for fault in verdict.faults]
    if verdict.layout is None:
        return {"legal": False, "faults": faults, "best": verdict.best.to_json()}
    return {
        "legal": True,
        "faults": faults,
        "penalty": verdict.penalty,
        "above_best": verdict.above_best,
        "layout": verdict.layout.to_json(),
        "best": verdict.best.to_json(),
    }


def _show_best(best: Solution, screen: Screen) -> None:
    melds = screen.melds(best.arrangement.sorted_melds())
    screen.line(f"best: penalty {best.penalty}: ", melds)
