"""Components whose corpus is in shards."""
