"""Laying off, going down and Gin's defence: each one search, its plan replayed by the judge."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from solver.arguments import TRUTH, checked, is_listed, is_whole
from solver.cards import Counts, HandLike, cards_of, format_hand, read_hand
from solver.deadline import Deadline, TimeLimit
from solver.errors import HandError, LimitError, RulesError, own_answer, quoted
from solver.rules.argument import RULES
from solver.rules.asked import with_contract
from solver.rules.deck import check_deck, with_largest_deck
from solver.rules.model import GameRules
from solver.table.hand import Asked
from solver.table.lying import Lying, Table, check_copies, one_of_each, read_table
from solver.table.packing import Work
from solver.table.plan import Plan, check_laid, replay
from solver.table.search import Best, search
from solver.table.steps import StepWriter

MAX_READINGS: Final = 256
"""Tables that the readings of undeclared wilds may make; each is searched."""


@checked(rules=RULES, swaps=TRUTH)
def best_layoff(  # noqa: PLR0913 - options of one question, by name
    hand: HandLike,
    table: Table,
    rules: GameRules,
    *,
    own: Collection[int] | None = None,
    keep: int = 0,
    swaps: bool = True,
    time_limit_s: TimeLimit = None,
) -> Plan:
    """Return the lay-offs that leave the fewest points, in an order in which they are legal.

    The player went down in an earlier turn. A set takes a card of its rank or a wild, a run the
    next card at either end or a wild. Wilds on the table are swapped where ``swap_timing`` is
    ``any_turn``, each for the card it stands for, and every wild gained is played; with
    ``wilds_after_down="kept"`` no wild is played.

    Args:
        hand: the cards in hand.
        table: the melds on the table, see ``read_table``. Where wilds have no declared place and
            could take several, the reading best for the player is taken and told (``choices``).
        rules: the game.
        own: numbers (from 0) of the player's own melds, for ``layoff="own"`` and
            ``swap_scope="others"``; None: all melds take cards and give wilds.
        keep: cards to keep in hand, for games that end a turn with a discard at any rate.
        swaps: False to do without swaps.
        time_limit_s: seconds for all of it; None: the search is bounded in steps.

    Returns:
        The plan; ``penalty`` is least, then the number of cards left.

    Raises:
        RulesError: ``table.layoff_off`` when the game has no lay-offs. HandError: ``table.*`` for
            the melds, ``hand.*``. NotationError: ``card.unknown``. LimitError: ``limit.time``,
            ``table.readings``, ``table.ways`` beyond the bound on the work.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> rules = load_rules("liverpool")
        >>> plan = best_layoff("KH 8S 9S 3D", ["S[KS KD KC]", "R[4S 5S 6S 7S]"], rules)
        >>> plan.penalty, [a.text() for a in plan.actions]
        (5, ['8S on meld 2, above', '9S on meld 2, above', 'KH on meld 1'])
    """
    work = Work(Deadline.after(time_limit_s))
    _check_layoffs(rules)
    counts, readings = _take(hand, table, rules)
    numbers = _addable(len(readings), range(len(readings)) if own is None else own, rules)
    _check_keep(keep)
    wilds_kept = rules.flow.wilds_after_down == "kept"
    asked = Asked(keep=min(keep, int(counts.sum())), wilds_kept=wilds_kept)
    may_swap = swaps and may_swap_in(rules, is_down=True)
    swappable = _swappable(len(readings), own or (), rules) if may_swap else []

    def ask(lying: Sequence[Lying]) -> Best | None:
        return search(counts, lying, rules, asked, addable=numbers, swappable=swappable, work=work)

    plan = _best_reading(counts, readings, ask, rules)
    assert plan is not None, "doing nothing is always possible"
    return plan


@checked(rules=RULES, swaps=TRUTH, is_down=TRUTH)
def best_godown(  # noqa: PLR0913 - options of one question, by name
    hand: HandLike,
    table: Table,
    rules: GameRules,
    contract: str | Sequence[object] | None = None,
    *,
    own: Collection[int] = (),
    swaps: bool = True,
    keep: int = 0,
    is_down: bool = False,
    time_limit_s: TimeLimit = None,
) -> Plan | None:
    """Return the best turn of going down: contract, wild swaps and lay-offs as one optimum.

    The melds of the contract may be longer than asked. Wilds are swapped only as the rules allow
    (``swap_timing``, ``swap_runs_only``, ``swap_scope``), against the very card they stand for,
    and every wild gained is played. A deal that asks for all cards at once has neither swaps nor
    lay-offs. The melds must be worth ``initial_meld_min`` and ``min_meld_value`` together.

    Args:
        hand: the hand after the draw; the closing discard is not taken off.
        table: the melds on the table, see ``best_layoff``.
        rules: the game; its contract is that of the deal.
        contract: another contract, as for ``best_contract``.
        own: numbers of melds on the table that are the player's own: their wilds are not swapped
            unless the rules say so.
        swaps: False to do without swaps.
        keep: cards to keep in hand.
        is_down: whether the player went down in an earlier turn and lays more melds, of any
            worth; wilds are then swapped and played as in ``best_layoff``.
        time_limit_s: as for ``best_layoff``.

    Returns:
        The plan, or None when the player cannot go down.

    Raises:
        RulesError: ``table.godown_off`` when melds are laid only at the end of the deal,
            ``rules.contract`` when the deals have contracts and no deal is chosen. Otherwise as
            ``best_layoff``.
    """
    work = Work(Deadline.after(time_limit_s))
    rules = _with_contract(rules, contract)
    counts, readings = _take(hand, table, rules)
    _check_keep(keep)
    asked = _asked(rules, keep, is_down=is_down)
    numbers = _addable(len(readings), own, rules)
    all_down = rules.meld.use_all and rules.meld.contract is not None
    may_swap = swaps and not all_down and may_swap_in(rules, is_down=is_down)
    swappable = _swappable(len(readings), own, rules) if may_swap else []

    def ask(lying: Sequence[Lying]) -> Best | None:
        return search(counts, lying, rules, asked, addable=numbers, swappable=swappable, work=work)

    plan = _best_reading(counts, readings, ask, rules)
    return None if plan is not None and all_down and plan.left else plan


def _check_layoffs(rules: GameRules) -> None:
    """Raise RulesError ``table.layoff_off`` where nothing is laid off."""
    if rules.flow.layoff == "none":
        message = f"expected a game with lay-offs, got {rules.name}"
        raise RulesError(message, code="table.layoff_off", where="/rules")


def _with_contract(rules: GameRules, contract: str | Sequence[object] | None) -> GameRules:
    """Return rules with the contract to lay; RulesError where nobody goes down, or on what."""
    if rules.flow.meld_timing == "at_end":
        raise RulesError(
            f"expected a game whose melds are laid in a turn, got {rules.name}: there all melds "
            "are laid at the end",
            code="table.godown_off",
            where="/rules",
        )
    if contract is not None:
        return with_contract(rules, contract)
    if rules.contract_open:
        raise RulesError(
            "expected rules with a contract (name the deal or the contract), got none",
            code="rules.contract",
            where="/rules",
        )
    return rules


@checked(rules=RULES, against_gin=TRUTH)
def joint_layoff(
    hand: HandLike,
    knocker_melds: Table,
    rules: GameRules,
    *,
    against_gin: bool = False,
    time_limit_s: TimeLimit = None,
) -> Plan:
    """Return the defence against a knock: own melds and lay-offs chosen together.

    Args:
        hand: the defender's cards.
        knocker_melds: the melds that the knocker laid.
        rules: the game.
        against_gin: whether the knocker has gin, so that nothing may be laid off.
        time_limit_s: as for ``best_layoff``.

    Returns:
        The plan that leaves the fewest points; ``melds`` are the defender's own.

    Raises:
        RulesError: ``table.knock_off`` when the game has no knocks. Otherwise as ``best_layoff``.
    """
    work = Work(Deadline.after(time_limit_s))
    return defence(hand, knocker_melds, rules, work, against_gin=against_gin)


def defence(
    hand: HandLike, knocker_melds: Table, rules: GameRules, work: Work, *, against_gin: bool
) -> Plan:
    """Return what ``joint_layoff`` does, as a part of a question that looks at many knocks."""
    if rules.flow.knock_limit is None:
        raise RulesError(
            f"expected a game with knocks, got {rules.name}", code="table.knock_off", where="/rules"
        )
    counts, readings = _take(hand, knocker_melds, rules)
    asked = Asked(free_melds=True, adds=not against_gin and rules.flow.layoff != "none")

    def ask(lying: Sequence[Lying]) -> Best | None:
        return search(counts, lying, rules, asked, addable=range(len(lying)), work=work)

    plan = _best_reading(counts, readings, ask, rules)
    assert plan is not None, "doing nothing is always possible"
    return plan


def may_swap_in(rules: GameRules, *, is_down: bool) -> bool:
    """Return whether wilds are swapped in the turn of going down, or by a player already down."""
    timing = rules.flow.swap_timing
    return timing == "any_turn" if is_down else timing != "off"


def _asked(rules: GameRules, keep: int, *, is_down: bool) -> Asked:
    """Return what going down asks for under rules."""
    contract = rules.meld.contract
    flow = rules.flow
    all_down = rules.meld.use_all and contract is not None
    least = max(0 if is_down else flow.initial_meld_min, rules.meld.min_meld_value)
    if contract is None:
        least = max(1, least)  # going down lays at least one meld, so melds of some worth
    return Asked(
        contract=contract or (),
        free_melds=contract is None or rules.meld.extra_melds,
        least_value=least,
        adds=flow.layoff != "none" and (is_down or flow.layoff_same_turn) and not all_down,
        timing="after_contract" if flow.swap_timing == "after_contract" else "with_contract",
        keep=keep,
        wilds_kept=is_down and flow.wilds_after_down == "kept",
    )


def _take(hand: HandLike, table: Table, rules: GameRules) -> tuple[Counts, list[list[Lying]]]:
    """Return the hand's counts and the readings of the table, checked against the deck."""
    counts = read_hand(hand, tiles=rules.deck.tiles)
    check_deck(counts, with_largest_deck(rules))
    readings = read_table(table, rules)
    check_copies(counts, [melds[0] for melds in readings], rules)
    return counts, readings


def _check_keep(keep: int) -> None:
    """Raise HandError ``table.keep`` unless so many cards can be kept."""
    if not isinstance(keep, int) or keep < 0:
        message = f"expected a number of cards to keep, 0 or more, got {quoted(keep)}"
        raise HandError(message, code="table.keep", where="/keep")


def _addable(n_melds: int, own: Collection[int], rules: GameRules) -> list[int]:
    """Return the numbers of the melds to which the player may add cards."""
    wrong: list[Any] = [own]
    if is_listed(own):
        wrong = [i for i in own if not is_whole(i) or not 0 <= i < n_melds]
    if wrong:
        known = f"0..{n_melds - 1}" if n_melds else "of a table that has none"
        message = f"expected numbers of melds {known}, got {quoted(wrong[0])}"
        raise HandError(message, code="table.own", where="/own")
    return sorted(own) if rules.flow.layoff == "own" else list(range(n_melds))


def _swappable(n_melds: int, own: Collection[int], rules: GameRules) -> list[int]:
    """Return the numbers of the melds whose wilds the player may take."""
    return [i for i in range(n_melds) if rules.flow.swap_scope == "all" or i not in own]


def _best_reading(
    counts: Counts,
    readings: Sequence[Sequence[Lying]],
    ask: Callable[[Sequence[Lying]], Best | None],
    rules: GameRules,
) -> Plan | None:
    """Return the best plan over the readings of undeclared wilds, the first of equals."""
    if math.prod(len(melds) for melds in readings) > MAX_READINGS:
        raise LimitError(
            f"expected at most {MAX_READINGS} readings of the table, got more: declare what wilds "
            "stand for",
            code="table.readings",
            where="/table",
        )
    best: tuple[Best, tuple[Lying, ...]] | None = None
    for before in one_of_each(readings):
        found = ask(before)
        if found is not None and (best is None or found.rank() < best[0].rank()):
            best = (found, before)
    if best is None:
        return None
    choices = {
        i: tuple(lying.meld for lying in melds)
        for i, melds in enumerate(readings)
        if len(melds) > 1
    }
    found, before = best
    with own_answer(lambda: f"{format_hand(cards_of(counts))} beside {before} under {rules!r}"):
        actions = StepWriter(found, before).write()
        left, after = replay(counts, before, actions, rules)
        asked = found.frame.asked
        laid = [a.laid for a in actions if a.laid is not None]
        if asked.contract or asked.least_value:
            check_laid(laid, rules, asked.contract, asked.least_value)
        assert left == found.played.left, "the plan leaves other cards than the search said"
    points, cap = found.played.points, rules.meld.penalty_cap
    if cap is not None:
        points = min(points, cap)
    return Plan(points, actions, left, after, before, choices, rules)
