"""Rearranging the table: every card on it stays in a meld, the rack adds what it can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np

from solver.arguments import TRUTH, checked, one_of
from solver.cards import JOKER, N_RANKS, Card, Counts, HandLike, read_hand
from solver.compile.decode import decode
from solver.deadline import Deadline, TimeLimit
from solver.errors import Fault, HandError, LimitError, RulesError
from solver.melds import Meld, check_arrangement, is_meld
from solver.rules.argument import RULES
from solver.rules.deck import check_deck, with_largest_deck
from solver.rules.model import GameRules
from solver.solve.choose import USED_UP, find_among
from solver.table.bound import Bound, Exchange
from solver.table.disturb import Only, counts_list, is_only, keep_most
from solver.table.exchanging import TABLE_ENGINES, Laid, find_bound, laid_cards
from solver.table.hand import Asked
from solver.table.lying import Lying, Table, check_copies, read_table
from solver.table.packing import Work
from solver.table.rearrangement import OBJECTIVES, NewMeld, Objective, Rearrangement
from solver.table.search import search
from solver.table.steps import StepWriter

T = TypeVar("T")
OPENING_STEPS: Final = 500_000
"""Steps of the search of the table for first melds, a quarter of a second: racks in play need a
tenth of them, and what needs more CP-SAT finds sooner."""
_OBJECTIVE: Final = one_of(OBJECTIVES, "an objective", error=HandError, code="table.objective")


@checked(rules=RULES, opening=TRUTH, second_aims=TRUTH, objective=_OBJECTIVE)
def rearrange(  # noqa: PLR0913 - options of one question, by name
    table: Table,
    rack: HandLike,
    rules: GameRules,
    *,
    objective: Objective = "tiles",
    opening: bool = False,
    second_aims: bool = True,
    time_limit_s: TimeLimit = None,
) -> Rearrangement:
    """Return the best way to lay rack cards by rearranging the table.

    Every card on the table stays in some meld, wilds too: one that is freed is played again and
    never goes to the rack. With ``table_wilds="exchanged"`` (Rummikub) a wild of the table counts
    as the card it stands for until such a card, from the rack or another meld, takes its place;
    where its place is not declared the reading best for the player is taken. With ``"free"`` it
    moves like any card.

    Args:
        table: the melds on the table, see ``read_table``.
        rack: the player's cards.
        rules: the game.
        objective: ``tiles``: most rack cards laid; ``value``: most value of these, by
            ``meld_values``, wilds nothing; ``penalty``: least points left on the rack.
        opening: the first melds of a player: from the rack alone and worth
            ``initial_meld_min`` together (a wild as what it stands for, or nothing with
            ``wild_value_zero``), the table untouched.
        second_aims: also keep as many table melds as can be, and tell whether the answer is the
            only one; both by CP-SAT, some tens of milliseconds.
        time_limit_s: seconds for all of it, second aims included; None: the work is bounded, in
            steps. When it is used up the best found is answered, unproved; without any that is
            the table as it lies. A second aim that was not reached is not known.

    Raises:
        RulesError: ``table.rearrange_off`` when the table may not be rearranged.
        HandError: ``table.*`` for the melds, ``table.no_arrangement``, ``hand.*``.
        NotationError: ``card.unknown``. LimitError: ``engine.not_covered``.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> best = rearrange(["5H 6H 7H", "8S 8H 8D"], "8C 9H", load_rules("rummikub"))
        >>> best.n_laid, sorted(new.text() for new in best.moves)
        (2, ['R[5H 6H 7H 8H 9H]: 5H 6H 7H from meld 1, 8H from meld 2, 9H from the rack', \
'S[8S 8D 8C]: 8S 8D from meld 2, 8C from the rack'])
    """
    if not rules.flow.rearrange:
        raise RulesError(
            f"expected a game whose table may be rearranged, got {rules.name}",
            code="table.rearrange_off",
            where="/rules",
        )
    deadline = Deadline.after(time_limit_s)
    counts = read_hand(rack, tiles=rules.deck.tiles, where="/rack")
    check_deck(counts, with_largest_deck(rules), where="/rack")
    lying = _read_strictly(table, rules)
    rearranger = _Rearranger(lying, counts, rules, objective, deadline)
    return rearranger.open() if opening else rearranger.rearrange(second_aims=second_aims)


def _read_strictly(table: Table, rules: GameRules) -> Bound:
    """Return the melds of a table, each legal as it could be laid, and their bound wilds."""
    read = [[lying.meld for lying in readings] for readings in read_table(table, rules)]
    legal = [[meld for meld in melds if is_meld(meld, rules)] for melds in read]
    faults = [
        Fault("table.meld", f"/table/{i}", f"meld {i + 1}: expected a legal meld, got {m.text()}")
        for i, (m, *_) in enumerate(read)
        if not legal[i]
    ]
    if faults:
        raise HandError.from_faults(faults)
    return Bound.of(legal, rules)


def objective_points(objective: Objective, rules: GameRules) -> tuple[int, ...]:
    """Return what each card earns when laid."""
    m = rules.meld
    if objective == "tiles":
        return (1,) * (JOKER + 1)
    if objective == "penalty":
        return m.points
    return tuple(
        0 if m.is_wild(card) or card == JOKER else m.meld_values[card % N_RANKS]
        for card in range(JOKER + 1)
    )


class _Rearranger:
    """One question: the table, the rack and what is to be maximised."""

    def __init__(
        self,
        bound: Bound,
        rack: Counts,
        rules: GameRules,
        objective: Objective,
        deadline: Deadline,
    ) -> None:
        self.bound = bound
        self.table = list(bound.table)
        self.rack = rack
        self.rules = rules
        self.objective: Objective = objective
        self.deadline = deadline
        self.points = objective_points(objective, rules)
        self.on_table = counts_list([card for meld in self.table for card in meld.cards])
        together = rack.astype(np.int64) + np.array(self.on_table)
        check_copies(rack, [Lying(meld) for meld in self.table], rules)
        self.counts: Counts = together.astype(np.uint8)
        # A wild that may take the place of another as itself is followed by itself, at 0 too.
        apart = {card for card in bound.cards() if rules.meld.is_wild(card) and together[card]}
        must = tuple((card, n) for card, n in enumerate(self.on_table) if n or card in apart)
        self.meld = replace(
            rules.meld,
            points=self.points,
            must_use=must,
            contract=None,
            use_all=False,
            hand_require=None,
            penalty_cap=None,
            min_meld_value=0,
        )
        self.asked = replace(rules, meld=self.meld)

    def rearrange(self, *, second_aims: bool) -> Rearrangement:
        """Return the best rearrangement."""
        found = self._best()
        if found is None:
            raise HandError(
                "expected a table whose cards can all be melded, got one without",
                code="table.no_arrangement",
                where="/table",
            )
        melds = found.melds
        melded = sum(int(n) * p for n, p in zip(self.counts, self.points, strict=True))
        melded -= found.penalty
        kept, only, fewest = self._same(melds), Only(None, None), False
        if second_aims:
            better = self._in_time(lambda: self._keep_most(melded))
            if better is not None:
                melds, kept, fewest = better
            counts = [int(n) for n in self.counts]
            only = (
                self._in_time(lambda: is_only(counts, self.meld, self.bound, melded, self.deadline))
                or only
            )
        self._certify(melds, found.penalty)
        return self._answer(melds, kept, found.proved, found.engine, fewest=fewest, only=only)

    def _best(self) -> Laid | None:
        """Return the best melds, None where the table cannot be melded."""
        try:
            free = find_among(TABLE_ENGINES, self.counts, self.asked, time_limit_s=self.deadline)
            if free.penalty is None:
                return None
            return find_bound(self.counts, self.asked, self.bound, free, self.deadline)
        except LimitError as error:
            if error.code not in USED_UP:
                raise
        rack = sum(int(n) * p for n, p in zip(self.rack, self.points, strict=True))
        return Laid(list(self.table), rack, rack == 0, TABLE_ENGINES[-1])

    @staticmethod
    def _in_time(ask: Callable[[], T]) -> T | None:
        """Return an answer, None when time or work does not suffice for it."""
        try:
            return ask()
        except LimitError as error:
            if error.code not in USED_UP:
                raise
            return None

    def open(self) -> Rearrangement:
        """Return the best first melds from the rack alone; none where they are worth too little."""
        least = max(1, self.rules.flow.initial_meld_min, self.rules.meld.min_meld_value)
        meld = replace(self.rules.meld, points=self.points, must_use=(), contract=None)
        asked = replace(self.rules, meld=meld)
        first = self._first_melds(asked, least)
        checked = replace(meld, min_meld_value=least if first.melds else 0)
        check_arrangement(self.rack, first.melds, replace(self.rules, meld=checked))
        melds = [*first.melds, *self.table]
        kept = {len(first.melds) + i: i for i in range(len(self.table))}
        only = Only(None, None)
        return self._answer(melds, kept, first.proved, first.engine, fewest=True, only=only)

    def _first_melds(self, rules: GameRules, least: int) -> Laid:
        """Return the best melds worth so much: by the search of the table, else by CP-SAT."""
        asked = Asked(free_melds=True, least_value=least, adds=False)
        try:
            work = Work(self.deadline, left=OPENING_STEPS)
            best = search(self.rack, (), rules, asked, addable=(), work=work)
        except LimitError as error:
            if error.code not in {"table.ways", *USED_UP}:
                raise
        else:
            laid = [] if best is None else [a.laid for a in StepWriter(best, ()).write() if a.laid]
            return Laid(laid, 0, True, "table")
        meld = replace(rules.meld, min_meld_value=least, hand_require=None, penalty_cap=None)
        found = find_among(
            ("cpsat",), self.rack, replace(rules, meld=meld), time_limit_s=self.deadline
        )
        laid = list(decode(self.rack, found.rows, meld).melds)
        return Laid(laid, found.penalty or 0, found.proved, found.engine)

    def _keep_most(self, melded: int) -> tuple[list[Meld], dict[int, int], bool] | None:
        """Return melds of the same value that keep most of the table; which; whether proved."""
        counts = [int(n) for n in self.counts]
        found = keep_most(counts, self.meld, self.bound, melded, self.deadline)
        if found is None:
            return None
        melds = [*found.melds, *(self.table[i] for i in found.kept)]
        kept = {len(found.melds) + k: i for k, i in enumerate(found.kept)}
        return melds, kept, found.proved

    def _same(self, melds: Sequence[Meld]) -> dict[int, int]:
        """Return new meld -> table meld for those that happen to be equal."""
        free: dict[Meld, list[int]] = {}
        for i, meld in enumerate(self.table):
            free.setdefault(meld, []).append(i)
        return {k: free[meld].pop(0) for k, meld in enumerate(melds) if free.get(meld)}

    def _certify(self, melds: Sequence[Meld], left: int) -> None:
        """Judge the melds; the points left must be those of the engine. Else it is our bug."""
        arrangement = check_arrangement(self.counts, melds, self.asked)
        got = sum(self.points[card] for card in arrangement.deadwood)
        assert got == left, f"the melds leave {got}, the engine says {left}"

    def _exchanges(self, melds: Sequence[Meld]) -> tuple[Exchange, ...]:
        """Return which wilds of the table leave their places for which cards."""
        exchanges = self.bound.exchanges(melds, laid_cards(melds, self.meld))
        assert exchanges is not None, "a wild of the table left its place without its card"
        return tuple(exchanges)

    def _answer(  # noqa: PLR0913 - the answer in its parts
        self,
        melds: Sequence[Meld],
        kept: dict[int, int],
        proved: bool,
        engine: str,
        *,
        fewest: bool,
        only: Only,
    ) -> Rearrangement:
        used = Counter(card for meld in melds for card in meld.cards)
        left = tuple(
            card for card in range(JOKER + 1) for _ in range(int(self.counts[card]) - used[card])
        )
        laid = sum(used.values()) - sum(self.on_table)
        cost = sum(self.rules.meld.points[card] for card in left)
        earned = sum(p * (used[c] - self.on_table[c]) for c, p in enumerate(self.points))
        return Rearrangement(
            objective=self.objective,
            value=cost if self.objective == "penalty" else earned,
            n_laid=laid,
            melds=tuple(self._with_origins(melds, kept)),
            left=left,
            penalty=cost,
            changed=tuple(i for i in range(len(self.table)) if i not in kept.values()),
            proved=proved,
            fewest_changes=fewest,
            unique=only.melds,
            unique_cards=only.cards,
            exchanges=self._exchanges(melds),
            engine=engine,
            rules=self.rules,
        )

    def _with_origins(self, melds: Sequence[Meld], kept: dict[int, int]) -> list[NewMeld]:
        """Tell where each card comes from; a meld takes most from the meld it shares most with."""
        stay = set(kept.values())
        holders: dict[Card, list[int]] = {}
        for i, meld in enumerate(self.table):
            if i not in stay:
                for card in meld.cards:
                    holders.setdefault(card, []).append(i)
        changed = [k for k in range(len(melds)) if k not in kept]
        shares = {k: _shares(melds[k], holders) for k in changed}
        origins: dict[int, tuple[int | None, ...]] = {}
        for k in sorted(changed, key=lambda k: -max(shares[k].values(), default=0)):
            share = _shares(melds[k], holders)
            taken: list[int | None] = []
            for card in melds[k].cards:
                free = holders.get(card)
                source = min(free, key=lambda i: (-share[i], i)) if free else None
                if free and source is not None:
                    free.remove(source)
                taken.append(source)
            origins[k] = tuple(taken)
        found = [NewMeld(melds[k], origins[k], None) for k in changed]
        found += [NewMeld(melds[k], (i,) * len(melds[k].cards), i) for k, i in kept.items()]
        return found


def _shares(meld: Meld, holders: dict[Card, list[int]]) -> Counter[int]:
    """Return how many cards of a meld each table meld could still give."""
    share: Counter[int] = Counter()
    for card in meld.cards:
        share.update(set(holders.get(card, ())))
    return share
