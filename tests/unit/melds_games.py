"""Rules of some games, written out for the unit tests of melds: the rule files are not needed."""

from __future__ import annotations

from solver.rules.model import GameRules, MeldRules

PIPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
RANKS = "A23456789TJQK"


def game(**keys):
    return GameRules("test", "Test", meld=MeldRules(**keys))


def ranks(text):
    return frozenset(RANKS.index(rank) for rank in text)


def points(pips=PIPS, *, joker=20, wild=(), wild_points=0):
    line = [wild_points if RANKS[i] in wild else pips[i] for i in range(13)]
    return (*(line * 5), joker)


def three_thirteen(wild, **keys):
    return game(**{"wild_ranks": ranks(wild), **keys})


def five_crowns(wild, **keys):
    pips = (0, 0, *range(3, 14))
    costs = points(pips, joker=50, wild=wild, wild_points=20)
    return game(suits=5, rank_lo=3, wild_ranks=ranks(wild), points=costs, **keys)


LIVERPOOL_MELDS = {
    "ace": "both",
    "wild_ranks": ranks("2"),
    "wild_as_natural": False,
    "run_min": 4,
    "set_min_naturals": 2,
    "run_min_naturals": 3,
    "run_core": (4, 3),
    "points": points((15, *[5] * 8, *[10] * 4), joker=15),
}


def liverpool(**keys):
    return game(**{**LIVERPOOL_MELDS, **keys})


def contract_rummy(**keys):
    """Jokers wild without a limit, sets of three, runs of four, aces at either end."""
    return game(**{"ace": "both", "run_min": 4, **keys})


def gin(**keys):
    return game(set_max=4, set_distinct_suits=True, jokers_wild=False, **keys)


def rummikub(**keys):
    pips = tuple(range(1, 14))
    return game(
        set_max=4,
        set_distinct_suits=True,
        points=points(pips, joker=30),
        meld_values=pips,
        **keys,
    )


def indian(wild, **keys):
    pips = (10, *PIPS[1:])
    return game(
        **{
            "ace": "both",
            "wild_ranks": ranks(wild),
            "set_max": 4,
            "set_distinct_suits": True,
            "points": points(pips, joker=0, wild=wild),
            "hand_require": (2, 1),
            "penalty_cap": 80,
            **keys,
        }
    )


def shanghai(**keys):
    return game(**{"ace": "both", "run_min": 4, "wild_ratio": "le", **keys})


PLAIN = game()
LIVERPOOL = liverpool()
