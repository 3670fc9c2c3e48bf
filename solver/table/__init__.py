"""Cards on the table: lay-offs, going down, wild swaps, Gin's defence, rearranging."""

from __future__ import annotations

from solver.table.closing import godown_turn, with_discard
from solver.table.gin import KnockOption, knocker_choice
from solver.table.lying import Lying, Table, read_table
from solver.table.plan import Action, Plan, replay
from solver.table.rearrangement import NewMeld, Rearrangement
from solver.table.rearranging import rearrange
from solver.table.turn import best_godown, best_layoff, joint_layoff, may_swap_in

__all__ = [
    "Action",
    "KnockOption",
    "Lying",
    "NewMeld",
    "Plan",
    "Rearrangement",
    "Table",
    "best_godown",
    "best_layoff",
    "godown_turn",
    "joint_layoff",
    "knocker_choice",
    "may_swap_in",
    "read_table",
    "rearrange",
    "replay",
    "with_discard",
]
