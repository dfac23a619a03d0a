"""Algorithms on trees that only need scores: decoding, and sums over all trees."""
