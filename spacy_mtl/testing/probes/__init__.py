"""Kernels that call the functions of the contract for one sentence and return the results."""
