"""Judging one meld: loose cards by their best reading, a placed meld as it lies."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np

from solver.arguments import checked, one_of
from solver.cards import N_CARDS, Card, HandLike, cards_of, parse_cards, read_hand
from solver.errors import HandError
from solver.melds.faults import loose_faults, placed_reason
from solver.melds.readings import (
    Layout,
    Meld,
    MeldKind,
    Split,
    all_wild_kinds,
    is_legal,
    place,
    place_wilds,
    run_layouts,
    set_layouts,
    split_cards,
    sub_layouts,
)
from solver.rules.argument import RULES
from solver.rules.model import GameRules, MeldRules

MeldLike: TypeAlias = "Meld | HandLike"
"""A placed meld, or loose cards (text, tokens or card ids) whose reading is free."""


_KIND: Final = one_of(tuple(MeldKind), "a kind", code="meld.kind", error=HandError).or_none()


@checked(rules=RULES, kind=_KIND)
def check_meld(
    cards: MeldLike, rules: GameRules, *, kind: MeldKind | None = None, where: str = ""
) -> Meld:
    """Return the cards as a meld, or raise with the reason why they are none.

    Loose cards are a multiset and legal if any reading is; the reading returned is the first of
    ``meld_readings``. A ``Meld`` is judged exactly as placed and returned as it is.

    Args:
        cards: a placed meld, or loose cards in any order.
        rules: the rules; only ``rules.meld`` is read.
        kind: the only kind to allow; a meld of wilds passes as a run or a set when legal as that.
        where: JSON pointer put into faults.

    Raises:
        HandError: codes ``meld.*``; with a fault for either kind when neither came nearer.
        NotationError: a text is not a card.

    Example:
        >>> from solver.rules.model import GameRules
        >>> check_meld("9S 7S 8S", GameRules("plain", "Plain")).text()
        'R[7S 8S 9S]'
    """
    m = rules.meld
    if isinstance(cards, Meld):
        reason = placed_reason(cards, m)
        if reason is not None:
            raise HandError(f"{cards.text()}: {reason.message}", code=reason.code, where=where)
        if kind is not None and kind not in counts_as(cards, m):
            raise HandError(f"expected a {kind}, got {cards.text()}", code="meld.kind", where=where)
        return cards
    loose = loose_cards(cards, rules, where)
    meld = _first_reading(loose, m, kind)
    if meld is None:
        raise HandError.from_faults(loose_faults(loose, m, kind, where))
    return meld


def is_meld(cards: MeldLike, rules: GameRules, *, kind: MeldKind | None = None) -> bool:
    """Return whether ``check_meld`` would accept the cards; a text that is no card still raises."""
    m = rules.meld
    if isinstance(cards, Meld):
        return placed_reason(cards, m) is None and (kind is None or kind in counts_as(cards, m))
    return _first_reading(loose_cards(cards, rules, ""), m, kind) is not None


def meld_readings(cards: HandLike, rules: GameRules) -> list[Meld]:
    """Return every legal way to read loose cards as one meld; empty when there is none.

    A reading as a run is a suit, a start and the places that wilds fill; which of several wilds
    fills which place is no difference, they lie in ascending order. There is one reading as a
    set for each rank (as many naturals as may be) and one as wilds only. Order: wilds only; then
    most naturals; runs before sets (with ``hand_require`` runs come before all sets); lowest
    suit or rank; lowest start; lowest natural places.
    """
    m = rules.meld
    loose = loose_cards(cards, rules, "")
    split = split_cards(loose, m)
    layouts = {
        sub
        for layout in (*run_layouts(split, m), *set_layouts(split, m))
        for sub in sub_layouts(layout, split, m)
        if is_legal(sub, len(loose), m)
    }
    wild = [place_wilds(loose)] if _wild_kinds(split, m) else []
    order = sorted(layouts, key=lambda layout: _layout_order(layout, m))
    return wild + [place(layout, split, m) for layout in order]


def _layout_order(layout: Layout, m: MeldRules) -> tuple[bool, int, bool, int, int, int]:
    is_set = layout.kind == MeldKind.SET
    # Where runs must be shown, cards that may be a run are wanted as one.
    runs_first = is_set and m.hand_require is not None
    return runs_first, -layout.n_naturals, is_set, layout.line, layout.start, layout.mask


def _wild_kinds(split: Split, m: MeldRules) -> tuple[MeldKind, ...]:
    """Return as which kinds the cards are legal with every card read as wild."""
    return () if split.naturals else all_wild_kinds(len(split.wilds), m)


def _first_reading(cards: tuple[Card, ...], m: MeldRules, kind: MeldKind | None) -> Meld | None:
    """Return the first legal reading of loose cards as a kind, None when there is none."""
    split = split_cards(cards, m)
    wild_kinds = _wild_kinds(split, m)
    if wild_kinds and (kind in (None, MeldKind.WILD) or kind in wild_kinds):
        return place_wilds(cards)
    layouts: list[Layout] = []
    if kind in (None, MeldKind.RUN):
        layouts += [lay for lay in run_layouts(split, m) if is_legal(lay, len(cards), m)]
    if kind in (None, MeldKind.SET):
        layouts += [lay for lay in set_layouts(split, m) if is_legal(lay, len(cards), m)]
    if not layouts:
        return None
    return place(min(layouts, key=lambda layout: _layout_order(layout, m)), split, m)


def loose_cards(cards: HandLike, rules: GameRules, where: str) -> tuple[Card, ...]:
    """Return the ids of loose cards; ids are the fast lane, since every answer passes here."""
    if isinstance(cards, str):
        return tuple(parse_cards(cards, tiles=rules.deck.tiles, where=where))
    if isinstance(cards, np.ndarray):
        return tuple(cards_of(read_hand(cards, where=where)))
    if isinstance(cards, list | tuple) and all(
        type(card) is int and 0 <= card < N_CARDS for card in cards
    ):
        return tuple(cards)
    return tuple(cards_of(read_hand(cards, tiles=rules.deck.tiles, where=where)))


def counts_as(meld: Meld, m: MeldRules) -> tuple[MeldKind, ...]:
    """Return as which kinds a legal placed meld counts."""
    if meld.kind != MeldKind.WILD:
        return (meld.kind,)
    return (MeldKind.WILD, *all_wild_kinds(len(meld.cards), m))
