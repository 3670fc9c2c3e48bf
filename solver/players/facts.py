"""A view made of plain facts: what a caller at a real table can tell."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, TypedDict, get_args

from solver.arguments import NUMBER, NUMBERS, TRUTH, check_fields, checked, one_of, record, whole
from solver.cards import CARD, Card, HandLike, cards_of, format_card, read_hand
from solver.engine.playing import fits_table
from solver.engine.state import KnockFacts, Phase, check_refereed, with_players
from solver.engine.tabling import TableMeld
from solver.engine.view import View
from solver.errors import Fault, HandError, MeldSolverError, RulesError, span
from solver.rules.argument import RULES
from solver.rules.deck import check_deck
from solver.rules.model import GameRules
from solver.table import Table, read_table

Ask: TypeAlias = Literal["draw", "play", "upcard", "wall", "buy", "rummy", "defend"]
"""What is to be decided: take or draw; what to lay and discard; Gin's first upcard and its last
two cards; a purchase; a call of rummy; the answer to a knock."""

ASKS: Final[tuple[Ask, ...]] = ("draw", "play", "upcard", "wall", "buy", "rummy", "defend")
ME: Final = 0
"""Seat of who asks; the others are 1, 2 ... in turn order."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a player can tell of the round besides the own hand.

    Attributes:
        ask: what is to be decided; None: told from the number of cards in hand.
        players: number of players, None for the fewest the rules allow (at least 2).
        discard: top card of the discard pile (in simultaneous play, of the pile to the right).
        seen: other cards that lie open or are known to be held by others, as one hand.
        table: melds on the table.
        owners: seat of each meld, 0 is who asks; by default the next player's, 1.
        down: seats that have gone down besides the owners of melds.
        out: seat that went out, so that the last turns are played.
        taken: the card just taken from the discard pile.
        upcard: the card first turned up (Oklahoma's knock limit).
        knock: the melds that the knocker laid.
        knock_left: cards that the knocker kept, as one hand; empty is gin.
        n_stock: cards of the stock; None: all unseen cards but the other hands as dealt. An empty
            one that is rebuilt consists of ``seen``, the discards below the top.
        is_floating: whether the turn began without a card in hand.
        turns_left: own turns left in the round, this one included, after somebody went out; None:
            all that the rules give.
    """

    ask: Ask | None = None
    players: int | None = None
    discard: Card | None = None
    seen: HandLike = ()
    table: Table = ()
    owners: Sequence[int] = ()
    down: Collection[int] = ()
    out: int | None = None
    taken: Card | None = None
    upcard: Card | None = None
    knock: Table = ()
    knock_left: HandLike = ()
    n_stock: int | None = None
    is_floating: bool = False
    turns_left: int | None = None


_FACTS: Final = record(Facts, "facts", code="advice.facts")
_KINDS: Final = {
    "ask": one_of(get_args(Ask), "a question", error=HandError, code="advice.ask").or_none(),
    "players": NUMBER.or_none(),
    "discard": CARD.or_none(),
    "owners": NUMBERS,
    "down": NUMBERS,
    "out": NUMBER.or_none(),
    "taken": CARD.or_none(),
    "turns_left": NUMBER.or_none(),
    "upcard": CARD.or_none(),
    "n_stock": whole(0, 10_000, "a number of cards", code="advice.stock").or_none(),
    "is_floating": TRUTH,
}


@checked(rules=RULES, facts=_FACTS.or_none())
def view_of(hand: HandLike, rules: GameRules, facts: Facts | None = None) -> View:
    """Return what the player of a hand sees.

    Args:
        hand: the own cards, as for ``solve``.
        rules: the game, resolved for its round.
        facts: everything else that is known.

    Raises:
        RulesError: ``game.referee``, ``advice.round``, ``game.players``.
        HandError: ``advice.ask`` when the cards do not tell the question; ``advice.knock``,
            ``.buy``, ``.rummy``, ``.discard``, ``.stock`` when game or position do not ask it;
            ``advice.seat``, ``.upcard``; ``hand.*``, ``table.*``; NotationError.

    Example:
        >>> from solver.rules.loader import load_rules
        >>> seen = view_of("5S 5H 9D KC", load_rules("three-thirteen", cards_dealt=3))
        >>> seen.phase.value, len(seen.unseen())
        ('play', 48)
    """
    facts = facts or Facts()
    check_fields(facts, _KINDS)
    check_refereed(rules, "/rules")
    rules, n_seats = _with_seats(rules, facts)
    own = cards_of(read_hand(hand, tiles=rules.deck.tiles))
    seen = cards_of(read_hand(facts.seen, tiles=rules.deck.tiles, where="/seen"))
    knock = _knock(facts, rules)
    table = _table(facts, rules)
    if knock is not None:
        table = tuple(TableMeld(knock.seat, meld) for meld in knock.melds)
    _check_asked(facts, rules, table, n_seats)
    top = () if facts.discard is None else (facts.discard,)
    _check_all([*own, *seen, *top], table, knock, rules)
    draft = View(
        seat=ME,
        rules=rules,
        phase=_phase(facts, rules, len(own)),
        actors=(ME,),
        turn=1 if facts.ask in ("buy", "rummy") else ME,
        dealer=n_seats - 1,
        players=tuple(range(n_seats)),
        hand=tuple(own),
        hand_sizes=(len(own), *[rules.n_dealt or 0] * (n_seats - 1)),
        **_open_cards(seen, top, n_seats, speed=bool(rules.flow.simultaneous)),
        n_stock=0,
        table=table,
        down=frozenset(facts.down) | {lying.owner for lying in table} | _floater(facts),
        upcard=_upcard(facts, rules),
        knock=knock,
        out=facts.out if knock is None else knock.seat,
        turns_left=_turns_left(facts, rules, n_seats),
        one_card=frozenset(),
        barred=_barred(facts, rules, own),
        commit=None,
        totals=(0,) * n_seats,
        round_no=rules.round_no or 1,
        taken_from="" if facts.taken is None else "discard",
        is_floating=facts.is_floating,
    )
    return _with_stock(draft, facts)


def _floater(facts: Facts) -> frozenset[int]:
    """Return the own seat where it floats: only who is down can be without a card."""
    return frozenset({ME} if facts.is_floating else ())


def _upcard(facts: Facts, rules: GameRules) -> Card | None:
    """Return the card first turned up; it must be told where it sets the knock limit."""
    upcard = facts.discard if facts.ask == "upcard" and facts.upcard is None else facts.upcard
    if rules.flow.oklahoma and upcard is None:
        message = "expected the card first turned up, which sets the knock limit, got nothing"
        raise HandError(message, code="advice.upcard", where="/upcard")
    return upcard


class _Open(TypedDict):
    known: tuple[tuple[Card, ...], ...]
    discards: tuple[Card, ...]
    piles: tuple[tuple[Card, ...], ...]


def _open_cards(seen: Sequence[Card], top: tuple[Card, ...], n_seats: int, *, speed: bool) -> _Open:
    """Return where the cards lie that are seen: only the place of the top discard matters."""
    if speed:
        piles = (*[()] * (n_seats - 1), top)
        return _Open(known=((), tuple(seen), *[()] * (n_seats - 2)), discards=(), piles=piles)
    if top:
        return _Open(known=((),) * n_seats, discards=(*seen, *top), piles=())
    return _Open(known=((), tuple(seen), *[()] * (n_seats - 2)), discards=(), piles=())


def _turns_left(facts: Facts, rules: GameRules, n_seats: int) -> int | None:
    """Return the turns left to all who are not out, counted as if this seat were the first.

    Raises:
        HandError: ``advice.turns``, own turns left that the game does not give.
    """
    flow = rules.flow
    most = max(1, flow.speed_final_beats if flow.simultaneous else flow.final_turns)
    if facts.turns_left is not None and (facts.out is None or not 1 <= facts.turns_left <= most):
        expected = "nothing while nobody is out" if facts.out is None else f"1..{most}"
        message = f"expected turns left: {expected}, got {facts.turns_left}"
        raise HandError(message, code="advice.turns", where="/turns_left")
    if facts.out is None:
        return None
    own = facts.turns_left or most
    return own if flow.simultaneous else own * (n_seats - 1)


def _with_seats(rules: GameRules, facts: Facts) -> tuple[GameRules, int]:
    """Return the rules for the number of players, so that the deck is known, and that number."""
    if rules.n_dealt is None or rules.contract_open:
        raise RulesError(
            f"expected a round of {rules.name} (cards_dealt, round or deal), got none",
            code="advice.round",
            where="/rules",
        )
    n_seats = facts.players or rules.players or max(2, rules.flow.min_players)
    least, most = max(2, rules.flow.min_players), rules.flow.max_players
    if not least <= n_seats <= most:
        raise RulesError(
            f"expected {span(least, most)} players, got {n_seats}",
            code="game.players",
            where="/players",
        )
    return with_players(rules, n_seats), n_seats


def _table(facts: Facts, rules: GameRules) -> tuple[TableMeld, ...]:
    """Return the melds on the table; undeclared wilds take the first of their places."""
    readings = read_table(facts.table, rules)
    if len(facts.owners) not in (0, len(readings)):
        raise HandError(
            f"expected one owner a meld, got {len(facts.owners)} for {len(readings)}",
            code="advice.seat",
            where="/owners",
        )
    owners = facts.owners or [1] * len(readings)
    return tuple(
        TableMeld(owner, melds[0].meld, melds[0].n_wilds_added)
        for owner, melds in zip(owners, readings, strict=True)
    )


def _knock(facts: Facts, rules: GameRules) -> KnockFacts | None:
    if facts.ask != "defend":
        return None
    melds = tuple(r[0].meld for r in read_table(facts.knock, rules, where="/knock"))
    left = read_hand(facts.knock_left, tiles=rules.deck.tiles, where="/knock_left")
    return KnockFacts(1, melds, tuple(cards_of(left)))


def _check_seats(facts: Facts, n_seats: int) -> None:
    named = [("/owners", s) for s in facts.owners] + [("/down", s) for s in facts.down]
    named += [("/out", facts.out)] if facts.out is not None else []
    faults = [
        Fault("advice.seat", where, f"expected a seat 0..{n_seats - 1}, got {seat}")
        for where, seat in named
        if not 0 <= seat < n_seats
    ]
    if facts.out == ME:
        faults.append(Fault("advice.seat", "/out", "expected another seat than one's own, got 0"))
    if faults:
        raise HandError.from_faults(faults)


def _check_asked(facts: Facts, rules: GameRules, table: Sequence[TableMeld], n_seats: int) -> None:
    """Check that the game asks such a question, and asks it in such a position."""
    _check_seats(facts, n_seats)
    floats = rules.flow.floating and rules.flow.meld_timing == "on_table"
    if facts.is_floating and not (floats and rules.flow.must_discard_to_go_out):
        what = f"a game in which one may float, got {rules.name}"
        raise _unasked(what, "advice.floating", "/floating")
    flow, ask, top = rules.flow, facts.ask, facts.discard
    if ask == "defend" and flow.knock_limit is None:
        raise _unasked(f"a game with knocks, got {rules.name}", "advice.knock", "/ask")
    if ask == "defend" and not (facts.knock or facts.knock_left):
        raise _unasked("the cards of the knocker (knock, knock_left), got none", "advice.knock")
    if ask == "buy" and flow.buy_priority == "off":
        raise _unasked(f"a game with purchases, got {rules.name}", "advice.buy", "/ask")
    if ask == "rummy" and flow.rummy_mode == "off":
        raise _unasked(f"a game with rummy calls, got {rules.name}", "advice.rummy", "/ask")
    if ask in ("buy", "rummy") and top is None:
        raise _unasked("the top discard, got none", "advice.discard", "/discard")
    if ask == "rummy" and top is not None:
        callable_ = flow.rummy_includes_wilds or not rules.meld.is_wild(top)
        if not callable_ or not fits_table(top, tuple(table), rules):
            raise _unasked(
                f"a discard that fits a meld on the table, got {format_card(top)}",
                "advice.rummy",
                "/discard",
            )
    if ask == "upcard" and flow.first_upcard == "open":
        raise _unasked(
            f"a game that offers the first upcard, got {rules.name}", "advice.ask", "/ask"
        )
    if ask == "wall" and not flow.stock_wall:
        raise _unasked(
            f"a game that ends at a wall of cards, got {rules.name}", "advice.ask", "/ask"
        )


def _unasked(expected: str, code: str, where: str = "/knock") -> HandError:
    return HandError(f"expected {expected}", code=code, where=where)


def _check_all(
    cards: Sequence[Card], table: Sequence[TableMeld], knock: KnockFacts | None, rules: GameRules
) -> None:
    """Check that everything seen can come from one deck."""
    laid = [c for lying in table for c in lying.meld.cards]
    cards = [*cards, *laid, *(() if knock is None else knock.left)]
    counts = read_hand(list(cards)) if cards else read_hand("")
    try:
        check_deck(counts, rules)
    except MeldSolverError as error:
        message = "hand, discards and table together: {}"
        raise HandError.from_faults(
            [Fault(f.code, f.where, message.format(f.message), f.data) for f in error.faults]
        ) from error


def _phase(facts: Facts, rules: GameRules, n_cards: int) -> Phase:
    """Return what is asked for, told from the number of cards where nothing is said."""
    ask: Ask | None = facts.ask
    if ask is None:
        before = 0 if facts.is_floating else rules.n_dealt or 0
        told: dict[int, Ask] = {before: "draw", before + 1: "play"}
        ask = told.get(n_cards)
    if ask is None:
        raise HandError(
            f"expected {before} cards before the draw or one more after it (or the "
            f"question to be named), got {n_cards}",
            code="advice.ask",
            where="/ask",
        )
    if rules.flow.simultaneous:
        return {"draw": Phase.BEAT_DRAW, "play": Phase.BEAT_DISCARD}.get(ask, Phase(ask))
    if ask == "draw" and _at_wall(facts, rules):
        return Phase.WALL
    if ask == "draw" and rules.flow.buy_priority != "off" and facts.discard is not None:
        return Phase.OFFER
    return Phase(ask)


def _at_wall(facts: Facts, rules: GameRules) -> bool:
    """Return whether so few cards are left that Gin's last question is asked."""
    flow = rules.flow
    knocks = flow.knock_limit is not None and flow.stock_wall > 0
    return knocks and facts.n_stock is not None and facts.n_stock <= flow.stock_wall


def _barred(facts: Facts, rules: GameRules, own: Sequence[Card]) -> Card | None:
    """Return the card just taken where it may not be discarded."""
    if facts.taken is None:
        return None
    if facts.taken not in own:
        raise HandError(
            "expected the card just taken to be in the hand, got another",
            code="advice.taken",
            where="/taken",
        )
    lone = list(own).count(facts.taken) == 1
    return facts.taken if rules.flow.forbid_return_discard and lone else None


def _with_stock(draft: View, facts: Facts) -> View:
    """Return the view with the number of cards in the stock, as told or by what is unseen.

    Raises:
        HandError: ``advice.stock``, more cards than are unseen, or an empty stock that is rebuilt
            of discards nobody told.
    """
    flow, n_unseen = draft.rules.flow, len(draft.unseen())
    n_others = sum(draft.hand_sizes) - len(draft.hand) - sum(len(k) for k in draft.known)
    n_stock = facts.n_stock
    if n_stock is None:
        n_stock = max(flow.stock_wall + 1, n_unseen - max(0, n_others))
    if n_stock > max(n_unseen, flow.stock_wall + 1):
        expected = f"at most the {n_unseen} cards that are unseen"
        raise _unasked(f"{expected}, got {n_stock}", "advice.stock", "/stock")
    rebuilds, below = flow.stock_empty == "reshuffle", max(0, len(draft.discards) - 1)
    n_drawn = {Phase.DRAW: 1, Phase.OFFER: 1, Phase.BUY: flow.buy_price}.get(draft.phase, 0)
    lacking = n_drawn - max(0, n_stock - flow.stock_wall) - (below if rebuilds else 0)
    if lacking > 0 and rebuilds:
        expected = "the discards below the top one (seen), of which an empty stock is rebuilt"
        raise _unasked(f"{expected}, got {below}", "advice.stock", "/seen")
    if lacking > 0 and draft.phase == Phase.BUY:
        expected = f"a stock that pays the price of {n_drawn}, got {n_stock} cards"
        raise _unasked(expected, "advice.stock", "/stock")
    return replace(draft, n_stock=n_stock)
