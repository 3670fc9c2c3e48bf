"""``meld-solver layoff``: add cards to melds on the table."""

from __future__ import annotations

import click

from solver.cli.common import (
    Command,
    chosen_rules,
    colour_option,
    json_option,
    read_cards,
    rules_options,
    write_json,
)
from solver.cli.show import Screen
from solver.cli.tabling import own_numbers, show_plan
from solver.table import best_layoff, joint_layoff, with_discard


@click.command(cls=Command, name="layoff")
@click.argument("hand")
@click.argument("table", nargs=-1, metavar="MELD...")
@rules_options
@click.option("--own", multiple=True, type=click.IntRange(min=1), help="Number of an own meld.")
@click.option("--keep", default=0, type=click.IntRange(min=0), help="Cards to keep in hand.")
@click.option("--no-swaps", is_flag=True, help="Swap no wild of the table.")
@click.option("--own-melds", is_flag=True, help="Lay melds of the hand too, as Gin's defender.")
@click.option("--against-gin", is_flag=True, help="The knocker has gin: nothing is laid off.")
@json_option
@colour_option
def layoff_command(
    hand: str,
    table: tuple[str, ...],
    name: str,
    options: tuple[str, ...],
    own: tuple[int, ...],
    keep: int,
    no_swaps: bool,
    own_melds: bool,
    against_gin: bool,
    as_json: bool,
    four_colour: bool,
) -> None:
    """Which cards of HAND go on which MELD of the table, leaving the fewest points?

    The player is down since an earlier turn; wilds are swapped where the rules allow it then.
    Give the hand and each meld in quotes: "R[4H 5H JK=6H 7H]", or loose cards.
    """
    rules = chosen_rules(name, options)
    counts = read_cards(hand, rules)
    if own_melds:
        plan = joint_layoff(counts, table, rules, against_gin=against_gin)
    else:
        numbers = own_numbers(own, len(table)) if own else None
        plan = with_discard(
            best_layoff(counts, table, rules, own=numbers, keep=keep, swaps=not no_swaps)
        )
    if as_json:
        write_json(plan.to_json())
    else:
        show_plan(plan, Screen(four_colour=four_colour), rules)
