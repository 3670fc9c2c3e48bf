"""``meld-solver check``: a layout against the rules and against the best."""

from __future__ import annotations

from typing import Any

import click

from solver.cli.common import (
    EXIT_REJECTED,
    Command,
    chosen_rules,
    colour_option,
    ignore_contract_option,
    json_option,
    read_cards,
    report,
    rules_options,
    write_json,
)
from solver.cli.show import Screen, show_if_down
from solver.errors import HandError
from solver.rules.loader import round_of_sizes
from solver.rules.question import game_words
from solver.solve import Solution, Verdict, as_if_down, check_layout
from solver.table.notation import read_melds


@click.command(cls=Command, name="check")
@click.argument("hand")
@click.argument("melds", nargs=-1, metavar="MELD...")
@rules_options
@ignore_contract_option
@json_option
@colour_option
def check_command(
    hand: str,
    melds: tuple[str, ...],
    name: str,
    options: tuple[str, ...],
    ignore_contract: bool,
    as_json: bool,
    four_colour: bool,
) -> None:
    """Is the layout of HAND into MELDs legal, and what does it cost against the best?

    Give the hand and each meld in quotes: loose cards, or "R[4H 5H JK=6H 7H]" to say what wilds
    stand for. Where the deal has a contract the MELDs must be those of it. Without an option for
    the round, the number of cards names it in games that meld at the end. Ends with 1 when the
    layout is not legal.
    """
    given = chosen_rules(name, options)
    counts = read_cards(hand, given)
    rules, inferred = round_of_sizes(given, [int(counts.sum())])
    laid = read_melds(melds, rules)
    verdict = check_layout(counts, laid, rules, ignore_contract=ignore_contract)
    screen = Screen(four_colour=four_colour)
    if as_json:
        write_json(_to_json(verdict, inferred))
        _end(verdict)
        return
    heading = (game_words(rules), *verdict.notes, inferred)
    screen.line("; ".join(part for part in heading if part))
    if verdict.layout is None:
        report(HandError.from_faults(verdict.faults))
        _show_best(verdict.best, screen)
    else:
        screen.line(f"legal, penalty {verdict.penalty}: ", screen.melds(verdict.layout.melds))
        if verdict.above_best:
            screen.line(f"{verdict.above_best} more than the best")
            _show_best(verdict.best, screen)
        else:
            screen.line("as good as the best")
    _end(verdict)


def _end(verdict: Verdict) -> None:
    if verdict.layout is None:
        raise click.exceptions.Exit(EXIT_REJECTED)


def _to_json(verdict: Verdict, inferred: str) -> dict[str, Any]:
    best = verdict.best.to_json()
    known = {
        "legal": verdict.layout is not None,
        "note": [*verdict.notes, *([inferred] if inferred else ())],
        "faults": [fault.to_json() for fault in verdict.faults],
    }
    if verdict.layout is None:
        return {**known, "best": best}
    return {
        **known,
        "penalty": verdict.penalty,
        "above_best": verdict.above_best,
        "layout": verdict.layout.to_json(),
        "best": best,
    }


def _show_best(best: Solution, screen: Screen) -> None:
    melds = screen.melds(best.arrangement.sorted_melds())
    screen.line(f"best: {best.headline}: ", melds)
    show_if_down(as_if_down(best), screen)
