"""What a player is to the referee's loop, and the player that moves by lot."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol

from solver.engine.moves import Move
from solver.engine.view import View


class Policy(Protocol):
    """Who chooses a move from what one seat sees.

    The same protocol as the players of ``solver.engine.selfplay``, so that any of them plays in
    either loop. A policy may make a move outside the family given where the referee allows it,
    such as going down with lay-offs.
    """

    def choose(self, seen: View, moves: Sequence[Move], rng: random.Random) -> Move:
        """Return a legal move.

        Args:
            seen: what the seat sees.
            moves: the moves of ``legal_moves``, made when they are first asked for.
            rng: the player's own lots; nothing else may be random.
        """


class RandomPolicy:
    """Chooses evenly among the moves."""

    def choose(self, seen: View, moves: Sequence[Move], rng: random.Random) -> Move:
        """Return any of the moves."""
        del seen
        return moves[int(rng.random() * len(moves))]
