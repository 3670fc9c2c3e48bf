"""What the values of all keys allow: wild cards, the places of a run, the longest melds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from solver.cards import RANKS, format_card

Values: TypeAlias = Mapping[str, Any]
"""Value of each key after all layers; rival keys may be missing."""


def has_jokers(values: Values) -> bool:
    """Return whether the deck has jokers."""
    jokers = values.get("jokers")
    return bool(values.get("jokers_per_pack", 0) if jokers is None else jokers)


def has_wild_cards(values: Values) -> bool:
    """Return whether any card but a joker is wild in some round."""
    bonus = values["tie_break"] == "bonus_round" or values["bonus"]
    schedule = () if "wild_ranks" in values else values.get("wild_schedule", ())
    return bool(
        values.get("wild_ranks")
        or values["wild_cards"]
        or any(ranks for _, ranks in schedule)
        or values["turned_joker_wild"] is not None
        or (bonus and values["bonus_wild"])
    )


def has_wilds(values: Values) -> bool:
    """Return whether there is a wild card in some round."""
    return has_wild_cards(values) or bool(values["jokers_wild"] and has_jokers(values))


def line_length(values: Values) -> int:
    """Return the number of positions of the run line: the longest run there can be."""
    ace, rank_lo = str(values["ace"]), int(values["rank_lo"])
    if ace in {"low", "high"}:
        return 14 - rank_lo if ace == "low" else 15 - max(rank_lo, 2)
    return len(RANKS) + (ace == "both")


def longest_set(values: Values) -> int | None:
    """Return the cards of the longest set the cards and limits allow, None without a bound."""
    packs = 1 if values["set_distinct_suits"] else values["packs"]
    bounds = [values["set_max"]]
    if packs is not None:
        naturals = packs * values["suits"]
        if not has_wilds(values) or values["set_max_wilds"] is not None:
            bounds.append(naturals + (values["set_max_wilds"] or 0) * has_wilds(values))
        if has_wilds(values) and values["wild_ratio"] is not None:
            bounds.append(2 * naturals - (values["wild_ratio"] == "lt"))
    return min((n for n in bounds if n is not None), default=None)


def longest_run(values: Values) -> int:
    """Return the cards of the longest run the line, the ranks of the deck and limits allow."""
    line = line_length(values)
    line = min(line, values["run_max"] or line)
    return line if has_wilds(values) else min(line, _longest_row(values))


def _longest_row(values: Values) -> int:
    """Return the longest row of neighbouring places that cards of the deck can hold."""
    first = {"low": values["rank_lo"], "high": max(values["rank_lo"], 2)}.get(values["ace"], 1)
    places = [RANKS[(first + i - 1) % len(RANKS)] for i in range(line_length(values))]
    held = [rank in values["ranks"] for rank in places]
    if all(held):
        return len(held)
    if values["ace"] == "cyclic":
        held += held
    longest = row = 0
    for place in held:
        row = row + 1 if place else 0
        longest = max(longest, row)
    return longest


def not_in_deck(names: tuple[str, ...], values: Values) -> list[str]:
    """Return the ranks and cards among names that the deck does not have; jokers are not asked."""
    suits = {format_card(13 * suit)[1] for suit in range(values["suits"])}
    return [
        name
        for name in names
        if name != "JK" and (name[0] not in values["ranks"] or not set(name[1:]) <= suits)
    ]
