"""Exhaustive answers about cards on the table: lay-offs, the defender's choice, wild swaps.

Every order of laying single cards on every meld is tried. Shares nothing with the product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from tests.oracles.brute import Melds, Rules, all_melds, brute_all_optimal
from tests.oracles.naive_melds import MeldRulesLike, Reading, is_wild, rank_at, readings


@dataclass(frozen=True, order=True)
class TableMeld:
    """A meld lying on the table with its wilds in declared places.

    Attributes:
        kind: "set" or "run".
        of: rank of a set, suit of a run.
        start: first position of a run 1..14, 0 for a set.
        cards: card ids; of a run in position order.
    """

    kind: str
    of: int
    start: int
    cards: tuple[int, ...]


def line_ends(rules: MeldRulesLike) -> tuple[int, int]:
    """Lowest and highest position of a line that is no ring."""
    low = {"low": rules.rank_lo, "high": max(rules.rank_lo, 2), "both": 1}[rules.ace]
    return low, 13 if rules.ace == "low" else 14


def extensions(meld: TableMeld, card: int, rules: MeldRulesLike) -> Iterator[TableMeld]:
    """Every way to add one card to a meld: to a set, or below or above a run.

    Written for wilds that are never naturals where their number against these is a rule.
    """
    for longer in _longer(meld, card, rules):
        wilds = sum(is_wild(c, rules) for c in longer.cards)
        naturals = len(longer.cards) - wilds
        if {None: True, "le": wilds <= naturals, "lt": wilds < naturals}[rules.wild_ratio]:
            yield longer


def _longer(meld: TableMeld, card: int, rules: MeldRulesLike) -> Iterator[TableMeld]:
    wild = is_wild(card, rules)
    if meld.kind == "set":
        suits = [c // 13 for c in meld.cards if not is_wild(c, rules)]
        fits = wild or (
            card % 13 == meld.of and not (rules.set_distinct_suits and card // 13 in suits)
        )
        if fits and (rules.set_max is None or len(meld.cards) < rules.set_max):
            yield replace(meld, cards=tuple(sorted((*meld.cards, card))))
        return
    if rules.run_max is not None and len(meld.cards) >= rules.run_max:
        return
    low, high = line_ends(rules)
    below, above = meld.start - 1, meld.start + len(meld.cards)
    if below >= low and (wild or card == meld.of * 13 + rank_at(below)):
        yield replace(meld, start=below, cards=(card, *meld.cards))
    if above <= high and (wild or card == meld.of * 13 + rank_at(above)):
        yield replace(meld, cards=(*meld.cards, card))


def least_left(hand: Sequence[int], table: Sequence[TableMeld], rules: Rules) -> int:
    """Least points left after laying off any cards in any order."""
    meld_rules = getattr(rules, "meld", rules)

    @cache
    def search(cards: tuple[int, ...], melds: tuple[TableMeld, ...]) -> int:
        best = sum(int(meld_rules.points[c]) for c in cards)
        for i, card in enumerate(cards):
            if card in cards[:i]:
                continue
            rest = cards[:i] + cards[i + 1 :]
            for j, meld in enumerate(melds):
                for longer in extensions(meld, card, meld_rules):
                    after = tuple(sorted((*melds[:j], longer, *melds[j + 1 :])))
                    best = min(best, search(rest, after))
        return best

    return search(tuple(sorted(hand)), tuple(sorted(table)))


def _deadwood(hand: Sequence[int], melds: Melds) -> list[int]:
    left = list(hand)
    for meld in melds:
        for card in meld:
            left.remove(card)
    return left


def alone_then_layoff(hand: Sequence[int], table: Sequence[TableMeld], rules: Rules) -> int:
    """Least left if the own melds are first chosen without a look at the table."""
    return min(
        least_left(_deadwood(hand, melds), table, rules)
        for melds in brute_all_optimal(hand, rules, penalty_only=True)
    )


def joint_layoff(hand: Sequence[int], table: Sequence[TableMeld], rules: Rules) -> int:
    """Least left when own melds and lay-offs are chosen together."""
    melds = list(all_melds(hand, rules))

    def choices(first: int, used: int) -> Iterator[int]:
        yield used
        for i in range(first, len(melds)):
            if not used & melds[i]:
                yield from choices(i + 1, used | melds[i])

    return min(
        least_left([c for i, c in enumerate(hand) if not used >> i & 1], table, rules)
        for used in set(choices(0, 0))
    )


def _place(cards: tuple[int, ...], read: Reading, rules: MeldRulesLike) -> Iterator[TableMeld]:
    """Lay a meld in one of its readings: equal wilds are laid in any order."""
    if read.kind == "set":
        yield TableMeld("set", read.of, 0, cards)
        return
    wilds = [c for c in cards if is_wild(c, rules)]
    naturals = [c for c in cards if not is_wild(c, rules)]
    row: list[int] = []
    for place in range(read.start, read.start + len(cards)):
        card = read.of * 13 + rank_at(place)
        if card in naturals:
            naturals.remove(card)
            row.append(card)
        else:
            row.append(wilds.pop())
    if not naturals:
        yield TableMeld("run", read.of, read.start, tuple(row))


def least_left_going_down(
    hand: Sequence[int],
    table: Sequence[TableMeld],
    rules: Rules,
    *,
    swap: bool,
) -> int | None:
    """Least left in the turn of going down: contract, lay-offs and at most one wild swap.

    The table melds are other players'; a swap takes a wild out of one of their runs against the
    natural of its place, and that wild must be played. None if the contract cannot be laid.
    Melds of the contract are laid as short as the contract asks: longer ones are lay-offs.
    Written for rules without natural readings of wild ranks.
    """
    meld_rules = getattr(rules, "meld", rules)
    outcomes = [_down(list(hand), list(table), meld_rules, ())]
    if swap:
        for card in set(hand):
            for j, meld in enumerate(table):
                for longer, wild in _swaps(meld, card, meld_rules):
                    rest = list(hand)
                    rest.remove(card)
                    after = [*table[:j], longer, *table[j + 1 :]]
                    outcomes.append(_down([*rest, wild], after, meld_rules, (wild,)))
    reached = [left for left in outcomes if left is not None]
    return min(reached, default=None)


def _swaps(meld: TableMeld, card: int, rules: MeldRulesLike) -> Iterator[tuple[TableMeld, int]]:
    if meld.kind != "run" or is_wild(card, rules):
        return
    for i, lying in enumerate(meld.cards):
        if is_wild(lying, rules) and card == meld.of * 13 + rank_at(meld.start + i):
            yield replace(meld, cards=(*meld.cards[:i], card, *meld.cards[i + 1 :])), lying


def _down(
    hand: list[int], table: list[TableMeld], rules: MeldRulesLike, must_play: tuple[int, ...]
) -> int | None:
    """Lay the contract in every way, then lay off; wilds in ``must_play`` cost far too much."""
    costly = replace(
        rules,
        points=tuple(
            p + (100_000 if card in must_play else 0) for card, p in enumerate(rules.points)
        ),
    )
    n_must = {card: hand.count(card) - must_play.count(card) for card in set(must_play)}
    allowed = sum(100_000 * n for n in n_must.values())
    best: int | None = None
    seen: set[tuple[tuple[int, ...], tuple[TableMeld, ...]]] = set()
    for laid, rest in _contracts(tuple(sorted(hand)), tuple(rules.contract), rules):
        key = (rest, tuple(sorted(laid)))
        if key in seen:
            continue
        seen.add(key)
        left = least_left(rest, [*table, *laid], costly)
        if left <= allowed + 99_999:
            left %= 100_000
            best = left if best is None else min(best, left)
    return best


def _contracts(
    hand: tuple[int, ...], contract: tuple[tuple[str, int], ...], rules: MeldRulesLike
) -> Iterator[tuple[list[TableMeld], tuple[int, ...]]]:
    """Every way to lay the contract with melds of exactly the lengths asked."""
    if not contract:
        yield [], hand
        return
    (kind, k), *others = contract
    done: set[tuple[int, ...]] = set()
    for mask in range(1 << len(hand)):
        cards = tuple(c for i, c in enumerate(hand) if mask >> i & 1)
        if len(cards) != k or cards in done:
            continue
        done.add(cards)
        rest = tuple(c for i, c in enumerate(hand) if not mask >> i & 1)
        for read in readings(cards, rules):
            if read.kind == kind:
                for meld in _place(cards, read, rules):
                    for laid, left in _contracts(rest, tuple(others), rules):
                        yield [meld, *laid], left


def table_meld(text: str, rules: Rules) -> TableMeld:
    """Read ``R[4H 5H JK=6H 7H]`` or ``S[7C 7D JK=7]`` for the oracles."""
    meld_rules = getattr(rules, "meld", rules)
    tokens = text[2:-1].split()
    cards = tuple(_card(token.split("=")[0]) for token in tokens)
    stands = [token.split("=")[-1] for token in tokens]
    if text[0] == "S":
        return TableMeld("set", "A23456789TJQK".index(stands[0][0]), 0, tuple(sorted(cards)))
    named = [_card(s) for s in stands]
    for read in readings(tuple(sorted(cards)), meld_rules):
        places = range(read.start, read.start + len(cards))
        if read.kind == "run" and [read.of * 13 + rank_at(p) for p in places] == named:
            return TableMeld("run", read.of, read.start, cards)
    raise ValueError(f"expected a run, got {text!r}")


def _card(token: str) -> int:
    if token == "JK":
        return 65
    return "A23456789TJQK".index(token[0]) + 13 * "SHDC*".index(token[1])
