"""Every output that a sentence may have, told from the arrays of a problem: for small problems and tests."""
