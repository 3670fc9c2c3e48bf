"""The rounds of a game: how many, what each deals, asks and makes wild, and which was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from solver.rules.keys import SELECTORS
from solver.rules.settings import Settings

LEFT_TO_THE_DEAL: Final = {
    "contract": "contracts none, or the question without its contract",
    "use_all": "final_deal ordinary",
    "must_discard_to_go_out": "final_deal ordinary",
}
"""Keys that the deal decides where they have their neutral value, and what says otherwise."""


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
    number = _round_number(settings, n_rounds, sizes)
    if not settings.values["bonus"]:
        return round_of(settings, number, n_rounds, sizes)
    if settings.values["bonus_cards"] is None:
        settings.add("rules.round", ("bonus", "bonus_cards"), "a game with a bonus round", True)
    return bonus_round(settings, n_rounds)


def bonus_round(settings: Settings, n_rounds: int | None) -> Round:
    """Return the round played after a tie."""
    values = settings.values
    wild = (values["bonus_wild"],) if values["bonus_wild"] else ()
    last = n_rounds + 1 if n_rounds is not None else None
    return Round(last, values["bonus_cards"], values.get("wild_ranks", wild), None, False)


def round_of(
    settings: Settings, number: int | None, n_rounds: int | None, sizes: tuple[int, ...]
) -> Round:
    """Return the round of a number; without one, what holds for every round."""
    values = settings.values
    n_dealt = None
    if sizes and len(set(sizes)) == 1:
        n_dealt = sizes[0]
    elif number is not None and number <= len(sizes):
        n_dealt = sizes[number - 1]
    contract, contracts = values.get("contract"), values["contracts"]
    if contract is None and contracts and number is not None:
        contract = contracts[number - 1] if number <= len(contracts) else None
    all_down = (
        number is not None
        and number == n_rounds
        and (values["final_deal"] == "all_down_no_discard")
    )
    return Round(number, n_dealt, _wild_ranks(settings, n_dealt), contract, all_down)


def rounds_to_come(
    settings: Settings, n_rounds: int | None, sizes: tuple[int, ...]
) -> tuple[Round, ...]:
    """Return the rounds of a game of which none was chosen, a bonus round last.

    A game of an open number of rounds deals them all alike, so one stands for all.
    """
    played = [round_of(settings, n + 1, n_rounds, sizes) for n in range(n_rounds or 1)]
    values = settings.values
    if values["tie_break"] == "bonus_round" and values["bonus_cards"] is not None:
        played.append(bonus_round(settings, n_rounds))
    return tuple(played)


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
    if turned is not None and values["turned_joker_wild"] is not None:
        return (values["turned_joker_wild"] if turned == "JK" else turned[0],)
    if "wild_ranks" in values:
        wild: tuple[str, ...] = values["wild_ranks"]
        return wild
    schedule = dict(values["wild_schedule"])
    return tuple(schedule.get(n_dealt or 0, ()))


def name_round(
    settings: Settings, options: tuple[tuple[str, Any], ...], chosen: Round, sizes: tuple[int, ...]
) -> tuple[tuple[str, Any], ...]:
    """Return the options with the round chosen in one spelling, so equal rules are equal."""
    own = settings.own
    kept = [
        (key, value)
        for key, value in options
        # A neutral value leaves it to the deal, so it says nothing of any other round.
        if key not in SELECTORS and not (key in LEFT_TO_THE_DEAL and own[key] == value)
    ]
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
