"""The price of a round: facts and rules give points, totals and winners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from solver.cards import Card, Counts, HandLike, cards_of, read_hand
from solver.engine.facts import Drop, RoundFacts, SeatFacts
from solver.engine.gin import defend, knock_limit
from solver.engine.points import SCORINGS, fines, hand_price
from solver.errors import Fault, HandError
from solver.melds import Arrangement
from solver.rules.loader import check_deck
from solver.rules.model import GameRules
from solver.solve import solve


@dataclass(frozen=True, slots=True)
class PlayerScore:
    """What a round did to one player.

    Attributes:
        seat: index of the player, 0...
        name: name for people.
        penalty: points of the cards left in the hand, 0 or more; capped where the game caps it.
        arrangement: the melds that counted and the cards left over.
        points: what this round adds to the total; may be negative.
        total: points of all rounds so far.
        note: what else counted, in words; "" when nothing did.
    """

    seat: int
    name: str
    penalty: int
    arrangement: Arrangement
    points: int
    total: int
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return all values as plain JSON."""
        return {
            "seat": self.seat,
            "name": self.name,
            "penalty": self.penalty,
            **self.arrangement.to_json(),
            "points": self.points,
            "total": self.total,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class RoundScore:
    """A priced round.

    Attributes:
        players: one score a seat.
        winners: seats with the best points of the round, () when it has no score.
        leaders: seats with the best totals.
        lower_is_better: whether few points are good.
        rules: name of the rules; ``fingerprint`` names them exactly.
        fingerprint: 16 hex digits of the rules.
    """

    players: tuple[PlayerScore, ...]
    winners: tuple[int, ...]
    leaders: tuple[int, ...]
    lower_is_better: bool
    rules: str
    fingerprint: str

    @property
    def points(self) -> tuple[int, ...]:
        """Return the points of the round by seat."""
        return tuple(p.points for p in self.players)

    @property
    def totals(self) -> tuple[int, ...]:
        """Return the running totals by seat."""
        return tuple(p.total for p in self.players)

    def to_json(self) -> dict[str, Any]:
        """Return all values as plain JSON."""
        return {
            "players": [p.to_json() for p in self.players],
            "winners": list(self.winners),
            "leaders": list(self.leaders),
            "lower_is_better": self.lower_is_better,
            "rules": {"name": self.rules, "fingerprint": self.fingerprint},
        }


@dataclass(frozen=True, slots=True)
class RoundExtras:
    """Facts of a round besides the hands, for ``score_round``; all optional.

    Attributes:
        names: names by seat.
        cut: (seat, cards lifted) of the player who cut.
        false_melds: false melds by seat.
        drops: seat -> ``"first"`` or ``"middle"``.
        false_declarations: seats that declared a hand that was none.
        down_and_out: seats that went down and out in one turn.
        upcard: the first card turned up (Oklahoma's limit and doubling).
    """

    names: Sequence[str] = ()
    cut: tuple[int, int] | None = None
    false_melds: Mapping[int, int] = field(default_factory=dict)
    drops: Mapping[int, Drop] = field(default_factory=dict)
    false_declarations: Iterable[int] = ()
    down_and_out: Iterable[int] = ()
    upcard: Card | None = None


@dataclass(frozen=True, slots=True)
class _Laid:
    """A hand as it counts: its penalty and the arrangement behind it."""

    penalty: int
    arrangement: Arrangement


_NO_EXTRAS: Final = RoundExtras()


def score_round(
    hands: Sequence[HandLike],
    rules: GameRules,
    *,
    out: int | None = None,
    totals: Sequence[int] | None = None,
    extras: RoundExtras = _NO_EXTRAS,
) -> RoundScore:
    """Return the score of a round from the hands as they were when it ended.

    Games that meld at the end are scored with the best melds of each hand; games that meld on
    the table count every card still held. In gin ``out`` knocked: the opponent's melds and
    lay-offs are chosen jointly.

    Args:
        hands: one hand a seat: what each player held, after the last discard.
        rules: rules of the round.
        out: seat that went out or knocked.
        totals: totals before this round, 0 each when left out.
        extras: names, cut, false melds, drops and the like.

    Raises:
        NotationError: a hand is not readable; ``where`` is ``/hands/<seat>``.
        HandError: ``hand.size`` a hand is not what the rules deal, ``round.seats`` numbers of
            players, totals or names disagree, ``round.out`` the player who went out holds
            cards that do not meld, ``deck.*`` more copies than the deck has.
    """
    counts = [
        read_hand(hand, tiles=rules.deck.tiles, where=f"/hands/{seat}")
        for seat, hand in enumerate(hands)
    ]
    _check_table(counts, rules, out, totals, extras)
    facts = RoundFacts(
        seats=tuple(_seat_facts(seat, c, rules, extras) for seat, c in enumerate(counts)),
        out=out,
        ending=_ending(rules, out),
        upcard=extras.upcard,
    )
    return price_round(facts, rules, totals=totals, names=extras.names)


def _ending(rules: GameRules, out: int | None) -> Any:  # noqa: ANN401 - an Ending literal
    if rules.flow.scoring == "difference":
        return "dead" if out is None else "knock"
    return "exhausted" if out is None else "out"


def _seat_facts(seat: int, counts: Counts, rules: GameRules, extras: RoundExtras) -> SeatFacts:
    return SeatFacts(
        hand=tuple(cards_of(counts)),
        melds=() if rules.flow.meld_timing == "on_table" else None,
        n_false_melds=extras.false_melds.get(seat, 0),
        cut=extras.cut[1] if extras.cut is not None and extras.cut[0] == seat else None,
        drop=extras.drops.get(seat),
        false_declaration=seat in set(extras.false_declarations),
        down_and_out=seat in set(extras.down_and_out),
    )


def _check_table(
    counts: Sequence[Counts],
    rules: GameRules,
    out: int | None,
    totals: Sequence[int] | None,
    extras: RoundExtras,
) -> None:
    """Raise HandError for seats, hand sizes and copies that cannot be."""
    n = len(counts)
    faults: list[Fault] = []
    for where, row in (("/totals", totals), ("/names", extras.names or None)):
        if row is not None and len(row) != n:
            faults.append(Fault("round.seats", where, f"expected {n} entries, got {len(row)}"))
    named = {
        "/out": [] if out is None else [out],
        "/cut": [] if extras.cut is None else [extras.cut[0]],
        "/false_melds": list(extras.false_melds),
        "/drops": list(extras.drops),
        "/false_declarations": list(extras.false_declarations),
        "/down_and_out": list(extras.down_and_out),
    }
    for where, seats in named.items():
        faults += [
            Fault("round.seats", where, f"expected a seat 0..{n - 1}, got {seat}")
            for seat in seats
            if not 0 <= seat < n
        ]
    for seat, hand in enumerate(counts):
        size = int(hand.sum())
        if not _size_fits(size, seat == out, rules):
            message = f"hand {seat + 1}: expected {_size_text(rules)}, got {size} cards"
            faults.append(Fault("hand.size", f"/hands/{seat}", message, {"seat": seat}))
    if faults:
        raise HandError.from_faults(faults)
    if n:
        check_deck(np.sum(counts, axis=0, dtype=np.uint8), rules)


def _size_fits(size: int, is_out: bool, rules: GameRules) -> bool:
    dealt = rules.n_dealt
    if dealt is None or rules.flow.meld_timing == "on_table":
        return True  # cards may have been melded, bought or drawn as a fine
    big_gin = is_out and rules.flow.big_gin_bonus is not None
    return size == dealt or (big_gin and size == dealt + 1)


def _size_text(rules: GameRules) -> str:
    return f"{rules.n_dealt} cards (after the discard)"


def price_round(
    facts: RoundFacts,
    rules: GameRules,
    *,
    totals: Sequence[int] | None = None,
    names: Sequence[str] = (),
) -> RoundScore:
    """Return what the facts of a round cost under rules.

    Raises:
        HandError: ``round.out`` or ``knock.limit``: the facts are impossible under these rules.
    """
    laid = _lay(facts, rules)
    priced = SCORINGS[rules.flow.scoring](facts, rules, [x.penalty for x in laid])
    before = list(totals) if totals is not None else [0] * len(laid)
    players = []
    for seat, (hand, (points, notes)) in enumerate(zip(laid, priced, strict=True)):
        fined, fine_notes = fines(facts, seat, rules)
        players.append(
            PlayerScore(
                seat=seat,
                name=names[seat] if names else f"player {seat + 1}",
                penalty=hand.penalty,
                arrangement=hand.arrangement,
                points=points + fined,
                total=before[seat] + points + fined,
                note="; ".join(notes + fine_notes),
            )
        )
    lower = rules.flow.scoring == "penalty"
    present = [p.seat for p in players if p.seat not in facts.absent]
    scored = any(p.points for p in players) or lower
    return RoundScore(
        players=tuple(players),
        winners=_best({s: players[s].points for s in present}, lower) if scored else (),
        leaders=_best({p.seat: p.total for p in players}, lower),
        lower_is_better=lower,
        rules=rules.name,
        fingerprint=rules.fingerprint,
    )


def _best(values: Mapping[int, int], lower: bool) -> tuple[int, ...]:
    if not values:
        return ()
    best = min(values.values()) if lower else max(values.values())
    return tuple(seat for seat, value in values.items() if value == best)


def standings(totals: Sequence[int], rules: GameRules) -> tuple[tuple[int, ...], ...]:
    """Return the seats in order of totals, best first; equal totals share a place."""
    places: dict[int, list[int]] = {}
    for seat, total in enumerate(totals):
        places.setdefault(total, []).append(seat)
    order = sorted(places, reverse=rules.flow.scoring != "penalty")
    return tuple(tuple(places[total]) for total in order)


def final_totals(
    totals: Sequence[int],
    points: Sequence[Sequence[int]],
    winners: Sequence[int],
    rules: GameRules,
) -> tuple[int, ...]:
    """Return the totals of a finished game with what is added at its end (gin).

    The winner gets the game bonus, everybody a box bonus for each round that brought points.

    Args:
        totals: totals after the last round.
        points: points by seat of each round.
        winners: seats that won.
        rules: rules of the game.
    """
    flow = rules.flow
    boxes = [sum(row[seat] > 0 for row in points) for seat in range(len(totals))]
    return tuple(
        total + (flow.game_bonus if seat in winners else 0) + flow.box_bonus * boxes[seat]
        for seat, total in enumerate(totals)
    )


def _lay(facts: RoundFacts, rules: GameRules) -> list[_Laid]:
    """Return how each hand counts; the player who went out must hold nothing that counts."""
    laid = [_lay_hand(seat, rules) for seat in facts.seats]
    if facts.ending == "knock" and facts.out is not None:
        return _lay_knock(facts, rules, laid)
    if facts.ending == "out" and facts.out is not None and laid[facts.out].penalty:
        raise HandError(
            f"expected the hand that went out to meld, got {laid[facts.out].penalty} points left",
            code="round.out",
            where=f"/hands/{facts.out}",
            data={"seat": facts.out, "penalty": laid[facts.out].penalty},
        )
    return laid


def _lay_hand(seat: SeatFacts, rules: GameRules) -> _Laid:
    if seat.melds is not None:
        return _Laid(hand_price(seat.hand, rules), Arrangement(seat.melds, seat.hand))
    if not seat.hand:
        return _Laid(0, Arrangement((), ()))
    best = solve(list(seat.hand), rules)
    return _Laid(best.penalty, best.arrangement)


def _lay_knock(facts: RoundFacts, rules: GameRules, laid: list[_Laid]) -> list[_Laid]:
    """Return the hands of a knock: the defender's melds and lay-offs are chosen jointly."""
    knocker = facts.out
    assert knocker is not None, "a knock has a knocker"
    limit = knock_limit(rules, facts.upcard)
    if laid[knocker].penalty > limit:
        raise HandError(
            f"expected at most {limit} points left by the knocker, got {laid[knocker].penalty}",
            code="knock.limit",
            where=f"/hands/{knocker}",
            data={"seat": knocker, "penalty": laid[knocker].penalty, "limit": limit},
        )
    if laid[knocker].penalty == 0:
        return laid  # nothing is laid off against gin
    table = laid[knocker].arrangement.melds
    for seat, fact in enumerate(facts.seats):
        if seat != knocker and fact.melds is None:
            melds, _, left = defend(fact.hand, table, rules)
            laid[seat] = _Laid(hand_price(left, rules), Arrangement(melds, left))
    return laid
