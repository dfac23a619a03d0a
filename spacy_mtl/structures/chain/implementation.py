"""Importing this module registers the implementation of the contract for chains."""

from . import directions, features, kbest, metric, outputs, problem, sums  # noqa: F401
