"""The fast lane: hands as bit planes, whole-suit tables shared by all hands of a rule set.

For each suit a key (mixed radix of the natural ranks) leads to the most points its runs can save
with exactly w wilds. A hand is then: read the planes, look up each suit, and search the sets of
the few ranks that compete with runs. Same argument as suit_build/suit_search, values in points.
"""

from __future__ import annotations

from solver.kernels.fast_tables import (
    BOUND,
    C_GAIN,
    C_WILDS,
    CHOICES,
    COPIES,
    FIRST,
    FREE,
    JOKER_POINTS,
    JOKERS_WILD,
    K_GAIN,
    K_NEXT,
    K_WILDS,
    KEY_OF,
    MAX_CHOICES,
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
    tables, so sets hold two naturals or more.) Dear ranks come first: the first leaves then give
    good incumbents.
    """
    n_suits = tables[N_SUITS]
    word = (i64(2) << n_wilds) - 1
    reach = REACH + 8192 * min(n_wilds, tables[N_SLOTS] - 1)
    depth, row = 0, 0
    work[FIRST] = 0
    for rank in range(12, -1, -1):
        if (ranks >> rank) & 1 == 0:
            continue
        total, left, n_free = i64(0), i64(0), 0
        radix = tables[RANK_RADIX + rank]
        for s in range(n_suits):
            one = work[PLANES + s]
            copies = ((one >> rank) & 1) + ((work[PLANES + 5 + s] >> rank) & 1)
            total += copies
            work[COPIES + s] = copies
            if copies and (tables[reach + one] >> rank) & 1:
                work[FREE + n_free] = s
                work[OUT + n_free] = 0
                n_free += 1
        start = row
        while True:
            n = total - left
            bits = tables[SET_K + n] & word if n > 1 else i64(0)
            if bits:
                if row >= MAX_CHOICES:
                    return i64(TOO_LARGE)
                at = CHOICES + 8 * row
                for s in range(n_suits):
                    work[at + s] = work[COPIES + s] * radix
                for i in range(n_free):
                    work[at + work[FREE + i]] -= work[OUT + i] * radix
                work[at + C_GAIN] = n * tables[RANK_POINTS + rank]
                least = 0
                while (bits >> least) & 1 == 0:
                    least += 1
                work[at + C_WILDS] = least
                row += 1
            i = 0
            while i < n_free and work[OUT + i] == work[COPIES + work[FREE + i]]:
                left -= work[OUT + i]
                work[OUT + i] = 0
                i += 1
            if i == n_free:
                break
            work[OUT + i] += 1
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
def _join(at: int, most: int, saved: U16, tables: I64, work: I64) -> int:
    """Return the most points runs of the suits of a stack row save with at most ``most`` wilds.

    ``vector 0`` gets the value for each exact number of wilds. Unrolled over the five slots of
    the tables: 25 ns a hand, where loops over wilds took 90.
    """
    v0, v1, v2, v3, v4 = i64(0), i64(NEG), i64(NEG), i64(NEG), i64(NEG)
    for s in range(tables[N_SUITS]):
        key = work[at + s]
        if key == 0:
            continue
        a0, a1, a2 = i64(saved[key, 0]), i64(saved[key, 1]), i64(saved[key, 2])
        a3, a4 = i64(saved[key, 3]), i64(saved[key, 4])
        a1 = NEG if a1 == NONE else a1
        a2 = NEG if a2 == NONE else a2
        a3 = NEG if a3 == NONE else a3
        a4 = NEG if a4 == NONE else a4
        v4 = max(v4 + a0, v3 + a1, v2 + a2, v1 + a3, v0 + a4)
        v3 = max(v3 + a0, v2 + a1, v1 + a2, v0 + a3)
        v2 = max(v2 + a0, v1 + a1, v0 + a2)
        v1 = max(v1 + a0, v0 + a1)
        v0 += a0
    work[VECTOR], work[VECTOR + 1], work[VECTOR + 2] = v0, v1, v2
    work[VECTOR + 3], work[VECTOR + 4] = v3, v4
    best = v0
    if most > 0:
        best = max(best, v1)
    if most > 1:
        best = max(best, v2)
    if most > 2:
        best = max(best, v3)
    if most > 3:
        best = max(best, v4)
    return best


@kernel
def _best_without_sets(n_wilds: int, tables: I64, work: I64) -> int:
    """Return the best of runs (vector 0) and melds of wilds only; every wild laid counts."""
    wild_bits = tables[WILD_BITS]
    best = i64(0)
    for w in range(n_wilds + 1):
        value = work[VECTOR + w]
        for k in range(1, w + 1):
            if (wild_bits >> k) & 1:
                value = max(value, work[VECTOR + 8 + w - k])
        work[VECTOR + 8 + w] = value
        best = max(best, value + work[VECTOR + 16 + w])
    return best


@kernel
def _bound_wild(depth: int, n_wilds: int, work: I64) -> None:
    """Fill the bounds: runs of the whole suits and all sets of later ranks within w wilds.

    Entry 7 of a row: the fewest wilds that any set from here on asks for.
    """
    last = BOUND + 8 * depth
    for w in range(n_wilds + 1):
        before = work[last + w - 1] if w else i64(NEG)
        work[last + w] = max(work[VECTOR + w], before)
    work[last + 7] = n_wilds + 1
    for d in range(depth - 1, -1, -1):
        here = BOUND + 8 * d
        work[here + 7] = work[here + 15]
        for w in range(n_wilds + 1):
            work[here + w] = work[here + 8 + w]
        for o in range(work[FIRST + d], work[FIRST + d + 1]):
            choice = CHOICES + 8 * o
            k = work[choice + C_WILDS]
            work[here + 7] = min(work[here + 7], k)
            for w in range(k, n_wilds + 1):
                value = work[here + 8 + w - k] + work[choice + C_GAIN]
                work[here + w] = max(work[here + w], value)


@kernel
def search_wild(depth: int, n_wilds: int, best: int, saved: U16, tables: I64, work: I64) -> int:
    """Return the most points a hand with sets saves, ``best`` when that is no more.

    A set takes any number of wilds from its least upwards, so once there is one, every wild
    counts and only the least numbers limit what goes together. The bound of a node: sets chosen,
    all later sets at once and the runs of the whole suits, less what the suits have lost for
    certain (entry 6 of a bound row), and all wilds.
    """
    n_suits = tables[N_SUITS]
    all_wilds = work[VECTOR + 16 + n_wilds]
    work[STACK + K_GAIN] = all_wilds
    work[STACK + K_WILDS] = 0
    work[STACK + K_NEXT] = 0
    _bound_wild(depth, n_wilds, work)
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
        gain, used = work[top + K_GAIN], work[top + K_WILDS]
        choice = CHOICES + 8 * o
        if o < end:
            gain += work[choice + C_GAIN]
            used += work[choice + C_WILDS]
            if used > n_wilds:
                continue
        below = BOUND + 8 * (d + 1)
        limit = gain + work[below + n_wilds - used]
        loss = work[below - 2]
        if limit - loss <= best:
            continue
        if o < end:
            loss = i64(0)
            for s in range(n_suits):
                key = work[top + s] - work[choice + s]
                work[top + 8 + s] = key
                root = work[STACK + s]
                if root != key:
                    least = i64(saved[root, 0]) - i64(saved[key, 0])
                    for w in range(1, n_wilds + 1):
                        was, now = i64(saved[root, w]), i64(saved[key, w])
                        if was != NONE and now != NONE:
                            least = min(least, was - now)
                    loss += least
            if limit - loss <= best:
                continue
        else:
            for s in range(n_suits):
                work[top + 8 + s] = work[top + s]
        work[below + 6] = loss
        work[top + 8 + K_GAIN] = gain
        work[top + 8 + K_WILDS] = used
        if n_wilds - used >= work[below + 7]:
            d += 1
            work[top + 8 + K_NEXT] = work[FIRST + d]
        elif o < end or d > 0:
            # No later set is possible: a leaf. (Without any set it is the root's own value.)
            best = max(best, gain + _join(top + 8, n_wilds - used, saved, tables, work))
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
    # Vector 2: what the w dearest wilds cost.
    joker, ranked = tables[JOKER_POINTS], tables[WILD_POINTS]
    n_dear = n_ranked if ranked >= joker else n_wilds - n_ranked
    worth = i64(0)
    work[VECTOR + 16] = 0
    for w in range(1, n_wilds + 1):
        worth += max(joker, ranked) if w <= n_dear else min(joker, ranked)
        work[VECTOR + 16 + w] = worth
    _join(STACK, n_wilds, saved, tables, work)
    best = _best_without_sets(n_wilds, tables, work)
    if best == total:
        return i64(0)
    ranks = ranks_held(2, tables, work)
    if n_wilds == 1:
        # A pair takes the one wild: not worth a look unless it beats the runs with that wild.
        threes = ranks_held(3, tables, work)
        pairs = ranks & ~threes
        plain = work[VECTOR] + worth
        for rank in range(13):
            if (threes >> rank) & 1:
                plain += tables[N_PACKS] * n_suits * tables[RANK_POINTS + rank]
        for rank in range(13):
            if (pairs >> rank) & 1 and plain + 2 * tables[RANK_POINTS + rank] <= best:
                ranks ^= i64(1) << rank
    if ranks == 0:
        return total - best
    depth = list_choices(ranks, n_wilds, tables, work)
    if depth < 0:
        return i64(TOO_LARGE)
    if depth > 0:
        best = search_wild(depth, n_wilds, best, saved, tables, work)
    return total - best
