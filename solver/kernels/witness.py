"""The canonical best arrangement of a hand (cold path).

Melds are tried in canonical order; one is laid when the rest of the hand can still reach the best
composite value, so the first arrangement found is the smallest in that order. The suit tables of
the whole hand serve every test: a smaller hand is only another key.
"""

from __future__ import annotations

import numpy as np

from solver.kernels.jit import kernel
from solver.kernels.suit_build import (
    I_INERT,
    I_KEY,
    I_STRIDE,
    L_CLASS,
    L_RANKS,
    L_SETS,
    MODE_CONTRACT,
    MODE_REQUIRE,
    P_ACE_HIGH,
    P_ACE_LOW,
    P_MODE,
    P_N_SETS,
    P_ONE_RUN_SUIT,
    P_ONE_SET_RANK,
    P_LINE_FIRST,
    P_LINE_LAST,
    P_RING,
    P_SPLIT,
    P_SUITS,
    P_WILD_BITS,
    P_WILD_RUN_BITS,
    build_suits,
    class_after_run,
    n_classes,
    set_word,
)
from solver.kernels.suit_search import (
    TOO_LARGE,
    best_of_roles,
    best_value,
    build_bound,
    build_sets,
    next_roles,
    search,
    set_roles,
    sum_wild_gain,
)

# Entries of the state vector of a prefix.
W_LEFT = 0
W_USED = 1
GAINED = 2
ROWS = 3
TARGET = 4

RUN_ROW = 1
SET_ROW = 0
WILD_ROW = 2


@kernel
def _reaches(state, gain, rules, scratch):  # type: ignore[no-untyped-def]
    """Return whether the rest of the hand brings the prefix in ``state`` to its target."""
    n_wilds, used = state[W_LEFT], state[W_USED]
    wanted = state[TARGET] - state[GAINED]
    depth = build_sets(scratch.naturals, n_wilds, gain, np.int64(1), rules, scratch)
    if depth < 0:
        return False
    build_bound(n_wilds, depth, n_classes(rules.params), rules, scratch)
    if scratch.bound[0, n_wilds] + scratch.wild_gain[used + n_wilds] < wanted:
        return False
    found = search(
        n_wilds, depth, wanted - 1, wanted, np.int64(1), scratch.wild_gain, used, rules, scratch
    )
    return found >= wanted


@kernel
def _try_run(suit, start, length, naturals, state, gain, rules, scratch, rows):  # type: ignore[no-untyped-def]
    """Lay a run if an optimal arrangement continues the prefix with it; return whether."""
    params, info = rules.params, scratch.info
    k = np.int64(length)
    value = np.int64(-1)
    delta = np.int64(0)
    hand = scratch.naturals
    taken = True
    for i in range(length):
        if (naturals >> i) & 1:
            rank = (start + i) % 13
            card = suit * 13 + rank
            hand[card] -= 1
            if hand[card] < 0:
                taken = False
            delta += info[suit, I_STRIDE + rank]
            value += np.int64(gain[card])
            k -= 1
    before = scratch.laid[L_CLASS]
    inert = info[suit, I_INERT]
    after = class_after_run(before, k, params)
    if params[P_MODE] == MODE_CONTRACT and params[P_ONE_RUN_SUIT] == 1:
        # Runs in other suits do not stand in the way; a second one here does.
        after = before + 1 if inert == 0 else np.int64(-1)
    if taken and after >= 0 and k <= state[W_LEFT]:
        info[suit, I_KEY] -= delta
        scratch.laid[L_CLASS] = after
        if params[P_ONE_RUN_SUIT] == 1:
            info[suit, I_INERT] = 1
        state[GAINED] += value
        state[W_LEFT] -= k
        state[W_USED] += k
        if _reaches(state, gain, rules, scratch):
            _write(rows, state, RUN_ROW, suit, start, length, naturals)
            return True
        state[GAINED] -= value
        state[W_LEFT] += k
        state[W_USED] -= k
        info[suit, I_KEY] += delta
        info[suit, I_INERT] = inert
        scratch.laid[L_CLASS] = before
    for i in range(length):
        if (naturals >> i) & 1:
            hand[suit * 13 + (start + i) % 13] += 1
    return False


@kernel
def _write(rows, state, kind, a, b, c, d):  # type: ignore[no-untyped-def]
    """Append one class meld to the witness."""
    row = rows[state[ROWS]]
    row[0] = kind
    row[1] = a
    row[2] = b
    row[3] = c
    row[4] = d
    state[ROWS] += 1


@kernel
def _lay_runs(suit, state, gain, rules, scratch, rows):  # type: ignore[no-untyped-def]
    """Try the runs of a suit by start, length and places of naturals; each card set once."""
    params = rules.params
    held = np.int64(0)
    for rank in range(13):
        if scratch.naturals[suit * 13 + rank] > 0:
            if rank > 0 or params[P_ACE_LOW] == 1:
                held |= np.int64(1) << rank
            if rank == 0 and params[P_ACE_HIGH] == 1:
                held |= np.int64(1) << 13
    ring = params[P_RING] == 1
    sub = held
    while sub > 0:
        scratch.seen[sub] = 0
        sub = (sub - 1) & held
    last = np.int64(params[P_LINE_LAST])
    for start in range(params[P_LINE_FIRST], last + 1):
        longest = np.int64(13) if ring else last - start + 1
        for length in range(1, longest + 1):
            window = (held | (held << 13 if ring else 0)) >> start & ((np.int64(1) << length) - 1)
            naturals = window & -window
            while naturals != 0 and not _is_done(state, scratch):
                mask = naturals << start
                if ring:
                    mask = (mask | mask >> 13) & 0x1FFF
                k = np.int64(length)
                for i in range(length):
                    k -= (naturals >> i) & 1
                if (
                    k <= state[W_LEFT]
                    and rules.pattern_ok[(np.int64(1) << length) | naturals] == 1
                    and (rules.run_k[mask] >> k) & 1
                    and (scratch.seen[mask] >> k) & 1 == 0
                ):
                    while _try_run(suit, start, length, naturals, state, gain, rules, scratch, rows):
                        pass
                    scratch.seen[mask] |= np.int64(1) << k
                naturals = (naturals - window) & window


@kernel
def _is_done(state, scratch):  # type: ignore[no-untyped-def]
    """Return whether the prefix has the target value already."""
    return state[GAINED] + scratch.wild_gain[state[W_USED]] == state[TARGET]


@kernel
def _try_set(rank, counts, k, state, gain, rules, scratch, rows):  # type: ignore[no-untyped-def]
    """Lay a set of ``counts[s]`` cards per suit and k wilds if it can be in the best; say so."""
    n_suits = rules.params[P_SUITS]
    value = np.int64(-1)
    used = np.int64(0)
    for s in range(n_suits):
        card = s * 13 + rank
        if scratch.naturals[card] < counts[s]:
            return False
        value += counts[s] * np.int64(gain[card])
        used |= counts[s] << (4 * s)
    sets, ranks = scratch.laid[L_SETS], scratch.laid[L_RANKS]
    if rules.params[P_MODE] == MODE_CONTRACT:
        if sets >= rules.params[P_N_SETS] or (ranks >> rank) & 1:
            return False
        scratch.laid[L_SETS] += 1
        if rules.params[P_ONE_SET_RANK] == 1:
            scratch.laid[L_RANKS] |= np.int64(1) << rank
    for s in range(n_suits):
        scratch.naturals[s * 13 + rank] -= counts[s]
        scratch.info[s, I_KEY] -= counts[s] * scratch.info[s, I_STRIDE + rank]
    state[GAINED] += value
    state[W_LEFT] -= k
    state[W_USED] += k
    if _reaches(state, gain, rules, scratch):
        _write(rows, state, SET_ROW, rank, k, used, np.int64(0))
        return True
    state[GAINED] -= value
    state[W_LEFT] += k
    state[W_USED] -= k
    for s in range(n_suits):
        scratch.naturals[s * 13 + rank] += counts[s]
        scratch.info[s, I_KEY] += counts[s] * scratch.info[s, I_STRIDE + rank]
    scratch.laid[L_SETS] = sets
    scratch.laid[L_RANKS] = ranks
    return False


@kernel
def _lay_sets(rank, state, gain, rules, scratch, rows):  # type: ignore[no-untyped-def]
    """Try the sets of a rank: more copies of earlier suits first, then fewer wilds."""
    n_suits = np.int64(rules.params[P_SUITS])
    held = scratch.vectors[5]
    counts = scratch.vectors[6]
    bits = scratch.vectors[4]
    n_subs = np.int64(1)
    for s in range(n_suits):
        # Reversed, so that the first suit is the most significant digit.
        held[s] = scratch.naturals[(n_suits - 1 - s) * 13 + rank]
        n_subs *= held[s] + 1
    if n_subs == 1 or n_subs > scratch.set_bits.shape[1]:
        return
    for u in range(n_subs - 1, 0, -1):
        rest, n, doubled = np.int64(u), np.int64(0), False
        for s in range(n_suits):
            counts[n_suits - 1 - s] = rest % (held[s] + 1)
            rest //= held[s] + 1
            n += counts[n_suits - 1 - s]
            doubled |= counts[n_suits - 1 - s] > 1
        bits[0] = set_word(n, doubled, state[W_LEFT], rules)
        for k in range(state[W_LEFT] + 1):
            if (bits[0] >> k) & 1 == 0:
                continue
            while (
                not _is_done(state, scratch)
                and k <= state[W_LEFT]
                and _try_set(rank, counts, np.int64(k), state, gain, rules, scratch, rows)
            ):
                pass


@kernel
def _lay_wilds(state, gain, rules, scratch, rows):  # type: ignore[no-untyped-def]
    """Lay melds of wilds only, smallest first."""
    params = rules.params
    for k in range(1, state[W_LEFT] + 1):
        if (params[P_WILD_BITS] >> k) & 1 == 0:
            continue
        while k <= state[W_LEFT] and not _is_done(state, scratch):
            before = scratch.laid[L_CLASS]
            if params[P_MODE] == MODE_REQUIRE and (params[P_WILD_RUN_BITS] >> k) & 1:
                scratch.laid[L_CLASS] = class_after_run(before, np.int64(k), params)
            state[GAINED] -= 1
            state[W_LEFT] -= k
            state[W_USED] += k
            if not _reaches(state, gain, rules, scratch):
                state[GAINED] += 1
                state[W_LEFT] += k
                state[W_USED] -= k
                scratch.laid[L_CLASS] = before
                break
            _write(rows, state, WILD_ROW, np.int64(k), np.int64(0), np.int64(0), np.int64(0))


@kernel
def lay_canonical(n_wilds, target, state, gain, rules, scratch, rows):  # type: ignore[no-untyped-def]
    """Write the smallest arrangement of value ``target`` for the roles in scratch; its length."""
    state[W_LEFT] = n_wilds
    state[W_USED] = 0
    state[GAINED] = 0
    state[ROWS] = 0
    state[TARGET] = target
    if build_suits(scratch.naturals, n_wilds, gain, np.int64(1), rules, scratch) != 0:
        return np.int64(TOO_LARGE)
    for suit in range(rules.params[P_SUITS]):
        if scratch.info[suit, I_INERT] == 0 or rules.params[P_MODE] != MODE_CONTRACT:
            _lay_runs(suit, state, gain, rules, scratch, rows)
    for rank in range(13):
        _lay_sets(rank, state, gain, rules, scratch, rows)
    _lay_wilds(state, gain, rules, scratch, rows)
    return state[ROWS] if _is_done(state, scratch) else np.int64(TOO_LARGE)


@kernel
def canonical_witness(counts, gain, state, rules, scratch, rows, wild_roles):  # type: ignore[no-untyped-def]
    """Find the best composite value of a hand and its canonical arrangement.

    Args: counts uint8[66]; gain int64[66] composite gain per card; state int64[8]; rows
    int64[2, 64, 5]; wild_roles int64[66], receives how many of each card are read as wild.
    ``rows[0]`` receives the class melds, ``state[5]`` the value.

    Returns: the number of melds, INFEASIBLE or TOO_LARGE.
    """
    best = best_value(counts, gain, np.int64(1), rules, scratch)
    state[5] = best
    if best < 0:
        return best
    n_best = np.int64(-1)
    n_wilds = set_roles(counts, rules, scratch)
    while True:
        sum_wild_gain(gain, rules, scratch)
        reached = best
        if rules.params[P_SPLIT] == 1:
            reached = best_of_roles(
                scratch.naturals, n_wilds, best - 1, gain, np.int64(1), scratch.wild_gain, rules, scratch
            )
        if reached == best:
            n = _lay_and_keep(n_wilds, best, n_best, state, gain, rules, scratch, rows, wild_roles)
            if n == TOO_LARGE:
                return n
            n_best = n
        change = next_roles(scratch)
        if change > 100:  # noqa: PLR2004 - the end mark of next_roles
            return n_best
        n_wilds += change


@kernel
def _lay_and_keep(n_wilds, target, n_best, state, gain, rules, scratch, rows, wild_roles):  # type: ignore[no-untyped-def]
    """Lay out one split of roles in ``rows[1]``; keep it in ``rows[0]`` when it is smaller."""
    held = scratch.vectors[3]
    for card in range(65):
        held[card] = scratch.naturals[card]
    n = lay_canonical(n_wilds, target, state, gain, rules, scratch, rows[1])
    for card in range(65):
        scratch.naturals[card] = held[card]
    scratch.laid[:] = 0
    if n == TOO_LARGE:
        return n
    smaller = n_best < 0
    i = 0
    while not smaller and n_best >= 0 and i < min(n, n_best) * 5:
        a, b = rows[1, i // 5, i % 5], rows[0, i // 5, i % 5]
        if a != b:
            smaller = a < b if i % 5 else a == RUN_ROW or b == WILD_ROW
            break
        i += 1
    if smaller:
        rows[0, :n] = rows[1, :n]
        for card in range(66):
            wild_roles[card] = scratch.roles[0, card]
        return n
    return n_best
