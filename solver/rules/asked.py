"""Rules with another contract than that of the deal, as a question names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from solver.errors import Fault, RulesError, quoted
from solver.rules.extent import line_length
from solver.rules.keys import parse_option
from solver.rules.loader import load_rules
from solver.rules.model import GameRules, MeldRules

Melds: TypeAlias = tuple[tuple[Literal["set", "run"], int], ...]


def with_contract(rules: GameRules, contract: str | Sequence[object]) -> GameRules:
    """Return rules that ask another contract, ``"3+r4"`` or a list as for ``load_rules``.

    Their options name it, so that an answer tells which contract it is about. A set or a run
    without a length has the least of the game.

    Raises:
        RulesError: ``rules.type``, ``rules.range``; ``rules.conflict``, the game has no set or run
            of such a length.

    Example:
        >>> with_contract(load_rules("liverpool", deal=1), "set + run").meld.contract
        (('set', 3), ('run', 4))
    """
    given = read_melds_asked(contract)
    meld = rules.meld
    least = {"set": meld.set_min, "run": meld.run_min}
    wanted = tuple((kind, length or least[kind]) for kind, length in given)
    _check_lengths(wanted, meld)
    if wanted == meld.contract:
        return rules
    options = tuple(sorted({**dict(rules.options), "contract": given}.items()))
    asked = replace(
        rules, options=options, meld=replace(meld, contract=wanted), contract_open=False
    )
    try:
        same = load_rules(rules.name, **dict(options))  # has the fingerprint that these get so
    except RulesError:  # no preset, or a game whose play goes with no contract
        return asked
    return same if same == asked else asked


def read_melds_asked(contract: str | Sequence[object]) -> Melds:
    """Return the melds of a contract that a question names; ``none`` names none.

    Raises:
        RulesError: ``rules.type``, ``rules.range``.
    """
    melds: Melds | None = parse_option("contract", contract)
    if melds is None:
        message = f"expected melds such as 3+r4, got {quoted(contract)}"
        raise RulesError(message, code="rules.type", where="/options/contract")
    return melds


def _check_lengths(contract: Melds, meld: MeldRules) -> None:
    """Check that every meld of a contract is one that the game has.

    Raises:
        RulesError: ``rules.conflict`` with all faults.
    """
    line = line_length({"ace": meld.ace, "rank_lo": meld.rank_lo})
    bounds = {
        "set": (meld.set_min, meld.set_max),
        "run": (meld.run_min, min(line, meld.run_max or line)),
    }
    faults = []
    for kind, length in dict.fromkeys(contract):
        least, most = bounds[kind]
        if length < least or (most is not None and length > most):
            span = f"{least} or more" if most is None else f"{least}..{most}"
            expected = f"a {kind} of {span} cards in a contract"
            data = {"expected": expected, "got": str(length), "keys": ["contract"]}
            message = f"expected {expected}, got {length}"
            faults.append(Fault("rules.conflict", "/options/contract", message, data))
    if faults:
        raise RulesError.from_faults(faults)
