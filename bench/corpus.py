"""Seeded corpora of hands, graded by difficulty, the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.cards import JOKER, N_CARDS, N_RANKS, format_card, format_tile
from solver.rules.loader import load_rules
from solver.rules.model import GameRules
from solver.solve import solve_many

STYLES: Final = ("random", "dense", "wilds", "near_zero", "largest")
DENSE_RANKS: Final = (4, 7)
"""Least and most ranks of the band that a dense hand comes from."""
DENSE_WILD_ODDS: Final = 0.09
MANY_WILDS: Final = (4, 8)
NEAR_ZERO_ODD: Final = 2
"""Most cards of a near-zero hand that were not dealt as part of a meld."""


free_left: Final = partial(solve_many, ignore_contract=True)
"""Points left by free melds, as for a player who is down; what laying a contract leaves is a
question of its own (``contract_left``)."""


@dataclass(frozen=True, slots=True)
class Game:
    """A preset as the benchmarks play it.

    Attributes:
        preset: id for ``load_rules``.
        options: its options; the deck is fixed, so that hands can be dealt.
        n_cards: cards of a full hand, 13 or 14 where the game has such a deal.
        n_largest: cards of the largest hand that play leads to, by drawing or buying.
    """

    preset: str
    options: tuple[tuple[str, object], ...] = ()
    n_cards: int = 13
    n_largest: int = 26

    def rules(self) -> GameRules:
        """Return the rules of the round that is measured."""
        return load_rules(self.preset, **dict(self.options))


def _game(preset: str, n_cards: int = 13, n_largest: int = 26, **options: object) -> Game:
    return Game(preset, tuple(sorted(options.items())), n_cards, n_largest)


GAMES: Final = {
    game.preset: game
    for game in (
        _game("gin", 10, 11),
        _game("oklahoma-gin", 10, 11),
        _game("three-thirteen", 13, 14, cards_dealt=13, players=4),
        _game("speed-three-thirteen", 13, 14, cards_dealt=13, players=8),
        _game("deuces-arent-wild", 14, 15, cards_dealt=14),
        _game("five-crowns", 13, 14, cards_dealt=13),
        _game("indian-13", 13, 14, packs=2, wild_ranks="7"),
        _game("kalooki-51", packs=2),
        _game("kalooki-jamaica", round=6, packs=2),
        _game("liverpool", deal=5, players=4),
        _game("liverpool-i-may", deal=5, players=4),
        _game("carioca", deal=1, packs=2),
        _game("continental", deal=7, packs=2),
        _game("contract-rummy", deal=6, packs=2),
        _game("shanghai-10", deal=1, players=4),
        _game("rum-500", players=2),
        _game("rummikub", 14, 40),
    )
}
"""Every preset; ``tests/bench`` holds that none is missing."""


@dataclass(frozen=True)
class Corpus:
    """Hands of one game and one style.

    Attributes:
        name: ``"<preset>/<style>"``.
        rules: the game.
        cards: uint8[n, size] card ids in the order dealt.
    """

    name: str
    rules: GameRules
    cards: NDArray[np.uint8] = field(repr=False)

    def __len__(self) -> int:
        """Return the number of hands."""
        return len(self.cards)

    @cached_property
    def counts(self) -> NDArray[np.uint8]:
        """Return the hands as C-contiguous uint8[n, 66]."""
        counts = np.zeros((len(self.cards), N_CARDS), np.uint8)
        np.add.at(counts, (np.arange(len(self.cards))[:, None], self.cards), 1)
        return counts

    @cached_property
    def texts(self) -> list[str]:
        """Return the hands as canonical text, cards in the order dealt."""
        write = format_tile if self.rules.deck.tiles else format_card
        names = np.array([""] * N_CARDS, object)
        for card in np.unique(self.cards):
            names[card] = write(int(card))
        return [" ".join(names[hand]) for hand in self.cards]

    def head(self, n: int) -> Corpus:
        """Return the first n hands as a corpus of the same name."""
        return Corpus(self.name, self.rules, self.cards[:n])


def make_corpus(game: Game, style: str, n: int, *, n_cards: int | None = None) -> Corpus:
    """Return the first n hands of a corpus; a smaller n is a prefix of a larger one.

    Args:
        game: a value of GAMES.
        style: one of STYLES; ``wilds`` asks for a deck with wild cards.
        n: hands, 1 or more.
        n_cards: cards of a hand, when not the game's own number.

    Raises:
        ValueError: unknown style, or a deck without the wild cards asked for.
    """
    rules = game.rules()
    size = n_cards or (game.n_largest if style == "largest" else game.n_cards)
    # Seeding with a text is defined by its bytes, so streams do not differ between versions.
    rng = random.Random(f"{game.preset}/{style}/{size}")
    hands = _hands(rules, style, size, rng)
    cards = np.array(list(islice(hands, n)), np.uint8).reshape(n, size)
    return Corpus(f"{game.preset}/{style}", rules, cards)


def deck_of(rules: GameRules) -> list[int]:
    """Return the card ids of a whole deck, copies repeated.

    Raises:
        ValueError: the rules do not fix the deck.
    """
    deck = rules.deck
    if deck.packs is None or deck.jokers is None:
        raise ValueError(f"expected rules that fix the deck, got {rules.name} without packs")
    cards = [s * N_RANKS + r for s in range(deck.suits) for r in deck.ranks] * deck.packs
    return cards + [JOKER] * (deck.jokers if deck.has_jokers else 0)


def _hands(rules: GameRules, style: str, size: int, rng: random.Random) -> Iterator[list[int]]:
    """Yield hands of a style without end."""
    makers: dict[str, Callable[[GameRules, list[int], int, random.Random], list[int]]] = {
        "random": _random,
        "largest": _random,
        "dense": _dense,
        "wilds": _many_wilds,
        "near_zero": _near_zero,
    }
    if style not in makers:
        raise ValueError(f"expected a style of {', '.join(STYLES)}, got {style!r}")
    deck = deck_of(rules)
    if style == "wilds" and sum(map(rules.meld.is_wild, deck)) < MANY_WILDS[0]:
        raise ValueError(f"expected a deck with {MANY_WILDS[0]} wild cards, got {rules.name}")
    while True:
        yield makers[style](rules, deck, size, rng)


def _random(_: GameRules, deck: list[int], size: int, rng: random.Random) -> list[int]:
    return rng.sample(deck, size)


def _dense(rules: GameRules, deck: list[int], size: int, rng: random.Random) -> list[int]:
    """Deal from a band of neighbouring ranks, with some wilds from anywhere."""
    width = rng.randint(*DENSE_RANKS)
    ranks = sorted(rules.deck.ranks)
    first = rng.randrange(len(ranks) - width + 1)
    band = set(ranks[first : first + width])
    wild = [c for c in deck if rules.meld.is_wild(c)]
    near = [c for c in deck if c != JOKER and c % N_RANKS in band and not rules.meld.is_wild(c)]
    n_wild = sum(rng.random() < DENSE_WILD_ODDS for _ in range(size))
    n_wild = min(max(n_wild, size - len(near)), len(wild))
    hand = rng.sample(wild, n_wild) + rng.sample(near, size - n_wild)
    rng.shuffle(hand)
    return hand


def _many_wilds(rules: GameRules, deck: list[int], size: int, rng: random.Random) -> list[int]:
    wild = [c for c in deck if rules.meld.is_wild(c)]
    rest = [c for c in deck if not rules.meld.is_wild(c)]
    n_wild = rng.randint(MANY_WILDS[0], min(MANY_WILDS[1], len(wild), size))
    hand = rng.sample(wild, n_wild) + rng.sample(rest, size - n_wild)
    rng.shuffle(hand)
    return hand


def _near_zero(rules: GameRules, deck: list[int], size: int, rng: random.Random) -> list[int]:
    """Deal whole runs and sets, at most two odd cards, so that nearly nothing is left over."""
    left = list(deck)
    hand: list[int] = []
    target = size - rng.randint(0, NEAR_ZERO_ODD)
    for _ in range(50):
        if target - len(hand) < 3:  # noqa: PLR2004 - the shortest meld
            break
        meld = _some_meld(rules, min(target - len(hand), 5), rng)
        if all(left.count(c) >= meld.count(c) for c in meld):
            hand += meld
            for card in meld:
                left.remove(card)
    hand += rng.sample(left, size - len(hand))
    rng.shuffle(hand)
    return hand


def _some_meld(rules: GameRules, longest: int, rng: random.Random) -> list[int]:
    ranks, suits = sorted(rules.deck.ranks), rules.deck.suits
    if rng.random() < 0.5:  # noqa: PLR2004 - runs and sets alike
        chosen = rng.sample(range(suits), rng.randint(3, min(longest, suits, 4)))
        rank = rng.choice(ranks)
        return [s * N_RANKS + rank for s in chosen]
    length = rng.randint(3, longest)
    first = rng.randrange(len(ranks) - length + 1)
    suit = rng.randrange(suits)
    return [suit * N_RANKS + r for r in ranks[first : first + length]]
