"""Judging and pricing an arrangement: disjoint melds of a hand and what is left over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from solver.arguments import checked, record
from solver.cards import N_RANKS, RANKS, Card, HandLike, format_card, format_hand, read_hand
from solver.errors import Fault, HandError, NotationError, quoted
from solver.melds.faults import placed_start, shown_cards
from solver.melds.judge import MeldLike, check_meld, counts_as, is_meld, loose_cards, meld_readings
from solver.melds.readings import ACE, Meld, MeldKind, run_layouts, run_starts, split_cards
from solver.rules.argument import RULES
from solver.rules.model import GameRules, MeldRules


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Disjoint melds of a hand and the cards left over.

    Attributes:
        melds: the melds in the order they were given.
        deadwood: ids of the cards left over, ascending, copies repeated.
    """

    melds: tuple[Meld, ...]
    deadwood: tuple[Card, ...]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Arrangement {self}>"

    def sorted_melds(self) -> tuple[Meld, ...]:
        """Return the melds in canonical order.

        Runs come first by suit, first rank and length, then sets by rank, then wilds by length.
        """
        return tuple(sorted(self.melds, key=_meld_order))

    def text(self) -> str:
        """Return the notation: ``R[5S 6S 7S] / left 6H 6D``, ``no meld / left 4S``."""
        return self._notation([meld.text() for meld in self.sorted_melds()])

    def to_json(self) -> dict[str, Any]:
        """Return ``melds`` in canonical order, ``deadwood`` (texts) and ``text``."""
        melds = [meld.to_json() for meld in self.sorted_melds()]
        return {
            "melds": melds,
            "deadwood": [format_card(card) for card in self.deadwood],
            "text": self._notation([meld["text"] for meld in melds]),
        }

    def _notation(self, melds: Sequence[str]) -> str:
        """Return the texts of the melds in canonical order, then the cards left over."""
        laid = " ".join(melds) or "no meld"
        return f"{laid} / left {format_hand(self.deadwood)}" if self.deadwood else laid


def _meld_order(meld: Meld) -> tuple[int, int, int, int, tuple[Card, ...]]:
    kinds = (MeldKind.RUN, MeldKind.SET, MeldKind.WILD)
    line = start = 0
    if meld.kind == MeldKind.RUN:
        line, start = divmod((shown_cards(meld) or [0])[0], N_RANKS)
    elif meld.kind == MeldKind.SET:
        line = set_rank(meld)
    return kinds.index(meld.kind), line, start, len(meld.cards), meld.cards


@checked(rules=RULES)
def check_arrangement(hand: HandLike, melds: Sequence[MeldLike], rules: GameRules) -> Arrangement:
    """Return the arrangement of a hand into these melds, or raise with all that is wrong.

    Loose cards are read in their favour: where ``min_meld_value`` is missed, each takes its most
    valuable reading. An unmet ``hand_require`` is no fault, see ``penalty``; a contract is judged
    by ``check_contract`` alone.

    Args:
        hand: the whole hand.
        melds: placed melds or loose cards, each card of the hand at most once.
        rules: the rules; only ``rules.meld`` is read.

    Raises:
        HandError: one fault for each thing wrong: ``meld.*`` and ``arrangement.card_missing`` at
            ``/melds/<i>``, ``arrangement.must_use`` and ``arrangement.value`` at ``/melds``;
            ``arrangement.melds`` for what is no list.
        NotationError: the hand is no cards.

    Example:
        >>> from solver.rules.model import GameRules
        >>> check_arrangement("5S 6S 7S 6H", ["7S 6S 5S"], GameRules("plain", "Plain")).text()
        'R[5S 6S 7S] / left 6H'
    """
    left = count_hand(hand, rules)
    laid, faults = lay_melds(left, melds, rules)
    least = rules.meld.min_meld_value
    if least and not faults and total_value(laid, rules.meld) < least:
        laid = [
            given if isinstance(given, Meld) else _dearest(loose_cards(given, rules, ""), rules)
            for given in melds
        ]
    return finish(left, laid, faults, rules.meld)


def count_hand(hand: HandLike, rules: GameRules) -> list[int]:
    """Return the counts of a hand as a list of 66 ints."""
    counts: list[int] = read_hand(hand, tiles=rules.deck.tiles).tolist()
    return counts


def lay_melds(
    left: list[int], melds: Sequence[MeldLike], rules: GameRules
) -> tuple[list[Meld], list[Fault]]:
    """Take melds out of a hand; return the legal ones and what is wrong with the others.

    Args:
        left: counts of the hand, 66 ints; the cards laid are taken off in place.
        melds: placed melds or loose cards.
        rules: the rules.

    Raises:
        HandError: ``arrangement.melds`` for what is no list of melds.
    """
    if isinstance(melds, str | bytes) or not isinstance(melds, Sequence):
        message = f"expected a list of melds, got {quoted(melds)}"
        raise HandError(message, code="arrangement.melds", where="/melds")
    laid: list[Meld] = []
    faults: list[Fault] = []
    for i, given in enumerate(melds):
        where = f"/melds/{i}"
        try:
            cards = given.cards if isinstance(given, Meld) else loose_cards(given, rules, where)
            faults += _take(cards, left, where)
            laid.append(check_meld(given if isinstance(given, Meld) else cards, rules, where=where))
        except (HandError, NotationError) as err:
            faults += err.faults
    return laid, faults


def _take(cards: tuple[Card, ...], left: list[int], where: str) -> list[Fault]:
    """Take cards off the counts; return a fault that names those that are not there."""
    missing: list[Card] = []
    for card in cards:
        if left[card]:
            left[card] -= 1
        else:
            missing.append(card)
    if not missing:
        return []
    names = format_hand(sorted(missing))
    message = f"expected cards of the hand that no other meld uses, got {names}"
    return [Fault("arrangement.card_missing", where, message, {"cards": names.split()})]


def finish(
    left: Sequence[int], laid: Sequence[Meld], faults: list[Fault], m: MeldRules
) -> Arrangement:
    """Return the arrangement of laid melds, or raise all faults and those of the whole.

    Args:
        left: counts of the cards left over, 66 ints.
        laid: the legal melds.
        faults: what was wrong so far.
        m: the rules of melds.

    Raises:
        HandError: anything is wrong.
    """
    for card, copies in m.must_use:
        melded = sum(meld.cards.count(card) for meld in laid)
        if melded < copies:
            text = f"expected {copies} of {format_card(card)} in melds, got {melded}"
            data = {"card": format_card(card), "expected": copies, "got": melded}
            faults.append(Fault("arrangement.must_use", "/melds", text, data))
    if m.min_meld_value and laid and not faults:
        value = total_value(laid, m)
        if value < m.min_meld_value:
            text = f"expected melds worth at least {m.min_meld_value}, got {value}"
            data = {"expected": m.min_meld_value, "got": value}
            faults.append(Fault("arrangement.value", "/melds", text, data))
    if faults:
        raise HandError.from_faults(faults)
    return Arrangement(tuple(laid), tuple(card for card, n in enumerate(left) for _ in range(n)))


def _dearest(cards: tuple[Card, ...], rules: GameRules) -> Meld:
    """Return the most valuable reading of legal loose cards, the first of equals."""
    return max(meld_readings(cards, rules), key=lambda meld: _meld_value(meld, rules.meld))


def arrangement_value(arrangement: Arrangement, rules: GameRules) -> int:
    """Return what the melds are worth when laid, the sum that ``min_meld_value`` bounds.

    A wild counts as the card it stands for, or nothing when ``wild_value_zero``; in a meld of
    wilds only it counts as the most valuable that it could legally stand for there. With
    ``meld_points="ace_position"`` an ace below a two counts ``ace_low_points``.
    """
    return total_value(arrangement.melds, rules.meld)


def total_value(melds: Iterable[Meld], m: MeldRules) -> int:
    """Return the sum of the values of melds."""
    return sum(_meld_value(meld, m) for meld in melds)


def card_values(meld: Meld, rules: GameRules) -> list[int]:
    """Return what each card of a legal placed meld is worth; see ``arrangement_value``."""
    return _card_values(meld, rules.meld)


def _meld_value(meld: Meld, m: MeldRules) -> int:
    return sum(_card_values(meld, m))


def _card_values(meld: Meld, m: MeldRules) -> list[int]:
    n_cards = len(meld.cards)
    if meld.kind == MeldKind.WILD:
        if m.wild_value_zero:
            return [0] * n_cards
        kinds = counts_as(meld, m)
        as_set = [[max(m.meld_values)] * n_cards] if MeldKind.SET in kinds else []
        starts = run_starts(n_cards, m) if MeldKind.RUN in kinds else ()
        return max([*as_set, *(_run_values(start, n_cards, m) for start in starts)], key=sum)
    values = [m.meld_values[set_rank(meld)]] * n_cards if meld.kind == MeldKind.SET else []
    if meld.kind == MeldKind.RUN:
        start = placed_start(meld, m)
        assert start is not None, "only legal melds have a value"
        values = _run_values(start, n_cards, m)
    counted = [name is None or not m.wild_value_zero for name in meld.stands_for]
    return [value if counts else 0 for value, counts in zip(values, counted, strict=True)]


def _run_values(start: int, n_cards: int, m: MeldRules) -> list[int]:
    """Return the value of each place of a run."""
    ranks = [(start + i) % N_RANKS for i in range(n_cards)]
    values = [m.meld_values[rank] for rank in ranks]
    if m.meld_points == "ace_position" and ACE in ranks[:-1]:
        values[ranks.index(ACE)] = m.ace_low_points
    return values


def set_rank(meld: Meld) -> int:
    """Return the rank 0..12 of a legal placed set."""
    name, card = meld.stands_for[0], meld.cards[0]
    return card % N_RANKS if name is None else RANKS.index(name)


_ARRANGEMENT: Final = record(
    Arrangement, "an arrangement as solve or check_arrangement returns it", code="arrangement.type"
)


@checked(arrangement=_ARRANGEMENT, rules=RULES)
def penalty(arrangement: Arrangement, rules: GameRules) -> int:
    """Return what an arrangement costs: the points of its deadwood, at most ``penalty_cap``.

    Whether it lays the contract of the rules is another question (``check_contract``).

    Every card counts when the melds lack the runs or pure runs of ``hand_require``. A meld of
    wilds counts as a run where its cards can be read as one; a run is pure when its cards,
    however they were declared, can be read as a run without any wild.
    """
    total, cap = _points_counted(arrangement, rules), rules.meld.penalty_cap
    return total if cap is None else min(total, cap)


def _points_counted(arrangement: Arrangement, rules: GameRules) -> int:
    """Return the points of all cards that count, whatever a hand may cost at most."""
    counted = list(arrangement.deadwood)
    if _lacks_required(arrangement, rules):
        counted += [card for meld in arrangement.melds for card in meld.cards]
    return sum(rules.meld.points[card] for card in counted)


def cost_words(arrangement: Arrangement, rules: GameRules) -> tuple[str, ...]:
    """Return why an arrangement does not cost what its deadwood adds up to; often nothing.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> rules = load_rules("three-thirteen", hand_require=[1, 1], penalty_cap=20)
        >>> for words in cost_words(check_arrangement("5S 5H 5D KC", ["5S 5H 5D"], rules), rules):
        ...     print(words)
        the melds lack 1 run without a wild, so every card counts
        25 points, but at most 20 count
    """
    m = rules.meld
    words = []
    if arrangement.melds and _lacks_required(arrangement, rules):
        words.append(f"the melds lack {_required_words(m)}, so every card counts")
    if m.penalty_cap is not None:
        points = _points_counted(arrangement, rules)
        if points > m.penalty_cap:
            words.append(f"{points} points, but at most {m.penalty_cap} count")
    return tuple(words)


def _lacks_required(arrangement: Arrangement, rules: GameRules) -> bool:
    """Return whether melds lack the runs or pure runs of ``hand_require``."""
    m = rules.meld
    if m.hand_require is None:
        return False
    least_runs, least_pure = m.hand_require
    runs = [meld for meld in arrangement.melds if _is_run(meld, rules)]
    return len(runs) < least_runs or sum(_is_pure(run, m) for run in runs) < least_pure


def _required_words(meld: MeldRules) -> str:
    """Return what ``hand_require`` asks, ``"2 runs, 1 of them without a wild"``."""
    least_runs, least_pure = meld.hand_require or (0, 0)
    most = max(least_runs, least_pure)
    runs = f"{most} run{'s' if most > 1 else ''}"
    if not least_pure:
        return runs
    return f"{runs}{f', {least_pure} of them' if least_pure < most else ''} without a wild"


def _is_run(meld: Meld, rules: GameRules) -> bool:
    if meld.kind == MeldKind.WILD:
        return is_meld(meld.cards, rules, kind=MeldKind.RUN)
    return meld.kind == MeldKind.RUN


def _is_pure(run: Meld, m: MeldRules) -> bool:
    """Return whether the cards of a legal run can be read as a run of naturals only."""
    layouts = run_layouts(split_cards(run.cards, m), m)
    return any(layout.n_naturals == len(run.cards) for layout in layouts)
