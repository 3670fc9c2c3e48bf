"""Hands that no deck can deal."""

from __future__ import annotations

import pytest

from solver.cards import JOKER, parse_card, read_hand
from solver.errors import HandError
from solver.rules.deck import max_copies
from solver.rules.loader import check_deck, load_rules


def faults_of(hand: str, name: str, **options: object) -> list[tuple[str, str]]:
    """Return code and card of each fault of a hand."""
    with pytest.raises(HandError) as caught:
        check_deck(read_hand(hand), load_rules(name, **options))
    return [(f.code, f.data["card"]) for f in caught.value.faults]


def test_hands_that_can_be_dealt() -> None:
    check_deck(read_hand("7H 8H 9H KD"), load_rules("gin"))
    check_deck(read_hand("7H 7H 7H 7H 7H 7H"), load_rules("three-thirteen"))
    check_deck(read_hand("JK JK JK JK JK JK 9H 9H 5*"), load_rules("five-crowns"))
    check_deck(read_hand("JK 7H 7H"), load_rules("three-thirteen", jokers_per_pack=2, packs=2))
    check_deck(read_hand(""), load_rules("gin"))


def test_every_fault_is_told_with_its_card() -> None:
    got = faults_of("7H 7H 7H KD KD JK 5* AS", "gin")
    assert got == [
        ("hand.copies", "7H"),
        ("hand.copies", "KD"),
        ("hand.not_in_deck", "5*"),
        ("hand.not_in_deck", "JK"),
    ]


def test_faults_name_copies_and_place() -> None:
    with pytest.raises(HandError) as caught:
        check_deck(read_hand("9H 9H 9H"), load_rules("five-crowns"), where="/hands/2")
    (fault,) = caught.value.faults
    assert (fault.code, fault.where) == ("hand.copies", "/hands/2")
    assert fault.data == {"card": "9H", "held": 2, "copies": 3}
    assert fault.message == "expected at most 2 of 9H in the five-crowns deck, got 3"


@pytest.mark.parametrize(
    ("hand", "name", "options", "codes"),
    [
        ("JK JK JK JK JK JK JK", "five-crowns", {}, ["hand.copies"]),
        ("AS 2H 3H", "five-crowns", {}, ["hand.not_in_deck", "hand.not_in_deck"]),
        ("JK", "three-thirteen", {"cards_dealt": 3}, ["hand.not_in_deck"]),
        ("5*", "three-thirteen", {}, ["hand.not_in_deck"]),
        ("7H 7H", "three-thirteen", {"players": 2}, ["hand.copies"]),
        ("7H 7H 7H", "liverpool", {"players": 3}, ["hand.copies"]),
        ("JK JK JK", "deuces-arent-wild", {}, ["hand.copies"]),
        ("7H 7H 7H JK JK JK", "rummikub", {}, ["hand.copies", "hand.copies"]),
        ("JK JK", "contract-rummy", {"players": 3}, ["hand.copies"]),
    ],
)
def test_hands_that_cannot_be_dealt(
    hand: str, name: str, options: dict[str, object], codes: list[str]
) -> None:
    assert [code for code, _ in faults_of(hand, name, **options)] == codes


def test_copies_of_a_card() -> None:
    assert max_copies(JOKER, load_rules("liverpool").deck) is None
    assert max_copies(JOKER, load_rules("liverpool", players=5).deck) == 6
    assert max_copies(parse_card("7H"), load_rules("rum-500", players=5).deck) == 2
    assert max_copies(JOKER, load_rules("rum-500").deck) == 0
