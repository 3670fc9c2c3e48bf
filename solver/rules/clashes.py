"""Options of play that exclude each other, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from solver.rules.extent import Values

_PAIR: Final = 2
"""Players of a game scored by the difference of two hands."""


@dataclass(frozen=True, slots=True)
class Clash:
    """Options that must fit each other.

    Attributes:
        keys: the options; a fault points to the first of them that was given.
        expected: what must hold, in words.
        holds: whether it does.
    """

    keys: tuple[str, ...]
    expected: str
    holds: Callable[[Values], bool]


def _knocks(values: Values) -> bool:
    return values["knock_limit"] is not None


def _no_knock_with(key: str) -> Clash:
    expected = f"no {key} with a knock_limit: a knock is judged by its deadwood alone"
    return Clash((key, "knock_limit"), expected, lambda v: not _knocks(v) or not v[key])


CLASHES: Final = (
    Clash(
        ("scoring", "knock_limit"),
        "scoring difference with a knock_limit, and only with one",
        lambda v: (v["scoring"] == "difference") == _knocks(v),
    ),
    Clash(
        ("scoring", "max_players"),
        "max_players 2 with scoring difference",
        lambda v: v["scoring"] != "difference" or v["max_players"] == _PAIR,
    ),
    Clash(
        ("knock_limit", "meld_timing"),
        "meld_timing at_end with a knock_limit",
        lambda v: not _knocks(v) or v["meld_timing"] == "at_end",
    ),
    Clash(
        ("hand_require", "meld_timing"),
        "meld_timing at_end with hand_require",
        lambda v: v["hand_require"] is None or v["meld_timing"] == "at_end",
    ),
    *map(
        _no_knock_with, ("contract", "contracts", "hand_require", "penalty_cap", "min_meld_value")
    ),
    Clash(
        ("layoff", "knock_limit"),
        "layoff none or all with a knock_limit, since the melds lying there are the knocker's",
        lambda v: not _knocks(v) or v["layoff"] != "own",
    ),
    Clash(
        ("scoring", "meld_timing"),
        "meld_timing on_table with scoring meld_minus_hand",
        lambda v: v["scoring"] != "meld_minus_hand" or v["meld_timing"] == "on_table",
    ),
    Clash(
        ("simultaneous", "meld_timing", "knock_limit"),
        "meld_timing at_end and no knock_limit with simultaneous play",
        lambda v: v["simultaneous"] is None or (v["meld_timing"] == "at_end" and not _knocks(v)),
    ),
    Clash(
        ("wilds_after_down", "swap_timing"),
        "wilds_after_down played with swap_timing any_turn",
        lambda v: v["wilds_after_down"] == "played" or v["swap_timing"] != "any_turn",
    ),
    Clash(
        ("first_player_extra", "first_upcard"),
        "first_player_extra or first_upcard offer, not both",
        lambda v: not (v["first_player_extra"] and v["first_upcard"] == "offer"),
    ),
    Clash(
        ("draw_sources",),
        "draw_sources with the stock: a round without it has no card to begin with",
        lambda v: "stock" in v["draw_sources"],
    ),
    Clash(
        ("draw_sources", "first_upcard"),
        "draw_sources with the discards where the first upcard is offered",
        lambda v: v["first_upcard"] != "offer" or set(v["draw_sources"]) != {"stock"},
    ),
    Clash(
        ("tie_break", "bonus_cards"),
        "bonus_cards for a bonus round",
        lambda v: v["tie_break"] != "bonus_round" or v["bonus_cards"] is not None,
    ),
    Clash(
        ("bonus_max", "tie_break"),
        "bonus_max 1 or more with tie_break bonus_round",
        lambda v: v["tie_break"] != "bonus_round" or v["bonus_max"] > 0,
    ),
)
"""What the options of play must fulfil together."""
