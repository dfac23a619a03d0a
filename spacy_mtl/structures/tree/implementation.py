"""Importing this registers everything that implements the contract for trees."""

from . import decode, directions, features, kbest, outputs, sums  # noqa: F401
