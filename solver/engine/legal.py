"""The moves a player may make: all that pass the referee, or a named finite family of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, overload

from solver.cards import Card
from solver.engine.dealing import deck_cards
from solver.engine.gin import defend, knock_limit
from solver.engine.going_down import can_go_down
from solver.engine.moves import (
    Buy,
    Cut,
    Defend,
    Discard,
    Draw,
    GoDown,
    GoOut,
    Knock,
    LayOff,
    Move,
    Pass,
    Rummy,
    Swap,
    Take,
)
from solver.engine.playing import false_out, may_declare_out, placements_of
from solver.engine.referee import can_move, move_kinds
from solver.engine.state import Round, State
from solver.engine.tabling import take_wild
from solver.engine.zones import least_penalties, least_penalty, put, without
from solver.errors import IllegalMoveError, LimitError
from solver.solve import best_contract, solve
from solver.table import best_godown, may_swap_in
from solver.table.lying import Lying


def legal_moves(state: State) -> tuple[Move, ...]:
    """Return the moves that the players may make now; () for chance and at the end.

    Complete for every kind of move but three, whose number has no useful bound. Of these a
    family is given:

    * ``GoDown``: the lay-out of the contract that leaves fewest points (of all melds where there
      is no contract) without swaps and lay-offs, and the best turn with them; of a player already
      down each swap with each lay-off of the wild gained;
    * ``Knock``: for every discard after which the hand may knock, its best melds;
    * ``Defend``: the best joint choice of melds and lay-offs, the best melds alone, nothing.

    Attempts that the referee would accept only to fine them (false melds, false declarations)
    are left out.
    """
    r = state.round
    moves: list[Move] = []
    for seat in state.actors():
        for kind in move_kinds(r.phase):
            moves += [m for m in _CANDIDATES[kind](r, seat) if can_move(state, m)]
    return tuple(moves)


class LegalMoves(Sequence[Move]):
    """The legal moves of one seat, found when they are first looked at."""

    def __init__(self, state: State, seat: int) -> None:
        self._state, self._seat = state, seat
        self._found: tuple[Move, ...] | None = None

    def _moves(self) -> tuple[Move, ...]:
        if self._found is None:
            self._found = tuple(m for m in legal_moves(self._state) if m.seat == self._seat)
        return self._found

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Move, ...]: ...
    def __getitem__(self, index: int | slice) -> Move | tuple[Move, ...]:
        return self._moves()[index]

    def __len__(self) -> int:
        return len(self._moves())


def _discards(r: Round, seat: int) -> Iterator[Move]:
    if may_declare_out(r):  # ask for all at once; the answers are kept
        hand = r.hands[seat]
        least_penalties([without(hand, [card]) for card in dict.fromkeys(hand)], r.rules)
    for card in dict.fromkeys(r.hands[seat]):
        yield Discard(seat, card)
        declared = Discard(seat, card, out=True)
        if may_declare_out(r) and false_out(r, declared) is None:
            yield declared


def _goes_out(r: Round, seat: int) -> Iterator[Move]:
    if may_declare_out(r) and not r.rules.flow.must_discard_to_go_out:
        yield GoOut(seat)


def _layoffs(r: Round, seat: int) -> Iterator[Move]:
    for card in dict.fromkeys(r.hands[seat]):
        for meld, end in placements_of(r, card, r.table, seat):
            yield LayOff(seat, card, meld, end)


def _go_down(r: Round, seat: int) -> Iterator[Move]:
    rules = r.rules
    more = rules.meld.contract is None or rules.meld.extra_melds
    if rules.flow.meld_timing != "on_table":
        return
    if seat in r.down:
        yield from _swaps(r, seat)
        if not more:
            return
    moves = [_plain_go_down(r, seat)]
    if seat not in r.down:
        moves.append(_best_go_down(r, seat))
    plain, best = moves[0], moves[-1]
    if plain is not None and best is not None and not (best.swaps or best.layoffs):
        same = Counter(plain.melds) == Counter(best.melds)  # in another order: one move
        moves = [plain] if same else moves
    for move in dict.fromkeys(moves):
        if move is not None and move.melds and can_go_down(r, move):
            yield move


def _swaps(r: Round, seat: int) -> Iterator[Move]:
    """Yield each swap of a player already down with each lay-off of the wild gained."""
    if not may_swap_in(r.rules, is_down=True):
        return
    for i, lying in enumerate(r.table):
        wilds = [k for k, name in enumerate(lying.meld.stands_for) if name is not None]
        for place, card in product(wilds, dict.fromkeys(r.hands[seat])):
            try:
                after, wild = take_wild(lying, card, place, r.rules)
            except IllegalMoveError:
                continue
            for meld, end in placements_of(r, wild, put(r.table, i, after), seat):
                layoffs = (LayOff(seat, wild, meld, end),)
                yield GoDown(seat, (), (Swap(card, i, place),), layoffs)


def _plain_go_down(r: Round, seat: int) -> GoDown | None:
    """Return the best lay-out of the contract, or all melds of the hand where there is none."""
    hand, rules = list(r.hands[seat]), r.rules
    if rules.meld.contract is not None and seat not in r.down:
        found = best_contract(hand, rules)
    else:
        found = solve(hand, rules, ignore_contract=True) if hand else None
    return None if found is None else GoDown(seat, found.arrangement.melds)


MOST_PLANNED: Final = 20
"""Cards of a hand beyond which no whole turn is planned: 37 took a minute to be given up."""


def _best_go_down(r: Round, seat: int) -> GoDown | None:
    """Return the best turn of going down, with swaps and lay-offs; None for too large a hand."""
    if len(r.hands[seat]) > MOST_PLANNED:
        return None  # the melds alone are offered all the same
    own = [i for i, lying in enumerate(r.table) if lying.owner == seat]
    keep = 0 if r.rules.flow.floating or r.rules.meld.use_all else 1
    table = [Lying(lying.meld, lying.n_wilds_added) for lying in r.table]
    try:
        plan = best_godown(list(r.hands[seat]), table, r.rules, own=own, keep=keep)
    except LimitError:
        return None
    if plan is None:
        return None
    return GoDown(
        seat,
        plan.melds,
        tuple(Swap(a.card or 0, a.meld, a.place) for a in plan.swaps),
        tuple(LayOff(seat, a.card or 0, a.meld, a.end) for a in plan.layoffs),
    )


def _knocks(r: Round, seat: int) -> Iterator[Move]:
    if r.rules.flow.knock_limit is None:
        return
    limit = knock_limit(r.rules, r.upcard)
    hand = r.hands[seat]
    thrown: list[Card | None] = list(dict.fromkeys(hand))
    if r.rules.flow.big_gin_bonus is not None:
        thrown.append(None)
    for card in thrown:
        rest = hand if card is None else without(hand, [card])
        if least_penalty(rest, r.rules) <= limit:
            yield Knock(seat, card, solve(list(rest), r.rules).arrangement.melds)


def _defences(r: Round, seat: int) -> Iterator[Move]:
    assert r.knock is not None, "a defence answers a knock"
    hand = r.hands[seat]
    joint = defend(hand, r.knock.melds, r.rules, seat=seat)
    alone = solve(list(hand), r.rules).arrangement.melds if hand else ()
    moves = (Defend(seat, joint.melds, joint.layoffs), Defend(seat, alone), Defend(seat))
    yield from dict.fromkeys(moves)


def _cuts(r: Round, seat: int) -> Iterator[Move]:
    return (Cut(seat, n) for n in range(1, len(deck_cards(r.rules))))


def _plain(kind: Callable[[int], Move]) -> Callable[[Round, int], Iterable[Move]]:
    def candidates(_r: Round, seat: int) -> Iterable[Move]:
        return (kind(seat),)

    return candidates


_CANDIDATES: Final[Mapping[type[Any], Callable[[Round, int], Iterable[Move]]]] = {
    Cut: _cuts,
    Draw: _plain(Draw),
    Take: _plain(Take),
    Pass: _plain(Pass),
    Buy: _plain(Buy),
    Rummy: _plain(Rummy),
    Discard: _discards,
    GoOut: _goes_out,
    LayOff: _layoffs,
    GoDown: _go_down,
    Knock: _knocks,
    Defend: _defences,
}
