"""Seeded matches between two policies: mirrored deals, results with confidence intervals."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev
from typing import Any, Final

from solver.engine.dealing import chance_move, first_dealer
from solver.engine.legal import LegalMoves
from solver.engine.moves import CHANCE
from solver.engine.referee import apply
from solver.engine.state import State, new_game
from solver.engine.view import view
from solver.errors import LimitError, quoted
from solver.players.expectation import ExpectationPolicy
from solver.players.greedy import GreedyPolicy
from solver.players.policy import Policy, RandomPolicy
from solver.rules.model import GameRules

POLICIES: Final[dict[str, Callable[[], Policy]]] = {
    "expectation": ExpectationPolicy,
    "greedy": GreedyPolicy,
    "random": RandomPolicy,
}
"""Name -> a policy; what ``--match`` knows."""


def play_out(
    rules: GameRules, policies: Sequence[Policy], seed: int | str, *, lots: str = ""
) -> tuple[State, int]:
    """Play a game to its end.

    Args:
        rules: rules of the game.
        policies: one a seat.
        seed: decides the dealer and everything dealt and shuffled.
        lots: with the seed decides the lots of the policies.

    Returns:
        The last state, and the number of moves that players made.

    Raises:
        IllegalMoveError: a policy made a move that the referee refuses.
    """
    n_seats = len(policies)
    state = new_game(rules, n_seats, first_dealer=first_dealer(rules, n_seats, seed))
    rngs = [random.Random(f"{seed}:{lots}:player {seat}") for seat in range(n_seats)]
    n_moves = 0
    while not state.is_over:
        if state.actor == CHANCE:
            state = apply(state, chance_move(state, seed))
            continue
        seat = state.actors()[0]
        moves = LegalMoves(state, seat)
        state = apply(state, policies[seat].choose(view(state, seat), moves, rngs[seat]))
        n_moves += 1
    return state, n_moves


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the half width of its 95 % confidence interval.

    The half width is None where the values do not differ: they tell nothing of their spread.
    """

    mean: float
    half_width: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Interval:
        """Return the interval of the mean of independent values, by Student's distribution."""
        if len(set(values)) == 1:
            return cls(mean(values), None)
        width = _student(len(values) - 1) * stdev(values) / sqrt(len(values))
        return cls(mean(values), width)

    def to_json(self) -> dict[str, float | None]:
        """Return mean, low and high; null where the values do not differ."""
        if self.half_width is None:
            return {"mean": self.mean, "low": None, "high": None}
        low, high = self.mean - self.half_width, self.mean + self.half_width
        return {"mean": self.mean, "low": low, "high": high}


def _student(freedom: int) -> float:
    """Return the 97.5 % point of Student's distribution, by its expansion about the normal one.

    Within 1 % from 3 degrees of freedom on; for 1 and 2 the exact points are given.
    """
    exact = {1: 12.706, 2: 4.303}
    z = 1.959964
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return exact.get(freedom, z + first / freedom + second / freedom**2 + third / freedom**3)


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What a match came to.

    Attributes:
        names: the two policies.
        rules: rules of the game.
        n_seats: seats a game.
        seed: seed of the match.
        n_games: games played.
        n_blocks: blocks of games on the same deals; blocks are independent.
        points: mean points a game and seat of each policy.
        advantage: points by which the first policy did better a game and seat.
        win_share: share of the games that the first policy won; a tie is shared.
        fair_share: the share it would win if both were equally strong.
        n_moves: moves made by players.
    """

    names: tuple[str, str]
    rules: GameRules
    n_seats: int
    seed: int
    n_games: int
    n_blocks: int
    points: tuple[float, float]
    advantage: Interval
    win_share: Interval
    fair_share: float
    n_moves: int

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain JSON."""
        return {
            "match": list(self.names),
            "rules": {"name": self.rules.name, "fingerprint": self.rules.fingerprint},
            "players": self.n_seats,
            "seed": self.seed,
            "games": self.n_games,
            "blocks": self.n_blocks,
            "points": dict(zip(("first", "second"), self.points, strict=True)),
            "advantage": self.advantage.to_json(),
            "win_share": self.win_share.to_json(),
            "fair_share": self.fair_share,
            "moves": self.n_moves,
        }


def seatings(n_seats: int) -> list[tuple[int, ...]]:
    """Return who sits where (0 the first policy, 1 the second) in the games of a block.

    With two seats the policies change places. With more, each policy sits alone once in every
    seat against the other in all the others, so that both get every seat equally often.
    """
    if n_seats == 2:  # noqa: PLR2004 - the two seatings of two
        return [(0, 1), (1, 0)]
    return [
        tuple(alone if seat == at else 1 - alone for seat in range(n_seats))
        for alone in (0, 1)
        for at in range(n_seats)
    ]


@dataclass(frozen=True, slots=True)
class _Game:
    """Points a seat of each policy, and the share of the win of the first."""

    points: tuple[float, float]
    won: float
    n_moves: int


def play_match(  # noqa: PLR0913 - what a match is made of
    first: str,
    second: str,
    rules: GameRules,
    *,
    n_games: int,
    seed: int,
    n_seats: int = 2,
    watch: Callable[[int, int], None] | None = None,
) -> MatchResult:
    """Play a match of mirrored games; equal arguments give an equal result.

    The games of a block share every deal and the dealer; only the seats differ.

    Args:
        first: name of a policy, see ``POLICIES``.
        second: name of the other; may be the same.
        rules: rules of the game.
        n_games: games to play, rounded up to whole blocks (see ``seatings``).
        seed: seed of the match.
        n_seats: seats of a game, 2 or more.
        watch: called after each game with the games played and the games to play.

    Raises:
        LimitError: ``match.player`` for an unknown name, ``match.games`` below 1,
            ``match.players`` below 2. RulesError: as ``new_game``.
    """
    for name in (first, second):
        if name not in POLICIES:
            raise LimitError(
                f"expected a player of {', '.join(POLICIES)}, got {quoted(name)}",
                code="match.player",
            )
    if n_games < 1:
        raise LimitError(f"expected at least 1 game, got {n_games}", code="match.games")
    if n_seats < 2:  # noqa: PLR2004 - a match has two sides
        raise LimitError(f"expected at least 2 players, got {n_seats}", code="match.players")
    size = len(seatings(n_seats))
    n_blocks = -(-n_games // size)
    blocks: list[list[_Game]] = []
    for b in range(n_blocks):
        games: list[_Game] = []
        for game in _block((first, second), rules, n_seats, f"{seed}:{b}"):
            games.append(game)
            if watch is not None:
                watch(b * size + len(games), n_blocks * size)
        blocks.append(games)
    return _result((first, second), rules, n_seats, seed, blocks)


def _block(names: tuple[str, str], rules: GameRules, n_seats: int, seed: str) -> Iterator[_Game]:
    for k, seating in enumerate(seatings(n_seats)):
        policies = [POLICIES[names[who]]() for who in seating]
        state, n_moves = play_out(rules, policies, seed, lots=str(k))
        totals: tuple[list[int], list[int]] = ([], [])
        for who, total in zip(seating, state.totals, strict=True):
            totals[who].append(total)
        winners = state.winners or ()
        won = sum(seating[seat] == 0 for seat in winners) / len(winners)
        yield _Game((mean(totals[0]), mean(totals[1])), won, n_moves)


def _result(
    names: tuple[str, str],
    rules: GameRules,
    n_seats: int,
    seed: int,
    blocks: Sequence[Sequence[_Game]],
) -> MatchResult:
    games = [game for block in blocks for game in block]
    sign = 1 if rules.flow.scoring == "penalty" else -1
    return MatchResult(
        names=names,
        rules=rules,
        n_seats=n_seats,
        seed=seed,
        n_games=len(games),
        n_blocks=len(blocks),
        points=(mean(g.points[0] for g in games), mean(g.points[1] for g in games)),
        advantage=Interval.of(
            [mean(sign * (g.points[1] - g.points[0]) for g in block) for block in blocks]
        ),
        win_share=Interval.of([mean(g.won for g in block) for block in blocks]),
        fair_share=sum(seating.count(0) for seating in seatings(n_seats))
        / (n_seats * len(seatings(n_seats))),
        n_moves=sum(g.n_moves for g in games),
    )
