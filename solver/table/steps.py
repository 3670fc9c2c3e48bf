"""What the search found -> the ordered actions of a plan."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from typing import Any

from solver.cards import JOKER, N_RANKS, RANKS, Card, format_card
from solver.melds import Meld, MeldKind
from solver.table.additions import AddToRun, AddToSet, run_place, set_rank
from solver.table.hand import EARLY, run_card
from solver.table.laying import LayRun, LaySet, LayWilds
from solver.table.lying import End, Lying, adds_distinct
from solver.table.plan import Action
from solver.table.ratio import Cells, growth_order
from solver.table.search import Best


class StepWriter:
    """Writes the actions of what a search found: swaps, melds, lay-offs.

    The wilds played are dealt in ascending order: to the places of melds laid first, then to
    those of lay-offs. Where wilds gained may not help to lay melds, these take the others.
    """

    def __init__(self, best: Best, before: Sequence[Lying]) -> None:
        self.best = best
        self.rules = best.frame.rules
        self.table: list[Lying] = list(before)
        self.kinds = [lying.meld.kind for lying in before]
        self.ranks: dict[int, int] = {
            i: set_rank(lying.meld)
            for i, lying in enumerate(before)
            if lying.meld.kind == MeldKind.SET
        }
        # Cards are added after the swaps, so to melds with these made.
        self.pairs = [
            list(zip(lying.meld.cards, lying.meld.stands_for, strict=True)) for lying in best.table
        ]
        self.wilds = list(best.played.wilds)
        self.late = EARLY in best.frame.fields.at
        frame = best.frame
        self.own = [n - g for n, g in zip(frame.counts, frame.gained, strict=True)]
        self.melds: list[Action] = []
        self.adds: list[Action] = []

    def write(self) -> tuple[Action, ...]:
        """Return the actions in order."""
        for use in self.best.uses:
            self._use(use)
        self._tail()
        swaps = [
            Action("swap", s.meld, card=s.card, gained=s.wild, place=s.place)
            for s in self.best.swaps
        ]
        if self.late:
            return (*self.melds, *self._set_places(swaps), *self.adds)
        return (*self._set_places(swaps), *self.melds, *self.adds)

    def _set_places(self, swaps: list[Action]) -> list[Action]:
        """Return the swaps with the places that hold when they are made one after the other."""
        # Swaps in sets move the cards of the set; these are found again by their card.
        lying: dict[int, list[tuple[Card, str | None]]] = {}
        found = []
        for swap in swaps:
            if self.kinds[swap.meld] == MeldKind.RUN:
                found.append(swap)
                continue
            meld = self.table[swap.meld].meld
            pairs = lying.setdefault(swap.meld, list(zip(meld.cards, meld.stands_for, strict=True)))
            place = next(
                i for i, (c, name) in enumerate(pairs) if c == swap.gained and name is not None
            )
            pairs[place] = (swap.card or 0, None)
            pairs.sort(key=lambda p: (p[0], p[1] or ""))
            found.append(Action("swap", swap.meld, card=swap.card, gained=swap.gained, place=place))
        return found

    def _use(self, use: Any) -> None:  # noqa: ANN401 - any of the five uses
        if isinstance(use, LayRun):
            self._lay_run(use)
        elif isinstance(use, LaySet):
            self._lay_set(use)
        elif isinstance(use, LayWilds):
            cards = tuple(sorted(self._wild(early=True) for _ in range(use.laid)))
            number = self._lay(Meld(MeldKind.WILD, cards, (None,) * len(cards)))
            self._add(number, use.naturals, use.wilds)
        elif isinstance(use, AddToRun):
            suit, start = run_place(self.table[use.meld].meld)
            self._grow_run(use.meld, suit, start, use.below, use.above)
        elif isinstance(use, AddToSet):
            self._add(use.meld, use.naturals, use.wilds)

    def _add(self, number: int, naturals: Sequence[Card], n_wilds: int) -> None:
        for card in naturals:
            self._add_natural(number, card)
        for _ in range(n_wilds):
            self._add_wild(number, self._wild())

    def _wild(self, *, early: bool = False) -> Card:
        """Return the next wild to play; for a meld laid early one that was not gained."""
        if self.late:
            gained = self.best.frame.gained
            if early:
                card = min(self.wilds, key=lambda c: (self.own[c] <= 0, gained[c] > 0, c))
            else:
                card = min(self.wilds, key=lambda c: (gained[c] == 0, c))
        else:
            card = self.wilds[0]
        self.wilds.remove(card)
        self.own[card] -= early
        return card

    def _named(self, card: Card, own: Card) -> tuple[Card, str | None]:
        """Return a wild in a place of a run with what it stands for; None in its own place."""
        as_itself = card == own and self.rules.meld.wild_as_natural
        return card, None if as_itself else format_card(own)

    def _set_name(
        self,
        card: Card,
        rank: int,
        pairs: Sequence[tuple[Card, str | None]],
        *,
        laid: bool = False,
    ) -> str | None:
        """Return what a wild in a set stands for; None when it may be read as itself."""
        m = self.rules.meld
        own = card != JOKER and card % N_RANKS == rank and m.wild_as_natural
        distinct = m.set_distinct_suits if laid else adds_distinct(self.rules)
        twin = distinct and (card, None) in pairs
        return None if own and not twin else RANKS[rank]

    def _lay(self, meld: Meld) -> int:
        number = len(self.kinds)
        self.melds.append(Action("meld", number, laid=meld))
        self.kinds.append(meld.kind)
        self.pairs.append(list(zip(meld.cards, meld.stands_for, strict=True)))
        if meld.kind == MeldKind.SET:
            self.ranks[number] = set_rank(meld)
        return number

    def _lay_run(self, use: LayRun) -> None:
        pairs: list[tuple[Card, str | None]] = []
        for i in range(use.first, use.after):
            self.own[run_card(use.suit, use.start + i)] -= use.cells[i]
        for i in range(use.first, use.after):
            own = run_card(use.suit, use.start + i)
            natural = use.cells[i]
            pairs.append((own, None) if natural else self._named(self._wild(early=True), own))
        meld = Meld(MeldKind.RUN, tuple(c for c, _ in pairs), tuple(name for _, name in pairs))
        number = self._lay(meld)
        below, above = use.cells[: use.first][::-1], use.cells[use.after :]
        self._grow_run(number, use.suit, use.start + use.first, below, above)

    def _lay_set(self, use: LaySet) -> None:
        pairs: list[tuple[Card, str | None]] = [(c, None) for c in use.naturals[: use.n_laid]]
        for card, _ in pairs:
            self.own[card] -= 1
        wilds = [self._wild(early=True) for _ in range(use.wilds_laid)]
        for card in wilds:
            pairs.append((card, self._set_name(card, use.rank, pairs, laid=True)))
        pairs.sort(key=lambda p: (p[0], p[1] or ""))
        meld = Meld(MeldKind.SET, tuple(c for c, _ in pairs), tuple(name for _, name in pairs))
        number = self._lay(meld)
        self._add(number, use.naturals[use.n_laid :], use.wilds - use.wilds_laid)

    def _grow_run(self, number: int, suit: int, start: int, below: Cells, above: Cells) -> None:
        """Add cards outwards at both ends, in an order in which the run keeps its ratio."""
        pairs = self.pairs[number]
        naturals = sum(name is None for _, name in pairs)
        ratio = self.best.frame.ratio
        order = growth_order(ratio, naturals, len(pairs) - naturals, below, above)
        assert order is not None, "the search adds only what can be added"
        low, high = start - 1, start + len(pairs)
        cells = {"-": iter(below), "+": iter(above)}
        for sign in order:
            end: End = "-" if sign == "-" else "+"
            own = run_card(suit, low if end == "-" else high)
            natural = next(cells[end])
            card, name = (own, None) if natural else self._named(self._wild(), own)
            place = 0 if end == "-" else len(pairs)
            pairs.insert(place, (card, name))
            self.adds.append(
                Action("layoff", number, card=card, end=end, place=place, stands_for=name)
            )
            low, high = (low - 1, high) if end == "-" else (low, high + 1)

    def _add_natural(self, number: int, card: Card) -> None:
        if self.kinds[number] == MeldKind.WILD:
            rank = card % N_RANKS
            self.kinds[number], self.ranks[number] = MeldKind.SET, rank
            self.pairs[number] = [(c, RANKS[rank]) for c, _ in self.pairs[number]]
        self._add_to_set(number, card, None)

    def _add_wild(self, number: int, card: Card) -> None:
        name = None
        if self.kinds[number] == MeldKind.SET:
            name = self._set_name(card, self.ranks[number], self.pairs[number])
        self._add_to_set(number, card, name)

    def _add_to_set(self, number: int, card: Card, name: str | None) -> None:
        pairs = self.pairs[number]
        place = bisect(pairs, (card, name or ""), key=lambda p: (p[0], p[1] or ""))
        pairs.insert(place, (card, name))
        self.adds.append(Action("layoff", number, card=card, place=place, stands_for=name))

    def _tail(self) -> None:
        """Put what is left on open sets: naturals on one of their rank, wilds on any.

        A natural that fits a set laid now is laid with it.
        """
        n_before = len(self.table)
        numbers = [*range(n_before, len(self.kinds)), *self.best.addable]
        for card in self.best.played.tail:
            rank = card % N_RANKS
            number = next(n for n in numbers if self.ranks.get(n) == rank)
            laid_as_set = any(
                a.meld == number and a.laid is not None and a.laid.kind == MeldKind.SET
                for a in self.melds
            )
            distinct = self.rules.meld.set_distinct_suits
            twin = distinct and (card, None) in self.pairs[number]
            if self.late or not laid_as_set or twin:
                self._add_natural(number, card)
            else:
                self._lay_more(number, card)
        for card in self.best.played.spare:
            sets = [n for n in numbers if self.kinds[n] == MeldKind.SET]
            wilds = [n for n in numbers if self.kinds[n] == MeldKind.WILD]
            self._add_wild([*sets, *wilds][0], card)

    def _lay_more(self, number: int, card: Card) -> None:
        """Lay one natural more with a set laid now."""
        pairs = sorted([*self.pairs[number], (card, None)], key=lambda p: (p[0], p[1] or ""))
        self.pairs[number] = pairs
        laid = Meld(MeldKind.SET, tuple(c for c, _ in pairs), tuple(name for _, name in pairs))
        self.melds = [
            Action("meld", number, laid=laid) if a.meld == number else a for a in self.melds
        ]
