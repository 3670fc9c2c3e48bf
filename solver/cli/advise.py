"""``meld-solver advise``: what to do now, with the exact worth of every alternative."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, cast

import click

from solver.cards import Card, cards_of, format_card, parse_card
from solver.cli.common import (
    Command,
    chosen_rules,
    colour_option,
    json_option,
    note_simplified,
    read_cards,
    rules_options,
    write_json,
)
from solver.cli.show import Screen
from solver.engine.moves import Discard, GoDown, GoOut, Knock, LayOff, Move
from solver.engine.notation import format_move
from solver.errors import NotationError
from solver.players.advice import advise
from solver.players.answer import Advice, Option
from solver.players.facts import ASKS, Ask, Facts, view_of
from solver.rules.model import GameRules
from solver.rules.question import missing_wilds, named_rules

_OWNED: Final = re.compile(r"\s*([0-9]{1,2})\s*:(.*)", re.DOTALL)
_SHOWN_OUTS: Final = 12
_HORIZONS: Final = {
    "now": "points at once",
    "this_turn": "points expected after this turn",
    "next_turn": "points expected after the next turn",
}


@click.command(cls=Command, name="advise")
@click.argument("hand")
@rules_options
@click.option("--ask", type=click.Choice(ASKS), help="The question; else told from the hand.")
@click.option("--players", type=click.IntRange(min=2, max=20), help="Number of players.")
@click.option("--discard", metavar="CARD", help="Top of the discard pile.")
@click.option("--seen", default="", metavar="CARDS", help="Other cards seen, out of play for you.")
@click.option(
    "--table",
    multiple=True,
    metavar="[SEAT:]MELD",
    help="A meld on the table, 'R[4H 5H JK=6H 7H]'; 0: before it makes it yours.",
)
@click.option("--down", multiple=True, type=int, metavar="SEAT", help="A seat that is down.")
@click.option("--out", type=int, metavar="SEAT", help="Who went out: the last turns are played.")
@click.option("--turns-left", type=int, help="With --out: your turns left, this one included.")
@click.option("--taken", metavar="CARD", help="The card you just took from the discards.")
@click.option("--upcard", metavar="CARD", help="The first card turned up (Oklahoma gin).")
@click.option("--knock", multiple=True, metavar="MELD", help="A meld of the knocker.")
@click.option("--knock-left", default="", metavar="CARDS", help="What the knocker kept.")
@click.option(
    "--stock",
    type=click.IntRange(min=0),
    help="Cards left in the stock; --seen names the discards of which an empty one is rebuilt.",
)
@click.option("--floating", is_flag=True, help="Your turn began without a card.")
@json_option
@colour_option
def advise_command(
    hand: str,
    name: str,
    options: tuple[str, ...],
    as_json: bool,
    four_colour: bool,
    **told: Any,  # noqa: ANN401 - the facts, one option each
) -> None:
    """What to do with HAND now: the best move, what every other is worth, and why.

    You are seat 0, the others 1, 2 ... in turn order. With as many cards as were dealt the
    question is whether to take the discard or to draw; with one more, what to lay and discard;
    --ask names other questions: upcard and wall (gin), buy, rummy, defend. Values are exact:
    every card you cannot place is equally likely to be drawn.
    """
    rules = chosen_rules(name, options)
    note_simplified(rules)
    counts = read_cards(hand, rules, empty_ok=told["floating"])
    advice = advise(view_of(counts, rules, _facts(told, rules)))
    if as_json:
        cards = [format_card(c) for c in cards_of(counts)]
        write_json({"rules": named_rules(rules), "hand": cards, **advice.to_json()})
        return
    screen = Screen(four_colour=four_colour)
    if words := missing_wilds(rules):
        screen.line(words)
    _show(advice, screen)


def _facts(told: dict[str, Any], rules: GameRules) -> Facts:
    """Return the facts that the options tell."""
    owners, melds = _owned(told["table"])
    return Facts(
        ask=cast(Ask | None, told["ask"]),
        players=told["players"],
        discard=_card(told["discard"], rules, "/discard"),
        seen=told["seen"],
        table=melds,
        owners=owners,
        down=told["down"],
        out=told["out"],
        taken=_card(told["taken"], rules, "/taken"),
        upcard=_card(told["upcard"], rules, "/upcard"),
        knock=told["knock"],
        knock_left=told["knock_left"],
        n_stock=told["stock"],
        is_floating=told["floating"],
        turns_left=told["turns_left"],
    )


def _owned(texts: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return seats and melds of texts such as ``0:S[7S 7H 7D]``; the next player's by default."""
    owners, melds = [], []
    for text in texts:
        owned = _OWNED.fullmatch(text)
        owners.append(int(owned[1]) if owned else 1)
        melds.append(owned[2].strip() if owned else text)
    return owners, melds


def _card(text: str | None, rules: GameRules, where: str) -> Card | None:
    if text is None:
        return None
    try:
        return parse_card(text, tiles=rules.deck.tiles)
    except NotationError as error:
        raise NotationError(str(error), code="card.unknown", where=where) from error


def _show(advice: Advice, screen: Screen) -> None:
    """Write the move, why, the other moves, and the cards that help."""
    screen.line(_move_text(advice.move, screen), f": {advice.reason}")
    screen.line(f"{_HORIZONS[advice.horizon]}, exact:")
    for option in advice.options:
        screen.line(
            f"  {option.value.text():>7}  ", _move_text(option.move, screen), _note(option, advice)
        )
    if advice.options[0].plan is not None:
        screen.line("in order:")
        for action in advice.options[0].plan.actions:
            screen.line("  ", action.text())
        if turn := advice.options[0].plan.turn_text():
            screen.line("  ", turn)
    if advice.outs:
        more = len(advice.outs) - _SHOWN_OUTS
        screen.line(f"cards that help, of {advice.n_unseen} unseen:")
        for out in advice.outs[:_SHOWN_OUTS]:
            ends = f", {_goal(advice, 'lays', 'ends')}" if out.ends else ""
            screen.line("  ", screen.card(out.card), f" x{out.copies}: saves {out.gain}{ends}")
        if more > 0:
            screen.line(f"  and {more} more")


def _move_text(move: Move, screen: Screen) -> str:
    """Return a move in words, its cards with signs where the console has them."""
    if isinstance(move, Discard):
        return f"{'go out with' if move.out else 'discard'} {screen.card(move.card).plain}"
    if isinstance(move, GoOut):
        return "go out with every card melded"
    if isinstance(move, Knock):
        return f"knock with {screen.card(move.card).plain}" if move.card is not None else "big gin"
    if isinstance(move, GoDown):
        return f"go down with {screen.melds(move.melds).plain}"
    if isinstance(move, LayOff):
        return f"lay off {screen.card(move.card).plain} on meld {move.meld + 1}"
    words = format_move(move).partition(" ")[2]
    return {"take": "take the discard", "draw": "draw from the stock", "rummy": "call rummy"}.get(
        words, words
    )


def _goal(advice: Advice, lay: str = "lay", end: str = "end") -> str:
    """Return what a card may do: end the round, or lay a contract that is still to be laid."""
    if any(option.missing is not None for option in advice.options):
        return f"{lay} the contract"
    return f"{end} the round"


def _note(option: Option, advice: Advice) -> str:
    """Return what else is known of an option."""
    notes = []
    if option.leaves is not None and not option.ends:
        notes.append(f"leaves {option.leaves}")
    if option.missing is not None:
        notes.append(f"{option.missing.text()} missing")
    if option.chance_out is not None and option.chance_out.of > 1:
        notes.append(f"{option.chance_out.total} of {option.chance_out.of} cards {_goal(advice)}")
    if option.called:
        notes.append("would be called rummy")
    return f"  ({', '.join(notes)})" if notes else ""
