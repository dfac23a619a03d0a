"""Training the components of a config on a corpus in shards, which nobody has as a whole: workers read, count, index and ascend, a driver adds up."""
