"""Which templates, settings and texts are worth it: pruning, tuning, and what to annotate next."""
