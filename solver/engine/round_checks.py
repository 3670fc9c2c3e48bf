"""Rounds that cannot be: seats, fields without effect, contradictions, cards beyond the deck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from solver.cards import N_CARDS, Counts, format_card
from solver.engine.facts import RoundExtras
from solver.engine.state import with_players
from solver.engine.tabling import TableMeld
from solver.errors import Fault, HandError, quoted, span
from solver.rules.deck import check_deck, fixed_size, max_copies
from solver.rules.model import GameRules

_T = TypeVar("_T")
_GIN_SEATS: Final = 2
"""A knock is answered by one defender."""


def check_round(  # noqa: PLR0913 - the facts of one round, by name
    hands: Sequence[Counts],
    rules: GameRules,
    *,
    out: int | None,
    totals: Sequence[int] | None,
    extras: RoundExtras,
    table: Sequence[TableMeld] = (),
) -> None:
    """Check that a round as told can have been played under its rules.

    Args:
        hands: uint8[66] counts of each seat.
        rules: rules of the round.
        out: seat that went out or knocked.
        totals: totals before the round.
        extras: facts besides the hands.
        table: the melds laid, where the game scores them.

    Raises:
        HandError: every fault at once: ``round.players``, ``round.seats``,
            ``round.unused_field``, ``round.upcard``, ``round.laid``, ``round.conflict``,
            ``round.range``,
            ``hand.size``, ``hand.copies``, ``hand.not_in_deck``.
    """
    n = len(hands)
    unused = set(_unused(rules, extras))
    faults = [
        *_player_faults(n, rules),
        *_length_faults(n, totals, extras, unused),
        *_seat_faults(n, out, extras, unused),
        *(_unused_fault(name, rules) for name in sorted(unused)),
        *_upcard_faults(rules, out, extras, unused),
        *_laid_faults(rules, extras),
        *_conflicts(out, rules, extras, unused),
        *_range_faults(n, rules, extras, unused),
        *_size_faults(hands, rules, out, extras, unused),
        *_deck_faults(hands, rules, table),
    ]
    if faults:
        raise HandError.from_faults(faults)


def seats_of(values: Mapping[str, _T], where: str) -> dict[int, _T]:
    """Return the values of a JSON object by seat.

    Args:
        values: value by seat, the seat written in digits.
        where: JSON pointer of the object.

    Raises:
        HandError: ``round.conflict``, two keys name one seat (``"1"`` and ``"01"``).
    """
    first: dict[int, str] = {}
    faults = []
    for key in values:
        earlier = first.setdefault(int(key), key)
        if earlier != key:
            message = f"expected each seat once, got {quoted(earlier)} and {quoted(key)}"
            faults.append(Fault("round.conflict", f"{where}/{key}", message, {"seat": int(key)}))
    if faults:
        raise HandError.from_faults(faults)
    return {int(key): value for key, value in values.items()}


def _unused(rules: GameRules, extras: RoundExtras) -> Iterator[str]:
    """Yield the fields that were given although the rules give them no effect."""
    flow = rules.flow
    by_penalty = flow.scoring == "penalty"
    declared = (by_penalty and flow.false_declaration_points is not None) or (
        flow.false_out_penalty is not None
    )
    if extras.cut is not None and not flow.exact_cut_bonus:
        yield "cut"
    if extras.false_melds and flow.false_meld_penalty is None:
        yield "false_melds"
    if extras.drops and not (by_penalty and flow.drop_points is not None):
        yield "drops"
    if extras.false_declarations and not declared:
        yield "false_declarations"
    if extras.down_and_out and not flow.go_down_and_out_bonus:
        yield "down_and_out"
    if extras.upcard is not None and not _reads_upcard(rules):
        yield "upcard"
    if extras.laid is not None and not scores_laid(rules):
        yield "laid"


def scores_laid(rules: GameRules) -> bool:
    """Return whether the game scores the cards laid, so that a round has to tell them."""
    return rules.flow.scoring == "meld_minus_hand"


def _laid_faults(rules: GameRules, extras: RoundExtras) -> Iterator[Fault]:
    if extras.laid is None and scores_laid(rules):
        message = (
            f"expected laid, the melds and cards that each player laid, which {rules.name} scores;"
            " [] for a player who laid nothing, got none"
        )
        yield Fault("round.laid", "/laid", message)


def _reads_upcard(rules: GameRules) -> bool:
    flow = rules.flow
    return flow.scoring == "difference" and (flow.oklahoma or flow.spade_double)


def _unused_fault(name: str, rules: GameRules) -> Fault:
    message = f"expected no {name}, which {rules.name} does not score, got some"
    return Fault("round.unused_field", f"/{name}", message, {"field": name})


def _player_faults(n: int, rules: GameRules) -> Iterator[Fault]:
    low, high = rules.flow.min_players, rules.flow.max_players
    if rules.players is not None:
        low = high = rules.players
    if rules.flow.scoring == "difference":
        low, high = _GIN_SEATS, _GIN_SEATS
    if not low <= n <= high:
        expected = span(low, high)
        message = f"expected {expected} hands, one a player, got {n}"
        yield Fault("round.players", "/hands", message, {"expected": expected, "got": n})


def _length_faults(
    n: int, totals: Sequence[int] | None, extras: RoundExtras, unused: Iterable[str]
) -> Iterator[Fault]:
    laid = None if "laid" in unused else extras.laid
    for where, row in (("/totals", totals), ("/names", extras.names or None), ("/laid", laid)):
        if row is not None and len(row) != n:
            yield Fault("round.seats", where, f"expected {n} entries, got {len(row)}")


def _seat_faults(
    n: int, out: int | None, extras: RoundExtras, unused: Iterable[str]
) -> Iterator[Fault]:
    """Yield seats that are not at the table; those of an unused field do not matter."""
    named: dict[str, Iterable[int]] = {
        "out": () if out is None else (out,),
        "cut": () if extras.cut is None else (extras.cut[0],),
        "false_melds": extras.false_melds,
        "drops": extras.drops,
        "false_declarations": extras.false_declarations,
        "down_and_out": extras.down_and_out,
    }
    for name, seats in named.items():
        for seat in () if name in unused else seats:
            if not 0 <= seat < n:
                message = f"expected a seat 0..{n - 1}, got {seat}"
                yield Fault("round.seats", f"/{name}", message)


def _upcard_faults(
    rules: GameRules, out: int | None, extras: RoundExtras, unused: Iterable[str]
) -> Iterator[Fault]:
    card = extras.upcard
    if card is None:
        if out is not None and _reads_upcard(rules):
            message = f"expected the card turned up, which {rules.name} needs for a knock, got none"
            yield Fault("round.upcard", "/upcard", message)
    elif "upcard" not in unused and max_copies(card, rules.deck) == 0:
        text = format_card(card)
        message = f"expected a card of the {rules.name} deck, got {text}"
        yield Fault("hand.not_in_deck", "/upcard", message, {"card": text})


def _conflicts(
    out: int | None, rules: GameRules, extras: RoundExtras, unused: Iterable[str]
) -> Iterator[Fault]:
    """Yield what cannot both be true of a seat."""
    drops = {} if "drops" in unused else extras.drops
    lists = {
        "false_declarations": extras.false_declarations,
        "down_and_out": extras.down_and_out,
    }
    for name, seats in lists.items():
        for i, seat in enumerate(seats):
            if name not in unused and seat in seats[:i]:
                yield _conflict(f"/{name}/{i}", seat, "once in the list", "it again")
    for seat in drops:
        if seat == out:
            yield _conflict(f"/drops/{seat}", seat, "to go out or to drop", "both")
    for i, seat in enumerate(() if "false_declarations" in unused else extras.false_declarations):
        where = f"/false_declarations/{i}"
        if seat in drops:
            yield _conflict(where, seat, "to drop or to declare", "both")
        # A false call that only costs a fine leaves the seat in play, so it may go out later.
        if seat == out and rules.flow.false_declaration_points is not None:
            yield _conflict(where, seat, "to go out or to declare falsely", "both")
    for i, seat in enumerate(() if "down_and_out" in unused else extras.down_and_out):
        if seat != out:
            got = "nobody out" if out is None else f"seat {out} out"
            yield _conflict(f"/down_and_out/{i}", seat, "to be the one that went out", got)


def _conflict(where: str, seat: int, expected: str, got: str) -> Fault:
    message = f"expected seat {seat} {expected}, got {got}"
    return Fault("round.conflict", where, message, {"seat": seat})


def _range_faults(
    n: int, rules: GameRules, extras: RoundExtras, unused: Iterable[str]
) -> Iterator[Fault]:
    for seat, count in extras.false_melds.items():
        if count < 0 and "false_melds" not in unused:
            message = f"expected 0 or more false melds, got {count}"
            yield Fault("round.range", f"/false_melds/{seat}", message, {"seat": seat})
    if extras.cut is None or "cut" in unused:
        return
    lifted, size = extras.cut[1], _deck_size(n, rules)
    if lifted < 1 or (size is not None and lifted >= size):
        expected = "1 card or more" if size is None else f"1..{size - 1} cards"
        message = f"expected a cut of {expected}, got {lifted}"
        yield Fault("round.range", "/cut/1", message, {"got": lifted})


def _deck_size(n: int, rules: GameRules) -> int | None:
    """Return the cards of the deck for so many players, None when it cannot be told."""
    size = rules.deck.size()
    if size is None and not any(_player_faults(n, rules)):
        size = with_players(rules, n).deck.size()
    return size


def _size_faults(
    hands: Sequence[Counts],
    rules: GameRules,
    out: int | None,
    extras: RoundExtras,
    unused: Iterable[str],
) -> Iterator[Fault]:
    dealt = fixed_size(rules)
    if dealt is None:
        return
    dropped = () if "drops" in unused else extras.drops
    for seat, hand in enumerate(hands):
        size = int(hand.sum())
        fits = {dealt}
        if seat == out and not (rules.flow.must_discard_to_go_out or rules.flow.knock_limit):
            fits.add(dealt + 1)  # every card is melded and none was discarded
        if seat == out and rules.flow.big_gin_bonus is not None:
            fits.add(dealt + 1)
        if seat in dropped:
            fits.add(0)  # a drop costs a fixed sum, so nobody has to show the cards
        if size not in fits:
            message = (
                f"hand {seat + 1}: expected {dealt} cards (after the discard), got {size} cards"
            )
            yield Fault("hand.size", f"/hands/{seat}", message, {"seat": seat})


def _deck_faults(
    hands: Sequence[Counts], rules: GameRules, table: Sequence[TableMeld]
) -> Iterator[Fault]:
    """Yield cards beyond the deck: of one hand, and of a hand together with what was before it."""
    seen: Counter[int] = Counter(card for lying in table for card in lying.meld.cards)
    for card, n_laid in sorted(seen.items()):
        most = max_copies(card, rules.deck)
        if most is not None and n_laid > most:
            text = format_card(card)
            data = {"card": text, "held": most, "copies": n_laid}
            message = f"expected at most {most} of {text} laid, got {n_laid}"
            yield Fault("hand.copies" if most else "hand.not_in_deck", "/laid", message, data)
    for seat, hand in enumerate(hands):
        where = f"/hands/{seat}"
        try:
            check_deck(hand, rules, where)
        except HandError as error:
            for fault in error.faults:
                yield replace(fault, data={**fault.data, "seat": seat})
        for card in range(N_CARDS):
            n_held, most = int(hand[card]), max_copies(card, rules.deck)
            seen[card] += n_held
            if most is None or not 0 < n_held <= most < seen[card]:
                continue
            text = format_card(card)
            data = {"card": text, "held": most, "copies": seen[card], "seat": seat}
            message = (
                f"hand {seat + 1}: expected at most {most} of {text} in all hands"
                f"{' and melds' if table else ''}, "
                f"got {seen[card]} up to this one"
            )
            yield Fault("hand.copies", where, message, data)
