"""Requests to the service that may be slow: one to begin with for each route, and changes to it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlencode

from solver.cards import JOKER, N_CARDS, format_card, parse_cards
from solver.engine.selfplay import SimplePlayer, play_game
from solver.errors import MeldSolverError
from solver.rules.deck import max_copies
from solver.rules.loader import list_rules, load_rules, rules_schema
from solver.rules.model import GameRules

Document: TypeAlias = dict[str, Any]
Change: TypeAlias = Callable[[Any, random.Random], Any]

MOST_CARDS: Final = 120
MOST_ROWS: Final = 1000
MOST_GAMES: Final = 300
_TRIES: Final = 20
_COPIES: Final = 8
"""Copies of a card in games whose packs are not known."""


@dataclass(frozen=True, slots=True)
class Route:
    """One way to ask.

    Attributes:
        name: as reports call it.
        path: the address, without a query.
        form: how a document is sent: as a JSON body, as JSON lines, in the address.
        first: a document to begin with.
        more: fields that a document may have besides those of the first.
    """

    name: str
    path: str
    form: Literal["json", "lines", "query"]
    first: Document
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """A request as it is sent."""

    method: str
    path: str
    body: bytes | None
    content_type: str


def make_routes() -> list[Route]:
    """Return every route of the service that works on a question."""
    hand = {"rules": _game("three-thirteen", cards_dealt=9), "hand": "KS KH 7D 8D 2C 3C 9H JS 4D"}
    table = {"rules": _game("liverpool", deal=1), "table": ["KS KD KC", "R[4S 5S JK=6S 7S]"]}
    turn = {**table, "hand": "9S 9C KD AC 6H QS QD QC 4D 3C JS"}
    rummikub = {"rules": _game("rummikub")}
    rearrange = {**rummikub, "table": ["R5 R6 R7", "K8 B8 O8"], "rack": "R8 R9"}
    sizes = {**rummikub, "hands": ["R1 R2"], "any_size": True, "no_round": True}
    deals = [_game("three-thirteen", cards_dealt=3, players=2), _game("gin")]
    score = {"rules": deals[0], "hands": ["5S 5H 5D", "3S 9D QH"], "out": 0}
    asks = ("engine", "time_limit_s", "ignore_contract")
    extras = ("discard", "all")
    contract = {**turn, "hand": "7S 7H 7D KS KH 2C 4D 5D 9C TC JC"}
    contract.pop("table")
    return [
        Route("POST /v1/solve", "/v1/solve", "json", hand, (*asks, *extras)),
        Route("GET /v1/solve", "/v1/solve", "query", hand, (*asks, *extras)),
        Route("GET /answer", "/answer", "query", hand, extras),
        Route("POST /v1/check", "/v1/check", "json", {**hand, "melds": ["JS 9H KS"]}),
        Route("POST /v1/contract", "/v1/contract", "json", contract, ("contract",)),
        Route("POST /v1/layoff", "/v1/layoff", "json", turn, ("keep", "own_melds")),
        Route("POST /v1/godown", "/v1/godown", "json", turn, ("keep", "swaps", "contract")),
        Route(
            "POST /v1/rearrange",
            "/v1/rearrange",
            "json",
            rearrange,
            ("objective", "opening", "second_aims", "time_limit_s"),
        ),
        Route("POST /v1/score", "/v1/score", "json", score),
        Route("POST /v1/advice", "/v1/advice", "json", hand | {"seen": "2D"}, ("stock", "ask")),
        Route("POST /v1/batch", "/v1/batch", "json", sizes, ("with_melds", "ignore_contract")),
        Route("POST /v1/batch lines", "/v1/batch", "lines", sizes),
        Route("POST /v1/replay", "/v1/replay", "json", {"records": recorded_games()}, ("rules",)),
        Route("POST /v1/replay lines", "/v1/replay", "lines", {"records": recorded_games()}),
        Route("GET /v1/rules", "/v1/rules/", "query", {"rules": _game("liverpool")}),
    ]


def _game(name: str, **options: Any) -> Document:  # noqa: ANN401 - options are of many types
    return {"name": name, "options": options}


@cache
def _plays() -> tuple[str, ...]:
    games = [("gin", 2, {}), ("three-thirteen", 2, {}), ("liverpool", 3, {"rounds": 1})]
    played = []
    for name, seats, options in games:
        rules = load_rules(name, **options)
        played.append(play_game(rules, [SimplePlayer()] * seats, seed=7).to_line())
    return tuple(played)


def recorded_games() -> list[Any]:
    """Return recorded games to be replayed."""
    return [json.loads(line) for line in _plays()]


def message_of(route: Route, document: Document) -> Message:
    """Return how a document is sent."""
    if route.form == "json":
        body = dict(document)
        if "with_melds" in body:
            body["melds"] = body.pop("with_melds")
        return Message("POST", route.path, json.dumps(body).encode(), "application/json")
    rules = document.get("rules")
    if route.form == "lines":
        rows = document["hands"] if "hands" in document else document["records"]
        query = {} if rules is None else _in_address(rules)
        query |= {name: "true" for name in ("any_size", "no_round") if document.get(name)}
        address = f"{route.path}?{urlencode(query)}" if query else route.path
        lines = "\n".join(json.dumps(row) for row in rows)
        return Message("POST", address, lines.encode(), "application/x-ndjson")
    query = _in_address(document["rules"])
    path = route.path
    if path.endswith("/"):
        path += query.pop("rules")
    for name, value in document.items():
        if name != "rules":
            query[name] = value if isinstance(value, str) else json.dumps(value)
    return Message("GET", f"{path}?{urlencode(query)}", None, "")


def _in_address(rules: Mapping[str, Any]) -> dict[str, str]:
    query = {"rules": str(rules["name"])}
    if rules["options"]:
        query["options"] = json.dumps(rules["options"])
    return query


def seconds_of(document: Document, limit_s: float) -> float:
    """Return the time that a request has, within the limit of the service."""
    return min(limit_s, float(document.get("time_limit_s") or limit_s))


def changed(route: Route, document: Document, rng: random.Random, limit_s: float) -> Document:
    """Return a document that differs in one to three fields and whose cards fit its deck."""
    for _ in range(_TRIES):
        new = deepcopy(document)
        for _ in range(rng.randint(1, 3)):
            name = rng.choice([*route.first, *route.more])
            if name in new and name in route.more and rng.random() < 0.3:  # noqa: PLR2004
                del new[name]
            else:
                new[name] = _CHANGES[name](new.get(name), rng)
        if "time_limit_s" in new:
            new["time_limit_s"] = min(new["time_limit_s"], limit_s)
        try:
            rules = load_rules(new["rules"]["name"], **new["rules"]["options"])
        except KeyError:
            return new
        except MeldSolverError:
            continue
        return _fitted(new, rules)
    return document


def _fitted(document: Document, rules: GameRules) -> Document:
    """Return the document with no more copies of a card than the deck has."""
    for name in ("hand", "rack"):
        if name in document:
            document[name] = _within(document[name], rules)
    if isinstance(hands := document.get("hands"), list):
        known = {hand: _within(hand, rules) for hand in set(hands)}
        document["hands"] = [known[hand] for hand in hands]
    return document


def _within(hand: str, rules: GameRules) -> str:
    held: Counter[int] = Counter()
    kept = []
    for card in parse_cards(hand, tiles=True):
        most = max_copies(card, rules.deck)
        if held[card] < (_COPIES if most is None else most):
            held[card] += 1
            kept.append(card)
    return " ".join(format_card(card) for card in kept[:MOST_CARDS]) or "7S"


def random_hand(rng: random.Random) -> str:
    """Return a hand of any size and of a leaning: few suits, few ranks, many wilds, or none."""
    size = min(MOST_CARDS, int(rng.paretovariate(0.6)) + rng.randint(1, 20))
    pool = list(range(N_CARDS))
    leaning = rng.choice(("any", "suits", "ranks", "wilds"))
    if leaning == "suits":
        suits = rng.sample(range(5), 2)
        pool = [card for card in pool if card == JOKER or card // 13 in suits]
    elif leaning == "ranks":
        ranks = rng.sample(range(13), rng.randint(2, 6))
        pool = [card for card in pool if card == JOKER or card % 13 in ranks]
    elif leaning == "wilds":
        pool += [JOKER] * rng.randint(5, 60) + [card for card in pool if card % 13 == 1] * 4
    return " ".join(format_card(card) for card in rng.choices(pool, k=size))


def _hand(hand: str | None, rng: random.Random) -> str:
    """Return another hand: new, larger, smaller, or with some other cards."""
    if not hand or rng.random() < 0.25:  # noqa: PLR2004
        return random_hand(rng)
    cards = hand.split()
    way = rng.choice(("more", "double", "fewer", "other"))
    if way == "more":
        cards += random_hand(rng).split()[: rng.randint(1, 10)]
    elif way == "double":
        cards *= 2
    elif way == "fewer":
        cards = rng.sample(cards, max(1, len(cards) - rng.randint(1, 5)))
    else:
        for _ in range(rng.randint(1, 4)):
            cards[rng.randrange(len(cards))] = format_card(rng.randrange(N_CARDS))
    return " ".join(cards[:MOST_CARDS])


def _rules(rules: Mapping[str, Any] | None, rng: random.Random) -> Document:
    """Return another game, or the same with an option more, another or fewer."""
    if rules is None or rng.random() < 0.15:  # noqa: PLR2004
        name = rng.choice([info.id for info in list_rules()])
        return _game(name, packs=None) if rng.random() < 0.5 else _game(name)  # noqa: PLR2004
    options = dict(rules["options"])
    if options and rng.random() < 0.25:  # noqa: PLR2004
        del options[rng.choice(sorted(options))]
    else:
        properties = rules_schema(rules["name"])["properties"]
        key = rng.choice(("packs", "round", rng.choice(sorted(properties))))
        options[key] = None if key == "packs" else any_value(properties[key], rng)
    return {"name": rules["name"], "options": options}


def any_value(schema: Mapping[str, Any], rng: random.Random) -> Any:  # noqa: ANN401
    """Return a value that a JSON Schema allows, small numbers more often than large ones."""
    if "anyOf" in schema:
        return any_value(rng.choice(schema["anyOf"]), rng)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kind = schema.get("type")
    if kind in _VALUES:
        return _VALUES[kind](schema, rng)
    return rng.choice(("3+r4", "r4+r4", "3+3+r4", "2S 2C", "JK"))


def _integer(schema: Mapping[str, Any], rng: random.Random) -> int:
    low, high = int(schema.get("minimum", 0)), int(schema.get("maximum", 1000))
    return min(high, low + int(rng.paretovariate(0.8)) - 1)


def _array(schema: Mapping[str, Any], rng: random.Random) -> list[Any]:
    n = max(schema.get("minItems", 0), min(schema.get("maxItems", 3), rng.randint(0, 3)))
    return [any_value(schema.get("items", {"enum": ["2"]}), rng) for _ in range(n)]


_VALUES: Final[Mapping[str | None, Callable[[Mapping[str, Any], random.Random], Any]]] = {
    "boolean": lambda _, rng: rng.random() < 0.5,  # noqa: PLR2004
    "integer": _integer,
    "array": _array,
    "object": lambda _, rng: {rng.choice("A23456789TJQK"): rng.randint(0, 50)},
    "null": lambda *_: None,
}


def _melds(melds: list[str] | None, rng: random.Random) -> list[str]:
    """Return a table with a meld more, fewer or several times as often."""
    melds = list(melds or ())
    if melds and rng.random() < 0.3:  # noqa: PLR2004
        melds.pop(rng.randrange(len(melds)))
    elif melds and rng.random() < 0.3:  # noqa: PLR2004
        melds *= 2
    else:
        suit, low, size = rng.choice("SHDC"), rng.randrange(8), rng.randint(3, 5)
        line = [f"{rank}{suit}" for rank in "A23456789TJQK"[low : low + size]]
        rank = rng.choice("A3456789TJQK")
        melds.append(" ".join(line if rng.random() < 0.6 else [f"{rank}{s}" for s in "SHD"]))  # noqa: PLR2004
        if rng.random() < 0.3:  # noqa: PLR2004
            melds[-1] += " JK"
    return melds[:30]


def _rows(hands: list[str] | None, rng: random.Random) -> list[str]:
    """Return other hands of a batch or a round: more of them, or each another."""
    hands = list(hands or [random_hand(rng)])
    way = rng.choice(("more", "new", "change", "fewer"))
    if way == "more":
        return (hands * rng.choice((2, 4, 16)))[:MOST_ROWS]
    if way == "fewer":
        return hands[: max(1, len(hands) // 2)]
    if way == "new":
        return [random_hand(rng)] * len(hands)
    return [_hand(hands[0], rng)] * len(hands)


def _records(records: list[Any] | None, rng: random.Random) -> list[Any]:
    games = list(records or recorded_games())
    if rng.random() < 0.5:  # noqa: PLR2004
        return (games * rng.choice((2, 4, 16)))[:MOST_GAMES]
    return [rng.choice(games)] * len(games)


def _one_of(*values: Any) -> Change:  # noqa: ANN401 - JSON values
    return lambda _, rng: rng.choice(values)


_CHANGES: Final[Mapping[str, Change]] = {
    "rules": _rules,
    "hand": _hand,
    "rack": _hand,
    "seen": _hand,
    "table": _melds,
    "melds": _melds,
    "hands": _rows,
    "records": _records,
    "engine": _one_of("auto", "suit", "frontier", "cpsat"),
    "time_limit_s": _one_of(0.001, 0.05, 0.5, 2.0, 1e9),
    "ignore_contract": _one_of(True, False),
    "discard": _one_of(True, False),
    "all": _one_of(1, 10, 100),
    "keep": _one_of(0, 1, 2),
    "own_melds": _one_of(True, False),
    "swaps": _one_of(True, False),
    "contract": _one_of("3+3", "3+r4", "r4+r4", "3+3+r4", "r4+r4+r4"),
    "objective": _one_of("tiles", "value", "penalty"),
    "opening": _one_of(True, False),
    "second_aims": _one_of(True, False),
    "out": _one_of(0, 1, None),
    "stock": _one_of(0, 1, 20, 200),
    "ask": _one_of("draw", "play", "buy", "rummy"),
    "any_size": _one_of(True),
    "no_round": _one_of(True),
    "with_melds": _one_of(True, False),
}
