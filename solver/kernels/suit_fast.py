"""The fast lane: hands as bit planes, whole-suit tables shared by all hands of a rule set.

For each suit a key (mixed radix of the natural ranks) leads to the most points its runs can save
with exactly w wilds. A hand is then: read the planes, look up each suit, and search the sets of
the few ranks that compete with runs. Same argument as suit_build/suit_search, values in points.
"""

from __future__ import annotations

import numpy as np

from solver.kernels.jit import kernel

NONE = 65535
TOO_LARGE = -2
NEG = -(1 << 40)
MAX_CHOICES = 1024

# ``tables``, an int64 vector: numbers, then vectors by rank, then vectors by 13-bit plane.
# (One flat vector instead of a tuple of arrays: numba counts references at each access to a
# member array, which cost a hand 1 us and more.)
N_SUITS = 0
WILD_MASK = 1
JOKER_POINTS = 2
JOKERS_WILD = 3
N_PACKS = 4
N_SLOTS = 5
WILD_BITS = 6
WILD_POINTS = 7
RANK_POINTS = 16
RANK_RADIX = 32
SET_K = 48
KEY_OF = 80
POINTS_OF = KEY_OF + 8192
REACH = POINTS_OF + 8192
"""Then ``reach[slot, support]``: ranks some run of two naturals or more can use."""

# ``work``, an int64 vector of one thread.
PLANES = 0
OUT = 10
MOST = 15
FIRST = 20
VECTOR = 36
BOUND = 64
STACK = 192
CHOICES = 320
WORK_SIZE = CHOICES + 8 * MAX_CHOICES
# Columns of a row of the stack (8 wide); the first five are the suits' keys.
K_GAIN = 5
K_WILDS = 6
K_NEXT = 7
# Columns of a choice (8 wide); the first five are the suits' key deltas.
C_GAIN = 5
C_BITS = 6


@kernel
def fill_reach(run_k, params, reach):  # type: ignore[no-untyped-def]
    """Fill ``reach[w, support]``: ranks of the support in runs with two naturals, <= w wilds."""
    ace_high = params[2] == 1
    ace_low = params[1] == 1
    for w in range(reach.shape[0]):
        word = (np.int64(2) << w) - 1
        for support in range(8192):
            held = np.int64(support)
            if held & 1:
                held = (held & ~1) | (1 if ace_low else 0) | (8192 if ace_high else 0)
            found = np.int64(0)
            sub = held
            while sub > 0:
                if (sub & (sub - 1)) != 0 and np.int64(run_k[sub]) & word:
                    found |= sub
                sub = (sub - 1) & held
            reach[w, support] = (found | (found >> 13)) & 8191


@kernel
def fill_saved(ranks, packs, points, run_k, params, saved):  # type: ignore[no-untyped-def]
    """Fill ``saved[key, w]``: the most points runs of a suit save with exactly w wilds.

    Keys are walked upwards; each drops a card of its highest rank or lays a run that holds it.
    Cost: sum over keys of 2 ** ranks held.
    """
    base = packs + 1
    n = ranks.shape[0]
    slots = saved.shape[1]
    digits = np.zeros(14, np.int64)
    place = np.zeros(14, np.int64)
    weight = np.zeros(14, np.int64)
    position = np.ones(14, np.int64)
    for i in range(1, n + 1):
        place[i] = ranks[i - 1]
        weight[i] = position[i - 1] if i > 1 else 1
        position[i] = weight[i] * base
    word = (np.int64(1) << slots) - 1
    for w in range(slots):
        saved[0, w] = NONE
    saved[0, 0] = 0
    for key in range(1, saved.shape[0]):
        i = 1
        while digits[i] == packs:
            digits[i] = 0
            i += 1
        digits[i] += 1
        top = n
        while digits[top] == 0:
            top -= 1
        held = np.int64(0)
        for d in range(1, top + 1):
            if digits[d] > 0:
                held |= np.int64(1) << place[d]
        for w in range(slots):
            saved[key, w] = saved[key - weight[top], w]
        _best_runs(key, top, held, digits, place, weight, points, word, run_k, params, saved)


@kernel
def _best_runs(key, top, held, digits, place, weight, points, word, run_k, params, saved):  # type: ignore[no-untyped-def]
    """Improve one key with every run that holds its highest rank."""
    ace = held & 1
    line = held & ~np.int64(1)
    if ace:
        line |= (1 if params[1] == 1 else 0) | (8192 if params[2] == 1 else 0)
    lead = np.int64(1) << place[top]
    if place[top] == 0:
        lead = line
    sub = line
    while sub > 0:
        bits = np.int64(run_k[sub]) & word
        both = (sub & 8193) == 8193
        if bits and sub & lead and not (both and digits[1] < 2):
            rest = np.int64(key)
            gain = np.int64(0)
            for d in range(1, top + 1):
                if (sub >> place[d]) & 1:
                    rest -= weight[d]
                    gain += points[place[d]]
            if sub >> 13:
                rest -= weight[1]
                gain += points[0]
            k = 0
            while bits >> k:
                if (bits >> k) & 1:
                    for w in range(k, saved.shape[1]):
                        old = np.int64(saved[rest, w - k])
                        if old != NONE:
                            now = np.int64(saved[key, w])
                            if now == NONE or old + gain > now:
                                saved[key, w] = old + gain
                k += 1
        sub = (sub - 1) & line


@kernel
def ranks_held(least, tables, work):  # type: ignore[no-untyped-def]
    """Return the mask of ranks of which the planes hold ``least`` (2 or 3) cards or more."""
    one, two, more = np.int64(0), np.int64(0), np.int64(0)
    for p in range(tables[N_PACKS]):
        for s in range(tables[N_SUITS]):
            plane = work[PLANES + 5 * p + s]
            carry = one & plane
            one ^= plane
            more |= two & carry
            two ^= carry
    return more | two if least == 2 else more | (two & one)  # noqa: PLR2004 - two cards


@kernel
def list_choices(ranks, n_wilds, tables, work):  # type: ignore[no-untyped-def]
    """List the sets of the ranks of a mask, all naturals first; return how many ranks have any.

    A natural that no run with another natural can use is in every set of its rank: there it is
    worth its points and costs the suit nothing. (A lone natural with wilds is a run of the
    tables, so sets hold two naturals or more.)
    """
    n_suits = tables[N_SUITS]
    word = (np.int64(2) << n_wilds) - 1
    reach = REACH + 8192 * min(n_wilds, tables[N_SLOTS] - 1)
    depth, row = 0, 0
    work[FIRST] = 0
    # Dear ranks first: the first leaves then give good incumbents.
    for rank in range(12, -1, -1):
        if (ranks >> rank) & 1 == 0:
            continue
        total, left = np.int64(0), np.int64(0)
        for s in range(n_suits):
            one = work[PLANES + s]
            copies = ((one >> rank) & 1) + ((work[PLANES + 5 + s] >> rank) & 1)
            total += copies
            work[OUT + s] = 0
            work[MOST + s] = copies if (tables[reach + one] >> rank) & 1 else 0
        start = row
        while True:
            n = total - left
            bits = tables[SET_K + n] & word if n > 1 else np.int64(0)
            if bits:
                if row >= MAX_CHOICES:
                    return np.int64(TOO_LARGE)
                at = CHOICES + 8 * row
                for s in range(n_suits):
                    copies = ((work[PLANES + s] >> rank) & 1) + (
                        (work[PLANES + 5 + s] >> rank) & 1
                    )
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
    return np.int64(depth)


@kernel
def search_plain(depth, saved, tables, work):  # type: ignore[no-untyped-def]
    """Return the most points a hand without wilds saves; row 0 of the stack holds its keys."""
    n_suits = tables[N_SUITS]
    work[BOUND + depth] = 0
    for d in range(depth - 1, -1, -1):
        # The first choice of a rank takes all its naturals, so it is the dearest.
        first = CHOICES + 8 * work[FIRST + d]
        work[BOUND + d] = work[BOUND + d + 1] + work[first + C_GAIN]
    runs = np.int64(0)
    for s in range(n_suits):
        runs += np.int64(saved[work[STACK + s], 0])
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
                runs -= np.int64(saved[key, 0])
                key -= work[choice + s]
                runs += np.int64(saved[key, 0])
            work[top + 8 + s] = key
        best = max(best, gain + runs)
        if d + 1 < depth and gain + runs + work[BOUND + d + 1] > best:
            d += 1
            work[top + 8 + K_GAIN] = gain
            work[top + 8 + K_WILDS] = runs
            work[top + 8 + K_NEXT] = work[FIRST + d]
    return best


@kernel
def _join(row, n_wilds, saved, tables, work):  # type: ignore[no-untyped-def]
    """Fill vector 0: for each w the most points saved by the runs of the keys in a stack row."""
    at = STACK + 8 * row
    for w in range(n_wilds + 1):
        value = np.int64(saved[work[at], w])
        work[VECTOR + w] = value if value != NONE else NEG
    for s in range(1, tables[N_SUITS]):
        key = work[at + s]
        if key == 0:
            continue
        for w in range(n_wilds, -1, -1):
            best = np.int64(NEG)
            for k in range(w + 1):
                value = np.int64(saved[key, k])
                if value != NONE:
                    best = max(best, value + work[VECTOR + w - k])
            work[VECTOR + w] = best


@kernel
def _bound_wild(depth, n_wilds, work):  # type: ignore[no-untyped-def]
    """Fill the bounds: runs of the whole suits and all sets of later ranks within w wilds."""
    last = BOUND + 8 * depth
    for w in range(n_wilds + 1):
        before = work[last + w - 1] if w else np.int64(NEG)
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
def search_wild(depth, n_wilds, saved, tables, work):  # type: ignore[no-untyped-def]
    """Return the most points a hand saves; vector 2 holds what w wilds are worth.

    The bound of a node: sets chosen, all later sets at once, the runs of the whole suits and all
    wilds; wilds only limit how many of these go together.
    """
    n_suits, wild_bits = tables[N_SUITS], tables[WILD_BITS]
    all_wilds = work[VECTOR + 16 + n_wilds]
    word = (np.int64(2) << n_wilds) - 1
    work[STACK + K_GAIN] = 0
    work[STACK + K_WILDS] = 1
    work[STACK + K_NEXT] = 0
    _join(0, n_wilds, saved, tables, work)
    _bound_wild(depth, n_wilds, work)
    # Entry 6 of a bound row: what the suits have lost for certain at that depth.
    work[BOUND + 6] = 0
    best = max(np.int64(0), _best_total(STACK, n_wilds, wild_bits, work))
    d = 0 if depth > 0 else -1
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
            spread = np.int64(0)
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
            loss = _loss(top + 8, n_wilds, n_suits, saved, work)
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
            _join(d + 1, n_wilds, saved, tables, work)
            best = max(best, _best_total(top + 8, n_wilds, wild_bits, work))
    return best


@kernel
def _loss(top, n_wilds, n_suits, saved, work):  # type: ignore[no-untyped-def]
    """Return what the suits of a stack row have lost against row 0, whatever wilds they get."""
    loss = np.int64(0)
    for s in range(n_suits):
        root, key = work[STACK + s], work[top + s]
        if root == key:
            continue
        least = np.int64(NONE)
        for w in range(n_wilds + 1):
            was = np.int64(saved[root, w])
            if was != NONE:
                now = np.int64(saved[key, w])
                least = min(least, was - now if now != NONE else least)
        loss += least
    return loss


@kernel
def _best_total(top, n_wilds, wild_bits, work):  # type: ignore[no-untyped-def]
    """Return the best of a leaf: runs in vector 0, its sets, melds of wilds, and the wilds."""
    best = np.int64(NEG)
    wilds = work[top + K_WILDS]
    for w in range(n_wilds + 1):
        value = np.int64(NEG)
        for k in range(w + 1):
            if (wilds >> k) & 1:
                value = max(value, work[VECTOR + w - k])
        for k in range(1, w + 1):
            if (wild_bits >> k) & 1:
                value = max(value, work[VECTOR + 8 + w - k])
        work[VECTOR + 8 + w] = value
        best = max(best, value + work[VECTOR + 16 + w])
    return best + work[top + K_GAIN]


@kernel
def _price_wilds(n_ranked, n_wilds, tables, work):  # type: ignore[no-untyped-def]
    """Fill vector 2: what the w dearest of the ranked wilds and the jokers cost."""
    joker, ranked = tables[JOKER_POINTS], tables[WILD_POINTS]
    n_dear = n_ranked if ranked >= joker else n_wilds - n_ranked
    dear, cheap = max(joker, ranked), min(joker, ranked)
    total = np.int64(0)
    work[VECTOR + 16] = 0
    for w in range(1, n_wilds + 1):
        total += dear if w <= n_dear else cheap
        work[VECTOR + 16 + w] = total


@kernel
def _bit_count(mask):  # type: ignore[no-untyped-def]
    """Return the number of set bits of a small mask."""
    n = np.int64(0)
    while mask:
        mask &= mask - 1
        n += 1
    return n


@kernel
def solve_planes(jokers, saved, tables, work):  # type: ignore[no-untyped-def]
    """Return the least penalty of the hand in the planes, TOO_LARGE when out of reach."""
    wild_mask, n_suits = tables[WILD_MASK], tables[N_SUITS]
    total = jokers * tables[JOKER_POINTS]
    n_ranked = np.int64(0)
    runs = np.int64(0)
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
        runs += np.int64(saved[key, 0])
    n_wilds = n_ranked + jokers * tables[JOKERS_WILD]
    if n_wilds == 0:
        ranks = ranks_held(3, tables, work)
        if ranks == 0:
            return total - runs
        depth = list_choices(ranks, np.int64(0), tables, work)
        if depth < 0:
            return np.int64(TOO_LARGE)
        return total - (search_plain(depth, saved, tables, work) if depth else runs)
    if n_wilds >= tables[N_SLOTS]:
        return np.int64(TOO_LARGE)
    _price_wilds(n_ranked, n_wilds, tables, work)
    depth = list_choices(ranks_held(2, tables, work), n_wilds, tables, work)
    if depth < 0:
        return np.int64(TOO_LARGE)
    return total - search_wild(depth, n_wilds, saved, tables, work)


@kernel
def packed_penalties(words, has_tail, saved, tables, work, out):  # type: ignore[no-untyped-def]
    """Write least penalties of packed hands (uint64[n, k]) to int32[n]; TOO_LARGE for others."""
    n_planes = words.shape[1] - has_tail
    n_suits, n_packs = tables[N_SUITS], tables[N_PACKS]
    for p in range(10):
        work[PLANES + p] = 0
    for i in range(words.shape[0]):
        jokers = np.int64(0)
        fits = True
        for p in range(n_planes):
            word = np.int64(words[i, p])
            if p >= n_packs:
                fits &= word == 0
                continue
            for s in range(4):
                work[PLANES + 5 * p + s] = (word >> (13 * s)) & 8191
        if has_tail:
            tail = np.int64(words[i, n_planes])
            jokers = (tail >> 56) & 127
            for p in range(n_planes):
                stars = (tail >> (13 * p)) & 8191
                if p < n_packs and n_suits == 5:  # noqa: PLR2004 - the fifth suit
                    work[PLANES + 5 * p + 4] = stars
                else:
                    fits &= stars == 0
        out[i] = solve_planes(jokers, saved, tables, work) if fits else TOO_LARGE


@kernel
def counts_penalties(counts, saved, tables, work, out):  # type: ignore[no-untyped-def]
    """Write least penalties of hands (uint8[n, 66]) to int32[n]; TOO_LARGE for others."""
    n_suits, n_packs = tables[N_SUITS], tables[N_PACKS]
    for p in range(10):
        work[PLANES + p] = 0
    for i in range(counts.shape[0]):
        most = np.int64(0)
        for s in range(n_suits):
            one, two = np.int64(0), np.int64(0)
            for r in range(13):
                n = np.int64(counts[i, s * 13 + r])
                one |= np.int64(n > 0) << r
                two |= np.int64(n > 1) << r
                most = max(most, n)
            work[PLANES + s] = one
            work[PLANES + 5 + s] = two
        rest = np.int64(0)
        for c in range(n_suits * 13, 65):
            rest |= np.int64(counts[i, c])
        if most > n_packs or rest:
            out[i] = TOO_LARGE
        else:
            out[i] = solve_planes(np.int64(counts[i, 65]), saved, tables, work)
