"""Per-hand tables of the suit engine: the best runs of every part of a suit.

A run lives in one suit and a set in one rank. Once it is known which cards go to sets, the suits
are independent but for the number of wilds each takes. So for each suit there is a table over
the sub-multisets of its cards (key: mixed radix of the counts held), the exact number of wilds
used, and a small class that counts what the rules ask to be counted; and for each rank a list of
ways to make sets (``suit_sets``). ``suit_search`` puts them together. All values are composite
(see DESIGN.md). ``rules`` and ``work`` are flat vectors, see ``suit_layout``.
Source: own argument, DESIGN.md "Why the suit engine is exact".
"""

from __future__ import annotations

from solver.kernels.jit import kernel
from solver.kernels.suit_layout import (
    AFTER,
    BUDGET,
    I_CONTESTED,
    I_INERT,
    I_KEY,
    I_LONE,
    I_OFFSET,
    I_STRIDE,
    I_WIDTH,
    INFO,
    INFO_WIDTH,
    M_BITS,
    M_DELTA,
    M_DIGITS,
    M_NEXT,
    M_TWICE,
    M_VALUE,
    MASKS,
    MODE_CONTRACT,
    MODE_PLAIN,
    NATURALS,
    NEG,
    P_ACE_HIGH,
    P_ACE_LOW,
    P_MODE,
    P_N_CLASSES,
    P_N_RUNS,
    P_SUITS,
    PRIME_K,
    RUN_K,
    SET_K,
    SMALL,
    STEPS,
    TABLE,
)
from solver.kernels.types import I64, i64

# SMALL while a suit is built: first run by its highest digit, digit of a position, then by digit
# the rank, the count in the hand and the count in the key.
_HEAD = SMALL
_DIGIT_AT = SMALL + 16
_RANK = SMALL + 32
_COUNT = SMALL + 48
_IN_KEY = SMALL + 64


@kernel
def list_runs(suit: int, n_wilds: int, gain: I64, meld_cost: int, rules: I64, work: I64) -> int:
    """List the runs the naturals of a suit allow, linked by their highest digit.

    Fills rows of MASKS, and key, strides, contested and lone ranks of the suit's INFO. Only ranks
    that occur in a listed run become digits of the key. Where the number of melds does not
    matter, runs that are several shorter ones are left out (a suit of 13 and a wild on a ring:
    1.0 ms instead of 12.9). A lone natural with wilds is as well a
    set; where either way allows the same wilds it is listed here if its rank is a digit anyway
    (the search then meets no set of it), else left to the sets.

    Returns: the number of keys of the suit, 1 when no run is listed.
    """
    info, hand = INFO + INFO_WIDTH * suit, NATURALS + 13 * suit
    held, n_subs = i64(0), i64(2)
    for rank in range(13):
        work[info + I_STRIDE + rank] = 0
        if work[hand + rank] > 0:
            held |= i64(1) << rank
            n_subs *= 2
    work[STEPS] += 2 * n_subs
    n_aces = work[hand]
    line = held & ~i64(1)
    if n_aces > 0:
        line |= rules[P_ACE_LOW] | (rules[P_ACE_HIGH] << 13)
    word = (i64(2) << n_wilds) - 1
    n, used = 0, i64(0)
    any_number = meld_cost == 0 and rules[P_MODE] != MODE_CONTRACT
    table = PRIME_K if any_number else RUN_K
    sub = line
    while sub > 0:
        bits = rules[table + sub] & word
        if bits != 0 and (sub & (sub - 1)) != 0:
            twice = (sub & 8193) == 8193
            if n_aces > 1 or not twice:
                row = MASKS + 8 * n
                work[row + M_DIGITS] = sub
                work[row + M_BITS] = bits
                work[row + M_TWICE] = twice
                used |= sub
                n += 1
        sub = (sub - 1) & line
    used = (used | (used >> 13)) & 8191
    lone = i64(0)
    if n_wilds > 0:
        as_set = rules[SET_K + 1] & word
        plain = rules[P_MODE] == MODE_PLAIN
        for rank in range(13):
            if (held >> rank) & 1 == 0:
                continue
            bits = rules[RUN_K + (i64(1) << rank)] if (line >> rank) & 1 else i64(0)
            if rank == 0 and line >> 13:
                bits |= rules[RUN_K + 8192]
            bits &= word
            if bits == 0:
                continue
            same = plain and as_set & ~bits == 0
            if plain and bits & ~as_set == 0 and not (same and (used >> rank) & 1):
                continue
            row = MASKS + 8 * n
            work[row + M_DIGITS] = i64(1) << rank
            work[row + M_BITS] = bits
            work[row + M_TWICE] = 0
            used |= i64(1) << rank
            if same:
                lone |= i64(1) << rank
            n += 1
    work[info + I_CONTESTED] = used
    work[info + I_LONE] = lone
    work[info + I_KEY] = 0
    if n == 0:
        return i64(1)
    n_keys = _number_digits(suit, used, work)
    _link_runs(suit, n, gain, meld_cost, work)
    return n_keys


@kernel
def _number_digits(suit: int, used: int, work: I64) -> int:
    """Give the ranks of a mask their digits, strides and the key; return the number of keys."""
    info, hand = INFO + INFO_WIDTH * suit, NATURALS + 13 * suit
    n_keys, full, digit = i64(1), i64(0), 0
    for rank in range(13):
        if (used >> rank) & 1:
            count = work[hand + rank]
            work[info + I_STRIDE + rank] = n_keys
            full += n_keys * count
            n_keys *= count + 1
            work[_HEAD + digit] = -1
            work[_DIGIT_AT + rank] = digit
            work[_RANK + digit] = rank
            work[_COUNT + digit] = count
            digit += 1
    work[_DIGIT_AT + 13] = work[_DIGIT_AT]
    work[_COUNT + digit] = -1
    work[info + I_KEY] = full
    return n_keys


@kernel
def _link_runs(suit: int, n: int, gain: I64, meld_cost: int, work: I64) -> None:
    """Complete the n listed runs: key delta, value, digit mask, link by highest digit."""
    info = INFO + INFO_WIDTH * suit
    for i in range(n):
        row = MASKS + 8 * i
        left, position = work[row + M_DIGITS], 0
        delta, value = i64(0), -i64(meld_cost)
        digits, top = i64(0), i64(0)
        while left:
            if left & 1:
                rank = position if position < 13 else 0
                delta += work[info + I_STRIDE + rank]
                value += gain[suit * 13 + rank]
                digit = work[_DIGIT_AT + position]
                digits |= i64(1) << digit
                top = max(top, digit)
            left >>= 1
            position += 1
        work[row + M_DELTA] = delta
        work[row + M_VALUE] = value
        work[row + M_DIGITS] = digits
        work[row + M_NEXT] = work[_HEAD + top]
        work[_HEAD + top] = row


@kernel
def fill_suit(suit: int, n_wilds: int, n_keys: int, base: int, rules: I64, work: I64) -> bool:
    """Fill the table of a suit from its listed runs; return whether steps were left for it.

    ``work[base + (key * (W+1) + w) * C + c]`` is the best value of disjoint runs made of part of
    the cards of ``key`` with exactly w wilds and class c, below DEAD when there is none. A key
    drops one card of its highest rank held, or lays a run whose highest digit is that rank; cost
    is keys * runs * wilds. Runs whose digits the key lacks are passed over.
    """
    info = INFO + INFO_WIDTH * suit
    n_cls = rules[P_N_CLASSES]
    width = (n_wilds + 1) * n_cls
    digit = 0
    while work[_COUNT + digit] >= 0:
        work[_IN_KEY + digit] = 0
        digit += 1
    for i in range(width):
        work[base + i] = NEG
    work[base] = 0
    present, top, steps = i64(0), 0, work[STEPS]
    for key in range(1, n_keys):
        if steps > work[BUDGET]:
            work[STEPS] = steps
            return False
        d = 0
        while work[_IN_KEY + d] == work[_COUNT + d]:
            work[_IN_KEY + d] = 0
            present &= ~(i64(1) << d)
            d += 1
        work[_IN_KEY + d] += 1
        present |= i64(1) << d
        top = max(top, d)
        here = base + key * width
        there = here - work[info + I_STRIDE + work[_RANK + top]] * width
        for i in range(width):
            work[here + i] = work[there + i]
        row = work[_HEAD + top]
        steps += width
        while row >= 0:
            steps += 2
            if (work[row + M_DIGITS] & ~present) == 0 and (
                work[row + M_TWICE] == 0 or work[_IN_KEY] > 1
            ):
                rest = base + (key - work[row + M_DELTA]) * width
                value, bits = work[row + M_VALUE], work[row + M_BITS]
                if n_cls == 1 and n_wilds == 0:
                    work[here] = max(work[here], work[rest] + value)
                elif n_cls == 1:
                    k = 0
                    while bits >> k:
                        if (bits >> k) & 1:
                            steps += width
                            for w in range(k, n_wilds + 1):
                                best = work[rest + w - k] + value
                                work[here + w] = max(work[here + w], best)
                        k += 1
                else:
                    steps += _lay_counted(here, rest, value, bits, n_wilds, rules, work)
            row = work[row + M_NEXT]
    work[STEPS] = steps
    return steps <= work[BUDGET]


@kernel
def _lay_counted(
    here: int, rest: int, value: int, bits: int, n_wilds: int, rules: I64, work: I64
) -> int:
    """Improve a key's entries with one run on top of what the rest gives, by class; the steps."""
    n_cls = rules[P_N_CLASSES]
    k, steps = 0, i64(0)
    while bits >> k:
        if (bits >> k) & 1:
            steps += (n_wilds + 1) * n_cls
            for c in range(n_cls):
                after = rules[AFTER + 2 * c + (k > 0)]
                if after >= 0:
                    for w in range(k, n_wilds + 1):
                        best = work[rest + (w - k) * n_cls + c] + value
                        at = here + w * n_cls + after
                        work[at] = max(work[at], best)
        k += 1
    return steps


@kernel
def build_suits(n_wilds: int, gain: I64, meld_cost: int, rules: I64, work: I64) -> int:
    """Build the tables of all suits; return 0, or 1 when they need more room or steps."""
    base = i64(TABLE)
    width = (n_wilds + 1) * rules[P_N_CLASSES]
    no_runs = rules[P_MODE] == MODE_CONTRACT and rules[P_N_RUNS] == 0
    for suit in range(rules[P_SUITS]):
        info = INFO + INFO_WIDTH * suit
        n_keys = i64(1)
        if no_runs:
            work[info + I_KEY] = 0
            work[info + I_CONTESTED] = 0
            work[info + I_LONE] = 0
            for rank in range(13):
                work[info + I_STRIDE + rank] = 0
        else:
            n_keys = list_runs(suit, n_wilds, gain, meld_cost, rules, work)
        work[info + I_INERT] = n_keys == 1
        work[info + I_OFFSET] = base
        work[info + I_WIDTH] = width
        if n_keys > 1:
            if base + n_keys * width > work.shape[0]:
                return i64(1)
            if not fill_suit(suit, n_wilds, n_keys, base, rules, work):
                return i64(1)
            base += n_keys * width
    return i64(0)
