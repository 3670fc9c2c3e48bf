"""The player that follows the advice."""

from __future__ import annotations

import random
from collections.abc import Sequence

from solver.engine.moves import Draw, Move, Pass, Take
from solver.engine.state import Phase
from solver.engine.view import View
from solver.players.advice import advise
from solver.players.desk import allowed
from solver.players.plain import with_plain_moves


class ExpectationPolicy:
    """Makes the move of least expected points, one turn ahead: that of ``advise``."""

    @with_plain_moves
    def choose(self, seen: View, moves: Sequence[Move], rng: random.Random) -> Move:
        """Return the move advised; a lone choice is not weighed."""
        del moves, rng
        if seen.phase in (Phase.DRAW, Phase.OFFER):
            choices = allowed(seen, (Take(seen.seat), Draw(seen.seat), Pass(seen.seat)))
            if len(choices) == 1:
                return choices[0]
        return advise(seen).move
