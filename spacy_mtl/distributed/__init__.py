"""Training on a corpus in shards: each worker has sentences of its own, and they exchange one vector a round (CoCoA+)."""
