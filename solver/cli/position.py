"""What one seat sees of a game, and its moves, as lines for a person at the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from solver.cards import Card
from solver.cli.show import Screen, number_of
from solver.engine.gin import knock_limit
from solver.engine.moves import (
    CHANCE,
    Buy,
    CallOrder,
    Cut,
    Deal,
    Defend,
    Discard,
    GoDown,
    GoOut,
    Knock,
    LayOff,
    Move,
    Shuffle,
    Take,
)
from solver.engine.notation import format_move
from solver.engine.state import Phase
from solver.engine.view import View
from solver.melds import arrangement_value
from solver.rules.question import contract_words, missing_wilds, wild_words
from solver.solve import Solution, as_if_down, solve

_PLAIN: Final = {
    "draw": "draw from the stock",
    "take": "take the discard",
    "pass": "pass",
    "buy": "buy the discard",
    "rummy": "call rummy",
}
_ENDS: Final = {"": "", "-": ", low end", "+": ", high end"}
_ASKED: Final = {
    Phase.CUT: "cut the deck",
    Phase.UPCARD: "the first upcard is yours to take",
    Phase.WALL: "the stock is at its end: take the discard to knock, or pass",
    Phase.OFFER: "the discard is offered to you",
    Phase.BUY: "the discard is for sale",
    Phase.RUMMY: "the discard fits the table",
    Phase.DRAW: "draw or take",
    Phase.PLAY: "play and discard",
    Phase.DEFEND: "answer the knock",
    Phase.BEAT_DRAW: "draw or take, all at once",
    Phase.BEAT_DISCARD: "discard, all at once",
}


def show_position(seen: View, names: Sequence[str], screen: Screen) -> None:
    """Write what a seat sees: the round, the others, the table, the discard and its own hand."""
    rules = seen.rules
    screen.line(_heading(seen, names))
    totals = zip(names, seen.hand_sizes, seen.totals, strict=True)
    players = [
        f"{name} {number_of(size, 'card')}, {number_of(total, 'point')}"
        for name, size, total in totals
    ]
    screen.line("; ".join(players), f"; stock {seen.n_stock}")
    for i, lying in enumerate(seen.table):
        screen.line(f"  meld {i} ({names[lying.owner]}): ", screen.meld(lying.meld))
    if seen.knock is not None:
        melds = screen.melds(seen.knock.melds)
        left = screen.cards(seen.knock.left)
        screen.line(f"{names[seen.knock.seat]} knocked: ", melds, "  left ", left)
    for seat, pile in enumerate(seen.piles):
        if pile:
            screen.line(f"  pile of {names[seat]}: ", screen.card(pile[-1]))
    if seen.discards:
        screen.line("discard: ", screen.card(seen.discards[-1]))
    if rules.meld.contract is not None and seen.seat not in seen.down:
        screen.line("contract: ", contract_words(rules))
    if rules.flow.knock_limit is not None:
        screen.line(f"knock with {knock_limit(rules, seen.upcard)} or less")
    screen.line("your hand: ", _hand(seen, screen))


def _heading(seen: View, names: Sequence[str]) -> str:
    rules = seen.rules
    last = f" of {rules.n_rounds}" if rules.n_rounds else ""
    parts = [f"-- round {seen.round_no}{last}"]
    if rules.n_dealt:
        parts.append(f"{rules.n_dealt} dealt")
    if wilds := wild_words(rules.meld):
        parts.append(f"{wilds} wild")
    if missing := missing_wilds(rules):
        parts.append(missing)
    if seen.out is not None and seen.knock is None:
        parts.append(f"{names[seen.out]} is out: your last turn")
    turn = "you" if seen.seat in seen.actors else names[seen.turn]
    return f"{', '.join(parts)}; dealer {names[seen.dealer]}; to move: {turn}"


def _hand(seen: View, screen: Screen) -> Text:
    """Return the own hand in the melds that it may lay, with what they leave.

    Before the contract is down these are its melds; a hand that cannot lay it has none, and the
    melds it would have are marked. Once it is down, what is held costs all its cards, unless
    further melds may be laid.
    """
    if not seen.hand:
        return Text("-")
    hand, meld = list(seen.hand), seen.rules.meld
    down = seen.seat in seen.down
    if down and meld.contract is not None and not meld.extra_melds:
        left = sum(meld.points[card] for card in hand)
        return Text.assemble(screen.cards(hand), f"  ({number_of(left, 'point')} in hand)")
    found = solve(hand, seen.rules, ignore_contract=down)
    shown = _melds_and_left(found, screen)
    if found.contract_met:
        return Text.assemble(shown, "; the contract can be laid")
    free = as_if_down(found)
    if free is not None:
        extra = _melds_and_left(free, screen)
        shown = Text.assemble(screen.cards(hand), f"  ({number_of(found.penalty, 'point')})")
        return Text.assemble(
            shown, "; the contract cannot be laid\nif it were already down: ", extra
        )
    least = 0 if down else seen.rules.flow.initial_meld_min
    worth = arrangement_value(found.arrangement, seen.rules)
    if worth < least:
        return Text.assemble(shown, f"; worth {worth}, and first melds must be worth {least}")
    return shown


def _melds_and_left(found: Solution, screen: Screen) -> Text:
    """Return melds, the cards left over and their points."""
    left = found.arrangement.deadwood
    loose = Text.assemble("  loose ", screen.cards(left)) if left else Text("")
    melds = found.arrangement.sorted_melds()
    shown = screen.melds(melds) if melds else Text("no melds")
    return Text.assemble(shown, loose, f"  ({number_of(found.penalty, 'point')})")


def show_moves(seen: View, moves: Sequence[Move], screen: Screen) -> None:
    """Write what is asked and the numbered moves; a cut is asked by its number of cards."""
    screen.line(f"{_ASKED.get(seen.phase, 'your move')}:")
    if seen.phase == Phase.CUT:
        screen.line(f"  lift 1 to {len(moves)} cards")
        return
    wide = [isinstance(move, GoDown | Knock | Defend) for move in moves]
    row: list[str | Text] = []
    for number, (move, is_wide) in enumerate(zip(moves, wide, strict=True), start=1):
        row += [f"  {number} ", move_words(move, screen, offered(seen))]
        if is_wide or len(row) >= 8 or number == len(moves):  # noqa: PLR2004 - four moves a line
            screen.line(*row)
            row = []


def move_words(  # noqa: PLR0911, PLR0912 - one way out for each kind
    move: Move, screen: Screen, top: Card | None = None
) -> Text:
    """Return a move in words, its cards with signs where the console has them.

    Args:
        move: the move.
        screen: where it is shown.
        top: the card that a taker takes.
    """
    match move:
        case Take() | Buy() if top is not None:
            return Text.assemble("take " if isinstance(move, Take) else "buy ", screen.card(top))
        case Discard(card=card, out=out):
            return Text.assemble("go out with " if out else "discard ", screen.card(card))
        case GoOut():
            return Text("go out with every card melded")
        case LayOff(card=card, meld=meld, end=end):
            return Text.assemble("lay ", screen.card(card), f" on meld {meld}{_ENDS[end]}")
        case Knock(card=None, melds=melds):
            return Text.assemble("big gin ", screen.melds(melds))
        case Knock(card=card, melds=melds) if card is not None:
            return Text.assemble("knock with ", screen.card(card), " ", screen.melds(melds))
        case GoDown(melds=melds):
            return Text.assemble("go down ", screen.melds(melds), _tail(move))
        case Defend(melds=melds):
            shown = screen.melds(melds) if melds else "no melds"
            return Text.assemble("lay ", shown, _tail(move))
        case Cut(n_cards=n_cards):
            return Text(f"lift {number_of(n_cards, 'card')}")
        case Deal():
            return Text("the cards are dealt")
        case Shuffle():
            return Text("the discards become the stock")
        case CallOrder():
            return Text("who may speak first is drawn by lot")
        case _:
            return Text(_PLAIN[format_move(move).split()[1]])


def _tail(move: GoDown | Defend) -> str:
    """Return swaps and lay-offs of a move as the notation writes them."""
    words = format_move(move)
    return words.rpartition("]")[2] if move.melds else words.partition("defend")[2]


def offered(seen: View) -> Card | None:
    """Return the card that the seat that looks may take: the top discard, or of its pile."""
    pile = seen.discards
    if seen.piles:
        pile = seen.piles[seen.players[seen.players.index(seen.seat) - 1]]
    return pile[-1] if pile else None


def who(seat: int, names: Sequence[str]) -> str:
    """Return the beginning of a line on what a seat did; nothing for chance."""
    return "" if seat == CHANCE else f"{names[seat]}: "
