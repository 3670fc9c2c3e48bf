"""Points of a round by way of scoring, and what is added for cuts, fines and bonuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from solver.cards import N_RANKS, Card
from solver.engine.facts import FineKind, LaidCards, RoundFacts
from solver.errors import HandError
from solver.melds import card_values
from solver.rules.model import GameRules
from solver.table.gin import is_big_gin, is_undercut, knock_value

Priced: TypeAlias = list[tuple[int, list[str]]]
"""Points and notes by seat."""


def hand_price(hand: Iterable[Card], rules: GameRules) -> int:
    """Return the sum of points of cards, none melded."""
    return sum(rules.meld.points[card] for card in hand)


def laid_worth(laid: Iterable[LaidCards], rules: GameRules) -> int:
    """Return what cards are worth where they lie."""
    return sum(card_values(one.meld, rules)[place] for one in laid for place in one.places)


def fines(facts: RoundFacts, seat: int, rules: GameRules) -> tuple[int, list[str]]:
    """Return what is added to a seat's points besides its hand, and why."""
    flow, fact = rules.flow, facts.seats[seat]
    points, notes = 0, []
    fined: tuple[tuple[FineKind, int, int | None], ...] = (
        ("false meld", fact.n_false_melds, flow.false_meld_penalty),
        ("false going out", fact.n_false_outs, flow.false_out_penalty),
    )
    for what, times, cost in fined:
        if times and cost is not None:
            points += times * cost
            why = [f"{f.move}: {f.reason}" for f in fact.fines if f.what == what]
            notes.append(f"{what} {times * cost:+d}" + (f" ({'; '.join(why)})" if why else ""))
    if fact.cut is not None and flow.exact_cut_bonus and fact.cut == exact_cut(facts, rules):
        points += flow.exact_cut_bonus
        notes.append(f"exact cut {flow.exact_cut_bonus:+d}")
    if fact.down_and_out and flow.go_down_and_out_bonus:
        points += flow.go_down_and_out_bonus
        notes.append(f"down and out in one turn {flow.go_down_and_out_bonus:+d}")
    return points, notes


def exact_cut(facts: RoundFacts, rules: GameRules) -> int:
    """Return the cards of an exact cut: everything dealt and the upcard.

    Raises:
        HandError: ``round.deal`` when the rules do not say how many cards are dealt.
    """
    if rules.n_dealt is None:
        raise HandError("expected rules of one round to judge a cut", code="round.deal")
    return (len(facts.seats) - len(facts.absent)) * rules.n_dealt + 1


def _penalty_points(facts: RoundFacts, rules: GameRules, penalties: Sequence[int]) -> Priced:
    """Every hand costs its cards; a drop or a false declaration costs a fixed sum instead."""
    priced: Priced = []
    for seat, fact in enumerate(facts.seats):
        points, notes = penalties[seat], []
        if fact.false_declaration and rules.flow.false_declaration_points is not None:
            points = rules.flow.false_declaration_points
            notes = ["false declaration"]
        elif fact.drop is not None and rules.flow.drop_points is not None:
            points = rules.flow.drop_points[fact.drop == "middle"]
            notes = [f"{fact.drop} drop"]
        elif seat in facts.absent:
            points = 0
        elif seat == facts.out:
            notes = ["out"]
        priced.append((points, notes))
    return priced


def _difference_points(facts: RoundFacts, rules: GameRules, penalties: Sequence[int]) -> Priced:
    """Gin: the difference goes to the lower hand, with the bonus for gin or undercut."""
    if len(penalties) != 2:  # noqa: PLR2004 - a knocker and a defender
        message = f"expected 2 hands, one a player, got {len(penalties)}"
        data = {"expected": "2", "got": len(penalties)}
        raise HandError(message, code="round.players", where="/hands", data=data)
    priced: Priced = [(0, []) for _ in penalties]
    knocker = facts.out
    if facts.ending != "knock" or knocker is None:
        return priced
    defender, fact = 1 - knocker, facts.seats[knocker]
    flow = rules.flow
    factor = 2 if flow.spade_double and facts.upcard is not None and facts.upcard < N_RANKS else 1
    notes = ["doubled by the spade turned up"] if factor > 1 else []
    n_cards = len(fact.hand) + sum(len(m.cards) for m in fact.melds or ())
    value = knock_value(penalties[knocker], penalties[defender], rules, n_cards)
    if penalties[knocker] == 0:
        what = "big gin" if is_big_gin(n_cards, rules) else "gin"
        priced[knocker] = (value * factor, [what, *notes])
    elif is_undercut(penalties[knocker], penalties[defender], rules):
        priced[defender] = (-value * factor, ["undercut", *notes])
    else:
        priced[knocker] = (value * factor, ["knock", *notes])
    return priced


def _meld_minus_hand_points(
    facts: RoundFacts, rules: GameRules, penalties: Sequence[int]
) -> Priced:
    """500 Rum: what a player laid counts for, on whatever meld it lies, what is held against."""
    priced: Priced = []
    for seat, fact in enumerate(facts.seats):
        if fact.laid is None:
            message = f"expected the cards that seat {seat} laid, which {rules.name} scores"
            raise HandError(message + ", got none told", code="round.laid", where="/laid")
        worth = laid_worth(fact.laid, rules)
        priced.append((worth - penalties[seat], [f"laid {worth}"]))
    return priced


def _winner_takes_points(facts: RoundFacts, rules: GameRules, penalties: Sequence[int]) -> Priced:
    """Rummikub: losers pay, the winner collects.

    When nobody went out the lowest rack wins what the others hold above it; equal lowest racks
    share, a remainder is dropped.
    """
    if facts.out is not None:
        lowest, best = 0, [facts.out]
        held = [0 if seat == facts.out else p for seat, p in enumerate(penalties)]
    else:
        lowest = min(penalties, default=0)
        best = [seat for seat, p in enumerate(penalties) if p == lowest]
        held = list(penalties)
    pot = sum(p - lowest for p in held)
    return [
        (pot // len(best), ["wins"]) if seat in best else (lowest - p, [])
        for seat, p in enumerate(held)
    ]


SCORINGS: Final[Mapping[str, Callable[[RoundFacts, GameRules, Sequence[int]], Priced]]] = {
    "penalty": _penalty_points,
    "difference": _difference_points,
    "meld_minus_hand": _meld_minus_hand_points,
    "winner_takes": _winner_takes_points,
}
