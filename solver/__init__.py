"""Rummy meld solver: minimum-penalty arrangements with proof."""
