"""Frozen records of a game's rules, resolved for one round.

``GameRules`` is what every other layer reads. ``MeldRules`` holds the keys of the solver,
``DeckRules`` the cards that exist, ``FlowRules`` what the referee and the scoring read.
Records are values: equal rules are equal objects, and nothing in them is mutable.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

AceMode: TypeAlias = Literal["low", "high", "both", "cyclic"]
MeldKindName: TypeAlias = Literal["set", "run"]
WildRatio: TypeAlias = Literal["le", "lt"]
MeldPoints: TypeAlias = Literal["face", "ace_position"]
WildsOpen: TypeAlias = Literal["round", "turned_card"]


@dataclass(frozen=True)
class MeldRules:
    """What a meld is and what a card left over costs (the solver's keys).

    Attributes:
        suits: number of suits, 4 or 5.
        rank_lo: lowest position of the run line, 1..3 (A = 1).
        ace: ``low`` positions rank_lo..13; ``high`` max(rank_lo,2)..14; ``both`` 1..14, the ace
            at either end; ``cyclic`` 13 positions on a ring.
        wild_ranks: ranks 0..12 whose cards are wild.
        wild_cards: card ids that are wild.
        jokers_wild: whether a joker is wild; if not it is dead weight.
        wild_as_natural: whether a card of a wild rank may also be read as itself.
        set_min: fewest cards of a set.
        set_max: most cards of a set, None for no limit.
        set_distinct_suits: whether the naturals of a set differ in suit.
        run_min: fewest cards of a run.
        run_max: most cards of a run, None for the length of the line.
        set_min_naturals: fewest naturals of a set.
        run_min_naturals: fewest naturals of a run.
        run_core: (w, m): some w consecutive positions of the run hold at least m naturals.
        set_max_wilds: most wilds of a set, None for no limit.
        run_max_wilds: most wilds of a run, None for no limit.
        wilds_adjacent: whether two neighbouring positions of a run may both be wild.
        wild_ratio: ``le`` wilds <= naturals, ``lt`` wilds < naturals, None for no limit.
        points: cost of each card id left in hand, 66 ints 0..1000, wild and joker values applied.
        contract: kinds and least lengths of exactly the melds to lay, or None.
        use_all: no card may remain (contract only).
        extra_melds: whether melds beyond the contract may be laid (contract only).
        forbid_adjacent_runs: two runs of one suit may not touch (contract only).
        distinct_set_ranks: sets must differ in rank (contract only).
        distinct_run_suits: runs must differ in suit (contract only).
        hand_require: (runs, pure runs) that must be present, else every card counts.
        penalty_cap: most that a hand can cost, or None.
        min_meld_value: least total value of the melds laid, else nothing may be laid.
        meld_points: how a melded card is valued: ``face`` its points as the card it stands for,
            ``ace_position`` the same but an ace below a two counts ``ace_low_points``.
        meld_values: value of each rank A..K when melded, 13 ints.
        ace_low_points: value of an ace melded at the low end.
        wild_value_zero: whether a wild counts nothing in the value of melds.
        must_use: (card id, copies) pairs that must end in melds.
    """

    suits: int = 4
    rank_lo: int = 1
    ace: AceMode = "low"
    wild_ranks: frozenset[int] = frozenset()
    wild_cards: frozenset[int] = frozenset()
    jokers_wild: bool = True
    wild_as_natural: bool = True
    set_min: int = 3
    set_max: int | None = None
    set_distinct_suits: bool = False
    run_min: int = 3
    run_max: int | None = None
    set_min_naturals: int = 0
    run_min_naturals: int = 0
    run_core: tuple[int, int] | None = None
    set_max_wilds: int | None = None
    run_max_wilds: int | None = None
    wilds_adjacent: bool = True
    wild_ratio: WildRatio | None = None
    points: tuple[int, ...] = (*((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10) * 5), 20)
    contract: tuple[tuple[MeldKindName, int], ...] | None = None
    use_all: bool = False
    extra_melds: bool = False
    forbid_adjacent_runs: bool = False
    distinct_set_ranks: bool = False
    distinct_run_suits: bool = False
    hand_require: tuple[int, int] | None = None
    penalty_cap: int | None = None
    min_meld_value: int = 0
    meld_points: MeldPoints = "face"
    meld_values: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
    ace_low_points: int = 1
    wild_value_zero: bool = False
    must_use: tuple[tuple[int, int], ...] = ()

    def __hash__(self) -> int:
        """Return the hash, computed once: rules are keys of every compiled table."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, f.name) for f in fields(self)))

    @cached_property
    def wild_ids(self) -> tuple[int, ...]:
        """Return the ids of all wild cards, ascending."""
        return tuple(card for card in range(66) if self.is_wild(card))

    def is_wild(self, card: int) -> bool:
        """Return whether a card is wild in this round."""
        if card == 65:  # noqa: PLR2004 - the joker's id, documented in solver.cards
            return self.jokers_wild
        return card in self.wild_cards or card % 13 in self.wild_ranks


@dataclass(frozen=True)
class DeckRules:
    """The cards that exist.

    Attributes:
        suits: number of suits.
        ranks: ranks 0..12 that exist.
        packs: copies of each card when known, else None: any number is then a legal question.
        jokers: jokers in the whole deck when known, else None; 0 when the game has none.
        has_jokers: whether a joker may appear at all.
        tiles: whether hands may be written as tiles (colour and number).
    """

    suits: int = 4
    ranks: tuple[int, ...] = tuple(range(13))
    packs: int | None = None
    jokers: int | None = None
    has_jokers: bool = False
    tiles: bool = False

    def size(self) -> int | None:
        """Return the number of cards of the deck, None when it is not fixed."""
        if self.packs is None or self.jokers is None:
            return None
        return self.packs * self.suits * len(self.ranks) + self.jokers


@dataclass(frozen=True)
class FlowRules:
    """How the game is played around the melds; read by the referee and by scoring only.

    Every key is one of the flow table of the rule book; see the rule files for the sources.
    """

    min_players: int = 2
    max_players: int = 8
    rounds: int | None = 11
    end_score: int | None = None
    deal_sizes: tuple[int, ...] = ()
    direction: str = "cw"
    first_dealer: int | str = "random"
    meld_timing: str = "at_end"
    layoff: str = "none"
    layoff_same_turn: bool = True
    draw_sources: tuple[str, ...] = ("stock", "top_discard")
    simultaneous: str | None = None
    speed_final_beats: int = 1
    caller_rotates: bool = False
    forbid_return_discard: bool = False
    must_discard_to_go_out: bool = True
    final_turns: int = 1
    final_deal: str = "ordinary"
    swap_timing: str = "off"
    swap_runs_only: bool = True
    swap_scope: str = "others"
    layoff_wild_limit: int | None = None
    buy_priority: str = "off"
    buy_price: int = 1
    max_buys: int | None = None
    multi_buy: bool = False
    buy_after_down: bool = True
    rummy_mode: str = "off"
    rummy_scope: str = "all"
    rummy_includes_wilds: bool = True
    rummy_cards: int = 1
    closing_discard_playable: str = "always"
    false_meld_penalty: int | None = None
    false_out_penalty: int | None = None
    exact_cut_bonus: int = 0
    cut_model: str = "off"
    stock_empty: str = "reshuffle"
    max_reshuffles: int | None = None
    max_turns_per_round: int = 500
    tie_break: str = "shared"
    bonus_cards: int | None = None
    bonus_wild: str | None = None
    bonus_max: int = 1
    bonus_players: str = "tied"
    scoring: str = "penalty"
    knock_limit: int | None = None
    gin_bonus: int = 0
    undercut_bonus: int = 0
    undercut_on_tie: bool = True
    big_gin_bonus: int | None = None
    oklahoma: bool = False
    oklahoma_ace: str = "gin"
    spade_double: bool = False
    game_bonus: int = 0
    box_bonus: int = 0
    initial_meld_min: int = 0
    drop_points: tuple[int, int] | None = None
    false_declaration_points: int | None = None
    go_down_and_out_bonus: int = 0
    first_player_extra: bool = False
    first_upcard: str = "open"
    stock_wall: int = 0
    floating: bool = True
    referee: str = "full"
    rearrange: bool = False
    layoff_keeps_ratio: bool = True
    table_wilds: str = "free"
    layoff_distinct_suits: bool = True
    wilds_after_down: str = "played"

    @property
    def has_discards(self) -> bool:
        """Whether turns end with a discard; where the table is rearranged nothing is thrown."""
        return not self.rearrange


_NO_RULES: Final = frozenset({"referee"})
"""Keys that say what this program does with a game; they leave the fingerprint alone."""
_READ_ALIKE: Final[dict[tuple[str, object], object]] = {
    ("draw_sources", ("stock", "any_discard")): ("stock", "top_discard"),
    ("draw_sources", ("stock", "top_discard", "any_discard")): ("stock", "top_discard"),
}
"""Values that the referee reads as another one: the name of a rule that it does not play."""


@dataclass(frozen=True, slots=True)
class RoundRules:
    """What one round of a game will be.

    Attributes:
        n_dealt: cards dealt, None when unknown.
        meld: what melds are and what cards cost.
        flow: how it is played.
    """

    n_dealt: int | None
    meld: MeldRules
    flow: FlowRules

    def facts(self, idle: frozenset[str] = _NO_RULES) -> dict[str, Any]:
        """Return what differs from the defaults as plain JSON, without the idle keys."""
        parts = {"meld": _differences(self.meld, idle), "flow": _differences(self.flow, idle)}
        # The number of the round is no rule: deals with equal rules share one fingerprint.
        return {**parts, "round": {"n_dealt": self.n_dealt}}


@dataclass(frozen=True)
class GameRules:
    """One game resolved for one round: what ``load_rules`` returns.

    Attributes:
        name: id of the preset.
        title: name for people.
        options: the options given, sorted pairs (key, value), hashable.
        deck: the cards that exist.
        meld: what melds are and what cards cost, for this round.
        flow: how the game is played.
        n_dealt: cards dealt this round, None when no round was chosen and none is implied.
        round_no: number of the round 1.., None when no round was chosen.
        n_rounds: rounds of the game, None when it is played to a score.
        contract_open: whether every deal has a contract but none is known, as no deal was chosen.
        wilds_open: what decides the wild rank but was not said: ``round`` or ``turned_card``;
            None where nothing is missing.
        most_packs: packs for the most players of the game, None: any number.
        most_jokers: jokers for the most players of the game, None: any number.
        players: players at the table, None when any number of the game may sit down.
        rounds: what the rounds of the game will be, a bonus round last; one stands for all where
            their number is open. () when one was chosen.
        tables: (players, packs, jokers) of every table, () when the number of players is known.
        idle: keys whose values do nothing in this game; the fingerprint skips them.
    """

    name: str
    title: str
    options: tuple[tuple[str, Any], ...] = ()
    deck: DeckRules = field(default_factory=DeckRules)
    meld: MeldRules = field(default_factory=MeldRules)
    flow: FlowRules = field(default_factory=FlowRules)
    n_dealt: int | None = None
    round_no: int | None = None
    n_rounds: int | None = None
    contract_open: bool = False
    wilds_open: WildsOpen | None = None
    most_packs: int | None = None
    most_jokers: int | None = None
    players: int | None = field(default=None, compare=False)
    rounds: tuple[RoundRules, ...] = field(default=(), compare=False, repr=False)
    tables: tuple[tuple[int, int | None, int | None], ...] = field(
        default=(), compare=False, repr=False
    )
    idle: frozenset[str] = field(default=_NO_RULES, compare=False, repr=False)

    def __repr__(self) -> str:
        """Return name, options and fingerprint; all values are in ``to_json``."""
        given = "".join(f" {key}={_plain(value)}" for key, value in self.options)
        return f"<GameRules {self.name}{given} {self.fingerprint}>"

    @cached_property
    def fingerprint(self) -> str:
        """Return 16 hex digits that name these rules (SHA-256 of what differs from defaults).

        Rules of one round are named by that round; rules without one by all rounds to come. Rules
        for any number of players are named by the decks of all tables.

        Only differences from the record defaults are hashed, so a knob that is added later with
        a neutral default leaves the fingerprint of older rules as it was.
        """
        this = RoundRules(self.n_dealt, self.meld, self.flow)
        facts: dict[str, Any] = {"deck": _differences(self.deck, self.idle), **self._named(this)}
        if any(r != this for r in self.rounds):
            facts["rounds"] = [self._named(r) for r in self.rounds]
        tables = [row for row in self.tables if row[1:] != _usual_table(row[0])]
        if tables and (self.deck.packs is None or self.deck.jokers is None):
            facts["tables"] = tables
        if self.tables and (self.most_packs, self.most_jokers) != self.tables[-1][1:]:
            facts["most"] = [self.most_packs, self.most_jokers]  # any number of packs was asked for
        return _digest(facts)

    @cached_property
    def former_fingerprint(self) -> str:
        """Return the fingerprint that records held which were written before version 0.2.

        It did not see rounds to come and tables.
        """
        this = RoundRules(self.n_dealt, self.meld, self.flow)
        return _digest({"deck": _differences(self.deck, _NO_RULES), **this.facts()})

    def _named(self, played: RoundRules) -> dict[str, Any]:
        """Return what names a round: its facts, for the players that are at the table."""
        if self.players is not None:
            n = self.players
            played = replace(played, flow=replace(played.flow, min_players=n, max_players=n))
        for (key, value), same in _READ_ALIKE.items():
            if getattr(played.flow, key) == value:
                played = replace(played, flow=replace(played.flow, **{key: same}))  # type: ignore[arg-type]
        return played.facts(self.idle)

    def to_json(self) -> dict[str, Any]:
        """Return all resolved values as plain JSON, sets sorted."""
        return {
            "name": self.name,
            "title": self.title,
            "options": {k: _plain(v) for k, v in self.options},
            "fingerprint": self.fingerprint,
            "round": self.round_no,
            "n_dealt": self.n_dealt,
            "n_rounds": self.n_rounds,
            **{
                part: {k: _plain(v) for k, v in asdict(record).items()}
                for part, record in (("deck", self.deck), ("meld", self.meld), ("flow", self.flow))
            },
        }


def _differences(record: DeckRules | MeldRules | FlowRules, idle: frozenset[str]) -> dict[str, Any]:
    """Return the fields of a record that are not at their defaults and not idle, as JSON values."""
    return {
        f.name: _plain(getattr(record, f.name))
        for f in fields(record)
        if getattr(record, f.name) != f.default and f.name not in idle
    }


def _digest(facts: dict[str, Any]) -> str:
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _usual_table(players: int) -> tuple[int, int]:
    """Return packs and jokers where nothing else is said: a pack for two players, no jokers."""
    return (players + 1) // 2, 0


def _plain(value: object) -> object:
    """Return a JSON value for a field: sets become sorted lists, tuples lists."""
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return value
