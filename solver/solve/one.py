"""Solve one hand: choose an engine, name the cards, certify the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from solver import clock
from solver.cards import Counts, HandLike, read_hand
from solver.compile.decode import decode
from solver.errors import HandError, LimitError, RulesError
from solver.melds import Arrangement, check_arrangement, check_contract, penalty
from solver.rules.keys import parse_option
from solver.rules.loader import check_deck
from solver.rules.model import GameRules
from solver.solve.choose import Found, find
from solver.solve.solution import Solution


def take_hand(hand: HandLike, rules: GameRules) -> Counts:
    """Return the counts of a hand after checking it against the deck.

    Raises:
        NotationError: a token is no card. HandError: ``hand.copies``, ``hand.not_in_deck``,
        ``hand.type``. RulesError: ``rules.type``, these are no rules.
    """
    if not isinstance(rules, GameRules):
        raise RulesError(
            f"expected rules as load_rules returns them, got {type(rules).__name__}",
            code="rules.type",
            where="/rules",
        )
    if isinstance(hand, bytes | Mapping) or not isinstance(hand, Iterable):
        raise HandError(
            f"expected a text, a list of cards or counts, got {type(hand).__name__}",
            code="hand.type",
            where="/hand",
        )
    counts = read_hand(hand, tiles=rules.deck.tiles)
    check_deck(counts, rules)
    return counts


def check_time(time_limit_s: float | None) -> None:
    """Check a time limit; LimitError ``limit.time`` unless it is None or above zero."""
    if time_limit_s is not None and not time_limit_s > 0:
        raise LimitError(
            f"expected a time limit above 0 seconds, got {time_limit_s}",
            code="limit.time",
            where="/time_limit_s",
        )


def solve(
    hand: HandLike,
    rules: GameRules,
    *,
    engine: str = "auto",
    time_limit_s: float | None = None,
) -> Solution:
    """Return the least penalty of a hand with melds that reach it.

    Args:
        hand: text, tokens, card ids, or counts uint8[66]; any size, any order.
        rules: the game, resolved for its round; its contract, if any, plays no part here.
        engine: ``auto`` (the first that covers the question), ``suit``, ``frontier`` or ``cpsat``.
        time_limit_s: limit for CP-SAT; the compiled engines need none.

    Returns:
        The solution; ``proved`` is False only when CP-SAT ran out of time.

    Raises:
        NotationError: ``card.unknown``. HandError: ``hand.copies``, ``hand.not_in_deck``,
        ``hand.must_use`` when cards that must be used cannot be. LimitError: ``engine.unknown``,
        ``engine.not_covered``, ``limit.time``.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> solve("5S 5H 5D KC", load_rules("three-thirteen")).arrangement.text()
        'S[5S 5H 5D] / left KC'
    """
    started = clock.now()
    counts = take_hand(hand, rules)
    check_time(time_limit_s)
    found = find(counts, rules, engine=engine, time_limit_s=time_limit_s)
    if found.penalty is None:
        raise HandError(
            "expected a hand in which all cards that must be used can be melded, got one without",
            code="hand.must_use",
            where="/hand",
        )
    arrangement = decode(counts, found.rows, rules.meld)
    checked = check_arrangement(counts, arrangement.melds, rules)
    return _certify(found, checked, penalty(checked, rules), rules, started)


def _certify(
    found: Found, arrangement: Arrangement, cost: int, rules: GameRules, started: float
) -> Solution:
    """Return the solution when the judge's price equals the engine's; anything else is our bug."""
    assert cost == found.penalty, f"witness costs {cost}, {found.engine} says {found.penalty}"
    return Solution(
        penalty=cost,
        arrangement=arrangement,
        proved=found.proved,
        lower_bound=found.lower_bound,
        engine=found.engine,
        elapsed_us=round((clock.now() - started) * 1e6),
        rules=rules,
    )


def best_contract(
    hand: HandLike,
    rules: GameRules,
    contract: str | Sequence[object] | None = None,
    *,
    engine: str = "auto",
    time_limit_s: float | None = None,
) -> Solution | None:
    """Return the melds of the contract that leave the least value in hand.

    Args:
        hand: the hand after the draw; the closing discard is not taken off.
        rules: the game; its contract is that of the deal.
        contract: another contract, ``"3+r4"`` or a list as for ``load_rules``.
        engine: as for ``solve``.
        time_limit_s: limit for CP-SAT.

    Returns:
        The solution, whose ``penalty`` is the points left in hand, or None when the contract
        cannot be met (with ``use_all``: not with every card).

    Raises:
        RulesError: ``rules.contract`` when there is none. Otherwise as ``solve``.
    """
    started = clock.now()
    if contract is not None and isinstance(rules, GameRules):
        wanted = parse_option("contract", contract)
        rules = replace(rules, meld=replace(rules.meld, contract=wanted))
    if isinstance(rules, GameRules) and rules.meld.contract is None:
        raise RulesError(
            "expected rules with a contract (name the deal or the contract), got none",
            code="rules.contract",
            where="/rules",
        )
    counts = take_hand(hand, rules)
    check_time(time_limit_s)
    found = find(counts, rules, engine=engine, contract=True, time_limit_s=time_limit_s)
    if found.penalty is None:
        return None
    arrangement = decode(counts, found.rows, rules.meld)
    if rules.meld.use_all and arrangement.deadwood:
        return None
    checked = check_contract(counts, arrangement.melds, rules)
    left = sum(rules.meld.points[card] for card in checked.deadwood)
    return _certify(found, checked, left, rules, started)
