"""Importing this module registers the implementation of the contract for trees."""

from . import decode, directions, features, kbest, outputs, sums  # noqa: F401
