"""``meld-solver solve``: the best melds of one hand or of many."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import click

from solver.cards import Counts, cards_of, format_card, format_hand
from solver.cli.common import (
    EXIT_REJECTED,
    Command,
    Row,
    chosen_rules,
    colour_option,
    error_json,
    json_option,
    report,
    rows_of,
    rules_options,
    write_json,
)
from solver.cli.show import Screen
from solver.errors import MeldSolverError, RulesError
from solver.rules.loader import parse_option
from solver.rules.model import GameRules
from solver.solve import (
    ENGINES,
    DiscardOption,
    OptimalArrangements,
    Solution,
    best_contract,
    best_discard,
    optimal_arrangements,
    solve,
)

Contract: TypeAlias = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Question:
    """What is asked of every hand."""

    rules: GameRules
    engine: str
    time_limit_s: float | None
    n_listed: int | None
    discard: bool
    contract: Contract | None


@dataclass(frozen=True)
class Reply:
    """What is known of one hand; ``solution`` None: the contract cannot be laid."""

    counts: Counts
    solution: Solution | None
    optimal: OptimalArrangements | None
    discards: list[DiscardOption] | None

    def to_json(self) -> dict[str, Any]:
        """Return the reply as plain JSON."""
        answer: dict[str, Any] = {"hand": [format_card(c) for c in cards_of(self.counts)]}
        if self.solution is None:
            return {**answer, "can_lay": False}
        answer |= self.solution.to_json()
        if self.optimal is not None:
            answer["optimal"] = {
                "count": self.optimal.count,
                "complete": self.optimal.complete,
                "arrangements": [a.to_json() for a in self.optimal.arrangements],
            }
        if self.discards is not None:
            answer["discards"] = [
                {"card": format_card(d.card), "penalty": d.penalty} for d in self.discards
            ]
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
@click.option("--contract", help="Lay exactly these melds (3+r4), or 'deal': those of the deal.")
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
    file: Path | None,
    as_json: bool,
    four_colour: bool,
) -> None:
    """Best melds of HAND, with proof; '-' reads hands from stdin, one a line."""
    if bool(hand) == (file is not None):
        raise click.UsageError("expected a hand, '-' for stdin, or --file")
    rules = chosen_rules(name, options)
    wanted = None if contract is None else contract_of(contract, rules)
    question = Question(rules, engine, time_limit, n_listed, discard, wanted)
    screen = Screen(four_colour=four_colour)
    many = file is not None or hand == ("-",)
    n_rejected = 0
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
            show_line(reply, screen)
        else:
            show(reply, question, screen)
    if n_rejected:
        raise click.exceptions.Exit(EXIT_REJECTED)


def contract_of(text: str, rules: GameRules) -> Contract:
    """Return the melds that ``--contract`` asks for.

    Raises:
        RulesError: ``rules.contract`` when the deal has none; ``rules.type``, ``rules.range``.
    """
    if text == "deal":
        if rules.meld.contract is None:
            message = f"expected a deal of {rules.name} with a contract, got none"
            raise RulesError(message, code="rules.contract")
        return rules.meld.contract
    melds: Contract = parse_option("contract", text)
    return melds


def answer(row: Row, question: Question) -> Reply:
    """Return what the solver says of one row."""
    rules = question.rules
    counts = row.read(rules)
    if question.contract is not None:
        laid = best_contract(
            counts,
            rules,
            question.contract,
            engine=question.engine,
            time_limit_s=question.time_limit_s,
        )
        return Reply(counts, laid, None, None)
    solution = solve(counts, rules, engine=question.engine, time_limit_s=question.time_limit_s)
    n_listed = question.n_listed
    optimal = optimal_arrangements(counts, rules, limit=n_listed) if n_listed else None
    discards = best_discard(counts, rules) if question.discard else None
    return Reply(counts, solution, optimal, discards)


def show_line(reply: Reply, screen: Screen) -> None:
    """Write one hand of many in one line: penalty, melds, cards left."""
    solution = reply.solution
    if solution is None:
        screen.line("   -  ", screen.cards(cards_of(reply.counts)), "  (contract cannot be laid)")
        return
    mark = " " if solution.proved else "?"
    left = solution.arrangement.deadwood
    tail = (" / ", screen.cards(left)) if left else ()
    melds = screen.melds(solution.arrangement.sorted_melds())
    screen.line(f"{solution.penalty:5d}{mark} ", melds, *tail)


def show(reply: Reply, question: Question, screen: Screen) -> None:
    """Write one hand in full."""
    rules, solution = question.rules, reply.solution
    if solution is None:
        screen.line("The contract cannot be laid with ", format_hand(cards_of(reply.counts)), ".")
        return
    proof = (
        "proved: nothing costs less"
        if solution.proved
        else f"not proved in the time allowed, at least {solution.lower_bound}"
    )
    screen.line(f"penalty {solution.penalty}  ({proof})")
    screen.line("melds   ", screen.melds(solution.arrangement.sorted_melds()))
    if left := solution.arrangement.deadwood:
        points = "+".join(str(rules.meld.points[c]) for c in left)
        screen.line("left    ", screen.cards(left), f"  ({points})")
    screen.line(
        f"rules   {rules.title} {rules.fingerprint}, engine {solution.engine},"
        f" {solution.elapsed_us} us"
    )
    if reply.optimal is not None:
        _show_optimal(reply.optimal, screen)
    if reply.discards is not None:
        screen.line("discard, best first:")
        for option in reply.discards:
            screen.line("  ", screen.card(option.card), f"  leaves {option.penalty}")


def _show_optimal(optimal: OptimalArrangements, screen: Screen) -> None:
    least = "" if optimal.complete else "at least "
    screen.line(f"optimal arrangements: {least}{optimal.count}")
    for arrangement in optimal.arrangements:
        left = arrangement.deadwood
        tail = (" / ", screen.cards(left)) if left else ()
        screen.line("  ", screen.melds(arrangement.sorted_melds()), *tail)
