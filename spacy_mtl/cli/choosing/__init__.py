"""Commands that choose: templates that stay, settings, and texts to annotate."""
