"""Templates that look at a span of words, and at where a rule splits it."""
