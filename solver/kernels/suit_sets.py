"""Ways to make sets of the ranks of a hand, for the suit engine.

Ranks whose cards runs also want are listed option by option for the search; the others are folded
into one vector over wilds, since nothing disturbs them.
"""

from __future__ import annotations

from solver.kernels.jit import kernel
from solver.kernels.suit_layout import (
    BUDGET,
    FIRST,
    FREE,
    I_CONTESTED,
    I_LONE,
    I_STRIDE,
    INFO,
    INFO_WIDTH,
    L_RANKS,
    L_SETS,
    LAID,
    MAX_OPTIONS,
    MAX_SETS,
    MAX_SUBS,
    MODE_CONTRACT,
    MODE_REQUIRE,
    NATURALS,
    NEG,
    O_BITS,
    O_GAIN,
    O_SETS,
    OPTIONS,
    P_DISTINCT,
    P_FREE_JOIN,
    P_FREE_JOIN_PLAIN,
    P_MERGE,
    P_MODE,
    P_N_SETS,
    P_ONE_SET_RANK,
    P_SET_MIN,
    P_SUITS,
    P_WILD_BITS,
    SET_BITS,
    SET_K,
    SMALL,
    STEPS,
    TOO_LARGE,
)
from solver.kernels.types import I64, i64

# SMALL while a rank is listed, by suit: copies held, fewest and now taken, weight in a part's
# number; then the digits of a part.
_HELD = SMALL
_LEAST = SMALL + 8
_TAKEN = SMALL + 16
_RADIX = SMALL + 24
_PART = SMALL + 32
_HIGH_BITS = 0x8080808080
MAX_SET_NATURALS = 31
MAX_COPIES = 15
"""A set row holds 4 bits a suit."""


@kernel
def set_word(n: int, same: int, n_wilds: int, rules: I64) -> int:
    """Return bit k set when n naturals, at most ``same`` of a suit, and k wilds are a set."""
    if (same > 1 and rules[P_DISTINCT] == 1) or n > MAX_SET_NATURALS:
        return i64(0)
    return rules[SET_K + n] & ((i64(2) << n_wilds) - 1)


@kernel
def _is_listed_lone(rank: int, n_suits: int, at: int, work: I64) -> bool:
    """Return whether the one card counted at ``at`` is a lone run of its suit's table."""
    for s in range(n_suits):
        if work[at + s] > 0:
            return (work[INFO + INFO_WIDTH * s + I_LONE] >> rank) & 1 == 1
    return False


@kernel
def list_parts(rank: int, n_wilds: int, n_subs: int, max_sets: int, rules: I64, work: I64) -> None:
    """Fill SET_BITS: row j, wild totals with which part u of a rank is exactly j legal sets.

    u is mixed radix over the copies held per suit. Cost: n_subs ** 2 * max_sets.
    """
    n_suits = rules[P_SUITS]
    word = (i64(2) << n_wilds) - 1
    for s in range(n_suits):
        work[_PART + s] = 0
    work[SET_BITS] = 0
    work[SET_BITS + MAX_SUBS] = 0
    for u in range(1, n_subs):
        s = 0
        while work[_PART + s] == work[_HELD + s]:
            work[_PART + s] = 0
            s += 1
        work[_PART + s] += 1
        n, same, digits = i64(0), i64(0), i64(0)
        for t in range(n_suits):
            used = work[_PART + t]
            n += used
            same = max(same, used)
            digits |= used << (8 * t)
        work[SET_BITS + u] = digits
        bits = set_word(n, same, n_wilds, rules)
        if n == 1 and _is_listed_lone(rank, n_suits, i64(_PART), work):
            bits = i64(0)
        work[SET_BITS + MAX_SUBS + u] = bits
    for j in range(2, max_sets + 1):
        row = SET_BITS + j * MAX_SUBS
        for u in range(n_subs):
            whole = work[SET_BITS + u] | _HIGH_BITS
            found = i64(0)
            for t in range(1, u + 1):
                one = work[SET_BITS + MAX_SUBS + t]
                # A byte a suit: no borrow into the high bit means t holds no more than u.
                if one == 0 or (whole - work[SET_BITS + t]) & _HIGH_BITS != _HIGH_BITS:
                    continue
                more = work[row - MAX_SUBS + u - t]
                k = 0
                while more != 0 and one >> k:
                    if (one >> k) & 1:
                        found |= (more << k) & word
                    k += 1
            work[row + u] = found


@kernel
def _most_sets(total: int, n_wilds: int, rules: I64, work: I64) -> int:
    """Return how many sets of one rank are worth listing."""
    if rules[P_MODE] == MODE_CONTRACT:
        wanted = rules[P_N_SETS] - work[LAID + L_SETS]
        return min(wanted, total) if rules[P_ONE_SET_RANK] == 0 else min(wanted, 1)
    if rules[P_MERGE] == 1:
        return i64(1)
    return min(max((total + n_wilds) // rules[P_SET_MIN], 1), total)


@kernel
def rank_options(
    rank: int, n_wilds: int, start: int, gain: I64, meld_cost: int, rules: I64, work: I64
) -> int:
    """Append the ways to make sets of one rank to OPTIONS from row ``start``.

    Returns the row after the last, or TOO_LARGE. Where adding a natural to a set is always legal
    (``free_join``), cards that no run can use are in every option: a set with them is worth more
    and costs the suits nothing. A lone natural that its suit's table lists is no set here.
    """
    n_suits = rules[P_SUITS]
    total, most, n_subs = i64(0), i64(0), i64(1)
    for s in range(n_suits):
        count = work[NATURALS + 13 * s + rank]
        work[_HELD + s] = count
        total += count
        most = max(most, count)
    if total == 0 or total + n_wilds < rules[P_SET_MIN]:
        return i64(start)
    if total > MAX_SET_NATURALS or most > MAX_COPIES:
        return i64(TOO_LARGE)
    max_sets = _most_sets(total, n_wilds, rules, work)
    joins = rules[P_FREE_JOIN] == 1 or (n_wilds == 0 and rules[P_FREE_JOIN_PLAIN] == 1)
    joins = joins and (rules[P_DISTINCT] == 0 or most <= 1)
    for s in range(n_suits):
        count = work[_HELD + s]
        work[_RADIX + s] = n_subs
        work[_TAKEN + s] = count
        contested = (work[INFO + INFO_WIDTH * s + I_CONTESTED] >> rank) & 1
        work[_LEAST + s] = count if joins and contested == 0 else 0
        n_subs *= count + 1
    if max_sets > 1:
        if n_subs > MAX_SUBS or max_sets > MAX_SETS:
            return i64(TOO_LARGE)
        work[STEPS] += 3 * n_subs * n_subs * max_sets
        if work[STEPS] > work[BUDGET]:
            return i64(TOO_LARGE)
        list_parts(rank, n_wilds, n_subs, max_sets, rules, work)
    work[STEPS] += 8 * n_subs * max_sets
    row, n, u = i64(start), total, n_subs - 1
    while True:
        seen = i64(0)
        for j in range(1, max_sets + 1):
            if max_sets > 1:
                bits = work[SET_BITS + j * MAX_SUBS + u]
            else:
                same = i64(0)
                for s in range(n_suits):
                    same = max(same, work[_TAKEN + s])
                bits = set_word(n, same, n_wilds, rules)
                if n == 1 and bits and _is_listed_lone(rank, n_suits, i64(_TAKEN), work):
                    bits = i64(0)
            # More sets of the same cards are worth less, so only new wild totals count;
            # a contract counts its sets, so there every number stands.
            if rules[P_MODE] != MODE_CONTRACT:
                bits &= ~seen
            if bits == 0:
                continue
            seen |= bits
            if row >= MAX_OPTIONS:
                return i64(TOO_LARGE)
            option = OPTIONS + 8 * row
            value = -i64(meld_cost) * j
            for s in range(n_suits):
                used = work[_TAKEN + s]
                work[option + s] = used * work[INFO + INFO_WIDTH * s + I_STRIDE + rank]
                value += used * gain[s * 13 + rank]
            work[option + O_GAIN] = value
            work[option + O_BITS] = bits
            work[option + O_SETS] = j
            row += 1
        s = 0
        while s < n_suits and work[_TAKEN + s] == work[_LEAST + s]:
            back = work[_HELD + s] - work[_LEAST + s]
            work[_TAKEN + s] = work[_HELD + s]
            n += back
            u += back * work[_RADIX + s]
            s += 1
        if s == n_suits:
            return row
        work[_TAKEN + s] -= 1
        n -= 1
        u -= work[_RADIX + s]


@kernel
def build_sets(n_wilds: int, gain: I64, meld_cost: int, rules: I64, work: I64) -> int:
    """List the set options of contested ranks and fold the free ranks into one vector.

    ``FIRST[d] .. FIRST[d+1]`` are the option rows of depth d; ``FREE[w, j]`` is the best value of
    melds that touch no run, with exactly w wilds and j counted sets.

    Returns: the number of depths, or TOO_LARGE.
    """
    counted = rules[P_MODE] == MODE_CONTRACT
    n_j = rules[P_N_SETS] + 1 if counted else i64(1)
    for w in range(n_wilds + 1):
        for j in range(n_j):
            work[FREE + 8 * w + j] = NEG
    work[FREE] = 0
    work[FIRST] = 0
    if rules[P_MODE] != MODE_REQUIRE and rules[P_WILD_BITS] != 0:
        _add_wild_melds(n_wilds, meld_cost, rules[P_WILD_BITS], work)
    depth, row = i64(0), i64(0)
    if counted and work[LAID + L_SETS] >= rules[P_N_SETS]:
        return depth
    contested = i64(0)
    for s in range(rules[P_SUITS]):
        contested |= work[INFO + INFO_WIDTH * s + I_CONTESTED]
    for rank in range(13):
        if (work[LAID + L_RANKS] >> rank) & 1:
            continue
        stop = rank_options(rank, n_wilds, row, gain, meld_cost, rules, work)
        if stop < 0 or work[STEPS] > work[BUDGET]:
            return i64(TOO_LARGE)
        if stop == row:
            continue
        if (contested >> rank) & 1 and _is_contested(row, stop, rules[P_SUITS], work):
            depth += 1
            row = stop
            work[FIRST + depth] = row
        else:
            _fold(row, stop, n_wilds, n_j, counted, work)
    return depth


@kernel
def _is_contested(start: int, stop: int, n_suits: int, work: I64) -> bool:
    """Return whether some option takes a card that a run wants."""
    for o in range(start, stop):
        for s in range(n_suits):
            if work[OPTIONS + 8 * o + s] != 0:
                return True
    return False


@kernel
def _fold(start: int, stop: int, n_wilds: int, n_j: int, counted: int, work: I64) -> None:
    """Fold a free rank into FREE: at most one option, so wild totals go downwards."""
    work[STEPS] += (stop - start) * n_j * (n_wilds + 1) * (n_wilds + 1)
    for w in range(n_wilds, -1, -1):
        for j in range(n_j - 1, -1, -1):
            best = work[FREE + 8 * w + j]
            for o in range(start, stop):
                option = OPTIONS + 8 * o
                before = j - work[option + O_SETS] if counted else 0
                bits, value = work[option + O_BITS], work[option + O_GAIN]
                if before >= 0:
                    for k in range(w + 1):
                        if (bits >> k) & 1:
                            best = max(best, work[FREE + 8 * (w - k) + before] + value)
            work[FREE + 8 * w + j] = best


@kernel
def _add_wild_melds(n_wilds: int, meld_cost: int, wild_bits: int, work: I64) -> None:
    """Let melds of wilds only take any part of the wilds (column 0 of FREE)."""
    for w in range(1, n_wilds + 1):
        for k in range(1, w + 1):
            if (wild_bits >> k) & 1:
                value = work[FREE + 8 * (w - k)] - meld_cost
                work[FREE + 8 * w] = max(work[FREE + 8 * w], value)
