"""What knowledge from outside of the training corpus adds: clusters of words and lists."""
