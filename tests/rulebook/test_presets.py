"""Facts of every preset, worked out by hand from sections 1 to 6 of the rule book."""

from __future__ import annotations

import pytest

from solver.cards import JOKER, RANKS, parse_card
from solver.rules.loader import bonus_rules, list_rules, load_rules, round_rules
from solver.rules.model import GameRules

PIPS = "1 2 3 4 5 6 7 8 9 10 10 10 10"
FIVE_TEN = "15 5 5 5 5 5 5 5 5 10 10 10 10"
LIVERPOOL_CONTRACTS = ["s3 s3", "s3 r4", "r4 r4", "s3 s3 s3", "s3 s3 r4", "s3 r4 r4", "r4 r4 r4"]

# preset: points A..K, joker
POINTS = {
    "three-thirteen": (PIPS, 20),
    "speed-three-thirteen": (PIPS, 20),
    "deuces-arent-wild": (PIPS, 20),
    "liverpool": (FIVE_TEN, 15),
    "liverpool-i-may": (FIVE_TEN, 15),
    "gin": (PIPS, 20),
    "oklahoma-gin": (PIPS, 20),
    "indian-13": ("10 2 3 4 5 6 7 8 9 10 10 10 10", 0),
    "rummikub": ("1 2 3 4 5 6 7 8 9 10 11 12 13", 30),
    "contract-rummy": ("15 2 3 4 5 6 7 8 9 10 10 10 10", 15),
    "shanghai-10": (FIVE_TEN, 15),
    "continental": ("20 5 5 5 5 5 5 10 10 10 10 10 10", 50),
    "carioca": ("20 2 3 4 5 6 7 8 9 10 10 10 10", 30),
    "kalooki-51": ("11 2 3 4 5 6 7 8 9 10 10 10 10", 25),
    "rum-500": ("15 2 3 4 5 6 7 8 9 10 10 10 10", 20),
}
# preset: ace, set_min, set_max, distinct suits, run_min
MELDS = {
    "three-thirteen": ("low", 3, None, False, 3),
    "speed-three-thirteen": ("low", 3, None, False, 3),
    "five-crowns": ("low", 3, None, False, 3),
    "deuces-arent-wild": ("low", 3, None, False, 3),
    "liverpool": ("both", 3, None, False, 4),
    "liverpool-i-may": ("both", 3, None, False, 4),
    "gin": ("low", 3, 4, True, 3),
    "oklahoma-gin": ("low", 3, 4, True, 3),
    "indian-13": ("both", 3, 4, True, 3),
    "rummikub": ("low", 3, 4, True, 3),
    "contract-rummy": ("both", 3, None, False, 4),
    "shanghai-10": ("both", 3, None, False, 4),
    "continental": ("cyclic", 3, None, False, 4),
    "carioca": ("both", 3, None, False, 4),
    "kalooki-51": ("both", 3, 4, True, 3),
    "kalooki-jamaica": ("both", 3, None, False, 4),
    "rum-500": ("both", 3, None, False, 3),
}
# preset: players, cards in the deck for that many
DECKS = [
    ("three-thirteen", 2, 52),
    ("three-thirteen", 3, 104),
    ("three-thirteen", 4, 104),
    ("three-thirteen", 5, 156),
    ("three-thirteen", 8, 208),
    ("speed-three-thirteen", 2, 208),
    ("speed-three-thirteen", 13, 208),
    ("speed-three-thirteen", 14, 260),
    ("speed-three-thirteen", 17, 312),
    ("five-crowns", 1, 116),
    ("five-crowns", 7, 116),
    ("deuces-arent-wild", 3, 54),
    ("liverpool", 4, 108),
    ("liverpool", 5, 162),
    ("gin", 2, 52),
    ("indian-13", 6, 106),
    ("rummikub", 4, 106),
    ("contract-rummy", 3, 105),
    ("contract-rummy", 5, 158),
    ("shanghai-10", 4, 108),
    ("shanghai-10", 5, 162),
    ("continental", 4, 108),
    ("carioca", 4, 108),
    ("kalooki-51", 4, 108),
    ("kalooki-jamaica", 4, 108),
    ("rum-500", 4, 52),
    ("rum-500", 5, 104),
]


def contract_text(rules: GameRules) -> str:
    """Return a contract as ``s3 r4``."""
    return " ".join(f"{kind[0]}{length}" for kind, length in rules.meld.contract or ())


def test_every_preset_of_the_rule_book_is_there() -> None:
    assert {info.id for info in list_rules()} == set(MELDS)


@pytest.mark.parametrize("name", POINTS)
def test_points_left_in_hand(name: str) -> None:
    ranks, joker = POINTS[name]
    points = load_rules(name, wild_ranks=[]).meld.points
    assert points[:65] == tuple(int(n) for n in ranks.split()) * 5
    assert points[JOKER] == joker


def test_jamaican_kalooki_prices_cards_not_ranks() -> None:
    points = load_rules("kalooki-jamaica").meld.points
    aces = {text: points[parse_card(text)] for text in ("AS", "AC", "AH", "AD")}
    assert aces == {"AS": 15, "AC": 15, "AH": 1, "AD": 1}
    assert points[1:13] == (2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
    assert points[JOKER] == 50


@pytest.mark.parametrize("name", MELDS)
def test_sizes_of_melds(name: str) -> None:
    meld = load_rules(name).meld
    got = (meld.ace, meld.set_min, meld.set_max, meld.set_distinct_suits, meld.run_min)
    assert got == MELDS[name]


@pytest.mark.parametrize(("name", "players", "size"), DECKS)
def test_decks(name: str, players: int, size: int) -> None:
    assert load_rules(name, players=players).deck.size() == size


@pytest.mark.parametrize("name", ["three-thirteen", "liverpool", "shanghai-10", "kalooki-51"])
def test_copies_are_open_until_players_or_packs_are_given(name: str) -> None:
    assert load_rules(name).deck.packs is None
    assert load_rules(name, packs=2).deck.packs == 2


@pytest.mark.parametrize(
    ("name", "size"),
    [("gin", 52), ("five-crowns", 116), ("rummikub", 106), ("deuces-arent-wild", 54)],
)
def test_decks_that_the_game_fixes(name: str, size: int) -> None:
    assert load_rules(name).deck.size() == size


@pytest.mark.parametrize("name", ["three-thirteen", "speed-three-thirteen", "five-crowns"])
@pytest.mark.parametrize(("round_no", "rank"), list(enumerate("3456789TJQK", start=1)))
def test_round_r_deals_r_plus_2_cards_and_their_rank_is_wild(
    name: str, round_no: int, rank: str
) -> None:
    rules = load_rules(name, cards_dealt=round_no + 2)
    assert (rules.round_no, rules.n_dealt, rules.n_rounds) == (round_no, round_no + 2, 11)
    assert rules.meld.wild_ranks == {RANKS.index(rank)}
    assert round_rules(load_rules(name), round_no) == rules


def test_a_wild_left_in_hand_in_three_thirteen_costs_its_ordinary_points() -> None:
    assert load_rules("three-thirteen", cards_dealt=3).meld.points[2] == 3
    assert load_rules("three-thirteen", cards_dealt=13).meld.points[12] == 10


def test_five_crowns_prices_and_line() -> None:
    rules = load_rules("five-crowns", cards_dealt=11)
    assert rules.meld.points[2:13] == (3, 4, 5, 6, 7, 8, 9, 10, 20, 12, 13)
    assert rules.meld.points[JOKER] == 50
    assert (rules.meld.suits, rules.meld.rank_lo) == (5, 3)
    assert rules.deck.ranks == tuple(range(2, 13))
    assert (rules.deck.packs, rules.deck.jokers) == (2, 6)
    # Without a round no rank is wild and a jack costs 11.
    assert load_rules("five-crowns").meld.points[10] == 11


def test_deuces_never_get_their_turn() -> None:
    name = "deuces-arent-wild"
    wild = [load_rules(name, cards_dealt=n).meld.wild_ranks for n in range(3, 15)]
    assert wild == [{RANKS.index(r)} for r in "3456789TJQKA"]
    last = load_rules(name, round=12)
    assert (last.n_dealt, last.n_rounds, last.meld.points[0]) == (14, 12, 1)


def test_bonus_round_of_deuces_arent_wild() -> None:
    rules = bonus_rules(load_rules("deuces-arent-wild", players=3))
    assert (rules.n_dealt, rules.round_no, rules.meld.wild_ranks) == (14, 13, {0})
    flow = rules.flow
    got = (flow.tie_break, flow.bonus_cards, flow.bonus_wild, flow.bonus_max, flow.bonus_players)
    assert got == ("bonus_round", 14, "A", 3, "tied")


@pytest.mark.parametrize("name", ["liverpool", "liverpool-i-may", "contract-rummy"])
def test_liverpool_deals(name: str) -> None:
    deals = [load_rules(name, deal=n) for n in range(1, 8)]
    assert [contract_text(r) for r in deals] == LIVERPOOL_CONTRACTS
    assert [r.n_dealt for r in deals] == [10, 10, 10, 10, 12, 12, 12]
    assert [r.meld.use_all for r in deals] == [False] * 6 + [True]
    assert [r.flow.must_discard_to_go_out for r in deals] == [True] * 6 + [False]
    plain = load_rules(name)
    assert (plain.meld.contract, plain.n_dealt, plain.meld.use_all) == (None, None, False)


@pytest.mark.parametrize(
    ("name", "contracts", "dealt"),
    [
        (
            "shanghai-10",
            [
                *["s3 s3", "s3 r4", "r4 r4", "s3 s3 s3", "s3 r7", "s3 s3 r5", "r4 r4 r4"],
                *["s3 r10", "s3 s3 s3 r5", "r5 r5 r5"],
            ],
            [11] * 10,
        ),
        ("continental", LIVERPOOL_CONTRACTS, [7, 8, 9, 10, 11, 12, 13]),
        ("carioca", LIVERPOOL_CONTRACTS, [12] * 7),
        (
            "kalooki-jamaica",
            [
                *["s3 s3 s3", "s3 s3 r4", "s3 r4 r4", "r4 r4 r4", "s3 s3 s3 s3", "s3 s3 s3 r4"],
                *["s3 s3 r4 r4", "s3 r4 r4 r4", "r4 r4 r4 r4"],
            ],
            [9, 10, 11, 12, 12, 13, 14, 15, 16],
        ),
    ],
)
def test_contracts_of_the_neighbours(name: str, contracts: list[str], dealt: list[int]) -> None:
    deals = [load_rules(name, deal=n + 1) for n in range(len(contracts))]
    assert [contract_text(r) for r in deals] == contracts
    assert [r.n_dealt for r in deals] == dealt
    assert deals[0].n_rounds == len(contracts)
    assert not any(r.meld.use_all for r in deals)


def test_liverpool_limits_of_wilds() -> None:
    meld = load_rules("liverpool").meld
    assert (meld.wild_ranks, meld.wild_as_natural) == ({1}, False)
    assert (meld.set_min_naturals, meld.run_min_naturals, meld.run_core) == (2, 3, (4, 3))
    assert (meld.points[1], meld.distinct_set_ranks, meld.forbid_adjacent_runs) == (5, False, False)


def test_limits_of_wilds_of_the_neighbours() -> None:
    continental, jamaica = load_rules("continental").meld, load_rules("kalooki-jamaica").meld
    assert (continental.wilds_adjacent, continental.set_min_naturals) == (False, 1)
    assert continental.run_min_naturals == 1
    assert (jamaica.wilds_adjacent, jamaica.set_min_naturals) == (False, 2)
    assert (jamaica.distinct_run_suits, jamaica.distinct_set_ranks) == (True, True)
    assert load_rules("shanghai-10").meld.wild_ratio == "le"
    assert load_rules("contract-rummy", wild_ranks=["2"]).meld.points[1] == 15


def test_indian_needs_two_runs_one_pure() -> None:
    meld = load_rules("indian-13", wild_ranks=["7"]).meld
    assert (meld.hand_require, meld.penalty_cap) == ((2, 1), 80)
    assert (meld.points[6], meld.points[7], meld.points[JOKER]) == (0, 8, 0)
    assert load_rules("indian-13", one_run=True).meld.hand_require == (1, 1)
    flow = load_rules("indian-13").flow
    assert (flow.drop_points, flow.false_declaration_points) == ((20, 40), 80)


@pytest.mark.parametrize(("card", "rank"), [("7H", "7"), ("10s", "T"), ("JK", "A"), ("AD", "A")])
def test_the_turned_card_makes_its_rank_wild(card: str, rank: str) -> None:
    rules = load_rules("indian-13", turned_card=card)
    assert rules.meld.wild_ranks == {RANKS.index(rank)}
    assert rules.meld.points[RANKS.index(rank)] == 0


def test_opening_values_do_not_limit_a_plain_solve() -> None:
    flows = {n: load_rules(n).flow.initial_meld_min for n in ("kalooki-51", "rummikub")}
    assert flows == {"kalooki-51": 51, "rummikub": 30}
    assert all(load_rules(info.id).meld.min_meld_value == 0 for info in list_rules())
    assert load_rules("kalooki-51", kalooki_40=True).flow.initial_meld_min == 40


def test_values_of_melded_cards() -> None:
    kalooki, rum = load_rules("kalooki-51").meld, load_rules("rum-500").meld
    assert (kalooki.meld_points, kalooki.ace_low_points) == ("ace_position", 1)
    assert kalooki.meld_values == (11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
    assert rum.meld_values[0] == 15
    assert load_rules("rummikub").meld.meld_values == tuple(range(1, 14))
    assert load_rules("rummikub").deck.tiles


def test_flow_of_gin() -> None:
    flow = load_rules("gin").flow
    assert (flow.scoring, flow.knock_limit, flow.gin_bonus) == ("difference", 10, 25)
    assert (flow.undercut_bonus, flow.undercut_on_tie, flow.big_gin_bonus) == (25, True, None)
    assert (flow.end_score, flow.rounds, flow.stock_wall) == (100, None, 2)
    assert (flow.forbid_return_discard, load_rules("gin").n_dealt) == (True, 10)
    oklahoma = load_rules("oklahoma-gin").flow
    assert (oklahoma.oklahoma, oklahoma.oklahoma_ace, flow.oklahoma) == (True, "gin", False)


def test_flow_of_liverpool() -> None:
    flow = load_rules("liverpool").flow
    assert (flow.meld_timing, flow.layoff, flow.final_turns) == ("on_table", "all", 0)
    assert (flow.swap_timing, flow.swap_runs_only, flow.swap_scope) == (
        *("with_contract", True),
        "others",
    )
    assert (flow.buy_priority, flow.buy_price, flow.buy_after_down) == ("nearest", 1, True)
    assert (flow.rummy_mode, flow.rummy_scope, flow.closing_discard_playable) == (
        *("call", "all"),
        "non_floating",
    )
    assert (flow.false_meld_penalty, flow.exact_cut_bonus) == (50, -50)
    assert flow.forbid_return_discard
    assert load_rules("liverpool-i-may").flow.buy_priority == "first_call"


def test_flow_of_the_draw_games() -> None:
    base, speed = load_rules("three-thirteen").flow, load_rules("speed-three-thirteen").flow
    assert (base.forbid_return_discard, base.final_turns, base.tie_break) == (False, 1, "shared")
    assert (base.simultaneous, speed.simultaneous, speed.speed_final_beats) == (None, "speed", 1)
    assert speed.forbid_return_discard
    assert (speed.min_players, speed.max_players >= 12) == (2, True)


def test_flow_of_the_neighbours() -> None:
    assert load_rules("continental").flow.go_down_and_out_bonus == -10
    assert load_rules("carioca").flow.direction == "ccw"
    assert load_rules("rummikub").flow.scoring == "winner_takes"
    rum = load_rules("rum-500").flow
    assert (rum.scoring, rum.end_score, rum.draw_sources) == (
        *("meld_minus_hand", 500),
        ("stock", "any_discard"),
    )
    assert load_rules("shanghai-10").flow.layoff_same_turn is False
    assert load_rules("contract-rummy").flow.swap_timing == "off"


@pytest.mark.parametrize("info", list_rules(), ids=lambda info: info.id)
def test_any_number_of_players_that_a_game_allows_finds_enough_cards(info: object) -> None:
    name, (fewest, most) = info.id, info.players  # type: ignore[attr-defined]
    for players in range(fewest, most + 1):
        rules = load_rules(name, players=players)
        size = rules.deck.size()
        assert size is not None
        assert max(rules.flow.deal_sizes) * players + 1 + players <= size
