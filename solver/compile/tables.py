"""MeldRules -> the arrays of the suit-table engine: which runs and sets are legal, what cards earn.

Every rule about the inside of a run vanishes into ``run_k``: for each set of positions held by
naturals of one suit (a 14-bit mask), the numbers of wilds with which they make a legal run. Sets
vanish into ``set_k`` in the same way, and what is counted of melds into a small table of classes.
The kernels see these arrays as one flat vector, laid out in ``solver.kernels.suit_layout``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.kernels import suit_layout as lay
from solver.kernels.prime_runs import prime_runs
from solver.rules.model import MeldRules

I64 = NDArray[np.int64]

N_POS: Final = 14
MAX_WILDS: Final = 30
"""Wild counts are bits of a uint32 word, so a hand may hold at most this many wilds."""
MAX_SET_NATURALS: Final = 31

# Indices into SuitRules.params, the P_ names of solver.kernels.suit_layout.
PARAM_NAMES: Final = (
    "n_suits",
    "ace_low",
    "ace_high",
    "distinct_suits",
    "mergeable",
    "free_join",
    "n_classes",
    "mode",
    "n_sets",
    "n_runs",
    "need_runs",
    "need_pure",
    "wild_bits",
    "wild_run_bits",
    "one_run_suit",
    "one_set_rank",
    "set_min",
    "split_roles",
    "cap",
    "ring",
    "line_first",
    "line_last",
    "free_join_plain",
    "n_wild_ids",
)
REQUIRE_CLASSES: Final = 6
MAX_COUNTED: Final = lay.MAX_CLASSES - 1
"""Most sets, and most runs, of a contract that the kernels count."""


@dataclass(frozen=True)
class SuitRules:
    """What the suit-table kernels read; made by ``compile_suit``.

    Attributes:
        run_k: uint32[16384], bit k of ``run_k[mask]``: naturals on the positions of ``mask``
            and k wilds make a legal run somewhere on the line.
        pattern_ok: uint8[32768], 1 at ``(1 << length) | naturals`` for a legal run pattern.
        set_k: uint32[32], bit k of ``set_k[n]``: n naturals and k wilds make a legal set.
        params: int64[24], see PARAM_NAMES.
        points: int64[66], cost of each card left over.
        wild_ids: int64, wild card ids, most expensive first, ties by id.
        wild: uint8[66], 1 for a wild card.
        flat: int64 vector of all this but the points, as the kernels read it.
        reason: why the engine does not cover these rules, None when it does.
    """

    run_k: NDArray[np.uint32]
    pattern_ok: NDArray[np.uint8]
    set_k: NDArray[np.uint32]
    params: I64
    points: I64
    wild_ids: I64
    wild: NDArray[np.uint8]
    flat: I64
    reason: str | None


def line_of(meld: MeldRules) -> tuple[int, int, bool]:
    """Return the first position, the last position and whether the line is a ring."""
    if meld.ace == "cyclic":
        return 0, 12, True
    if meld.ace == "both":
        return 0, 13, False
    low = max(meld.rank_lo, 2) - 1 if meld.ace == "high" else meld.rank_lo - 1
    return low, (12 if meld.ace == "low" else 13), False


def _popcount(values: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.bitwise_count(values.astype(np.uint64)).astype(np.int64)


def run_patterns(meld: MeldRules, run_min: int) -> NDArray[np.uint8]:
    """Return uint8[32768]: 1 at ``(1 << length) | naturals`` when that run pattern is legal.

    At least one natural is asked for; runs of wilds only are a case of their own.
    """
    first, last, _ = line_of(meld)
    longest = min(last - first + 1, meld.run_max or N_POS)
    ok = np.zeros(1 << (N_POS + 1), np.uint8)
    for length in range(run_min, longest + 1):
        masks = np.arange(1 << length, dtype=np.int64)
        naturals = _popcount(masks)
        wilds = length - naturals
        legal = naturals >= max(1, meld.run_min_naturals)
        if meld.run_max_wilds is not None:
            legal &= wilds <= meld.run_max_wilds
        if meld.wild_ratio == "le":
            legal &= wilds <= naturals
        elif meld.wild_ratio == "lt":
            legal &= wilds < naturals
        if not meld.wilds_adjacent:
            gaps = ~masks & ((1 << length) - 1)
            legal &= (gaps & (gaps >> 1)) == 0
        if meld.run_core is not None:
            width, least = meld.run_core
            core = np.zeros(masks.shape, bool)
            for shift in range(length - width + 1):
                core |= _popcount((masks >> shift) & ((1 << width) - 1)) >= least
            legal &= core
        ok[1 << length : 2 << length] = legal
    return ok


def _run_bits(meld: MeldRules, pattern_ok: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return run_k: slide every legal pattern over the line and note its wilds."""
    first, last, ring = line_of(meld)
    run_k = np.zeros(1 << N_POS, np.uint32)
    for length in range(1, last - first + 2):
        patterns = np.flatnonzero(pattern_ok[1 << length : 2 << length]).astype(np.int64)
        if not len(patterns):
            continue
        bits = (np.int64(1) << (length - _popcount(patterns))).astype(np.uint32)
        starts = range(13) if ring else range(first, last - length + 2)
        for start in starts:
            masks = patterns << start
            if ring:
                masks = (masks | (masks >> 13)) & 0x1FFF
            np.bitwise_or.at(run_k, masks, bits)
    return run_k


def _set_bits(meld: MeldRules, set_min: int) -> NDArray[np.uint32]:
    set_k = np.zeros(MAX_SET_NATURALS + 1, np.uint32)
    for n in range(1, MAX_SET_NATURALS + 1):
        if meld.set_distinct_suits and n > meld.suits:
            break
        for k in range(MAX_WILDS + 1):
            set_k[n] |= np.uint32(_set_legal(meld, n, k, set_min)) << np.uint32(k)
    return set_k


def _set_legal(meld: MeldRules, n: int, k: int, set_min: int) -> bool:
    return (
        n + k >= set_min
        and (meld.set_max is None or n + k <= meld.set_max)
        and n >= meld.set_min_naturals
        and (meld.set_max_wilds is None or k <= meld.set_max_wilds)
        and (meld.wild_ratio is None or (k <= n if meld.wild_ratio == "le" else k < n))
    )


def wild_meld_bits(meld: MeldRules) -> tuple[int, int]:
    """Return two words: bit k set when k wilds alone are a legal set, and a legal run."""
    set_bits = run_bits = 0
    first, last, _ = line_of(meld)
    longest = min(last - first + 1, meld.run_max or N_POS)
    for k in range(1, MAX_WILDS + 1):
        as_run = (
            meld.run_min_naturals == 0
            and meld.run_min <= k <= longest
            and (meld.run_max_wilds is None or k <= meld.run_max_wilds)
            and (meld.wilds_adjacent or k == 1)
            and meld.wild_ratio is None
            and (meld.run_core is None or (meld.run_core[1] == 0 and meld.run_core[0] <= k))
        )
        set_bits |= _set_legal(meld, 0, k, meld.set_min) << k
        run_bits |= as_run << k
    return set_bits, run_bits


def limits_wilds(meld: MeldRules) -> bool:
    """Return whether some rule tells a natural from a wild inside a meld."""
    return (
        meld.set_min_naturals > 0
        or meld.run_min_naturals > 0
        or meld.run_core is not None
        or meld.set_max_wilds is not None
        or meld.run_max_wilds is not None
        or not meld.wilds_adjacent
        or meld.wild_ratio is not None
        or meld.hand_require is not None
    )


def _mergeable(set_k: NDArray[np.uint32], distinct: bool) -> bool:
    """Return whether any two legal sets of a rank are one legal set when put together."""
    if distinct:
        return False
    half = MAX_SET_NATURALS // 2
    top = MAX_WILDS // 2
    for n in range(1, half + 1):
        for m in range(1, half + 1):
            for k in range(top + 1):
                shifted = (int(set_k[m]) & ((1 << (top + 1)) - 1)) << k
                if int(set_k[n]) >> k & 1 and shifted & ~int(set_k[n + m]):
                    return False
    return True


def _free_join(set_k: NDArray[np.uint32], meld: MeldRules, wilds: int) -> bool:
    """Return whether a legal set stays legal with one more natural, for the wild counts given."""
    last = meld.suits if meld.set_distinct_suits else MAX_SET_NATURALS
    return all(not int(set_k[n]) & ~int(set_k[n + 1]) & wilds for n in range(1, last))


def _contract_need(meld: MeldRules) -> tuple[int, int, int, int, str | None]:
    """Return sets, their least length, runs, theirs, and a reason when lengths are mixed."""
    assert meld.contract is not None
    lengths: dict[str, set[int]] = {"set": set(), "run": set()}
    for kind, length in meld.contract:
        lengths[kind].add(max(length, meld.set_min if kind == "set" else meld.run_min))
    if any(len(found) > 1 for found in lengths.values()):
        return 0, 0, 0, 0, "the contract asks for melds of one kind in several lengths"
    n_sets = sum(kind == "set" for kind, _ in meld.contract)
    if max(n_sets, len(meld.contract) - n_sets) > MAX_COUNTED:
        return 0, 0, 0, 0, f"the contract asks for more than {MAX_COUNTED} melds of one kind"
    set_min = max(lengths["set"], default=meld.set_min)
    run_min = max(lengths["run"], default=meld.run_min)
    return n_sets, set_min, len(meld.contract) - n_sets, run_min, None


def _uncovered(meld: MeldRules, contract: bool) -> str | None:
    reasons = {
        "no contract is given": contract and meld.contract is None,
        "extra melds and adjacent runs are not counted": contract
        and (meld.extra_melds or meld.forbid_adjacent_runs),
        "melds of wilds only could fill either kind of the contract": contract
        and any(wild_meld_bits(meld)),
        "a contract and a hand requirement together": contract and meld.hand_require is not None,
        "the value of melds is not counted": meld.min_meld_value > 0,
        "cards that must be used are not followed": bool(meld.must_use),
        "negative points": min(meld.points) < 0,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


@lru_cache(maxsize=256)
def compile_suit(meld: MeldRules, *, contract: bool = False) -> SuitRules:
    """Return the arrays of the suit-table engine for rules, with or without their contract.

    ``reason`` says why the engine does not cover the rules; the arrays are then not to be used.
    """
    reason = _uncovered(meld, contract)
    n_sets = n_runs = 0
    set_min, run_min = meld.set_min, meld.run_min
    if contract and reason is None:
        n_sets, set_min, n_runs, run_min, reason = _contract_need(meld)
    pattern_ok = run_patterns(meld, run_min)
    run_k = _run_bits(meld, pattern_ok)
    set_k = _set_bits(meld, set_min)
    need_runs, need_pure = meld.hand_require or (0, 0)
    if need_runs > 2 or need_pure > 1:  # noqa: PLR2004 - the kernels hold 0..2 runs, 0..1 pure
        reason = reason or "more required runs than the engine counts"
    low, high, ring = line_of(meld)
    wild = np.array([meld.is_wild(c) for c in range(66)], np.uint8)
    wild_set_bits, wild_run_bits = wild_meld_bits(meld)
    mode = lay.MODE_REQUIRE if meld.hand_require is not None else lay.MODE_PLAIN
    mode = lay.MODE_CONTRACT if contract else mode
    params = {
        "n_suits": meld.suits,
        "ace_low": int(ring or (low == 0 and meld.ace != "high")),
        "ace_high": int(high == 13 and not ring),  # noqa: PLR2004 - the ace-high position
        "distinct_suits": int(meld.set_distinct_suits),
        "mergeable": int(not contract and _mergeable(set_k, meld.set_distinct_suits)),
        "free_join": int(_free_join(set_k, meld, 0xFFFFFFFF)),
        "free_join_plain": int(_free_join(set_k, meld, 1)),
        "n_classes": (1, n_runs + 1, REQUIRE_CLASSES)[mode],
        "mode": mode,
        "n_sets": n_sets,
        "n_runs": n_runs,
        "need_runs": need_runs,
        "need_pure": need_pure,
        "wild_bits": 0 if contract else wild_set_bits | wild_run_bits,
        "wild_run_bits": 0 if contract else wild_run_bits,
        "one_run_suit": int(contract and meld.distinct_run_suits),
        "one_set_rank": int(contract and meld.distinct_set_ranks),
        "set_min": set_min,
        "split_roles": _split_roles(meld),
        "ring": int(ring),
        "line_first": low,
        "line_last": high,
        "cap": -1 if contract or meld.penalty_cap is None else meld.penalty_cap,
        "n_wild_ids": int(wild.sum()),
    }
    return _flatten(
        SuitRules(
            run_k=run_k,
            pattern_ok=pattern_ok,
            set_k=set_k,
            params=np.array([params[name] for name in PARAM_NAMES], np.int64),
            points=(points := np.array(meld.points, np.int64)),
            wild_ids=_by_cost(np.flatnonzero(wild), points),
            wild=wild,
            flat=np.zeros(lay.RULES_SIZE, np.int64),
            reason=reason,
        )
    )


def _split_roles(meld: MeldRules) -> int:
    """Return whether wild cards must be tried as naturals: 0 no, SPLIT_ALL, SPLIT_PURE."""
    if not meld.wild_as_natural or not limits_wilds(meld):
        return 0
    pure_only = not limits_wilds(replace(meld, hand_require=None))
    return lay.SPLIT_PURE if pure_only else lay.SPLIT_ALL


def _after(params: dict[str, int], cls: int, *, wild: bool) -> int:
    """Return the class after one more run, -1 when it may not be laid.

    Contract: runs so far. Requirement: ``runs * 2 + pure``, runs capped at 2 and pure at 1.
    """
    if params["mode"] == lay.MODE_CONTRACT:
        most = 1 if params["one_run_suit"] else params["n_runs"]
        return cls + 1 if cls < min(most, params["n_runs"]) else -1
    if params["mode"] == lay.MODE_REQUIRE:
        return min(cls // 2 + 1, 2) * 2 + int(not wild or cls % 2 == 1)
    return 0


def _sum(params: dict[str, int], a: int, b: int) -> int:
    """Return the class of two parts together, -1 when it goes beyond the contract."""
    if params["mode"] == lay.MODE_CONTRACT:
        return a + b if a + b <= params["n_runs"] else -1
    if params["mode"] == lay.MODE_REQUIRE:
        return min(a // 2 + b // 2, 2) * 2 + (a % 2 | b % 2)
    return 0


def _is_enough(params: dict[str, int], cls: int) -> bool:
    """Return whether a whole hand of that class meets the contract or the requirement."""
    if params["mode"] == lay.MODE_CONTRACT:
        return cls == params["n_runs"]
    if params["mode"] == lay.MODE_REQUIRE:
        return cls // 2 >= params["need_runs"] and cls % 2 >= params["need_pure"]
    return True


def _flatten(rules: SuitRules) -> SuitRules:
    """Return the rules with their flat vector filled."""
    flat = np.zeros(lay.RULES_SIZE, np.int64)
    params = dict(zip(PARAM_NAMES, rules.params.tolist(), strict=True))
    for c in range(params["n_classes"]):
        flat[lay.AFTER + 2 * c] = _after(params, c, wild=False)
        flat[lay.AFTER + 2 * c + 1] = _after(params, c, wild=True)
        flat[lay.ENOUGH + c] = _is_enough(params, c)
        for other in range(params["n_classes"]):
            flat[lay.SUM + lay.MAX_CLASSES * c + other] = _sum(params, c, other)
    prime = np.zeros_like(rules.run_k)
    if params["mode"] != lay.MODE_CONTRACT:
        prime_runs(rules.run_k, (1 << lay.MAX_W) - 1, prime)
    # 32 patterns a word; the shift of the last bit makes no negative number in 64 bits.
    patterns = rules.pattern_ok.reshape(-1, 32).astype(np.int64) << np.arange(32)
    for at, part in (
        (0, rules.params),
        (lay.SET_K, rules.set_k),
        (lay.WILD_IDS, rules.wild_ids),
        (lay.IS_WILD, rules.wild),
        (lay.RUN_K, rules.run_k),
        (lay.PRIME_K, prime),
        (lay.PATTERN, patterns.sum(axis=1)),
    ):
        flat[at : at + len(part)] = part
    return replace(rules, flat=flat)


def _by_cost(wild_ids: NDArray[np.integer], points: I64) -> I64:
    return np.array(sorted(wild_ids, key=lambda c: (-int(points[c]), int(c))), np.int64)


def with_points(rules: SuitRules, points: I64) -> SuitRules:
    """Return the same rules with other points (int64[66]): another objective."""
    return _flatten(replace(rules, points=points, wild_ids=_by_cost(rules.wild_ids, points)))
