"""Compiled loops over arrays and ints; they know no game."""
