"""Checks of resolved rules: contradictions between options, decks that are too small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from solver.cards import N_RANKS, RANKS, format_card, parse_card
from solver.errors import span
from solver.rules.clashes import CLASHES
from solver.rules.deck import max_copies
from solver.rules.extent import line_length, longest_run, longest_set, not_in_deck
from solver.rules.keys import MERGED
from solver.rules.model import DeckRules, GameRules, MeldRules
from solver.rules.needs import unmet
from solver.rules.rounds import LEFT_TO_THE_DEAL
from solver.rules.settings import Settings, expand

_CONFLICT: Final = "rules.conflict"
_WILD_KEYS: Final = frozenset({"wild_ranks", "wild_cards"})


def check_settings(rules: GameRules, settings: Settings) -> None:
    """Add to ``settings.faults`` whatever does not fit together.

    Args:
        rules: the rules that the settings resolve to; they may be contradictory.
        settings: the merged values, the options given and the faults found so far.
    """
    _check_double(settings)
    _check_idle(settings)
    _check_variants(settings)
    _check_lengths(rules.meld, settings)
    _check_naturals(rules.meld, settings)
    _check_line(rules, settings)
    _check_contracts(rules.meld, settings)
    _check_cards(rules, settings)
    _check_schedule(rules, settings)
    _check_table(rules, settings)
    _check_deck_size(rules, settings)
    _check_flow(rules, settings)


def _check_idle(settings: Settings) -> None:
    """Every option given acts in this game, or says what the game says anyway."""
    for key, value in expand(settings.given).items():
        if key not in settings.values or _as_ever(key, settings):
            continue
        need = unmet(key, settings.values)
        if need is not None:
            expected = f"{need.words} with {key}, which does nothing otherwise"
            settings.add(_CONFLICT, (key,), expected, f"{key}={_shown(value)}")
    for key in ("points", "meld_values"):
        names = tuple(name for name, _ in settings.given.get(key, ()))
        if key in settings.given and not _as_ever(key, settings):
            for name in not_in_deck(names, settings.values):
                keys = (key, "ranks", "suits")
                settings.add("rules.deck", keys, f"{key} of cards of the deck", name)


def _as_ever(key: str, settings: Settings) -> bool:
    """Return whether a key has the value that the game gives it without options."""
    now, ever = settings.values.get(key), settings.own.get(key)
    return dict(now or ()) == dict(ever or ()) if key in MERGED else now == ever


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(_shown, value))
    return (
        "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )


def _check_double(settings: Settings) -> None:
    """One thing said twice: rival options, or a shorthand beside the keys that it sets."""
    given = settings.given
    for one, other in (("jokers", "jokers_per_pack"), ("wild_ranks", "wild_schedule")):
        if one in given and other in given:
            settings.add(_CONFLICT, (one, other), f"{one} or {other}", "both")
    turned = settings.values["turned_card"]
    if turned is not None and settings.values["turned_joker_wild"] is None:
        expected = "turned_card only where the rank of a turned card is wild"
        settings.add(_CONFLICT, ("turned_card",), expected, turned)
    elif turned is not None and "wild_ranks" in given:
        settings.add(_CONFLICT, ("turned_card", "wild_ranks"), "one of them", "both")
    for short in ("meld_min_naturals", "end", "points"):
        parts = expand({short: given[short]}) if short in given else {}
        for key, value in parts.items():
            if key != short and key in given and given[key] != value:
                expected = f"{key} as {short} sets it ({value})"
                settings.add(_CONFLICT, (key, short), expected, given[key])


def _check_lengths(meld: MeldRules, settings: Settings) -> None:
    """There is a set and a run: the least length is no more than the longest meld can have."""
    line, values = line_length(settings.values), settings.values
    for kind, least, most in (
        ("set", meld.set_min, meld.set_max),
        ("run", meld.run_min, meld.run_max),
    ):
        if most is not None and least > most:
            pair = (f"{kind}_min", f"{kind}_max")
            settings.add(_CONFLICT, pair, f"{kind}_min <= {kind}_max", f"{least} > {most}")
    if meld.run_min > line:
        keys = ("run_min", "rank_lo", "ace")
        settings.add(_CONFLICT, keys, f"run_min <= {line}, the places of a run", meld.run_min)
    elif meld.run_min > (longest := longest_run({**values, "run_max": None})):
        expected = f"run_min <= {longest}, the longest run of the ranks of the deck"
        settings.add(_CONFLICT, ("run_min", "ranks", "ace"), expected, meld.run_min)
    longest_of_all = longest_set({**values, "set_max": None})
    if longest_of_all is not None and meld.set_min > longest_of_all:
        settings.add(
            _CONFLICT,
            ("set_min", "set_distinct_suits", "packs", "suits", "set_max_wilds", "wild_ratio"),
            f"set_min <= {longest_of_all}, the cards of the largest set there is",
            meld.set_min,
        )
    if meld.set_distinct_suits and meld.set_max is not None and meld.set_max > meld.suits:
        settings.add(
            _CONFLICT,
            ("set_max", "set_distinct_suits", "suits"),
            f"set_max <= {meld.suits} suits when suits must differ",
            meld.set_max,
        )


def _check_naturals(meld: MeldRules, settings: Settings) -> None:
    """Minima of naturals can be met: above the least length they only raise it."""
    values = {**settings.values, "wild_ratio": None}
    no_wilds = {"set_max_wilds": 0, "run_max_wilds": 0}
    longest_run_ = longest_run(values)
    longest_set_ = longest_set({**values, **no_wilds})
    if longest_set_ is not None and meld.set_min_naturals > longest_set_:
        settings.add(
            _CONFLICT,
            ("set_min_naturals", "meld_min_naturals", "set_max", "set_distinct_suits", "packs"),
            f"set_min_naturals <= {longest_set_}, the naturals of the largest set",
            meld.set_min_naturals,
        )
    if meld.run_min_naturals > longest_run_:
        settings.add(
            _CONFLICT,
            ("run_min_naturals", "meld_min_naturals", "run_max", "ace", "rank_lo"),
            f"run_min_naturals <= {longest_run_}, the longest run",
            meld.run_min_naturals,
        )
    if meld.run_core is not None:
        width, naturals = meld.run_core
        if naturals > width or width > longest_run_:
            settings.add(
                _CONFLICT,
                ("run_core", "run_max", "ace", "rank_lo"),
                f"run_core w,m with m <= w <= {longest_run_}",
                f"{width},{naturals}",
            )


def _check_line(rules: GameRules, settings: Settings) -> None:
    meld = rules.meld
    if meld.rank_lo == 1:
        return
    keys = ("rank_lo", "ace")
    if meld.ace in {"both", "cyclic"}:
        settings.add(_CONFLICT, keys, f"rank_lo 1 with ace {meld.ace}", meld.rank_lo)
    elif meld.ace == "low" and 0 in rules.deck.ranks:
        expected = "rank_lo 1 with ace low, since the deck has aces and they need a place"
        settings.add(_CONFLICT, (*keys, "ranks"), expected, meld.rank_lo)


def _contracts(settings: Settings) -> Iterator[tuple[str, tuple[tuple[str, int], ...]]]:
    """Yield each contract that may be asked for, with the key that it comes from."""
    if settings.values.get("contract"):
        yield "contract", settings.values["contract"]
    for contract in settings.values["contracts"] or ():
        yield "contracts", contract


def _check_contracts(meld: MeldRules, settings: Settings) -> None:
    contracts = list(_contracts(settings))
    if settings.given.get("contract") and settings.given.get("contracts"):
        settings.add(_CONFLICT, ("contract", "contracts"), "contract or contracts", "both")
    if contracts and meld.hand_require is not None:
        settings.add(_CONFLICT, ("hand_require", "contract"), "contract or hand_require", "both")
    told: set[tuple[str, str, int]] = set()
    for key, contract in contracts:
        for kind, length in contract:
            if length and (key, kind, length) not in told:
                told.add((key, kind, length))
                _check_contract_meld(meld, settings, key, (kind, length))
        runs = sum(kind == "run" for kind, _ in contract)
        if meld.distinct_run_suits and runs > meld.suits:
            expected = f"at most {meld.suits} runs when their suits must differ"
            settings.add(_CONFLICT, (key, "distinct_run_suits", "suits"), expected, runs)
        sets = len(contract) - runs
        if meld.distinct_set_ranks and sets > N_RANKS:
            expected = f"at most {N_RANKS} sets when their ranks must differ"
            settings.add(_CONFLICT, (key, "distinct_set_ranks"), expected, sets)


def _check_contract_meld(
    meld: MeldRules, settings: Settings, key: str, asked: tuple[str, int]
) -> None:
    kind, length = asked
    least = meld.set_min if kind == "set" else meld.run_min
    most = longest_set(settings.values) if kind == "set" else longest_run(settings.values)
    if length < least or (most is not None and length > most):
        bound = f"{least}..{most}" if most is not None else f"{least} or more"
        keys = (key, f"{kind}_min", f"{kind}_max", *(("ace", "rank_lo") if kind == "run" else ()))
        settings.add(_CONFLICT, keys, f"a {kind} of {bound} cards in a contract", length)


def _check_cards(rules: GameRules, settings: Settings) -> None:
    """Wild cards and cards that must be used exist."""
    deck, values = rules.deck, settings.values
    if not deck.ranks:
        settings.add("rules.range", ("ranks",), "one rank at least", "none")
    for key, letters in _wild_letters(rules, values):
        missing = [r for r in letters if RANKS.index(r) not in deck.ranks]
        if missing:
            got = " ".join(missing)
            settings.add("rules.deck", (key, "ranks"), f"{key} to name ranks of the deck", got)
    for text in values["wild_cards"]:
        if text == "JK" or max_copies(parse_card(text), deck) == 0:
            keys = ("wild_cards", "ranks", "suits")
            settings.add("rules.deck", keys, "wild_cards of the deck, other than jokers", text)
    for card, copies in rules.meld.must_use:
        most = max_copies(card, deck)
        if most is not None and copies > most:
            settings.add(
                "rules.deck",
                ("must_use", "packs", "players", "ranks", "suits"),
                f"must_use of the deck, at most {most} of {format_card(card)}",
                copies,
            )


def _wild_letters(
    rules: GameRules, values: dict[str, Any]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the wild ranks of every place that names some, with its key."""
    yield "wild_ranks", values.get("wild_ranks", ())
    for size, letters in dict(values.get("wild_schedule", ())).items():
        if size in rules.flow.deal_sizes:
            yield "wild_schedule", letters
    for key in ("bonus_wild", "turned_joker_wild"):
        if values[key] is not None:
            yield key, (values[key],)
    if (turned := values["turned_card"]) not in {None, "JK"}:
        yield "turned_card", (turned[0],)


def _check_schedule(rules: GameRules, settings: Settings) -> None:
    """Every round of a game with a schedule has its wild ranks."""
    schedule = dict(settings.values.get("wild_schedule", ()))
    missing = [n for n in rules.flow.deal_sizes if schedule and n not in schedule]
    if missing:
        keys = ("wild_schedule", "deal_sizes", "contracts")
        expected = f"wild_schedule to name the wild rank of {missing[0]} cards dealt"
        settings.add("rules.round", keys, expected, "none")


def _check_table(rules: GameRules, settings: Settings) -> None:
    flow, players = rules.flow, settings.values["players"]
    if flow.min_players > flow.max_players:
        settings.add(
            _CONFLICT,
            ("min_players", "max_players"),
            "min_players <= max_players",
            f"{flow.min_players} > {flow.max_players}",
        )
    elif players is not None and not flow.min_players <= players <= flow.max_players:
        expected = f"{span(flow.min_players, flow.max_players)} players in {rules.name}"
        settings.add("rules.players", ("players", "min_players", "max_players"), expected, players)
    too_many = next((n for n, packs, _ in rules.tables if packs is None), None)
    if too_many is not None and "max_players" in settings.given and "packs" not in settings.given:
        expected = f"the option packs (how many) for a game of {too_many} players"
        settings.add("rules.players", ("max_players", "packs_by_players"), expected, "none")
    seats = players or flow.max_players
    if isinstance(flow.first_dealer, int) and flow.first_dealer >= seats:
        expected = f"first_dealer random or a seat 0..{seats - 1}"
        settings.add("rules.range", ("first_dealer", "players"), expected, flow.first_dealer)


def _check_deck_size(rules: GameRules, settings: Settings) -> None:
    """Everybody can be dealt the largest hand and draw once, besides the upcard and the wall."""
    size = rules.deck.size()
    dealt, wall = max((*rules.flow.deal_sizes, rules.n_dealt or 0)), rules.flow.stock_wall
    players = rules.players
    if players is None:  # the smallest table at least must be able to play
        players, size = rules.flow.min_players, _smallest(rules)
    if size is None or not rules.deck.ranks:
        return
    needed = dealt * players + 1 + players + wall
    if needed > size:
        behind = f" and a wall of {wall}" if wall else ""
        settings.add(
            "rules.deck",
            ("stock_wall", "packs", "players", "deal_sizes", "cards_dealt", "jokers", "ranks"),
            f"a deck of {needed} cards for {players} players with {dealt} each{behind} "
            "(option packs)",
            f"{size} cards",
        )


def _smallest(rules: GameRules) -> int | None:
    """Return the cards of the deck of the fewest players."""
    packs, jokers = next(((p, j) for _, p, j in rules.tables), (None, None))
    return DeckRules(rules.deck.suits, rules.deck.ranks, packs, jokers).size()


def _check_variants(settings: Settings) -> None:
    """A variant that was switched on holds: what is wild, and something of it at any rate.

    Another option may refine it (``pip_values`` with other points of a joker), not undo it.
    """
    for name, values in settings.switched.items():
        undone = [key for key, value in values.items() if not _stands(key, value, settings)]
        if len(undone) == len(values) or _WILD_KEYS.intersection(undone):
            key = next((k for k in undone if k in settings.given), undone[0])
            expected = f"{name} without another {key}, which undoes it"
            settings.add(_CONFLICT, (key, name), expected, "both")


def _stands(key: str, value: Any, settings: Settings) -> bool:  # noqa: ANN401 - any option
    """Return whether a value of a variant, or some of it, is that of the rules."""
    final = settings.values.get(key)
    if key in MERGED:
        return bool(set(dict(final or ()).items()) & set(value))
    return bool(final == value)


def _check_flow(rules: GameRules, settings: Settings) -> None:
    for clash in CLASHES:
        if not clash.holds(settings.values):
            got = ", ".join(f"{key} {_shown(settings.values[key])}" for key in clash.keys)
            settings.add(_CONFLICT, clash.keys, clash.expected, got)
    switched = rules.flow.oklahoma and not _as_ever("oklahoma", settings)
    if switched and "knock_limit" in settings.given:
        expected = "oklahoma or a knock_limit, since oklahoma takes it from the first upcard"
        settings.add(_CONFLICT, ("knock_limit", "oklahoma"), expected, "both")
    for key, instead in LEFT_TO_THE_DEAL.items():
        value = getattr(rules.flow if key == "must_discard_to_go_out" else rules.meld, key)
        if key in settings.given and settings.given[key] in {None, False, True} - {value}:
            expected = f"{instead}, since the deal chosen has {key} {_shown(value)}"
            settings.add(_CONFLICT, (key,), expected, f"{key}={_shown(settings.given[key])}")
    if rules.n_rounds is None and rules.flow.end_score is None:
        keys = ("end_score", "rounds", "end")
        settings.add(_CONFLICT, keys, "a number of rounds or an end_score", "neither")
    if rules.meld.hand_require is not None:
        runs, pure = rules.meld.hand_require
        if pure > runs:
            expected = "hand_require with no more pure runs than runs"
            settings.add(_CONFLICT, ("hand_require",), expected, f"{runs},{pure}")
