"""Values -> frozen records: the deck, the melds and the flow of each round."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from solver.cards import JOKER, N_CARDS, N_RANKS, RANKS, parse_card
from solver.rules.model import DeckRules, FlowRules, GameRules, MeldRules, RoundRules, WildsOpen
from solver.rules.needs import idle_keys
from solver.rules.presets import Preset
from solver.rules.rounds import Round, choose_round, name_round, plan, rounds_to_come
from solver.rules.settings import Settings


def rank_set(letters: Iterable[str]) -> frozenset[int]:
    """Return rank letters as ranks 0..12."""
    return frozenset(RANKS.index(r) for r in letters)


def make_deck(settings: Settings) -> DeckRules:
    """Return the deck for the packs or players given, unlimited when neither is known."""
    values = settings.values
    players, packs = settings.n_players, values["packs"]
    if packs is None and players is not None:
        packs = _packs_for(players, values["packs_by_players"])
        if packs is None and players <= values["max_players"]:
            expected = f"the option packs (how many) for a game of {players} players"
            settings.add("rules.players", ("players", "packs"), expected, "none")
    per_pack, jokers = values.get("jokers_per_pack", 0), values.get("jokers")
    has_jokers = jokers not in {None, 0} or (jokers is None and per_pack > 0)
    if jokers is None:
        jokers = per_pack * packs if packs is not None else (None if per_pack else 0)
    elif isinstance(jokers, str):
        count = packs if jokers.startswith("packs") else players
        jokers = None if count is None else count - (1 if jokers.endswith("-1") else 0)
        has_jokers = jokers != 0
    ranks = tuple(sorted(rank_set(values["ranks"])))
    return DeckRules(values["suits"], ranks, packs, jokers, has_jokers, values["tiles"])


def _packs_for(players: int, steps: tuple[tuple[int, int], ...] | str) -> int | None:
    """Return the packs of a table, None where nothing is said of so many players."""
    if isinstance(steps, str):  # PACK_FOR_TWO
        return -(-players // 2)
    return next((n for most, n in steps if players <= most), None)


def deck_for(settings: Settings, players: int) -> DeckRules:
    """Return the deck for a number of players only thought of.

    Faults of the options are told of the deck chosen, not of this one.
    """
    values = {**settings.values, "players": players}
    return make_deck(Settings(values, settings.sources, settings.given, settings.bad))


def largest_deck(settings: Settings) -> DeckRules:
    """Return the deck for the most players; unlimited where packs were said to be of any number."""
    open_ended = "packs" in settings.given and settings.values["packs"] is None
    if settings.n_players is not None or open_ended:
        return make_deck(settings)
    return deck_for(settings, settings.values["max_players"])


def point_vector(settings: Settings, wild: Iterable[int]) -> tuple[int, ...]:
    """Return the cost of all 66 cards: later layers over earlier ones, then the wild values."""
    points = [0] * N_CARDS
    for name, value in settings.values["points"]:
        if len(name) == 1:
            points[RANKS.index(name) : JOKER : N_RANKS] = [value] * (JOKER // N_RANKS)
        else:
            points[parse_card(name)] = value
    if settings.values["wild_points"] is not None:
        for card in wild:
            points[card] = settings.values["wild_points"]
    points[JOKER] = settings.values["joker_points"]
    return tuple(points)


def _meld_values(pairs: Iterable[tuple[str, int]]) -> tuple[int, ...]:
    table = dict(pairs)
    return tuple(table[r] for r in RANKS)


def make_meld(settings: Settings, chosen: Round) -> MeldRules:
    """Return the rules of melds in the round chosen."""
    values = settings.values
    ranks = rank_set(chosen.wild_ranks)
    cards = frozenset(parse_card(c) for c in values["wild_cards"])
    wild = {c for c in range(JOKER) if c in cards or c % N_RANKS in ranks}
    must_use = [parse_card(c) for c in values["must_use"]]
    least = {"set": values["set_min"], "run": values["run_min"]}
    contract = chosen.contract
    special: dict[str, Any] = {
        "wild_ranks": ranks,
        "wild_cards": cards,
        "points": point_vector(settings, wild),
        "contract": contract and tuple((kind, n or least[kind]) for kind, n in contract),
        "use_all": values["use_all"] or chosen.all_down,
        "meld_values": _meld_values(values["meld_values"]),
        "must_use": tuple((c, must_use.count(c)) for c in sorted(set(must_use))),
    }
    plain = {f.name: values[f.name] for f in fields(MeldRules) if f.name not in special}
    return MeldRules(**plain, **special)


def make_flow(
    settings: Settings, n_rounds: int | None, sizes: tuple[int, ...], chosen: Round
) -> FlowRules:
    """Return how the round chosen is played."""
    values = settings.values
    special: dict[str, Any] = {"rounds": n_rounds, "deal_sizes": sizes}
    if chosen.all_down:
        special["must_discard_to_go_out"] = False
    plain = {f.name: values[f.name] for f in fields(FlowRules) if f.name not in special}
    return FlowRules(**plain, **special)


def make_rules(
    preset: Preset, settings: Settings, options: tuple[tuple[str, Any], ...]
) -> GameRules:
    """Return the rules; when ``settings.faults`` grew they must not be used."""
    n_rounds, sizes = plan(settings)
    chosen = choose_round(settings, n_rounds, sizes)
    is_open = chosen.number is None and not settings.values["bonus"]
    to_come = rounds_to_come(settings, n_rounds, sizes) if is_open else ()
    largest = largest_deck(settings)
    return GameRules(
        name=preset.name,
        title=preset.title,
        options=name_round(settings, options, chosen, sizes),
        deck=make_deck(settings),
        meld=make_meld(settings, chosen),
        flow=make_flow(settings, n_rounds, sizes, chosen),
        n_dealt=chosen.n_dealt,
        round_no=chosen.number,
        n_rounds=n_rounds,
        contract_open=_contract_open(settings, chosen),
        wilds_open=_wilds_open(settings, chosen),
        most_packs=largest.packs,
        most_jokers=largest.jokers,
        players=settings.n_players,
        rounds=tuple(
            RoundRules(r.n_dealt, make_meld(settings, r), make_flow(settings, n_rounds, sizes, r))
            for r in to_come
        ),
        tables=_tables(settings),
        idle=idle_keys(settings.values),
    )


def _tables(settings: Settings) -> tuple[tuple[int, int | None, int | None], ...]:
    """Return players, packs and jokers of every table, where their number was left open."""
    values = settings.values
    if settings.n_players is not None:
        return ()
    seats = range(values["min_players"], values["max_players"] + 1)
    decks = ((n, deck_for(settings, n)) for n in seats)
    return tuple((n, deck.packs, deck.jokers) for n, deck in decks)


def _contract_open(settings: Settings, chosen: Round) -> bool:
    """Return whether the game's deals have contracts, but which one this is was not said."""
    has_contracts = settings.values["contracts"] is not None and not settings.values["bonus"]
    return has_contracts and chosen.number is None and chosen.contract is None


def _wilds_open(settings: Settings, chosen: Round) -> WildsOpen | None:
    """Return what would decide the wild rank but was not said, None where nothing is missing."""
    values = settings.values
    if "wild_ranks" in settings.given or values["bonus"]:
        return None
    if values["turned_joker_wild"] is not None:
        return "turned_card" if values["turned_card"] is None else None
    scheduled = "wild_ranks" not in values and bool(values["wild_schedule"])
    return "round" if scheduled and chosen.n_dealt is None else None
