"""The fast lane: hands as bit planes, whole-suit tables shared by all hands of a rule set.

For each suit a key (mixed radix of the natural ranks) leads to the most points its runs can save
with exactly w wilds. A hand is then: read the planes, look up each suit, and search the sets of
the few ranks that compete with runs. Same argument as suit_build/suit_search, values in points.
"""

from __future__ import annotations

from solver.kernels.fast_tables import (
    BOUND,
    C_BITS,
    C_GAIN,
    CHOICES,
    FIRST,
    JOKER_POINTS,
    JOKERS_WILD,
    K_GAIN,
    K_NEXT,
    K_WILDS,
    KEY_OF,
    MAX_CHOICES,
    MOST,
    N_PACKS,
    N_SLOTS,
    N_SUITS,
    NEG,
    NONE,
    OUT,
    PLANES,
    POINTS_OF,
    RANK_POINTS,
    RANK_RADIX,
    REACH,
    SET_K,
    STACK,
    TOO_LARGE,
    VECTOR,
    WILD_BITS,
    WILD_MASK,
    WILD_POINTS,
)
from solver.kernels.jit import kernel
from solver.kernels.types import I64, U16, i64


@kernel
def ranks_held(least: int, tables: I64, work: I64) -> bool:
    """Return the mask of ranks of which the planes hold ``least`` (2 or 3) cards or more."""
    one, two, more = i64(0), i64(0), i64(0)
    for p in range(tables[N_PACKS]):
        for s in range(tables[N_SUITS]):
            plane = work[PLANES + 5 * p + s]
            carry = one & plane
            one ^= plane
            more |= two & carry
            two ^= carry
    return more | two if least == 2 else more | (two & one)


@kernel
def list_choices(ranks: int, n_wilds: int, tables: I64, work: I64) -> int:
    """List the sets of the ranks of a mask, all naturals first; return how many ranks have any.

    A natural that no run with another natural can use is in every set of its rank: there it is
    worth its points and costs the suit nothing. (A lone natural with wilds is a run of the
    tables, so sets hold two naturals or more.)
    """
    n_suits = tables[N_SUITS]
    word = (i64(2) << n_wilds) - 1
    reach = REACH + 8192 * min(n_wilds, tables[N_SLOTS] - 1)
    depth, row = 0, 0
    work[FIRST] = 0
    # Dear ranks first: the first leaves then give good incumbents.
    for rank in range(12, -1, -1):
        if (ranks >> rank) & 1 == 0:
            continue
        total, left = i64(0), i64(0)
        for s in range(n_suits):
            one = work[PLANES + s]
            copies = ((one >> rank) & 1) + ((work[PLANES + 5 + s] >> rank) & 1)
            total += copies
            work[OUT + s] = 0
            work[MOST + s] = copies if (tables[reach + one] >> rank) & 1 else 0
        start = row
        while True:
            n = total - left
            bits = tables[SET_K + n] & word if n > 1 else i64(0)
            if bits:
                if row >= MAX_CHOICES:
                    return i64(TOO_LARGE)
                at = CHOICES + 8 * row
                for s in range(n_suits):
                    copies = ((work[PLANES + s] >> rank) & 1) + ((work[PLANES + 5 + s] >> rank) & 1)
                    work[at + s] = (copies - work[OUT + s]) * tables[RANK_RADIX + rank]
                work[at + C_GAIN] = n * tables[RANK_POINTS + rank]
                work[at + C_BITS] = bits
                row += 1
            s = 0
            while s < n_suits and work[OUT + s] == work[MOST + s]:
                left -= work[OUT + s]
                work[OUT + s] = 0
                s += 1
            if s == n_suits:
                break
            work[OUT + s] += 1
            left += 1
        if row > start:
            depth += 1
            work[FIRST + depth] = row
    return i64(depth)


@kernel
def search_plain(depth: int, saved: U16, tables: I64, work: I64) -> int:
    """Return the most points a hand without wilds saves; row 0 of the stack holds its keys."""
    n_suits = tables[N_SUITS]
    work[BOUND + depth] = 0
    for d in range(depth - 1, -1, -1):
        # The first choice of a rank takes all its naturals, so it is the dearest.
        first = CHOICES + 8 * work[FIRST + d]
        work[BOUND + d] = work[BOUND + d + 1] + work[first + C_GAIN]
    runs = i64(0)
    for s in range(n_suits):
        runs += i64(saved[work[STACK + s], 0])
    work[STACK + K_GAIN] = 0
    work[STACK + K_WILDS] = runs
    work[STACK + K_NEXT] = 0
    best = runs
    d = 0
    while d >= 0:
        top = STACK + 8 * d
        o = work[top + K_NEXT]
        end = work[FIRST + d + 1]
        if o > end:
            d -= 1
            continue
        work[top + K_NEXT] = o + 1
        gain, runs = work[top + K_GAIN], work[top + K_WILDS]
        choice = CHOICES + 8 * o
        if o < end:
            gain += work[choice + C_GAIN]
        for s in range(n_suits):
            key = work[top + s]
            if o < end and work[choice + s]:
                runs -= i64(saved[key, 0])
                key -= work[choice + s]
                runs += i64(saved[key, 0])
            work[top + 8 + s] = key
        best = max(best, gain + runs)
        if d + 1 < depth and gain + runs + work[BOUND + d + 1] > best:
            d += 1
            work[top + 8 + K_GAIN] = gain
            work[top + 8 + K_WILDS] = runs
            work[top + 8 + K_NEXT] = work[FIRST + d]
    return best


@kernel
def _leaf(top: int, first: bool, n_wilds: int, saved: U16, tables: I64, work: I64) -> int:
    """Return the best of a stack row: runs of its keys, its sets, melds of wilds, the wilds.

    Leaves the best runs for each w in vector 0. With ``first`` only row 0 is read, whose sets are
    none. (One function: a call with three arrays costs 20 ns.)
    """
    wild_bits = tables[WILD_BITS]
    at = STACK if first else top
    for w in range(n_wilds + 1):
        value = i64(saved[work[at], w])
        work[VECTOR + w] = value if value != NONE else NEG
    for s in range(1, tables[N_SUITS]):
        key = work[at + s]
        if key == 0:
            continue
        for w in range(n_wilds, -1, -1):
            value = i64(NEG)
            for k in range(w + 1):
                mine = i64(saved[key, k])
                if mine != NONE:
                    value = max(value, mine + work[VECTOR + w - k])
            work[VECTOR + w] = value
    best = i64(NEG)
    wilds = work[at + K_WILDS]
    for w in range(n_wilds + 1):
        value = i64(NEG)
        for k in range(w + 1):
            if (wilds >> k) & 1:
                value = max(value, work[VECTOR + w - k])
        for k in range(1, w + 1):
            if (wild_bits >> k) & 1:
                value = max(value, work[VECTOR + 8 + w - k])
        work[VECTOR + 8 + w] = value
        best = max(best, value + work[VECTOR + 16 + w])
    return best + work[at + K_GAIN]


@kernel
def _bound_wild(depth: int, n_wilds: int, work: I64) -> None:
    """Fill the bounds: runs of the whole suits and all sets of later ranks within w wilds."""
    last = BOUND + 8 * depth
    for w in range(n_wilds + 1):
        before = work[last + w - 1] if w else i64(NEG)
        work[last + w] = max(work[VECTOR + w], before)
    work[last + 7] = n_wilds + 1
    for d in range(depth - 1, -1, -1):
        here = BOUND + 8 * d
        # Entry 7: the fewest wilds that any set from here on asks for.
        work[here + 7] = work[here + 15]
        for w in range(n_wilds + 1):
            work[here + w] = work[here + 8 + w]
        for o in range(work[FIRST + d], work[FIRST + d + 1]):
            choice = CHOICES + 8 * o
            k = 0
            while (work[choice + C_BITS] >> k) & 1 == 0:
                k += 1
            work[here + 7] = min(work[here + 7], k)
            for w in range(k, n_wilds + 1):
                value = work[here + 8 + w - k] + work[choice + C_GAIN]
                work[here + w] = max(work[here + w], value)


@kernel
def search_wild(depth: int, n_wilds: int, saved: U16, tables: I64, work: I64) -> int:
    """Return the most points a hand saves; vector 2 holds what w wilds are worth.

    The bound of a node: sets chosen, all later sets at once, the runs of the whole suits and all
    wilds; wilds only limit how many of these go together.
    """
    n_suits = tables[N_SUITS]
    all_wilds = work[VECTOR + 16 + n_wilds]
    word = (i64(2) << n_wilds) - 1
    work[STACK + K_GAIN] = 0
    work[STACK + K_WILDS] = 1
    work[STACK + K_NEXT] = 0
    best = max(i64(0), _leaf(STACK, True, n_wilds, saved, tables, work))
    if depth == 0 or best == all_wilds + work[VECTOR + 24]:
        return best
    _bound_wild(depth, n_wilds, work)
    # Entry 6 of a bound row: what the suits have lost for certain at that depth.
    work[BOUND + 6] = 0
    d = 0
    while d >= 0:
        top = STACK + 8 * d
        o = work[top + K_NEXT]
        end = work[FIRST + d + 1]
        if o > end:
            d -= 1
            continue
        work[top + K_NEXT] = o + 1
        gain, wilds = work[top + K_GAIN], work[top + K_WILDS]
        choice = CHOICES + 8 * o
        if o < end:
            gain += work[choice + C_GAIN]
            bits = work[choice + C_BITS]
            spread = i64(0)
            k = 0
            while bits >> k:
                if (bits >> k) & 1:
                    spread |= wilds << k
                k += 1
            wilds = spread & word
            if wilds == 0:
                continue
        used = 0
        while (wilds >> used) & 1 == 0:
            used += 1
        limit = gain + work[BOUND + 8 * (d + 1) + n_wilds - used] + all_wilds
        if limit - work[BOUND + 8 * d + 6] <= best:
            continue
        for s in range(n_suits):
            work[top + 8 + s] = work[top + s] - (work[choice + s] if o < end else 0)
        loss = work[BOUND + 8 * d + 6]
        if o < end:
            loss = i64(0)
            for s in range(n_suits):
                root, key = work[STACK + s], work[top + 8 + s]
                if root != key:
                    least = i64(NONE)
                    for w in range(n_wilds + 1):
                        was, now = i64(saved[root, w]), i64(saved[key, w])
                        if was != NONE and now != NONE:
                            least = min(least, was - now)
                    loss += least
            if limit - loss <= best:
                continue
        work[BOUND + 8 * (d + 1) + 6] = loss
        work[top + 8 + K_GAIN] = gain
        work[top + 8 + K_WILDS] = wilds
        if n_wilds - used >= work[BOUND + 8 * (d + 1) + 7]:
            d += 1
            work[top + 8 + K_NEXT] = work[FIRST + d]
        elif o < end or d > 0:
            # No later set is possible: this is a leaf (the root's was taken at the start).
            best = max(best, _leaf(top + 8, False, n_wilds, saved, tables, work))
    return best


@kernel
def _bit_count(mask: int) -> int:
    """Return the number of set bits of a small mask."""
    n = i64(0)
    while mask:
        mask &= mask - 1
        n += 1
    return n


@kernel
def solve_planes(jokers: int, saved: U16, tables: I64, work: I64) -> int:
    """Return the least penalty of the hand in the planes, TOO_LARGE when out of reach."""
    wild_mask, n_suits = tables[WILD_MASK], tables[N_SUITS]
    total = jokers * tables[JOKER_POINTS]
    n_ranked = i64(0)
    runs = i64(0)
    for s in range(n_suits):
        a, b = work[PLANES + s], work[PLANES + 5 + s]
        total += tables[POINTS_OF + a] + tables[POINTS_OF + b]
        if (a | b) & wild_mask:
            n_ranked += _bit_count(a & wild_mask) + _bit_count(b & wild_mask)
            a &= ~wild_mask
            b &= ~wild_mask
            work[PLANES + s] = a
            work[PLANES + 5 + s] = b
        key = tables[KEY_OF + a] + tables[KEY_OF + b]
        work[STACK + s] = key
        runs += i64(saved[key, 0])
    n_wilds = n_ranked + jokers * tables[JOKERS_WILD]
    if n_wilds == 0:
        ranks = ranks_held(3, tables, work)
        if ranks == 0:
            return total - runs
        depth = list_choices(ranks, i64(0), tables, work)
        if depth < 0:
            return i64(TOO_LARGE)
        return total - (search_plain(depth, saved, tables, work) if depth else runs)
    if n_wilds >= tables[N_SLOTS]:
        return i64(TOO_LARGE)
    # Vector 2: what the w dearest wilds cost; entry 24: the naturals, all of them.
    joker, ranked = tables[JOKER_POINTS], tables[WILD_POINTS]
    n_dear = n_ranked if ranked >= joker else n_wilds - n_ranked
    worth = i64(0)
    work[VECTOR + 16] = 0
    for w in range(1, n_wilds + 1):
        worth += max(joker, ranked) if w <= n_dear else min(joker, ranked)
        work[VECTOR + 16 + w] = worth
    work[VECTOR + 24] = total - worth
    depth = list_choices(ranks_held(2, tables, work), n_wilds, tables, work)
    if depth < 0:
        return i64(TOO_LARGE)
    return total - search_wild(depth, n_wilds, saved, tables, work)
