"""Plans: the ordered actions of a turn, as what the search found, and their replay by the judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from solver.cards import Card, Counts, format_card, format_hand
from solver.errors import HandError
from solver.melds import Meld, check_arrangement, check_contract
from solver.melds.readings import is_own_place
from solver.rules.model import GameRules
from solver.table.lying import End, Lying, add_card, swap_wild

ActionKind: TypeAlias = Literal["swap", "meld", "layoff"]
ContractItems: TypeAlias = "tuple[tuple[Literal['set', 'run'], int], ...]"


@dataclass(frozen=True, slots=True)
class Action:
    """One step of a plan.

    Attributes:
        kind: ``swap`` (a natural for a wild of a run), ``meld`` (a meld laid from the hand) or
            ``layoff`` (a card added).
        meld: number of the meld on the table; melds laid are numbered after those that lay there.
        card: the card that leaves the hand; None for a meld.
        gained: the wild that a swap brings into the hand.
        end: ``"-"`` below or ``"+"`` above a run, ``""`` otherwise.
        place: place of the card in the meld after the step, 0 first; of the swap, the place.
        stands_for: what a wild stands for; None for a card read as itself.
        laid: the meld of a ``meld`` step.
    """

    kind: ActionKind
    meld: int
    card: Card | None = None
    gained: Card | None = None
    end: End = ""
    place: int = 0
    stands_for: str | None = None
    laid: Meld | None = None

    def text(self) -> str:
        """Return the step in words: ``"8S on meld 2, above"``."""
        at = f"meld {self.meld + 1}"
        if self.laid is not None:
            return f"lay {self.laid.text()} as {at}"
        card = format_card(self.card or 0)
        if self.gained is not None:
            return f"{card} for {format_card(self.gained)} of {at}"
        name = self.stands_for
        own = name is None or is_own_place(self.card or 0, name)
        shown = card if own else f"{card} as {name}"
        side = {"-": ", below", "+": ", above", "": ""}[self.end]
        return f"{shown} on {at}{side}"

    def to_json(self) -> dict[str, Any]:
        """Return the step as plain JSON."""
        found: dict[str, Any] = {"kind": self.kind, "meld": self.meld, "text": self.text()}
        if self.laid is not None:
            return found | {"laid": self.laid.to_json()}
        found["card"] = format_card(self.card or 0)
        if self.gained is not None:
            return found | {"gained": format_card(self.gained), "place": self.place}
        return found | {"end": self.end, "place": self.place, "stands_for": self.stands_for}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with a hand on a table, in order, and what is then left.

    Attributes:
        penalty: points of the cards left.
        actions: the steps in an order in which each is legal.
        left: cards left in hand, ascending.
        table: the melds on the table afterwards.
        before: the melds as they were read; where a meld had several readings, the one chosen.
        choices: number of a meld -> all its readings, where there were several.
        rules: the game.
        discard: the card thrown at the end of the turn, where one is; not taken off ``left``.
        ends: whether the deal ends with this turn.
    """

    penalty: int
    actions: tuple[Action, ...]
    left: tuple[Card, ...]
    table: tuple[Lying, ...]
    before: tuple[Lying, ...]
    choices: dict[int, tuple[Meld, ...]]
    rules: GameRules
    discard: Card | None = None
    ends: bool = False

    def __str__(self) -> str:
        steps = "; ".join(action.text() for action in self.actions) or "nothing to do"
        return f"{self.penalty}: {steps} / left {format_hand(self.left) or '-'}"

    def __repr__(self) -> str:
        return f"<Plan {self}>"

    @property
    def melds(self) -> tuple[Meld, ...]:
        """Return the melds laid from the hand, as laid."""
        return tuple(a.laid for a in self.actions if a.laid is not None)

    @property
    def layoffs(self) -> tuple[Action, ...]:
        """Return the cards added, in order."""
        return tuple(a for a in self.actions if a.kind == "layoff")

    @property
    def swaps(self) -> tuple[Action, ...]:
        """Return the swaps of wilds, in order."""
        return tuple(a for a in self.actions if a.kind == "swap")

    def turn_text(self) -> str:
        """Return how the turn ends: its discard and what that leaves, or that none is left."""
        if self.discard is not None:
            after = self.penalty - self.rules.meld.points[self.discard]
            then = "which ends the deal" if self.ends else f"which leaves {after}"
            return f"then discard {format_card(self.discard)}, {then}"
        if self.left or self.rules.flow.meld_timing != "on_table":
            return ""  # lay-offs after a knock are no turn
        then = "which ends the deal" if self.ends else "so there is no discard and the deal goes on"
        return f"no card is left, {then}"

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain JSON."""
        points = self.rules.meld.points
        return {
            "penalty": self.penalty,
            "actions": [action.to_json() for action in self.actions],
            "left": [{"card": format_card(c), "points": points[c]} for c in self.left],
            "discard": None if self.discard is None else format_card(self.discard),
            "ends": self.ends,
            "table": [lying.meld.to_json() for lying in self.table],
            "choices": [
                {
                    "meld": i,
                    "chosen": self.before[i].meld.text(),
                    "readings": [meld.text() for meld in melds],
                }
                for i, melds in sorted(self.choices.items())
            ],
        }


def replay(
    hand: Counts, before: Sequence[Lying], actions: Sequence[Action], rules: GameRules
) -> tuple[tuple[Card, ...], tuple[Lying, ...]]:
    """Return hand and table after the actions, each judged by ``solver.melds`` as it is done.

    Raises:
        HandError: ``plan.card`` (a card that is not in hand), or what the judge says of a step.
    """
    left = [int(n) for n in hand]
    table = list(before)

    def lose(cards: Sequence[Card]) -> None:
        for card in cards:
            if not left[card]:
                raise HandError(
                    f"expected a card of the hand, got {format_card(card)}", code="plan.card"
                )
            left[card] -= 1

    for action in actions:
        if action.laid is not None:
            lose(action.laid.cards)
            check_arrangement(list(action.laid.cards), [action.laid], _without_value(rules))
            table.append(Lying(action.laid))
            continue
        card = action.card
        assert card is not None, "every step but a meld has a card"
        lose([card])
        if action.kind == "swap":
            table[action.meld], wild = swap_wild(table[action.meld], action.place, card, rules)
            left[wild] += 1
        else:
            table[action.meld] = add_card(
                table[action.meld], card, action.end, action.stands_for, rules
            )
    return tuple(c for c, n in enumerate(left) for _ in range(n)), tuple(table)


def _without_value(rules: GameRules) -> GameRules:
    """Return the rules without what is asked of all melds together."""
    if not rules.meld.min_meld_value and not rules.meld.must_use:
        return rules
    return replace(rules, meld=replace(rules.meld, min_meld_value=0, must_use=()))


def check_laid(
    melds: Sequence[Meld], rules: GameRules, contract: ContractItems, least_value: int
) -> None:
    """Judge the melds laid together: contract or least value.

    Raises:
        HandError: what the judge says.
    """
    cards = [card for meld in melds for card in meld.cards]
    meld_rules = replace(rules.meld, must_use=(), use_all=False, min_meld_value=least_value)
    if contract:
        meld_rules = replace(meld_rules, contract=contract)
        check_contract(cards, melds, replace(rules, meld=meld_rules))
    else:
        check_arrangement(cards, melds, replace(rules, meld=meld_rules))
