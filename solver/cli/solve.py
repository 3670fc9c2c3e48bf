"""``meld-solver solve``: the best melds of one hand or of many."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from solver.cards import Counts, cards_of, format_card
from solver.cli.common import (
    EXIT_REJECTED,
    Command,
    Row,
    chosen_rules,
    colour_option,
    error_json,
    ignore_contract_option,
    json_option,
    report,
    rows_of,
    rules_options,
    write_json,
)
from solver.cli.show import Screen, if_down_json, show_if_down
from solver.deadline import Deadline
from solver.errors import MeldSolverError, RulesError
from solver.rules.model import GameRules
from solver.rules.question import NO_DISCARDS, game_words, question_notes, question_words
from solver.solve import (
    ENGINES,
    DiscardOption,
    OptimalArrangements,
    Solution,
    as_if_down,
    best_discard,
    optimal_arrangements,
    solve,
    with_contract,
)


@dataclass(frozen=True)
class Question:
    """What is asked of every hand."""

    rules: GameRules
    engine: str
    time_limit_s: float | None
    n_listed: int | None
    discard: bool
    ignore_contract: bool


@dataclass(frozen=True)
class Reply:
    """What is known of one hand; ``if_down``: melds of a hand that cannot lay its contract."""

    counts: Counts
    solution: Solution
    if_down: Solution | None
    optimal: OptimalArrangements | None
    discards: list[DiscardOption] | None

    def to_json(self) -> dict[str, Any]:
        """Return the reply as plain JSON."""
        answer: dict[str, Any] = {"hand": [format_card(c) for c in cards_of(self.counts)]}
        answer |= self.solution.to_json()
        if self.if_down is not None:
            answer["can_lay"] = False
            answer["if_down"] = if_down_json(self.if_down)
        if self.optimal is not None:
            answer["optimal"] = {
                "count": self.optimal.count,
                "complete": self.optimal.complete,
                "arrangements": [a.to_json() for a in self.optimal.arrangements],
            }
        if self.discards is not None:
            answer["discards"] = [option.to_json() for option in self.discards]
        return answer


@click.command(cls=Command, name="solve")
@click.argument("hand", nargs=-1)
@rules_options
@click.option("--engine", type=click.Choice(["auto", *ENGINES]), default="auto", show_default=True)
@click.option("--time-limit", type=click.FloatRange(min=0, min_open=True), help="Seconds a hand.")
@click.option(
    "--all", "n_listed", type=click.IntRange(min=1), metavar="N", help="List up to N optima."
)
@click.option("--discard", is_flag=True, help="Also rank every discard, best first.")
@click.option("--contract", help="Lay these melds (3+r4); without it, or 'deal': the deal's.")
@ignore_contract_option
@click.option(
    "--file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with one hand a line.",
)
@json_option
@colour_option
def solve_command(
    hand: tuple[str, ...],
    name: str,
    options: tuple[str, ...],
    engine: str,
    time_limit: float | None,
    n_listed: int | None,
    discard: bool,
    contract: str | None,
    ignore_contract: bool,
    file: Path | None,
    as_json: bool,
    four_colour: bool,
) -> None:
    """Best melds of HAND, with proof; '-' reads hands from stdin, one a line.

    Where the deal has a contract it must be laid: what is then left counts, or every card of a
    hand that cannot lay it.
    """
    many = file is not None or hand == ("-",)
    _check_usage(hand, file, shows_more=bool(n_listed or discard) and many and not as_json)
    rules = chosen_rules(name, options)
    if contract is not None:
        if ignore_contract:
            raise click.UsageError("expected --contract or --ignore-contract, got both")
        rules = asked_contract(contract, rules)
    question = Question(rules, engine, time_limit, n_listed, discard, ignore_contract)
    screen = Screen(four_colour=four_colour)
    n_rejected = 0
    if many and not as_json:
        show_heading(question, screen)
    for row in rows_of(hand, file):
        try:
            reply = answer(row, question)
        except MeldSolverError as error:
            n_rejected += 1
            if as_json:
                write_json({**({"row": row.place} if many else {}), **error_json(error)})
            else:
                report(error, row=f"{row.place} " if row.place else "")
            continue
        if as_json:
            write_json(reply.to_json())
        elif many:
            show_line(reply, question, screen)
        else:
            show(reply, screen)
    if n_rejected:
        raise click.exceptions.Exit(EXIT_REJECTED)


def _check_usage(hand: tuple[str, ...], file: Path | None, *, shows_more: bool) -> None:
    """Refuse what names no hand, and what the one line of each of many hands cannot show."""
    if bool(hand) == (file is not None):
        raise click.UsageError("expected a hand, '-' for stdin, or --file")
    if shows_more:
        raise click.UsageError("expected --json with --all or --discard for many hands")


def asked_contract(text: str, rules: GameRules) -> GameRules:
    """Return rules that ask what ``--contract`` says.

    Raises:
        RulesError: ``rules.contract`` when the deal has none; ``rules.type``, ``rules.range``.
    """
    if text != "deal":
        return with_contract(rules, text)
    if rules.meld.contract is None:
        message = f"expected a deal of {rules.name} with a contract, got none"
        raise RulesError(message, code="rules.contract")
    return rules


def answer(row: Row, question: Question) -> Reply:
    """Return what the solver says of one row."""
    rules, ignored = question.rules, question.ignore_contract
    counts = row.read(rules)
    optimal = discards = None
    with Deadline.after(question.time_limit_s).around():
        solution = solve(counts, rules, engine=question.engine, ignore_contract=ignored)
        if n := question.n_listed:
            optimal = optimal_arrangements(counts, rules, limit=n, ignore_contract=ignored)
        if question.discard:
            discards = best_discard(counts, rules, ignore_contract=ignored)
        return Reply(counts, solution, as_if_down(solution), optimal, discards)


def show_heading(question: Question, screen: Screen) -> None:
    """Write what is asked of many hands, where the rules have rounds or leave something out."""
    rules = question.rules
    words = question_words(rules, ignore_contract=question.ignore_contract)
    if words != rules.title:
        screen.line(f"# {words}")


def show_line(reply: Reply, question: Question, screen: Screen) -> None:
    """Write one hand of many in one line: penalty, melds, cards left, and what the heading lacks.

    That are the notes of this hand alone: a size that no hand has, every card that counts.
    """
    solution = reply.solution
    mark = " " if solution.proved else "?"
    left = solution.arrangement.deadwood
    tail = (" / ", screen.cards(left)) if left else ()
    melds = screen.melds(solution.arrangement.sorted_melds())
    said = question_notes(question.rules, ignore_contract=question.ignore_contract)
    own = [note for note in solution.notes if note not in said]
    if solution.contract_met is False:
        own.append("the contract cannot be laid")
    notes = f"  ({'; '.join(own)})" if own else ""
    screen.line(f"{solution.penalty:5d}{mark} ", melds, *tail, notes)


def show(reply: Reply, screen: Screen) -> None:
    """Write one hand in full."""
    solution = reply.solution
    rules = solution.rules
    screen.line(solution.headline)
    screen.line("melds   ", screen.melds(solution.arrangement.sorted_melds()))
    if left := solution.arrangement.deadwood:
        points = "+".join(str(rules.meld.points[c]) for c in left)
        screen.line("left    ", screen.cards(left), f"  ({points})")
    show_if_down(reply.if_down, screen)
    screen.line(
        f"rules   {game_words(rules)}; {rules.fingerprint}, engine {solution.engine},"
        f" {solution.elapsed_us} us"
    )
    if reply.optimal is not None:
        _show_optimal(reply.optimal, screen)
    if reply.discards is not None:
        has_discards = rules.flow.has_discards
        screen.line("discard, best first:" if has_discards else f"{NO_DISCARDS}:")
        for option in reply.discards:
            doubt = "" if option.proved else f" or less, not proved (at least {option.lower_bound})"
            screen.line("  ", screen.card(option.card), f"  leaves {option.penalty}{doubt}")


def _show_optimal(optimal: OptimalArrangements, screen: Screen) -> None:
    least = "" if optimal.complete else "at least "
    screen.line(f"optimal arrangements: {least}{optimal.count}")
    for arrangement in optimal.arrangements:
        left = arrangement.deadwood
        tail = (" / ", screen.cards(left)) if left else ()
        screen.line("  ", screen.melds(arrangement.sorted_melds()), *tail)
