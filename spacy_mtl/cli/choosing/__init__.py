"""Commands that choose: templates that stay, settings, the bias of a recognizer, and texts to annotate."""
