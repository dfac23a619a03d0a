"""What several threads gain: the same work by one thread and by several, in turn."""
