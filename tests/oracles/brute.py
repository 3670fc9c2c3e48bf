"""Exhaustive solver: every subset of a hand is tested for being a meld, every packing weighed.

Kept naive on purpose and sharing nothing with the product but attribute names of its records.
Cards are physical: two equal cards are two bits. For hands of up to about 13 cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from tests.oracles.naive_melds import MeldRulesLike, Reading, readings

Rules: TypeAlias = Any
"""``GameRules`` or its ``MeldRules``."""
Melds: TypeAlias = tuple[tuple[int, ...], ...]
"""An arrangement: melds sorted, each a sorted row of card ids."""


class Value(NamedTuple):
    """What arrangements are compared by, least first."""

    penalty: int
    deadwood: int
    melds: int


def _meld_rules(rules: Rules) -> MeldRulesLike:
    return getattr(rules, "meld", rules)


def is_meld(cards: Sequence[int], rules: Rules) -> bool:
    """Whether all these cards form one meld."""
    return bool(readings(tuple(sorted(cards)), _meld_rules(rules)))


def all_melds(hand: Sequence[int], rules: Rules) -> dict[int, tuple[Reading, ...]]:
    """Every subset of the hand that is a meld, as a bit mask, with its readings."""
    meld_rules = _meld_rules(rules)
    found = {}
    shortest = min(meld_rules.set_min, meld_rules.run_min)
    for mask in range(1, 1 << len(hand)):
        if mask.bit_count() >= shortest:
            read = readings(tuple(sorted(_cards(hand, mask))), meld_rules)
            if read:
                found[mask] = read
    return found


def _cards(hand: Sequence[int], mask: int) -> list[int]:
    return [card for i, card in enumerate(hand) if mask >> i & 1]


def _by_first_card(melds: dict[int, tuple[Reading, ...]], n: int) -> list[list[int]]:
    """Melds grouped by the lowest bit they hold."""
    rows: list[list[int]] = [[] for _ in range(n)]
    for mask in melds:
        rows[(mask & -mask).bit_length() - 1].append(mask)
    return rows


def _points(cards: Sequence[int], rules: MeldRulesLike) -> int:
    return sum(int(rules.points[c]) for c in cards)


def _uses_what_it_must(cards: list[int], rules: MeldRulesLike) -> bool:
    return all(cards.count(card) >= copies for card, copies in rules.must_use)


# --- best partition -----------------------------------------------------------------------------


def _packings(
    hand: Sequence[int], melds: dict[int, tuple[Reading, ...]], rules: MeldRulesLike
) -> dict[tuple[int, int, int, int], int]:
    """Every (cards used, melds, runs, pure runs) that can be packed, with its greatest value.

    Cards are taken in order: each is left over, or starts a meld whose first card it is. A meld
    that is a set as well as a run counts as a run: that is never worse. Runs and pure runs are
    counted only as far as ``hand_require`` asks, values only if a least value is asked.
    """
    asked_runs, asked_pure = rules.hand_require or (0, 0)
    valued = rules.min_meld_value > 0
    facts = {}
    for mask, read in melds.items():
        runs = [r for r in read if r.kind == "run"]
        pure = any(r.naturals == mask.bit_count() for r in runs)
        facts[mask] = (bool(runs), pure, max(r.value for r in read) if valued else 0)
    best = {(0, 0, 0, 0): 0}
    for i, row in enumerate(_by_first_card(melds, len(hand))):
        for (used, n, runs, pure), value in list(best.items()):
            if used >> i & 1:
                continue
            for mask in row:
                if used & mask:
                    continue
                is_run, is_pure, worth = facts[mask]
                key = (
                    used | mask,
                    n + 1,
                    min(runs + is_run, asked_runs),
                    min(pure + is_pure, asked_pure),
                )
                best[key] = max(best.get(key, 0), value + worth)
    return best


def brute_value(hand: Sequence[int], rules: Rules) -> Value | None:
    """Least (penalty, deadwood cards, melds) of a hand; None if ``must_use`` cannot be met.

    Without the runs of ``hand_require`` an arrangement is legal, but every card counts. One worth
    less than ``min_meld_value`` may not be laid at all.
    """
    meld_rules = _meld_rules(rules)
    best: Value | None = None
    packings = _packings(hand, all_melds(hand, meld_rules), meld_rules)
    for (used, n, runs, pure), value in packings.items():
        melded = _cards(hand, used)
        if used and value < meld_rules.min_meld_value:
            continue
        if not _uses_what_it_must(melded, meld_rules):
            continue
        penalty = _price(hand, melded, (runs, pure), meld_rules)
        found = Value(penalty, len(hand) - len(melded), n)
        best = found if best is None else min(best, found)
    return best


def _price(
    hand: Sequence[int], melded: list[int], runs: tuple[int, int], rules: MeldRulesLike
) -> int:
    """What an arrangement costs that holds so many (runs, pure runs)."""
    total = _points(hand, rules)
    asked = rules.hand_require
    if asked is None or (runs[0] >= asked[0] and runs[1] >= asked[1]):
        total -= _points(melded, rules)
    return total if rules.penalty_cap is None else min(total, rules.penalty_cap)


def brute_penalty(hand: Sequence[int], rules: Rules) -> int | None:
    """Minimum penalty of a hand; None if ``must_use`` cannot be met."""
    value = brute_value(hand, rules)
    return None if value is None else value.penalty


def brute_discards(hand: Sequence[int], rules: Rules) -> dict[int, int | None]:
    """Card to throw -> minimum penalty of the others, for every different card of the hand."""
    rest = {card: list(hand) for card in hand}
    for card, others in rest.items():
        others.remove(card)
    return {card: brute_penalty(others, rules) for card, others in rest.items()}


def brute_all_optimal(
    hand: Sequence[int], rules: Rules, *, penalty_only: bool = False
) -> set[Melds]:
    """Return all arrangements of least (penalty, deadwood cards, melds), or of least penalty.

    Arrangements that differ in equal cards only are one.
    """
    meld_rules = _meld_rules(rules)
    melds = all_melds(hand, meld_rules)
    rows = _by_first_card(melds, len(hand))
    best: tuple[int, ...] | None = None
    found: set[Melds] = set()
    for packing in _every_packing(rows, 0, 0):
        used = sum(packing)
        value = sum(max(r.value for r in melds[m]) for m in packing)
        if packing and value < meld_rules.min_meld_value:
            continue
        melded = _cards(hand, used)
        if not _uses_what_it_must(melded, meld_rules):
            continue
        penalty = _price(hand, melded, _count_runs(packing, melds), meld_rules)
        order = (penalty,) if penalty_only else (penalty, len(hand) - len(melded), len(packing))
        if best is None or order < best:
            best, found = order, set()
        if order == best:
            found.add(tuple(sorted(tuple(sorted(_cards(hand, m))) for m in packing)))
    return found


def _every_packing(rows: list[list[int]], i: int, used: int) -> Iterator[tuple[int, ...]]:
    """Every set of disjoint melds, one by one."""
    if i == len(rows):
        yield ()
        return
    yield from _every_packing(rows, i + 1, used)
    if not used >> i & 1:
        for mask in rows[i]:
            if not used & mask:
                for rest in _every_packing(rows, i + 1, used | mask):
                    yield (mask, *rest)


def _count_runs(packing: tuple[int, ...], melds: dict[int, tuple[Reading, ...]]) -> tuple[int, int]:
    """How many melds of a packing can be runs, and how many of them pure runs."""
    runs = [(m, [r for r in melds[m] if r.kind == "run"]) for m in packing]
    pure = [m for m, read in runs if any(r.naturals == m.bit_count() for r in read)]
    return sum(bool(read) for _, read in runs), len(pure)


# --- contracts ----------------------------------------------------------------------------------


def brute_contract(hand: Sequence[int], rules: Rules) -> int | None:
    """Least points left in hand after laying exactly the contract; None if it cannot be laid."""
    meld_rules = _meld_rules(rules)
    contract = tuple(meld_rules.contract)
    melds = all_melds(hand, meld_rules)
    everything = (1 << len(contract)) - 1
    best: int | None = None
    for used, met, _ in _contract_states(hand, contract, melds, meld_rules):
        melded = _cards(hand, used)
        if met != everything or not _uses_what_it_must(melded, meld_rules):
            continue
        if meld_rules.use_all and len(melded) < len(hand):
            continue
        left = _points(hand, meld_rules) - _points(melded, meld_rules)
        best = left if best is None else min(best, left)
    return best


def brute_question(hand: Sequence[int], rules: Rules) -> int | None:
    """What a hand costs under the contract of its rules, if any: what is left, or all of it."""
    if _meld_rules(rules).contract is None:
        return brute_penalty(hand, rules)
    left = brute_contract(hand, rules)
    return _points(hand, _meld_rules(rules)) if left is None else left


def brute_contract_discards(hand: Sequence[int], rules: Rules) -> dict[int, int | None]:
    """Card to throw -> what the others cost under the contract, for every different card."""
    rest = {card: list(hand) for card in hand}
    for card, others in rest.items():
        others.remove(card)
    return {card: brute_question(others, rules) for card, others in rest.items()}


def brute_contract_optimal(hand: Sequence[int], rules: Rules) -> set[Melds]:
    """All arrangements that meet the contract and leave least; none: no melds at all."""
    meld_rules = _meld_rules(rules)
    least = brute_contract(hand, rules)
    if least is None:
        return {()}
    found: set[Melds] = set()
    for packing in _every_packing(_by_first_card(all_melds(hand, rules), len(hand)), 0, 0):
        laid = tuple(sorted(tuple(sorted(_cards(hand, m))) for m in packing))
        left = _points(hand, meld_rules) - sum(_points(m, meld_rules) for m in laid)
        if left == least and laid not in found and meets_contract(hand, laid, rules):
            found.add(laid)
    return found


def meets_contract(hand: Sequence[int], laid: Sequence[Sequence[int]], rules: Rules) -> bool:
    """Whether exactly these melds of the hand meet the contract."""
    meld_rules = _meld_rules(rules)
    contract = tuple(meld_rules.contract)
    cards = [card for meld in laid for card in meld]
    masks, shift = {}, 0
    for meld in laid:
        read = readings(tuple(sorted(meld)), meld_rules)
        masks[((1 << len(meld)) - 1) << shift] = read
        shift += len(meld)
    if not all(masks.values()) or not _uses_what_it_must(cards, meld_rules):
        return False
    if meld_rules.use_all and len(cards) < len(hand):
        return False
    states = _contract_states(cards, contract, masks, meld_rules)
    return any(
        used == (1 << shift) - 1 and met == (1 << len(contract)) - 1 for used, met, _ in states
    )


_Trace: TypeAlias = tuple[str, int, int, int]
"""What a laid meld forbids to later ones: (kind, rank or suit, start, length)."""
_State: TypeAlias = tuple[int, int, tuple[_Trace, ...]]
"""Cards used, contract entries met, traces of the melds laid."""


def _contract_states(
    hand: Sequence[int],
    contract: tuple[tuple[str, int], ...],
    melds: dict[int, tuple[Reading, ...]],
    rules: MeldRulesLike,
) -> set[_State]:
    """Every state in reach, cards taken in order as in ``_packings``."""
    ways = {mask: _ways(read, mask.bit_count(), rules) for mask, read in melds.items()}
    states: set[_State] = {(0, 0, ())}
    for i, row in enumerate(_by_first_card(melds, len(hand))):
        for used, met, traces in list(states):
            if used >> i & 1:
                continue
            for mask in row:
                if used & mask:
                    continue
                for kind, trace in ways[mask]:
                    if trace is not None and any(_clash(trace, old, rules) for old in traces):
                        continue
                    after = traces if trace is None else tuple(sorted((*traces, trace)))
                    for entry, (wanted, least) in enumerate(contract):
                        fits = wanted == kind and mask.bit_count() >= least
                        if fits and not met >> entry & 1:
                            states.add((used | mask, met | 1 << entry, after))
                    if rules.extra_melds:
                        states.add((used | mask, met, after))
    return states


def _ways(
    read: tuple[Reading, ...], k: int, rules: MeldRulesLike
) -> set[tuple[str, _Trace | None]]:
    """As what a meld may be laid: its kind, and a trace where the rules look at other melds.

    A meld of cards all read as wild has no rank or suit of its own: it leaves no trace.
    """
    found: set[tuple[str, _Trace | None]] = set()
    for r in read:
        trace = None
        if r.naturals > 0 and r.kind == "set" and rules.distinct_set_ranks:
            trace = ("set", r.of, 0, 0)
        elif r.naturals > 0 and r.kind == "run" and rules.distinct_run_suits:
            trace = ("run", r.of, 0, 0)
        elif r.naturals > 0 and r.kind == "run" and rules.forbid_adjacent_runs:
            trace = ("run", r.of, r.start, k)
        found.add((r.kind, trace))
    return found


def _clash(new: _Trace, old: _Trace, rules: MeldRulesLike) -> bool:
    """Whether two melds of one kind and of one rank or suit may not lie together."""
    if new[:2] != old[:2]:
        return False
    if new[0] == "set" or rules.distinct_run_suits:
        return True
    gaps = (new[2] - old[2] - old[3], old[2] - new[2] - new[3])
    return 0 in (gap % 13 if rules.ace == "cyclic" else gap for gap in gaps)
