"""Text as characters: the parts that only the segmenter needs."""
