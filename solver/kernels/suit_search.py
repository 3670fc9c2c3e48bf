"""The suit engine's search over set choices, for one hand and for many.

Branch and bound over the ranks whose cards runs also want; ranks no run wants are folded into one
vector over wilds beforehand. A leaf adds the tables of the suits by max-plus convolution over the
number of wilds. The bound of a node is what the whole suits and all later sets would give at
once, less what the suits have already lost for certain.
"""

from __future__ import annotations

import numpy as np

from solver.kernels.jit import kernel
from solver.kernels.suit_build import (
    I_INERT,
    I_KEY,
    I_OFFSET,
    I_WIDTH,
    L_CLASS,
    L_RANKS,
    L_SETS,
    MODE_CONTRACT,
    MODE_REQUIRE,
    NEG,
    O_BITS,
    O_DELTA,
    O_GAIN,
    O_SETS,
    P_CAP,
    P_MODE,
    P_N_RUNS,
    P_N_SETS,
    P_NEED_PURE,
    P_NEED_RUNS,
    P_SPLIT,
    P_SUITS,
    P_WILD_BITS,
    P_WILD_RUN_BITS,
    build_suits,
    class_after_run,
    class_sum,
    n_classes,
    rank_options,
)

# Columns of Scratch.stack, one row a depth.
S_KEY = 0
S_GAIN = 5
S_WILDS = 6
S_SETS = 7
S_NEXT = 8

INFEASIBLE = -1
TOO_LARGE = -2
NODE_LIMIT = 3_000_000


@kernel
def build_sets(naturals, n_wilds, gain, meld_cost, rules, scratch):  # type: ignore[no-untyped-def]
    """List the set options of contested ranks and fold the free ranks into one vector.

    ``scratch.first[d] .. first[d+1]`` are the option rows of depth d; ``scratch.free[w, j]`` is
    the best value of melds that touch no run, with exactly w wilds and j counted sets.

    Returns: the number of depths, or TOO_LARGE.
    """
    params, free, options = rules.params, scratch.free, scratch.options
    counted = params[P_MODE] == MODE_CONTRACT
    n_j = np.int64(params[P_N_SETS]) + 1 if counted else np.int64(1)
    for w in range(n_wilds + 1):
        for j in range(n_j):
            free[w, j] = NEG
    free[0, 0] = 0
    if params[P_MODE] != MODE_REQUIRE:
        _add_wild_melds(n_wilds, meld_cost, params[P_WILD_BITS], free)
    depth = np.int64(0)
    row = np.int64(0)
    scratch.first[0] = 0
    for rank in range(13):
        if (scratch.laid[L_RANKS] >> rank) & 1:
            continue
        stop = rank_options(naturals, rank, n_wilds, gain, meld_cost, rules, scratch, row)
        if stop < 0:
            return np.int64(TOO_LARGE)
        if stop == row:
            continue
        contested = False
        for s in range(params[P_SUITS]):
            if naturals[s * 13 + rank] > 0 and (scratch.info[s, 3] >> rank) & 1:
                contested = True
        if contested:
            depth += 1
            row = stop
            scratch.first[depth] = row
            continue
        # A free rank takes at most one option; wild totals downwards so that it is used once.
        for w in range(n_wilds, -1, -1):
            for j in range(n_j - 1, -1, -1):
                best = free[w, j]
                for o in range(row, stop):
                    sets = options[o, O_SETS] if counted else np.int64(0)
                    if sets > j:
                        continue
                    for k in range(w + 1):
                        if (options[o, O_BITS] >> k) & 1 and free[w - k, j - sets] != NEG:
                            best = max(best, free[w - k, j - sets] + options[o, O_GAIN])
                free[w, j] = best
    return depth


@kernel
def _add_wild_melds(n_wilds, meld_cost, wild_bits, free):  # type: ignore[no-untyped-def]
    """Let melds of wilds only take any part of the wilds (column 0 of ``free``)."""
    for w in range(1, n_wilds + 1):
        for k in range(1, w + 1):
            if (wild_bits >> k) & 1 and free[w - k, 0] != NEG:
                free[w, 0] = max(free[w, 0], free[w - k, 0] - meld_cost)


@kernel
def _suit_best(suit, key, w, n_cls, scratch):  # type: ignore[no-untyped-def]
    """Return the best entry of a suit's key for w wilds over all classes."""
    at = scratch.info[suit, I_OFFSET] + key * scratch.info[suit, I_WIDTH] + w * n_cls
    best = scratch.table[at]
    for c in range(1, n_cls):
        best = max(best, scratch.table[at + c])
    return best


@kernel
def build_bound(n_wilds, depth, n_cls, rules, scratch):  # type: ignore[no-untyped-def]
    """Fill ``scratch.bound[d, w]``: at most this from suits, free melds and sets of depths >= d
    with at most w wilds, conflicts ignored."""
    bound, vectors = scratch.bound, scratch.vectors
    n_j = np.int64(rules.params[P_N_SETS]) + 1 if rules.params[P_MODE] == MODE_CONTRACT else 1
    last = bound[depth]
    for w in range(n_wilds + 1):
        last[w] = NEG
        for j in range(n_j):
            last[w] = max(last[w], scratch.free[w, j])
    old = vectors[7]
    for suit in range(rules.params[P_SUITS]):
        if scratch.info[suit, I_INERT] == 1:
            continue
        for w in range(n_wilds + 1):
            old[w] = last[w]
        for w in range(n_wilds + 1):
            best = np.int64(NEG)
            for k in range(w + 1):
                here = _suit_best(suit, scratch.info[suit, I_KEY], k, n_cls, scratch)
                if here != NEG and old[w - k] != NEG:
                    best = max(best, here + old[w - k])
            last[w] = best
    for w in range(1, n_wilds + 1):
        last[w] = max(last[w], last[w - 1])
    for d in range(depth - 1, -1, -1):
        for w in range(n_wilds + 1):
            best = bound[d + 1, w]
            for o in range(scratch.first[d], scratch.first[d + 1]):
                bits, value = scratch.options[o, O_BITS], scratch.options[o, O_GAIN]
                for k in range(w + 1):
                    if (bits >> k) & 1:
                        # More wilds in the same set leave fewer for the rest: the least is best.
                        best = max(best, bound[d + 1, w - k] + value)
                        break
            bound[d, w] = best


@kernel
def _suit_loss(depth, n_wilds, n_cls, rules, scratch):  # type: ignore[no-untyped-def]
    """Return what the suits have lost for certain since the root, whatever wilds they take."""
    lost = np.int64(0)
    for s in range(rules.params[P_SUITS]):
        root, key = scratch.info[s, I_KEY], scratch.stack[depth, S_KEY + s]
        if key == root or scratch.info[s, I_INERT] == 1:
            continue
        least = np.int64(-NEG)
        for w in range(n_wilds + 1):
            was = _suit_best(s, root, w, n_cls, scratch)
            if was != NEG:
                least = min(least, was - _suit_best(s, key, w, n_cls, scratch))
        lost += least
    return lost


@kernel
def _leaf(depth, n_wilds, n_cls, meld_cost, wild_gain, wilds_before, rules, scratch):  # type: ignore[no-untyped-def]
    """Return the best value of a full choice of sets, NEG when what is counted does not fit."""
    params, vectors, stack = rules.params, scratch.vectors, scratch.stack
    mode = params[P_MODE]
    wanted = np.int64(0)
    if mode == MODE_CONTRACT:
        wanted = np.int64(params[P_N_SETS]) - stack[depth, S_SETS] - scratch.laid[L_SETS]
        if wanted < 0:
            return np.int64(NEG)
    here, other = 0, 1
    for w in range(n_wilds + 1):
        best = np.int64(NEG)
        for k in range(w + 1):
            if (stack[depth, S_WILDS] >> k) & 1:
                best = max(best, scratch.free[w - k, wanted])
        for c in range(n_cls):
            vectors[here, w * n_cls + c] = NEG
        vectors[here, w * n_cls] = best
    for s in range(params[P_SUITS]):
        if scratch.info[s, I_INERT] == 1:
            continue
        at = scratch.info[s, I_OFFSET] + stack[depth, S_KEY + s] * scratch.info[s, I_WIDTH]
        for i in range((n_wilds + 1) * n_cls):
            vectors[other, i] = NEG
        for k in range(n_wilds + 1):
            for c in range(n_cls):
                mine = scratch.table[at + k * n_cls + c]
                if mine == NEG:
                    continue
                for w in range(n_wilds + 1 - k):
                    for b in range(n_cls):
                        rest = vectors[here, w * n_cls + b]
                        if rest == NEG:
                            continue
                        both = class_sum(c, b, params)
                        if both >= 0:
                            i = (w + k) * n_cls + both
                            vectors[other, i] = max(vectors[other, i], rest + mine)
        here, other = other, here
    if mode == MODE_REQUIRE:
        _require_wild_melds(here, n_wilds, n_cls, meld_cost, rules, scratch)
    best = np.int64(NEG)
    for w in range(n_wilds + 1):
        for part in range(n_cls):
            c = class_sum(part, scratch.laid[L_CLASS], params)
            if mode == MODE_CONTRACT and c != params[P_N_RUNS]:
                continue
            if mode == MODE_REQUIRE and (c // 2 < params[P_NEED_RUNS] or c % 2 < params[P_NEED_PURE]):
                continue
            value = vectors[here, w * n_cls + part]
            if value != NEG:
                best = max(best, value + wild_gain[wilds_before + w])
    return best


@kernel
def _require_wild_melds(here, n_wilds, n_cls, meld_cost, rules, scratch):  # type: ignore[no-untyped-def]
    """Lay melds of wilds only where melds are counted: as a run it counts, never as a pure one."""
    vector = scratch.vectors[here]
    for w in range(1, n_wilds + 1):
        for k in range(1, w + 1):
            if (rules.params[P_WILD_BITS] >> k) & 1 == 0:
                continue
            as_run = (rules.params[P_WILD_RUN_BITS] >> k) & 1
            for c in range(n_cls):
                rest = vector[(w - k) * n_cls + c]
                if rest != NEG:
                    after = class_after_run(c, k, rules.params) if as_run else np.int64(c)
                    i = w * n_cls + after
                    vector[i] = max(vector[i], rest - meld_cost)


@kernel
def search(n_wilds, depth, floor, target, meld_cost, wild_gain, wilds_before, rules, scratch):  # type: ignore[no-untyped-def]
    """Return the best value above ``floor``, ``floor`` when there is none, TOO_LARGE on overrun.

    Stops as soon as ``target`` is reached. ``wild_gain[w]`` is what the w most expensive wilds
    are worth, ``wilds_before`` how many are laid already. Needs build_suits, build_sets and
    build_bound of the same hand.
    """
    params, stack, options = rules.params, scratch.stack, scratch.options
    n_cls = n_classes(params)
    n_suits = params[P_SUITS]
    best = np.int64(floor)
    most = np.int64(wild_gain[wilds_before + n_wilds])
    for s in range(n_suits):
        stack[0, S_KEY + s] = scratch.info[s, I_KEY]
    stack[0, S_GAIN] = 0
    stack[0, S_WILDS] = 1
    stack[0, S_SETS] = 0
    stack[0, S_NEXT] = scratch.first[0]
    d = np.int64(0)
    nodes = np.int64(0)
    while d >= 0:
        top = stack[d]
        if d == depth:
            value = _leaf(d, n_wilds, n_cls, meld_cost, wild_gain, wilds_before, rules, scratch)
            if value != NEG:
                best = max(best, value + top[S_GAIN])
            if best >= target:
                return best
            d -= 1
            continue
        o = top[S_NEXT]
        if o > scratch.first[d + 1]:
            d -= 1
            continue
        top[S_NEXT] = o + 1
        below = stack[d + 1]
        for s in range(n_suits):
            below[S_KEY + s] = top[S_KEY + s]
        below[S_GAIN] = top[S_GAIN]
        below[S_WILDS] = top[S_WILDS]
        below[S_SETS] = top[S_SETS]
        if o < scratch.first[d + 1]:
            option = options[o]
            for s in range(n_suits):
                below[S_KEY + s] -= option[O_DELTA + s]
            below[S_GAIN] += option[O_GAIN]
            below[S_SETS] += option[O_SETS]
            wilds = np.int64(0)
            for k in range(n_wilds + 1):
                if (option[O_BITS] >> k) & 1:
                    wilds |= below[S_WILDS] << k
            below[S_WILDS] = wilds & ((np.int64(1) << (n_wilds + 1)) - 1)
            if below[S_WILDS] == 0:
                continue
        nodes += 1
        if nodes > NODE_LIMIT:
            return np.int64(TOO_LARGE)
        used = 0
        while (below[S_WILDS] >> used) & 1 == 0:
            used += 1
        limit = below[S_GAIN] + scratch.bound[d + 1, n_wilds - used] + most
        if limit <= best:
            continue
        if limit - _suit_loss(d + 1, n_wilds, n_cls, rules, scratch) <= best:
            continue
        below[S_NEXT] = scratch.first[d + 1]
        d += 1
    return best


@kernel
def best_of_roles(naturals, n_wilds, floor, gain, meld_cost, wild_gain, rules, scratch):  # type: ignore[no-untyped-def]
    """Return the best value above ``floor`` of a hand whose roles are fixed, or a status < -1."""
    if build_suits(naturals, n_wilds, gain, meld_cost, rules, scratch) != 0:
        return np.int64(TOO_LARGE)
    depth = build_sets(naturals, n_wilds, gain, meld_cost, rules, scratch)
    if depth < 0:
        return np.int64(TOO_LARGE)
    build_bound(n_wilds, depth, n_classes(rules.params), rules, scratch)
    return search(
        n_wilds, depth, floor, np.int64(-NEG), meld_cost, wild_gain, np.int64(0), rules, scratch
    )


@kernel
def set_roles(counts, rules, scratch):  # type: ignore[no-untyped-def]
    """Deal the cards of a hand to roles, all wild cards wild, and clear what is laid.

    Returns: the number of wilds.

    ``scratch.naturals`` gets the natural cards, ``scratch.roles[0]`` the wild ones,
    ``scratch.roles[1]`` zeros (wild cards read as naturals), ``scratch.roles[2]`` how many of
    each could be.
    """
    n_wilds = np.int64(0)
    scratch.laid[:] = 0
    last = np.int64(rules.params[P_SUITS]) * 13
    for card in range(66):
        count = np.int64(counts[card])
        wild = rules.wild[card] == 1
        scratch.roles[0, card] = count if wild else 0
        scratch.roles[1, card] = 0
        split = wild and card < last and rules.params[P_SPLIT] == 1
        scratch.roles[2, card] = count if split else 0
        scratch.naturals[card] = count if (not wild and card < last) else 0
        if wild:
            n_wilds += count
    return n_wilds


@kernel
def next_roles(scratch):  # type: ignore[no-untyped-def]
    """Go to the next split of wild cards into natural and wild roles; return the change in the
    number of wilds, or 1000 after the last split (all wild again)."""
    roles = scratch.roles
    change = np.int64(0)
    for card in range(65):
        if roles[2, card] == 0:
            continue
        if roles[1, card] < roles[2, card]:
            roles[1, card] += 1
            roles[0, card] -= 1
            scratch.naturals[card] += 1
            return change - 1
        change += roles[1, card]
        roles[0, card] += roles[1, card]
        scratch.naturals[card] -= roles[1, card]
        roles[1, card] = 0
    return np.int64(1000)


@kernel
def sum_wild_gain(gain, rules, scratch):  # type: ignore[no-untyped-def]
    """Fill ``scratch.wild_gain[w]``: the gain of the w most expensive cards in wild roles."""
    w = 0
    scratch.wild_gain[0] = 0
    for i in range(rules.wild_ids.shape[0]):
        card = rules.wild_ids[i]
        for _ in range(scratch.roles[0, card]):
            scratch.wild_gain[w + 1] = scratch.wild_gain[w] + gain[card]
            w += 1


@kernel
def best_value(counts, gain, meld_cost, rules, scratch):  # type: ignore[no-untyped-def]
    """Return the best composite value of a hand over all roles, INFEASIBLE or TOO_LARGE."""
    n_wilds = set_roles(counts, rules, scratch)
    if n_wilds >= scratch.wild_gain.shape[0] - 1:
        return np.int64(TOO_LARGE)
    best = np.int64(INFEASIBLE)
    while True:
        sum_wild_gain(gain, rules, scratch)
        found = best_of_roles(
            scratch.naturals, n_wilds, best, gain, meld_cost, scratch.wild_gain, rules, scratch
        )
        if found == TOO_LARGE:
            return np.int64(TOO_LARGE)
        best = max(best, found)
        change = next_roles(scratch)
        if change > 100:  # noqa: PLR2004 - the end mark of next_roles
            return best
        n_wilds += change


@kernel
def penalties(hands, points, rules, scratch, out):  # type: ignore[no-untyped-def]
    """Write the least penalty of each hand (uint8[n, 66]) to ``out`` (int32[n]).

    Statuses instead of a penalty: INFEASIBLE (contract not met), TOO_LARGE (ask another engine).
    A hand requirement that cannot be met costs every card; the cap comes last.
    """
    mode, cap = rules.params[P_MODE], rules.params[P_CAP]
    for i in range(hands.shape[0]):
        total = np.int64(0)
        for card in range(66):
            total += np.int64(hands[i, card]) * points[card]
        value = best_value(hands[i], points, np.int64(0), rules, scratch)
        if value == TOO_LARGE or (value == INFEASIBLE and mode == MODE_CONTRACT):
            out[i] = value
            continue
        left = total - max(value, np.int64(0))
        out[i] = left if cap < 0 else min(left, cap)
