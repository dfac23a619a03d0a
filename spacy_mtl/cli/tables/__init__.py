"""Commands that make tables: clusters of words, and lists of phrases."""
