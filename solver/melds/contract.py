"""Judging the melds of a contract: exactly those asked for, and how they may lie together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

from solver.arguments import checked
from solver.cards import N_RANKS, RANKS, SUITS, HandLike
from solver.errors import Fault, HandError
from solver.melds.arrangement import Arrangement, count_hand, finish, lay_melds, set_rank
from solver.melds.faults import placed_start, shown_cards
from solver.melds.judge import MeldLike, counts_as, loose_cards, meld_readings
from solver.melds.readings import Meld, MeldKind
from solver.rules.argument import RULES
from solver.rules.model import GameRules, MeldKindName, MeldRules

Contract: TypeAlias = Sequence[tuple[MeldKindName, int]]


class _Option(NamedTuple):
    """A meld taken as a run or a set; ``line`` is the suit or rank, None for wilds only."""

    meld: Meld
    kind: MeldKind
    line: int | None
    start: int


@checked(rules=RULES)
def check_contract(hand: HandLike, melds: Sequence[MeldLike], rules: GameRules) -> Arrangement:
    """Return the arrangement when the melds meet ``rules.meld.contract``, or raise all faults.

    Each requirement takes one meld of its kind and at least its length; loose cards and melds of
    wilds take the kind and the places that help. All other rules of ``check_arrangement`` hold.
    The bars on equal ranks, equal suits and touching runs hold between all melds laid, those
    beyond the contract included; a meld of wilds has no rank, suit or place and breaks none.

    Args:
        hand: the whole hand.
        melds: placed melds or loose cards.
        rules: the rules; only ``rules.meld`` is read.

    Raises:
        HandError: codes of ``check_arrangement``; ``contract.none`` (the rules ask for none),
            ``contract.unmet``, ``contract.set_ranks``, ``contract.run_suits``,
            ``contract.adjacent_runs``, ``contract.use_all``.
    """
    m = rules.meld
    if m.contract is None:
        raise HandError("expected rules with a contract, got none", code="contract.none")
    left = count_hand(hand, rules)
    laid, faults = lay_melds(left, melds, rules)
    if len(laid) == len(melds):
        options = [
            _placed_options(given, m)
            if isinstance(given, Meld)
            else _loose_options(loose_cards(given, rules, ""), rules)
            for given in melds
        ]
        chosen, clashes = _choose(options, m.contract, m)
        faults += clashes
        laid = [option.meld for option in chosen] or laid
    if m.use_all and any(left):
        text = f"expected every card in melds, got {sum(left)} left"
        faults.append(Fault("contract.use_all", "/melds", text, {"left": sum(left)}))
    return finish(left, laid, faults, m)


def _placed_options(meld: Meld, m: MeldRules) -> list[_Option]:
    """Return how a legal placed meld may count."""
    if meld.kind == MeldKind.WILD:
        kinds = [kind for kind in counts_as(meld, m) if kind != MeldKind.WILD]
        return [_Option(meld, kind, None, 0) for kind in kinds]
    if meld.kind == MeldKind.SET:
        return [_Option(meld, meld.kind, set_rank(meld), 0)]
    start, shown = placed_start(meld, m), shown_cards(meld)
    assert start is not None, "a legal run lies on the line"
    assert shown, "a legal run names its cards"
    return [_Option(meld, meld.kind, shown[0] // N_RANKS, start)]


def _loose_options(cards: tuple[int, ...], rules: GameRules) -> list[_Option]:
    """Return how loose cards may count, one option for each kind, line and start."""
    distinct: dict[tuple[MeldKind, int | None, int], _Option] = {}
    for meld in meld_readings(cards, rules):
        for option in _placed_options(meld, rules.meld):
            distinct.setdefault(option[1:], option)
    return list(distinct.values())


def _choose(
    options: Sequence[Sequence[_Option]], contract: Contract, m: MeldRules
) -> tuple[list[_Option], list[Fault]]:
    """Return one option for each meld that together meet the contract, and what is wrong."""
    may_be_so_many = len(options) == len(contract) or m.extra_melds
    taken = _match(options, contract) if may_be_so_many else None
    if taken is None:
        wanted = ", ".join(f"{kind} of {least}+" for kind, least in contract)
        got = ", ".join(f"{way[0].meld.kind} of {len(way[0].meld.cards)}" for way in options)
        beyond = " and any others" if m.extra_melds else ""
        text = f"expected melds {wanted}{beyond}, got {got or 'none'}"
        return [], [Fault("contract.unmet", "/melds", text)]
    chosen = [
        next(o for o in way if i not in taken or o.kind == contract[taken[i]][0])
        for i, way in enumerate(options)
    ]
    clashes = _clashes(chosen, m)
    if not clashes:
        return chosen, []
    found = _search(options, [], contract, m)
    return (chosen, clashes) if found is None else (found, [])


def _match(options: Sequence[Sequence[_Option]], contract: Contract) -> dict[int, int] | None:
    """Return meld -> requirement with every requirement filled (augmenting paths), or None."""
    taken: dict[int, int] = {}

    def seat(wanted: int, seen: set[int]) -> bool:
        kind, least = contract[wanted]
        for i, way in enumerate(options):
            fits = any(o.kind == kind and len(o.meld.cards) >= least for o in way)
            if fits and i not in seen:
                seen.add(i)
                if i not in taken or seat(taken[i], seen):
                    taken[i] = wanted
                    return True
        return False

    return taken if all(seat(wanted, set()) for wanted in range(len(contract))) else None


def _search(
    options: Sequence[Sequence[_Option]], chosen: list[_Option], contract: Contract, m: MeldRules
) -> list[_Option] | None:
    """Return options that meet the contract and break no bar, None when there are none."""
    if _clashes(chosen, m):
        return None
    if len(chosen) == len(options):
        return chosen if _match([[option] for option in chosen], contract) is not None else None
    for option in options[len(chosen)]:
        found = _search(options, [*chosen, option], contract, m)
        if found is not None:
            return found
    return None


def _clashes(chosen: Sequence[_Option], m: MeldRules) -> list[Fault]:
    """Return a fault for each pair of melds that may not lie together, at the later one."""
    faults: list[Fault] = []
    for (i, a), (j, b) in combinations(enumerate(chosen), 2):
        if a.kind != b.kind or a.line is None or a.line != b.line:
            continue
        where, melds = f"/melds/{j}", f"melds {i + 1} and {j + 1}"
        if a.kind == MeldKind.SET:
            if m.distinct_set_ranks:
                text = f"expected sets of different ranks, got {melds} of rank {RANKS[a.line]}"
                faults.append(Fault("contract.set_ranks", where, text))
            continue
        if m.distinct_run_suits:
            text = f"expected runs of different suits, got {melds} of suit {SUITS[a.line]}"
            faults.append(Fault("contract.run_suits", where, text))
        if m.forbid_adjacent_runs and _touch(a, b, m):
            text = f"expected a gap between runs of one suit, got {melds} side by side"
            faults.append(Fault("contract.adjacent_runs", where, text))
    return faults


def _touch(a: _Option, b: _Option, m: MeldRules) -> bool:
    """Return whether one run begins on the position after the other's last."""
    gaps = (b.start - a.start - len(a.meld.cards), a.start - b.start - len(b.meld.cards))
    return 0 in (gap % N_RANKS if m.ace == "cyclic" else gap for gap in gaps)
