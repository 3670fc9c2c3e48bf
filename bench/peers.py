"""Other programs from PyPI (extra ``peers``) as lanes; each is left out, by name, when missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.corpus import Corpus
from bench.measure import Lane, Skip
from bench.optional import optional, version_of
from bench.tiles import TableStates
from solver.cards import JOKER, N_RANKS

PEERS: Final = {
    "OpenSpiel": "open_spiel",
    "RLCard": "rlcard",
    "rummikub-solver": "rummikub-solver",
    "okey-solver-py": "okey-solver-py",
}
"""Name in the table -> distribution."""
PEER_JOKER: Final = 53
_COLOURS: Final = ("BLACK", "BLUE", "YELLOW", "RED")


def peer_versions() -> dict[str, str | None]:
    """Return the version of each peer, None for one that is not installed."""
    return {name: version_of(distribution) for name, distribution in PEERS.items()}


def _missing(name: str) -> Skip:
    return Skip(name, f"{PEERS[name]} is not installed (extra 'peers')")


def _by_hand(name: str, hands: list[Any], answer: Callable[[Any], int], per_round: int) -> Lane:
    """Return a lane that calls a peer once a hand, its input prepared beforehand."""

    def run(lo: int, hi: int) -> NDArray[np.int32]:
        return np.fromiter((answer(hand) for hand in hands[lo:hi]), np.int32, hi - lo)

    return Lane(name, run, len(hands), per_round)


def openspiel_lane(corpus: Corpus) -> Lane | Skip:
    """Answer gin hands with OpenSpiel's Python binding."""
    pyspiel = optional("pyspiel")
    if pyspiel is None:
        return _missing("OpenSpiel")
    # Card ids agree up to the order of suits, which gin does not see.
    utils = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10)
    return _by_hand("OpenSpiel", corpus.cards.tolist(), utils.min_deadwood, 2_000)


def rlcard_lane(corpus: Corpus) -> Lane | Skip:
    """Answer 10-card gin hands with RLCard."""
    if optional("rlcard") is None:
        return _missing("RLCard")
    utils = optional("rlcard.games.gin_rummy.utils.utils")
    melding = optional("rlcard.games.gin_rummy.utils.melding")
    assert utils is not None
    assert melding is not None
    hands = [[utils.get_card(card) for card in hand] for hand in corpus.cards.tolist()]

    def answer(hand: list[Any]) -> int:
        best = melding.get_best_meld_clusters(hand)
        return int(utils.get_deadwood_count(hand, best[0] if best else []))

    return _by_hand("RLCard", hands, answer, 200)


def _peer_tile(card: int) -> int:
    return PEER_JOKER if card == JOKER else card + 1


def _rummikub_lane(
    racks: list[list[int]], tables: list[list[int]] | None, per_round: int
) -> Lane | Skip:
    solver = optional("rummikub_solver")
    if solver is None:
        return _missing("rummikub-solver")
    ruleset = solver.RuleSet()
    states = []
    for i, rack in enumerate(racks):
        state = ruleset.new_game()
        state.initial = False
        state.add_rack(*map(_peer_tile, rack))
        if tables is not None:
            state.add_table(*map(_peer_tile, tables[i]))
        states.append((state, len(rack)))

    def answer(question: tuple[Any, int]) -> int:
        """Return the tiles that stay on the rack."""
        state, n_tiles = question
        found = ruleset.solve(state, solver.SolverMode.TILE_COUNT)
        return n_tiles - (len(found.tiles) if found else 0)

    return _by_hand(f"rummikub-solver {ruleset.backend.value}", states, answer, per_round)


def rummikub_rack_lane(corpus: Corpus) -> Lane | Skip:
    """Answer racks without a table with rummikub-solver: tiles that stay on the rack."""
    return _rummikub_lane(corpus.cards.tolist(), None, 20)


def rummikub_table_lane(states: TableStates) -> Lane | Skip:
    """Answer racks beside a table with rummikub-solver: tiles that stay on the rack."""
    return _rummikub_lane(states.racks, states.tables, 4)


def okey_lane(corpus: Corpus) -> Lane | Skip:
    """Answer racks without jokers with okey-solver-py's exact strategy: points left over."""
    okey = optional("okey_solver")
    if okey is None:
        return _missing("okey-solver-py")
    engine = okey.create_standard_okey_solver("backtracking")
    racks = [
        [
            okey.Tile(
                id=str(i), color=okey.TileColor[_COLOURS[c // N_RANKS]], value=c % N_RANKS + 1
            )
            for i, c in enumerate(rack)
        ]
        for rack in corpus.cards.tolist()
    ]

    def answer(rack: list[Any]) -> int:
        return sum(tile.value for tile in engine.find_best_arrangement(rack).remainingTiles)

    return _by_hand("okey-solver-py", racks, answer, 100)
