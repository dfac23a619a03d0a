"""l1-norm max-margin Markov networks, by four algorithms."""

from .trainer import L1M3N, l1_m3n

__all__ = ["L1M3N", "l1_m3n"]
