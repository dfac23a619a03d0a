"""Enumeration of all possible outputs of a sentence from the arrays of a problem, for small problems and tests."""
