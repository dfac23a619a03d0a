"""Training in shards: rounds, bytes and CPU seconds of simulated workers, and what is left when some of them die."""
