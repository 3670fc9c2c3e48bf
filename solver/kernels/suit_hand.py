"""Whole hands for the suit engine: which cards are wild, in which roles, and the best of all.

A card of a wild rank may be read as itself. Where that can matter, every split of such cards into
natural and wild roles is tried that some meld needs: in the best arrangement with the fewest
natural roles, each of them stands in a meld that would be worse with the card as a wild. (Indian
13: the slowest of 400 random hands fell from 2000 us to 100.)
"""

from __future__ import annotations

from solver.kernels.jit import kernel
from solver.kernels.suit_layout import (
    BUDGET,
    INFEASIBLE,
    IS_WILD,
    LAID,
    MAX_W,
    MODE_CONTRACT,
    MODE_REQUIRE,
    NATURALS,
    P_ACE_HIGH,
    P_ACE_LOW,
    P_CAP,
    P_MODE,
    P_N_WILD_IDS,
    P_NEED_PURE,
    P_SPLIT,
    P_SUITS,
    P_WILD_BITS,
    P_WILD_RUN_BITS,
    ROLES,
    RUN_K,
    SET_K,
    SPLIT_PURE,
    STEPS,
    TOO_LARGE,
    WILD_GAIN,
    WILD_IDS,
)
from solver.kernels.suit_search import best_of_roles
from solver.kernels.types import I32, I64, U8, i64

_WILD = ROLES
_NATURAL = ROLES + 66
_MOST = ROLES + 132
BEST_NATURAL = ROLES + 198
_SPLITS_DONE = 1000


@kernel
def set_roles(counts: U8, rules: I64, work: I64) -> int:
    """Deal the cards of a hand (uint8[66]) to roles, all wild cards wild, and clear what is laid.

    Fills NATURALS and ROLES. Returns: the number of wilds.
    """
    for i in range(4):
        work[LAID + i] = 0
    last = rules[P_SUITS] * 13
    for card in range(last):
        work[NATURALS + card] = 0 if rules[IS_WILD + card] else i64(counts[card])
    n_wilds = i64(0)
    for i in range(rules[P_N_WILD_IDS]):
        count = i64(counts[rules[WILD_IDS + i]])
        work[_WILD + i] = count
        work[_NATURAL + i] = 0
        work[_MOST + i] = 0
        work[BEST_NATURAL + i] = 0
        n_wilds += count
    return n_wilds


@kernel
def find_splits(counts: U8, n_wilds: int, rules: I64, work: I64) -> bool:
    """Fill how many of each wild card may be needed as naturals; return whether any may."""
    found = False
    last = rules[P_SUITS] * 13
    for i in range(rules[P_N_WILD_IDS]):
        card = rules[WILD_IDS + i]
        if card >= last or work[_WILD + i] == 0:
            continue
        useful = _helps_run(card, counts, n_wilds, rules)
        if rules[P_SPLIT] == SPLIT_PURE:
            # One pure run is enough, and only an ace can be in it twice.
            most = min(work[_WILD + i], 2 if card % 13 == 0 else 1)
        else:
            most = work[_WILD + i]
            useful = useful or _helps_set(card, counts, n_wilds, rules)
        if useful:
            work[_MOST + i] = most
            found = True
    return found


@kernel
def _helps_run(card: int, counts: U8, n_wilds: int, rules: I64) -> bool:
    """Return whether some run needs the card as a natural: as a wild it were illegal or impure."""
    suit = card // 13
    line = i64(0)
    for rank in range(1, 13):
        if counts[suit * 13 + rank] > 0:
            line |= i64(1) << rank
    if counts[suit * 13] > 0:
        line |= rules[P_ACE_LOW] | (rules[P_ACE_HIGH] << 13)
    here = i64(1) << (card % 13)
    if card % 13 == 0:
        here |= 8192
    word = (i64(2) << n_wilds) - 1
    # What a run of wilds only gives instead of this card among wilds.
    none = rules[P_WILD_RUN_BITS] if rules[P_MODE] == MODE_REQUIRE else rules[P_WILD_BITS]
    pure_only = rules[P_SPLIT] == SPLIT_PURE
    sub = line
    while sub > 0:
        bits = rules[RUN_K + sub] & (1 if pure_only else word)
        own = sub & here
        if bits != 0 and own != 0:
            rest = sub & ~(own & -own)
            without = none if rest == 0 else rules[RUN_K + rest]
            needed = bits & ~(without >> 1)
            if rules[P_NEED_PURE] > 0:
                needed |= bits & 1
            if needed != 0:
                return True
        sub = (sub - 1) & line
    return False


@kernel
def _helps_set(card: int, counts: U8, n_wilds: int, rules: I64) -> bool:
    """Return whether some set of the card's rank needs it as a natural."""
    total = 0
    for s in range(rules[P_SUITS]):
        total += i64(counts[s * 13 + card % 13])
    word = (i64(2) << n_wilds) - 1
    for n in range(1, min(total, 31) + 1):
        without = rules[P_WILD_BITS] if n == 1 else rules[SET_K + n - 1]
        if rules[SET_K + n] & word & ~(without >> 1):
            return True
    return False


@kernel
def next_roles(rules: I64, work: I64) -> int:
    """Go to the next split of wild cards into natural and wild roles.

    Returns: the change in the number of wilds, 1000 after the last split (all wild again).
    """
    change = i64(0)
    for i in range(rules[P_N_WILD_IDS]):
        if work[_MOST + i] == 0:
            continue
        if work[_NATURAL + i] < work[_MOST + i]:
            move_role(i, i64(1), rules, work)
            return change - 1
        change += work[_NATURAL + i]
        move_role(i, -work[_NATURAL + i], rules, work)
    return i64(_SPLITS_DONE)


@kernel
def move_role(i: int, n: int, rules: I64, work: I64) -> None:
    """Read n more of the i-th wild card as naturals."""
    work[_NATURAL + i] += n
    work[_WILD + i] -= n
    work[NATURALS + rules[WILD_IDS + i]] += n


@kernel
def _is_in_one_suit(rules: I64, work: I64) -> bool:
    """Return whether the wild cards read as naturals are of one suit."""
    suit = i64(-1)
    for i in range(rules[P_N_WILD_IDS]):
        if work[_NATURAL + i] > 0:
            own = rules[WILD_IDS + i] // 13
            if suit >= 0 and suit != own:
                return False
            suit = own
    return True


@kernel
def sum_wild_gain(gain: I64, rules: I64, work: I64) -> None:
    """Fill WILD_GAIN[w]: the gain of the w most expensive cards in wild roles."""
    w, total = 0, i64(0)
    work[WILD_GAIN] = 0
    for i in range(rules[P_N_WILD_IDS]):
        for _ in range(work[_WILD + i]):
            total += gain[rules[WILD_IDS + i]]
            w += 1
            work[WILD_GAIN + w] = total


@kernel
def best_value(counts: U8, gain: I64, meld_cost: int, rules: I64, work: I64) -> int:
    """Return the best composite value of a hand over all roles, INFEASIBLE or TOO_LARGE.

    The roles of the first split that reaches it are kept at BEST_NATURAL. TOO_LARGE when the
    steps of the budget do not suffice; they are counted from here.
    """
    work[STEPS] = 0
    n_wilds = set_roles(counts, rules, work)
    if n_wilds >= MAX_W:
        return i64(TOO_LARGE)
    split = n_wilds > 0 and rules[P_SPLIT] != 0 and find_splits(counts, n_wilds, rules, work)
    target = -i64(meld_cost)
    for card in range(66):
        target += i64(counts[card]) * gain[card]
    best = i64(INFEASIBLE)
    while True:
        work[STEPS] += 30
        if work[STEPS] > work[BUDGET]:
            return i64(TOO_LARGE)
        if rules[P_SPLIT] != SPLIT_PURE or _is_in_one_suit(rules, work):
            sum_wild_gain(gain, rules, work)
            found = best_of_roles(n_wilds, best, target, gain, meld_cost, rules, work)
            if found == TOO_LARGE:
                return found
            if found > best:
                best = found
                for i in range(rules[P_N_WILD_IDS]):
                    work[BEST_NATURAL + i] = work[_NATURAL + i]
            if best >= target or not split:
                return best
        change = next_roles(rules, work)
        if change == _SPLITS_DONE:
            return best
        n_wilds += change


@kernel
def penalties(hands: U8, points: I64, rules: I64, work: I64, out: I32) -> None:
    """Write the least penalty of each hand (uint8[n, 66]) to ``out`` (int32[n]).

    Statuses instead of a penalty: INFEASIBLE (contract not met), TOO_LARGE (ask another engine).
    A hand requirement that cannot be met costs every card; the cap comes last.
    """
    mode, cap = rules[P_MODE], rules[P_CAP]
    for i in range(hands.shape[0]):
        total = i64(0)
        for card in range(66):
            total += i64(hands[i, card]) * points[card]
        value = best_value(hands[i], points, i64(0), rules, work)
        if value == TOO_LARGE or (value == INFEASIBLE and mode == MODE_CONTRACT):
            out[i] = value
            continue
        left = total - max(value, i64(0))
        out[i] = left if cap < 0 else min(left, cap)
