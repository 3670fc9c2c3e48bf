"""Table play rows: lay-offs, going down, Gin's defence, rearranging; every plan judged again."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.contest import timed_alone
from bench.corpus import GAMES, deck_of, free_left
from bench.explore import reachable, ways_to_add
from bench.measure import Lane
from bench.plan import Plan
from bench.rows import Goal, Row
from bench.rummikub import left_on_racks, states_of, table_melds
from bench.tiles import TableStates
from bench.truth import NOT_MET, WrongAnswerError
from solver.cards import N_RANKS, Card, counts_of
from solver.errors import MeldSolverError
from solver.melds import Meld, check_contract, is_meld, meld_readings
from solver.rules.loader import load_rules
from solver.rules.model import GameRules
from solver.solve import contract_left
from solver.table import (
    Lying,
    Rearrangement,
    best_godown,
    best_layoff,
    joint_layoff,
    rearrange,
    replay,
)
from solver.table import Plan as TurnPlan
from solver.table.lying import shape_rules

Run = Callable[[int, int], NDArray[np.int32]]

POSITIONS: Final = (60, 10)
TABLES: Final = (12, 3)
SEARCHED: Final = (20, 6)
"""Positions of Liverpool whose every order of play is tried before the clock."""
N_DEALS: Final = 6
"""Deals with lay-offs: in the seventh all cards go down at once."""
SEATS: Final = 4
HAND_SIZES: Final = (11, 12, 13, 14)
FAST_LOOKS: Final = 3
"""Runs of each position, of which the fastest tells which one is slowest."""


@dataclass(frozen=True, slots=True)
class Position:
    """A hand before a table.

    Attributes:
        rules: the game.
        hand: card ids, ascending.
        table: the melds, every wild on its place.
        owners: seat of each meld; the hand's own seat is 0.
    """

    rules: GameRules
    hand: tuple[Card, ...]
    table: tuple[Lying, ...]
    owners: tuple[int, ...]


# --- positions ----------------------------------------------------------------------------------


def make_liverpool(n: int, sizes: Sequence[int] = HAND_SIZES) -> list[Position]:
    """Return positions of the first six deals: two or three others have laid their contract.

    Some of their melds have grown since, wilds lie among them, and half of the hands hold the
    contract themselves. A smaller n is a prefix of a larger one.
    """
    return [_liverpool(i, sizes[i % len(sizes)]) for i in range(n)]


def _liverpool(i: int, size: int) -> Position:
    rules = load_rules("liverpool", deal=1 + i % N_DEALS, players=SEATS)
    rng = random.Random(f"liverpool/table/{size}/{i}")
    left = deck_of(rules)
    owners: list[int] = []
    table: list[Lying] = []
    for seat in sorted(rng.sample(range(1, SEATS), rng.randint(2, SEATS - 1))):
        for kind, length in rules.meld.contract or ():
            table.append(Lying(_lay(kind, length + rng.randint(0, 1), left, rules, rng)))
            owners.append(seat)
    for k, lying in enumerate(table):
        for _ in range(rng.choice((0, 0, 1, 2))):
            table[k] = _grow(table[k], left, rules, rng)
        assert len(table[k].meld.cards) >= len(lying.meld.cards)
    hand: list[Card] = []
    if rng.random() < 0.5:  # noqa: PLR2004 - half of the hands can go down
        for kind, length in rules.meld.contract or ():
            hand += _lay(kind, length, left, rules, rng).cards
    hand += rng.sample(left, size - len(hand))
    return Position(rules, tuple(sorted(hand)), tuple(table), tuple(owners))


def _lay(kind: str, length: int, left: list[Card], rules: GameRules, rng: random.Random) -> Meld:
    """Take a random legal meld out of what is left of the deck; one in four has a wild."""
    is_wild = rules.meld.is_wild
    while True:
        suits, ranks = range(rules.deck.suits), range(N_RANKS)
        if kind == "run":
            suit, first = rng.choice(suits), rng.randrange(N_RANKS + 2 - length)
            cards = [suit * N_RANKS + (first + k) % N_RANKS for k in range(length)]
        else:
            rank = rng.choice(ranks)
            copies = [s * N_RANKS + rank for s in suits] * (rules.deck.packs or 1)
            cards = rng.sample(copies, min(length, len(copies)))
        wilds = [c for c in left if is_wild(c)]
        if wilds and rng.random() < 0.25:  # noqa: PLR2004
            cards[rng.randrange(len(cards))] = rng.choice(wilds)
        held = Counter(left)
        if any(held[c] < n for c, n in Counter(cards).items()):
            continue
        readings = [m for m in meld_readings(cards, rules) if m.kind == kind]
        if readings:
            for card in cards:
                left.remove(card)
            return rng.choice(readings)


def _grow(lying: Lying, left: list[Card], rules: GameRules, rng: random.Random) -> Lying:
    """Add a card that fits, if one is drawn soon, to a meld."""
    for card in rng.sample(left, 30):
        ways = ways_to_add(lying, card, rules)
        if ways:
            left.remove(card)
            return rng.choice(ways)
    return lying


def make_knocks(n: int) -> list[Position]:
    """Return a Gin defender's ten cards against two or three melds of the knocker.

    Every second hand is dealt of cards close to these melds.
    """
    rules = GAMES["gin"].rules()
    found: list[Position] = []
    for i in range(n):
        rng = random.Random(f"gin/knock/{i}")
        left = deck_of(rules)
        kinds = [rng.choice(("set", "run")) for _ in range(rng.randint(2, 3))]
        table = [Lying(_lay(kind, rng.choice((3, 3, 4)), left, rules, rng)) for kind in kinds]
        near: list[Card] = []
        if i % 2:
            near = [c for c in left if any(ways_to_add(m, c, rules) for m in table)]
        rest = [c for c in left if c not in near]
        hand = near + rng.sample(rest, 10 - len(near))
        found.append(Position(rules, tuple(sorted(hand)), tuple(table), (1,) * len(table)))
    return found


# --- judging again ------------------------------------------------------------------------------


def rejudge(plan: TurnPlan, position: Position) -> None:
    """Play a plan once more and weigh what it leaves.

    Raises:
        WrongAnswerError: a step is not legal, a card is lost, the contract is not met, or the
            penalty is not that of the cards left.
    """
    rules, points = position.rules, position.rules.meld.points
    try:
        left, table = replay(counts_of(position.hand), plan.before, plan.actions, rules)
        if rules.meld.contract is not None and plan.melds:
            check_contract([c for m in plan.melds for c in m.cards], plan.melds, rules)
    except MeldSolverError as error:
        raise WrongAnswerError(f"a step of a plan is not legal: {error}") from error
    held = Counter(position.hand) + cards_on(position.table)
    shape = shape_rules(rules)
    checks = {
        "the table was read as another": plan.before == position.table,
        "cards are lost": held == Counter(left) + cards_on(table),
        "other cards are left": left == plan.left and table == plan.table,
        "the penalty is another": sum(points[c] for c in left) == plan.penalty,
        "a meld is not legal": all(is_meld(lying.meld, shape) for lying in table),
        "a meld could not be laid": all(is_meld(meld, rules) for meld in plan.melds),
    }
    for fault, is_right in checks.items():
        if not is_right:
            raise WrongAnswerError(f"{rules.name}, hand {position.hand}: {fault}")


def cards_on(table: Sequence[Lying]) -> Counter[Card]:
    """Return how many of each card lie on a table."""
    return Counter(c for lying in table for c in lying.meld.cards)


def layoff_by_search(position: Position) -> int | None:
    """Return the least points after lay-offs in any order, None when there are too many."""
    hands = reachable(position.hand, position.table, position.rules)
    points = position.rules.meld.points
    return None if hands is None else min(sum(points[c] for c in hand) for hand in hands)


def godown_by_search(position: Position) -> int | None:
    """Return the least points after going down with every order of swaps and lay-offs.

    The contract is laid from what is left by the compiled engine; ``NOT_MET`` where it never can
    be, None when there are too many orders.
    """
    hands = reachable(position.hand, position.table, position.rules, swaps=True)
    if hands is None:
        return None
    left = contract_left(_rows(hands), position.rules)
    return int(left[left >= 0].min(initial=np.iinfo(np.int32).max)) if (left >= 0).any() else -1


def joint_by_search(position: Position) -> int | None:
    """Return the least deadwood of a defender over everything that can be laid off."""
    hands = reachable(position.hand, position.table, position.rules)
    return None if hands is None else int(free_left(_rows(hands), position.rules).min())


def _rows(hands: Sequence[tuple[Card, ...]]) -> NDArray[np.uint8]:
    return np.stack([counts_of(hand) for hand in hands])


# --- rows ---------------------------------------------------------------------------------------


def mean_and_slowest(
    head: Row, run: Run, truth: NDArray[np.int32], plan: Plan, goal: Goal | None = None
) -> list[Row]:
    """Return the mean over all positions, against a goal if there is one, and the slowest one."""
    n = len(truth)
    head = replace(head, hands=n)
    rows = [timed_alone(head, Lane("ours", run, n, n), truth, plan, goal=goal)]
    run(0, n)
    times = [min(_elapsed(run, i) for _ in range(FAST_LOOKS)) for i in range(n)]
    slowest = int(np.argmax(times))
    lane = Lane("ours", lambda lo, hi: run(slowest + lo, slowest + hi), 1, 1)
    head = replace(head, workload=f"{head.workload}, slowest of {n}", hands=1)
    return [*rows, timed_alone(head, lane, truth[slowest : slowest + 1], plan)]


def _elapsed(run: Run, i: int) -> int:
    started = time.perf_counter_ns()
    run(i, i + 1)
    return time.perf_counter_ns() - started


def _plan_rows(  # noqa: PLR0913, PLR0917 - a row in its parts
    head: Row,
    positions: list[Position],
    ask: Callable[[Position], TurnPlan | None],
    search: Callable[[Position], int | None],
    n_searched: int,
    plan: Plan,
) -> list[Row]:
    """Judge every plan again, search the first positions by other means, then time."""

    def run(lo: int, hi: int) -> NDArray[np.int32]:
        return np.array([_penalty(ask(position)) for position in positions[lo:hi]], np.int32)

    truth = np.empty(len(positions), np.int32)
    n_same = 0
    for i, position in enumerate(positions):
        best = ask(position)
        if best is not None:
            rejudge(best, position)
        truth[i] = _penalty(best)
        told = search(position) if i < n_searched else None
        n_same += told is not None
        if told is not None and told != truth[i]:
            raise WrongAnswerError(
                f"{head.case} position {i}: expected {told} as play in any order says, "
                f"got {truth[i]}"
            )
    n_laid = int((truth != NOT_MET).sum())
    proof = f"every plan played again; play in any order on {n_same} of {len(positions)}"
    note = "" if n_laid == len(positions) else f"{n_laid} of {len(positions)} can go down"
    return mean_and_slowest(replace(head, proof=proof, note=note), run, truth, plan)


def _penalty(plan: TurnPlan | None) -> int:
    return NOT_MET if plan is None else plan.penalty


def layoff_rows(plan: Plan) -> list[Row]:
    """Return the time of the best lay-offs of 11 to 14 cards of Liverpool."""
    head = Row("table-layoff", "liverpool best_layoff, 11-14 cards")
    return _plan_rows(
        head,
        make_liverpool(plan.size(*POSITIONS)),
        lambda p: best_layoff(p.hand, p.table, p.rules),
        layoff_by_search,
        plan.size(*SEARCHED),
        plan,
    )


def godown_rows(plan: Plan) -> list[Row]:
    """Return the time of going down with 11 to 14 cards of Liverpool, swaps and lay-offs too."""
    head = Row("table-godown", "liverpool best_godown, 11-14 cards")
    return _plan_rows(
        head,
        make_liverpool(plan.size(*POSITIONS)),
        lambda p: best_godown(p.hand, p.table, p.rules),
        godown_by_search,
        plan.size(*SEARCHED),
        plan,
    )


def joint_rows(plan: Plan) -> list[Row]:
    """Return the time of a Gin defender's melds and lay-offs together."""
    positions = make_knocks(plan.size(*POSITIONS))
    head = Row("table-joint", "gin joint_layoff, 10 cards")
    return _plan_rows(
        head,
        positions,
        lambda p: joint_layoff(p.hand, p.table, p.rules),
        joint_by_search,
        len(positions),
        plan,
    )


def rearrange_rows(n_tiles: int, plan: Plan) -> list[Row]:
    """Return the time of ``rearrange`` with its second aims, as a player calls it.

    The value alone is timed by the rows ``rummikub-table-*``.

    Args:
        n_tiles: tiles on the table; 106: all tiles, 90 of them on the table.
        plan: how much to do.
    """
    states = states_of(n_tiles, plan.size(*TABLES))
    tables = table_melds(states)

    def run(lo: int, hi: int) -> NDArray[np.int32]:
        found = [_rearranged(states, tables, i) for i in range(lo, hi)]
        return np.array([len(best.left) for best in found], np.int32)

    for i in range(len(states)):
        rejudge_table(_rearranged(states, tables, i), tables[i], states.racks[i])
    truth = left_on_racks(states, "cpsat")
    n = len(states)
    rack, table = len(states.racks[0]), len(states.tables[0])
    head = Row(
        f"table-rearrange-{n_tiles}",
        f"rummikub rearrange, fewest changes, rack of {rack}, table of {table}",
        proof=f"every table judged again; cpsat on {n} of {n}",
    )
    return mean_and_slowest(head, run, truth, plan)


def _rearranged(states: TableStates, tables: list[tuple[Meld, ...]], i: int) -> Rearrangement:
    return rearrange(tables[i], states.racks[i], states.rules)


def rejudge_table(best: Rearrangement, table: Sequence[Meld], rack: Sequence[Card]) -> None:
    """Judge the melds of a rearrangement again and count its tiles.

    Raises:
        WrongAnswerError: a meld is not legal, a tile is lost or leaves the table, or a meld told
            to stay does not lie there.
    """
    lying = Counter(c for meld in table for c in meld.cards)
    after = Counter(c for new in best.melds for c in new.meld.cards)
    checks = {
        "a meld is not legal": all(is_meld(new.meld, best.rules) for new in best.melds),
        "tiles are lost": lying + Counter(rack) == after + Counter(best.left),
        "tiles left the table": lying <= after,
        "a meld does not stay": all(
            sorted(new.meld.cards) == sorted(table[new.kept].cards)
            for new in best.melds
            if new.kept is not None
        ),
    }
    for fault, is_right in checks.items():
        if not is_right:
            raise WrongAnswerError(f"rearranging beside rack {tuple(rack)}: {fault}")
