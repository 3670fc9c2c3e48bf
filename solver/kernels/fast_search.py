"""The search of a fast-lane hand: which listed sets to lay beside the best runs of the suits."""

from __future__ import annotations

from solver.kernels.fast_tables import (
    BOUND,
    C_AFTER,
    C_GAIN,
    C_WILDS,
    CALM,
    CHOICES,
    FIRST,
    K_GAIN,
    K_NEXT,
    K_SAVED,
    K_WILDS,
    MOST_NODES,
    N_SUITS,
    NEG,
    NONE,
    STACK,
    TOO_LARGE,
)
from solver.kernels.jit import inlined, kernel
from solver.kernels.types import I64, U16, i64


@kernel
def join_suits(at: int, most: int, saved: U16, tables: I64, work: I64) -> None:
    """Fill ``K_SAVED`` of a stack row: the points its suits' runs save with exactly w wilds.

    Unrolled by twos and fours: loops over the wilds took three times as long.
    """
    n_suits = tables[N_SUITS]
    to = at + K_SAVED
    v0, v1, v2, v3 = i64(0), i64(NEG), i64(NEG), i64(NEG)
    if most == 0:
        for s in range(n_suits):
            v0 += i64(saved[work[at + s], 0])
        work[to] = v0
    elif most == 1:
        for s in range(n_suits):
            key = work[at + s]
            a0, a1 = i64(saved[key, 0]), i64(saved[key, 1])
            a1 = NEG if a1 == NONE else a1
            v1 = max(v1 + a0, v0 + a1)
            v0 += a0
        work[to], work[to + 1] = v0, v1
    elif most <= 3:
        for s in range(n_suits):
            key = work[at + s]
            a0, a1 = i64(saved[key, 0]), i64(saved[key, 1])
            a2, a3 = i64(saved[key, 2]), i64(saved[key, 3])
            a1 = NEG if a1 == NONE else a1
            a2 = NEG if a2 == NONE else a2
            a3 = NEG if a3 == NONE else a3
            v3 = max(v3 + a0, v2 + a1, v1 + a2, v0 + a3)
            v2 = max(v2 + a0, v1 + a1, v0 + a2)
            v1 = max(v1 + a0, v0 + a1)
            v0 += a0
        work[to], work[to + 1], work[to + 2], work[to + 3] = v0, v1, v2, v3
    else:
        work[to] = 0
        for w in range(1, most + 1):
            work[to + w] = NEG
        for s in range(n_suits):
            key = work[at + s]
            for w in range(most, -1, -1):
                value = i64(NEG)
                for k in range(w + 1):
                    a = i64(saved[key, k])
                    if a != NONE:
                        value = max(value, work[to + w - k] + a)
                work[to + w] = value


@inlined
def fill_bounds(depth: int, n_wilds: int, work: I64) -> None:
    """Fill ``BOUND``: the most points that sets of later ranks save within w wilds, calm ones too.

    Row d holds the sets of listed ranks from d on, as if no run competed: the first of a rank is
    then the best, with most naturals and fewest wilds.
    """
    last = BOUND + 8 * depth
    for w in range(n_wilds + 1):
        work[last + w] = work[CALM + w]
    for d in range(depth - 1, -1, -1):
        here, choice = BOUND + 8 * d, CHOICES + 8 * work[FIRST + d]
        k, gain = work[choice + C_WILDS], work[choice + C_GAIN]
        for w in range(n_wilds + 1):
            value = work[here + 8 + w]
            work[here + w] = value if w < k else max(value, work[here + 8 + w - k] + gain)


@kernel
def search(
    depth: int, n_wilds: int, worth: int, best: int, total: int, saved: U16, tables: I64, work: I64
) -> int:
    """Return the most points a hand with a listed set saves, ``best`` when that is no more.

    TOO_LARGE when that takes too many nodes.

    A set takes any number of wilds from its least upwards, so once there is one, all wilds count
    (``worth``) and only the least numbers limit what goes together. Row 0 of the stack holds the
    whole suits; each node adds a set of a later rank. Its bound: sets chosen, all later sets at
    once, and the runs of the node above. The search ends at ``total``, the whole hand.
    """
    n_suits = tables[N_SUITS]
    fill_bounds(depth, n_wilds, work)
    n_choices, nodes = work[FIRST + depth], i64(0)
    work[STACK + K_GAIN], work[STACK + K_WILDS], work[STACK + K_NEXT] = worth, n_wilds, 0
    top = i64(STACK)
    while best < total:
        o = work[top + K_NEXT]
        if o == n_choices:
            if top == STACK:
                break
            top -= 16
            continue
        work[top + K_NEXT] = o + 1
        choice = CHOICES + 8 * o
        spare = work[top + K_WILDS] - work[choice + C_WILDS]
        if spare < 0:
            continue
        gain = work[top + K_GAIN] + work[choice + C_GAIN]
        after = work[choice + C_AFTER]
        bound = BOUND + 8 * after + spare
        limit = i64(NEG)
        for w in range(spare + 1):
            limit = max(limit, work[top + K_SAVED + w] + work[bound - w])
        if gain + limit <= best:
            continue
        nodes += 1
        if nodes > work[MOST_NODES]:
            return i64(TOO_LARGE)
        below = top + 16
        for s in range(n_suits):
            work[below + s] = work[top + s] - work[choice + s]
        join_suits(below, spare, saved, tables, work)
        limit = i64(NEG)
        for w in range(spare + 1):
            value = work[below + K_SAVED + w]
            best = max(best, gain + value + work[CALM + spare - w])
            limit = max(limit, value + work[bound - w])
        if gain + limit > best:
            top = below
            work[top + K_GAIN], work[top + K_WILDS] = gain, spare
            work[top + K_NEXT] = work[FIRST + after]
    return best
