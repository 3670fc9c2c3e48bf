"""What wilds on the table stand for, and which of them may leave their places.

With ``table_wilds="exchanged"`` a wild counts as the card it stands for until such a card, laid
from the rack or lying in another meld, takes its place. Everything else may move around it, and a
card that took a place may move on in the same turn. So an arrangement obeys the rule when there is
a reading of the table in which each wild either still stands for its card or has a card of that
name of its own among the cards of the other melds and those laid. A wild that stands for no card
of the game (a fifth card of a set of four suits) is bound to none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Any, Final, NamedTuple

from solver.cards import JOKER, N_RANKS, RANKS, Card, format_card, parse_card
from solver.compile.tables import line_of, wild_meld_bits
from solver.melds import Meld, MeldKind
from solver.rules.model import GameRules, MeldRules

MAX_CASES: Final = 256
"""Ways to read a table and exchange its wilds that are tried one by one; else CP-SAT is asked."""


class Reading(NamedTuple):
    """What the wilds of a meld stand for, in one reading.

    Attributes:
        fixed: cards that wilds of a run stand for.
        choice: cards of which each wild of a set stands for one.
        n_choose: wilds that do.
        once: whether no two of them may stand for one card.
        naturals: cards of the meld read as themselves.
        wilds: the wilds, those of a run in its order.
    """

    fixed: tuple[Card, ...] = ()
    choice: tuple[Card, ...] = ()
    n_choose: int = 0
    once: bool = True
    naturals: tuple[Card, ...] = ()
    wilds: tuple[Card, ...] = ()

    def ways(self) -> Iterator[tuple[Card, ...]]:
        """Yield the cards that the wilds can stand for together."""
        choose = combinations if self.once else combinations_with_replacement
        for chosen in choose(self.choice, self.n_choose):
            yield (*self.fixed, *chosen)


class Place(NamedTuple):
    """The place of a wild on the table in one reading.

    Attributes:
        meld: number of its meld.
        card: the card it stands for.
        wild: the wild.
        own: copies of the card in the same meld; these cannot take its place.
    """

    meld: int
    card: Card
    wild: Card
    own: int


def readings_of(melds: Iterable[Meld], m: MeldRules) -> tuple[Reading, ...]:
    """Return what the wilds of a meld can stand for, given its readings as placed melds."""
    return tuple(dict.fromkeys(chain.from_iterable(_readings(meld, m) for meld in melds)))


def _readings(meld: Meld, m: MeldRules) -> tuple[Reading, ...]:
    if meld.kind == MeldKind.WILD:
        return tuple(r._replace(wilds=meld.cards) for r in wild_readings(len(meld.cards), m))
    pairs = list(zip(meld.cards, meld.stands_for, strict=True))
    naturals = tuple(card for card, name in pairs if name is None)
    wilds = tuple(card for card, name in pairs if name is not None)
    names = [name for _, name in pairs if name is not None]
    if meld.kind == MeldKind.RUN:
        return (Reading(tuple(map(parse_card, names)), naturals=naturals, wilds=wilds),)
    rank = RANKS.index(names[0]) if names else naturals[0] % N_RANKS
    return (_set_reading(rank, naturals, wilds, m),)


def _set_reading(
    rank: int, naturals: tuple[Card, ...], wilds: tuple[Card, ...], m: MeldRules
) -> Reading:
    once = m.set_distinct_suits
    choice = tuple(
        card for card in range(rank, m.suits * N_RANKS, N_RANKS) if not (once and card in naturals)
    )
    n_choose = min(len(wilds), len(choice)) if once else len(wilds)
    return Reading((), choice if n_choose else (), n_choose, once, naturals, wilds)


@lru_cache(maxsize=64)
def wild_readings(n: int, m: MeldRules) -> tuple[Reading, ...]:
    """Return what wilds alone can be read as: every run and every set of so many cards."""
    as_set, as_run = wild_meld_bits(m)
    found: list[Reading] = []
    if as_run >> n & 1:
        first, last, ring = line_of(m)
        for start in range(first, last + 1 if ring else last - n + 2):
            places = [(start + i) % N_RANKS for i in range(n)]
            found += [
                Reading(tuple(s * N_RANKS + place for place in places)) for s in range(m.suits)
            ]
    if as_set >> n & 1:
        found += [_set_reading(rank, (), (JOKER,) * n, m) for rank in range(N_RANKS)]
    return tuple(found)


class Case(NamedTuple):
    """One way to read and to exchange: cards that wilds go on standing for, cards to be laid."""

    staying: tuple[Card, ...]
    wilds: tuple[Card, ...]
    laid: tuple[Card, ...]

    def implies(self, other: Case) -> bool:
        """Return whether all that another case asks for is asked here too."""
        more = Counter(other.staying) - Counter(self.staying)
        return not more and not Counter(other.laid) - Counter(self.laid)


class Exchange(NamedTuple):
    """A wild that leaves its place on the table, and the card that takes it."""

    meld: int
    wild: Card
    card: Card

    def text(self) -> str:
        """Return the exchange for people; melds are numbered from 1."""
        return (
            f"{format_card(self.wild)} of meld {self.meld + 1} leaves its place to "
            f"{format_card(self.card)}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the exchange as plain JSON."""
        return {
            "meld": self.meld,
            "wild": format_card(self.wild),
            "card": format_card(self.card),
        }


@dataclass(frozen=True)
class Bound:
    """The wilds of a table that may leave their places only for their cards.

    Attributes:
        rules: the game.
        table: the melds on the table, in their first readings.
        readings: for each meld what its wilds can stand for; () for a meld without wilds.
    """

    rules: GameRules
    table: tuple[Meld, ...]
    readings: tuple[tuple[Reading, ...], ...]
    melds: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Note which melds have wilds that stand for a card."""
        held = tuple(i for i, readings in enumerate(self.readings) if readings)
        object.__setattr__(self, "melds", held)

    @staticmethod
    def of(table: Sequence[Sequence[Meld]], rules: GameRules) -> Bound:
        """Return the wilds bound on a table, given the readings of each of its melds."""
        if rules.flow.table_wilds == "free":
            return Bound(rules, tuple(melds[0] for melds in table), ((),) * len(table))
        found = [readings_of(melds, rules.meld) for melds in table]
        bound = tuple(
            readings if any(r.fixed or r.n_choose for r in readings) else () for readings in found
        )
        return Bound(rules, tuple(melds[0] for melds in table), bound)

    def can_lie(self, card: Card) -> bool:
        """Return whether a card can be read as itself, so that it can take a wild's place."""
        m = self.rules.meld
        return not m.is_wild(card) or m.wild_as_natural

    def ways(self) -> Iterator[tuple[tuple[Place, ...], Counter[Card]]]:
        """Yield each reading of the table: the places of its wilds, naturals of all melds."""
        others = self.naturals()
        for chosen in product(*(self.readings[i] for i in self.melds)):
            naturals = others + Counter(card for reading in chosen for card in reading.naturals)
            for ways in product(*(reading.ways() for reading in chosen)):
                yield tuple(self._places(chosen, ways)), naturals

    def _places(
        self, chosen: Sequence[Reading], ways: Sequence[tuple[Card, ...]]
    ) -> Iterator[Place]:
        for i, reading, cards in zip(self.melds, chosen, ways, strict=True):
            # A set of four suits may hold a wild more, which stands for none of them.
            for card, wild in zip(cards, reading.wilds, strict=False):
                yield Place(i, card, wild, reading.naturals.count(card))

    def naturals(self) -> Counter[Card]:
        """Return the cards that lie as themselves in melds without bound wilds."""
        return Counter(
            card
            for i, meld in enumerate(self.table)
            if i not in self.melds and meld.kind != MeldKind.WILD
            for card, name in zip(meld.cards, meld.stands_for, strict=True)
            if name is None
        )

    def cards(self) -> list[Card]:
        """Return every card that a bound wild may stand for, ascending."""
        return sorted(
            {c for readings in self.readings for r in readings for c in (*r.fixed, *r.choice)}
        )

    def short(self, freed: Sequence[Place], naturals: Counter[Card]) -> Counter[Card] | None:
        """Return cards to be laid so that each freed wild has one of its own; None: impossible."""
        laid: Counter[Card] = Counter()
        for card, n in Counter(place.card for place in freed).items():
            if not self.can_lie(card):
                return None
            wanted = max(n, *(_wants(place, freed) for place in freed if place.card == card))
            if wanted > naturals[card]:
                laid[card] = wanted - naturals[card]
        return laid

    def cases(self, rack: Sequence[int]) -> list[Case] | None:
        """Return the ways to read the table and to exchange its wilds, the freest first.

        Args:
            rack: copies of each card on the rack.

        Returns:
            None when there are too many. A way is left out when another asks for less.
        """
        found: set[Case] = set()
        n_tried = 0
        for places, naturals in self.ways():
            n_tried += 1 << len(places)
            if n_tried > MAX_CASES:
                return None
            for stays in product((False, True), repeat=len(places)):
                freed = [p for p, stay in zip(places, stays, strict=True) if not stay]
                here = sorted((p.card, p.wild) for p, s in zip(places, stays, strict=True) if s)
                laid = self.short(freed, naturals)
                if laid is not None and all(rack[card] >= n for card, n in laid.items()):
                    cards, wilds = [c for c, _ in here], [w for _, w in here]
                    found.add(Case(tuple(cards), tuple(wilds), tuple(sorted(laid.elements()))))
        least: list[Case] = []
        for case in sorted(found, key=lambda case: (len(case.staying) + len(case.laid), case)):
            if not any(case.implies(other) for other in least):
                least.append(case)
        return least

    def exchanges(self, after: Sequence[Meld], laid: Counter[Card]) -> list[Exchange] | None:
        """Return the exchanges that explain an arrangement, as few as can be; None: it is barred.

        Args:
            after: the melds afterwards.
            laid: cards laid from the rack.
        """
        if not self.melds:
            return []
        standing = _standing(after, self.rules.meld)
        best: list[Place] | None = None
        for places, naturals in self.ways():
            for names in standing:
                freed = _freed(places, names)
                if best is not None and len(freed) >= len(best):
                    continue
                short = self.short(freed, naturals + laid)
                if short is not None and not short:
                    best = freed
        if best is None:
            return None
        return [Exchange(place.meld, place.wild, place.card) for place in best]


def _wants(place: Place, freed: Sequence[Place]) -> int:
    """Return how many copies of a card must lie for the freed wilds of one meld."""
    return place.own + sum(p.meld == place.meld and p.card == place.card for p in freed)


def _freed(places: Sequence[Place], names: Counter[Card]) -> list[Place]:
    """Return the wilds that must be exchanged where wilds stand for these cards afterwards."""
    freed = list(places)
    for card, n in names.items():
        for _ in range(n):
            mine = [place for place in freed if place.card == card]
            if mine:
                # Those stay whose melds would ask for most.
                freed.remove(max(mine, key=lambda place: _wants(place, freed)))
    return freed


def _standing(after: Sequence[Meld], m: MeldRules) -> list[Counter[Card]]:
    """Return the cards that the wilds of melds can stand for together, each way once."""
    found: set[tuple[Card, ...]] = {()}
    for meld in after:
        ways = {way for reading in readings_of([meld], m) for way in reading.ways()}
        if ways and ways != {()}:
            found = {tuple(sorted([*known, *way])) for known in found for way in ways}
    return [Counter(cards) for cards in found]
