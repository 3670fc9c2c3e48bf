"""The fast lane: hands as bit planes, whole-suit tables shared by all hands of a rule set.

For each suit a key (mixed radix of the natural ranks) leads to the most points its runs can save
with exactly w wilds. A hand is then: read the planes, look up each suit, add the sets of ranks that
no run competes for, and search the sets of the few ranks that do compete. Same argument as
suit_build/suit_search, values in points.
"""

from __future__ import annotations

from solver.kernels.fast_tables import (
    B_LEAST,
    B_LOSS,
    BOUND,
    C_GAIN,
    C_WILDS,
    CALM,
    CALM_LEAST,
    CALM_RANKS,
    CHOICES,
    COPIES,
    EVERY,
    EVERY_LEAST,
    FIRST,
    FREE,
    JOKER_POINTS,
    JOKERS_WILD,
    K_GAIN,
    K_NEXT,
    K_SETS,
    K_WILDS,
    KEY_OF,
    LEAST,
    LONE,
    MAX_CHOICES,
    N_PACKS,
    N_SLOTS,
    N_SUITS,
    NEG,
    NO_SET,
    NO_SETS,
    NONE,
    OUT,
    PLANES,
    POINTS_OF,
    RANK_POINTS,
    RANK_RADIX,
    REACH,
    REACHED,
    SET_K,
    STACK,
    THREES,
    TOO_LARGE,
    VECTOR,
    WILD_BITS,
    WILD_MASK,
    WILD_POINTS,
    WORTH,
)
from solver.kernels.jit import inlined, kernel
from solver.kernels.types import I64, U16, i64


@inlined
def list_choices(ranks: int, n_wilds: int, tables: I64, work: I64) -> int:
    """List the sets of the ranks of a mask, all naturals first; return how many ranks have any.

    A natural that no run with another natural can use is in every set of its rank: there it is
    worth its points and costs the suit nothing, and its key leaves it out unless the wilds make
    lone naturals runs. (These are in the tables, so sets hold two naturals or more.) Dear ranks
    come first: the first leaves then give good incumbents.
    """
    n_suits = tables[N_SUITS]
    word = (i64(2) << n_wilds) - 1
    keyed = n_wilds >= tables[LONE]
    depth, row = 0, 0
    work[FIRST] = 0
    for rank in range(12, -1, -1):
        if (ranks >> rank) & 1 == 0:
            continue
        total, left, n_free = i64(0), i64(0), 0
        radix = tables[RANK_RADIX + rank]
        for s in range(n_suits):
            copies = ((work[PLANES + s] >> rank) & 1) + ((work[PLANES + 5 + s] >> rank) & 1)
            total += copies
            work[COPIES + s] = copies if keyed else 0
            if copies and (work[REACHED + s] >> rank) & 1:
                work[COPIES + s] = copies
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


@inlined
def search_plain(depth: int, saved: U16, tables: I64, work: I64) -> int:
    """Return the most points that runs and listed sets save; row 0 of the stack holds the keys.

    The hand has no wilds; sets that no run competes for are not listed.
    """
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
        top = STACK + 16 * d
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
            work[top + 16 + s] = key
        best = max(best, gain + runs)
        if d + 1 < depth and gain + runs + work[BOUND + d + 1] > best:
            d += 1
            work[top + 16 + K_GAIN] = gain
            work[top + 16 + K_WILDS] = runs
            work[top + 16 + K_NEXT] = work[FIRST + d]
    return best


@kernel
def _join(at: int, most: int, saved: U16, tables: I64, work: I64) -> int:
    """Return the most points runs of the suits of a stack row save with at most ``most`` wilds.

    ``VECTOR`` gets the value for each exact number of wilds up to ``most``. Unrolled by twos and
    fours: loops over the wilds took three times as long.
    """
    n_suits = tables[N_SUITS]
    for w in range(most + 1):
        work[VECTOR + w] = NEG
    if most <= 1:
        v0, v1 = i64(0), i64(NEG)
        for s in range(n_suits):
            key = work[at + s]
            if key:
                a0, a1 = i64(saved[key, 0]), i64(saved[key, 1])
                a1 = NEG if a1 == NONE else a1
                v1 = max(v1 + a0, v0 + a1)
                v0 += a0
        work[VECTOR], work[VECTOR + 1] = v0, v1
        return max(v0, v1) if most else v0
    if most <= 3:
        v0, v1, v2, v3 = i64(0), i64(NEG), i64(NEG), i64(NEG)
        for s in range(n_suits):
            key = work[at + s]
            if key:
                a0, a1 = i64(saved[key, 0]), i64(saved[key, 1])
                a2, a3 = i64(saved[key, 2]), i64(saved[key, 3])
                a1 = NEG if a1 == NONE else a1
                a2 = NEG if a2 == NONE else a2
                a3 = NEG if a3 == NONE else a3
                v3 = max(v3 + a0, v2 + a1, v1 + a2, v0 + a3)
                v2 = max(v2 + a0, v1 + a1, v0 + a2)
                v1 = max(v1 + a0, v0 + a1)
                v0 += a0
        work[VECTOR], work[VECTOR + 1] = v0, v1
        work[VECTOR + 2], work[VECTOR + 3] = v2, v3
        best = max(v0, v1, v2)
        return max(best, v3) if most == 3 else best
    work[VECTOR] = 0
    for s in range(n_suits):
        key = work[at + s]
        if key:
            for w in range(most, -1, -1):
                value = i64(NEG)
                for k in range(w + 1):
                    a = i64(saved[key, k])
                    if a != NONE:
                        value = max(value, work[VECTOR + w - k] + a)
                work[VECTOR + w] = value
    best = work[VECTOR]
    for w in range(1, most + 1):
        best = max(best, work[VECTOR + w])
    return best


@inlined
def _best_without_sets(n_wilds: int, tables: I64, work: I64) -> int:
    """Return the best of runs (``VECTOR``) and melds of wilds only; every wild laid counts."""
    wild_bits = tables[WILD_BITS]
    best = i64(0)
    for w in range(n_wilds + 1):
        value = work[VECTOR + w]
        for k in range(1, w + 1):
            if (wild_bits >> k) & 1:
                value = max(value, work[NO_SETS + w - k])
        work[NO_SETS + w] = value
        best = max(best, value + work[WORTH + w])
    return best


@inlined
def _rank_sets(n_wilds: int, tables: I64, work: I64) -> int:
    """Fill ``REACHED``, ``CALM`` and ``EVERY``; return the ranks that sets and runs compete for.

    A rank whose naturals no run with another can use is calm: it wants them all in one set with
    the fewest wilds, and a lone natural in a run with as many wilds or more never does better.
    """
    one, two, four, eight, reached = i64(0), i64(0), i64(0), i64(0), i64(0)
    n_suits = tables[N_SUITS]
    shift = 13 * min(n_wilds, 3)
    for s in range(n_suits):
        plane = work[PLANES + s]
        here = (tables[REACH + plane] >> shift) & 8191
        work[REACHED + s] = here
        reached |= here
        carry = one & plane
        one ^= plane
        more = two & carry
        two ^= carry
        four ^= more
    if tables[N_PACKS] > 1:
        for s in range(n_suits):
            plane = work[PLANES + 5 + s]
            carry = one & plane
            one ^= plane
            more = two & carry
            two ^= carry
            carry = four & more
            four ^= more
            eight |= carry
    for w in range(n_wilds + 1):
        work[CALM + w], work[EVERY + w] = 0, 0
    calm_least, every_least = i64(NO_SET), i64(NO_SET)
    ranks = two | four | eight
    contested, calm = i64(0), i64(0)
    while ranks:
        bit = ranks & -ranks
        ranks ^= bit
        n = i64(1) if one & bit else i64(0)
        if two & bit:
            n += 2
        if four & bit:
            n += 4
        if eight & bit:
            n += 8
        k = tables[LEAST + n]
        if k > n_wilds:
            # Fewer naturals never make a set that more do not.
            continue
        gain = n * tables[POINTS_OF + bit]
        every_least = min(every_least, k)
        for w in range(n_wilds, k - 1, -1):
            work[EVERY + w] = max(work[EVERY + w], work[EVERY + w - k] + gain)
        if reached & bit or k > tables[LONE]:
            contested |= bit
        else:
            calm |= bit
            calm_least = min(calm_least, k)
            for w in range(n_wilds, k - 1, -1):
                work[CALM + w] = max(work[CALM + w], work[CALM + w - k] + gain)
    work[CALM_RANKS], work[CALM_LEAST], work[EVERY_LEAST] = calm, calm_least, every_least
    work[THREES] = (two & one) | four | eight
    return contested


@inlined
def _bound_wild(depth: int, n_wilds: int, work: I64) -> None:
    """Fill the bounds: runs of the whole suits and all sets of later ranks within w wilds.

    Entry ``B_LEAST`` of a row: the fewest wilds that any set from here on asks for.
    """
    last = BOUND + 16 * depth
    for w in range(n_wilds + 1):
        best = i64(NEG)
        for k in range(w + 1):
            best = max(best, work[VECTOR + k] + work[CALM + w - k])
        work[last + w] = best
    work[last + B_LEAST] = n_wilds + 1
    for d in range(depth - 1, -1, -1):
        here = BOUND + 16 * d
        least = work[here + 16 + B_LEAST]
        for w in range(n_wilds + 1):
            work[here + w] = work[here + 16 + w]
        for o in range(work[FIRST + d], work[FIRST + d + 1]):
            choice = CHOICES + 8 * o
            k, gain = work[choice + C_WILDS], work[choice + C_GAIN]
            least = min(least, k)
            for w in range(k, n_wilds + 1):
                work[here + w] = max(work[here + w], work[here + 16 + w - k] + gain)
        work[here + B_LEAST] = least


@inlined
def search_wild(
    depth: int, n_wilds: int, best: int, total: int, saved: U16, tables: I64, work: I64
) -> int:
    """Return the most points a hand with a listed set saves, ``best`` when that is no more.

    A set takes any number of wilds from its least upwards, so once there is one, every wild
    counts and only the least numbers limit what goes together. The bound of a node: sets chosen,
    all later sets at once and the runs of the whole suits, less what the suits have lost for
    certain (entry ``B_LOSS`` of a bound row), and all wilds. It ends at ``total``, the whole hand.
    """
    n_suits = tables[N_SUITS]
    _bound_wild(depth, n_wilds, work)
    work[STACK + K_GAIN] = work[WORTH + n_wilds]
    work[STACK + K_WILDS] = 0
    work[STACK + K_NEXT] = 0
    work[STACK + K_SETS] = 0
    work[BOUND + B_LOSS] = 0
    d = 0
    while d >= 0 and best < total:
        top = STACK + 16 * d
        o = work[top + K_NEXT]
        end = work[FIRST + d + 1]
        if o > end:
            d -= 1
            continue
        work[top + K_NEXT] = o + 1
        gain, used = work[top + K_GAIN], work[top + K_WILDS]
        choice = CHOICES + 8 * o
        n_sets = work[top + K_SETS]
        if o < end:
            gain += work[choice + C_GAIN]
            used += work[choice + C_WILDS]
            n_sets += 1
            if used > n_wilds:
                continue
        below = BOUND + 16 * (d + 1)
        limit = gain + work[below + n_wilds - used]
        loss = work[below - 16 + B_LOSS]
        if limit - loss <= best:
            continue
        if o < end:
            loss = i64(0)
            for s in range(n_suits):
                key = work[top + s] - work[choice + s]
                work[top + 16 + s] = key
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
                work[top + 16 + s] = work[top + s]
        if n_wilds - used >= work[below + B_LEAST]:
            d += 1
            work[below + B_LOSS] = loss
            work[top + 16 + K_GAIN] = gain
            work[top + 16 + K_WILDS] = used
            work[top + 16 + K_NEXT] = work[FIRST + d]
            work[top + 16 + K_SETS] = n_sets
        elif n_sets:
            # No later set is possible: a leaf. (Without any set it is the root's own value.)
            spare = n_wilds - used
            _join(top + 16, spare, saved, tables, work)
            for w in range(spare + 1):
                best = max(best, gain + work[VECTOR + w] + work[CALM + spare - w])
    return best


@inlined
def _best_pair(ranks: int, saved: U16, tables: I64, work: I64) -> int:
    """Return the most points that a pair of a rank of the mask with the one wild leads to.

    Nothing else competes for the wild then: calm ranks and runs add what they save without it.
    (Through the general search these hands, one random hand in four, took three times as long.)
    """
    n_suits = tables[N_SUITS]
    best = i64(NEG)
    while ranks:
        bit = ranks & -ranks
        ranks ^= bit
        gain = 2 * tables[POINTS_OF + bit]
        radix = tables[KEY_OF + bit]
        for s in range(n_suits):
            if work[REACHED + s] & bit:
                key = work[STACK + s]
                held = work[PLANES + s] & bit
                twice = work[PLANES + 5 + s] & bit
                if held:
                    rest = key - (2 * radix if twice else radix)
                    gain -= i64(saved[key, 0]) - i64(saved[rest, 0])
        best = max(best, gain)
    return best


@inlined
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
    for s in range(n_suits):
        a, b = work[PLANES + s], work[PLANES + 5 + s]
        total += tables[POINTS_OF + a] + tables[POINTS_OF + b]
        if (a | b) & wild_mask:
            n_ranked += _bit_count(a & wild_mask) + _bit_count(b & wild_mask)
            a &= ~wild_mask
            b &= ~wild_mask
            work[PLANES + s] = a
            work[PLANES + 5 + s] = b
    n_wilds = n_ranked + jokers * tables[JOKERS_WILD]
    if n_wilds >= tables[N_SLOTS]:
        return i64(TOO_LARGE)
    ranks = _rank_sets(n_wilds, tables, work)
    # Few cards are left in the keys: their rows of the tables stay in the cache.
    calm, lone = work[CALM_RANKS], 8191 if n_wilds >= tables[LONE] else 0
    runs = i64(0)
    for s in range(n_suits):
        keep = (work[REACHED + s] | lone) & ~calm
        key = tables[KEY_OF + (work[PLANES + s] & keep)]
        key += tables[KEY_OF + (work[PLANES + 5 + s] & keep)]
        work[STACK + s] = key
        runs += i64(saved[key, 0])
    if n_wilds == 0:
        if ranks:
            depth = list_choices(ranks, i64(0), tables, work)
            if depth < 0:
                return i64(TOO_LARGE)
            runs = search_plain(depth, saved, tables, work)
        return total - runs - work[CALM]
    joker, ranked = tables[JOKER_POINTS], tables[WILD_POINTS]
    n_dear = n_ranked if ranked >= joker else n_wilds - n_ranked
    worth = i64(0)
    work[WORTH] = 0
    for w in range(1, n_wilds + 1):
        worth += max(joker, ranked) if w <= n_dear else min(joker, ranked)
        work[WORTH + w] = worth
    _join(STACK, n_wilds, saved, tables, work)
    best = _best_without_sets(n_wilds, tables, work)
    for w in range(n_wilds - work[CALM_LEAST] + 1):
        best = max(best, worth + work[VECTOR + w] + work[CALM + n_wilds - w])
    limit = i64(0)
    for w in range(n_wilds - work[EVERY_LEAST] + 1):
        limit = max(limit, worth + work[VECTOR + w] + work[EVERY + n_wilds - w])
    if ranks == 0 or best == total or limit <= best:
        return total - best
    if n_wilds == 1 and ranks & work[THREES] == 0 and tables[LONE] > 1:
        pair = worth + runs + work[CALM] + _best_pair(ranks, saved, tables, work)
        return total - max(best, pair)
    depth = list_choices(ranks, n_wilds, tables, work)
    if depth < 0:
        return i64(TOO_LARGE)
    return total - search_wild(depth, n_wilds, best, total, saved, tables, work)
