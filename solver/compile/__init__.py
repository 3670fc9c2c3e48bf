"""Rules compiled to arrays and ints for the kernels."""
