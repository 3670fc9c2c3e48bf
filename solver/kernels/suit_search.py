"""The suit engine's search over set choices for one hand whose roles are fixed.

Branch and bound over the ranks whose cards runs also want; ranks no run wants are folded into one
vector over wilds beforehand. The runs of a node come from a max-plus convolution of the suits'
tables over the number of wilds. The bound of a node is its runs and all later sets, conflicts
among these ignored; before that, the same with the runs of the whole suits, which is a look-up.
"""

from __future__ import annotations

from solver.kernels.jit import kernel
from solver.kernels.suit_build import build_suits
from solver.kernels.suit_layout import (
    AFTER,
    BOUND,
    BUDGET,
    DEAD,
    ENOUGH,
    FIRST,
    FREE,
    I_INERT,
    I_KEY,
    I_OFFSET,
    I_WIDTH,
    INFO,
    INFO_WIDTH,
    JOINED,
    L_CLASS,
    L_SETS,
    L_WILDS,
    LAID,
    LATER,
    MODE_CONTRACT,
    MODE_REQUIRE,
    NEG,
    O_BITS,
    O_GAIN,
    O_SETS,
    OPTIONS,
    P_MODE,
    P_N_CLASSES,
    P_N_SETS,
    P_SUITS,
    P_WILD_BITS,
    P_WILD_RUN_BITS,
    S_GAIN,
    S_NEXT,
    S_SETS,
    S_WILDS,
    STACK,
    STACK_WIDTH,
    STEPS,
    SUM,
    TOO_LARGE,
    TOPS,
    WILD_GAIN,
)
from solver.kernels.suit_sets import build_sets
from solver.kernels.types import I64, i64


@kernel
def join_suits(row: int, n_wilds: int, meld_cost: int, rules: I64, work: I64) -> int:
    """Put together the runs of all suits at the keys of a stack row.

    Returns: where the result is, ``[n_classes * w + c]``: the best of runs with exactly w wilds
    and class c (with a requirement also melds of wilds only, which may be runs).
    """
    n_cls = rules[P_N_CLASSES]
    here, other = i64(JOINED), i64(JOINED + 256)
    n = (n_wilds + 1) * n_cls
    for i in range(n):
        work[here + i] = NEG
    work[here] = 0
    empty = True
    for s in range(rules[P_SUITS]):
        info, key = INFO + INFO_WIDTH * s, work[STACK + STACK_WIDTH * row + s]
        if key == 0 or work[info + I_INERT] == 1:
            continue
        at = work[info + I_OFFSET] + key * work[info + I_WIDTH]
        if empty:
            for i in range(n):
                work[here + i] = work[at + i]
            empty = False
        elif n_cls == 1:
            for w in range(n_wilds, -1, -1):
                best = i64(NEG)
                for k in range(w + 1):
                    best = max(best, work[here + w - k] + work[at + k])
                work[here + w] = best
        else:
            _join_counted(here, other, at, n_wilds, rules, work)
            here, other = other, here
    if rules[P_MODE] == MODE_REQUIRE and rules[P_WILD_BITS] != 0:
        _require_wild_melds(here, n_wilds, meld_cost, rules, work)
    return here


@kernel
def _join_counted(here: int, other: int, at: int, n_wilds: int, rules: I64, work: I64) -> None:
    """Join a suit's entries to the vector at ``here``, into ``other``, by class."""
    n_cls = rules[P_N_CLASSES]
    for i in range((n_wilds + 1) * n_cls):
        work[other + i] = NEG
    for k in range(n_wilds + 1):
        for c in range(n_cls):
            mine = work[at + k * n_cls + c]
            if mine < DEAD:
                continue
            for b in range(n_cls):
                both = rules[SUM + 8 * c + b]
                if both >= 0:
                    for w in range(n_wilds + 1 - k):
                        i = other + (w + k) * n_cls + both
                        work[i] = max(work[i], work[here + w * n_cls + b] + mine)


@kernel
def _require_wild_melds(here: int, n_wilds: int, meld_cost: int, rules: I64, work: I64) -> None:
    """Lay melds of wilds only where melds are counted: as a run it counts, never as a pure one."""
    n_cls = rules[P_N_CLASSES]
    for w in range(1, n_wilds + 1):
        for k in range(1, w + 1):
            if (rules[P_WILD_BITS] >> k) & 1 == 0:
                continue
            as_run = (rules[P_WILD_RUN_BITS] >> k) & 1
            for c in range(n_cls):
                after = rules[AFTER + 2 * c + 1] if as_run else i64(c)
                i = here + w * n_cls + after
                work[i] = max(work[i], work[here + (w - k) * n_cls + c] - meld_cost)


@kernel
def _take_enough(here: int, n_wilds: int, rules: I64, work: I64) -> None:
    """Fill TOPS[w] from a joined vector: the best of the classes that meet what is asked."""
    n_cls = rules[P_N_CLASSES]
    laid = work[LAID + L_CLASS]
    for w in range(n_wilds + 1):
        best = i64(NEG)
        for c in range(n_cls):
            both = rules[SUM + 8 * c + laid]
            if both >= 0 and rules[ENOUGH + both] == 1:
                best = max(best, work[here + w * n_cls + c])
        work[TOPS + w] = best


@kernel
def _list_later(n_wilds: int, depth: int, n_j: int, work: I64) -> None:
    """Fill LATER[d, w, j]: at most this from free melds and sets of depths >= d."""
    last = LATER + 256 * depth
    for w in range(n_wilds + 1):
        for j in range(n_j):
            best = work[FREE + 8 * w + j]
            if w > 0:
                best = max(best, work[last + 8 * (w - 1) + j])
            work[last + 8 * w + j] = best
    for d in range(depth - 1, -1, -1):
        here = LATER + 256 * d
        for w in range(n_wilds + 1):
            for j in range(n_j):
                work[here + 8 * w + j] = work[here + 256 + 8 * w + j]
        for o in range(work[FIRST + d], work[FIRST + d + 1]):
            option = OPTIONS + 8 * o
            value = work[option + O_GAIN]
            sets = work[option + O_SETS] if n_j > 1 else i64(0)
            least = 0
            # More wilds in the same set leave fewer for the rest: the least is best.
            while (work[option + O_BITS] >> least) & 1 == 0:
                least += 1
            for w in range(least, n_wilds + 1):
                for j in range(sets, n_j):
                    best = work[here + 256 + 8 * (w - least) + j - sets] + value
                    work[here + 8 * w + j] = max(work[here + 8 * w + j], best)


@kernel
def _bound_whole(n_wilds: int, depth: int, n_j: int, work: I64) -> None:
    """Fill BOUND: LATER with the runs of the whole suits, which are in TOPS."""
    for d in range(depth + 1):
        for w in range(n_wilds + 1):
            for j in range(n_j):
                best = i64(NEG)
                for k in range(w + 1):
                    best = max(best, work[TOPS + k] + work[LATER + 256 * d + 8 * (w - k) + j])
                work[BOUND + 256 * d + 8 * w + j] = best


@kernel
def _best_total(row: int, n_wilds: int, wanted: int, work: I64) -> int:
    """Return the best of a full choice of sets: its runs in TOPS, free melds and all wilds."""
    best = i64(NEG)
    gain = WILD_GAIN + work[LAID + L_WILDS]
    wilds = work[row + S_WILDS]
    for used in range(n_wilds + 1):
        if (wilds >> used) & 1:
            for k in range(n_wilds + 1 - used):
                free = work[FREE + 8 * k + wanted]
                for w in range(n_wilds + 1 - used - k):
                    best = max(best, free + work[TOPS + w] + work[gain + used + k + w])
    return best + work[row + S_GAIN]


@kernel
def search(
    n_wilds: int, depth: int, floor: int, target: int, meld_cost: int, rules: I64, work: I64
) -> int:
    """Return the best value above ``floor``, ``floor`` when there is none, or TOO_LARGE.

    TOO_LARGE: the steps of the hand are used up.

    Stops as soon as ``target`` is reached. ``WILD_GAIN[w]`` is what the w most expensive wilds
    are worth. Needs build_suits and build_sets of the same hand.
    """
    n_suits = rules[P_SUITS]
    counted = rules[P_MODE] == MODE_CONTRACT
    n_j = rules[P_N_SETS] + 1 if counted else i64(1)
    wanted = rules[P_N_SETS] - work[LAID + L_SETS] if counted else i64(0)
    best = i64(floor)
    most = work[WILD_GAIN + work[LAID + L_WILDS] + n_wilds]
    for s in range(n_suits):
        work[STACK + s] = work[INFO + INFO_WIDTH * s + I_KEY]
    # A node joins the suits, each number of wilds with each, and takes the best of them.
    width = (n_wilds + 1) * rules[P_N_CLASSES]
    node_steps = 40 + (n_suits + 1) * width * width // 2
    work[STEPS] += node_steps
    work[STACK + S_GAIN] = 0
    work[STACK + S_WILDS] = 1
    work[STACK + S_SETS] = 0
    work[STACK + S_NEXT] = 0
    _take_enough(join_suits(i64(0), n_wilds, meld_cost, rules, work), n_wilds, rules, work)
    if depth == 0:
        return max(best, _best_total(i64(STACK), n_wilds, wanted, work))
    _list_later(n_wilds, depth, n_j, work)
    _bound_whole(n_wilds, depth, n_j, work)
    if work[BOUND + 8 * n_wilds + wanted] + most <= best:
        return best
    work[STEPS] += (work[FIRST + depth] + depth * n_wilds) * (n_wilds + 1) * n_j
    d = 0
    while d >= 0:
        top = STACK + STACK_WIDTH * d
        o, end = work[top + S_NEXT], work[FIRST + d + 1]
        if o > end:
            d -= 1
            continue
        work[top + S_NEXT] = o + 1
        work[STEPS] += 10 + n_wilds
        if work[STEPS] > work[BUDGET]:
            return i64(TOO_LARGE)
        below, option = top + STACK_WIDTH, OPTIONS + 8 * o
        gain, wilds, sets = work[top + S_GAIN], work[top + S_WILDS], work[top + S_SETS]
        if o < end:
            gain += work[option + O_GAIN]
            if counted:
                sets += work[option + O_SETS]
            bits, k, spread = work[option + O_BITS], 0, i64(0)
            while bits >> k:
                if (bits >> k) & 1:
                    spread |= wilds << k
                k += 1
            wilds = spread & ((i64(2) << n_wilds) - 1)
        if wilds == 0 or sets > wanted:
            continue
        used = 0
        while (wilds >> used) & 1 == 0:
            used += 1
        rest = 256 * (d + 1) + wanted - sets
        limit = work[BOUND + rest + 8 * (n_wilds - used)]
        if limit < DEAD or gain + limit + most <= best:
            continue
        for s in range(n_suits):
            work[below + s] = work[top + s] - (work[option + s] if o < end else 0)
        work[below + S_GAIN] = gain
        work[below + S_WILDS] = wilds
        work[below + S_SETS] = sets
        work[below + S_NEXT] = end
        work[STEPS] += node_steps
        here = join_suits(d + 1, n_wilds - used, meld_cost, rules, work)
        _take_enough(here, n_wilds - used, rules, work)
        if d + 1 == depth:
            best = max(best, _best_total(below, n_wilds, wanted - sets, work))
            if best >= target:
                return best
            continue
        limit = i64(NEG)
        for w in range(n_wilds - used + 1):
            later = work[LATER + rest + 8 * (n_wilds - used - w)]
            limit = max(limit, work[TOPS + w] + later)
        if limit > DEAD and gain + limit + most > best:
            d += 1
    return best


@kernel
def best_of_roles(
    n_wilds: int, floor: int, target: int, gain: I64, meld_cost: int, rules: I64, work: I64
) -> int:
    """Return the best value above ``floor`` of the cards in NATURALS and n_wilds, or TOO_LARGE."""
    if build_suits(n_wilds, gain, meld_cost, rules, work) != 0:
        return i64(TOO_LARGE)
    depth = build_sets(n_wilds, gain, meld_cost, rules, work)
    if depth < 0:
        return i64(TOO_LARGE)
    return search(n_wilds, depth, floor, target, meld_cost, rules, work)
