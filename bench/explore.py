"""All orders of play on a table, step by step through the judge: slow, and shares no search."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, TypeAlias

from solver.cards import N_RANKS, RANKS, Card, format_card, parse_card
from solver.errors import HandError
from solver.melds import Meld, MeldKind
from solver.rules.model import GameRules
from solver.table import Lying
from solver.table.lying import End, add_card, swap_wild

Hand: TypeAlias = "tuple[Card, ...]"
State: TypeAlias = "tuple[Hand, tuple[Lying, ...]]"

MAX_STATES: Final = 3_000


def shown_card(meld: Meld, place: int) -> Card:
    """Return the card that lies, or is stood for, at a place of a run."""
    name = meld.stands_for[place]
    return meld.cards[place] if name is None else parse_card(name)


def ways_to_add(lying: Lying, card: Card, rules: GameRules) -> list[Lying]:
    """Return the melds that a meld can become by one more card, each judged."""
    found: list[Lying] = []
    for end, name in _places(lying.meld, card, rules):
        try:
            found.append(add_card(lying, card, end, name, rules))
        except HandError:
            continue
    return found


def _places(meld: Meld, card: Card, rules: GameRules) -> Iterator[tuple[End, str | None]]:
    """Yield where a card could go and what it would stand for there."""
    is_wild = rules.meld.is_wild(card)
    if meld.kind == MeldKind.RUN:
        ends: tuple[tuple[End, int, int], ...] = (("-", 0, -1), ("+", len(meld.cards) - 1, 1))
        for end, place, step in ends:
            suit, rank = divmod(shown_card(meld, place), N_RANKS)
            wanted = suit * N_RANKS + (rank + step) % N_RANKS
            if is_wild:
                yield end, format_card(wanted)
            elif card == wanted:
                yield end, None
        return
    if meld.kind == MeldKind.WILD:
        yield "", None
        return
    name = meld.stands_for[0] or RANKS[meld.cards[0] % N_RANKS]
    if is_wild:
        yield "", name
    elif RANKS[card % N_RANKS] == name:
        yield "", None


def reachable(
    hand: Collection[Card], table: Sequence[Lying], rules: GameRules, *, swaps: bool = False
) -> list[Hand] | None:
    """Return every hand that is left after some steps on the table, in any order.

    Args:
        hand: card ids.
        table: the melds, to all of which cards may be added.
        rules: the game; wilds that may also be natural are not followed.
        swaps: whether wilds of runs may be swapped for the cards they stand for.

    Returns:
        Different hands, ascending, the whole hand among them; None beyond MAX_STATES positions.
    """
    walker = _Walker(rules, swaps=swaps)
    first: State = (tuple(sorted(hand)), tuple(table))
    seen: set[State] = {first}
    front = [first]
    while front:
        state = front.pop()
        for after in walker.steps(state):
            if after not in seen:
                seen.add(after)
                front.append(after)
        if len(seen) > MAX_STATES:
            return None
    return sorted({held for held, _ in seen})


class _Walker:
    """Steps from one position to the next; ways to grow a meld are remembered."""

    def __init__(self, rules: GameRules, *, swaps: bool) -> None:
        self.rules = rules
        self.swaps = swaps
        self.ways: dict[tuple[Lying, Card], list[Lying]] = {}

    def steps(self, state: State) -> Iterator[State]:
        """Yield the positions one card on."""
        hand, table = state
        for card in dict.fromkeys(hand):
            rest = _without(hand, card)
            for i, lying in enumerate(table):
                if (lying, card) not in self.ways:
                    self.ways[lying, card] = ways_to_add(lying, card, self.rules)
                for longer in self.ways[lying, card]:
                    yield rest, _put(table, i, longer)
                if self.swaps and lying.meld.kind == MeldKind.RUN:
                    yield from self._swaps(rest, table, i, card)

    def _swaps(self, rest: Hand, table: tuple[Lying, ...], i: int, card: Card) -> Iterator[State]:
        if self.rules.meld.is_wild(card):
            return
        for place, name in enumerate(table[i].meld.stands_for):
            if name == format_card(card):
                after, wild = swap_wild(table[i], place, card, self.rules)
                yield tuple(sorted((*rest, wild))), _put(table, i, after)


def _without(hand: Hand, card: Card) -> Hand:
    at = hand.index(card)
    return hand[:at] + hand[at + 1 :]


def _put(table: tuple[Lying, ...], i: int, lying: Lying) -> tuple[Lying, ...]:
    return (*table[:i], lying, *table[i + 1 :])
