"""Morphological analyses, a part of speech with features, and the factors that they are divided into."""
