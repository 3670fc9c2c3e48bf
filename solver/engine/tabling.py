"""Cards added to melds that lie on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from solver.cards import JOKER, N_RANKS, RANKS, Card, format_card, parse_card
from solver.engine.facts import LaidCards
from solver.engine.moves import End
from solver.errors import HandError, IllegalMoveError, span
from solver.melds import Meld, MeldKind
from solver.rules.model import GameRules
from solver.table.lying import Lying, add_card, adds_distinct, swap_wild


@dataclass(frozen=True, slots=True)
class TableMeld:
    """A meld on the table.

    Attributes:
        owner: seat that laid it.
        meld: the meld as it lies, every wild on its place.
        n_wilds_added: wilds laid off on it.
        laid_by: seat that laid each card; () where the owner laid all.
    """

    owner: int
    meld: Meld
    n_wilds_added: int = 0
    laid_by: tuple[int, ...] = ()

    def layers(self) -> tuple[int, ...]:
        """Return the seat that laid each card."""
        return self.laid_by or (self.owner,) * len(self.meld.cards)


def cards_laid(table: Sequence[TableMeld], seat: int) -> tuple[LaidCards, ...]:
    """Return the cards that a seat laid, on whatever meld they lie."""
    found = []
    for lying in table:
        places = tuple(i for i, layer in enumerate(lying.layers()) if layer == seat)
        if places:
            found.append(LaidCards(lying.meld, places))
    return tuple(found)


def numbers_of(table: Sequence[TableMeld]) -> str:
    """Return which numbers the melds on a table have, in words."""
    return f"a meld {span(0, len(table) - 1)}" if table else "a meld on the table, which has none"


def extend(
    lying: TableMeld, card: Card, end: End, rules: GameRules, *, seat: int | None = None
) -> TableMeld:
    """Return a table meld with one card more.

    A wild added to a run stands on the next position of that end. The meld keeps its shape; the
    limits on numbers of wilds bind what is laid, not what is added (``solver.table``).

    Args:
        lying: the meld as it lies.
        card: the card added.
        end: ``"+"`` or ``"-"`` for the high or low end of a run, "" for another meld.
        rules: rules of the round.
        seat: who lays it off; None: the owner.

    Raises:
        IllegalMoveError: ``layoff.end``, ``layoff.wild_limit`` or ``layoff.no_fit``.
    """
    stands_for = _stands_for(lying.meld, card, end, rules)
    try:
        longer = add_card(Lying(lying.meld, lying.n_wilds_added), card, end, stands_for, rules)
    except HandError as err:
        code = err.code if err.code.startswith("layoff.") else "layoff.no_fit"
        raise IllegalMoveError(
            f"expected a card that fits {lying.meld.text()}, got {format_card(card)}: {err}",
            code=code,
        ) from None
    layers = list(lying.layers())
    # Cards alike in a set count alike, so any of them may be the one added.
    place = {"-": 0, "+": len(layers)}.get(end)
    if place is None:
        place = _pairs(longer.meld).index((card, stands_for))
    layers.insert(place, lying.owner if seat is None else seat)
    return replace(
        lying, meld=longer.meld, n_wilds_added=longer.n_wilds_added, laid_by=tuple(layers)
    )


def _stands_for(meld: Meld, card: Card, end: End, rules: GameRules) -> str | None:
    """Return what an added card stands for, None when it is read as itself."""
    if not rules.meld.is_wild(card) or meld.kind == MeldKind.WILD:
        return None
    as_itself = rules.meld.wild_as_natural and card != JOKER
    if meld.kind == MeldKind.RUN:
        wanted = _neighbour(shown_cards(meld), end)
        return None if as_itself and card == wanted else format_card(wanted)
    rank = set_rank(meld)
    twin = adds_distinct(rules) and (card, None) in _pairs(meld)
    own = as_itself and RANKS[card % N_RANKS] == rank and not twin
    return None if own else rank


def _pairs(meld: Meld) -> list[tuple[Card, str | None]]:
    return list(zip(meld.cards, meld.stands_for, strict=True))


def _neighbour(shown: list[Card], end: End) -> Card:
    """Return the card of the next position of a run, around the corner beyond its line."""
    card, step = (shown[0], -1) if end == "-" else (shown[-1], 1)
    return card // N_RANKS * N_RANKS + (card + step) % N_RANKS


def shown_cards(meld: Meld) -> list[Card]:
    """Return the card that each card of a run stands for."""
    return [card if name is None else parse_card(name) for card, name in _pairs(meld)]


def set_rank(meld: Meld) -> str:
    """Return the rank letter of a set."""
    card, name = next((p for p in _pairs(meld) if p[1] is not None), _pairs(meld)[0])
    return RANKS[card % N_RANKS] if name is None else name


def is_wild_there(meld: Meld, card: Card, end: End, rules: GameRules) -> bool:
    """Return whether a card added to a meld would be read as a wild."""
    if not rules.meld.is_wild(card):
        return False
    return meld.kind == MeldKind.WILD or _stands_for(meld, card, end, rules) is not None


def ends_of(meld: Meld) -> tuple[End, ...]:
    """Return the ends at which a card may be added, low end first."""
    return ("-", "+") if meld.kind == MeldKind.RUN else ("",)


def placements(
    card: Card, table: Sequence[TableMeld], rules: GameRules, seat: int, *, as_wild: bool = True
) -> list[tuple[int, End]]:
    """Return where a seat may add a card: (index of the meld, end), by index, low end first.

    Args:
        card: the card.
        table: the melds on the table.
        rules: rules of the round.
        seat: the player.
        as_wild: whether the card may be added as a wild.
    """
    if rules.flow.layoff == "none":
        return []
    found: list[tuple[int, End]] = []
    for i, lying in enumerate(table):
        if rules.flow.layoff == "own" and lying.owner != seat:
            continue
        found += [
            (i, end)
            for end in ends_of(lying.meld)
            if can_extend(lying, card, end, rules, as_wild=as_wild)
        ]
    return found


def can_extend(
    lying: TableMeld, card: Card, end: End, rules: GameRules, *, as_wild: bool = True
) -> bool:
    """Return whether ``extend`` would accept the card, as a wild only where it may be one."""
    if not as_wild and is_wild_there(lying.meld, card, end, rules):
        return False
    if not rules.meld.is_wild(card) and not _may_fit(lying.meld, card, end):
        return False
    try:
        extend(lying, card, end, rules)
    except IllegalMoveError:
        return False
    return True


def _may_fit(meld: Meld, card: Card, end: End) -> bool:
    """Return whether a natural card is the one the place asks for, if the rules allow it at all.

    Most cards fit nowhere; saying so here makes the list of a Liverpool player's moves six times
    as fast as the judge with its reasons.
    """
    if meld.kind == MeldKind.RUN:
        return end != "" and card == _neighbour(shown_cards(meld), end)
    return meld.kind != MeldKind.SET or RANKS[card % N_RANKS] == set_rank(meld)


def take_wild(
    lying: TableMeld, card: Card, place: int, rules: GameRules, *, seat: int | None = None
) -> tuple[TableMeld, Card]:
    """Return a table meld with the natural card in place of a wild, and the wild.

    The natural card counts for the seat that gives it (None: the owner).

    Raises:
        IllegalMoveError: ``swap.kind``, ``swap.natural``, ``swap.place`` or ``swap.card``.
    """
    meld = lying.meld
    if meld.kind != MeldKind.RUN and (rules.flow.swap_runs_only or meld.kind == MeldKind.WILD):
        raise IllegalMoveError(f"expected a run, got {meld.text()}", code="swap.kind")
    if card == JOKER or (rules.meld.is_wild(card) and not rules.meld.wild_as_natural):
        raise IllegalMoveError(
            f"expected a natural card, got {format_card(card)}", code="swap.natural"
        )
    try:
        after, wild = swap_wild(Lying(meld, lying.n_wilds_added), place, card, rules)
    except HandError as err:
        raise IllegalMoveError(str(err), code=err.code) from None
    layers = list(lying.layers())
    del layers[place]
    new = place if meld.kind == MeldKind.RUN else _pairs(after.meld).index((card, None))
    layers.insert(new, lying.owner if seat is None else seat)
    return replace(lying, meld=after.meld, laid_by=tuple(layers)), wild
