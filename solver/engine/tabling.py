"""Cards added to melds that lie on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from solver.cards import JOKER, N_RANKS, RANKS, Card, format_card, parse_card
from solver.engine.moves import End
from solver.errors import HandError, IllegalMoveError
from solver.melds import Meld, MeldKind, check_meld
from solver.rules.model import GameRules


@dataclass(frozen=True, slots=True)
class TableMeld:
    """A meld on the table.

    Attributes:
        owner: seat that laid it.
        meld: the meld as it lies, every wild on its place.
        n_wilds_added: wilds laid off on it.
    """

    owner: int
    meld: Meld
    n_wilds_added: int = 0


def extend(lying: TableMeld, card: Card, end: End, rules: GameRules) -> TableMeld:
    """Return a table meld with one card more.

    The limits of melds hold for the longer meld too. A wild added to a run stands on the next
    position of that end.

    Args:
        lying: the meld as it lies.
        card: the card added.
        end: ``"+"`` or ``"-"`` for the high or low end of a run, "" for another meld.
        rules: rules of the round.

    Raises:
        IllegalMoveError: ``layoff.end``, ``layoff.wild_limit`` or ``layoff.no_fit``.
    """
    meld = lying.meld
    if (meld.kind == MeldKind.RUN) != (end != ""):
        expected = "an end + or - of a run" if end == "" else "no end, this is no run"
        raise IllegalMoveError(f"expected {expected}, got {meld.text()}", code="layoff.end")
    limit = rules.flow.layoff_wild_limit
    is_wild = rules.meld.is_wild(card)
    if is_wild and limit is not None and lying.n_wilds_added >= limit:
        raise IllegalMoveError(
            f"expected at most {limit} wilds laid off on a meld, got one more",
            code="layoff.wild_limit",
        )
    try:
        longer = check_meld(_longer(meld, card, end, rules), rules)
    except HandError as err:
        raise IllegalMoveError(
            f"expected a card that fits {meld.text()}, got {format_card(card)}: {err}",
            code="layoff.no_fit",
        ) from None
    return replace(lying, meld=longer, n_wilds_added=lying.n_wilds_added + is_wild)


def _longer(meld: Meld, card: Card, end: End, rules: GameRules) -> Meld:
    """Return the longer meld as placed, legal or not."""
    if meld.kind == MeldKind.RUN:
        at = 0 if end == "-" else len(meld.cards)
        step = -1 if end == "-" else 1
        wanted = _neighbour(shown_cards(meld)[0 if end == "-" else -1], step)
        own = card == wanted and (rules.meld.wild_as_natural or not rules.meld.is_wild(card))
        name = None if own else format_card(wanted)
        cards = (*meld.cards[:at], card, *meld.cards[at:])
        return Meld(meld.kind, cards, (*meld.stands_for[:at], name, *meld.stands_for[at:]))
    if meld.kind == MeldKind.WILD:
        if rules.meld.is_wild(card):
            cards = tuple(sorted((*meld.cards, card)))
            return Meld(meld.kind, cards, (None,) * len(cards))
        return check_meld([*meld.cards, card], rules, kind=MeldKind.SET)
    rank = set_rank(meld)
    own = card != JOKER and RANKS[card % N_RANKS] == rank
    if rules.meld.is_wild(card) and not (own and rules.meld.wild_as_natural):
        return _set_of([*_pairs(meld), (card, rank)])
    if own and rules.meld.is_wild(card) and rules.meld.set_distinct_suits:
        twin = any(c == card and name is None for c, name in _pairs(meld))
        return _set_of([*_pairs(meld), (card, rank if twin else None)])
    return _set_of([*_pairs(meld), (card, None)])


def _pairs(meld: Meld) -> list[tuple[Card, str | None]]:
    return list(zip(meld.cards, meld.stands_for, strict=True))


def _set_of(pairs: list[tuple[Card, str | None]]) -> Meld:
    ordered = sorted(pairs, key=lambda p: (p[0], p[1] or ""))
    return Meld(MeldKind.SET, tuple(c for c, _ in ordered), tuple(n for _, n in ordered))


def _neighbour(card: Card, step: int) -> Card:
    return card // N_RANKS * N_RANKS + (card + step) % N_RANKS if step else card


def shown_cards(meld: Meld) -> list[Card]:
    """Return the card that each card of a run stands for."""
    pairs = zip(meld.cards, meld.stands_for, strict=True)
    return [card if name is None else parse_card(name) for card, name in pairs]


def set_rank(meld: Meld) -> str:
    """Return the rank letter of a set."""
    card, name = next(
        (p for p in _pairs(meld) if p[1] is not None), (meld.cards[0], meld.stands_for[0])
    )
    return RANKS[card % N_RANKS] if name is None else name


def placements(
    card: Card, table: Sequence[TableMeld], rules: GameRules, seat: int
) -> list[tuple[int, End]]:
    """Return where a seat may add a card: (index of the meld, end), by index, low end first."""
    if rules.flow.layoff == "none":
        return []
    found: list[tuple[int, End]] = []
    for i, lying in enumerate(table):
        if rules.flow.layoff == "own" and lying.owner != seat:
            continue
        ends: tuple[End, ...] = ("-", "+") if lying.meld.kind == MeldKind.RUN else ("",)
        found += [(i, end) for end in ends if can_extend(lying, card, end, rules)]
    return found


def can_extend(lying: TableMeld, card: Card, end: End, rules: GameRules) -> bool:
    """Return whether ``extend`` would accept the card."""
    try:
        extend(lying, card, end, rules)
    except IllegalMoveError:
        return False
    return True


def swap_wild(lying: TableMeld, card: Card, place: int, rules: GameRules) -> tuple[TableMeld, Card]:
    """Return a table meld with the natural card in place of a wild, and the wild.

    Raises:
        IllegalMoveError: ``swap.kind``, ``swap.place``, ``swap.natural`` or ``swap.card``.
    """
    meld = lying.meld
    if meld.kind != MeldKind.RUN and (rules.flow.swap_runs_only or meld.kind == MeldKind.WILD):
        raise IllegalMoveError(f"expected a run, got {meld.text()}", code="swap.kind")
    name = meld.stands_for[place] if 0 <= place < len(meld.cards) else None
    if name is None:
        raise IllegalMoveError(
            f"expected the place of a wild in {meld.text()}, got {place}", code="swap.place"
        )
    if card == JOKER or (rules.meld.is_wild(card) and not rules.meld.wild_as_natural):
        raise IllegalMoveError(
            f"expected a natural card, got {format_card(card)}", code="swap.natural"
        )
    shown = format_card(card)
    if name not in (shown, shown[0]):
        raise IllegalMoveError(f"expected {name}, got {shown}", code="swap.card")
    pairs = _pairs(meld)
    wild = pairs[place][0]
    pairs[place] = (card, None)
    if meld.kind == MeldKind.SET:
        return replace(lying, meld=_set_of(pairs)), wild
    cards, names = zip(*pairs, strict=True)
    return replace(lying, meld=Meld(meld.kind, cards, names)), wild
