"""Flask service over the solver."""
