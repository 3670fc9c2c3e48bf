"""Asking CP-SAT for a hand: the programs to solve, in which order, and what their answers mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from solver.cards import N_CARDS, Card, Counts
from solver.cpsat.decode import ClassMeld, cards_used, decode_melds
from solver.cpsat.demands import add_demands
from solver.cpsat.model import HandModel, add_cards, add_sets, add_wild_melds
from solver.cpsat.program import MOST_WORK_S, Outcome, load_ortools, solve_program
from solver.cpsat.runs import add_runs
from solver.deadline import Deadline, TimeLimit
from solver.errors import HandError, LimitError, RulesError
from solver.rules.model import GameRules, MeldRules

MAX_CARDS: Final = 120
MAX_COPIES: Final = 15
"""A class meld holds the copies of a card in 4 bits."""


@dataclass(frozen=True, slots=True)
class CpsatAnswer:
    """What CP-SAT found for a hand.

    Attributes:
        penalty: cost of what is left over, after the cap; None when what is asked (the contract,
            or cards that must be used) cannot be met, or was not found to be possible in time.
        lower_bound: no arrangement costs less; 0 when ``penalty`` is None.
        proved: whether ``penalty`` is best, or None is proved to be the answer.
        class_melds: the melds, rows as DESIGN.md tells, sorted. A natural place, or a suit's copy
            in a set, may be a card of a wild rank that is read as itself.
        wilds: cards used as wilds in the melds, ascending.
    """

    penalty: int | None
    lower_bound: int
    proved: bool
    class_melds: list[ClassMeld]
    wilds: list[Card]


def covers_cpsat(rules: GameRules, n_cards: int) -> str | None:
    """Return None when the engine covers hands of ``n_cards`` under rules, else the reason.

    Every rule is covered. A hand may still be refused by ``solve_cpsat`` for what is in it: 16
    copies of a card, or more kinds of melds than ``MAX_COLUMNS``.
    """
    del rules  # no rule is refused; the argument is what all engines are asked with
    return f"more than {MAX_CARDS} cards" if n_cards > MAX_CARDS else None


def solve_cpsat(  # noqa: PLR0913 - options of one question, by name
    counts: Counts,
    rules: GameRules,
    *,
    contract: bool = False,
    time_limit_s: TimeLimit = None,
    work_s: float = MOST_WORK_S,
    tie_break: bool = True,
) -> CpsatAnswer:
    """Return the least penalty of a hand with melds that reach it, or the best found in time.

    When time is up before anything is found, the answer is the hand without melds, or penalty
    None where that is not allowed; ``proved`` is then False.

    Args:
        counts: copies of each card, uint8[66].
        rules: the game, resolved for one round.
        contract: lay the contract of the rules; the penalty is then the points left in hand,
            without cap or requirement.
        time_limit_s: limit in seconds on building and solving; the first call also loads
            ortools, which is not counted.
        work_s: most work on each of the programs, in seconds as the solver counts its steps: what
            bounds a question without a time limit, alike on every machine.
        tie_break: among equal penalties prefer fewest deadwood cards, then fewest melds.

    Raises:
        HandError: ``hand.shape``. RulesError: ``rules.contract`` when the rules have none.
        LimitError: ``limit.cards``, ``limit.copies``, ``limit.columns``.
    """
    if counts.shape != (N_CARDS,):
        raise HandError(f"expected counts of shape (66,), got {counts.shape}", code="hand.shape")
    held = [int(n) for n in counts]
    _check_limits(held, rules.meld, contract=contract)
    load_ortools()
    deadline = Deadline.after(time_limit_s)
    question = _Question(held, rules.meld, contract, tie_break, deadline, work_s)
    return question.answer_contract() if contract else question.answer()


def _check_limits(held: list[int], meld: MeldRules, *, contract: bool) -> None:
    if contract and meld.contract is None:
        raise RulesError("expected rules with a contract, got none", code="rules.contract")
    if sum(held) > MAX_CARDS:
        raise LimitError(f"expected at most {MAX_CARDS} cards, got {sum(held)}", code="limit.cards")
    copies = max(held[:-1])
    if copies > MAX_COPIES:
        raise LimitError(
            f"expected at most {MAX_COPIES} copies of a card, got {copies}", code="limit.copies"
        )


@dataclass(frozen=True, slots=True)
class _Try:
    """The outcome of one program: its melds when it has a solution, and what they leave."""

    rows: list[ClassMeld] | None
    wilds: list[Card]
    cost: int
    bound: int
    proved: bool


@dataclass(frozen=True, slots=True)
class _Question:
    """A hand, what is asked of it, until when and with how much work."""

    held: list[int]
    meld: MeldRules
    contract: bool
    tie_break: bool
    deadline: Deadline
    work_s: float

    @property
    def whole(self) -> int:
        """Return the points of all cards."""
        return sum(n * self.meld.points[card] for card, n in enumerate(self.held))

    @property
    def must_lay(self) -> bool:
        """Return whether an arrangement without melds is out of the question."""
        return self.contract or any(copies > 0 for _, copies in self.meld.must_use)

    def answer_contract(self) -> CpsatAnswer:
        """Return the least points left after laying the contract."""
        tried = self._try(require=False, scale=self._scale())
        if tried.rows is None:
            return CpsatAnswer(None, 0, tried.proved, [], [])
        return CpsatAnswer(tried.cost, tried.bound, tried.proved, tried.rows, tried.wilds)

    def answer(self) -> CpsatAnswer:
        """Return the least penalty of the hand.

        With a requirement or a cap it may be that no arrangement costs less than the whole hand
        does. Then every legal arrangement is as good, met or not, and a second program looks for
        the one with least deadwood.
        """
        meld = self.meld
        tried = self._try(require=meld.hand_require is not None, scale=self._scale())
        most = self._capped(self.whole)
        least = self._capped(tried.bound)
        even = self._capped(tried.cost) == most
        if even and (meld.hand_require is not None or meld.penalty_cap is not None):
            tidy = self._try(require=False, scale=(0, self._scale()[1] or 1, 1))
            rows, wilds = (
                (tried.rows, tried.wilds) if tidy.rows is None else (tidy.rows, tidy.wilds)
            )
            if rows is None and self.must_lay:
                return CpsatAnswer(None, 0, tidy.proved, [], [])
            return CpsatAnswer(most, least, tried.proved or least == most, rows or [], wilds)
        if tried.rows is None and self.must_lay:
            return CpsatAnswer(None, 0, tried.proved, [], [])
        cost = self._capped(tried.cost)
        return CpsatAnswer(
            cost, least, tried.proved or least == cost, tried.rows or [], tried.wilds
        )

    def _capped(self, cost: int) -> int:
        cap = self.meld.penalty_cap
        return cost if cap is None else min(cost, cap)

    def _scale(self) -> tuple[int, int, int]:
        """Return what a point, a melded card and a meld weigh.

        Melds < per_card and deadwood cards <= n_cards, so each outweighs all lesser ones together;
        120 cards * 1000 points * 121 * 121 < 2**31.
        """
        if not self.tie_break:
            return 1, 0, 0
        n_cards = sum(self.held)
        per_card = n_cards // max(1, min(self.meld.set_min, self.meld.run_min)) + 1
        return (n_cards + 1) * per_card, per_card, 1

    def _try(self, *, require: bool, scale: tuple[int, int, int]) -> _Try:
        """Build and solve one program in the time that is left."""
        model = HandModel(
            self.held, self.meld, self.contract, require, scale, deadline=self.deadline
        )
        try:
            build_columns(model)
        except LimitError as error:
            if error.code != "limit.time":
                raise
            outcome = Outcome("unknown", [], None)
        else:
            outcome = solve_program(model.program, self.deadline, self.work_s)
        proved = outcome.status in ("optimal", "infeasible")
        if outcome.status in ("infeasible", "unknown"):
            return _Try(None, [], self.whole, self.whole if proved else 0, proved)
        rows = decode_melds(model, outcome.values)
        naturals, wilds = cards_used(self.held, self.meld, rows)
        cost = self.whole - sum(self.meld.points[card] for card in (*naturals, *wilds))
        bound = cost if proved else self._least_cost(outcome.bound, scale)
        return _Try(rows, wilds, cost, bound, proved or bound == cost)

    def _least_cost(self, bound: int | None, scale: tuple[int, int, int]) -> int:
        """Return the least cost that a bound on the composite objective leaves open.

        Cards and melds weigh less than one point together, so rounding down is exact.
        """
        per_point, per_card, _ = scale
        if bound is None or per_point == 0:
            return 0
        everything = self.whole * per_point + sum(self.held) * per_card
        return max(0, (everything - bound) // per_point)


def build_columns(model: HandModel) -> None:
    """Add all columns and rows of a hand to its model.

    Raises:
        LimitError: ``limit.columns``.
    """
    kinds = {kind for kind, _ in model.meld.contract or ()}
    any_kind = not model.contract or model.meld.extra_melds
    if any_kind or "run" in kinds:
        add_runs(model)
    if any_kind or "set" in kinds:
        add_sets(model)
    add_wild_melds(model)
    add_cards(model)
    add_demands(model)
