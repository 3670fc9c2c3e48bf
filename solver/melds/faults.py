"""Why cards are no meld: reasons in words for loose cards and for melds as placed."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Final

from solver.cards import (
    JOKER,
    N_RANKS,
    RANKS,
    Card,
    format_card,
    format_hand,
)
from solver.errors import Fault
from solver.melds.readings import (
    ACE,
    ACE_HIGH,
    FULL_LINE,
    Meld,
    MeldKind,
    Reason,
    Split,
    all_wild_kinds,
    length_reason,
    line_ends,
    place_card,
    run_cap,
    run_layouts,
    run_reason,
    run_starts,
    set_layouts,
    set_reason,
    split_cards,
)
from solver.rules.model import MeldRules

_CARD_OF: Final = {format_card(card): card for card in range(JOKER)}
# How far cards came on the way to a meld; the kind that came further names the fault.
_SHAPE: Final = 0
_PLACES: Final = 1
_LENGTH: Final = 2
_LIMITS: Final = 3


def loose_faults(
    cards: tuple[Card, ...], m: MeldRules, kind: MeldKind | None, where: str
) -> list[Fault]:
    """Return what keeps cards that are no meld from being one.

    Args:
        cards: card ids in any order; no reading of them is legal.
        m: the rules of melds.
        kind: the only kind asked for, or None for any.
        where: JSON pointer of the faults.

    Returns:
        One fault for the kind that came nearest, or one for each kind when neither did.
    """
    split = split_cards(cards, m)
    shown = format_hand(sorted(cards)) or "no cards"
    if JOKER in split.naturals:
        text = f"expected a meld, got {shown}: a joker is not wild in this game"
        return [Fault("meld.joker", where, text)]
    if kind == MeldKind.WILD:
        return [_why_not_all_wild(split, m, shown, where)]
    least = min(m.run_min, m.set_min)
    if kind is None and len(cards) < least:
        text = f"expected a meld of at least {least} cards, got {shown}"
        return [Fault("meld.too_short", where, text)]
    found: list[tuple[int, Reason, MeldKind]] = []
    if kind != MeldKind.SET:
        found.append((*_why_no_run(split, m), MeldKind.RUN))
    if kind != MeldKind.RUN:
        found.append((*_why_no_set(split, m), MeldKind.SET))
    nearest = max(stage for stage, _, _ in found)
    return [
        Fault(reason.code, where, f"{shown} as a {as_kind}: {reason.message}")
        for stage, reason, as_kind in found
        if stage == nearest
    ]


def _why_not_all_wild(split: Split, m: MeldRules, shown: str, where: str) -> Fault:
    """Return what keeps cards from being a meld of wilds only."""
    if split.naturals:
        text = f"expected wilds only, got {format_hand(split.naturals)}"
        return Fault("meld.wilds_only", where, text)
    reason = set_reason(0, len(split.wilds), m)
    assert reason is not None, "an all-wild meld without a fault must be legal"
    return Fault(reason.code, where, f"{shown} as wilds only: {reason.message}")


def _why_no_run(split: Split, m: MeldRules) -> tuple[int, Reason]:
    """Return how far cards came towards a run, and what then failed."""
    n_cards = len(split.naturals) + len(split.wilds)
    if len({card // N_RANKS for card in split.naturals}) > 1:
        text = f"expected naturals of one suit, got {format_hand(split.naturals)}"
        return _SHAPE, Reason("meld.mixed_suits", text)
    for card, copies in Counter(split.naturals).items():
        # Only a line with an ace at either end has room for two cards of one rank.
        twice = m.ace == "both" and n_cards >= FULL_LINE and card % N_RANKS == ACE
        if copies > (2 if twice else 1):
            text = f"expected each position once, got {format_card(card)} {copies} times"
            return _PLACES, Reason("meld.duplicate_rank", text)
    cap = run_cap(m)
    if n_cards > cap:
        return _LENGTH, Reason("meld.too_long", f"expected at most {cap} cards, got {n_cards}")
    if split.naturals and next(run_layouts(split, m), None) is None:
        return _PLACES, _why_no_place(split, n_cards, m)
    masks = [lay.mask for lay in run_layouts(split, m)] or [0]
    reason = run_reason(max(masks, key=int.bit_count), n_cards, m)
    assert reason is not None, "a run without a fault must be legal"
    return (_LENGTH if reason.code == "meld.too_short" else _LIMITS), reason


def _why_no_place(split: Split, n_cards: int, m: MeldRules) -> Reason:
    """Return why naturals of one suit, each position once, fit no run of so many cards."""
    naturals = format_hand(split.naturals)
    ranks = {card % N_RANKS for card in split.naturals}
    first, last = line_ends(m)
    on_line = {position % N_RANKS for position in range(first, last + 1)}
    if m.ace != "cyclic" and not ranks <= on_line:
        text = f"expected ranks {RANKS[first]} to {RANKS[last % N_RANKS]} in a run, got {naturals}"
        return Reason("meld.no_position", text)
    if _spans(split, range(FULL_LINE - n_cards + 1), n_cards):
        text = f"expected places from {RANKS[first]} to {RANKS[last % N_RANKS]}, ace {m.ace}"
        return Reason("meld.no_position", f"{text}, got {naturals}")
    if m.ace != "cyclic" and _spans(split, range(N_RANKS), n_cards):
        return Reason("meld.wrap", f"expected no run around the corner, got {naturals}")
    text = f"expected enough wilds for the gaps, got {naturals} and {len(split.wilds)} wilds"
    return Reason("meld.gap", text)


def _spans(split: Split, starts: range, n_cards: int) -> bool:
    """Return whether so many places on the ring, from one of these starts, hold all naturals."""
    return any(
        all((card - start) % N_RANKS < n_cards for card in split.naturals) for start in starts
    )


def _why_no_set(split: Split, m: MeldRules) -> tuple[int, Reason]:
    """Return how far cards came towards a set, and what then failed."""
    n_cards = len(split.naturals) + len(split.wilds)
    if len({card % N_RANKS for card in split.naturals}) > 1:
        text = f"expected naturals of one rank, got {format_hand(split.naturals)}"
        return _SHAPE, Reason("meld.mixed_ranks", text)
    twice = [card for card, copies in Counter(split.naturals).items() if copies > 1]
    if m.set_distinct_suits and twice:
        text = f"expected naturals of different suits, got {format_card(twice[0])} twice"
        return _PLACES, Reason("meld.duplicate_suit", text)
    n_naturals = max((lay.n_naturals for lay in set_layouts(split, m)), default=0)
    reason = set_reason(n_naturals, n_cards, m)
    assert reason is not None, "a set without a fault must be legal"
    return (_LENGTH if length_reason(n_cards, MeldKind.SET, m) else _LIMITS), reason


def placed_reason(meld: Meld, m: MeldRules) -> Reason | None:
    """Return why a meld is illegal as placed, None when it is legal.

    The declared readings are taken at their word: nothing is moved or read otherwise.
    """
    return _placed_roles(meld, m) or {
        MeldKind.RUN: _placed_run,
        MeldKind.SET: _placed_set,
        MeldKind.WILD: _placed_wild,
    }[meld.kind](meld, m)


def _placed_roles(meld: Meld, m: MeldRules) -> Reason | None:
    """Return which card is declared as what it cannot be."""
    for card, name in zip(meld.cards, meld.stands_for, strict=True):
        wild = m.is_wild(card)
        if card == JOKER and not wild:
            return Reason("meld.joker", "expected a meld, got JK: a joker is not wild in this game")
        if name is not None or meld.kind == MeldKind.WILD:
            if not wild:
                text = f"expected a wild, got {format_card(card)}"
                return Reason("meld.stands_for", f"{text} standing for {name or 'any card'}")
        elif wild and (card == JOKER or not m.wild_as_natural):
            text = f"expected what the wild {format_card(card)} stands for, got nothing"
            return Reason("meld.stands_for", text)
    return None


def shown_cards(meld: Meld) -> list[Card] | None:
    """Return the natural cards that a run shows, wilds named; None for a name of no card."""
    shown = [
        card if name is None else _CARD_OF.get(name, JOKER)
        for card, name in zip(meld.cards, meld.stands_for, strict=True)
    ]
    return None if JOKER in shown else shown


def placed_start(meld: Meld, m: MeldRules) -> int | None:
    """Return the position of the first card of a placed run, None when it lies on no line."""
    shown = shown_cards(meld)
    if not shown:
        return None
    suit, rank = divmod(shown[0], N_RANKS)
    if any(card != place_card(suit, rank + i) for i, card in enumerate(shown)):
        return None
    starts = run_starts(len(shown), m)
    # A lone ace stands high where the line has no low end.
    positions = (rank, ACE_HIGH) if rank == ACE else (rank,)
    return next((position for position in positions if position in starts), None)


def _placed_run(meld: Meld, m: MeldRules) -> Reason | None:
    mask = sum(1 << i for i, name in enumerate(meld.stands_for) if name is None)
    short = length_reason(len(meld.cards), MeldKind.RUN, m)
    if short is not None or placed_start(meld, m) is not None:
        return short or run_reason(mask, len(meld.cards), m)
    shown = shown_cards(meld)
    if shown is None:
        return Reason("meld.stands_for", f"expected names of cards, got {meld.text()}")
    if len({card // N_RANKS for card in shown}) > 1:
        return Reason("meld.mixed_suits", f"expected one suit, got {meld.text()}")
    if any((b - a) % N_RANKS != 1 for a, b in pairwise(shown)):
        text = f"expected neighbouring ranks in ascending order, got {meld.text()}"
        return Reason("meld.order", text)
    return _why_no_place(Split(tuple(shown), ()), len(shown), m)


def _placed_set(meld: Meld, m: MeldRules) -> Reason | None:
    naturals = [c for c, name in zip(meld.cards, meld.stands_for, strict=True) if name is None]
    ranks = {RANKS[card % N_RANKS] for card in naturals}
    ranks |= {name for name in meld.stands_for if name is not None}
    if len(ranks) > 1 or not ranks <= set(RANKS):
        return Reason("meld.mixed_ranks", f"expected one rank, got {meld.text()}")
    if m.set_distinct_suits and len(set(naturals)) < len(naturals):
        return Reason("meld.duplicate_suit", f"expected different suits, got {meld.text()}")
    return set_reason(len(naturals), len(meld.cards), m)


def _placed_wild(meld: Meld, m: MeldRules) -> Reason | None:
    if any(name is not None for name in meld.stands_for):
        text = f"expected wilds that stand for nothing, got {meld.text()}"
        return Reason("meld.stands_for", text)
    if all_wild_kinds(len(meld.cards), m):
        return None
    return set_reason(0, len(meld.cards), m)
