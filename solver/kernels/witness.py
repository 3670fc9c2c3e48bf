"""The canonical best arrangement of a hand (cold path).

Melds are tried in canonical order; one is laid when the rest of the hand can still reach the best
composite value, so the first arrangement found is the smallest in that order. The suit tables of
the whole hand serve every test: a smaller hand is only another key. Wild cards are read as
naturals only where the best asks for it: the roles are those of the first split that reaches it.
"""

from __future__ import annotations

from solver.kernels.jit import kernel
from solver.kernels.suit_build import build_suits
from solver.kernels.suit_hand import BEST_NATURAL, best_value, move_role, set_roles, sum_wild_gain
from solver.kernels.suit_layout import (
    AFTER,
    BUDGET,
    I_INERT,
    I_KEY,
    I_STRIDE,
    INFO,
    INFO_WIDTH,
    L_CLASS,
    L_RANKS,
    L_SETS,
    L_WILDS,
    LAID,
    MAX_SUBS,
    MODE_CONTRACT,
    MODE_PLAIN,
    MODE_REQUIRE,
    NATURALS,
    P_ACE_HIGH,
    P_ACE_LOW,
    P_LINE_FIRST,
    P_LINE_LAST,
    P_MODE,
    P_N_RUNS,
    P_N_SETS,
    P_N_WILD_IDS,
    P_ONE_RUN_SUIT,
    P_ONE_SET_RANK,
    P_RING,
    P_SPLIT,
    P_SUITS,
    P_WILD_BITS,
    P_WILD_RUN_BITS,
    PATTERN,
    RUN_K,
    SEEN,
    SMALL,
    STATE,
    STEPS,
    TOO_LARGE,
    WILD_GAIN,
)
from solver.kernels.suit_search import search
from solver.kernels.suit_sets import build_sets, set_word
from solver.kernels.types import I64, U8, i64

# STATE of a prefix: wilds left, value of its melds without wilds, melds, value to reach; then the
# best value of the hand.
_LEFT = STATE
_GAINED = STATE + 1
_ROWS = STATE + 2
_TARGET = STATE + 3
VALUE = 4
_USED = LAID + L_WILDS
# SMALL while sets are tried (suit_sets uses the places before): copies held and taken by suit.
_HELD = SMALL + 64
_TAKEN = SMALL + 72

RUN_ROW = 1
SET_ROW = 0
WILD_ROW = 2


@kernel
def _take(value: int, k: int, work: I64) -> None:
    """Add a meld's value and its k wilds to the prefix."""
    work[_GAINED] += value
    work[_LEFT] -= k
    work[_USED] += k


@kernel
def _reaches(gain: I64, rules: I64, work: I64) -> bool:
    """Return whether the rest of the hand brings the prefix to its target."""
    n_wilds = work[_LEFT]
    wanted = work[_TARGET] - work[_GAINED]
    depth = build_sets(n_wilds, gain, i64(1), rules, work)
    if depth < 0:
        return False
    value = search(n_wilds, depth, wanted - 1, wanted, i64(1), rules, work)
    # Once the steps are used up nothing is laid any more: what would follow is not canonical.
    return value >= wanted and work[STEPS] <= work[BUDGET]


@kernel
def _is_done(work: I64) -> bool:
    """Return whether the prefix has the target value already."""
    return work[_GAINED] + work[WILD_GAIN + work[_USED]] == work[_TARGET]


@kernel
def _write(rows: I64, work: I64, kind: int, a: int, b: int, c: int, d: int) -> None:
    """Append one class meld to the witness."""
    n = work[_ROWS]
    rows[n, 0] = kind
    rows[n, 1] = a
    rows[n, 2] = b
    rows[n, 3] = c
    rows[n, 4] = d
    work[_ROWS] = n + 1


@kernel
def _move_run(suit: int, start: int, naturals: int, step: int, work: I64) -> None:
    """Take the naturals of a run off the hand and the key (``step`` 1) or put them back (-1)."""
    info = INFO + INFO_WIDTH * suit
    i = 0
    while naturals >> i:
        if (naturals >> i) & 1:
            rank = (start + i) % 13
            work[NATURALS + suit * 13 + rank] -= step
            work[info + I_KEY] -= step * work[info + I_STRIDE + rank]
        i += 1


@kernel
def _try_run(
    suit: int, start: int, length: int, naturals: int, gain: I64, rules: I64, work: I64
) -> bool:
    """Lay a run if an optimal arrangement continues the prefix with it; return whether."""
    info = INFO + INFO_WIDTH * suit
    k = i64(length)
    value = i64(-1)
    for i in range(length):
        if (naturals >> i) & 1:
            card = suit * 13 + (start + i) % 13
            value += gain[card]
            k -= 1
            if work[NATURALS + card] == 0:
                return False
    if (naturals & 1) and (naturals >> 13) and work[NATURALS + suit * 13] == 1:
        return False
    before, inert = work[LAID + L_CLASS], work[info + I_INERT]
    after = rules[AFTER + 2 * before + (k > 0)]
    if rules[P_ONE_RUN_SUIT] == 1:
        # Runs in other suits do not stand in the way; a second one here does.
        after = before + 1 if inert == 0 and before < rules[P_N_RUNS] else i64(-1)
    if after < 0 or k > work[_LEFT]:
        return False
    _move_run(suit, start, naturals, i64(1), work)
    work[LAID + L_CLASS] = after
    if rules[P_ONE_RUN_SUIT] == 1:
        work[info + I_INERT] = 1
    _take(value, k, work)
    if _reaches(gain, rules, work):
        return True
    _take(-value, -k, work)
    work[info + I_INERT] = inert
    work[LAID + L_CLASS] = before
    _move_run(suit, start, naturals, i64(-1), work)
    return False


@kernel
def _lay_runs(suit: int, gain: I64, rules: I64, work: I64, rows: I64) -> None:
    """Try the runs of a suit by start, length and places of naturals; each card set once."""
    held = i64(0)
    for rank in range(1, 13):
        if work[NATURALS + suit * 13 + rank] > 0:
            held |= i64(1) << rank
    if work[NATURALS + suit * 13] > 0:
        held |= rules[P_ACE_LOW] | (rules[P_ACE_HIGH] << 13)
    ring = rules[P_RING] == 1
    sub = held
    while sub > 0:
        work[SEEN + sub] = 0
        sub = (sub - 1) & held
    last = rules[P_LINE_LAST]
    for start in range(rules[P_LINE_FIRST], last + 1):
        longest = i64(13) if ring else last - start + 1
        for length in range(1, longest + 1):
            window = (held | (held << 13 if ring else 0)) >> start & ((i64(1) << length) - 1)
            naturals = window & -window
            while naturals != 0:
                mask = naturals << start
                if ring:
                    mask = (mask | mask >> 13) & 0x1FFF
                k = i64(length)
                for i in range(length):
                    k -= (naturals >> i) & 1
                pattern = (i64(1) << length) | naturals
                if (
                    k <= work[_LEFT]
                    and (work[SEEN + mask] >> k) & 1 == 0
                    and (rules[PATTERN + (pattern >> 5)] >> (pattern & 31)) & 1
                    and (rules[RUN_K + mask] >> k) & 1
                ):
                    while _try_run(suit, start, length, naturals, gain, rules, work):
                        _write(rows, work, i64(RUN_ROW), suit, start, length, naturals)
                        if _is_done(work):
                            return
                    work[SEEN + mask] |= i64(1) << k
                naturals = (naturals - window) & window


@kernel
def _move_set(rank: int, step: int, rules: I64, work: I64) -> None:
    """Take the cards at _TAKEN off the hand and the keys (``step`` 1) or put them back (-1)."""
    for s in range(rules[P_SUITS]):
        n, info = step * work[_TAKEN + s], INFO + INFO_WIDTH * s
        work[NATURALS + s * 13 + rank] -= n
        work[info + I_KEY] -= n * work[info + I_STRIDE + rank]


@kernel
def _try_set(rank: int, k: int, gain: I64, rules: I64, work: I64) -> bool:
    """Lay a set of the cards at _TAKEN and k wilds if it can be in the best; say so."""
    value = i64(-1)
    for s in range(rules[P_SUITS]):
        card = s * 13 + rank
        if work[NATURALS + card] < work[_TAKEN + s]:
            return False
        value += work[_TAKEN + s] * gain[card]
    sets, ranks = work[LAID + L_SETS], work[LAID + L_RANKS]
    if rules[P_MODE] == MODE_CONTRACT:
        if sets >= rules[P_N_SETS] or (ranks >> rank) & 1:
            return False
        work[LAID + L_SETS] += 1
        if rules[P_ONE_SET_RANK] == 1:
            work[LAID + L_RANKS] |= i64(1) << rank
    _move_set(rank, i64(1), rules, work)
    _take(value, k, work)
    if _reaches(gain, rules, work):
        return True
    _take(-value, -k, work)
    _move_set(rank, i64(-1), rules, work)
    work[LAID + L_SETS] = sets
    work[LAID + L_RANKS] = ranks
    return False


@kernel
def _lay_sets(rank: int, gain: I64, rules: I64, work: I64, rows: I64) -> None:
    """Try the sets of a rank: more copies of earlier suits first, then fewer wilds."""
    n_suits = rules[P_SUITS]
    n_subs, n = i64(1), i64(0)
    for s in range(n_suits):
        count = work[NATURALS + s * 13 + rank]
        work[_HELD + s] = count
        work[_TAKEN + s] = count
        n_subs *= count + 1
        n += count
    if n_subs > MAX_SUBS:
        return
    while n > 0:
        most = i64(0)
        for s in range(n_suits):
            most = max(most, work[_TAKEN + s])
        bits = set_word(n, most, work[_LEFT], rules)
        k = i64(0)
        while bits >> k:
            if (bits >> k) & 1:
                while k <= work[_LEFT] and _try_set(rank, k, gain, rules, work):
                    used = i64(0)
                    for s in range(n_suits):
                        used |= work[_TAKEN + s] << (4 * s)
                    _write(rows, work, i64(SET_ROW), rank, k, used, i64(0))
                    if _is_done(work):
                        return
            k += 1
        # The last suit is the fastest digit, going down.
        s = n_suits - 1
        while s >= 0 and work[_TAKEN + s] == 0:
            work[_TAKEN + s] = work[_HELD + s]
            n += work[_HELD + s]
            s -= 1
        if s < 0:
            return
        work[_TAKEN + s] -= 1
        n -= 1


@kernel
def _lay_wilds(gain: I64, rules: I64, work: I64, rows: I64) -> None:
    """Lay melds of wilds only, smallest first."""
    for k in range(1, work[_LEFT] + 1):
        if (rules[P_WILD_BITS] >> k) & 1 == 0:
            continue
        while k <= work[_LEFT] and not _is_done(work):
            before = work[LAID + L_CLASS]
            if rules[P_MODE] == MODE_REQUIRE and (rules[P_WILD_RUN_BITS] >> k) & 1:
                work[LAID + L_CLASS] = rules[AFTER + 2 * before + 1]
            _take(i64(-1), k, work)
            if not _reaches(gain, rules, work):
                _take(i64(1), -k, work)
                work[LAID + L_CLASS] = before
                break
            _write(rows, work, i64(WILD_ROW), k, i64(0), i64(0), i64(0))


@kernel
def lay_canonical(n_wilds: int, target: int, gain: I64, rules: I64, work: I64, rows: I64) -> int:
    """Write the smallest arrangement of value ``target`` for the roles in work; its length."""
    work[_LEFT] = n_wilds
    work[_USED] = 0
    work[_GAINED] = 0
    work[_ROWS] = 0
    work[_TARGET] = target
    if _is_done(work):
        return i64(0)
    if build_suits(n_wilds, gain, i64(1), rules, work) != 0:
        return i64(TOO_LARGE)
    for suit in range(rules[P_SUITS]):
        # Without wilds, or where melds are counted, a suit without listed runs has none at all;
        # else it may still have a lone natural with wilds, which the tables leave to the sets.
        inert = work[INFO + INFO_WIDTH * suit + I_INERT] == 1
        if not inert or (n_wilds > 0 and rules[P_MODE] == MODE_PLAIN):
            _lay_runs(suit, gain, rules, work, rows)
            if _is_done(work):
                return work[_ROWS]
    for rank in range(13):
        _lay_sets(rank, gain, rules, work, rows)
        if _is_done(work):
            return work[_ROWS]
    _lay_wilds(gain, rules, work, rows)
    return work[_ROWS] if _is_done(work) else i64(TOO_LARGE)


@kernel
def canonical_witness(counts: U8, gain: I64, rules: I64, work: I64, rows: I64) -> int:
    """Find the best composite value of a hand and its canonical arrangement.

    Args: counts uint8[66]; gain int64[66] composite gain per card; rows int64[MAX_ROWS, 5],
    receives the class melds; ``work[STATE + VALUE]`` receives the value.

    Returns: the number of melds, INFEASIBLE or TOO_LARGE.
    """
    best = best_value(counts, gain, i64(1), rules, work)
    work[STATE + VALUE] = best
    if best < 0:
        return best
    n_wilds = set_roles_of_best(counts, rules, work)
    sum_wild_gain(gain, rules, work)
    return lay_canonical(n_wilds, best, gain, rules, work, rows)


@kernel
def set_roles_of_best(counts: U8, rules: I64, work: I64) -> int:
    """Deal the cards to the roles that best_value found; return the number of wilds."""
    if rules[P_SPLIT] == 0:
        return set_roles(counts, rules, work)
    held = SMALL
    for i in range(rules[P_N_WILD_IDS]):
        work[held + i] = work[BEST_NATURAL + i]
    n_wilds = set_roles(counts, rules, work)
    for i in range(rules[P_N_WILD_IDS]):
        move_role(i, work[held + i], rules, work)
        n_wilds -= work[held + i]
    return n_wilds
