"""Checks of resolved rules: contradictions between options, decks that are too small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from solver.cards import N_RANKS, RANKS, format_card, parse_card
from solver.rules.deck import max_copies
from solver.rules.model import GameRules, MeldRules
from solver.rules.settings import Settings, expand

_CONFLICT: Final = "rules.conflict"
_CONTRACT_ONLY: Final = (
    "use_all",
    "extra_melds",
    "forbid_adjacent_runs",
    "distinct_set_ranks",
    "distinct_run_suits",
)


def line_length(meld: MeldRules) -> int:
    """Return the number of positions of the run line: the longest run there can be."""
    low = {"low": 14 - meld.rank_lo, "high": 15 - max(meld.rank_lo, 2)}
    return low.get(meld.ace, 14 if meld.ace == "both" else N_RANKS)


def check_settings(rules: GameRules, settings: Settings) -> None:
    """Add to ``settings.faults`` whatever does not fit together.

    Args:
        rules: the rules that the settings resolve to; they may be contradictory.
        settings: the merged values, the options given and the faults found so far.
    """
    _check_double(settings)
    _check_lengths(rules.meld, settings)
    _check_naturals(rules.meld, settings)
    _check_line(rules, settings)
    _check_contracts(rules.meld, settings)
    _check_cards(rules, settings)
    _check_schedule(rules, settings)
    _check_table(rules, settings)
    _check_deck_size(rules, settings)
    _check_flow(rules, settings)


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
    line = line_length(meld)
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
    if meld.set_distinct_suits and meld.set_max is not None and meld.set_max > meld.suits:
        settings.add(
            _CONFLICT,
            ("set_max", "set_distinct_suits", "suits"),
            f"set_max <= {meld.suits} suits when suits must differ",
            meld.set_max,
        )


def _check_naturals(meld: MeldRules, settings: Settings) -> None:
    longest_run = min(line_length(meld), meld.run_max or N_RANKS + 1)
    longest_set = meld.set_max
    if meld.set_distinct_suits:
        longest_set = min(meld.suits, longest_set or meld.suits)
    if longest_set is not None and meld.set_min_naturals > longest_set:
        settings.add(
            _CONFLICT,
            ("set_min_naturals", "meld_min_naturals", "set_max", "set_distinct_suits"),
            f"set_min_naturals <= {longest_set}, the naturals of the largest set",
            meld.set_min_naturals,
        )
    if meld.run_min_naturals > longest_run:
        settings.add(
            _CONFLICT,
            ("run_min_naturals", "meld_min_naturals", "run_max", "ace", "rank_lo"),
            f"run_min_naturals <= {longest_run}, the longest run",
            meld.run_min_naturals,
        )
    if meld.run_core is not None:
        width, naturals = meld.run_core
        if naturals > width or width > longest_run:
            settings.add(
                _CONFLICT,
                ("run_core", "run_max", "ace", "rank_lo"),
                f"run_core w,m with m <= w <= {longest_run}",
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
    for key in _CONTRACT_ONLY:
        if settings.given.get(key) and not contracts:
            settings.add(_CONFLICT, (key, "contract"), f"a contract with {key}", "none")
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
    least, most = (meld.set_min, meld.set_max) if kind == "set" else (meld.run_min, meld.run_max)
    if kind == "run":
        most = min(line_length(meld), most or N_RANKS + 1)
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
        expected = f"{flow.min_players}..{flow.max_players} players in {rules.name}"
        settings.add("rules.players", ("players", "min_players", "max_players"), expected, players)
    seats = players or flow.max_players
    if isinstance(flow.first_dealer, int) and flow.first_dealer >= seats:
        expected = f"first_dealer random or a seat 0..{seats - 1}"
        settings.add("rules.range", ("first_dealer", "players"), expected, flow.first_dealer)


def _check_deck_size(rules: GameRules, settings: Settings) -> None:
    """Everybody can be dealt the largest hand and draw once, besides the upcard."""
    players, size = settings.values["players"], rules.deck.size()
    dealt = max((*rules.flow.deal_sizes, rules.n_dealt or 0))
    if players is None or size is None:
        return
    needed = dealt * players + 1 + players
    if needed > size:
        settings.add(
            "rules.deck",
            ("packs", "players", "deal_sizes", "cards_dealt", "jokers", "ranks"),
            f"a deck of {needed} cards for {players} players with {dealt} each (option packs)",
            f"{size} cards",
        )


def _check_flow(rules: GameRules, settings: Settings) -> None:
    flow, meld = rules.flow, rules.meld
    if flow.tie_break == "bonus_round" and flow.bonus_cards is None:
        settings.add(_CONFLICT, ("tie_break", "bonus_cards"), "bonus_cards for a bonus round", None)
    if flow.oklahoma and flow.scoring != "difference":
        expected = "scoring difference with oklahoma"
        settings.add(_CONFLICT, ("oklahoma", "scoring"), expected, flow.scoring)
    if meld.hand_require is not None:
        runs, pure = meld.hand_require
        if pure > runs:
            expected = "hand_require with no more pure runs than runs"
            settings.add(_CONFLICT, ("hand_require",), expected, f"{runs},{pure}")
