"""Exact advice from what one seat sees, players that follow it, and matches between them."""
