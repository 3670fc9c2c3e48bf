"""Advice rows: draw or take, discard, a Liverpool turn; each value counted out before the clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.corpus import GAMES, deck_of, make_corpus
from bench.explore import reachable
from bench.plan import Plan
from bench.rows import Goal, Row
from bench.table_play import Position, make_liverpool, mean_and_slowest, rejudge
from bench.truth import WrongAnswerError
from solver.cards import N_CARDS, Card, Counts, counts_of, format_card
from solver.engine.moves import Discard
from solver.engine.view import View
from solver.players.advice import advise
from solver.players.answer import Advice, Option
from solver.players.facts import Ask, Facts, view_of
from solver.rules.model import GameRules
from solver.solve import contract_left, solve_many

HANDS: Final = (60, 10)
TURNS: Final = (24, 6)
N_HELD: Final = 14
SEATS: Final = 4
GOAL: Final = Goal("below", 2e6)
GAMES_ADVISED: Final = ("three-thirteen", "five-crowns")
NEVER: Final = 1 << 30
"""More points than any hand holds."""

Ints = NDArray[np.int64]
Best = Callable[[NDArray[np.uint8]], Ints]


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the adviser, and the cards of which the next one comes.

    Attributes:
        seen: what the seat sees.
        hand: its cards, uint8[66].
        unseen: copies of each card that it cannot place, int64[66].
    """

    seen: View
    hand: Counts
    unseen: Ints

    @property
    def rules(self) -> GameRules:
        """Return the rules of the round, its deck fixed."""
        return self.seen.rules


def _question(hand: Sequence[Card], rules: GameRules, facts: Facts) -> Question:
    seen = view_of(list(hand), rules, facts)
    unseen = np.bincount(deck_of(seen.rules), minlength=N_CARDS)
    np.subtract.at(unseen, list(hand), 1)
    for lying in seen.table:
        np.subtract.at(unseen, list(lying.meld.cards), 1)
    return Question(seen, counts_of(hand), unseen)


def make_questions(game: str, ask: Ask, n: int) -> list[Question]:
    """Return n questions of the round of 13 cards, all other cards of the deck unseen.

    Args:
        game: a key of GAMES.
        ask: ``draw`` with 13 cards, ``play`` with 14.
        n: questions; fewer are a prefix of more.
    """
    size = N_HELD if ask == "play" else N_HELD - 1
    corpus = make_corpus(GAMES[game], "random", n, n_cards=size)
    return [_question(hand, corpus.rules, Facts(ask=ask)) for hand in corpus.cards.tolist()]


# --- values counted out -------------------------------------------------------------------------


def next_hands(question: Question) -> tuple[NDArray[np.uint8], Ints, Ints]:
    """Return the hand after every draw and the discard of one card, or of two, of the hand.

    With one card too many in hand two go, one now and one after the draw.

    Returns:
        uint8[m, 66] hands, and int64[m, 3]: the card drawn and the two that went (the second -1
        where one goes); and the cards drawn, int64[k].
    """
    hand, cards = question.hand, np.flatnonzero(question.unseen)
    kinds = np.flatnonzero(hand).tolist()
    two = question.seen.phase.value == "play"
    gone = [(a, b) for a in kinds for b in (kinds if two else [-1]) if a <= b or b < 0]
    gone = [(a, b) for a, b in gone if a != b or hand[a] > 1]
    rows = np.repeat(hand[None, :], len(gone) * len(cards), axis=0)
    keys = np.array([(c, a, b) for a, b in gone for c in cards.tolist()], np.int64)
    at = np.arange(len(rows))
    rows[at, keys[:, 0]] += 1
    rows[at, keys[:, 1]] -= 1
    if two:
        rows[at, keys[:, 2]] -= 1
    return rows, keys, cards


def after_draws(question: Question, best: Best) -> dict[Card, dict[Card, int]]:
    """Return the least points after each draw: card thrown now -> card drawn -> points.

    Before a draw nothing is thrown; that is told under -1. The card drawn may be thrown again.
    """
    rows, keys, cards = next_hands(question)
    found = best(rows)
    kinds = np.flatnonzero(question.hand).tolist() if keys[0, 2] >= 0 else [-1]
    out: dict[Card, dict[Card, int]] = {}
    for kind in kinds:
        rest = question.hand.copy()
        if kind >= 0:
            rest[kind] -= 1
        again = int(best(rest[None, :])[0])
        concerned = (keys[:, 1] == kind) | (keys[:, 2] == kind)
        least = np.full(N_CARDS, again, np.int64)
        np.minimum.at(least, keys[concerned, 0], found[concerned])
        out[kind] = {card: int(least[card]) for card in cards.tolist()}
    return out


def _total(question: Question, after: dict[Card, int]) -> int:
    return sum(int(question.unseen[card]) * left for card, left in after.items())


def _closed(question: Question) -> Best:
    return lambda rows: solve_many(rows, question.rules).astype(np.int64)


def _expect(what: str, told: object, right: object) -> None:
    if told != right:
        raise WrongAnswerError(f"{what}: expected {right} as counted out, got {told}")


def prove_draw(question: Question, told: Advice) -> int:
    """Return the sum over all cards of the points left after a draw; check the advice against it.

    Raises:
        WrongAnswerError: the value, the number of cards or the list of outs differs.
    """
    after = after_draws(question, _closed(question))[-1]
    now = int(solve_many(question.hand[None, :], question.rules)[0])
    right = _total(question, after)
    _expect("draw", (told.value.total, told.value.of), (right, int(question.unseen.sum())))
    helps = {card: left for card, left in after.items() if left < now or not left}
    _expect("outs", {out.card: out.leaves for out in told.outs}, helps)
    return right


def prove_discard(question: Question, told: Advice) -> int:
    """Return the best value of a discard as a sum over all cards; check every option against it.

    Raises:
        WrongAnswerError: a value differs, or an option is missing.
    """
    after = after_draws(question, _closed(question))
    totals = {card: _total(question, row) for card, row in after.items()}
    waits = {o.move.card: o for o in told.options if isinstance(o.move, Discard) and not o.ends}
    _expect("discards", {card: o.value.total for card, o in waits.items()}, totals)
    leaves = {card: o.leaves or 0 for card, o in waits.items()}
    kinds = np.array(sorted(after))
    rest = question.hand - np.eye(N_CARDS, dtype=np.uint8)[kinds]
    now = solve_many(rest, question.rules).tolist()
    _expect("points left now", leaves, dict(zip(kinds.tolist(), now, strict=True)))
    ends = {o.move.card for o in told.options if isinstance(o.move, Discard) and o.ends}
    _expect("ends", ends, {card for card, left in leaves.items() if left == 0})
    return 0 if ends else min(totals.values())


# --- a turn of Liverpool ------------------------------------------------------------------------


def make_turns(n: int) -> list[Question]:
    """Return n turns of Liverpool after the draw: 14 cards, nothing laid, others are down."""
    return [_turn(position) for position in make_liverpool(n, (N_HELD,))]


def _turn(position: Position) -> Question:
    facts = Facts(ask="play", players=SEATS, table=position.table, owners=position.owners)
    return _question(position.hand, position.rules, facts)


def prove_turn(question: Question, told: Advice) -> int:
    """Return the total of the best option, every value of waiting counted out, and of going down.

    Raises:
        WrongAnswerError: a value differs, waiting is not ordered by it, or a plan is not legal.
    """
    rules, points = question.rules, np.array(question.rules.meld.points, np.int64)

    def best(rows: NDArray[np.uint8]) -> Ints:
        """Return the points left after the contract where it can be laid, else all of them."""
        left = contract_left(rows, rules).astype(np.int64)
        return np.where(left >= 0, left, rows.astype(np.int64) @ points)

    after = after_draws(question, best)
    waits = [o for o in told.options if isinstance(o.move, Discard) and not o.called]
    for option in waits:
        assert isinstance(option.move, Discard), "only discards were chosen"
        right = _total(question, after[option.move.card])
        _expect(f"discard {format_card(option.move.card)}", option.value.total, right)
    order = [(o.missing.total if o.missing else 0, o.value.total) for o in waits]
    _expect("order of discards", order, sorted(order))
    for option in told.options:
        if option.plan is not None:
            _prove_going_down(question, option)
    return told.value.total


def _prove_going_down(question: Question, option: Option) -> None:
    """Play the plan again; count out what the next draw, lay-offs and discard leave."""
    seen, plan, points = question.seen, option.plan, question.rules.meld.points
    assert plan is not None, "the option is a plan"
    table = tuple(plan.before)
    owners = tuple(lying.owner for lying in seen.table)
    rejudge(plan, Position(seen.rules, tuple(sorted(seen.hand)), table, owners))
    worth = [points[c] for c in plan.left]
    _expect("points left", option.leaves, sum(worth) - max(worth, default=0))
    if option.ends or len(plan.left) <= 1:
        return
    rest = list(plan.left)
    rest.remove(max(rest, key=lambda c: points[c]))
    total = 0
    for card in np.flatnonzero(question.unseen).tolist():
        hands = reachable([*rest, card], plan.table, seen.rules)
        assert hands is not None, "few cards are left after going down"
        costs = [[points[c] for c in hand] for hand in hands if hand]
        total += int(question.unseen[card]) * min(sum(cost) - max(cost) for cost in costs)
    _expect("going down", option.value.total, total)


# --- rows ---------------------------------------------------------------------------------------


def _advice_rows(
    head: Row,
    questions: list[Question],
    prove: Callable[[Question, Advice], int],
    plan: Plan,
    goal: Goal | None,
) -> list[Row]:
    truth = np.array([prove(q, advise(q.seen)) for q in questions], np.int32)

    def run(lo: int, hi: int) -> NDArray[np.int32]:
        return np.array([advise(q.seen).value.total for q in questions[lo:hi]], np.int32)

    n_unseen = [int(q.unseen.sum()) for q in questions]
    proof = f"every draw and discard counted out, {min(n_unseen)} cards unseen or more"
    return mean_and_slowest(replace(head, proof=proof), run, truth, plan, goal)


def draw_rows(game: str, plan: Plan) -> list[Row]:
    """Return the time of the advice before the draw with 13 cards."""
    head = Row(f"advice-draw-{game}", f"{game} advice to draw, 13 cards, deck unseen")
    questions = make_questions(game, "draw", plan.size(*HANDS))
    return _advice_rows(head, questions, prove_draw, plan, GOAL)


def discard_rows(game: str, plan: Plan) -> list[Row]:
    """Return the time of the advice what to discard of 14 cards."""
    head = Row(f"advice-discard-{game}", f"{game} advice to discard, 14 cards, deck unseen")
    questions = make_questions(game, "play", plan.size(*HANDS))
    return _advice_rows(head, questions, prove_discard, plan, GOAL)


def turn_rows(plan: Plan) -> list[Row]:
    """Return the time of the advice for a turn of Liverpool, others being down."""
    head = Row("advice-liverpool", "liverpool advice for a turn, 14 cards, table with melds")
    return _advice_rows(head, make_turns(plan.size(*TURNS)), prove_turn, plan, None)
