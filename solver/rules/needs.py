"""What each option needs to act: the options that must be on, in words and as a test.

An option whose need is not met does nothing in its game. Given by the caller it is refused, naming
what would wake it; a preset's own value is left where it is and out of the fingerprint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from solver.rules.extent import (
    Values,
    has_jokers,
    has_wild_cards,
    has_wilds,
    line_length,
    longest_set,
)


@dataclass(frozen=True, slots=True)
class Need:
    """A condition of an option.

    Attributes:
        words: the condition in words.
        holds: whether it is met.
    """

    words: str
    holds: Callable[[Values], bool]


def _is(key: str, value: str | None) -> Need:
    return Need(f"{key} {value or 'none'}", lambda v: v[key] == value)


def _is_not(key: str, value: str | None) -> Need:
    return Need(f"{key} other than {value or 'none'}", lambda v: v[key] != value)


def _on(key: str, *, on: bool = True) -> Need:
    return Need(f"{key} {str(on).lower()}", lambda v: bool(v[key]) == on)


def _either(*needs: Need) -> Need:
    words = " or ".join(need.words for need in needs)
    return Need(words, lambda v: any(need.holds(v) for need in needs))


# --- what there is in a game ---------------------------------------------------------------------


def contracts_of(values: Values) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Return all contracts that may be asked."""
    one = values.get("contract")
    return (*((one,) if one else ()), *(values["contracts"] or ()))


def n_seats(values: Values) -> int:
    """Return the most players at the table."""
    return int(values["players"] or values["max_players"])


def _melds_of(kind: str, least: int) -> Callable[[Values], bool]:
    def holds(values: Values) -> bool:
        count = max((sum(k == kind for k, _ in c) for c in contracts_of(values)), default=0)
        return count >= least or (count >= 1 and values["extra_melds"])

    return holds


def _more_naturals_than(kind: str) -> Need:
    """Without wilds a minimum of naturals only raises the least length."""
    key = f"{kind}_min_naturals"
    return Need(
        f"wild cards, or a minimum above {kind}_min",
        lambda v: has_wilds(v) or v[key] > v[f"{kind}_min"],
    )


def _some_other_wild(values: Values) -> bool:
    ranks = values.get("wild_ranks", ())
    return any(card[0] not in ranks for card in values["wild_cards"])


_REFEREED = _is_not("referee", "none")
_ON_TABLE = _is("meld_timing", "on_table")
_AT_END = _is("meld_timing", "at_end")
_TURNS = _is("simultaneous", None)
_BEATS = _is("simultaneous", "speed")
_KNOCKS = Need("a knock_limit", lambda v: v["knock_limit"] is not None)
_NO_KNOCKS = _is("knock_limit", None)
_DIFFERENCE = _is("scoring", "difference")
_LAYOFF = _is_not("layoff", "none")
_LAID = _either(_ON_TABLE, _KNOCKS)
_SWAPS = _is_not("swap_timing", "off")
_BUYING = _is_not("buy_priority", "off")
_RUMMY = _is_not("rummy_mode", "off")
_BONUS = _is("tie_break", "bonus_round")
_JOKERS = Need("jokers in the deck", has_jokers)
_WILDS = Need("wild cards", has_wilds)
_WILD_CARDS = Need("wild cards other than jokers", has_wild_cards)
_CONTRACT = Need("a contract", lambda v: bool(contracts_of(v)))
_VALUED = _either(
    Need("min_meld_value", lambda v: v["min_meld_value"] > 0),
    Need("initial_meld_min", lambda v: v["initial_meld_min"] > 0),
    _is("scoring", "meld_minus_hand"),
)
_OTHERS = Need("more than two players", lambda v: n_seats(v) > 2)  # noqa: PLR2004 - a pair
_NEVER = Need("the rule file of the game to say so", lambda _v: False)

NEEDS: Final[Mapping[str, tuple[Need, ...]]] = {
    # melds
    "jokers_wild": (_JOKERS,),
    "wild_cards": (Need("a card whose rank is not wild anyway", _some_other_wild),),
    "wild_as_natural": (_WILD_CARDS,),
    "set_distinct_suits": (Need("packs other than 1", lambda v: v["packs"] != 1),),
    "set_min_naturals": (_more_naturals_than("set"),),
    "run_min_naturals": (_more_naturals_than("run"),),
    "run_core": (
        Need(
            "wild cards, or more places than run_min",
            lambda v: has_wilds(v) or v["run_core"] is None or v["run_core"][0] > v["run_min"],
        ),
    ),
    "set_max_wilds": (_WILDS,),
    "run_max_wilds": (_WILDS,),
    "wilds_adjacent": (_WILDS,),
    "wild_ratio": (_WILDS,),
    "joker_points": (_JOKERS,),
    "wild_points": (_WILD_CARDS,),
    "use_all": (_CONTRACT,),
    "extra_melds": (_CONTRACT,),
    "forbid_adjacent_runs": (Need("a contract of two runs", _melds_of("run", 2)),),
    "distinct_run_suits": (Need("a contract of two runs", _melds_of("run", 2)),),
    "distinct_set_ranks": (Need("a contract of two sets", _melds_of("set", 2)),),
    "meld_points": (_VALUED,),
    "meld_values": (_VALUED,),
    "ace_low_points": (_VALUED, _is("meld_points", "ace_position")),
    "wild_value_zero": (_VALUED, _WILDS),
    # deck
    "packs_by_players": (Need("no packs", lambda v: v["packs"] is None),),
    # play
    "referee": (_NEVER,),
    "direction": (_REFEREED, _OTHERS),
    "first_dealer": (_REFEREED,),
    "layoff": (_LAID,),
    "layoff_same_turn": (_ON_TABLE, _LAYOFF),
    "layoff_wild_limit": (_LAID, _LAYOFF, _WILDS),
    "layoff_keeps_ratio": (_LAID, _LAYOFF, _is_not("wild_ratio", None)),
    "layoff_distinct_suits": (_LAID, _LAYOFF, _on("set_distinct_suits")),
    "wilds_after_down": (_ON_TABLE, _LAYOFF, _WILDS),
    "rearrange": (_ON_TABLE,),
    "table_wilds": (_on("rearrange"), _WILDS),
    "draw_sources": (_REFEREED, _TURNS),
    "simultaneous": (_REFEREED,),
    "speed_final_beats": (_BEATS,),
    "caller_rotates": (_BEATS,),
    "forbid_return_discard": (_REFEREED,),
    "must_discard_to_go_out": (_REFEREED, _NO_KNOCKS, _TURNS),
    "final_turns": (_REFEREED, _AT_END, _NO_KNOCKS, _TURNS),
    "final_deal": (Need("contracts", lambda v: v["contracts"] is not None),),
    "swap_timing": (_ON_TABLE, _WILDS),
    "swap_runs_only": (_SWAPS,),
    "swap_scope": (_SWAPS,),
    "buy_priority": (_REFEREED, _ON_TABLE, _TURNS),
    "buy_price": (_BUYING,),
    "max_buys": (_BUYING,),
    "multi_buy": (_BUYING,),
    "buy_after_down": (_BUYING,),
    "rummy_mode": (_REFEREED, _ON_TABLE),
    "rummy_scope": (_RUMMY,),
    "rummy_includes_wilds": (_RUMMY, _WILDS),
    "rummy_cards": (_RUMMY,),
    "closing_discard_playable": (_REFEREED, _ON_TABLE, _LAYOFF, _on("floating")),
    "floating": (_ON_TABLE,),
    "cut_model": (_REFEREED,),
    "stock_empty": (_REFEREED,),
    "max_reshuffles": (_REFEREED, _is("stock_empty", "reshuffle")),
    "stock_wall": (_REFEREED, _TURNS),
    "max_turns_per_round": (_REFEREED,),
    "first_player_extra": (_REFEREED, _TURNS),
    "first_upcard": (_REFEREED, _TURNS),
    # points and the end
    "end_score": (_REFEREED,),
    "tie_break": (_REFEREED,),
    "bonus_cards": (_BONUS,),
    "bonus_max": (_BONUS,),
    "bonus_players": (_BONUS, _OTHERS),
    "bonus_wild": (_BONUS, Need("no wild_ranks", lambda v: "wild_ranks" not in v)),
    "knock_limit": (_DIFFERENCE, _on("oklahoma", on=False)),
    "gin_bonus": (_DIFFERENCE,),
    "undercut_bonus": (_DIFFERENCE,),
    "undercut_on_tie": (_DIFFERENCE,),
    "big_gin_bonus": (_DIFFERENCE,),
    "oklahoma": (_DIFFERENCE,),
    "oklahoma_ace": (_on("oklahoma"),),
    "spade_double": (_DIFFERENCE,),
    "game_bonus": (_REFEREED, _is_not("scoring", "penalty")),
    "box_bonus": (_REFEREED, _is_not("scoring", "penalty")),
    "initial_meld_min": (_ON_TABLE,),
    "drop_points": (_is("scoring", "penalty"),),
    "false_declaration_points": (_is("scoring", "penalty"),),
    "go_down_and_out_bonus": (_ON_TABLE,),
    "turned_joker_wild": (Need("a turned_card", lambda v: v["turned_card"] is not None),),
}
"""What a key needs to act; keys that are not here always do."""


def unmet(key: str, values: Values) -> Need | None:
    """Return the first need of a key that is not met, None when it acts."""
    return next((need for need in NEEDS.get(key, ()) if not need.holds(values)), None)


def _as_the_line(values: Values) -> bool:
    return values["run_max"] is not None and values["run_max"] >= line_length(values)


def _as_the_suits(values: Values) -> bool:
    longest = longest_set({**values, "set_max": None})
    return None not in {values["set_max"], longest} and values["set_max"] >= longest


_SAME: Final[Mapping[str, Callable[[Values], bool]]] = {
    "run_max": _as_the_line,
    "set_max": _as_the_suits,
    "run_min_naturals": lambda v: (
        v["run_core"] is not None and v["run_min_naturals"] <= v["run_core"][1]
    ),
    "wilds_adjacent": lambda v: v["run_max_wilds"] in {0, 1},
}


def idle_keys(values: Values) -> frozenset[str]:
    """Return the keys that do nothing in a game, whatever their value: the fingerprint skips them.

    These are keys with a need that is not met, and limits that bind nothing.
    """
    asleep = {key for key in NEEDS if unmet(key, values) is not None}
    return frozenset(asleep | {key for key, same in _SAME.items() if same(values)})
