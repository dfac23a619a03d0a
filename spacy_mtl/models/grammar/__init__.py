"""Constituents by a binarized grammar of a treebank: the grammar, its pruning, features, and prediction."""
