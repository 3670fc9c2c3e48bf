"""Meld records and the ways to place cards in a meld: what a run, a set and their limits are.

A position is 0..13: an ace low is 0, a king 12, an ace high 13; on the ring (``ace="cyclic"``)
positions are 0..12. A reading of a run is (suit, start, mask): place i stands on position
``start + i``, and bit i of the mask is set when the natural card of that place lies there; every
other place is filled by a wild. All limits on a meld only ever ask for more naturals or fewer
wilds, so at a given start the reading with most naturals is legal if any is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from solver.cards import JOKER, N_CARDS, N_RANKS, RANKS, Card, format_card
from solver.errors import HandError
from solver.rules.model import MeldRules

ACE: Final = 0
ACE_HIGH: Final = 13
FULL_LINE: Final = 14
"""Positions of a line with an ace at either end; only there one rank has two places."""


class MeldKind(StrEnum):
    """What a meld is; members equal their texts."""

    RUN = "run"
    SET = "set"
    WILD = "wild"


@dataclass(frozen=True, slots=True)
class Meld:
    """Cards laid as one meld, with what every wild stands for.

    Attributes:
        kind: run, set, or wild for a meld in which every card is read as wild.
        cards: card ids; a run in position order, other melds ascending.
        stands_for: one entry a card: None for a natural read as itself, ``"6H"`` for a wild in
            a run, ``"K"`` for a wild in a set, None throughout when the kind is wild.

    Raises:
        HandError: ``card.id`` outside 0..65, ``meld.stands_for`` when the lengths differ.
    """

    kind: MeldKind
    cards: tuple[Card, ...]
    stands_for: tuple[str | None, ...]

    def __post_init__(self) -> None:
        """Refuse what is no record of cards at all; whether it is legal is for the judge."""
        if len(self.stands_for) != len(self.cards):
            n_cards, n_names = len(self.cards), len(self.stands_for)
            text = f"expected one stands_for a card, got {n_names} for {n_cards} cards"
            raise HandError(text, code="meld.stands_for")
        if not all(0 <= card < N_CARDS for card in self.cards):
            raise HandError(f"expected card ids 0..65, got {self.cards}", code="card.id")

    def shown_as(self) -> tuple[str | None, ...]:
        """Return what is written beside each card: a wild on its own place needs no reading."""
        return tuple(
            None if name is None or is_own_place(card, name) else name
            for card, name in zip(self.cards, self.stands_for, strict=True)
        )

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Meld {self}>"

    def text(self) -> str:
        """Return the notation: ``R[KS=8C 9C TC]``, ``S[5S=6 6S 6H]``, ``W[JK JK JK]``.

        A wild on its own place is written like the natural card: ``R[AD 2D 3D 4D]``.
        """
        tokens = (
            format_card(card) + (f"={name}" if name else "")
            for card, name in zip(self.cards, self.shown_as(), strict=True)
        )
        return f"{self.kind[0].upper()}[{' '.join(tokens)}]"

    def to_json(self) -> dict[str, Any]:
        """Return ``kind``, ``cards`` (texts), ``stands_for`` and ``text`` as plain JSON."""
        return {
            "kind": str(self.kind),
            "cards": [format_card(card) for card in self.cards],
            "stands_for": list(self.stands_for),
            "text": self.text(),
        }


def is_own_place(card: Card, name: str) -> bool:
    """Return whether a card that stands for a card or a rank stands for its own."""
    shown = format_card(card)
    return name == shown or (card != JOKER and name == shown[0])


class Reason(NamedTuple):
    """Why cards are no meld: a stable code and one line."""

    code: str
    message: str


class Split(NamedTuple):
    """Cards of a meld by nature, each ascending; ``naturals`` are never wild."""

    naturals: tuple[Card, ...]
    wilds: tuple[Card, ...]


class Layout(NamedTuple):
    """One reading: ``line`` is a run's suit or a set's rank; only runs have start and mask."""

    kind: MeldKind
    n_naturals: int
    line: int
    start: int = 0
    mask: int = 0


def split_cards(cards: Sequence[Card], meld_rules: MeldRules) -> Split:
    """Return the naturals and the wilds of cards."""
    ordered = sorted(cards)
    wilds = tuple(card for card in ordered if meld_rules.is_wild(card))
    if not wilds:
        return Split(tuple(ordered), ())
    return Split(tuple(card for card in ordered if not meld_rules.is_wild(card)), wilds)


def line_ends(meld_rules: MeldRules) -> tuple[int, int]:
    """Return the first and the last position on which a card of a run may stand."""
    if meld_rules.ace == "low":
        return meld_rules.rank_lo - 1, ACE_HIGH - 1
    if meld_rules.ace == "high":
        return max(meld_rules.rank_lo, 2) - 1, ACE_HIGH
    return (0, ACE_HIGH) if meld_rules.ace == "both" else (0, ACE_HIGH - 1)


def run_cap(meld_rules: MeldRules) -> int:
    """Return the most cards that a run may have."""
    first, last = line_ends(meld_rules)
    n_positions = last - first + 1
    return n_positions if meld_rules.run_max is None else min(meld_rules.run_max, n_positions)


def run_starts(n_cards: int, meld_rules: MeldRules) -> range:
    """Return the positions at which a run of so many cards may start, limits aside."""
    first, last = line_ends(meld_rules)
    if meld_rules.ace == "cyclic":
        return range(N_RANKS if n_cards <= N_RANKS else 0)
    return range(first, last - n_cards + 2)


def place_card(suit: int, position: int) -> Card:
    """Return the natural card of a position in a suit."""
    return suit * N_RANKS + position % N_RANKS


def _limit_reason(n_naturals: int, n_wilds: int, kind: MeldKind, m: MeldRules) -> Reason | None:
    """Return which limit on numbers of naturals and wilds fails, None when all hold."""
    is_run = kind == MeldKind.RUN
    least = m.run_min_naturals if is_run else m.set_min_naturals
    most = m.run_max_wilds if is_run else m.set_max_wilds
    if n_naturals < least:
        return Reason("meld.naturals", f"expected at least {least} naturals, got {n_naturals}")
    if most is not None and n_wilds > most:
        return Reason("meld.wilds", f"expected at most {most} wilds, got {n_wilds}")
    if m.wild_ratio == "le" and n_wilds > n_naturals:
        text = f"expected no more wilds than naturals, got {n_wilds} and {n_naturals}"
        return Reason("meld.ratio", text)
    if m.wild_ratio == "lt" and n_wilds >= n_naturals:
        text = f"expected fewer wilds than naturals, got {n_wilds} and {n_naturals}"
        return Reason("meld.ratio", text)
    return None


def length_reason(n_cards: int, kind: MeldKind, m: MeldRules) -> Reason | None:
    """Return why a meld of this kind may not have so many cards, None when it may."""
    least, most = (m.run_min, run_cap(m)) if kind == MeldKind.RUN else (m.set_min, m.set_max)
    if n_cards < least:
        return Reason("meld.too_short", f"expected at least {least} cards, got {n_cards}")
    if most is not None and n_cards > most:
        return Reason("meld.too_long", f"expected at most {most} cards, got {n_cards}")
    return None


def set_reason(n_naturals: int, n_cards: int, m: MeldRules) -> Reason | None:
    """Return which length or limit a set breaks, None when it is legal; its ranks are not asked."""
    return length_reason(n_cards, MeldKind.SET, m) or _limit_reason(
        n_naturals, n_cards - n_naturals, MeldKind.SET, m
    )


def run_reason(mask: int, n_cards: int, m: MeldRules) -> Reason | None:
    """Return which length or limit a run breaks, None when it is legal.

    A run is judged as the row in which it lies: the ends of a run that fills the ring are no
    neighbours, and a run shorter than the window of ``run_core`` has no such window.

    Args:
        mask: bit i set when place i holds its natural card.
        n_cards: places of the run.
        m: the rules of melds.
    """
    n_naturals = mask.bit_count()
    reason = length_reason(n_cards, MeldKind.RUN, m) or _limit_reason(
        n_naturals, n_cards - n_naturals, MeldKind.RUN, m
    )
    if reason is not None:
        return reason
    if m.run_core is not None:
        window, least = m.run_core
        ones = (1 << window) - 1
        windows = range(n_cards - window + 1)
        if not any((mask >> i & ones).bit_count() >= least for i in windows):
            text = f"expected {least} naturals within some {window} neighbouring places"
            return Reason("meld.core", f"{text}, got none such")
    if not m.wilds_adjacent:
        holes = ~mask & ((1 << n_cards) - 1)
        if holes & holes >> 1:
            text = "expected a natural between any two wilds, got neighbouring wilds"
            return Reason("meld.adjacent_wilds", text)
    return None


def all_wild_kinds(n_cards: int, m: MeldRules) -> tuple[MeldKind, ...]:
    """Return as which of run and set so many cards are legal when every card is read as wild."""
    as_run = () if run_reason(0, n_cards, m) else (MeldKind.RUN,)
    as_set = () if set_reason(0, n_cards, m) else (MeldKind.SET,)
    return as_run + as_set


def full_masks(suit: int, start: int, split: Split, m: MeldRules) -> tuple[int, ...]:
    """Return the masks with most naturals of a run of a suit, () when the cards do not fit.

    The naturals must be of that suit. Two masks remain only when a single ace may lie at either
    end of a run of 14.
    """
    n_cards = len(split.naturals) + len(split.wilds)
    mask = n_aces = 0
    for card in split.naturals:
        offset = (card - start) % N_RANKS
        if offset >= n_cards:
            return ()
        if card % N_RANKS == ACE:
            n_aces += 1
        elif mask >> offset & 1:
            return ()
        mask |= 1 << offset
    if n_aces > (2 if n_cards == FULL_LINE else 1):
        return ()
    if m.wild_as_natural:
        for card in split.wilds:
            offset = (card - start) % N_RANKS
            if card // N_RANKS == suit and offset < n_cards:
                mask |= 1 << offset
                n_aces += card % N_RANKS == ACE
    if n_cards != FULL_LINE or n_aces == 0:
        return (mask,)
    if n_aces > 1:
        return (mask | 1 << ACE_HIGH,)
    return mask, mask ^ 1 | 1 << ACE_HIGH


def run_layouts(split: Split, m: MeldRules) -> Iterator[Layout]:
    """Yield the readings as a run with most naturals at each start, by suit and start.

    Lengths and limits are not asked; a reading without any natural is left out.
    """
    if JOKER in split.naturals:
        return
    if split.naturals:
        suits = {card // N_RANKS for card in split.naturals}
    elif m.wild_as_natural:
        suits = {card // N_RANKS for card in split.wilds if card != JOKER}
    else:
        return
    if len(suits) > 1 and split.naturals:
        return
    for suit in sorted(suits):
        for start in run_starts(len(split.naturals) + len(split.wilds), m):
            for mask in full_masks(suit, start, split, m):
                if mask:
                    yield Layout(MeldKind.RUN, mask.bit_count(), suit, start, mask)


def set_layouts(split: Split, m: MeldRules) -> Iterator[Layout]:
    """Yield the reading as a set with most naturals for each possible rank, ascending.

    Lengths and limits are not asked; a reading without any natural is left out.
    """
    if JOKER in split.naturals:
        return
    if split.naturals:
        ranks = {card % N_RANKS for card in split.naturals}
    elif m.wild_as_natural:
        ranks = {card % N_RANKS for card in split.wilds if card != JOKER}
    else:
        return
    if len(ranks) > 1 and split.naturals:
        return
    if m.set_distinct_suits and len(set(split.naturals)) < len(split.naturals):
        return
    for rank in sorted(ranks):
        yield Layout(MeldKind.SET, len(_set_naturals(rank, split, m)), rank)


def _set_naturals(rank: int, split: Split, m: MeldRules) -> tuple[Card, ...]:
    """Return the cards read as naturals in a set of a rank, as many as may be."""
    naturals = list(split.naturals)
    if m.wild_as_natural:
        for card in split.wilds:
            own = card != JOKER and card % N_RANKS == rank
            if own and not (m.set_distinct_suits and card in naturals):
                naturals.append(card)
    return tuple(naturals)


def is_legal(layout: Layout, n_cards: int, m: MeldRules) -> bool:
    """Return whether a reading keeps lengths and limits."""
    if layout.kind == MeldKind.RUN:
        return run_reason(layout.mask, n_cards, m) is None
    return set_reason(layout.n_naturals, n_cards, m) is None


def place(layout: Layout, split: Split, m: MeldRules) -> Meld:
    """Return the meld of a reading; wilds fill the free places in ascending order."""
    if layout.kind == MeldKind.RUN:
        return _place_run(layout, split)
    return _place_set(layout.line, split, m)


def _place_run(layout: Layout, split: Split) -> Meld:
    n_cards = len(split.naturals) + len(split.wilds)
    wanted = [place_card(layout.line, layout.start + i) for i in range(n_cards)]
    spare = list(split.wilds)
    for i, card in enumerate(wanted):
        if layout.mask >> i & 1 and card in spare:
            spare.remove(card)
    cards: list[Card] = []
    stands_for: list[str | None] = []
    for i, card in enumerate(wanted):
        natural = layout.mask >> i & 1
        cards.append(card if natural else spare.pop(0))
        stands_for.append(None if natural else format_card(card))
    return Meld(MeldKind.RUN, tuple(cards), tuple(stands_for))


def _place_set(rank: int, split: Split, m: MeldRules) -> Meld:
    naturals = list(_set_naturals(rank, split, m))
    cards = tuple(sorted(split.naturals + split.wilds))
    stands_for: list[str | None] = []
    for card in cards:
        if card in naturals:
            naturals.remove(card)
            stands_for.append(None)
        else:
            stands_for.append(RANKS[rank])
    return Meld(MeldKind.SET, cards, tuple(stands_for))


def place_wilds(cards: Sequence[Card]) -> Meld:
    """Return cards as a meld of wilds only."""
    return Meld(MeldKind.WILD, tuple(sorted(cards)), (None,) * len(cards))


def sub_layouts(layout: Layout, split: Split, m: MeldRules) -> Iterator[Layout]:
    """Yield a run's reading and those in which wild cards on their own places are read as wild."""
    own = 0
    if layout.kind == MeldKind.RUN:
        wilds = set(split.wilds)
        for i in range(len(split.naturals) + len(split.wilds)):
            if layout.mask >> i & 1 and place_card(layout.line, layout.start + i) in wilds:
                own |= 1 << i
    cleared = 0
    while True:
        mask = layout.mask & ~cleared
        if mask or layout.kind == MeldKind.SET:
            n_naturals = layout.n_naturals - cleared.bit_count()
            yield layout._replace(mask=mask, n_naturals=n_naturals)
        if cleared == own:
            return
        cleared = (cleared - own) & own  # the next subset of own
