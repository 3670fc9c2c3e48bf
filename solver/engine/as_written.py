"""Melds as a player writes them: wilds whose place is clear need no ``=``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from solver.cards import JOKER, N_RANKS, RANKS, SUITS, Card, format_card
from solver.errors import IllegalMoveError
from solver.melds import Meld, MeldKind, is_meld, meld_readings
from solver.melds.readings import is_own_place, place_card, run_starts
from solver.rules.model import GameRules, MeldRules


def readings_of(meld: Meld, rules: GameRules) -> tuple[Meld, ...]:
    """Return the legal readings of a meld, each with a place for every wild.

    What is declared stands. A wild without ``=`` takes the place it is written in; where the
    cards of a run are not written in the order of a run, and no wild of it is declared, it takes
    each place that makes a run. A card that may be read as itself is read so.

    Args:
        meld: the meld as written; ``stands_for`` is None for a card that nothing is said of.
        rules: the rules; only ``rules.meld`` is read.

    Returns:
        Readings that differ in what some card stands for; () when there is none.

    Example:
        >>> from solver.engine.notation import parse_melds
        >>> from solver.rules.loader import load_rules
        >>> liverpool = load_rules("liverpool")
        >>> [m.stands_for[1] for m in readings_of(parse_melds("R[AD 2D 3D 4D]")[0], liverpool)]
        ['2D']
        >>> [m.text() for m in readings_of(parse_melds("R[6H 5H 4H JK]")[0], liverpool)]
        ['R[JK=3H 4H 5H 6H]', 'R[4H 5H 6H JK=7H]']
    """
    if is_meld(meld, rules):
        return (_as_itself(meld, rules),)
    wilds = [i for i, card in enumerate(meld.cards) if rules.meld.is_wild(card)]
    declared = [i for i in wilds if meld.stands_for[i] is not None]
    if meld.kind == MeldKind.WILD or len(declared) == len(wilds):
        return ()  # nothing is left open, so the meld is judged as it lies
    if meld.kind == MeldKind.SET:
        found = [m for m in _sets(meld, rules.meld) if is_meld(m, rules)]
    else:
        found = [m for m in _in_order(meld, rules.meld) if is_meld(m, rules)]
        if not found and not declared:
            found = [m for m in meld_readings(meld.cards, rules) if m.kind == MeldKind.RUN]
    distinct: dict[tuple[str, ...], Meld] = {}
    for reading in found:  # most naturals first: as itself or as a wild, it stands for the same
        distinct.setdefault(_shown(reading), reading)
    return tuple(distinct.values())


def several_readings(readings: Sequence[str]) -> IllegalMoveError:
    """Return the refusal ``meld.readings`` of melds that can be read in several ways."""
    return IllegalMoveError(
        "expected what each wild stands for, such as 2C=6H, got cards that lie as "
        f"{' or '.join(readings)}",
        code="meld.readings",
        data={"readings": list(readings)},
    )


def _as_itself(meld: Meld, rules: GameRules) -> Meld:
    """Return a legal meld with wilds on their own places read as themselves where they may be."""
    if not rules.meld.wild_as_natural:
        return meld
    pairs = zip(meld.cards, meld.stands_for, strict=True)
    names = tuple(None if name and is_own_place(card, name) else name for card, name in pairs)
    plain = replace(meld, stands_for=names)
    return plain if is_meld(plain, rules) else meld


def _shown(meld: Meld) -> tuple[str, ...]:
    """Return what each card of a meld stands for, itself where nothing is declared."""
    pairs = zip(meld.cards, meld.stands_for, strict=True)
    if meld.kind == MeldKind.SET:
        return tuple(name or RANKS[card % N_RANKS] for card, name in pairs)
    return tuple(name or format_card(card) for card, name in pairs)


def _sets(meld: Meld, m: MeldRules) -> Iterator[Meld]:
    """Yield the meld as a set of each rank that its cards and names show."""
    pairs = list(zip(meld.cards, meld.stands_for, strict=True))
    ranks = {name for _, name in pairs if name is not None}
    ranks |= {RANKS[card % N_RANKS] for card, _ in pairs if not m.is_wild(card)}
    if not ranks:
        ranks = {RANKS[card % N_RANKS] for card, _ in pairs if card != JOKER}
    for rank in sorted(ranks, key=RANKS.index):
        named: list[tuple[Card, str | None]] = []
        for card, name in pairs:
            own = m.wild_as_natural and card != JOKER and RANKS[card % N_RANKS] == rank
            twin = m.set_distinct_suits and (card, None) in named
            is_open = name is None and m.is_wild(card)
            named.append((card, rank if is_open and (not own or twin) else name))
        named.sort(key=lambda pair: (pair[0], pair[1] or ""))
        yield Meld(meld.kind, tuple(c for c, _ in named), tuple(name for _, name in named))


def _in_order(meld: Meld, m: MeldRules) -> Iterator[Meld]:
    """Yield the meld as a run of the cards in the order written, from each start that fits."""
    shown = [
        name or format_card(card)
        for card, name in zip(meld.cards, meld.stands_for, strict=True)
        if name is not None or not m.is_wild(card)
    ]
    # Wilds alone show no suit; a run of them would lie anywhere.
    for suit in sorted({SUITS.find(text[-1]) for text in shown}):
        for start in run_starts(len(meld.cards), m) if suit >= 0 else ():
            names = _names_from(meld, suit, start, m)
            if names is not None:
                yield Meld(meld.kind, meld.cards, names)


def _names_from(meld: Meld, suit: int, start: int, m: MeldRules) -> tuple[str | None, ...] | None:
    """Return what the cards stand for in a run from a start, None where one does not fit."""
    names: list[str | None] = []
    for i, (card, name) in enumerate(zip(meld.cards, meld.stands_for, strict=True)):
        wanted = place_card(suit, start + i)
        as_itself = card == wanted and (not m.is_wild(card) or m.wild_as_natural)
        if name is not None and name != format_card(wanted):
            return None
        if name is None and not as_itself and not m.is_wild(card):
            return None
        names.append(name if name is not None or as_itself else format_card(wanted))
    return tuple(names)
