"""Offsets: constant scores of parts that do not come from the weights, such as those of a model from which training goes on."""
