"""``meld-solver rearrange``: what a rack can add to a table that may be rearranged."""

from __future__ import annotations

import click

from solver.cli.common import (
    Command,
    chosen_rules,
    colour_option,
    json_option,
    rules_options,
    write_json,
)
from solver.cli.show import Screen, number_of
from solver.table import Rearrangement, rearrange
from solver.table.rearrangement import OBJECTIVES, Objective


@click.command(cls=Command, name="rearrange")
@click.argument("rack")
@click.argument("table", nargs=-1, metavar="MELD...")
@rules_options
@click.option("--objective", type=click.Choice(OBJECTIVES), default="tiles", show_default=True)
@click.option("--opening", is_flag=True, help="The first melds: from the rack alone.")
@click.option("--fast", is_flag=True, help="Only the best value: any arrangement that has it.")
@click.option("--time-limit", type=click.FloatRange(min=0, min_open=True), help="Seconds.")
@json_option
@colour_option
def rearrange_command(
    rack: str,
    table: tuple[str, ...],
    name: str,
    options: tuple[str, ...],
    objective: Objective,
    opening: bool,
    fast: bool,
    time_limit: float | None,
    as_json: bool,
    four_colour: bool,
) -> None:
    """Lay as much of RACK as can be by rearranging the MELDs of the table.

    Give the rack and each meld in quotes, tiles as R12 or QC. A joker of the table leaves its
    place only when the tile it stands for takes it (--option table_wilds=free: like any tile).
    """
    rules = chosen_rules(name, options)
    found = rearrange(
        table,
        rack,
        rules,
        objective=objective,
        opening=opening,
        second_aims=not fast,
        time_limit_s=time_limit,
    )
    if as_json:
        write_json(found.to_json())
    else:
        screen = Screen(four_colour=four_colour)
        if opening and not found.n_laid:
            least = max(rules.flow.initial_meld_min, rules.meld.min_meld_value)
            screen.line(f"the first melds must be worth {least} together, which this rack lacks")
        show(found, screen)


def show(found: Rearrangement, screen: Screen) -> None:
    """Write a rearrangement: the value, the changed melds and what stays on the rack."""
    proof = "proved" if found.proved else "not proved"
    laid, left = number_of(found.n_laid, "card"), number_of(found.penalty, "point")
    screen.line(f"{laid} laid, {left} left ({proof})")
    for new in found.moves:
        screen.line("  ", new.text())
    for each in found.exchanges:
        screen.line("  ", each.text())
    n_kept = len(found.melds) - len(found.moves)
    stay = f"{number_of(n_kept, 'meld')} {'stays' if n_kept == 1 else 'stay'}"
    screen.line(f"{stay}; left: ", screen.cards(found.left) if found.left else "-")
    if found.unique is not None:
        screen.line("the only answer" if found.unique else "other melds are as good")
