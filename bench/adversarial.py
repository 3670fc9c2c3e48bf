"""Search for slow hands: hill climbing per preset, within a budget; the worst are kept as data.

``python -m bench.adversarial --budget 60`` searches every preset for a minute each and merges what
it finds into ``bench/data/adversarial.jsonl``: a hand is kept when it is slower than the kept ones,
all timed anew in the same run. The time of a hand is the least of several runs, since everything
else a machine does only adds to it.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.corpus import GAMES, STYLES, Corpus, Game, deck_of, free_left, make_corpus
from bench.plan import Plan
from bench.rows import Goal, Row
from bench.truth import agree, compare_engines
from solver.cards import JOKER, N_CARDS, N_RANKS, counts_of, format_hand, parse_cards
from solver.rules.model import GameRules
from solver.solve import warm_up

DATA: Final = Path(__file__).with_name("data") / "adversarial.jsonl"
MAX_HAND: Final = 14
KEPT: Final = 4
POOL: Final = 12
SEED: Final = 313
FIRST_SHARE: Final = 0.25
"""Part of the budget spent on hands of the corpora, from which the climb starts."""
GOAL: Final = Goal("below", 1e6)


@dataclass(frozen=True, slots=True)
class SlowHand:
    """A hand of the data file.

    Attributes:
        game: preset, a key of GAMES.
        hand: canonical text, ascending.
        penalty: its optimum, agreed on by two engines.
        fingerprint: of the rules it was found under.
        us: microseconds it took when it was found, on whatever machine that was.
    """

    game: str
    hand: str
    penalty: int
    fingerprint: str
    us: float

    def to_json(self) -> dict[str, Any]:
        """Return the hand as plain JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def read_slow_hands(path: Path = DATA) -> list[SlowHand]:
    """Return the hands of the data file, [] without one."""
    if not path.is_file():
        return []
    return [SlowHand(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def write_slow_hands(hands: Sequence[SlowHand], path: Path = DATA) -> None:
    """Write the data file, one hand a line, by game and slowest first."""
    ordered = sorted(hands, key=lambda hand: (hand.game, -hand.us))
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(h.to_json()) + "\n" for h in ordered), encoding="utf-8")


def time_hand(hand: NDArray[np.uint8], rules: GameRules, n_runs: int) -> float:
    """Return the least microseconds of several runs of one hand, uint8[1, 66]."""
    best = float("inf")
    for _ in range(n_runs):
        started = time.perf_counter_ns()
        free_left(hand, rules)
        best = min(best, (time.perf_counter_ns() - started) / 1e3)
    return best


class Climb:
    """The search in one game: a pool of slow hands, and changes to them that make them slower."""

    def __init__(self, game: Game, rng: random.Random) -> None:
        self.game = game
        self.rules = game.rules()
        self.rng = rng
        self.deck = deck_of(self.rules)
        self.pool: dict[tuple[int, ...], float] = {}
        self.n_tried = 0

    def run(self, budget_s: float, seeds: Sequence[Sequence[int]] = ()) -> list[tuple[int, ...]]:
        """Search for so many seconds; return the slowest hands, slowest first."""
        start = time.monotonic()
        for hand in seeds:
            self._try(tuple(sorted(hand)))
        styles = [self._style(style) for style in STYLES]
        while not self.pool or time.monotonic() < start + FIRST_SHARE * budget_s:
            for corpus in styles:
                if corpus is not None:
                    self._try(tuple(sorted(self.rng.choice(corpus).tolist())))
        while time.monotonic() < start + budget_s:
            ranked = sorted(self.pool, key=lambda hand: -self.pool[hand])
            self._try(self._change(ranked[min(int(self.rng.expovariate(0.5)), len(ranked) - 1)]))
        timed = {h: time_hand(_row_of(h), self.rules, 15) for h in self.pool}
        return sorted(timed, key=lambda hand: -timed[hand])[:KEPT]

    def _style(self, style: str) -> NDArray[np.uint8] | None:
        try:
            return make_corpus(self.game, style, 400, n_cards=MAX_HAND).cards
        except ValueError:  # a deck without that many wilds
            return None

    def _try(self, hand: tuple[int, ...]) -> None:
        """Time a hand; a slow one takes the place of the fastest of the pool."""
        if hand in self.pool:
            return
        self.n_tried += 1
        row = _row_of(hand)
        least = min(self.pool.values(), default=0.0) if len(self.pool) >= POOL else 0.0
        if time_hand(row, self.rules, 2) <= least:
            return
        took = time_hand(row, self.rules, 5)
        if took <= least:
            return
        self.pool[hand] = took
        if len(self.pool) > POOL:
            del self.pool[min(self.pool, key=lambda kept: self.pool[kept])]

    def _change(self, hand: tuple[int, ...]) -> tuple[int, ...]:
        """Exchange one to three cards, for neighbours of what is held rather than for any."""
        cards = list(hand)
        for _ in range(self.rng.randint(1, 3)):
            cards.pop(self.rng.randrange(len(cards)))
        left = list(self.deck)
        for card in cards:
            left.remove(card)
        while len(cards) < MAX_HAND:
            near = self.rng.choice(cards)
            close = [c for c in left if _is_near(c, near)]
            pick = self.rng.choice(close if close and self.rng.random() < 0.6 else left)  # noqa: PLR2004
            left.remove(pick)
            cards.append(pick)
        return tuple(sorted(cards))


def _is_near(card: int, other: int) -> bool:
    if JOKER in (card, other):
        return card == other
    same_suit = card // N_RANKS == other // N_RANKS
    return card % N_RANKS == other % N_RANKS or (same_suit and abs(card - other) <= 2)  # noqa: PLR2004


def _row_of(hand: Sequence[int]) -> NDArray[np.uint8]:
    return counts_of(hand).reshape(1, N_CARDS)


def search(game: Game, budget_s: float, known: Sequence[SlowHand]) -> tuple[list[SlowHand], int]:
    """Return the slowest hands of a game, proved, and how many hands were tried.

    Args:
        game: where to search.
        budget_s: seconds.
        known: hands found earlier; they start the climb and may be displaced.
    """
    climb = Climb(game, random.Random(f"{game.preset}/{SEED}/{len(known)}"))
    free_left(_row_of(climb.deck[:MAX_HAND]), climb.rules)  # compiles and builds tables
    tiles = climb.rules.deck.tiles
    seeds = [parse_cards(hand.hand, tiles=tiles) for hand in known if hand.game == game.preset]
    found = climb.run(budget_s, seeds)
    cards = np.array(found, np.uint8)
    corpus = Corpus(f"{game.preset}/adversarial", climb.rules, cards)
    answers = free_left(corpus.counts, climb.rules)
    compare_engines(corpus, answers, budget_s=float("inf"), engine="cpsat")
    hands = [
        SlowHand(
            game.preset,
            format_hand(hand),
            int(answer),
            climb.rules.fingerprint,
            round(time_hand(_row_of(hand), climb.rules, 15), 1),
        )
        for hand, answer in zip(found, answers, strict=True)
    ]
    return hands, climb.n_tried


def worst_hands_row(plan: Plan) -> list[Row]:
    """Return the slowest known hand over all presets, and that of each preset."""
    rows = []
    for preset, game in GAMES.items():
        known = [hand for hand in read_slow_hands() if hand.game == preset]
        if known:
            rows.append(_worst_of(game, known, plan))
    if not rows:
        note = "skipped: bench/data/adversarial.jsonl has no hands"
        return [Row("worst-hand", "worst hand found by search", note=note)]
    slowest = max(rows, key=lambda row: row.ours or 0.0)
    total = replace(
        slowest,
        workload="worst hand found by search, all presets",
        note=f"{slowest.workload.rpartition(' ')[2]}: {slowest.note}",
        hands=sum(row.hands or 0 for row in rows),
    )
    return [total.judged(GOAL), *rows]


def _worst_of(game: Game, known: list[SlowHand], plan: Plan) -> Row:
    """Verify the known hands of a game against their optima, then time each alone."""
    rules = game.rules()
    cards = [parse_cards(hand.hand, tiles=rules.deck.tiles) for hand in known]
    counts = np.array([counts_of(hand) for hand in cards])
    head = f"adversarial hand, {game.preset}"
    truth = np.array([hand.penalty for hand in known], np.int32)
    agree(free_left(counts, rules), truth, head)
    times = [
        [time_hand(row.reshape(1, N_CARDS), rules, 1) * 1e3 for _ in range(plan.n_rounds)]
        for row in counts
    ]
    i = max(range(len(times)), key=lambda k: median(times[k]))
    return Row(
        "worst-hand",
        head,
        ours=median(times[i]),
        ours_worst=max(times[i]),
        hands=len(known),
        proof="optima of the data file",
        note=known[i].hand,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Search, and merge what is found into the data file."""
    parser = argparse.ArgumentParser(prog="bench.adversarial", description=__doc__)
    parser.add_argument("--budget", type=float, default=20.0, help="seconds a preset")
    parser.add_argument("--only", action="append", choices=sorted(GAMES), help="this preset")
    parser.add_argument("--data", type=Path, default=DATA, help="file to read and write")
    args = parser.parse_args(argv)
    known = read_slow_hands(args.data)
    warm_up()
    for preset in args.only or GAMES:
        hands, n_tried = search(GAMES[preset], args.budget, known)
        known = [hand for hand in known if hand.game != preset] + hands
        write_slow_hands(known, args.data)
        worst = hands[0]
        print(f"{preset}: {worst.us:,.0f} us of {n_tried:,} hands: {worst.hand}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
