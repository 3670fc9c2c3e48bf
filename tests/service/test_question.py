"""Every face names the round or the contract it answers for, or says that none was chosen."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from solver.cards import format_hand
from solver.cli import COMMANDS, main
from solver.cli.lazy import load
from solver.engine.dealing import deck_cards
from solver.engine.scoring import score_told_round
from solver.engine.state import with_players
from solver.errors import HandError
from solver.rules.describe import list_rules
from solver.rules.loader import load_rules, round_of_sizes, round_rules
from solver.solve import best_contract, solve

# Loaded here and not inside a test: some library draws from the global generator on import.
for target, _ in COMMANDS.values():
    load(target)

GAMES = [info.id for info in list_rules()]


def words_of(name):
    """Return what must be said of a game whose round was not chosen, worked out from its rounds."""
    plain = load_rules(name)
    rounds = [round_rules(plain, n + 1) for n in range(plain.n_rounds or 0)]
    if any(game.meld.contract for game in rounds):
        return "no deal chosen: no contract is asked"
    if len({game.meld.wild_ranks for game in rounds}) > 1:
        only = "only jokers are wild" if plain.deck.has_jokers else "nothing is wild"
        return f"no round chosen: {only}"
    if name == "indian-13":  # rule book 6: the rank of a turned card is wild
        return "no card turned: only jokers are wild"
    return ""


def command(*arguments, stdin=None):
    result = CliRunner().invoke(main, arguments, input=stdin)
    assert result.exit_code in (0, 1), result.output
    return result.stdout


def hands_of(name, size):
    """Return hands that the deck of the game can deal, one a player of the smallest table."""
    rules = load_rules(name)
    n = max(2, rules.flow.min_players)
    deck = deck_cards(with_players(rules, n))
    return [format_hand(deck[i * size : (i + 1) * size]) for i in range(n)]


def scored(hands, rules):
    """Return the score in JSON, or why the game cannot be scored from hands alone."""
    try:
        return json.dumps(score_told_round(hands, rules).to_json())
    except HandError as error:
        return str(error)


def faces(client, name, options, size):
    """Return what each face says of a hand: name of the face, all it writes."""
    hands = hands_of(name, size)
    hand, rules = hands[0], load_rules(name, **options)
    chosen = ["-r", name, *(f"--option={key}={value}" for key, value in options.items())]
    asked = {"rules": {"name": name, "options": options}}
    query = "&".join(f"{key}={value}" for key, value in {"rules": name, **options}.items())
    told = json.dumps({**asked, "hands": hands})

    def post(path, **body):
        return client.post(path, json={**asked, **body}).get_data(as_text=True)

    address = f"/v1/solve?{query}&hand={hand.replace(' ', '+')}"
    return {
        "Solution": json.dumps(solve(hand, rules).to_json()),
        "score_told_round": scored(hands, rules),
        "solve": command("solve", hand, *chosen),
        "solve, many": command("solve", "-", *chosen, stdin=hand),
        "solve --json": command("solve", hand, *chosen, "--json"),
        "check": command("check", hand, *chosen),
        "check --json": command("check", hand, *chosen, "--json"),
        "score": command("score", "-", stdin=told),
        "score --json": command("score", "-", "--json", stdin=told),
        "POST /v1/solve": post("/v1/solve", hand=hand),
        "GET /v1/solve": client.get(address).get_data(as_text=True),
        "/v1/check": post("/v1/check", hand=hand, melds=[]),
        "/v1/score": post("/v1/score", hands=hands),
        "/v1/batch": post("/v1/batch", hands=[hand]),
    }


@pytest.mark.parametrize("name", [name for name in GAMES if words_of(name)])
def test_without_a_round_every_face_says_so(name, client):
    # Twenty cards are no deal of any game, so that no face can take the round from them; Indian
    # Rummy always deals thirteen.
    size = 13 if name == "indian-13" else 20
    for face, said in faces(client, name, {}, size).items():
        headline = said if said.startswith("{") else said.strip().splitlines()[0]
        assert words_of(name) in headline, face


def test_advice_and_play_say_that_no_card_was_turned(client):
    words = "no card turned: only jokers are wild"
    hand = "5S 6S 7S 8S 9S TS JS QS KS AH 2H 3H 9D KC"
    for turned, options in ((False, {}), (True, {"turned_card": "9S"})):
        chosen = ["-r", "indian-13", *(f"--option={k}={v}" for k, v in options.items())]
        rules = {"name": "indian-13", "options": options}
        advice = client.post("/v1/advice", json={"rules": rules, "hand": hand})
        said = [
            command("advise", hand, *chosen).splitlines()[0],
            command("advise", hand, *chosen, "--json"),
            command("play", *chosen, "--seed", "1", stdin="q"),
            advice.get_data(as_text=True),
        ]
        assert [words in text for text in said] == [not turned] * 4


@pytest.mark.parametrize("name", [name for name in GAMES if not words_of(name)])
def test_a_game_without_such_rounds_says_nothing_of_them(name, client):
    size = load_rules(name).n_dealt
    for face, said in faces(client, name, {}, size).items():
        assert " chosen" not in said, face
        assert " turned: " not in said, face


@pytest.mark.parametrize("name", [name for name in GAMES if words_of(name)])
def test_every_face_names_the_round_chosen(name, client):
    if name == "indian-13":
        return
    last = load_rules(name).n_rounds
    for number in (1, last):
        rules = load_rules(name, round=number)
        if rules.meld.contract:
            melds = " + ".join(f"{kind} of {least}" for kind, least in rules.meld.contract)
            words = f"deal {number} of {last}: {rules.n_dealt} cards, {melds}"
        else:
            (wild,) = rules.meld.wild_ranks
            rank = "A 2 3 4 5 6 7 8 9 10 J Q K".split()[wild]
            words = f"round {number} of {last}: {rules.n_dealt} cards, {rank}s wild"
        for face, said in faces(client, name, {"round": number}, rules.n_dealt).items():
            assert words in said, face
            assert " chosen" not in said, face


@pytest.mark.parametrize("number", range(1, 12))
def test_score_and_check_take_the_round_from_the_hands(number, client):
    # Rule book 1: round n deals n + 2 cards and makes that rank wild.
    size = number + 2
    told = faces(client, "three-thirteen", {}, size)
    for face in ("check", "check --json", "score", "score --json", "/v1/check", "/v1/score"):
        assert f"round {number} of 11: {size} cards" in told[face], face
        assert f"round {number} is taken from" in told[face], face
        assert "no round chosen" not in told[face], face
    for face in ("Solution", "solve", "POST /v1/solve"):
        assert "no round chosen: nothing is wild" in told[face], face


def test_a_round_from_the_hands_is_priced_as_that_round(client):
    # T203: in round 1 threes are wild, so 3S 9D 9H is a set.
    hands = ["7S 7H 7D", "3S 9D 9H"]
    question = {"rules": "three-thirteen", "hands": hands, "out": 0}
    answer = client.post("/v1/score", json=question).get_json()
    assert [player["points"] for player in answer["players"]] == [0, 0]
    assert answer["rules"]["options"] == {"cards_dealt": 3}
    fingerprint = load_rules("three-thirteen", cards_dealt=3).fingerprint
    assert answer["rules"]["fingerprint"] == fingerprint
    told = json.loads(command("score", "-", "--json", stdin=json.dumps(question)))
    assert [player["points"] for player in told["players"]] == [0, 0]
    asked = {"rules": "three-thirteen", "hand": hands[1], "melds": [hands[1]]}
    checked = client.post("/v1/check", json=asked).get_json()
    assert (checked["penalty"], checked["above_best"]) == (0, 0)
    assert "as good as the best" in command("check", hands[1], hands[1], "-r", "three-thirteen")


@pytest.mark.parametrize(
    ("name", "sizes", "number"),
    [
        ("three-thirteen", [3, 3], 1),
        ("three-thirteen", [13], 11),
        ("three-thirteen", [3, 4], None),
        ("three-thirteen", [2], None),
        ("three-thirteen", [14], None),
        ("three-thirteen", [], None),
        ("five-crowns", [13, 13, 13], 11),
        ("deuces-arent-wild", [14, 14], 12),
        ("continental", [7], None),  # melds on the table: a hand in play says nothing of the deal
        ("gin", [10, 10], None),
        ("liverpool", [10], None),
    ],
)
def test_sizes_name_a_round_only_where_hands_stay_whole(name, sizes, number):
    rules, words = round_of_sizes(load_rules(name), sizes)
    assert rules.round_no == number
    assert bool(words) is (number is not None)


def test_a_hand_on_the_way_names_no_round():
    # Where melds go on the table, seven cards may be held in any deal.
    wild = dict(zip("7 8 9 10 11 12 13".split(), "789TJQK", strict=True))
    rules = load_rules("continental", wild_schedule=wild)
    assert round_of_sizes(rules, [7, 7]) == (rules, "")
    assert solve("7S", rules).notes == (
        "no round chosen: only jokers are wild",
        "no deal chosen: no contract is asked",
    )


def test_a_round_that_was_chosen_is_never_replaced():
    chosen = load_rules("three-thirteen", cards_dealt=9)
    assert round_of_sizes(chosen, [3, 3]) == (chosen, "")
    fixed = load_rules("three-thirteen", wild_ranks="Q")
    assert round_of_sizes(fixed, [3, 3]) == (fixed, "")
    assert solve("3S", fixed).notes == ()


def test_openings_that_no_question_about_a_hand_asks_are_named():
    for name, least in (("kalooki-51", 51), ("rummikub", 30)):
        (words,) = solve("9S", load_rules(name)).notes
        assert words == f"first melds must be worth {least}: not asked here, as if already down"
    asked = best_contract("5S 5H 5D", load_rules("liverpool"), "3")
    assert asked is not None
    assert asked.notes == ()  # a contract was named, so no deal is missing
