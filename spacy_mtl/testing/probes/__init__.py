"""Kernels that call the contract's functions for one sentence and hand back what came of it."""
