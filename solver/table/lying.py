"""Melds that lie on the table: reading them, judging them, adding a card, swapping a wild.

A meld on the table may be longer than what could be laid at once: the limits on numbers of wilds
bind the melds a player lays, cards added later only have to keep the shape of the meld (length,
places, suits, neighbouring wilds, ``wild_ratio``) and ``layoff_wild_limit``. So a meld may lie on
the table when it keeps the shape and some part of it could have been laid.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, Final, Literal, TypeAlias

from solver.cards import (
    JOKER,
    N_RANKS,
    RANKS,
    Card,
    Counts,
    counts_of,
    format_card,
    parse_card,
    read_cards,
)
from solver.errors import Fault, HandError, NotationError
from solver.melds import Meld, MeldKind, MeldLike, check_meld, is_meld, meld_readings
from solver.rules.deck import max_copies, with_largest_deck
from solver.rules.model import GameRules, MeldRules

End: TypeAlias = Literal["", "-", "+"]
TableItem: TypeAlias = "Lying | MeldLike | Mapping[str, Any]"
Table: TypeAlias = Sequence[TableItem]

_PLACED: Final = re.compile(r"\s*([RSW])\s*\[(.*)\]\s*", re.IGNORECASE | re.DOTALL)
_UNREAD: Final = frozenset({"hand.type", "hand.shape", "card.id", "card.copies"})
"""Codes of values that are no cards at all, so that no judge was asked."""
_KIND_OF: Final = {"R": MeldKind.RUN, "S": MeldKind.SET, "W": MeldKind.WILD}


@dataclass(frozen=True, slots=True)
class Lying:
    """A meld on the table.

    Attributes:
        meld: the meld as it lies, every wild on its place.
        n_wilds_added: wilds that were laid off on it, for ``layoff_wild_limit``.
    """

    meld: Meld
    n_wilds_added: int = 0


@lru_cache(maxsize=64)
def _shape_of(meld: MeldRules, keeps_ratio: bool) -> MeldRules:
    return replace(
        meld,
        set_min_naturals=0,
        run_min_naturals=0,
        run_core=None,
        set_max_wilds=None,
        run_max_wilds=None,
        wild_ratio=meld.wild_ratio if keeps_ratio else None,
    )


def shape_rules(rules: GameRules) -> GameRules:
    """Return the rules that a meld keeps while cards are added: no limits on numbers of wilds.

    Their ratio to the naturals stays where the game keeps it (``layoff_keeps_ratio``).
    """
    return replace(rules, meld=_shape_of(rules.meld, rules.flow.layoff_keeps_ratio))


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
        NotationError: ``card.unknown``, ``table.notation``.
    """
    if isinstance(table, str | bytes | Mapping) or not isinstance(table, Sequence):
        message = f"expected a list of melds, got {table!r:.40}"
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
    if isinstance(item, Mapping):
        item = _from_json(item, rules, where)
    elif isinstance(item, str) and (placed := _PLACED.fullmatch(item)):
        item = _from_text(placed[1].upper(), placed[2], rules, where)
    if isinstance(item, Meld):
        _check_lying(item, rules)
        return [Lying(item)]
    cards = _loose(item, rules, where)
    melds = meld_readings(cards, rules) or _grown_readings(cards, rules)
    if not melds:
        check_meld(cards, rules, where=where)
    return [Lying(meld) for meld in melds]


def _loose(item: MeldLike, rules: GameRules, where: str) -> list[Card]:
    """Return loose cards in the order given."""
    assert not isinstance(item, Meld), "a placed meld is not loose"
    cards = read_cards(item, tiles=rules.deck.tiles, where=where)
    counts_of(cards, where=where)
    return cards


def _card(token: str, rules: GameRules, where: str) -> Card:
    try:
        return parse_card(token, tiles=rules.deck.tiles)
    except NotationError as error:
        fault = error.faults[0]
        raise NotationError.from_faults([replace(fault, where=where)]) from None


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
    wilds = [p for p, fixed in zip(pairs, is_fixed, strict=True) if not fixed]
    for k in range(len(wilds) + 1):
        part = sorted(naturals + wilds[:k], key=lambda p: (p[0], p[1] or ""))
        if part and is_meld(_of_pairs(meld.kind, part), rules):
            return True
    return False


def _of_pairs(kind: MeldKind, pairs: Sequence[tuple[Card, str | None]]) -> Meld:
    return Meld(kind, tuple(c for c, _ in pairs), tuple(name for _, name in pairs))


def _from_json(item: Mapping[str, Any], rules: GameRules, where: str) -> MeldLike:
    """Return a meld of a JSON object; without ``stands_for`` its places are open."""
    ids = _loose(item.get("cards", ()), rules, f"{where}/cards")
    names = item.get("stands_for")
    kind = item.get("kind")
    if names is None or kind is None:
        return ids
    are_names = isinstance(names, Sequence) and not isinstance(names, str | bytes)
    if kind not in tuple(MeldKind) or not are_names or len(names) != len(ids):
        n_names = len(names) if are_names else f"{names!r:.40}"
        raise NotationError(
            "expected kind run, set or wild and one stands_for a card, got "
            f"{kind!r:.40} and {n_names} for {len(ids)}",
            code="table.notation",
            where=where,
        )
    if kind == MeldKind.WILD:
        return _of_pairs(MeldKind.WILD, [(c, None) for c in sorted(ids)])
    shown = [
        None if n is None else _name(str(n), MeldKind(kind), rules, f"{where}/stands_for/{i}")
        for i, n in enumerate(names)
    ]
    pairs = list(zip(ids, shown, strict=True))
    if kind == MeldKind.SET:
        pairs.sort(key=lambda p: (p[0], p[1] or ""))
    return _of_pairs(MeldKind(kind), pairs)


def _name(text: str, kind: MeldKind, rules: GameRules, where: str) -> str:
    """Return the canonical name of what a wild stands for."""
    if kind == MeldKind.SET and text.upper() in RANKS:
        return text.upper()
    card = _card(text, rules, where)
    return RANKS[card % N_RANKS] if kind == MeldKind.SET and card != JOKER else format_card(card)


def _from_text(letter: str, inside: str, rules: GameRules, where: str) -> Meld:
    """Return the meld of ``R[...]``; a run's cards are in order, so undeclared wilds are named."""
    kind = _KIND_OF[letter]
    cards: list[Card] = []
    names: list[str | None] = []
    for i, token in enumerate(t for t in re.split(r"[\s,;|]+", inside) if t):
        card, equals, name = token.partition("=")
        cards.append(_card(card, rules, f"{where}/{i}"))
        names.append(_name(name, kind, rules, f"{where}/{i}") if equals else None)
    if kind == MeldKind.RUN:
        return Meld(kind, tuple(cards), tuple(_run_names(cards, names, rules.meld)))
    if kind == MeldKind.WILD:
        return _of_pairs(kind, [(c, None) for c in sorted(cards)])
    fixed = [RANKS[c % N_RANKS] for c in cards if not rules.meld.is_wild(c)]
    rank = next(iter(fixed), next((n for n in names if n is not None), None))
    pairs = [
        (c, rank if n is None and _needs_name(c, rank, rules.meld) else n)
        for c, n in zip(cards, names, strict=True)
    ]
    return _of_pairs(kind, sorted(pairs, key=lambda p: (p[0], p[1] or "")))


def _needs_name(card: Card, rank: str | None, m: MeldRules) -> bool:
    """Return whether a card of a set stands for something else."""
    own = card != JOKER and RANKS[card % N_RANKS] == rank and m.wild_as_natural
    return m.is_wild(card) and not own


def _run_names(
    cards: Sequence[Card], names: Sequence[str | None], m: MeldRules
) -> list[str | None]:
    """Name the undeclared wilds of a run by their neighbours, where these fix the places."""
    firsts = set()
    for i, (card, name) in enumerate(zip(cards, names, strict=True)):
        shown = parse_card(name) if name is not None else card
        if name is not None or not m.is_wild(card):
            firsts.add(shown // N_RANKS * N_RANKS + (shown - i) % N_RANKS if shown < JOKER else -1)
    if len(firsts) != 1 or -1 in firsts:
        return list(names)
    first = firsts.pop()
    suit, rank = divmod(first, N_RANKS)
    found: list[str | None] = []
    for i, (card, name) in enumerate(zip(cards, names, strict=True)):
        own = suit * N_RANKS + (rank + i) % N_RANKS
        undeclared = name is None and m.is_wild(card)
        read_as_own = card == own and m.wild_as_natural
        found.append(format_card(own) if undeclared and not read_as_own else name)
    return found


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
            f"expected an end of a run, got {end!r} for {meld.text()}", code="layoff.end"
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
    longer = check_meld(_of_pairs(kind, pairs), shape_rules(rules))
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
    pairs[place] = (card, None)
    if meld.kind != MeldKind.RUN:
        pairs.sort(key=lambda p: (p[0], p[1] or ""))
    after = check_meld(_of_pairs(meld.kind, pairs), shape_rules(rules))
    return Lying(after, lying.n_wilds_added), wild
