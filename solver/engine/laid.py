"""Cards laid in a round as a document tells them: melds, and cards laid off, by seat.

Where the game scores what is laid, a card counts for the player who laid it, on whatever meld it
lies, and an ace counts by its place. So cards laid off are put on the melds they fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from solver.cards import N_RANKS, Card, HandLike, format_card
from solver.engine.moves import End, LayOff
from solver.engine.notation import parse_move
from solver.engine.points import laid_worth
from solver.engine.tabling import TableMeld, cards_laid, extend, placements
from solver.errors import Fault, HandError, IllegalMoveError, MeldSolverError
from solver.melds import Meld, MeldKind, card_values, check_meld, meld_readings
from solver.melds.readings import ACE
from solver.rules.model import GameRules
from solver.table.notation import read_meld

LaidItem: TypeAlias = HandLike
"""A meld (``"S[9S 9H 9D]"``, ``"9S 9H 9D"``), or cards laid off: ``"5C"``, or ``"5C>0"`` and
``"AC>1-"`` with the number of the meld and the end of a run."""
MOST_LAID: Final = 120
_MOST_STATES: Final = 500


class _LaidOff(NamedTuple):
    """A card laid off; ``meld`` is None where the document does not say on which meld."""

    seat: int
    card: Card
    meld: int | None = None
    end: End = ""
    where: str = ""


@dataclass
class _Table:
    """What a document says was laid, as far as it is read."""

    melds: list[TableMeld]
    laid_off: list[_LaidOff]


def read_laid(laid: Sequence[Sequence[LaidItem]], rules: GameRules) -> tuple[TableMeld, ...]:
    """Return the melds on the table with every card where it lies, and who laid it.

    Melds are numbered from 0, those of the first seat first. A card laid off lies where it fits;
    where it fits in several places and these count differently, the document has to say.

    Args:
        laid: for each seat the melds it laid and the cards it laid off.
        rules: rules of the round.

    Raises:
        NotationError: what is no card or meld. HandError: ``round.laid``, cards that fit nowhere
            or in several places; the judge's ``meld.*``. All faults that are found at once.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> table = read_laid([["9S 9H 9D", "5C"], ["5S 5H 5D"]], load_rules("rum-500"))
        >>> [(lying.meld.text(), lying.laid_by) for lying in table]
        [('S[9S 9H 9D]', (0, 0, 0)), ('S[5S 5H 5D 5C]', (1, 1, 1, 0))]
    """
    if sum(len(items) for items in laid) > MOST_LAID:
        raise _fault("/laid", f"expected at most {MOST_LAID} cards laid, got more")
    table = _Table([], [])
    faults: list[Fault] = []
    for seat, items in enumerate(laid):
        for i, item in enumerate(items):
            try:
                _read_item(table, seat, item, rules, f"/laid/{seat}/{i}")
            except MeldSolverError as error:
                faults += error.faults
    if faults:
        raise HandError.from_faults(faults)
    n_cards = sum(len(lying.meld.cards) for lying in table.melds) + len(table.laid_off)
    if n_cards > MOST_LAID:
        raise _fault("/laid", f"expected at most {MOST_LAID} cards laid, got {n_cards}")
    return _laid_off(table, rules)


def _fault(where: str, message: str) -> HandError:
    return HandError(message, code="round.laid", where=where)


def _read_item(table: _Table, seat: int, item: LaidItem, rules: GameRules, where: str) -> None:
    """Add one meld or some cards laid off to the table."""
    if isinstance(item, str) and ">" in item:
        move = parse_move(f"{seat} lay {item.strip()}")
        assert isinstance(move, LayOff), "only lay-offs are written so"
        table.laid_off.append(_LaidOff(seat, move.card, move.meld, move.end, where))
        return
    cards = read_meld(item, rules, where)
    if not isinstance(cards, Meld) and len(cards) < min(rules.meld.set_min, rules.meld.run_min):
        table.laid_off += [_LaidOff(seat, card, where=where) for card in cards]
        return
    meld = check_meld(cards, rules, where=where)
    ways = [meld] if isinstance(cards, Meld) else meld_readings(cards, rules)
    if len({sum(card_values(way, rules)) for way in ways}) > 1:
        shown = " or ".join(way.text() for way in ways)
        raise _fault(where, f"expected what each wild stands for, got cards that lie as {shown}")
    table.melds.append(TableMeld(seat, meld, laid_by=(seat,) * len(meld.cards)))


def _laid_off(table: _Table, rules: GameRules) -> tuple[TableMeld, ...]:
    """Return the table with all cards laid off on it."""
    melds, cards = tuple(table.melds), table.laid_off
    found = _placed(cards, melds, rules)
    if isinstance(found, set):
        names = " ".join(format_card(cards[i].card) for i in sorted(found))
        where = cards[min(found)].where
        raise _fault(where, f"expected cards that fit a meld laid, got {names}")
    # Only an ace and a wild count by their place: each is tried in every other one.
    for i, one in enumerate(cards):
        if one.meld is None and (one.card % N_RANKS == ACE or rules.meld.is_wild(one.card)):
            for told in _elsewhere(one, found, rules):
                other = _placed([*cards[:i], told, *cards[i + 1 :]], melds, rules)
                if not isinstance(other, set) and _worth(other, rules) != _worth(found, rules):
                    ways = (" ".join(m.meld.text() for m in way) for way in (found, other))
                    message = "expected where each card was laid, such as AC>0+, got "
                    raise _fault(one.where, message + " or ".join(ways))
    return found


def _elsewhere(one: _LaidOff, melds: Sequence[TableMeld], rules: GameRules) -> Iterator[_LaidOff]:
    """Yield a card laid off on each meld and at each end where such a card could lie."""
    for number, lying in enumerate(melds):
        ends: tuple[End, ...] = ("-", "+") if lying.meld.kind == MeldKind.RUN else ("",)
        yield from (one._replace(meld=number, end=end) for end in ends)


def _placed(
    cards: Sequence[_LaidOff], melds: tuple[TableMeld, ...], rules: GameRules
) -> tuple[TableMeld, ...] | set[int]:
    """Return the table with cards laid off somehow, in whatever order; else those that do not fit.

    The answer is the first that is found; a search that takes long counts as none.
    """
    seen: set[tuple[frozenset[int], tuple[str, ...]]] = set()
    stuck = set(range(len(cards)))

    def place(left: frozenset[int], table: tuple[TableMeld, ...]) -> tuple[TableMeld, ...] | None:
        if not left:
            return table
        key = (left, tuple(lying.meld.text() for lying in table))
        if key in seen or len(seen) > _MOST_STATES:
            return None
        seen.add(key)
        if len(left) < len(stuck):
            stuck.intersection_update(left)
        for i in sorted(left):
            for after in _after(cards[i], table, rules):
                if (found := place(left - {i}, after)) is not None:
                    return found
        return None

    found = place(frozenset(stuck), melds)
    return stuck if found is None else found


def _after(
    one: _LaidOff, melds: tuple[TableMeld, ...], rules: GameRules
) -> Iterator[tuple[TableMeld, ...]]:
    """Yield the table after a card is laid off in each place it may go."""
    told = [] if one.meld is None else [(one.meld, one.end)]
    for number, end in told or placements(one.card, melds, rules, one.seat):
        try:
            longer = extend(melds[number], one.card, end, rules, seat=one.seat)
        except (IllegalMoveError, IndexError):
            continue
        yield (*melds[:number], longer, *melds[number + 1 :])


def _worth(table: Sequence[TableMeld], rules: GameRules) -> tuple[int, ...]:
    """Return what the cards of each seat are worth where they lie."""
    seats = sorted({seat for lying in table for seat in lying.layers()})
    return tuple(laid_worth(cards_laid(table, seat), rules) for seat in seats)
