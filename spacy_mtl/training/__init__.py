"""Scorers, loggers and batchers for spaCy's training loop."""
