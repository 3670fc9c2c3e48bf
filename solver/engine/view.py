"""What one seat may see of a game: everything public and its own cards, nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from solver.cards import Card
from solver.engine.dealing import deck_cards
from solver.engine.moves import Move
from solver.engine.state import KnockFacts, Phase, Round, State
from solver.engine.tabling import TableMeld
from solver.engine.zones import without
from solver.rules.model import GameRules


@dataclass(frozen=True, slots=True)
class View:
    """A game as one seat sees it.

    Attributes:
        seat: the seat that looks.
        rules: rules of the round.
        phase: what is asked for.
        actors: seats that may move.
        turn: seat whose turn it is.
        dealer: seat of the dealer or caller.
        players: seats taking part, in turn order.
        hand: own cards, ascending.
        hand_sizes: cards held by each seat.
        known: cards that each seat took face up and still holds.
        discards: the discard pile, last card on top.
        piles: piles of simultaneous play by seat.
        n_stock: cards of the stock.
        table: melds on the table.
        down: seats that have gone down.
        upcard: the card first turned up.
        knock: what the knocker laid and kept.
        out: seat that went out.
        turns_left: turns left to the others, None while nobody is out; in a beat, beats left.
        one_card: seats that announced holding one card.
        barred: the card just taken, when it may not be discarded.
        commit: the seat's own committed move in this beat.
        totals: points of finished rounds.
        round_no: rounds begun.
        taken_from: ``"stock"`` or ``"discard"`` once the player in turn has drawn.
        is_floating: whether the player in turn began without a card.
        went_down: whether the player in turn went down in this turn.
        may_take: whether the top discard is still the player's to take.
    """

    seat: int
    rules: GameRules
    phase: Phase
    actors: tuple[int, ...]
    turn: int
    dealer: int
    players: tuple[int, ...]
    hand: tuple[Card, ...]
    hand_sizes: tuple[int, ...]
    known: tuple[tuple[Card, ...], ...]
    discards: tuple[Card, ...]
    piles: tuple[tuple[Card, ...], ...]
    n_stock: int
    table: tuple[TableMeld, ...]
    down: frozenset[int]
    upcard: Card | None
    knock: KnockFacts | None
    out: int | None
    turns_left: int | None
    one_card: frozenset[int]
    barred: Card | None
    commit: Move | None
    totals: tuple[int, ...]
    round_no: int
    taken_from: str = ""
    is_floating: bool = False
    went_down: bool = False
    may_take: bool = True

    def unseen(self) -> tuple[Card, ...]:
        """Return the cards this seat cannot place: stock and hidden parts of hands, ascending."""
        left = without(deck_cards(self.rules), self.hand)
        left = without(left, self.discards)
        left = without(left, [c for pile in self.piles for c in pile])
        left = without(left, [c for lying in self.table for c in lying.meld.cards])
        if self.knock is not None and self.knock.seat != self.seat:
            left = without(left, self.knock.left)
        others = [c for s, cards in enumerate(self.known) if s != self.seat for c in cards]
        shown_by_knock = self.knock.left if self.knock is not None else ()
        return without(left, [c for c in others if c not in shown_by_knock])


def view(state: State, seat: int) -> View:
    """Return what a seat sees."""
    r = state.round
    beat = r.beat
    return View(
        seat=seat,
        rules=r.rules,
        phase=r.phase,
        actors=state.actors(),
        turn=r.turn,
        dealer=r.dealer,
        players=r.players,
        hand=r.hands[seat],
        hand_sizes=tuple(len(hand) for hand in r.hands),
        known=r.known,
        discards=r.discards,
        piles=beat.piles if beat is not None else (),
        n_stock=len(r.stock),
        table=r.table,
        down=r.down,
        upcard=r.upcard,
        knock=r.knock,
        out=r.out,
        turns_left=r.turns_left if beat is None else beat.beats_left,
        one_card=one_card_seats(r),
        barred=_barred(r, seat),
        commit=beat.commits[seat] if beat is not None else None,
        totals=state.totals,
        round_no=state.round_no,
        taken_from=r.taken_from,
        is_floating=r.is_floating,
        went_down=r.went_down,
        may_take=r.may_take,
    )


def _barred(r: Round, seat: int) -> Card | None:
    if r.beat is not None:
        return r.beat.barred[seat]
    return r.barred if r.turn == seat else None


def one_card_seats(r: Round) -> frozenset[int]:
    """Return the seats that announce their last card: who plays on the table and holds one."""
    if r.rules.flow.meld_timing != "on_table":
        return frozenset()
    return frozenset(s for s in r.players if len(r.hands[s]) == 1 and s in r.down)
