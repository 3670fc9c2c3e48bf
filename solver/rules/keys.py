"""The table of all options: which record they fill, their kind, unit and meaning."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, Literal, TypeAlias

from solver.cards import N_RANKS
from solver.errors import Fault, RulesError, quoted
from solver.rules.kinds import (
    BadValue,
    Bool,
    Choice,
    Ending,
    Int,
    IntOr,
    Kind,
    Pair,
    Words,
    is_none,
    read_json,
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
    Sizes,
    Steps,
)
from solver.rules.model import DeckRules, FlowRules, MeldRules

Part: TypeAlias = Literal["meld", "deck", "flow", "round"]

MAX_CARDS: Final = 120
"""No hand is larger; limits of melds need not be either."""


@dataclass(frozen=True, slots=True)
class Key:
    """One option.

    Attributes:
        name: the key.
        part: record that the key fills; ``round`` for what selects a round.
        kind: reader of its values.
        meaning: one line for people.
        unit: unit of numbers, "" when it has none.
        nullable: whether it may be none (off, or no limit).
        shorthand: whether it only sets other keys.
    """

    name: str
    part: Part
    kind: Kind
    meaning: str
    unit: str = ""
    nullable: bool = False
    shorthand: bool = False

    def parse(self, value: object) -> Any:  # noqa: ANN401 - canonical values differ by kind
        """Return the canonical value; raise BadValue."""
        if self.nullable and is_none(value):
            return None
        try:
            return self.kind.parse(read_json(value))
        except BadValue as bad:
            expected = f"{bad.expected} or none" if self.nullable else bad.expected
            raise BadValue(expected, code=bad.code) from None

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values with the meaning."""
        schema = self.kind.schema()
        if self.nullable:
            schema = {"anyOf": [schema, {"type": "null"}]}
        unit = f" ({self.unit})" if self.unit else ""
        return {"description": self.meaning + unit, **schema}


_CARDS: Final = Int(0, MAX_CARDS)
_LENGTH: Final = Int(1, MAX_CARDS)
_POINTS: Final = Int(0, 1000)
_SIGNED: Final = Int(-1000, 1000)
_COUNT: Final = Int(0, 1000)
_BOOL: Final = Bool()

_MELD: Final = (
    Key("suits", "meld", Int(4, 5), "number of suits of a pack; the fifth is the star", "suits"),
    Key("rank_lo", "meld", Int(1, 3), "lowest position of the run line, an ace being 1"),
    Key("ace", "meld", Choice(("low", "high", "both", "cyclic")), "where an ace stands in runs"),
    Key("wild_ranks", "meld", Ranks(), "ranks that are wild, in every round unless scheduled"),
    Key("wild_cards", "meld", CardList(), "single cards that are wild"),
    Key("jokers_wild", "meld", _BOOL, "whether jokers are wild; if not they fit no meld"),
    Key("wild_as_natural", "meld", _BOOL, "whether a card of a wild rank may count as itself"),
    Key("set_min", "meld", Int(2, MAX_CARDS), "fewest cards of a set", "cards"),
    Key("set_max", "meld", _LENGTH, "most cards of a set, none for no limit", "cards", True),
    Key("set_distinct_suits", "meld", _BOOL, "whether the naturals of a set differ in suit"),
    Key("run_min", "meld", Int(2, MAX_CARDS), "fewest cards of a run", "cards"),
    Key("run_max", "meld", _LENGTH, "most cards of a run, none for the whole line", "cards", True),
    Key("set_min_naturals", "meld", _CARDS, "fewest cards of a set that are not wild", "cards"),
    Key("run_min_naturals", "meld", _CARDS, "fewest cards of a run that are not wild", "cards"),
    Key(
        "run_core",
        "meld",
        Pair(1, 14),
        "w,m: some w neighbouring places of a run hold at least m naturals",
        "cards",
        True,
    ),
    Key("set_max_wilds", "meld", _CARDS, "most wilds of a set, none for no limit", "cards", True),
    Key("run_max_wilds", "meld", _CARDS, "most wilds of a run, none for no limit", "cards", True),
    Key("wilds_adjacent", "meld", _BOOL, "whether two neighbours in a run may both be wild"),
    Key(
        "wild_ratio",
        "meld",
        Choice(("le", "lt")),
        "le: no more wilds than naturals in a meld; lt: fewer",
        nullable=True,
    ),
    Key("points", "meld", PointTable(), "cost of cards left in hand by rank or card", "points"),
    Key("joker_points", "meld", _POINTS, "cost of a joker left in hand", "points"),
    Key(
        "wild_points",
        "meld",
        _POINTS,
        "cost of a wild other than a joker left in hand, none for its ordinary points",
        "points",
        True,
    ),
    Key("contract", "meld", Contract(), "exactly the melds to lay first", nullable=True),
    Key("use_all", "meld", _BOOL, "whether the contract must use every card (contract only)"),
    Key("extra_melds", "meld", _BOOL, "whether melds beyond the contract may be laid"),
    Key("forbid_adjacent_runs", "meld", _BOOL, "runs of one suit may not touch (contract only)"),
    Key("distinct_set_ranks", "meld", _BOOL, "sets must differ in rank (contract only)"),
    Key("distinct_run_suits", "meld", _BOOL, "runs must differ in suit (contract only)"),
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
    Key("ace_low_points", "meld", _POINTS, "value of an ace melded below a two", "points"),
    Key("wild_value_zero", "meld", _BOOL, "whether a wild adds nothing to the value of melds"),
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
    Key("tiles", "deck", _BOOL, "whether hands may be written as tiles such as R12"),
)
_FLOW: Final = (
    Key(
        "referee",
        "flow",
        Choice(("full", "simplified", "none")),
        "whether the referee plays the game in full, without some of its moves, or not at all",
    ),
    Key("min_players", "flow", Int(1, 26), "fewest players", "players"),
    Key("max_players", "flow", Int(1, 26), "most players", "players"),
    Key("rounds", "flow", Int(1, 60), "rounds of a game, none when played on", "rounds", True),
    Key("end_score", "flow", Int(1, 100_000), "total that ends the game", "points", True),
    Key("deal_sizes", "flow", Sizes(), "cards dealt in each round", "cards"),
    Key("direction", "flow", Choice(("cw", "ccw")), "clockwise or counter-clockwise play"),
    Key("first_dealer", "flow", IntOr(0, 25, ("random",)), "first dealer: random or seat"),
    Key("meld_timing", "flow", Choice(("at_end", "on_table")), "when melds are laid down"),
    Key("layoff", "flow", Choice(("none", "own", "all")), "melds to which cards may be added"),
    Key("rearrange", "flow", _BOOL, "whether a turn may rearrange all melds on the table"),
    Key(
        "table_wilds",
        "flow",
        Choice(("free", "exchanged")),
        "wilds of a rearranged table: free to move, or only when their cards take the place",
    ),
    Key("layoff_same_turn", "flow", _BOOL, "whether one may add cards in the turn of going down"),
    Key(
        "draw_sources",
        "flow",
        Words(("stock", "top_discard", "any_discard")),
        "where cards are drawn from",
    ),
    Key("simultaneous", "flow", Choice(("speed",)), "all play at once, by beats", nullable=True),
    Key("speed_final_beats", "flow", Int(0, 20), "beats left to the others", "beats"),
    Key("caller_rotates", "flow", _BOOL, "whether the caller changes with each hand"),
    Key("forbid_return_discard", "flow", _BOOL, "the discard just taken may not be discarded"),
    Key("must_discard_to_go_out", "flow", _BOOL, "whether going out needs a last discard"),
    Key("final_turns", "flow", Int(0, 20), "turns of the others after going out", "turns"),
    Key(
        "final_deal",
        "flow",
        Choice(("ordinary", "all_down_no_discard")),
        "whether the last deal is won by laying every card at once without a discard",
    ),
    Key(
        "swap_timing",
        "flow",
        Choice(("off", "with_contract", "after_contract", "any_turn")),
        "when a wild is swapped for its natural: going down only, any_turn as with_contract",
    ),
    Key("swap_runs_only", "flow", _BOOL, "whether wilds are taken from runs only"),
    Key("swap_scope", "flow", Choice(("others", "all")), "whose wilds may be taken"),
    Key("layoff_wild_limit", "flow", _COUNT, "most wilds laid off on a meld", "cards", True),
    Key(
        "layoff_keeps_ratio",
        "flow",
        _BOOL,
        "whether wild_ratio also holds in a meld to which cards are added",
    ),
    Key("buy_priority", "flow", Choice(("off", "nearest", "first_call")), "who buys a discard"),
    Key("buy_price", "flow", Int(0, 20), "cards from the stock that a purchase costs", "cards"),
    Key("max_buys", "flow", _COUNT, "purchases of a player in a deal", "purchases", True),
    Key("multi_buy", "flow", _BOOL, "whether one discard may be followed by further purchases"),
    Key("buy_after_down", "flow", _BOOL, "whether a player already down may buy"),
    Key("rummy_mode", "flow", Choice(("off", "call", "auto")), "calling a discard that fits"),
    Key("rummy_scope", "flow", Choice(("all", "down_only")), "whose discards may be called"),
    Key("rummy_includes_wilds", "flow", _BOOL, "whether discarding a wild may be called"),
    Key("rummy_cards", "flow", Int(0, 20), "cards drawn by a player who was called", "cards"),
    Key(
        "closing_discard_playable",
        "flow",
        Choice(("always", "non_floating", "never")),
        "who may end the deal with a discard that fits a meld",
    ),
    Key("false_meld_penalty", "flow", _POINTS, "cost of a false meld", "points", True),
    Key("false_out_penalty", "flow", _POINTS, "cost of going out falsely", "points", True),
    Key("exact_cut_bonus", "flow", _SIGNED, "added for cutting the exact number", "points"),
    Key(
        "cut_model",
        "flow",
        Choice(("off", "player", "uniform", "normal"), r"normal\([0-9]{1,3}(\.[0-9]{1,3})?\)"),
        "whether the player on the dealer's right cuts, and how bots do",
    ),
    Key("stock_empty", "flow", Choice(("reshuffle", "end_round")), "when the stock runs out"),
    Key("stock_wall", "flow", Int(0, 52), "cards of the stock that are never drawn", "cards"),
    Key("max_reshuffles", "flow", _COUNT, "most reshuffles of a round", "reshuffles", True),
    Key("max_turns_per_round", "flow", Int(1, 100_000), "turns a player, then it ends", "turns"),
    Key(
        "tie_break",
        "flow",
        Choice(("shared", "fewest_points_last_round", "most_rounds_won", "bonus_round")),
        "how a tie for the win is broken",
    ),
    Key("bonus_cards", "flow", Int(1, 60), "cards dealt in the bonus round", "cards", True),
    Key("bonus_wild", "flow", RankOf(), "wild rank of the bonus round", nullable=True),
    Key("bonus_max", "flow", Int(0, 20), "most bonus rounds", "rounds"),
    Key("bonus_players", "flow", Choice(("tied", "all")), "who plays the bonus round"),
    Key(
        "scoring",
        "flow",
        Choice(("penalty", "difference", "meld_minus_hand", "winner_takes")),
        "what a round adds to the totals",
    ),
    Key("knock_limit", "flow", _POINTS, "most deadwood to knock with", "points", True),
    Key("gin_bonus", "flow", _POINTS, "added for gin", "points"),
    Key("undercut_bonus", "flow", _POINTS, "added for an undercut", "points"),
    Key("undercut_on_tie", "flow", _BOOL, "whether equal deadwood is an undercut"),
    Key("big_gin_bonus", "flow", _POINTS, "added for big gin, none when unknown", "points", True),
    Key("oklahoma", "flow", _BOOL, "whether the first upcard sets the knock limit"),
    Key("oklahoma_ace", "flow", Choice(("gin", "one")), "knock limit of an ace upcard"),
    Key("spade_double", "flow", _BOOL, "whether a spade upcard doubles the deal"),
    Key("game_bonus", "flow", _POINTS, "added for winning the game", "points"),
    Key("box_bonus", "flow", _POINTS, "added for each deal won", "points"),
    Key("initial_meld_min", "flow", _COUNT, "least value of the first melds", "points"),
    Key("drop_points", "flow", Pair(0, 1000), "cost of a first, middle drop", "points", True),
    Key("false_declaration_points", "flow", _POINTS, "cost of a false show", "points", True),
    Key("go_down_and_out_bonus", "flow", _SIGNED, "added for all down in one turn", "points"),
    Key("first_player_extra", "flow", _BOOL, "first player is dealt one more, draws none"),
    Key(
        "first_upcard",
        "flow",
        Choice(("open", "offer")),
        "offer: it is taken or refused by both players before anybody draws",
    ),
    Key("floating", "flow", _BOOL, "whether a player may go on without a card"),
)
_ROUND: Final = (
    Key("players", "round", Int(1, 26), "players at the table", "players", True),
    Key("cards_dealt", "round", Int(1, 60), "round, by the cards dealt in it", "cards", True),
    Key("deal", "round", Int(1, 60), "round of a contract game, by its deal", nullable=True),
    Key("round", "round", Int(1, 1000), "round, by its number", nullable=True),
    Key("bonus", "round", _BOOL, "whether it is the bonus round after a tie"),
    Key("wild_schedule", "round", Schedule(), "wild ranks by the number of cards dealt"),
    Key("contracts", "round", Contracts(), "contract of each deal", nullable=True),
    Key("turned_card", "round", CardList(one=True), "card whose rank is wild", nullable=True),
    Key("turned_joker_wild", "round", RankOf(), "wild rank of a turned joker", nullable=True),
    Key(
        "meld_min_naturals",
        "meld",
        _CARDS,
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
KEYS: Final[dict[str, Key]] = {k.name: k for k in (*_MELD, *_DECK, *_FLOW, *_ROUND)}
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
