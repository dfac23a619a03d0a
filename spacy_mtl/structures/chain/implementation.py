"""Importing this registers everything that implements the contract for chains."""

from . import directions, features, kbest, metric, outputs, problem, sums  # noqa: F401
