"""Text as characters: what the segmenter alone needs."""
