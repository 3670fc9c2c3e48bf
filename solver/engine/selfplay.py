"""Seeded games of simple players, written down as records."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol

from solver.engine.dealing import chance_move, first_dealer
from solver.engine.legal import LegalMoves
from solver.engine.moves import (
    CHANCE,
    Buy,
    Defend,
    Discard,
    GoDown,
    GoOut,
    Knock,
    LayOff,
    Move,
    Take,
)
from solver.engine.record import GameRecord
from solver.engine.referee import apply
from solver.engine.replay import make_record
from solver.engine.state import State, new_game
from solver.engine.view import View, view
from solver.engine.zones import least_penalties, without
from solver.rules.model import GameRules


class Player(Protocol):
    """Who chooses a move from what one seat sees."""

    def choose(self, seen: View, moves: Sequence[Move], rng: random.Random) -> Move:
        """Return one of the moves."""


class RandomPlayer:
    """Chooses evenly among the moves."""

    def choose(self, seen: View, moves: Sequence[Move], rng: random.Random) -> Move:
        """Return any of the moves."""
        del seen
        return moves[int(rng.random() * len(moves))]


class SimplePlayer:
    """Ends the round when it can, lays what it can, and keeps the cheapest hand.

    A discard is taken when it lowers what is left after the best discard; nothing is bought.
    """

    def choose(self, seen: View, moves: Sequence[Move], rng: random.Random) -> Move:
        """Return the first kind of move there is, in the order of the class comment."""
        for wanted in (_ends, _lays):
            found = [move for move in moves if wanted(move)]
            if found:
                return found[0]
        discards = [move for move in moves if isinstance(move, Discard)]
        if discards:
            return self._cheapest(seen, discards, rng)
        takes = [move for move in moves if isinstance(move, Take)]
        if takes:
            return takes[0] if self._wants(seen) else _other(moves, takes[0])
        modest = [move for move in moves if not isinstance(move, Buy)]
        return modest[0]

    def _cheapest(self, seen: View, moves: Sequence[Discard], rng: random.Random) -> Move:
        """Return the discard that leaves least; among equals the dearest card, then by lot."""
        left = least_penalties([without(seen.hand, [m.card]) for m in moves], seen.rules)
        points = seen.rules.meld.points
        best = min(zip(left, moves, strict=True), key=lambda p: (p[0], -points[p[1].card]))
        key = (best[0], points[best[1].card])
        ties = [m for n, m in zip(left, moves, strict=True) if (n, points[m.card]) == key]
        return ties[int(rng.random() * len(ties))]

    def _wants(self, seen: View) -> bool:
        pile = self._pile(seen)
        if not pile:
            return False
        hand = tuple(sorted((*seen.hand, pile[-1])))
        options = [without(hand, [card]) for card in dict.fromkeys(hand)]
        now, *after = least_penalties([seen.hand, *options], seen.rules)
        return min(after) < now

    def _pile(self, seen: View) -> tuple[int, ...]:
        if not seen.piles:
            return seen.discards
        return seen.piles[seen.players[seen.players.index(seen.seat) - 1]]


def _ends(move: Move) -> bool:
    return isinstance(move, Knock | Defend | GoOut) or (isinstance(move, Discard) and move.out)


def _lays(move: Move) -> bool:
    return isinstance(move, GoDown | LayOff)


def _other(moves: Sequence[Move], unwanted: Move) -> Move:
    return next((move for move in moves if move != unwanted), unwanted)


def play_game(
    rules: GameRules,
    players: Sequence[Player],
    seed: int | str,
    *,
    names: Sequence[str] = (),
    watch: Callable[[State, Move], None] | None = None,
) -> GameRecord:
    """Play a game to its end and return its record.

    Chance and the players' lots come from the seed alone, so equal arguments give equal games.

    Args:
        rules: rules of the game.
        players: one player a seat.
        seed: the seed; it is kept in the record, which leaves out the moves of chance.
        names: names by seat.
        watch: called with each state and the move made in it.
    """
    dealer = first_dealer(rules, len(players), seed)
    state = new_game(rules, len(players), first_dealer=dealer)
    lots = [random.Random(f"{seed}:player {seat}") for seat in range(len(players))]
    moves: list[Move] = []
    while not state.is_over:
        if state.actor == CHANCE:
            move = chance_move(state, seed)
        else:
            seat = state.actors()[0]
            choices = LegalMoves(state, seat)
            move = players[seat].choose(view(state, seat), choices, lots[seat])
        if watch is not None:
            watch(state, move)
        moves.append(move)
        state = apply(state, move)
    shown = names or [f"player {seat + 1}" for seat in range(len(players))]
    return make_record(rules, shown, moves, first_dealer=dealer, seed=seed)
