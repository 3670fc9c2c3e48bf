"""Where things lie in the two flat vectors of the suit engine, ``rules`` and ``work``.

Both are int64. Named tuples of arrays read better, but numba counts references at each access
to a member array. With that gone, and fewer digits, splits and set options, a hand takes (busy
two-core machine, microseconds, before and after): gin 11 -> 2, Kalooki 51 17 -> 3, Indian 13
100 -> 9, Liverpool deals 15 -> 4, Three Thirteen with five wilds 35 -> 7.
"""

from __future__ import annotations

from typing import Final

NEG: Final = -(1 << 50)
"""No such arrangement. Sums of it with values (bounded in DESIGN.md) stay under ``DEAD``."""
DEAD: Final = -(1 << 49)
INFEASIBLE: Final = -1
TOO_LARGE: Final = -2
MODE_PLAIN: Final = 0
MODE_CONTRACT: Final = 1
MODE_REQUIRE: Final = 2
SPLIT_ALL: Final = 1
SPLIT_PURE: Final = 2
"""``P_SPLIT``: reading a wild card as a natural helps nothing but one pure run."""

MAX_W: Final = 31
MAX_CLASSES: Final = 8
"""Also most sets of a contract + 1."""
MAX_SUBS: Final = 4096
MAX_SETS: Final = 9
MAX_OPTIONS: Final = 8192
MAX_MASKS: Final = 16384
MAX_ROWS: Final = 64
"""Melds of a witness; a meld has at least two cards and a hand of the engine at most 40."""
TABLE_SIZE: Final = 1 << 18

# --- rules: parameters in the order of solver.compile.tables.PARAM_NAMES, then tables ------------
P_SUITS: Final = 0
P_ACE_LOW: Final = 1
P_ACE_HIGH: Final = 2
P_DISTINCT: Final = 3
P_MERGE: Final = 4
P_FREE_JOIN: Final = 5
P_N_CLASSES: Final = 6
P_MODE: Final = 7
P_N_SETS: Final = 8
P_N_RUNS: Final = 9
P_NEED_RUNS: Final = 10
P_NEED_PURE: Final = 11
P_WILD_BITS: Final = 12
P_WILD_RUN_BITS: Final = 13
P_ONE_RUN_SUIT: Final = 14
P_ONE_SET_RANK: Final = 15
P_SET_MIN: Final = 16
P_SPLIT: Final = 17
P_CAP: Final = 18
P_RING: Final = 19
P_LINE_FIRST: Final = 20
P_LINE_LAST: Final = 21
P_FREE_JOIN_PLAIN: Final = 22
P_N_WILD_IDS: Final = 23

SET_K: Final = 32
"""``[n]``: bit k when n naturals and k wilds are a set; 32 words."""
AFTER: Final = 64
"""``[2 * c + (k > 0)]``: class after one more run with k wilds, -1 when it may not be laid."""
SUM: Final = 80
"""``[8 * a + b]``: class of two parts together, -1 beyond the contract."""
ENOUGH: Final = 144
"""``[c]``: 1 when a whole hand of that class meets what is asked."""
WILD_IDS: Final = 160
IS_WILD: Final = 232
RUN_K: Final = 304
"""``[mask]``: bit k when naturals on those positions and k wilds are a run; 16384 words."""
PATTERN: Final = RUN_K + MAX_MASKS
"""Bit ``x & 31`` of ``[x >> 5]``, x = ``(1 << length) | naturals``: legal run pattern."""
PRIME_K: Final = PATTERN + 1024
"""The same of RUN_K for the runs that are not several shorter ones; 16384 words."""
RULES_SIZE: Final = PRIME_K + MAX_MASKS

# --- work: one thread's ------------------------------------------------------------------------
NATURALS: Final = 0
"""Cards in natural roles; 66."""
LAID: Final = 66
"""What a prefix of an arrangement holds already (all 0 at the start); L_ columns."""
L_SETS: Final = 0
L_CLASS: Final = 1
L_RANKS: Final = 2
L_WILDS: Final = 3
STATE: Final = 72
"""Of the witness; 6."""
STEPS: Final = STATE + 6
"""Steps since the hand was begun, of about a nanosecond: what bounds the work on a hand."""
BUDGET: Final = STATE + 7
"""Most steps for a hand; the caller sets it, and a thread that watches the time may end it."""
INFO: Final = 80
"""A row a suit, I_ columns."""
INFO_WIDTH: Final = 20
I_OFFSET: Final = 0
I_KEY: Final = 1
I_INERT: Final = 2
I_CONTESTED: Final = 3
I_LONE: Final = 4
I_WIDTH: Final = 5
I_STRIDE: Final = 6
FIRST: Final = INFO + 5 * INFO_WIDTH
"""``[d]``: first option of depth d; 16."""
ROLES: Final = FIRST + 16
"""By place in WILD_IDS, 66 each: cards in wild roles, in natural roles, most natural ones, and
the natural roles of the best split."""
WILD_GAIN: Final = ROLES + 4 * 66
"""``[w]``: what the w most expensive wilds are worth; 32."""
SMALL: Final = WILD_GAIN + MAX_W + 1
"""Short lists of one suit or one rank; 96."""
STACK: Final = SMALL + 96
"""A row a depth: keys of the suits, then S_ columns."""
STACK_WIDTH: Final = 16
S_GAIN: Final = 5
S_WILDS: Final = 6
S_SETS: Final = 7
S_NEXT: Final = 8
FREE: Final = STACK + 16 * STACK_WIDTH
"""``[8 * w + j]``: best of the melds no run disturbs, with w wilds and j counted sets."""
LATER: Final = FREE + 8 * (MAX_W + 1)
"""``[256 * d + 8 * w + j]``: the same with all sets of depths >= d, at most w wilds."""
BOUND: Final = LATER + 16 * 256
"""The same with the runs of the whole suits."""
JOINED: Final = BOUND + 16 * 256
"""Two vectors ``[n_classes * w + c]``."""
TOPS: Final = JOINED + 2 * 256
"""``[w]``: best of the runs of whole suits that meets what is asked; 32."""
SEEN: Final = TOPS + MAX_W + 1
SET_BITS: Final = SEEN + MAX_MASKS
"""Row 0: digits of a part of a rank, a byte a suit; row j: wild totals that make it j sets."""
OPTIONS: Final = SET_BITS + (MAX_SETS + 1) * MAX_SUBS
"""8 wide: key deltas of the suits, O_ columns."""
O_GAIN: Final = 5
O_BITS: Final = 6
O_SETS: Final = 7
MASKS: Final = OPTIONS + 8 * MAX_OPTIONS
"""8 wide, M_ columns."""
M_DELTA: Final = 0
M_VALUE: Final = 1
M_BITS: Final = 2
M_NEXT: Final = 3
M_DIGITS: Final = 4
M_TWICE: Final = 5
TABLE: Final = MASKS + 8 * MAX_MASKS
"""Suit tables up to the end of the vector, whose size bounds what fits."""
WORK_SIZE: Final = TABLE + TABLE_SIZE
