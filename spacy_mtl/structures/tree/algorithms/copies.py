"""Array copies as explicit loops: numba takes seconds to compile the assignment of one array to another, and nearly ten in two dimensions."""

from spacy_mtl.kernels import subkernel


@subkernel
def copy_list(source, target):
    """Copy source to target, lists of the same length."""
    for k in range(source.size):
        target[k] = source[k]


@subkernel
def copy_table(source, target):
    """Copy source to the first rows of target, tables of the same width."""
    for r in range(source.shape[0]):
        for c in range(source.shape[1]):
            target[r, c] = source[r, c]
