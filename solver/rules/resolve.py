"""Layers of values -> frozen records of one round, with every fault found on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from solver.cards import JOKER, N_CARDS, N_RANKS, RANKS, parse_card
from solver.errors import Fault
from solver.rules.keys import DEFAULTS, MERGED, SELECTORS
from solver.rules.model import DeckRules, FlowRules, GameRules, MeldRules, WildsOpen
from solver.rules.presets import DEFAULT_SOURCE, Layer, Preset

# A layer that gives one of these keys takes the other out of the layers below.
_RIVALS: Final = {
    "jokers": "jokers_per_pack",
    "jokers_per_pack": "jokers",
    "wild_ranks": "wild_schedule",
    "wild_schedule": "wild_ranks",
}


@dataclass(slots=True)
class Settings:
    """Merged values, their sources, and the faults found so far.

    Attributes:
        values: value of each key after all layers.
        sources: where each value comes from.
        given: options that the caller gave, canonical.
        bad: options that could not be read; checks that need one of them are skipped.
        faults: what is wrong.
    """

    values: dict[str, Any]
    sources: dict[str, str]
    given: Mapping[str, Any]
    bad: frozenset[str]
    faults: list[Fault] = field(default_factory=list)

    def add(self, code: str, keys: tuple[str, ...], expected: str, got: object) -> None:
        """Note a fault of some keys; it points to the first of them that the caller gave."""
        if self.bad.intersection(keys):
            return
        key = next((k for k in keys if k in self.given), keys[0])
        message = f"expected {expected}, got {got}"
        data = {"expected": expected, "got": str(got), "keys": list(keys)}
        self.faults.append(Fault(code, f"/options/{key}", message, data))


def merge(preset: Preset, given: Mapping[str, Any], bad: frozenset[str]) -> Settings:
    """Return the values of a preset with its switched variants and the options given."""
    values, sources = dict(DEFAULTS), dict.fromkeys(DEFAULTS, DEFAULT_SOURCE)
    layers = list(preset.layers)
    for name, variant in preset.variants.items():
        if given.get(name, variant.on):
            layers.append(variant.layer)
    options = {k: v for k, v in given.items() if k not in preset.variants}
    layers.append(Layer(options, dict.fromkeys(options, "option")))
    settings = Settings(values, sources, given, bad)
    for layer in layers:
        _lay_over(settings, expand(layer.values), layer.sources)
    return settings


def expand(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a layer with its shorthands written out."""
    full = dict(values)
    if (least := full.pop("meld_min_naturals", None)) is not None:
        full = {"set_min_naturals": least, "run_min_naturals": least} | full
    if (end := full.pop("end", None)) is not None:
        number, unit = end.split()
        key, other = ("rounds", "end_score") if unit == "rounds" else ("end_score", "rounds")
        full = {key: int(number), other: None} | full
    points = dict(full.get("points", ()))
    if "JK" in points:
        full = {"joker_points": points.pop("JK")} | full
        full["points"] = tuple(points.items())
    return full


def _lay_over(settings: Settings, layer: Mapping[str, Any], sources: Mapping[str, str]) -> None:
    values = settings.values
    default = next(iter(sources.values()), "option")
    for key, value in layer.items():
        rival = _RIVALS.get(key)
        if rival is not None and rival not in layer:
            values.pop(rival, None)
        values[key] = (*values.get(key, ()), *value) if key in MERGED else value
        settings.sources[key] = sources.get(key, default)


def rank_set(letters: Iterable[str]) -> frozenset[int]:
    """Return rank letters as ranks 0..12."""
    return frozenset(RANKS.index(r) for r in letters)


@dataclass(frozen=True, slots=True)
class Round:
    """What the choice of a round decides.

    Attributes:
        number: number of the round 1.., None when none was chosen.
        n_dealt: cards dealt, None when unknown.
        wild_ranks: letters of the wild ranks.
        contract: melds to lay, or None.
        all_down: whether every card must go down at once without a discard.
    """

    number: int | None
    n_dealt: int | None
    wild_ranks: tuple[str, ...]
    contract: tuple[tuple[str, int], ...] | None
    all_down: bool


def plan(settings: Settings) -> tuple[int | None, tuple[int, ...]]:
    """Return the number of rounds and the cards dealt in each; one size holds for all rounds."""
    values, given = settings.values, settings.given
    contracts, sizes = values["contracts"], values["deal_sizes"]
    if sizes == "contract+1":
        if contracts is None:
            settings.add(
                "rules.conflict", ("deal_sizes",), "contracts with deal_sizes contract+1", "none"
            )
        floor = {"set": values["set_min"], "run": values["run_min"]}
        sizes = tuple(1 + sum(max(n, floor[k]) for k, n in c) for c in contracts or ())
    rounds = values["rounds"]
    if "rounds" not in given and "end" not in given:
        if contracts is not None and "contracts" in given:
            rounds = len(contracts)
        elif contracts is None and len(sizes) > 1 and "deal_sizes" in given:
            rounds = len(sizes)
    if len(sizes) > 1 and (rounds is None or len(sizes) < rounds):
        settings.add(
            "rules.conflict",
            ("deal_sizes", "rounds", "contracts", "end"),
            "one deal size, or one for each round",
            f"{len(sizes)} sizes for {'an open number of' if rounds is None else rounds} rounds",
        )
    if contracts is not None and (rounds is None or len(contracts) < rounds):
        settings.add(
            "rules.conflict",
            ("contracts", "rounds", "end"),
            "a contract for each round",
            f"{len(contracts)} contracts for "
            f"{'an open number of' if rounds is None else rounds} rounds",
        )
    return rounds, sizes[:rounds] if rounds is not None and len(sizes) > 1 else sizes


def choose_round(settings: Settings, n_rounds: int | None, sizes: tuple[int, ...]) -> Round:
    """Return the round that the options select."""
    values = settings.values
    bonus = values["bonus"]
    number = _round_number(settings, n_rounds, sizes)
    if bonus:
        if values["bonus_cards"] is None:
            settings.add("rules.round", ("bonus", "bonus_cards"), "a game with a bonus round", True)
        wild = (values["bonus_wild"],) if values["bonus_wild"] else ()
        last = n_rounds + 1 if n_rounds is not None else None
        return Round(last, values["bonus_cards"], values.get("wild_ranks", wild), None, False)
    n_dealt = None
    if sizes and len(set(sizes)) == 1:
        n_dealt = sizes[0]
    elif number is not None and number <= len(sizes):
        n_dealt = sizes[number - 1]
    contract, contracts = values.get("contract"), values["contracts"]
    if contract is None and "contract" not in settings.given and contracts and number is not None:
        contract = contracts[number - 1] if number <= len(contracts) else None
    all_down = (
        number is not None
        and number == n_rounds
        and (values["final_deal"] == "all_down_no_discard")
    )
    return Round(number, n_dealt, _wild_ranks(settings, n_dealt), contract, all_down)


def _round_number(settings: Settings, n_rounds: int | None, sizes: tuple[int, ...]) -> int | None:
    values = settings.values
    chosen = [key for key in SELECTORS if values[key]]
    if len(chosen) > 1:
        got = ", ".join(f"{key}={values[key]}" for key in chosen)
        settings.add("rules.conflict", tuple(chosen), "one choice of the round", got)
        return None
    if not chosen or chosen == ["bonus"]:
        return None
    key, value = chosen[0], int(values[chosen[0]])
    if key == "cards_dealt":
        return _round_of_size(settings, sizes, value)
    if key == "deal" and values["contracts"] is None:
        settings.add(
            "rules.round", ("deal",), "cards_dealt or round in a game of no contracts", value
        )
        return None
    if n_rounds is not None and value > n_rounds:
        settings.add("rules.round", (key, "rounds", "contracts"), f"{key} 1..{n_rounds}", value)
        return None
    return value


def _round_of_size(settings: Settings, sizes: tuple[int, ...], n_dealt: int) -> int | None:
    """Return the one round that deals so many cards; None in a game that always deals them."""
    if n_dealt not in sizes:
        words = ", ".join(str(n) for n in dict.fromkeys(sizes))
        settings.add(
            "rules.round", ("cards_dealt", "deal_sizes"), f"cards_dealt one of {words}", n_dealt
        )
        return None
    if len(sizes) > 1 and sizes.count(n_dealt) > 1:
        settings.add(
            "rules.round",
            ("cards_dealt",),
            f"deal or round, since {sizes.count(n_dealt)} rounds deal {n_dealt} cards",
            n_dealt,
        )
        return None
    return sizes.index(n_dealt) + 1 if len(sizes) > 1 else None


def _wild_ranks(settings: Settings, n_dealt: int | None) -> tuple[str, ...]:
    values = settings.values
    turned = values["turned_card"]
    if turned is not None and values["turned_joker_wild"] is None:
        expected = "turned_card only where the rank of a turned card is wild"
        settings.add("rules.conflict", ("turned_card",), expected, turned)
    elif turned is not None:
        if "wild_ranks" in settings.given:
            settings.add("rules.conflict", ("turned_card", "wild_ranks"), "one of them", "both")
        return (values["turned_joker_wild"] if turned == "JK" else turned[0],)
    if "wild_ranks" in values:
        wild: tuple[str, ...] = values["wild_ranks"]
        return wild
    schedule = dict(values["wild_schedule"])
    return tuple(schedule.get(n_dealt or 0, ()))


def make_deck(settings: Settings) -> DeckRules:
    """Return the deck for the packs or players given, unlimited when neither is known."""
    values = settings.values
    players, packs = values["players"], values["packs"]
    if packs is None and players is not None:
        steps = values["packs_by_players"]
        packs = next((n for most, n in steps if players <= most), None)
        if packs is None and players <= values["max_players"]:
            settings.add(
                "rules.players", ("players", "packs"), "packs for so many players", players
            )
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


def largest_deck(settings: Settings) -> DeckRules:
    """Return the deck for the most players; unlimited where packs were said to be of any number."""
    values = settings.values
    open_ended = "packs" in settings.given and values["packs"] is None
    if values["players"] is not None or open_ended:
        return make_deck(settings)
    most = {**values, "players": values["max_players"]}
    # Faults of the options are told of the deck chosen, not of the one only thought of.
    return make_deck(Settings(most, settings.sources, settings.given, settings.bad))


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
        "use_all": values["use_all"] or (chosen.all_down and "use_all" not in settings.given),
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
    if chosen.all_down and "must_discard_to_go_out" not in settings.given:
        special["must_discard_to_go_out"] = False
    plain = {f.name: values[f.name] for f in fields(FlowRules) if f.name not in special}
    return FlowRules(**plain, **special)


def _name_round(
    settings: Settings, options: tuple[tuple[str, Any], ...], chosen: Round, sizes: tuple[int, ...]
) -> tuple[tuple[str, Any], ...]:
    """Return the options with the round chosen in one spelling, so equal rules are equal."""
    kept = [(key, value) for key, value in options if key not in SELECTORS]
    if settings.values["bonus"]:
        kept.append(("bonus", True))
    elif chosen.number is not None:
        if settings.values["contracts"] is not None:
            kept.append(("deal", chosen.number))
        elif sizes.count(chosen.n_dealt or 0) == 1 < len(sizes):
            kept.append(("cards_dealt", chosen.n_dealt))
        else:
            kept.append(("round", chosen.number))
    return tuple(sorted(kept))


def make_rules(
    preset: Preset, settings: Settings, options: tuple[tuple[str, Any], ...]
) -> GameRules:
    """Return the rules; when ``settings.faults`` grew they must not be used."""
    n_rounds, sizes = plan(settings)
    chosen = choose_round(settings, n_rounds, sizes)
    largest = largest_deck(settings)
    return GameRules(
        name=preset.name,
        title=preset.title,
        options=_name_round(settings, options, chosen, sizes),
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
    )


def _contract_open(settings: Settings, chosen: Round) -> bool:
    """Return whether the game's deals have contracts, but which one this is was not said."""
    said = "contract" in settings.given or bool(settings.values["bonus"])
    has_contracts = settings.values["contracts"] is not None
    return has_contracts and chosen.number is None and chosen.contract is None and not said


def _wilds_open(settings: Settings, chosen: Round) -> WildsOpen | None:
    """Return what would decide the wild rank but was not said, None where nothing is missing."""
    values = settings.values
    if "wild_ranks" in settings.given or values["bonus"]:
        return None
    if values["turned_joker_wild"] is not None:
        return "turned_card" if values["turned_card"] is None else None
    scheduled = "wild_ranks" not in values and bool(values["wild_schedule"])
    return "round" if scheduled and chosen.n_dealt is None else None
