"""Random sets of options, and answers of every kind that they may change."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

from solver.cards import JOKER, N_RANKS, parse_cards
from solver.engine.dealing import chance_move, first_dealer
from solver.engine.facts import RoundExtras
from solver.engine.legal import legal_moves
from solver.engine.moves import CHANCE
from solver.engine.notation import format_move
from solver.engine.referee import apply
from solver.engine.scoring import final_totals, score_round
from solver.engine.state import new_game
from solver.errors import InternalError, MeldSolverError, RulesError
from solver.melds import meld_readings
from solver.rules.deck import most_copies, with_largest_deck
from solver.rules.loader import load_rules, round_rules
from solver.rules.model import GameRules
from solver.rules.presets import preset_names
from solver.solve import solve
from solver.table import best_godown, best_layoff, joint_layoff, rearrange
from tests.strategies import SeededSource, make_contract_hand, make_hand

NAMES: Final = preset_names()
PIPS = {r: min(i + 1, 10) for i, r in enumerate("A23456789TJQK")}

# A few values of every key; a value may be refused in a game, or be what the game has anyway.
VALUES: Final[dict[str, list[Any]]] = {
    "suits": [4, 5],
    "rank_lo": [1, 2, 3],
    "ace": ["low", "high", "both", "cyclic"],
    "wild_ranks": ["2", "7", "J Q", "none"],
    "wild_cards": ["2S 2C", "7H", "AS", "none"],
    "jokers_wild": [True, False],
    "wild_as_natural": [True, False],
    "set_min": [2, 3, 4, 5],
    "set_max": [3, 4, 5, None],
    "set_distinct_suits": [True, False],
    "run_min": [2, 3, 4, 5],
    "run_max": [3, 4, 6, 13, None],
    "set_min_naturals": [0, 1, 2, 4],
    "run_min_naturals": [0, 1, 2, 3, 5],
    "run_core": ["4,3", "3,2", "2,1", None],
    "set_max_wilds": [0, 1, 2, None],
    "run_max_wilds": [0, 1, 2, None],
    "wilds_adjacent": [True, False],
    "wild_ratio": ["le", "lt", None],
    "points": [{"A": 15}, {"K": 13, "Q": 12, "J": 11}, {"7H": 0}, dict.fromkeys(PIPS, 0)],
    "joker_points": [0, 15, 20, 50],
    "wild_points": [None, 0, 20],
    "contract": ["3.3", "3+r4", "r4", "r3.r3", None],
    "use_all": [True, False],
    "extra_melds": [True, False],
    "forbid_adjacent_runs": [True, False],
    "distinct_set_ranks": [True, False],
    "distinct_run_suits": [True, False],
    "hand_require": ["1,0", "2,1", "1,1", None],
    "penalty_cap": [10, 25, 80, None],
    "min_meld_value": [0, 20, 45],
    "meld_points": ["face", "ace_position"],
    "meld_values": [{"A": 15}, {"K": 13}, dict.fromkeys(PIPS, 3)],
    "ace_low_points": [0, 1, 5],
    "wild_value_zero": [True, False],
    "must_use": ["7H", "7H 8S", "none"],
    "ranks": ["A 2 3 4 5 6 7 8 9 T J Q K", "3 4 5 6 7 8 9 T J Q K", "A 2 3 4 5 6 7 J Q K"],
    "packs": [1, 2, 3, None],
    "packs_by_players": ["players/2", {"8": 3}, {"26": 4}],
    "jokers_per_pack": [0, 1, 2],
    "jokers": [0, 2, "players", "players-1", "packs-1"],
    "tiles": [True, False],
    "referee": ["full", "simplified", "none"],
    "min_players": [1, 2, 3],
    "max_players": [2, 4, 8, 10],
    "rounds": [1, 2, 3],
    "end_score": [30, 60, 100],
    "deal_sizes": ["3..5", [4], "5,5", [7], "10x4+12x3", "contract+1"],
    "direction": ["cw", "ccw"],
    "first_dealer": ["random", 0, 1],
    "meld_timing": ["at_end", "on_table"],
    "layoff": ["none", "own", "all"],
    "rearrange": [True, False],
    "layoff_same_turn": [True, False],
    "draw_sources": ["stock", "top_discard", "stock top_discard", "stock any_discard"],
    "simultaneous": ["speed", None],
    "speed_final_beats": [0, 1, 2],
    "caller_rotates": [True, False],
    "forbid_return_discard": [True, False],
    "must_discard_to_go_out": [True, False],
    "final_turns": [0, 1, 2],
    "final_deal": ["ordinary", "all_down_no_discard"],
    "swap_timing": ["off", "with_contract", "after_contract", "any_turn"],
    "swap_runs_only": [True, False],
    "swap_scope": ["others", "all"],
    "layoff_wild_limit": [0, 1, None],
    "layoff_keeps_ratio": [True, False],
    "layoff_distinct_suits": [True, False],
    "wilds_after_down": ["played", "kept"],
    "buy_priority": ["off", "nearest", "first_call"],
    "buy_price": [0, 1, 2],
    "max_buys": [0, 1, None],
    "multi_buy": [True, False],
    "buy_after_down": [True, False],
    "rummy_mode": ["off", "call", "auto"],
    "rummy_scope": ["all", "down_only"],
    "rummy_includes_wilds": [True, False],
    "rummy_cards": [0, 1, 2],
    "closing_discard_playable": ["always", "non_floating", "never"],
    "false_meld_penalty": [None, 10, 50],
    "false_out_penalty": [None, 10, 50],
    "exact_cut_bonus": [0, -50, 10],
    "cut_model": ["off", "uniform", "normal", "normal(3)", "player"],
    "stock_empty": ["reshuffle", "end_round"],
    "stock_wall": [0, 2, 10],
    "max_reshuffles": [None, 0, 1],
    "max_turns_per_round": [2, 5, 500],
    "tie_break": ["shared", "fewest_points_last_round", "most_rounds_won", "bonus_round"],
    "bonus_cards": [None, 4, 14],
    "bonus_wild": [None, "A", "K"],
    "bonus_max": [0, 1, 3],
    "bonus_players": ["tied", "all"],
    "scoring": ["penalty", "difference", "meld_minus_hand", "winner_takes"],
    "knock_limit": [None, 5, 10, 40],
    "gin_bonus": [0, 20, 25],
    "undercut_bonus": [0, 10, 25],
    "undercut_on_tie": [True, False],
    "big_gin_bonus": [None, 31],
    "oklahoma": [True, False],
    "oklahoma_ace": ["gin", "one"],
    "spade_double": [True, False],
    "game_bonus": [0, 100],
    "box_bonus": [0, 25],
    "initial_meld_min": [0, 30, 51],
    "table_wilds": ["free", "exchanged"],
    "drop_points": [None, "10,30", "20,40"],
    "false_declaration_points": [None, 60, 80],
    "go_down_and_out_bonus": [0, -10],
    "first_player_extra": [True, False],
    "first_upcard": ["open", "offer"],
    "floating": [True, False],
    "players": [2, 3, 4],
    "bonus": [False, True],
    "wild_schedule": [{"3": "4"}, {"10": "5"}, {"5": "A", "7": "2"}],
    "contracts": ["3.3; 3+r4", "3.3; r4.r4; 3+r5", None],
    "turned_card": ["7H", "JK", None],
    "turned_joker_wild": ["A", "K", None],
    "meld_min_naturals": [0, 1, 2],
    "end": ["2 rounds", "60 points"],
    "cards_dealt": [3, 5, 10],
    "deal": [1, 2, 7],
    "round": [1, 2],
}


def draw_set(rng: random.Random) -> tuple[str, dict[str, Any]]:
    """Return a game and one to five options; mostly options that act there by themselves."""
    name = rng.choice(NAMES)
    keys = rng.sample(sorted(VALUES), rng.choice((1, 1, 2, 2, 3, 4, 5)))
    return name, {key: rng.choice(VALUES[key]) for key in keys}


def accepted(name: str, options: dict[str, Any]) -> GameRules | None:
    """Return the rules, None where the loader refuses them with a reason; other errors pass."""
    try:
        return load_rules(name, **options)
    except RulesError as error:
        told = {(f.code[:6], f.message[:9], f.where[:9]) for f in error.faults}
        if told == {("rules.", "expected ", "/options/")}:
            return None
        raise


def a_round(rules: GameRules, rng: random.Random) -> GameRules:
    """Return a round of a game, the rules themselves where one was chosen."""
    if rules.round_no is not None or (rules.n_dealt is not None and rules.n_rounds is None):
        return rules
    if dict(rules.options).get("bonus"):
        return rules
    return round_rules(rules, rng.randint(1, rules.n_rounds or 1))


def hands_for(rules: GameRules, rng: random.Random, n: int, most: int = 9) -> list[list[int]]:
    """Return hands that the deck of a game can deal, of the size of its deal up to a limit."""
    source = SeededSource(rng)
    size = min(rules.n_dealt or 7, most)
    copies = most_copies(with_largest_deck(rules).deck)
    deck = [c for c in range(JOKER + 1) for _ in range(min(int(copies[c]), 4))]
    found = []
    for _ in range(n):
        maker = make_contract_hand if rules.meld.contract else make_hand
        left, hand = list(deck), []
        for card in maker(source, rules.meld, size, size):
            if card in left:
                left.remove(card)
                hand.append(card)
        hand += rng.sample(left, min(max(0, size - len(hand)), len(left)))
        found.append(sorted(hand))
    return found


def attempt(ask: Callable[[], Any]) -> Any:
    """Return an answer, or the code and place of the refusal; our own mistakes pass through."""
    try:
        return ask()
    except InternalError:
        raise
    except MeldSolverError as error:
        return [(f.code, f.where) for f in error.faults]


# --- probes: (name, answer) of everything that may be asked of rules ------------------------------


FIXED: Final = (
    *("JK 2S 9D KC", "JK JK 4S", "3S 5D 7H 9C JS KD 2H 4C 6S 8D TH QC AS", "5S 5H JK JK JK 9C"),
    *("AS 2S 3S 4S 5S 6S 7S 8S 9S", "5H 6H 7H 8H 9H TH", "7S 7H 7D 7C 7S 7H", "QS KS AS 2S"),
    *("4H JK 6H JK 8H", "4H 5H JK JK 8H 9H", "7* 8* 9* 7S 7H", "KS KH KD KC KS QS JS TS"),
    *("5S 5H 5D 9C 9S 9H KD KS QC JH", "4H 5H 6H 7H 9S 9C 9D 2C 3S QD", "5S 5H JK 9C 9S JK KD 7S"),
    *("4H 5H 6H 7H 8H 9H TH JH QC 2D", "4H 5H 6H 7H 4S 5S 6S 7S KD", "4H 5H JK 7H 4S JK JK 7S KD"),
    *("4H 5H 6H 7H 8H 8S 8D 8C JK 2S", "4S 5S 6S 4H 5H 6H KD KC QD", "9S 9H 9D 9C 9S 9H 2C 2D 3H"),
    *("AS 2S 3S AH AD AC 7H 7D 7S 8S", "7H 7D 8S 8C JK 2C 2H 3D"),
)
"""Hands that meet limits: lone wilds, long runs and sets, gaps, contracts of two melds and more."""


def probe_hands(rules: GameRules, seed: str) -> Iterator[tuple[str, Any]]:
    """Yield what hands cost, and what cards may be read as."""
    rng = random.Random(seed)
    fixed = [parse_cards(text) for text in FIXED if rules.deck.has_jokers or "JK" not in text]
    for i, hand in enumerate([*fixed, *_hands(rules, rng, 8)]):
        if not hand:
            continue
        for free in (False, True):
            solution = attempt(lambda h=hand, f=free: solve(h, rules, ignore_contract=f))
            if not isinstance(solution, list):
                solution = (solution.penalty, solution.contract_met, solution.arrangement.text())
            yield f"solve {i} {free}", solution
    for text in ("7H 8H JK", "2S 2C 7D", "JK JK 5S", "QS KS AS", "AS 2S 3S", "5S 5H 5D 5C JK"):
        if rules.deck.has_jokers or "JK" not in text:
            yield f"readings {text}", attempt(lambda t=text: _readings(t, rules))


def _readings(text: str, rules: GameRules) -> list[str]:
    return [meld.text() for meld in meld_readings(text, rules)]


def _hands(rules: GameRules, rng: random.Random, n: int) -> list[list[int]]:
    """Return hands of any cards, the same for all rules that share a seed."""
    suits = list(range(4))
    found = []
    for _ in range(n):
        start, size = rng.randrange(13), rng.randint(5, 9)
        hand = [
            rng.choice(suits) * N_RANKS + (start + rng.randrange(5)) % N_RANKS for _ in range(size)
        ]
        hand += rng.choices([JOKER, 1, 14, 27, 6, 19, 0, 13], k=rng.randint(0, 3))
        found.append(sorted(c for c in hand if c != JOKER or rules.deck.has_jokers))
    return found


EXTRAS: Final = {
    "nothing": RoundExtras(),
    "cut": RoundExtras(cut=(0, 2 * 5 + 1)),
    "false melds": RoundExtras(false_melds={0: 2}),
    "first drop": RoundExtras(drops={0: "first"}),
    "middle drop": RoundExtras(drops={1: "middle"}),
    "false show": RoundExtras(false_declarations=(0,)),
    "down and out": RoundExtras(down_and_out=(1,)),
    "spade": RoundExtras(upcard=4),
    "ace": RoundExtras(upcard=26),
}


def probe_score(rules: GameRules, seed: str) -> Iterator[tuple[str, Any]]:
    """Yield the points of rounds."""
    rng = random.Random(seed)
    n_seats = max(2, rules.flow.min_players)
    for trial in range(6):
        size = rules.n_dealt or 7
        deck = [c for c in range(52) if c % 13 in rules.deck.ranks]
        rng.shuffle(deck)
        hands = [deck[i * size : (i + 1) * size] for i in range(n_seats)]
        if trial > 1:  # hearts in a row, and a king left over, nothing, a card more, or an ace
            row = list(range(14, 14 + size))
            hands[1] = {2: [*row[:-1], 51], 3: row, 4: [*row, 14 + size], 5: [*row[:-1], 39]}[trial]
            rest = [c for c in deck if c not in hands[1]]
            hands[0] = rest[:size]
        for what, extras in EXTRAS.items():
            for out in (None, 1):

                def ask(h=hands, e=extras, o=out):
                    return [p.points for p in score_round(h, rules, out=o, extras=e).players]

                yield f"score {trial} {what} {out}", attempt(ask)


def probe_deck(rules: GameRules, _seed: str) -> Iterator[tuple[str, Any]]:
    """Yield the decks of all tables, and who may sit down."""
    for n in range(1, 12):

        def ask(n: int = n) -> Any:
            game = new_game(rules, n, first_dealer=min(1, n - 1))
            deck = game.rules.deck
            return (deck.packs, deck.jokers, deck.ranks, game.round.actor, game.round.players)

        yield f"seats {n}", attempt(ask)
    yield "first dealer", rules.flow.referee != "none" and first_dealer(rules, 2, 3)
    yield "tiles", attempt(lambda: solve("R5 B5 K5 O9", rules).penalty)


TABLE = ["R[4H 5H 6H 7H]", "S[9S 9H 9D]"]
TURNS = (
    "KS KH KD 8H 9C JK 3D 4S",
    "5S 6S 7S 8S 3H 2C 9C QD",
    "AS AH AD 2S 3S 4S 8H KD 3H",
    "5C 5D 5S 6C 6D 6S 8H JK JK",
)


def probe_table(rules: GameRules, _seed: str) -> Iterator[tuple[str, Any]]:
    """Yield what can be done beside melds on the table."""
    wild_run = "R[4H 5H JK=6H 7H]" if rules.deck.has_jokers else TABLE[0]
    half_wild = "R[JK=7S 8S 9S JK=TS]" if rules.deck.has_jokers else "R[7S 8S 9S TS]"
    wild_set = "S[9S 9H JK=9]" if rules.deck.has_jokers else TABLE[1]
    lying = [wild_run, wild_set, half_wild]
    if rules.deck.has_jokers:
        # A wild that the rack can only use where it need not be replaced by its own card.
        yield (
            "freed wild",
            attempt(lambda: rearrange(["R[JK=4H 5H 6H]"], "7H 9S 9D", rules).penalty),
        )
    for text in TURNS:
        hand = text if rules.deck.has_jokers else text.replace(" JK", "")
        for own in ((), (0, 1)):
            yield (
                f"layoff {hand} {own}",
                attempt(lambda h=hand, o=own: str(best_layoff(h, lying, rules, own=o, keep=1))),
            )
            yield (
                f"godown {hand} {own}",
                attempt(
                    lambda h=hand, o=own: str(best_godown(h + " 6H", lying, rules, own=o, keep=1))
                ),
            )
        yield f"joint {hand}", attempt(lambda h=hand: str(joint_layoff(h, TABLE, rules)))
        for opening in (False, True):

            def ask(h=hand, o=opening):
                found = rearrange([] if o else lying, h, rules, opening=o)
                return (found.penalty, sorted(m.text() for m in found.melds))

            yield f"rearrange {hand} {opening}", attempt(ask)


def probe_play(rules: GameRules, seed: str, most: int = 250) -> Iterator[tuple[str, Any]]:
    """Yield the moves of a game of players who choose by lot, up to a number of moves."""
    told: list[str] = []

    def ask() -> Any:
        n_seats = max(2, rules.flow.min_players)
        rng = random.Random(seed)
        state = new_game(rules, n_seats, first_dealer=first_dealer(rules, n_seats, seed))
        for _ in range(most):
            if state.is_over:
                break
            if state.actor == CHANCE:
                move = chance_move(state, seed)
            else:
                moves = [m for m in legal_moves(state) if m.seat == state.actors()[0]]
                told.append(str(len(moves)))
                ends = [m for m in moves if getattr(m, "out", False) or "knock" in format_move(m)]
                move = rng.choice(ends or moves)
            told.append(format_move(move))
            state = apply(state, move)
        if state.winners is None:
            return ()
        final = final_totals(state.totals, state.points, state.winners, rules)
        return (state.points, state.totals, state.winners, final)

    yield "end", attempt(ask)
    yield "moves", told


PROBES: Final = (probe_hands, probe_score, probe_deck, probe_table, probe_play)


@lru_cache(maxsize=512)
def answers(rules: GameRules, seed: str, which: tuple[int, ...]) -> dict[str, Any]:
    """Return the answers of some probes by name."""
    return {
        f"{probe}: {name}": answer
        for probe in which
        for name, answer in PROBES[probe](rules, f"{seed} {probe}")
    }
