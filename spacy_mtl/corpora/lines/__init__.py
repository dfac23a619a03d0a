"""The lines of text files: decoded, and without comments."""
