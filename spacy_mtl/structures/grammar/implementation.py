"""Importing this module registers the implementation of the contract for grammars."""

from . import decode, directions, features, kbest, outputs, sums  # noqa: F401
