"""Hands against the deck: cards that do not exist, and more copies than there are."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from solver.cards import JOKER, MAX_COPIES, N_CARDS, N_RANKS, Card, Counts, format_card
from solver.errors import Fault, HandError
from solver.rules.model import DeckRules, GameRules


def max_copies(card: Card, deck: DeckRules) -> int | None:
    """Return how many copies of a card the deck holds: 0 if none, None when not fixed."""
    if card == JOKER:
        return deck.jokers if deck.has_jokers else 0
    suit, rank = divmod(card, N_RANKS)
    return deck.packs if suit < deck.suits and rank in deck.ranks else 0


@lru_cache(maxsize=64)
def most_copies(deck: DeckRules) -> Counts:
    """Return uint8[66], the most copies of each card, 255 where unlimited; not to be changed."""
    most = [max_copies(card, deck) for card in range(N_CARDS)]
    return np.array([MAX_COPIES if n is None else min(n, MAX_COPIES) for n in most], np.uint8)


def fixed_size(rules: GameRules) -> int | None:
    """Return how many cards every hand holds after a discard, None where that is open.

    It is open before a round is chosen, and where melds leave the hand during the round, or
    cards come to it that were bought or drawn as a fine.
    """
    return None if rules.flow.meld_timing == "on_table" else rules.n_dealt


def with_largest_deck(rules: GameRules) -> GameRules:
    """Return rules whose deck, where its size is open, is that of the most players."""
    deck = rules.deck
    packs = rules.most_packs if deck.packs is None else deck.packs
    jokers = rules.most_jokers if deck.jokers is None else deck.jokers
    if (packs, jokers) == (deck.packs, deck.jokers):
        return rules
    return replace(rules, deck=replace(deck, packs=packs, jokers=jokers))


def check_deck(counts: Counts, rules: GameRules, where: str = "/hand") -> None:
    """Check that a hand can be dealt from the deck of a game.

    Args:
        counts: uint8[66], copies of each card.
        rules: the game; copies are limited only when its packs are known.
        where: JSON pointer of the hand, used in faults.

    Raises:
        HandError: one fault for each kind of card that is wrong, ``hand.not_in_deck`` or
            ``hand.copies``, with the card, the copies held and the copies given.
    """
    if not (counts > most_copies(rules.deck)).any():
        return
    faults: list[Fault] = []
    for card in range(N_CARDS):
        given = int(counts[card])
        most = max_copies(card, rules.deck) if given else None
        if most is None or given <= most:
            continue
        text = format_card(card)
        data = {"card": text, "held": most, "copies": given}
        if most == 0:
            message = f"expected cards of the {rules.name} deck, got {text}"
            faults.append(Fault("hand.not_in_deck", where, message, data))
        else:
            message = f"expected at most {most} of {text} in the {rules.name} deck, got {given}"
            faults.append(Fault("hand.copies", where, message, data))
    if faults:
        raise HandError.from_faults(faults)
