"""The discard that ends a turn on the table: which card it is, and whether it ends the deal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from solver.cards import Card, HandLike
from solver.deadline import Deadline, TimeLimit
from solver.rules.model import GameRules
from solver.table.lying import Lying, Table
from solver.table.plan import Plan
from solver.table.turn import best_godown, best_layoff


def with_discard(plan: Plan, *, barred: Card | None = None) -> Plan:
    """Return a plan with the discard that ends its turn: the dearest card left.

    The last card ends the deal, where it may be thrown: one that fits the table may be closed
    to it (``closing_discard_playable``). A player without a card ends the deal or floats.

    Args:
        plan: melds and lay-offs of a turn.
        barred: a card that may not be thrown, since it was just taken.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> from solver.table import best_godown
        >>> plan = best_godown("7S 7H 7D KS KD KC 4H 9C", [], load_rules("liverpool", deal=1))
        >>> with_discard(plan).turn_text()
        'then discard 4H, which leaves 5'
    """
    rules = plan.rules
    if not plan.left:
        ends = rules.meld.use_all or not rules.flow.must_discard_to_go_out
        return replace(plan, ends=ends)
    free = [card for card in plan.left if card != barred]
    if rules.meld.use_all or not throws_cards(rules) or not free:
        return plan
    points = rules.meld.points
    card = min(free, key=lambda c: (-points[c], rules.meld.is_wild(c), c))
    ends = len(plan.left) == 1 and _may_close(card, plan.table, rules)
    return replace(plan, discard=card, ends=ends)


def throws_cards(rules: GameRules) -> bool:
    """Return whether turns on the table end with a discard: some card of a pile can be drawn.

    Lay-offs after a knock are no turn.
    """
    if rules.flow.meld_timing != "on_table":
        return False
    return any(source != "stock" for source in rules.flow.draw_sources)


def godown_turn(  # noqa: PLR0913 - options of one question, by name
    hand: HandLike,
    table: Table,
    rules: GameRules,
    contract: str | Sequence[object] | None = None,
    *,
    own: Collection[int] = (),
    swaps: bool = True,
    keep: int | None = None,
    time_limit_s: TimeLimit = None,
) -> Plan | None:
    """Return the best turn of going down with its discard, ``best_godown`` of a whole turn.

    A card is kept where the discard of it ends the deal: that is worth more than to lay it off
    and float. Where nobody may float, one is kept at any rate.

    Args:
        hand: the hand after the draw.
        table: the melds on the table, see ``best_layoff``.
        rules: the game; its contract is that of the deal.
        contract: another contract, as for ``best_contract``.
        own: numbers of melds on the table that are the player's own.
        swaps: False to do without swaps.
        keep: cards to keep in hand; None for as many as the turn is best with.
        time_limit_s: as for ``best_layoff``.

    Raises:
        As ``best_godown``.
    """
    ask = partial(
        best_godown,
        hand,
        table,
        rules,
        contract,
        own=own,
        swaps=swaps,
        time_limit_s=Deadline.after(time_limit_s),
    )
    plan = ask(keep=keep or 0)
    if plan is None:
        return None
    plan = with_discard(plan)
    if plan.left or plan.ends or keep is not None:
        return plan
    kept = ask(keep=1)
    kept = None if kept is None else with_discard(kept)
    if kept is not None and kept.ends:
        return kept
    return plan if rules.flow.floating else kept


def _may_close(card: Card, table: Sequence[Lying], rules: GameRules) -> bool:
    """Return whether a player who did not begin without a card may end the deal with a card."""
    flow = rules.flow
    if flow.closing_discard_playable != "never" or not flow.floating or flow.layoff == "none":
        return True
    return bool(best_layoff([card], table, rules).left)
