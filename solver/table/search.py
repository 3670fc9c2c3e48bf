"""The search of the table: the best that a hand can do, over swaps, melds and lay-offs at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from solver.cards import JOKER, N_RANKS, Card, Counts, parse_card
from solver.errors import HandError
from solver.melds import MeldKind
from solver.rules.model import GameRules
from solver.table.additions import add_all, open_flags
from solver.table.hand import DUMP, EARLY, OPEN_RANK, WILDS, Asked, Frame, make_frame
from solver.table.laying import lay_all
from solver.table.lying import Lying, swap_wild
from solver.table.packing import START, States, Work, uses_of


class Swap(NamedTuple):
    """A natural card given for the wild in a place of a meld on the table."""

    meld: int
    place: int
    card: Card
    wild: Card


class Played(NamedTuple):
    """What is left and how it came to that.

    Attributes:
        points: points left in hand.
        left: cards left, ascending.
        wilds: cards played as wilds in places that ask for one, ascending.
        tail: naturals put on open sets at the end, ascending.
        spare: wilds put on open sets at the end, ascending.
    """

    points: int
    left: tuple[Card, ...]
    wilds: tuple[Card, ...]
    tail: tuple[Card, ...]
    spare: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Best:
    """The best of a hand: the frame, the table after the swaps, the swaps, the uses, the rest.

    ``addable`` numbers the melds to which cards may be added.
    """

    frame: Frame
    table: tuple[Lying, ...]
    swaps: tuple[Swap, ...]
    uses: tuple[Any, ...]
    played: Played
    addable: tuple[int, ...]

    def rank(self) -> tuple[int, int, int]:
        """Return what is compared: points left, cards left, swaps."""
        return self.played.points, len(self.played.left), len(self.swaps)


def search(  # noqa: PLR0913 - the question in its parts
    hand: Counts,
    table: Sequence[Lying],
    rules: GameRules,
    asked: Asked,
    *,
    addable: Iterable[int],
    swappable: Iterable[int] = (),
    work: Work,
) -> Best | None:
    """Return the best of a hand, None when the contract or the least value is out of reach.

    Fewest points left come first, then fewest cards left, then fewest swaps.

    Args:
        hand: copies of each card.
        table: melds on the table.
        rules: the game.
        asked: melds to lay and limits.
        addable: numbers of the melds to which cards may be added.
        swappable: numbers of the melds whose wilds may be swapped.
        work: what the question may still cost.

    Raises:
        LimitError: ``table.ways``, ``limit.time`` when that does not suffice.
    """
    counts = tuple(int(n) for n in hand)
    numbers = sorted(set(addable)) if asked.adds else []
    best: Best | None = None
    done: set[tuple[object, ...]] = set()
    for swaps in _swap_choices(counts, table, sorted(set(swappable)), rules):
        work.spend(1000)
        held, gained = _after_swaps(counts, swaps)
        swapped = _swapped(table, swaps, rules)
        if swapped is None or (held, gained, swapped) in done:
            continue
        done.add((held, gained, swapped))
        frame = make_frame(held, gained, rules, asked, work)
        found = _best_of(frame, swapped, numbers, swaps)
        if found is not None and (best is None or found.rank() < best.rank()):
            best = found
    return best


def _swap_choices(
    counts: tuple[int, ...], table: Sequence[Lying], numbers: Sequence[int], rules: GameRules
) -> Iterator[tuple[Swap, ...]]:
    """Yield every choice of swaps that the hand has the cards for, none first."""
    chances = [s for i in numbers for s in _swaps_of(i, table[i], counts, rules)]
    front: list[tuple[int, tuple[Swap, ...]]] = [(0, ())]
    while front:
        after: list[tuple[int, tuple[Swap, ...]]] = []
        for first, chosen in front:
            yield chosen
            for k in range(first, len(chances)):
                more = (*chosen, chances[k])
                places = {(s.meld, s.place) for s in more}
                given = [s.card for s in more]
                enough = all(given.count(c) <= counts[c] for c in given)
                if len(places) == len(more) and enough:
                    after.append((k + 1, more))
        front = after


def _swaps_of(i: int, lying: Lying, counts: tuple[int, ...], rules: GameRules) -> Iterator[Swap]:
    m = rules.meld
    meld = lying.meld
    if meld.kind == MeldKind.WILD or (meld.kind == MeldKind.SET and rules.flow.swap_runs_only):
        return
    for place, (wild, name) in enumerate(zip(meld.cards, meld.stands_for, strict=True)):
        if name is None:
            continue
        if meld.kind == MeldKind.RUN:
            cards = [parse_card(name)]
        else:
            rank = "A23456789TJQK".index(name)
            cards = [s * N_RANKS + rank for s in range(m.suits)]
            if m.set_distinct_suits:
                pairs = zip(meld.cards, meld.stands_for, strict=True)
                lying_there = {c for c, other in pairs if other is None}
                cards = [c for c in cards if c not in lying_there]
        for card in cards:
            natural = not m.is_wild(card) or m.wild_as_natural
            if counts[card] and natural and card != wild:
                yield Swap(i, place, card, wild)


def _after_swaps(
    counts: tuple[int, ...], swaps: Sequence[Swap]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    held, gained = list(counts), [0] * len(counts)
    for swap in swaps:
        held[swap.card] -= 1
        held[swap.wild] += 1
        gained[swap.wild] += 1
    return tuple(held), tuple(gained)


def _swapped(
    table: Sequence[Lying], swaps: Sequence[Swap], rules: GameRules
) -> tuple[Lying, ...] | None:
    """Return the table after swaps, None when a set would then hold a suit twice."""
    after = list(table)
    for swap in swaps:
        place = after[swap.meld].meld.cards.index(swap.wild)
        if after[swap.meld].meld.kind == MeldKind.RUN:
            place = swap.place
        try:
            after[swap.meld], _ = swap_wild(after[swap.meld], place, swap.card, rules)
        except HandError:
            return None
    return tuple(after)


def _best_of(
    frame: Frame, table: Sequence[Lying], numbers: Sequence[int], swaps: tuple[Swap, ...]
) -> Best | None:
    lying = [(i, table[i]) for i in numbers]
    states: States = lay_all(START, frame)
    if frame.asked.least_value:
        states = {s: n for s, n in states.items() if n[0] >= frame.asked.least_value}
    states = add_all(states, lying, frame)
    flags = open_flags(lying, frame)
    judge = _Judge(frame)
    best: tuple[int, int, int] | None = None
    for state in states:
        frame.work.spend(2 if judge.simple else 50)
        value = judge.value(state | flags)
        if value is not None and (best is None or value < best[:2]):
            best = (*value, state)
    if best is None:
        return None
    state = best[2]
    played = judge.played(state | flags)
    assert played is not None, "a state with a value can be played"
    return Best(frame, tuple(table), swaps, tuple(uses_of(states[state])), played, tuple(numbers))


class _Judge:
    """Says of a state what it leaves in hand, putting on open sets all that they take."""

    def __init__(self, frame: Frame) -> None:
        m = frame.meld
        self.frame = frame
        asked = frame.asked
        self.simple = not (any(frame.gained) or frame.either or asked.keep or asked.wilds_kept)
        # Wilds that score most are played first.
        self.wilds = sorted(frame.pool, key=lambda c: (-m.points[c], c))
        self.left_of_wilds = [
            sum(m.points[c] for c in self.wilds[k:]) for k in range(len(self.wilds) + 1)
        ]
        self.naturals = [
            (*frame.fields.at[c], n, m.points[c], frame.flag(OPEN_RANK, c % N_RANKS))
            for c, n in frame.naturals.items()
        ]
        self.dump = frame.flag(DUMP)

    def value(self, state: int) -> tuple[int, int] | None:
        """Return points and cards left, None when a gained wild cannot be played."""
        if not self.simple:
            played = self.played(state)
            return None if played is None else (played.points, len(played.left))
        points = n_left = 0
        for shift, mask, limit, worth, flag in self.naturals:
            if not state & flag:
                left = limit - (state >> shift & mask)
                points += left * worth
                n_left += left
        if state & self.dump:
            return points, n_left
        used = self.frame.fields.used(state, WILDS)
        return points + self.left_of_wilds[used], n_left + len(self.wilds) - used

    def played(self, state: int) -> Played | None:
        """Return what is left after a state and how, None when that is against the rules."""
        frame = self.frame
        m, fields = frame.meld, frame.fields
        left = list(frame.counts)
        for card in frame.naturals:
            left[card] -= fields.used(state, card)
        n_wilds = fields.used(state, WILDS)
        wilds, may_stay = self._wilds_for(left, state, n_wilds)
        if len(wilds) < n_wilds:
            return None
        for card in wilds:
            left[card] -= 1
        tail = [
            c
            for c in frame.naturals
            for _ in range(left[c])
            if state & frame.flag(OPEN_RANK, c % N_RANKS)
        ]
        for card in tail:
            left[card] -= 1
        spare: list[Card] = []
        if state & self.dump:
            spare = [c for c in range(JOKER + 1) if m.is_wild(c) for _ in range(left[c])]
            for card in spare:
                left[card] -= 1
        if not self._keep_some(left, tail, spare, may_stay):
            return None
        if any(n and left[c] > may_stay[c] for c, n in enumerate(frame.gained)):
            return None
        rest = tuple(c for c, n in enumerate(left) for _ in range(n))
        points = sum(m.points[c] for c in rest)
        return Played(points, rest, tuple(sorted(wilds)), tuple(tail), tuple(spare))

    def _wilds_for(
        self, left: Sequence[int], state: int, n: int
    ) -> tuple[list[Card], dict[Card, int]]:
        """Return n cards for places that ask for wilds, and how many of each wild may stay.

        Those that must be played come first, then dear ones; cards that an open set takes anyway
        come last. Places of melds that must stand without the wilds gained take none of these:
        the copies in hand before lie there, and of equal cards none may stay for a gained one.
        """
        frame = self.frame
        points = frame.meld.points
        free = set() if not state & self.dump else set(frame.pool)
        free |= {c for c in frame.either if state & frame.flag(OPEN_RANK, c % N_RANKS)}
        must: list[Card] = []
        others: list[Card] = []
        may_stay: dict[Card, int] = {}
        for card in sorted(set(frame.pool), key=lambda c: (c in free, -points[c], c)):
            may_stay[card] = self._own(state, card)
            n_must = max(0, left[card] - may_stay[card])
            must += [card] * n_must
            others += [card] * (left[card] - n_must)
        late = EARLY in frame.fields.at
        n_early = frame.fields.used(state, EARLY) if late else 0
        n_must = min(len(must), n - n_early)
        if late:
            for card in others[: n - n_must]:
                may_stay[card] -= 1
        return must[:n_must] + others[: n - n_must], may_stay

    def _own(self, state: int, card: Card) -> int:
        """Return how many copies of a card may stay in hand: not gained, not laid as naturals."""
        frame = self.frame
        early = (EARLY, card)
        laid = frame.fields.used(state, early) if early in frame.fields.at else 0
        return frame.counts[card] - frame.gained[card] - laid

    def _keep_some(
        self, left: list[int], tail: list[Card], spare: list[Card], may_stay: Mapping[Card, int]
    ) -> bool:
        """Take back what need not be played until enough cards are kept; the cheapest first."""
        frame = self.frame
        while sum(left) < frame.asked.keep:
            free = [(frame.meld.points[c], c, tail) for c in tail]
            free += [(frame.meld.points[c], c, spare) for c in spare if left[c] < may_stay[c]]
            if not free:
                return False
            _, card, source = min(free, key=lambda entry: entry[:2])
            source.remove(card)
            left[card] += 1
        return True
