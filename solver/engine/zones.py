"""Cards moved between hands, stock and discards; the stock rebuilt when it runs out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

import numpy as np

from solver.cards import Card, counts_of
from solver.engine.moves import CHANCE, Buy, Draw, Rummy
from solver.engine.state import Phase, Round
from solver.rules.model import GameRules, MeldRules
from solver.solve import solve_many

T = TypeVar("T")


def put(row: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    """Return a row with one entry replaced."""
    return (*row[:index], value, *row[index + 1 :])


def without(cards: Sequence[Card], gone: Iterable[Card]) -> tuple[Card, ...]:
    """Return cards less some that are among them, order kept."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)


def holds(cards: Sequence[Card], wanted: Iterable[Card]) -> bool:
    """Return whether all wanted cards, copies counted, are among the cards."""
    asked = tuple(wanted)
    if len(asked) == 1:  # advice asks so of every discard
        return asked[0] in cards
    return Counter(asked) <= Counter(cards)


def gain(r: Round, seat: int, cards: Sequence[Card], *, seen: bool) -> Round:
    """Return the round with cards added to a hand; ``seen`` when all players saw them."""
    hand = tuple(sorted((*r.hands[seat], *cards)))
    known = put(r.known, seat, (*r.known[seat], *cards)) if seen else r.known
    return r.to(hands=put(r.hands, seat, hand), known=known)


def lose(r: Round, seat: int, cards: Sequence[Card]) -> Round:
    """Return the round with cards taken out of a hand."""
    known = list(r.known[seat])
    for card in cards:
        if card in known:
            known.remove(card)
    hand = without(r.hands[seat], cards)
    return r.to(hands=put(r.hands, seat, hand), known=put(r.known, seat, tuple(known)))


def n_drawable(r: Round) -> int:
    """Return how many cards of the stock may be drawn."""
    return max(0, len(r.stock) - r.rules.flow.stock_wall)


def n_rebuildable(r: Round) -> int:
    """Return how many discards may be shuffled into the stock now: all but the top one."""
    flow = r.rules.flow
    if flow.stock_empty != "reshuffle":
        return 0
    if flow.max_reshuffles is not None and r.n_shuffles >= flow.max_reshuffles:
        return 0
    return max(0, len(r.discards) - 1)


def wait_for_stock(r: Round, pending: Draw | Buy | Rummy) -> Round:
    """Return the round waiting for chance to rebuild the stock, the move to be made after."""
    return r.to(phase=Phase.SHUFFLE, actor=CHANCE, pending=pending)


def draw_cards(r: Round, seat: int, n_cards: int) -> Round:
    """Return the round with cards of the stock added to a hand."""
    drawn, stock = r.stock[:n_cards], r.stock[n_cards:]
    return gain(r, seat, drawn, seen=False).to(stock=stock)


_MAX_KEPT: Final = 1 << 16
_kept: dict[tuple[MeldRules, bool, tuple[Card, ...]], int] = {}


def least_penalty(hand: tuple[Card, ...], rules: GameRules) -> int:
    """Return the optimum of a hand, cards ascending, as ``least_penalties``."""
    return least_penalties([hand], rules)[0]


def least_penalties(hands: Sequence[tuple[Card, ...]], rules: GameRules) -> list[int]:
    """Return the optima of hands, cards ascending; of games on the table without the contract.

    Answers are kept for a while: the referee, the lists of moves and the players ask for the
    same hands in one turn, and hands asked for together are solved in one call.
    """
    # On the table a contract is laid by a move of its own; the rest is then melded freely.
    free = rules.flow.meld_timing == "on_table"
    keys = [(rules.meld, free, hand) for hand in hands]
    # Answers are returned from here: other threads may empty what is kept at any time.
    found = {key: penalty for key in keys if (penalty := _kept.get(key)) is not None}
    missing = list(dict.fromkeys(key for key in keys if key[2] and key not in found))
    if missing:
        counts = np.stack([counts_of(hand) for _, _, hand in missing])
        answers = solve_many(counts, rules, ignore_contract=free)
        new = {key: int(n) for key, n in zip(missing, answers, strict=True)}
        if len(_kept) > _MAX_KEPT:
            _kept.clear()
        _kept.update(new)
        found |= new
    return [found[key] if key[2] else 0 for key in keys]
