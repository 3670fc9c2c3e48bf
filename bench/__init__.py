"""Benchmark suite of the solver."""
