"""How each hand of a round counts: the melds laid, and the points of the cards left."""

from __future__ import annotations

from dataclasses import dataclass

from solver.engine.facts import RoundFacts, SeatFacts
from solver.engine.gin import defend, knock_limit
from solver.engine.points import hand_price
from solver.errors import HandError
from solver.melds import Arrangement, penalty
from solver.rules.model import GameRules
from solver.solve import solve
from solver.table.gin import best_knock, is_big_gin


@dataclass(frozen=True, slots=True)
class LaidHand:
    """A hand as it counts: its penalty and the arrangement behind it."""

    penalty: int
    arrangement: Arrangement


def lay_hands(facts: RoundFacts, rules: GameRules) -> list[LaidHand]:
    """Return how each hand counts; the player who went out must hold nothing that counts.

    Raises:
        LimitError: ``limit.time`` or ``limit.work``, what a hand costs could not be proved.
    """
    laid = [_lay_hand(seat, rules) for seat in facts.seats]
    if facts.ending == "knock" and facts.out is not None:
        return _lay_knock(facts, rules, laid)
    if facts.ending == "out" and facts.out is not None and laid[facts.out].penalty:
        raise HandError(
            f"expected the hand that went out to meld, got {laid[facts.out].penalty} points left",
            code="round.out",
            where=f"/hands/{facts.out}",
            data={"seat": facts.out, "penalty": laid[facts.out].penalty},
        )
    return laid


def _lay_hand(seat: SeatFacts, rules: GameRules) -> LaidHand:
    if seat.melds is not None:
        laid = Arrangement(seat.melds, seat.hand)
        return LaidHand(penalty(laid, rules), laid)
    if not seat.hand:
        return LaidHand(0, Arrangement((), ()))
    best = solve(list(seat.hand), rules).check_proved()
    return LaidHand(best.penalty, best.arrangement)


def _lay_knock(facts: RoundFacts, rules: GameRules, laid: list[LaidHand]) -> list[LaidHand]:
    """Return the hands of a knock as both players lay them best.

    Melds that are told stand. Otherwise the knocker lays what brings most against the defender,
    who chooses own melds and lay-offs together.
    """
    knocker = facts.out
    assert knocker is not None, "a knock has a knocker"
    _check_knock(facts, rules, knocker, laid[knocker].penalty)
    fact = facts.seats[knocker]
    for seat, other in enumerate(facts.seats):
        if seat == knocker or other.melds is not None:
            continue
        if fact.melds is None:
            best = best_knock(fact.hand, other.hand, rules, upcard=facts.upcard)
            assert best is not None, "the cheapest layout keeps the limit"
            laid[knocker] = LaidHand(hand_price(best.deadwood, rules), best)
        if laid[knocker].penalty:  # nothing is laid off against gin
            melds, _, left = defend(other.hand, laid[knocker].arrangement.melds, rules)
            laid[seat] = LaidHand(hand_price(left, rules), Arrangement(melds, left))
    return laid


def _check_knock(facts: RoundFacts, rules: GameRules, knocker: int, penalty: int) -> None:
    """Raise ``knock.limit`` unless the knocker could keep so many points."""
    fact = facts.seats[knocker]
    n_cards = len(fact.hand) + sum(len(m.cards) for m in fact.melds or ())
    big = is_big_gin(n_cards, rules)
    limit = 0 if big else knock_limit(rules, facts.upcard)
    if penalty <= limit:
        return
    of_what = f"by big gin, {n_cards} cards" if big else "by the knocker"
    raise HandError(
        f"expected at most {limit} points left {of_what}, got {penalty}",
        code="knock.limit",
        where=f"/hands/{knocker}",
        data={"seat": knocker, "penalty": penalty, "limit": limit},
    )
