"""Readers of games and positions recorded by other programs."""
