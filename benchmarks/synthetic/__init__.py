"""Made-up chains."""
