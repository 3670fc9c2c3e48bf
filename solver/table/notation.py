"""How melds are written: placed texts, JSON objects, loose cards."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from solver.cards import (
    JOKER,
    N_RANKS,
    RANKS,
    Card,
    HandLike,
    counts_of,
    format_card,
    parse_card,
    read_cards,
)
from solver.errors import Fault, HandError, NotationError, quoted
from solver.melds import Meld, MeldKind, MeldLike
from solver.rules.model import GameRules, MeldRules

MeldNote: TypeAlias = "MeldLike | Mapping[str, Any]"
"""A meld as ``read_meld`` takes it."""

_PLACED: Final = re.compile(r"\s*([RSW]?)\s*\[([^\[\]]*)\]\s*", re.IGNORECASE)
_KIND_OF: Final = {"R": MeldKind.RUN, "S": MeldKind.SET, "W": MeldKind.WILD}
_SEPARATORS: Final = re.compile(r"[\s,;|]+")
_SHOWN_RANKS: Final = {"10": "T", "1": "A"}


def read_meld(item: MeldNote, rules: GameRules, where: str) -> Meld | list[Card]:
    """Return a meld with its wilds in declared places, or loose cards; neither is judged.

    Args:
        item: a ``Meld``; a JSON object (``cards``, ``kind``, ``stands_for``); a text, placed
            (``"R[4H 5H JK=6H 7H]"``, as answers print it, with or without letter and brackets) or
            loose (``"4H 5H JK 7H"``); a list of card texts or ids.
        rules: the game.
        where: JSON pointer of the meld in faults.

    Raises:
        NotationError: ``card.unknown``, ``table.notation``, ``table.set_suit``.
        HandError: ``hand.type``, ``card.id`` and ``card.copies``: these are no cards.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> read_meld("S[KS KH JK=K]", load_rules("liverpool"), "/melds/0").text()
        'S[KS KH JK=K]'
        >>> read_meld("4H JK", load_rules("liverpool"), "/melds/0")
        [16, 65]
    """
    if isinstance(item, Meld):
        return item
    if isinstance(item, Mapping):
        return _from_json(item, rules, where)
    if isinstance(item, str) and ("[" in item or "]" in item):
        placed = _PLACED.fullmatch(item)
        if placed is None:
            raise _not_closed(item, where)
        return _from_text(placed[1].upper(), placed[2], rules, where)
    if isinstance(item, str) and "=" in item:
        return _from_text("", item, rules, where)
    return _loose(item, rules, where)


def _not_closed(text: str, where: str) -> NotationError:
    """Return the error for brackets that do not hold one meld."""
    opened, closed = text.count("["), text.count("]")
    fault = "a bracket around other text"
    if opened > 1 or closed > 1:
        fault = "several brackets: each meld is a text of its own"
    elif opened != closed:
        fault = "an unclosed bracket" if opened else "a bracket that was not opened"
    return NotationError(
        f"expected a meld such as R[4H 5H JK=6H 7H], got {fault} in {text:.60}",
        code="table.notation",
        where=where,
    )


def read_melds(
    items: Sequence[MeldNote], rules: GameRules, *, where: str = "/melds"
) -> list[Meld | list[Card]]:
    """Return melds as ``read_meld`` does, or raise all their faults at once.

    Raises:
        NotationError: as ``read_meld``; faults of values that are no cards are among its faults.
    """
    melds: list[Meld | list[Card]] = []
    faults: list[Fault] = []
    for i, item in enumerate(items):
        try:
            melds.append(read_meld(item, rules, f"{where}/{i}"))
        except (NotationError, HandError) as error:
            faults += error.faults
    if faults:
        raise NotationError.from_faults(faults)
    return melds


def _loose(item: HandLike, rules: GameRules, where: str) -> list[Card]:
    """Return loose cards in the order given."""
    cards = read_cards(item, tiles=rules.deck.tiles, where=where)
    counts_of(cards, where=where)
    return cards


def _card(token: str, rules: GameRules, where: str) -> Card:
    try:
        return parse_card(token, tiles=rules.deck.tiles)
    except NotationError as error:
        fault = error.faults[0]
        raise NotationError.from_faults([replace(fault, where=where)]) from None


def of_pairs(kind: MeldKind, pairs: Sequence[tuple[Card, str | None]]) -> Meld:
    """Return the meld of cards and what each stands for."""
    return Meld(kind, tuple(c for c, _ in pairs), tuple(name for _, name in pairs))


def _from_json(item: Mapping[str, Any], rules: GameRules, where: str) -> Meld | list[Card]:
    """Return a meld of a JSON object; without ``stands_for`` its places are open."""
    ids = _loose(item.get("cards", ()), rules, f"{where}/cards")
    names = item.get("stands_for")
    kind = item.get("kind")
    if names is None or kind is None:
        return ids
    are_names = isinstance(names, Sequence) and not isinstance(names, str | bytes)
    if kind not in tuple(MeldKind) or not are_names or len(names) != len(ids):
        n_names = len(names) if are_names else quoted(names)
        raise NotationError(
            "expected kind run, set or wild and one stands_for a card, got "
            f"{quoted(kind)} and {n_names} for {len(ids)}",
            code="table.notation",
            where=where,
        )
    if kind == MeldKind.WILD:
        return of_pairs(MeldKind.WILD, [(c, None) for c in sorted(ids)])
    shown = [
        None if n is None else _name(str(n), MeldKind(kind), rules, f"{where}/stands_for/{i}")
        for i, n in enumerate(names)
    ]
    pairs = list(zip(ids, shown, strict=True))
    if kind == MeldKind.SET:
        told = [None if n is None else str(n) for n in names]
        _check_suits(ids, told, rules, f"{where}/stands_for")
        pairs.sort(key=lambda p: (p[0], p[1] or ""))
    return of_pairs(MeldKind(kind), pairs)


def _name(text: str, kind: MeldKind, rules: GameRules, where: str) -> str:
    """Return the canonical name of what a wild stands for."""
    rank = _SHOWN_RANKS.get(text, text.upper())
    if kind == MeldKind.SET and rank in RANKS:
        return rank
    card = _card(text, rules, where)
    return RANKS[card % N_RANKS] if kind == MeldKind.SET and card != JOKER else format_card(card)


def _check_suits(
    cards: Sequence[Card], told: Sequence[str | None], rules: GameRules, where: str
) -> None:
    """Refuse a suit told for a wild of a set where it would be lost: a set tells ranks alone.

    It is lost where wilds can be taken from sets for their cards and the suit is not the only one
    missing; and it is wrong where the set has that suit already and suits must differ.

    Raises:
        NotationError: ``table.set_suit``.
    """
    m, flow = rules.meld, rules.flow
    suits = {c // N_RANKS for c in cards if not m.is_wild(c)} if m.set_distinct_suits else set()
    n_wilds = sum(m.is_wild(card) for card in cards)
    is_open = n_wilds < m.suits - len(suits) or not m.set_distinct_suits
    from_sets = flow.swap_timing != "off" and not flow.swap_runs_only
    binds = is_open and (from_sets or flow.table_wilds == "exchanged")
    for i, name in enumerate(told):
        if name is None or _SHOWN_RANKS.get(name, name.upper()) in RANKS:
            continue
        card = _card(name, rules, f"{where}/{i}")
        if card == JOKER or not m.is_wild(cards[i]):
            continue
        rank = RANKS[card % N_RANKS]
        fault = "a suit that the set has not" if card // N_RANKS in suits else ""
        if binds and not fault:
            fault = f"the rank alone, {rank}: in a set a wild may be of any suit that is missing"
        if fault:
            message = f"expected {fault}, got {name}"
            raise NotationError(message, code="table.set_suit", where=f"{where}/{i}")


def _from_text(letter: str, inside: str, rules: GameRules, where: str) -> Meld | list[Card]:
    """Return the meld of ``R[...]``; a run's cards are in order, so undeclared wilds are named.

    Without a letter wilds that stand for ranks make it a set and wilds that stand for cards a run;
    where no place is declared the cards are loose.
    """
    tokens = [t for t in _SEPARATORS.split(inside) if t]
    if not letter:
        told = [token.partition("=")[2].strip() for token in tokens if "=" in token]
        if not told:
            return _loose(inside, rules, where)
        is_rank = all(_SHOWN_RANKS.get(name, name.upper()) in RANKS for name in told)
        letter = "S" if is_rank else "R"
    kind = _KIND_OF[letter]
    cards: list[Card] = []
    names: list[str | None] = []
    for i, token in enumerate(tokens):
        card, equals, name = token.partition("=")
        cards.append(_card(card, rules, f"{where}/{i}"))
        names.append(_name(name, kind, rules, f"{where}/{i}") if equals else None)
    if kind == MeldKind.RUN:
        return Meld(kind, tuple(cards), tuple(_run_names(cards, names, rules.meld)))
    if kind == MeldKind.WILD:
        return of_pairs(kind, [(c, None) for c in sorted(cards)])
    told = [token.partition("=")[2] or None for token in tokens]
    _check_suits(cards, told, rules, where)
    fixed = [RANKS[c % N_RANKS] for c in cards if not rules.meld.is_wild(c)]
    rank = next(iter(fixed), next((n for n in names if n is not None), None))
    pairs = [
        (c, rank if n is None and _needs_name(c, rank, rules.meld) else n)
        for c, n in zip(cards, names, strict=True)
    ]
    return of_pairs(kind, sorted(pairs, key=lambda p: (p[0], p[1] or "")))


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
