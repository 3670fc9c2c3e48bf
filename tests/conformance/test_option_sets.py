"""Random sets of options over all games: refused with a reason, or read alike by everything.

``OPTION_SETS=3000`` with the long tests does as many sets; every run does a few.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace
from typing import Any

import pytest

from solver.cards import cards_of, counts_of
from solver.engine.dealing import deck_cards
from solver.engine.moves import GoDown
from solver.engine.referee import apply, can_move
from solver.engine.scoring import score_round
from solver.engine.state import Phase, State, new_round, with_players
from solver.errors import LimitError, MeldSolverError
from solver.rules.keys import KEYS
from solver.rules.model import GameRules
from solver.solve import best_contract, solve
from solver.table import best_godown
from tests.conformance.option_sets import (
    VALUES,
    a_round,
    accepted,
    answers,
    attempt,
    draw_set,
    hands_for,
)

N_LONG = int(os.environ.get("OPTION_SETS", "3000"))


def engines_agree(hand: list[int], rules: GameRules) -> Any:
    """Return what every engine that covers a hand says of it: cost, and contract met or not."""
    said = {}
    for engine in ("auto", "suit", "frontier", "cpsat"):
        try:
            found = attempt(lambda e=engine: solve(hand, rules, engine=e))
        except LimitError:
            continue
        if isinstance(found, list):
            if found[0][0] == "engine.not_covered":
                continue
            said[engine] = found
        else:
            said[engine] = (found.penalty, found.contract_met)
    assert len({str(answer) for answer in said.values()}) == 1, said
    return said["auto"]


def contract_agrees(hand: list[int], rules: GameRules, answer: Any) -> None:
    """The contract asked by name costs what the plain question says."""
    if rules.meld.contract is None or isinstance(answer, list):
        return
    found = best_contract(hand, rules)
    assert (found is not None) == answer[1]
    assert found is None or found.penalty == answer[0]


def down_agrees(hand: list[int], rules: GameRules) -> None:
    """Going down beside an empty table leaves what the solver says, and the referee allows it."""
    flow, meld = rules.flow, rules.meld
    if flow.meld_timing != "on_table" or meld.must_use or rules.contract_open:
        return
    # Nothing is added, so that the melds laid are all there is to it.
    bare = replace(rules, flow=replace(flow, layoff="none", initial_meld_min=0))
    plan = best_godown(hand, [], bare)
    if meld.contract is not None:
        found = best_contract(hand, rules)
        assert (plan is None) == (found is None)
        assert found is None or plan is None or plan.penalty == found.penalty
    else:
        least = solve(hand, replace(rules, meld=replace(meld, hand_require=None)))
        assert plan is None or plan.penalty == least.penalty
        if plan is None:
            assert not least.arrangement.melds
    if plan is None or flow.referee == "none":
        return
    state = _in_play(hand, bare)
    move = GoDown(0, plan.melds)
    n_left = len(hand) - sum(len(m.cards) for m in plan.melds)
    may_play = bool(n_left) or flow.floating or not flow.must_discard_to_go_out
    if can_move(state, move):
        after = apply(state, move)
        hands = after.history[-1][0].seats[0].hand if after.history else after.round.hands[0]
        cost = sum(meld.points[c] for c in hands)
        assert min(cost, meld.penalty_cap or cost) == plan.penalty or meld.penalty_cap == 0
    else:
        assert not may_play, (plan, hand)


def _in_play(hand: list[int], rules: GameRules) -> State:
    """Return a game in which seat 0 has drawn and holds these cards."""
    seats = max(2, rules.flow.min_players)
    rules = replace(rules, flow=replace(rules.flow, false_meld_penalty=None))
    hands = (tuple(sorted(hand)), *[(0,)] * (seats - 1))
    r = new_round(rules, 0, range(seats), seats).to(
        phase=Phase.PLAY, actor=0, turn=0, hands=hands, taken_from="stock", stock=(1, 2, 3)
    )
    return State(rules, seats, r, rules.round_no or 1, 0, (0,) * seats)


def score_agrees(rules: GameRules, rng: random.Random) -> None:
    """A round costs what each of its hands costs alone."""
    flow = rules.flow
    if flow.scoring != "penalty" or rules.meld.must_use or not rules.n_dealt:
        return
    if rules.n_dealt > 10 and rules.meld.min_meld_value:
        return  # CP-SAT alone covers these, and large hands take long
    n_seats = max(2, flow.min_players)
    try:
        deck = list(deck_cards(with_players(rules, n_seats)))
    except MeldSolverError:
        return  # a table of another size, or a deck that is open
    rng.shuffle(deck)
    hands = [sorted(deck[i::n_seats][: rules.n_dealt]) for i in range(n_seats)]
    points = score_round(hands, rules).points
    if flow.meld_timing == "at_end":
        alone = [solve(hand, rules).penalty for hand in hands]
    else:
        held = [sum(rules.meld.points[c] for c in hand) for hand in hands]
        cap = rules.meld.penalty_cap
        alone = held if cap is None else [min(n, cap) for n in held]
    assert list(points) == alone


def try_set(number: int, tally: dict[str, int], acting: set[str]) -> None:
    """Try one set of options; raise what is wrong with it."""
    rng = random.Random(f"options {number}")
    name, options = draw_set(rng)
    rules = accepted(name, options)
    if rules is None:
        tally["refused"] += 1
        return
    tally["accepted"] += 1
    played = a_round(rules, rng)
    for hand in hands_for(played, rng, 2):
        if hand:
            answer = engines_agree(hand, played)
            contract_agrees(hand, played, answer)
            down_agrees(hand, played)
    score_agrees(played, rng)
    key = rng.choice(sorted(options))
    other = accepted(name, {k: v for k, v in options.items() if k != key})
    if other is not None and fingerprints_tell(rules, other, key, number, tally):
        acting.add(key)


def fingerprints_tell(
    rules: GameRules, other: GameRules, key: str, number: int, tally: dict[str, int]
) -> bool:
    """Compare rules with and without an option; return whether its effect was seen.

    Rules of one fingerprint answer alike in everything.
    """
    rng = random.Random(f"round {number}")
    same = rules.fingerprint == other.fingerprint
    part = KEYS[key].part
    probes = (1, 2, 3, 0) if part in {"flow", "deck"} else (0, 1, 2, 3)
    n = rng.randint(1, min(rules.n_rounds or 1, other.n_rounds or 1))
    pair = [a_round(r, random.Random(n)) for r in (rules, other)]
    alike = True
    for probe in probes:
        one, two = (answers(r, str(number), (probe,)) for r in pair)
        if one != two:
            alike = False
            if not same:
                break
            told = {k: (one[k], two[k]) for k in one if one[k] != two.get(k)}
            raise AssertionError(f"one fingerprint, but without {key} other answers: {told}")
    tally["same"] += same
    tally["differ"] += not same and not alike
    tally["no difference found"] += not same and alike
    return not same and not alike


def try_sets(numbers: range) -> tuple[dict[str, int], set[str]]:
    tally = dict.fromkeys(("refused", "accepted", "same", "differ", "no difference found"), 0)
    acting: set[str] = set()
    wrong = []
    for number in numbers:
        rng = random.Random(f"options {number}")
        try:
            try_set(number, tally, acting)
        except (AssertionError, MeldSolverError, ValueError, KeyError, IndexError) as error:
            wrong.append(f"{number} {draw_set(rng)}: {type(error).__name__} {error!s:.600}")
    assert not wrong, "\n".join([f"{len(wrong)} of {len(numbers)}", *wrong[:20]])
    return tally, acting


def test_a_few_sets_of_options() -> None:
    tally, acting = try_sets(range(24))
    assert tally["accepted"] > 5
    assert tally["refused"] > 5
    assert acting


@pytest.mark.long
def test_many_sets_of_options() -> None:
    tally, acting = try_sets(range(N_LONG))
    print(tally, sorted(set(VALUES) - acting))
    assert tally["accepted"] > N_LONG / 8


def test_hands_of_the_generator_are_dealt_from_the_deck() -> None:
    rng = random.Random(1)
    for name, options in (("gin", {}), ("liverpool", {"deal": 2}), ("five-crowns", {"round": 3})):
        rules = accepted(name, options)
        assert rules is not None
        for hand in hands_for(rules, rng, 5):
            assert len(hand) == min(rules.n_dealt or 0, 9)
            assert list(cards_of(counts_of(hand))) == hand
            solve(hand, rules)
