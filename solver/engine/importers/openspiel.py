"""Gin games recorded by OpenSpiel: parameters, history as [player, action], returns.

Actions 0..51 are cards (suits S C D H, ace low), then draw upcard, draw stock, pass, knock, and
185 melds: sets by rank (three cards by the missing suit, then all four), runs of three, four and
five by suit and first card. Player -1 is chance, which deals hand, hand, upcard and every draw.
Longer runs are laid there as two melds. The first hand belongs to player 0, who acts first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from solver.cards import N_RANKS, Card, format_card
from solver.engine.dealing import deck_cards
from solver.engine.moves import (
    Deal,
    Defend,
    Discard,
    Draw,
    End,
    Knock,
    LayOff,
    Move,
    Pass,
    Take,
)
from solver.engine.record import MAX_NAME, GameRecord, RecordError
from solver.engine.replay import Replay, make_record, replay
from solver.engine.tabling import TableMeld, extend, placements
from solver.errors import Fault, IllegalMoveError, MeldSolverError, quoted
from solver.melds import Meld, MeldKind, check_meld
from solver.rules.loader import load_rules
from solver.rules.model import GameRules

_SUITS: Final = (0, 3, 2, 1)
"""Our suits in OpenSpiel's order S C D H."""
_N_CARDS: Final = 52
_UPCARD: Final = 52
_STOCK: Final = 53
_PASS: Final = 54
_KNOCK: Final = 55
_MELDS: Final = 56
_N_SETS: Final = 65
_HAND: Final = 10
_FIXED: Final = {"num_ranks": 13, "num_suits": 4, "hand_size": _HAND}


@dataclass(frozen=True, slots=True)
class OpenSpielGame:
    """An imported game: our record of it and the returns that OpenSpiel wrote down."""

    record: GameRecord
    returns: tuple[int, ...]


def card_of(action: int) -> Card:
    """Return our card of an action 0..51."""
    return _SUITS[action // N_RANKS] * N_RANKS + action % N_RANKS


def meld_of(action: int) -> tuple[Card, ...]:
    """Return the cards of an action 56..240.

    Raises:
        ValueError: no meld has this number.
    """
    number = action - _MELDS
    if not 0 <= number < 185:  # noqa: PLR2004 - melds of the table
        raise ValueError(f"expected an action {_MELDS}..240, got {action}")
    if number < _N_SETS:
        rank, missing = divmod(number, 5)
        return tuple(card_of(s * N_RANKS + rank) for s in range(4) if s != missing)
    number -= _N_SETS
    length = 3
    while number >= 4 * (N_RANKS - length + 1):
        number -= 4 * (N_RANKS - length + 1)
        length += 1
    suit, rank = divmod(number, N_RANKS - length + 1)
    return tuple(card_of(suit * N_RANKS + rank + i) for i in range(length))


def import_game(data: Mapping[str, Any]) -> OpenSpielGame:
    """Return a game of OpenSpiel as one of our records.

    Raises:
        RecordError: ``openspiel.format``, ``openspiel.params`` or ``openspiel.history`` with the
            place, or the code of an illegal move.
    """
    history, returns = _read_form(data)
    rules = _rules(data["params"])
    names = _names(data.get("players", ["player 0", "player 1"]))
    reader = _Reader(history, rules)
    try:
        record = make_record(rules, names, reader.moves(), first_dealer=1)
    except IllegalMoveError as err:
        fault = err.faults[0]
        place = Fault(fault.code, f"/history/{reader.at - 1}", fault.message, fault.data)
        raise RecordError.from_faults([place]) from None
    return OpenSpielGame(replace(record, id=name_of(data)), returns)


def name_of(data: Mapping[str, Any]) -> str:
    """Return the id of a game, "" when it has none."""
    name = data.get("id")
    return f"{name}"[:MAX_NAME] if isinstance(name, str | int) else ""


def replay_game(data: Mapping[str, Any]) -> Replay:
    """Return the replay of an OpenSpiel game, with a fault where its returns disagree."""
    try:
        game = import_game(data)
    except MeldSolverError as err:
        return Replay(name_of(data), None, 0, err.faults)
    played = replay(game.record)
    expected = _returns(played)
    if expected == game.returns:
        return played
    message = f"expected returns {list(expected)}, got {list(game.returns)}"
    facts = {"expected": list(expected), "got": list(game.returns)}
    fault = Fault("openspiel.returns", "/returns", message, facts)
    return replace(played, faults=(*played.faults, fault))


def _returns(played: Replay) -> tuple[int, ...]:
    """Return what each player won less what the other did; nothing for an unfinished game."""
    state = played.state
    if state is None or not state.points:
        return (0, 0)
    first, second = state.points[-1]
    return (first - second, second - first)


def _bad(where: str, expected: str, got: object, code: str = "openspiel.format") -> RecordError:
    message = f"expected {expected}, got {quoted(got, 80)}"
    return RecordError.from_faults([Fault(code, where, message, {"expected": expected})])


def _read_form(data: Mapping[str, Any]) -> tuple[list[tuple[int, int]], tuple[int, ...]]:
    """Return history and returns after checking their form."""
    for key in ("params", "history", "returns"):
        if key not in data:
            raise _bad("", f"a key {quoted(key)}", sorted(data))
    if not isinstance(data["params"], Mapping):
        raise _bad("/params", "an object", data["params"])
    if not isinstance(data["history"], list):
        raise _bad("/history", "a list", data["history"])
    history = []
    for i, pair in enumerate(data["history"]):
        ok = isinstance(pair, list) and len(pair) == 2  # noqa: PLR2004 - player, action
        if not ok or not all(isinstance(n, int) and not isinstance(n, bool) for n in pair):
            raise _bad(f"/history/{i}", "a pair of player and action", pair)
        history.append((pair[0], pair[1]))
    returns = data["returns"]
    if not isinstance(returns, list) or not all(map(_is_points, returns)):
        raise _bad("/returns", "whole numbers", returns)
    return history, tuple(int(n) for n in returns)


def _is_points(value: object) -> bool:
    """Return whether a JSON value is a whole number; OpenSpiel writes ``74.0``."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def _names(players: Any) -> list[str]:  # noqa: ANN401 - any JSON value
    """Return the names of the two players."""
    is_pair = isinstance(players, list) and len(players) == 2  # noqa: PLR2004 - gin has two
    if not is_pair or not all(isinstance(name, str) for name in players):
        raise _bad("/players", "two names", players)
    return [name[:MAX_NAME] for name in players]


def _rules(params: Mapping[str, Any]) -> GameRules:
    """Return the rules of OpenSpiel's parameters: one deal of gin, ties no undercut."""
    for key, value in _FIXED.items():
        if params.get(key, value) != value:
            where = f"/params/{key}"
            raise _bad(where, f"{key} {value}", params[key], code="openspiel.params")
    return load_rules(
        "oklahoma-gin" if params.get("oklahoma", False) else "gin",
        rounds=1,
        end_score=None,
        knock_limit=params.get("knock_card", 10),
        gin_bonus=params.get("gin_bonus", 25),
        undercut_bonus=params.get("undercut_bonus", 25),
        undercut_on_tie=False,
        big_gin_bonus=None,
        spade_double=False,
        forbid_return_discard=False,
    )


class _Reader:
    """The moves of a history, read one after another.

    Attributes:
        at: index of the next entry of the history.
    """

    def __init__(self, history: list[tuple[int, int]], rules: GameRules) -> None:
        self.at = 0
        self._history = history
        self._rules = rules

    def moves(self) -> Iterator[Move]:
        """Yield the moves in order; composite ones gather what OpenSpiel spreads over steps."""
        yield self._deal()
        while self.at < len(self._history):
            player, action = self._next()
            if player < 0:
                continue  # the card drawn is in the deal already
            if action < _N_CARDS:
                yield Discard(player, card_of(action))
            elif action == _UPCARD:
                yield Take(player)
            elif action == _STOCK:
                yield Draw(player)
            elif action == _PASS:
                yield Pass(player)
            elif action == _KNOCK:
                yield from self._knock(player)
            else:
                raise self._unexpected("a card, draw, pass or knock", action)

    def _next(self) -> tuple[int, int]:
        if self.at >= len(self._history):
            raise self._unexpected("another action", "the end")
        self.at += 1
        return self._history[self.at - 1]

    def _unexpected(self, expected: str, got: object) -> RecordError:
        return _bad(f"/history/{max(0, self.at - 1)}", expected, got, code="openspiel.history")

    def _deal(self) -> Deal:
        """Return the deal: the cards of chance in the order in which we deal them."""
        drawn = [a for p, a in self._history if p < 0]
        n_dealt = 2 * _HAND + 1
        if len(drawn) < n_dealt or any(p >= 0 for p, _ in self._history[:n_dealt]):
            raise self._unexpected(f"{n_dealt} cards dealt first", len(drawn))
        if not all(0 <= a < _N_CARDS for a in drawn):
            raise self._unexpected("cards dealt by chance", drawn)
        cards = [card_of(a) for a in drawn]
        hands = [card for pair in zip(cards[:_HAND], cards[_HAND:20], strict=True) for card in pair]
        dealt = [*hands, *cards[20:]]
        rest = [c for c in deck_cards(self._rules) if c not in set(dealt)]
        self.at = n_dealt
        return Deal((*dealt, *rest))

    def _knock(self, player: int) -> Iterator[Move]:
        """Yield a knock with its discard and melds, and the defence."""
        if not self._holds_drawn():
            yield Take(player)  # at the wall a knock takes the upcard along
        _, thrown = self._next()
        if not 0 <= thrown < _N_CARDS:
            raise self._unexpected("the discard of the knock", thrown)
        melds = tuple(self._melds())
        yield Knock(player, card_of(thrown), melds)
        if self.at < len(self._history):
            yield self._defence(1 - player, melds)

    def _holds_drawn(self) -> bool:
        """Return whether the player in turn has drawn: the step before was a draw or its card."""
        before = [entry for entry in self._history[: self.at - 1] if entry[0] >= 0]
        return bool(before) and before[-1][1] in (_UPCARD, _STOCK)

    def _melds(self) -> Iterator[Meld]:
        """Yield melds up to the pass that ends them."""
        while True:
            _, action = self._next()
            if action == _PASS:
                return
            try:
                yield check_meld(list(meld_of(action)), self._rules)
            except ValueError:
                raise self._unexpected("a meld or a pass", action) from None

    def _defence(self, seat: int, melds: tuple[Meld, ...]) -> Defend:
        table = [TableMeld(1 - seat, meld) for meld in melds]
        layoffs: list[LayOff] = []
        is_gin = sum(len(meld.cards) for meld in melds) == _HAND
        while not is_gin:  # against gin the history has no lay-offs and no pass that ends them
            _, action = self._next()
            if action == _PASS:
                break
            if not 0 <= action < _N_CARDS:
                raise self._unexpected("a card laid off or a pass", action)
            card = card_of(action)
            index, end = self._place(card, table, seat)
            table[index] = extend(table[index], card, end, self._rules)
            layoffs.append(LayOff(seat, card, index, end))
        return Defend(seat, tuple(self._melds()), tuple(layoffs))

    def _place(self, card: Card, table: list[TableMeld], seat: int) -> tuple[int, End]:
        """Return where a card is laid off: on a run if it can be, since more may follow there."""
        places = placements(card, table, self._rules, seat)
        if not places:
            raise self._unexpected("a card that fits a meld", format_card(card))
        runs = [p for p in places if table[p[0]].meld.kind == MeldKind.RUN]
        return (runs or places)[0]
