"""Advice equals the expectation by exhaustion, on small positions of every game."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from solver.cards import counts_of, format_hand
from solver.engine.moves import Discard, Draw, Knock, Pass, Take
from solver.players.advice import advise
from solver.players.answer import Advice, Option
from solver.players.contract import lacks_of_hand
from tests.players import brute_advice as brute
from tests.players.positions import CLOSED, OPEN, Position, random_position

N_QUICK = 6
N_LONG = 150
"""Positions a game of the long run: 20 games, draw and play, 3,000 in all."""


def name_of(case):
    return f"{case[0]}-{'-'.join(f'{k}={v}' for k, v in case[1].items())}"


def positions(case, n, *, play):
    rng = random.Random(f"{name_of(case)}:{play}")
    return [random_position(case, rng, play=play) for _ in range(n)]


def told(position: Position, advice: Advice) -> str:
    return f"{format_hand(position.hand)} | {position.facts} | {advice.to_json()}"


def limit_of(position: Position) -> int:
    """The most points with which the round may be ended, read from the rule book."""
    flow = position.rules.flow
    if flow.knock_limit is None:
        return 0
    if not flow.oklahoma:
        return flow.knock_limit
    upcard = position.facts.upcard
    if upcard % 13 == 0:
        return 0 if flow.oklahoma_ace == "gin" else 1
    return min(10, upcard % 13 + 1)


def pool_of(position: Position) -> Counter[int]:
    return brute.unseen(position.rules, [*position.hand, *position.seen])


def by_kind(options: list[Option], kind: type) -> list[Option]:
    return [o for o in options if isinstance(o.move, kind)]


# --- melds shown at the end ---------------------------------------------------------------------


def check_draw(position: Position) -> None:
    advice = advise(position.view())
    rules, hand, pool = position.rules, position.hand, pool_of(position)
    message = told(position, advice)
    ends = limit_of(position) if position.facts.out is None else -1
    (draw,) = by_kind(advice.options, Draw)
    assert draw.value.exact == brute.mean_after_draw(hand, rules, pool), message
    assert draw.chance_out.exact == brute.share_after_draw(hand, rules, pool, ends), message
    top = position.facts.discard
    barred = top if rules.flow.forbid_return_discard and top not in hand else None
    taken = brute.best_after((*hand, top), rules, barred)
    (take,) = by_kind(advice.options, Take)
    assert take.value.exact == taken, message
    assert isinstance(advice.move, Take) == (taken < draw.value.exact), message
    now = brute.penalty(hand, rules.meld)
    helps = {
        card: now - brute.best_after((*hand, card), rules)
        for card in pool
        if brute.best_after((*hand, card), rules) < now
        or brute.best_after((*hand, card), rules) <= ends
    }
    assert {o.card: o.gain for o in advice.outs} == helps, message
    assert all(o.copies == pool[o.card] for o in advice.outs), message


def check_play(position: Position) -> None:
    advice = advise(position.view())
    rules, hand, pool = position.rules, position.hand, pool_of(position)
    message = told(position, advice)
    barred = None
    if rules.flow.forbid_return_discard and hand.count(position.facts.taken) == 1:
        barred = position.facts.taken
    last = position.facts.out is not None
    limit = limit_of(position)
    discards = {o.move.card: o for o in by_kind(advice.options, Discard) if not o.move.out}
    assert set(discards) == set(hand) - {barred}, message
    ends = set()
    for card, option in discards.items():
        rest = brute.less(hand, card)
        leaves = brute.penalty(rest, rules.meld)
        assert option.leaves == leaves, message
        if last:
            assert (option.value.exact, option.chance_out) == (leaves, None), message
            continue
        assert option.value.exact == brute.mean_after_draw(rest, rules, pool), message
        share = brute.share_after_draw(rest, rules, pool, limit)
        assert option.chance_out.exact == share, message
        if leaves <= limit:
            ends.add(card)
    ending = [o for o in advice.options if o.ends]
    assert {o.move.card for o in ending} - {None} == ends, message
    check_best(advice, position, ending, discards)


def check_best(advice, position, ending, discards):
    """The move advised: the end of the round that leaves least, else the least expectation."""
    if not ending:
        assert advice.value.exact == min(o.value.exact for o in discards.values())
        return
    big = [o for o in ending if o.move.card is None]
    assert advice.options[0].ends
    assert advice.value.exact == min(o.value.exact for o in ending)
    if big:
        assert brute.penalty(position.hand, position.rules.meld) == 0
    if position.rules.flow.knock_limit is not None:
        assert isinstance(advice.move, Knock)


@pytest.mark.parametrize("case", CLOSED, ids=name_of)
def test_take_or_draw(case):
    for position in positions(case, N_QUICK, play=False):
        check_draw(position)


@pytest.mark.parametrize("case", CLOSED, ids=name_of)
def test_discards(case):
    for position in positions(case, N_QUICK if case[2] < 5 else 2, play=True):
        check_play(position)


@pytest.mark.long
@pytest.mark.parametrize("case", CLOSED, ids=name_of)
def test_many_positions(case):
    for position in positions(case, N_LONG // 2, play=False):
        check_draw(position)
    for position in positions(case, N_LONG // 2, play=True):
        check_play(position)


# --- contracts ----------------------------------------------------------------------------------


def check_contract_draw(position: Position) -> None:
    advice = advise(position.view())
    rules, hand, pool = position.rules, position.hand, pool_of(position)
    message = told(position, advice)
    points = {c: n * brute.contract_turn((*hand, c), rules) for c, n in pool.items()}
    waiting = by_kind(advice.options, Draw) + by_kind(advice.options, Pass)
    assert waiting[0].value.exact == Fraction(sum(points.values()), pool.total()), message
    top = position.facts.discard
    barred = top if rules.flow.forbid_return_discard and top not in hand else None
    (take,) = by_kind(advice.options, Take)
    assert take.value.exact == brute.contract_turn((*hand, top), rules, barred), message
    met = sum(n for c, n in pool.items() if can_lay((*hand, c), rules))
    assert waiting[0].chance_out.exact == Fraction(met, pool.total()), message


def can_lay(hand, rules):
    """Whether the contract can be laid, a card kept for the discard unless all must go."""
    if rules.meld.use_all:
        return brute.contract(tuple(sorted(hand)), rules.meld) is not None
    return any(brute.contract(brute.less(hand, card), rules.meld) is not None for card in set(hand))


def check_contract_play(position: Position) -> None:
    advice = advise(position.view())
    rules, hand, pool = position.rules, position.hand, pool_of(position)
    message = told(position, advice)
    barred = None
    if rules.flow.forbid_return_discard and hand.count(position.facts.taken) == 1:
        barred = position.facts.taken
    discards = {o.move.card: o for o in by_kind(advice.options, Discard)}
    assert set(discards) == set(hand) - {barred}, message
    for card, option in discards.items():
        rest = brute.less(hand, card)
        total = sum(n * brute.contract_turn((*rest, c), rules) for c, n in pool.items())
        assert option.value.exact == Fraction(total, pool.total()), message
        assert (option.missing.total == 0) == (brute.contract(rest, rules.meld) is not None), (
            message
        )


@pytest.mark.parametrize("case", [c for c in OPEN if c[1].get("deal") != 7], ids=name_of)
def test_missing_cards_by_adding_wilds_one_by_one(case):
    # Missing are the wilds to add until the contract stands, their limits aside.
    for position in positions(case, 3, play=False):
        real = position.rules.meld
        freed = replace(
            real,
            set_min_naturals=min(1, real.set_min_naturals),
            run_min_naturals=min(1, real.run_min_naturals),
            run_core=None,
            set_max_wilds=None,
            run_max_wilds=None,
            wilds_adjacent=True,
            wild_ratio=None,
        )
        wanted = 0
        if brute.contract(position.hand, real) is None:
            wanted = 1
            while brute.contract((*position.hand, *[65] * wanted), freed) is None:
                wanted += 1
        assert lacks_of_hand(counts_of(position.hand), position.rules) == wanted, position


@pytest.mark.parametrize("case", OPEN, ids=name_of)
def test_contract_take_or_draw(case):
    for position in positions(case, 2, play=False):
        check_contract_draw(position)


@pytest.mark.parametrize("case", [*OPEN[:3], OPEN[4]], ids=name_of)
def test_contract_discards(case):
    for position in positions(case, 1, play=True):
        check_contract_play(position)


@pytest.mark.long
@pytest.mark.parametrize("case", OPEN, ids=name_of)
def test_many_contract_positions(case):
    for position in positions(case, N_LONG * 2 // 3, play=False):
        check_contract_draw(position)
    for position in positions(case, N_LONG // 3, play=True):
        check_contract_play(position)
