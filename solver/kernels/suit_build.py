"""Per-hand tables of the suit engine: best runs of every part of a suit, and the sets of a rank.

A run lives in one suit and a set in one rank. Once it is known which cards go to sets, the suits
are independent but for the number of wilds each takes. So for each suit there is a table over
the sub-multisets of its cards (key: mixed radix of the counts held), the exact number of wilds
used, and a small class that counts what the rules ask to be counted; and for each rank a list of
ways to make sets. ``suit_search`` puts them together. All values are composite (see DESIGN.md).
Source: own argument, DESIGN.md "Why the suit engine is exact".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.kernels.jit import kernel

NEG = -(1 << 60)
MAX_MASKS = 16384
MAX_OPTIONS = 8192
MAX_W = 31
N_CLASSES_REQUIRE = 6
MODE_CONTRACT = 1
MODE_REQUIRE = 2

# Positions in the params vector; the order is that of solver.compile.tables.PARAM_NAMES.
P_SUITS = 0
P_ACE_LOW = 1
P_ACE_HIGH = 2
P_DISTINCT = 3
P_MERGE = 4
P_FREE_JOIN = 5
P_DROP_LONE = 6
P_MODE = 7
P_N_SETS = 8
P_N_RUNS = 9
P_NEED_RUNS = 10
P_NEED_PURE = 11
P_WILD_BITS = 12
P_WILD_RUN_BITS = 13
P_ONE_RUN_SUIT = 14
P_ONE_SET_RANK = 15
P_SET_MIN = 16
P_SPLIT = 17
P_CAP = 18
P_RING = 19
P_LINE_FIRST = 20
P_LINE_LAST = 21
P_FREE_JOIN_PLAIN = 22

# Columns of Scratch.info, one row a suit.
I_OFFSET = 0
I_KEY = 1
I_INERT = 2
I_CONTESTED = 3
I_STRIDE = 4

I_WIDTH = 17

# Scratch.laid: what a prefix of an arrangement holds already (all 0 at the start).
L_SETS = 0
L_CLASS = 1
L_RANKS = 2

# Columns of Scratch.options.
O_DELTA = 0
O_GAIN = 5
O_BITS = 6
O_SETS = 7


class Rules(NamedTuple):
    """What the kernels read of the rules (arrays of solver.compile.tables.SuitRules)."""

    run_k: Any
    pattern_ok: Any
    set_k: Any
    params: Any
    wild_ids: Any
    wild: Any


class Scratch(NamedTuple):
    """Work arrays, allocated once per thread by ``new_scratch``."""

    table: Any
    masks: Any
    options: Any
    info: Any
    first: Any
    free: Any
    bound: Any
    vectors: Any
    stack: Any
    set_bits: Any
    small: Any
    naturals: Any
    laid: Any
    seen: Any
    roles: Any
    wild_gain: Any


def new_scratch(table_size: int = 1 << 18) -> Scratch:
    """Return work arrays; ``table_size`` int64 entries bound the suit tables of one hand."""
    return Scratch(
        table=np.zeros(table_size, np.int64),
        masks=np.zeros((MAX_MASKS, 6), np.int64),
        options=np.zeros((MAX_OPTIONS, 8), np.int64),
        info=np.zeros((5, 20), np.int64),
        first=np.zeros(16, np.int64),
        free=np.zeros((MAX_W + 1, 8), np.int64),
        bound=np.zeros((16, MAX_W + 1), np.int64),
        vectors=np.zeros((8, (MAX_W + 1) * 8), np.int64),
        stack=np.zeros((16, 12), np.int64),
        set_bits=np.zeros((9, 4096), np.int64),
        small=np.zeros(64, np.int64),
        naturals=np.zeros(66, np.int64),
        laid=np.zeros(3, np.int64),
        seen=np.zeros(MAX_MASKS, np.int64),
        roles=np.zeros((3, 66), np.int64),
        wild_gain=np.zeros(MAX_W + 1, np.int64),
    )


@kernel
def n_classes(params):  # type: ignore[no-untyped-def]
    """Return how many classes a suit table counts: 1, runs of the contract + 1, or 6."""
    if params[P_MODE] == MODE_CONTRACT:
        return np.int64(params[P_N_RUNS]) + 1
    if params[P_MODE] == MODE_REQUIRE:
        return np.int64(N_CLASSES_REQUIRE)
    return np.int64(1)


@kernel
def class_after_run(cls, k, params):  # type: ignore[no-untyped-def]
    """Return the class after one more run with k wilds, -1 when that run may not be laid.

    Required: ``runs * 2 + pure`` with runs capped at 2 and pure at 1.
    """
    mode = params[P_MODE]
    if mode == MODE_CONTRACT:
        if cls >= params[P_N_RUNS] or (params[P_ONE_RUN_SUIT] == 1 and cls >= 1):
            return np.int64(-1)
        return np.int64(cls) + 1
    if mode == MODE_REQUIRE:
        runs = min(np.int64(cls) // 2 + 1, np.int64(2))
        pure = np.int64(1) if (k == 0 or cls % 2 == 1) else np.int64(0)
        return runs * 2 + pure
    return np.int64(0)


@kernel
def class_sum(a, b, params):  # type: ignore[no-untyped-def]
    """Return the class of two parts together, -1 when it goes beyond the contract."""
    mode = params[P_MODE]
    if mode == MODE_CONTRACT:
        total = np.int64(a) + np.int64(b)
        return total if total <= params[P_N_RUNS] else np.int64(-1)
    if mode == MODE_REQUIRE:
        return min(np.int64(a) // 2 + np.int64(b) // 2, np.int64(2)) * 2 + (
            np.int64(a) % 2 | np.int64(b) % 2
        )
    return np.int64(0)


@kernel
def list_runs(naturals, suit, n_wilds, gain, meld_cost, rules, scratch):  # type: ignore[no-untyped-def]
    """List the runs the naturals of a suit allow, linked by their highest digit.

    Fills ``scratch.masks`` rows (key delta, value, wild bits, next row, digit mask, two aces) and
    ``scratch.small[0:13]`` (first row per digit, -1 none), ``scratch.small[16:30]`` (digit of a
    position), and the strides and contested ranks of ``scratch.info``.

    Returns: the number of keys of the suit, negated when no run is possible.
    """
    params = rules.params
    info, small = scratch.info, scratch.small
    held = np.int64(0)
    n_keys = np.int64(1)
    full = np.int64(0)
    digit = 0
    for rank in range(13):
        count = np.int64(naturals[suit * 13 + rank])
        info[suit, I_STRIDE + rank] = 0
        small[rank] = -1
        if count > 0:
            info[suit, I_STRIDE + rank] = n_keys
            full += n_keys * count
            n_keys *= count + 1
            small[16 + rank] = digit
            if rank > 0 or params[P_ACE_LOW] == 1:
                held |= np.int64(1) << rank
            if rank == 0 and params[P_ACE_HIGH] == 1:
                held |= np.int64(1) << 13
                small[29] = digit
            digit += 1
    info[suit, I_KEY] = full
    info[suit, I_CONTESTED] = 0
    n_masks = 0
    aces = np.int64(naturals[suit * 13])
    wild_word = (np.int64(1) << (n_wilds + 1)) - 1
    sub = held
    while sub > 0:
        bits = np.int64(rules.run_k[sub]) & wild_word
        lone = (sub & (sub - 1)) == 0
        twice = (sub & 1) == 1 and (sub >> 13) == 1
        if bits != 0 and not (lone and params[P_DROP_LONE] == 1) and not (twice and aces < 2):
            delta = np.int64(0)
            value = -np.int64(meld_cost)
            digits = np.int64(0)
            top = np.int64(0)
            for position in range(14):
                if (sub >> position) & 1:
                    rank = position % 13
                    delta += info[suit, I_STRIDE + rank]
                    value += np.int64(gain[suit * 13 + rank])
                    digits |= np.int64(1) << small[16 + position]
                    top = max(top, small[16 + position])
                    info[suit, I_CONTESTED] |= np.int64(1) << rank
            row = scratch.masks[n_masks]
            row[0] = delta
            row[1] = value
            row[2] = bits
            row[3] = small[top]
            row[4] = digits
            row[5] = 1 if twice else 0
            small[top] = n_masks
            n_masks += 1
        sub = (sub - 1) & held
    return n_keys if n_masks > 0 else -n_keys


@kernel
def fill_suit(naturals, suit, n_wilds, n_cls, base, rules, scratch):  # type: ignore[no-untyped-def]
    """Fill the table of a suit from its listed runs.

    ``table[base + (key * (W+1) + w) * C + c]`` is the best value of disjoint runs made of part of
    the cards of ``key`` with exactly w wilds and class c, NEG when there is none. A key drops one
    card of its highest rank held, or lays a run whose highest digit is that rank; cost is keys *
    runs * wilds. Runs whose digits the key lacks are passed over.
    """
    table, masks, small = scratch.table, scratch.masks, scratch.small
    width = (n_wilds + 1) * n_cls
    n_digits = 0
    for rank in range(13):
        small[32 + rank] = 0
        if scratch.info[suit, I_STRIDE + rank] > 0:
            small[48 + n_digits] = rank
            n_digits += 1
    n_keys = np.int64(1)
    for d in range(n_digits):
        n_keys *= np.int64(naturals[suit * 13 + small[48 + d]]) + 1
    for i in range(width):
        table[base + i] = NEG
    table[base] = 0
    present = np.int64(0)
    for key in range(1, n_keys):
        d = 0
        while small[32 + d] == np.int64(naturals[suit * 13 + small[48 + d]]):
            small[32 + d] = 0
            present &= ~(np.int64(1) << d)
            d += 1
        small[32 + d] += 1
        present |= np.int64(1) << d
        top = n_digits - 1
        while small[32 + top] == 0:
            top -= 1
        here = base + key * width
        there = here - scratch.info[suit, I_STRIDE + small[48 + top]] * width
        for i in range(width):
            table[here + i] = table[there + i]
        row = small[top]
        while row >= 0:
            fits = (masks[row, 4] & ~present) == 0
            if fits and not (masks[row, 5] == 1 and small[32] < 2):  # noqa: PLR2004 - two aces
                _lay_run(here, base + (key - masks[row, 0]) * width, row, n_wilds, n_cls, rules, scratch)
            row = masks[row, 3]


@kernel
def _lay_run(here, there, row, n_wilds, n_cls, rules, scratch):  # type: ignore[no-untyped-def]
    """Improve a key's entries with one run on top of what the rest of the key gives."""
    table = scratch.table
    value, bits = scratch.masks[row, 1], scratch.masks[row, 2]
    for k in range(n_wilds + 1):
        if (bits >> k) & 1 == 0:
            continue
        for w in range(k, n_wilds + 1):
            for c in range(n_cls):
                rest = table[there + (w - k) * n_cls + c]
                if rest == NEG:
                    continue
                after = class_after_run(c, k, rules.params)
                if after >= 0:
                    at = here + w * n_cls + after
                    table[at] = max(table[at], rest + value)


@kernel
def build_suits(naturals, n_wilds, gain, meld_cost, rules, scratch):  # type: ignore[no-untyped-def]
    """Build the tables of all suits; return 0, or 1 when the scratch table is too small."""
    base = np.int64(0)
    n_cls = n_classes(rules.params)
    width = (n_wilds + 1) * n_cls
    for suit in range(rules.params[P_SUITS]):
        n_keys = list_runs(naturals, suit, n_wilds, gain, meld_cost, rules, scratch)
        scratch.info[suit, I_INERT] = 1 if n_keys < 0 else 0
        scratch.info[suit, I_OFFSET] = base
        scratch.info[suit, I_WIDTH] = width
        if n_keys > 0:
            if base + n_keys * width > scratch.table.shape[0]:
                return np.int64(1)
            fill_suit(naturals, suit, n_wilds, n_cls, base, rules, scratch)
            base += n_keys * width
    return np.int64(0)


@kernel
def set_word(n, doubled, n_wilds, rules):  # type: ignore[no-untyped-def]
    """Return bit k set when n naturals, some of one suit if ``doubled``, and k wilds are a set."""
    if (doubled and rules.params[P_DISTINCT] == 1) or n >= rules.set_k.shape[0]:
        return np.int64(0)
    return np.int64(rules.set_k[n]) & ((np.int64(1) << (n_wilds + 1)) - 1)


@kernel
def rank_set_bits(counts, n_suits, n_wilds, max_sets, rules, scratch):  # type: ignore[no-untyped-def]
    """Fill ``set_bits[j, u]``: wild totals with which sub-multiset u is exactly j legal sets.

    ``counts`` are the copies of the rank per suit; u is mixed radix over them. Returns the
    number of sub-multisets.
    """
    set_bits = scratch.set_bits
    word = (np.int64(1) << (n_wilds + 1)) - 1
    n_subs = np.int64(1)
    for s in range(n_suits):
        n_subs *= counts[s] + 1
    set_bits[1, 0] = 0
    for u in range(1, n_subs):
        rest, n, doubled = np.int64(u), np.int64(0), False
        for s in range(n_suits):
            used = rest % (counts[s] + 1)
            rest //= counts[s] + 1
            n += used
            doubled |= used > 1
        set_bits[1, u] = set_word(n, doubled, n_wilds, rules)
    for j in range(2, max_sets + 1):
        for u in range(n_subs):
            set_bits[j, u] = 0
            for t in range(1, u + 1):
                one = set_bits[1, t]
                if one == 0 or not _is_part(t, u, counts, n_suits):
                    continue
                more = set_bits[j - 1, u - t]
                k = 0
                while one >> k:
                    if (one >> k) & 1:
                        set_bits[j, u] |= (more << k) & word
                    k += 1
    return n_subs


@kernel
def _is_part(part, whole, counts, n_suits):  # type: ignore[no-untyped-def]
    """Return whether every digit of ``part`` is at most that of ``whole`` (mixed radix)."""
    a, b = np.int64(part), np.int64(whole)
    for s in range(n_suits):
        if a % (counts[s] + 1) > b % (counts[s] + 1):
            return False
        a //= counts[s] + 1
        b //= counts[s] + 1
    return True


@kernel
def rank_options(naturals, rank, n_wilds, gain, meld_cost, rules, scratch, start):  # type: ignore[no-untyped-def]
    """Append the ways to make sets of one rank to ``scratch.options`` from row ``start``.

    Returns the row after the last, or -1 when the scratch is too small. Where adding a natural
    to a set is always legal (``free_join``), cards that no run can use are in every option: a
    set with them is worth more and costs the suits nothing.
    """
    params, options, info = rules.params, scratch.options, scratch.info
    n_suits = np.int64(params[P_SUITS])
    counts = scratch.small[56:61]
    total, most = np.int64(0), np.int64(0)
    n_subs = np.int64(1)
    for s in range(n_suits):
        counts[s] = np.int64(naturals[s * 13 + rank])
        total += counts[s]
        most = max(most, counts[s])
        n_subs *= counts[s] + 1
    if total == 0 or total + n_wilds < params[P_SET_MIN]:
        return start
    if n_subs > scratch.set_bits.shape[1]:
        return np.int64(-1)
    max_sets = np.int64(1)
    if params[P_MODE] == MODE_CONTRACT:
        max_sets = np.int64(1) if params[P_ONE_SET_RANK] == 1 else np.int64(params[P_N_SETS])
    elif params[P_MERGE] == 0:
        max_sets = (total + n_wilds) // np.int64(params[P_SET_MIN])
    max_sets = min(max_sets, total)
    if max_sets >= scratch.set_bits.shape[0]:
        return np.int64(-1)
    rank_set_bits(counts, n_suits, n_wilds, max_sets, rules, scratch)
    joins = params[P_FREE_JOIN] == 1 or (n_wilds == 0 and params[P_FREE_JOIN_PLAIN] == 1)
    join = joins and (params[P_DISTINCT] == 0 or most <= 1)
    row = start
    for u in range(n_subs - 1, 0, -1):
        seen = np.int64(0)
        for j in range(1, max_sets + 1):
            bits = scratch.set_bits[j, u]
            # More sets of the same cards are worth less, so only new wild totals count;
            # a contract counts its sets, so there every number stands.
            if params[P_MODE] != MODE_CONTRACT:
                bits &= ~seen
            if bits == 0:
                continue
            seen |= bits
            if row >= options.shape[0]:
                return np.int64(-1)
            option = options[row]
            rest, value, keep = np.int64(u), -np.int64(meld_cost) * j, True
            for s in range(n_suits):
                used = rest % (counts[s] + 1)
                rest //= counts[s] + 1
                option[O_DELTA + s] = used * info[s, I_STRIDE + rank]
                value += used * np.int64(gain[s * 13 + rank])
                if join and used < counts[s] and (info[s, I_CONTESTED] >> rank) & 1 == 0:
                    keep = False
            option[O_GAIN] = value
            option[O_BITS] = bits
            option[O_SETS] = j
            if keep:
                row += 1
    return row
