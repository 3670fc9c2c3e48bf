"""The deck, the cut, the deal, and all of chance: by seed here, or from a record."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeVar

from solver.cards import JOKER, N_RANKS, Card, format_card
from solver.engine.beats import begin_beat
from solver.engine.drawing import do_buy, do_draw
from solver.engine.moves import CHANCE, Buy, CallOrder, Cut, Deal, Draw, Move, Shuffle
from solver.engine.playing import do_call
from solver.engine.state import Beat, Phase, Round, State
from solver.engine.turns import begin_turn
from solver.engine.zones import put
from solver.errors import IllegalMoveError, RulesError
from solver.rules.model import GameRules

T = TypeVar("T")
_NORMAL_RE: Final = re.compile(r"normal\(([0-9.]+)\)")


def deck_cards(rules: GameRules) -> tuple[Card, ...]:
    """Return all cards of the deck, ascending.

    Raises:
        RulesError: ``deck.open`` when the rules do not fix the number of cards.
    """
    deck = rules.deck
    if deck.packs is None or deck.jokers is None:
        raise RulesError("expected rules for a number of players or packs", code="deck.open")
    plain = [s * N_RANKS + r for s in range(deck.suits) for r in deck.ranks]
    return tuple(sorted(plain * deck.packs + [JOKER] * deck.jokers))


def shuffled(items: Sequence[T], rng: random.Random) -> tuple[T, ...]:
    """Return items in random order: Fisher-Yates on ``random()`` alone.

    Only that method's sequence is promised to stay as it is between versions of Python.
    """
    row = list(items)
    for i in range(len(row) - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        row[i], row[j] = row[j], row[i]
    return tuple(row)


def first_dealer(rules: GameRules, n_players: int, seed: int | str) -> int:
    """Return the first dealer: the seat that the rules name, else one drawn from the seed."""
    if rules.flow.first_dealer != "random":
        return int(rules.flow.first_dealer) % n_players
    return int(random.Random(f"{seed}:dealer").random() * n_players)


def chance_move(state: State, seed: int | str) -> Move:
    """Return the move of chance that a seed gives in this state.

    The generator is made anew from the text ``seed:round:number of chance moves in it``, so a
    state and a seed decide the move whatever was played before.

    Raises:
        IllegalMoveError: ``move.turn`` when it is not chance's turn.
    """
    r = state.round
    if r.actor != CHANCE:
        raise IllegalMoveError(f"expected chance to move, got phase {r.phase}", code="move.turn")
    rng = random.Random(f"{seed}:{state.round_no}:{r.n_chance}")
    if r.phase == Phase.DEAL:
        return Deal(shuffled(deck_cards(r.rules), rng))
    if r.phase == Phase.CALL_ORDER:
        return CallOrder(shuffled(r.askers, rng))
    if r.phase == Phase.CUT:
        return Cut(CHANCE, _simulated_cut(r, rng))
    return Shuffle(shuffled(shuffle_cards(r), rng))


def _simulated_cut(r: Round, rng: random.Random) -> int:
    size = len(deck_cards(r.rules))
    model = _NORMAL_RE.fullmatch(r.rules.flow.cut_model)
    if model is None and r.rules.flow.cut_model != "normal":
        return 1 + int(rng.random() * (size - 1))
    sigma = float(model[1]) if model else _DEFAULT_SIGMA
    target = len(r.players) * (r.rules.n_dealt or 0) + 1
    # Twelve uniform numbers less six: nearly normal, and made of random() alone.
    error = sum(rng.random() for _ in range(12)) - 6
    return min(size - 1, max(1, round(target + sigma * error)))


_DEFAULT_SIGMA: Final = 5.0


def check_cut(r: Round, move: Cut) -> None:
    """Raise IllegalMoveError ``cut.size`` unless some but not all cards are lifted."""
    size = len(deck_cards(r.rules))
    if not 1 <= move.n_cards < size:
        raise IllegalMoveError(
            f"expected a cut of 1..{size - 1} cards, got {move.n_cards}", code="cut.size"
        )


def do_cut(r: Round, move: Cut) -> Round:
    """Return the round after the cut; the deck is shuffled, so only the number matters."""
    cutter = r.players[-2] if len(r.players) > 1 else r.players[0]
    return r.to(phase=Phase.DEAL, actor=CHANCE, cut=(cutter, move.n_cards), n_chance=r.n_chance + 1)


def n_needed(r: Round) -> int:
    """Return how many cards the deal takes, all that is turned up included."""
    n_players = len(r.players)
    upcards = n_players if r.rules.flow.simultaneous else 1
    extra = 1 if r.rules.flow.first_player_extra else 0
    return n_players * (r.rules.n_dealt or 0) + upcards + extra


def check_deal(r: Round, move: Deal) -> None:
    """Raise IllegalMoveError unless the cards are the whole deck and enough for all."""
    _check_same(move.cards, deck_cards(r.rules), "deal.cards", "the whole deck")
    if n_needed(r) > len(move.cards):
        raise IllegalMoveError(
            f"expected at least {n_needed(r)} cards to deal, got {len(move.cards)}",
            code="deal.size",
        )


def _check_same(got: Sequence[Card], wanted: Sequence[Card], code: str, what: str) -> None:
    have, want = Counter(got), Counter(wanted)
    if have == want:
        return
    surplus = " ".join(f"{format_card(c)} x{n}" for c, n in sorted((have - want).items()))
    missing = " ".join(f"{format_card(c)} x{n}" for c, n in sorted((want - have).items()))
    raise IllegalMoveError(
        f"expected {what}, got {len(got)} cards; surplus: {surplus or 'none'}; "
        f"missing: {missing or 'none'}",
        code=code,
    )


def do_deal(r: Round, move: Deal) -> Round:
    """Return the round dealt: one card at a time from the dealer's left, then the upcard."""
    players, n_dealt = r.players, r.rules.n_dealt or 0
    n_players = len(players)
    hands = r.hands
    for i, seat in enumerate(players):
        cards = move.cards[i : n_dealt * n_players : n_players]
        hands = put(hands, seat, tuple(sorted(cards)))
    rest = move.cards[n_dealt * n_players :]
    r = r.to(hands=hands, n_chance=r.n_chance + 1)
    if r.rules.flow.simultaneous:
        n_seats = len(r.hands)
        piles = tuple(
            (rest[players.index(seat)],) if seat in players else () for seat in range(n_seats)
        )
        beat = Beat(piles, (None,) * n_seats, (None,) * n_seats)
        return begin_beat(r.to(stock=rest[n_players:], beat=beat))
    first = players[0]
    if r.rules.flow.first_player_extra:
        r = r.to(hands=put(r.hands, first, tuple(sorted((*r.hands[first], rest[0])))))
        rest = rest[1:]
    r = r.to(stock=rest[1:], discards=rest[:1], upcard=rest[0])
    if r.rules.flow.first_upcard == "offer":
        return r.to(phase=Phase.UPCARD, actor=first, turn=first)
    begun = begin_turn(r, first)
    if r.rules.flow.first_player_extra:
        return begun.to(phase=Phase.PLAY, taken_from="stock")
    return begun


def shuffle_cards(r: Round) -> tuple[Card, ...]:
    """Return the cards that chance is to shuffle: discards, all but the top of each pile."""
    if r.beat is not None:
        return tuple(card for pile in r.beat.piles for card in pile[:-1])
    return r.discards[:-1]


def check_shuffle(r: Round, move: Shuffle) -> None:
    """Raise IllegalMoveError ``shuffle.cards`` unless these are the discards below the top."""
    _check_same(move.cards, shuffle_cards(r), "shuffle.cards", "the discards below the top")


def do_shuffle(r: Round, move: Shuffle) -> Round:
    """Return the round with the stock rebuilt and the waiting move made."""
    r = r.to(stock=(*r.stock, *move.cards), n_shuffles=r.n_shuffles + 1, n_chance=r.n_chance + 1)
    if r.beat is not None:
        piles = tuple(pile[-1:] for pile in r.beat.piles)
        beat = Beat(piles, r.beat.commits, r.beat.barred, r.beat.outs, r.beat.beats_left)
        return begin_beat(r.to(beat=beat))
    r = r.to(discards=r.discards[-1:])
    pending = r.pending
    r = r.to(pending=None)
    if isinstance(pending, Draw):
        return do_draw(r, pending)
    if isinstance(pending, Buy):
        return do_buy(r, pending)
    return do_call(r)


def check_call_order(r: Round, move: CallOrder) -> None:
    """Raise IllegalMoveError ``callers.seats`` unless the seats are those asked."""
    if sorted(move.seats) != sorted(r.askers):
        raise IllegalMoveError(
            f"expected seats {sorted(r.askers)} in some order, got {list(move.seats)}",
            code="callers.seats",
        )


def do_call_order(r: Round, move: CallOrder) -> Round:
    """Return the round with the seats asked in this order."""
    return r.to(phase=Phase.BUY, actor=move.seats[0], askers=move.seats, n_chance=r.n_chance + 1)
