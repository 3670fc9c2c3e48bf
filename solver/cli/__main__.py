"""``python -m solver.cli``: the command without its installed script."""

from __future__ import annotations

from solver.cli import main

if __name__ == "__main__":
    main(prog_name="meld-solver")
