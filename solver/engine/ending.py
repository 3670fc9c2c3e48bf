"""From the end of a round to the next: facts, totals, ties, bonus rounds, winners."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from solver.engine.facts import RoundFacts, SeatFacts
from solver.engine.scoring import price_round, round_winners, standings
from solver.engine.state import NOBODY, Round, State, new_round, turn_order
from solver.engine.tabling import cards_laid
from solver.rules.loader import bonus_rules, round_rules


def round_facts(r: Round) -> RoundFacts:
    """Return what happened in a round that has ended."""
    n_seats = len(r.hands)
    return RoundFacts(
        seats=tuple(_seat_facts(r, seat) for seat in range(n_seats)),
        out=r.out,
        ending=r.ending or "exhausted",
        upcard=r.upcard,
        absent=frozenset(range(n_seats)) - frozenset(r.players),
    )


def _seat_facts(r: Round, seat: int) -> SeatFacts:
    on_table = r.rules.flow.meld_timing == "on_table"
    melds = tuple(lying.meld for lying in r.table if lying.owner == seat)
    if r.knock is not None and seat == r.knock.seat:
        melds = r.knock.melds  # as laid, without what the defender added
    return SeatFacts(
        hand=r.hands[seat],
        melds=melds if on_table or r.knock is not None else None,
        laid=cards_laid(r.table, seat) if on_table or r.knock is not None else None,
        laid_off=r.laid_off if r.knock is not None and seat != r.knock.seat else (),
        n_false_melds=r.n_fined("false meld")[seat],
        n_false_outs=r.n_fined("false going out")[seat],
        fines=tuple(fine for fine in r.fines if fine.seat == seat),
        cut=r.cut[1] if r.cut is not None and r.cut[0] == seat else None,
        down_and_out=on_table and r.went_down and r.out == seat,
    )


def finish_round(state: State) -> State:
    """Return the state after an ended round: the next round, or the end of the game."""
    r = state.round
    facts = round_facts(r)
    score = price_round(facts, r.rules)
    is_bonus = state.n_bonus > 0
    totals = state.totals
    if not is_bonus:  # a bonus round decides who wins and leaves the totals as they are
        totals = tuple(t + p for t, p in zip(totals, score.points, strict=True))
    state = replace(
        state,
        totals=totals,
        history=(*state.history, (facts, r.rules)),
        points=(*state.points, score.points),
    )
    if not is_bonus and not _is_last(state):
        rules = round_rules(state.rules, state.round_no + 1)
        return _next_round(state, new_round(rules, next_dealer(r), r.players, state.n_players))
    tied = score.winners if is_bonus else standings(totals, r.rules)[0]
    return _break_tie(state, tied)


def _is_last(state: State) -> bool:
    flow = state.rules.flow
    if flow.end_score is not None and max(state.totals) >= flow.end_score:
        return True
    n_rounds = state.rules.n_rounds
    return n_rounds is not None and state.round_no >= n_rounds


def _break_tie(state: State, tied: tuple[int, ...]) -> State:
    """Return the state with the winners, or with a bonus round among the tied."""
    flow = state.rules.flow
    if len(tied) > 1 and flow.tie_break == "bonus_round" and state.n_bonus < flow.bonus_max:
        r = state.round
        seats = tied if flow.bonus_players == "tied" else r.players
        rules = bonus_rules(state.rules)
        dealer = next_dealer(r, seats)
        state = replace(state, n_bonus=state.n_bonus + 1)
        return _next_round(state, new_round(rules, dealer, seats, state.n_players))
    winners = tied
    if len(tied) > 1 and flow.tie_break == "fewest_points_last_round":
        others = set(range(state.n_players)) - set(tied)
        winners = round_winners(state.points[-1], state.rules, absent=others) or tied
    elif len(tied) > 1 and flow.tie_break == "most_rounds_won":
        won = Counter(s for points in state.points for s in round_winners(points, state.rules))
        winners = tuple(s for s in tied if won[s] == max(won[t] for t in tied))
    return replace(state, winners=winners, round=state.round.to(actor=NOBODY))


def _next_round(state: State, r: Round) -> State:
    return replace(state, round=r, round_no=state.round_no + 1)


def next_dealer(r: Round, seats: tuple[int, ...] | None = None) -> int:
    """Return who deals next: the next to the left among the seats, whoever won.

    In simultaneous play the caller stays, unless the rules let the role move on.
    """
    flow = r.rules.flow
    if flow.simultaneous and not flow.caller_rotates:
        return r.dealer
    return turn_order(seats or r.players, r.dealer, len(r.hands), flow.direction)[0]
