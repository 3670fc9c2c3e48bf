"""The registry: every row of the table of goals, with its corpus, lanes, rivals and bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from bench import batch_files, peers, processes, service_load, threads
from bench.adversarial import worst_hands_row
from bench.advice import GAMES_ADVISED, discard_rows, draw_rows, turn_rows
from bench.contest import Rival, contest, own_time
from bench.corpus import GAMES, STYLES, Corpus, make_corpus
from bench.lanes import (
    LaneFactory,
    arrow_lane,
    counts_lane,
    cpsat_lane,
    floor_lane,
    packed_lane,
    texts_lane,
)
from bench.liverpool import contract_rows
from bench.plan import Plan
from bench.rows import Goal, Row, format_value
from bench.rummikub import okey_rows, rack_rows, table_rows
from bench.table_play import godown_rows, joint_rows, layoff_rows, rearrange_rows

Measure: TypeAlias = Callable[[Plan], list[Row]]

US: Final = 1e3
GIN_HANDS: Final = (100_000, 5_000)
HANDS: Final = (10_000, 1_000)
OTHER_HANDS: Final = (4_000, 400)
STYLE_HANDS: Final = (500, 100)
OTHERS: Final = tuple(
    name for name in GAMES if name not in {"gin", "three-thirteen", "five-crowns"}
)


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that is measured.

    Attributes:
        name: id, for ``--only``.
        measure: verifies, warms, times; returns its rows.
        quick: whether ``--quick`` runs it too.
    """

    name: str
    measure: Measure
    quick: bool = True


def _corpus(game: str, style: str, sizes: tuple[int, int], plan: Plan) -> Corpus:
    return make_corpus(GAMES[game], style, plan.size(*sizes))


def _contest(
    name: str,
    workload: str,
    ours: LaneFactory,
    rivals: Sequence[Rival],
    corpus: Callable[[Plan], Corpus],
) -> Case:
    return Case(name, lambda plan: contest(Row(name, workload), corpus(plan), ours, rivals, plan))


def _gin(style: str, rivals: Sequence[Rival]) -> Case:
    return _contest(
        f"gin-{style}",
        f"gin 10 cards, {style}, packed",
        packed_lane,
        rivals,
        lambda plan: _corpus("gin", style, GIN_HANDS, plan),
    )


def _gin_input(kind: str, lane: LaneFactory, rival: Rival) -> Case:
    """Compare another form of input with the packed one: the goal binds the other form."""
    return _contest(
        f"gin-input-{kind.replace(' ', '-')}",
        f"gin 10 cards, random, {kind}",
        lane,
        [rival],
        lambda plan: _corpus("gin", "random", GIN_HANDS, plan),
    )


def _against_cpsat(game: str, style: str, bound: float) -> Case:
    return _contest(
        f"{game}-{style}",
        f"{game} 13 cards, {style}, packed",
        packed_lane,
        [Rival(cpsat_lane, Goal("faster", bound))],
        lambda plan: _corpus(game, style, HANDS, plan),
    )


def _other(game: str) -> Case:
    """Measure a preset without a rival: its mean against an absolute goal."""
    head = Row(f"mean-{game}", f"{game} {GAMES[game].n_cards} cards, random, packed")
    goal = Goal("below", 10 * US)
    return Case(
        head.case,
        lambda plan: [
            own_time(head, _corpus(game, "random", OTHER_HANDS, plan), packed_lane, plan, goal=goal)
        ],
    )


def _advice(ask: str, game: str, measure: Callable[[str, Plan], list[Row]]) -> Case:
    return Case(f"advice-{ask}-{game}", lambda plan: measure(game, plan))


def _rearrange(n_tiles: int) -> Case:
    return Case(f"table-rearrange-{n_tiles}", lambda plan: rearrange_rows(n_tiles, plan))


def _style(style: str) -> Case:
    """Measure hands of one style in every game; the row shows the slowest game."""

    def measure(plan: Plan) -> list[Row]:
        rows = []
        for game in GAMES.values():
            try:
                corpus = make_corpus(game, style, plan.size(*STYLE_HANDS))
            except ValueError:  # a deck without that many wilds
                continue
            head = Row(f"style-{style}", f"{corpus.cards.shape[1]} cards, {game.preset}")
            rows.append(own_time(head, corpus, packed_lane, plan))
        rows.sort(key=lambda row: row.ours or 0.0)
        slowest, middle = rows[-1], rows[len(rows) // 2]
        note = (
            f"slowest of {len(rows)} games; the median game: "
            f"{format_value(middle.ours, 'ns')} ({middle.workload})"
        )
        return [replace(slowest, workload=f"{style} hands, {slowest.workload}", note=note)]

    return Case(f"style-{style}", measure, quick=False)


CASES: Final = (
    _gin(
        "random",
        [
            Rival(floor_lane, Goal("slower", 6), slower=True),
            Rival(peers.openspiel_lane, Goal("faster", 120)),
            Rival(peers.rlcard_lane),
        ],
    ),
    _gin(
        "dense",
        [
            Rival(floor_lane, slower=True),
            Rival(peers.openspiel_lane, Goal("faster", 60)),
            Rival(peers.rlcard_lane),
        ],
    ),
    _gin_input("counts", counts_lane, Rival(packed_lane, Goal("slower", 4), slower=True)),
    _gin_input("Arrow text", arrow_lane, Rival(packed_lane, Goal("slower", 12), slower=True)),
    _gin_input("list of texts", texts_lane, Rival(packed_lane, slower=True)),
    _against_cpsat("three-thirteen", "random", 10_000),
    _against_cpsat("three-thirteen", "dense", 3_000),
    _against_cpsat("five-crowns", "random", 8_000),
    _against_cpsat("five-crowns", "dense", 2_000),
    *(_other(game) for game in OTHERS),
    Case("liverpool-contract", contract_rows),
    Case("worst-hand", worst_hands_row),
    Case("rummikub-rack", rack_rows),
    Case("rummikub-table-31", lambda plan: table_rows(31, plan)),
    Case("rummikub-table-61", lambda plan: table_rows(61, plan)),
    Case("rummikub-table-106", lambda plan: table_rows(106, plan)),
    Case("rummikub-okey", okey_rows),
    Case("table-layoff", layoff_rows),
    Case("table-godown", godown_rows),
    Case("table-joint", joint_rows),
    *(_rearrange(n_tiles) for n_tiles in (31, 61, 106)),
    *(_advice("draw", game, draw_rows) for game in GAMES_ADVISED),
    *(_advice("discard", game, discard_rows) for game in GAMES_ADVISED),
    Case("advice-liverpool", turn_rows),
    Case("threads", threads.two_threads),
    Case("start-up", processes.start_up),
    Case("http", service_load.http_rows),
    Case("batch", batch_files.batch_rows),
    *(_style(style) for style in STYLES),
)
