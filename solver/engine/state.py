"""The state of a game as a value: the round in play, totals, and what happened before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from solver.cards import Card
from solver.engine.facts import Ending, Fine, FineKind, RoundFacts
from solver.engine.moves import CHANCE, Buy, Draw, Move, Rummy
from solver.engine.tabling import TableMeld
from solver.errors import RulesError, span
from solver.melds import Meld
from solver.rules.loader import load_rules, round_rules
from solver.rules.model import GameRules

EVERYONE: Final = -2
"""Actor of a beat: all seats that have not yet committed."""
NOBODY: Final = -3
"""Actor of a finished game."""


class Phase(StrEnum):
    """What is asked for next."""

    CUT = "cut"
    DEAL = "deal"
    UPCARD = "upcard"
    WALL = "wall"
    RUMMY = "rummy"
    OFFER = "offer"
    CALL_ORDER = "call_order"
    BUY = "buy"
    DRAW = "draw"
    SHUFFLE = "shuffle"
    PLAY = "play"
    DEFEND = "defend"
    BEAT_DRAW = "beat_draw"
    BEAT_DISCARD = "beat_discard"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class KnockFacts:
    """A knock: who knocked, melds laid, cards kept."""

    seat: int
    melds: tuple[Meld, ...]
    left: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Beat:
    """What only simultaneous play needs.

    Attributes:
        piles: discard pile of each seat, fed by that seat, last card on top.
        commits: moves committed in this phase of the beat, hidden until all have.
        barred: card taken by each seat that may not be passed on in this beat.
        outs: seats that are out.
        beats_left: beats left to the others, None while nobody is out.
    """

    piles: tuple[tuple[Card, ...], ...]
    commits: tuple[Move | None, ...]
    barred: tuple[Card | None, ...]
    outs: tuple[int, ...] = ()
    beats_left: int | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """A round in play.

    Attributes:
        rules: rules of this round.
        dealer: seat of the dealer; the caller in simultaneous play.
        players: seats taking part, in turn order from the dealer's left.
        phase: what is asked for.
        actor: seat to move, or ``CHANCE``, ``EVERYONE``, ``NOBODY``.
        turn: seat whose turn it is, also while others are asked.
        hands: cards by seat, ascending.
        stock: cards face down, next card first.
        discards: the discard pile, last card on top.
        table: melds on the table.
        down: seats that have gone down.
        upcard: the card first turned up.
        taken_from: ``"stock"`` or ``"discard"`` once the player in turn has drawn.
        barred: the card taken that may not be discarded in this turn; None when the player held
            another copy, since that one may go.
        is_floating: whether the player in turn began without a card.
        went_down: whether the player in turn went down in it.
        may_take: whether the top discard is still the player's to take.
        may_buy: whether it may still be bought.
        askers: seats still to be asked in a window, the actor first.
        pending: move that waits for the stock to be rebuilt.
        out: seat that went out or knocked.
        turns_left: turns left to the others, None while nobody is out.
        refusals: how often the first upcard was refused.
        n_turns: turns finished.
        n_shuffles: how often the stock was rebuilt.
        n_chance: moves of chance so far.
        n_buys: purchases by seat.
        fines: the moves that were fined, in order.
        cut: (seat, cards lifted).
        knock: a knock, with what it left.
        laid_off: cards the defender laid off on the knocker's melds.
        beat: what simultaneous play needs.
        discarder: seat that made the top discard, None when nobody did.
        ending: how the round ended, None while it is in play.
        known: cards that each seat took face up and still holds.
    """

    rules: GameRules
    dealer: int
    players: tuple[int, ...]
    phase: Phase
    actor: int
    turn: int
    hands: tuple[tuple[Card, ...], ...]
    stock: tuple[Card, ...] = ()
    discards: tuple[Card, ...] = ()
    table: tuple[TableMeld, ...] = ()
    down: frozenset[int] = frozenset()
    upcard: Card | None = None
    taken_from: str = ""
    barred: Card | None = None
    is_floating: bool = False
    went_down: bool = False
    may_take: bool = True
    may_buy: bool = True
    askers: tuple[int, ...] = ()
    pending: Draw | Buy | Rummy | None = None
    out: int | None = None
    turns_left: int | None = None
    refusals: int = 0
    n_turns: int = 0
    n_shuffles: int = 0
    n_chance: int = 0
    n_buys: tuple[int, ...] = ()
    fines: tuple[Fine, ...] = ()
    cut: tuple[int, int] | None = None
    knock: KnockFacts | None = None
    laid_off: tuple[Card, ...] = ()
    beat: Beat | None = None
    discarder: int | None = None
    ending: Ending | None = None
    known: tuple[tuple[Card, ...], ...] = ()

    def n_fined(self, what: FineKind) -> tuple[int, ...]:
        """Return how often each seat was fined for something."""
        fined = [fine.seat for fine in self.fines if fine.what == what]
        return tuple(fined.count(seat) for seat in range(len(self.hands)))

    def to(self, **changes: Any) -> Round:  # noqa: ANN401 - the fields of this record
        """Return the round with some fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class State:
    """A game in play.

    Attributes:
        rules: rules of the game, no round chosen.
        n_players: number of seats.
        round: the round in play; the last one when the game is over.
        round_no: rounds begun, bonus rounds included, 1...
        n_bonus: bonus rounds begun.
        totals: points by seat of finished rounds.
        history: facts of finished rounds with the rules of each.
        points: points by seat of each finished round.
        winners: seats that won, None while the game goes on.
    """

    rules: GameRules
    n_players: int
    round: Round
    round_no: int
    n_bonus: int
    totals: tuple[int, ...]
    history: tuple[tuple[RoundFacts, GameRules], ...] = ()
    points: tuple[tuple[int, ...], ...] = ()
    winners: tuple[int, ...] | None = None

    @property
    def actor(self) -> int:
        """Return the seat to move, or ``CHANCE``, ``EVERYONE``, ``NOBODY``."""
        return self.round.actor

    @property
    def phase(self) -> Phase:
        """Return what is asked for."""
        return self.round.phase

    @property
    def is_over(self) -> bool:
        """Return whether the game is over."""
        return self.winners is not None

    def actors(self) -> tuple[int, ...]:
        """Return the seats that may move now, in seat order; () for chance and at the end."""
        if self.actor == EVERYONE and self.round.beat is not None:
            beat = self.round.beat
            return tuple(
                s
                for s in sorted(self.round.players)
                if s not in beat.outs and beat.commits[s] is None
            )
        return (self.actor,) if self.actor >= 0 else ()


def turn_order(seats: Sequence[int], dealer: int, n_seats: int, direction: str) -> tuple[int, ...]:
    """Return seats in turn order, starting with the first after the dealer."""
    step = 1 if direction == "cw" else -1
    order = [(dealer + step * i) % n_seats for i in range(1, n_seats + 1)]
    return tuple(seat for seat in order if seat in set(seats))


def new_round(rules: GameRules, dealer: int, seats: Sequence[int], n_seats: int) -> Round:
    """Return a round that waits for the cut or the deal."""
    players = turn_order(seats, dealer, n_seats, rules.flow.direction)
    with_cut = rules.flow.cut_model != "off"
    by_player = rules.flow.cut_model == "player"
    zeros = (0,) * n_seats
    return Round(
        rules=rules,
        dealer=dealer,
        players=players,
        phase=Phase.CUT if with_cut else Phase.DEAL,
        actor=cutter(players) if by_player else CHANCE,
        turn=players[0],
        hands=((),) * n_seats,
        n_buys=zeros,
        known=((),) * n_seats,
    )


def cutter(players: tuple[int, ...]) -> int:
    """Return who cuts: the player on the dealer's right, the last but one in turn order."""
    return players[-2] if len(players) > 1 else players[0]


def new_game(rules: GameRules, n_players: int, *, first_dealer: int = 0) -> State:
    """Return a game before its first deal.

    Args:
        rules: rules of the game; a round chosen in them is where the game starts.
        n_players: number of seats.
        first_dealer: seat that deals first; the caller in simultaneous play.

    Raises:
        RulesError: ``game.referee`` for a game that is solved and priced only; ``game.players`` or
            ``game.dealer``, a number the game does not allow.
    """
    flow = rules.flow
    check_refereed(rules)
    if not flow.min_players <= n_players <= flow.max_players:
        raise RulesError(
            f"expected {span(flow.min_players, flow.max_players)} players, got {n_players}",
            code="game.players",
        )
    if not 0 <= first_dealer < n_players:
        raise RulesError(
            f"expected a dealer 0..{n_players - 1}, got {first_dealer}", code="game.dealer"
        )
    game = with_players(rules, n_players)
    round_no = rules.round_no or 1
    first = round_rules(game, round_no)
    seats = range(n_players)
    return State(
        rules=game,
        n_players=n_players,
        round=new_round(first, first_dealer, seats, n_players),
        round_no=round_no,
        n_bonus=0,
        totals=(0,) * n_players,
    )


def check_refereed(rules: GameRules, where: str = "") -> None:
    """Raise RulesError ``game.referee`` for a game whose turns the referee does not know."""
    if rules.flow.referee == "none":
        raise RulesError(
            f"expected a game that the referee plays, got {rules.name}, which is only solved and "
            "priced",
            code="game.referee",
            where=where,
        )
    if rules.meld.must_use:
        raise RulesError(
            "expected rules of a game, got must_use, which asks of one hand",
            code="game.must_use",
            where=where,
        )


def with_players(rules: GameRules, n_players: int) -> GameRules:
    """Return the same game for a number of players, so that its deck is fixed.

    Raises:
        RulesError: ``game.players``, the rules are already for another number.
    """
    if rules.players == n_players:
        return rules
    if rules.players is not None:
        raise RulesError(
            f"expected {rules.players} players, as the option players says, got {n_players}",
            code="game.players",
            where="/options/players",
        )
    return load_rules(rules.name, **{**dict(rules.options), "players": n_players})
