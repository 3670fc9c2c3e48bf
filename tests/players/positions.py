"""Random small positions of every game, as facts that a player could tell."""

from __future__ import annotations

import random
from dataclasses import dataclass

from solver.engine.view import View
from solver.players.facts import Facts, view_of
from solver.rules.loader import load_rules
from solver.rules.model import GameRules

# Games whose melds are shown at the end, with options that mix the rules; small hands, so that
# the exhaustive solver can look two turns ahead.
CLOSED: tuple[tuple[str, dict[str, object], int], ...] = (
    ("three-thirteen", {"cards_dealt": 3}, 3),
    ("three-thirteen", {"cards_dealt": 4, "players": 3}, 4),
    ("three-thirteen", {"cards_dealt": 5, "points": {"A": 15}, "ace": "both"}, 5),
    ("three-thirteen", {"cards_dealt": 6, "jokers_per_pack": 2}, 4),
    ("three-thirteen", {"cards_dealt": 4, "forbid_return_discard": True}, 4),
    ("five-crowns", {"cards_dealt": 3}, 3),
    ("five-crowns", {"cards_dealt": 4, "players": 3}, 4),
    ("deuces-arent-wild", {"cards_dealt": 5}, 5),
    ("speed-three-thirteen", {"cards_dealt": 3}, 3),
    ("gin", {}, 5),
    ("gin", {"big_gin_bonus": 31}, 5),
    ("oklahoma-gin", {}, 4),
    ("indian-13", {}, 6),
)
OPEN: tuple[tuple[str, dict[str, object], int], ...] = (
    ("liverpool", {"deal": 1}, 6),
    ("liverpool", {"deal": 2}, 7),
    ("liverpool", {"deal": 7, "contract": "r4+r4"}, 7),
    ("contract-rummy", {"deal": 1}, 6),
    ("continental", {"deal": 1}, 6),
    ("carioca", {"round": 1}, 6),
    ("shanghai-10", {"round": 1}, 6),
)


@dataclass(frozen=True)
class Position:
    """What one player holds and sees: ``seen`` are all cards seen besides the hand."""

    rules: GameRules
    hand: tuple[int, ...]
    facts: Facts
    seen: tuple[int, ...]

    def view(self) -> View:
        """The view that the facts make."""
        return view_of(list(self.hand), self.rules, self.facts)


def deck(rules: GameRules) -> list[int]:
    """All cards of the deck."""
    d = rules.deck
    assert d.packs is not None
    assert d.jokers is not None
    return [s * 13 + r for s in range(d.suits) for r in d.ranks] * d.packs + [65] * d.jokers


def random_position(
    case: tuple[str, dict[str, object], int], rng: random.Random, *, play: bool
) -> Position:
    """A random position: a hand before the draw, or with ``play`` after it.

    Args:
        case: game, options and number of cards before the draw.
        rng: the generator.
        play: whether a card has been drawn.
    """
    game, options, size = case
    players = options.get("players") or max(2, load_rules(game, **options).flow.min_players)
    rules = load_rules(game, **{**options, "players": players})
    cards = deck(rules)
    rng.shuffle(cards)
    n = size + play
    # Hands in which something melds: low ranks of two suits come first half of the time.
    if rng.random() < 0.6:
        start = rng.randrange(0, 9)
        near = [c for c in cards if c == 65 or start <= c % 13 <= start + 4]
        cards = near + [c for c in cards if c not in set(near)]
        tail = cards[n:]
        rng.shuffle(tail)
        cards = cards[:n] + tail
    hand, rest = cards[:n], cards[n:]
    n_seen = rng.choice((1, 4, 20, len(rest) - 30))
    seen = rest[:n_seen]
    last = rng.random() < 0.2
    has_out = rules.flow.knock_limit is None and rules.flow.meld_timing != "on_table"
    taken = None
    if play and rng.random() < 0.4:
        taken = rng.choice(hand)
    facts = Facts(
        ask="play" if play else "draw",
        players=int(str(players)),
        discard=seen[0],
        seen=seen[1:],
        out=1 if last and has_out else None,
        taken=taken,
        upcard=seen[0],
    )
    return Position(rules, tuple(sorted(hand)), facts, tuple(seen))
