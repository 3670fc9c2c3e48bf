"""Solve one hand: choose an engine, name the cards, certify the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from solver import clock
from solver.arguments import TRUTH, checked
from solver.cards import Counts, HandLike, cards_of, format_hand, read_hand
from solver.compile.decode import all_deadwood, decode
from solver.deadline import Deadline, TimeLimit
from solver.errors import HandError, RulesError, own_answer, quoted
from solver.melds import Arrangement, check_arrangement, check_contract, penalty
from solver.rules.argument import RULES
from solver.rules.asked import with_contract
from solver.rules.loader import check_deck
from solver.rules.model import GameRules
from solver.solve.choose import ENGINE, Found, find
from solver.solve.solution import Solution


def take_hand(hand: HandLike, rules: GameRules) -> Counts:
    """Return the counts of a hand after checking it against the deck.

    Raises:
        NotationError: a token is no card. HandError: ``hand.copies``, ``hand.not_in_deck``,
        ``hand.type``. RulesError: ``rules.type``, these are no rules.
    """
    if not isinstance(rules, GameRules):
        raise RulesError(
            f"expected rules as load_rules returns them, got {quoted(rules)}",
            code="rules.type",
            where="/rules",
        )
    if isinstance(hand, bytes | Mapping) or not isinstance(hand, Iterable):
        raise HandError(
            f"expected a text, a list of cards or counts, got {quoted(hand)}",
            code="hand.type",
            where="/hand",
        )
    counts = read_hand(hand, tiles=rules.deck.tiles)
    check_deck(counts, rules)
    return counts


def asks_contract(rules: GameRules, *, ignore_contract: bool) -> bool:
    """Return whether a question about a hand is one about the contract of its rules."""
    return isinstance(rules, GameRules) and rules.meld.contract is not None and not ignore_contract


def as_if_down(solution: Solution, *, time_limit_s: TimeLimit = None) -> Solution | None:
    """Return the best melds of a hand that cannot lay its contract, as if it were already down.

    None for a hand that can, and where no contract was asked.
    """
    if solution.contract_met is not False:
        return None
    hand = list(solution.arrangement.deadwood)
    return solve(hand, solution.rules, time_limit_s=time_limit_s, ignore_contract=True)


def whole_hand(counts: Counts, rules: GameRules) -> tuple[Arrangement, int]:
    """Return the arrangement without melds and what it costs."""
    arrangement = all_deadwood(counts)
    return arrangement, penalty(arrangement, rules)


@checked(rules=RULES, engine=ENGINE, ignore_contract=TRUTH)
def solve(
    hand: HandLike,
    rules: GameRules,
    *,
    engine: str = "auto",
    time_limit_s: TimeLimit = None,
    ignore_contract: bool = False,
) -> Solution:
    """Return the least penalty of a hand with melds that reach it.

    Where the rules have a contract it must be laid: then the points left in hand count. A hand
    that cannot lay it has no melds and costs all its cards.

    Args:
        hand: text, tokens, card ids, or counts uint8[66]; any size, any order.
        rules: the game, resolved for its round.
        engine: ``auto`` (the first that covers the question), ``suit``, ``frontier`` or ``cpsat``.
        time_limit_s: seconds, whatever engine answers; None: the work is bounded all the same, in
            steps, so that the answer is the same on every machine. Compiling kernels does not
            count.
        ignore_contract: leave the contract out: any melds count, as if the player were down.

    Returns:
        The solution; ``proved`` is False when time or work ran out before the proof, and then
        ``lower_bound`` is what was proved.

    Raises:
        NotationError: ``card.unknown``. HandError: ``hand.copies``, ``hand.not_in_deck``,
        ``hand.must_use`` when cards that must be used cannot be. LimitError: ``engine.unknown``,
        ``engine.not_covered``; ``limit.time`` and ``limit.work`` when a contract was neither laid
        nor proved to be out of reach, or a compiled engine was named.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> solve("5S 5H 5D KC", load_rules("three-thirteen")).arrangement.text()
        'S[5S 5H 5D] / left KC'
        >>> deal, hand = load_rules("liverpool", deal=2), "5S 5H 5D 9D 9C 9S KS KD KC 3H"
        >>> solve(hand, deal).penalty, solve(hand, deal, ignore_contract=True).penalty
        (65, 5)
    """
    started, deadline = clock.now(), Deadline.after(time_limit_s)
    counts = take_hand(hand, rules)
    contract = asks_contract(rules, ignore_contract=ignore_contract)
    found = find(counts, rules, engine=engine, contract=contract, time_limit_s=deadline)
    if contract:
        laid = _laid_contract(counts, found, rules, started)
        return _not_laid(counts, found, rules, started) if laid is None else laid
    if found.penalty is None:
        raise HandError(
            "expected a hand in which all cards that must be used can be melded, got one without",
            code="hand.must_use",
            where="/hand",
        )
    with own_answer(lambda: _asked(counts, rules)):
        arrangement = decode(counts, found.rows, rules.meld)
        judged = check_arrangement(counts, arrangement.melds, rules)
        return _certify(found, judged, penalty(judged, rules), rules, started)


def _asked(counts: Counts, rules: GameRules) -> str:
    return f"{format_hand(cards_of(counts))} under {rules!r}"


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
        elapsed_us=_elapsed_us(started),
        rules=rules,
    )


def _elapsed_us(started: float) -> int:
    return round((clock.now() - started) * 1e6)


def _laid_contract(
    counts: Counts, found: Found, rules: GameRules, started: float
) -> Solution | None:
    """Return the solution that lays the contract, None when what was found does not."""
    if found.penalty is None:
        return None
    with own_answer(lambda: _asked(counts, rules)):
        arrangement = decode(counts, found.rows, rules.meld)
        if rules.meld.use_all and arrangement.deadwood:
            return None
        judged = check_contract(counts, arrangement.melds, rules)
        left = sum(rules.meld.points[card] for card in judged.deadwood)
        laid = replace(_certify(found, judged, left, rules, started), contract_met=True)
    cap = rules.meld.penalty_cap
    if cap is None:
        return laid
    return replace(laid, penalty=min(laid.penalty, cap), lower_bound=min(laid.lower_bound, cap))


def _not_laid(counts: Counts, found: Found, rules: GameRules, started: float) -> Solution:
    """Return the solution of a hand that cannot lay the contract: all its cards count."""
    if rules.meld.must_use:
        raise HandError(
            "expected a hand that can lay its contract with the cards that must be used, got none",
            code="hand.must_use",
            where="/hand",
        )
    arrangement, cost = whole_hand(counts, rules)
    return Solution(
        penalty=cost,
        arrangement=arrangement,
        proved=found.proved,
        lower_bound=cost if found.proved else 0,
        engine=found.engine,
        elapsed_us=_elapsed_us(started),
        rules=rules,
        contract_met=False,
    )


@checked(rules=RULES, engine=ENGINE)
def best_contract(
    hand: HandLike,
    rules: GameRules,
    contract: str | Sequence[object] | None = None,
    *,
    engine: str = "auto",
    time_limit_s: TimeLimit = None,
) -> Solution | None:
    """Return the melds of the contract that leave the least value in hand.

    Args:
        hand: the hand after the draw; the closing discard is not taken off.
        rules: the game; its contract is that of the deal.
        contract: another contract, ``"3+r4"`` or a list as for ``load_rules``.
        engine: as for ``solve``.
        time_limit_s: as for ``solve``.

    Returns:
        The solution, whose ``penalty`` is the points left in hand, no more than a hand may cost,
        or None when the contract cannot be met (with ``use_all``: not with every card).

    Raises:
        RulesError: ``rules.contract`` when there is none. Otherwise as ``solve``.
    """
    started, deadline = clock.now(), Deadline.after(time_limit_s)
    if contract is not None and isinstance(rules, GameRules):
        rules = with_contract(rules, contract)
    if isinstance(rules, GameRules) and rules.meld.contract is None:
        raise RulesError(
            "expected rules with a contract (name the deal or the contract), got none",
            code="rules.contract",
            where="/rules",
        )
    counts = take_hand(hand, rules)
    found = find(counts, rules, engine=engine, contract=True, time_limit_s=deadline)
    return _laid_contract(counts, found, rules, started)
