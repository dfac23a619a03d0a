"""l1-norm max-margin Markov networks, four ways."""

from .trainer import L1M3N, l1_m3n

__all__ = ["L1M3N", "l1_m3n"]
