"""Recorded games played again: every move judged, every result compared, prices made anew."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solver.deadline import Deadline, TimeLimit
from solver.engine.dealing import chance_move
from solver.engine.facts import Fine, RoundFacts
from solver.engine.moves import CHANCE, Move
from solver.engine.notation import format_move, parse_move
from solver.engine.record import GameRecord, GameResult, RoundRecord, RoundResult
from solver.engine.referee import apply
from solver.engine.scoring import RoundScore, final_totals, price_round
from solver.engine.state import State, new_game
from solver.errors import Fault, IllegalMoveError, MeldSolverError, quoted
from solver.rules.loader import bonus_rules, load_rules, round_rules, whole_game
from solver.rules.model import GameRules


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of playing a record again.

    Attributes:
        id: name of the game.
        state: the state reached; None when the rules could not be loaded.
        n_moves: moves played, those of chance included.
        faults: what disagrees, in order; each names expected, got, and round and move in its data.
    """

    id: str
    state: State | None
    n_moves: int
    faults: tuple[Fault, ...] = ()

    @property
    def is_ok(self) -> bool:
        """Return whether nothing disagrees."""
        return not self.faults

    def fines(self) -> list[tuple[Fine, ...]]:
        """Return the fines of each round, those of an unfinished one last."""
        if self.state is None:
            return []
        fines = [fines_of(facts) for facts, _ in self.state.history]
        return fines if self.state.is_over else [*fines, self.state.round.fines]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        state = self.state
        return {
            "id": self.id,
            "ok": self.is_ok,
            "n_moves": self.n_moves,
            "rounds": 0 if state is None else len(state.history),
            "totals": None if state is None else list(state.totals),
            "winners": None if state is None or state.winners is None else list(state.winners),
            "final_totals": _final(state),
            "fines": [
                {"round": number, **fine.to_json()}
                for number, fines in enumerate(self.fines(), start=1)
                for fine in fines
            ],
            "faults": [fault.to_json() for fault in self.faults],
        }


def _final(state: State | None) -> list[int] | None:
    """Return the totals with the bonuses of the game's end, None while it goes on."""
    if state is None or state.winners is None:
        return None
    return list(final_totals(state.totals, state.points, state.winners, state.rules))


class _Stop(Exception):
    """The game cannot be played on; carries the fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def _disagree(code: str, where: str, expected: object, got: object, **place: int) -> Fault:
    shown = [text if isinstance(text, str) else quoted(text, 200) for text in (expected, got)]
    message = f"expected {shown[0]}, got {shown[1]}"
    return Fault(code, where, message, {"expected": expected, "got": got, **place})


def replay(record: GameRecord, *, ends_s: float | None = None) -> Replay:
    """Play a record again.

    The first illegal move ends the game there; results that disagree are all listed. What the
    record says comes out as ``got``, what the rules say as ``expected``.

    Args:
        record: the game.
        ends_s: moment of ``time.monotonic`` at which the fault ``limit.time`` ends the game.
    """
    player = _Player(record, ends_s)
    try:
        player.start()
        for i, played in enumerate(record.rounds):
            player.play_round(i, played)
        player.finish()
    except _Stop as stop:
        player.faults.append(stop.fault)
    if not player.faults and record.sha256 not in (None, record.digest()):
        fault = _disagree("record.digest", "/sha256", record.digest(), record.sha256)
        player.faults.append(fault)
    return Replay(record.id, player.state, player.n_moves, tuple(player.faults))


class _Player:
    """A replay under way."""

    def __init__(self, record: GameRecord, ends_s: float | None) -> None:
        self.record = record
        self.ends_s = ends_s
        self.state: State | None = None
        self.n_moves = 0
        self.faults: list[Fault] = []

    def start(self) -> None:
        """Load the rules and set up the game."""
        record = self.record
        try:
            rules = load_rules(record.rules, **dict(record.options))
            state = new_game(rules, len(record.seats), first_dealer=record.first_dealer)
        except MeldSolverError as err:
            first = err.faults[0]
            where = f"/rules{first.where}" if first.where.startswith("/options") else "/rules/name"
            raise _Stop(Fault(first.code, where, first.message, first.data)) from None
        named = whole_game(state.rules).fingerprint
        if record.fingerprint not in {None, named, state.rules.former_fingerprint}:
            where = "/rules/fingerprint"
            expected, got = named, record.fingerprint
            raise _Stop(_disagree("record.fingerprint", where, expected, got))
        self.state = state

    def _current(self) -> State:
        assert self.state is not None, "the game has started"
        return self.state

    def play_round(self, index: int, played: RoundRecord) -> None:
        """Play the moves of one round and compare its result."""
        where, state = f"/rounds/{index}", self._current()
        if state.is_over:
            raise _Stop(
                _disagree("record.extra_round", where, "no round after the end", "one more")
            )
        number = state.round_no
        if played.round_no != number:
            raise _Stop(_disagree("record.round", f"{where}/round", number, played.round_no))
        if played.dealer != state.round.dealer:
            expected = state.round.dealer
            fault = _disagree("record.dealer", f"{where}/dealer", expected, played.dealer)
            raise _Stop(fault)
        n_before = len(state.history)
        for i, move in enumerate(played.moves):
            self._move(move, f"{where}/moves/{i}", n_before, number, i + 1)
        self._chance_by_seed(n_before)
        if len(self._current().history) == n_before:
            self._unfinished(index, played, where, number)
        else:
            self._compare_round(played, where, number)

    def _move(self, move: Move, where: str, n_before: int, number: int, index: int) -> None:
        place = {"round": number, "move": index}
        if self.ends_s is not None and time.monotonic() > self.ends_s:
            message = "expected a replay within the time limit, got more"
            raise _Stop(Fault("limit.time", where, message, place))
        if move.seat != CHANCE or self._current().actor != CHANCE:
            self._chance_by_seed(n_before)
        state = self._current()
        if len(state.history) > n_before:
            got = format_move(move)
            fault = _disagree("record.extra_move", where, "no move after the round", got, **place)
            raise _Stop(fault)
        try:
            self.state = apply(state, move)
        except IllegalMoveError as err:
            data = {"got": format_move(move), "seat": move.seat, **err.faults[0].data, **place}
            raise _Stop(Fault(err.code, where, str(err), data)) from None
        self.n_moves += 1

    def _chance_by_seed(self, n_before: int) -> None:
        """Make the moves of chance that the record leaves to its seed, within this round."""
        seed = self.record.seed
        while (
            seed is not None
            and self._current().actor == CHANCE
            and len(self._current().history) == n_before
        ):
            self.state = apply(self._current(), chance_move(self._current(), seed))
            self.n_moves += 1

    def _unfinished(self, index: int, played: RoundRecord, where: str, number: int) -> None:
        is_last = index == len(self.record.rounds) - 1
        if played.result is not None or not is_last or self.record.result is not None:
            expected, got = "a move that ends the round", f"the end of {len(played.moves)} moves"
            code = "record.round_unfinished"
            raise _Stop(_disagree(code, where, expected, got, round=number))

    def _compare_round(self, played: RoundRecord, where: str, number: int) -> None:
        if played.result is None:
            self.faults.append(
                _disagree("record.result", f"{where}/result", "a result", None, round=number)
            )
            return
        expected = round_result(self._current()).to_json()
        got = played.result.to_json()
        got_fines = [_fine_facts(fine) for fine in played.result.fines]
        expected_fines = [_fine_facts(fine) for fine in fines_of(self._current().history[-1][0])]
        if got_fines and got_fines != expected_fines:  # older records tell no fines
            place = f"{where}/result/fines"
            self.faults.append(
                _disagree("record.fines", place, expected_fines, got_fines, round=number)
            )
        for key, value in expected.items():
            if key != "fines" and got[key] != value:
                code = f"record.{key}"
                self.faults.append(
                    _disagree(code, f"{where}/result/{key}", value, got[key], round=number)
                )

    def finish(self) -> None:
        """Compare the result of the game."""
        state = self._current()
        expected = game_result(state)
        got = self.record.result
        if expected == got:
            return
        shown = None if expected is None else expected.to_json()
        told = None if got is None else got.to_json()
        self.faults.append(_disagree("record.result", "/result", shown, told))


def round_result(state: State) -> RoundResult:
    """Return the result of the round that ended last."""
    facts, _ = state.history[-1]
    return RoundResult(
        ending=facts.ending,
        out=facts.out,
        hands=tuple(seat.hand for seat in facts.seats),
        points=state.points[-1],
        totals=running_totals(state)[-1],
        fines=fines_of(facts),
    )


def fines_of(facts: RoundFacts) -> tuple[Fine, ...]:
    """Return the fines of a round in the order of seats."""
    return tuple(fine for seat in facts.seats for fine in seat.fines)


def _fine_facts(fine: Fine) -> list[object]:
    """Return what must agree of a fine; the words of its reason may change with the program."""
    return [fine.seat, fine.what, fine.move, fine.code, fine.points]


def running_totals(state: State) -> list[tuple[int, ...]]:
    """Return the totals by seat after each finished round; bonus rounds add nothing."""
    totals: tuple[int, ...] = (0,) * state.n_players
    after = []
    for (_, rules), points in zip(state.history, state.points, strict=True):
        if not _is_bonus(rules):
            totals = tuple(t + p for t, p in zip(totals, points, strict=True))
        after.append(totals)
    return after


def game_result(state: State) -> GameResult | None:
    """Return the result of a finished game, None while it goes on."""
    return None if state.winners is None else GameResult(state.totals, state.winners)


def make_record(
    rules: GameRules,
    seats: Sequence[str],
    moves: Iterable[Move],
    *,
    first_dealer: int = 0,
    seed: int | str | None = None,
) -> GameRecord:
    """Return the record of a game from its moves, results filled in by playing them.

    Args:
        rules: rules of the game.
        seats: names by seat.
        moves: all moves in order, those of chance included.
        first_dealer: seat that dealt first.
        seed: seed that made the moves of chance; they are then not written out.

    Raises:
        IllegalMoveError: a move is illegal.
    """
    state = new_game(rules, len(seats), first_dealer=first_dealer)
    options = {k: v for k, v in state.rules.to_json()["options"].items() if k != "players"}
    fingerprint = whole_game(state.rules).fingerprint
    rounds: dict[int, tuple[int, list[Move]]] = {}
    results: dict[int, RoundResult] = {}
    for move in moves:
        number, n_before = state.round_no, len(state.history)
        _, played = rounds.setdefault(number, (state.round.dealer, []))
        if seed is None or move.seat != CHANCE:
            played.append(parse_move(format_move(move)))
        state = apply(state, move)
        if len(state.history) > n_before:
            results[number] = round_result(state)
    return GameRecord(
        id="",
        rules=rules.name,
        options=options,
        fingerprint=fingerprint,
        seats=tuple(seats),
        first_dealer=first_dealer,
        seed=seed,
        rounds=tuple(
            RoundRecord(number, dealer, tuple(played), results.get(number))
            for number, (dealer, played) in rounds.items()
        ),
        result=game_result(state),
    )


def reprice(
    replayed: Replay, rules: GameRules, *, time_limit_s: TimeLimit = None
) -> list[RoundScore]:
    """Return the scores of a replayed game's rounds under other rules.

    What happened stays as it was; the other rules say what it costs. Round k is priced by round
    k of the other rules, a bonus round by their bonus round.

    Raises:
        RulesError: the other rules have no such round.
        HandError: the facts are impossible under them.
        LimitError: ``limit.time``, the seconds are over.
    """
    state = replayed.state
    if state is None:
        return []
    deadline = Deadline.after(time_limit_s)
    scores: list[RoundScore] = []
    totals: tuple[int, ...] = (0,) * state.n_players
    for facts, played in state.history:
        is_bonus = _is_bonus(played)
        priced_by = bonus_rules(rules) if is_bonus else round_rules(rules, played.round_no or 1)
        deadline.check()
        with deadline.around():
            score = price_round(facts, priced_by, totals=totals)
        totals = totals if is_bonus else score.totals
        scores.append(score)
    return scores


def _is_bonus(rules: GameRules) -> bool:
    number, last = rules.round_no, rules.n_rounds
    return number is not None and last is not None and number > last


def describe(fault: Fault, game: str) -> str:
    """Return one line: game, round, move, and what disagrees."""
    data: Mapping[str, Any] = fault.data
    places = [f"game {game}"]
    places += [f"{key} {data[key]}" for key in ("round", "move") if key in data]
    at = f" at {fault.where}" if fault.where else ""
    return f"{', '.join(places)}: {fault.message} [{fault.code}{at}]"
