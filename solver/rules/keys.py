"""The table of all options: which record they fill, their kind, unit and meaning."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, Final

from solver.cards import N_RANKS
from solver.errors import Fault, RulesError, quoted
from solver.rules.key import BOOL, CARDS, LENGTH, MAX_CARDS, POINTS, Key
from solver.rules.keys_flow import FLOW
from solver.rules.kinds import (
    BadValue,
    Choice,
    Ending,
    Int,
    IntOr,
    Pair,
)
from solver.rules.kinds_cards import (
    PACK_FOR_TWO,
    CardList,
    Contract,
    Contracts,
    PointTable,
    RankOf,
    Ranks,
    Schedule,
    Steps,
)
from solver.rules.model import DeckRules, FlowRules, MeldRules

_MELD: Final = (
    Key("suits", "meld", Int(4, 5), "number of suits of a pack; the fifth is the star", "suits"),
    Key("rank_lo", "meld", Int(1, 3), "lowest position of the run line, an ace being 1"),
    Key("ace", "meld", Choice(("low", "high", "both", "cyclic")), "where an ace stands in runs"),
    Key("wild_ranks", "meld", Ranks(), "ranks that are wild, in every round unless scheduled"),
    Key("wild_cards", "meld", CardList(), "single cards that are wild"),
    Key("jokers_wild", "meld", BOOL, "whether jokers are wild; if not they fit no meld"),
    Key("wild_as_natural", "meld", BOOL, "whether a card of a wild rank may count as itself"),
    Key("set_min", "meld", Int(2, MAX_CARDS), "fewest cards of a set", "cards"),
    Key("set_max", "meld", LENGTH, "most cards of a set, none for no limit", "cards", True),
    Key("set_distinct_suits", "meld", BOOL, "whether the naturals of a set differ in suit"),
    Key("run_min", "meld", Int(2, MAX_CARDS), "fewest cards of a run", "cards"),
    Key("run_max", "meld", LENGTH, "most cards of a run, none for the whole line", "cards", True),
    Key("set_min_naturals", "meld", CARDS, "fewest cards of a set that are not wild", "cards"),
    Key("run_min_naturals", "meld", CARDS, "fewest cards of a run that are not wild", "cards"),
    Key(
        "run_core",
        "meld",
        Pair(1, 14),
        "w,m: some w neighbouring places of a run hold at least m naturals",
        "cards",
        True,
    ),
    Key("set_max_wilds", "meld", CARDS, "most wilds of a set, none for no limit", "cards", True),
    Key("run_max_wilds", "meld", CARDS, "most wilds of a run, none for no limit", "cards", True),
    Key("wilds_adjacent", "meld", BOOL, "whether two neighbours in a run may both be wild"),
    Key(
        "wild_ratio",
        "meld",
        Choice(("le", "lt")),
        "le: no more wilds than naturals in a meld; lt: fewer",
        nullable=True,
    ),
    Key("points", "meld", PointTable(), "cost of cards left in hand by rank or card", "points"),
    Key("joker_points", "meld", POINTS, "cost of a joker left in hand", "points"),
    Key(
        "wild_points",
        "meld",
        POINTS,
        "cost of a wild other than a joker left in hand, none for its ordinary points",
        "points",
        True,
    ),
    Key("contract", "meld", Contract(), "exactly the melds to lay first", nullable=True),
    Key("use_all", "meld", BOOL, "whether the contract must use every card (contract only)"),
    Key("extra_melds", "meld", BOOL, "whether melds beyond the contract may be laid"),
    Key("forbid_adjacent_runs", "meld", BOOL, "runs of one suit may not touch (contract only)"),
    Key("distinct_set_ranks", "meld", BOOL, "sets must differ in rank (contract only)"),
    Key("distinct_run_suits", "meld", BOOL, "runs must differ in suit (contract only)"),
    Key(
        "hand_require",
        "meld",
        Pair(0, 13),
        "runs, pure runs: without so many every card of the hand counts",
        "runs",
        True,
    ),
    Key("penalty_cap", "meld", Int(0, 100_000), "most that a hand can cost", "points", True),
    Key(
        "min_meld_value",
        "meld",
        Int(0, 100_000),
        "least value of the melds together, else none may be laid",
        "points",
    ),
    Key(
        "meld_points",
        "meld",
        Choice(("face", "ace_position")),
        "value of a melded card: face, or an ace below a two by ace_low_points",
    ),
    Key("meld_values", "meld", PointTable(cards=False), "value of a melded card", "points"),
    Key("ace_low_points", "meld", POINTS, "value of an ace melded below a two", "points"),
    Key("wild_value_zero", "meld", BOOL, "whether a wild adds nothing to the value of melds"),
    Key("must_use", "meld", CardList(), "cards that must end in melds"),
)
_DECK: Final = (
    Key("ranks", "deck", Ranks(), "ranks of the deck"),
    Key("packs", "deck", Int(1, 20), "packs in the deck, none for any number", "packs", True),
    Key("packs_by_players", "deck", Steps(), "packs for up to so many players", "packs"),
    Key("jokers_per_pack", "deck", Int(0, 20), "jokers added to each pack", "jokers"),
    Key(
        "jokers",
        "deck",
        IntOr(0, 100, ("players", "players-1", "packs-1")),
        "jokers in the whole deck",
        "jokers",
    ),
    Key("tiles", "deck", BOOL, "whether hands may be written as tiles such as R12"),
)
_ROUND: Final = (
    Key("players", "round", Int(1, 26), "players at the table", "players", True),
    Key("cards_dealt", "round", Int(1, 60), "round, by the cards dealt in it", "cards", True),
    Key("deal", "round", Int(1, 60), "round of a contract game, by its deal", nullable=True),
    Key("round", "round", Int(1, 1000), "round, by its number", nullable=True),
    Key("bonus", "round", BOOL, "whether it is the bonus round after a tie"),
    Key("wild_schedule", "round", Schedule(), "wild ranks by the number of cards dealt"),
    Key("contracts", "round", Contracts(), "contract of each deal", nullable=True),
    Key("turned_card", "round", CardList(one=True), "card whose rank is wild", nullable=True),
    Key("turned_joker_wild", "round", RankOf(), "wild rank of a turned joker", nullable=True),
    Key(
        "meld_min_naturals",
        "meld",
        CARDS,
        "sets both set_min_naturals and run_min_naturals; 1 forbids all-wild melds",
        "cards",
        shorthand=True,
    ),
    Key(
        "end",
        "flow",
        Ending(),
        "sets rounds or end_score: 7 rounds, or 100 points",
        shorthand=True,
    ),
)
KEYS: Final[dict[str, Key]] = {k.name: k for k in (*_MELD, *_DECK, *FLOW, *_ROUND)}
MERGED: Final = frozenset({"points", "meld_values", "wild_schedule"})
"""Keys whose values are laid over the earlier ones instead of replacing them."""
SELECTORS: Final = ("cards_dealt", "deal", "round", "bonus")
"""Keys that choose a round; one at most."""


def _defaults() -> dict[str, Any]:
    """Return the neutral values of all keys that are not shorthands, in canonical form."""
    values: dict[str, Any] = {
        "points": tuple(zip("A23456789TJQK", (*range(1, 11), 10, 10, 10), strict=True)),
        "joker_points": 20,
        "wild_points": None,
        "packs_by_players": PACK_FOR_TWO,
        "jokers_per_pack": 0,
        "wild_schedule": (),
        "contracts": None,
        "turned_joker_wild": None,
        "turned_card": None,
        "players": None,
        "cards_dealt": None,
        "deal": None,
        "round": None,
        "bonus": False,
    }
    values["meld_values"] = values["points"]
    for record in (MeldRules, DeckRules, FlowRules):
        for f in fields(record):
            if f.name not in values and f.name in KEYS and f.default is not MISSING:
                values[f.name] = f.default
    return values | {"wild_cards": (), "ranks": tuple("A23456789TJQK"[:N_RANKS])}


DEFAULTS: Final[dict[str, Any]] = _defaults()
del DEFAULTS["wild_ranks"]  # whether it was set decides over the schedule
del DEFAULTS["jokers"]


def parse_option(key: str, text: object) -> Any:  # noqa: ANN401 - canonical values differ by kind
    """Return the canonical value of an option given as text, JSON or Python value.

    Args:
        key: name of the option, a key of ``KEYS``.
        text: ``"13"`` or 13, ``"true"`` or True, ``"none"`` or None, lists and mappings.

    Raises:
        RulesError: ``rules.option`` no such key; ``rules.type``, ``rules.range``.

    Example:
        >>> parse_option("contract", "3+r4"), parse_option("points", {"A": "15"})
        ((('set', 3), ('run', 4)), (('A', 15),))
    """
    if key not in KEYS:
        raise RulesError(
            f"expected an option of the rules, got {quoted(key, 60)}",
            code="rules.option",
            where=f"/options/{key:.60}",
        )
    try:
        return KEYS[key].parse(text)
    except BadValue as bad:
        raise RulesError.from_faults([value_fault(key, text, bad)]) from None


def value_fault(key: str, value: object, bad: BadValue) -> Fault:
    """Return the fault of an option whose value does not fit."""
    got = quoted(value, 60)
    return Fault(
        bad.code,
        f"/options/{key}",
        f"expected {key} to be {bad.expected}, got {got}",
        {"expected": bad.expected, "got": got},
    )
