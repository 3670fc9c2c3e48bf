"""The price of a round: facts and rules give points, totals and winners."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from solver.arguments import NUMBER, NUMBERS, Kind, check_fields, checked
from solver.cards import Counts, HandLike, cards_of, read_hand
from solver.deadline import Deadline, TimeLimit
from solver.engine.facts import EXTRAS, EXTRAS_FIELDS, RoundExtras, RoundFacts, SeatFacts
from solver.engine.hands_laid import lay_hands
from solver.engine.laid import read_laid
from solver.engine.points import SCORINGS, fines
from solver.engine.round_checks import check_round, scores_laid
from solver.engine.tabling import TableMeld, cards_laid
from solver.errors import Fault, NotationError
from solver.melds import Arrangement, cost_words
from solver.rules.argument import RULES
from solver.rules.loader import round_of_sizes
from solver.rules.model import GameRules
from solver.rules.question import missing_words, round_words

__all__ = [
    "PlayerScore",
    "RoundExtras",
    "RoundScore",
    "final_totals",
    "price_round",
    "round_winners",
    "score_round",
    "score_told_round",
    "standings",
]


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
        game: the rules that priced it; their round may have been taken from the hands.
        notes: what must be said beside the points: a round that was taken from the hands, or
            that none was chosen although it decides what is wild.
    """

    players: tuple[PlayerScore, ...]
    winners: tuple[int, ...]
    leaders: tuple[int, ...]
    lower_is_better: bool
    game: GameRules
    notes: tuple[str, ...] = ()

    @property
    def rules(self) -> str:
        """Return the name of the rules; ``fingerprint`` names them exactly."""
        return self.game.name

    @property
    def fingerprint(self) -> str:
        """Return the 16 hex digits of the rules."""
        return self.game.fingerprint

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
            "note": list(self.notes),
            "rules": {
                "name": self.rules,
                "round": round_words(self.game),
                "fingerprint": self.fingerprint,
            },
        }


_NO_EXTRAS: Final = RoundExtras()
_HANDS: Final = Kind(
    lambda v: isinstance(v, Sequence) and not isinstance(v, str | bytes), "a list of hands"
)


@checked(hands=_HANDS, rules=RULES, out=NUMBER.or_none(), totals=NUMBERS.or_none(), extras=EXTRAS)
def score_round(  # noqa: PLR0913 - facts of one round, by name
    hands: Sequence[HandLike],
    rules: GameRules,
    *,
    out: int | None = None,
    totals: Sequence[int] | None = None,
    extras: RoundExtras = _NO_EXTRAS,
    time_limit_s: TimeLimit = None,
) -> RoundScore:
    """Return the score of a round from the hands as they were when it ended.

    Games that meld at the end are scored with the best melds of each hand; games that meld on
    the table count every card still held. In gin ``out`` knocked: the opponent's melds and
    lay-offs are chosen jointly, and the knocker lays what brings most against them.

    Args:
        hands: one hand a seat: what each player held, after the last discard.
        rules: rules of the round.
        out: seat that went out or knocked.
        totals: totals before this round, 0 each when left out.
        extras: names, cut, false melds, drops and the like.
        time_limit_s: seconds for all hands; None: the work on each is bounded.

    Raises:
        NotationError: hands are not readable; ``where`` is in ``/hands/<seat>``.
        HandError: with all faults at once: ``round.players`` a number of hands that the game
            does not allow, ``round.seats`` a seat, totals or names beyond the hands,
            ``round.unused_field`` a fact that the rules do not score, ``round.upcard`` the card
            turned up is needed, ``round.laid`` what was laid is needed or fits nowhere,
            ``round.conflict`` facts that exclude each other,
            ``round.range`` a count that cannot be, ``hand.size`` a hand is not what the rules
            deal, ``hand.copies`` and ``hand.not_in_deck`` more cards than the deck has; or
            ``round.out``, ``knock.limit`` the player who went out holds too much.
        LimitError: ``limit.time``, ``limit.work`` when the least of a hand was not proved.
    """
    with Deadline.after(time_limit_s).around():
        return _score(hands, rules, out, totals, extras)


def _score(
    hands: Sequence[HandLike],
    rules: GameRules,
    out: int | None,
    totals: Sequence[int] | None,
    extras: RoundExtras,
) -> RoundScore:
    check_fields(extras, EXTRAS_FIELDS)
    counts = _read_hands(hands, rules)
    table = None
    if extras.laid is not None and scores_laid(rules):
        table = read_laid(extras.laid, rules)
    check_round(counts, rules, out=out, totals=totals, extras=extras, table=table or ())
    facts = RoundFacts(
        seats=tuple(_seat_facts(seat, c, rules, extras, table) for seat, c in enumerate(counts)),
        out=out,
        ending=_ending(rules, out),
        upcard=extras.upcard,
    )
    return price_round(facts, rules, totals=totals, names=extras.names)


def score_told_round(  # noqa: PLR0913 - as score_round
    hands: Sequence[HandLike],
    rules: GameRules,
    *,
    out: int | None = None,
    totals: Sequence[int] | None = None,
    extras: RoundExtras = _NO_EXTRAS,
    time_limit_s: TimeLimit = None,
) -> RoundScore:
    """Return the score of a round as a person tells it; arguments and errors as ``score_round``.

    Where rules without a round leave open what is wild, the sizes of the hands name it if they
    can (``round_of_sizes``); the score notes it.
    """
    counts = _read_hands(hands, rules)
    shown = [hand for seat, hand in enumerate(counts) if hand.any() or seat not in extras.drops]
    rules, inferred = round_of_sizes(rules, [int(hand.sum()) for hand in shown])
    priced = score_round(
        counts, rules, out=out, totals=totals, extras=extras, time_limit_s=time_limit_s
    )
    return replace(priced, notes=(*priced.notes, inferred)) if inferred else priced


def _read_hands(hands: Sequence[HandLike], rules: GameRules) -> list[Counts]:
    """Return the counts of all hands, or raise what is unreadable in any of them."""
    counts: list[Counts] = []
    faults: list[Fault] = []
    for seat, hand in enumerate(hands):
        try:
            counts.append(read_hand(hand, tiles=rules.deck.tiles, where=f"/hands/{seat}"))
        except NotationError as error:
            faults += error.faults
    if faults:
        raise NotationError.from_faults(faults)
    return counts


def _ending(rules: GameRules, out: int | None) -> Any:  # noqa: ANN401 - an Ending literal
    if rules.flow.scoring == "difference":
        return "dead" if out is None else "knock"
    return "exhausted" if out is None else "out"


def _seat_facts(
    seat: int,
    counts: Counts,
    rules: GameRules,
    extras: RoundExtras,
    table: Sequence[TableMeld] | None,
) -> SeatFacts:
    declared = seat in extras.false_declarations
    fixed = rules.flow.false_declaration_points is not None  # that sum takes a fine's place
    melds = tuple(lying.meld for lying in table or () if lying.owner == seat)
    return SeatFacts(
        hand=tuple(cards_of(counts)),
        melds=melds if rules.flow.meld_timing == "on_table" else None,
        laid=None if table is None else cards_laid(table, seat),
        n_false_melds=extras.false_melds.get(seat, 0),
        cut=extras.cut[1] if extras.cut is not None and extras.cut[0] == seat else None,
        drop=extras.drops.get(seat),
        n_false_outs=int(declared and not fixed),
        false_declaration=declared and fixed,
        down_and_out=seat in extras.down_and_out,
    )


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
    laid = lay_hands(facts, rules)
    priced = SCORINGS[rules.flow.scoring](facts, rules, [x.penalty for x in laid])
    before = list(totals) if totals is not None else [0] * len(laid)
    players = []
    for seat, (hand, (points, notes)) in enumerate(zip(laid, priced, strict=True)):
        fined, fine_notes = fines(facts, seat, rules)
        why = list(cost_words(hand.arrangement, rules)) if seat not in facts.absent else []
        players.append(
            PlayerScore(
                seat=seat,
                name=names[seat] if names else f"player {seat + 1}",
                penalty=hand.penalty,
                arrangement=hand.arrangement,
                points=points + fined,
                total=before[seat] + points + fined,
                note="; ".join(why + notes + fine_notes),
            )
        )
    lower = rules.flow.scoring == "penalty"
    return RoundScore(
        players=tuple(players),
        winners=round_winners([p.points for p in players], rules, absent=facts.absent),
        leaders=_best({p.seat: p.total for p in players}, lower),
        lower_is_better=lower,
        game=rules,
        notes=missing_words(rules),
    )


def round_winners(
    points: Sequence[int], rules: GameRules, *, absent: Collection[int] = ()
) -> tuple[int, ...]:
    """Return the seats with the best points of a round, () for a round without score.

    Args:
        points: points of the round by seat.
        rules: the game; its scoring says whether few points are good.
        absent: seats that took no part.
    """
    lower = rules.flow.scoring == "penalty"
    if not (lower or any(points)):
        return ()
    return _best({s: p for s, p in enumerate(points) if s not in absent}, lower)


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
