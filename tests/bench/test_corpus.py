"""Corpora: the same hands everywhere, dealt from the deck of the game, of the style they claim."""

from __future__ import annotations

import numpy as np
import pytest

from bench.corpus import GAMES, STYLES, make_corpus
from bench.tiles import WHOLE_TABLE, make_okey_racks, make_racks, make_tables
from bench.truth import digest
from solver.cards import cards_of, counts_of
from solver.melds import is_meld
from solver.rules.loader import check_deck, list_rules
from solver.solve import parse_hands

N = 40
FEW_WILDS = {"gin", "oklahoma-gin", "rum-500", "contract-rummy", "rummikub"}


def test_every_preset_is_measured():
    assert set(GAMES) == {info.id for info in list_rules()}


def test_hands_are_the_same_on_every_machine():
    # Pinned: the committed optima are of these very hands.
    assert make_corpus(GAMES["gin"], "random", 2).texts == [
        "KC TC 4D 2C 5H TS 3S QC 2D 9H",
        "6H QH KD JC 5C AH 6D 5H 4H TD",
    ]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("game", GAMES)
def test_hands_can_be_dealt(game, style):
    if style == "wilds" and game in FEW_WILDS:
        with pytest.raises(ValueError, match="4 wild cards"):
            make_corpus(GAMES[game], style, N)
        return
    corpus = make_corpus(GAMES[game], style, N)
    for counts in corpus.counts:
        check_deck(counts, corpus.rules)
    size = GAMES[game].n_largest if style == "largest" else GAMES[game].n_cards
    assert (corpus.counts.sum(1) == size).all()


@pytest.mark.parametrize("game", ["gin", "five-crowns", "rummikub"])
def test_texts_and_counts_are_the_same_hands(game):
    corpus = make_corpus(GAMES[game], "random", N)
    read = parse_hands(corpus.texts, tiles=corpus.rules.deck.tiles)
    assert (read == corpus.counts).all()
    assert (corpus.counts[3] == counts_of(corpus.cards[3].tolist())).all()


def test_a_small_corpus_is_a_prefix_of_a_large_one():
    small, large = (make_corpus(GAMES["indian-13"], "dense", n) for n in (5, N))
    assert digest(small.cards) == digest(large.cards[:5])
    assert digest(large.head(5).counts) == digest(small.counts)


def test_dense_hands_come_from_a_band_of_ranks():
    corpus = make_corpus(GAMES["three-thirteen"], "dense", N)
    for hand in corpus.cards:
        ranks = [c % 13 for c in hand.tolist() if not corpus.rules.meld.is_wild(c)]
        assert max(ranks) - min(ranks) < 7


def test_many_wilds_are_many():
    corpus = make_corpus(GAMES["five-crowns"], "wilds", N)
    wild = np.array([corpus.rules.meld.is_wild(c) for c in range(66)])
    n_wild = corpus.counts[:, wild].sum(1)
    assert set(n_wild.tolist()) == {4, 5, 6, 7, 8}


def test_an_unknown_style_is_refused():
    with pytest.raises(ValueError, match="expected a style of random"):
        make_corpus(GAMES["gin"], "evil", 1)


@pytest.mark.parametrize("n_tiles", [31, WHOLE_TABLE])
def test_tables_are_legal_and_leave_the_deck_whole(n_tiles):
    states = make_tables(n_tiles, 3)
    assert [len(table) for table in states.tables] == [n_tiles] * 3
    assert {len(rack) for rack in states.racks} == {16 if n_tiles == WHOLE_TABLE else 14}
    for i in range(3):
        counts, rules = states.question(i)
        check_deck(counts, rules)
        assert rules.meld.must_use == tuple(
            (c, n) for c, n in enumerate(counts_of(states.tables[i]).tolist()) if n
        )


def test_a_table_is_made_of_melds():
    states = make_tables(3, 5)
    for table in states.tables:
        assert is_meld(cards_of(counts_of(table)), states.rules)


def test_racks_count_tiles_and_okey_racks_have_no_joker():
    racks, okey = make_racks(N), make_okey_racks(N)
    assert racks.rules.meld.points == (1,) * 66
    assert racks.counts[:, 65].any()
    assert not okey.counts[:, 65].any()
    assert len(okey) == N
    assert okey.rules.meld.points[12] == 13
