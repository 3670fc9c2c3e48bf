"""What rules ask of a hand, in the words that every face shows: the round, and what is missing.

A game whose rounds decide the wild rank or the contract answers a plain question too; these
words keep such an answer from being taken for one about a round.
"""

from __future__ import annotations

from typing import Any

from solver.cards import JOKER, N_RANKS, RANKS, Card, format_card
from solver.errors import Fault
from solver.rules.deck import fixed_size
from solver.rules.model import GameRules, MeldRules

NO_ROUND = "no round chosen: nothing is wild"
NO_ROUND_BUT_JOKERS = "no round chosen: only jokers are wild"
NO_CARD_TURNED = "no card turned: only jokers are wild"
NO_DEAL = "no deal chosen: no contract is asked"
NO_DISCARDS = "this game has no discards: what is left without each card"
AS_IF_DOWN = "the contract is not asked: any melds count, as if it were already down"


def contract_words(rules: GameRules) -> str:
    """Return the melds of the contract in words, ``""`` without one.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> contract_words(load_rules("liverpool", deal=2))
        'set of 3 + run of 4'
        >>> contract_words(load_rules("liverpool", contract="3+r4", use_all=True))
        'set of 3 + run of 4 with every card'
    """
    melds = " + ".join(f"{kind} of {least}" for kind, least in rules.meld.contract or ())
    return f"{melds} with every card" if melds and rules.meld.use_all else melds


def wild_words(meld: MeldRules) -> str:
    """Return the wild ranks and single wild cards, ``"9s"`` or ``"2S 2C"``; jokers are not named.

    ``""`` when no card but a joker is wild.
    """
    ranks = [rank for rank in range(N_RANKS) if all(map(meld.is_wild, _of_rank(rank, meld)))]
    alone = [c for c in meld.wild_ids if c != JOKER and c % N_RANKS not in ranks]
    names = ["10" if RANKS[rank] == "T" else RANKS[rank] for rank in ranks]
    return " ".join([*(f"{name}s" for name in names), *map(format_card, alone)])


def _of_rank(rank: int, meld: MeldRules) -> list[Card]:
    return [suit * N_RANKS + rank for suit in range(meld.suits)]


def round_words(rules: GameRules) -> str:
    """Return the round that rules are for, or cards and wilds where no round has a number.

    ``""`` where neither is known.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> round_words(load_rules("three-thirteen", cards_dealt=9))
        'round 7 of 11: 9 cards, 9s wild'
        >>> round_words(load_rules("liverpool", deal=2))
        'deal 2 of 7: 10 cards, set of 3 + run of 4'
    """
    number, most = rules.round_no, rules.n_rounds
    parts = [f"{rules.n_dealt} cards"] if rules.n_dealt else []
    if rules.meld.contract:
        parts.append(contract_words(rules))
    elif wild := wild_words(rules.meld):
        parts.append(f"{wild} wild")
    elif number is None:
        return ""
    what = ", ".join(parts)
    if number is None:
        return what
    if most is not None and number > most:
        return f"bonus round: {what}"
    name = "deal" if rules.meld.contract else "round"
    return f"{name} {number}{f' of {most}' if most else ''}: {what}"


def game_words(rules: GameRules) -> str:
    """Return the game and its round, ``"Gin"`` or ``"Liverpool Rummy, deal 2 of 7: ..."``."""
    chosen = round_words(rules)
    return f"{rules.title}, {chosen}" if chosen else rules.title


def question_words(rules: GameRules, *, ignore_contract: bool = False) -> str:
    """Return the heading of answers to many hands: the game, its round, what is not asked."""
    return "; ".join((game_words(rules), *question_notes(rules, ignore_contract=ignore_contract)))


def missing_words(rules: GameRules) -> tuple[str, ...]:
    """Return what rules leave open that decides the answer, each in one sentence; often nothing.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> missing_words(load_rules("three-thirteen")), missing_words(load_rules("gin"))
        (('no round chosen: nothing is wild',), ())
    """
    contract = NO_DEAL if rules.contract_open and rules.meld.contract is None else ""
    return tuple(words for words in (missing_wilds(rules), contract) if words)


def missing_wilds(rules: GameRules) -> str:
    """Return the sentence that says that nothing told what is wild; ``""`` where it was told."""
    if rules.wilds_open == "round":
        jokers = rules.deck.has_jokers and rules.meld.jokers_wild
        return NO_ROUND_BUT_JOKERS if jokers else NO_ROUND
    return NO_CARD_TURNED if rules.wilds_open == "turned_card" else ""


def named_rules(rules: GameRules) -> dict[str, Any]:
    """Return what answers in JSON say of their rules.

    ``name``, ``title``, ``options``, ``fingerprint``; ``round`` in words, "" where none was
    chosen; ``missing``: the sentences of ``missing_words``.
    """
    shown = rules.to_json()
    named = {key: shown[key] for key in ("name", "title", "options", "fingerprint")}
    return {**named, "round": round_words(rules), "missing": list(missing_words(rules))}


def size_words(rules: GameRules, n_cards: int) -> str:
    """Return why no hand of this round holds so many cards, ``""`` where one may.

    Where melds lie on the table before the end, hands shrink and grow, so that any number may.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> rules = load_rules("three-thirteen", round=7)
        >>> size_words(rules, 10), size_words(rules, 14)
        ('', 'this round deals 9 cards: a hand holds 9, or 10 before the discard, not 14')
    """
    dealt = fixed_size(rules)
    if dealt is None or n_cards in {dealt, dealt + 1}:
        return ""
    what = "round" if (rules.n_rounds or 0) > 1 else "game"
    held = f"a hand holds {dealt}, or {dealt + 1} before the discard"
    return f"this {what} deals {dealt} cards: {held}, not {n_cards}"


def round_fault(rules: GameRules) -> Fault | None:
    """Return the fault of a row of a batch that names no round where rounds decide the answer.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> round_fault(load_rules("liverpool")).code, round_fault(load_rules("gin"))
        ('round.missing', None)
    """
    if rules.wilds_open != "round" and not (rules.contract_open and rules.meld.contract is None):
        return None
    message = f"expected a round, got none ({'; '.join(missing_words(rules))})"
    return Fault("round.missing", "", message)


def question_notes(
    rules: GameRules, n_cards: int | None = None, *, ignore_contract: bool = False
) -> tuple[str, ...]:
    """Return all that must be said beside an answer about melds in hand.

    Args:
        rules: the rules of the question.
        n_cards: cards of the hand; None: of several, or not known.
        ignore_contract: whether the contract of the rules was left out on purpose.

    Returns: what is missing (``missing_words``), a size that no hand has, that the contract was
    left out, and the value that first melds need and that no question about a hand asks.
    """
    words = list(missing_words(rules))
    if n_cards is not None and (odd := size_words(rules, n_cards)):
        words.append(odd)
    if ignore_contract and rules.meld.contract is not None:
        words.append(AS_IF_DOWN)
    if least := rules.flow.initial_meld_min:
        words.append(f"first melds must be worth {least}: not asked here, as if already down")
    return tuple(words)
