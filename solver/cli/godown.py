"""``meld-solver godown``: the best turn of going down."""

from __future__ import annotations

import click

from solver.cli.common import (
    EXIT_REJECTED,
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
from solver.table import godown_turn


@click.command(cls=Command, name="godown")
@click.argument("hand")
@click.argument("table", nargs=-1, metavar="MELD...")
@rules_options
@click.option("--contract", help="Melds to lay (3+r4); without it those of the deal.")
@click.option("--own", multiple=True, type=click.IntRange(min=1), help="Number of an own meld.")
@click.option("--no-swaps", is_flag=True, help="Swap no wild of the table.")
@click.option("--keep", type=click.IntRange(min=0), help="Cards to keep in hand at any rate.")
@json_option
@colour_option
def godown_command(
    hand: str,
    table: tuple[str, ...],
    name: str,
    options: tuple[str, ...],
    contract: str | None,
    own: tuple[int, ...],
    no_swaps: bool,
    keep: int | None,
    as_json: bool,
    four_colour: bool,
) -> None:
    """Lay the contract of HAND, swap wilds and add cards to the MELDs, all at once for the best.

    Give the hand and each meld in quotes. Without --keep a card is kept where its discard ends
    the deal. Ends with 1 when the hand cannot go down.
    """
    rules = chosen_rules(name, options)
    counts = read_cards(hand, rules)
    plan = godown_turn(
        counts,
        table,
        rules,
        contract,
        own=own_numbers(own, len(table)),
        swaps=not no_swaps,
        keep=keep,
    )
    if as_json:
        write_json({"can_go_down": plan is not None, "plan": plan and plan.to_json()})
    elif plan is None:
        click.echo("this hand cannot go down")
    else:
        show_plan(plan, Screen(four_colour=four_colour), rules)
    if plan is None:
        raise click.exceptions.Exit(EXIT_REJECTED)
