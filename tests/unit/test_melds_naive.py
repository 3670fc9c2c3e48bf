"""The judge of melds against a second one that lays cards by the words of the rules."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from solver.cards import JOKER, format_card
from solver.errors import HandError
from solver.melds import Meld, MeldKind, check_meld, is_meld, meld_readings
from solver.rules.model import GameRules, MeldRules

N_ROUNDS = 25
N_HANDS = 100


def is_wild(card, m):
    if card == JOKER:
        return m.jokers_wild
    return card in m.wild_cards or card % 13 in m.wild_ranks


def roles(card, m):
    """How one card may be read: as itself, as a wild, as either, as neither."""
    if not is_wild(card, m):
        return [] if card == JOKER else ["natural"]
    return ["wild", "natural"] if m.wild_as_natural and card != JOKER else ["wild"]


def rows(n_cards, m):
    """All rows of neighbouring positions of the line, as lists of positions A = 1 .. A = 14."""
    if m.ace == "cyclic":
        ring = [*range(1, 14), *range(1, 14)]
        return [ring[i : i + n_cards] for i in range(13)] if n_cards <= 13 else []
    line = {
        "low": list(range(m.rank_lo, 14)),
        "high": list(range(max(m.rank_lo, 2), 15)),
        "both": list(range(1, 15)),
    }[m.ace]
    return [line[i : i + n_cards] for i in range(len(line) - n_cards + 1)]


def lay(row, suit, cards, m):
    """Every way to lay all cards on a row: tuples of roles, place by place."""
    if not row:
        return {()}
    found = set()
    own = suit * 13 + (row[0] - 1) % 13
    for card in set(cards):
        rest = list(cards)
        rest.remove(card)
        for role in roles(card, m):
            if role == "wild" or card == own:
                found |= {(role, *others) for others in lay(row[1:], suit, rest, m)}
    return found


def within_limits(row_roles, m, *, least, most, naturals, wilds):
    n_naturals, n_wilds = row_roles.count("natural"), row_roles.count("wild")
    if len(row_roles) < least or (most is not None and len(row_roles) > most):
        return False
    if n_naturals < naturals or (wilds is not None and n_wilds > wilds):
        return False
    return {None: True, "le": n_wilds <= n_naturals, "lt": n_wilds < n_naturals}[m.wild_ratio]


def legal_run_roles(row_roles, m):
    limits = (m.run_min, m.run_max, m.run_min_naturals, m.run_max_wilds)
    names = ("least", "most", "naturals", "wilds")
    if not within_limits(row_roles, m, **dict(zip(names, limits, strict=True))):
        return False
    if m.run_core is not None:
        size, need = m.run_core
        windows = [row_roles[i : i + size] for i in range(len(row_roles))]
        if not any(len(w) == size and w.count("natural") >= need for w in windows):
            return False
    return m.wilds_adjacent or ("wild", "wild") not in list(pairwise(row_roles))


def naive_runs(cards, m):
    """All legal runs: (suit, first position, roles); a row of wilds has no suit and no position."""
    found = set()
    for suit in range(5):
        for row in rows(len(cards), m):
            for row_roles in lay(row, suit, cards, m):
                if legal_run_roles(row_roles, m):
                    spot = (suit, row[0]) if "natural" in row_roles else (None, None)
                    found.add((*spot, row_roles))
    return found


def naive_sets(cards, m):
    """All legal sets as (rank, number of naturals), rank None when all cards are read as wild."""
    found = set()
    for rank in range(13):
        ways = [()]
        for card in cards:
            allowed = [r for r in roles(card, m) if r == "wild" or card % 13 == rank]
            ways = [(*way, role) for way in ways for role in allowed]
        for way in ways:
            naturals = [c for c, role in zip(cards, way, strict=True) if role == "natural"]
            if m.set_distinct_suits and len({c // 13 for c in naturals}) < len(naturals):
                continue
            limits = (m.set_min, m.set_max, m.set_min_naturals, m.set_max_wilds)
            names = ("least", "most", "naturals", "wilds")
            if within_limits(way, m, **dict(zip(names, limits, strict=True))):
                found.add((rank if naturals else None, len(naturals)))
    return found


def random_rules(rng):
    suits = rng.choice([4, 5])
    return MeldRules(
        suits=suits,
        rank_lo=rng.choice([1, 1, 2, 3]),
        ace=rng.choice(["low", "high", "both", "cyclic"]),
        wild_ranks=frozenset(rng.sample(range(13), rng.choice([0, 1, 1, 2, 3]))),
        wild_cards=frozenset(rng.sample(range(13 * suits), rng.choice([0, 0, 2, 5]))),
        jokers_wild=rng.random() < 0.9,
        wild_as_natural=rng.random() < 0.6,
        set_min=rng.choice([2, 3, 3, 4]),
        set_max=rng.choice([None, None, 4, 5]),
        set_distinct_suits=rng.random() < 0.4,
        run_min=rng.choice([2, 3, 3, 4]),
        run_max=rng.choice([None, None, 4, 5]),
        set_min_naturals=rng.choice([0, 0, 1, 2]),
        run_min_naturals=rng.choice([0, 0, 1, 2, 3]),
        run_core=rng.choice([None, None, (4, 3), (3, 2), (2, 1)]),
        set_max_wilds=rng.choice([None, None, 1, 2]),
        run_max_wilds=rng.choice([None, None, 1, 2]),
        wilds_adjacent=rng.random() < 0.6,
        wild_ratio=rng.choice([None, None, "le", "lt"]),
    )


def random_cards(rng, m):
    """Cards near a meld: a run or a set, some of them replaced, in any order."""
    n_cards = rng.choice([1, 2, 3, 3, 3, 4, 4, 4, 5, 5])
    suit, rank = rng.randrange(m.suits), rng.randrange(13)
    if rng.random() < 0.6:
        cards = [suit * 13 + (rank + i) % 13 for i in range(n_cards)]
    else:
        cards = [rng.randrange(m.suits) * 13 + rank for _ in range(n_cards)]
    wilds = [card for card in range(66) if is_wild(card, m)] or [JOKER]
    for i in range(n_cards):
        luck = rng.random()
        if luck < 0.35:
            cards[i] = rng.choice(wilds)
        elif luck < 0.4:
            cards[i] = rng.choice([*range(13 * m.suits), JOKER])
    rng.shuffle(cards)
    return cards


@pytest.mark.parametrize("seed", range(N_ROUNDS))
def test_both_judges_agree_on_kinds_and_on_every_reading(seed):
    rng = random.Random(seed)
    for _ in range(N_HANDS):
        m = random_rules(rng)
        rules = GameRules("random", "Random", meld=m)
        cards = random_cards(rng, m)
        runs, sets = naive_runs(cards, m), naive_sets(cards, m)
        all_wild = any(spot[0] is None for spot in [*runs, *sets])
        seen = (m, [format_card(c) for c in cards])
        assert is_meld(cards, rules, kind=MeldKind.RUN) == bool(runs), seen
        assert is_meld(cards, rules, kind=MeldKind.SET) == bool(sets), seen
        assert is_meld(cards, rules, kind=MeldKind.WILD) == all_wild, seen
        assert is_meld(cards, rules) == bool(runs or sets), seen

        melds = meld_readings(cards, rules)
        assert {run_spot(meld) for meld in melds if meld.kind == "run"} == {
            (suit, (first - 1) % 13, row_roles)
            for suit, first, row_roles in runs
            if suit is not None
        }, seen
        ranks = {rank for rank, _ in sets if rank is not None}
        assert {set_rank(meld) for meld in melds if meld.kind == "set"} == ranks, seen
        assert len(melds) == len(set(melds)), seen
        for meld in melds:
            assert sorted(meld.cards) == sorted(cards), seen
            assert is_meld(meld, rules), (meld.text(), seen)
        if melds:
            assert check_meld(cards, rules) == melds[0], seen


def run_spot(meld):
    name = meld.stands_for[0] or format_card(meld.cards[0])
    return (
        "SHDC*".index(name[1]),
        "A23456789TJQK".index(name[0]),
        tuple("natural" if n is None else "wild" for n in meld.stands_for),
    )


def set_rank(meld):
    return "A23456789TJQK".index(meld.stands_for[0] or format_card(meld.cards[0])[0])


@pytest.mark.parametrize("seed", range(N_ROUNDS))
def test_every_refusal_has_a_reason(seed):
    rng = random.Random(2000 + seed)
    n_refused = 0
    for _ in range(N_HANDS):
        rules = GameRules("random", "Random", meld=random_rules(rng))
        cards = random_cards(rng, rules.meld) + [JOKER] * rng.choice([0, 0, 0, 12])
        for kind in (None, *MeldKind):
            if not is_meld(cards, rules, kind=kind):
                n_refused += 1
                with pytest.raises(HandError, match="expected") as caught:
                    check_meld(cards, rules, kind=kind)
                assert {fault.code.partition(".")[0] for fault in caught.value.faults} == {"meld"}
    assert n_refused > 0, "some random cards must be no meld"


@pytest.mark.parametrize("seed", range(N_ROUNDS))
def test_a_placed_run_is_legal_only_where_the_naive_judge_finds_that_very_placing(seed):
    rng = random.Random(1000 + seed)
    n_legal = 0
    for _ in range(N_HANDS):
        m = random_rules(rng)
        rules = GameRules("random", "Random", meld=m)
        n_cards, suit, first = rng.choice([3, 4, 5]), rng.randrange(m.suits), rng.randrange(13)
        shown = [suit * 13 + (first + i) % 13 for i in range(n_cards)]
        wilds = [card for card in range(66) if is_wild(card, m)] or [JOKER]
        cards = [rng.choice(wilds) if rng.random() < 0.3 else card for card in shown]
        if rng.random() < 0.2:
            shown[rng.randrange(n_cards)] = rng.randrange(65)
        wanted = tuple(
            None if card == own and rng.random() < 0.9 else format_card(own)
            for card, own in zip(cards, shown, strict=True)
        )
        row_roles = tuple("natural" if name is None else "wild" for name in wanted)
        expected = (
            shown == [suit * 13 + (first + i) % 13 for i in range(n_cards)]
            and all(role in roles(card, m) for role, card in zip(row_roles, cards, strict=True))
            and any(row[0] % 13 == (first + 1) % 13 for row in rows(n_cards, m))
            and legal_run_roles(row_roles, m)
        )
        meld = Meld(MeldKind.RUN, tuple(cards), wanted)
        assert is_meld(meld, rules) == expected, (meld.text(), m)
        n_legal += expected
    assert n_legal > 0, "the random placings must include legal ones"
