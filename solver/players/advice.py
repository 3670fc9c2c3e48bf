"""Exact advice: what to do now, what every alternative is worth, and why."""

from __future__ import annotations

from typing import Final

from solver.arguments import checked, record
from solver.cards import counts_of
from solver.deadline import Deadline, TimeLimit
from solver.engine.moves import Cut
from solver.engine.state import Phase
from solver.engine.view import View
from solver.errors import IllegalMoveError, LimitError
from solver.players.answer import Advice, Mean, Option
from solver.players.closed import advise_defence, advise_discard, advise_draw
from solver.players.desk import family
from solver.players.playing import advise_play
from solver.players.tabled import advise_buy, advise_call, advise_take
from solver.solve import coverage

_DRAWS = frozenset({Phase.DRAW, Phase.OFFER, Phase.UPCARD, Phase.WALL, Phase.BEAT_DRAW})


_VIEW: Final = record(View, "what a seat sees, as view_of returns it", code="advice.seen")


@checked(seen=_VIEW)
def advise(seen: View, *, time_limit_s: TimeLimit = None) -> Advice:
    """Return what a seat should do now, with the exact worth of every alternative.

    Values are points expected to be left in the own hand. Nothing hidden is used: every card the
    seat cannot place is equally likely to come next. How far a value looks is its ``horizon``:

    * a draw: the end of this turn, after the best play and discard;
    * a discard: the end of the next turn, when the next card comes from the stock (``now`` in the
      last turn). Going out and knocking end the round and come first;
    * with a contract to lay, fewest missing cards come before fewest points, and the contract
      alone is counted in turns to come, without lay-offs;
    * a purchase, the answer to a knock: now.

    Args:
        seen: what the seat sees; ``solver.players.facts.view_of`` makes one of plain facts.
        time_limit_s: seconds for all of it; None: no limit.

    Raises:
        IllegalMoveError: ``advice.turn`` when nothing is asked of the seat.
        LimitError: ``limit.time`` before every move is weighed; ``advice.rules`` for rules that
            no compiled engine covers; ``advice.price`` for a purchase of more than two cards of
            the stock.
    """
    if seen.seat not in seen.actors:
        raise IllegalMoveError(
            f"expected a question to seat {seen.seat}, got phase {seen.phase}", code="advice.turn"
        )
    deadline = Deadline.after(time_limit_s)
    with deadline.around():
        advice = _advise(seen)
    deadline.check()  # what is found later may not be proved
    return advice


def _advise(seen: View) -> Advice:
    on_table = seen.rules.flow.meld_timing == "on_table"
    _check_covered(seen, contract=on_table and seen.rules.meld.contract is not None)
    if seen.phase == Phase.CUT:
        return _advise_cut(seen)
    if seen.phase == Phase.DEFEND:
        return advise_defence(seen)
    if seen.phase == Phase.BUY:
        return advise_buy(seen)
    if seen.phase == Phase.RUMMY:
        return advise_call(seen)
    if seen.phase in _DRAWS:
        return advise_take(seen) if on_table else advise_draw(seen)
    return advise_play(seen) if on_table else advise_discard(seen)


def _check_covered(seen: View, *, contract: bool) -> None:
    """Raise LimitError for rules under which thousands of hands cannot be solved at once."""
    hand = counts_of(seen.hand)
    engines = ("suit", "frontier") if contract else ("suit",)
    reasons = (coverage(name, hand, seen.rules, contract=contract) for name in engines)
    # The next engine is only asked where the one before declines: it compiles rules to answer.
    first = next(reasons)
    if first is not None and all(reason is not None for reason in reasons):
        raise LimitError(
            f"expected rules that a compiled engine covers, got {first}",
            code="advice.rules",
            where="/rules",
        )


def _advise_cut(seen: View) -> Advice:
    """Return the cut that lifts exactly the cards needed, where that earns a bonus."""
    bonus = seen.rules.flow.exact_cut_bonus
    target = len(seen.players) * (seen.rules.n_dealt or 0) + 1
    cuts = family(seen)
    best = next((m for m in cuts if isinstance(m, Cut) and m.n_cards == target), cuts[0])
    reason = f"the deal takes {target} cards, and a cut of exactly so many earns {bonus} points"
    option = Option(best, Mean(bonus), bonus)
    return Advice(seen.rules, seen.seat, seen.phase, "now", (option,), (), 0, reason)
