"""Five Crowns saves: hands, piles and scores of a two-player game, as positions to go on from.

The text has ``Round``, then a name with ``Score`` and ``Hand`` for each player, ``Draw Pile`` and
``Discard Pile`` (top card first) and ``Next Player``. Tens are ``X`` or ``10``, stars ``T``, jokers
``J1`` to ``J3``; a file may hold several positions and end without a newline.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from solver.cards import JOKER, N_RANKS, Card, format_card
from solver.engine.dealing import deck_cards
from solver.engine.scoring import RoundExtras, RoundScore, score_round
from solver.engine.state import Phase, State, new_game
from solver.engine.turns import begin_turn
from solver.errors import Fault, HandError, NotationError, quoted
from solver.rules.loader import load_rules
from solver.rules.model import GameRules

_RANKS: Final = {"X": 9, **{str(n): n - 1 for n in range(3, 11)}, "J": 10, "Q": 11, "K": 12}
_SUITS: Final = {"S": 0, "H": 1, "D": 2, "C": 3, "T": 4}
_CARD_RE: Final = re.compile(r"(10|[3-9XJQK])([SHDCT])|(J[123])")
_ROUND_RE: Final = re.compile(r"Round(?: Number)?\s*:\s*(\d{1,2})\s*$")
_FIELD_RE: Final = re.compile(r"\s*(Score|Hand|Draw Pile|Discard Pile|Next Player)\s*:?\s*(.*)$")
_NAME_RE: Final = re.compile(r"([A-Za-z][A-Za-z0-9 ]*?)\s*:?\s*$")
_SCORE_RE: Final = re.compile(r"[0-9]{1,9}")
_RULE_RE: Final = re.compile(r"-{8,}")


@dataclass(frozen=True, slots=True)
class Save:
    """One saved position.

    Attributes:
        round_no: number of the round, 1..11.
        names: names of the players.
        scores: totals before this round.
        hands: hands of the players.
        stock: cards face down, next card first.
        discards: the discard pile, last card on top.
        next_player: index of the player to move, None when the file does not say.
        faults: what is impossible about the deck or the hands; () for a sound save.
    """

    round_no: int
    names: tuple[str, ...]
    scores: tuple[int, ...]
    hands: tuple[tuple[Card, ...], ...]
    stock: tuple[Card, ...]
    discards: tuple[Card, ...]
    next_player: int | None
    faults: tuple[Fault, ...] = ()

    @property
    def n_cards(self) -> int:
        """Return the number of cards of the save."""
        return sum(map(len, self.hands)) + len(self.stock) + len(self.discards)

    def rules(self) -> GameRules:
        """Return the rules of the saved round."""
        return load_rules("five-crowns", players=len(self.hands), round=self.round_no)

    def score(self) -> RoundScore:
        """Return the score of the hands as they are, laid over the saved totals.

        Raises:
            HandError: a hand has not the size of the round.
        """
        extras = RoundExtras(names=self.names)
        return score_round(self.hands, self.rules(), totals=self.scores, extras=extras)

    def state(self) -> State:
        """Return the position as a state to go on from.

        Raises:
            HandError: ``deck.*``, the faults of the save; ``save.next`` no player to move.
        """
        if self.faults:
            raise HandError.from_faults(self.faults)
        if self.next_player is None:
            raise HandError("expected the player to move, got none", code="save.next")
        dealer = (self.next_player - 1) % len(self.hands)
        state = new_game(self.rules(), len(self.hands), first_dealer=dealer)
        dealt = state.round.to(
            hands=tuple(tuple(sorted(hand)) for hand in self.hands),
            stock=self.stock,
            discards=self.discards,
            phase=Phase.DRAW,
            n_chance=1,
        )
        return replace(state, round=begin_turn(dealt, self.next_player), totals=self.scores)


def read_saves(text: str) -> list[Save]:
    """Return the positions of a file, in order; an impossible deck is told in ``faults``.

    Raises:
        NotationError: ``save.format``, a field is missing or out of place; ``card.unknown``.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    saves = [_read_block(block, start) for start, block in _blocks(lines)]
    if not saves:
        raise NotationError("expected a line 'Round: <number>', got none", code="save.format")
    return saves


def _blocks(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines from each ``Round`` to the next, or to a rule of dashes."""
    starts = [i for i, line in enumerate(lines) if _ROUND_RE.match(line)]
    for start, stop in zip(starts, [*starts, len(lines)][1:], strict=True):
        block = lines[start:stop]
        ends = [i for i, line in enumerate(block) if _RULE_RE.match(line)]
        yield start, block[: ends[0]] if ends else block


def _read_block(lines: list[str], start: int) -> Save:
    match = _ROUND_RE.match(lines[0])
    assert match is not None, "a block starts with its round"
    names: list[str] = []
    fields: dict[str, list[str]] = {}
    for i, line in enumerate(lines[1:], start + 2):
        if field := _FIELD_RE.match(line):
            fields.setdefault(field[1], []).append(field[2].strip())
        elif name := _NAME_RE.match(line):
            names.append(name[1])
        elif line.strip():
            raise _bad(f"a field of a save in line {i}", line)
    scores, hands = fields.get("Score", []), fields.get("Hand", [])
    if not names or not len(names) == len(scores) == len(hands):
        raise _bad("a score and a hand for each player", f"{len(names)} names, {len(hands)} hands")
    if not all(_SCORE_RE.fullmatch(s) for s in scores) or "Draw Pile" not in fields:
        raise _bad("scores in digits and a draw pile", f"scores {scores}")
    to_move = fields.get("Next Player", [""])[0]
    save = Save(
        round_no=int(match[1]),
        names=tuple(names),
        scores=tuple(map(int, scores)),
        hands=tuple(_cards(hand) for hand in hands),
        stock=_cards(fields["Draw Pile"][0]),
        discards=_cards(fields.get("Discard Pile", [""])[0])[::-1],
        next_player=names.index(to_move) if to_move in names else None,
    )
    return replace(save, faults=tuple(_faults(save)))


def _bad(expected: str, got: str) -> NotationError:
    return NotationError(f"expected {expected}, got {quoted(got, 80)}", code="save.format")


def _cards(text: str) -> tuple[Card, ...]:
    cards = []
    for token in text.split():
        match = _CARD_RE.fullmatch(token.upper())
        if match is None:
            raise NotationError(
                f"expected a card such as XH, 10H, 5T or J1, got {quoted(token)}",
                code="card.unknown",
                data={"token": token[:40]},
            )
        cards.append(JOKER if match[3] else _SUITS[match[2]] * N_RANKS + _RANKS[match[1]])
    return tuple(cards)


def _faults(save: Save) -> list[Fault]:
    """Return what is wrong with the numbers of cards, each card named."""
    faults = []
    if not 1 <= save.round_no <= 11:  # noqa: PLR2004 - rounds of the game
        message = f"expected a round 1..11, got {save.round_no}"
        return [Fault("save.round", "/round", message)]
    deck = deck_cards(load_rules("five-crowns", players=2))
    if save.n_cards != len(deck):
        message = f"expected {len(deck)} cards, got {save.n_cards}"
        faults.append(Fault("deck.total", "", message, {"total": save.n_cards}))
    held = Counter([*save.stock, *save.discards, *(c for hand in save.hands for c in hand)])
    want = Counter(deck)
    for card in sorted(want | held):
        if held[card] > want[card]:
            shown = format_card(card)
            message = f"expected at most {want[card]} of {shown}, got {held[card]}"
            data = {"card": shown, "copies": held[card]}
            faults.append(Fault("deck.surplus", "", message, data))
    missing = sorted((want - held).elements())
    if missing:
        texts = [format_card(card) for card in missing]
        message = f"expected {len(missing)} more cards: {' '.join(texts)}"
        faults.append(Fault("deck.missing", "", message, {"cards": texts}))
    for i, hand in enumerate(save.hands):
        if len(hand) != save.round_no + 2:
            message = f"expected {save.round_no + 2} cards in hand {i + 1}, got {len(hand)}"
            faults.append(Fault("hand.size", f"/hands/{i}", message, {"seat": i}))
    return faults
