"""Melds that lie on the table: reading them, judging them, adding a card, swapping a wild.

A meld on the table may be longer than what could be laid at once: the limits on numbers of wilds
bind the melds a player lays, cards added later only have to keep the shape of the meld (length,
places, suits, neighbouring wilds, ``wild_ratio``) and ``layoff_wild_limit``. So a meld may lie on
the table when it keeps the shape and some part of it could have been laid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Final, Literal, TypeAlias

from solver.cards import (
    N_RANKS,
    RANKS,
    Card,
    Counts,
    format_card,
)
from solver.errors import Fault, HandError, NotationError, quoted
from solver.melds import Meld, MeldKind, check_meld, is_meld, meld_readings
from solver.rules.deck import max_copies, with_largest_deck
from solver.rules.model import GameRules, MeldRules
from solver.table.notation import MeldNote, of_pairs, read_meld

End: TypeAlias = Literal["", "-", "+"]
TableItem: TypeAlias = "Lying | MeldNote"
Table: TypeAlias = Sequence[TableItem]

_UNREAD: Final = frozenset({"hand.type", "hand.shape", "card.id", "card.copies"})
"""Codes of values that are no cards at all, so that no judge was asked."""


@dataclass(frozen=True, slots=True)
class Lying:
    """A meld on the table.

    Attributes:
        meld: the meld as it lies, every wild on its place.
        n_wilds_added: wilds that were laid off on it, for ``layoff_wild_limit``.
    """

    meld: Meld
    n_wilds_added: int = 0


def adds_distinct(rules: GameRules) -> bool:
    """Return whether a card added to a set must differ in suit from the naturals there."""
    return rules.meld.set_distinct_suits and rules.flow.layoff_distinct_suits


@lru_cache(maxsize=64)
def _shape_of(meld: MeldRules, keeps_ratio: bool, distinct: bool) -> MeldRules:
    return replace(
        meld,
        set_distinct_suits=distinct,
        set_min_naturals=0,
        run_min_naturals=0,
        run_core=None,
        set_max_wilds=None,
        run_max_wilds=None,
        wild_ratio=meld.wild_ratio if keeps_ratio else None,
    )


def shape_rules(rules: GameRules) -> GameRules:
    """Return the rules that a meld keeps while cards are added: no limits on numbers of wilds.

    Their ratio to the naturals stays where the game keeps it (``layoff_keeps_ratio``), and so do
    the suits of a set (``layoff_distinct_suits``).
    """
    flow = rules.flow
    meld = _shape_of(rules.meld, flow.layoff_keeps_ratio, adds_distinct(rules))
    return replace(rules, meld=meld)


def read_table(table: Table, rules: GameRules, *, where: str = "/table") -> list[list[Lying]]:
    """Return the readings of each meld on a table.

    A placed meld has one reading. Cards without declared places have one for each place that
    their wilds can take (see ``meld_readings``).

    Args:
        table: melds as ``Lying``, ``Meld``, JSON objects (``cards``, ``kind``, ``stands_for``),
            texts (``"R[4H 5H JK=6H 7H]"``, ``"4H 5H JK 7H"``) or card ids.
        rules: the game.
        where: JSON pointer put before the number of a meld in faults.

    Raises:
        HandError: all faults at once: ``table.meld`` (no legal meld; ``reason`` tells the judge's
            code), ``table.copies`` (more of a card than the deck holds).
        NotationError: ``card.unknown``, ``table.notation``, ``table.set_suit``.
    """
    if isinstance(table, str | bytes | Mapping) or not isinstance(table, Sequence):
        message = f"expected a list of melds, got {quoted(table)}"
        raise NotationError(message, code="table.notation", where=where)
    found: list[list[Lying]] = []
    faults: list[Fault] = []
    unread: list[Fault] = []
    for i, item in enumerate(table):
        try:
            found.append(_readings(item, rules, f"{where}/{i}"))
        except NotationError as error:
            unread += error.faults
        except HandError as error:
            if error.code in _UNREAD:
                unread += error.faults
                continue
            faults += [_as_table_fault(f, f"{where}/{i}", i) for f in error.faults]
    if unread:
        raise NotationError.from_faults(unread + faults)
    if faults:
        raise HandError.from_faults(faults)
    return found


def _as_table_fault(fault: Fault, where: str, i: int) -> Fault:
    message = f"meld {i + 1} on the table: {fault.message}"
    return Fault("table.meld", where, message, {"reason": fault.code, **fault.data})


def _readings(item: TableItem, rules: GameRules, where: str) -> list[Lying]:
    if isinstance(item, Lying):
        _check_lying(item.meld, rules)
        return [item]
    cards = read_meld(item, rules, where)
    if isinstance(cards, Meld):
        _check_lying(cards, rules)
        return [Lying(cards)]
    melds = meld_readings(cards, rules) or _grown_readings(cards, rules)
    if not melds:
        check_meld(cards, rules, where=where)
    return [Lying(meld) for meld in melds]


def _grown_readings(cards: Sequence[Card], rules: GameRules) -> list[Meld]:
    """Return readings of a meld that only cards added later explain."""
    shapes = meld_readings(cards, shape_rules(rules))
    return [meld for meld in shapes if _has_legal_part(meld, rules)]


def _check_lying(meld: Meld, rules: GameRules) -> None:
    """Raise HandError unless a placed meld may lie on the table."""
    if is_meld(meld, rules):
        return
    if not (is_meld(meld, shape_rules(rules)) and _has_legal_part(meld, rules)):
        check_meld(meld, rules)


def _has_legal_part(meld: Meld, rules: GameRules) -> bool:
    """Return whether some cards of a meld could have been laid and the others added."""
    n = len(meld.cards)
    if meld.kind == MeldKind.RUN:
        parts = [
            Meld(meld.kind, meld.cards[i:j], meld.stands_for[i:j])
            for i in range(n)
            for j in range(i + 1, n + 1)
        ]
        return any(is_meld(part, rules) for part in parts)
    pairs = list(zip(meld.cards, meld.stands_for, strict=True))
    is_fixed = [meld.kind == MeldKind.SET and name is None for _, name in pairs]
    naturals = [p for p, fixed in zip(pairs, is_fixed, strict=True) if fixed]
    if rules.meld.set_distinct_suits:
        naturals = list(dict.fromkeys(naturals))  # the others were added
    wilds = [p for p, fixed in zip(pairs, is_fixed, strict=True) if not fixed]
    for k in range(len(wilds) + 1):
        part = sorted(naturals + wilds[:k], key=lambda p: (p[0], p[1] or ""))
        if part and is_meld(of_pairs(meld.kind, part), rules):
            return True
    return False


def check_copies(
    hand: Counts, table: Sequence[Lying], rules: GameRules, *, where: str = "/table"
) -> None:
    """Check that hand and table together can come from one deck, the largest of the game.

    Raises:
        HandError: ``table.copies`` at the meld in which a card turns up once too often,
            ``table.not_in_deck`` for a card the game does not have.
    """
    deck = with_largest_deck(rules).deck
    total = [int(n) for n in hand]
    faults: list[Fault] = []
    for i, lying in enumerate(table):
        for card in lying.meld.cards:
            total[card] += 1
            most = max_copies(card, deck)
            if most is not None and total[card] == max(most, 0) + 1:
                text = format_card(card)
                code = "table.copies" if most else "table.not_in_deck"
                message = (
                    f"meld {i + 1} on the table: expected at most {most} of {text} in hand and "
                    f"table together, got one more in {lying.meld.text()}"
                )
                data = {"card": text, "held": most}
                faults.append(Fault(code, f"{where}/{i}", message, data))
    if faults:
        raise HandError.from_faults(faults)


def one_of_each(readings: Sequence[Sequence[Lying]]) -> list[tuple[Lying, ...]]:
    """Return every table that the readings of its melds make, the first readings first."""
    return list(product(*readings))


# --- adding and swapping ------------------------------------------------------------------------


def add_card(lying: Lying, card: Card, end: End, stands_for: str | None, rules: GameRules) -> Lying:
    """Return a meld on the table with one card more.

    Args:
        lying: the meld as it lies.
        card: the card added.
        end: ``"-"`` below or ``"+"`` above a run, ``""`` for another meld.
        stands_for: what a wild is to stand for; None for a card read as itself, and for a wild
            among wilds.
        rules: the game.

    Raises:
        HandError: ``layoff.end``, ``layoff.wild_limit``, or the judge's code ``meld.*``.
    """
    meld = lying.meld
    if (meld.kind == MeldKind.RUN) != (end != ""):
        raise HandError(
            f"expected an end of a run, got {quoted(end)} for {meld.text()}", code="layoff.end"
        )
    pairs = list(zip(meld.cards, meld.stands_for, strict=True))
    kind = meld.kind
    if kind == MeldKind.RUN:
        pairs = [(card, stands_for), *pairs] if end == "-" else [*pairs, (card, stands_for)]
    else:
        if kind == MeldKind.WILD and not rules.meld.is_wild(card):
            kind = MeldKind.SET
            pairs = [(c, RANKS[card % N_RANKS]) for c, _ in pairs]
        pairs = sorted([*pairs, (card, stands_for)], key=lambda p: (p[0], p[1] or ""))
    longer = check_meld(of_pairs(kind, pairs), shape_rules(rules))
    n_added = lying.n_wilds_added + (stands_for is not None or kind == MeldKind.WILD)
    limit = rules.flow.layoff_wild_limit
    if limit is not None and n_added > max(limit, lying.n_wilds_added):
        raise HandError(
            f"expected at most {limit} wilds laid off on a meld, got one more on {meld.text()}",
            code="layoff.wild_limit",
        )
    return Lying(longer, n_added)


def swap_wild(lying: Lying, place: int, card: Card, rules: GameRules) -> tuple[Lying, Card]:
    """Return a meld with the natural card in the place of a wild, and the wild.

    Raises:
        HandError: ``swap.place`` (no wild there), ``swap.card`` (not the card it stands for).
    """
    meld = lying.meld
    name = meld.stands_for[place] if 0 <= place < len(meld.cards) else None
    if name is None:
        raise HandError(
            f"expected the place of a wild in {meld.text()}, got {place}", code="swap.place"
        )
    shown = format_card(card)
    if name not in (shown, shown[0]):
        raise HandError(f"expected {name}, got {shown}", code="swap.card")
    pairs = list(zip(meld.cards, meld.stands_for, strict=True))
    wild = pairs[place][0]
    if meld.kind == MeldKind.SET and rules.meld.set_distinct_suits and (card, None) in pairs:
        # The wild stands for a suit that the set lacks, even where such cards may be added.
        raise HandError(f"expected a suit that {meld.text()} lacks, got {shown}", code="swap.card")
    pairs[place] = (card, None)
    if meld.kind != MeldKind.RUN:
        pairs.sort(key=lambda p: (p[0], p[1] or ""))
    after = check_meld(of_pairs(meld.kind, pairs), shape_rules(rules))
    return Lying(after, lying.n_wilds_added), wild
