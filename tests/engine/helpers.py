"""Positions with chosen cards, and moves written as texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from solver.cards import Card, parse_cards
from solver.engine.dealing import chance_move, deck_cards, n_needed
from solver.engine.moves import CHANCE, Deal
from solver.engine.notation import parse_melds, parse_move
from solver.engine.referee import apply, check_move
from solver.engine.state import State, new_game
from solver.engine.tabling import TableMeld
from solver.engine.zones import without
from solver.errors import IllegalMoveError
from solver.rules.loader import load_rules


def deal_state(
    game: str,
    hands: Sequence[str],
    *,
    upcard: str,
    stock: str = "",
    n_seats: int | None = None,
    **options: object,
) -> State:
    """A game just dealt: hands in turn order (seat 1 first, dealer is seat 0), stock on top.

    Hands too short are filled with cards of the deck that nobody asked for, lowest first; the
    stock goes on with the rest.
    """
    n = n_seats or len(hands)
    state = new_game(load_rules(game, **options), n, first_dealer=0)
    r = state.round
    wanted = [parse_cards(h) for h in hands] + [[] for _ in range(n - len(hands))]
    ups, top = parse_cards(upcard), parse_cards(stock)
    rest = list(without(deck_cards(r.rules), [c for h in wanted for c in h] + ups + top))
    size = r.rules.n_dealt
    assert size is not None
    extra = [0] * n
    if r.rules.flow.first_player_extra:
        extra[0] = 1
    for i, hand in enumerate(wanted):
        while len(hand) < size + extra[i]:
            hand.append(rest.pop(0))
    dealt = [wanted[i][k] for k in range(size) for i in range(n)]
    first = [wanted[0][size]] if extra[0] else []
    order = [*dealt, *first, *ups, *top, *rest]
    assert len(order) >= n_needed(r)
    if r.actor != CHANCE or state.phase != "deal":
        raise AssertionError("expected a game that waits for its deal")
    return apply(state, Deal(tuple(order)))


def play(state: State, *texts: str, seed: int | None = None) -> State:
    """The state after moves written as texts; with a seed chance moves by itself."""
    for text in texts:
        while seed is not None and state.actor == CHANCE:
            state = apply(state, chance_move(state, seed))
        state = apply(state, parse_move(text))
    while seed is not None and state.actor == CHANCE and not state.is_over:
        state = apply(state, chance_move(state, seed))
    return state


def refusal(state: State, text: str) -> str:
    """The code with which a move is refused, "" when it is legal."""
    try:
        check_move(state, parse_move(text))
    except IllegalMoveError as err:
        return err.code
    return ""


def cards(text: str) -> tuple[Card, ...]:
    """Cards of a text, ascending."""
    return tuple(sorted(parse_cards(text)))


def all_cards(state: State) -> list[Card]:
    """Every card of the round in play, wherever it is, ascending."""
    r = state.round
    zones: list[Card] = [*r.stock, *r.discards]
    zones += [c for hand in r.hands for c in hand]
    zones += [c for lying in r.table for c in lying.meld.cards]
    if r.beat is not None:
        zones += [c for pile in r.beat.piles for c in pile]
    return sorted(zones)


def with_table(state: State, *melds: tuple[int, str], down: Sequence[int] | None = None) -> State:
    """The state with melds on the table, their cards taken from the stock.

    A card that only a hand holds is taken there, and the hand gets one of the stock instead.

    Args:
        state: a game just dealt.
        melds: (owner, text of the meld).
        down: seats that have gone down; the owners when left out.
    """
    r = state.round
    lying = tuple(TableMeld(owner, parse_melds(text)[0]) for owner, text in melds)
    stock, hands = list(r.stock), [list(hand) for hand in r.hands]
    for card in [c for t in lying for c in t.meld.cards]:
        if card not in stock:
            hand = next(h for seat, h in enumerate(hands) if card in h and seat != r.actor)
            hand.remove(card)
            hand.append(stock.pop())
            stock.append(card)
        stock.remove(card)
    seats = frozenset(owner for owner, _ in melds) if down is None else frozenset(down)
    held = tuple(tuple(sorted(hand)) for hand in hands)
    return replace(state, round=r.to(table=lying, stock=tuple(stock), hands=held, down=seats))


def with_round(state: State, **changes: object) -> State:
    """The state with some fields of its round changed."""
    return replace(state, round=state.round.to(**changes))
