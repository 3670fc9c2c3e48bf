"""Wilds on the table after going down: swapped in any turn, or kept; suits of cards added to sets.

Rule book 5.6 and 6 (Kalooki 51). Seat 0 deals; it is always seat 1's turn, after its draw.
"""

from __future__ import annotations

import pytest

from solver.engine.legal import legal_moves
from solver.engine.moves import GoDown
from solver.engine.notation import format_move, parse_move
from solver.engine.referee import apply
from solver.engine.view import view
from solver.players.advice import advise
from solver.rules.loader import load_rules
from solver.table import best_layoff
from tests.engine.helpers import cards, deal_state, play, refusal, with_round, with_table

SWAP = "1 down swap 6H<0.2 lay JK>0+"
RUN = (0, "R[4H 5H JK=6H 7H]")
# No three of these make a meld, and none but 6H touches the run.
HAND = "6H 2S 2C 4D 4C 6D 8C TS TD QS QC AD AC"


def later(game: str, hand: str, *table: tuple[int, str], n: int = 3, **options):
    """Seat 1 down since an earlier turn, after its draw."""
    state = deal_state(game, [hand, *[""] * (n - 1)], upcard="KC", stock="KD", **options)
    while state.round.actor != 1 or state.round.phase != "draw":
        state = play(state, f"{state.round.actor} pass")
    return with_table(play(state, "1 draw"), *table, down=(0, 1))


def test_a_player_already_down_swaps_in_any_turn():
    state = later("kalooki-51", HAND, RUN)
    assert refusal(state, SWAP) == ""
    after = play(state, SWAP)
    assert after.round.table[0].meld.text() == "R[4H 5H 6H 7H JK=8H]"
    assert len(after.round.hands[1]) == 13
    # The turn goes on to its discard, and the text of the move is read as it was written.
    assert refusal(after, "1 discard KD") == ""
    assert format_move(parse_move(SWAP)) == SWAP


@pytest.mark.parametrize("timing", ["with_contract", "after_contract", "off"])
def test_elsewhere_only_in_the_turn_of_going_down(timing):
    state = later("kalooki-51", HAND, RUN, swap_timing=timing)
    assert refusal(state, SWAP) == "swap.off"
    swaps = [m for m in legal_moves(state) if isinstance(m, GoDown) and m.swaps]
    assert swaps == []


@pytest.mark.parametrize(
    ("move", "code"),
    [
        ("1 down swap 6H<0.2", "swap.kept"),  # the wild must be played at once
        ("1 down swap 6D<0.2 lay JK>0+", "swap.card"),
        ("1 down swap 6H<0.1 lay 5H>0-", "swap.place"),
        ("1 down swap 6H<0.2 lay JK>0+ KD>0", "layoff.end"),
    ],
)
def test_a_bad_swap_of_a_later_turn_is_refused_free_of_charge(move, code):
    state = later("kalooki-51", HAND, RUN)
    assert refusal(state, move) == code
    assert state.round.fines == ()


def test_nobody_swaps_before_going_down():
    state = with_round(later("kalooki-51", HAND, RUN), down=frozenset({0}))
    assert refusal(state, SWAP) == "down.empty"


def test_the_legal_moves_hold_each_swap_and_the_advice_the_best():
    state = later("kalooki-51", HAND, RUN)
    swaps = {format_move(m) for m in legal_moves(state) if isinstance(m, GoDown) and m.swaps}
    assert swaps == {"1 down swap 6H<0.2 lay JK>0-", "1 down swap 6H<0.2 lay JK>0+"}
    best = advise(view(state, 1))
    assert isinstance(best.move, GoDown)
    assert [s.card for s in best.move.swaps] == [parse_move(SWAP).swaps[0].card]
    apply(state, best.move)


def test_own_jokers_are_swapped_where_the_rules_let_one():
    mine = (1, "R[4H 5H JK=6H 7H]")
    assert refusal(later("kalooki-51", HAND, mine), SWAP) == ""
    assert refusal(later("kalooki-51", HAND, mine, swap_scope="others"), SWAP) == "swap.owner"


# --- kept wilds -----------------------------------------------------------------------------------

SETS = (0, "S[9S 9H 9D]"), (1, "S[KS KH KC]")
LIVERPOOL = "2S JK 3D 4S 5C 6H 8C TS JD QC"


def test_wilds_are_kept_after_the_turn_of_going_down():
    free = later("liverpool", LIVERPOOL, *SETS, deal=1)
    kept = later("liverpool", LIVERPOOL, *SETS, deal=1, wilds_after_down="kept")
    for move in ("1 lay 2S>0", "1 lay JK>1"):
        assert refusal(free, move) == ""
        assert refusal(kept, move) == "layoff.wild_kept"
    # The drawn king fits and is no wild; a wild may be discarded, and nobody calls it.
    assert refusal(kept, "1 lay KD>1") == ""
    assert not any("2S>" in format_move(m) for m in legal_moves(kept))
    assert play(kept, "1 discard JK").round.phase != "rummy"
    assert play(free, "1 discard JK").round.phase == "rummy"


def test_in_the_turn_of_going_down_wilds_are_played():
    hand = "7S 7H 7D QD QC QS 2C AS 5D 3S"
    state = deal_state(
        "liverpool", [hand, "", ""], upcard="6C", stock="TD", deal=1, wilds_after_down="kept"
    )
    state = play(state, "1 pass", "2 pass", "0 pass", "1 draw")
    assert refusal(state, "1 down S[7S 7H 7D] S[QS QD QC] lay 2C>0") == ""
    went = play(state, "1 down S[7S 7H 7D] S[QS QD QC]")
    assert refusal(went, "1 lay 2C>0") == ""


def test_a_floating_player_throws_a_wild_that_may_not_be_laid():
    # The only card left is the joker: it fits nowhere any more, so that it ends the deal.
    kept = later("liverpool", LIVERPOOL, *SETS, deal=1, wilds_after_down="kept")
    alone = with_round(kept, hands=((), cards("JK"), ()), is_floating=True)
    assert refusal(alone, "1 discard JK") == ""
    free = later("liverpool", LIVERPOOL, *SETS, deal=1)
    alone = with_round(free, hands=((), cards("JK"), ()), is_floating=True)
    assert refusal(alone, "1 discard JK") == "discard.closing"


def test_kept_wilds_are_no_lay_offs():
    rules = load_rules("liverpool", deal=1, kept_wilds=True)
    assert best_layoff("2S JK 6D", ["R[7D 8D 9D TD]"], rules).penalty == 20  # Y4 leaves 0
    assert best_layoff("2S JK 6D", ["R[7D 8D 9D TD]"], load_rules("liverpool")).penalty == 0


# --- suits of cards added -------------------------------------------------------------------------


def test_suits_bind_the_set_laid_but_not_the_card_added():
    hand = "KS 2S 2C 4D 4C 6D 8C TS TD QS QC AD AC"
    table = (0, "S[KS KH KC]")
    assert refusal(later("kalooki-51", hand, table), "1 lay KS>0") == "layoff.no_fit"
    free = later("kalooki-51", hand, table, layoff_distinct_suits=False)
    assert refusal(free, "1 lay KS>0") == ""
    # Laid at once the suits differ all the same, and four cards are the most.
    full = play(free, "1 lay KS>0")
    assert refusal(full, "1 lay KD>0") == "layoff.no_fit"
    assert refusal(free, "1 down S[KS KS KD]") != ""
