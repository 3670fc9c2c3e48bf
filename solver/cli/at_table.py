"""A person at the terminal against players: sees the own view only, types moves."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import click
from rich.text import Text

from solver.cards import parse_card
from solver.cli.position import move_words, offered, show_moves, show_position, who
from solver.cli.show import Screen
from solver.engine.dealing import chance_move, first_dealer
from solver.engine.legal import LegalMoves
from solver.engine.moves import CHANCE, Discard, Move
from solver.engine.notation import parse_move
from solver.engine.record import GameRecord
from solver.engine.referee import apply, check_move, fine_for, move_kinds
from solver.engine.replay import make_record, round_result
from solver.engine.scoring import final_totals
from solver.engine.state import EVERYONE, State, new_game
from solver.engine.view import view
from solver.errors import IllegalMoveError, MeldSolverError, NotationError
from solver.players.advice import advise
from solver.players.policy import Policy
from solver.rules.model import GameRules

YOU: Final = 0
"""Seat of the person."""
_LONGEST_LINE: Final = 10_000
_SHOWN_OPTIONS: Final = 5
_MELD_RE: Final = re.compile(r"\b[rsw]\[")
_HELP: Final = """\
  a number        the move of that number
  draw, take, pass, buy, rummy
  discard 7H      (or just 7H); out 7H goes out with it
  lay 8S>0+       8S on meld 0 of the table, + or - for the end of a run
  down S[7S 7H 2C=7] R[4H 5H 6H 7H]   then: swap 6H<1.2  lay KH>0
  knock 9D R[AS 2S 3S]      knock - ... for big gin
  defend S[4S 4H 4D] lay 4H>0
  cut 31
  hint            what to do, and what other moves are worth
  show            the position once more
  q               stop here
Cards: rank A23456789TJQK and suit S H D C (* for stars), JK is a joker; a wild lies where
it is written, or says what it stands for: 2C=6H in a run, 2C=6 in a set."""


class _Quit(Exception):
    """The person stops, or the input ends."""


class TableGame:
    """A game of a person against players.

    Args:
        rules: rules of the game.
        others: the players of seats 1...
        names: names by seat, the person's first.
        seed: decides the dealer, every deal and the players' lots.
        screen: where the game is shown.
    """

    def __init__(
        self,
        rules: GameRules,
        others: Sequence[Policy],
        names: Sequence[str],
        seed: int | str,
        screen: Screen,
    ) -> None:
        n_seats = len(others) + 1
        self._rules, self._names, self._seed, self._screen = rules, names, seed, screen
        self._dealer = first_dealer(rules, n_seats, seed)
        self._state = new_game(rules, n_seats, first_dealer=self._dealer)
        self._others = dict(enumerate(others, start=1))
        self._lots = {seat: random.Random(f"{seed}:player {seat}") for seat in self._others}
        self._moves: list[Move] = []
        self._hidden: list[Text] = []

    def play(self) -> GameRecord:
        """Play to the end, or until the person stops; return the record so far."""
        try:
            while not self._state.is_over:
                self._make(self._next())
        except (_Quit, KeyboardInterrupt):
            self._screen.line("\nstopped before the end of the game")
        else:
            self._tell_end()
        return make_record(
            self._rules,
            self._names,
            self._moves,
            first_dealer=self._dealer,
            seed=self._seed,
        )

    def _next(self) -> Move:
        state = self._state
        if state.actor == CHANCE:
            return chance_move(state, self._seed)
        seats = state.actors()
        if YOU in seats:
            return self._ask()
        seat = seats[0]
        moves = LegalMoves(state, seat)
        return self._others[seat].choose(view(state, seat), moves, self._lots[seat])

    def _make(self, move: Move) -> None:
        """Make a move and tell what all may know of it."""
        before = self._state
        self._state = apply(before, move)
        self._moves.append(move)
        if move.seat != YOU:
            seat = before.round.turn if move.seat == CHANCE else move.seat
            words = move_words(move, self._screen, offered(view(before, seat)))
            self._hidden.append(Text.assemble("  ", who(move.seat, self._names), words))
        # In a beat all moves are shown together, once everybody has made one.
        in_beat = before.actor == EVERYONE
        if not in_beat or self._state.phase != before.phase:
            self._tell_moves()
        for fine in self._state.round.fines[len(before.round.fines) :]:
            self._screen.line(f"  {fine.text(self._names[fine.seat])}")
        if len(self._state.history) > len(before.history):
            self._tell_moves()
            self._tell_round()

    def _tell_moves(self) -> None:
        for line in self._hidden:
            self._screen.line(line)
        self._hidden = []

    def _tell_round(self) -> None:
        """Write how a round ended, with everybody's cards, points and totals."""
        state, screen = self._state, self._screen
        result = round_result(state)
        how = f"{result.ending}, {self._names[result.out]}" if result.out is not None else ""
        screen.line(f"== round {len(state.history)} ends: {how or result.ending}")
        rows = zip(self._names, result.points, result.totals, result.hands, strict=True)
        for name, points, total, hand in rows:
            cards = screen.cards(hand) if hand else "-"
            screen.line(f"  {name}: {points} points, total {total}; cards left ", cards)

    def _tell_end(self) -> None:
        state = self._state
        winners = state.winners or ()
        totals = final_totals(state.totals, state.points, winners, state.rules)
        shown = ", ".join(f"{n} {t}" for n, t in zip(self._names, totals, strict=True))
        first = " and ".join(self._names[seat] for seat in winners)
        self._screen.line(f"the game is over: {shown}; winner: {first}")

    def _ask(self) -> Move:
        """Return the move that the person types; wrong input is explained and asked again."""
        seen = view(self._state, YOU)
        moves = LegalMoves(self._state, YOU)
        show_position(seen, self._names, self._screen)
        show_moves(seen, moves, self._screen)
        while True:
            text = _read_line()
            if text in {"q", "quit"}:
                raise _Quit
            if text == "?":
                click.echo(_HELP)
            elif text == "hint":
                self._hint()
            elif text == "show":
                show_position(seen, self._names, self._screen)
                show_moves(seen, moves, self._screen)
            elif text:
                try:
                    return read_move(text, self._state, moves)
                except MeldSolverError as error:
                    self._screen.line(f"{error}; ? helps")

    def _hint(self) -> None:
        try:
            advice = advise(view(self._state, YOU))
        except MeldSolverError as error:
            self._screen.line(f"no advice: {error}")
            return
        top = offered(view(self._state, YOU))
        words = move_words(advice.move, self._screen, top)
        self._screen.line("hint: ", words, f": {advice.reason}")
        for option in advice.options[:_SHOWN_OPTIONS]:
            words = move_words(option.move, self._screen, top)
            self._screen.line(f"  {option.value.text():>7}  ", words)


def _read_line() -> str:
    """Return the next line typed, without blanks around it."""
    click.echo("> ", nl=False)
    sys.stdout.flush()
    line: bytes = sys.stdin.buffer.readline(_LONGEST_LINE)
    if not line:
        raise _Quit
    return " ".join(line.decode(errors="replace").split())


def read_move(text: str, state: State, moves: Sequence[Move]) -> Move:
    """Return the legal move that a person means.

    Args:
        text: number of a move, or the move in the notation of records, with or without the
            seat; a card alone is its discard. ``!`` at the end makes a move that is fined.
        state: the game.
        moves: the numbered moves.

    Raises:
        NotationError: ``move.notation`` or ``move.number``.
        IllegalMoveError: as ``check_move``; ``move.fined`` for a move that only costs a fine.
    """
    if re.fullmatch(r"[0-9]+", text):
        number = int(text) if len(text) < 9 else 0  # noqa: PLR2004 - beyond any list
        if not 1 <= number <= len(moves):
            message = f"expected a number 1..{len(moves)}, got {text[:20]}"
            raise NotationError(message, code="move.number")
        return moves[number - 1]
    try:
        move = _parse(text.removesuffix("!").rstrip(), state)
        if move.seat != YOU:
            raise IllegalMoveError(f"expected your seat {YOU}, got {move.seat}", code="move.turn")
        check_move(state, move)
    except (NotationError, IllegalMoveError) as error:
        raise _as_typed(error) from None
    fine = None if text.endswith("!") else fine_for(state, move)
    if fine is not None:
        raise IllegalMoveError(
            f"{fine.reason}; the rules fine the attempt, end it with ! to make it all the same",
            code="move.fined",
        )
    return move


def _parse(text: str, state: State) -> Move:
    head, _, rest = text.partition(" ")
    if not rest and Discard in move_kinds(state.phase):
        try:
            return Discard(YOU, parse_card(head, tiles=state.rules.deck.tiles))
        except NotationError:
            pass  # no card: then it is a word
    text = _MELD_RE.sub(lambda found: found[0].upper(), text)
    if head.isascii() and head.isdigit():
        return parse_move(text)
    head, _, rest = text.partition(" ")
    return parse_move(f"{YOU} {head.lower()} {rest}".rstrip())


def _as_typed(error: MeldSolverError) -> MeldSolverError:
    """Return the error of a move without the seat, which was put before what was typed."""
    return type(error).from_faults(
        [replace(f, message=f.message.replace(f"got '{YOU} ", "got '")) for f in error.faults]
    )
