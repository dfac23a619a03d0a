"""What a corpus does not know and users bring along: clusters of words, and lists of phrases."""
