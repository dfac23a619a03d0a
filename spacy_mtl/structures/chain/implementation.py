"""Importing this module registers the implementation of the contract for chains."""

from . import directions, features, kbest, metric, outputs, problem  # noqa: F401
from .sums import marginals  # noqa: F401
